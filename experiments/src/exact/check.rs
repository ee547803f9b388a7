//! What the library says about a query, and whether it is true.

use isotouch::math::cubic::HitStatus;

use super::enclosure::Enclosure;
use super::query::Query;
use super::truth::{Of, Oracle};

/// A root is well separated when p falls at least this fast there, relative to max|cᵢ − σ|.
const STEEP: f64 = 1e-3;

/// How a query came out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outcome {
    /// `None` is the claim that there is no contact.
    pub(super) status: Option<HitStatus>,
    /// The first promise that was not kept.
    pub(super) broken: Option<Broken>,
    pub(super) means: Means,
    /// The contact begins no later than this after the time of a hit, as a part of the piece; only for well-separated roots.
    pub(super) early_by: Option<f64>,
}

/// Promises of the module, not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Broken {
    /// No contact, it says, and there is one.
    FalseNone,
    /// There is contact before the hit.
    Late,
    /// p is above the tolerance at the hit.
    Far,
    /// It says that p goes below zero, or begins there, and it does not.
    NotBelow,
    /// `stays_positive` and `first_hit` say different things.
    Torn,
}

/// What it took to know the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Means {
    Enclosure,
    Digits,
    Rationals,
}

/// Knows the truth, and is only as slow as it must be.
struct Truth<'a> {
    query: &'a Query,
    enclosure: Enclosure,
    oracle: Option<Oracle<'a>>,
}

impl<'a> Truth<'a> {
    fn oracle(&mut self) -> &Oracle<'a> {
        self.oracle.get_or_insert_with(|| Oracle::new(self.query))
    }

    /// Whether p > 0 on a whole part.
    fn is_positive(&mut self, start: f64, end: f64) -> bool {
        match self.enclosure.is_positive(start, end) {
            Some(answer) => answer,
            None => self.oracle().is_positive(Of::P, 0.0, (start, end)),
        }
    }

    /// Whether p(s) is below a bound.
    fn is_below(&mut self, bound: f64, s: f64) -> bool {
        let [least, most] = self.enclosure.value(s);
        match (most < bound, least >= bound) {
            (true, _) => true,
            (_, true) => false,
            _ => self.oracle().is_positive(Of::MinusP, bound, (s, s)),
        }
    }

    /// Whether p ≤ 0 somewhere from here on; p < 0 is what crossings promise, and they differ by a single place.
    fn goes_below(&mut self, start: f64) -> bool {
        self.enclosure.goes_below(start) || !self.oracle().is_positive(Of::P, 0.0, (start, 1.0))
    }

    /// A bound on how long after s the contact begins, where the root is well separated.
    fn early_by(&mut self, s: f64) -> Option<f64> {
        let slope = -self.enclosure.slope(s);
        if s == 0.0 || slope < STEEP * self.enclosure.magnitude {
            return None;
        }
        let step = self.enclosure.value(s)[1] / slope;
        let is_reached = |late: f64| s + late >= 1.0 || self.enclosure.value(s + late)[1] <= 0.0;
        let proven = [1.125, 1.25, 1.5, 2.0, 4.0]
            .into_iter()
            .map(|factor| factor * step)
            .find(|&late| is_reached(late));
        proven.or_else(|| {
            let oracle = self.oracle();
            (8..=60)
                .rev()
                .map(|bits| 2f64.powi(-bits))
                .find(|late| s + late >= 1.0 || oracle.value(s + late) <= 0.0)
        })
    }

    fn means(&self) -> Means {
        match &self.oracle {
            None => Means::Enclosure,
            Some(oracle) if oracle.needed_rationals() => Means::Rationals,
            Some(_) => Means::Digits,
        }
    }
}

#[inline]
pub(super) fn check(query: &Query) -> Outcome {
    let cubic = query.cubic();
    let hit = cubic.first_hit();
    let mut truth = Truth { query, enclosure: Enclosure::new(query), oracle: None };
    let mut early_by = None;
    let broken = match hit {
        _ if cubic.stays_positive() != hit.is_none() => Some(Broken::Torn),
        None => (!truth.is_positive(0.0, 1.0)).then_some(Broken::FalseNone),
        Some(hit) if !(0.0..=1.0).contains(&hit.s) => Some(Broken::Far),
        Some(hit) if hit.s > 0.0 && !truth.is_positive(0.0, hit.s) => Some(Broken::Late),
        // 2⁻⁴³ M, and 2⁻¹⁰¹⁷ for underflow, by the module's words.
        Some(hit) if !truth.is_below(tolerance(truth.enclosure.magnitude), hit.s) => Some(Broken::Far),
        Some(hit) => match hit.status {
            HitStatus::StartsInside => {
                (hit.s != 0.0 || !truth.is_below(0.0, 0.0)).then_some(Broken::NotBelow)
            }
            HitStatus::Crossing => {
                early_by = truth.early_by(hit.s);
                (!truth.goes_below(hit.s)).then_some(Broken::NotBelow)
            }
            HitStatus::Touch => None,
        },
    };
    Outcome { status: hit.map(|hit| hit.status), broken, means: truth.means(), early_by }
}

fn tolerance(magnitude: f64) -> f64 {
    2f64.powi(-43) * magnitude + 2f64.powi(-1017)
}

#[cfg(test)]
mod tests {
    use super::super::query;
    use super::*;
    use glam::DVec3;

    #[test]
    fn the_enclosure_never_contradicts_the_slow_oracle() {
        let mut decided = 0;
        for number in 0..20_000 {
            let query = query(number);
            let (enclosure, oracle) = (Enclosure::new(&query), Oracle::new(&query));
            let ends = [0.0, 0.3, 0.71, 1.0];
            for (k, &start) in ends.iter().enumerate() {
                for &end in &ends[k..] {
                    if let Some(answer) = enclosure.is_positive(start, end) {
                        assert_eq!(answer, oracle.is_positive(Of::P, 0.0, (start, end)), "query {number}");
                        decided += 1;
                    }
                }
                let [least, most] = enclosure.value(start);
                assert!(!oracle.is_positive(Of::MinusP, least, (start, start)), "query {number}");
                assert!(oracle.is_positive(Of::MinusP, most.next_up(), (start, start)), "query {number}");
            }
            if enclosure.goes_below(0.3) {
                assert!(!oracle.is_positive(Of::P, 0.0, (0.3, 1.0)), "query {number}");
            }
        }
        assert!(decided > 150_000, "{decided}");
    }

    #[test]
    fn what_is_not_so_is_noticed() {
        // 3 (s − ½)² on the diagonal, touched at ½.
        let b = [0.75, -0.25, -0.25, 0.75];
        let corners = std::array::from_fn(|k: usize| b[k.count_ones() as usize]);
        let query = Query { corners, entry: DVec3::ZERO, exit: DVec3::ONE, iso: 0.0 };
        let mut truth = Truth { query: &query, enclosure: Enclosure::new(&query), oracle: None };
        assert!(!truth.is_positive(0.0, 1.0) && truth.means() == Means::Rationals);
        assert!(truth.is_positive(0.0, 0.5f64.next_down()) && !truth.is_positive(0.0, 0.5));
        assert!(truth.is_below(1e-9, 0.5) && !truth.is_below(0.7, 0.0));
        assert!(truth.goes_below(0.25) && !truth.goes_below(0.75));
    }

    #[test]
    fn how_early_a_hit_is_has_a_bound_that_holds() {
        // p = ½ − s.
        let corners = std::array::from_fn(|k: usize| 0.5 - (k & 1) as f32);
        let query = Query { corners, entry: DVec3::ZERO, exit: DVec3::X, iso: 0.0 };
        let mut truth = Truth { query: &query, enclosure: Enclosure::new(&query), oracle: None };
        for early in [1e-12, 1e-6, 0.01] {
            let bound = truth.early_by(0.5 - early).unwrap();
            assert!(bound >= early && bound < 1.3 * early, "{bound} for {early}");
        }
    }
}
