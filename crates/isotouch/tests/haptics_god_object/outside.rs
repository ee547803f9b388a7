//! No point goes below the surface: at poses and on the way between.

use std::sync::Arc;

use isotouch::field::{Field, FieldOptions};
use isotouch::haptics::{Detection, GodObject, GodObjectError, GodObjectOptions, Held, HeldPair, Surface};
use isotouch::math::{DQuat, DVec3, Motion, MotionKind, Pose, Twist};
use isotouch::mesh::shapes;

use super::random::Random;
use super::{field_on_shell, least, random_pose, shell_on_field, sphere};

/// Steps with a hand that jumps about, up to `reach` away: every pose of the way is looked at.
fn stays_outside(pair: &Arc<HeldPair>, start: Pose, reach: f64, steps: usize, seed: u64) -> usize {
    let mut god = GodObject::new(Arc::clone(pair), start, &GodObjectOptions::default()).unwrap();
    let mut random = Random(seed);
    let mut touched = 0;
    let mut hand = start;
    for step in 0..steps {
        // Mostly small ways near the last place, sometimes anywhere.
        let anywhere = random_pose(&mut random, reach);
        let part = if step % 7 == 0 { 1.0 } else { 0.1 * random.unit() };
        hand = Motion::new(MotionKind::Rigid, hand, anywhere).pose(part);
        let from = god.pose();
        let report = god.step(&hand);
        touched += usize::from(report.contacts > 0);
        let mut last = from;
        for &to in god.trail() {
            let way = Motion::new(MotionKind::Rigid, last, to);
            for k in 1..=8 {
                let at = way.pose(f64::from(k) / 8.0);
                let least = least(pair, &at);
                assert!(least > 0.0, "step {step}: {least:e} below the surface at {at:?}");
            }
            last = to;
        }
        assert_eq!(last, god.pose());
    }
    touched
}

#[test]
fn a_knot_in_a_hand_that_jumps_about_never_enters_a_knot() {
    let knot = shapes::by_name("torus-knot").unwrap();
    let pair = shell_on_field(&knot, 800, &knot, 64);
    let touched = stays_outside(&pair, Pose::at(DVec3::X * 6.0), 0.5, 300, 1);
    assert!(touched > 150, "it was in contact often, {touched} times");
}

#[test]
fn a_ball_between_bars_stays_between_them() {
    let fixed = shapes::by_name("bowl").unwrap();
    let pair = shell_on_field(&sphere(0.3), 300, &fixed, 48);
    let touched = stays_outside(&pair, Pose::at(DVec3::Y * 4.0), 1.0, 300, 2);
    assert!(touched > 60, "it was in contact often, {touched} times");
}

#[test]
fn a_field_in_the_hand_never_takes_in_a_point() {
    let knot = shapes::by_name("torus-knot").unwrap();
    let pair = field_on_shell(&shapes::by_name("box").unwrap(), 40, &knot, 900);
    assert!(stays_outside(&pair, Pose::at(DVec3::Z * 8.0), 2.5, 300, 3) > 60);
}

#[test]
fn ways_of_ten_body_lengths_pass_through_nothing() {
    let plate = shapes::cuboid(DVec3::new(4.0, 0.05, 4.0)).unwrap();
    let pair = shell_on_field(&sphere(0.2), 400, &plate, 160);
    let mut random = Random(4);
    for _ in 0..40 {
        let above = Pose::at(DVec3::new(random.unit() - 0.5, 2.0, random.unit() - 0.5));
        let mut god = GodObject::new(Arc::clone(&pair), above, &GodObjectOptions::default()).unwrap();
        let below = Pose::at(DVec3::new(random.unit() - 0.5, -2.0, random.unit() - 0.5));
        for _ in 0..5 {
            god.step(&below);
        }
        assert!(god.pose().position.y > 0.2, "it lies on the plate: {}", god.pose().position);
        // As discrete detection it is through at once, and nothing holds it.
        let options = GodObjectOptions { detection: Detection::Discrete, ..Default::default() };
        let mut blind = GodObject::new(Arc::clone(&pair), above, &options).unwrap();
        blind.step(&below);
        assert!(blind.pose().position.y < -1.9);
    }
}

#[test]
fn what_begins_inside_is_told() {
    let pair = shell_on_field(&sphere(0.3), 300, &shapes::by_name("box").unwrap(), 32);
    let error =
        GodObject::new(Arc::clone(&pair), Pose::IDENTITY, &GodObjectOptions::default()).err().unwrap();
    assert!(matches!(error, GodObjectError::BeginsInside { depth, .. } if depth > 0.1), "{error}");
}

#[test]
fn a_hand_that_is_nowhere_moves_nothing() {
    let pair = shell_on_field(&sphere(0.3), 300, &shapes::by_name("box").unwrap(), 32);
    let start = Pose::at(DVec3::X * 3.0);
    let mut god = GodObject::new(pair, start, &GodObjectOptions::default()).unwrap();
    for position in [DVec3::NAN, DVec3::INFINITY, DVec3::new(0.0, f64::NEG_INFINITY, 0.0)] {
        let report = god.step(&Pose::at(position));
        assert_eq!(report.pose, start);
    }
    // Finite numbers that turn nowhere, or would stretch the part.
    for rotation in [0.0, 0.5, 2.0, 1e-200, 1e200].map(|w| DQuat::from_xyzw(0.0, 0.0, 0.0, w)) {
        let report = god.step(&Pose { position: DVec3::ZERO, rotation });
        assert_eq!(report.pose, start, "{rotation}");
    }
    // So far away that squares overflow.
    let report = god.step(&Pose::at(DVec3::splat(1e200)));
    assert!(report.pose.position.is_finite());
}

#[test]
fn the_same_hand_gives_the_same_steps() {
    let knot = shapes::by_name("torus-knot").unwrap();
    let pair = shell_on_field(&knot, 600, &knot, 48);
    let run = || {
        let mut god =
            GodObject::new(Arc::clone(&pair), Pose::at(DVec3::X * 6.0), &GodObjectOptions::default())
                .unwrap();
        let mut random = Random(9);
        (0..60).map(|_| god.step(&random_pose(&mut random, 2.0)).pose.to_numbers()).collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}

#[test]
fn a_hand_far_inside_does_not_stick_the_part_to_the_surface() {
    let lumpy = |radius: f64, seed: u64| {
        shapes::blob(shapes::BlobOptions {
            radius,
            seed,
            amplitude: 0.3,
            triangles: 5_000,
            ..Default::default()
        })
        .unwrap()
    };
    let pair = shell_on_field(&lumpy(0.2, 7), 600, &lumpy(0.5, 1), 64);
    let start = Pose::at(DVec3::Y * 1.2);
    let mut god = GodObject::new(Arc::clone(&pair), start, &GodObjectOptions::default()).unwrap();
    let cell = pair.surface().cell();
    let (mut thinnest, mut way, mut last) = (f64::INFINITY, 0.0, DVec3::ZERO);
    for k in 0..600 {
        // From above to the middle's other side, some ten cells inside, all the time.
        let angle = 0.004 * f64::from(k);
        let hand = Pose::at(DVec3::new(angle.sin(), angle.cos(), 0.0) * 0.4);
        god.step(&hand);
        if k < 50 {
            last = god.pose().position;
            continue;
        }
        thinnest = f64::min(thinnest, least(&pair, &god.pose()) / cell);
        way += god.pose().position.distance(last);
        last = god.pose().position;
    }
    // Half of the skin, and half of that again where something is met, is usual; it must not go on like that.
    assert!(thinnest > 1e-4, "{thinnest} cells");
    assert!(way > 0.5, "it has gone {way}");
    // It may hang behind a lump, as any proxy may that goes only where it comes nearer to the hand. Then there must be no such way on: with the hand still, it comes to rest where every small motion that brings it
    // nearer by half as much as could be, as its mass measures that, brings a point into the skin.
    let angle = 0.004 * 599f64;
    let hand = Pose::at(DVec3::new(angle.sin(), angle.cos(), 0.0) * 0.4);
    let center = pair.center();
    for _ in 0..3000 {
        god.step(&hand);
    }
    let rest = god.pose();
    let metric = pair.metric(rest.rotation);
    let work = |a: &Twist, b: &Twist| {
        let b = metric.apply(b);
        a.linear.dot(b.force) + a.angular.dot(b.torque)
    };
    let gap = rest.displacement_to(&hand, center);
    let mut random = Random(3);
    let mut tried = 0;
    while tried < 300 {
        let mut signed = || 2.0 * random.unit() - 1.0;
        // Turns are as large as ways of points at the part's radius.
        let linear = DVec3::new(signed(), signed(), signed());
        let angular = DVec3::new(signed(), signed(), signed()) / 0.2;
        let motion = Twist { linear, angular };
        let nearer = work(&motion, &gap) / (work(&gap, &gap) * work(&motion, &motion)).sqrt();
        if nearer < 0.5 {
            continue;
        }
        tried += 1;
        let scale = 0.1 * cell / (linear.length() + 0.2 * angular.length());
        let motion = Twist { linear: linear * scale, angular: angular * scale };
        let left = least(&pair, &rest.displaced(&motion, center)) / cell;
        assert!(left < 0.01, "there is a way on, nearer by {nearer}, which leaves {left} cells");
    }
}

/// Found with two alpha tubes that were kept 1 mm apart in a field with a band of 0.7 mm: the part never moved, and nothing said why.
#[test]
fn a_level_beyond_the_band_is_refused_and_one_within_a_wider_band_is_followed() {
    let (ball, box_shape) = (sphere(0.1), shapes::by_name("box").unwrap());
    let start = Pose::at(DVec3::X * 1.0);
    let narrow = shell_on_field(&ball, 300, &box_shape, 64);
    let cell = narrow.surface().cell();
    for cells in [4.0, -4.0] {
        let options = GodObjectOptions { iso: cells * cell, ..Default::default() };
        let refused = GodObject::new(Arc::clone(&narrow), start, &options).err().unwrap();
        let GodObjectError::BeyondBand { needed, band, .. } = refused else { panic!("{refused}") };
        assert_eq!(band, 3.0);
        let field = FieldOptions { resolution: 64, band: needed, ..Default::default() };
        let field = Arc::new(Field::from_mesh(&box_shape, &field).unwrap());
        let mass = *narrow.mass();
        let shell = Arc::new(narrow.shell().clone());
        let wide = Arc::new(HeldPair::new(shell, Surface::Field(field), Held::Shell, mass).unwrap());
        let mut god = GodObject::new(Arc::clone(&wide), start, &options).unwrap();
        // Askew, so that points go along curves.
        for k in 1..=200 {
            let rotation = DQuat::from_rotation_z(0.002 * f64::from(k));
            god.step(&Pose { position: DVec3::X * (1.0 - 0.005 * f64::from(k)), rotation });
        }
        let left = (least(&wide, &god.pose()) - options.iso) / cell;
        assert!(left > 0.0 && left < 0.05, "{cells} cells: {left} cells above it");
    }
}
