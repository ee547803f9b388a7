use isotouch::dynamics::{BodyKind, BodyOptions, Integrator, World, WorldOptions};
use isotouch::math::{DVec3, Pose, Twist, Wrench};
use isotouch::mesh::shapes;

use crate::{G, at, ball, block, shape};

#[test]
fn a_thrown_ball_flies_a_parabola() {
    for (_, integrator) in Integrator::NAMES {
        let mut world = World::new(WorldOptions { integrator, ..Default::default() });
        let twist = Twist { linear: DVec3::new(3.0, 4.0, 0.0), angular: DVec3::ZERO };
        let id = world.add_body(ball(0.1), BodyOptions { twist, ..at(DVec3::ZERO) }).unwrap();
        let (dt, steps) = (1e-3, 1000);
        for _ in 0..steps {
            world.step(dt).unwrap();
        }
        // Symplectic Euler is ahead of the parabola by ½·g·t·dt, exactly.
        let t = 1.0;
        let expected = DVec3::new(3.0 * t, 4.0 * t - 0.5 * G * t * (t + dt), 0.0);
        let off = world.body(id).pose().position.distance(expected);
        assert!(off < 1e-9, "{integrator:?}: {off}");
        assert!((world.body(id).twist().linear.y - (4.0 - G)).abs() < 1e-10);
    }
}

/// An axisymmetric body free of torque precesses about its angular momentum L with |L|/I₁ (Landau & Lifshitz, Mechanics, §33).
#[test]
fn a_spinning_top_precesses_about_its_angular_momentum() {
    let mesh = shapes::cylinder(shapes::CylinderOptions { radius: 0.1, height: 0.04, ..Default::default() })
        .unwrap();
    let mut world = World::new(WorldOptions { gravity: DVec3::ZERO, ..Default::default() });
    let twist = Twist { linear: DVec3::ZERO, angular: DVec3::new(1.0, 0.0, 12.0) };
    let id = world.add_body(shape(&mesh, 32, 200), BodyOptions { twist, ..at(DVec3::ZERO) }).unwrap();
    let before = world.report();
    let momentum = world.body(id).angular_momentum();
    // I₁ across the axis: L_x = I₁·ω_x.
    let across = momentum.x / 1.0;
    let rate = momentum.length() / across;
    let axis = momentum.normalize_or_zero();
    let (dt, steps) = (1e-3, 2000);
    for _ in 0..steps {
        world.step(dt).unwrap();
    }
    let after = world.report();
    assert!((after.angular_momentum - before.angular_momentum).length() < 1e-12 * momentum.length());
    assert!((after.kinetic_energy / before.kinetic_energy - 1.0).abs() < 1e-6);
    // The body's z axis goes around L by `rate` per second.
    let turned = isotouch::math::DQuat::from_axis_angle(axis, rate * dt * f64::from(steps)) * DVec3::Z;
    let spin_axis = world.body(id).pose().rotation * DVec3::Z;
    assert!(turned.distance(spin_axis) < 2e-3, "{turned} {spin_axis}");
}

#[test]
fn a_body_turned_about_its_middle_axis_tumbles_and_keeps_its_energy() {
    let mut world = World::new(WorldOptions { gravity: DVec3::ZERO, ..Default::default() });
    let twist = Twist { linear: DVec3::ZERO, angular: DVec3::new(0.01, 5.0, 0.0) };
    let id = world
        .add_body(block(DVec3::new(0.3, 0.2, 0.1), 100), BodyOptions { twist, ..at(DVec3::ZERO) })
        .unwrap();
    let before = world.report().kinetic_energy;
    let mut has_flipped = false;
    for _ in 0..20_000 {
        let report = world.step(1e-3).unwrap();
        assert!((report.kinetic_energy / before - 1.0).abs() < 1e-4, "{}", report.kinetic_energy / before);
        has_flipped |= (world.body(id).pose().rotation * DVec3::Y).y < -0.9;
    }
    assert!(has_flipped, "the middle axis is unstable");
}

#[test]
fn users_push_bodies_and_lead_others() {
    let mut world = World::new(WorldOptions { gravity: DVec3::ZERO, ..Default::default() });
    let pushed = world.add_body(ball(0.1), at(DVec3::ZERO)).unwrap();
    let led = world
        .add_body(
            ball(0.1),
            BodyOptions {
                kind: BodyKind::Kinematic,
                twist: Twist { linear: DVec3::X, angular: DVec3::Z },
                ..at(DVec3::Y * 5.0)
            },
        )
        .unwrap();
    let fixed =
        world.add_body(ball(0.1), BodyOptions { kind: BodyKind::Fixed, ..at(DVec3::Y * 9.0) }).unwrap();
    world.set_force(pushed, Wrench { force: DVec3::Z * 2.0, torque: DVec3::ZERO }).unwrap();
    for _ in 0..100 {
        world.step(0.01).unwrap();
    }
    let mass = world.body(pushed).mass();
    assert!((world.body(pushed).twist().linear.z - 2.0 / mass).abs() < 1e-12);
    assert!((world.body(led).pose().position - DVec3::new(1.0, 5.0, 0.0)).length() < 1e-12);
    assert!(((world.body(led).pose().rotation * DVec3::X).y - 1f64.sin()).abs() < 1e-9);
    assert_eq!(world.body(fixed).pose(), Pose::at(DVec3::Y * 9.0));
}

/// What is thin about its axis turned by itself, faster and faster, with nothing to touch.
#[test]
fn slender_bodies_keep_momentum_and_energy_however_fast_they_turn() {
    // About 2.5, 37, 1000 between the largest and the smallest moment; the last two have three different ones.
    let bodies = [
        (DVec3::new(0.2, 0.1, 0.1), 1e-9),
        (DVec3::new(1.0, 0.1, 0.06), 0.01),
        (DVec3::new(1.0, 0.022, 0.022), 1e-9),
        (DVec3::new(1.0, 0.022, 0.02), 0.01),
        (DVec3::new(0.3, 0.2, 0.1), 0.01),
    ];
    for (size, bound) in bodies {
        let shape = block(size, 50);
        for speed in [5.0, 20.0, 100.0, 300.0] {
            for direction in
                [DVec3::new(0.02, 0.0, 1.0), DVec3::new(1.0, 0.1, 0.3), DVec3::new(0.1, 1.0, 0.01)]
            {
                let mut world = World::new(WorldOptions { gravity: DVec3::ZERO, ..Default::default() });
                let twist = Twist { linear: DVec3::ZERO, angular: direction.normalize_or_zero() * speed };
                let id = world.add_body(shape.clone(), BodyOptions { twist, ..at(DVec3::ZERO) }).unwrap();
                let (momentum, energy) = (world.body(id).angular_momentum(), world.report().kinetic_energy);
                for _ in 0..480 {
                    let report = world.step(1.0 / 240.0).unwrap();
                    let off = (report.kinetic_energy / energy - 1.0).abs();
                    assert!(off < bound, "{size} at {speed} rad/s about {direction}: energy off by {off}");
                }
                assert_eq!(world.body(id).angular_momentum(), momentum);
            }
        }
    }
}
