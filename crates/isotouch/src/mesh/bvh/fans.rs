//! The triangles around vertices that very many share.
//!
//! All their boxes meet at the vertex, so the pairs among them would be as many as the square of their number. But two that meet
//! elsewhere do so in one direction from it. So the directions in which each triangle lies are compared: an arc on the sphere around the
//! vertex, in a box of its own, and boxes are sorted along an axis.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::Bvh;
use crate::mesh::TriMesh;

/// Vertices with more triangles than this are hubs. With fewer, all pairs are soon looked at.
const MOST_AROUND: u32 = 64;
/// No hub.
pub(super) const NO_HUB: u32 = u32::MAX;
/// By which boxes of arcs are larger than the arcs: more than the rounding of directions to `f32`.
const SLACK: f32 = 1e-6;

/// The fans of a mesh.
pub(super) struct Fans {
    /// By vertex; nothing where there are no fans.
    is_hub: Vec<bool>,
    fans: Vec<Fan>,
}

/// One hub and the triangles around it.
struct Fan {
    hub: u32,
    triangles: Vec<u32>,
}

/// The directions in which a triangle lies, seen from the hub.
#[derive(Clone, Copy)]
struct Arc {
    lo: Vec3,
    hi: Vec3,
    triangle: u32,
}

impl Fans {
    /// Of the triangles in a hierarchy.
    pub(super) fn new(bvh: &Bvh, mesh: &TriMesh) -> Self {
        let triangles = || bvh.leaves.iter().flat_map(|leaf| leaf.triangle).filter(|&t| t != u32::MAX);
        let mut around = vec![0u32; mesh.vertices().len()];
        for v in triangles().flat_map(|t| mesh.triangles()[t as usize]) {
            around[v as usize] += 1;
        }
        let hubs: Vec<u32> = (0..around.len() as u32).filter(|&v| around[v as usize] > MOST_AROUND).collect();
        if hubs.is_empty() {
            return Self { is_hub: Vec::new(), fans: Vec::new() };
        }
        let mut is_hub = vec![false; around.len()];
        let mut fans = Vec::with_capacity(hubs.len());
        for hub in hubs {
            is_hub[hub as usize] = true;
            // Now where its triangles are kept.
            around[hub as usize] = fans.len() as u32;
            fans.push(Fan { hub, triangles: Vec::new() });
        }
        for t in triangles() {
            for v in mesh.triangles()[t as usize].into_iter().filter(|&v| is_hub[v as usize]) {
                fans[around[v as usize] as usize].triangles.push(t);
            }
        }
        Self { is_hub, fans }
    }

    /// A hub that all of these triangles have; [`NO_HUB`] without one.
    pub(super) fn common_hub(&self, mesh: &TriMesh, triangles: &[u32]) -> u32 {
        let corners = |t: u32| mesh.triangles()[t as usize];
        let is_common = |v: &u32| triangles.iter().all(|&t| corners(t).contains(v));
        let of_first = triangles.first().filter(|_| !self.fans.is_empty()).map(|&t| corners(t));
        let hubs = of_first.into_iter().flatten().filter(|&v| self.is_hub[v as usize]);
        hubs.into_iter().find(is_common).unwrap_or(NO_HUB)
    }

    /// Whether a pair is one of [`Fans::for_each_close_pair`].
    pub(super) fn hold(&self, mesh: &TriMesh, a: u32, b: u32) -> bool {
        if self.fans.is_empty() {
            return false;
        }
        let (a, b) = (mesh.triangles()[a as usize], mesh.triangles()[b as usize]);
        a.iter().any(|v| self.is_hub[*v as usize] && b.contains(v))
    }

    /// Calls `found` for every pair of triangles with a common hub that may meet elsewhere than there, until told to stop.
    pub(super) fn for_each_close_pair(
        &self,
        mesh: &TriMesh,
        is_cancelled: impl Fn() -> bool + Sync,
        found: impl Fn(u32, u32) + Sync,
    ) {
        for fan in &self.fans {
            let (arcs, axis) = fan.sorted_arcs(mesh);
            (0..arcs.len()).into_par_iter().with_min_len(256).for_each(|k| {
                if k % 256 == 0 && is_cancelled() {
                    return;
                }
                let one = &arcs[k];
                for other in arcs[k + 1..].iter().take_while(|other| other.lo[axis] <= one.hi[axis]) {
                    if one.lo.cmple(other.hi).all() && other.lo.cmple(one.hi).all() {
                        found(one.triangle, other.triangle);
                    }
                }
            });
        }
    }
}

impl Fan {
    /// The arcs of its triangles, sorted along the axis on which they lie farthest apart.
    fn sorted_arcs(&self, mesh: &TriMesh) -> (Vec<Arc>, usize) {
        let hub = mesh.vertices()[self.hub as usize];
        let arc = |&t: &u32| {
            let ends = mesh.triangles()[t as usize].map(|v| direction(mesh.vertices()[v as usize] - hub));
            let mut ends = ends.into_iter().flatten();
            // All in one point, a triangle meets nothing elsewhere.
            let first = ends.next()?;
            Some(Arc::new(first, ends.next().unwrap_or(first), t))
        };
        let mut arcs: Vec<Arc> = self.triangles.iter().filter_map(arc).collect();
        let low = arcs.iter().fold(Vec3::INFINITY, |low, arc| low.min(arc.lo));
        let high = arcs.iter().fold(Vec3::NEG_INFINITY, |high, arc| high.max(arc.lo));
        let axis = (high - low).max_position();
        arcs.sort_unstable_by(|a, b| a.lo[axis].total_cmp(&b.lo[axis]).then(a.triangle.cmp(&b.triangle)));
        (arcs, axis)
    }
}

impl Arc {
    /// Between two directions, the shorter way. Points of the chord are at least |a + b|/2 from the centre, and so those of the arc no
    /// more than 1 − |a + b|/2 from the chord.
    fn new(a: DVec3, b: DVec3, triangle: u32) -> Self {
        let bulge = (1.0 - 0.5 * (a + b).length()) as f32 + SLACK;
        Self { lo: a.min(b).as_vec3() - bulge, hi: a.max(b).as_vec3() + bulge, triangle }
    }
}

/// Of unit length; `None` for none. Scaled first, so that squares neither overflow nor vanish.
fn direction(v: DVec3) -> Option<DVec3> {
    let largest = v.abs().max_element();
    (largest > 0.0).then(|| v / largest)?.try_normalize()
}
