//! Many segments at once.
//!
//! ```text
//! segments ─► sixteen lanes leap side by side ─► free to their end: none
//!                 ▲        │ in an occupied block
//!                 │        ▼
//!                 └──── the queue: the occupied cells on the path are asked, exactly ─► hit
//! ```

use std::ops::Range;

use glam::DVec3;
use rayon::prelude::*;

use super::asking::{self, Outcome};
use super::lanes::{LANES, Lanes, Leaper};
use super::occupied::Occupied;
use super::walk::LevelSet;
use super::{CastOptions, Hit, Interval, Segment};
use crate::field::Field;
use crate::math::Aabb;
use crate::math::random::unit;
use crate::simd::{SimdLevel, multiversioned};

/// Segments that a thread takes at a time.
const AT_ONCE: usize = 2048;
/// Paths that wait to be looked at exactly: few enough to stay in the nearest cache.
const QUEUE: usize = 32;

impl LevelSet<'_> {
    /// Prepared for so many segments that will be asked in batches, if that is worth it. Otherwise it is done when enough were.
    #[must_use]
    pub fn expecting(self, segments: usize) -> Self {
        self.occupied(segments);
        self
    }

    /// [`Field::first_hit`] of many segments, in parallel: the same answers, sooner.
    pub fn first_hits(&self, segments: &[Segment]) -> Vec<Option<Hit>> {
        let simd = self.options.simd.unwrap_or_else(SimdLevel::detect);
        let occupied = self.occupied(segments.len());
        let mut hits = vec![None; segments.len()];
        hits.par_chunks_mut(AT_ONCE).zip(segments.par_chunks(AT_ONCE)).for_each(|(hits, segments)| {
            if let Some(occupied) = occupied {
                hits_of_batch(simd, self, occupied, segments, hits);
            } else {
                for (hit, segment) in hits.iter_mut().zip(segments) {
                    *hit = self.first_hit(segment);
                }
            }
        });
        hits
    }

    /// [`Field::intervals`] of many segments, in parallel.
    pub fn all_intervals(&self, segments: &[Segment]) -> Vec<Vec<Interval>> {
        segments.par_iter().with_min_len(256).map(|segment| self.intervals(segment)).collect()
    }
}

impl Field {
    /// [`LevelSet::first_hits`] of one batch.
    pub fn first_hits(&self, segments: &[Segment], iso: f64, options: &CastOptions) -> Vec<Option<Hit>> {
        self.level_set(iso, options).first_hits(segments)
    }

    /// [`LevelSet::all_intervals`] of one batch.
    pub fn all_intervals(&self, segments: &[Segment], iso: f64, options: &CastOptions) -> Vec<Vec<Interval>> {
        self.level_set(iso, options).all_intervals(segments)
    }
}

multiversioned! {
    fn hits_of_batch<'a>(
        set: &'a LevelSet<'a>,
        occupied: &'a Occupied,
        segments: &'a [Segment],
        hits: &'a mut [Option<Hit>],
    ) = batch_body
}

#[inline(always)]
fn batch_body<'a>(
    set: &'a LevelSet<'a>,
    occupied: &'a Occupied,
    segments: &'a [Segment],
    hits: &'a mut [Option<Hit>],
) {
    let grid = set.field.grid();
    let mut lanes = Lanes::new(occupied, set.overshoot());
    let mut fresh = 0..segments.len() as u32;
    let mut again: Vec<Leaper> = Vec::with_capacity(QUEUE + LANES);
    let mut near: Vec<(u32, f64)> = Vec::with_capacity(QUEUE + LANES);
    let mut open = lanes.idle();
    loop {
        while open != 0 {
            let lane = open.trailing_zeros() as usize % LANES;
            open &= open - 1;
            let path = again.pop().or_else(|| next_fresh(set, segments, &mut fresh, hits));
            lanes.set(lane, path);
        }
        let idle = lanes.idle();
        let has_ended = idle == (1 << LANES) - 1;
        if has_ended && near.is_empty() {
            return;
        }
        if has_ended || near.len() >= QUEUE {
            for (number, t) in near.drain(..) {
                let walk = set.walk(&segments[number as usize]);
                match asking::first_hit(&walk, occupied, t) {
                    Outcome::Done(hit) => hits[number as usize] = hit,
                    Outcome::LeapsFrom(t) => {
                        // Beyond the plane that it came through, or `f32` might find it before that.
                        let t = t + set.overshoot() / walk.track.length;
                        again.extend(Leaper::new(grid, walk.segment, number, t).filter(|_| t < 1.0));
                    }
                }
            }
            open = idle;
            if has_ended {
                continue;
            }
        }
        let landed = lanes.leap();
        let mut landed_near = landed.near & !idle;
        open |= (landed.free & !idle) | landed_near;
        while landed_near != 0 {
            near.push(lanes.path(landed_near.trailing_zeros() as usize % LANES));
            landed_near &= landed_near - 1;
        }
    }
}

/// The next path that can leap. The others are answered at once.
#[inline(always)]
fn next_fresh(
    set: &LevelSet<'_>,
    segments: &[Segment],
    fresh: &mut Range<u32>,
    hits: &mut [Option<Hit>],
) -> Option<Leaper> {
    for k in fresh {
        let segment = &segments[k as usize];
        let leaper = Leaper::new(set.field.grid(), segment, k, 0.0);
        if leaper.is_some() {
            return leaper;
        }
        hits[k as usize] = set.walk(segment).first_hit();
    }
    None
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
