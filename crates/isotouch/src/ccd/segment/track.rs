//! A segment in the coordinates of a grid, and when it is in which cell.

use glam::{DVec3, UVec3};

use super::Segment;
use crate::field::Grid;

/// One number per axis and one to spare: four stand side by side in a vector register.
type Four = [f64; 4];

#[inline(always)]
fn four(of: impl Fn(usize) -> f64) -> Four {
    [of(0), of(1), of(2), of(3)]
}

#[inline(always)]
fn from_axes(v: DVec3) -> Four {
    [v.x, v.y, v.z, 0.0]
}

/// Indices of cells. They are below 2³¹, and signed numbers are converted faster.
#[inline(always)]
fn from_cells(cells: UVec3) -> Four {
    [f64::from(cells.x as i32), f64::from(cells.y as i32), f64::from(cells.z as i32), 0.0]
}

/// Of the axes.
#[inline(always)]
fn least([x, y, z, _]: Four) -> f64 {
    let least = if y < x { y } else { x };
    if z < least { z } else { least }
}

/// Of the axes.
#[inline(always)]
fn largest([x, y, z, _]: Four) -> f64 {
    let largest = if y > x { y } else { x };
    if z > largest { z } else { largest }
}

/// A segment in cells of a grid: `start + t·slope` along each axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Track {
    start: Four,
    slope: Four,
    /// 1/slope; infinite where the path does not move along the axis, or so little that it makes no difference.
    inverse: Four,
    /// What planes are measured from: the start, or, where the path is still, something below all planes, so that they are left
    /// at infinity, or above all, so that they were entered before all times.
    below: Four,
    above: Four,
    /// 1 where the path goes up along the axis, otherwise 0.
    ahead: Four,
    /// From a cell to the next along the axis: 1 or −1.
    step: [i32; 4],
    /// Cells of the grid.
    cells: Four,
    /// When it is in the box: the first and the last moment.
    pub(super) inside: Option<(f64, f64)>,
    /// Places are known up to this, in cells along each axis.
    pub(super) blur: f64,
    /// Length of the segment, in cells.
    pub(super) length: f64,
}

/// From when to when a path is in a block of cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Passage {
    pub(super) from: f64,
    pub(super) to: f64,
    /// By axis: when it passes the planes that it enters and leaves the block by.
    enters: Four,
    leaves: Four,
}

impl Track {
    #[inline(always)]
    pub(super) fn new(grid: &Grid, segment: &Segment) -> Self {
        let (origin, from, to) = (from_axes(grid.origin), from_axes(segment.from), from_axes(segment.to));
        let start = four(|k| (from[k] - origin[k]) / grid.cell);
        let end = four(|k| (to[k] - origin[k]) / grid.cell);
        let slope = four(|k| end[k] - start[k]);
        let inverse = four(|k| 1.0 / slope[k]);
        let below = four(|k| if is_still(inverse[k]) { -1.0 } else { start[k] });
        let above = four(|k| if is_still(inverse[k]) { f64::MAX } else { start[k] });
        // Still axes have an inverse of +∞, whatever was in the slope.
        let inverse = four(|k| if is_still(inverse[k]) { f64::INFINITY } else { inverse[k] });
        let ahead = four(|k| if slope[k] > 0.0 { 1.0 } else { 0.0 });
        let step = [0, 1, 2, 3].map(|k| if slope[k] > 0.0 { 1 } else { -1 });
        let cells = from_cells(grid.cells);
        let farthest = four(|k| larger(larger(start[k].abs(), end[k].abs()), cells[k]));
        // Two roundings in the places of the ends, three in a time, times the slope, two in a place at that time.
        const SIXTEEN_ROUNDINGS: f64 = 16.0 / (1u64 << 53) as f64;
        let blur = SIXTEEN_ROUNDINGS * largest(farthest);
        let length = (slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2]).sqrt();
        let mut track =
            Self { start, slope, inverse, below, above, ahead, step, cells, inside: None, blur, length };
        // What lies on the faces of the box, as far as rounding can tell, is inside.
        track.inside = track.time_within(blur);
        track
    }

    /// When the path is in the box made larger by `margin` cells on each side.
    #[inline(always)]
    pub(super) fn time_within(&self, margin: f64) -> Option<(f64, f64)> {
        let (mut first, mut last) = (0.0, 1.0);
        for k in 0..3 {
            let (low, high) = (-margin, self.cells[k] + margin);
            if is_still(self.inverse[k]) {
                // Written so that NaN is outside.
                let is_inside = self.start[k] >= low && self.start[k] <= high;
                if !is_inside {
                    return None;
                }
                continue;
            }
            let (a, b) = ((low - self.start[k]) * self.inverse[k], (high - self.start[k]) * self.inverse[k]);
            let (enters, leaves) = if self.ahead[k] > 0.0 { (a, b) } else { (b, a) };
            first = if enters > first { enters } else { first };
            last = if leaves < last { leaves } else { last };
        }
        (first <= last).then_some((first, last))
    }

    /// When the path enters `size` cells from `first`, along each axis. Rounding keeps order: a later plane is never passed earlier. The
    /// border of the box is not passed: its first and last cells reach as far as the box does.
    #[inline(always)]
    fn enters(&self, first: Four, size: f64) -> Four {
        four(|k| {
            let plane = first[k] + (size - size * self.ahead[k]);
            let time = (plane - self.above[k]) * self.inverse[k];
            let time = if plane > 0.0 { time } else { f64::NEG_INFINITY };
            if plane < self.cells[k] { time } else { f64::NEG_INFINITY }
        })
    }

    /// When it leaves them.
    #[inline(always)]
    fn leaves_by(&self, first: Four, size: f64) -> Four {
        four(|k| {
            let plane = first[k] + size * self.ahead[k];
            let time = (plane - self.below[k]) * self.inverse[k];
            let time = if plane > 0.0 { time } else { f64::INFINITY };
            if plane < self.cells[k] { time } else { f64::INFINITY }
        })
    }

    /// The cell of the grid at time `t`; at the moment of passing a plane, the one beyond it. Past the box, its last cell.
    #[inline(always)]
    pub(super) fn cell(&self, t: f64) -> UVec3 {
        let place = four(|k| {
            let place = self.start[k] + t * self.slope[k];
            let last = self.cells[k] - 1.0;
            let place = if place < last { place } else { last };
            if place > 0.0 { place } else { 0.0 }
        });
        let whole = [place[0] as i32, place[1] as i32, place[2] as i32, 0];
        let cells = four(|k| f64::from(whole[k]));
        // The place is rounded, so the planes decide.
        let (enters, leaves) = (self.enters(cells, 1.0), self.leaves_by(cells, 1.0));
        let is_in = (enters[0] <= t)
            & (enters[1] <= t)
            & (enters[2] <= t)
            & (t < leaves[0])
            & (t < leaves[1])
            & (t < leaves[2]);
        if is_in {
            UVec3::new(whole[0] as u32, whole[1] as u32, whole[2] as u32)
        } else {
            self.cell_beside(cells, t)
        }
    }

    /// The cell at time `t`, starting from one beside it.
    #[inline(never)]
    fn cell_beside(&self, mut cells: Four, t: f64) -> UVec3 {
        for k in 0..3 {
            let step = 2.0 * self.ahead[k] - 1.0;
            while self.leaves_by(cells, 1.0)[k] <= t {
                cells[k] += step;
            }
            while self.enters(cells, 1.0)[k] > t {
                cells[k] -= step;
            }
        }
        UVec3::new(cells[0] as u32, cells[1] as u32, cells[2] as u32)
    }

    /// When the path is in the block of `size`³ cells from `first`, while it is in the box.
    #[inline(always)]
    pub(super) fn passage(&self, first: UVec3, size: u32) -> Passage {
        let (first, size) = (from_cells(first), f64::from(size));
        let (enters, leaves) = (self.enters(first, size), self.leaves_by(first, size));
        let (begin, end) = self.inside.unwrap_or((0.0, 0.0));
        let from = larger(largest(enters), begin);
        let to = least(leaves);
        let to = if to < end { to } else { end };
        Passage { from, to: larger(to, from), enters, leaves }
    }

    /// From one time to another, whatever cells are passed.
    #[inline(always)]
    pub(super) fn between(&self, from: f64, to: f64) -> Passage {
        Passage { from, to, enters: [f64::NEG_INFINITY; 4], leaves: [f64::INFINITY; 4] }
    }

    /// When the path leaves the block of `size`³ cells from `first`; infinity when the box ends before.
    #[inline(always)]
    pub(super) fn leaves(&self, first: UVec3, size: u32) -> f64 {
        least(self.leaves_by(from_cells(first), f64::from(size)))
    }

    /// Where the path is at time `t`, in cells.
    #[inline(always)]
    pub(super) fn place(&self, t: f64) -> DVec3 {
        let at = four(|k| self.start[k] + t * self.slope[k]);
        DVec3::new(at[0], at[1], at[2])
    }

    /// Where the path is at the beginning and end of its passage through a block, in the coordinates of a cell of `step`
    /// cells around it.
    #[inline(always)]
    pub(super) fn ends(
        &self,
        passage: &Passage,
        (block, size): (UVec3, u32),
        (cell, step): (UVec3, u32),
    ) -> (DVec3, DVec3) {
        let (block, size) = (from_cells(block), f64::from(size));
        let cell = from_cells(cell);
        // Steps are powers of two, so this is exact.
        let per_step = 1.0 / f64::from(step);
        let within = |at: f64, k: usize| ((at - cell[k]) * per_step).clamp(0.0, 1.0);
        // Where it passes a plane, exactly on that: both cells beside it see the same values there.
        let entry = four(|k| {
            let plane = block[k] + size * (1.0 - self.ahead[k]);
            let at = self.start[k] + passage.from * self.slope[k];
            within(if passage.enters[k] == passage.from { plane } else { at }, k)
        });
        let exit = four(|k| {
            let plane = block[k] + size * self.ahead[k];
            let at = self.start[k] + passage.to * self.slope[k];
            within(if passage.leaves[k] == passage.to { plane } else { at }, k)
        });
        (DVec3::new(entry[0], entry[1], entry[2]), DVec3::new(exit[0], exit[1], exit[2]))
    }
}

/// The cells of a path, one after the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Steps<'a> {
    track: &'a Track,
    cell: [i32; 4],
    /// By axis: when the path passes the plane that ends the cell.
    leaves: Four,
}

impl<'a> Steps<'a> {
    /// From a cell of the path on.
    #[inline(always)]
    pub(super) fn new(track: &'a Track, cell: UVec3) -> Self {
        let leaves = track.leaves_by(from_cells(cell), 1.0);
        Self { track, cell: [cell.x as i32, cell.y as i32, cell.z as i32, 0], leaves }
    }

    #[inline(always)]
    pub(super) fn cell(&self) -> UVec3 {
        UVec3::new(self.cell[0] as u32, self.cell[1] as u32, self.cell[2] as u32)
    }

    /// When the path leaves the cell; infinity when the box ends before.
    #[inline(always)]
    pub(super) fn until(&self) -> f64 {
        least(self.leaves)
    }

    /// On to the next cell; through an edge or a corner at once.
    #[inline(always)]
    pub(super) fn advance(&mut self) {
        let t = self.until();
        for k in 0..4 {
            // Never past the box: at its border a path leaves no cell.
            self.cell[k] += if self.leaves[k] == t { self.track.step[k] } else { 0 };
        }
        self.leaves = self.track.leaves_by(four(|k| f64::from(self.cell[k])), 1.0);
    }
}

/// So little movement that its inverse is infinite, or none that is a number.
#[inline(always)]
fn is_still(inverse: f64) -> bool {
    // Written so that NaN is still.
    let moves = inverse.abs() < f64::INFINITY;
    !moves
}

#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}
