//! [0, 1] cut into parts on which the sign of p is known, from left to right.
//!
//! Between neighbouring extrema, or on one side of the inflection where there are none, coefficients rise or fall throughout:
//! p′ has Bernstein coefficients of one sign there, so at most one change is left. Halving is for what rounding leaves, in the
//! coefficients or in the place of the extrema.

use super::cell_cubic::{CellCubic, Powers};
use super::refine::polygon_crossing;

/// Parts shorter than this are not cut again: p changes by less than 6·32 uM = 6τ on them, within what is tolerated.
const SHORTEST: f64 = 1.0 / (1u64 << 48) as f64;
/// Halvings down to the shortest part, the parts between the extrema, and the whole.
const DEPTH: usize = 48 + 3;

/// How p goes along a part, as far as rounding lets one say. "Above" is proven; "at most" may be up to 32τ above zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Course {
    Above,
    AtMost,
    /// From above to at most zero, once.
    Enters,
    /// From at most zero to above, once.
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
}

impl<'a> Parts<'a> {
    #[inline(always)]
    pub(super) fn new(cubic: &'a CellCubic, powers: &Powers) -> Self {
        let mut parts = Self { cubic, start: 0.0, ends: [1.0; DEPTH], ahead: 1 };
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
            let is_short = end - start <= SHORTEST || self.ahead == DEPTH;
            // A short part that is still undecided touches zero as far as rounding can tell.
            if let Some(course) = course(b, self.cubic.rounding).or(is_short.then_some(Course::AtMost)) {
                self.start = end;
                self.ahead -= 1;
                return Some(Part { start, end, bernstein: b, course });
            }
            self.ends[self.ahead] = 0.5 * (start + end);
            self.ahead += 1;
        }
    }
}

/// By the changes of sign of b − τ: none or one decides. What compares as nothing (NaN) is not above.
#[inline(always)]
fn course(b: [f64; 4], rounding: f64) -> Option<Course> {
    match b.map(|b| b > rounding) {
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
        let courses: Vec<Course> = Parts::new(&cubic, &cubic.powers()).map(|part| part.course).collect();
        assert_eq!(courses, [Course::Enters, Course::Leaves]);
        let interval = cubic.intervals()[0];
        assert!((interval.start - 0.25).abs() < 1e-12 && (interval.end - 0.75).abs() < 1e-12);
        assert!(interval.is_certain);
    }

    #[test]
    fn what_cannot_be_decided_ends_as_a_touch() {
        // No cut makes coefficients of this size comparable with an infinite τ.
        let cubic = CellCubic { bernstein: [1.0; 4], rounding: f64::INFINITY };
        let courses: Vec<Course> = Parts::new(&cubic, &cubic.powers()).map(|part| part.course).collect();
        assert_eq!(courses, [Course::AtMost]);
    }
}
