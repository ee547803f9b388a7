//! The first place where p is at most zero.

use super::cell_cubic::{CellCubic, Powers};
use super::parts::{Course, Parts};
use super::refine::{Bracket, polygon_crossing};

/// Where p first comes down to zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// p > 0 before it, proven; at it p ≤ [`CellCubic::tolerance`].
    pub s: f64,
    /// What is known about p from there on.
    pub status: HitStatus,
}

/// What is certain about a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HitStatus {
    /// s = 0, and p < 0 there: the piece starts inside. Meant for the first cell of a path. In a later one it says that φ
    /// jumps between the cells (a boundary of levels), or that σ was raised by less than the coordinates are off by: the piece
    /// before was proven free up to the shared face.
    StartsInside,
    /// p goes below zero in the interval that begins here, proven. How far it reaches, [`CellCubic::intervals`] knows.
    Crossing,
    /// p comes within rounding of zero, and may or may not reach it: a touch, or a miss by less than
    /// [`CellCubic::tolerance`].
    Touch,
}

impl CellCubic {
    /// The smallest s with p(s) ≤ 0. `None` is a proof that there is none. A hit is never late, provided that who maps s to
    /// a time of the whole segment rounds down; it is early by no more than p takes to fall by [`CellCubic::tolerance`].
    #[inline(always)]
    pub fn first_hit(&self) -> Option<Hit> {
        let [b0, b1, b2, b3] = self.bernstein;
        let (t, clear) = (self.rounding, self.clearly_above());
        if (b0 > t) & (b1 > t) & (b2 > t) & (b3 > t) {
            return None;
        }
        let powers = self.powers();
        // + + + −, + + − − or + − − − about both levels (see `course`): one root, and beyond doubt.
        if (b0 > clear) & (b3 < -t) & ((b1 > clear) | (b2 <= t)) {
            let guess = polygon_crossing(self.bernstein, t);
            let s = self.refine(&powers, Bracket { above: 0.0, at_most: 1.0, height: b0 }, guess);
            return Some(Hit { s, status: HitStatus::Crossing });
        }
        if b0 < -t {
            return Some(Hit { s: 0.0, status: HitStatus::StartsInside });
        }
        self.first_hit_of_parts(&powers)
    }

    /// Proof that p > 0 on all of [0, 1]; `false` when there is none.
    #[inline(always)]
    pub fn stays_positive(&self) -> bool {
        let [b0, b1, b2, b3] = self.bernstein;
        let t = self.rounding;
        if !((b0 > t) & (b3 > t)) {
            return false;
        }
        ((b1 > t) & (b2 > t)) || self.all_parts_are_above()
    }

    #[inline(never)]
    fn all_parts_are_above(&self) -> bool {
        Parts::new(self, &self.powers()).all(|part| part.course == Course::Above)
    }

    #[inline(never)]
    fn first_hit_of_parts(&self, powers: &Powers) -> Option<Hit> {
        let mut parts = Parts::new(self, powers);
        let mut part = parts.find(|part| part.course != Course::Above)?;
        let s = match part.course {
            Course::Enters => {
                let bracket = Bracket { above: part.start, at_most: part.end, height: part.bernstein[0] };
                self.refine(powers, bracket, part.guess(self.rounding))
            }
            _ => part.start,
        };
        // p may go below zero only later in the interval that begins at s; it ends where p is clearly above again.
        while !part.goes_below(self.rounding) {
            match parts.next() {
                Some(next) if part.bernstein[3] <= self.clearly_above() => part = next,
                _ => return Some(Hit { s, status: HitStatus::Touch }),
            }
        }
        Some(Hit { s, status: HitStatus::Crossing })
    }
}
