//! Every contact of a path, judged by the field's own values at many times: within the band of a sparse field and beyond it, where cells are coarse and values
//! jump between levels.

#![allow(clippy::unwrap_used)]

mod oracle;

use isotouch::ccd::{CastOptions, HitStatus, Interval, Segment, Traversal};
use isotouch::field::{Distance, Field, FieldOptions, StorageKind};
use isotouch::mesh::shapes;
use oracle::in_parallel;
use oracle::random::Random;

const TRAVERSALS: [Traversal; 5] =
    [Traversal::Uniform, Traversal::Leaves, Traversal::Minima, Traversal::Hierarchy, Traversal::Leap];

/// In and around the box, short ones and long ones.
fn segments(field: &Field, count: usize) -> Vec<Segment> {
    let (bounds, h) = (field.grid().bounds(), field.grid().cell);
    let mut random = Random(71);
    let around = |random: &mut Random| bounds.center() + 1.3 * (random.in_box(bounds) - bounds.center());
    let one = |_| {
        let from = around(&mut random);
        let to = match random.below(4) {
            0 | 1 => around(&mut random),
            2 => from + 3.0 * h * random.in_cube(),
            _ => from + 40.0 * h * random.in_cube(),
        };
        Segment::new(from, to)
    };
    (0..count).map(one).collect()
}

/// Whether contacts say something else than the field does at a time, by more than rounding.
fn contradicts(field: &Field, segment: &Segment, iso: f64, contacts: &[Interval], t: f64) -> bool {
    let Distance::Interpolated(value) = field.distance(segment.at(t)) else { return false };
    let contact = contacts.iter().find(|contact| contact.start <= t && t <= contact.end);
    let is_clear = (value - iso).abs() > 1e-9 * field.grid().cell;
    let is_doubt = contact.is_some_and(|contact| contact.status == HitStatus::Bound);
    is_clear && !is_doubt && contact.is_some() != (value < iso)
}

#[test]
fn contacts_beyond_the_band_are_where_the_field_is_below() {
    let cases = [("torus-knot", 110, 0.3, 3.0), ("blob", 160, 0.05, 2.0), ("bowl", 120, 0.4, 1.0)];
    let mut jumps = 0;
    for (name, resolution, padding, band) in cases {
        let mesh = shapes::by_name(name).unwrap();
        for storage in [StorageKind::Sparse, StorageKind::Dense] {
            let options = FieldOptions { resolution, padding, band, storage, ..Default::default() };
            let field = Field::from_mesh(&mesh, &options).unwrap();
            let h = field.grid().cell;
            for cells in [0.0, 0.7 * band, -0.7 * band, 1.5 * band, -1.5 * band, 12.0, -6.0, 25.0] {
                let iso = cells * h;
                let all = segments(&field, 600);
                let found = in_parallel(&all, |segment| {
                    let by = |traversal| CastOptions { traversal, ..Default::default() };
                    let contacts = field.intervals(segment, iso, &by(Traversal::Uniform));
                    let case = || format!("{name} {storage} {cells}: {segment:?} {contacts:?}");
                    for traversal in TRAVERSALS {
                        let others = field.intervals(segment, iso, &by(traversal));
                        assert_eq!(others, contacts, "{traversal:?} {}", case());
                    }
                    assert!(contacts.windows(2).all(|two| two[0].end < two[1].start), "{}", case());
                    let first = field.first_hit(segment, iso, &CastOptions::default());
                    assert_eq!(first.map(|hit| hit.t), contacts.first().map(|of| of.start), "{}", case());
                    for t in (0..=300).map(|k| f64::from(k) / 300.0) {
                        // At a face between two levels the field has two values, and rounding says which one is meant.
                        let is_wrong = [t, (t - 1e-9).max(0.0), (t + 1e-9).min(1.0)]
                            .iter()
                            .all(|&t| contradicts(&field, segment, iso, &contacts, t));
                        assert!(!is_wrong, "at {t} of {}", case());
                    }
                    contacts.iter().filter(|of| of.status == HitStatus::LevelBoundary).count()
                });
                jumps += found.iter().sum::<usize>();
            }
        }
    }
    assert!(jumps > 5, "{jumps}");
}
