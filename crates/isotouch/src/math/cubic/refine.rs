//! One root, approached from the positive side.

use super::cell_cubic::{CellCubic, Powers};

/// Newton steps before bisection takes over. Simple roots need two to five.
const NEWTON_STEPS: u32 = 10;
/// Halvings after that: 2⁻⁶⁴ of the bracket changes p by less than rounding does.
const HALVINGS: u32 = 64;

/// A place where p is above τ, next to one where it is not.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bracket {
    pub(super) above: f64,
    pub(super) at_most: f64,
}

impl CellCubic {
    /// 24τ: the largest value at which an interval begins or ends. Intervals are joined unless p rises above it in between.
    #[inline(always)]
    pub(super) fn clearly_above(&self) -> f64 {
        24.0 * self.rounding
    }

    /// An s in the bracket, on the side that is above, with 0 < p(s) ≤ 32τ and p > 0 from there to the bracket's end; see
    /// *Roots* in the module. The bracket has one change of sign in its Bernstein coefficients less τ.
    #[inline(always)]
    pub(super) fn refine(&self, powers: &Powers, bracket: Bracket, guess: f64) -> f64 {
        let Bracket { mut above, mut at_most } = bracket;
        let (least, wanted, most) = (8.0 * self.rounding, 16.0 * self.rounding, self.clearly_above());
        let mut s = guess;
        for step in 0..NEWTON_STEPS + HALVINGS {
            let value = powers.value(s);
            if value > least {
                above = s;
                if value <= most {
                    break;
                }
            } else {
                at_most = s;
            }
            // s − (p(s) − w)/p′(s), w the middle of what is accepted.
            let newton = s - (value - wanted) / powers.slope(s);
            let is_between = (newton - above) * (newton - at_most) < 0.0;
            s = if is_between && step < NEWTON_STEPS { newton } else { 0.5 * (above + at_most) };
        }
        above
    }
}

/// Where the control polygon of coefficients with one change of sign about `level` crosses it, as a fraction of the part: a
/// first guess that is exact for a straight p.
#[inline(always)]
pub(super) fn polygon_crossing([b0, b1, b2, b3]: [f64; 4], level: f64) -> f64 {
    const THIRD: f64 = 1.0 / 3.0;
    let starts_above = b0 > level;
    let (before, a, b) = if (b1 > level) != starts_above {
        (0.0, b0, b1)
    } else if (b2 > level) != starts_above {
        (1.0, b1, b2)
    } else {
        (2.0, b2, b3)
    };
    (before + (a - level) / (a - b)) * THIRD
}
