//! The path outside the box, where a field knows a lower bound of the distance, or nothing.

use super::Segment;
use crate::field::Field;

/// Steps after which a path that runs along the bound is not followed any further.
const MOST_STEPS: usize = 10_000;

pub(super) struct Outside<'a> {
    pub(super) field: &'a Field,
    pub(super) segment: &'a Segment,
    pub(super) iso: f64,
}

impl Outside<'_> {
    /// The first time in [from, to] at which contact cannot be excluded. The distance changes by L per unit of length at most, so
    /// from where it is known to be above σ the path is free for the rest over L.
    pub(super) fn first_doubt(&self, from: f64, to: f64) -> Option<f64> {
        self.follow(self.segment, from, to)
    }

    /// From when to when in [from, to] contact cannot be excluded.
    pub(super) fn doubt(&self, from: f64, to: f64) -> Option<(f64, f64)> {
        let first = self.first_doubt(from, to)?;
        let back = self.follow(&self.segment.reversed(), 1.0 - to, 1.0 - from);
        let last = match back {
            // At its very beginning: the end itself, not what rounding makes of it.
            Some(t) if t == 1.0 - to => to,
            Some(t) => (1.0 - t).clamp(first, to),
            None => first,
        };
        Some((first, last))
    }

    fn follow(&self, segment: &Segment, from: f64, to: f64) -> Option<f64> {
        if !self.field.is_certified_outside() {
            return Some(from);
        }
        let length = segment.from.distance(segment.to);
        if !length.is_finite() || !segment.from.is_finite() || !segment.to.is_finite() {
            return Some(from);
        }
        // Points of the path are off by their rounding.
        let largest = segment.from.abs().max(segment.to.abs()).max_element();
        let rounding = 8.0 * 2f64.powi(-53) * largest * self.field.lipschitz();
        // Less than this is not worth a step.
        let least = 1e-9 * self.field.grid().cell;
        let mut t = from;
        for _ in 0..MOST_STEPS {
            let clear = self.field.lower_bound(segment.at(t)) - self.iso - rounding;
            // Written so that NaN is in doubt.
            let is_clear = clear > least;
            if !is_clear {
                return Some(t);
            }
            t += clear / (self.field.lipschitz() * length) * (1.0 - 1e-9);
            // A segment of no length takes an infinite step.
            if t > to {
                return None;
            }
        }
        Some(t)
    }
}
