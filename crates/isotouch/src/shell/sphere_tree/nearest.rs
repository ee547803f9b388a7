//! The point nearest to a place.

use glam::DVec3;

use super::{Sphere, SphereTree};

/// A point of the tree, and how far it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::shell) struct Nearest {
    /// Its number where it came from.
    pub(in crate::shell) index: u32,
    pub(in crate::shell) distance: f64,
}

impl SphereTree {
    /// The point nearest to `p`, by the number it came with, and its distance; of several at the same distance any, but the same in
    /// every run. `None` without points, and for a `p` that is not finite or so far away that squares overflow.
    pub fn nearest(&self, p: DVec3) -> Option<(u32, f64)> {
        self.nearest_where(p, f64::INFINITY, |_| true).map(|found| (found.index, found.distance))
    }

    /// The nearest of the points that `counts` accepts, by their numbers, if it is nearer than `bound`.
    pub(in crate::shell) fn nearest_where(
        &self,
        p: DVec3,
        bound: f64,
        counts: impl Fn(u32) -> bool,
    ) -> Option<Nearest> {
        if self.spheres.is_empty() {
            return None;
        }
        let mut best = (bound, u32::MAX);
        // At most three siblings wait per depth, and 32-bit counts make fewer than 16 depths.
        let mut stack = [(0.0, 0_usize); 64];
        let mut waiting = 1;
        while waiting > 0 {
            waiting -= 1;
            let (beyond, node) = stack[waiting];
            if beyond >= best.0 {
                continue;
            }
            let children = self.children(node);
            if children.is_empty() {
                for place in self.point_range(node) {
                    let distance = p.distance(self.points[place]);
                    if distance < best.0 && counts(self.order[place]) {
                        best = (distance, self.order[place]);
                    }
                }
                continue;
            }
            let mut within = [(0.0, 0_usize); super::FANOUT];
            let mut count = 0;
            let frame = self.frame(children.start);
            for child in children {
                let beyond = distance_to(&frame.sphere(&self.spheres[child]), p);
                if beyond < best.0 {
                    // The farthest first, so that the nearest is taken from the stack next.
                    let mut k = count;
                    while k > 0 && within[k - 1].0 < beyond {
                        within[k] = within[k - 1];
                        k -= 1;
                    }
                    within[k] = (beyond, child);
                    count += 1;
                }
            }
            stack[waiting..waiting + count].copy_from_slice(&within[..count]);
            waiting += count;
        }
        (best.1 != u32::MAX).then_some(Nearest { index: best.1, distance: best.0 })
    }
}

/// How far a place is at least from all in a sphere; below 0 inside.
#[inline(always)]
fn distance_to(sphere: &Sphere, p: DVec3) -> f64 {
    // The centre and the radius are what they are, the distance may be a few 2⁻⁵³ of itself too large; this is more. The distances of points
    // that it is compared with may be as much too small, which only decides between points that are as near.
    p.distance(sphere.center) * (1.0 - 1e-15) - sphere.radius
}
