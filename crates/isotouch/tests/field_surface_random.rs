//! Iso-surfaces of noise: every kind of cell, ambiguous faces, corners exactly at σ.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};

use isotouch::field::{Distance, Execution, Field, FieldOptions, Grid, StorageKind};
use isotouch::math::{Aabb, DVec3, IVec3, UVec3};
use isotouch::mesh::{TriMesh, report, winding_number};
use proptest::prelude::*;

/// Values at the nodes of a grid, outside on all its border.
fn field(cells: UVec3, inner: &[f32], storage: StorageKind, band: f64) -> (Field, Vec<f32>) {
    let grid = Grid { origin: DVec3::new(-0.7, 0.2, 1.1), cell: 0.25, cells };
    let nodes = grid.nodes();
    let mut inner = inner.iter().copied().cycle();
    let mut values = Vec::new();
    for z in 0..nodes.z {
        for y in 0..nodes.y {
            for x in 0..nodes.x {
                let node = UVec3::new(x, y, z);
                let on_border = node.cmpeq(UVec3::ZERO).any() || node.cmpeq(cells).any();
                values.push(if on_border { 3.0 } else { inner.next().unwrap() });
            }
        }
    }
    let options = FieldOptions { storage, band, ..Default::default() };
    (Field::from_grid(grid, values.clone(), 1000.0, &options).unwrap(), values)
}

/// Every edge once in each direction, and one fan of triangles around every vertex.
fn assert_manifold(mesh: &TriMesh) {
    let mut after: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut count = vec![0; mesh.vertices().len()];
    for &[a, b, c] in mesh.triangles() {
        for (v, from, to) in [(a, b, c), (b, c, a), (c, a, b)] {
            assert!(
                after.insert((v, from), to).is_none(),
                "the edge {v}–{from} is used twice in a direction"
            );
            count[v as usize] += 1;
        }
    }
    for &(v, from) in after.keys() {
        assert!(after.contains_key(&(from, v)), "the edge {v}–{from} has one side");
    }
    for (v, &count) in count.iter().enumerate() {
        assert!(count >= 3, "vertex {v} has {count} triangles");
        let v = v as u32;
        let &(_, start) = after.range((v, 0)..).next().unwrap().0;
        let (mut at, mut length) = (start, 0);
        while length <= count {
            at = after[&(v, at)];
            length += 1;
            if at == start {
                break;
            }
        }
        assert_eq!(length, count, "vertex {v} has several fans");
    }
}

fn check(field: &Field, values: &[f32], iso: f64) {
    let surface = field.surface_with(iso, &Execution::default()).unwrap();
    let mesh = &surface.mesh;
    assert!(surface.is_closed);
    assert_manifold(mesh);
    let facts = report(mesh);
    assert_eq!((facts.degenerate_triangles, facts.repeated_vertices), (0, 0));
    // 10⁻⁶ of the largest difference between neighbours.
    for &v in mesh.vertices() {
        let Distance::Interpolated(value) = field.distance(v) else { panic!("outside the box") };
        assert!((value - iso).abs() < 1e-5, "{v}: {value}");
    }
    let grid = field.grid();
    let nodes = grid.nodes().as_ivec3();
    for (k, &value) in values.iter().enumerate() {
        let k = k as i32;
        let node = IVec3::new(k % nodes.x, k / nodes.x % nodes.y, k / (nodes.x * nodes.y));
        if f64::from(value) != iso {
            let winding = winding_number(mesh, grid.node_position(node));
            let expected = f64::from(u8::from(f64::from(value) < iso));
            assert!((winding - expected).abs() < 1e-6, "node {node} with {value}: winds {winding} times");
        }
    }
}

fn sorted_triangles(mesh: &TriMesh) -> Vec<[u32; 3]> {
    let mut triangles = mesh.triangles().to_vec();
    triangles.sort_unstable();
    triangles
}

fn sizes() -> impl Strategy<Value = UVec3> {
    (2..6u32, 2..6u32, 2..6u32).prop_map(|(x, y, z)| UVec3::new(x, y, z))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn noise_is_closed_and_separates(
        cells in sizes(),
        inner in prop::collection::vec(-2.0f32..2.0, 64),
        iso in -1.0f64..1.0,
    ) {
        let (dense, values) = field(cells, &inner, StorageKind::Dense, 3.0);
        check(&dense, &values, iso);
    }

    /// Whole numbers, so that many corners are σ and many saddles undecided.
    #[test]
    fn corners_exactly_at_iso_leave_no_holes(
        cells in sizes(),
        inner in prop::collection::vec(-2i8..3, 64),
        iso in -1i8..2,
    ) {
        let inner: Vec<f32> = inner.into_iter().map(f32::from).collect();
        let (dense, values) = field(cells, &inner, StorageKind::Dense, 3.0);
        check(&dense, &values, f64::from(iso));
    }

    /// Values that are σ or just beside it.
    #[test]
    fn corners_next_to_iso_leave_no_holes(
        cells in sizes(),
        inner in prop::collection::vec(prop::sample::select(vec![
            -1.0f32, -1e-7, -1e-12, -1e-20, -1e-40, 0.0, 1e-40, 1e-20, 1e-12, 1e-7, 1.0,
        ]), 64),
    ) {
        let (dense, _) = field(cells, &inner, StorageKind::Dense, 3.0);
        let surface = dense.surface_with(0.0, &Execution::default()).unwrap();
        assert_manifold(&surface.mesh);
        assert_eq!(report(&surface.mesh).repeated_vertices, 0);
    }

    #[test]
    fn a_sparse_field_with_a_wide_band_gives_the_same(
        cells in sizes(),
        inner in prop::collection::vec(-2i8..3, 64),
    ) {
        let inner: Vec<f32> = inner.into_iter().map(f32::from).collect();
        let (dense, _) = field(cells, &inner, StorageKind::Dense, 3.0);
        let (sparse, _) = field(cells, &inner, StorageKind::Sparse, 1e6);
        for iso in [-0.5, 0.0, 1.0] {
            let [a, b] = [&dense, &sparse].map(|field| field.surface(iso).unwrap());
            prop_assert_eq!(a.vertices(), b.vertices());
            prop_assert_eq!(sorted_triangles(&a), sorted_triangles(&b));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    /// Balls in a sparse field with the thinnest band: the surface goes through all its levels and where they change.
    #[test]
    fn level_changes_leave_no_holes(
        resolution in 90..280u32,
        balls in prop::collection::vec((prop::array::uniform3(-0.6f64..0.6), 0.05f64..0.3), 1..6),
        iso in -0.25f64..0.4,
    ) {
        let distance = |p: DVec3| {
            let to_ball = |(center, radius): &([f64; 3], f64)| p.distance(DVec3::from_array(*center)) - radius;
            balls.iter().map(to_ball).fold(f64::INFINITY, f64::min)
        };
        let region = Aabb::new(DVec3::new(-1.0, -1.1, -1.0), DVec3::new(1.0, 1.05, 0.97));
        let options = FieldOptions { resolution, band: 1.0, ..Default::default() };
        let sparse = Field::from_function(distance, region, 1.0, &options).unwrap();
        for iso in [iso, 5.4 * sparse.grid().cell, 7.0 * sparse.grid().cell, 22.0 * sparse.grid().cell] {
            let surface = sparse.surface_with(iso, &Execution::default()).unwrap();
            if surface.is_closed {
                assert_manifold(&surface.mesh);
            } else {
                let facts = report(&surface.mesh);
                prop_assert_eq!((facts.nonmanifold_edges, facts.flipped_edges), (0, 0));
                let bounds = sparse.grid().bounds();
                for rim in rim(&surface.mesh) {
                    let on_border = rim.cmpeq(bounds.min).any() || rim.cmpeq(bounds.max).any();
                    prop_assert!(on_border, "a hole at {}", rim);
                }
            }
            // Outside is where the balls are further than σ, but for the error of the cells.
            for &v in surface.mesh.vertices() {
                let error = sparse.error_bound_at(v).unwrap();
                prop_assert!((distance(v) - iso).abs() <= 5.0 * error, "{} for {}", distance(v), iso);
            }
        }
    }
}

/// Vertices on edges with one triangle.
fn rim(mesh: &TriMesh) -> Vec<DVec3> {
    let edges = || mesh.triangles().iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
    let all: BTreeSet<(u32, u32)> = edges().collect();
    let single = edges().filter(|&(a, b)| !all.contains(&(b, a)));
    single.flat_map(|(a, b)| [a, b]).map(|v| mesh.vertices()[v as usize]).collect()
}
