//! Every promise of the module, asked of one query at a time; and counts of what was seen.

use std::fmt;
use std::ops::AddAssign;

use isotouch::math::cubic::{CellCubic, HitStatus, bisection, cardano};

use crate::Query;
use crate::exact::{Of, Oracle};
use crate::verdict::{self, Verdict};

/// 2⁻⁵³.
const U: f64 = f64::EPSILON / 2.0;

/// A root is well separated when p falls at least this fast, relative to max|cᵢ − σ|.
const STEEP: f64 = 1e-3;

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tally {
    pub(crate) queries: usize,
    pub(crate) free: usize,
    pub(crate) crossings: usize,
    pub(crate) touches: usize,
    /// Touches that reach zero in truth; the rest are misses by less than the tolerance.
    pub(crate) true_touches: usize,
    pub(crate) starts_inside: usize,
    pub(crate) two_intervals: usize,
    pub(crate) rationals: usize,
    /// Largest error of a well-separated root: it lies in (s, s + worst).
    pub(crate) worst: f64,
    pub(crate) bisection: Verdict,
    pub(crate) cardano: Verdict,
}

impl Tally {
    /// Checks a query, and panics with it where a promise is broken.
    pub(crate) fn check(&mut self, query: &Query) {
        check_coefficients(query, &Oracle::new(query));
        let (oracle, cubic) = (Oracle::new(query), query.cubic());
        let tolerance = oracle.tolerance();
        self.queries += 1;
        self.check_first_hit(query, &cubic, &oracle, tolerance);
        self.check_intervals(query, &cubic, &oracle, tolerance);
        self.rationals += usize::from(oracle.needed_rationals());
    }

    fn check_first_hit(&mut self, query: &Query, cubic: &CellCubic, oracle: &Oracle<'_>, tolerance: f64) {
        let hit = cubic.first_hit();
        assert_eq!(cubic.stays_positive(), hit.is_none(), "{query:?}");
        let Some(hit) = hit else {
            assert!(oracle.is_positive(Of::P, 0.0, (0.0, 1.0)), "false none: {query:?}");
            self.free += 1;
            return;
        };
        assert!((0.0..=1.0).contains(&hit.s), "{hit:?} {query:?}");
        let is_near = oracle.is_positive(Of::MinusP, tolerance, (hit.s, hit.s));
        match hit.status {
            HitStatus::StartsInside => {
                assert!(hit.s == 0.0 && oracle.is_positive(Of::MinusP, 0.0, (0.0, 0.0)), "{query:?}");
                self.starts_inside += 1;
            }
            HitStatus::Crossing => {
                assert!(is_near, "far from σ: {hit:?} {query:?}");
                self.crossings += 1;
                self.measure(hit.s, query, oracle, tolerance);
                self.bisection.judge(hit.s, bisection::first_hit(cubic));
                self.cardano.judge(hit.s, cardano::first_hit(cubic));
            }
            HitStatus::Touch => {
                assert!(is_near, "no touch: {hit:?} {query:?}");
                self.touches += 1;
                if verdict::reaches_zero(oracle) {
                    self.true_touches += 1;
                    self.bisection.judge(hit.s, bisection::first_hit(cubic));
                    self.cardano.judge(hit.s, cardano::first_hit(cubic));
                }
            }
        }
        if hit.s > 0.0 {
            assert!(oracle.is_positive(Of::P, 0.0, (0.0, hit.s)), "late: {hit:?} {query:?}");
        }
    }

    fn check_intervals(&mut self, query: &Query, cubic: &CellCubic, oracle: &Oracle<'_>, tolerance: f64) {
        let (hit, intervals) = (cubic.first_hit(), cubic.intervals());
        self.two_intervals += usize::from(intervals.len() == 2);
        assert_eq!(intervals.is_empty(), hit.is_none(), "{intervals:?} {query:?}");
        if let (Some(hit), Some(first)) = (hit, intervals.first()) {
            assert_eq!(hit.s, first.start, "{query:?}");
            assert_eq!(hit.status != HitStatus::Touch, first.is_certain, "{hit:?} {intervals:?} {query:?}");
        }

        // Gaps are free, closed ends included; so nothing is missed, and intervals are disjoint.
        let mut free_from = 0.0;
        for interval in &*intervals {
            assert!(interval.start <= interval.end, "{intervals:?} {query:?}");
            if interval.start > 0.0 {
                assert!(free_from < interval.start, "{intervals:?} {query:?}");
                assert!(
                    oracle.is_positive(Of::P, 0.0, (free_from, interval.start)),
                    "missed: {intervals:?} {query:?}"
                );
            }
            free_from = interval.end;
        }
        if free_from < 1.0 {
            assert!(oracle.is_positive(Of::P, 0.0, (free_from, 1.0)), "missed: {intervals:?} {query:?}");
        }

        for interval in &*intervals {
            let range = (interval.start, interval.end);
            assert!(oracle.is_positive(Of::MinusP, tolerance, range), "too wide: {intervals:?} {query:?}");
            if interval.is_certain {
                // Not even p + tiny is positive: p goes below zero. 2⁻⁵³ M is less than what certainty asks for.
                let tiny = U * oracle.magnitude;
                assert!(!oracle.is_positive(Of::P, tiny, range), "not certain: {intervals:?} {query:?}");
            } else {
                assert!(oracle.is_positive(Of::P, tolerance, range), "no touch: {intervals:?} {query:?}");
            }
        }
    }

    /// How far before the root a hit lies, to a factor of two, where the root is well separated.
    fn measure(&mut self, s: f64, query: &Query, oracle: &Oracle<'_>, tolerance: f64) {
        if s == 0.0 || oracle.slope(s) > -STEEP * oracle.magnitude {
            return;
        }
        let error = (24..=60)
            .rev()
            .map(|bits| 2f64.powi(-bits))
            .find(|&error| s + error >= 1.0 || oracle.value(s + error) <= 0.0)
            .unwrap_or_else(|| panic!("error beyond 2⁻²⁴: {query:?}"));
        // Two for the steps of `error`, the rest for p that flattens on its way down.
        let allowed = 8.0 * tolerance / (STEEP * oracle.magnitude);
        assert!(error <= allowed, "error {error:e}: {query:?}");
        self.worst = self.worst.max(error);
    }
}

/// The table of the module: 14 uM for coefficients, 127 uM for values; 2 uM more for the oracle's own rounding to an `f64`
/// and terms of second order.
fn check_coefficients(query: &Query, oracle: &Oracle<'_>) {
    if oracle.magnitude < 1e-200 {
        return; // 32 digits underflow there, and signs are checked by rationals.
    }
    let cubic = query.cubic();
    let within = |a: f64, b: f64, bound: f64| (a - b).abs() <= (bound + 2.0) * U * oracle.magnitude;
    for (computed, exact) in cubic.bernstein().into_iter().zip(oracle.bernstein()) {
        assert!(within(computed, exact, 14.0), "{computed:e} is not {exact:e}: {query:?}");
    }
    for s in [0.0, 0.1, 0.375, 2.0 / 3.0, 0.96, 1.0] {
        let (computed, exact) = (cubic.value(s), oracle.value(s));
        assert!(within(computed, exact, 127.0), "p({s}) = {computed:e} is not {exact:e}: {query:?}");
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
        self.two_intervals += other.two_intervals;
        self.rationals += other.rationals;
        self.worst = self.worst.max(other.worst);
        self.bisection += other.bisection;
        self.cardano += other.cardano;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} queries: {} free, {} crossings, {} inside, {} touches ({} reach zero), {} with two intervals; \
             rationals for {}; worst root {:.0e}; bisection {}; Cardano {}",
            self.queries,
            self.free,
            self.crossings,
            self.starts_inside,
            self.touches,
            self.true_touches,
            self.two_intervals,
            self.rationals,
            self.worst,
            self.bisection,
            self.cardano
        )
    }
}
