//! Which triangles share an edge.

use glam::DVec3;

use super::TriMesh;
use super::edges::{EdgeUses, is_unbalanced};

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

impl Adjacency {
    /// The edges along which more triangles run one way than the other: the rims of holes.
    pub(crate) fn unbalanced_edges(mesh: &TriMesh) -> Vec<[DVec3; 2]> {
        let uses = EdgeUses::of(mesh.triangles(), mesh.vertices().len());
        uses.iter()
            .filter(|edge| is_unbalanced(edge))
            .map(|edge| edge[0].ends().map(|v| mesh.vertices()[v as usize]))
            .collect()
    }

    /// The neighbours across all edges with exactly two triangles; elsewhere a triangle is its own neighbour. Triangles
    /// that use a vertex twice are left out.
    pub(crate) fn new(mesh: &TriMesh) -> (Self, EdgeFaults) {
        let uses = EdgeUses::of(mesh.triangles(), mesh.vertices().len());
        let mut across: Vec<[u32; 3]> = (0..mesh.triangles().len() as u32).map(|t| [t; 3]).collect();
        let mut faults = EdgeFaults::default();
        for edge in uses.iter() {
            faults.unbalanced += usize::from(is_unbalanced(edge));
            match edge {
                [_] => faults.boundary += 1,
                [one, other] => {
                    faults.flipped += usize::from(one.is_backward() == other.is_backward());
                    across[one.triangle()][one.side()] = other.triangle() as u32;
                    across[other.triangle()][other.side()] = one.triangle() as u32;
                }
                _ => faults.crowded += 1,
            }
        }
        (Self { across }, faults)
    }
}
