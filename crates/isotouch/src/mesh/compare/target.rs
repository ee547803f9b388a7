//! The surface that distances are measured to.

use glam::DVec3;

use crate::mesh::triangle::{self, PlanarTriangle};
use crate::mesh::{Bvh, TriMesh};

/// A surface to measure to: all of it, or one of its triangles.
pub(super) struct Target {
    bvh: Bvh,
    triangles: Vec<PlanarTriangle>,
}

/// The distance of a point, and the triangle it is to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nearest {
    pub(super) distance: f64,
    pub(super) triangle: u32,
}

impl Target {
    pub(super) fn new(mesh: &TriMesh) -> Self {
        let planar = |triangle| PlanarTriangle::new(mesh.corners(triangle)).0;
        Self { bvh: Bvh::new(mesh), triangles: (0..mesh.triangles().len()).map(planar).collect() }
    }

    /// The distance of `p` to the surface.
    pub(super) fn nearest(&self, p: DVec3) -> Nearest {
        // There is a triangle, and coordinates are small enough: `compare` has checked both.
        let found = self.bvh.closest_point(p).map(|c| Nearest { distance: c.distance, triangle: c.triangle });
        found.unwrap_or(Nearest { distance: f64::INFINITY, triangle: 0 })
    }

    /// The distance of `p` to the surface. One of `candidates` is likely to be the nearest triangle, or almost.
    pub(super) fn nearest_from(&self, p: DVec3, candidates: [u32; 2]) -> Nearest {
        let [a, b] = candidates.map(|triangle| Nearest { distance: self.to_triangle(p, triangle), triangle });
        let known = if b.distance < a.distance { b } else { a };
        match self.bvh.closest_point_within(p, known.distance) {
            Some(closer) => Nearest { distance: closer.distance, triangle: closer.triangle },
            None => known,
        }
    }

    /// The distance of `p` to one triangle.
    pub(super) fn to_triangle(&self, p: DVec3, triangle: u32) -> f64 {
        triangle::distance_squared(self.triangles[triangle as usize].0, p.to_array()).sqrt()
    }
}
