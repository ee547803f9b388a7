//! Filling holes: triangles across the loops of edges that only one triangle uses.
//!
//! Orientation does not matter: triangles that repeat the corners of another one, in whatever order, count once. Each loop gets the
//! triangulation of least area, long edges counted a little, which spans a round hole flat and closes a slit along its length.
//! Loops of more than 16,384 edges are left as they are.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use glam::DVec3;
use rayon::prelude::*;

use super::TriMesh;
use super::edges::EdgeUses;

/// Edges of the longest loop that is filled. Looking for diagonals takes time with the square of the length: 2·10⁸ distances
/// for this one, about a second; 10¹² for a million edges, which nobody waits for. Longer loops stay open.
const LONGEST: usize = 1 << 14;

/// Longer loops are cut in two by their shortest diagonals first: the best triangulation takes time with the cube of the
/// length.
const LONGEST_AT_ONCE: usize = 128;

/// What a squared length of edge costs, beside a unit of twice the area.
const LONG_EDGES: f64 = 0.05;

/// Triangles that fill the loops of the mesh, over its own vertices: all but those of more than 16,384 edges, so that a mesh
/// may still be open when they are added. `None` when it was told to stop.
pub(crate) fn hole_triangles(mesh: &TriMesh, cancel: Option<&AtomicBool>) -> Option<Vec<[u32; 3]>> {
    let mut filling = Filling { vertices: mesh.vertices(), cancel, triangles: Vec::new() };
    for ring in rings(mesh).iter().filter(|ring| ring.len() <= LONGEST) {
        filling.fill(ring)?;
    }
    Some(filling.triangles)
}

/// The loops of edges that only one triangle uses, each without repeated vertices.
fn rings(mesh: &TriMesh) -> Vec<Vec<u32>> {
    let edges = rim_edges(mesh);
    // The edges at each vertex, by their places in the list. Each is at two vertices, and taken once.
    let mut at: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (k, edge) in edges.iter().enumerate() {
        for end in edge {
            at.entry(*end).or_default().push(k);
        }
    }
    let mut is_taken = vec![false; edges.len()];
    let mut rings = Vec::new();
    for &[start, _] in &edges {
        let mut walk = Walk::from(start);
        // Every walk takes edges away, and closes a ring whenever it comes back to one of its own vertices.
        while let Some(here) = walk.end() {
            let Some(edge) = at.get_mut(&here).and_then(Vec::pop) else {
                walk.step_back();
                continue;
            };
            if std::mem::replace(&mut is_taken[edge], true) {
                continue;
            }
            let [a, b] = edges[edge];
            if let Some(ring) = walk.step(if a == here { b } else { a })
                && ring.len() >= 3
            {
                rings.push(ring);
            }
        }
    }
    rings
}

/// The edges that only one triangle uses, in order.
fn rim_edges(mesh: &TriMesh) -> Vec<[u32; 2]> {
    let mut triangles = mesh.triangles().to_vec();
    triangles.iter_mut().for_each(|corners| corners.sort_unstable());
    triangles.par_sort_unstable();
    triangles.dedup();
    let uses = EdgeUses::of(&triangles, mesh.vertices().len());
    uses.iter().filter(|edge| edge.len() == 1).map(|edge| edge[0].ends()).collect()
}

/// A path over vertices that does not meet itself.
struct Walk {
    vertices: Vec<u32>,
    /// Where in it a vertex is: looking for it would take time with the square of the length.
    places: BTreeMap<u32, usize>,
}

impl Walk {
    fn from(start: u32) -> Self {
        Self { vertices: vec![start], places: BTreeMap::from([(start, 0)]) }
    }

    fn end(&self) -> Option<u32> {
        self.vertices.last().copied()
    }

    fn step_back(&mut self) {
        if let Some(vertex) = self.vertices.pop() {
            self.places.remove(&vertex);
        }
    }

    /// Goes on to a vertex; where the walk has been there before, cuts off the ring it has closed.
    fn step(&mut self, vertex: u32) -> Option<Vec<u32>> {
        let Some(&at) = self.places.get(&vertex) else {
            self.places.insert(vertex, self.vertices.len());
            self.vertices.push(vertex);
            return None;
        };
        let mut ring = vec![vertex];
        ring.extend(self.vertices.drain(at + 1..));
        ring[1..].iter().for_each(|left| {
            self.places.remove(left);
        });
        Some(ring)
    }
}

/// Filling in progress.
struct Filling<'a> {
    vertices: &'a [DVec3],
    cancel: Option<&'a AtomicBool>,
    triangles: Vec<[u32; 3]>,
}

impl Filling<'_> {
    /// `None` when it was told to stop.
    fn go_on(&self) -> Option<()> {
        (!self.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed))).then_some(())
    }

    fn fill(&mut self, ring: &[u32]) -> Option<()> {
        self.go_on()?;
        let at = |k: usize| self.vertices[ring[k] as usize];
        if ring.len() <= LONGEST_AT_ONCE {
            least_area(ring, at, &mut self.triangles);
            return Some(());
        }
        // The shortest diagonal that leaves at least a quarter on each side.
        let (n, apart) = (ring.len(), ring.len() / 4);
        let mut shortest = (f64::INFINITY, 0, 0);
        for i in 0..n - apart {
            self.go_on()?;
            for j in i + apart..n.min(i + n - apart + 1) {
                let length = at(i).distance_squared(at(j));
                if length < shortest.0 {
                    shortest = (length, i, j);
                }
            }
        }
        let (_, i, j) = shortest;
        // Both pieces are shorter, unless all lengths are beyond measure.
        if j > i {
            self.fill(&ring[i..=j])?;
            self.fill(&[&ring[j..], &ring[..=i]].concat())?;
        }
        Some(())
    }
}

/// The triangulation of least area of a ring, by the best ones of its pieces.
fn least_area(ring: &[u32], at: impl Fn(usize) -> DVec3, out: &mut Vec<[u32; 3]>) {
    let n = ring.len();
    // Area alone would span a slit with slivers that run from its ends straight across a bend: long edges cost, too.
    let weight = |i: usize, j: usize, k: usize| {
        let (a, b, c) = (at(i), at(j), at(k));
        let edges = a.distance_squared(b) + b.distance_squared(c) + c.distance_squared(a);
        (b - a).cross(c - a).length() + LONG_EDGES * edges
    };
    let mut least = vec![0.0; n * n];
    let mut middle = vec![0; n * n];
    for span in 2..n {
        for i in 0..n - span {
            let j = i + span;
            let best = (i + 1..j)
                .map(|k| (least[i * n + k] + least[k * n + j] + weight(i, k, j), k))
                .min_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((total, k)) = best {
                least[i * n + j] = total;
                middle[i * n + j] = k;
            }
        }
    }
    let mut pieces = vec![(0, n - 1)];
    while let Some((i, j)) = pieces.pop() {
        if j > i + 1 {
            let k = middle[i * n + j];
            out.push([ring[i], ring[k], ring[j]]);
            pieces.extend([(i, k), (k, j)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;

    fn filled(mesh: &TriMesh) -> Vec<[u32; 3]> {
        hole_triangles(mesh, None).unwrap()
    }

    fn area(mesh: &TriMesh, triangles: &[[u32; 3]]) -> f64 {
        TriMesh::new(mesh.vertices().to_vec(), triangles.to_vec()).map_or(0.0, |filled| filled.area())
    }

    #[test]
    fn a_cut_off_face_is_filled_flat() {
        let cube = shapes::cuboid(DVec3::ONE).unwrap();
        let top = |t: usize| cube.corners(t).iter().all(|v| v.z > 0.49);
        let open: Vec<[u32; 3]> =
            (0..cube.triangles().len()).filter(|&t| !top(t)).map(|t| cube.triangles()[t]).collect();
        let twice: Vec<[u32; 3]> = open.iter().flat_map(|&[a, b, c]| [[a, b, c], [a, c, b]]).collect();
        for triangles in [open, twice] {
            let mesh = TriMesh::new(cube.vertices().to_vec(), triangles).unwrap();
            let found = filled(&mesh);
            assert!((area(&mesh, &found) - 1.0).abs() < 1e-12, "{found:?}");
        }
        assert!(filled(&cube).is_empty());
    }

    fn on_circle(k: u32, n: u32, z: f64) -> DVec3 {
        let angle = std::f64::consts::TAU * f64::from(k) / f64::from(n);
        DVec3::new(angle.cos(), angle.sin(), z)
    }

    #[test]
    fn long_rings_are_spanned() {
        // The rim of a disc with 1000 corners, from the fan of triangles that a cone over it is.
        let n = 1000u32;
        let mut vertices: Vec<DVec3> = (0..n).map(|k| on_circle(k, n, 0.0)).collect();
        vertices.push(DVec3::Z);
        let cone = TriMesh::new(vertices, (0..n).map(|k| [k, (k + 1) % n, n]).collect()).unwrap();
        let found = filled(&cone);
        assert_eq!(found.len(), n as usize - 2);
        let polygon = 0.5 * f64::from(n) * (std::f64::consts::TAU / f64::from(n)).sin();
        assert!((area(&cone, &found) - polygon).abs() < 1e-9);
    }

    /// A tube with `n` edges around each of its two ends.
    fn tube(n: u32) -> TriMesh {
        let vertices = (0..2 * n).map(|k| on_circle(k % n, n, f64::from(k / n))).collect();
        let wall = (0..n).flat_map(|k| {
            let next = (k + 1) % n;
            [[k, next, n + k], [next, n + next, n + k]]
        });
        TriMesh::new(vertices, wall.collect()).unwrap()
    }

    /// Time with the square of a rim's length once made this one endless.
    #[test]
    fn rims_of_very_many_edges_are_found_and_left_open() {
        let n = 200_000;
        let tube = tube(n);
        let lengths: Vec<usize> = rings(&tube).iter().map(Vec::len).collect();
        assert_eq!(lengths, [n as usize; 2]);
        assert!(filled(&tube).is_empty());
    }

    /// The shorter rim of two is filled, whatever the other one is like.
    #[test]
    fn a_long_rim_does_not_keep_others_open() {
        let long = tube(20_000);
        let first = long.vertices().len() as u32;
        let short = tube(12);
        let short_triangles: Vec<[u32; 3]> = short.triangles().iter().map(|t| t.map(|v| v + first)).collect();
        let both = long.with_more(short.vertices(), &short_triangles).unwrap();
        let found = filled(&both);
        assert_eq!(found.len(), 2 * (12 - 2));
        assert!(found.iter().flatten().all(|&v| v >= first));
    }

    /// Rims that all meet in one vertex come apart into one ring for each.
    #[test]
    fn many_rims_at_one_vertex() {
        let n = 50_000u32;
        let mut vertices = vec![DVec3::ZERO];
        vertices.extend((0..2 * n).map(|k| on_circle(k, 2 * n, 1.0)));
        let triangles: Vec<[u32; 3]> = (0..n).map(|k| [0, 2 * k + 1, 2 * k + 2]).collect();
        let found = filled(&TriMesh::new(vertices, triangles.clone()).unwrap());
        let sorted = |mut triangles: Vec<[u32; 3]>| {
            triangles.iter_mut().for_each(|t| t.sort_unstable());
            triangles.sort_unstable();
            triangles
        };
        assert_eq!(sorted(found), triangles);
    }

    /// Once it is told to, whether a ring is long or rings are many.
    #[test]
    fn filling_stops() {
        let mut many = tube(12);
        for k in 1..50 {
            let first = many.vertices().len() as u32;
            let more = tube(12).mapped(|v| v + f64::from(k) * 3.0 * DVec3::X).unwrap();
            let triangles: Vec<[u32; 3]> = more.triangles().iter().map(|t| t.map(|v| v + first)).collect();
            many = many.with_more(more.vertices(), &triangles).unwrap();
        }
        for mesh in [tube(10_000), many] {
            assert_eq!(hole_triangles(&mesh, Some(&AtomicBool::new(true))), None);
            assert_eq!(hole_triangles(&mesh, Some(&AtomicBool::new(false))), hole_triangles(&mesh, None));
        }
    }
}
