//! What is moved: bodies, bodies and cloth, or a built-in scene of cloth; and for how long.

use std::path::Path;

use isotouch::cloth::scenes::{self, ClothScene};
use isotouch::cloth::{Cloth, ClothReport, ClothWorld, ClothWorldState};
use isotouch::dynamics::{Body, BodyKind, StepReport, World, WorldState};
use isotouch::math::{DVec3, Pose};
use isotouch::mesh::TriMesh;
use isotouch::scene::{Doubts, Passage, Scene, SceneSurface, Stage, StageError};

use super::super::scene_source;
use super::Args;
use crate::console::Console;
use crate::failure::{Classify, Failure};
use crate::format::{count, number};

/// How it is to be moved.
pub(super) struct Plan {
    /// Seconds of a step.
    pub(super) dt: f64,
    pub(super) seconds: f64,
    pub(super) frames_per_second: f64,
    /// What stands still, to be shown.
    pub(super) surfaces: Vec<SceneSurface>,
}

impl Plan {
    pub(super) fn of(scene: &Scene) -> Self {
        let Scene { dt, seconds, frames_per_second, surfaces, .. } = scene;
        let (dt, seconds, frames_per_second) = (*dt, *seconds, *frames_per_second);
        Self { dt, seconds, frames_per_second, surfaces: surfaces.clone() }
    }

    /// Of the whole simulation.
    pub(super) fn steps(&self) -> u64 {
        // As `Scene::steps`.
        (self.seconds / self.dt + 1e-6).floor().max(1.0) as u64
    }
}

/// The name of a built-in scene of cloth, if that is what is meant. Those are programs, for there hands lead and rods bend, and have no text.
pub(super) fn cloth_scene(scene: &Path) -> Option<&'static str> {
    let is_no_file = !scene.exists() || scene.is_dir();
    scenes::NAMES.into_iter().find(|name| is_no_file && scene.to_str() == Some(name))
}

/// A world on its way.
pub(super) enum Play {
    Bodies(Box<World>),
    Stage(Box<Stage>),
    Cloth(Box<ClothScene>),
}

/// A step, summed up.
pub(super) struct Facts {
    pub(super) time: f64,
    /// Kinetic, potential, elastic.
    pub(super) energies: [f64; 3],
    /// 0 where nothing is inside anything.
    pub(super) penetration: f64,
    pub(super) contacts: usize,
    pub(super) stopped: usize,
    pub(super) seconds: f64,
    pub(super) contact_seconds: f64,
    /// How deep cloth is, negative by how far it keeps off; not a number without cloth.
    pub(super) cloth_depth: f64,
    /// kg·m/s, of dynamic bodies.
    pub(super) momentum: DVec3,
    /// kg·m²/s, of dynamic bodies about the origin.
    pub(super) angular_momentum: DVec3,
}

/// Something rigid that is shown.
pub(super) struct Actor<'a> {
    pub(super) name: &'a str,
    pub(super) mesh: Option<&'a TriMesh>,
    pub(super) pose: Pose,
    pub(super) is_fixed: bool,
}

impl Play {
    /// Of a scene file.
    pub(super) fn of_scene(scene: &Scene, args: &Args, console: &Console) -> Result<Self, Failure> {
        let mut world = scene_source::world(scene, args.no_cache, console)?;
        if !args.resume {
            warn(&mut world, scene, console);
        }
        if scene.cloth.is_empty() {
            return Ok(Self::Bodies(Box::new(world)));
        }
        let stage = scene.stage(world).or_bad_input()?;
        if !args.resume {
            stage.notes().iter().for_each(|note| console.warn(note));
        }
        let depth = stage.cloth.penetration();
        if depth > 0.0 && !args.resume {
            console.warn(format_args!(
                "cloth is {} mm inside an obstacle at the start; it is pushed out at push_out_speed",
                number(1e3 * depth)
            ));
        }
        Ok(Self::Stage(Box::new(stage)))
    }

    /// None in a scene of cloth, where obstacles are led.
    pub(super) fn bodies(&self) -> &[Body] {
        match self {
            Self::Bodies(world) => world.bodies(),
            Self::Stage(stage) => stage.bodies.bodies(),
            Self::Cloth(_) => &[],
        }
    }

    fn cloth_world(&self) -> Option<&ClothWorld> {
        match self {
            Self::Bodies(_) => None,
            Self::Stage(stage) => Some(&stage.cloth),
            Self::Cloth(scene) => Some(&scene.world),
        }
    }

    pub(super) fn cloths(&self) -> &[Cloth] {
        self.cloth_world().map_or(&[], ClothWorld::cloths)
    }

    pub(super) fn particles(&self) -> usize {
        self.cloths().iter().map(|cloth| cloth.places().len()).sum()
    }

    /// What cloth did that is not to be believed, in words.
    pub(super) fn doubts(&self) -> Vec<String> {
        let mut doubts = Vec::new();
        let mut stretches: Vec<f64> = self.cloths().iter().map(Cloth::largest_stretch).collect();
        if let Self::Stage(stage) = self {
            stretches.copy_from_slice(stage.largest_stretches());
            doubts.extend(stage.passages().iter().map(|Passage { body, cloth, time }| {
                format!(
                    "'{body}' went through the cloth '{cloth}' at t = {} s, between its particles; cut it finer, or make it stiffer with more substeps, or the body slower or lighter",
                    number(*time)
                )
            }));
        }
        let stretched = self.cloths().iter().zip(stretches).filter(|(_, stretch)| *stretch > TOO_LONG);
        doubts.extend(stretched.map(|(cloth, stretch)| {
            format!(
                "the cloth '{}' was stretched by {} %; take smaller steps with --dt, more substeps of [cloth_stepping], a larger stretch, or lighter bodies",
                cloth.name(),
                number(1e2 * stretch)
            )
        }));
        doubts
    }

    /// What doubts are made of, to be kept with a state.
    pub(super) fn kept_doubts(&self) -> Doubts {
        match self {
            Self::Stage(stage) => stage.doubts().clone(),
            Self::Bodies(_) | Self::Cloth(_) => Doubts::default(),
        }
    }

    pub(super) fn recall_doubts(&mut self, doubts: &Doubts) {
        if let Self::Stage(stage) = self {
            stage.recall_doubts(doubts);
        }
    }

    /// What has a pose that is recorded.
    pub(super) fn actors(&self) -> Vec<Actor<'_>> {
        if let Self::Cloth(scene) = self {
            let of = scene.meshes.iter().map(|(id, mesh)| {
                let obstacle = scene.world.obstacle(*id);
                Actor { name: obstacle.name(), mesh: Some(mesh), pose: obstacle.pose(), is_fixed: false }
            });
            return of.collect();
        }
        let of = |body| {
            let is_fixed = Body::kind(body) == BodyKind::Fixed;
            Actor {
                name: body.name(),
                mesh: body.shape().mesh().map(AsRef::as_ref),
                pose: body.pose(),
                is_fixed,
            }
        };
        self.bodies().iter().map(of).collect()
    }

    /// Before the first step.
    pub(super) fn start(&self) -> Facts {
        let of_bodies = match self {
            Self::Bodies(world) => world.report(),
            Self::Stage(stage) => stage.bodies.report(),
            Self::Cloth(_) => StepReport::default(),
        };
        self.facts(&of_bodies, &ClothReport::default())
    }

    pub(super) fn step(&mut self, dt: f64) -> Result<Facts, StageError> {
        let (of_bodies, of_cloth) = match self {
            Self::Bodies(world) => (world.step(dt)?, ClothReport::default()),
            Self::Stage(stage) => stage.step(dt)?,
            Self::Cloth(scene) => {
                scene.dt = dt;
                let of_cloth = scene.step()?;
                (StepReport { time: scene.world.time(), ..Default::default() }, of_cloth)
            }
        };
        Ok(self.facts(&of_bodies, &of_cloth))
    }

    fn facts(&self, of_bodies: &StepReport, of_cloth: &ClothReport) -> Facts {
        let mut facts = Facts {
            time: of_bodies.time,
            energies: [of_bodies.kinetic_energy, of_bodies.potential_energy, of_bodies.elastic_energy],
            penetration: of_bodies.max_penetration,
            contacts: of_bodies.contacts + of_cloth.contacts,
            stopped: of_bodies.stopped,
            seconds: of_bodies.seconds + of_cloth.seconds,
            contact_seconds: of_bodies.contact_seconds
                + of_cloth.collision_seconds
                + of_cloth.self_collision_seconds,
            cloth_depth: f64::NAN,
            momentum: of_bodies.momentum,
            angular_momentum: of_bodies.angular_momentum,
        };
        if let Some(world) = self.cloth_world() {
            for cloth in world.cloths() {
                facts.energies[0] += cloth.kinetic_energy();
                facts.energies[1] += cloth.potential_energy(world.options().gravity);
                // Of the forces that act: strain that is left over pulls with nothing (docs/cloth.md, Energy).
                facts.energies[2] += cloth.carried_energy();
            }
            facts.cloth_depth = world.penetration();
            facts.penetration = facts.penetration.max(facts.cloth_depth);
        }
        facts
    }

    pub(super) fn state(&self) -> (WorldState, Option<ClothWorldState>) {
        let bodies = match self {
            Self::Bodies(world) => world.state(),
            Self::Stage(stage) => stage.bodies.state(),
            Self::Cloth(_) => WorldState::default(),
        };
        (bodies, self.cloth_world().map(ClothWorld::state))
    }

    pub(super) fn restore(
        &mut self,
        bodies: &WorldState,
        cloth: Option<&ClothWorldState>,
    ) -> anyhow::Result<()> {
        let world = match self {
            Self::Bodies(world) => return Ok(world.restore(bodies)?),
            Self::Stage(stage) => {
                stage.bodies.restore(bodies)?;
                &mut stage.cloth
            }
            Self::Cloth(scene) => &mut scene.world,
        };
        // A checkpoint of the same scene has it.
        Ok(world.restore(cloth.unwrap_or(&ClothWorldState::default()))?)
    }
}

/// Cloth that is longer by more than this part is told: none that is woven holds that.
const TOO_LONG: f64 = 0.5;

/// Most overlaps that are told one by one.
const MOST_TOLD: usize = 5;

/// What a run may come to grief by, before it begins.
fn warn(world: &mut World, scene: &Scene, console: &Console) {
    let overlaps = world.overlapping();
    for of in overlaps.iter().take(MOST_TOLD) {
        console.warn(format_args!(
            "'{}' and '{}' overlap by {} mm or more at the start; they are let apart at separation_speed",
            of.body,
            of.other,
            number(1e3 * of.depth)
        ));
    }
    if overlaps.len() > MOST_TOLD {
        console.warn(format_args!("and {} more overlap", count((overlaps.len() - MOST_TOLD) as u64)));
    }
    if let Some(stable) = world.stable_step().filter(|stable| stable.dt < scene.dt) {
        console.warn(format_args!(
            "steps of {} s may be too long for the springs under '{}' and an explicit integrator; take --dt {:.1e}, less stiffness, or integrator = \"implicit\"",
            number(scene.dt),
            stable.body,
            stable.dt
        ));
    }
}
