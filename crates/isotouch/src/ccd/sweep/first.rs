//! The first contact.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;
use rayon::prelude::*;

use super::pieces::Span;
use super::spheres::{Doubt, Parts};
use super::{Contact, Effort, FirstContact, Question, Sweep, SweepTraversal};
use crate::ccd::{Hit, HitStatus, Segment};
use crate::math::Motion;

impl Sweep<'_> {
    /// The earliest contact of any point.
    pub fn first_contact(&self, motion: &Motion) -> FirstContact {
        let question = self.question(motion);
        let levels = self.shell.levels();
        let all = Effort {
            pieces: question.pieces.count(),
            level: levels.len().checked_sub(1),
            is_complete: true,
            ..Default::default()
        };
        match (self.options.traversal, self.options.budget) {
            (SweepTraversal::Linear, _) => question.first_of_all(all),
            (SweepTraversal::Tree, None) => {
                let found = question.first_by_tree(u32::MAX, u64::MAX).0;
                FirstContact {
                    effort: Effort { level: all.level, is_complete: true, ..found.effort },
                    ..found
                }
            }
            (SweepTraversal::Tree, Some(budget)) => question.first_within_budget(budget),
        }
    }

    /// The earliest contact of any point that is more than a doubt: in the field's box, where values are known. For when [`Sweep::first_contact`] is a
    /// [`HitStatus::Bound`], which may be no contact. Every point is asked, for spheres cannot tell; no budget is kept.
    pub fn first_known_contact(&self, motion: &Motion) -> Option<Contact> {
        let question = self.question(motion);
        let points = self.shell.points();
        (0..question.pieces.count()).find_map(|piece| {
            let known = |(&p, point): (&DVec3, u32)| {
                let hit = question.set.first_hit_in_box(&question.segment(p, piece))?;
                question.contact(point, piece, hit, 0.0)
            };
            points.par_iter().zip(0..points.len() as u32).filter_map(known).reduce_with(earlier)
        })
    }

    /// [`Sweep::first_contact`] of many motions, in parallel.
    pub fn first_contacts(&self, motions: &[Motion]) -> Vec<FirstContact> {
        motions.par_iter().map(|motion| self.first_contact(motion)).collect()
    }
}

/// The earlier one; of two at one time, that with the lower number.
pub(super) fn earlier(a: Contact, b: Contact) -> Contact {
    match a.hit.t.total_cmp(&b.hit.t).then(a.point.cmp(&b.point)) {
        Ordering::Greater => b,
        Ordering::Less | Ordering::Equal => a,
    }
}

impl Question<'_> {
    /// Every point, piece by piece.
    fn first_of_all(&self, effort: Effort) -> FirstContact {
        let points = self.sweep.shell.points();
        let mut effort = effort;
        for piece in 0..self.pieces.count() {
            let segments: Vec<Segment> = points.par_iter().map(|&p| self.segment(p, piece)).collect();
            let hits = self.set.first_hits(&segments);
            effort.point_tests += segments.len() as u64;
            let contacts = (0..).zip(hits).filter_map(|(point, hit)| {
                let hit = hit?;
                let is_known = hit.status != HitStatus::Bound;
                let from = if is_known { 0.0 } else { self.left_in_doubt(point, piece)? };
                self.contact(point, piece, hit, from)
            });
            if let Some(contact) = contacts.reduce(earlier) {
                return FirstContact { contact: Some(contact), effort };
            }
        }
        FirstContact { contact: None, effort }
    }

    /// A hit of a piece as one of the whole motion; where only a bound tells of it, not before the spheres around the point leave it in doubt.
    pub(super) fn contact(&self, point: u32, piece: u32, hit: Hit, from: f64) -> Option<Contact> {
        let span = Span { halvings: self.pieces.halvings, index: piece };
        let t = span.time(hit.t);
        if hit.status == HitStatus::Bound && t < from {
            return self.contact_from(point, span, from);
        }
        Some(Contact { point, hit: Hit { t, status: status_in(piece, hit.status), ..hit } })
    }

    /// The first contact of a point in a piece, when what only a bound tells of counts from a time on: a doubt that is over by then is none.
    fn contact_from(&self, point: u32, span: Span, from: f64) -> Option<Contact> {
        let segment = self.segment(self.sweep.shell.points()[point as usize], span.index);
        for interval in self.set.intervals(&segment) {
            if interval.status != HitStatus::Bound {
                let hit = self.set.first_hit_in_box(&segment)?;
                let status = status_in(span.index, hit.status);
                return Some(Contact { point, hit: Hit { t: span.time(hit.t), status, ..hit } });
            }
            let (start, end) = (span.time(interval.start).max(from), span.time(interval.end));
            if start <= end {
                let place = segment.at(span.part(start));
                let status = HitStatus::Bound;
                return Some(Contact {
                    point,
                    hit: Hit { t: start, point: place, normal: None, cell: None, status },
                });
            }
        }
        None
    }

    /// The finest level that the budget is enough for.
    fn first_within_budget(&self, budget: u64) -> FirstContact {
        let levels = self.sweep.shell.levels();
        let pieces = self.pieces.count();
        let mut best = FirstContact { contact: None, effort: Effort { pieces, ..Default::default() } };
        for (level, of) in levels.iter().enumerate() {
            let left = budget - best.effort.sphere_tests;
            let (found, is_done) = self.first_by_tree(of.points as u32, left);
            best.effort.sphere_tests += found.effort.sphere_tests;
            best.effort.point_tests += found.effort.point_tests;
            if !is_done {
                break;
            }
            best.contact = found.contact;
            best.effort.level = Some(level);
            best.effort.is_complete = level + 1 == levels.len();
        }
        best
    }

    /// The first contact of the first so many points, and whether the budget was enough. Spheres are looked at in the order of the
    /// times from which on they are in doubt, so none is that need not be; of those in doubt from the same time on, first the one with the least
    /// number: where thousands of points begin inside, a few are asked.
    pub(super) fn first_by_tree(&self, numbers: u32, budget: u64) -> (FirstContact, bool) {
        let shell = self.sweep.shell;
        let least = shell.tree().least_numbers();
        let least = |node: u32| least[node as usize];
        let mut effort = Effort { pieces: self.pieces.count(), ..Default::default() };
        let mut best: Option<Contact> = None;
        // Whether something in doubt from a time on, with numbers from a least one on, may come before the best.
        let is_late = |best: &Option<Contact>, t: f64, least: u32| {
            best.is_some_and(|best| t > best.hit.t || (t == best.hit.t && least > best.point))
        };
        let mut waiting: BinaryHeap<Soonest> = BinaryHeap::new();
        let root = [(0, Span::WHOLE, 0.0)];
        let mut fresh: Vec<(u32, Span, f64)> = if shell.is_empty() { Vec::new() } else { root.to_vec() };
        loop {
            for (node, span, since) in fresh.drain(..) {
                let least = least(node);
                if least >= numbers || is_late(&best, span.time(0.0).max(since), least) {
                    continue;
                }
                if effort.sphere_tests == budget {
                    return (FirstContact { contact: best, effort }, false);
                }
                effort.sphere_tests += 1;
                waiting.extend(self.doubt(node, span, since).map(|doubt| Soonest { doubt, least }));
            }
            let Some(Soonest { doubt: next, least }) = waiting.pop() else { break };
            if is_late(&best, next.t, least) {
                break;
            }
            match self.parts(&next) {
                Parts::Times(spans) => fresh.extend(spans.map(|span| (next.node, span, next.t))),
                Parts::Nodes(nodes) => fresh.extend(nodes.map(|node| (node, next.span, next.t))),
                Parts::None => {
                    for place in shell.tree().point_range(next.node as usize) {
                        let number = shell.tree().order()[place];
                        if number >= numbers || is_late(&best, next.t, number) {
                            continue;
                        }
                        effort.point_tests += 1;
                        let segment = self.segment(shell.tree().points()[place], next.span.index);
                        // A hair more, for the rounding of times.
                        let until = best.map_or(f64::INFINITY, |best| next.span.part(best.hit.t) + 1e-9);
                        if let Some(hit) = self.set.first_hit_until(&segment, until) {
                            let contact = self.contact(number, next.span.index, hit, next.t);
                            best = [best, contact].into_iter().flatten().reduce(earlier);
                        }
                    }
                }
            }
        }
        (FirstContact { contact: best, effort }, true)
    }
}

/// What a piece but the first begins with, it came to in the one before.
pub(super) fn status_in(piece: u32, status: HitStatus) -> HitStatus {
    match status {
        HitStatus::StartsInside if piece > 0 => HitStatus::Crossing,
        other => other,
    }
}

/// Ordered so that the heap gives the soonest first, of several the one with the least number; ties by place, so that the order of the search
/// is always the same.
struct Soonest {
    doubt: Doubt,
    /// Number of its points.
    least: u32,
}

impl Ord for Soonest {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |of: &Self| (of.least, of.doubt.span.halvings, of.doubt.span.index, of.doubt.node);
        other.doubt.t.total_cmp(&self.doubt.t).then_with(|| key(other).cmp(&key(self)))
    }
}

impl PartialOrd for Soonest {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Soonest {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Soonest {}
