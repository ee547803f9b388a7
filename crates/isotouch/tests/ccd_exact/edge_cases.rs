//! Paths at the border of a field of which nothing is known outside: it is 0 at every node.

use isotouch::ccd::{CastOptions, Contact, HitStatus, Segment};
use isotouch::field::{Distance, Field, FieldOptions, Grid, StorageKind};
use isotouch::math::{DVec3, UVec3};

fn flat(grid: Grid, storage: StorageKind) -> Field {
    let values = vec![0.0; grid.node_count() as usize];
    Field::from_grid(grid, values, 0.1, &FieldOptions { storage, ..Default::default() }).unwrap()
}

fn unit_cells() -> Field {
    flat(Grid { origin: DVec3::ZERO, cell: 1.0, cells: UVec3::splat(2) }, StorageKind::Dense)
}

fn contacts(field: &Field, segment: &Segment, iso: f64) -> Vec<Contact> {
    field.contacts(segment, iso, &CastOptions::default())
}

#[test]
fn the_unknown_outside_is_no_freer_on_the_way_out_than_on_the_way_in() {
    let field = unit_cells();
    let out = Segment::new(DVec3::ONE, DVec3::new(1.0, 1.0, 3.0));
    assert_eq!(field.distance(out.to), Distance::Unknown);
    for segment in [out, out.reversed()] {
        let hit = field.first_hit(&segment, -1.0, &CastOptions::default());
        assert_eq!(hit.map(|hit| hit.status), Some(HitStatus::Bound), "{segment:?}");
        let all = contacts(&field, &segment, -1.0);
        assert_eq!(all.first().map(|contact| contact.start), hit.map(|hit| hit.t), "{segment:?}");
    }
}

#[test]
fn a_way_in_through_the_unknown_and_a_contact_from_the_border_on_are_one() {
    let field = unit_cells();
    let way_in = Segment::new(DVec3::new(1.0, 1.0, 2.5), DVec3::new(1.0, 1.0, 0.5));
    let expected = [Contact { start: 0.0, end: 1.0, status: HitStatus::Bound }];
    assert_eq!(contacts(&field, &way_in, 0.0), expected);
}

#[test]
fn a_contact_from_the_border_on_has_no_level_boundary_at_full_resolution() {
    let grid = Grid { origin: DVec3::ZERO, cell: 1.0, cells: UVec3::splat(2) };
    let way_in = Segment::new(DVec3::new(1.0, 1.0, 2.5), DVec3::new(1.0, 1.0, 0.5));
    let [dense, sparse] = [StorageKind::Dense, StorageKind::Sparse].map(|storage| flat(grid, storage));
    assert_eq!(contacts(&sparse, &way_in, 0.0), contacts(&dense, &way_in, 0.0));
}

#[test]
fn a_start_on_the_far_face_is_in_the_box() {
    // 0.1 + 3·0.1 is exactly 0.4 for these `f64`, and (0.4 − 0.1)/0.1 rounds to more than 3.
    let origin = DVec3::new(0.1, -0.7, 1.0 / 3.0);
    let field = flat(Grid { origin, cell: 0.1, cells: UVec3::new(3, 9, 2) }, StorageKind::Dense);
    let inward = Segment::new(DVec3::new(0.4, -0.6, 0.4), DVec3::new(0.3, -0.5, 0.4));
    assert_eq!(field.distance(inward.from), Distance::Interpolated(0.0));
    assert_eq!(field.first_hit(&inward, -1.0, &CastOptions::default()), None);
}
