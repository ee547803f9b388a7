//! Paths known up to a rounding error of their coordinates: with σ raised by what that makes of φ, none that was meant is lost.

use dashu_ratio::RBig;
use glam::dvec3;
use isotouch::math::DVec3;
use isotouch::math::cubic::CellCubic;

use crate::Query;
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
    let cubic = |iso: f64| CellCubic::along(&corners, dvec3(0.0, local, 0.25), dvec3(1.0, local, 0.25), iso);
    assert_eq!(cubic(iso).first_hit(), None, "true of the rounded path, not of the one that was meant");
    // Half an ulp of 1000.5; the difference from 1000 is exact.
    let slack = slack_for(&corners, 2f64.powi(-44));
    assert_eq!(slack, 2f64.powi(-44));
    assert_eq!(cubic(iso + slack).first_hit().map(|hit| hit.s), Some(0.0));
}

#[test]
fn with_iso_raised_no_path_so_near_is_lost() {
    let mut random = Random(23);
    let (mut free, mut hits, mut lost_without) = (0, 0, 0);
    for k in 0..60_000 {
        let family = families::ADVERSARIAL[k % families::ADVERSARIAL.len()];
        let meant = (family.make)(&mut random);
        let error = 10f64.powi(-16 + random.below(5) as i32);
        let mut off = |at: DVec3| at + random.in_cube() * error;
        let given = Query { entry: off(meant.entry), exit: off(meant.exit), ..meant };
        // The sum was rounded, and outside of the cell φ is a little steeper.
        let slack = slack_for(&meant.corners, 1.01 * error + f64::EPSILON);
        let raised = Query { iso: (given.iso + slack).next_up(), ..given }.cubic();
        assert_eq!(raised.stays_positive(), raised.first_hit().is_none());
        if verdict::reaches_zero(&Oracle::new(&meant)) {
            assert!(!raised.stays_positive(), "{meant:?} as {given:?}");
            hits += 1;
            lost_without += usize::from(given.cubic().stays_positive());
        } else {
            free += usize::from(raised.stays_positive());
        }
    }
    println!("{hits} hits, {free} free; {lost_without} lost where σ is not raised");
    assert!(hits > 10_000 && free > 5_000 && lost_without > 100, "{hits} {free} {lost_without}");
}
