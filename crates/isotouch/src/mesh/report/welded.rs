//! Vertices by position, by sorting.

use glam::DVec3;
use rayon::prelude::*;

use crate::mesh::TriMesh;

/// A mesh's triangles with every vertex replaced by the lowest-numbered one at the same position.
pub(in crate::mesh) struct Welded {
    pub(in crate::mesh) triangles: Vec<[u32; 3]>,
    /// The vertices that are left and used, ascending.
    pub(super) vertices: Vec<u32>,
    /// How many vertices triangles used before.
    pub(super) used: usize,
}

impl Welded {
    pub(in crate::mesh) fn new(mesh: &TriMesh) -> Self {
        let mut used = vec![false; mesh.vertices().len()];
        for &v in mesh.triangles().iter().flatten() {
            used[v as usize] = true;
        }
        let mut sorted: Vec<(DVec3, u32)> =
            mesh.vertices().iter().copied().zip(0..).filter(|&(_, v)| used[v as usize]).collect();
        // Coordinates are finite, so they compare; −0 and 0 compare equal, and the index then decides.
        sorted.par_sort_unstable_by(|(a, i), (b, j)| {
            a.to_array().partial_cmp(&b.to_array()).unwrap_or(std::cmp::Ordering::Equal).then(i.cmp(j))
        });
        let mut first_at: Vec<u32> = (0..mesh.vertices().len() as u32).collect();
        let mut vertices = Vec::with_capacity(sorted.len());
        for same in sorted.chunk_by(|(a, _), (b, _)| a == b) {
            vertices.push(same[0].1);
            for &(_, v) in same {
                first_at[v as usize] = same[0].1;
            }
        }
        vertices.sort_unstable();
        let triangles = mesh.triangles().iter().map(|t| t.map(|v| first_at[v as usize])).collect();
        Self { triangles, vertices, used: sorted.len() }
    }
}
