//! Whether a body among contacts can move at all.
//!
//! Can some step a leave all contacts at once, J·a < 0? In unit rows that is: has g·y ≤ −1 a solution? It is asked of the same search; its shortest y is 1/d long, d being the
//! distance of the hull of the rows from the origin, and its proof that there is none is Gordan's: weights w ≥ 0 with Σ w·J = 0. *Free*, or *pinched*.
//!
//! A pinched body may still slide. All steps with J·a ≤ 0 have J·a = 0 for the rows of the proof, so they lie across these; what the other rows are across them is
//! asked again, in fewer dimensions. When none is left, only a = 0 is: *jammed*.

use super::basis::{Basis, Six, add_scaled, dot};
use super::dual::{End, HORIZON};
use super::row::{Outcome, Refusal, Row, Weighted};
use super::solver::{Bounds, MOST_WEIGHTS, Solver};
use crate::math::Twist;
use crate::math::spatial::Cholesky6;

/// Rows nearer to the span of a proof than this, as sines, count as in it. Above 1/`HORIZON`, what a proof may be off by, so that a proof's rows are in its span.
const IN_SPAN: f64 = 10.0 / HORIZON;

/// Rows of a proof with less than this part of its largest weight are left out of it: they may be there by rounding, and would be said to hold what they do not. Where they do,
/// they lie in the span of the others, and are found there.
const NO_WEIGHT: f64 = 1e-8;

/// How a body can move when its rows' bounds are zero. Decided to angles of 10⁻⁷ rad, as the metric measures them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Freedom {
    /// It can leave all contacts at once.
    Free {
        /// J·a < 0 for all rows; of unit length in the metric, and as far from all rows as can be.
        escape: Twist,
    },
    /// No a has J·a < 0, yet some a ≠ 0 has J·a ≤ 0. [`Solver::weights`], at most seven rows: Σ w·J = 0.
    Pinched {
        /// Such an a; of unit length in the metric.
        slide: Twist,
    },
    /// Only a = 0 has J·a ≤ 0. [`Solver::weights`], at most twelve rows that span all six dimensions: Σ w·J = 0, w > 0.
    Jammed,
    /// Rounding kept the search from ending; nothing is known.
    Unsettled,
    /// Not a question.
    Refused(Refusal),
}

/// Rows with positive weights whose sum vanishes.
#[derive(Debug, Clone, Copy)]
struct Proof {
    parts: [Weighted; MOST_WEIGHTS],
    count: usize,
    /// How many of them, the first, are from the last search.
    new: usize,
}

impl Proof {
    const NONE: Self = Self { parts: [Weighted { row: 0, weight: 0.0 }; MOST_WEIGHTS], count: 0, new: 0 };

    fn parts(&self) -> &[Weighted] {
        &self.parts[..self.count]
    }

    fn push(&mut self, row: usize, weight: f64) {
        self.parts[self.count] = Weighted { row, weight };
        self.count += 1;
    }
}

impl Solver {
    /// Whether steps with J·a ≤ 0 exist, whatever the bounds of the rows. Rows without direction say nothing.
    pub fn freedom(&mut self, metric: &Cholesky6, rows: &[Row]) -> Freedom {
        // Bounds do not matter here, so what conflicts is not asked.
        match self.load(metric, &[0.0; 6], rows, Bounds::Relaxed) {
            Ok(()) | Err(Outcome::Conflict { .. }) => {}
            Err(Outcome::Refused(refusal)) => return Freedom::Refused(refusal),
            Err(_) => return Freedom::Unsettled,
        }
        let mut span = Basis::default();
        let (mut first, mut whole) = (Proof::NONE, Proof::NONE);
        loop {
            let mut is_any = false;
            for row in 0..rows.len() {
                let (across, distance) = across(&span, &self.whitened(metric, &rows[row]));
                let binds = distance > IN_SPAN;
                is_any |= binds;
                self.unit.replace(row, &across, if binds { -1.0 } else { f64::INFINITY });
            }
            let end = self.dual.search(&self.unit, &[]);
            match end {
                End::Exhausted => return Freedom::Unsettled,
                End::Met => {
                    let y = if is_any { self.dual.y } else { anywhere(&span) };
                    let length = dot(&y, &y).sqrt();
                    let step = metric.from_white(y.map(|x| x / length));
                    self.keep(&first);
                    return if span.len() == 0 {
                        Freedom::Free { escape: step }
                    } else {
                        Freedom::Pinched { slide: step }
                    };
                }
                End::Conflict { .. } => {
                    whole = self.joined(metric, rows, &span, &whole);
                    if span.len() == 0 {
                        first = whole;
                    }
                    for k in 0..whole.new {
                        let direction = self.unit.direction(whole.parts[k].row);
                        let parts = span.split(&direction);
                        if parts.distance > IN_SPAN {
                            span.push(&direction, &parts);
                        }
                    }
                    if span.len() == 6 {
                        self.keep(&whole);
                        return Freedom::Jammed;
                    }
                }
            }
        }
    }

    /// A row as the metric sees it, of unit length; zero where it has no direction.
    fn whitened(&self, metric: &Cholesky6, row: &Row) -> Six {
        let (f, t) = (row.direction.force.abs(), row.direction.torque.abs());
        let largest = f.max_element().max(t.max_element());
        if largest == 0.0 {
            return [0.0; 6];
        }
        let white = metric.whiten(&(row.direction * (1.0 / largest)));
        let norm = dot(&white, &white).sqrt();
        if norm > 0.0 { white.map(|x| x / norm) } else { [0.0; 6] }
    }

    /// The proof so far with that of the last search, whose rows vanish only across the span. What is left of them in the span is a combination of the rows before, and these
    /// vanish with positive weights: with enough of that added, all are positive.
    fn joined(&self, metric: &Cholesky6, rows: &[Row], span: &Basis, before: &Proof) -> Proof {
        let mut joined = Proof::NONE;
        let mut rest = [0.0; 6];
        let largest = self.dual.carriers().map(|(_, weight)| weight).fold(0.0, f64::max);
        for (row, weight) in self.dual.carriers().filter(|&(_, weight)| weight > NO_WEIGHT * largest) {
            let direction = self.whitened(metric, &rows[row]);
            // What the search saw was divided by its length across the span.
            let weight = weight / across(span, &direction).1;
            add_scaled(&mut rest, weight, &direction);
            joined.push(row, weight);
        }
        joined.new = joined.count;
        if before.count == 0 {
            return joined;
        }
        // −rest as a combination of rows before that are independent.
        let (mut basis, mut places) = (Basis::default(), [0; 6]);
        for (place, part) in before.parts().iter().enumerate() {
            let direction = self.whitened(metric, &rows[part.row]);
            let parts = basis.split(&direction);
            if parts.distance > IN_SPAN {
                places[basis.len()] = place;
                basis.push(&direction, &parts);
            }
        }
        let shares = basis.coefficients(&basis.split(&rest.map(|x| -x)).along);
        let mut added = [0.0; MOST_WEIGHTS];
        for k in 0..basis.len() {
            added[places[k]] = shares[k];
        }
        let enough =
            before.parts().iter().zip(added).map(|(part, share)| -share / part.weight).fold(0.0, f64::max);
        for (part, share) in before.parts().iter().zip(added) {
            joined.push(part.row, (1.0 + 2.0 * enough) * part.weight + share);
        }
        joined
    }

    fn keep(&mut self, proof: &Proof) {
        self.weight_count = proof.count;
        for (kept, part) in self.weights.iter_mut().zip(proof.parts()) {
            *kept = Weighted { row: part.row, weight: (part.weight / self.norms[part.row]).min(f64::MAX) };
        }
    }
}

/// What is left of a unit vector across a span, as a unit vector, and how much that was.
fn across(span: &Basis, direction: &Six) -> (Six, f64) {
    let parts = span.split(direction);
    if parts.distance > IN_SPAN {
        (parts.across.map(|x| x / parts.distance), parts.distance)
    } else {
        ([0.0; 6], 0.0)
    }
}

/// Some vector across a span that is not everything.
fn anywhere(span: &Basis) -> Six {
    let mut best = ([0.0; 6], 0.0);
    for axis in 0..6 {
        let mut direction = [0.0; 6];
        direction[axis] = 1.0;
        let parts = span.split(&direction);
        if parts.distance > best.1 {
            best = (parts.across, parts.distance);
        }
    }
    best.0
}
