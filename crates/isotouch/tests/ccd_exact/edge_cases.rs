//! Paths at the border of fields of which nothing is known outside, since a node of the border is not above 0.

use isotouch::ccd::{CastOptions, HitStatus, Interval, Segment};
use isotouch::field::{Distance, Field, FieldOptions, Grid, StorageKind};
use isotouch::math::{DVec3, UVec3};

fn field(grid: Grid, value: impl Fn(usize) -> f32, steepest: f64) -> Field {
    let values = (0..grid.node_count() as usize).map(value).collect();
    let options = FieldOptions { storage: StorageKind::Dense, ..Default::default() };
    Field::from_grid(grid, values, steepest / grid.cell, &options).unwrap()
}

/// 4 at all nodes but one of the border.
fn mostly_four(grid: Grid) -> Field {
    field(grid, |node| if node == 0 { -1.0 } else { 4.0 }, 5.1)
}

const PLAIN: Grid = Grid { origin: DVec3::ZERO, cell: 1.0, cells: UVec3::splat(2) };

/// 0.1 + 3·0.1 is exactly 0.4 for these `f64`, and (0.4 − 0.1)/0.1 rounds to more than 3.
const UGLY: Grid = Grid { origin: DVec3::new(0.1, -0.7, 1.0 / 3.0), cell: 0.1, cells: UVec3::new(3, 9, 2) };

fn intervals(field: &Field, segment: &Segment, iso: f64) -> Vec<Interval> {
    field.intervals(segment, iso, &CastOptions::default())
}

#[test]
fn the_unknown_outside_is_no_freer_on_the_way_out_than_on_the_way_in() {
    let field = mostly_four(PLAIN);
    let out = Segment::new(DVec3::ONE, DVec3::new(1.0, 1.0, 3.0));
    assert_eq!(field.distance(out.to), Distance::Unknown);
    let first =
        |segment: &Segment| field.first_hit(segment, -10.0, &CastOptions::default()).map(|hit| hit.status);
    assert_eq!(first(&out.reversed()), Some(HitStatus::Bound));
    assert_eq!(first(&out), Some(HitStatus::Bound));
}

#[test]
fn contacts_hold_the_unknown_way_in_that_the_first_hit_stops_at() {
    let field = mostly_four(PLAIN);
    let way_in = Segment::new(DVec3::new(1.0, 1.0, 3.0), DVec3::ONE);
    for iso in [-0.5, -2.0, -10.0] {
        let found = intervals(&field, &way_in, iso);
        let [Interval { start: 0.0, end, status: HitStatus::Bound }] = found[..] else {
            panic!("σ = {iso}: {found:?}")
        };
        assert!((end - 0.5).abs() < 1e-12, "σ = {iso}: {found:?}");
    }
}

#[test]
fn a_way_in_through_the_unknown_and_a_contact_from_the_border_on_are_one() {
    let field = field(PLAIN, |_| 0.0, 0.1);
    for start in [2.1, 2.5, 2.7] {
        let way_in = Segment::new(DVec3::new(1.0, 1.0, start), DVec3::new(1.0, 1.0, 0.4));
        let expected = [Interval { start: 0.0, end: 1.0, status: HitStatus::Bound }];
        assert_eq!(intervals(&field, &way_in, 0.0), expected, "from {start}");
    }
}

#[test]
fn a_path_from_or_on_the_far_face_is_in_the_box() {
    let field = mostly_four(UGLY);
    let from = DVec3::new(0.4, -0.6, 0.4);
    for to in [DVec3::new(0.3, -0.5, 0.4), DVec3::new(0.4, -0.5, 0.4)] {
        let segment = Segment::new(from, to);
        for at in [from, segment.at(0.5), to] {
            assert!(
                matches!(field.distance(at), Distance::Interpolated(value) if (value - 4.0).abs() < 1e-12)
            );
        }
        for iso in [0.0, -0.5] {
            let hit = field.first_hit(&segment, iso, &CastOptions::default());
            assert_eq!(hit, None, "σ = {iso} along {segment:?}");
        }
    }
}

#[test]
fn no_contact_ends_before_it_begins() {
    // z is beyond the far face by less than an ulp, so the whole path is outside.
    let grid = Grid { origin: DVec3::splat(1000000.1), cell: 0.3333333333333333, cells: UVec3::ONE };
    let from = DVec3::new(1000000.1, 1000000.2470466242, 1000000.4333333333);
    let beside = Segment::new(from, DVec3::new(1000000.1, 1000000.1, 1000000.4333333333));
    for lowest in 0..8 {
        let field = field(grid, |node| if node == lowest { -1.0 } else { 0.0 }, 1.0 + 1e-9);
        let all = intervals(&field, &beside, -1.0);
        assert!(all.iter().all(|contact| contact.start <= contact.end), "{all:?} with node {lowest}");
    }
}
