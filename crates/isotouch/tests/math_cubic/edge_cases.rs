//! Single cases with answers known by hand.

use glam::dvec3;
use isotouch::math::DVec3;
use isotouch::math::cubic::{CellCubic, HitStatus};

use crate::Query;
use crate::check::Tally;

/// On the diagonal, corners by the number of ones in their index are Bernstein coefficients.
fn on_diagonal(b: [f32; 4]) -> CellCubic {
    let corners = std::array::from_fn(|k: usize| b[k.count_ones() as usize]);
    CellCubic::along(&corners, DVec3::ZERO, DVec3::ONE, 0.0)
}

#[test]
fn the_dip_of_figure_2a_is_one_interval() {
    // 16 (s − 1/4)(s − 3/4), above at both ends
    let intervals = on_diagonal([3.0, -7.0 / 3.0, -7.0 / 3.0, 3.0]).intervals();
    assert_eq!(intervals.len(), 1);
    assert!((intervals[0].start - 0.25).abs() < 1e-7 && (intervals[0].end - 0.75).abs() < 1e-7);
    assert!(intervals[0].is_certain);
}

#[test]
fn the_three_roots_of_figure_2b_are_two_intervals() {
    // −96 (s − 1/4)(s − 1/2)(s − 3/4)
    let cubic = on_diagonal([9.0, -13.0, 13.0, -9.0]);
    let intervals = cubic.intervals();
    assert_eq!(intervals.len(), 2);
    let ends = intervals.iter().flat_map(|i| [i.start, i.end]);
    for (found, exact) in ends.zip([0.25, 0.5, 0.75, 1.0]) {
        assert!((found - exact).abs() < 1e-12, "{intervals:?}");
    }
    let hit = cubic.first_hit().unwrap();
    assert!(hit.s <= 0.25 && hit.status == HitStatus::Crossing);
}

#[test]
fn a_touch_is_a_hit_and_a_miss_by_an_ulp_of_a_corner_is_none() {
    // 3 (s − 1/2)²
    let touch = on_diagonal([0.75, -0.25, -0.25, 0.75]).first_hit().unwrap();
    assert!(touch.status == HitStatus::Touch && touch.s <= 0.5 && touch.s > 0.5 - 1e-6);
    assert_eq!(on_diagonal([0.75, (-0.25f32).next_up(), -0.25, 0.75]).first_hit(), None);
    let deeper = on_diagonal([0.75, (-0.25f32).next_down(), -0.25, 0.75]).first_hit().unwrap();
    assert_eq!(deeper.status, HitStatus::Crossing);
}

#[test]
fn a_path_that_lies_in_the_surface_touches_all_along() {
    let cubic = on_diagonal([0.0; 4]);
    let hit = cubic.first_hit().unwrap();
    assert_eq!((hit.s, hit.status), (0.0, HitStatus::Touch));
    let intervals = cubic.intervals();
    assert_eq!((intervals.len(), intervals[0].start, intervals[0].end), (1, 0.0, 1.0));
    assert!(!intervals[0].is_certain);
}

#[test]
fn a_start_on_the_surface_is_a_crossing_when_it_goes_in_and_a_touch_when_it_goes_out() {
    let hit = on_diagonal([0.0, -1.0, -2.0, -3.0]).first_hit().unwrap();
    assert_eq!((hit.s, hit.status), (0.0, HitStatus::Crossing));
    let hit = on_diagonal([0.0, 1.0, 2.0, 3.0]).first_hit().unwrap();
    assert_eq!((hit.s, hit.status), (0.0, HitStatus::Touch));
}

#[test]
fn what_is_not_finite_is_never_free() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for k in 0..8 {
            let mut corners = [1.0f32; 8];
            corners[k] = bad;
            let cubic = CellCubic::along(&corners, dvec3(0.1, 0.2, 0.3), dvec3(0.9, 0.4, 0.5), 0.0);
            assert!(!cubic.stays_positive() && cubic.first_hit().is_some() && !cubic.intervals().is_empty());
        }
    }
    for iso in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1e308] {
        let cubic = CellCubic::along(&[1.0; 8], DVec3::ZERO, DVec3::ONE, iso);
        assert!(!cubic.stays_positive() && cubic.first_hit().is_some() && !cubic.intervals().is_empty());
    }
}

#[test]
fn neighbouring_cells_agree_on_their_shared_face() {
    let iso = 0.1;
    let face = [-0.7f32, 0.92, 0.05, -0.21];
    let (before, after) = ([0.3f32, 0.11, -0.4, 0.6], [0.5f32, 0.3, -0.9, 0.8]);
    let (a, b) = (0.123_456_789, 0.987_654_321);
    for axis in 0..3 {
        // Two faces across this axis, one after the other, make a cell.
        let cell = |low: [f32; 4], high: [f32; 4]| {
            std::array::from_fn(|k: usize| {
                let on_face = k & ((1 << axis) - 1) | k >> (axis + 1) << axis;
                if k >> axis & 1 == 0 { low[on_face] } else { high[on_face] }
            })
        };
        let at = |along: f64| {
            let mut place = [a, b, a];
            place[axis] = along;
            DVec3::from_array(place)
        };
        let query = Query { corners: cell(before, face), entry: dvec3(0.2, 0.4, 0.6), exit: at(1.0), iso };
        let next = Query { corners: cell(face, after), entry: at(0.0), exit: DVec3::splat(0.5), iso };
        assert_eq!(query.cubic().bernstein()[3], next.cubic().bernstein()[0], "axis {axis}");
    }
}

#[test]
fn a_cell_whose_coefficients_all_lie_on_the_edge_of_proof_is_not_cut_forever() {
    // Halving used to go on for more than 5·10⁹ parts here: every coefficient is τ, give or take an ulp.
    let corners = [
        0x0e00_0000,
        0x3ff8_0000,
        0xbff8_0000,
        0x0e00_0000,
        0x104c_0000,
        0x0e80_0000,
        0x0000_0000,
        0x0e00_0000u32,
    ]
    .map(f32::from_bits);
    let iso = f64::from_bits(0xbcff_0000_0000_001f);
    let query = Query { corners, entry: DVec3::ZERO, exit: DVec3::ONE, iso };
    let edge = query.cubic().rounding();
    assert!(query.cubic().bernstein().iter().all(|b| (b / edge - 1.0).abs() < 1e-14));
    Tally::default().check(&query);
    assert!(query.cubic().first_hit().is_some_and(|hit| hit.status == HitStatus::Touch));
}
