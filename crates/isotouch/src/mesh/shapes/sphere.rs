use glam::DVec3;

use super::ShapeError;
use super::finish::{Count, Length, MOST_TRIANGLES, finish};
use crate::mesh::TriMesh;

/// A sphere centred on the origin with vertices on it, evenly triangulated.
///
/// It is an icosahedron whose faces are cut into n² triangles each, so it has 20 n² of them: the count nearest to
/// `triangles`. The largest triangle is about twice the smallest.
pub fn sphere(radius: f64, triangles: usize) -> Result<TriMesh, ShapeError> {
    let shape = "sphere";
    Length { shape, parameter: "radius", value: radius }.check()?;
    let (directions, triangles) = unit_sphere(shape, triangles)?;
    finish(shape, directions.into_iter().map(|d| radius * d).collect(), triangles)
}

/// Unit vectors and triangles of an icosahedron cut to about `triangles`.
pub(super) fn unit_sphere(
    shape: &'static str,
    triangles: usize,
) -> Result<(Vec<DVec3>, Vec<[u32; 3]>), ShapeError> {
    Count { shape, parameter: "triangles", value: triangles }.check(20)?;
    if triangles > MOST_TRIANGLES {
        let (triangles, most) = (triangles as u128, MOST_TRIANGLES);
        return Err(ShapeError::TooManyTriangles { shape, triangles, most, parameters: "`triangles`" });
    }
    let pieces = (triangles as f64 / 20.0).sqrt() as usize;
    let count = |n: usize| 20 * n * n;
    let nearer_above = count(pieces + 1) - triangles < triangles - count(pieces);
    Ok(cut_icosahedron(if nearer_above { pieces + 1 } else { pieces }))
}

/// Corners of the regular icosahedron: (0, ±1, ±φ) and its cyclic shifts, before normalising.
fn icosahedron() -> [DVec3; 12] {
    let phi = 0.5 * (1.0 + 5.0_f64.sqrt());
    [
        [-1.0, phi, 0.0],
        [1.0, phi, 0.0],
        [-1.0, -phi, 0.0],
        [1.0, -phi, 0.0],
        [0.0, -1.0, phi],
        [0.0, 1.0, phi],
        [0.0, -1.0, -phi],
        [0.0, 1.0, -phi],
        [phi, 0.0, -1.0],
        [phi, 0.0, 1.0],
        [-phi, 0.0, -1.0],
        [-phi, 0.0, 1.0],
    ]
    .map(DVec3::from_array)
}

/// Its faces, counter-clockwise from outside.
const FACES: [[u32; 3]; 20] = [
    [0, 11, 5],
    [0, 5, 1],
    [0, 1, 7],
    [0, 7, 10],
    [0, 10, 11],
    [1, 5, 9],
    [5, 11, 4],
    [11, 10, 2],
    [10, 7, 6],
    [7, 1, 8],
    [3, 9, 4],
    [3, 4, 2],
    [3, 2, 6],
    [3, 6, 8],
    [3, 8, 9],
    [4, 9, 5],
    [2, 4, 11],
    [6, 2, 10],
    [8, 6, 7],
    [9, 8, 1],
];

/// Each edge cut into n pieces, each face into n² triangles, all pushed out to the unit sphere.
///
/// Vertices: the 12 corners, then n − 1 per edge (each edge once, from its lower to its higher corner), then the
/// (n − 1)(n − 2)/2 inside each face. Neighbouring faces share what lies on their edge, so nothing needs welding.
fn cut_icosahedron(n: usize) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let corners = icosahedron();
    let mut edges: Vec<[u32; 2]> =
        FACES.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).filter(|[a, b]| a < b).collect();
    edges.sort_unstable();

    let mut vertices = Vec::with_capacity(10 * n * n + 2);
    vertices.extend(corners);
    for &[a, b] in &edges {
        let [a, b] = [a, b].map(|v| corners[v as usize]);
        vertices.extend((1..n).map(|k| (a * (n - k) as f64 + b * k as f64) / n as f64));
    }
    // Point k of the way from corner `a` to corner `b`.
    let on_edge = |a: u32, b: u32, k: usize| -> u32 {
        let edge = edges.binary_search(&[a.min(b), a.max(b)]).expect("an edge of the icosahedron");
        let k = if a < b { k } else { n - k };
        (12 + edge * (n - 1) + k - 1) as u32
    };

    let mut triangles = Vec::with_capacity(20 * n * n);
    for &[a, b, c] in &FACES {
        let inside = vertices.len();
        let [pa, pb, pc] = [a, b, c].map(|v| corners[v as usize]);
        // Row i runs parallel to bc, i steps from a; it holds i + 1 vertices, j steps from edge ab.
        for i in 2..n {
            for j in 1..i {
                let sum = pa * (n - i) as f64 + pb * (i - j) as f64 + pc * j as f64;
                vertices.push(sum / n as f64);
            }
        }
        let vertex = |i: usize, j: usize| -> u32 {
            match (i, j) {
                (0, _) => a,
                (i, 0) if i == n => b,
                (i, j) if i == n && j == n => c,
                (i, 0) => on_edge(a, b, i),
                (i, j) if j == i => on_edge(a, c, i),
                (i, j) if i == n => on_edge(b, c, j),
                // Rows 2 to i − 1 hold 1 + 2 + … + (i − 2) inner vertices.
                (i, j) => (inside + (i - 1) * (i - 2) / 2 + j - 1) as u32,
            }
        };
        let mut above = vec![vertex(0, 0)];
        for i in 1..=n {
            let row: Vec<u32> = (0..=i).map(|j| vertex(i, j)).collect();
            for j in 0..i {
                triangles.push([above[j], row[j], row[j + 1]]);
                if j + 1 < i {
                    triangles.push([above[j], row[j + 1], above[j + 1]]);
                }
            }
            above = row;
        }
    }
    for vertex in &mut vertices {
        // The icosahedron's faces stay away from the origin: the length is never zero.
        *vertex /= vertex.length();
    }
    (vertices, triangles)
}
