//! A segment in the coordinates of a grid, and when it is in which cell.

use glam::{DVec3, UVec3};

use super::Segment;
use crate::field::Grid;

/// The path along one axis: `start + t·slope`, in cells.
#[derive(Debug, Clone, Copy)]
struct Axis {
    start: f64,
    slope: f64,
    /// 1/slope; infinite where the path does not move along the axis, or so little that it makes no difference.
    inverse: f64,
    cells: u32,
}

impl Axis {
    fn new(from: f64, to: f64, cells: u32) -> Self {
        let slope = to - from;
        let inverse = 1.0 / slope;
        Self { start: from, slope, inverse, cells }
    }

    #[inline(always)]
    fn is_still(&self) -> bool {
        !self.inverse.is_finite()
    }

    #[inline(always)]
    fn at(&self, t: f64) -> f64 {
        self.start + t * self.slope
    }

    /// When the path passes a plane of the grid. Rounding keeps order: a later plane is never passed earlier.
    #[inline(always)]
    fn time(&self, plane: u32) -> f64 {
        (f64::from(plane) - self.start) * self.inverse
    }

    /// When the path enters and leaves the box, taken `blur` larger: what lies on its faces, as far as rounding can tell, is inside.
    fn span_of_box(&self, blur: f64) -> (f64, f64) {
        let (low, high) = (-blur, f64::from(self.cells) + blur);
        if self.is_still() {
            // Written so that NaN is outside.
            let is_inside = self.start >= low && self.start <= high;
            return if is_inside {
                (f64::NEG_INFINITY, f64::INFINITY)
            } else {
                (f64::INFINITY, f64::NEG_INFINITY)
            };
        }
        let (a, b) = ((low - self.start) * self.inverse, (high - self.start) * self.inverse);
        if self.slope > 0.0 { (a, b) } else { (b, a) }
    }

    /// The cell at time `t`; at the moment of passing a plane, the one beyond it. Past the box, its last cell.
    #[inline(always)]
    fn cell(&self, t: f64) -> u32 {
        let last = self.cells - 1;
        // Saturates below 0 and at the far end.
        let mut cell = (self.at(t) as u32).min(last);
        if self.is_still() {
            return cell;
        }
        // The place is rounded, so the planes decide.
        if self.slope > 0.0 {
            while cell < last && self.time(cell + 1) <= t {
                cell += 1;
            }
            while cell > 0 && self.time(cell) > t {
                cell -= 1;
            }
        } else {
            while cell > 0 && self.time(cell) <= t {
                cell -= 1;
            }
            while cell < last && self.time(cell + 1) > t {
                cell += 1;
            }
        }
        cell
    }

    /// When the path enters and leaves the cells [low, high). The first and last reach as far as the box does.
    #[inline(always)]
    fn span(&self, low: u32, high: u32) -> (f64, f64) {
        let (first, last) = if self.slope > 0.0 { (low, high) } else { (high, low) };
        let is_border = |plane: u32| plane == 0 || plane >= self.cells;
        let enters = if self.is_still() || is_border(first) { f64::NEG_INFINITY } else { self.time(first) };
        let leaves = if self.is_still() || is_border(last) { f64::INFINITY } else { self.time(last) };
        (enters, leaves)
    }
}

/// A segment in cells of a grid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Track {
    axes: [Axis; 3],
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
    /// By axis: whether it begins, and ends, at a plane of that axis.
    pub(super) enters: [bool; 3],
    pub(super) leaves: [bool; 3],
}

impl Track {
    pub(super) fn new(grid: &Grid, segment: &Segment) -> Self {
        let [from, to] = [segment.from, segment.to].map(|p| ((p - grid.origin) / grid.cell).to_array());
        let cells = grid.cells.to_array();
        let axes = [0, 1, 2].map(|k| Axis::new(from[k], to[k], cells[k]));
        let largest = [from, to].as_flattened().iter().fold(0.0f64, |a, b| a.max(b.abs()));
        let largest = largest.max(f64::from(grid.cells.max_element()));
        // Two roundings in the places of the ends, three in a time, times the slope, two in a place at that time.
        let blur = 16.0 * 2f64.powi(-53) * largest;
        let (mut first, mut last) = (0.0f64, 1.0f64);
        for axis in &axes {
            let (enters, leaves) = axis.span_of_box(blur);
            first = first.max(enters);
            last = last.min(leaves);
        }
        let squares: f64 = axes.iter().map(|axis| axis.slope * axis.slope).sum();
        Self { axes, inside: (first <= last).then_some((first, last)), blur, length: squares.sqrt() }
    }

    /// The cell of the grid at time `t`.
    #[inline(always)]
    pub(super) fn cell(&self, t: f64) -> UVec3 {
        let [x, y, z] = [0, 1, 2].map(|k| self.axes[k].cell(t));
        UVec3::new(x, y, z)
    }

    /// When the path is in the block of `size`³ cells from `first`, while it is in the box.
    #[inline(always)]
    pub(super) fn passage(&self, first: UVec3, size: u32) -> Passage {
        let (mut from, mut to) = self.inside.unwrap_or((0.0, 0.0));
        let spans = [0, 1, 2].map(|k| self.axes[k].span(first[k], first[k] + size));
        for (enters, leaves) in spans {
            from = if enters > from { enters } else { from };
            to = if leaves < to { leaves } else { to };
        }
        let to = if to < from { from } else { to };
        let enters = [0, 1, 2].map(|k| spans[k].0 == from);
        let leaves = [0, 1, 2].map(|k| spans[k].1 == to);
        Passage { from, to, enters, leaves }
    }

    /// The next cell after the path's passage through one.
    #[inline(always)]
    pub(super) fn neighbour(&self, cell: UVec3, passage: &Passage) -> UVec3 {
        let [x, y, z] = [0, 1, 2].map(|k| match (passage.leaves[k], self.axes[k].slope > 0.0) {
            (true, true) => (cell[k] + 1).min(self.axes[k].cells - 1),
            (true, false) => cell[k].saturating_sub(1),
            (false, _) => cell[k],
        });
        UVec3::new(x, y, z)
    }

    /// Where the path is at time `t`, in cells.
    #[inline(always)]
    pub(super) fn place(&self, t: f64) -> DVec3 {
        let [x, y, z] = [0, 1, 2].map(|k| self.axes[k].at(t));
        DVec3::new(x, y, z)
    }

    /// Where the path is at the beginning and end of its passage through a block, in the coordinates of a cell of `step`
    /// cells around it.
    #[inline(always)]
    pub(super) fn ends(
        &self,
        passage: &Passage,
        (block, size): (UVec3, u32),
        (cell, step): (UVec3, u32),
    ) -> ([f64; 3], [f64; 3]) {
        let place = |k: usize, t: f64, at_plane: bool, comes_in: bool| {
            let axis = &self.axes[k];
            // Exactly on the face of the block, so that both its cells see the same values there.
            let lies_low = comes_in == (axis.slope > 0.0);
            let plane = f64::from(if lies_low { block[k] } else { block[k] + size });
            let at = if at_plane { plane } else { axis.at(t) };
            ((at - f64::from(cell[k])) / f64::from(step)).clamp(0.0, 1.0)
        };
        let entry = [0, 1, 2].map(|k| place(k, passage.from, passage.enters[k], true));
        let exit = [0, 1, 2].map(|k| place(k, passage.to, passage.leaves[k], false));
        (entry, exit)
    }
}
