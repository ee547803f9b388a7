//! What a field knows of the cells on a path.

use glam::UVec3;

use crate::field::storage::bricks::{BRICK, BRICK_NODES};
use crate::field::storage::{BrickView, DenseNodes, SparseNodes, Storage};

/// What is known of a block of cells.
#[derive(Debug, Clone, Copy)]
pub(super) enum Known {
    /// Corner values of the cell, or of a coarser one around it whose edge is `step` cells.
    Corners { corners: [f32; 8], step: u32 },
    /// No corner of its cells is within the band: all are outside, or all inside.
    Beyond { is_inside: bool },
}

impl Known {
    /// Whether it proves that φ > σ.
    #[inline(always)]
    pub(super) fn is_above(&self, iso: f64) -> bool {
        match self {
            Self::Beyond { is_inside } => !is_inside,
            Self::Corners { corners, .. } => {
                // One by one, for the least of them would hide one that is not a number.
                let mut is_above = true;
                for &corner in corners {
                    is_above &= f64::from(corner) > iso;
                }
                is_above
            }
        }
    }
}

impl Known {
    /// Whether it proves that φ is less than a value that is within the band.
    #[inline(always)]
    pub(super) fn is_below(&self, value: f64) -> bool {
        match self {
            Self::Beyond { is_inside } => *is_inside,
            Self::Corners { corners, .. } => {
                let mut is_below = true;
                for &corner in corners {
                    is_below &= f64::from(corner) < value;
                }
                is_below
            }
        }
    }
}

/// A cubic block of cells of which the same is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    pub(super) known: Known,
    /// Its first cell.
    pub(super) first: UVec3,
    /// Its edge, in cells.
    pub(super) size: u32,
}

/// Where the cells of paths are looked up.
#[derive(Debug, Clone, Copy)]
pub(super) enum Cells<'a> {
    Dense { nodes: &'a DenseNodes, values: &'a [f32] },
    Sparse { nodes: &'a SparseNodes, fine: BrickView<'a> },
}

impl<'a> Cells<'a> {
    #[inline(always)]
    pub(super) fn new(storage: &'a Storage) -> Self {
        match storage {
            Storage::Dense(nodes) => Self::Dense { nodes, values: &nodes.values },
            Storage::Sparse(nodes) => Self::Sparse { nodes, fine: nodes.levels[0].view() },
        }
    }
}

/// Looks up the cells of a path, one after the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    cells: &'a Cells<'a>,
    /// Whether σ is so far within the band that of cells beyond it the side is enough.
    is_in_band: bool,
    /// Whether a path that was above σ so far is outside where it leaves the band: then it was followed without a gap, it
    /// ends at its first contact, and σ is not so low that contact would begin beyond the band only.
    keeps_side: bool,
    /// Whether it was above σ so far.
    is_above: bool,
    /// The brick of the last cell.
    brick: UVec3,
    /// Where the values of it and of its upper neighbours begin, bit k of the index for axis k; neighbouring cells share them.
    firsts: [usize; 8],
}

/// A brick that was not looked up yet.
const UNASKED: usize = usize::MAX;
/// A brick that is not stored. Values begin at multiples of 64, so neither of the two is a place.
const MISSING: usize = usize::MAX - 1;

/// Where the corners of a brick's cells are, in the brick or, wrapped around, in the next.
const OFFSETS: [[u8; 8]; BRICK_NODES] = {
    let mut offsets = [[0; 8]; BRICK_NODES];
    let mut at = 0;
    while at < 8 * BRICK_NODES {
        let (cell, k) = (at / 8, at % 8);
        let (x, y, z) = (cell % 4 + (k & 1), cell / 4 % 4 + (k >> 1 & 1), cell / 16 + (k >> 2));
        offsets[cell][k] = (x % 4 + 4 * (y % 4) + 16 * (z % 4)) as u8;
        at += 1;
    }
    offsets
};

impl<'a> Cursor<'a> {
    #[inline(always)]
    pub(super) fn new(cells: &'a Cells<'a>, is_in_band: bool, keeps_side: bool) -> Self {
        Self { cells, is_in_band, keeps_side, is_above: false, brick: UVec3::MAX, firsts: [UNASKED; 8] }
    }

    /// Whether the path is known to be outside where the field says no more than the side.
    #[inline(always)]
    pub(super) fn is_outside(&self) -> bool {
        self.keeps_side & self.is_above
    }

    /// Says that the path was above σ up to here.
    #[inline(always)]
    pub(super) fn came_above(&mut self) {
        self.is_above = true;
    }

    /// The block around a cell of the grid.
    #[inline(always)]
    pub(super) fn find(&mut self, cell: UVec3) -> Block {
        let corners = match self.cells {
            Cells::Dense { nodes, values } => Some(nodes.corners_from(values, cell)),
            Cells::Sparse { fine, .. } => self.corners(fine, cell),
        };
        match corners {
            Some(corners) => Block { known: Known::Corners { corners, step: 1 }, first: cell, size: 1 },
            None if self.is_outside() => {
                Block { known: Known::Beyond { is_inside: false }, first: cell, size: 1 }
            }
            None => self.find_coarse(cell),
        }
    }

    /// The slot of the brick of a cell, if it is stored.
    #[inline(always)]
    pub(super) fn slot(&mut self, fine: &BrickView<'_>, cell: UVec3) -> Option<usize> {
        let brick = cell / BRICK;
        if brick != self.brick {
            self.brick = brick;
            self.firsts = [UNASKED; 8];
        }
        let first = self.first(fine, 0);
        (first != MISSING).then_some(first / BRICK_NODES)
    }

    #[inline(always)]
    fn first(&mut self, fine: &BrickView<'_>, neighbour: usize) -> usize {
        if self.firsts[neighbour] == UNASKED {
            let k = neighbour as u32;
            let brick = self.brick + UVec3::new(k & 1, k >> 1 & 1, k >> 2);
            self.firsts[neighbour] = fine.slot(brick).map_or(MISSING, |slot| slot * BRICK_NODES);
        }
        self.firsts[neighbour]
    }

    /// Values at the corners of a cell, x fastest; `None` unless all eight are stored.
    #[inline(always)]
    fn corners(&mut self, fine: &BrickView<'_>, cell: UVec3) -> Option<[f32; 8]> {
        self.slot(fine, cell)?;
        let local = cell % BRICK;
        let is_last = |k: u32| (k == BRICK - 1) as usize;
        // A corner lies in the next brick along the axes on which it is the upper corner of a brick's last cell.
        let upper = is_last(local.x) | is_last(local.y) << 1 | is_last(local.z) << 2;
        let mut neighbour = upper;
        while neighbour != 0 {
            if self.first(fine, neighbour) == MISSING {
                return None;
            }
            neighbour = (neighbour - 1) & upper;
        }
        let offsets = &OFFSETS[(local.x + BRICK * (local.y + BRICK * local.z)) as usize % BRICK_NODES];
        let mut corners = [0.0; 8];
        if upper & 1 == 0 {
            // Two and two stand side by side.
            for k in [0, 2, 4, 6] {
                let first = self.firsts[k & upper] + offsets[k] as usize;
                let pair = &fine.values[first..first + 2];
                (corners[k], corners[k + 1]) = (pair[0], pair[1]);
            }
        } else {
            for k in 0..8 {
                corners[k] = fine.values[self.firsts[k & upper] + offsets[k] as usize];
            }
        }
        Some(corners)
    }

    /// The block around a cell without values of its own.
    #[inline(never)]
    fn find_coarse(&self, cell: UVec3) -> Block {
        let Cells::Sparse { nodes, .. } = self.cells else {
            unreachable!("a dense field has values everywhere")
        };
        let (size, own_corner) = nodes.coarse_block(cell);
        let first = cell / size * size;
        if self.is_in_band {
            // A corner of the block itself, for the coarse cell may reach across the surface.
            let top = || nodes.top.values[nodes.top.index(cell / nodes.top_step)];
            // Written so that NaN is not outside.
            let is_outside = own_corner.unwrap_or_else(top) > 0.0;
            let is_inside = !is_outside;
            return Block { known: Known::Beyond { is_inside }, first, size };
        }
        let values = nodes.cell_from_level(0, cell);
        Block { known: Known::Corners { corners: values.corners, step: values.step }, first, size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DVec3;
    use crate::math::cubic::CellCubic;

    #[test]
    fn a_corner_that_is_no_number_is_never_free() {
        for k in 0..8 {
            let mut corners = [2.0f32; 8];
            assert!(Known::Corners { corners, step: 1 }.is_above(1.0));
            corners[k] = f32::NAN;
            assert!(!Known::Corners { corners, step: 1 }.is_above(1.0), "corner {k}");
            let cubic = CellCubic::along(&corners, DVec3::ZERO, DVec3::new(1.0, 0.5, 0.0), 1.0);
            assert!(!cubic.stays_positive() && cubic.first_hit().is_some_and(|hit| hit.s == 0.0));
            assert!(!cubic.intervals().is_empty());
        }
    }
}
