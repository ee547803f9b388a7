//! How the papers' methods fare on the same queries.

use std::fmt;
use std::ops::AddAssign;

use crate::exact::{Of, Oracle};

/// Farther than this from the first root, as a part of the piece, counts as another place.
const ELSEWHERE: f64 = 1e-3;

/// What a method got wrong where p does reach zero.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Verdict {
    pub(crate) missed: usize,
    pub(crate) late: usize,
    pub(crate) early: usize,
}

impl Verdict {
    pub(crate) fn judge(&mut self, first: f64, found: Option<f64>) {
        match found {
            None => self.missed += 1,
            Some(s) if s > first + ELSEWHERE => self.late += 1,
            Some(s) if s < first - ELSEWHERE => self.early += 1,
            Some(_) => {}
        }
    }
}

impl AddAssign for Verdict {
    fn add_assign(&mut self, other: Self) {
        self.missed += other.missed;
        self.late += other.late;
        self.early += other.early;
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} missed, {} late, {} early", self.missed, self.late, self.early)
    }
}

/// Whether p ≤ 0 somewhere on [0, 1], in truth.
pub(crate) fn reaches_zero(oracle: &Oracle<'_>) -> bool {
    !oracle.is_positive(Of::P, 0.0, (0.0, 1.0))
}
