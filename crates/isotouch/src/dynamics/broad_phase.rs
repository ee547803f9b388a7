//! Which bodies can meet during a step: boxes sorted along an axis, as they are swept.

use glam::DVec3;

/// A box around a body over a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SweptBox {
    pub(super) low: DVec3,
    pub(super) high: DVec3,
}

impl SweptBox {
    /// Around a sphere of a radius that goes from one place to another. Its centre's curve may bulge; `slack` must cover that.
    pub(super) fn of_sphere(from: DVec3, to: DVec3, reach: f64) -> Self {
        Self { low: from.min(to) - reach, high: from.max(to) + reach }
    }

    fn meets(&self, other: &Self) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }
}

/// Pairs (i < j) of boxes that meet, in order. Sweep and prune along the axis on which boxes are spread the farthest: n·log n, and as many looks as boxes overlap on that axis.
pub(super) fn meeting_pairs(
    boxes: &[SweptBox],
    counts: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
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
            if counts(i, j) && boxes[i].meets(&boxes[j]) {
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
            let boxes: Vec<SweptBox> = spheres
                .iter()
                .map(|(from, way, reach)| {
                    let from = DVec3::from_array(*from);
                    SweptBox::of_sphere(from, from + DVec3::from_array(*way), *reach)
                })
                .collect();
            let counts = |i: usize, j: usize| !(i + j).is_multiple_of(7);
            let mut all = Vec::new();
            for i in 0..boxes.len() {
                for j in i + 1..boxes.len() {
                    if counts(i, j) && boxes[i].meets(&boxes[j]) {
                        all.push((i, j));
                    }
                }
            }
            prop_assert_eq!(meeting_pairs(&boxes, counts), all);
        }
    }
}
