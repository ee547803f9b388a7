//! Many bodies at once.

use isotouch::contact::Material;
use isotouch::dynamics::{BodyOptions, World, WorldOptions};
use isotouch::math::{DQuat, DVec3, Pose};
use isotouch::mesh::shapes::{self, TorusKnotOptions};

use crate::{on_ground, shape};

/// Any numbers between −1 and 1, spread evenly.
struct Any(f64);

impl Any {
    fn next(&mut self) -> f64 {
        self.0 += 1.0;
        2.0 * (self.0 * 0.618_033_988_749_895).fract() - 1.0
    }
}

/// Knots of 20 cm in layers of nine, turned any way.
fn tower(bodies: usize) -> World {
    let knot = shapes::torus_knot(2, 3, TorusKnotOptions::default()).unwrap();
    let scale = 0.2 / knot.bounds().extent().max_element();
    let knot = shape(&knot.mapped(|p| p * scale).unwrap(), 48, 800);
    let material = Material { rolling_friction: 2e-3, ..Default::default() };
    let mut world = on_ground(WorldOptions::default(), material);
    let mut any = Any(0.0);
    for k in 0..bodies {
        let (layer, place) = (k / 9, k % 9);
        let across = DVec3::new((place % 3) as f64 - 1.0, 0.0, (place / 3) as f64 - 1.0) * 0.24;
        let shaken = DVec3::new(any.next(), 0.0, any.next()) * 0.02;
        let position = across + shaken + DVec3::Y * (0.2 + 0.24 * layer as f64);
        let axis = DVec3::new(any.next(), any.next(), any.next()).normalize_or(DVec3::X);
        let rotation = DQuat::from_axis_angle(axis, 3.0 * any.next());
        let pose = Pose { position, rotation };
        world.add_body(knot.clone(), BodyOptions { pose, material, ..Default::default() }).unwrap();
    }
    world
}

/// Planes told points deeper than they were, where a body is met along the face that it leaves: one throw led to the next, rows to more rows, and a step of a tower that fell never ended.
#[test]
fn a_tower_that_falls_takes_steps_that_end() {
    let mut world = tower(120);
    let start = world.report().energy();
    let mut deepest = 0.0f64;
    for step in 0..170 {
        let report = world.step(1.0 / 240.0).unwrap();
        deepest = deepest.max(report.max_penetration);
        assert!(report.rounds < 2000, "step {step}: {} rounds", report.rounds);
        assert!(report.energy() < start * 1.001, "step {step}: {} J of {start} J", report.energy());
        let fastest = world.bodies().iter().map(|body| body.twist().linear.length()).fold(0.0, f64::max);
        // Nobody falls by more than 3.4 m in that time.
        assert!(fastest < 12.0, "step {step}: {fastest} m/s");
    }
    assert!(deepest < 0.02, "{deepest} m deep");
}
