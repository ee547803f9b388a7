//! What a field says about itself: where its bounds hold, where depths may be understated, and that it does not contradict itself.

#![allow(clippy::unwrap_used)]

mod oracle;

use glam::DVec3;
use isotouch::field::{BuildError, Execution, Field, FieldOptions, SignMethod, StorageKind};
use isotouch::mesh::{TriMesh, shapes};
use oracle::meshes::{joined, mesh, moved, welded, without};
use oracle::random::Random;
use oracle::{Soup, box_distance};

fn options(resolution: u32, sign: SignMethod, storage: StorageKind) -> FieldOptions {
    FieldOptions { resolution, sign, storage, ..Default::default() }
}

fn dome() -> TriMesh {
    let ball = shapes::sphere(0.5, 1_280).unwrap();
    let low = |t: &usize| ball.corners(*t).iter().any(|v| v.z < 0.1);
    let dropped: Vec<usize> = (0..ball.triangles().len()).filter(low).collect();
    welded(&without(&ball, &dropped))
}

/// Inside and outside meet far from the dome, without a zero in between: no brick is missing there.
#[test]
fn an_open_sheet_does_not_contradict_itself() {
    let options = options(256, SignMethod::Oriented, StorageKind::Sparse);
    let field = Field::from_mesh(&dome(), &options).unwrap();
    assert!(!field.is_certified());
    field.verify().unwrap();
}

#[test]
fn an_open_sheet_has_no_lower_bounds() {
    let field = Field::from_mesh(&dome(), &options(24, SignMethod::Oriented, StorageKind::Dense)).unwrap();
    let mut random = Random(11);
    for _ in 0..100 {
        assert_eq!(field.lower_bound(random.in_box(field.grid().bounds())), f64::NEG_INFINITY);
    }
}

/// A ball within a ball is no boundary, whether winding numbers were asked for or chosen.
#[test]
fn depths_are_to_the_boundary_where_parts_are_buried() {
    let nested = joined(&[shapes::sphere(0.5, 1_280).unwrap(), shapes::sphere(0.3, 320).unwrap()]);
    for sign in [SignMethod::Auto, SignMethod::Winding] {
        let field = Field::from_mesh(&nested, &options(32, sign, StorageKind::Dense)).unwrap();
        assert!(!field.understates_depth());
        let depth = field.distance(DVec3::new(0.3, 0.0, 0.0)).value();
        // The outer ball's facets lie up to 0.002 within it.
        assert!((depth + 0.2).abs() < field.error_bound() + 0.01, "{sign}: {depth}");
    }
}

/// Two boxes that cross: a face of each runs on inside the other.
#[test]
fn crossed_triangles_understate_depths_and_the_field_says_so() {
    let shift = DVec3::new(0.37, 0.21, 0.13);
    let unit = shapes::cuboid(DVec3::ONE).unwrap();
    let crossed = joined(&[unit.clone(), moved(unit, shift)]);
    let half = DVec3::splat(0.5);
    for sign in [SignMethod::Auto, SignMethod::Winding] {
        let field = Field::from_mesh(&crossed, &options(40, sign, StorageKind::Dense)).unwrap();
        assert!(field.understates_depth());
        let (mut outside, mut random) = (0, Random(3));
        for _ in 0..4_000 {
            let p = random.in_box(field.grid().bounds());
            let union = box_distance(p, half).min(box_distance(p - shift, half));
            let bound = field.lower_bound(p);
            // Outside the union of two solids the nearer one is the distance; inside it the depth is at least the deeper.
            assert!(bound <= union.max(0.0), "{bound} at {p}, {union}");
            assert!(bound == f64::NEG_INFINITY || bound > 0.0, "{bound} at {p}");
            outside += u32::from(bound > 0.0);
        }
        assert!(outside > 1_000, "{outside}");
    }
}

#[test]
fn sound_meshes_state_their_depth() {
    let ball = shapes::sphere(0.5, 1_280).unwrap();
    for sign in [SignMethod::Auto, SignMethod::Pseudonormal, SignMethod::Winding] {
        let field = Field::from_mesh(&ball, &options(24, sign, StorageKind::Sparse)).unwrap();
        assert!(!field.understates_depth() && field.lower_bound(DVec3::ZERO) < -0.4, "{sign}");
    }
}

#[test]
fn what_it_says_is_saved() {
    let unit = shapes::cuboid(DVec3::ONE).unwrap();
    let crossed = joined(&[unit.clone(), moved(unit.clone(), DVec3::splat(0.3))]);
    let folder = tempfile::tempdir().unwrap();
    for (mesh, understates) in [(crossed, true), (unit, false)] {
        let field = Field::from_mesh(&mesh, &options(16, SignMethod::Auto, StorageKind::Sparse)).unwrap();
        let path = folder.path().join("saved.field");
        field.save(&path).unwrap();
        assert_eq!(Field::open(&path).unwrap().understates_depth(), understates);
    }
}

/// Triangles with the outside on both sides are not measured to; whoever asks about the mesh must know.
#[test]
fn triangles_that_are_left_out_are_told() {
    let unit = shapes::cuboid(DVec3::ONE).unwrap();
    let inward = joined(&[unit.clone(), moved(unit.clone().flipped(), DVec3::X * 2.0)]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.field");
    // `auto` turns the part, and soup does not care.
    for (sign, hides) in [(SignMethod::Winding, true), (SignMethod::Auto, false), (SignMethod::Soup, false)] {
        let field = Field::from_mesh(&inward, &options(24, sign, StorageKind::Sparse)).unwrap();
        field.save(&path).unwrap();
        assert_eq!(
            (field.hides_triangles(), Field::open(&path).unwrap().hides_triangles()),
            (hides, hides),
            "{sign}"
        );
    }
}

/// A part wound inward that sticks out of another one is turned; a cavity whose skin comes through the wall stays one.
#[test]
fn only_parts_that_stick_out_are_turned() {
    let ball = |radius: f64| shapes::sphere(radius, 5_120).unwrap();
    let beside = joined(&[ball(0.5), moved(ball(0.4).flipped(), DVec3::X * 0.5)]);
    let field = Field::from_mesh(&beside, &options(48, SignMethod::Auto, StorageKind::Sparse)).unwrap();
    assert!(field.distance(DVec3::X * 0.8).value() < -0.05 && field.distance(DVec3::X * 0.3).value() < -0.05);
    assert!(!field.hides_triangles());
    let pierced = joined(&[ball(0.5), moved(ball(0.4).flipped(), DVec3::X * 0.12)]);
    let field = Field::from_mesh(&pierced, &options(48, SignMethod::Auto, StorageKind::Sparse)).unwrap();
    assert!(field.distance(DVec3::ZERO).value() > 0.05, "{:?}", field.distance(DVec3::ZERO));
    assert!(field.hides_triangles());
}

/// The grown solid may leave the box between its nodes, so only the steepness of the values tells about points outside.
#[test]
fn the_offset_of_a_closed_mesh_is_a_function_whatever_gave_its_sign() {
    let ball = shapes::sphere(0.5, 320).unwrap();
    let field = Field::from_mesh(&ball, &options(24, SignMethod::Oriented, StorageKind::Dense)).unwrap();
    assert!(field.is_certified());
    assert_eq!(field.offset(0.03).unwrap().sign(), SignMethod::Given);
}

#[test]
fn a_sign_that_comes_with_values_is_not_for_meshes() {
    let ball = shapes::sphere(0.5, 320).unwrap();
    let refused = Field::from_mesh(&ball, &options(24, SignMethod::Given, StorageKind::Dense));
    assert!(matches!(refused, Err(BuildError::SignNotForMeshes)), "{refused:?}");
}

/// A rod along the diagonal of a large box: its bricks are few, but the box is to be indexed.
#[test]
fn the_index_of_a_large_box_is_counted_before_it_is_made() {
    let along = [DVec3::ZERO, DVec3::ONE];
    let rod = shapes::tube_along(&along, shapes::TubeOptions { radius: 1e-4, ..Default::default() }).unwrap();
    let execution = Execution { memory_limit: Some(300_000_000), ..Default::default() };
    let refused =
        Field::from_mesh_with(&rod, &options(16_384, SignMethod::Auto, StorageKind::Sparse), &execution);
    assert!(matches!(refused, Err(BuildError::TooMuchMemory { .. })), "{:?}", refused.map(|b| b.notes));
}

/// A wedge of 30° along y whose sharp edge has a vertex in its middle on one side only: a triangle without area closes the gap.
fn wedge_with_a_needle() -> TriMesh {
    let (x, z) = (1.0, 15f64.to_radians().tan());
    let corners = [
        [0.0, -1.0, 0.0], // the edge
        [0.0, 1.0, 0.0],
        [x, -1.0, z], // above
        [x, 1.0, z],
        [x, -1.0, -z], // below
        [x, 1.0, -z],
        [0.0, 0.0, 0.0], // the middle of the edge
    ];
    let above = [[0, 2, 6], [6, 2, 3], [6, 3, 1]];
    let below = [[0, 1, 4], [1, 5, 4]];
    let sides = [[0, 4, 2], [1, 3, 5], [2, 4, 3], [3, 4, 5]];
    let needle = [[0, 6, 1]];
    mesh(&corners, &[&above[..], &below, &sides, &needle].concat())
}

/// Beside the needle the normals of one face only are known; at a sharp edge they tell the wrong side.
#[test]
fn signs_beside_triangles_without_area_are_right_at_sharp_edges() {
    let wedge = wedge_with_a_needle();
    assert!(wedge.signed_volume() > 0.0);
    let soup = Soup::new(&wedge);
    let mut checked = 0;
    for resolution in [21, 34, 47, 60] {
        let built = Field::from_mesh(&wedge, &options(resolution, SignMethod::Auto, StorageKind::Dense));
        let field = built.unwrap();
        for p in Random(u64::from(resolution)).nodes(&field, 4_000) {
            let truth = soup.signed_distance(p);
            if p.x < 0.3 && truth.abs() > 1e-9 {
                assert_eq!(field.distance(p).value() < 0.0, truth < 0.0, "{truth} at {p}");
                checked += 1;
            }
        }
    }
    assert!(checked > 2_000, "{checked}");
}
