//! How the nodes of a field are kept in memory.

pub(crate) mod bricks;
mod buffer;
mod dense;

pub(crate) use bricks::{BrickLevel, BrickView};
pub(crate) use buffer::{Buffer, MappedFile};
pub(crate) use dense::DenseNodes;
use glam::{DVec3, UVec3};

/// The nodes of a field.
#[derive(Debug, Clone)]
pub(crate) enum Storage {
    Dense(DenseNodes),
    Sparse(SparseNodes),
}

/// Bricks at spacings h, 4h, 16h… near the surface, and all nodes at the coarsest spacing.
#[derive(Debug, Clone)]
pub(crate) struct SparseNodes {
    /// Finest first.
    pub(crate) levels: Vec<BrickLevel>,
    /// All nodes at `top_step` cells of spacing.
    pub(crate) top: DenseNodes,
    pub(crate) top_step: u32,
}

/// The corners of the cell that a point falls in, and the cell's edge in cells of the grid.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CellValues {
    /// x fastest.
    pub(crate) corners: [f32; 8],
    /// Edge length in cells of the grid: 1 at full resolution.
    pub(crate) step: u32,
}

impl Storage {
    /// The finest stored cell around a cell of the grid.
    #[inline]
    pub(crate) fn cell(&self, cell: UVec3) -> CellValues {
        match self {
            Self::Dense(nodes) => CellValues { corners: nodes.corners(cell), step: 1 },
            Self::Sparse(nodes) => nodes.cell(cell),
        }
    }

    /// The value of the nearest node at the finest level that has it, and its place, for a place of the box in cells.
    #[inline]
    pub(crate) fn nearest_node(&self, place: DVec3) -> (f32, DVec3) {
        // Steps are powers of two.
        let nearest = |step: u32| (place * (1.0 / f64::from(step)) + 0.5).as_uvec3();
        let dense = |nodes: &DenseNodes, step: u32| {
            let at = nearest(step).min(nodes.nodes - 1);
            (nodes.values[nodes.index(at)], (at * step).as_dvec3())
        };
        match self {
            Self::Dense(nodes) => dense(nodes, 1),
            Self::Sparse(nodes) => {
                for level in &nodes.levels {
                    let at = nearest(level.step);
                    if let Some(value) = level.node(at) {
                        return (value, (at * level.step).as_dvec3());
                    }
                }
                dense(&nodes.top, nodes.top_step)
            }
        }
    }

    /// Nodes stored, at all levels.
    pub(crate) fn node_count(&self) -> u64 {
        match self {
            Self::Dense(nodes) => nodes.values.len() as u64,
            Self::Sparse(nodes) => {
                nodes.levels.iter().map(|l| l.values.len() as u64).sum::<u64>()
                    + nodes.top.values.len() as u64
            }
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::Dense(nodes) => nodes.values.size_in_bytes(),
            Self::Sparse(nodes) => {
                let level = |l: &BrickLevel| {
                    l.tile_at.size_in_bytes()
                        + l.tiles.size_in_bytes()
                        + l.values.size_in_bytes()
                        + l.ranges.size_in_bytes()
                };
                nodes.levels.iter().map(level).sum::<u64>() + nodes.top.values.size_in_bytes()
            }
        }
    }
}

impl SparseNodes {
    #[inline]
    fn cell(&self, cell: UVec3) -> CellValues {
        self.cell_from_level(0, cell)
    }

    /// The block of cells around one without full resolution of which the same is known: its edge, and the value at its first
    /// node, if that is stored at the level of the block. A brick of one level is a cell of the next coarser one: a brick that is not
    /// stored is known as that cell, and one that is stored lacks only cells that reach into a missing one.
    pub(crate) fn coarse_block(&self, cell: UVec3) -> (u32, Option<f32>) {
        for level in &self.levels {
            let first = level.node(cell / level.step);
            if first.is_some() {
                return (level.step, first);
            }
        }
        (self.top_step, None)
    }

    /// The finest stored cell at `level` or coarser around a cell of the grid.
    #[inline]
    pub(crate) fn cell_from_level(&self, level: usize, cell: UVec3) -> CellValues {
        for level in &self.levels[level..] {
            if let Some(corners) = level.corners(cell / level.step) {
                return CellValues { corners, step: level.step };
            }
        }
        CellValues { corners: self.top.corners(cell / self.top_step), step: self.top_step }
    }
}
