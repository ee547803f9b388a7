//! φ − σ in one cell along a straight piece of a path: the product of the weights expanded in powers of s in [0, 1], in 32 digits,
//! and in exact rationals where these do not decide.

use std::cell::OnceCell;
use std::ops::Neg;

use dashu_ratio::RBig;

use super::double::Double;
use super::polynomial::{self, Number, derivative, value};

/// p = Σ cᵢⱼₖ wᵢ(s) wⱼ(s) wₖ(s) − σ in powers of s: each weight is x₀ + s(x₁ − x₀) or one less that.
pub fn powers<N: Number>(corners: &[f32; 8], entry: &[N; 3], exit: &[N; 3], iso: f64) -> [N; 4] {
    let mut sum = [N::of(-iso), N::of(0.0), N::of(0.0), N::of(0.0)];
    for (k, &corner) in corners.iter().enumerate() {
        let mut product = [N::of(f64::from(corner)), N::of(0.0), N::of(0.0), N::of(0.0)];
        for axis in 0..3 {
            let start = entry[axis].clone();
            let change = exit[axis].clone() - start.clone();
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

/// p or −p, for [`Cubic::is_positive`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Of {
    P,
    MinusP,
}

/// Where on the piece, as far as a question is concerned.
pub trait Place {
    fn digits(&self) -> Double;
    fn exact(&self) -> RBig;
}

impl Place for f64 {
    fn digits(&self) -> Double {
        Double::of(*self)
    }

    fn exact(&self) -> RBig {
        RBig::of(*self)
    }
}

impl Place for RBig {
    fn digits(&self) -> Double {
        Double::near(self)
    }

    fn exact(&self) -> RBig {
        self.clone()
    }
}

/// Knows the truth about p, and whether only rationals knew it.
pub struct Cubic<'a> {
    approximate: [Double; 4],
    exact: OnceCell<[RBig; 4]>,
    make_exact: Box<dyn Fn() -> [RBig; 4] + 'a>,
    iso: f64,
    /// max|cᵢ − σ|.
    pub magnitude: f64,
}

impl<'a> Cubic<'a> {
    /// From the ends in 32 digits, and a way to the exact coefficients.
    pub fn new(
        corners: &[f32; 8],
        [entry, exit]: &[[Double; 3]; 2],
        iso: f64,
        make_exact: impl Fn() -> [RBig; 4] + 'a,
    ) -> Self {
        let magnitude = corners.iter().map(|&c| (f64::from(c) - iso).abs()).fold(0.0, f64::max);
        let approximate = powers(corners, entry, exit, iso);
        Self { approximate, exact: OnceCell::new(), make_exact: Box::new(make_exact), iso, magnitude }
    }

    pub fn needed_rationals(&self) -> bool {
        self.exact.get().is_some()
    }

    /// p(s), to about 30 digits of the magnitude.
    pub fn value(&self, s: Double) -> Double {
        value(&self.approximate, &s)
    }

    /// p′(s).
    pub fn slope(&self, s: Double) -> Double {
        value(&derivative(&self.approximate), &s)
    }

    /// Whether ±p + shift > 0 on all of [start, end]: exact.
    pub fn is_positive<S: Place>(&self, of: Of, shift: f64, (start, end): (&S, &S)) -> bool {
        self.by_digits(of, shift, (start.digits(), end.digits()))
            .unwrap_or_else(|| self.by_rationals(of, shift, (&start.exact(), &end.exact())))
    }

    /// The answer where 32 digits are enough. Their errors are below 2⁻¹⁰⁰ of the coefficients, which are below 27 M; the
    /// margin leaves ten bits. Tiny numbers, whose low parts may underflow, are left to the rationals.
    pub fn by_digits(&self, of: Of, shift: f64, (start, end): (Double, Double)) -> Option<bool> {
        let scale = self.magnitude + shift.abs() + self.iso.abs() * 2f64.powi(-10);
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
            let third = (b - a) * Double::of(1.0 / 3.0);
            let (first, last) = (value(&p, &a), value(&p, &b));
            if first.high() < -margin || last.high() < -margin {
                return Some(false);
            }
            let inner = [first + third * value(&slope, &a), last - third * value(&slope, &b)];
            // ⅓ is off by 2⁻⁵⁴: of no effect when the inner coefficients may be anywhere within 2⁻⁵⁰ M of where they are.
            let inner_margin = margin + 2f64.powi(-46) * scale * (b - a).high();
            let is_above = first.high() > margin
                && last.high() > margin
                && inner.iter().all(|c| c.high() > inner_margin);
            if is_above {
                continue;
            }
            budget -= 1;
            let middle = (a + b) * Double::of(0.5);
            if budget == 0 || (b - a).high() < 2f64.powi(-60) {
                return None;
            }
            parts.push((middle, b));
            parts.push((a, middle));
        }
        Some(true)
    }

    /// The answer by Sturm's theorem.
    pub fn by_rationals(&self, of: Of, shift: f64, range: (&RBig, &RBig)) -> bool {
        let mut p = self.exact.get_or_init(&self.make_exact).to_vec();
        if of == Of::MinusP {
            p = p.into_iter().map(Neg::neg).collect();
        }
        p[0] = p[0].clone() + RBig::of(shift);
        polynomial::is_positive(p, range)
    }
}
