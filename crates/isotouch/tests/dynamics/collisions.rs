use isotouch::ccd::Plane;
use isotouch::contact::Material;
use isotouch::dynamics::{BodyKind, BodyOptions, ContactModel, Integrator, World, WorldOptions};
use isotouch::math::{DQuat, DVec3, Pose, Twist};
use isotouch::mesh::shapes::{self, CylinderOptions, TorusOptions};

use crate::{G, at, ball, block, on_ground, shape};

/// On a penalty floor a ball of mass m at contact area A is a mass on a spring. Here a flat-bottomed block: it falls from h, is stopped and thrown up again. A full bounce
/// takes 2·√(2h/g) in the air and, on the spring ω² = k·A/m, (π + 2·atan(g/(ω·v)))/ω on the ground.
#[test]
fn a_block_bounces_with_the_period_of_its_spring() {
    let material = Material {
        stiffness: 2e7,
        damping: 0.0,
        static_friction: 0.0,
        kinetic_friction: 0.0,
        ..Default::default()
    };
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

/// Nothing that pushes towards the centre of a ball turns it, however far it flew in the step in which it touched.
#[test]
fn frictionless_balls_do_not_spin() {
    let ice = Material { static_friction: 0.0, kinetic_friction: 0.0, ..Default::default() };
    let ball = shape(&shapes::sphere(0.1, 20480).unwrap(), 64, 0);
    for integrator in [Integrator::Implicit, Integrator::Symplectic] {
        let material =
            if integrator == Integrator::Implicit { ice } else { Material { stiffness: 1e8, ..ice } };
        for (speed, aside) in [(1.0, 1.0), (10.0, 10.0), (30.0, 10.0), (5.0, 30.0)] {
            let of = |place: DVec3, linear: DVec3| BodyOptions {
                twist: Twist { linear, angular: DVec3::ZERO },
                material,
                ..at(place)
            };
            // On the ground.
            let options = WorldOptions { integrator, ..Default::default() };
            let mut world = on_ground(options, material);
            world.add_body(ball.clone(), of(DVec3::Y * 0.3, DVec3::new(aside, -speed, 0.0))).unwrap();
            // On each other.
            let options = WorldOptions { gravity: DVec3::ZERO, integrator, ..Default::default() };
            let mut pair = World::new(options);
            let beside = DVec3::new(-aside / speed * 0.3, 0.3, 0.0);
            pair.add_body(ball.clone(), of(beside, DVec3::new(aside, -speed, 0.0))).unwrap();
            pair.add_body(ball.clone(), of(DVec3::new(0.05, 0.0, 0.0), DVec3::ZERO)).unwrap();
            let before = pair.report();
            let mut touched = [0, 0];
            // Explicit steps of a fifth of the radius: in longer ones the ball would be through the ground before it is pushed. Where arms were wrong, that was still 5 rad/s per m/s.
            let most: f64 =
                if integrator == Integrator::Implicit { 1.0 / 240.0 } else { 0.02 / (speed + aside) };
            let dt = most.min(1.0 / 240.0);
            for _ in 0..(0.5 / dt) as usize {
                touched[0] += world.step(dt).unwrap().contacts;
                let report = pair.step(dt).unwrap();
                touched[1] += report.contacts + report.stopped;
                let case = format!("{integrator:?} at {speed} and {aside} m/s");
                // A shell is no exact ball: a point s beside the way of the centre turns it by v·s/(0.4·r²), here s up to 2.5 mm. An arm of the way in a step would be up to 4 cm.
                for (of, speed) in [(&world, speed), (&pair, speed.hypot(aside))] {
                    for body in of.bodies() {
                        let spin = body.twist().angular.length();
                        assert!(spin < 0.7 * speed, "{case}: {spin} rad/s");
                    }
                }
                let off = (report.angular_momentum - before.angular_momentum).length();
                let whole = before.momentum.length() * 0.3;
                assert!(off < 1e-11 * whole, "{case}: angular momentum off by {off} of {whole}");
            }
            assert!(
                touched[0] > 0 && touched[1] > 0,
                "{integrator:?} at {speed} and {aside} m/s: no contact"
            );
        }
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
        // Of each body by itself, about 1 m from the origin.
        let scale: f64 = world.bodies().iter().map(|body| body.momentum().length()).sum();
        for _ in 0..800 {
            let report = world.step(1e-3).unwrap();
            touched += report.contacts;
            most = most.max(report.energy());
            let off = (report.momentum - before.momentum).length();
            assert!(off < 1e-12 * scale, "{integrator:?}: {off} of {scale}");
            let off = (report.angular_momentum - before.angular_momentum).length();
            assert!(off < 1e-12 * scale, "{integrator:?}: angular, {off} of {scale}");
        }
        let after = world.report();
        assert!(touched > 0, "they never met");
        assert!(after.momentum.distance(before.momentum) < 1e-9 && after.energy() < before.energy());
        assert!(most < before.energy() * (1.0 + 1e-3), "{integrator:?}: {most} {}", before.energy());
    }
}

/// A knot that turns by a quarter of a radian in a step: contacts are looked for anew along the motion that was found first, and act where bodies are on that one. Angular momentum was kept to second order
/// only while what they had moved by then was taken from the free motion.
#[test]
fn momentum_is_conserved_where_planes_are_laid_anew() {
    let knot = shape(&shapes::by_name("torus-knot").unwrap(), 48, 800);
    let cube = block(DVec3::splat(0.5), 600);
    let options = WorldOptions { gravity: DVec3::ZERO, ..Default::default() };
    for (spin, friction) in [(60.0, 0.0), (60.0, 0.5), (-60.0, 0.5)] {
        let mut world = World::new(options);
        let material =
            Material { static_friction: friction, kinetic_friction: friction, ..Default::default() };
        let first = BodyOptions {
            twist: Twist { linear: DVec3::new(3.0, 0.5, 0.0), angular: DVec3::new(5.0, 3.0, spin) },
            material,
            ..at(DVec3::X * -1.2)
        };
        let second = BodyOptions {
            twist: Twist { linear: DVec3::new(-1.0, 0.0, 0.3), angular: DVec3::Y },
            material,
            ..at(DVec3::X * 0.4)
        };
        world.add_body(knot.clone(), first).unwrap();
        world.add_body(cube.clone(), second).unwrap();
        let before = world.report();
        // What each of both has by itself: the turning of the knot for the most part.
        let own = |body: &isotouch::dynamics::Body| {
            body.momentum().length() + body.kinetic_energy() / body.twist().angular.length()
        };
        let scale: f64 = world.bodies().iter().map(own).sum();
        let mut touched = 0;
        for _ in 0..120 {
            let report = world.step(1.0 / 240.0).unwrap();
            touched += usize::from(report.contacts > 0);
            let case = format!("{spin} rad/s, μ = {friction}, t = {}", report.time);
            let off = (report.momentum - before.momentum).length();
            assert!(off < 1e-12 * scale, "{case}: {off} of {scale}");
            let off = (report.angular_momentum - before.angular_momentum).length();
            assert!(off < 1e-12 * scale, "{case}: angular, {off} of {scale}");
        }
        assert!(touched > 1, "they never met");
    }
}

/// Thrown down from all sides, with some spin: energy never rises by more than a part of what there was. That part is 10⁻³ with the implicit integrator, steps of 1/240 s and stiff springs; explicit
/// ones need steps that follow their springs, here 5·10⁻⁵ s on softer ones: 1 %, and 5 % for the papers' loop, which is a step late.
#[test]
fn contact_never_adds_energy() {
    let shapes = [
        block(DVec3::new(0.3, 0.2, 0.1), 300),
        shape(&shapes::by_name("torus").unwrap(), 48, 400),
        shape(&shapes::by_name("cone").unwrap(), 48, 400),
    ];
    let soft = Material { stiffness: 1e7, ..Default::default() };
    for (integrator, material, dt, bound) in [
        (Integrator::Implicit, Material::default(), 1.0 / 240.0, 1e-3),
        (Integrator::Symplectic, soft, 5e-5, 0.01),
        (Integrator::Papers, soft, 5e-5, 0.05),
    ] {
        for (k, shape) in shapes.iter().enumerate() {
            for turn in 0..3 {
                let options = WorldOptions { integrator, slip_speed: 0.01, ..Default::default() };
                let mut world = on_ground(options, material);
                let rotation =
                    DQuat::from_euler(isotouch::math::EulerRot::XYZ, 0.7 * f64::from(turn), 0.3, 0.5);
                let reach = shape.around().radius;
                let pose = Pose { position: DVec3::Y * (reach + 0.1), rotation };
                let twist = Twist {
                    linear: DVec3::new(2.0, -5.0 * f64::from(turn), 0.0),
                    angular: DVec3::new(3.0, 0.0, 8.0),
                };
                world
                    .add_body(shape.clone(), BodyOptions { pose, twist, material, ..Default::default() })
                    .unwrap();
                let mut least = world.report().energy();
                let start = least;
                let seconds = if integrator == Integrator::Implicit { 2.0 } else { 0.25 };
                while world.time() < seconds {
                    let energy = world.step(dt).unwrap().energy();
                    assert!(
                        energy < least + bound * start,
                        "{integrator:?}, shape {k}, turn {turn}: {energy} {least} of {start}"
                    );
                    least = least.min(energy);
                }
            }
        }
    }
}

/// The same for the papers' loop as the papers have it: normals of the shell, and dampers that act along the surface as well. At corners such forces have no potential; that makes some energy, here at most 5 % of what there was.
#[test]
fn contact_as_in_the_papers_adds_little_energy() {
    use isotouch::contact::PenaltyOptions;
    let material = Material { stiffness: 1e7, ..Default::default() };
    let shapes = [block(DVec3::new(0.3, 0.2, 0.1), 300), shape(&shapes::by_name("torus").unwrap(), 48, 400)];
    for (k, shape) in shapes.iter().enumerate() {
        for contact in [ContactModel::Continuous, ContactModel::Discrete] {
            let mut world = on_ground(
                WorldOptions {
                    integrator: Integrator::Papers,
                    penalty: PenaltyOptions::papers(),
                    contact,
                    slip_speed: 0.01,
                    ..Default::default()
                },
                material,
            );
            let rotation = DQuat::from_euler(isotouch::math::EulerRot::XYZ, 0.7, 0.3, 0.5);
            let pose = Pose { position: DVec3::Y * (shape.around().radius + 0.05), rotation };
            let twist = Twist { linear: DVec3::new(2.0, -5.0, 0.0), angular: DVec3::new(3.0, 0.0, 8.0) };
            world
                .add_body(shape.clone(), BodyOptions { pose, twist, material, ..Default::default() })
                .unwrap();
            let start = world.report().energy();
            let (mut least, mut touched) = (start, 0);
            while world.time() < 0.25 {
                let report = world.step(5e-5).unwrap();
                touched += report.contacts;
                let energy = report.energy();
                assert!(energy < least + 0.05 * start, "shape {k}, {contact:?}: {energy} {least} of {start}");
                least = least.min(energy);
            }
            assert!(
                touched > 0 && least < 0.9 * start,
                "shape {k}, {contact:?}: {touched} {least} of {start}"
            );
        }
    }
}

/// Bowls that fall into each other: points slide over what is curved by millimetres in a step, and end deeper there than the planes they met. They came out of an impact with a tenth more than they had.
#[test]
fn curved_bodies_gain_no_energy_in_impacts() {
    let text = isotouch::scene::built_in::by_name("bowls").unwrap().text;
    let scene = isotouch::scene::Scene::parse("bowls", text).unwrap();
    let mut world = scene.world().unwrap();
    let start = world.report().energy();
    let mut last = start;
    for _ in 0..100 {
        let report = world.step(scene.dt).unwrap();
        let gained = report.energy() - last;
        assert!(gained < 1e-3 * start, "{gained} J of {start} J at {} s", report.time);
        last = report.energy();
    }
    assert!(last < 0.8 * start, "they never met");
}

/// The papers' loop acts a step late; with small steps that makes little difference to what it bounces like, along the step or at its end.
#[test]
fn the_papers_loop_bounces_a_ball() {
    let material = Material { stiffness: 1e8, damping: 2e-4, ..Default::default() };
    let bounce = |integrator: Integrator, contact: ContactModel| {
        let options = WorldOptions { integrator, contact, slip_speed: 0.01, ..Default::default() };
        let mut world = World::new(options);
        world.add_surface("ground", Box::new(Plane::GROUND), material).unwrap();
        let id = world.add_body(ball(0.1), BodyOptions { material, ..at(DVec3::Y * 0.3) }).unwrap();
        let (mut deepest, mut highest): (f64, f64) = (0.0, 0.0);
        for _ in 0..8000 {
            deepest = deepest.max(world.step(1e-4).unwrap().max_penetration);
            if world.time() > 0.25 {
                highest = highest.max(world.body(id).pose().position.y);
            }
        }
        (deepest, highest)
    };
    let (deepest, highest) = bounce(Integrator::Symplectic, ContactModel::Continuous);
    // ½·m·v² = ½·k·A·δ², A some square centimetres.
    assert!(deepest > 1e-3 && deepest < 0.02 && highest > 0.12 && highest < 0.3, "{deepest} {highest}");
    for contact in [ContactModel::Continuous, ContactModel::Discrete] {
        let (as_deep, as_high) = bounce(Integrator::Papers, contact);
        assert!((as_deep / deepest - 1.0).abs() < 0.05, "{contact:?}: {as_deep} {deepest}");
        assert!((as_high - highest).abs() < 0.1 * (highest - 0.1), "{contact:?}: {as_high} {highest}");
    }
}

/// Where bodies are taken to be between the ends of a step, where arms begin, and whether contact is looked for on the way or at the end: both momenta are kept with all of them.
#[test]
fn momenta_are_kept_whatever_handles_and_arms_there_are() {
    use isotouch::contact::{Arms, Handles, PenaltyOptions};
    let material = Material { stiffness: 1e7, ..Default::default() };
    let shapes = [ball(0.1), block(DVec3::splat(0.2), 300)];
    for contact in [ContactModel::Continuous, ContactModel::Discrete] {
        for handles in [Handles::Interpolated, Handles::Substep] {
            for arms in [Arms::Moving, Arms::Start] {
                let penalty = PenaltyOptions { handles, arms, ..Default::default() };
                let mut world = World::new(WorldOptions {
                    gravity: DVec3::ZERO,
                    integrator: Integrator::Symplectic,
                    contact,
                    penalty,
                    slip_speed: 0.05,
                    ..Default::default()
                });
                for (k, shape) in shapes.iter().enumerate() {
                    let side = if k == 0 { -1.0 } else { 1.0 };
                    let options = BodyOptions {
                        twist: Twist {
                            linear: DVec3::new(-3.0 * side, 0.5, 0.2 * side),
                            angular: DVec3::new(1.0, 3.0 * side, 2.0),
                        },
                        material,
                        ..at(DVec3::new(0.11 * side, 0.03 * side, -0.02 * side))
                    };
                    world.add_body(shape.clone(), options).unwrap();
                }
                let before = world.report();
                let scale: f64 = world.bodies().iter().map(|body| body.momentum().length()).sum();
                let mut contacts = 0;
                for _ in 0..40 {
                    contacts += world.step(5e-4).unwrap().contacts;
                }
                let after = world.report();
                let case = format!("{contact:?}, {handles:?}, {arms:?}");
                assert!(contacts > 20, "{case}: {contacts} contacts");
                let off = (after.momentum - before.momentum).length();
                assert!(off < 1e-12 * scale, "{case}: {off} of {scale}");
                let off = (after.angular_momentum - before.angular_momentum).length();
                assert!(off < 1e-12 * scale, "{case}: angular, {off} of {scale}");
            }
        }
    }
}

/// Along their free motion they never meet, and the spheres around them are apart: only when the lowest is stopped are the others in its way.
#[test]
fn balls_that_fall_together_do_not_fall_into_each_other() {
    for (apart, speed) in [(0.005, 5.0), (0.02, 5.0), (0.02, 20.0)] {
        let mut world = on_ground(WorldOptions::default(), Material::default());
        let radius = 0.05;
        let ids: Vec<_> = (0..4)
            .map(|k| {
                let place = DVec3::Y * (radius + 0.01 + f64::from(k) * (2.0 * radius + apart));
                let falling = Twist { linear: DVec3::NEG_Y * speed, angular: DVec3::ZERO };
                world.add_body(ball(radius), BodyOptions { twist: falling, ..at(place) }).unwrap()
            })
            .collect();
        for step in 0..10 {
            let report = world.step(1.0 / 60.0).unwrap();
            let centers: Vec<DVec3> = ids.iter().map(|&id| world.body(id).pose().position).collect();
            for pair in centers.windows(2) {
                // They may come off each other sideways.
                let depth = 2.0 * radius - (pair[1] - pair[0]).length();
                assert!(depth < 0.002, "{apart} m, {speed} m/s, step {step}: {depth} m deep, at {centers:?}");
            }
            assert!(report.max_penetration < 0.005, "{apart} m, {speed} m/s: {}", report.max_penetration);
        }
    }
}

/// A thin plate is caught by two rails, and a ball that follows it at the same speed is below it at the end of that step: it is met on its way, not where it ends.
#[test]
fn what_follows_something_thin_that_is_stopped_does_not_go_through() {
    let mut world = World::new(WorldOptions::default());
    let fixed = |x: f64| BodyOptions { kind: BodyKind::Fixed, ..at(DVec3::new(x, 0.0, 0.0)) };
    let rail = block(DVec3::new(0.04, 0.04, 0.4), 1000);
    world.add_body(rail.clone(), fixed(-0.15)).unwrap();
    world.add_body(rail, fixed(0.15)).unwrap();
    let falling = Twist { linear: DVec3::NEG_Y * 20.0, angular: DVec3::ZERO };
    let plate = BodyOptions { twist: falling, ..at(DVec3::Y * 0.03) };
    world.add_body(block(DVec3::new(0.4, 0.01, 0.4), 3000), plate).unwrap();
    let follows = BodyOptions { twist: falling, ..at(DVec3::Y * 0.06) };
    let id = world.add_body(ball(0.02), follows).unwrap();
    for step in 0..10 {
        world.step(1.0 / 60.0).unwrap();
        let y = world.body(id).pose().position.y;
        assert!(y > 0.02, "step {step}: at {y}");
    }
}

/// The lower one of two spinning cubes is stopped by the ground; only then does the upper one come near, without touching it. That it is watched from then on must not make the lower one's contacts another's: it fell
/// through the ground.
#[test]
fn what_comes_near_something_that_is_stopped_leaves_its_contacts_alone() {
    let cube = block(DVec3::splat(0.2), 600);
    let thrown = |height: f64, spin: f64| {
        let twist = Twist { linear: DVec3::NEG_Y * 5.0, angular: DVec3::Y * spin };
        BodyOptions { twist, ..at(DVec3::Y * height) }
    };
    // From where spheres around both meet at once to where they do not even then.
    for apart in (0..16).map(|k| 0.34 + 0.003 * f64::from(k)) {
        let mut world = on_ground(WorldOptions::default(), Material::default());
        let lower = world.add_body(cube.clone(), thrown(0.101, 90.0)).unwrap();
        world.add_body(cube.clone(), thrown(0.101 + apart, 0.0)).unwrap();
        for step in 0..3 {
            let deepest = world.step(1.0 / 240.0).unwrap().max_penetration;
            let y = world.body(lower).pose().position.y;
            assert!(y > 0.099 && deepest < 1e-3, "{apart} m apart, step {step}: at {y}, {deepest} m deep");
        }
    }
}

/// A ring that spins fast about a pin in it has no place inside the pin at any time, though chords of its points lead through.
#[test]
fn what_turns_around_something_is_not_told_to_be_in_it() {
    let mut world = World::new(WorldOptions { gravity: DVec3::ZERO, ..Default::default() });
    let ring = shapes::torus(TorusOptions {
        major_radius: 0.1,
        minor_radius: 0.03,
        major_segments: 192,
        minor_segments: 32,
    });
    let ring = shape(&ring.unwrap(), 64, 3000);
    let spinning = Twist { linear: DVec3::ZERO, angular: DVec3::Z * 120.0 };
    world.add_body(ring, BodyOptions { twist: spinning, ..at(DVec3::ZERO) }).unwrap();
    let pin = shapes::cylinder(CylinderOptions { radius: 0.069, height: 0.2, segments: 256, rings: 1 });
    let fixed = BodyOptions { kind: BodyKind::Fixed, ..at(DVec3::ZERO) };
    world.add_body(shape(&pin.unwrap(), 64, 3000), fixed).unwrap();
    for step in 0..20 {
        let report = world.step(1.0 / 240.0).unwrap();
        // Of 1 mm of room chords take r·θ²/8 = 2.2 mm.
        assert!(report.max_penetration < 2e-4, "step {step}: {}", report.max_penetration);
    }
}
