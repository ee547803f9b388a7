use isotouch::contact::Material;
use isotouch::dynamics::{BodyOptions, WorldOptions};
use isotouch::math::{DVec3, Pose};

use crate::{G, at, block, on_ground};

/// At rest the springs carry the weight: depth = m·g/(k·A). Points on the lower edges stand for some of the sides too, so A is larger by a little.
#[test]
fn a_block_rests_as_deep_as_its_weight_presses() {
    let material = Material { stiffness: 1e7, ..Default::default() };
    let mut world = on_ground(WorldOptions::default(), material);
    let size = DVec3::new(0.2, 0.1, 0.2);
    let id = world.add_body(block(size, 5000), BodyOptions { material, ..at(DVec3::Y * 0.06) }).unwrap();
    for _ in 0..480 {
        world.step(1.0 / 240.0).unwrap();
    }
    let body = world.body(id);
    let expected = body.mass() * G / (0.5 * material.stiffness * size.x * size.z);
    let depth = 0.5 * size.y - body.pose().position.y;
    assert!((depth / expected - 1.0).abs() < 0.1, "{depth} {expected}");
    assert!(body.twist().linear.length() < 1e-6);
}

#[test]
fn a_tower_of_blocks_stands() {
    let mut world = on_ground(WorldOptions::default(), Material::default());
    let size = DVec3::new(0.2, 0.1, 0.2);
    let shape = block(size, 500);
    let ids: Vec<_> = (0..6)
        .map(|k| world.add_body(shape.clone(), at(DVec3::Y * (0.0501 + 0.1002 * f64::from(k)))).unwrap())
        .collect();
    let mut deepest: f64 = 0.0;
    for _ in 0..720 {
        deepest = deepest.max(world.step(1.0 / 240.0).unwrap().max_penetration);
    }
    for (k, id) in (0..).zip(&ids) {
        let body = world.body(*id);
        let off = body.pose().position - DVec3::Y * (0.05 + 0.1 * f64::from(k));
        assert!(off.length() < 1e-3, "block {k} is off by {off}");
        assert!(body.twist().linear.length() < 1e-4, "block {k} moves: {:?}", body.twist());
    }
    assert!(deepest < 5e-4, "{deepest}");
}

/// Parts that begin inside each other come apart no faster than they are let.
#[test]
fn overlapping_bodies_separate_gently() {
    let mut world =
        on_ground(WorldOptions { gravity: DVec3::ZERO, ..Default::default() }, Material::default());
    let shape = block(DVec3::splat(0.2), 500);
    let a = world.add_body(shape.clone(), at(DVec3::new(0.0, 1.0, 0.0))).unwrap();
    let b = world
        .add_body(shape, BodyOptions { pose: Pose::at(DVec3::new(0.15, 1.0, 0.0)), ..Default::default() })
        .unwrap();
    let mut fastest: f64 = 0.0;
    for _ in 0..480 {
        world.step(1.0 / 240.0).unwrap();
        for id in [a, b] {
            fastest = fastest.max(world.body(id).twist().linear.length());
        }
    }
    let apart = world.body(b).pose().position.x - world.body(a).pose().position.x;
    assert!(apart > 0.195, "{apart}");
    assert!(fastest < 0.25, "{fastest} m/s");
}
