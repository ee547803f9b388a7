//! All contacts.

use glam::DVec3;
use rayon::prelude::*;

use super::first::status_in;
use super::pieces::Span;
use super::spheres::{Doubt, Parts};
use super::{AllContacts, Effort, Question, Sweep, SweepTraversal};
use crate::ccd::segment::{Nearby, add_interval};
use crate::ccd::{HitStatus, Interval};
use crate::math::Motion;

/// Spheres in doubt that are looked at before the rest is shared among threads: many times as many as there are threads.
const SHARES: usize = 512;

/// Points that a thread takes at a time, without the tree.
const AT_ONCE: usize = 1024;

/// When a point is in contact.
#[derive(Debug, Clone, PartialEq)]
pub struct PointContacts {
    /// Its number in the shell.
    pub point: u32,
    /// Every interval, in order.
    pub intervals: Vec<Interval>,
}

/// What was found in one piece.
struct InPiece {
    point: u32,
    piece: u32,
    /// From when on the spheres around the point leave it in doubt: what only a bound tells of does not begin before.
    from: f64,
    /// Its intervals among all that were found.
    first: usize,
    count: usize,
}

/// What one share of the search found.
#[derive(Default)]
struct Found {
    contacts: Vec<InPiece>,
    intervals: Vec<Interval>,
    sphere_tests: u64,
    point_tests: u64,
}

/// What is used again and again.
#[derive(Default)]
struct Scratch {
    nearby: Nearby,
    intervals: Vec<Interval>,
}

impl Found {
    fn add(&mut self, (point, piece): (u32, u32), from: f64, intervals: &[Interval]) {
        if !intervals.is_empty() {
            let (first, count) = (self.intervals.len(), intervals.len());
            self.contacts.push(InPiece { point, piece, from, first, count });
            self.intervals.extend_from_slice(intervals);
        }
    }

    fn append(&mut self, other: Self) {
        let before = self.intervals.len();
        self.contacts.extend(other.contacts.into_iter().map(|of| InPiece { first: before + of.first, ..of }));
        self.intervals.extend_from_slice(&other.intervals);
        self.sphere_tests += other.sphere_tests;
        self.point_tests += other.point_tests;
    }
}

impl Sweep<'_> {
    /// Every contact of every point. A budget is not kept here: what is left out could not be told.
    pub fn contacts(&self, motion: &Motion) -> AllContacts {
        let question = self.question(motion);
        let mut found = match self.options.traversal {
            SweepTraversal::Linear => question.all_of_all(),
            SweepTraversal::Tree => question.all_by_tree(),
        };
        found.contacts.par_sort_unstable_by_key(|of| (of.point, of.piece));
        let effort = Effort {
            sphere_tests: found.sphere_tests,
            point_tests: found.point_tests,
            pieces: question.pieces.count(),
            level: self.shell.levels().len().checked_sub(1),
            is_complete: true,
        };
        AllContacts { points: question.joined(&found), effort }
    }
}

impl Question<'_> {
    fn all_of_all(&self) -> Found {
        let points = self.sweep.shell.points();
        let mut found = Found::default();
        for piece in 0..self.pieces.count() {
            let of_some = |(share, points): (usize, &[DVec3])| {
                let mut of = Found { point_tests: points.len() as u64, ..Default::default() };
                for (&p, point) in points.iter().zip((share * AT_ONCE) as u32..) {
                    let intervals = self.set.intervals(&self.segment(p, piece));
                    let is_known = intervals.iter().all(|interval| interval.status != HitStatus::Bound);
                    let from = if is_known { Some(0.0) } else { self.left_in_doubt(point, piece) };
                    if let Some(from) = from {
                        of.add((point, piece), from, &intervals);
                    }
                }
                of
            };
            let of_all: Vec<Found> = points.par_chunks(AT_ONCE).enumerate().map(of_some).collect();
            of_all.into_iter().for_each(|of| found.append(of));
        }
        found
    }

    fn all_by_tree(&self) -> Found {
        let mut found = Found { sphere_tests: 1, ..Default::default() };
        if self.sweep.shell.is_empty() {
            return found;
        }
        let mut shares: Vec<Doubt> = self.doubt(0, Span::WHOLE, 0.0).into_iter().collect();
        let mut scratch = Scratch::default();
        // Broad before deep, until there is enough for all threads.
        while !shares.is_empty() && shares.len() < SHARES {
            let mut next = Vec::with_capacity(4 * shares.len());
            for doubt in &shares {
                self.look_into(doubt, &mut found, &mut next, &mut scratch);
            }
            shares = next;
        }
        let of_shares: Vec<Found> = shares.par_iter().map(|share| self.all_below(*share)).collect();
        of_shares.into_iter().for_each(|of| found.append(of));
        found
    }

    fn all_below(&self, first: Doubt) -> Found {
        let (mut found, mut scratch) = (Found::default(), Scratch::default());
        let mut waiting = vec![first];
        while let Some(doubt) = waiting.pop() {
            self.look_into(&doubt, &mut found, &mut waiting, &mut scratch);
        }
        found
    }

    /// Asks the points of a leaf, or adds what remains in doubt of a sphere's parts.
    fn look_into(&self, doubt: &Doubt, found: &mut Found, waiting: &mut Vec<Doubt>, scratch: &mut Scratch) {
        match self.parts(doubt) {
            Parts::Times(spans) => {
                found.sphere_tests += 2;
                waiting.extend(spans.into_iter().filter_map(|span| self.doubt(doubt.node, span, doubt.t)));
            }
            Parts::Nodes(nodes) => {
                found.sphere_tests += nodes.len() as u64;
                waiting.extend(nodes.filter_map(|node| self.doubt(node, doubt.span, doubt.t)));
            }
            Parts::None => self.ask_leaf(doubt, found, scratch),
        }
    }

    /// Asks the points of a leaf: first all at once, by its sphere, then each while that leaves it in doubt.
    fn ask_leaf(&self, doubt: &Doubt, found: &mut Found, Scratch { nearby, intervals }: &mut Scratch) {
        let tree = self.sweep.shell.tree();
        let sphere = tree.sphere(doubt.node as usize);
        let piece = doubt.span.index;
        // A little sooner, for times are rounded.
        let from = doubt.span.part(doubt.t) - 1e-9;
        nearby.look(&self.set, &self.segment(sphere.center, piece), sphere.radius, from);
        for place in tree.point_range(doubt.node as usize) {
            nearby.intervals(&self.set, &self.segment(tree.points()[place], piece), intervals);
            found.add((tree.order()[place], piece), doubt.t, intervals);
            found.point_tests += 1;
        }
    }

    /// Contacts of pieces, in order, as those of the whole motion: what goes on from piece to piece is one.
    fn joined(&self, sorted: &Found) -> Vec<PointContacts> {
        let of_point = |pieces: &[InPiece]| {
            let mut intervals: Vec<Interval> = Vec::with_capacity(pieces.iter().map(|of| of.count).sum());
            for of in pieces {
                let span = Span { halvings: self.pieces.halvings, index: of.piece };
                for interval in &sorted.intervals[of.first..of.first + of.count] {
                    let (mut start, end) = (span.time(interval.start), span.time(interval.end));
                    if interval.status == HitStatus::Bound {
                        start = start.max(of.from);
                    }
                    if start > end {
                        continue;
                    }
                    let status = status_in(of.piece, interval.status);
                    add_interval(&mut intervals, Interval { start, end, status });
                }
            }
            PointContacts { point: pieces[0].point, intervals }
        };
        let points = sorted.contacts.chunk_by(|a, b| a.point == b.point).map(of_point);
        points.filter(|of| !of.intervals.is_empty()).collect()
    }
}
