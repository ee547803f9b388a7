//! Many segments at once.

use glam::DVec3;
use rayon::prelude::*;

use super::{CastOptions, Hit, Interval, Segment};
use crate::field::Field;
use crate::math::Aabb;
use crate::math::random::unit;

/// Segments that a thread takes at a time.
const AT_ONCE: usize = 256;

impl Field {
    /// [`Field::first_hit`] of many segments, in parallel.
    pub fn first_hits(&self, segments: &[Segment], iso: f64, options: &CastOptions) -> Vec<Option<Hit>> {
        segments
            .par_iter()
            .with_min_len(AT_ONCE)
            .map(|segment| self.first_hit(segment, iso, options))
            .collect()
    }

    /// [`Field::intervals`] of many segments, in parallel.
    pub fn all_intervals(&self, segments: &[Segment], iso: f64, options: &CastOptions) -> Vec<Vec<Interval>> {
        segments
            .par_iter()
            .with_min_len(AT_ONCE)
            .map(|segment| self.intervals(segment, iso, options))
            .collect()
    }
}

impl Segment {
    /// Segments between random points of a box, the same for the same seed on every machine.
    pub fn random_in(bounds: Aabb, count: usize, seed: u64) -> Vec<Self> {
        let point = |k: u64| {
            let at = DVec3::new(unit(seed, 3 * k), unit(seed, 3 * k + 1), unit(seed, 3 * k + 2));
            bounds.min + at * bounds.extent()
        };
        (0..count as u64).map(|k| Self::new(point(2 * k), point(2 * k + 1))).collect()
    }
}
