use std::sync::Arc;

use isotouch::contact::{Material, PenaltyOptions};
use isotouch::dynamics::{
    BodyError, BodyKind, BodyOptions, Integrator, Mass, Shape, ShapeOptions, StepError, World, WorldOptions,
};
use isotouch::math::{DQuat, DVec3, Pose, Twist, Wrench};
use isotouch::mesh::{MassProperties, TriMesh, shapes};

use crate::{at, ball, block, on_ground};

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
    for mass in [Mass::Density(1e-300), Mass::Density(1e300), Mass::Total(1e-300), Mass::Total(1e300)] {
        let error = add(BodyOptions { name: "stone".into(), mass, ..Default::default() }).unwrap_err();
        assert!(matches!(&error, BodyError::Absurd { quantity: "mass", .. }), "{error}");
    }
    // Negative moments whose product is positive, and one that is more than the others together.
    for moments in [DVec3::new(-1.0, -1.0, 1.0), DVec3::new(1.0, 1.0, 3.0), DVec3::new(1.0, 0.0, 1.0)] {
        let inertia = isotouch::math::DMat3::from_diagonal(moments);
        let given = MassProperties { mass: 1.0, center_of_mass: DVec3::ZERO, inertia, volume: 0.0 };
        let error = add(BodyOptions { mass: Mass::Given(given), ..Default::default() }).unwrap_err();
        assert!(matches!(&error, BodyError::BadInertia { .. }), "{error}");
    }
    let mut inertia = isotouch::math::DMat3::IDENTITY;
    inertia.x_axis.y = 0.5;
    let given = MassProperties { mass: 1.0, center_of_mass: DVec3::ZERO, inertia, volume: 0.0 };
    let error = add(BodyOptions { mass: Mass::Given(given), ..Default::default() }).unwrap_err();
    assert!(matches!(&error, BodyError::Asymmetric { .. }), "{error}");
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

#[test]
fn quaternions_that_turn_nothing_are_refused() {
    for rotation in [DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), DQuat::from_xyzw(0.0, 1e-200, 0.0, 0.0)] {
        let pose = Pose { position: DVec3::ZERO, rotation };
        let error = add(BodyOptions { name: "stone".into(), pose, ..Default::default() }).unwrap_err();
        assert!(matches!(&error, BodyError::NoRotation { .. }), "{error}");
        assert!(error.to_string().starts_with("body 'stone': the quaternion"), "{error}");
    }
    // A rotation all the same.
    let pose = Pose { position: DVec3::ZERO, rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 3.0) };
    add(BodyOptions { pose, ..Default::default() }).unwrap();
}

#[test]
fn what_is_set_later_is_looked_at_too_and_refused_changes_nothing() {
    let mut world = World::new(WorldOptions::default());
    let id = world.add_body(ball(0.1), BodyOptions { name: "ball".into(), ..at(DVec3::Y) }).unwrap();
    let before = world.state();
    let nan = DVec3::new(0.0, f64::NAN, 0.0);
    let none = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    for (quantity, told) in [
        ("pose", world.set_pose(id, Pose::at(nan))),
        ("quaternion", world.set_pose(id, Pose { position: DVec3::ZERO, rotation: none })),
        ("velocity", world.set_twist(id, Twist { linear: nan, angular: DVec3::ZERO })),
        ("velocity", world.set_twist(id, Twist { linear: DVec3::ZERO, angular: DVec3::INFINITY })),
        ("force", world.set_force(id, Wrench { force: nan, torque: DVec3::ZERO })),
        ("force", world.set_force(id, Wrench { force: DVec3::ZERO, torque: nan })),
    ] {
        let told = told.unwrap_err().to_string();
        assert!(told.starts_with("body 'ball': the ") && told.contains(quantity), "{told}");
    }
    assert_eq!(world.state(), before);
    world.step(1.0 / 240.0).unwrap();
}

#[test]
fn options_that_no_step_can_be_made_with_are_told() {
    let usual = WorldOptions::default();
    let none = PenaltyOptions { subintervals: 0, ..usual.penalty };
    for (quantity, options) in [
        ("gravity", WorldOptions { gravity: DVec3::new(0.0, f64::NAN, 0.0), ..usual }),
        ("slip_speed", WorldOptions { slip_speed: 0.0, ..usual }),
        ("slip_speed", WorldOptions { slip_speed: f64::NAN, ..usual }),
        ("separation_speed", WorldOptions { separation_speed: -1.0, ..usual }),
        ("top_speed", WorldOptions { top_speed: 0.0, ..usual }),
        ("subintervals", WorldOptions { penalty: none, ..usual }),
    ] {
        let told = World::new(options).step(1.0 / 240.0).unwrap_err();
        assert!(matches!(&told, StepError::BadOption { quantity: of, .. } if *of == quantity), "{told}");
    }
    World::new(WorldOptions { top_speed: f64::INFINITY, ..usual }).step(1.0 / 240.0).unwrap();
}

/// With the usual damping the damper sets the limit, not the spring: at √(m/k), five times as long, it throws back what comes.
#[test]
fn stable_steps_are_stable_and_those_of_the_spring_alone_are_not() {
    for integrator in [Integrator::Symplectic, Integrator::Papers] {
        let set_up = || {
            let mut world = on_ground(WorldOptions { integrator, ..Default::default() }, Material::default());
            let twist = Twist { linear: DVec3::Y * -0.5, angular: DVec3::ZERO };
            let options = BodyOptions { twist, ..at(DVec3::Y * 0.1002) };
            world.add_body(block(DVec3::splat(0.2), 500), options).unwrap();
            world
        };
        let mut world = set_up();
        let dt = world.stable_step().unwrap().dt;
        // Box and ground are two springs in line.
        let face = 0.5 * Material::default().stiffness * 0.2 * 0.2;
        let of_spring = (world.bodies()[0].mass() / face).sqrt();
        assert!(dt < 0.25 * of_spring, "{dt} {of_spring}");
        let start = world.report().energy();
        let mut contacts = 0;
        for _ in 0..1500 {
            let report = world.step(dt).unwrap_or_else(|error| panic!("{integrator:?}: {error}"));
            contacts += report.contacts;
            assert!(report.energy() < start + 0.01 * start.abs(), "{integrator:?}: {} J", report.energy());
        }
        assert!(contacts > 1000, "{integrator:?}: {contacts} contacts");
        let mut world = set_up();
        assert!((0..1500).any(|_| world.step(of_spring).is_err()), "{integrator:?} at {of_spring} s");
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

/// Explicit steps that are too long for their springs make energy out of nothing: that is told, whatever the speed.
#[test]
fn a_run_that_makes_energy_has_diverged() {
    for integrator in [Integrator::Symplectic, Integrator::Papers] {
        let options = WorldOptions { integrator, ..Default::default() };
        let mut world = on_ground(options, Material::default());
        let options = BodyOptions { name: "box".into(), ..at(DVec3::Y * 0.3) };
        world.add_body(block(DVec3::splat(0.2), 500), options).unwrap();
        let stable = world.stable_step().unwrap();
        assert!(stable.body == "box" && stable.dt < 1e-3, "{stable:?}");
        let start = world.report().energy();
        let mut told = None;
        for _ in 0..480 {
            let before = world.state();
            match world.step(1.0 / 240.0) {
                Ok(report) => assert!(report.energy() < 3.0 * start, "{integrator:?}: {}", report.energy()),
                Err(error) => {
                    assert_eq!(world.state(), before);
                    told = Some(error.to_string());
                    break;
                }
            }
        }
        let told = told.unwrap_or_else(|| panic!("{integrator:?} at 1/240 s with 10¹⁰ N/m³ explodes"));
        assert!(
            told.contains("'box'") && told.contains("energy") && told.contains("smaller steps"),
            "{told}"
        );
    }
}

/// Users, led bodies and long falls give energy too; none of that is divergence.
#[test]
fn what_is_pushed_has_not_diverged() {
    let soft = Material { stiffness: 1e7, ..Default::default() };
    for (_, integrator) in Integrator::NAMES {
        let options = WorldOptions { integrator, slip_speed: 0.05, ..Default::default() };
        let mut world = on_ground(options, soft);
        let cube = block(DVec3::splat(0.2), 200);
        let of = |place: DVec3| BodyOptions { material: soft, ..at(place) };
        let pushed = world.add_body(cube.clone(), of(DVec3::Y * 0.1)).unwrap();
        world.set_force(pushed, Wrench { force: DVec3::X * 500.0, torque: DVec3::ZERO }).unwrap();
        let thrown = world.add_body(cube.clone(), of(DVec3::new(0.0, 0.1, 3.0))).unwrap();
        let carried = world.add_body(cube.clone(), of(DVec3::new(0.0, 0.31, -3.0))).unwrap();
        let lift = world
            .add_body(
                cube.clone(),
                BodyOptions {
                    kind: BodyKind::Kinematic,
                    twist: Twist { linear: DVec3::Y * 3.0, angular: DVec3::ZERO },
                    ..of(DVec3::new(0.0, 0.11, -3.0))
                },
            )
            .unwrap();
        for k in 0..1000 {
            if k == 100 {
                world.set_twist(thrown, Twist { linear: DVec3::Y * 20.0, angular: DVec3::X * 9.0 }).unwrap();
            }
            if k == 200 {
                world.set_pose(thrown, Pose::at(DVec3::Y * 200.0)).unwrap();
            }
            if k == 600 {
                world.set_twist(lift, Twist { linear: DVec3::Y * -1.0, angular: DVec3::ZERO }).unwrap();
            }
            world.step(1e-3).unwrap_or_else(|error| panic!("{integrator:?}: {error}"));
        }
        assert!(world.body(carried).pose().position.y > 1.5 && world.body(pushed).pose().position.x > 10.0);
    }
}
