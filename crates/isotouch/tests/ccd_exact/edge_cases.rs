//! Paths at the border of fields of which nothing is known outside, since a node of the border is not above 0.

use isotouch::ccd::{CastOptions, Contact, HitStatus, Segment};
use isotouch::field::{Distance, Field, FieldOptions, Grid, StorageKind};
use isotouch::math::{DVec3, UVec3};

fn field(grid: Grid, value: impl Fn(usize) -> f32, steepest: f64, storage: StorageKind) -> Field {
    let values = (0..grid.node_count() as usize).map(value).collect();
    let options = FieldOptions { storage, ..Default::default() };
    Field::from_grid(grid, values, steepest / grid.cell, &options).unwrap()
}

/// 4 at all nodes but one of the border.
fn mostly_four(grid: Grid) -> Field {
    field(grid, |node| if node == 0 { -1.0 } else { 4.0 }, 5.1, StorageKind::Dense)
}

/// 0 everywhere, and hardly anything else allowed.
fn flat(grid: Grid, storage: StorageKind) -> Field {
    field(grid, |_| 0.0, 1e-54, storage)
}

const PLAIN: Grid = Grid { origin: DVec3::ZERO, cell: 1.0, cells: UVec3::splat(2) };

/// 0.1 + 3·0.1 is exactly 0.4 for these `f64`, and (0.4 − 0.1)/0.1 rounds to more than 3.
const UGLY: Grid = Grid { origin: DVec3::new(0.1, -0.7, 1.0 / 3.0), cell: 0.1, cells: UVec3::new(3, 9, 2) };

fn contacts(field: &Field, segment: &Segment, iso: f64) -> Vec<Contact> {
    field.contacts(segment, iso, &CastOptions::default())
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
        let expected = [Contact { start: 0.0, end: 0.5, status: HitStatus::Bound }];
        assert_eq!(contacts(&field, &way_in, iso), expected, "σ = {iso}");
    }
}

#[test]
fn a_way_in_through_the_unknown_and_a_contact_from_the_border_on_are_one() {
    let field = flat(PLAIN, StorageKind::Dense);
    for start in [2.1, 2.5, 2.7] {
        let way_in = Segment::new(DVec3::new(1.0, 1.0, start), DVec3::new(1.0, 1.0, 0.4));
        let expected = [Contact { start: 0.0, end: 1.0, status: HitStatus::Bound }];
        assert_eq!(contacts(&field, &way_in, 0.0), expected, "from {start}");
    }
}

#[test]
fn a_contact_from_the_border_on_has_no_level_boundary_at_full_resolution() {
    let grid = Grid { cells: UVec3::new(6, 5, 7), ..UGLY };
    let from = DVec3::new(0.33161650633425827, -0.7, 0.2333333333333333);
    let way_in = Segment::new(from, DVec3::new(0.1782127058543439, -0.7, 1.1333333333333335));
    let [dense, sparse] = [StorageKind::Dense, StorageKind::Sparse].map(|storage| flat(grid, storage));
    assert_eq!(contacts(&sparse, &way_in, 0.0), contacts(&dense, &way_in, 0.0));
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
