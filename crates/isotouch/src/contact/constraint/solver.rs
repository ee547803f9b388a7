//! From rows of bodies to unit rows, and back.

use super::basis::{Six, dot, length};
use super::dual::{Dual, End};
use super::row::{Outcome, Refusal, Row, Solution, Weighted};
use super::unit_rows::{Eight, UnitRows};
use crate::math::spatial::Cholesky6;
use crate::math::{Twist, Wrench};

/// Most rows that carry an answer: seven in a conflict. When jammed there are two for every direction; only rounding could bring in more, but never more than seven.
pub(super) const MOST_WEIGHTS: usize = 42;

/// Finds steps. Keeps its memory, so that solving allocates nothing.
#[derive(Debug, Clone)]
pub struct Solver {
    pub(super) unit: UnitRows,
    /// |L⁻¹·J| of every row.
    pub(super) norms: Vec<f64>,
    pub(super) dual: Dual,
    pub(super) weights: [Weighted; MOST_WEIGHTS],
    pub(super) weight_count: usize,
    capacity: usize,
}

/// Whether bounds are taken as they are, or raised to zero where a = 0 would not meet them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Bounds {
    Given,
    Relaxed,
}

impl Solver {
    /// For this many rows at most.
    pub fn with_capacity(rows: usize) -> Self {
        Self {
            unit: UnitRows::with_capacity(rows),
            norms: Vec::with_capacity(rows),
            dual: Dual::default(),
            weights: [Weighted::default(); MOST_WEIGHTS],
            weight_count: 0,
            capacity: rows,
        }
    }

    /// How many rows there is room for.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// The step nearest to the target, in the metric, that meets all rows.
    pub fn solve(&mut self, metric: &Cholesky6, target: &Twist, rows: &[Row]) -> Solution {
        self.solve_from(metric, target, rows, &[])
    }

    /// The same, beginning with rows that are thought to be active, as those of the last step are. A good guess saves most of the work, a bad one costs little, and none changes the
    /// answer by more than rounding. Indices that do not exist are passed over.
    pub fn solve_from(
        &mut self,
        metric: &Cholesky6,
        target: &Twist,
        rows: &[Row],
        guess: &[usize],
    ) -> Solution {
        self.attempt(metric, target, rows, guess, Bounds::Given)
    }

    /// The same, and where rows conflict, once more with negative bounds raised to zero: then the body need not be pushed out, but sinks no deeper ([`Outcome::Relaxed`]). a = 0
    /// meets those rows, so there is always an answer.
    pub fn solve_or_relax(
        &mut self,
        metric: &Cholesky6,
        target: &Twist,
        rows: &[Row],
        guess: &[usize],
    ) -> Solution {
        let given = self.attempt(metric, target, rows, guess, Bounds::Given);
        if !matches!(given.outcome, Outcome::Conflict { .. }) {
            return given;
        }
        let relaxed = self.attempt(metric, target, rows, guess, Bounds::Relaxed);
        let outcome = match relaxed.outcome {
            Outcome::Solved => Outcome::Relaxed,
            // Only rounding can make rows conflict that a = 0 meets.
            Outcome::Conflict { .. } => Outcome::Unsettled,
            other => other,
        };
        Solution { outcome, iterations: given.iterations + relaxed.iterations, ..relaxed }
    }

    /// The rows behind the last answer. Solved: the active rows with their multipliers λ, so that M·(a − u) = −Σ λ·J. Conflict, pinched, jammed: the proof. No row comes twice.
    pub fn weights(&self) -> &[Weighted] {
        &self.weights[..self.weight_count]
    }

    /// −Σ λ·J: what the rows push the body with. M·(a − u) in another form, which keeps its digits when a is near u.
    pub fn wrench(&self, rows: &[Row]) -> Wrench {
        self.weights().iter().fold(Wrench::ZERO, |sum, w| sum - rows[w.row].direction * w.weight)
    }

    fn attempt(
        &mut self,
        metric: &Cholesky6,
        target: &Twist,
        rows: &[Row],
        guess: &[usize],
        bounds: Bounds,
    ) -> Solution {
        let from = metric.to_white(target);
        if let Err(outcome) = self.load(metric, &from, rows, bounds) {
            return Solution::none(outcome);
        }
        let end = self.dual.search(&self.unit, guess);
        self.keep_weights();
        let solution = Solution {
            iterations: self.dual.rounds,
            tolerance: self.dual.tolerance,
            ..Solution::none(Outcome::Unsettled)
        };
        match end {
            End::Met => {
                let change = metric.from_white(self.dual.y);
                let step =
                    Twist { linear: target.linear + change.linear, angular: target.angular + change.angular };
                // Squares of steps beyond 10¹⁵⁰ overflow, and with them all tests.
                let is_sound =
                    length(&self.dual.y).is_finite() && step.linear.is_finite() && step.angular.is_finite();
                if is_sound { Solution { outcome: Outcome::Solved, step, ..solution } } else { solution }
            }
            End::Conflict { beyond } => Solution { outcome: Outcome::Conflict { beyond }, ..solution },
            End::Exhausted => {
                self.weight_count = 0;
                solution
            }
        }
    }

    /// Rows as the metric sees them, y = Lᵀ·(a − u) being the unknown: J·a ≤ b is g·y ≤ b − g·Lᵀu with g = L⁻¹·J, divided by |g|.
    pub(super) fn load(
        &mut self,
        metric: &Cholesky6,
        from: &Six,
        rows: &[Row],
        bounds: Bounds,
    ) -> Result<(), Outcome> {
        self.unit.clear();
        self.norms.clear();
        self.weight_count = 0;
        let far = length(from);
        if !far.is_finite() {
            return Err(Outcome::Refused(Refusal::Target));
        }
        if rows.len() > self.capacity {
            return Err(Outcome::Refused(Refusal::TooManyRows { capacity: self.capacity }));
        }
        let mut impossible = None;
        let mut eights = rows.chunks_exact(8);
        for (k, eight) in eights.by_ref().enumerate() {
            let mut together = side_by_side(eight, bounds);
            if self.unit.push_eight(metric, &mut together, from, far) {
                self.norms.extend_from_slice(&together.norms);
            } else {
                for (lane, row) in eight.iter().enumerate() {
                    self.load_one(metric, (from, far), (8 * k + lane, row, bounds), &mut impossible)?;
                }
            }
        }
        let first = rows.len() - eights.remainder().len();
        for (k, row) in eights.remainder().iter().enumerate() {
            self.load_one(metric, (from, far), (first + k, row, bounds), &mut impossible)?;
        }
        match impossible {
            None => Ok(()),
            Some(row) => {
                self.weights[0] = Weighted { row, weight: 1.0 };
                self.weight_count = 1;
                Err(Outcome::Conflict { beyond: f64::INFINITY })
            }
        }
    }

    /// A row whatever its numbers are.
    fn load_one(
        &mut self,
        metric: &Cholesky6,
        (from, far): (&Six, f64),
        (k, row, bounds): (usize, &Row, Bounds),
        impossible: &mut Option<usize>,
    ) -> Result<(), Outcome> {
        if !row.direction.is_finite() || row.bound.is_nan() {
            return Err(Outcome::Refused(Refusal::Row { row: k }));
        }
        // Divided by its largest number first, so that no square overflows.
        let largest = largest_number(&row.direction);
        let bound = raised(row.bound, bounds);
        let mut unit = [0.0; 6];
        let mut norm = 0.0;
        if largest > 0.0 {
            let scaled =
                Wrench { force: row.direction.force / largest, torque: row.direction.torque / largest };
            let white = metric.whiten(&scaled);
            norm = length(&white);
            if !norm.is_finite() {
                return Err(Outcome::Refused(Refusal::Row { row: k }));
            }
            unit = white.map(|x| x / norm);
        }
        // Without a direction: 0 ≤ b, which is true or not.
        let distance = if norm > 0.0 {
            bound / largest / norm
        } else if bound < 0.0 {
            f64::NEG_INFINITY
        } else {
            f64::INFINITY
        };
        self.norms.push(if norm > 0.0 { norm * largest } else { 1.0 });
        if distance == f64::NEG_INFINITY {
            impossible.get_or_insert(k);
        }
        if distance.is_finite() {
            self.unit.push(&unit, distance - dot(&unit, from), distance.abs() + far);
        } else {
            self.unit.push(&[0.0; 6], f64::INFINITY, 0.0);
        }
        Ok(())
    }

    /// Weights of unit rows as weights of the rows given.
    fn keep_weights(&mut self) {
        self.weight_count = 0;
        for (row, weight) in self.dual.carriers().filter(|&(_, weight)| weight > 0.0) {
            // Rows of 10⁻³⁰⁸ would have infinite multipliers.
            self.weights[self.weight_count] =
                Weighted { row, weight: (weight / self.norms[row]).min(f64::MAX) };
            self.weight_count += 1;
        }
    }
}

fn raised(bound: f64, bounds: Bounds) -> f64 {
    if bounds == Bounds::Relaxed { bound.max(0.0) } else { bound }
}

fn largest_number(direction: &Wrench) -> f64 {
    direction.force.abs().max_element().max(direction.torque.abs().max_element())
}

fn side_by_side(rows: &[Row], bounds: Bounds) -> Eight {
    let mut eight = Eight { parts: [[0.0; 8]; 6], bounds: [0.0; 8], norms: [0.0; 8] };
    for (k, row) in rows.iter().enumerate() {
        let Wrench { force, torque } = row.direction;
        let parts = [force.x, force.y, force.z, torque.x, torque.y, torque.z];
        for (lanes, part) in eight.parts.iter_mut().zip(parts) {
            lanes[k] = part;
        }
        eight.bounds[k] = raised(row.bound, bounds);
    }
    eight
}
