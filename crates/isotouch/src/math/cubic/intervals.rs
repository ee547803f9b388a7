//! All of [0, 1] where p is at most zero.

use std::ops::Deref;

use super::cell_cubic::CellCubic;
use super::parts::{Course, Part, Parts};
use super::refine::{Bracket, polygon_crossing};

/// A maximal interval on which p is at most zero, as far as rounding can tell.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Interval {
    /// Where it begins: 0, or an s with 0 < p(s) ≤ [`CellCubic::tolerance`].
    pub start: f64,
    /// Where it ends: 1, or an s with 0 < p(s) ≤ [`CellCubic::tolerance`].
    pub end: f64,
    /// p < 0 somewhere in it, proven. If not, it is a touch, or a miss by less than the tolerance.
    pub is_certain: bool,
}

/// The intervals of a cubic, in order and disjoint: none, one or two, since between two of them lie two roots of three.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Intervals {
    items: [Interval; 2],
    count: usize,
}

impl Deref for Intervals {
    type Target = [Interval];

    #[inline(always)]
    fn deref(&self) -> &[Interval] {
        &self.items[..self.count]
    }
}

impl Intervals {
    #[inline(always)]
    fn one(start: f64, end: f64) -> Self {
        Self { items: [Interval { start, end, is_certain: true }, Interval::default()], count: 1 }
    }
}

impl CellCubic {
    /// Every maximal interval with p ≤ 0. Outside them p > 0, proven; inside p ≤ [`CellCubic::tolerance`]. Touches are
    /// intervals too, however short.
    #[inline(always)]
    pub fn intervals(&self) -> Intervals {
        let [b0, b1, b2, b3] = self.bernstein;
        let (t, clear) = (self.rounding, self.clearly_above());
        if (b0 > t) & (b1 > t) & (b2 > t) & (b3 > t) {
            return Intervals::default();
        }
        if (b0 < -t) & (b1 <= t) & (b2 <= t) & (b3 <= t) {
            return Intervals::one(0.0, 1.0);
        }
        if (b0 > clear) & (b3 < -t) & ((b1 > clear) | (b2 <= t)) {
            let s = self.refine(
                &self.powers(),
                Bracket { above: 0.0, at_most: 1.0, height: b0 },
                polygon_crossing(self.bernstein, t),
            );
            return Intervals::one(s, 1.0);
        }
        if (b0 < -t) & (b3 > clear) & ((b1 <= t) | (b2 > clear)) {
            let s = self.refine(
                &self.powers(),
                Bracket { above: 1.0, at_most: 0.0, height: b3 },
                polygon_crossing(self.bernstein, t),
            );
            return Intervals::one(0.0, s);
        }
        self.intervals_of_parts()
    }

    #[inline(never)]
    fn intervals_of_parts(&self) -> Intervals {
        let powers = self.powers();
        let mut joined = Joined::new(self.clearly_above());
        for part in Parts::new(self, &powers) {
            let Part { mut start, mut end, bernstein: [first, .., last], course } = part;
            let bracket = match course {
                Course::Above => {
                    joined.rise_to(first);
                    joined.rise_to(last);
                    continue;
                }
                Course::AtMost => None,
                Course::Enters => Some(Bracket { above: start, at_most: end, height: first }),
                Course::Leaves => Some(Bracket { above: end, at_most: start, height: last }),
            };
            if let Some(bracket) = bracket {
                let boundary = self.refine(&powers, bracket, part.guess(self.rounding));
                if course == Course::Enters {
                    joined.rise_to(first);
                    start = boundary;
                } else {
                    end = boundary;
                }
            }
            joined.add(Interval { start, end, is_certain: part.goes_below(self.rounding) });
            if course == Course::Leaves {
                joined.rise_to(last);
            }
        }
        joined.intervals
    }
}

/// Joins pieces that follow each other, unless p rose clearly above zero in between. Each pair of intervals that stays apart
/// has a value above 24τ between two below 8τ, which a cubic can do once: there is room for two.
struct Joined {
    intervals: Intervals,
    /// Largest value since the last piece.
    peak: f64,
    clearly_above: f64,
}

impl Joined {
    fn new(clearly_above: f64) -> Self {
        Self { intervals: Intervals::default(), peak: f64::NEG_INFINITY, clearly_above }
    }

    fn rise_to(&mut self, value: f64) {
        self.peak = if value > self.peak { value } else { self.peak };
    }

    fn add(&mut self, piece: Interval) {
        let Intervals { items, count } = &mut self.intervals;
        let is_apart = *count == 0 || (*count == 1 && self.peak > self.clearly_above);
        if is_apart {
            items[*count] = piece;
            *count += 1;
        } else {
            let last = &mut items[*count - 1];
            last.end = piece.end;
            last.is_certain |= piece.is_certain;
        }
        self.peak = f64::NEG_INFINITY;
    }
}
