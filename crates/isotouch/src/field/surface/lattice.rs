//! The grid a surface is extracted on: every node has one value, whatever cell asks for it.

use glam::{DVec3, UVec3};
use rayon::prelude::*;

use crate::field::bounds::{NO_RANGE, bricks_range, joined};
use crate::field::interpolate::interpolate;
use crate::field::storage::bricks::{BRICK, TILE, tile_position};
use crate::field::storage::{SparseNodes, Storage};
use crate::field::{Bounds, Field};

/// Cells along the edge of a block of a lattice without bricks; also that of the finest bounds of a dense field.
const BLOCK: u32 = 8;

/// Nodes `step` cells of the field's grid apart; the last along each axis at the end of the box.
pub(super) struct Lattice<'a> {
    field: &'a Field,
    /// Which level of a sparse field it is; its number of brick levels for the coarsest.
    level: usize,
    step: u32,
    /// Cells per axis; the last ones are shorter where `step` does not divide the grid's.
    pub(super) cells: UVec3,
    /// Cells along the edge of a block.
    pub(super) block: u32,
}

impl<'a> Lattice<'a> {
    /// The lattice with the spacing of the finest bricks that a surface at σ may pass through.
    pub(super) fn new(field: &'a Field, iso: f64) -> Self {
        let (level, step, block) = match &field.storage {
            Storage::Dense(_) => (0, 1, BLOCK),
            Storage::Sparse(nodes) => {
                let passed = |ranges: &[[f32; 2]]| ranges.par_iter().any(|&range| straddles(range, iso));
                match nodes.levels.iter().position(|level| passed(&level.ranges)) {
                    Some(level) => (level, nodes.levels[level].step, BRICK),
                    None => (nodes.levels.len(), nodes.top_step, BLOCK),
                }
            }
        };
        let cells = (field.grid.cells + (step - 1)) / step;
        Self { field, level, step, cells, block }
    }

    /// Edge length of its cells.
    pub(super) fn spacing(&self) -> f64 {
        self.field.grid.cell * f64::from(self.step)
    }

    pub(super) fn position(&self, node: UVec3) -> DVec3 {
        self.field.grid.node_position(self.in_grid(node).as_ivec3())
    }

    fn in_grid(&self, node: UVec3) -> UVec3 {
        (node * self.step).min(self.field.grid.cells)
    }

    /// The stored value of a node, or that of the coarser cell around it.
    pub(super) fn value(&self, node: UVec3) -> f64 {
        let at = self.in_grid(node);
        let nodes = match &self.field.storage {
            Storage::Dense(nodes) => return f64::from(nodes.values[nodes.index(node)]),
            Storage::Sparse(nodes) => nodes,
        };
        if at == node * self.step
            && let Some(level) = nodes.levels.get(self.level)
            && let Some(value) = level.node(node)
        {
            return f64::from(value);
        }
        let cell = at.min(self.field.grid.cells - 1);
        let found = nodes.cell_from_level(self.level, cell);
        let first = cell / found.step * found.step;
        interpolate(&found.corners, (at - first).as_dvec3() / f64::from(found.step))
    }

    /// First cells of all blocks that the surface may pass through, x fastest within a tile, tile by tile.
    pub(super) fn blocks(&self, iso: f64) -> Vec<UVec3> {
        match &self.field.storage {
            Storage::Dense(_) => self.all_blocks(|first| {
                let range = self.field.bounds.range(0, first);
                range.is_none_or(|(least, most)| straddles([least, most], iso))
            }),
            Storage::Sparse(nodes) if self.level < nodes.levels.len() => self.bricks(nodes, iso),
            Storage::Sparse(_) => self.all_blocks(|_| true),
        }
    }

    fn all_blocks(&self, is_wanted: impl Fn(UVec3) -> bool + Sync) -> Vec<UVec3> {
        let per_axis = (self.cells + (self.block - 1)) / self.block;
        let count = per_axis.as_u64vec3().element_product() as usize;
        let firsts = (0..count).into_par_iter().map(|index| tile_position(index, per_axis) * self.block);
        firsts.filter(|&first| is_wanted(first)).collect()
    }

    fn bricks(&self, nodes: &SparseNodes, iso: f64) -> Vec<UVec3> {
        let cells_per_tile = BRICK * TILE;
        let tiles = (self.cells + (cells_per_tile - 1)) / cells_per_tile;
        let count = tiles.as_u64vec3().element_product() as usize;
        let of_tile = |index: usize| {
            let tile = tile_position(index, tiles);
            let range = around(tile, |tile| self.tile_range(tile));
            if straddles(range, iso) { self.bricks_of_tile(nodes, tile, iso) } else { Vec::new() }
        };
        (0..count).into_par_iter().map(of_tile).flatten_iter().collect()
    }

    /// Range of the interpolant over a tile of 8³ bricks of the level.
    fn tile_range(&self, tile: UVec3) -> [f32; 2] {
        let bounds: &Bounds = &self.field.bounds;
        // The finest blocks of a sparse field are the tiles of its finest level; two levels of the pyramid are one of bricks.
        let level = (2 * self.level).min(bounds.levels.len() - 1);
        bounds.range(level, tile * (BRICK * TILE * self.step)).map_or(NO_RANGE, |(least, most)| [least, most])
    }

    /// A node on a brick's face may have its value from the brick beyond, so those are looked at too.
    fn bricks_of_tile(&self, nodes: &SparseNodes, tile: UVec3, iso: f64) -> Vec<UVec3> {
        const SIDE: u32 = TILE + 2;
        // The bricks of the tile and one more on each side.
        let first = tile * TILE;
        let ranges: Vec<[f32; 2]> = (0..SIDE * SIDE * SIDE)
            .map(|k| {
                let brick = first + UVec3::new(k % SIDE, k / SIDE % SIDE, k / (SIDE * SIDE));
                // Below the box there is nothing.
                match brick.cmpge(UVec3::ONE).all() {
                    true => bricks_range(nodes, self.level, brick - 1, 1, &self.field.grid),
                    false => NO_RANGE,
                }
            })
            .collect();
        let range_at = |local: UVec3| ranges[(local.x + SIDE * (local.y + SIDE * local.z)) as usize];
        let mut wanted = Vec::new();
        for k in 0..TILE * TILE * TILE {
            let local = UVec3::new(k % TILE, k / TILE % TILE, k / (TILE * TILE));
            let cell = (first + local) * BRICK;
            if cell.cmplt(self.cells).all() {
                let whole = self.range_of_whole_brick(nodes, first + local);
                if straddles(whole.unwrap_or_else(|| around(local + 1, range_at)), iso) {
                    wanted.push(cell);
                }
            }
        }
        wanted
    }

    /// Range of the 5³ nodes of a brick's cells, if all of them are stored.
    fn range_of_whole_brick(&self, nodes: &SparseNodes, brick: UVec3) -> Option<[f32; 2]> {
        let level = &nodes.levels[self.level];
        let is_whole = (1..8).all(|k| level.slot(brick + UVec3::new(k & 1, k >> 1 & 1, k >> 2)).is_some());
        level.slot(brick).filter(|_| is_whole).map(|slot| level.ranges[slot])
    }
}

/// Whether a surface at σ passes between these values; at most σ is inside.
fn straddles([least, most]: [f32; 2], iso: f64) -> bool {
    f64::from(least) <= iso && f64::from(most) > iso
}

/// The ranges of a block and its 26 neighbours joined.
fn around(at: UVec3, range: impl Fn(UVec3) -> [f32; 2]) -> [f32; 2] {
    let mut all = NO_RANGE;
    for k in 0..27 {
        let shifted = at + UVec3::new(k % 3, k / 3 % 3, k / 9);
        if shifted.cmpge(UVec3::ONE).all() {
            all = joined(all, range(shifted - 1));
        }
    }
    all
}
