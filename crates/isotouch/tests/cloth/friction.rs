//! Particles on slopes and walls.

use isotouch::cloth::{ClothWorldOptions, FrictionModel, ObstacleOptions};
use isotouch::math::DVec3;

use crate::{G, on_plane, particle};

const EPSILON: f64 = 0.01;

/// How far a particle has slid down a slope after a second, and how fast it is.
fn slide(degrees: f64, friction: f64) -> (f64, f64) {
    let angle = degrees.to_radians();
    let normal = DVec3::new(angle.sin(), angle.cos(), 0.0);
    let down = DVec3::new(angle.cos(), -angle.sin(), 0.0);
    let of = ObstacleOptions { friction, ..Default::default() };
    let mut world = on_plane(ClothWorldOptions::default(), normal, of);
    let cloth = world.add_cloth(particle(normal * EPSILON, EPSILON));
    for _ in 0..100 {
        world.step(0.01).unwrap();
    }
    let of = world.cloth(cloth);
    assert!((of.places()[0].dot(normal) - EPSILON).abs() < 1e-6, "it stays on the slope");
    (of.places()[0].dot(down), of.velocities()[0].dot(down))
}

#[test]
fn a_slope_holds_or_lets_slide_as_coulomb_says() {
    for degrees in [10.0f64, 25.0, 40.0] {
        let steep = degrees.to_radians().tan();
        let (way, speed) = slide(degrees, 1.05 * steep);
        assert!(way.abs() < 1e-9 && speed.abs() < 1e-9, "{degrees}°: held, but {way} m, {speed} m/s");
        for part in [0.0, 0.5, 0.95] {
            let (way, speed) = slide(degrees, part * steep);
            // a = g·(sin α − μ·cos α).
            let a = G * degrees.to_radians().sin() * (1.0 - part);
            assert!((speed / a - 1.0).abs() < 0.005, "{degrees}°, {part}: {speed} m/s, not {a}");
            assert!((way / (0.5 * a) - 1.0).abs() < 0.01, "{degrees}°, {part}: {way} m");
        }
    }
}

/// 2003 complains that particles slide slowly over vertical surfaces.
#[test]
fn at_a_vertical_wall_only_the_simple_model_slows_the_fall() {
    let fall = |friction: FrictionModel| {
        // A breath of air presses it to the wall.
        let gravity = DVec3::new(-1e-4 * G, -G, 0.0);
        let options = ClothWorldOptions { gravity, friction, ..Default::default() };
        let of = ObstacleOptions { friction: 0.3, ..Default::default() };
        let mut world = on_plane(options, DVec3::X, of);
        let cloth = world.add_cloth(particle(DVec3::X * EPSILON, EPSILON));
        for _ in 0..50 {
            world.step(0.01).unwrap();
        }
        -world.cloth(cloth).velocities()[0].y
    };
    let free = 0.5 * G;
    assert!((fall(FrictionModel::Coulomb) / free - 1.0).abs() < 0.001);
    assert!(fall(FrictionModel::Simple) < 0.05 * free);
}

#[test]
fn bounce_gives_back_its_part_of_the_speed() {
    for bounce in [0.0, 0.5, 1.0] {
        let of = ObstacleOptions { bounce, friction: 0.0, ..Default::default() };
        let mut world = on_plane(ClothWorldOptions::default(), DVec3::Y, of);
        let cloth = world.add_cloth(particle(DVec3::Y * (EPSILON + 0.2), EPSILON));
        let (mut lowest, mut top) = (f64::INFINITY, 0.0f64);
        for _ in 0..60 {
            world.step(0.01).unwrap();
            let y = world.cloth(cloth).places()[0].y - EPSILON;
            lowest = lowest.min(y);
            if lowest < 0.01 {
                top = top.max(y);
            }
        }
        // Heights as the square of speeds; the last instants before the impact are a substep's.
        assert!((top - 0.2 * bounce * bounce).abs() < 0.012, "{bounce}: {top}");
    }
}
