//! Scenes of cloth, written once for the experiments, the tests and the pictures: those of 2003, and what they leave open.

use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::garments::{self, GarmentError, HairOptions, TrousersOptions};
use super::{
    Cloth, ClothError, ClothId, ClothOptions, ClothReport, ClothStepError, ClothWorld, ClothWorldOptions,
    Fabric, Handle, ObstacleError, ObstacleId, ObstacleOptions, StrandOptions,
};
use crate::ccd::Plane;
use crate::field::{BuildError, Field, FieldOptions};
use crate::math::Pose;
use crate::mesh::shapes::{self, BlobOptions, CapsuleOptions, CylinderOptions, ShapeError};
use crate::mesh::{InvalidMesh, TriMesh};

/// The names that [`by_name`] knows.
pub const NAMES: [&str; 6] = ["tablecloth", "drag", "rod", "trousers", "hair", "flag-wires"];

/// Why there is no scene.
#[derive(Debug, thiserror::Error)]
pub enum ClothSceneError {
    /// A name that is not in [`NAMES`].
    #[error("'{0}' is no scene of cloth; there are: tablecloth, drag, rod, trousers, hair, flag-wires")]
    Unknown(String),
    /// A shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A mesh.
    #[error(transparent)]
    Mesh(#[from] InvalidMesh),
    /// A field.
    #[error(transparent)]
    Field(#[from] BuildError),
    /// A garment.
    #[error(transparent)]
    Garment(#[from] GarmentError),
    /// A cloth.
    #[error(transparent)]
    Cloth(#[from] ClothError),
    /// An obstacle.
    #[error(transparent)]
    Obstacle(#[from] ObstacleError),
}

/// A world with someone who moves what is to be moved.
pub struct ClothScene {
    /// Cloth and obstacles.
    pub world: ClothWorld,
    /// Seconds of a step.
    pub dt: f64,
    /// How long it goes on.
    pub seconds: f64,
    /// What obstacles look like; of what has no end, a part.
    pub meshes: Vec<(ObstacleId, Arc<TriMesh>)>,
    drive: Drive,
}

enum Drive {
    Nothing,
    /// A hand at a corner.
    Drag {
        cloth: ClothId,
        handle: Handle,
    },
    /// Two links that bend at their joint.
    Bend {
        links: [ObstacleId; 2],
        half: f64,
    },
    /// Friction goes to zero.
    Grease {
        legs: [ObstacleId; 2],
        after: f64,
    },
}

impl ClothScene {
    /// A step, all that is led moved first.
    pub fn step(&mut self) -> Result<ClothReport, ClothStepError> {
        let end = self.world.time() + self.dt;
        match &self.drive {
            Drive::Nothing => {}
            Drive::Drag { cloth, handle } => {
                // Pins of a handle are there as long as it is.
                let _ = handle.lead(self.world.cloth_mut(*cloth), hand_at(end));
            }
            Drive::Bend { links, half } => {
                for (id, side) in links.iter().zip([1.0, -1.0]) {
                    self.world.move_obstacle(*id, link_at(end, side, *half));
                }
            }
            Drive::Grease { legs, after } => {
                for id in legs {
                    let friction = if end > *after { 0.0 } else { 0.6 };
                    // Both are friction.
                    let _ = self.world.set_friction(*id, friction);
                }
            }
        }
        self.world.step(self.dt)
    }

    /// Steps of the whole scene.
    pub fn steps(&self) -> usize {
        (self.seconds / self.dt).round() as usize
    }
}

/// A scene by its name.
pub fn by_name(name: &str) -> Result<ClothScene, ClothSceneError> {
    match name {
        "tablecloth" => tablecloth(36),
        "drag" => drag(),
        "rod" => rod(),
        "trousers" => trousers(),
        "hair" => hair(),
        "flag-wires" => flag_wires(15.0),
        _ => Err(ClothSceneError::Unknown(name.to_owned())),
    }
}

/// A detailed head: a blob of 292,820 triangles, stretched so that a field of 272 cells has about 168×272×199, as in 2003.
pub fn head() -> Result<TriMesh, ClothSceneError> {
    let blob =
        shapes::blob(BlobOptions { triangles: 292_820, amplitude: 0.35, seed: 3, ..Default::default() })?;
    let bounds = blob.bounds();
    let (center, extent) = (bounds.center(), bounds.extent());
    // Without the padding, a twentieth of the longest side at both ends.
    let size = DVec3::new(143.3, 247.3, 174.3) * (0.3 / 247.3);
    Ok(blob.mapped(|p| (p - center) / extent * size)?)
}

fn stage(options: ClothWorldOptions, drive: Drive, seconds: f64) -> ClothScene {
    ClothScene { world: ClothWorld::new(options), dt: 0.01, seconds, meshes: Vec::new(), drive }
}

fn lifted(cloth: &mut Cloth, place: impl Fn(DVec3) -> DVec3) -> Result<(), ClothError> {
    let places: Vec<DVec3> = cloth.places().iter().map(|&p| place(p)).collect();
    cloth.set_places(&places)
}

/// A tablecloth of so many squares along a side falls on a head. 36 make 1,369 particles.
pub fn tablecloth(squares: usize) -> Result<ClothScene, ClothSceneError> {
    let mut scene = stage(ClothWorldOptions::default(), Drive::Nothing, 2.0);
    let mesh = head()?;
    let cloth = garments::tablecloth(0.7, squares)?;
    let mut cloth =
        Cloth::from_mesh(&cloth, &ClothOptions { name: "tablecloth".into(), ..Default::default() })?;
    lifted(&mut cloth, |p| p + DVec3::Y * (0.16 + cloth_epsilon(squares)))?;
    // The level that particles are held at has to be in the band, or its cells are coarse.
    let cell = 0.33 / 272.0;
    let band = (cloth.epsilon() / cell + 2.0).max(3.0);
    let field = Field::from_mesh(&mesh, &FieldOptions { resolution: 272, band, ..Default::default() })?;
    let options = ObstacleOptions { name: "head".into(), friction: 0.4, ..Default::default() };
    let id = scene.world.add_field(Arc::new(field), options)?;
    scene.meshes.push((id, Arc::new(mesh)));
    scene.world.add_cloth(cloth);
    Ok(scene)
}

fn cloth_epsilon(squares: usize) -> f64 {
    0.25 * 0.7 / squares as f64 * 2f64.sqrt()
}

fn hand_at(time: f64) -> Pose {
    // Half a second to fall, then up and across, 0.5 m/s.
    let way = (time - 0.5).max(0.0) * 0.5;
    Pose::at(DVec3::new(-0.35 + way, 0.14 + 0.3 * way, -0.35 + 0.6 * way))
}

/// A tablecloth over a ball on the ground is dragged off by its corner.
fn drag() -> Result<ClothScene, ClothSceneError> {
    let mut scene = stage(ClothWorldOptions::default(), Drive::Nothing, 3.0);
    let mesh = shapes::sphere(0.12, 20_480)?;
    let field = Field::from_mesh(&mesh, &FieldOptions { resolution: 96, band: 8.0, ..Default::default() })?;
    let options = ObstacleOptions { name: "ball".into(), ..Default::default() };
    let id = scene.world.add_field(Arc::new(field), options)?;
    scene.meshes.push((id, Arc::new(mesh)));
    let ground = ObstacleOptions { name: "ground".into(), ..Default::default() };
    let ground = scene.world.add_surface(Arc::new(Plane { normal: DVec3::Y, offset: -0.12 }), ground)?;
    let plate = shapes::cuboid(DVec3::new(4.0, 0.02, 4.0))?.mapped(|p| p - DVec3::Y * 0.13)?;
    scene.meshes.push((ground, Arc::new(plate)));
    let options = ClothOptions { name: "tablecloth".into(), ..Default::default() };
    let mut cloth = Cloth::from_mesh(&garments::tablecloth(0.7, 35)?, &options)?;
    lifted(&mut cloth, |p| p + DVec3::Y * 0.14)?;
    let handle = Handle::grip(&mut cloth, &[0, 1, 36], hand_at(0.0))?;
    let cloth = scene.world.add_cloth(cloth);
    scene.drive = Drive::Drag { cloth, handle };
    Ok(scene)
}

/// One half of the rod, its lower end at the joint, the origin.
fn link_at(time: f64, side: f64, half: f64) -> Pose {
    let angle = ((time - 0.8) / 1.5).clamp(0.0, 1.0) * 0.9;
    let lie = DQuat::from_rotation_y(side * std::f64::consts::FRAC_PI_2);
    let rotation = DQuat::from_rotation_z(-side * angle) * lie;
    Pose { position: rotation * DVec3::Z * half, rotation }
}

/// Draped over a rod that bends in its middle: a chain of two fields (2003, Fig. 7).
fn rod() -> Result<ClothScene, ClothSceneError> {
    let radius = 0.03;
    let mesh = shapes::capsule(CapsuleOptions { radius, ..Default::default() })?;
    let half = 0.5 * mesh.bounds().extent().z - radius;
    let field = Arc::new(Field::from_mesh(
        &mesh,
        &FieldOptions { resolution: 160, band: 8.0, ..Default::default() },
    )?);
    let mesh = Arc::new(mesh);
    let mut scene = stage(ClothWorldOptions::default(), Drive::Nothing, 3.0);
    let mut links = Vec::new();
    for (name, side) in [("right", 1.0), ("left", -1.0)] {
        let pose = link_at(0.0, side, half);
        let options = ObstacleOptions { name: name.into(), pose, friction: 0.4, ..Default::default() };
        let id = scene.world.add_field(field.clone(), options)?;
        scene.meshes.push((id, mesh.clone()));
        links.push(id);
    }
    let options = ClothOptions { name: "tablecloth".into(), ..Default::default() };
    let mut cloth = Cloth::from_mesh(&garments::sheet([0.7, 0.6], [35, 30])?, &options)?;
    lifted(&mut cloth, |p| p + DVec3::Y * 0.05)?;
    scene.world.add_cloth(cloth);
    scene.drive = Drive::Bend { links: [links[0], links[1]], half };
    Ok(scene)
}

/// Trousers that fit hold on two legs by friction, and slide down to the ground when that is gone after a second (2003, Fig. 9).
fn trousers() -> Result<ClothScene, ClothSceneError> {
    let cut = TrousersOptions::default();
    let garment = garments::trousers(&cut)?;
    let fabric = Fabric { stretch: 400.0, shear: 60.0, ..Fabric::default() };
    let options = ClothOptions { name: "trousers".into(), fabric, warp: DVec3::Y, ..Default::default() };
    let cloth = Cloth::from_mesh(&garment, &options)?;
    // Legs that taper down, and at the crotch are with ε 3 % too thick for the trousers, which start outside of them. They stand farther apart by as much, so that the crotch is not squeezed.
    let long = 1.6;
    let narrow = |height: f64| 0.78 + 0.3 * height;
    let thick = (1.03 * cut.leg_radius - cloth.epsilon()) / narrow(0.6875);
    let leg = shapes::cylinder(CylinderOptions { radius: thick, height: long, ..Default::default() })?;
    // Upright along z; from the lower end (0) to the upper (1).
    let taper = |p: DVec3| {
        let part = narrow(p.z / long + 0.5);
        DVec3::new(p.x * part, p.y * part, p.z)
    };
    let leg = Arc::new(leg.mapped(taper)?);
    let field =
        Arc::new(Field::from_mesh(&leg, &FieldOptions { resolution: 320, band: 6.0, ..Default::default() })?);
    let mut scene = stage(ClothWorldOptions::default(), Drive::Nothing, 3.0);
    let mut legs = Vec::new();
    for (name, side) in [("right leg", 1.0), ("left leg", -1.0)] {
        let pose = Pose {
            position: DVec3::new(side * (0.5 * cut.stance + 0.03 * cut.leg_radius), -0.3, 0.0),
            rotation: DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2),
        };
        let options = ObstacleOptions { name: name.into(), pose, friction: 0.6, ..Default::default() };
        let id = scene.world.add_field(field.clone(), options)?;
        scene.meshes.push((id, leg.clone()));
        legs.push(id);
    }
    let floor = -0.3 - 0.5 * long;
    let ground = ObstacleOptions { name: "ground".into(), ..Default::default() };
    let ground = scene.world.add_surface(Arc::new(Plane { normal: DVec3::Y, offset: floor }), ground)?;
    let plate = shapes::cuboid(DVec3::new(2.0, 0.02, 2.0))?.mapped(|p| p + DVec3::Y * (floor - 0.01))?;
    scene.meshes.push((ground, Arc::new(plate)));
    scene.world.add_cloth(cloth);
    scene.drive = Drive::Grease { legs: [legs[0], legs[1]], after: 1.0 };
    Ok(scene)
}

/// Strands that fall from the crown of a head.
fn hair() -> Result<ClothScene, ClothSceneError> {
    let mesh = shapes::sphere(0.1, 20_480)?;
    let field = Field::from_mesh(&mesh, &FieldOptions { resolution: 96, band: 6.0, ..Default::default() })?;
    let mut scene = stage(ClothWorldOptions::default(), Drive::Nothing, 2.0);
    let options = ObstacleOptions { name: "head".into(), friction: 0.15, ..Default::default() };
    let id = scene.world.add_field(Arc::new(field), options)?;
    scene.meshes.push((id, Arc::new(mesh)));
    let strands = garments::hair(&HairOptions { radius: 0.104, ..Default::default() })?;
    let options = StrandOptions { name: "hair".into(), ..Default::default() };
    scene.world.add_cloth(Cloth::from_strands(&strands, &options)?);
    Ok(scene)
}

/// A flag flies into seven wires of 2 mm, at so many m/s. Every fourth of its rows meets one.
pub fn flag_wires(speed: f64) -> Result<ClothScene, ClothSceneError> {
    let wire = shapes::cylinder(CylinderOptions { radius: 0.001, height: 0.6, ..Default::default() })?;
    let field = Arc::new(Field::from_mesh(
        &wire,
        &FieldOptions { resolution: 1200, band: 12.0, ..Default::default() },
    )?);
    let wire = Arc::new(wire);
    let options = ClothWorldOptions { gravity: DVec3::ZERO, substeps: 10, ..Default::default() };
    let mut scene = stage(options, Drive::Nothing, 0.15);
    scene.dt = 0.0025;
    for k in -3..=3 {
        let pose = Pose::at(DVec3::new(0.1, 0.05 * f64::from(k), 0.0));
        let options = ObstacleOptions { name: format!("wire {}", k + 4), pose, ..Default::default() };
        let id = scene.world.add_field(field.clone(), options)?;
        scene.meshes.push((id, wire.clone()));
    }
    let options = ClothOptions { name: "flag".into(), ..Default::default() };
    let mut cloth = Cloth::from_mesh(&garments::sheet([0.4, 0.4], [32, 32])?, &options)?;
    lifted(&mut cloth, |p| DVec3::new(0.0, p.x, p.z))?;
    cloth.set_velocity(DVec3::X * speed);
    scene.world.add_cloth(cloth);
    Ok(scene)
}
