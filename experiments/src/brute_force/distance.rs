//! Distances to the nearest of all triangles.

use glam::DVec3;
use isotouch::mesh::TriMesh;
use rayon::prelude::*;

use super::wide::{self, Kernel};
use super::{LANES, dot, lanes_of, minus};

/// Triangles that are tested against many points before the next ones: 70 kB of them stay in the cache.
const TILE: usize = 256;
/// Points of one task.
const TASK: usize = 64 * LANES;

/// A triangle, prepared: the three edges as (first corner, edge, 1/length², inward normal in the plane) and the unit normal.
#[derive(Clone, Copy)]
struct Prepared {
    edges: [Edge; 3],
    normal: [f64; 3],
    /// What the side of an edge must be at least to count as inside: 0, and +∞ for a triangle without area.
    inside_from: f64,
}

#[derive(Clone, Copy)]
struct Edge {
    from: [f64; 3],
    along: [f64; 3],
    inverse_length_squared: f64,
    inward: [f64; 3],
}

impl Prepared {
    fn new(corners: [DVec3; 3]) -> Self {
        let [a, b, c] = corners;
        let normal = (b - a).cross(c - a).try_normalize();
        let unit = normal.unwrap_or(DVec3::ZERO);
        let edges = [(a, b), (b, c), (c, a)].map(|(from, to)| {
            let along = to - from;
            let squared = along.length_squared();
            Edge {
                from: from.to_array(),
                along: along.to_array(),
                inverse_length_squared: if squared > 0.0 { 1.0 / squared } else { 0.0 },
                inward: unit.cross(along).to_array(),
            }
        });
        let inside_from = if normal.is_some() { 0.0 } else { f64::INFINITY };
        Self { edges, normal: unit.to_array(), inside_from }
    }

    /// Above or below the triangle the distance to its plane counts, elsewhere that to the nearest edge.
    #[inline(always)]
    fn distance_squared(&self, p: [f64; 3]) -> f64 {
        let mut to_edges = f64::INFINITY;
        let mut inside = true;
        for edge in &self.edges {
            let q = minus(p, edge.from);
            inside &= dot(edge.inward, q) >= self.inside_from;
            let t = dot(edge.along, q) * edge.inverse_length_squared;
            let t = if t > 0.0 { t } else { 0.0 };
            let t = if t < 1.0 { t } else { 1.0 };
            let r = [q[0] - t * edge.along[0], q[1] - t * edge.along[1], q[2] - t * edge.along[2]];
            let squared = dot(r, r);
            to_edges = if squared < to_edges { squared } else { to_edges };
        }
        let height = dot(self.normal, minus(p, self.edges[0].from));
        if inside { height * height } else { to_edges }
    }
}

struct Nearest<'a> {
    triangles: &'a [Prepared],
    points: &'a [[[f64; LANES]; 3]],
}

impl Kernel for Nearest<'_> {
    /// Squared distances.
    type Output = Vec<[f64; LANES]>;

    #[inline(always)]
    fn run(self) -> Vec<[f64; LANES]> {
        let mut best = vec![[f64::INFINITY; LANES]; self.points.len()];
        for tile in self.triangles.chunks(TILE) {
            for (points, best) in self.points.iter().zip(&mut best) {
                let mut least = *best;
                for triangle in tile {
                    for lane in 0..LANES {
                        let p = [points[0][lane], points[1][lane], points[2][lane]];
                        let squared = triangle.distance_squared(p);
                        least[lane] = if squared < least[lane] { squared } else { least[lane] };
                    }
                }
                *best = least;
            }
        }
        best
    }
}

/// The distance from each point to the nearest of all triangles of the mesh. Error: a few 2⁻⁵³ of the size of the mesh
/// and its distance.
pub(crate) fn distances(mesh: &TriMesh, points: &[DVec3]) -> Vec<f64> {
    let triangles: Vec<Prepared> =
        (0..mesh.triangles().len()).map(|t| Prepared::new(mesh.corners(t))).collect();
    points
        .par_chunks(TASK)
        .flat_map_iter(|task| {
            let lanes: Vec<_> = task.chunks(LANES).map(lanes_of).collect();
            let squared = wide::run(Nearest { triangles: &triangles, points: &lanes });
            squared.into_iter().flatten().take(task.len()).map(f64::sqrt)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_of_one_triangle() {
        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
        let mesh = TriMesh::new(corners, vec![[0, 1, 2]]).unwrap();
        let cases = [
            (DVec3::new(0.25, 0.25, 2.0), 2.0),
            (DVec3::new(0.25, 0.25, 0.0), 0.0),
            (DVec3::new(0.5, -3.0, 0.0), 3.0),
            (DVec3::new(-3.0, -4.0, 0.0), 5.0),
            (DVec3::new(1.0, 1.0, 0.0), 0.5f64.sqrt()),
            (DVec3::new(4.0, 0.0, 4.0), 5.0),
        ];
        let points: Vec<DVec3> = cases.iter().map(|case| case.0).collect();
        for (found, (point, expected)) in distances(&mesh, &points).into_iter().zip(cases) {
            assert!((found - expected).abs() < 1e-15, "{point}: {found}, not {expected}");
        }
    }

    #[test]
    fn a_triangle_without_area_is_a_segment() {
        let mesh = TriMesh::new(vec![DVec3::ZERO, DVec3::X, 2.0 * DVec3::X], vec![[0, 1, 2]]).unwrap();
        assert_eq!(distances(&mesh, &[DVec3::new(1.5, 2.0, 0.0), DVec3::new(5.0, 0.0, 4.0)]), [2.0, 5.0]);
    }
}
