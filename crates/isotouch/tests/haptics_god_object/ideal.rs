//! Beside the ideal proxy, on surfaces where it is known.

use std::sync::Arc;

use isotouch::ccd::{Ball, Plane};
use isotouch::haptics::{Coupling, GodObject, GodObjectOptions, Held, HeldPair, Surface};
use isotouch::math::{DQuat, DVec3, Pose, Twist};
use isotouch::mesh::{mass_properties, shapes};

use super::{shell_of, sphere};

const CELL: f64 = 0.01;

fn ball_on(surface: Surface, radius: f64) -> Arc<HeldPair> {
    let ball = sphere(radius);
    let mass = mass_properties(&ball, 1000.0).unwrap();
    Arc::new(HeldPair::new(shell_of(&ball, 2000), surface, Held::Shell, mass).unwrap())
}

/// What a spring of 1000 N/m makes of it.
fn force(god: &GodObject, hand: &Pose) -> DVec3 {
    let gap = hand.displacement_to(&god.pose(), god.pair().center());
    Coupling::spring(1000.0, 1.0).wrench(&gap, &Twist::ZERO).force
}

#[test]
fn on_a_plane_it_is_above_the_hand_by_its_depth() {
    let pair = ball_on(Surface::Analytic(Arc::new(Plane::GROUND), CELL), 0.1);
    let mut god = GodObject::new(pair, Pose::at(DVec3::Y * 0.2), &GodObjectOptions::default()).unwrap();
    let lowest = god.pair().shell().points().iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    for k in 0..400 {
        let x = 1e-3 * f64::from(k);
        let depth = 0.02;
        let hand = Pose::at(DVec3::new(x, -lowest - depth, 0.5 * x));
        let report = god.step(&hand);
        if k < 20 {
            continue;
        }
        // It may roll a little onto points beside; the least height is what the points allow, and the skin.
        let off = god.pose().position - (hand.position + DVec3::Y * depth);
        assert!(off.length() < 0.05 * CELL, "step {k}: {off}");
        assert!((force(&god, &hand) - DVec3::Y * 20.0).length() < 0.5, "{}", force(&god, &hand));
        assert!(report.contacts >= 1 && report.clearance > 0.0);
    }
}

#[test]
fn on_a_ball_it_is_on_the_line_from_its_middle_to_the_hand() {
    let pair = ball_on(Surface::Analytic(Arc::new(Ball { center: DVec3::ZERO, radius: 0.5 }), CELL), 0.1);
    let start = Pose::at(DVec3::Y * 0.8);
    let mut god = GodObject::new(pair, start, &GodObjectOptions::default()).unwrap();
    for k in 0..600 {
        let angle = 0.002 * f64::from(k);
        let direction = DQuat::from_rotation_z(angle) * DVec3::Y;
        // 3 cm too deep.
        let hand = Pose::at(direction * 0.57);
        god.step(&hand);
        if k < 30 {
            continue;
        }
        let place = god.pose().position;
        assert!(place.angle_between(direction) < 0.02, "step {k}: {place}");
        // Polyhedra are a little smaller than their spheres.
        assert!((0.597..0.601).contains(&place.length()), "step {k}: {}", place.length());
    }
}

/// A wish that leads mostly into the wall was cut to the stride whole, so that little was left of it along the wall: without friction the part dragged behind, the more the deeper the hand.
#[test]
fn a_hand_many_cells_deep_is_followed_along_a_plane_without_lag() {
    let pair = ball_on(Surface::Analytic(Arc::new(Plane::GROUND), CELL), 0.1);
    for cells in [1.0, 10.0, 30.0, 100.0] {
        let start = Pose::at(DVec3::Y * 0.15);
        let mut god = GodObject::new(Arc::clone(&pair), start, &GodObjectOptions::default()).unwrap();
        for k in 0..400 {
            // A fifth of a cell in a step.
            let hand = DVec3::new(0.2 * CELL * f64::from(k), 0.1 - cells * CELL, 0.0);
            god.step(&Pose::at(hand));
            let behind = (hand.x - god.pose().position.x) / CELL;
            assert!(k < 50 || behind.abs() < 0.1, "{cells} cells deep, step {k}: {behind} cells behind");
        }
    }
}

/// Strides were no longer than half a cell, two in a step: whoever moved faster along a wall without friction dragged the part behind, by as much more with every step, up to all the force there is.
#[test]
fn a_fast_hand_is_followed_along_a_plane_without_lag() {
    let pair = ball_on(Surface::Analytic(Arc::new(Plane::GROUND), CELL), 0.1);
    for cells in [1.0, 3.0, 4.0, 7.0] {
        // A simulation may be faster than its device: the hand then moves in one of some steps only.
        for steps_each in [1, 7] {
            let start = Pose::at(DVec3::Y * 0.15);
            let mut god = GodObject::new(Arc::clone(&pair), start, &GodObjectOptions::default()).unwrap();
            for k in 0..200 {
                let hand = DVec3::new(cells * CELL * f64::from(k), 0.1 - 3.0 * CELL, 0.0);
                for _ in 0..steps_each {
                    god.step(&Pose::at(hand));
                }
                let behind = (hand.x - god.pose().position.x) / CELL;
                assert!(
                    k < 20 || behind.abs() < if cells > 4.0 { 2.0 * cells } else { 0.1 * cells + 0.1 },
                    "{cells} cells a step, step {k}: {behind} cells behind"
                );
            }
        }
    }
}

/// Passes have a longest stride. What is faster than all of them together drags the part behind, by no more than it is faster, and waits for it where it rests.
#[test]
fn a_hand_faster_than_strides_drags_the_part_and_is_caught_up_with() {
    let pair = ball_on(Surface::Analytic(Arc::new(Plane::GROUND), CELL), 0.1);
    let mut god = GodObject::new(pair, Pose::at(DVec3::Y * 0.15), &GodObjectOptions::default()).unwrap();
    let (cells, deep) = (20.0, DVec3::Y * (0.1 - 3.0 * CELL));
    let behind = |god: &GodObject, k: u32| f64::from(k) * cells - (god.pose().position.x) / CELL;
    for k in 0..100 {
        god.step(&Pose::at(deep + DVec3::X * (cells * CELL * f64::from(k))));
        assert!(behind(&god, k) < (cells - 4.0) * f64::from(k.max(1)), "step {k}: {}", behind(&god, k));
    }
    let hand = Pose::at(deep + DVec3::X * (cells * CELL * 99.0));
    let mut steps = 0;
    while behind(&god, 99) > 0.1 {
        god.step(&hand);
        steps += 1;
        assert!(steps < 1000, "{} cells behind", behind(&god, 99));
    }
}

#[test]
fn a_fast_hand_is_followed_around_a_ball_without_lag() {
    let pair = ball_on(Surface::Analytic(Arc::new(Ball { center: DVec3::ZERO, radius: 0.5 }), CELL), 0.1);
    for cells in [1.0, 2.0, 4.0] {
        let start = Pose::at(DVec3::Y * 0.65);
        let mut god = GodObject::new(Arc::clone(&pair), start, &GodObjectOptions::default()).unwrap();
        for k in 0..200 {
            let angle = cells * CELL / 0.6 * f64::from(k);
            let direction = DQuat::from_rotation_z(angle) * DVec3::Y;
            god.step(&Pose::at(direction * (0.6 - 3.0 * CELL)));
            let behind = god.pose().position.angle_between(direction) * 0.6 / CELL;
            assert!(k < 20 || behind < cells, "{cells} cells a step, step {k}: {behind} cells behind");
        }
    }
}

#[test]
fn a_hand_many_cells_deep_is_followed_around_a_ball_without_lag() {
    let pair = ball_on(Surface::Analytic(Arc::new(Ball { center: DVec3::ZERO, radius: 0.5 }), CELL), 0.1);
    for cells in [1.0, 10.0, 30.0] {
        let start = Pose::at(DVec3::Y * 0.65);
        let mut god = GodObject::new(Arc::clone(&pair), start, &GodObjectOptions::default()).unwrap();
        for k in 0..400 {
            // A fifth of a cell in a step, as seen where the part is.
            let angle = 0.2 * CELL / 0.6 * f64::from(k);
            let direction = DQuat::from_rotation_z(angle) * DVec3::Y;
            god.step(&Pose::at(direction * (0.6 - cells * CELL)));
            let behind = god.pose().position.angle_between(direction) * 0.6 / CELL;
            // A ball of points comes to rest on them, the farther aside the more it is pulled.
            let aside = 0.05 + 0.03 * cells;
            assert!(k < 50 || behind < aside, "{cells} cells deep, step {k}: {behind} cells behind");
        }
    }
}

/// Along planes it comes off what bends away. A part that follows a hand that has jumped must not hover over the surface until it is there.
#[test]
fn what_slides_after_a_hand_that_jumped_stays_on_the_surface() {
    let pair = ball_on(Surface::Analytic(Arc::new(Ball { center: DVec3::ZERO, radius: 0.5 }), CELL), 0.1);
    let mut god = GodObject::new(pair, Pose::at(DVec3::Y * 0.65), &GodObjectOptions::default()).unwrap();
    for _ in 0..50 {
        god.step(&Pose::at(DVec3::Y * 0.4));
    }
    let (mut highest, mut steps) = (0.0f64, 0);
    while god.pose().position.angle_between(DVec3::X) > 0.1 {
        let step = god.step(&Pose::at(DVec3::X * 0.4));
        highest = highest.max(step.clearance / CELL);
        steps += 1;
        assert!(steps < 200, "it is at {} only", step.pose.position);
    }
    // 94 cells to go; a stride of two comes off by a thirtieth of a cell.
    assert!(steps > 10 && highest < 0.1, "{highest} cells above the surface in {steps} steps");
}

#[test]
fn a_box_pressed_down_askew_comes_to_lie_flat() {
    let block = shapes::cuboid(DVec3::new(0.2, 0.1, 0.3)).unwrap();
    let mass = mass_properties(&block, 1000.0).unwrap();
    let plane = Surface::Analytic(Arc::new(Plane::GROUND), CELL);
    let pair = Arc::new(HeldPair::new(shell_of(&block, 800), plane, Held::Shell, mass).unwrap());
    let mut god = GodObject::new(pair, Pose::at(DVec3::Y * 0.3), &GodObjectOptions::default()).unwrap();
    // The hand is deep and level: the block lies on its face, at half its height and a skin.
    let hand = Pose { position: DVec3::new(0.0, -0.1, 0.0), rotation: DQuat::from_rotation_y(0.4) };
    for _ in 0..200 {
        god.step(&hand);
    }
    let place = god.pose().position;
    assert!((place.y - 0.05).abs() < 0.03 * CELL, "{place}");
    let up = god.pose().rotation * DVec3::Y;
    assert!(up.angle_between(DVec3::Y) < 1e-4 && place.with_y(0.0).length() < 1e-6);
}

#[test]
fn friction_holds_within_its_cone_and_lets_go_beyond() {
    let block = shapes::cuboid(DVec3::new(0.2, 0.1, 0.3)).unwrap();
    let mass = mass_properties(&block, 1000.0).unwrap();
    let plane = Surface::Analytic(Arc::new(Plane::GROUND), CELL);
    let pair = Arc::new(HeldPair::new(shell_of(&block, 800), plane, Held::Shell, mass).unwrap());
    let slid = |friction: f64, pull: f64| {
        let options = GodObjectOptions { friction, ..Default::default() };
        let mut god = GodObject::new(Arc::clone(&pair), Pose::at(DVec3::Y * 0.07), &options).unwrap();
        let down = |x: f64| Pose::at(DVec3::new(x, 0.04, 0.0));
        for _ in 0..50 {
            god.step(&down(0.0));
        }
        let before = god.pose().position.x;
        // 1 cm too deep, and pulled aside by less or more than μ times that.
        for _ in 0..400 {
            god.step(&down(pull));
        }
        god.pose().position.x - before
    };
    assert!(slid(0.0, 0.004) > 0.0039, "without friction it follows");
    assert!(slid(0.5, 0.004) < 1e-4, "within the cone it sticks: {}", slid(0.5, 0.004));
    // Beyond, up to where the pull is μ·1 cm again.
    assert!((slid(0.5, 0.02) - 0.015).abs() < 2e-3, "{}", slid(0.5, 0.02));
}
