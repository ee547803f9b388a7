//! Filling holes: triangles across the loops of edges that only one triangle uses.
//!
//! Orientation does not matter: triangles that repeat the corners of another one, in whatever order, count once. Each loop gets the
//! triangulation of least area, long edges counted a little, which spans a round hole flat and closes a slit along its length.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;

use super::TriMesh;

/// Longer loops are cut in two by their shortest diagonals first: the best triangulation takes time with the cube of the
/// length.
const LONGEST: usize = 128;

/// What a squared length of edge costs, beside a unit of twice the area.
const LONG_EDGES: f64 = 0.05;

/// Triangles that fill all loops of the mesh, over its own vertices.
pub(crate) fn hole_triangles(mesh: &TriMesh) -> Vec<[u32; 3]> {
    let mut triangles = Vec::new();
    for ring in rings(mesh) {
        fill(mesh.vertices(), &ring, &mut triangles);
    }
    triangles
}

/// The loops of edges that only one triangle uses, each without repeated vertices.
fn rings(mesh: &TriMesh) -> Vec<Vec<u32>> {
    let mut known = BTreeSet::new();
    let mut uses: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for &[a, b, c] in mesh.triangles() {
        let mut sorted = [a, b, c];
        sorted.sort_unstable();
        if a != b && b != c && c != a && known.insert(sorted) {
            for (u, v) in [(a, b), (b, c), (c, a)] {
                *uses.entry((u.min(v), u.max(v))).or_default() += 1;
            }
        }
    }
    let mut edges: Vec<(u32, u32)> =
        uses.into_iter().filter(|&(_, n)| n == 1).map(|(edge, _)| edge).collect();
    edges.sort_unstable();
    let mut from: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for &(a, b) in &edges {
        from.entry(a).or_default().push(b);
        from.entry(b).or_default().push(a);
    }
    let mut rings = Vec::new();
    for (start, _) in edges {
        let mut walk = vec![start];
        // Every walk takes edges away, and closes a ring whenever it comes back to one of its own vertices.
        while let Some(&here) = walk.last() {
            let Some(next) = from.get_mut(&here).and_then(Vec::pop) else {
                walk.pop();
                continue;
            };
            if let Some(back) = from.get_mut(&next)
                && let Some(at) = back.iter().position(|&v| v == here)
            {
                back.swap_remove(at);
            }
            if let Some(at) = walk.iter().position(|&v| v == next) {
                let ring: Vec<u32> = walk[at..].to_vec();
                walk.truncate(at + 1);
                if ring.len() >= 3 {
                    rings.push(ring);
                }
            } else {
                walk.push(next);
            }
        }
    }
    rings
}

fn fill(vertices: &[DVec3], ring: &[u32], out: &mut Vec<[u32; 3]>) {
    let at = |k: usize| vertices[ring[k] as usize];
    if ring.len() <= LONGEST {
        least_area(ring, at, out);
        return;
    }
    // The shortest diagonal that leaves at least a quarter on each side.
    let (n, apart) = (ring.len(), ring.len() / 4);
    let diagonals = (0..n - apart).flat_map(|i| (i + apart..n.min(i + n - apart + 1)).map(move |j| (i, j)));
    let shortest = diagonals
        .min_by(|&(a, b), &(c, d)| at(a).distance_squared(at(b)).total_cmp(&at(c).distance_squared(at(d))));
    let Some((i, j)) = shortest else { return };
    fill(vertices, &ring[i..=j], out);
    fill(vertices, &[&ring[j..], &ring[..=i]].concat(), out);
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
            let filled = hole_triangles(&mesh);
            assert!((area(&mesh, &filled) - 1.0).abs() < 1e-12, "{filled:?}");
        }
        assert!(hole_triangles(&cube).is_empty());
    }

    #[test]
    fn long_rings_are_spanned() {
        // The rim of a disc with 1000 corners, from the fan of triangles that a cone over it is.
        let n = 1000u32;
        let mut vertices: Vec<DVec3> = (0..n)
            .map(|k| {
                let angle = std::f64::consts::TAU * f64::from(k) / f64::from(n);
                DVec3::new(angle.cos(), angle.sin(), 0.0)
            })
            .collect();
        vertices.push(DVec3::Z);
        let cone = TriMesh::new(vertices, (0..n).map(|k| [k, (k + 1) % n, n]).collect()).unwrap();
        let filled = hole_triangles(&cone);
        assert_eq!(filled.len(), n as usize - 2);
        let polygon = 0.5 * f64::from(n) * (std::f64::consts::TAU / f64::from(n)).sin();
        assert!((area(&cone, &filled) - polygon).abs() < 1e-9);
    }
}
