//! [0, 1] cut into parts on which the sign of p is known, from left to right.
//!
//! Between neighbouring extrema, or on one side of the inflection where there are none, coefficients rise or fall throughout:
//! p′ has Bernstein coefficients of one sign there, so at most one change is left. Halving is for what rounding leaves, in the
//! coefficients or in the place of the extrema.
//!
//! Halving ends soon. Cutting adds 9 uM to coefficients, so where the exact ones rise or fall, more than one change about a level
//! needs two of them within 9 uM of it. If all four are that near to τ, none exceeds 2τ ≥ 64 uM, and the part counts as at most
//! zero, uncut; without that rule a p that lies on τ all along would be cut into up to 2⁴⁸ parts. Otherwise p leaves the level within
//! the part, and most of its halves see that. So of each length only a few parts are cut again, next to an extremum or to where p
//! leaves a level.

use super::cell_cubic::{CellCubic, Powers};
use super::refine::polygon_crossing;

/// Parts shorter than this are not cut again: p changes by less than 6·32 uM ≤ 6τ on them, within what is tolerated.
const SHORTEST: f64 = 1.0 / (1u64 << 48) as f64;
/// Halvings down to the shortest part, the parts between the extrema, and the whole.
const DEPTH: usize = 48 + 3;
/// Halvings in all; no cell of the tests needs more than ten. What is left then counts as at most zero: should some cell reach
/// this, it costs microseconds and perhaps a false hit, never a hang or a false none.
const MOST_HALVINGS: u32 = 1000;

/// How p goes along a part, as far as rounding lets one say. "Above" is proven; "at most" may be up to 8τ above zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Course {
    Above,
    AtMost,
    /// From above to at most zero, once. It stays at or below 24τ once it has come down to that.
    Enters,
    /// The same backwards: from at most zero to above, once.
    Leaves,
}

/// A part of [0, 1].
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) start: f64,
    pub(super) end: f64,
    /// Coefficients of p on this part; the first and last are its values at both ends.
    pub(super) bernstein: [f64; 4],
    pub(super) course: Course,
}

impl Part {
    /// Where to look for the root first.
    #[inline(always)]
    pub(super) fn guess(&self, level: f64) -> f64 {
        self.start + (self.end - self.start) * polygon_crossing(self.bernstein, level)
    }

    /// p < 0 at one of its ends, proven.
    #[inline(always)]
    pub(super) fn goes_below(&self, rounding: f64) -> bool {
        (self.bernstein[0] < -rounding) | (self.bernstein[3] < -rounding)
    }
}

/// The parts, one after the other. Cuts come first at the extrema, where touches are, then in the middle.
#[derive(Debug)]
pub(super) struct Parts<'a> {
    cubic: &'a CellCubic,
    start: f64,
    /// Ends of the parts ahead, the nearest last.
    ends: [f64; DEPTH],
    ahead: usize,
    halvings_left: u32,
}

impl<'a> Parts<'a> {
    #[inline(always)]
    pub(super) fn new(cubic: &'a CellCubic, powers: &Powers) -> Self {
        let mut parts =
            Self { cubic, start: 0.0, ends: [1.0; DEPTH], ahead: 1, halvings_left: MOST_HALVINGS };
        for cut in powers.extrema().into_iter().rev().flatten() {
            parts.ends[parts.ahead] = cut;
            parts.ahead += 1;
        }
        parts
    }
}

impl Iterator for Parts<'_> {
    type Item = Part;

    #[inline(always)]
    fn next(&mut self) -> Option<Part> {
        if self.ahead == 0 {
            return None;
        }
        loop {
            let (start, end) = (self.start, self.ends[self.ahead - 1]);
            let b = self.cubic.part(start, end);
            let course = course(b, self.cubic)
                .or_else(|| self.touches_all_along(b, end - start).then_some(Course::AtMost));
            if let Some(course) = course {
                self.start = end;
                self.ahead -= 1;
                return Some(Part { start, end, bernstein: b, course });
            }
            self.ends[self.ahead] = 0.5 * (start + end);
            self.ahead += 1;
            self.halvings_left -= 1;
        }
    }
}

impl Parts<'_> {
    /// Whether a part whose course is undecided, so that p comes down to about τ in it, is within 8τ of that all along:
    /// a touch, as far as rounding can tell. No coefficient above 2τ means p ≤ 2τ + 23 uM. Also when halvings have run out.
    fn touches_all_along(&self, b: [f64; 4], length: f64) -> bool {
        let is_short = length <= SHORTEST || self.ahead == DEPTH;
        let is_flat = !b.iter().any(|&b| b > 2.0 * self.cubic.rounding);
        is_short || is_flat || self.halvings_left == 0
    }
}

/// The course by the changes of sign about τ: none or one decides. One change must be one about 24τ too, or none of the
/// coefficients above that: else p might fall to where a root would be accepted, rise again, and only then come down to zero.
#[inline(always)]
fn course(b: [f64; 4], cubic: &CellCubic) -> Option<Course> {
    let proven = course_about(b, cubic.rounding)?;
    if matches!(proven, Course::Above | Course::AtMost) {
        return Some(proven);
    }
    let clear = course_about(b, cubic.clearly_above())?;
    (clear == proven || clear == Course::AtMost).then_some(proven)
}

/// What compares as nothing (NaN) is not above.
#[inline(always)]
fn course_about(b: [f64; 4], level: f64) -> Option<Course> {
    match b.map(|b| b > level) {
        [true, true, true, true] => Some(Course::Above),
        [false, false, false, false] => Some(Course::AtMost),
        [true, true, true, false] | [true, true, false, false] | [true, false, false, false] => {
            Some(Course::Enters)
        }
        [false, true, true, true] | [false, false, true, true] | [false, false, false, true] => {
            Some(Course::Leaves)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halving_finds_a_dip_whose_extremum_is_lost_to_underflow() {
        // 16 (s − 1/4)(s − 3/4), so small that squares of coefficients vanish.
        let b = [3.0, -7.0 / 3.0, -7.0 / 3.0, 3.0].map(|b| b * 1e-200);
        let cubic = CellCubic::from_bernstein(b, 3e-200);
        assert_eq!(cubic.powers().extrema(), [None, None]);
        assert_eq!(courses(Parts::new(&cubic, &cubic.powers())), [Course::Enters, Course::Leaves]);
        let interval = cubic.intervals()[0];
        assert!((interval.start - 0.25).abs() < 1e-12 && (interval.end - 0.75).abs() < 1e-12);
        assert!(interval.is_certain);
    }

    fn courses(parts: Parts<'_>) -> Vec<Course> {
        parts.map(|part| part.course).collect()
    }

    /// [0, 1], not even cut at the extrema.
    fn uncut(cubic: &CellCubic, halvings_left: u32) -> Parts<'_> {
        Parts { cubic, start: 0.0, ends: [1.0; DEPTH], ahead: 1, halvings_left }
    }

    #[test]
    fn an_infinite_rounding_error_decides_nothing() {
        let cubic = CellCubic { bernstein: [1.0; 4], rounding: f64::INFINITY };
        assert_eq!(courses(Parts::new(&cubic, &cubic.powers())), [Course::AtMost]);
    }

    /// (s − ¼·length)(s − ¾·length): below zero in the middle of [0, length]. Exact arithmetic is assumed (τ = 0), and nearly
    /// true, since everything happens next to s = 0.
    fn dip_in_the_first(length: f64) -> CellCubic {
        let [a0, a1, a2] = [length * length * 3.0 / 16.0, -length, 1.0];
        let bernstein = [a0, a0 + a1 / 3.0, a0 + (2.0 * a1 + a2) / 3.0, a0 + a1 + a2];
        CellCubic { bernstein, rounding: 0.0 }
    }

    #[test]
    fn the_shortest_part_is_not_cut_and_touches() {
        let in_the_first = |length| {
            let cubic = dip_in_the_first(length);
            courses(Parts { ends: [length; DEPTH], ..uncut(&cubic, MOST_HALVINGS) })
        };
        assert_eq!(in_the_first(SHORTEST), [Course::AtMost]);
        assert_eq!(in_the_first(2.0 * SHORTEST), [Course::Enters, Course::Leaves]);
    }

    #[test]
    fn where_halvings_run_out_the_rest_touches() {
        let cubic = CellCubic::from_bernstein([3.0, -3.0, -3.0, 3.0], 3.0);
        assert_eq!(courses(uncut(&cubic, 0)), [Course::AtMost]);
        assert_eq!(courses(uncut(&cubic, 1)), [Course::Enters, Course::Leaves]);
        let mut no_room = Parts { ahead: DEPTH, ..uncut(&cubic, 1) };
        assert_eq!(no_room.next().map(|part| part.course), Some(Course::AtMost));
    }

    #[test]
    fn a_flat_part_at_the_edge_of_proof_is_not_cut() {
        let whole = |bernstein| courses(uncut(&CellCubic { bernstein, rounding: 1.0 }, MOST_HALVINGS));
        assert_eq!(whole([1.5, 0.5, 2.0, 0.5]), [Course::AtMost]);
        assert_ne!(whole([1.5, 0.5, 2.5, 0.5]), [Course::AtMost]);
    }

    #[test]
    fn what_rises_before_it_comes_down_is_cut_where_it_rises() {
        // One change about τ = 1, at the end; two about 24τ.
        let cubic = CellCubic { bernstein: [4.0, 4.0, 1000.0, -8000.0], rounding: 1.0 };
        assert_eq!(courses(uncut(&cubic, MOST_HALVINGS)), [Course::Above, Course::Enters, Course::AtMost]);
        let back = CellCubic { bernstein: [-8000.0, 1000.0, 4.0, 4.0], rounding: 1.0 };
        assert_eq!(courses(uncut(&back, MOST_HALVINGS)), [Course::AtMost, Course::Leaves, Course::Above]);
    }
}
