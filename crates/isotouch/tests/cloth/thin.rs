//! Fast cloth against thin wires: nothing comes through, but with the method of 2003.

use std::sync::Arc;

use isotouch::ccd::{Function, Segment, Touchable};
use isotouch::cloth::{
    Cloth, ClothOptions, ClothWorld, ClothWorldOptions, CollisionMethod, ObstacleOptions, garments,
};
use isotouch::math::DVec3;

/// Wires of 2 mm along z, 6 cm apart, in the plane x = 0.5.
fn wires(p: DVec3) -> f64 {
    let y = (p.y / 0.06).round().clamp(-3.0, 3.0) * 0.06;
    (p.x - 0.5).hypot(p.y - y) - 0.001
}

/// Particles that came through a wire, found on their chords from substep to substep, and how deep anything was at the end of any step.
fn through(method: CollisionMethod, speed: f64) -> (usize, f64) {
    let shape = Arc::new(Function { value: wires, lipschitz: 1.0 });
    let options = ClothWorldOptions { method, substeps: 1, gravity: DVec3::ZERO, ..Default::default() };
    let mut world = ClothWorld::new(options);
    world.add_surface(shape.clone(), ObstacleOptions::default()).unwrap();
    // A flag that stands across the way, its rows of particles between and on the wires' heights.
    let sheet = garments::sheet([0.4, 0.4], [30, 30]).unwrap();
    let mut cloth = Cloth::from_mesh(&sheet, &ClothOptions { drag: 0.0, ..Default::default() }).unwrap();
    let upright: Vec<DVec3> = cloth.places().iter().map(|p| DVec3::new(0.4, p.x + 1e-4, p.z)).collect();
    cloth.set_places(&upright).unwrap();
    cloth.set_velocity(DVec3::X * speed);
    let id = world.add_cloth(cloth);
    let mut lost = vec![false; upright.len()];
    let mut deepest = f64::NEG_INFINITY;
    let dt = 0.0005;
    for _ in 0..240 {
        let before = world.cloth(id).places().to_vec();
        world.step(dt).unwrap();
        deepest = deepest.max(world.penetration());
        for (i, (from, to)) in before.iter().zip(world.cloth(id).places()).enumerate() {
            // From one side of the wires to the other, through one of them.
            let crosses = (from.x - 0.5) * (to.x - 0.5) < 0.0;
            let is_hit = shape.first_hit(&Segment::new(*from, *to), 0.0).is_some();
            lost[i] |= crosses && is_hit;
        }
    }
    (lost.iter().filter(|lost| **lost).count(), deepest)
}

#[test]
fn wires_stop_fast_cloth() {
    for speed in [1.0, 5.0, 20.0, 30.0] {
        let (lost, deepest) = through(CollisionMethod::Continuous, speed);
        assert_eq!(lost, 0, "{speed} m/s");
        assert!(deepest < 0.0, "{speed} m/s: {deepest}");
    }
    // 15 mm a substep: from 10 mm before the wires to 5 mm behind them, where they push on.
    let (lost, _) = through(CollisionMethod::Discrete, 30.0);
    assert!(lost > 10, "2003 should lose some at 30 m/s, not {lost}");
}
