//! Every contact of a path.

use std::ops::ControlFlow;

use super::piece::Block;
use super::track::Passage;
use super::walk::{Contact, Walk};
use super::{HitStatus, through};

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
        self.add_intervals(&mut all);
        all
    }

    pub(super) fn add_intervals(&self, all: &mut Vec<Interval>) {
        let Some((enters, leaves)) = self.time_inside() else {
            self.add_doubt((0.0, 1.0), all);
            return;
        };
        if enters > 0.0 {
            self.add_doubt((0.0, enters), all);
        }
        self.visit::<()>(Contact::IsOne, |block, passage| {
            self.add_contacts(block, passage, all);
            ControlFlow::Continue(())
        });
        if leaves < 1.0 {
            self.add_doubt((leaves, 1.0), all);
        }
    }

    /// What cannot be excluded while the path is outside the box.
    pub(super) fn add_doubt(&self, (from, to): (f64, f64), all: &mut Vec<Interval>) {
        if let Some((start, end)) = self.outside().doubt(from, to) {
            add(all, Interval { start, end, status: HitStatus::Bound });
        }
    }

    /// Contacts while the path is in the box, from a time on until another, and perhaps a little longer. Leaps must be allowed.
    #[inline(always)]
    pub(super) fn add_contacts_during(&self, time: (f64, f64), all: &mut Vec<Interval>) {
        through::visit_during::<()>(self, time, |block, passage| {
            self.add_contacts(block, passage, all);
            ControlFlow::Continue(())
        });
    }

    #[inline(always)]
    fn add_contacts(&self, block: &Block, passage: &Passage, all: &mut Vec<Interval>) {
        // Most cells within the solid need no cubic: it would be below σ throughout.
        if block.known.is_below(self.surely_below()) {
            let status = self.begins_inside(passage.from);
            add(all, Interval { start: passage.from, end: passage.to, status });
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

/// Adds a contact, or lengthens the last one where it goes on. One that is over before the last begins is there already: cells in which one stretch of
/// a path ends and the next begins are visited twice.
pub(crate) fn add(all: &mut Vec<Interval>, next: Interval) {
    match all.last_mut() {
        Some(last) if next.end < last.start => {}
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

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(start: f64, end: f64, status: HitStatus) -> Interval {
        Interval { start, end, status }
    }

    #[test]
    fn what_goes_on_is_one_contact_and_what_is_told_twice_changes_nothing() {
        use HitStatus::{Bound, Crossing, Touch};
        let mut all = Vec::new();
        add(&mut all, interval(0.1, 0.2, Crossing));
        add(&mut all, interval(0.4, 0.4, Touch));
        let told = all.clone();
        // The cell of the first again: that it goes below says nothing about the touch.
        add(&mut all, interval(0.1, 0.2, Crossing));
        assert_eq!(all, told);
        // A touch that goes on below is a crossing; a doubt does not prove that.
        add(&mut all, interval(0.4, 0.5, Bound));
        assert_eq!(all[1], interval(0.4, 0.5, Touch));
        add(&mut all, interval(0.5, 0.6, Crossing));
        assert_eq!(all, [told[0], interval(0.4, 0.6, Crossing)]);
    }
}
