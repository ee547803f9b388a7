//! The roots by the 2016 paper (Xu and Barbič, §3.1), for comparison: Cardano's formulas on the cubic in powers of s.
//!
//! Closed form is not exact in floating point:
//! - the discriminant is a difference of nearly equal numbers near a double root, so its sign, and with it whether there are
//!   one or three roots, is lost when the roots are closer than about 10⁻⁸ (three roots in one place: 10⁻⁵): touches are **missed**
//!   (a quarter of the exact ones in the tests), and what is found has half the digits;
//! - a small leading coefficient makes roots out of differences of large numbers: a nearly straight path, the usual case in
//!   a distance field, loses as many digits as the ratio of its coefficients has;
//! - `cbrt`, `cos` and `acos` differ between machines.
//!
//! The paper also skips a cell whose ends lie on one side. That is left out here, or touches would be missed by rule.

use super::CellCubic;

/// Leading coefficients smaller than this part of the largest are taken for zero: below, the roots of the cubic have
/// fewer correct digits than those of the quadratic that remains.
const NEGLIGIBLE: f64 = 1e-9;

/// Real roots within [0, 1], in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Roots {
    items: [f64; 3],
    count: usize,
}

impl Roots {
    /// The roots.
    #[inline(always)]
    pub fn as_slice(&self) -> &[f64] {
        &self.items[..self.count]
    }

    #[inline(always)]
    fn add(&mut self, s: f64) {
        if (0.0..=1.0).contains(&s) {
            self.items[self.count] = s;
            self.count += 1;
        }
    }
}

/// Where p first reaches zero: 0 when the piece starts inside, otherwise the least root.
#[inline(always)]
pub fn first_hit(cubic: &CellCubic) -> Option<f64> {
    if cubic.bernstein()[0] <= 0.0 {
        return Some(0.0);
    }
    roots(cubic).as_slice().first().copied()
}

/// All roots in [0, 1].
#[inline(always)]
pub fn roots(cubic: &CellCubic) -> Roots {
    let powers = cubic.powers();
    let mut roots = Roots::default();
    let largest = [powers.a0, powers.a1, powers.a2].into_iter().fold(0.0, |m: f64, a| m.max(a.abs()));
    if powers.a3.abs() > NEGLIGIBLE * largest {
        add_cubic(&mut roots, [powers.a0 / powers.a3, powers.a1 / powers.a3, powers.a2 / powers.a3]);
    } else if powers.a2.abs() > NEGLIGIBLE * largest {
        add_quadratic(&mut roots, powers.a0, powers.a1, powers.a2);
    } else {
        roots.add(-powers.a0 / powers.a1);
    }
    roots
}

/// s³ + a₂s² + a₁s + a₀ = 0.
#[inline(always)]
fn add_cubic(roots: &mut Roots, [a0, a1, a2]: [f64; 3]) {
    // s = x − a₂/3 gives x³ + 3Px − 2Q = 0.
    let shift = a2 / 3.0;
    let p = a1 / 3.0 - shift * shift;
    let q = 0.5 * (shift * a1 - a0) - shift * shift * shift;
    let discriminant = q * q + p * p * p;
    if discriminant > 0.0 {
        // One real root: x = ∛(Q + √D) + ∛(Q − √D), the larger cube root first, the other from their product −P.
        let r = discriminant.sqrt();
        let a = (if q < 0.0 { q - r } else { q + r }).cbrt();
        roots.add(a - p / a - shift);
    } else {
        // Three: x = 2√(−P) cos((θ + 2πk)/3), cos θ = Q/√(−P³); ascending for k = 1, 2, 0.
        let m = (-p).sqrt();
        let theta = if m > 0.0 { (q / (m * m * m)).clamp(-1.0, 1.0).acos() } else { 0.0 };
        let (sine, cosine) = (theta / 3.0).sin_cos();
        let root_3 = 3.0f64.sqrt();
        roots.add(-m * (cosine + root_3 * sine) - shift);
        roots.add(-m * (cosine - root_3 * sine) - shift);
        roots.add(2.0 * m * cosine - shift);
    }
}

/// a₂s² + a₁s + a₀ = 0.
#[inline(always)]
fn add_quadratic(roots: &mut Roots, a0: f64, a1: f64, a2: f64) {
    let discriminant = a1 * a1 - 4.0 * a2 * a0;
    if discriminant < 0.0 {
        return;
    }
    let q = -0.5 * (a1 + discriminant.sqrt().copysign(a1));
    let (a, b) = (a0 / q, q / a2);
    roots.add(a.min(b));
    roots.add(a.max(b));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots_of(bernstein: [f64; 4]) -> Vec<f64> {
        roots(&CellCubic::from_bernstein(bernstein, 4.0)).as_slice().to_vec()
    }

    #[test]
    fn three_two_and_one_root() {
        // 32 (s − 1/4)(s − 1/2)(s − 3/4)
        let three = roots_of([-3.0, 13.0 / 3.0, -13.0 / 3.0, 3.0]);
        assert_eq!(three.len(), 3);
        for (found, exact) in three.iter().zip([0.25, 0.5, 0.75]) {
            assert!((found - exact).abs() < 1e-14, "{three:?}");
        }
        // 8 (s − 1/4)(s − 3/4), of degree two
        let two = roots_of([1.5, -7.0 / 6.0, -7.0 / 6.0, 1.5]);
        assert_eq!(two.len(), 2);
        assert!((two[0] - 0.25).abs() < 1e-14 && (two[1] - 0.75).abs() < 1e-14, "{two:?}");
        assert_eq!(roots_of([1.0, 0.0, -1.0, -2.0]), [1.0 / 3.0]);
        assert_eq!(roots_of([1.0, 1.0, 1.0, 1.0]), [0.0; 0]);
    }
}
