//! How freely a straight path passes the triangles.

use glam::DVec3;

use super::Bvh;
use super::ray::RayFrame;
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
}

/// The squared distance between two segments; either may be a point.
pub(super) fn squared_between(one: [DVec3; 2], other: [DVec3; 2]) -> f64 {
    let (s, t) = closest_on_segments(one, other);
    // From differences of near points, so that it is exact far from the origin too.
    (one[0] - other[0] + s * (one[1] - one[0]) - t * (other[1] - other[0])).length_squared()
}
