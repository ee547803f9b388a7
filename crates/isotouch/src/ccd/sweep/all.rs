//! All contacts.

use rayon::prelude::*;

use super::first::status_in;
use super::pieces::Span;
use super::spheres::{Doubt, Parts};
use super::{AllContacts, Effort, Question, Sweep, SweepTraversal};
use crate::ccd::{HitStatus, Interval};
use crate::math::Motion;

/// Spheres in doubt that are looked at before the rest is shared among threads: many times as many as there are threads.
const SHARES: usize = 512;

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
    intervals: Vec<Interval>,
}

/// What one share of the search found.
#[derive(Default)]
struct Found {
    contacts: Vec<InPiece>,
    sphere_tests: u64,
    point_tests: u64,
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
        AllContacts { points: question.joined(found.contacts), effort }
    }
}

impl Question<'_> {
    fn all_of_all(&self) -> Found {
        let points = self.sweep.shell.points();
        let mut found = Found::default();
        for piece in 0..self.pieces.count() {
            let in_piece = |(&p, point): (&_, u32)| {
                let of = self.in_piece(point, piece, p)?;
                let is_known = of.intervals.iter().all(|interval| interval.status != HitStatus::Bound);
                let from = if is_known { 0.0 } else { self.left_in_doubt(point, piece)? };
                Some(InPiece { from, ..of })
            };
            found.contacts.par_extend(points.par_iter().zip(0..points.len() as u32).filter_map(in_piece));
            found.point_tests += points.len() as u64;
        }
        found
    }

    fn in_piece(&self, point: u32, piece: u32, p: glam::DVec3) -> Option<InPiece> {
        let intervals = self.set.intervals(&self.segment(p, piece));
        (!intervals.is_empty()).then_some(InPiece { point, piece, from: 0.0, intervals })
    }

    fn all_by_tree(&self) -> Found {
        let mut found = Found { sphere_tests: 1, ..Default::default() };
        if self.sweep.shell.is_empty() {
            return found;
        }
        let mut shares: Vec<Doubt> = self.doubt(0, Span::WHOLE, 0.0).into_iter().collect();
        // Broad before deep, until there is enough for all threads.
        while !shares.is_empty() && shares.len() < SHARES {
            let mut next = Vec::with_capacity(4 * shares.len());
            for doubt in &shares {
                self.look_into(doubt, &mut found, &mut next);
            }
            shares = next;
        }
        let of_shares: Vec<Found> = shares.par_iter().map(|share| self.all_below(*share)).collect();
        for mut of in of_shares {
            found.contacts.append(&mut of.contacts);
            found.sphere_tests += of.sphere_tests;
            found.point_tests += of.point_tests;
        }
        found
    }

    fn all_below(&self, first: Doubt) -> Found {
        let mut found = Found::default();
        let mut waiting = vec![first];
        while let Some(doubt) = waiting.pop() {
            self.look_into(&doubt, &mut found, &mut waiting);
        }
        found
    }

    /// Asks the points of a leaf, or adds what remains in doubt of a sphere's parts.
    fn look_into(&self, doubt: &Doubt, found: &mut Found, waiting: &mut Vec<Doubt>) {
        let tree = self.sweep.shell.tree();
        match self.parts(doubt) {
            Parts::Times(spans) => {
                found.sphere_tests += 2;
                waiting.extend(spans.into_iter().filter_map(|span| self.doubt(doubt.node, span, doubt.t)));
            }
            Parts::Nodes(nodes) => {
                found.sphere_tests += nodes.len() as u64;
                waiting.extend(nodes.filter_map(|node| self.doubt(node, doubt.span, doubt.t)));
            }
            Parts::None => {
                for place in tree.point_range(doubt.node as usize) {
                    let of = self.in_piece(tree.order()[place], doubt.span.index, tree.points()[place]);
                    found.contacts.extend(of.map(|of| InPiece { from: doubt.t, ..of }));
                    found.point_tests += 1;
                }
            }
        }
    }

    /// Contacts of pieces, in order, as those of the whole motion: what goes on from piece to piece is one.
    fn joined(&self, sorted: Vec<InPiece>) -> Vec<PointContacts> {
        let mut points: Vec<PointContacts> = Vec::new();
        for of in sorted {
            let span = Span { halvings: self.pieces.halvings, index: of.piece };
            if points.last().is_none_or(|last| last.point != of.point) {
                points.push(PointContacts { point: of.point, intervals: Vec::new() });
            }
            let Some(PointContacts { intervals, .. }) = points.last_mut() else { continue };
            for interval in of.intervals {
                let (mut start, end) = (span.time(interval.start), span.time(interval.end));
                if interval.status == HitStatus::Bound {
                    start = start.max(of.from);
                }
                if start > end {
                    continue;
                }
                match intervals.last_mut() {
                    Some(last) if start <= last.end => last.end = end.max(last.end),
                    _ => {
                        let status = status_in(of.piece, interval.status);
                        intervals.push(Interval { start, end, status });
                    }
                }
            }
        }
        points.retain(|of| !of.intervals.is_empty());
        points
    }
}
