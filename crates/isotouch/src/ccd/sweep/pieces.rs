//! A motion cut into pieces whose chords are close to it.

use glam::DAffine3;

use crate::math::Motion;
use crate::math::motion::PerRadius;

/// Most pieces, as a power of two. What chords are off by then is still added to σ.
const MOST_HALVINGS: u32 = 12;

/// 2ᵐ pieces of equal time, and the places at their ends.
pub(super) struct Pieces {
    /// m.
    pub(super) halvings: u32,
    /// `frame_from_body` at the ends of the pieces.
    at: Vec<DAffine3>,
    /// How far the chord of a piece is off its curve at most, for any point of the shell.
    pub(super) sagitta: f64,
    acceleration: PerRadius,
}

/// Several pieces side by side, or one: the k-th of 2ʲ equal parts of the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    /// j.
    pub(super) halvings: u32,
    /// k.
    pub(super) index: u32,
}

impl Span {
    /// All the time.
    pub(super) const WHOLE: Self = Self { halvings: 0, index: 0 };

    pub(super) fn halves(self) -> [Self; 2] {
        [0, 1].map(|k| Self { halvings: self.halvings + 1, index: 2 * self.index + k })
    }

    /// Which part of it is over at a time; 0 before it begins.
    #[inline(always)]
    pub(super) fn part(self, time: f64) -> f64 {
        (time * f64::from(1_u32 << self.halvings) - f64::from(self.index)).max(0.0)
    }

    /// The time at a part of it. Exact at both ends, for parts are powers of two.
    #[inline(always)]
    pub(super) fn time(self, part: f64) -> f64 {
        (f64::from(self.index) + part) / f64::from(1_u32 << self.halvings)
    }
}

impl Pieces {
    pub(super) fn new(motion: &Motion, reach: f64, tolerance: f64) -> Self {
        let acceleration = motion.acceleration();
        let whole = acceleration.at(reach) / 8.0;
        let sagitta = |halvings: u32| whole / 4f64.powi(halvings as i32);
        let halvings = (0..MOST_HALVINGS).find(|&k| sagitta(k) <= tolerance).unwrap_or(MOST_HALVINGS);
        let count = 1_u32 << halvings;
        let at = (0..=count).map(|k| motion.frame_from_body(f64::from(k) / f64::from(count))).collect();
        Self { halvings, at, sagitta: sagitta(halvings), acceleration }
    }

    pub(super) fn count(&self) -> u32 {
        1 << self.halvings
    }

    /// The places at the beginning and the end of a piece.
    #[inline(always)]
    pub(super) fn ends(&self, piece: u32) -> [&DAffine3; 2] {
        [&self.at[piece as usize], &self.at[piece as usize + 1]]
    }

    /// The same of several.
    #[inline(always)]
    pub(super) fn ends_of(&self, span: Span) -> [&DAffine3; 2] {
        let shift = self.halvings - span.halvings;
        let first = (span.index as usize) << shift;
        [&self.at[first], &self.at[first + (1 << shift)]]
    }

    /// How far chords of pieces are off that of a whole span at most, for points at a distance from the origin; 0 for one piece.
    /// The curve is within its sagitta of the one and within theirs of the others.
    #[inline(always)]
    pub(super) fn off(&self, span: Span, radius: f64) -> f64 {
        if span.halvings == self.halvings {
            return 0.0;
        }
        let duration = 0.5f64.powi(span.halvings as i32);
        self.acceleration.at(radius) * duration * duration / 8.0 + self.sagitta
    }
}
