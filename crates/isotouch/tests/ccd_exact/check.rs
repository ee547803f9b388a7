//! Every promise about a segment, asked of one query at a time; and counts of what was seen.

use std::fmt;
use std::ops::AddAssign;

use isotouch::ccd::{CastOptions, Hit, HitStatus, Interval, Traversal};
use isotouch::field::Field;

use crate::oracle::cubic::Of;
use crate::path::Path;
use crate::query::Query;

const TRAVERSALS: [Traversal; 5] =
    [Traversal::Uniform, Traversal::Leaves, Traversal::Minima, Traversal::Hierarchy, Traversal::Leap];

/// How late a time may be, relative to itself: a few roundings of t. More would hide a contact that is found too late.
const LATE: f64 = 4.0 * f64::EPSILON;

/// Certainly before `t`, also where it is so small that it has no digits to lose.
fn before(t: f64) -> f64 {
    (t * (1.0 - LATE)).next_down().max(0.0)
}

fn after(t: f64) -> f64 {
    (t * (1.0 + LATE)).next_up().min(1.0)
}

/// Outside the box a path is not followed by shorter steps than this, in cells.
const SHORTEST_STEP: f64 = 1.1e-9;

/// A root is well separated when φ falls at least by this part of the steepness per cell in a unit of t.
const STEEP: f64 = 0.05;

#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    pub(crate) queries: usize,
    pub(crate) free: usize,
    pub(crate) crossings: usize,
    pub(crate) touches: usize,
    /// Touches that reach σ in truth.
    pub(crate) true_touches: usize,
    pub(crate) starts_inside: usize,
    pub(crate) bounds: usize,
    pub(crate) several_contacts: usize,
    pub(crate) separated: usize,
    pub(crate) rationals: usize,
    /// Largest error of t where the root is well separated.
    pub(crate) worst_time: f64,
    /// Largest |φ − σ| at a hit, in units of the steepness per cell.
    pub(crate) worst_value: f64,
    pub(crate) failures: Vec<String>,
}

impl Tally {
    pub(crate) fn check(&mut self, query: &Query<'_>, check: fn(&mut Self, &Query<'_>)) {
        self.queries += 1;
        check(self, query);
    }

    fn demand(&mut self, is_kept: bool, broken: &str, query: &Query<'_>) {
        if !is_kept {
            self.failures.push(format!("{broken}: {query}"));
        }
    }

    /// The first hit, or that there is none.
    pub(crate) fn check_first_hit(&mut self, query: &Query<'_>) {
        let path = query.path();
        let hit = query.first_hit();
        let touches = query.scene.dense.touches(&query.segment, query.iso, &CastOptions::default());
        self.demand(touches == hit.is_some(), &format!("touches is {touches} for {hit:?}"), query);
        match hit {
            None => self.check_free(query, &path),
            Some(hit) => self.check_hit(query, &path, &hit),
        }
        self.rationals += usize::from(path.rationals() > 0);
    }

    /// Every traversal gives the same, to the last bit.
    pub(crate) fn check_traversals(&mut self, query: &Query<'_>) {
        for traversal in TRAVERSALS {
            self.check_same(query, &query.scene.dense, traversal);
        }
    }

    /// And so does a sparse field.
    pub(crate) fn check_storages(&mut self, query: &Query<'_>) {
        let Some(sparse) = &query.scene.sparse else { return };
        for traversal in TRAVERSALS {
            self.check_same(query, sparse, traversal);
        }
    }

    fn check_same(&mut self, query: &Query<'_>, field: &Field, traversal: Traversal) {
        let options = CastOptions { traversal, ..Default::default() };
        let bits = |hit: Option<Hit>| hit.map(|hit| (hit.t.to_bits(), hit.status, hit.cell, hit.point));
        let (expected, hit) = (query.first_hit(), field.first_hit(&query.segment, query.iso, &options));
        let name = format!("{traversal:?} {:?}", field.storage());
        self.demand(bits(hit) == bits(expected), &format!("{name}: {hit:?} is not {expected:?}"), query);
        let batch = field.first_hits(std::slice::from_ref(&query.segment), query.iso, &options);
        self.demand(
            bits(batch[0]) == bits(expected),
            &format!("{name}: in a batch {:?} is not {expected:?}", batch[0]),
            query,
        );
        let touches = field.touches(&query.segment, query.iso, &options);
        self.demand(touches == expected.is_some(), &format!("{name}: touches is {touches}"), query);
        let (expected, contacts) = (query.intervals(), field.intervals(&query.segment, query.iso, &options));
        self.demand(contacts == expected, &format!("{name}: {contacts:?} are not {expected:?}"), query);
    }

    /// The first contact is the first hit.
    pub(crate) fn check_first_contact(&mut self, query: &Query<'_>) {
        let contacts = query.intervals();
        let hit = query.first_hit().map(|hit| (hit.t, hit.status));
        let first = contacts.first().map(|contact| (contact.start, contact.status));
        self.demand(hit == first, &format!("the first of {contacts:?} is not {hit:?}"), query);
    }

    /// A crossing goes below σ, or at least reaches it.
    pub(crate) fn check_crossing(&mut self, query: &Query<'_>) {
        let Some(hit) = query.first_hit().filter(|hit| hit.status == HitStatus::Crossing) else { return };
        self.crossings += 1;
        let path = query.path();
        // On a face of the box, as far as rounding can tell, the exact path may be outside it.
        let is_within = |(from, to): (f64, f64)| from <= hit.t && hit.t <= to;
        let is_on_border = !path.time_inside(query.blur()).is_some_and(is_within);
        let is_free = path.is_free(0.0) && !is_on_border;
        self.demand(!is_free, &format!("crosses nothing: {hit:?}"), query);
    }

    /// Where the field knows nothing, nothing is free.
    pub(crate) fn check_unknown(&mut self, query: &Query<'_>) {
        let path = query.path();
        let hit = query.first_hit();
        let unknown = query.is_unknown(&path, |t| hit.is_none_or(|hit| t < hit.t));
        self.demand(unknown.is_none(), &format!("unknown at {unknown:?}, before {hit:?}"), query);
        let contacts = query.intervals();
        let is_gap = |t: f64| contacts.iter().all(|contact| t < contact.start || contact.end < t);
        let unknown = query.is_unknown(&path, is_gap);
        self.demand(unknown.is_none(), &format!("unknown at {unknown:?}, not in {contacts:?}"), query);
    }

    fn check_free(&mut self, query: &Query<'_>, path: &Path) {
        self.free += 1;
        if !path.is_free(0.0) {
            let truth = format!("false none, contact at {:?}", path.first_contact());
            self.demand(false, &truth, query);
        }
        let below = query.may_be_below(path, |_| true);
        self.demand(below.is_none(), &format!("free, but may be below outside at {below:?}"), query);
    }

    fn check_hit(&mut self, query: &Query<'_>, path: &Path, hit: &Hit) {
        let t = hit.t;
        let tolerance = query.tolerance();
        self.demand((0.0..=1.0).contains(&t), &format!("no time: {hit:?}"), query);
        if t > 0.0 && !path.is_positive(Of::P, 0.0, (0.0, before(t))) {
            self.demand(false, &format!("late: {hit:?}, contact at {:?}", path.first_contact()), query);
        }
        if hit.status == HitStatus::Bound {
            self.bounds += 1;
            let is_outside = path.time_inside(query.blur()).is_none_or(|(from, to)| t < from || t > to);
            self.demand(is_outside, &format!("bound within the box: {hit:?}"), query);
            // Where something is known outside, it is not above σ by more than a step is worth.
            let field = &query.scene.dense;
            let above = field.lower_bound(hit.point) - query.iso;
            let allowed = tolerance + SHORTEST_STEP * query.steepness() + query.rounding_outside();
            let is_doubt = above <= allowed;
            self.demand(
                is_doubt || !field.is_certified_outside(),
                &format!("no doubt by {above:e}: {hit:?}"),
                query,
            );
            return;
        }
        let is_inside = path.time_inside(-query.blur()).is_some_and(|(from, to)| (from..=to).contains(&t));
        self.demand(is_inside, &format!("outside: {hit:?}"), query);
        let off = path.value(query.scene.nodes(), t);
        let (is_at_most, is_near) = (off <= tolerance, off.abs() <= tolerance);
        match hit.status {
            HitStatus::StartsInside => {
                self.starts_inside += 1;
                self.demand(t == 0.0 && is_at_most, &format!("not inside by {off:e}: {hit:?}"), query);
            }
            HitStatus::Crossing => {
                self.crossings += 1;
                self.demand(is_near, &format!("off by {off:e}: {hit:?}"), query);
                self.measure(query, path, t);
            }
            HitStatus::Touch => {
                self.touches += 1;
                self.demand(is_near, &format!("off by {off:e}: {hit:?}"), query);
                self.true_touches += usize::from(!path.is_free(0.0));
            }
            HitStatus::LevelBoundary => self.demand(false, "a dense field has no levels", query),
            HitStatus::Bound => {}
        }
        if hit.status != HitStatus::StartsInside && query.reach() < 100.0 {
            self.worst_value = self.worst_value.max(off.abs() / query.steepness());
        }
    }

    /// How far a time is from the exact one where φ falls through σ.
    fn measure(&mut self, query: &Query<'_>, path: &Path, t: f64) {
        let steepness = query.steepness();
        // It also goes on below, and does not turn at the next plane.
        let goes_on = || !path.is_positive(Of::P, 1e-7 * steepness, (t, (t + 1e-4).min(1.0)));
        if query.reach() > 100.0 || path.fall(t) < STEEP * steepness || !goes_on() {
            return;
        }
        let Some((low, high)) = path.first_contact() else { return };
        // A start within rounding of σ that rises before it falls is a graze, not a root apart from others.
        if path.fall(high) < STEEP * steepness {
            return;
        }
        self.separated += 1;
        let error = (t - low).abs().max((t - high).abs());
        self.demand(error < 1e-9, &format!("{t} is off by {error:e}"), query);
        self.worst_time = self.worst_time.max(error);
    }

    /// Contacts are maximal: none begins where another ends, but for rounding.
    pub(crate) fn check_apart(&mut self, query: &Query<'_>) {
        let contacts = query.intervals();
        let is_apart = |pair: &[Interval]| pair[1].start - pair[0].end > 2.0 * f64::EPSILON;
        self.demand(contacts.windows(2).all(is_apart), &format!("not apart: {contacts:?}"), query);
    }

    /// Contacts hold all of φ ≤ σ, and nothing else but for the tolerance.
    pub(crate) fn check_contacts(&mut self, query: &Query<'_>) {
        let path = &query.path();
        let contacts = query.intervals();
        self.several_contacts += usize::from(contacts.len() > 1);

        let is_ordered = contacts.iter().all(|c| 0.0 <= c.start && c.start <= c.end && c.end <= 1.0)
            && contacts.windows(2).all(|pair| pair[0].end < pair[1].start);
        self.demand(is_ordered, &format!("not in order, or not apart: {contacts:?}"), query);

        let is_gap = |t: f64| contacts.iter().all(|contact| t < contact.start || contact.end < t);
        let below = query.may_be_below(path, is_gap);
        self.demand(below.is_none(), &format!("may be below at {below:?}, not in {contacts:?}"), query);

        let mut free_from = 0.0;
        for contact in &contacts {
            if contact.start > 0.0 {
                let gap = (free_from, before(contact.start));
                let is_free = gap.0 > gap.1 || path.is_positive(Of::P, 0.0, gap);
                self.demand(is_free, &format!("missed in {gap:?} between {contacts:?}"), query);
            }
            free_from = after(contact.end);
        }
        if free_from < 1.0 {
            let is_free = path.is_positive(Of::P, 0.0, (free_from, 1.0));
            self.demand(is_free, &format!("missed after {contacts:?}"), query);
        }

        for contact in &contacts {
            // On the border of the box rounding may put the path outside, where the contact may go on as a bound.
            let Some((from, to)) = path.time_inside(query.blur()) else { continue };
            let range = (contact.start.max(from), contact.end.min(to));
            let is_near = range.0 > range.1 || path.is_positive(Of::MinusP, query.tolerance(), range);
            self.demand(is_near, &format!("{contact:?} too wide in {contacts:?}"), query);
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.queries += other.queries;
        self.free += other.free;
        self.crossings += other.crossings;
        self.touches += other.touches;
        self.true_touches += other.true_touches;
        self.starts_inside += other.starts_inside;
        self.bounds += other.bounds;
        self.several_contacts += other.several_contacts;
        self.separated += other.separated;
        self.rationals += other.rationals;
        self.worst_time = self.worst_time.max(other.worst_time);
        self.worst_value = self.worst_value.max(other.worst_value);
        self.failures.extend(other.failures);
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} queries: {} free, {} crossings, {} inside, {} touches ({} reach σ), {} bounds, {} with several contacts; \
             rationals for {}; worst value {:.1e}; worst of {} separated times {:.1e}; {} failures",
            self.queries,
            self.free,
            self.crossings,
            self.starts_inside,
            self.touches,
            self.true_touches,
            self.bounds,
            self.several_contacts,
            self.rationals,
            self.worst_value,
            self.separated,
            self.worst_time,
            self.failures.len()
        )
    }
}
