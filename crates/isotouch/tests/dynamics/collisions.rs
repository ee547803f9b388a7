use isotouch::ccd::Plane;
use isotouch::contact::Material;
use isotouch::dynamics::{BodyOptions, ContactModel, Integrator, World, WorldOptions};
use isotouch::math::{DQuat, DVec3, Pose, Twist};
use isotouch::mesh::shapes;

use crate::{G, at, ball, block, on_ground, shape};

/// On a penalty floor a ball of mass m at contact area A is a mass on a spring. Here a flat-bottomed block: it falls from h, is stopped and thrown up again. A full bounce
/// takes 2·√(2h/g) in the air and, on the spring ω² = k·A/m, (π + 2·atan(g/(ω·v)))/ω on the ground.
#[test]
fn a_block_bounces_with_the_period_of_its_spring() {
    let material =
        Material { stiffness: 2e7, damping: 0.0, static_friction: 0.0, kinetic_friction: 0.0, kind: 0 };
    // Wide and low, so that it does not tip, and stiff enough that its sides hardly touch.
    let size = DVec3::new(0.2, 0.05, 0.2);
    let options = WorldOptions { integrator: Integrator::Symplectic, ..Default::default() };
    let mut world = on_ground(options, material);
    let height = 0.05;
    let id = world
        .add_body(block(size, 1200), BodyOptions { material, ..at(DVec3::Y * (0.5 * size.y + height)) })
        .unwrap();
    let mass = world.body(id).mass();
    let dt = 2e-5;
    let (mut tops, mut last, mut rising) = (Vec::new(), f64::NEG_INFINITY, false);
    let mut energies = Vec::new();
    while tops.len() < 2 {
        let report = world.step(dt).unwrap();
        energies.push(report.energy());
        let y = world.body(id).pose().position.y;
        if rising && y < last {
            tops.push((world.time(), last));
        }
        rising = y > last;
        last = y;
        assert!(world.time() < 2.0, "it never came up again");
    }
    // Two springs in series.
    let stiffness = 0.5 * material.stiffness * size.x * size.z;
    let omega = (stiffness / mass).sqrt();
    let speed = (2.0 * G * height).sqrt();
    let period =
        2.0 * (2.0 * height / G).sqrt() + (std::f64::consts::PI + 2.0 * (G / (omega * speed)).atan()) / omega;
    let found = tops[1].0 - tops[0].0;
    // A few points on the lower edges carry half of their share.
    assert!((found / period - 1.0).abs() < 0.02, "{found} {period}");
    let top = tops[1].1 - 0.5 * size.y;
    assert!((top / height - 1.0).abs() < 0.02, "no energy is lost or gained: {top}");
    let start = mass * G * (0.5 * size.y + height);
    for energy in energies {
        assert!((energy / start - 1.0).abs() < 0.02, "{energy} {start}");
    }
}

/// Two bodies without ground: linear and angular momentum to rounding, whatever the contact does to the energy.
#[test]
fn momentum_is_conserved_in_collisions() {
    let knot = shape(&shapes::by_name("torus-knot").unwrap(), 48, 800);
    let cube = block(DVec3::splat(0.5), 600);
    for integrator in [Integrator::Implicit, Integrator::Symplectic] {
        let options =
            WorldOptions { gravity: DVec3::ZERO, integrator, slip_speed: 0.01, ..Default::default() };
        let mut world = World::new(options);
        let material = Material { stiffness: 1e7, ..Default::default() };
        let turned = Pose { position: DVec3::new(-0.9, 0.1, 0.0), rotation: DQuat::from_rotation_y(0.4) };
        let thrown = |linear: DVec3, angular: DVec3| Twist { linear, angular };
        let first = BodyOptions {
            pose: turned,
            twist: thrown(DVec3::X * 2.0, DVec3::new(0.3, 1.0, 0.2)),
            material,
            ..Default::default()
        };
        let second = BodyOptions { twist: thrown(DVec3::X * -1.0, DVec3::Z), material, ..at(DVec3::X * 0.4) };
        world.add_body(knot.clone(), first).unwrap();
        world.add_body(cube.clone(), second).unwrap();
        let before = world.report();
        let (mut touched, mut most) = (0, before.energy());
        for _ in 0..800 {
            let report = world.step(1e-3).unwrap();
            touched += report.contacts;
            most = most.max(report.energy());
            let off = (report.momentum - before.momentum).length();
            assert!(off < 1e-11 * before.momentum.length().max(1.0) * 1e3, "{integrator:?}: {off}");
            let off = (report.angular_momentum - before.angular_momentum).length();
            assert!(off < 1e-8, "{integrator:?}: {off}");
        }
        let after = world.report();
        assert!(touched > 0, "they never met");
        assert!(after.momentum.distance(before.momentum) < 1e-9 && after.energy() < before.energy());
        assert!(most < before.energy() * (1.0 + 1e-3), "{integrator:?}: {most} {}", before.energy());
    }
}

/// Dropped from all sides: with the implicit integrator energy never rises by more than a thousandth of what there was.
#[test]
fn contact_never_adds_energy() {
    let shapes = [
        block(DVec3::new(0.3, 0.2, 0.1), 500),
        shape(&shapes::by_name("torus").unwrap(), 48, 600),
        shape(&shapes::by_name("cone").unwrap(), 48, 600),
    ];
    for (k, shape) in shapes.iter().enumerate() {
        for turn in 0..3 {
            let mut world = on_ground(WorldOptions::default(), Material::default());
            let rotation = DQuat::from_euler(isotouch::math::EulerRot::XYZ, 0.7 * f64::from(turn), 0.3, 0.5);
            let pose = Pose { position: DVec3::Y * 1.2, rotation };
            world.add_body(shape.clone(), BodyOptions { pose, ..Default::default() }).unwrap();
            let mut least = world.report().energy();
            let start = least;
            for _ in 0..600 {
                let report = world.step(1.0 / 240.0).unwrap();
                assert!(
                    report.energy() < least + 1e-3 * start,
                    "shape {k}, turn {turn}: {} {least}",
                    report.energy()
                );
                least = least.min(report.energy());
            }
        }
    }
}

/// The papers' loop acts a step late; small steps make up for it, and contact still separates.
#[test]
fn the_papers_loop_bounces_a_ball() {
    let material = Material { stiffness: 1e8, damping: 2e-4, ..Default::default() };
    for contact in [ContactModel::Continuous, ContactModel::Discrete] {
        let options =
            WorldOptions { integrator: Integrator::Papers, contact, slip_speed: 0.01, ..Default::default() };
        let mut world = World::new(options);
        world.add_surface("ground", Box::new(Plane::GROUND), material).unwrap();
        let id = world.add_body(ball(0.1), BodyOptions { material, ..at(DVec3::Y * 0.3) }).unwrap();
        let mut deepest: f64 = 0.0;
        let mut highest_after: f64 = 0.0;
        for _ in 0..8000 {
            let report = world.step(1e-4).unwrap();
            deepest = deepest.max(report.max_penetration);
            if world.time() > 0.25 {
                highest_after = highest_after.max(world.body(id).pose().position.y);
            }
        }
        assert!(deepest > 0.0 && deepest < 0.02, "{contact:?}: {deepest}");
        assert!(highest_after > 0.1 && highest_after < 0.3, "{contact:?}: {highest_after}");
    }
}
