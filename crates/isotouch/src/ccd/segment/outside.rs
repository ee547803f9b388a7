//! The path outside the box, where a field knows a lower bound of the distance, or nothing.
//!
//! Two things let a path go on from x, and it takes the longer of both steps. The bound at x changes by no more than L per unit of length. And
//! with π the point of the box nearest to x, the plane through π across x − π has the whole box behind it, and the solid of a mesh with it; the
//! path's height above that plane is linear, so a path along a face, however close, or away from the box is free at once.

use super::Segment;
use crate::field::{Field, SignMethod};
use crate::math::DVec3;

/// Steps after which a path that runs along the bound is not followed any further.
const MOST_STEPS: usize = 10_000;

pub(super) struct Outside<'a> {
    pub(super) field: &'a Field,
    pub(super) segment: &'a Segment,
    pub(super) iso: f64,
}

impl Outside<'_> {
    /// The first time in [from, to] at which contact cannot be excluded.
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
        // Points of the path are off by their rounding, heights above a plane by that and by their own.
        let largest = segment.from.abs().max(segment.to.abs()).max_element();
        let rounding = 8.0 * 2f64.powi(-53) * largest * self.field.lipschitz();
        // Less than what φ changes by in a billionth of a cell is not worth a step.
        let least = 1e-9 * self.field.grid().cell * self.field.lipschitz();
        let mut t = from;
        for _ in 0..MOST_STEPS {
            let at = segment.at(t);
            let clear = self.field.lower_bound(at) - self.iso - rounding;
            // Written so that NaN is in doubt.
            let is_clear = clear > least;
            if !is_clear {
                return Some(t);
            }
            let by_bound = clear / (self.field.lipschitz() * length);
            let by_plane = self.free_above_plane(at, segment.to - segment.from, 4.0 * rounding);
            t += if by_plane > by_bound { by_plane } else { by_bound } * (1.0 - 1e-9);
            // A segment of no length takes an infinite step.
            if t > to {
                return None;
            }
        }
        Some(t)
    }

    /// How long a path with this velocity stays more than σ above the plane that the box is behind, seen from `at`.
    fn free_above_plane(&self, at: DVec3, velocity: DVec3, rounding: f64) -> f64 {
        // Only a mesh is known to end within the box.
        if self.field.sign() == SignMethod::Given {
            return 0.0;
        }
        // Along every axis 0, or with the sign of the side that `at` lies on, whatever was rounded: the box is behind the plane.
        let away = at - self.field.grid().bounds().project(at);
        let height = away.length();
        let falls = -away.dot(velocity) / height;
        let free = height - self.iso - rounding;
        // Written so that NaN, of a point in the box, is nothing.
        let is_free = free > 0.0;
        match is_free {
            true if falls <= 0.0 => f64::INFINITY,
            true => free / falls,
            false => 0.0,
        }
    }
}
