//! Points spread evenly over the area of a surface.
//!
//! The triangles are laid one after the other on a line, each as long as its area, and the line is cut into as many equal
//! parts as there are points; each part gets one (stratified sampling, Cochran 1977, chapter 5). Where in its triangle: how far
//! along the triangle's part of the line says how far from the first corner, and the golden ratio's multiples say where
//! across (a Kronecker sequence), so points are even inside large triangles too.

use glam::DVec3;

use super::TriMesh;
use crate::math::random::unit;

/// A surface to spread points over.
pub(crate) struct Spread<'a> {
    mesh: &'a TriMesh,
    /// Area of all triangles up to and including each one.
    up_to: Vec<f64>,
}

/// Which points.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Draw {
    pub(crate) count: usize,
    pub(crate) seed: u64,
}

impl<'a> Spread<'a> {
    /// The mesh must have an area.
    pub(crate) fn new(mesh: &'a TriMesh) -> Self {
        let mut total = 0.0;
        let area = |triangle| {
            let [a, b, c] = mesh.corners(triangle);
            0.5 * (b - a).cross(c - a).length()
        };
        let up_to = (0..mesh.triangles().len())
            .map(|triangle| {
                total += area(triangle);
                total
            })
            .collect();
        Self { mesh, up_to }
    }

    /// Point `k` of a draw, and its triangle.
    pub(crate) fn point(&self, draw: Draw, k: usize) -> (usize, DVec3) {
        let last = self.up_to.len() - 1;
        let total = self.up_to[last];
        let part = unit(draw.seed, k as u64);
        let along = total * (k as f64 + part) / draw.count as f64;
        let triangle = self.up_to.partition_point(|&end| end <= along).min(last);
        let begin = if triangle == 0 { 0.0 } else { self.up_to[triangle - 1] };
        let fraction = ((along - begin) / (self.up_to[triangle] - begin)).clamp(0.0, 1.0);
        // 1/φ: its multiples modulo 1 are the most even there are.
        let across = (unit(draw.seed, u64::MAX) + k as f64 * 0.618_033_988_749_894_9).fract();
        let [a, b, c] = self.mesh.corners(triangle);
        // The area between a corner and a line parallel to the opposite side grows with the square of their distance.
        (triangle, a + fraction.sqrt() * ((1.0 - across) * (b - a) + across * (c - a)))
    }
}
