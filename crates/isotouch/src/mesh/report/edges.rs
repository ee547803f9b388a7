//! Vertices by position, and which triangles use which edge, both by sorting.

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

/// True when the three corners differ.
pub(super) fn distinct(&[a, b, c]: &[u32; 3]) -> bool {
    a != b && b != c && c != a
}

/// One triangle's use of one edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::mesh) struct EdgeUse {
    /// Lower vertex in the high half, higher vertex in the low half: equal for all uses of an edge.
    ends: u64,
    /// Twice the triangle, plus one when it runs from the higher vertex to the lower.
    triangle_and_direction: u64,
}

impl EdgeUse {
    /// The edge's vertices, lower first.
    pub(super) fn ends(self) -> [u32; 2] {
        [(self.ends >> 32) as u32, self.ends as u32]
    }

    pub(super) fn triangle(self) -> usize {
        (self.triangle_and_direction >> 1) as usize
    }

    pub(in crate::mesh) fn is_backward(self) -> bool {
        self.triangle_and_direction & 1 == 1
    }
}

/// All uses of all edges, sorted so that the uses of an edge are neighbours.
pub(in crate::mesh) struct EdgeUses(Vec<EdgeUse>);

impl EdgeUses {
    /// Triangles with a repeated corner are left out.
    pub(in crate::mesh) fn of(triangles: &[[u32; 3]]) -> Self {
        let mut uses = Vec::with_capacity(3 * triangles.len());
        for (t, corners) in triangles.iter().enumerate().filter(|(_, corners)| distinct(corners)) {
            let &[a, b, c] = corners;
            for [from, to] in [[a, b], [b, c], [c, a]] {
                let ends = u64::from(from.min(to)) << 32 | u64::from(from.max(to));
                let triangle_and_direction = (t as u64) << 1 | u64::from(from > to);
                uses.push(EdgeUse { ends, triangle_and_direction });
            }
        }
        // No two uses are equal, so the order does not depend on how threads share the work.
        uses.par_sort_unstable();
        Self(uses)
    }

    /// The uses of one edge after the other.
    pub(in crate::mesh) fn iter(&self) -> impl Iterator<Item = &[EdgeUse]> {
        self.0.chunk_by(|a, b| a.ends == b.ends)
    }
}
