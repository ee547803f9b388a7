//! How freely a straight path passes the triangles.

use glam::DVec3;

use super::ray::RayFrame;
use super::{Bvh, LEAF};
use crate::math::Aabb;
use crate::mesh::TriMesh;
use crate::mesh::triangle_pair::closest_on_segments;

/// How freely a straight path passes, freest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Passage {
    /// No triangle comes near.
    Clear,
    /// A triangle's edge comes near, as on both sides of a tear, but none is in the way.
    Tight,
    /// A triangle is in the way.
    Walled,
}

impl Bvh {
    /// How freely one passes from one point to another, with triangles `near` when their edges are no farther than that. A path
    /// that no triangle crosses is nearest to it at an edge or at one of its own ends; how near the ends are, the
    /// caller knows.
    pub(crate) fn passage(&self, mesh: &TriMesh, from: DVec3, to: DVec3, near: f64) -> Passage {
        let Some(frame) = RayFrame::new(from, to - from) else { return Passage::Clear };
        let (low, high) = (from.min(to) - near, from.max(to) + near);
        let mut is_tight = false;
        let is_walled = self.any_in_box(low, high, |triangle| {
            let corners = mesh.corners(triangle as usize);
            let [a, b, c] = corners;
            if a.min(b).min(c).cmpgt(high).any() || a.max(b).max(c).cmplt(low).any() {
                return false;
            }
            if frame.crossing(corners).is_some_and(|(t, _)| t <= 1.0) {
                return true;
            }
            let is_near = |p, q| squared_between([from, to], [p, q]) <= near * near;
            is_tight = is_tight || is_near(a, b) || is_near(b, c) || is_near(c, a);
            false
        });
        match (is_walled, is_tight) {
            (true, _) => Passage::Walled,
            (false, true) => Passage::Tight,
            (false, false) => Passage::Clear,
        }
    }

    /// Whether a triangle lies between two points. Triangles that contain both points' line in their plane do not count.
    pub(crate) fn is_between(&self, mesh: &TriMesh, from: DVec3, to: DVec3) -> bool {
        let Some(frame) = RayFrame::new(from, to - from) else { return false };
        self.any_in_box(from.min(to), from.max(to), |triangle| {
            frame.crossing(mesh.corners(triangle as usize)).is_some_and(|(t, _)| t <= 1.0)
        })
    }

    /// The triangles that lie between two points, in order.
    pub(crate) fn all_between(&self, mesh: &TriMesh, from: DVec3, to: DVec3) -> Vec<u32> {
        let Some(frame) = RayFrame::new(from, to - from) else { return Vec::new() };
        let mut crossed: Vec<(f64, u32)> = Vec::new();
        self.any_in_box(from.min(to), from.max(to), |triangle| {
            let crossing = frame.crossing(mesh.corners(triangle as usize)).filter(|&(t, _)| t <= 1.0);
            crossed.extend(crossing.map(|(t, _)| (t, triangle)));
            false
        });
        crossed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        crossed.into_iter().map(|(_, triangle)| triangle).collect()
    }

    /// Whether any triangle of a leaf that may reach into a box is `wanted`; the first such one ends the search.
    pub(crate) fn any_in_box(&self, low: DVec3, high: DVec3, mut wanted: impl FnMut(u32) -> bool) -> bool {
        let (low, high) = ((low - self.center) * self.scale, (high - self.center) * self.scale);
        let mut stack = vec![self.root];
        while let Some(current) = stack.pop() {
            if current & LEAF == 0 {
                let node = &self.nodes[current as usize];
                for lane in 0..node.used as usize {
                    let is_apart = (0..3).any(|axis| {
                        f64::from(node.lo[axis][lane]) > high[axis]
                            || f64::from(node.hi[axis][lane]) < low[axis]
                    });
                    if !is_apart {
                        stack.push(node.child[lane]);
                    }
                }
                continue;
            }
            let leaf = &self.leaves[(current & !LEAF) as usize];
            if leaf.triangle.iter().any(|&triangle| triangle != u32::MAX && wanted(triangle)) {
                return true;
            }
        }
        false
    }
}

impl Bvh {
    /// Triangles near a box, roughly the nearest first. `visit` says how far from the box others still matter; those farther are passed over.
    pub(crate) fn nearest_first(&self, around: &Aabb, reach: f64, mut visit: impl FnMut(u32) -> f64) {
        let (low, high) = ((around.min - self.center) * self.scale, (around.max - self.center) * self.scale);
        // Boxes are rounded outward, so what is measured to them is too little but for the rounding of this.
        let within = |reach: f64| {
            reach * self.scale * (1.0 + 1e-9) + 1e-12 * (1.0 + low.abs().max(high.abs()).max_element())
        };
        let mut within_reach = within(reach);
        let mut waiting = vec![(0.0, self.root)];
        while let Some((gap, current)) = waiting.pop() {
            if gap > within_reach {
                continue;
            }
            if current & LEAF != 0 {
                let leaf = &self.leaves[(current & !LEAF) as usize];
                for &triangle in leaf.triangle.iter().filter(|&&triangle| triangle != u32::MAX) {
                    within_reach = within(visit(triangle));
                }
                continue;
            }
            let node = &self.nodes[current as usize];
            let first = waiting.len();
            for lane in 0..node.used as usize {
                let apart = |axis: usize| {
                    let below = f64::from(node.lo[axis][lane]) - high[axis];
                    let above = low[axis] - f64::from(node.hi[axis][lane]);
                    below.max(above).max(0.0)
                };
                let gap = DVec3::new(apart(0), apart(1), apart(2)).length();
                if gap <= within_reach {
                    waiting.push((gap, node.child[lane]));
                }
            }
            waiting[first..].sort_by(|a, b| b.0.total_cmp(&a.0));
        }
    }
}

/// The squared distance between two segments; either may be a point.
pub(super) fn squared_between(one: [DVec3; 2], other: [DVec3; 2]) -> f64 {
    let (s, t) = closest_on_segments(one, other);
    // From differences of near points, so that it is exact far from the origin too.
    (one[0] - other[0] + s * (one[1] - one[0]) - t * (other[1] - other[0])).length_squared()
}
