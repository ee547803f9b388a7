//! Every promise about a segment, asked of one query at a time; and counts of what was seen.

use isotouch::ccd::{HitStatus, Interval};

use crate::exact::{Query, Truth};

/// How late a time may be, relative to itself: a few roundings of t. More would hide a contact that is found too late.
const LATE: f64 = 4.0 * f64::EPSILON;

fn before(t: f64) -> f64 {
    (t * (1.0 - LATE)).next_down().max(0.0)
}

fn after(t: f64) -> f64 {
    (t * (1.0 + LATE)).next_up().min(1.0)
}

#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) free: usize,
    pub(crate) crossings: usize,
    pub(crate) touches: usize,
    pub(crate) starts_inside: usize,
    /// Contacts with ends so clear that both ways along the path must agree on them.
    pub(crate) separated: usize,
    pub(crate) failures: Vec<String>,
}

impl Tally {
    fn demand(&mut self, is_kept: bool, query: &Query, broken: impl FnOnce() -> String) {
        if !is_kept {
            self.failures.push(format!("{}: {query:?}", broken()));
        }
    }

    pub(crate) fn check(&mut self, query: &Query) {
        let truth = Truth::new(query);
        self.check_first_hit(query, &truth);
        self.check_intervals(query, &truth);
        self.check_reversed(query, &truth);
    }

    fn check_first_hit(&mut self, query: &Query, truth: &Truth) {
        let hit = query.touchable().first_hit(&query.segment, query.iso);
        let touches = query.touchable().touches(&query.segment, query.iso);
        self.demand(touches == hit.is_some(), query, || format!("touches is {touches} for {hit:?}"));
        let Some(hit) = hit else {
            self.free += 1;
            self.demand(truth.is_free((0.0, 1.0)), query, || "false none".to_owned());
            return;
        };
        let t = hit.t;
        self.demand((0.0..=1.0).contains(&t) && hit.cell.is_none(), query, || format!("no hit: {hit:?}"));
        self.demand(t == 0.0 || truth.is_free((0.0, before(t))), query, || format!("late: {hit:?}"));
        let off = (hit.point - query.segment.at(t)).abs().max_element();
        self.demand(off <= 1e-15 * query.largest_coordinate(), query, || format!("not there: {hit:?}"));
        let is_unit = hit.normal.is_none_or(|normal| (normal.length() - 1.0).abs() < 1e-12);
        self.demand(is_unit, query, || format!("no direction: {hit:?}"));

        let tolerance = query.tolerance();
        match hit.status {
            HitStatus::StartsInside => {
                self.starts_inside += 1;
                self.demand(t == 0.0 && truth.is_at_most(0.0, 0.0), query, || format!("not inside: {hit:?}"));
            }
            HitStatus::Crossing => {
                self.crossings += 1;
                self.demand(truth.is_near(t, tolerance), query, || format!("off: {hit:?}"));
                self.demand(truth.goes_below(), query, || format!("crosses nothing: {hit:?}"));
            }
            HitStatus::Touch => {
                self.touches += 1;
                self.demand(truth.is_near(t, tolerance), query, || format!("off: {hit:?}"));
            }
            HitStatus::LevelBoundary | HitStatus::Bound => {
                self.demand(false, query, || format!("nothing here has bounds or levels: {hit:?}"));
            }
        }
    }

    /// Contacts hold all of φ ≤ σ, nothing else but for the tolerance, and begin with the first hit.
    fn check_intervals(&mut self, query: &Query, truth: &Truth) {
        let contacts = query.touchable().intervals(&query.segment, query.iso);
        let hit = query.touchable().first_hit(&query.segment, query.iso).map(|hit| (hit.t, hit.status));
        let first = contacts.first().map(|contact| (contact.start, contact.status));
        self.demand(hit == first, query, || format!("the first of {contacts:?} is not {hit:?}"));

        let is_ordered = contacts.iter().all(|c| 0.0 <= c.start && c.start <= c.end && c.end <= 1.0)
            && contacts.windows(2).all(|pair| pair[0].end < pair[1].start);
        self.demand(is_ordered, query, || format!("not in order, or not apart: {contacts:?}"));

        let mut free_from = 0.0;
        for contact in &contacts {
            let gap = (free_from, before(contact.start));
            let is_free = contact.start == 0.0 || gap.0 > gap.1 || truth.is_free(gap);
            self.demand(is_free, query, || format!("missed before {contact:?}"));
            free_from = after(contact.end);
            // φ is convex along the path, so no point between the ends is higher than both.
            let tolerance = query.tolerance();
            let is_contact = [contact.start, contact.end].iter().all(|&t| truth.is_at_most(t, tolerance));
            self.demand(is_contact, query, || format!("{contact:?} is too wide"));
        }
        let is_free = contacts.last().is_some_and(|last| last.end == 1.0) || truth.is_free((free_from, 1.0));
        self.demand(is_free, query, || format!("missed after {contacts:?}"));
    }

    /// The other way along the path, every contact is the same where its ends are clear.
    fn check_reversed(&mut self, query: &Query, truth: &Truth) {
        let reversed = query.reversed();
        let contacts = query.touchable().intervals(&query.segment, query.iso);
        let mirrored = reversed.touchable().intervals(&reversed.segment, reversed.iso);
        let is_clear = |t: f64| t == 0.0 || t == 1.0 || truth.is_steep(t, 0.1);
        let is_whole = |contact: &Interval| contact.start < contact.end;
        let is_small = query.largest_coordinate() < 100.0 * query.size();
        if !is_small || !contacts.iter().all(|c| is_whole(c) && is_clear(c.start) && is_clear(c.end)) {
            return;
        }
        self.separated += usize::from(!contacts.is_empty());
        let is_same = |(a, b): (&Interval, &Interval)| {
            (a.start - (1.0 - b.end)).abs() < 1e-9 && (a.end - (1.0 - b.start)).abs() < 1e-9
        };
        let is_mirror =
            contacts.len() == mirrored.len() && contacts.iter().zip(mirrored.iter().rev()).all(is_same);
        self.demand(is_mirror, query, || format!("{contacts:?}, but {mirrored:?} the other way"));
    }
}
