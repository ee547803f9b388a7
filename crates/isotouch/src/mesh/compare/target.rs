//! The surface that distances are measured to.

use glam::DVec3;

use super::hausdorff::{Nearest, Target};
use crate::mesh::triangle::{self, PlanarTriangle};
use crate::mesh::{Bvh, TriMesh};

/// A surface to measure to: all of it, or one of its triangles.
pub(super) struct Triangles {
    bvh: Bvh,
    triangles: Vec<PlanarTriangle>,
}

impl Triangles {
    pub(super) fn new(mesh: &TriMesh) -> Self {
        let planar = |triangle| PlanarTriangle::new(mesh.corners(triangle)).0;
        Self { bvh: Bvh::new(mesh), triangles: (0..mesh.triangles().len()).map(planar).collect() }
    }
}

impl Target for Triangles {
    fn nearest(&self, p: DVec3) -> Nearest {
        // There is a triangle, and coordinates are small enough: `compare` has checked both.
        let found = self.bvh.closest_point(p).map(|c| Nearest { distance: c.distance, part: c.triangle });
        found.unwrap_or(Nearest { distance: f64::INFINITY, part: 0 })
    }

    fn nearest_from(&self, p: DVec3, candidates: [u32; 2]) -> Nearest {
        let [a, b] =
            candidates.map(|triangle| Nearest { distance: self.to_part(p, triangle), part: triangle });
        let known = if b.distance < a.distance { b } else { a };
        match self.bvh.closest_point_within(p, known.distance) {
            Some(closer) => Nearest { distance: closer.distance, part: closer.triangle },
            None => known,
        }
    }

    fn to_part(&self, p: DVec3, triangle: u32) -> f64 {
        triangle::distance_squared(self.triangles[triangle as usize].0, p.to_array()).sqrt()
    }
}
