//! One root, approached from the positive side.

use super::cell_cubic::{CellCubic, Powers};

/// Newton steps before bisection takes over. Simple roots need two to five.
const NEWTON_STEPS: u32 = 10;
/// Halvings after that: 2⁻⁶⁴ of the bracket changes p by less than rounding does.
const HALVINGS: u32 = 64;

/// A part of [0, 1] on which p comes down to zero once, from either side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bracket {
    /// The end where p is above τ.
    pub(super) above: f64,
    /// The end where it is not.
    pub(super) at_most: f64,
    /// p at the end above: the Bernstein coefficient there.
    pub(super) height: f64,
}

impl CellCubic {
    /// 24τ: the largest value at which an interval begins or ends. Intervals are joined unless p rises above it in between.
    #[inline(always)]
    pub(super) fn clearly_above(&self) -> f64 {
        24.0 * self.rounding
    }

    /// An s in the bracket, on the side that is above, with 0 < p(s) ≤ 32τ and p > 0 from there to the bracket's end above; see
    /// *Roots* in the module. On the bracket p enters or leaves, as [`Course`](super::parts::Course) says it.
    #[inline(always)]
    pub(super) fn refine(&self, powers: &Powers, bracket: Bracket, guess: f64) -> f64 {
        let Bracket { mut above, mut at_most, height } = bracket;
        let (least, wanted, most) = (8.0 * self.rounding, 16.0 * self.rounding, self.clearly_above());
        // The end itself will do: its coefficient is above τ, so p > 0 there, and none of the others is above 24τ either, so
        // p ≤ 24τ + 23 uM on all of the bracket. From below 8τ all steps would be spent on finding nothing better.
        if height <= most {
            return above;
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_that_is_low_enough_is_the_answer() {
        let t = CellCubic::from_bernstein([0.0; 4], 1.0).rounding();
        // In units of τ: from just proven to the highest accepted.
        for height in [1.0f64.next_up(), 2.0, 8.0, 12.0, 24.0] {
            let falling = CellCubic::from_bernstein([height * t, -0.5, -0.75, -1.0], 1.0);
            assert_eq!(falling.first_hit().map(|hit| hit.s), Some(0.0), "{height}");
            assert_eq!(falling.intervals()[0].start, 0.0, "{height}");
            let rising = CellCubic::from_bernstein([-1.0, -0.75, -0.5, height * t], 1.0);
            assert_eq!((rising.intervals()[0].start, rising.intervals()[0].end), (0.0, 1.0), "{height}");
        }
    }

    #[test]
    fn a_higher_end_is_left_for_where_p_is_low_enough() {
        let t = CellCubic::from_bernstein([0.0; 4], 1.0).rounding();
        for height in [24.0f64.next_up(), 25.0, 1e3, 1e10] {
            let falling = CellCubic::from_bernstein([height * t, -0.5, -0.75, -1.0], 1.0);
            let s = falling.first_hit().map(|hit| hit.s).unwrap();
            assert!(s > 0.0 && (8.0 * t..=24.0 * t).contains(&falling.value(s)), "{height}: {s}");
            let rising = CellCubic::from_bernstein([-1.0, -0.75, -0.5, height * t], 1.0);
            let s = rising.intervals()[0].end;
            assert!(s < 1.0 && (8.0 * t..=24.0 * t).contains(&rising.value(s)), "{height}: {s}");
        }
    }

    #[test]
    fn a_low_end_is_not_the_answer_where_p_rises_first() {
        let t = CellCubic::from_bernstein([0.0; 4], 1.0).rounding();
        for height in [1.5, 4.0, 12.0, 24.0] {
            // 0.375 s² − 1.375 s³ but for that: one change of sign, about s = 3/11.
            let cubic = CellCubic::from_bernstein([height * t, height * t, 0.125, -1.0], 1.0);
            let hit = cubic.first_hit().unwrap();
            assert!((hit.s - 3.0 / 11.0).abs() < 1e-9, "{height}: {hit:?}");
            assert_eq!(cubic.intervals()[0].start, hit.s, "{height}");
            let back = CellCubic::from_bernstein([-1.0, 0.125, height * t, height * t], 1.0);
            assert!((back.intervals()[0].end - 8.0 / 11.0).abs() < 1e-9, "{height}");
        }
    }
}
