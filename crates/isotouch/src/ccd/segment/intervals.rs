//! Every contact of a path.

use std::ops::ControlFlow;

use super::HitStatus;
use super::piece::{Block, Known};
use super::track::Passage;
use super::walk::{Contact, Walk};

/// A maximal time during which φ ≤ σ, or during which that cannot be excluded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// When it begins.
    pub start: f64,
    /// When it ends.
    pub end: f64,
    /// What is known about its beginning.
    pub status: HitStatus,
}

impl Walk<'_> {
    pub(super) fn intervals(&self) -> Vec<Interval> {
        let mut all = Vec::new();
        let bound = |(start, end): (f64, f64)| Interval { start, end, status: HitStatus::Bound };
        let Some((enters, leaves)) = self.time_inside() else {
            all.extend(self.outside().doubt(0.0, 1.0).map(bound));
            return all;
        };
        if enters > 0.0 {
            all.extend(self.outside().doubt(0.0, enters).map(bound));
        }
        self.visit::<()>(Contact::IsOne, |block, passage| {
            self.add_contacts(block, passage, &mut all);
            ControlFlow::Continue(())
        });
        if leaves < 1.0
            && let Some(doubt) = self.outside().doubt(leaves, 1.0)
        {
            add(&mut all, bound(doubt));
        }
        all
    }

    fn add_contacts(&self, block: &Block, passage: &Passage, all: &mut Vec<Interval>) {
        if let Known::Beyond { is_inside } = block.known {
            if is_inside {
                let status = self.begins_inside(passage.from);
                add(all, Interval { start: passage.from, end: passage.to, status });
            }
            return;
        }
        let Some(cubic) = self.cubic(block, passage) else { return };
        for interval in cubic.intervals().iter() {
            let time = |s: f64| match s {
                1.0 => passage.to,
                _ => (passage.from + s * (passage.to - passage.from)).min(passage.to),
            };
            let is_inside = interval.start == 0.0 && self.is_surely_below(cubic.bernstein()[0], &cubic);
            let status = if is_inside {
                self.begins_inside(passage.from)
            } else if interval.is_certain && self.goes_below(block, passage, interval) {
                HitStatus::Crossing
            } else {
                HitStatus::Touch
            };
            add(all, Interval { start: time(interval.start), end: time(interval.end), status });
        }
    }
}

/// Adds a contact, or lengthens the last one where it goes on.
fn add(all: &mut Vec<Interval>, next: Interval) {
    match all.last_mut() {
        Some(last) if next.start <= last.end => {
            last.end = last.end.max(next.end);
            // A touch that goes below in a later cell. A doubt outside the box proves nothing.
            let goes_below = !matches!(next.status, HitStatus::Touch | HitStatus::Bound);
            if last.status == HitStatus::Touch && goes_below {
                last.status = HitStatus::Crossing;
            }
        }
        _ => all.push(next),
    }
}
