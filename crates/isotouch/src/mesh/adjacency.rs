//! Which triangles share an edge.

use glam::DVec3;
use rayon::prelude::*;

use super::TriMesh;

/// For each triangle, the triangle across each of its edges (edge `k` from corner `k` to `k + 1`).
#[derive(Debug, Clone)]
pub(crate) struct Adjacency {
    pub(crate) across: Vec<[u32; 3]>,
}

/// How a mesh fails to be a closed, consistently oriented surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct EdgeFaults {
    /// Edges with one triangle.
    pub(crate) boundary: usize,
    /// Edges with more than two triangles.
    pub(crate) crowded: usize,
    /// Edges whose two triangles run along it in the same direction.
    pub(crate) flipped: usize,
    /// Edges along which more triangles run one way than the other: what keeps winding numbers from being whole.
    pub(crate) unbalanced: usize,
}

impl EdgeFaults {
    pub(crate) fn is_closed_and_oriented(&self) -> bool {
        self.boundary == 0 && self.crowded == 0 && self.flipped == 0
    }
}

/// One use of an edge by a triangle, ordered by edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct EdgeUse {
    low: u32,
    high: u32,
    /// triangle · 3 + edge
    place: u32,
    forward: bool,
}

/// All uses of edges, those of one edge together.
fn edge_uses(mesh: &TriMesh) -> Vec<EdgeUse> {
    let mut uses: Vec<EdgeUse> = mesh
        .triangles()
        .iter()
        .enumerate()
        .filter(|(_, [a, b, c])| a != b && b != c && c != a)
        .flat_map(|(t, corners)| {
            [0, 1, 2].map(|k| {
                let (from, to) = (corners[k], corners[(k + 1) % 3]);
                let (low, high) = (from.min(to), from.max(to));
                EdgeUse { low, high, place: (3 * t + k) as u32, forward: from < to }
            })
        })
        .collect();
    uses.par_sort_unstable();
    uses
}

impl Adjacency {
    /// The edges along which more triangles run one way than the other: the rims of holes.
    pub(crate) fn unbalanced_edges(mesh: &TriMesh) -> Vec<[DVec3; 2]> {
        let uses = edge_uses(mesh);
        uses.chunk_by(|a, b| (a.low, a.high) == (b.low, b.high))
            .filter(|edge| 2 * edge.iter().filter(|u| u.forward).count() != edge.len())
            .map(|edge| [edge[0].low, edge[0].high].map(|v| mesh.vertices()[v as usize]))
            .collect()
    }

    /// The neighbours across all edges with exactly two triangles; elsewhere a triangle is its own neighbour. Triangles
    /// that use a vertex twice are left out.
    pub(crate) fn new(mesh: &TriMesh) -> (Self, EdgeFaults) {
        let uses = edge_uses(mesh);
        let mut across: Vec<[u32; 3]> = (0..mesh.triangles().len() as u32).map(|t| [t; 3]).collect();
        let mut faults = EdgeFaults::default();
        for edge in uses.chunk_by(|a, b| (a.low, a.high) == (b.low, b.high)) {
            let forward = edge.iter().filter(|u| u.forward).count();
            faults.unbalanced += usize::from(2 * forward != edge.len());
            match edge {
                [_] => faults.boundary += 1,
                [one, other] => {
                    faults.flipped += usize::from(one.forward == other.forward);
                    across[one.place as usize / 3][one.place as usize % 3] = other.place / 3;
                    across[other.place as usize / 3][other.place as usize % 3] = one.place / 3;
                }
                _ => faults.crowded += 1,
            }
        }
        (Self { across }, faults)
    }
}
