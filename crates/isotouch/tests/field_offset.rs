//! Fields of grown and shrunk solids, against formulas.
#![allow(clippy::unwrap_used)]

mod oracle;

use isotouch::ccd::{CastOptions, Segment};
use isotouch::field::{Distance, Field, FieldOptions, OffsetError, SignMethod, StorageKind};
use isotouch::math::{DVec3, IVec3};
use isotouch::mesh::{TriMesh, report, shapes};
use oracle::box_distance;
use oracle::random::Random;

const BOTH: [StorageKind; 2] = [StorageKind::Sparse, StorageKind::Dense];
const HALF: DVec3 = DVec3::new(0.5, 0.3, 0.2);

fn box_field(storage: StorageKind, by: f64) -> Field {
    let mesh = shapes::cuboid(2.0 * HALF).unwrap();
    let options = FieldOptions { resolution: 72, storage, ..Default::default() };
    Field::from_mesh(&mesh, &options.with_room_for(by, mesh.bounds())).unwrap()
}

/// Outside a box grown by σ the distance is φ − σ; inside it is that of the box, less σ. Shrunk, it is a smaller box inside.
#[test]
fn a_box_grows_round_and_shrinks_sharp() {
    for storage in BOTH {
        for by in [0.11, -0.07] {
            let field = box_field(storage, by).offset(by).unwrap();
            assert_eq!(field.sign(), SignMethod::Given);
            assert!((field.lipschitz() - 1.0).abs() < 1e-4 && field.lipschitz() >= 1.0);
            field.verify().unwrap();
            let grid = field.grid();
            let mut random = Random(7);
            let mut exact = 0;
            for _ in 0..4_000 {
                let below = |n: u32| random_below(&mut random, n);
                let node = grid.nodes().to_array().map(below);
                let p = grid.node_position(IVec3::from_array(node));
                let Distance::Interpolated(value) = field.distance(p) else { panic!("{p}") };
                let bound = field.error_bound_at(p).unwrap();
                // The true distance to the new surface, where there is a formula: a shrunk box is a box.
                let distance = if by < 0.0 { box_distance(p, HALF + by) } else { box_distance(p, HALF) - by };
                let is_exact_side = (value > 0.0) == (by > 0.0);
                if is_exact_side && bound == field.error_bound() {
                    exact += 1;
                    assert!((value - distance).abs() < 1e-6, "{p}: {value} for {distance}");
                } else {
                    assert!(value.abs() <= distance.abs() + bound, "{p}: {value} for {distance}");
                }
            }
            assert!(exact > 50, "{exact}");
        }
    }
}

fn random_below(random: &mut Random, n: u32) -> i32 {
    random.below(n as usize) as i32
}

/// Contract: the value is within the error bound of φ − σ, and the lower bound below it, also outside the box.
#[test]
fn bounds_stay_certain() {
    for storage in BOTH {
        for by in [0.2, 1e-3, -0.15] {
            let field = box_field(storage, by).offset(by).unwrap();
            assert!(field.is_certified_outside());
            let mut random = Random(8);
            for _ in 0..20_000 {
                let p = random.in_box(field.grid().bounds().expanded(0.3));
                let truth = box_distance(p, HALF) - by;
                assert!(field.lower_bound(p) <= truth, "{p}");
                if let Distance::Interpolated(value) = field.distance(p) {
                    assert!(
                        (value - truth).abs() <= field.error_bound_at(p).unwrap(),
                        "{p}: {value} for {truth}"
                    );
                }
            }
        }
    }
}

/// They were φ − L·|x − π|, below zero soon after the border, so that what passed by far away could not be told from contact.
#[test]
fn outside_the_box_bounds_grow_with_the_distance() {
    let folder = tempfile::tempdir().unwrap();
    for storage in BOTH {
        for by in [0.2, 1e-3, -0.15] {
            let path = folder.path().join(format!("{storage}{by}.field"));
            box_field(storage, by).offset(by).unwrap().save(&path).unwrap();
            let field = Field::open(&path).unwrap();
            let bounds = field.grid().bounds();
            let mut random = Random(11);
            let mut outside = 0;
            for _ in 0..20_000 {
                let p = random.in_box(bounds.expanded(5.0));
                let (truth, apart) = (box_distance(p, HALF) - by, p.distance(bounds.project(p)));
                assert!(field.lower_bound(p) <= truth, "{p}: {} for {truth}", field.lower_bound(p));
                if apart > 0.0 {
                    outside += 1;
                    assert!(field.lower_bound(p) >= apart - by - 1e-12, "{p}");
                    assert!(field.lower_bound(p) > 0.0, "{p}");
                }
            }
            assert!(outside > 10_000);
            // Past the box at some distance, through its padding, and into the solid.
            let reach = HALF + by;
            let ways =
                [(3.0, false), (reach.y + 0.5 * (bounds.max.y - reach.y), false), (0.5 * reach.y, true)];
            for (y, is_hit) in ways {
                let way = Segment::new(DVec3::new(-9.0, y, 0.01), DVec3::new(9.0, y, 0.01));
                let hit = field.first_hit(&way, 0.0, &CastOptions::default());
                assert_eq!(hit.is_some(), is_hit, "{storage} {by} {y}: {hit:?}");
            }
        }
    }
}

#[test]
fn the_surface_of_the_offset_is_the_offset_surface() {
    let ball = shapes::sphere(0.7, 20_480).unwrap();
    for storage in BOTH {
        let options = FieldOptions { resolution: 80, storage, ..Default::default() };
        for by in [0.2, -0.1] {
            let field = Field::from_mesh(&ball, &options.with_room_for(by, ball.bounds())).unwrap();
            let (direct, shifted) =
                (field.surface(by).unwrap(), field.offset(by).unwrap().surface(0.0).unwrap());
            assert!(report(&shifted).is_solid());
            assert_eq!(direct.triangles().len(), shifted.triangles().len());
            for (a, b) in direct.vertices().iter().zip(shifted.vertices()) {
                assert!(a.distance(*b) < 1e-5 * field.grid().cell + 1e-6, "{a} and {b}");
            }
            let radius =
                shifted.vertices().iter().map(|v| v.length()).sum::<f64>() / shifted.vertices().len() as f64;
            assert!((radius - 0.7 - by).abs() < 1e-3, "{radius}");
        }
    }
}

/// Around the new surface a sparse field is as fine as around the old one.
#[test]
fn the_band_moves_along() {
    let ball = shapes::sphere(0.7, 5_120).unwrap();
    for by in [0.25, -0.2] {
        let options = FieldOptions { resolution: 128, ..Default::default() };
        let field = Field::from_mesh(&ball, &options.with_room_for(by, ball.bounds())).unwrap();
        let grown = field.offset(by).unwrap();
        assert!((grown.band() - 3.0).abs() < 1e-6 && grown.band() >= 3.0, "{}", grown.band());
        let mut random = Random(9);
        let mut seen = 0;
        for _ in 0..50_000 {
            let p = random.in_box(grown.grid().bounds());
            if (p.length() - 0.7 - by).abs() < 2.0 * grown.grid().cell {
                assert_eq!(grown.error_bound_at(p), Some(grown.error_bound()), "{p}");
                seen += 1;
            }
        }
        assert!(seen > 500);
    }
}

#[test]
fn it_is_saved_and_opened_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grown.field");
    let grown = box_field(StorageKind::Sparse, 0.1).offset(0.1).unwrap();
    grown.save(&path).unwrap();
    let opened = Field::open(&path).unwrap();
    opened.verify().unwrap();
    assert_eq!((opened.lipschitz(), opened.band()), (grown.lipschitz(), grown.band()));
    // Some of the way back, from the mapped file.
    let back = opened.offset(-0.03).unwrap();
    back.verify().unwrap();
    let mut random = Random(10);
    for _ in 0..2_000 {
        let p = random.in_box(back.grid().bounds());
        let off = back.distance(p).value() - (box_distance(p, HALF) - 0.07);
        assert!(off.abs() <= back.error_bound_at(p).unwrap(), "{p}: {off}");
    }
}

#[test]
fn offsets_that_do_not_fit_are_refused() {
    let field = box_field(StorageKind::Sparse, 0.0);
    let cell = field.grid().cell;
    assert!(field.offset(1.9 * cell).is_ok() && field.offset(-1.9 * cell).is_ok());
    let error = field.offset(2.1 * cell).unwrap_err();
    assert!(matches!(error, OffsetError::OutsideBand { needed: 4.0, .. }), "{error}");
    assert!(
        error.to_string().contains("2.1 cells") && error.to_string().contains("at least 4 cells"),
        "{error}"
    );
    for by in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e39] {
        assert!(matches!(field.offset(by), Err(OffsetError::OutOfRange { .. })), "{by}");
    }
    // A dense field is fine everywhere; a solid that fills its box leaves nothing certain outside.
    let dense = box_field(StorageKind::Dense, 0.0);
    let filled = dense.offset(5.0).unwrap();
    assert!(!filled.is_certified_outside() && filled.value_range().1 < 0.0);
    assert_eq!(filled.distance(DVec3::splat(9.0)), Distance::Unknown);
}

/// Beyond the rim of a sheet nothing is certain, and an offset does not hide it.
#[test]
fn the_offset_of_an_open_sheet_says_what_it_is() {
    // Bent along its diagonal: a flat one has no box to build in.
    let corners =
        [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, y]| DVec3::new(x, y, 0.3 * x * y));
    let sheet = TriMesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let options =
        FieldOptions { resolution: 24, sign: SignMethod::Oriented, padding: 0.3, ..Default::default() };
    let field = Field::from_mesh(&sheet, &options.with_room_for(0.05, sheet.bounds())).unwrap();
    assert_eq!(field.offset(0.05).unwrap().sign(), SignMethod::Oriented);
}
