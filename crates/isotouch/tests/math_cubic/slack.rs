//! Paths known up to a rounding error of their coordinates: with slack the promises hold for the path that was meant.

use dashu_ratio::RBig;
use glam::dvec3;
use isotouch::math::DVec3;
use isotouch::math::cubic::{CellCubic, HitStatus};

use crate::Query;
use crate::check::Tally;
use crate::exact::Oracle;
use crate::oracle::random::Random;
use crate::{families, verdict};

/// How far φ can be off when each coordinate is off by at most `error`: on each axis that times the largest difference of
/// corners along it.
fn slack_for(corners: &[f32; 8], error: f64) -> f64 {
    let difference =
        |axis: usize, k: usize| (f64::from(corners[k]) - f64::from(corners[k ^ (1 << axis)])).abs();
    (0..3).map(|axis| (0..8).map(|k| difference(axis, k)).fold(0.0, f64::max)).sum::<f64>() * error
}

#[test]
fn a_touch_in_a_far_cell_is_not_lost_to_the_rounding_of_coordinates() {
    // φ = y − ½ in cell 1000 of a grid from 0, along x.
    let (h, y, iso) = (0.924_591_952_233_054_6, 925.054_249_123_699_5, 9.891_156_765_295_801e-7);
    let corners = [-0.5, -0.5, 0.5, 0.5, -0.5, -0.5, 0.5, 0.5f32];

    let exact = |x: f64| RBig::try_from(x).unwrap();
    let above = exact(y) / exact(h) - exact(1000.5) - exact(iso);
    assert!(above <= RBig::ZERO && above > exact(-1e-20), "the path touches");

    let local = y / h - 1000.0;
    let cubic = CellCubic::along(&corners, dvec3(0.0, local, 0.25), dvec3(1.0, local, 0.25), iso);
    assert_eq!(cubic.first_hit(), None, "true of the rounded path, not of the one that was meant");
    // Half an ulp of 1000.5; the difference from 1000 is exact.
    let slack = slack_for(&corners, 2f64.powi(-44));
    assert_eq!(slack, 2f64.powi(-44));
    let hit = cubic.with_slack(slack).first_hit().unwrap();
    assert_eq!((hit.s, hit.status), (0.0, HitStatus::Touch));
}

#[test]
fn with_slack_the_promises_hold_for_every_path_within_it() {
    let mut random = Random(23);
    let mut tally = Tally::default();
    let mut lost_without = 0;
    for k in 0..60_000 {
        let family = families::ADVERSARIAL[k % families::ADVERSARIAL.len()];
        let meant = (family.make)(&mut random);
        let error = 10f64.powi(-16 + random.below(5) as i32);
        let mut off = |at: DVec3| at + random.in_cube() * error;
        let given = Query { entry: off(meant.entry), exit: off(meant.exit), ..meant };
        // The sum was rounded, and outside of the cell φ is a little steeper.
        let slack = slack_for(&meant.corners, 1.01 * error + f64::EPSILON);
        tally.check_answers(&meant, &given.cubic().with_slack(slack), slack);
        let is_lost = given.cubic().stays_positive() && verdict::reaches_zero(&Oracle::new(&meant));
        lost_without += usize::from(is_lost);
    }
    println!("{tally}; {lost_without} false without slack");
    assert!(tally.touches > 5000 && tally.crossings > 5000 && tally.free > 5000);
    assert!(lost_without > 100, "{lost_without}");
}
