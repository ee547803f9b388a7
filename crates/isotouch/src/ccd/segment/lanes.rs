//! Sixteen paths that leap side by side, over the blocks that a level set does not occupy.
//!
//! A leap is a few multiplications and one load from a table that rarely is in the nearest cache; one path alone waits for it. Sixteen
//! at once keep the processor busy, and in `f32` they are one vector.
//!
//! # Rounding
//!
//! With C the largest coordinate, in cells: ends, slopes, inverses, products and sums are off by 2⁻²⁴ each of no more than 2C; together
//! places and the times of passing a plane by less than 2⁻²¹·C: with [`MOST_CELLS`] that is 2⁻⁹ cells, no more than [`BESIDE_PLANE`]. A path leaves a block δ ≥ 2⁻¹⁸·C later than it was computed to: then it is
//! beyond the plane, unless it is nearly parallel to it, and what it passed over unseen is within 2δ of a free block. So free must mean above
//! σ by what φ can change on that way ([`margin`]).

use super::Segment;
use super::occupied::Occupied;
use crate::field::Grid;
use crate::field::storage::bricks::BRICK;

pub(super) const LANES: usize = 16;
/// A lane without a path.
const IDLE: u32 = u32::MAX;
/// 2²³: added to a number of [0, 2²²], it leaves no digits behind the point.
const TO_WHOLE: f32 = 8_388_608.0;
/// Cells along an axis up to which δ is well below a cell, and as a time well above the rounding of times.
pub(super) const MOST_CELLS: u32 = 4096;
/// What is so little before a plane, in blocks, counts as beyond it. Less than δ, or what is passed over unseen would be too much; more
/// than rounding, or paths along a plane would come to it again and again.
const BESIDE_PLANE: f32 = 1.0 / 2048.0;
/// Stands for 1/0, so that products with it are numbers.
const NEVER: f32 = 1e30;

/// How far beyond a plane paths go on, in cells.
pub(super) fn overshoot(cells: u32) -> f64 {
    (f64::from(cells) / f64::from(1 << 18)).max(1.0 / 256.0)
}

/// How far above σ a free block must be, for the way that is passed over: along three axes 2δ, and as much again.
pub(super) fn margin(cells: u32, steepness: f64) -> f64 {
    12.0 * overshoot(cells) * steepness
}

/// A path that leaps, from a time on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leaper {
    /// Its number in the batch.
    pub(super) segment: u32,
    t: f32,
    start: [f32; 3],
    slope: [f32; 3],
    /// Time to move by a cell.
    per_cell: f32,
}

impl Leaper {
    /// A segment from time `t` on; `None` unless it lies in the box.
    #[inline(always)]
    pub(super) fn new(grid: &Grid, segment: &Segment, number: u32, t: f64) -> Option<Self> {
        let (from, to) = ((segment.from - grid.origin) / grid.cell, (segment.to - grid.origin) / grid.cell);
        let (low, high) = (from.min(to), from.max(to));
        let last = grid.cells.as_dvec3();
        // Written so that NaN is not.
        let is_inside = (low.x >= 0.0)
            & (low.y >= 0.0)
            & (low.z >= 0.0)
            & (high.x <= last.x)
            & (high.y <= last.y)
            & (high.z <= last.z)
            & (from.x + from.y + from.z + to.x + to.y + to.z).is_finite();
        let slope = to - from;
        is_inside.then(|| Self {
            segment: number,
            // Never later.
            t: if f64::from(t as f32) > t { (t as f32).next_down() } else { t as f32 },
            start: from.as_vec3().to_array(),
            slope: slope.as_vec3().to_array(),
            per_cell: (1.0 / slope.length()) as f32,
        })
    }
}

/// Sixteen of them, by component.
pub(super) struct Lanes<'a> {
    occupied: &'a Occupied,
    /// How far beyond a plane they go on, in cells.
    overshoot: f32,
    segment: [u32; LANES],
    t: [f32; LANES],
    start: [[f32; LANES]; 3],
    slope: [[f32; LANES]; 3],
    inverse: [[f32; LANES]; 3],
    /// From the lower plane of a block to the one that it is left by.
    ahead: [[f32; LANES]; 3],
    /// Less by this, in blocks, the nearest whole number is the block.
    bias: [[f32; LANES]; 3],
    per_cell: [f32; LANES],
}

/// What a leap came to; bit k for lane k.
#[derive(Debug, Clone, Copy)]
pub(super) struct Landed {
    /// Paths that are free to their end.
    pub(super) free: u32,
    /// Paths in a block that is not.
    pub(super) near: u32,
}

impl<'a> Lanes<'a> {
    pub(super) fn new(occupied: &'a Occupied, overshoot: f64) -> Self {
        Self {
            occupied,
            overshoot: overshoot as f32,
            segment: [IDLE; LANES],
            t: [0.0; LANES],
            start: [[0.0; LANES]; 3],
            slope: [[0.0; LANES]; 3],
            inverse: [[NEVER; LANES]; 3],
            ahead: [[0.0; LANES]; 3],
            bias: [[0.0; LANES]; 3],
            per_cell: [0.0; LANES],
        }
    }

    /// The path in a lane, and how far it is.
    #[inline(always)]
    pub(super) fn path(&self, lane: usize) -> (u32, f64) {
        (self.segment[lane], f64::from(self.t[lane]))
    }

    /// Lanes without a path.
    #[inline(always)]
    pub(super) fn idle(&self) -> u32 {
        let mut idle = 0;
        for lane in 0..LANES {
            idle |= u32::from(self.segment[lane] == IDLE) << lane;
        }
        idle
    }

    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, path: Option<Leaper>) {
        let Some(path) = path else {
            self.segment[lane] = IDLE;
            return;
        };
        self.segment[lane] = path.segment;
        self.t[lane] = path.t;
        for axis in 0..3 {
            let slope = path.slope[axis];
            let inverse = 1.0 / slope;
            self.start[axis][lane] = path.start[axis];
            self.slope[axis][lane] = slope;
            // Where it does not move, it never comes to a plane two blocks on.
            let is_still = inverse.abs() >= NEVER;
            self.inverse[axis][lane] = if is_still { NEVER } else { inverse };
            let goes_down = slope < 0.0 && !is_still;
            let block = if is_still { 2.0 * BRICK as f32 } else { BRICK as f32 };
            self.ahead[axis][lane] = if goes_down { 0.0 } else { block };
            self.bias[axis][lane] = if goes_down { 0.5 + BESIDE_PLANE } else { 0.5 - BESIDE_PLANE };
        }
        self.per_cell[lane] = path.per_cell;
    }

    /// Every path leaps once: out of the free block that it is in, or as far as all around that is free.
    #[inline(always)]
    pub(super) fn leap(&mut self) -> Landed {
        const PER_BLOCK: f32 = 1.0 / BRICK as f32;
        let last = (self.occupied.blocks - 1).as_vec3().to_array();
        let (row, layer) = (self.occupied.blocks.x, self.occupied.blocks.x * self.occupied.blocks.y);
        let mut leaves = [f32::INFINITY; LANES];
        let mut block = [[0u32; LANES]; 3];
        for axis in 0..3 {
            for lane in 0..LANES {
                let place = self.start[axis][lane] + self.t[lane] * self.slope[axis][lane];
                // The whole number below is the one nearest to this.
                let at = place * PER_BLOCK - self.bias[axis][lane];
                let at = if at < last[axis] { at } else { last[axis] };
                let at = if at > 0.0 { at } else { 0.0 };
                let rounded = at + TO_WHOLE;
                block[axis][lane] = rounded.to_bits().wrapping_sub(TO_WHOLE.to_bits());
                let plane = (rounded - TO_WHOLE) * BRICK as f32 + self.ahead[axis][lane];
                let time = (plane - self.start[axis][lane]) * self.inverse[axis][lane];
                leaves[lane] = if time < leaves[lane] { time } else { leaves[lane] };
            }
        }
        let mut index = [0u32; LANES];
        for lane in 0..LANES {
            index[lane] = block[0][lane]
                .wrapping_add(row.wrapping_mul(block[1][lane]))
                .wrapping_add(layer.wrapping_mul(block[2][lane]));
        }
        let mut free_around = [0u32; LANES];
        for lane in 0..LANES {
            free_around[lane] = u32::from(self.occupied.free[index[lane] as usize]);
        }
        let mut frees = [0u32; LANES];
        let mut nears = [0u32; LANES];
        for lane in 0..LANES {
            let (t, per_cell) = (self.t[lane], self.per_cell[lane]);
            let leaves = if leaves[lane] > t { leaves[lane] } else { t };
            let leaves = leaves + self.overshoot * per_cell;
            let leaps = t + (free_around[lane] as f32 - 1.0) * per_cell;
            let next = if leaps > leaves { leaps } else { leaves };
            let is_free = free_around[lane] != 0;
            frees[lane] = u32::from(is_free & (next >= 1.0)) << lane;
            nears[lane] = u32::from(!is_free) << lane;
            self.t[lane] = if is_free { next } else { t };
        }
        let (mut free, mut near) = (0, 0);
        for lane in 0..LANES {
            free |= frees[lane];
            near |= nears[lane];
        }
        Landed { free, near }
    }
}
