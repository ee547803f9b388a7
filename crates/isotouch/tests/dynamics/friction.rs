use isotouch::ccd::Plane;
use isotouch::contact::Material;
use isotouch::dynamics::{BodyKind, BodyOptions, Integrator, World, WorldOptions};
use isotouch::math::{DQuat, DVec3, Pose, Twist, Wrench};
use isotouch::mesh::shapes;

use crate::{G, at, block, on_ground, shape};

/// A block on a slope; how far it has come after some seconds, and how fast it is.
fn slide(slope: f64, material: Material, integrator: Integrator, seconds: f64) -> (f64, f64) {
    let normal = DVec3::new(-slope.sin(), slope.cos(), 0.0);
    let usual = WorldOptions::default().slip_speed;
    let slip_speed = if integrator == Integrator::Implicit { usual } else { 2e-3 };
    let mut world = World::new(WorldOptions { integrator, slip_speed, ..Default::default() });
    world.add_surface("slope", Box::new(Plane { normal, offset: 0.0 }), material).unwrap();
    let size = DVec3::new(0.2, 0.05, 0.2);
    let rotation = DQuat::from_rotation_z(slope);
    let pose = Pose { position: normal * (0.5 * size.y), rotation };
    let id = world.add_body(block(size, 500), BodyOptions { pose, material, ..Default::default() }).unwrap();
    let dt = if integrator == Integrator::Implicit { 1.0 / 240.0 } else { 1e-4 };
    // It settles first, so that the slide is of the slope and not of the start.
    let along = DVec3::new(-slope.cos(), -slope.sin(), 0.0);
    let start = world.body(id).pose().position;
    while world.time() < seconds {
        world.step(dt).unwrap();
    }
    let body = world.body(id);
    ((body.pose().position - start).dot(along), body.twist().linear.dot(along))
}

fn rough(coefficient: f64) -> Material {
    Material {
        stiffness: 1e9,
        damping: 1e-3,
        static_friction: coefficient,
        kinetic_friction: coefficient,
        ..Default::default()
    }
}

#[test]
fn a_block_sticks_below_the_friction_angle() {
    for mu in [0.3f64, 0.6] {
        let slope = 0.9 * mu.atan();
        let (way, speed) = slide(slope, rough(mu), Integrator::Implicit, 1.0);
        // The regularised law creeps by v₀·tan θ/√(μ² − tan² θ), a few tenths of a millimetre in a second.
        assert!(way.abs() < 1e-3 && speed.abs() < 5e-4, "μ = {mu}: {way} m, {speed} m/s");
    }
}

/// What is at rest is held by the static coefficient, however long steps are: from there the kinetic one, with which it would go on sliding, is another answer to the same equations.
#[test]
fn what_is_pushed_at_rest_holds_up_to_its_static_friction() {
    for (stiffness, dt) in
        [(1e9, 0.01), (1e9, 1.0 / 240.0), (1e10, 1.0 / 240.0), (1e10, 0.002), (1e9, 0.0005)]
    {
        for part in [0.6, 0.8, 0.95, 1.05] {
            let (at_rest, sliding) = (0.5, 0.3);
            let material = Material {
                stiffness,
                static_friction: at_rest,
                kinetic_friction: sliding,
                ..Default::default()
            };
            let mut world = on_ground(WorldOptions::default(), material);
            let pose = Pose::at(DVec3::Y * 0.1);
            let id = world.add_body(
                block(DVec3::splat(0.2), 500),
                BodyOptions { pose, material, ..Default::default() },
            );
            let id = id.unwrap();
            let weight = world.body(id).mass() * G;
            let push = part * at_rest * weight;
            // Pressed first: what just stands there weighs nothing for a moment, and slides.
            while world.time() < 0.1 {
                world.step(dt).unwrap();
            }
            let mut slid = 0.0;
            while world.time() < 0.6 {
                // Over a tenth of a second: a push all at once tilts the block, and until it has swung back it weighs less than it does.
                let force = DVec3::X * push * ((world.time() - 0.1) / 0.1).min(1.0);
                world.set_force(id, Wrench { force, torque: DVec3::ZERO }).unwrap();
                let before = world.body(id).twist().linear.x;
                world.step(dt).unwrap();
                slid = (world.body(id).twist().linear.x - before) / dt;
            }
            let speed = world.body(id).twist().linear.x;
            let told = format!("{stiffness} N/m³, {dt} s, {part} of the limit: {speed} m/s, {slid} m/s²");
            if part < 1.0 {
                assert!(speed.abs() < 1e-4, "{told}");
            } else {
                let expected = (push - sliding * weight) / world.body(id).mass();
                assert!((slid / expected - 1.0).abs() < 0.01, "{told} instead of {expected}");
            }
        }
    }
}

#[test]
fn a_block_slides_above_it_with_the_right_acceleration() {
    for integrator in [Integrator::Implicit, Integrator::Symplectic] {
        for (mu, slope) in [(0.3f64, 0.5f64), (0.5, 0.8), (0.0, 0.2)] {
            let (_, speed) = slide(slope, rough(mu), integrator, 0.5);
            let acceleration = G * (slope.sin() - mu * slope.cos());
            assert!(
                (speed / (acceleration * 0.5) - 1.0).abs() < 0.01,
                "{integrator:?}, μ = {mu}: {speed} {}",
                acceleration * 0.5
            );
        }
    }
}

/// Once it slides, the smaller kinetic coefficient counts; before, the larger static one holds.
#[test]
fn static_friction_holds_more_than_kinetic() {
    let material = Material { static_friction: 0.6, kinetic_friction: 0.3, ..rough(0.3) };
    let slope = 0.45f64.atan();
    let (way, _) = slide(slope, material, Integrator::Implicit, 0.5);
    assert!(way.abs() < 1e-3, "held: {way}");
    let mut world = World::new(WorldOptions::default());
    world.add_surface("floor", Box::new(Plane::GROUND), material).unwrap();
    let size = DVec3::new(0.2, 0.05, 0.2);
    let twist = Twist { linear: DVec3::X * 2.0, angular: DVec3::ZERO };
    let pose = Pose::at(DVec3::Y * 0.5 * size.y);
    let id = world
        .add_body(block(size, 500), BodyOptions { pose, twist, material, ..Default::default() })
        .unwrap();
    while world.time() < 0.5 {
        world.step(1.0 / 240.0).unwrap();
    }
    let speed = world.body(id).twist().linear.x;
    assert!((speed - (2.0 - 0.3 * G * 0.5)).abs() < 0.02, "{speed}");
}

/// The whole static coefficient holds, whatever the kinetic one is: just below it a block stays, just above it goes.
#[test]
fn static_friction_holds_to_its_full_value() {
    for (at_rest, sliding) in [(0.6, 0.3), (0.6, 0.05), (0.4, 0.4)] {
        let material = Material { static_friction: at_rest, kinetic_friction: sliding, ..rough(sliding) };
        let (way, speed) = slide((0.97 * at_rest).atan(), material, Integrator::Implicit, 1.0);
        assert!(way.abs() < 1e-3 && speed.abs() < 1e-3, "μ = {at_rest}: {way} m, {speed} m/s");
        let slope = (1.03 * at_rest).atan();
        let (_, speed) = slide(slope, material, Integrator::Implicit, 1.0);
        let expected = G * (slope.sin() - sliding * slope.cos());
        assert!(speed > 0.8 * expected, "μ = {at_rest}: {speed} m/s, but {expected} m/s");
    }
}

/// Below the friction angle a block creeps by v₀·tan θ/√(μ² − tan² θ); of a law that was told, v₀ is its own.
#[test]
fn a_law_that_is_told_has_its_own_slip_speed() {
    let (mu, slope, slip_speed) = (0.5f64, 0.3f64, 0.02);
    let normal = DVec3::new(-slope.sin(), slope.cos(), 0.0);
    let mut world = World::new(WorldOptions::default());
    let material = rough(mu);
    world.add_surface("slope", Box::new(Plane { normal, offset: 0.0 }), material).unwrap();
    let mut law = material.against(&material);
    law.friction.slip_speed = slip_speed;
    world.set_law(0, 0, law).unwrap();
    let rotation = DQuat::from_rotation_z(slope);
    let pose = Pose { position: normal * 0.025, rotation };
    let shape = block(DVec3::new(0.2, 0.05, 0.2), 500);
    let id = world.add_body(shape, BodyOptions { pose, material, ..Default::default() }).unwrap();
    for _ in 0..240 {
        world.step(1.0 / 240.0).unwrap();
    }
    let creep = slip_speed * slope.tan() / (mu * mu - slope.tan().powi(2)).sqrt();
    let speed = world.body(id).twist().linear.length();
    assert!((speed / creep - 1.0).abs() < 0.1, "{speed} m/s, not {creep}");
}

/// What rolls on: on a level it keeps its speed, down a slope it gains 5/7 of what slides. Steps of 1/240 s take a ball of 10 cm 4 mm far: pressed where its points were before, it lost a quarter of its speed in a second.
#[test]
fn a_ball_rolls_as_fast_as_it_should() {
    let ball = shape(&shapes::sphere(0.1, 20_480).unwrap(), 64, 6000);
    // Nothing is lost in the dampers under it.
    let material = Material { damping: 0.0, ..rough(0.6) };
    for slope in [0.0f64, 0.17] {
        let normal = DVec3::new(-slope.sin(), slope.cos(), 0.0);
        let mut world = World::new(WorldOptions::default());
        world.add_surface("slope", Box::new(Plane { normal, offset: 0.0 }), material).unwrap();
        let along = DVec3::new(-slope.cos(), -slope.sin(), 0.0);
        let twist = Twist { linear: along, angular: normal.cross(along) * 10.0 };
        let pose = Pose::at(normal * 0.0998);
        let id = world
            .add_body(ball.clone(), BodyOptions { pose, twist, material, ..Default::default() })
            .unwrap();
        for _ in 0..240 {
            world.step(1.0 / 240.0).unwrap();
        }
        let speed = world.body(id).twist().linear.dot(along);
        let expected = 1.0 + 5.0 / 7.0 * G * slope.sin();
        assert!((speed / expected - 1.0).abs() < 0.02, "slope of {slope}: {speed} m/s, not {expected}");
    }
}

/// A ball that rolls against the torque b·m·g is slowed by g·b/(1.4·r), and stays where it came to a halt.
#[test]
fn rolling_friction_slows_a_ball_as_it_should() {
    let (radius, length) = (0.1, 0.005);
    let ball = shape(&shapes::sphere(radius, 20_480).unwrap(), 64, 6000);
    let slowed = G * length / (1.4 * radius);
    for integrator in [Integrator::Implicit, Integrator::Symplectic] {
        // Springs that steps of 0.2 ms can follow.
        let (dt, stiffness, slip_speed) = match integrator {
            Integrator::Implicit => (1.0 / 240.0, 1e10, 1e-4),
            _ => (2e-4, 1e8, 5e-3),
        };
        let material = Material { stiffness, damping: 0.0, rolling_friction: length, ..rough(0.6) };
        let mut world = on_ground(WorldOptions { integrator, slip_speed, ..Default::default() }, material);
        let twist = Twist { linear: DVec3::X * 0.5, angular: DVec3::NEG_Z * 0.5 / radius };
        let id =
            world.add_body(ball.clone(), BodyOptions { twist, material, ..at(DVec3::Y * 0.0998) }).unwrap();
        while world.time() < 1.0 {
            world.step(dt).unwrap();
        }
        let speed = world.body(id).twist().linear.x;
        let expected = 0.5 - slowed * world.time();
        assert!((speed - expected).abs() < 0.02, "{integrator:?}: {speed} m/s, not {expected}");
        while world.time() < 2.0 {
            world.step(dt).unwrap();
        }
        let halted = world.body(id).pose().position.x;
        let expected = 0.25 / (2.0 * slowed);
        assert!((halted / expected - 1.0).abs() < 0.05, "{integrator:?}: after {halted} m, not {expected}");
        while world.time() < 2.5 {
            world.step(dt).unwrap();
        }
        let crept = (world.body(id).pose().position.x - halted).abs();
        assert!(crept < 2e-3, "{integrator:?}: creeps {crept} m");
    }
}

/// On slopes a ball lies still below atan(b/r), and rolls above.
#[test]
fn rolling_friction_holds_a_ball_on_gentle_slopes() {
    let ball = shape(&shapes::sphere(0.1, 20_480).unwrap(), 64, 6000);
    let material = Material { rolling_friction: 0.005, ..rough(0.6) };
    for (slope, holds) in [(0.035f64, true), (0.07, false)] {
        let normal = DVec3::new(-slope.sin(), slope.cos(), 0.0);
        let mut world = World::new(WorldOptions::default());
        world.add_surface("slope", Box::new(Plane { normal, offset: 0.0 }), material).unwrap();
        let id = world.add_body(ball.clone(), BodyOptions { material, ..at(normal * 0.0998) }).unwrap();
        for _ in 0..240 {
            world.step(1.0 / 240.0).unwrap();
        }
        let way = (world.body(id).pose().position - normal * 0.0998).length();
        // ½·t²·g·(sin θ − b/r·cos θ)/1.4
        let rolls = 0.5 * G * (slope.sin() - 0.05 * slope.cos()) / 1.4;
        assert_eq!(way < 5e-4, holds, "slope of {slope}: {way} m");
        assert!(holds || (way / rolls - 1.0).abs() < 0.2, "slope of {slope}: {way} m, not {rolls}");
    }
}

/// Between two that float, what holds back rolling is taken from one and given to the other.
#[test]
fn rolling_friction_keeps_angular_momentum() {
    let cube = block(DVec3::splat(0.2), 800);
    let material = Material { rolling_friction: 0.01, stiffness: 1e8, ..rough(0.5) };
    for integrator in [Integrator::Implicit, Integrator::Symplectic] {
        let options =
            WorldOptions { gravity: DVec3::ZERO, integrator, slip_speed: 0.01, ..Default::default() };
        let mut world = World::new(options);
        let lower = BodyOptions { material, ..at(DVec3::ZERO) };
        let spinning = Twist { linear: DVec3::NEG_Y, angular: DVec3::Y * 4.0 };
        world.add_body(cube.clone(), lower).unwrap();
        world
            .add_body(cube.clone(), BodyOptions { material, twist: spinning, ..at(DVec3::Y * 0.21) })
            .unwrap();
        let before = world.report().angular_momentum;
        let mut contacts = 0;
        for _ in 0..400 {
            contacts += world.step(1e-4).unwrap().contacts;
        }
        let off = (world.report().angular_momentum - before).length();
        assert!(contacts > 0 && off < 1e-10 * before.length(), "{integrator:?}: {off} of {before:?}");
    }
}

/// Without friction a cube slides over a table for ever, whatever points of the table pass below its edges. Their rounding held it back, and falling into the table within a step let it meet them with its front: at 1/60 s it
/// lost nine tenths of its speed in half a second.
#[test]
fn points_of_a_table_do_not_hold_back_what_slides_over_them() {
    let ice = rough(0.0);
    let table = shape(&shapes::cuboid(DVec3::new(2.0, 0.1, 0.4)).unwrap(), 96, 4000);
    let cube = shape(&shapes::cuboid(DVec3::splat(0.1)).unwrap(), 64, 1500);
    for (per_second, tilt) in [(60.0, 0.0), (240.0, 0.0), (1000.0, 0.0), (60.0, 0.5), (240.0, 0.5)] {
        let mut world = World::new(WorldOptions::default());
        let fixed = BodyOptions { kind: BodyKind::Fixed, material: ice, ..at(DVec3::Y * -0.05) };
        world.add_body(table.clone(), fixed).unwrap();
        let pose = Pose { position: DVec3::new(-0.4, 0.05, 0.0), rotation: DQuat::from_rotation_y(tilt) };
        let twist = Twist { linear: DVec3::X, angular: DVec3::ZERO };
        let moving = BodyOptions { pose, twist, material: ice, ..Default::default() };
        let id = world.add_body(cube.clone(), moving).unwrap();
        while world.time() < 0.5 {
            world.step(1.0 / per_second).unwrap();
        }
        let Twist { linear, angular } = world.body(id).twist();
        let off = (linear - DVec3::X).length() + 0.1 * angular.length();
        assert!(off < 1e-3, "{per_second} steps per second, turned by {tilt}: {linear} m/s, {angular} rad/s");
    }
}

/// Where edges fall within the cells of a field decides how interpolation rounds them: at some resolutions points of the table were met with normals along it, which stopped the cube and threw it up.
#[test]
fn wherever_edges_fall_within_cells_nothing_holds_back_what_slides() {
    let mut wrong = Vec::new();
    let table = shape(&shapes::cuboid(DVec3::new(4.0, 0.1, 0.6)).unwrap(), 64, 3000);
    for size in [0.05, 0.1, 0.2] {
        for resolution in [24, 44, 46, 48, 52, 64, 88, 112] {
            let cube = shape(&shapes::cuboid(DVec3::splat(size)).unwrap(), resolution, 800);
            for (speed, per_second, tilt) in
                [(2.0, 240.0, 0.0), (10.0, 240.0, 0.4), (2.0, 1000.0, 0.8), (1.0, 60.0, 0.1)]
            {
                let mut world = World::new(WorldOptions::default());
                let ice = rough(0.0);
                let fixed = BodyOptions { kind: BodyKind::Fixed, material: ice, ..at(DVec3::Y * -0.05) };
                world.add_body(table.clone(), fixed).unwrap();
                let pose = Pose {
                    position: DVec3::new(-1.5, 0.5 * size, 0.0),
                    rotation: DQuat::from_rotation_y(tilt),
                };
                let twist = Twist { linear: DVec3::X * speed, angular: DVec3::ZERO };
                let moving = BodyOptions { pose, twist, material: ice, ..Default::default() };
                let id = world.add_body(cube.clone(), moving).unwrap();
                let mut highest = 0.0f64;
                while world.time() < 0.25 {
                    if let Err(error) = world.step(1.0 / per_second) {
                        wrong.push(format!("{size} {resolution} {speed} {per_second}: {error}"));
                        break;
                    }
                    highest = highest.max(world.body(id).pose().position.y - 0.5 * size);
                }
                let Twist { linear, angular } = world.body(id).twist();
                let off = (linear - DVec3::X * speed).length() + size * angular.length();
                if off > 2e-3 * speed || highest > 1e-4 {
                    wrong.push(format!("size {size}, {resolution}³, {speed} m/s, {per_second}/s, turned {tilt}: {linear} m/s, {angular} rad/s, {highest} m up"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// A ball that rolls touches with points that moved when the step began. Taken for sliding then, they held by the kinetic coefficient only, and the ball lost its grip.
#[test]
fn what_rolls_holds_by_its_static_friction() {
    for per_second in [240.0, 1000.0] {
        let material = Material { static_friction: 0.6, kinetic_friction: 0.05, ..Default::default() };
        let tilt = 0.3f64;
        let mut world = World::new(WorldOptions::default());
        let plane = Plane { normal: DVec3::new(-tilt.sin(), tilt.cos(), 0.0), offset: 0.0 };
        world.add_surface("slope", Box::new(plane), material).unwrap();
        let ball = shape(&shapes::sphere(0.1, 5120).unwrap(), 48, 4000);
        let pose = Pose::at(0.1 * DVec3::new(-tilt.sin(), tilt.cos(), 0.0));
        let id = world.add_body(ball, BodyOptions { pose, material, ..Default::default() }).unwrap();
        while world.time() < 0.6 {
            world.step(1.0 / per_second).unwrap();
        }
        // Rolling needs μ = 2/7·tan θ = 0.09; sliding by 0.05 it would have twice the speed of its turning.
        let Twist { linear, angular } = world.body(id).twist();
        assert!(
            linear.length() > 0.9 && (linear.length() / (0.1 * angular.length()) - 1.0).abs() < 0.05,
            "{per_second} steps per second: {linear} m/s, {angular} rad/s"
        );
    }
}
