//! A cell on the path.

use glam::{DVec3, UVec3};

use super::RootMethod;
use super::track::Track;
use crate::field::storage::{SparseNodes, Storage};
use crate::math::cubic::{self, CellCubic, bisection, cardano};

/// What a field knows of a cell of its grid.
#[derive(Debug, Clone, Copy)]
pub(super) enum Known {
    /// Corner values of the cell, or of the coarser one around it, whose edge is `step` cells.
    Corners { corners: [f32; 8], step: u32 },
    /// No corner is within the band: all are outside, or all inside.
    Beyond { is_inside: bool },
}

/// A block of cells about which the same is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) known: Known,
    /// First cell and edge of the block.
    pub(super) first: UVec3,
    pub(super) size: u32,
}

/// Looks up cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cells<'a> {
    pub(super) storage: &'a Storage,
    /// Whether σ is so deep in the band that cells beyond it need no values.
    pub(super) is_in_band: bool,
}

impl Cells<'_> {
    #[inline(always)]
    pub(super) fn find(&self, cell: UVec3) -> Found {
        match self.storage {
            Storage::Dense(nodes) => {
                let known = Known::Corners { corners: nodes.corners(cell), step: 1 };
                Found { known, first: cell, size: 1 }
            }
            Storage::Sparse(nodes) => self.find_sparse(nodes, cell),
        }
    }

    #[inline(always)]
    fn find_sparse(&self, nodes: &SparseNodes, cell: UVec3) -> Found {
        let (mut size, mut stored) = (1, None);
        for level in &nodes.levels {
            let at = cell / level.step;
            if let Some(corners) = level.corners(at) {
                if size == 1 && level.step > 1 {
                    size = level.step;
                }
                let known = Known::Corners { corners, step: level.step };
                let found = Found { known, first: cell / size * size, size };
                return if level.step == 1 || !self.is_in_band { found } else { beyond(found, stored) };
            }
            // A brick of this level is a cell of the next one: missing, it is so as a whole; stored, it lacks cells on its upper faces.
            match level.node(at) {
                Some(value) => {
                    stored = stored.or(Some(value));
                    size = size.max(level.step);
                    return self.coarser(nodes, cell, size, stored);
                }
                None => size = level.step * 4,
            }
        }
        self.coarser(nodes, cell, size, stored)
    }

    /// The finest values there are around a cell without its own.
    fn coarser(&self, nodes: &SparseNodes, cell: UVec3, size: u32, stored: Option<f32>) -> Found {
        let values = nodes.cell_from_level(0, cell);
        let known = Known::Corners { corners: values.corners, step: values.step };
        let found = Found { known, first: cell / size * size, size };
        if self.is_in_band { beyond(found, stored) } else { found }
    }
}

/// What remains of a coarse cell where only the band matters: its side. A corner of the cell itself tells, if one is stored.
fn beyond(found: Found, stored: Option<f32>) -> Found {
    let value = match (stored, found.known) {
        (Some(value), _) => value,
        (None, Known::Corners { corners, .. }) => corners[0],
        (None, Known::Beyond { .. }) => return found,
    };
    Found { known: Known::Beyond { is_inside: value < 0.0 }, ..found }
}
