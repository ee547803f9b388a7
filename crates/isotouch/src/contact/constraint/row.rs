//! What is asked, and what is answered.

use glam::DVec3;

use crate::math::{Twist, Wrench};

/// One inequality, J·a ≤ b.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// J, as the wrench it is: the work it does along a step a is J·a.
    pub direction: Wrench,
    /// b, in the units of J·a; metres where J is of a unit normal. Infinite bounds are allowed: +∞ binds nothing, −∞ conflicts.
    pub bound: f64,
}

impl Row {
    /// A point `arm` away from the reference point may move by `bound` at most along `normal`: J = (n, r × n), 2016 eq. 7. The normal points *into* what is touched, −∇φ/|∇φ|.
    pub fn contact(normal: DVec3, arm: DVec3, bound: f64) -> Self {
        Self { direction: Wrench::of_force(normal, arm), bound }
    }

    /// J·a.
    #[inline]
    pub fn along(&self, step: &Twist) -> f64 {
        self.direction.force.dot(step.linear) + self.direction.torque.dot(step.angular)
    }
}

/// A row with a weight: of a force ([`Outcome::Solved`]), or in a proof ([`Outcome::Conflict`], [`super::Freedom`]).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Weighted {
    /// Which of the rows given.
    pub row: usize,
    /// λ ≥ 0, or w > 0.
    pub weight: f64,
}

/// How a search for a step ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// The step is the minimum, and [`super::Solver::weights`] are its multipliers.
    Solved,
    /// Rows with negative bounds conflicted. With those bounds raised to zero the step is the minimum. Only of [`super::Solver::solve_or_relax`].
    Relaxed,
    /// No step meets all rows. [`super::Solver::weights`] prove it: Σ w·J = 0 and Σ w·b < 0 (Farkas). The step is zero.
    Conflict {
        /// What rounding leaves of the proof: no step that is nearer to the target than this, in the metric, meets those rows. At least twice as far as the rows' own distances
        /// from the target and the target's from zero, and most often 10⁸ times that or more.
        beyond: f64,
    },
    /// Rounding, or overflow of numbers beyond 10¹⁵⁰, kept the search from ending. The step is zero.
    Unsettled,
    /// Not a question. The step is zero.
    Refused(Refusal),
}

/// What was wrong with a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Six infinities mean nothing, and NaN would spread.
    #[error(
        "row {row} has a number that is infinite or not one; leave the row out, or mend the normal or arm it is made of"
    )]
    Row {
        /// Which.
        row: usize,
    },
    /// As for rows.
    #[error("the target is infinite or not a number; check the device's pose")]
    Target,
    /// Only of friction, which makes metrics of its own.
    #[error(
        "the metric is not symmetric positive definite; give masses and moments of inertia that are positive"
    )]
    Metric,
    /// Only of friction.
    #[error(
        "contact {contact} has a coefficient of friction that is negative, infinite or not a number, or the slip length is not positive"
    )]
    Friction {
        /// Which.
        contact: usize,
    },
    /// More would have to allocate.
    #[error(
        "more rows than the {capacity} there is room for; make the solver with a larger capacity, or leave out rows"
    )]
    TooManyRows {
        /// Of the solver.
        capacity: usize,
    },
}

/// A step, and what it is worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Solution {
    /// What `step` is.
    pub outcome: Outcome,
    /// a. Zero unless solved or relaxed; always finite.
    pub step: Twist,
    /// Rows taken up and dropped on the way.
    pub iterations: u32,
    /// ε: with |J| the length of a row in M⁻¹ and |u| that of a step in M, every row holds to 2ε·(|b| + |J|·(|u| + |a − u|)). 10⁻¹⁰, but for rows so nearly parallel that rounding
    /// decides, where it is 10⁻⁸ or 10⁻⁶.
    pub tolerance: f64,
}

impl Solution {
    pub(super) fn none(outcome: Outcome) -> Self {
        Self { outcome, step: Twist::ZERO, iterations: 0, tolerance: 0.0 }
    }

    /// Whether the step is a minimum, be it of relaxed rows.
    pub fn is_minimum(&self) -> bool {
        matches!(self.outcome, Outcome::Solved | Outcome::Relaxed)
    }
}
