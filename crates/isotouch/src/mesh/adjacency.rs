//! Which triangles share an edge.

use glam::DVec3;

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
    // By the lower vertex first: counted, then placed. The few uses that share one are sorted among themselves.
    let is_sound = |[a, b, c]: &[u32; 3]| a != b && b != c && c != a;
    let mut first = vec![0u32; mesh.vertices().len() + 1];
    for corners in mesh.triangles().iter().filter(|corners| is_sound(corners)) {
        for k in 0..3 {
            first[corners[k].min(corners[(k + 1) % 3]) as usize + 1] += 1;
        }
    }
    for v in 1..first.len() {
        first[v] += first[v - 1];
    }
    let none = EdgeUse { low: 0, high: 0, place: 0, forward: false };
    let mut uses = vec![none; first.last().map_or(0, |&n| n as usize)];
    let mut next = first.clone();
    for (t, corners) in mesh.triangles().iter().enumerate().filter(|(_, corners)| is_sound(corners)) {
        for k in 0..3 {
            let (from, to) = (corners[k], corners[(k + 1) % 3]);
            let (low, high) = (from.min(to), from.max(to));
            let at = &mut next[low as usize];
            uses[*at as usize] = EdgeUse { low, high, place: (3 * t + k) as u32, forward: from < to };
            *at += 1;
        }
    }
    let mut rest = uses.as_mut_slice();
    for v in 0..mesh.vertices().len() {
        let (of_vertex, after) = rest.split_at_mut((first[v + 1] - first[v]) as usize);
        of_vertex.sort_unstable();
        rest = after;
    }
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
