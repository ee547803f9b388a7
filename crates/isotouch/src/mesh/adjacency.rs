//! Which triangles share an edge.

use glam::DVec3;

use super::TriMesh;
use super::edges::{EdgeUse, EdgeUses, is_unbalanced};

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

    /// The edges beyond which the surface does not go on: those of one triangle, and those whose triangles all lie on each
    /// other, as along the rim of a hole in a mesh that is there twice.
    pub(crate) fn open_edges(mesh: &TriMesh) -> Vec<[DVec3; 2]> {
        let uses = EdgeUses::of(mesh.triangles(), mesh.vertices().len());
        uses.iter()
            .filter(|edge| is_open(mesh, edge))
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

/// Triangles lie on each other when the angle between them has a larger cosine: below a tenth of a degree. Larger, and layers with
/// rounded corners count as going on; smaller, and knife edges count as open, which only makes them places where a hole may be.
const FOLDED: f64 = 1.0 - 1e-6;

/// Whether all triangles at an edge leave it in the same direction. One without area leaves it in none, and does not count.
fn is_open(mesh: &TriMesh, edge: &[EdgeUse]) -> bool {
    let mut directions = edge.iter().filter_map(|&side| {
        let (corners, k) = (mesh.corners(side.triangle()), side.side());
        let along = (corners[(k + 1) % 3] - corners[k]).try_normalize()?;
        let to_third = corners[(k + 2) % 3] - corners[k];
        (to_third - to_third.dot(along) * along).try_normalize()
    });
    directions.next().is_some_and(|first| directions.all(|other| first.dot(other) > FOLDED))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open_edges(triangles: &[[u32; 3]]) -> usize {
        let vertices =
            [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.], [0.5, 0.5, 1.], [0.5, 0., 0.]];
        let mesh = TriMesh::new(vertices.map(DVec3::from_array).to_vec(), triangles.to_vec()).unwrap();
        Adjacency::open_edges(&mesh).len()
    }

    #[test]
    fn a_surface_ends_where_nothing_goes_on() {
        let square = [[0, 1, 2], [0, 2, 3]];
        let sides = [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]];
        assert_eq!(open_edges(&square), 4);
        assert_eq!(open_edges(&[&square[..], &sides[..]].concat()), 0, "a pyramid is closed");
        assert_eq!(open_edges(&[&square[..], &sides[..3]].concat()), 3);
    }

    /// Twice the same, and twice with the other diagonal: what lies on each other does not close anything.
    #[test]
    fn a_surface_that_is_there_twice_ends_where_one_does() {
        assert_eq!(open_edges(&[[0, 1, 2], [0, 2, 3], [2, 1, 0], [3, 2, 0]]), 4);
        assert_eq!(open_edges(&[[0, 1, 2], [0, 2, 3], [1, 0, 3], [1, 3, 2]]), 4);
    }

    #[test]
    fn a_triangle_without_area_closes_nothing() {
        assert_eq!(open_edges(&[[0, 1, 2], [1, 0, 5]]), 3);
    }
}
