//! What was seen of one kind of queries.

use isotouch::math::cubic::HitStatus;
use serde::{Deserialize, Serialize};

use super::check::{Broken, Means, Outcome};
use super::query::Query;

/// Broken promises kept with their query; of more there is only the number.
const KEPT: usize = 20;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tally {
    pub(crate) queries: u64,
    pub(crate) free: u64,
    pub(crate) crossings: u64,
    pub(crate) touches: u64,
    pub(crate) starts_inside: u64,
    /// Queries that 32 digits decided, and those that only rationals did.
    pub(crate) digits: u64,
    pub(crate) rationals: u64,
    pub(crate) false_none: u64,
    pub(crate) late: u64,
    pub(crate) far: u64,
    pub(crate) not_below: u64,
    pub(crate) torn: u64,
    /// Largest bound on how long after its hit a well-separated contact begins, and the number of that query.
    pub(crate) worst: Option<(f64, u64)>,
    /// In words, the first ones.
    pub(crate) broken: Vec<String>,
}

impl Tally {
    #[inline]
    pub(super) fn add(&mut self, number: u64, query: &Query, outcome: Outcome) {
        self.queries += 1;
        match outcome.status {
            None => self.free += 1,
            Some(HitStatus::Crossing) => self.crossings += 1,
            Some(HitStatus::Touch) => self.touches += 1,
            Some(HitStatus::StartsInside) => self.starts_inside += 1,
        }
        self.digits += u64::from(outcome.means == Means::Digits);
        self.rationals += u64::from(outcome.means == Means::Rationals);
        if let Some(early_by) = outcome.early_by {
            self.note_worst((early_by, number));
        }
        if let Some(broken) = outcome.broken {
            *self.count_of(broken) += 1;
            self.keep(format!("query {number}: {broken:?}, {:?}: {query:?}", outcome.status));
        }
    }

    fn count_of(&mut self, broken: Broken) -> &mut u64 {
        match broken {
            Broken::FalseNone => &mut self.false_none,
            Broken::Late => &mut self.late,
            Broken::Far => &mut self.far,
            Broken::NotBelow => &mut self.not_below,
            Broken::Torn => &mut self.torn,
        }
    }

    fn note_worst(&mut self, candidate: (f64, u64)) {
        if self.worst.is_none_or(|(worst, _)| candidate.0 > worst) {
            self.worst = Some(candidate);
        }
    }

    fn keep(&mut self, broken: String) {
        if self.broken.len() < KEPT {
            self.broken.push(broken);
        }
    }

    /// Promises not kept, of any kind.
    pub(crate) fn broken_count(&self) -> u64 {
        self.false_none + self.late + self.far + self.not_below + self.torn
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.queries += other.queries;
        self.free += other.free;
        self.crossings += other.crossings;
        self.touches += other.touches;
        self.starts_inside += other.starts_inside;
        self.digits += other.digits;
        self.rationals += other.rationals;
        self.false_none += other.false_none;
        self.late += other.late;
        self.far += other.far;
        self.not_below += other.not_below;
        self.torn += other.torn;
        if let Some(worst) = other.worst {
            self.note_worst(worst);
        }
        for broken in &other.broken {
            self.keep(broken.clone());
        }
    }
}
