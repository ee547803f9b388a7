use std::sync::Arc;

use isotouch::contact::Material;
use isotouch::dynamics::{
    BodyError, BodyKind, BodyOptions, Integrator, Mass, Shape, ShapeOptions, StepError, World, WorldOptions,
};
use isotouch::math::{DVec3, Pose, Twist};
use isotouch::mesh::{TriMesh, shapes};

use crate::{at, ball, on_ground};

fn add(options: BodyOptions) -> Result<(), BodyError> {
    World::new(WorldOptions::default()).add_body(ball(0.1), options).map(|_| ())
}

#[test]
fn masses_that_are_none_are_refused_by_name() {
    for mass in [
        Mass::Density(0.0),
        Mass::Density(-1.0),
        Mass::Density(f64::NAN),
        Mass::Total(0.0),
        Mass::Total(f64::INFINITY),
    ] {
        let error = add(BodyOptions { name: "stone".into(), mass, ..Default::default() }).unwrap_err();
        assert!(error.to_string().starts_with("body 'stone': the "), "{error}");
    }
    // Nobody asks for the mass of what forces do not move.
    add(BodyOptions { mass: Mass::Density(0.0), kind: BodyKind::Fixed, ..Default::default() }).unwrap();
}

#[test]
fn an_open_mesh_needs_a_mass_of_its_own() {
    let ball = shapes::sphere(0.1, 1280).unwrap();
    let open = TriMesh::new(ball.vertices().to_vec(), ball.triangles()[3..].to_vec()).unwrap();
    let shape = Arc::new(Shape::from_mesh(&open, &ShapeOptions { resolution: 32, points: 200 }).unwrap());
    let mut world = World::new(WorldOptions::default());
    let error = world
        .add_body(shape.clone(), BodyOptions { name: "shard".into(), ..Default::default() })
        .unwrap_err();
    let text = error.to_string();
    assert!(text.contains("'shard'") && text.contains("give mass, centre and inertia"), "{text}");
    let given = isotouch::mesh::mass_properties(&ball, 1000.0).unwrap();
    world.add_body(shape, BodyOptions { mass: Mass::Given(given), ..Default::default() }).unwrap();
}

#[test]
fn numbers_that_are_none_are_refused() {
    let pose = Pose::at(DVec3::new(f64::NAN, 0.0, 0.0));
    assert!(matches!(
        add(BodyOptions { pose, ..Default::default() }),
        Err(BodyError::NotFinite { quantity: "pose", .. })
    ));
    let twist = Twist { linear: DVec3::INFINITY, angular: DVec3::ZERO };
    assert!(matches!(
        add(BodyOptions { twist, ..Default::default() }),
        Err(BodyError::NotFinite { quantity: "velocity", .. })
    ));
    let material = Material { stiffness: -1.0, ..Default::default() };
    assert!(
        add(BodyOptions { material, ..Default::default() })
            .unwrap_err()
            .to_string()
            .contains("stiffness is -1")
    );
    let mut world = World::new(WorldOptions::default());
    for dt in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(world.step(dt), Err(StepError::BadStep { .. })));
    }
}

/// What explodes ends in an error that says so, and the last good state stays.
#[test]
fn divergence_is_told_and_changes_nothing() {
    let material = Material { stiffness: 1e12, damping: 0.0, ..Default::default() };
    let options = WorldOptions { integrator: Integrator::Papers, top_speed: 100.0, ..Default::default() };
    let mut world = on_ground(options, material);
    world.add_body(ball(0.1), BodyOptions { name: "ball".into(), material, ..at(DVec3::Y * 0.101) }).unwrap();
    for _ in 0..1000 {
        let before = world.state();
        match world.step(1.0 / 60.0) {
            Ok(_) => {}
            Err(error) => {
                assert!(matches!(&error, StepError::Diverged { body, .. } if body == "ball"), "{error}");
                assert_eq!(world.state(), before);
                return;
            }
        }
    }
    panic!("10¹² N/m³ at 60 Hz does not explode?");
}
