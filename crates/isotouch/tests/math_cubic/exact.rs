//! The same cubic by another way: the product of the weights expanded in powers of s, in 32 digits or in exact rationals,
//! with roots counted by Sturm's theorem.

use std::cell::OnceCell;
use std::ops::{Add, Mul, Neg, Sub};

use dashu_ratio::RBig;

use crate::Query;
use crate::oracle::double::Double;

/// What both kinds of numbers can do.
trait Number: Clone + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self> {
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

/// p = Σ cᵢⱼₖ wᵢ(s) wⱼ(s) wₖ(s) − σ in powers of s: each weight is x₀ + s(x₁ − x₀) or one less that.
fn powers<N: Number>(query: &Query) -> [N; 4] {
    let mut sum = [N::of(-query.iso), N::of(0.0), N::of(0.0), N::of(0.0)];
    for (k, &corner) in query.corners.iter().enumerate() {
        let mut product = [N::of(f64::from(corner)), N::of(0.0), N::of(0.0), N::of(0.0)];
        for axis in 0..3 {
            let start = N::of(query.entry[axis]);
            let change = N::of(query.exit[axis]) - start.clone();
            let [constant, slope] =
                if k >> axis & 1 == 1 { [start, change] } else { [N::of(1.0) - start, -change] };
            for power in (0..4).rev() {
                let below = if power > 0 { product[power - 1].clone() } else { N::of(0.0) };
                product[power] = product[power].clone() * constant.clone() + below * slope.clone();
            }
        }
        for power in 0..4 {
            sum[power] = sum[power].clone() + product[power].clone();
        }
    }
    sum
}

fn value<N: Number>(p: &[N], s: &N) -> N {
    p.iter().rev().fold(N::of(0.0), |sum, a| sum * s.clone() + a.clone())
}

fn derivative<N: Number>(p: &[N]) -> Vec<N> {
    p.iter().enumerate().skip(1).map(|(power, a)| a.clone() * N::of(power as f64)).collect()
}

/// p or −p, for [`Oracle::is_positive`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Of {
    P,
    MinusP,
}

/// Knows the truth about a query, and how often only rationals knew it.
pub(crate) struct Oracle<'a> {
    query: &'a Query,
    approximate: [Double; 4],
    exact: OnceCell<[RBig; 4]>,
    /// max|cᵢ − σ|.
    pub(crate) magnitude: f64,
}

impl<'a> Oracle<'a> {
    pub(crate) fn new(query: &'a Query) -> Self {
        let magnitude = query.corners.iter().map(|&c| (f64::from(c) - query.iso).abs()).fold(0.0, f64::max);
        Self { query, approximate: powers(query), exact: OnceCell::new(), magnitude }
    }

    /// How far p may be above zero at a hit, by the module's words: 2⁻⁴³ M, and 2⁻¹⁰¹⁷ for underflow.
    pub(crate) fn tolerance(&self) -> f64 {
        2f64.powi(-43) * self.magnitude + 2f64.powi(-1017)
    }

    pub(crate) fn needed_rationals(&self) -> bool {
        self.exact.get().is_some()
    }

    /// p(s), to about 30 digits of [`Oracle::magnitude`].
    pub(crate) fn value(&self, s: f64) -> f64 {
        value(&self.approximate, &Double::of(s)).high()
    }

    /// p′(s).
    pub(crate) fn slope(&self, s: f64) -> f64 {
        value(&derivative(&self.approximate), &Double::of(s)).high()
    }

    /// The Bernstein coefficients p(0), p(0) + p′(0)/3, p(1) − p′(1)/3 and p(1), rounded once, at the end.
    pub(crate) fn bernstein(&self) -> [f64; 4] {
        let (p, slope) = (&self.approximate, derivative(&self.approximate));
        let [zero, one, three] = [0.0, 1.0, 3.0].map(Double::of);
        let (first, last) = (value(p, &zero), value(p, &one));
        let inner = [first + value(&slope, &zero) / three, last - value(&slope, &one) / three];
        [first, inner[0], inner[1], last].map(Double::high)
    }

    /// Whether ±p + shift > 0 on all of [start, end]: exact.
    pub(crate) fn is_positive(&self, of: Of, shift: f64, (start, end): (f64, f64)) -> bool {
        self.by_digits(of, shift, (start, end)).unwrap_or_else(|| self.by_rationals(of, shift, (start, end)))
    }

    /// The answer where 32 digits are enough. Their errors are below 2⁻¹⁰⁰ of the coefficients, which are below 27 M; the
    /// margin leaves ten bits. Tiny numbers, whose low parts may underflow, are left to the rationals.
    fn by_digits(&self, of: Of, shift: f64, (start, end): (f64, f64)) -> Option<bool> {
        let scale = self.magnitude + shift.abs() + self.query.iso.abs() * 2f64.powi(-10);
        if scale < 1e-200 {
            return None;
        }
        let margin = 2f64.powi(-85) * scale;
        let sign = Double::of(if of == Of::P { 1.0 } else { -1.0 });
        let mut p = self.approximate.map(|a| a * sign);
        p[0] = p[0] + Double::of(shift);
        let slope = derivative(&p);

        // Bernstein coefficients of each part: values and a third of the slopes at its ends.
        let mut parts = vec![(start, end)];
        let mut budget = 60;
        while let Some((a, b)) = parts.pop() {
            let (at_a, at_b) = (Double::of(a), Double::of(b));
            let third = (at_b - at_a) * Double::of(1.0 / 3.0);
            let (first, last) = (value(&p, &at_a), value(&p, &at_b));
            if first.high() < -margin || last.high() < -margin {
                return Some(false);
            }
            let inner = [first + third * value(&slope, &at_a), last - third * value(&slope, &at_b)];
            // ⅓ is off by 2⁻⁵⁴: of no effect when the inner coefficients may be anywhere within 2⁻⁵⁰ M of where they are.
            let inner_margin = margin + 2f64.powi(-46) * scale * (b - a);
            let is_above = first.high() > margin
                && last.high() > margin
                && inner.iter().all(|c| c.high() > inner_margin);
            if is_above {
                continue;
            }
            budget -= 1;
            let middle = 0.5 * (a + b);
            if budget == 0 || middle <= a || middle >= b {
                return None;
            }
            parts.push((middle, b));
            parts.push((a, middle));
        }
        Some(true)
    }

    /// The answer by Sturm's theorem.
    fn by_rationals(&self, of: Of, shift: f64, (start, end): (f64, f64)) -> bool {
        let exact = self.exact.get_or_init(|| powers(self.query));
        let mut p = exact.to_vec();
        if of == Of::MinusP {
            p = p.into_iter().map(Neg::neg).collect();
        }
        p[0] = p[0].clone() + RBig::of(shift);
        let (start, end) = (RBig::of(start), RBig::of(end));
        let zero = RBig::ZERO;
        if value(&p, &start) <= zero || value(&p, &end) <= zero {
            return false;
        }
        let sequence = sturm_sequence(p);
        changes(&sequence, &start) == changes(&sequence, &end)
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use isotouch::math::DVec3;

    /// On the diagonal, corners by the number of ones in their index are Bernstein coefficients.
    fn on_diagonal(b: [f32; 4]) -> Query {
        let corners = std::array::from_fn(|k: usize| b[k.count_ones() as usize]);
        Query { corners, entry: DVec3::ZERO, exit: DVec3::ONE, iso: 0.0 }
    }

    #[test]
    fn sturm_sees_a_double_root_and_what_is_just_beside_it() {
        // 3 (s − ½)²: Bernstein coefficients of degree 3
        let mut query = on_diagonal([0.75, -0.25, -0.25, 0.75]);
        let whole = (0.0, 1.0);
        assert!(!Oracle::new(&query).by_rationals(Of::P, 0.0, whole));
        assert!(Oracle::new(&query).by_rationals(Of::P, 0.0, (0.0, 0.5f64.next_down())));
        assert!(Oracle::new(&query).by_rationals(Of::P, f64::MIN_POSITIVE, whole));
        query.iso = -1e-300;
        assert!(Oracle::new(&query).by_rationals(Of::P, 0.0, whole));
    }

    #[test]
    fn digits_and_rationals_agree() {
        let mut random = crate::Random(5);
        for _ in 0..2000 {
            let query = (crate::families::RANDOM.make)(&mut random);
            let oracle = Oracle::new(&query);
            let range = (0.5 * random.unit(), 0.5 + 0.5 * random.unit());
            for of in [Of::P, Of::MinusP] {
                let by_digits = oracle.by_digits(of, 0.25, range).expect("clear");
                assert_eq!(by_digits, oracle.by_rationals(of, 0.25, range), "{query:?} {of:?} {range:?}");
            }
        }
    }
}
