//! Polynomials in 32 digits or in exact rationals, lowest power first, with roots counted by Sturm's theorem.

use std::ops::{Add, Mul, Neg, Sub};

use dashu_ratio::RBig;

use super::double::Double;

/// What both kinds of numbers can do.
pub trait Number:
    Clone + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    fn of(x: f64) -> Self;
}

impl Number for Double {
    fn of(x: f64) -> Self {
        Self::of(x)
    }
}

impl Number for RBig {
    fn of(x: f64) -> Self {
        Self::try_from(x).unwrap()
    }
}

pub fn value<N: Number>(p: &[N], s: &N) -> N {
    p.iter().rev().fold(N::of(0.0), |sum, a| sum * s.clone() + a.clone())
}

pub fn derivative<N: Number>(p: &[N]) -> Vec<N> {
    p.iter().enumerate().skip(1).map(|(power, a)| a.clone() * N::of(power as f64)).collect()
}

/// Whether p > 0 on all of [start, end].
pub fn is_positive(p: Vec<RBig>, (start, end): (&RBig, &RBig)) -> bool {
    if value(&p, start) <= RBig::ZERO || value(&p, end) <= RBig::ZERO {
        return false;
    }
    if start == end {
        return true;
    }
    let sequence = sturm_sequence(p);
    changes(&sequence, start) == changes(&sequence, end)
}

/// p, p′, and the negated remainders of each two in a row.
fn sturm_sequence(p: Vec<RBig>) -> Vec<Vec<RBig>> {
    let p = trimmed(p);
    let slope = derivative(&p);
    let mut sequence = vec![p, slope];
    while sequence.last().is_some_and(|last| !last.is_empty()) {
        let n = sequence.len();
        let rest = remainder(sequence[n - 2].clone(), &sequence[n - 1]);
        sequence.push(rest.into_iter().map(Neg::neg).collect());
    }
    sequence.pop();
    sequence
}

fn trimmed(mut p: Vec<RBig>) -> Vec<RBig> {
    while p.last().is_some_and(RBig::is_zero) {
        p.pop();
    }
    p
}

fn remainder(mut p: Vec<RBig>, by: &[RBig]) -> Vec<RBig> {
    let Some(lead) = by.last() else { return p };
    while p.len() >= by.len() {
        let factor = p[p.len() - 1].clone() / lead.clone();
        let offset = p.len() - by.len();
        for (k, a) in by.iter().enumerate() {
            p[offset + k] = p[offset + k].clone() - factor.clone() * a.clone();
        }
        p = trimmed(p);
    }
    p
}

fn changes(sequence: &[Vec<RBig>], s: &RBig) -> usize {
    let signs: Vec<bool> =
        sequence.iter().map(|p| value(p, s)).filter(|v| !v.is_zero()).map(|v| v > RBig::ZERO).collect();
    signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
}
