//! Bodies that stand in each other at the start.

use std::sync::Arc;

use isotouch::contact::Material;
use isotouch::dynamics::{BodyKind, BodyOptions, Integrator, Shape, World, WorldOptions};
use isotouch::math::{DVec3, Pose};

use crate::{at, ball, block, on_ground};

/// Two alike, offset from each other, without gravity: the largest speed on the way, and how far apart they are after some seconds.
fn part(shape: &Arc<Shape>, offset: DVec3, options: WorldOptions, seconds: f64) -> (f64, DVec3) {
    let mut world = World::new(WorldOptions { gravity: DVec3::ZERO, slip_speed: 0.01, ..options });
    // Explicit steps need ω·dt well below 2: √(k·A/m) with 10⁷ N/m³, 0.04 m² and 8 kg is 220/s.
    let stiffness = if options.integrator == Integrator::Implicit { 1e10 } else { 1e7 };
    let material = Material { stiffness, ..Default::default() };
    let ids = [DVec3::ZERO, offset]
        .map(|place| world.add_body(shape.clone(), BodyOptions { material, ..at(place) }).unwrap());
    let mut fastest: f64 = 0.0;
    let dt = if options.integrator == Integrator::Implicit { 1.0 / 240.0 } else { 1e-3 };
    while world.time() < seconds {
        world.step(dt).unwrap();
        for id in ids {
            fastest = fastest.max(world.body(id).twist().linear.length());
        }
    }
    let place = |k: usize| world.body(ids[k]).pose().position;
    (fastest, place(1) - place(0))
}

/// Past the middle the field leads out on the far side: boxes and balls went into each other instead of out.
#[test]
fn whatever_the_depth_bodies_come_apart_and_slowly() {
    let (cube, sphere) = (block(DVec3::splat(0.2), 400), ball(0.1));
    for (_, integrator) in Integrator::NAMES {
        for x in [0.0, 0.002, 0.05, 0.11, 0.15, 0.19, 0.199] {
            for (shape, kind) in [(&cube, "boxes"), (&sphere, "balls")] {
                let options = WorldOptions { integrator, ..Default::default() };
                let (fastest, apart) = part(shape, DVec3::new(x, 0.0, 0.0), options, 1.5);
                assert!(fastest < 0.25, "{integrator:?}, {kind} {x} m apart: {fastest} m/s");
                let clear = if kind == "boxes" { apart.abs().max_element() } else { apart.length() };
                assert!(clear > 0.1985, "{integrator:?}, {kind} {x} m apart end at {apart}");
            }
        }
    }
}

/// A box in a fixed one, and one in a heap of three at the same place.
#[test]
fn what_cannot_move_stays_and_heaps_come_apart() {
    let cube = block(DVec3::splat(0.2), 400);
    let mut world = World::new(WorldOptions { gravity: DVec3::ZERO, ..Default::default() });
    world.add_body(cube.clone(), BodyOptions { kind: BodyKind::Fixed, ..at(DVec3::ZERO) }).unwrap();
    let inside = world.add_body(cube.clone(), at(DVec3::new(0.02, 0.01, 0.0))).unwrap();
    let heap: Vec<_> = (0..3)
        .map(|k| world.add_body(cube.clone(), at(DVec3::new(2.0, 0.01 * f64::from(k), 0.0))).unwrap())
        .collect();
    for _ in 0..720 {
        world.step(1.0 / 240.0).unwrap();
    }
    assert!(world.body(inside).pose().position.abs().max_element() > 0.1985);
    for (k, a) in heap.iter().enumerate() {
        for b in &heap[..k] {
            let apart = world.body(*a).pose().position - world.body(*b).pose().position;
            assert!(apart.abs().max_element() > 0.1985, "{apart}");
        }
    }
}

#[test]
fn overlaps_are_told_by_name_and_depth() {
    let mut world = on_ground(WorldOptions::default(), Material::default());
    let cube = block(DVec3::splat(0.2), 400);
    let named = |name: &str, place: DVec3| BodyOptions { name: name.into(), ..at(place) };
    world.add_body(cube.clone(), named("lower", DVec3::Y * 0.09)).unwrap();
    world.add_body(cube.clone(), named("upper", DVec3::Y * 0.25)).unwrap();
    world.add_body(cube, named("far", DVec3::new(3.0, 1.0, 0.0))).unwrap();
    let found = world.overlapping();
    let told: Vec<_> = found.iter().map(|of| (of.body.as_str(), of.other.as_str())).collect();
    assert_eq!(told, [("lower", "upper"), ("lower", "ground")]);
    assert!((found[0].depth - 0.04).abs() < 1e-3 && (found[1].depth - 0.01).abs() < 1e-6, "{found:?}");
}

/// They were counted as measured a step before when somebody asked.
#[test]
fn asking_for_overlaps_changes_nothing() {
    let run = |asks: bool| {
        let mut world = on_ground(WorldOptions::default(), Material::default());
        let cube = block(DVec3::splat(0.2), 400);
        world.add_body(cube.clone(), at(DVec3::Y * 0.09)).unwrap();
        for _ in 0..5 {
            if asks {
                assert!(!world.overlapping().is_empty());
            }
            world.step(1.0 / 240.0).unwrap();
        }
        world.state()
    };
    assert_eq!(run(true), run(false));
}

/// What may be deep is no more than what is deep: a body that was lifted out lands on the surface, not below.
#[test]
fn an_overlap_is_over_when_bodies_are_apart() {
    let mut world =
        on_ground(WorldOptions { separation_speed: 1e-3, ..Default::default() }, Material::default());
    let id = world.add_body(block(DVec3::splat(0.2), 400), at(DVec3::Y * 0.095)).unwrap();
    for _ in 0..24 {
        world.step(1.0 / 240.0).unwrap();
    }
    assert!((world.body(id).pose().position.y - 0.095).abs() < 5e-4, "it is let out slowly");
    world.set_pose(id, Pose::at(DVec3::Y * 0.12)).unwrap();
    for _ in 0..240 {
        world.step(1.0 / 240.0).unwrap();
    }
    assert!((world.body(id).pose().position.y - 0.1).abs() < 1e-4, "{}", world.body(id).pose().position.y);
}

/// What is added, or put elsewhere, while others move, may overlap as well.
#[test]
fn what_comes_later_is_let_apart_too() {
    for (_, integrator) in Integrator::NAMES {
        let options = WorldOptions { gravity: DVec3::ZERO, integrator, ..Default::default() };
        let mut world = World::new(options);
        let cube = block(DVec3::splat(0.2), 400);
        let first = world.add_body(cube.clone(), at(DVec3::ZERO)).unwrap();
        world.step(1e-3).unwrap();
        let second = world.add_body(cube.clone(), at(DVec3::X * 0.16)).unwrap();
        let third = world.add_body(cube, at(DVec3::X * 5.0)).unwrap();
        world.step(1e-3).unwrap();
        world.set_pose(third, Pose::at(DVec3::Y * -0.17)).unwrap();
        for _ in 0..1000 {
            world.step(1e-3).unwrap();
            for id in [first, second, third] {
                let speed = world.body(id).twist().linear.length();
                assert!(speed < 0.25, "{integrator:?}: {speed} m/s");
            }
        }
        let place = |id| world.body(id).pose().position;
        assert!((place(second) - place(first)).x > 0.1985 && (place(first) - place(third)).y > 0.1985);
    }
}

/// Out of something fixed the shortest way may be up: what lifts it there nobody gave, and it is no explosion.
#[test]
fn what_is_let_apart_upwards_has_not_diverged() {
    let cube = block(DVec3::splat(0.1), 600);
    for integrator in [Integrator::Implicit, Integrator::Symplectic] {
        let mut world = World::new(WorldOptions { integrator, ..Default::default() });
        let material = Material { stiffness: 1e8, ..Default::default() };
        let fixed = BodyOptions { kind: BodyKind::Fixed, material, ..at(DVec3::Y * 0.05) };
        world.add_body(cube.clone(), fixed).unwrap();
        let id = world.add_body(cube.clone(), BodyOptions { material, ..at(DVec3::Y * 0.13) }).unwrap();
        let dt = if integrator == Integrator::Implicit { 1.0 / 240.0 } else { 1e-4 };
        while world.time() < 0.5 {
            world.step(dt).unwrap_or_else(|error| panic!("{integrator:?} at {} s: {error}", world.time()));
        }
        let y = world.body(id).pose().position.y;
        assert!((y - 0.15).abs() < 2e-3, "{integrator:?}: at {y}");
    }
}
