//! The shortest vector of a polyhedron: the dual active-set method of Goldfarb and Idnani (1983), with M = 1.
//!
//! The active rows, at most six, are kept with multipliers λ ≥ 0 such that y = −Σ λ·g is the shortest vector that meets *them*. Each round takes up the row that y violates most:
//! its multiplier grows, those of others change along, and one that reaches zero is dropped; so |y| grows, and no active set comes twice. Where
//! the new row is a combination of active ones, y cannot move; if no multiplier shrinks either, the combination is the proof that nothing meets them.

use super::basis::{Basis, Six, add_scaled, dot, length};
use super::unit_rows::UnitRows;

/// What a search takes for zero: it is tried with the first of these, and with the next where that has not led to an end that stands up to checks.
///
/// Rows count as met up to this part of what they are computed from: their own distance from the origin of steps, the target's, and y's. And a unit row nearer to the span of the active
/// ones than this is taken for a combination of them: the two are the same so that a row let go as a duplicate is met by the one that stays, and does not come back. 10⁻¹⁰
/// leaves six digits to rows that are just independent; where several such pairs come together, those are not enough, and 10⁻⁸ and 10⁻⁶ make duplicates of them. At
/// steps of millimetres even the last is a nanometre.
pub(super) const TOLERANCES: [f64; 3] = [1e-10, 1e-8, 1e-6];
/// Combinations with parts below this share of the tolerance are taken for ones without.
const NO_PART: f64 = 1e-2;
/// When y is longer than this times the distances of the rows themselves, they meet only beyond the horizon: a conflict. Needles of 10⁻⁸ rad are no way out for a rigid body.
pub(super) const HORIZON: f64 = 1e8;
/// Most rounds: this, and two for every row. Most searches take up no more than twice the rows that are active in the end.
const MOST_ROUNDS: u32 = 100;

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum End {
    Met,
    /// Nothing shorter than this meets the rows of the certificate.
    Conflict {
        beyond: f64,
    },
    Exhausted,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Dual {
    basis: Basis,
    /// The active rows, in the order of the basis; after a conflict those of the certificate, at most seven.
    rows: [usize; 7],
    /// Their multipliers, or weights.
    weights: [f64; 7],
    count: usize,
    pub(super) y: Six,
    /// Rows taken up and dropped, in all tries.
    pub(super) rounds: u32,
    /// Of the last try.
    pub(super) tolerance: f64,
}

enum Taken {
    Up,
    End(End),
}

impl Dual {
    /// The rows that carry the answer, with weights for rows of unit length.
    pub(super) fn carriers(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.rows[..self.count].iter().copied().zip(self.weights[..self.count].iter().copied())
    }

    /// The shortest y that meets all rows. `guess`: rows that may be active, which only saves rounds.
    pub(super) fn search(&mut self, rows: &UnitRows, guess: &[usize]) -> End {
        self.rounds = 0;
        let mut end = End::Exhausted;
        for tolerance in TOLERANCES {
            self.tolerance = tolerance;
            end = self.attempt(rows, guess);
            if end != End::Exhausted {
                break;
            }
        }
        end
    }

    fn attempt(&mut self, rows: &UnitRows, guess: &[usize]) -> End {
        self.basis.clear();
        (self.count, self.y) = (0, [0.0; 6]);
        for &row in guess {
            if row < rows.len() && rows.limit(row) < f64::INFINITY && self.count < 6 {
                let direction = rows.direction(row);
                let parts = self.basis.split(&direction);
                // Guesses are held to more than rows that are found violated: what nearly depends may be left for later.
                if parts.distance > 1e-6 {
                    self.basis.push(&direction, &parts);
                    self.rows[self.count] = row;
                    self.count += 1;
                }
            }
        }
        if self.count > 0 {
            self.settle(rows);
        }
        let most_rounds = self.rounds + MOST_ROUNDS + 2 * rows.len() as u32;
        let mut is_settled = true;
        loop {
            if let Some(row) = rows.most_violated(&self.y, self.tolerance) {
                is_settled = false;
                if let Taken::End(end) = self.take_up(rows, row, most_rounds) {
                    return end;
                }
            } else if is_settled {
                return End::Met;
            } else {
                // What rounding has added up over the rounds may hide a violation, or show one that is none.
                self.settle(rows);
                is_settled = true;
            }
        }
    }

    /// Makes `row` active. Drops the rows that would have to pull.
    fn take_up(&mut self, rows: &UnitRows, row: usize, most_rounds: u32) -> Taken {
        let direction = rows.direction(row);
        let mut multiplier = 0.0;
        loop {
            self.rounds += 1;
            if self.rounds > most_rounds || self.rows[..self.count].contains(&row) {
                return Taken::End(End::Exhausted);
            }
            let parts = self.basis.split(&direction);
            let shares = self.basis.coefficients(&parts.along);
            // While the new multiplier grows by t, y moves by −t·across and the others change by −t·share.
            let violation = (dot(&direction, &self.y) - rows.limit(row)).max(0.0);
            let full = if parts.distance > self.tolerance {
                violation / parts.distance.powi(2)
            } else {
                f64::INFINITY
            };
            let (mut partial, mut blocking) = (f64::INFINITY, 0);
            for k in 0..self.count {
                if shares[k] > NO_PART * self.tolerance && self.weights[k] / shares[k] < partial {
                    (partial, blocking) = (self.weights[k] / shares[k], k);
                }
            }
            let t = full.min(partial);
            if t == f64::INFINITY {
                // g = Σ share·gₖ with no share positive: g + Σ |share|·gₖ = 0.
                for k in 0..self.count {
                    self.weights[k] = (-shares[k]).max(0.0);
                }
                (self.rows[self.count], self.weights[self.count]) = (row, 1.0);
                self.count += 1;
                return Taken::End(self.conflict(rows));
            }
            for k in 0..self.count {
                self.weights[k] = (self.weights[k] - t * shares[k]).max(0.0);
            }
            multiplier += t;
            if full <= partial {
                self.basis.push(&direction, &parts);
                (self.rows[self.count], self.weights[self.count]) = (row, multiplier);
                self.count += 1;
                add_scaled(&mut self.y, -t, &parts.across);
                let size = self.rows[..self.count].iter().map(|&r| rows.size(r)).fold(0.0, f64::max);
                let is_near = length(&self.y) <= HORIZON * size;
                return if is_near { Taken::Up } else { Taken::End(self.conflict(rows)) };
            }
            if parts.distance > self.tolerance {
                add_scaled(&mut self.y, -t, &parts.across);
            }
            self.drop_row(blocking);
        }
    }

    fn drop_row(&mut self, which: usize) {
        self.basis.remove(which);
        self.rows.copy_within(which + 1..self.count, which);
        self.weights.copy_within(which + 1..self.count, which);
        self.count -= 1;
    }

    /// y and λ anew from the active rows alone, so that errors do not add up; rows whose λ is negative by more than rounding are let go.
    fn settle(&mut self, rows: &UnitRows) {
        loop {
            let mut limits = [0.0; 6];
            for k in 0..self.count {
                limits[k] = rows.limit(self.rows[k]);
            }
            let w = self.basis.meeting(&limits);
            self.y = self.basis.combine(&w);
            // y = −Σ λ·g.
            let weights = self.basis.coefficients(&w.map(|x| -x));
            let (mut least, mut which, mut largest) = (0.0, 0, 0.0f64);
            for k in 0..self.count {
                self.weights[k] = weights[k].max(0.0);
                largest = largest.max(weights[k]);
                if weights[k] < least {
                    (least, which) = (weights[k], k);
                }
            }
            if least >= -self.tolerance * largest {
                return;
            }
            self.drop_row(which);
        }
    }

    /// For weights w no y shorter than −Σ w·c / |Σ w·g| meets the rows: Σ w·(g·y − c) would be positive. That must reach farther than the rows themselves are away, or it
    /// proves nothing.
    fn conflict(&self, rows: &UnitRows) -> End {
        let (mut sum, mut limit, mut size) = ([0.0; 6], 0.0, 0.0f64);
        for (row, weight) in self.carriers() {
            add_scaled(&mut sum, weight, &rows.direction(row));
            limit += weight * rows.limit(row);
            size = size.max(rows.size(row));
        }
        let residual = length(&sum);
        let beyond = if residual > 0.0 { -limit / residual } else { f64::INFINITY };
        if limit < 0.0 && beyond > 2.0 * size { End::Conflict { beyond } } else { End::Exhausted }
    }
}
