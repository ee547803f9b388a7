use glam::DVec3;
use isotouch::mesh::TriMesh;
use proptest::prelude::*;

use super::load;

/// How many edges have an odd number of triangles: none if the mesh is closed.
pub(super) fn odd_edges(mesh: &TriMesh) -> usize {
    let mut edges: Vec<[u32; 2]> = mesh
        .triangles()
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    edges.sort_unstable();
    edges.chunk_by(|a, b| a == b).filter(|run| run.len() % 2 == 1).count()
}

fn obj(vertices: &[DVec3], triangles: &[[usize; 3]]) -> String {
    let vertices: String = vertices.iter().map(|v| format!("v {:?} {:?} {:?}\n", v.x, v.y, v.z)).collect();
    let faces: String =
        triangles.iter().map(|[a, b, c]| format!("f {} {} {}\n", a + 1, b + 1, c + 1)).collect();
    vertices + &faces
}

/// A tetrahedron whose edge 0–1 is split at points on one side only, the gap closed by caps.
fn with_caps(on_edge: &[f64]) -> String {
    let mut vertices = vec![DVec3::ZERO, 8.0 * DVec3::X, 8.0 * DVec3::Y, 8.0 * DVec3::Z];
    let mut triangles = vec![[0, 1, 3], [1, 2, 3], [2, 0, 3]];
    let mut last = 0;
    for &x in on_edge {
        let next = vertices.len();
        vertices.push(x * DVec3::X);
        // The face below in pieces, and a fan of caps from corner 0.
        triangles.push([2, next, last]);
        if last != 0 {
            triangles.push([0, last, next]);
        }
        last = next;
    }
    triangles.extend([[2, 1, last], [0, last, 1]]);
    obj(&vertices, &triangles)
}

#[test]
fn caps_do_not_open_a_closed_mesh() {
    for on_edge in [&[4.0][..], &[2.0, 4.0], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]] {
        let loaded = load("a.obj", with_caps(on_edge));
        assert_eq!(odd_edges(&loaded.mesh), 0, "{on_edge:?}");
        assert_eq!(loaded.cleanup.caps_flipped, on_edge.len());
        assert_eq!(loaded.cleanup.degenerate_triangles, 0);
        assert_eq!(loaded.mesh.vertices().len(), 4 + on_edge.len());
        assert!((loaded.mesh.signed_volume() - 8f64.powi(3) / 6.0).abs() < 1e-9);
    }
}

/// Caps that fold back over each other were exchanged for each other forever, and then dropped.
#[test]
fn caps_that_fold_back() {
    assert_eq!(odd_edges(&load("a.obj", with_caps(&[2.0, 3.0, 4.0, 5.0, 1.0])).mesh), 0);
}

#[test]
fn caps_on_a_rim_are_dropped() {
    let loaded = load("a.obj", "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 1 0 0\nf 1 4 3\nf 4 2 3\nf 1 2 4\n");
    assert_eq!(loaded.mesh.triangles(), [[0, 3, 2], [3, 1, 2]]);
    assert_eq!((loaded.cleanup.caps_flipped, loaded.cleanup.degenerate_triangles), (0, 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Points in any order along the edge: caps lean on caps and fold over each other.
    #[test]
    fn caps_in_disorder(on_edge in prop::collection::vec(1u8..8, 1..12)) {
        let mut points: Vec<f64> = on_edge.into_iter().map(f64::from).collect();
        points.dedup();
        let loaded = load("a.obj", with_caps(&points));
        prop_assert!((loaded.mesh.signed_volume() - 8f64.powi(3) / 6.0).abs() < 1e-9);
        prop_assert_eq!(odd_edges(&loaded.mesh), 0);
    }
}
