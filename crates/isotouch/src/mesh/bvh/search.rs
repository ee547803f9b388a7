//! Triangles in a box, or near one.

use glam::DVec3;

use super::{Bvh, LEAF};
use crate::math::Aabb;

impl Bvh {
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
