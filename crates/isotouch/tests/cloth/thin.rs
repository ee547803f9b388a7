//! Fast cloth against thin wires: nothing comes through, but with the method of 2003.

use std::sync::Arc;

use isotouch::ccd::{Ball, Function, Segment, Touchable};
use isotouch::cloth::{
    Cloth, ClothOptions, ClothWorld, ClothWorldOptions, CollisionMethod, EdgeTest, ObstacleOptions,
    StrandOptions, garments,
};
use isotouch::field::{Field, FieldOptions};
use isotouch::math::DVec3;
use isotouch::mesh::shapes;

use crate::particle;

/// Seven wires of 2 mm along z in the plane x = 0.5, so far apart, one of them at this height.
fn wires(apart: f64, height: f64) -> impl Fn(DVec3) -> f64 {
    move |p: DVec3| {
        let y = ((p.y - height) / apart).round().clamp(-3.0, 3.0) * apart + height;
        (p.x - 0.5).hypot(p.y - y) - 0.001
    }
}

/// Squares along a side of the flag, and how long one is.
const SQUARES: usize = 30;
const SIDE: f64 = 0.4 / SQUARES as f64;

/// What came through a wire, found on chords from substep to substep: particles, and middles of edges; and how deep anything was at the end of any step.
struct Lost {
    particles: usize,
    middles: usize,
    deepest: f64,
}

fn through(
    value: impl Fn(DVec3) -> f64 + Send + Sync + 'static,
    method: CollisionMethod,
    speed: f64,
    edges: EdgeTest,
) -> Lost {
    let shape = Arc::new(Function { value, lipschitz: 1.0 });
    let options = ClothWorldOptions { method, substeps: 1, gravity: DVec3::ZERO, ..Default::default() };
    let mut world = ClothWorld::new(options);
    world.add_surface(shape.clone(), ObstacleOptions::default()).unwrap();
    // A flag that stands across the way.
    let sheet = garments::sheet([0.4, 0.4], [SQUARES, SQUARES]).unwrap();
    let options = ClothOptions { drag: 0.0, edges, ..Default::default() };
    let mut cloth = Cloth::from_mesh(&sheet, &options).unwrap();
    let upright: Vec<DVec3> = cloth.places().iter().map(|p| DVec3::new(0.4, p.x + 1e-4, p.z)).collect();
    cloth.set_places(&upright).unwrap();
    cloth.set_velocity(DVec3::X * speed);
    let id = world.add_cloth(cloth);
    let ends: Vec<[usize; 2]> = world.cloth(id).edges().collect();
    // From one side of the wires to the other, through one of them.
    let is_through = |from: DVec3, to: DVec3| {
        (from.x - 0.5) * (to.x - 0.5) < 0.0 && shape.first_hit(&Segment::new(from, to), 0.0).is_some()
    };
    let mut lost = vec![false; upright.len()];
    let mut lost_edges = vec![false; ends.len()];
    let mut deepest = f64::NEG_INFINITY;
    let dt = 0.0005;
    for _ in 0..240 {
        let before = world.cloth(id).places().to_vec();
        world.step(dt).unwrap();
        deepest = deepest.max(world.penetration());
        let after = world.cloth(id).places();
        for (i, is_lost) in lost.iter_mut().enumerate() {
            *is_lost |= is_through(before[i], after[i]);
        }
        for (&[a, b], is_lost) in ends.iter().zip(&mut lost_edges) {
            *is_lost |= is_through(0.5 * (before[a] + before[b]), 0.5 * (after[a] + after[b]));
        }
    }
    let count = |of: &[bool]| of.iter().filter(|lost| **lost).count();
    Lost { particles: count(&lost), middles: count(&lost_edges), deepest }
}

fn assert_none(lost: &Lost, speed: f64) {
    assert_eq!((lost.particles, lost.middles), (0, 0), "{speed} m/s");
    assert!(lost.deepest < 0.0, "{speed} m/s: {}", lost.deepest);
}

#[test]
fn wires_stop_fast_cloth() {
    for speed in [1.0, 5.0, 20.0, 30.0, 150.0] {
        assert_none(&through(wires(0.06, 0.0), CollisionMethod::Continuous, speed, EdgeTest::Centre), speed);
    }
    // 15 mm a substep: from 10 mm before the wires to 5 mm behind them, where they push on.
    let lost = through(wires(0.06, 0.0), CollisionMethod::Discrete, 30.0, EdgeTest::Centre).particles;
    assert!(lost > 10, "2003 should lose some at 30 m/s, not {lost}");
}

/// Wires at the height of middles: particles pass them by at half an edge, more than ε, and at 150 m/s both ends are 25 mm behind the wires when they are looked at next.
#[test]
fn middles_of_edges_did_jump_over_wires_that_particles_pass_by() {
    for edges in [EdgeTest::Centre, EdgeTest::Deepest] {
        for speed in [20.0, 60.0, 150.0, 400.0] {
            let wires = wires(4.0 * SIDE, 0.5 * SIDE);
            assert_none(&through(wires, CollisionMethod::Continuous, speed, edges), speed);
        }
    }
    let wires = wires(4.0 * SIDE, 0.5 * SIDE);
    let lost = through(wires, CollisionMethod::Discrete, 150.0, EdgeTest::Centre);
    assert!(lost.middles > 10, "2003 should lose some, not {}", lost.middles);
}

/// A coarse field knows little beside its box: what it could not exclude there did hide what was behind.
#[test]
fn a_coarse_field_stops_what_comes_from_outside_its_box() {
    let mesh = shapes::sphere(0.1, 1280).unwrap();
    for resolution in [8, 12, 24] {
        let field = Field::from_mesh(&mesh, &FieldOptions { resolution, ..Default::default() }).unwrap();
        let field = Arc::new(field);
        let options = ClothWorldOptions { substeps: 1, gravity: DVec3::ZERO, ..Default::default() };
        let mut world = ClothWorld::new(options);
        world.add_field(field.clone(), ObstacleOptions::default()).unwrap();
        let sheet = garments::sheet([0.3, 0.3], [20, 20]).unwrap();
        let mut cloth = Cloth::from_mesh(&sheet, &ClothOptions { drag: 0.0, ..Default::default() }).unwrap();
        let above: Vec<DVec3> = cloth.places().iter().map(|p| *p + DVec3::Y * 0.25).collect();
        cloth.set_places(&above).unwrap();
        // From above the box to below it in a substep.
        cloth.set_velocity(DVec3::NEG_Y * 1000.0);
        let id = world.add_cloth(cloth);
        for step in 0..4 {
            let before = world.cloth(id).places().to_vec();
            world.step(0.0005).unwrap();
            for (from, to) in before.iter().zip(world.cloth(id).places()) {
                let least = (0..=500).map(|k| field.distance(from.lerp(*to, f64::from(k) / 500.0)).value());
                let least = least.fold(f64::INFINITY, f64::min);
                assert!(least > -1e-4, "{resolution}, step {step}: {least} m");
            }
        }
    }
}

/// ε is kept where it is more than the padding of the field's box.
#[test]
fn cloth_keeps_off_beyond_the_box_of_a_field() {
    let radius = 0.05;
    let mesh = shapes::sphere(radius, 5120).unwrap();
    let field = Field::from_mesh(&mesh, &FieldOptions { resolution: 64, ..Default::default() }).unwrap();
    let mut world = ClothWorld::default();
    world.add_field(Arc::new(field), ObstacleOptions { friction: 1.0, ..Default::default() }).unwrap();
    let sheet = garments::sheet([0.3, 0.3], [12, 12]).unwrap();
    // The padding is 5 mm.
    let epsilon = 0.012;
    let options = ClothOptions { epsilon: Some(epsilon), ..Default::default() };
    let mut cloth = Cloth::from_mesh(&sheet, &options).unwrap();
    let above: Vec<DVec3> = cloth.places().iter().map(|p| *p + DVec3::Y * 0.07).collect();
    cloth.set_places(&above).unwrap();
    let id = world.add_cloth(cloth);
    for _ in 0..60 {
        world.step(0.01).unwrap();
    }
    // Of particles, and of middles, which are lower on a ball.
    let places = world.cloth(id).places();
    let middles = world.cloth(id).edges().map(|[a, b]| 0.5 * (places[a] + places[b]));
    let nearest = places.iter().copied().chain(middles).map(|p| p.length() - radius);
    let nearest = nearest.fold(f64::INFINITY, f64::min);
    assert!((nearest / epsilon - 1.0).abs() < 0.02, "{nearest} m, not {epsilon} m");
}

/// A strand whose pieces are wider than a wire is thick comes down on one, beside the middle of a piece.
#[test]
fn wires_between_an_end_and_a_middle_stop_deepest_places_only() {
    let caught = |edges: EdgeTest, at: f64| {
        let wire = move |p: DVec3| (p.x - at).hypot(p.y) - 5e-4;
        let mut world = ClothWorld::default();
        let shape = Function { value: wire, lipschitz: 1.0 };
        world.add_surface(Arc::new(shape), ObstacleOptions { friction: 1.0, ..Default::default() }).unwrap();
        // Pieces of 2 cm.
        let strand: Vec<DVec3> = (-5..=5).map(|k| DVec3::new(0.02 * f64::from(k), 0.02, 0.0)).collect();
        let options = StrandOptions { epsilon: Some(1e-3), edges, held: 0, ..Default::default() };
        let id = world.add_cloth(Cloth::from_strands(&[strand], &options).unwrap());
        for _ in 0..8 {
            world.step(0.01).unwrap();
        }
        // Whether the strand is above the wire.
        let places = world.cloth(id).places();
        let over = places.windows(2).find(|ends| ends[0].x <= at && at < ends[1].x).unwrap();
        over[0].lerp(over[1], (at - over[0].x) / (over[1].x - over[0].x)).y > 0.0
    };
    for at in [0.004, 0.005, 0.007] {
        assert!(!caught(EdgeTest::Centre, at), "{at}: past ends and middles it fits");
        assert!(caught(EdgeTest::Deepest, at), "{at}");
    }
}

/// A ball of 5 mm, and a particle that comes at 100 m/s, 7 mm off its middle: it is turned aside, by 29 mm within the substep.
fn turned_aside(friction: f64) -> ClothWorld {
    let options = ClothWorldOptions { substeps: 1, gravity: DVec3::ZERO, ..Default::default() };
    let mut world = ClothWorld::new(options);
    let ball = Ball { center: DVec3::ZERO, radius: 5e-3 };
    world.add_surface(Arc::new(ball), ObstacleOptions { friction, ..Default::default() }).unwrap();
    let mut cloth = particle(DVec3::new(-0.05, 7e-3, 0.0), 0.01);
    cloth.set_velocity(DVec3::X * 100.0);
    world.add_cloth(cloth);
    world
}

/// What was out of reach of all straight ways was not looked at, but a ball turned a particle into it.
#[test]
fn what_is_turned_aside_meets_what_was_beside_its_way() {
    let (low, high) = (DVec3::new(0.005, 0.03, -0.015), DVec3::new(0.035, 0.06, 0.015));
    let cube = shapes::cuboid(high - low).unwrap().mapped(|p| p + 0.5 * (low + high)).unwrap();
    let field = Field::from_mesh(&cube, &FieldOptions { resolution: 48, ..Default::default() }).unwrap();
    let mut world = turned_aside(0.3);
    world.add_field(Arc::new(field), ObstacleOptions::default()).unwrap();
    for step in 0..5 {
        world.step(1e-3).unwrap();
        assert!(world.penetration() < 0.0, "step {step}: {} m inside the cube", world.penetration());
    }
}

/// A particle that slid past what it struck kept all of its velocity, and what it struck felt nothing.
#[test]
fn what_slides_past_is_slowed_and_felt() {
    // Where φ is ε/2: 10 mm from the middle.
    let normal = DVec3::new(-0.51f64.sqrt(), 0.7, 0.0);
    let before = DVec3::X * 100.0;
    for friction in [0.0, 0.3] {
        let mut world = turned_aside(friction);
        world.step(1e-3).unwrap();
        let cloth = &world.cloths()[0];
        let after = cloth.velocities()[0];
        // What goes inward is gone, and friction takes μ of that along the surface.
        let inward = -before.dot(normal);
        let along = before + normal * inward;
        let expected = along * (1.0 - friction * inward / along.length());
        assert!((after - expected).length() < 0.5, "μ {friction}: {after}, not {expected} m/s");
        let momentum: DVec3 = cloth.velocities().iter().zip(cloth.masses()).map(|(v, m)| *v * *m).sum();
        let lost = before * cloth.masses().iter().sum::<f64>() - momentum;
        let felt = world.obstacles()[0].impulse().force;
        assert!((felt - lost).length() < 1e-12 * lost.length(), "μ {friction}: {felt} of {lost} N·s");
    }
}
