use isotouch::contact::Material;
use isotouch::dynamics::{BodyId, BodyKind, BodyOptions, Integrator, World, WorldOptions};
use isotouch::math::{DVec3, Twist};
use isotouch::mesh::shapes;

use crate::{at, ball, shape};

/// A ball at 100 m/s against a plate 1 cm thick, steps of 1/240 s: it moves 42 cm in one.
fn shot(is_bullet: bool, integrator: Integrator, speed: f64) -> (World, BodyId) {
    let mut world =
        World::new(WorldOptions { gravity: DVec3::ZERO, integrator, slip_speed: 0.1, ..Default::default() });
    let material = Material { stiffness: 1e8, ..Default::default() };
    let plate = shape(&shapes::cuboid(DVec3::new(0.01, 1.0, 1.0)).unwrap(), 128, 2000);
    world.add_body(plate, BodyOptions { kind: BodyKind::Fixed, material, ..at(DVec3::ZERO) }).unwrap();
    let twist = Twist { linear: DVec3::X * speed, angular: DVec3::ZERO };
    let id = world
        .add_body(ball(0.05), BodyOptions { twist, is_bullet, material, ..at(DVec3::new(-0.9, 0.03, 0.01)) })
        .unwrap();
    for _ in 0..(4.0 * 240.0 / speed).ceil() as usize + 20 {
        world.step(1.0 / 240.0).unwrap();
    }
    (world, id)
}

#[test]
fn continuous_penalty_alone_lets_a_fast_ball_through_a_thin_plate() {
    for integrator in [Integrator::Symplectic, Integrator::Papers] {
        let (world, id) = shot(false, integrator, 100.0);
        assert!(world.body(id).pose().position.x > 0.1, "{integrator:?}");
    }
}

#[test]
fn a_bullet_is_stopped_by_a_thin_plate() {
    for (_, integrator) in Integrator::NAMES {
        for speed in [1.0, 10.0, 100.0, 1000.0] {
            let (world, id) = shot(true, integrator, speed);
            let x = world.body(id).pose().position.x;
            assert!(x < -0.05, "{integrator:?} at {speed} m/s: {x}");
            // Stopped, or thrown back by springs; no faster than it came.
            let back = -world.body(id).twist().linear.x;
            assert!(back > -1e-6 && back < 1.01 * speed, "{integrator:?} at {speed} m/s: {back}");
        }
    }
}

/// A bullet that was stopped in every step would turn without getting on.
#[test]
fn a_bullet_that_rolls_is_not_stopped() {
    let mut world = World::new(WorldOptions::default());
    world.add_surface("ground", Box::new(isotouch::ccd::Plane::GROUND), Material::default()).unwrap();
    let plate = shape(&shapes::cuboid(DVec3::new(2.0, 0.1, 0.5)).unwrap(), 128, 4000);
    world.add_body(plate, BodyOptions { kind: BodyKind::Fixed, ..at(DVec3::Y * 0.05) }).unwrap();
    let (radius, speed) = (0.05, 0.5);
    let twist = Twist { linear: DVec3::X * speed, angular: DVec3::Z * (-speed / radius) };
    let options = BodyOptions { twist, is_bullet: true, ..at(DVec3::new(-0.5, 0.1 + radius, 0.0)) };
    let id = world.add_body(ball(radius), options).unwrap();
    let mut stopped = 0;
    for _ in 0..240 {
        stopped += world.step(1.0 / 240.0).unwrap().stopped;
    }
    let way = world.body(id).pose().position.x + 0.5;
    // Its points are those of a polyhedron: it loses some speed from one to the next.
    assert!(way > 0.3 && stopped < 10, "{way} m, stopped {stopped} times");
}
