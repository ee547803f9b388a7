//! What a field knows of the cells on a path.

use glam::UVec3;

use crate::field::storage::{SparseNodes, Storage};

/// What is known of a block of cells.
#[derive(Debug, Clone, Copy)]
pub(super) enum Known {
    /// Corner values of the cell, or of a coarser one around it whose edge is `step` cells.
    Corners { corners: [f32; 8], step: u32 },
    /// No corner of its cells is within the band: all are outside, or all inside.
    Beyond { is_inside: bool },
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

/// Looks up cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cells<'a> {
    pub(super) storage: &'a Storage,
    /// Whether σ is so far within the band that of cells beyond it the side is enough. A dense field is all band.
    pub(super) is_in_band: bool,
}

impl Cells<'_> {
    /// The block around a cell of the grid.
    #[inline(always)]
    pub(super) fn find(&self, cell: UVec3) -> Block {
        match self.storage {
            Storage::Dense(nodes) => {
                let known = Known::Corners { corners: nodes.corners(cell), step: 1 };
                Block { known, first: cell, size: 1 }
            }
            Storage::Sparse(nodes) => match nodes.levels[0].corners(cell) {
                Some(corners) => Block { known: Known::Corners { corners, step: 1 }, first: cell, size: 1 },
                None => self.find_coarse(nodes, cell),
            },
        }
    }

    /// The block around a cell without values of its own.
    fn find_coarse(&self, nodes: &SparseNodes, cell: UVec3) -> Block {
        let (size, own_corner) = nodes.coarse_block(cell);
        let first = cell / size * size;
        let values = nodes.cell_from_level(0, cell);
        if self.is_in_band {
            // A corner of the block itself, for the coarse cell may reach across the surface.
            let value = own_corner.unwrap_or(values.corners[0]);
            return Block { known: Known::Beyond { is_inside: value < 0.0 }, first, size };
        }
        Block { known: Known::Corners { corners: values.corners, step: values.step }, first, size }
    }
}
