//! Winding numbers as the sum of the solid angles of all triangles.
//!
//! The solid angle Ω of a triangle is twice the argument of the complex number den + i·num of Van Oosterom & Strackee
//! (1983). Arguments add up where numbers are multiplied, so instead of an arctangent a triangle one running product is kept, and
//! how often it went around zero: every crossing of the negative real axis is a whole turn.

use glam::DVec3;
use isotouch::mesh::TriMesh;
use rayon::prelude::*;

use super::wide::{self, Kernel};
use super::{LANES, dot, lanes_of, minus};

/// Factors between two rescalings of the product. With the mesh scaled to size 1 a factor is below 10² (for points within
/// 2 of it) and above 10⁻³⁰, so eight of them neither overflow nor vanish.
const FACTORS: usize = 8;

struct Windings<'a> {
    vertices: &'a [[f64; 3]],
    triangles: &'a [[u32; 3]],
    points: &'a [[[f64; LANES]; 3]],
}

impl Kernel for Windings<'_> {
    type Output = Vec<[f64; LANES]>;

    #[inline(always)]
    fn run(self) -> Vec<[f64; LANES]> {
        // Distances from the points to all vertices: a vertex has six triangles, and roots are slow.
        let mut lengths = vec![[0.0; LANES]; self.vertices.len()];
        // A plain loop: the closure of an iterator would not be inlined, and so not be compiled for the wide vectors.
        let mut out = Vec::with_capacity(self.points.len());
        for points in self.points {
            out.push(self.of_lanes(points, &mut lengths));
        }
        out
    }
}

impl Windings<'_> {
    #[inline(always)]
    fn of_lanes(&self, points: &[[f64; LANES]; 3], lengths: &mut [[f64; LANES]]) -> [f64; LANES] {
        for (length, v) in lengths.iter_mut().zip(self.vertices) {
            for lane in 0..LANES {
                let (x, y, z) = (v[0] - points[0][lane], v[1] - points[1][lane], v[2] - points[2][lane]);
                length[lane] = (x * x + y * y + z * z).sqrt();
            }
        }
        let (mut re, mut im, mut turns) = ([1.0; LANES], [0.0; LANES], [0.0; LANES]);
        for triangles in self.triangles.chunks(FACTORS) {
            for corners in triangles {
                let [a, b, c] = corners.map(|v| self.vertices[v as usize]);
                let [la, lb, lc] = corners.map(|v| &lengths[v as usize]);
                for lane in 0..LANES {
                    let p = [points[0][lane], points[1][lane], points[2][lane]];
                    let lengths = [la[lane], lb[lane], lc[lane]];
                    let (den, num) = half_angle([a, b, c], lengths, p);
                    let new_re = re[lane] * den - im[lane] * num;
                    let new_im = re[lane] * num + im[lane] * den;
                    // Both arguments in [0, π] and their sum past π; both in (−π, 0) and their sum at −π or past it.
                    let over = (im[lane] >= 0.0) & (num >= 0.0) & (new_im < 0.0);
                    let under = (im[lane] < 0.0) & (num < 0.0) & (new_im >= 0.0);
                    turns[lane] += if over { 1.0 } else { 0.0 } - if under { 1.0 } else { 0.0 };
                    (re[lane], im[lane]) = (new_re, new_im);
                }
            }
            for lane in 0..LANES {
                let scale = 1.0 / (re[lane].abs() + im[lane].abs());
                re[lane] *= scale;
                im[lane] *= scale;
            }
        }
        // Σ Ω / 4π with Ω = 2·argument.
        std::array::from_fn(|lane| turns[lane] + im[lane].atan2(re[lane]) / std::f64::consts::TAU)
    }
}

/// den and num: tan(Ω/2) = a·(b×c) / (|a||b||c| + (a·b)|c| + (b·c)|a| + (c·a)|b|), corners seen from p.
#[inline(always)]
fn half_angle(corners: [[f64; 3]; 3], lengths: [f64; 3], p: [f64; 3]) -> (f64, f64) {
    let [a, b, c] = [minus(corners[0], p), minus(corners[1], p), minus(corners[2], p)];
    let [la, lb, lc] = lengths;
    let cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
    let den = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
    (den, dot(a, cross))
}

/// How often the mesh winds around each point; positive inside a mesh that is wound outward. Whole numbers, but for
/// rounding, when the mesh is closed. Not for points on the surface.
pub(crate) fn winding_numbers(mesh: &TriMesh, points: &[DVec3]) -> Vec<f64> {
    let bounds = mesh.bounds();
    let (center, scale) = (bounds.center(), 1.0 / bounds.extent().max_element());
    let scaled = |p: DVec3| (p - center) * scale;
    let vertices: Vec<[f64; 3]> = mesh.vertices().iter().map(|&v| scaled(v).to_array()).collect();
    points
        .par_chunks(16 * LANES)
        .flat_map_iter(|task| {
            let scaled: Vec<DVec3> = task.iter().map(|&p| scaled(p)).collect();
            let lanes: Vec<_> = scaled.chunks(LANES).map(lanes_of).collect();
            let windings = Windings { vertices: &vertices, triangles: mesh.triangles(), points: &lanes };
            wide::run(windings).into_iter().flatten().take(task.len())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use isotouch::mesh::{shapes, winding_number};

    use super::*;

    #[test]
    fn agrees_with_arctangents() {
        let knot = shapes::by_name("torus-knot").unwrap();
        let points: Vec<DVec3> =
            (0..200).map(|k| DVec3::new(0.003 * f64::from(k), 0.1, 0.01 * f64::from(k % 7))).collect();
        let inside = winding_numbers(&knot, &points);
        assert!(inside.iter().any(|&w| w > 0.5) && inside.iter().any(|&w| w < 0.5));
        for (&p, w) in points.iter().zip(inside) {
            let expected = winding_number(&knot, p);
            assert!((w - expected).abs() < 1e-9, "{p}: {w}, not {expected}");
        }
    }

    #[test]
    fn twice_around_is_two() {
        let sphere = shapes::by_name("sphere").unwrap();
        let mut triangles = sphere.triangles().to_vec();
        triangles.extend_from_slice(sphere.triangles());
        let twice = TriMesh::new(sphere.vertices().to_vec(), triangles).unwrap();
        let found = winding_numbers(&twice, &[DVec3::new(0.1, 0.0, 0.0), DVec3::new(0.9, 0.0, 0.0)]);
        assert!((found[0] - 2.0).abs() < 1e-9 && found[1].abs() < 1e-9, "{found:?}");
    }
}
