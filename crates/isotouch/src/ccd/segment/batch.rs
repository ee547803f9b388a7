//! Many segments at once.
//!
//! ```text
//! segments ─► sixteen lanes leap side by side ─► free to their end: none
//!                 ▲        │ near something
//!                 │        ▼
//!                 └──── the queue: its bricks are fetched, then walked cell by cell ─► hit
//! ```

use std::hint::black_box;
use std::ops::{ControlFlow, Range};

use glam::{DVec3, UVec3};
use rayon::prelude::*;

use super::hierarchy::visit_brick;
use super::lanes::{LANES, Lanes, Leaper};
use super::leap::SHORTEST;
use super::piece::{Block, Cells, Cursor};
use super::track::Passage;
use super::walk::{Contact, LevelSet, Walk};
use super::{CastOptions, Hit, HitStatus, Interval, RootMethod, Segment, Traversal};
use crate::field::Field;
use crate::field::storage::bricks::BRICK_NODES;
use crate::math::Aabb;
use crate::math::random::unit;
use crate::simd::{SimdLevel, multiversioned};

/// Segments that a thread takes at a time.
const AT_ONCE: usize = 2048;
/// Paths that wait for their bricks together: enough to hide the way to memory, few enough to stay in the nearest cache.
const QUEUE: usize = 32;
/// How many cells a path must be able to leap to go back to the others.
const WORTH_A_LANE: f64 = 2.0;
/// Values of a cache line.
const LINE: usize = 16;

impl Field {
    /// [`Field::first_hit`] of many segments, in parallel: the same answers, sooner.
    pub fn first_hits(&self, segments: &[Segment], iso: f64, options: &CastOptions) -> Vec<Option<Hit>> {
        let set = LevelSet::new(self, iso, options);
        let is_wide = options.traversal == Traversal::Leap
            && options.root == RootMethod::Certified
            && set.suits_lanes();
        let simd = options.simd.unwrap_or_else(SimdLevel::detect);
        let mut hits = vec![None; segments.len()];
        hits.par_chunks_mut(AT_ONCE).zip(segments.par_chunks(AT_ONCE)).for_each(|(hits, segments)| {
            if is_wide {
                hits_of_batch(simd, &set, segments, hits);
            } else {
                for (hit, segment) in hits.iter_mut().zip(segments) {
                    *hit = set.walk(segment).first_hit();
                }
            }
        });
        hits
    }

    /// [`Field::intervals`] of many segments, in parallel.
    pub fn all_intervals(&self, segments: &[Segment], iso: f64, options: &CastOptions) -> Vec<Vec<Interval>> {
        let set = LevelSet::new(self, iso, options);
        segments.par_iter().with_min_len(256).map(|segment| set.walk(segment).intervals()).collect()
    }
}

multiversioned! {
    fn hits_of_batch<'a>(set: &'a LevelSet<'a>, segments: &'a [Segment], hits: &'a mut [Option<Hit>]) = batch_body
}

/// A path near something, from a time on.
struct Near<'a> {
    segment: u32,
    t: f64,
    cell: UVec3,
    cursor: Cursor<'a>,
}

/// What became of it.
enum Outcome {
    Done(Option<Hit>),
    /// It is free, and far enough from everything to leap again from this time on.
    LeapsFrom(f64),
}

#[inline(always)]
fn batch_body<'a>(set: &'a LevelSet<'a>, segments: &'a [Segment], hits: &'a mut [Option<Hit>]) {
    let walks: Vec<Walk<'a>> = segments.iter().map(|segment| set.walk(segment)).collect();
    let mut lanes = Lanes::new(set.far, set.per_distance);
    let mut fresh = 0..segments.len() as u32;
    let mut again: Vec<Leaper> = Vec::with_capacity(QUEUE);
    let mut near: Vec<Near<'a>> = Vec::with_capacity(QUEUE + LANES);
    let mut open = lanes.idle();
    loop {
        while open != 0 {
            let lane = open.trailing_zeros() as usize % LANES;
            open &= open - 1;
            let path = again.pop().or_else(|| next_fresh(&walks, &mut fresh, hits));
            lanes.set(lane, path);
        }
        let idle = lanes.idle();
        let has_ended = idle == (1 << LANES) - 1;
        if has_ended && near.is_empty() {
            return;
        }
        if has_ended || near.len() >= QUEUE {
            fetch(set, &near);
            for mut path in near.drain(..) {
                let walk = &walks[path.segment as usize];
                match walk_near(walk, &mut path) {
                    Outcome::Done(hit) => hits[path.segment as usize] = hit,
                    Outcome::LeapsFrom(t) => again.push(Leaper::new(walk, path.segment, t)),
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
            let (segment, t) = lanes.path(landed_near.trailing_zeros() as usize % LANES);
            landed_near &= landed_near - 1;
            near.push(approach(&walks[segment as usize], segment, t));
        }
    }
}

/// The next path that can leap. The others are answered at once.
#[inline(always)]
fn next_fresh(walks: &[Walk<'_>], fresh: &mut Range<u32>, hits: &mut [Option<Hit>]) -> Option<Leaper> {
    for k in fresh {
        let walk = &walks[k as usize];
        match walk.time_inside() {
            Some((0.0, 1.0)) if walk.may_leap() => return Some(Leaper::new(walk, k, 0.0)),
            _ => hits[k as usize] = walk.first_hit(),
        }
    }
    None
}

/// Finds the brick that a path is in.
#[inline(always)]
fn approach<'a>(walk: &Walk<'a>, segment: u32, t: f64) -> Near<'a> {
    let mut cursor = walk.cursor(Contact::Ends);
    let cell = walk.track.cell(t);
    if let Cells::Sparse { fine, .. } = &walk.set.cells {
        cursor.look_around(fine, cell);
    }
    if t > 0.0 {
        cursor.came_above();
    }
    Near { segment, t, cell, cursor }
}

/// Reads a value of every cache line of the paths' bricks. Nothing depends on them, so the reads go on side by side.
#[inline(always)]
fn fetch(set: &LevelSet<'_>, near: &[Near<'_>]) {
    let Cells::Sparse { fine, .. } = &set.cells else { return };
    let mut sum = 0.0;
    for path in near {
        for first in path.cursor.firsts() {
            sum += fine.ranges[first / BRICK_NODES][0];
            for value in fine.values[first..first + BRICK_NODES].iter().step_by(LINE) {
                sum += value;
            }
        }
    }
    black_box(sum);
}

/// Walks through bricks until there is a hit, the end, or room to leap.
#[inline(always)]
fn walk_near<'a>(walk: &Walk<'a>, path: &mut Near<'a>) -> Outcome {
    let Near { cursor, t, cell, .. } = path;
    let Some((_, end)) = walk.time_inside() else { return Outcome::Done(walk.first_hit()) };
    let (by, per_cell) = (walk.reach(), 1.0 / walk.track.length);
    let mut first_hit = |block: &Block, passage: &Passage| match walk.hit_within(block, passage) {
        Some(hit) => ControlFlow::Break(hit),
        None => ControlFlow::Continue(()),
    };
    let far = &walk.set.far;
    loop {
        let reach = far.reach_between(&by, walk.track.place(*t), SHORTEST);
        let next = *t + reach * per_cell;
        if reach > SHORTEST && next > *t {
            *t = next;
        } else {
            match visit_brick(walk, cursor, *cell, end, &mut first_hit) {
                // What becomes of a touch, later cells tell.
                ControlFlow::Break(hit) if hit.status == HitStatus::Touch => {
                    return Outcome::Done(walk.first_hit());
                }
                ControlFlow::Break(hit) => return Outcome::Done(Some(hit)),
                ControlFlow::Continue(until) => *t = until,
            }
        }
        if *t >= end {
            return Outcome::Done(None);
        }
        let reach = far.reach(&by, walk.track.place(*t));
        if reach > WORTH_A_LANE {
            // One leap here, so that it goes on even if `f32` finds another node nearest.
            let next = *t + reach * per_cell;
            return if next >= end { Outcome::Done(None) } else { Outcome::LeapsFrom(next) };
        }
        *cell = walk.track.cell(*t);
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
