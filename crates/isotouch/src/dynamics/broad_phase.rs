//! Which bodies can meet during a step: boxes sorted along an axis, as they are swept.

use glam::DVec3;

/// A box around a body over a step.
#[derive(Debug, Clone, Copy, PartialEq)]
struct SweptBox {
    low: DVec3,
    high: DVec3,
}

impl SweptBox {
    fn meets(&self, other: &Self) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }
}

/// A sphere around a body that goes straight from one place to another in a step. What its way bulges by its radius must cover.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SweptSphere {
    pub(super) from: DVec3,
    pub(super) to: DVec3,
    pub(super) radius: f64,
}

impl SweptSphere {
    fn bounds(&self) -> SweptBox {
        let Self { from, to, radius } = *self;
        SweptBox { low: from.min(to) - radius, high: from.max(to) + radius }
    }

    /// Whether they touch at any time. Boxes of spheres meet about twice as often.
    fn meets(&self, other: &Self) -> bool {
        let from = self.from - other.from;
        let way = self.to - other.to - from;
        // When they are nearest; NaN, of two that do not move against each other, is any time.
        let t = (-from.dot(way) / way.length_squared()).clamp(0.0, 1.0);
        let nearest = if t.is_nan() { from } else { from + t * way };
        nearest.length() <= self.radius + other.radius
    }
}

/// Pairs (i < j) of spheres that meet, in order.
pub(super) fn meeting_spheres(
    spheres: &[SweptSphere],
    counts: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let boxes: Vec<SweptBox> = spheres.iter().map(SweptSphere::bounds).collect();
    meeting_pairs(&boxes, |i, j| counts(i, j) && spheres[i].meets(&spheres[j]))
}

/// Pairs (i < j) of boxes that meet, in order. Sweep and prune along the axis on which boxes are spread the farthest: n·log n, and as many looks as boxes overlap on that axis.
fn meeting_pairs(boxes: &[SweptBox], counts: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
    let mean =
        |of: &dyn Fn(&SweptBox) -> DVec3| boxes.iter().map(of).sum::<DVec3>() / boxes.len().max(1) as f64;
    let center = |b: &SweptBox| 0.5 * (b.low + b.high);
    let (first, second) = (mean(&|b| center(b)), mean(&|b| center(b) * center(b)));
    let spread = second - first * first;
    let axis = (0..3).max_by(|&a, &b| spread[a].total_cmp(&spread[b])).unwrap_or(0);
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    order.sort_unstable_by(|&a, &b| boxes[a].low[axis].total_cmp(&boxes[b].low[axis]).then(a.cmp(&b)));
    let mut pairs = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for &next in &order {
        open.retain(|&other| boxes[other].high[axis] >= boxes[next].low[axis]);
        for &other in &open {
            let (i, j) = (other.min(next), other.max(next));
            if boxes[i].meets(&boxes[j]) && counts(i, j) {
                pairs.push((i, j));
            }
        }
        open.push(next);
    }
    pairs.sort_unstable();
    pairs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pairs_are_those_of_all_against_all(
            spheres in prop::collection::vec((prop::array::uniform3(-5.0..5.0f64), prop::array::uniform3(-1.0..1.0f64), 0.0..1.0f64), 0..40)
        ) {
            let spheres: Vec<SweptSphere> = spheres
                .iter()
                .map(|(from, way, radius)| {
                    let from = DVec3::from_array(*from);
                    SweptSphere { from, to: from + DVec3::from_array(*way), radius: *radius }
                })
                .collect();
            let boxes: Vec<SweptBox> = spheres.iter().map(SweptSphere::bounds).collect();
            let counts = |i: usize, j: usize| !(i + j).is_multiple_of(7);
            let mut all = Vec::new();
            for i in 0..boxes.len() {
                for j in i + 1..boxes.len() {
                    if counts(i, j) && boxes[i].meets(&boxes[j]) {
                        all.push((i, j));
                    }
                }
            }
            prop_assert_eq!(meeting_pairs(&boxes, counts), all.clone());
            // At many times: whatever touches at one of them is found, and what is found is near at one of them.
            let found = meeting_spheres(&spheres, counts);
            for (i, j) in all {
                let (a, b) = (&spheres[i], &spheres[j]);
                let gap = |k: i32| {
                    let t = f64::from(k) / 1000.0;
                    a.from.lerp(a.to, t).distance(b.from.lerp(b.to, t)) - a.radius - b.radius
                };
                let least = (0..=1000).map(gap).fold(f64::INFINITY, f64::min);
                prop_assert!(least > 0.0 || found.contains(&(i, j)), "{least}");
                prop_assert!(least < 0.01 || !found.contains(&(i, j)), "{least}");
            }
        }
    }
}
