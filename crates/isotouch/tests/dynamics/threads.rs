//! A nut on its bolt.

use std::f64::consts::TAU;
use std::sync::Arc;

use isotouch::contact::Material;
use isotouch::dynamics::{BodyKind, BodyOptions, Mass, Shape, World, WorldOptions};
use isotouch::math::{DQuat, DVec3, Pose, Wrench};
use isotouch::mesh::shapes::{BoltOptions, NutOptions, bolt, nut};

use crate::shape;

const PITCH: f64 = 0.002;
const DT: f64 = 1.0 / 240.0;

fn parts() -> (Arc<Shape>, Arc<Shape>) {
    let (diameter, pitch, segments) = (0.016, PITCH, 48);
    let bolt =
        bolt(BoltOptions { diameter, pitch, length: 0.03, head_width: 0.024, head_height: 0.01, segments });
    let nut = nut(NutOptions { diameter, pitch, height: 0.006, width: 0.024, clearance: 1.2e-4, segments });
    (shape(&bolt.unwrap(), 192, 6000), shape(&nut.unwrap(), 128, 4000))
}

/// Turns and travel in pitches, once it has turned so far, and the deepest place in cells, of a steel nut on its bolt.
fn driven(
    (bolt, nut): &(Arc<Shape>, Arc<Shape>),
    friction: f64,
    torque: f64,
    (seconds, turned): (f64, f64),
) -> (f64, f64, f64) {
    let mut world = World::new(WorldOptions { gravity: DVec3::Z * -9.81, ..Default::default() });
    let material = Material {
        stiffness: 1e11,
        static_friction: friction,
        kinetic_friction: friction,
        ..Default::default()
    };
    let fixed = BodyOptions { kind: BodyKind::Fixed, material, ..Default::default() };
    world.add_body(bolt.clone(), fixed).unwrap();
    let z = -0.012;
    let start = Pose { position: DVec3::Z * z, rotation: DQuat::from_rotation_z(TAU * z / PITCH) };
    let moving = BodyOptions { pose: start, mass: Mass::Density(7850.0), material, ..Default::default() };
    let id = world.add_body(nut.clone(), moving).unwrap();
    world.set_force(id, Wrench { force: DVec3::ZERO, torque: DVec3::Z * torque }).unwrap();
    let (mut turns, mut deepest, mut last) = (0.0f64, 0.0f64, start.rotation);
    let mut since = None;
    while world.time() < seconds {
        deepest = deepest.max(world.step(DT).unwrap().max_penetration_cells);
        let rotation = world.body(id).pose().rotation;
        let change = rotation * last.inverse();
        turns += 2.0 * change.z.atan2(change.w) / TAU;
        last = rotation;
        if turns.abs() >= turned {
            since.get_or_insert((turns, world.body(id).pose().position.z));
        }
    }
    let (turns_before, z_before) = since.unwrap_or((turns, z));
    (turns - turns_before, (world.body(id).pose().position.z - z_before) / PITCH, deepest)
}

#[test]
fn a_nut_travels_a_pitch_a_turn_and_locks_itself_with_friction() {
    let parts = parts();
    for (drive, friction, torque) in [("turned", 0.1, -0.7e-3), ("frictionless", 0.0, 0.0)] {
        // It falls through the play of its thread first.
        let (turns, travel, deepest) = driven(&parts, friction, torque, (0.8, 0.1));
        assert!(turns < -0.5, "{drive}: {turns} turns");
        assert!((travel / turns - 1.0).abs() < 0.02, "{drive}: {travel} pitches, {turns} turns");
        assert!(deepest < 0.5, "{drive}: {deepest} cells deep");
    }
    let (turns, travel, deepest) = driven(&parts, 0.1, 0.0, (0.6, 0.0));
    assert!(
        turns.abs() < 0.01 && travel.abs() < 0.15 && deepest < 0.5,
        "{turns} turns, {travel} pitches, {deepest} cells"
    );
}
