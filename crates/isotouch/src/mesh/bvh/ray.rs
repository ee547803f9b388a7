//! Where a ray crosses the mesh.

use glam::DVec3;

use super::{Bvh, LEAF, WIDTH};
use crate::mesh::TriMesh;

/// One crossing of a ray and a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayCrossing {
    /// Where along the ray: `origin + t · direction`, t ≥ 0.
    pub t: f64,
    /// The triangle crossed.
    pub triangle: u32,
    /// True when the ray passes from the front (outside) of the triangle to its back.
    pub entering: bool,
}

impl Bvh {
    /// Every crossing of the ray with the mesh this hierarchy was built from, by increasing t.
    ///
    /// A ray through a shared edge or corner counts as if the origin were moved a hair sideways, the same way for all
    /// triangles: a closed mesh is entered as often as it is left, but for rounding where a ray
    /// passes a corner within a few ulps. Rays inside a triangle's plane do not cross it.
    pub fn ray_crossings(&self, mesh: &TriMesh, origin: DVec3, direction: DVec3) -> Vec<RayCrossing> {
        let Some(frame) = RayFrame::new(origin, direction) else { return Vec::new() };
        let mut crossings = Vec::new();
        let mut stack = vec![self.root];
        while let Some(current) = stack.pop() {
            if current & LEAF == 0 {
                let node = &self.nodes[current as usize];
                for lane in 0..node.used as usize {
                    let corner = |side: &[[f32; WIDTH]; 3]| {
                        DVec3::from_array([0, 1, 2].map(|axis| f64::from(side[axis][lane]))) / self.scale
                            + self.center
                    };
                    if frame.may_hit_box(corner(&node.lo), corner(&node.hi)) {
                        stack.push(node.child[lane]);
                    }
                }
                continue;
            }
            for &triangle in &self.leaves[(current & !LEAF) as usize].triangle {
                if triangle != u32::MAX
                    && let Some((t, entering)) = frame.crossing(mesh.corners(triangle as usize))
                {
                    crossings.push(RayCrossing { t, triangle, entering });
                }
            }
        }
        crossings.sort_by(|a, b| a.t.total_cmp(&b.t).then(a.triangle.cmp(&b.triangle)));
        crossings
    }
}

/// Coordinates in which the ray starts at 0 and runs along +z: a permutation of the axes and a shear (Woop et al. 2013).
pub(super) struct RayFrame {
    origin: DVec3,
    direction: DVec3,
    axes: [usize; 3],
    shear: [f64; 3],
}

impl RayFrame {
    pub(super) fn new(origin: DVec3, direction: DVec3) -> Option<Self> {
        let z = (0..3).max_by(|&i, &j| direction[i].abs().total_cmp(&direction[j].abs()))?;
        if !(origin.is_finite() && direction.is_finite() && direction[z] != 0.0) {
            return None;
        }
        let (mut x, mut y) = ((z + 1) % 3, (z + 2) % 3);
        if direction[z] < 0.0 {
            (x, y) = (y, x);
        }
        let shear = [direction[x] / direction[z], direction[y] / direction[z], 1.0 / direction[z]];
        Some(Self { origin, direction, axes: [x, y, z], shear })
    }

    /// False only when the ray surely misses the box: the slab test on a box grown by its rounding.
    fn may_hit_box(&self, low: DVec3, high: DVec3) -> bool {
        let grow = 1e-12 * (low.abs().max(high.abs()).max(self.origin.abs()).max_element());
        let (mut enter, mut leave) = (0.0f64, f64::INFINITY);
        for axis in 0..3 {
            let (near, far) = (low[axis] - grow - self.origin[axis], high[axis] + grow - self.origin[axis]);
            if self.direction[axis] == 0.0 {
                if near > 0.0 || far < 0.0 {
                    return false;
                }
                continue;
            }
            let (a, b) = (near / self.direction[axis], far / self.direction[axis]);
            enter = enter.max(a.min(b));
            leave = leave.min(a.max(b));
        }
        enter <= leave * (1.0 + 1e-12) + f64::MIN_POSITIVE
    }

    pub(super) fn crossing(&self, corners: [DVec3; 3]) -> Option<(f64, bool)> {
        let [x, y, z] = self.axes;
        let flat = corners.map(|corner| {
            let v = corner - self.origin;
            (v[x] - self.shear[0] * v[z], v[y] - self.shear[1] * v[z], v[z] * self.shear[2])
        });
        let sides = [0, 1, 2].map(|k| side_of_origin(flat[k], flat[(k + 1) % 3]));
        let counter_clockwise = sides.iter().all(|&(left, _)| left);
        if !counter_clockwise && sides.iter().any(|&(left, _)| left) {
            return None;
        }
        // Barycentric weight of each corner is the area of the opposite edge and the origin.
        let total: f64 = sides.iter().map(|s| s.1).sum();
        if total == 0.0 {
            return None;
        }
        let t = (0..3).map(|k| sides[(k + 1) % 3].1 * flat[k].2).sum::<f64>() / total;
        // Seen along the ray, a triangle whose corners run clockwise shows its front.
        (t >= 0.0).then_some((t, !counter_clockwise))
    }
}

/// Whether the 2D origin is left of the edge from `a` to `b`, and twice the signed area. The value is computed for the edge's
/// lexicographic direction, so both triangles at an edge see the same number; 0 counts as left of that direction, as
/// if the origin were moved by (−ε², ε).
fn side_of_origin(a: (f64, f64, f64), b: (f64, f64, f64)) -> (bool, f64) {
    let forward = (a.0, a.1) <= (b.0, b.1);
    let (p, q) = if forward { (a, b) } else { (b, a) };
    let area = p.0 * q.1 - p.1 * q.0;
    if forward { (area >= 0.0, area) } else { (area < 0.0, -area) }
}
