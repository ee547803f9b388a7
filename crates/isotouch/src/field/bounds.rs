//! Least and largest values per block of cells, and a pyramid above them.
//!
//! What the papers' octree does, without its memory: a block says within which values the interpolant stays on all its cells,
//! so a search may skip it whole. The finest blocks are 8³ cells of a dense field, or the 32³ cells under one tile of a
//! sparse field, whose bricks carry their own ranges; every level above joins 2³ blocks.

use glam::UVec3;
use rayon::prelude::*;

use super::Grid;
use super::storage::bricks::{BRICK, BRICK_NODES, TILE, tile_position};
use super::storage::{BrickLevel, Buffer, DenseNodes, SparseNodes, Storage};
use crate::simd::{SimdLevel, multiversioned};

/// Ranges of the interpolant over blocks of cells.
#[derive(Debug, Clone)]
pub struct Bounds {
    /// Finest first; the last is one block.
    pub(crate) levels: Vec<BoundsLevel>,
}

/// The blocks of one size.
#[derive(Debug, Clone)]
pub(crate) struct BoundsLevel {
    /// Edge of a block, in cells.
    pub(crate) block: u32,
    /// Blocks per axis.
    pub(crate) blocks: UVec3,
    /// Least and largest value of each block, x fastest.
    pub(crate) ranges: Buffer<[f32; 2]>,
}

pub(crate) const NO_RANGE: [f32; 2] = [f32::INFINITY, f32::NEG_INFINITY];

#[inline(always)]
pub(crate) fn joined(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
    [if b[0] < a[0] { b[0] } else { a[0] }, if b[1] > a[1] { b[1] } else { a[1] }]
}

pub(crate) fn range_of(values: impl IntoIterator<Item = f32>) -> [f32; 2] {
    values.into_iter().fold(NO_RANGE, |r, v| joined(r, [v, v]))
}

/// Edge of the finest blocks of each kind of storage, in cells.
pub(crate) fn finest_block(storage: &Storage) -> u32 {
    match storage {
        Storage::Dense(_) => 8,
        Storage::Sparse(_) => BRICK * TILE,
    }
}

/// Blocks per axis of each level of the pyramid.
pub(crate) fn pyramid_shape(cells: UVec3, finest: u32) -> Vec<(u32, UVec3)> {
    let mut shape = vec![(finest, (cells + (finest - 1)) / finest)];
    while let Some(&(block, blocks)) = shape.last()
        && blocks != UVec3::ONE
    {
        shape.push((block * 2, (blocks + 1) / 2));
    }
    shape
}

impl Bounds {
    pub(crate) fn new(storage: &Storage, grid: &Grid) -> Self {
        let shape = pyramid_shape(grid.cells, finest_block(storage));
        let mut levels: Vec<BoundsLevel> = Vec::new();
        for (block, blocks) in shape {
            let count = blocks.as_u64vec3().element_product() as usize;
            let range = |index: usize| {
                let at = tile_position(index, blocks);
                match levels.last() {
                    Some(below) => below.around(at * 2, UVec3::splat(2)),
                    None => match storage {
                        Storage::Dense(nodes) => dense_block(nodes, at * block, block),
                        Storage::Sparse(nodes) => sparse_block(nodes, grid, at),
                    },
                }
            };
            let ranges: Vec<[f32; 2]> = (0..count).into_par_iter().map(range).collect();
            levels.push(BoundsLevel { block, blocks, ranges: ranges.into() });
        }
        Self { levels }
    }

    /// Least and largest value of the interpolant anywhere in the box.
    pub fn overall(&self) -> (f32, f32) {
        let range = self.levels.last().map_or(NO_RANGE, |level| level.around(UVec3::ZERO, level.blocks));
        (range[0], range[1])
    }

    /// Sizes of blocks, in cells, finest first.
    pub fn block_sizes(&self) -> impl Iterator<Item = u32> + '_ {
        self.levels.iter().map(|level| level.block)
    }

    /// Within which values the interpolant stays on the block, of the given level, that holds a cell.
    pub fn range(&self, level: usize, cell: UVec3) -> Option<(f32, f32)> {
        let level = self.levels.get(level)?;
        let at = cell / level.block;
        let index = level.index(at)?;
        let [least, largest] = level.ranges[index];
        Some((least, largest))
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.levels.iter().map(|level| level.ranges.size_in_bytes()).sum()
    }
}

impl BoundsLevel {
    /// The range of the block that holds a cell, which must be in the box.
    #[inline(always)]
    pub(crate) fn range_around(&self, cell: UVec3) -> [f32; 2] {
        // Blocks are powers of two long.
        let at = cell >> self.block.trailing_zeros();
        let n = self.blocks;
        self.ranges[at.x as usize + n.x as usize * (at.y as usize + n.y as usize * at.z as usize)]
    }

    fn index(&self, at: UVec3) -> Option<usize> {
        let n = self.blocks;
        at.cmplt(n)
            .all()
            .then(|| at.x as usize + n.x as usize * (at.y as usize + n.y as usize * at.z as usize))
    }

    fn around(&self, first: UVec3, count: UVec3) -> [f32; 2] {
        let mut range = NO_RANGE;
        for z in 0..count.z {
            for y in 0..count.y {
                for x in 0..count.x {
                    if let Some(index) = self.index(first + UVec3::new(x, y, z)) {
                        range = joined(range, self.ranges[index]);
                    }
                }
            }
        }
        range
    }
}

fn dense_block(nodes: &DenseNodes, first: UVec3, block: u32) -> [f32; 2] {
    let last = (first + block).min(nodes.nodes - 1);
    let mut range = NO_RANGE;
    for z in first.z..=last.z {
        for y in first.y..=last.y {
            let start = nodes.index(UVec3::new(first.x, y, z));
            let row = &nodes.values[start..=start + (last.x - first.x) as usize];
            for &v in row {
                range = [if v < range[0] { v } else { range[0] }, if v > range[1] { v } else { range[1] }];
            }
        }
    }
    range
}

/// Range of the interpolant over the 32³ cells of a tile.
fn sparse_block(nodes: &SparseNodes, grid: &Grid, tile: UVec3) -> [f32; 2] {
    bricks_range(nodes, 0, tile * TILE, TILE, grid)
}

/// Range of the interpolant over `size`³ bricks of a level: their ranges, and the coarser cells where a brick is missing
/// or has cells that reach into a missing one.
pub(crate) fn bricks_range(
    nodes: &SparseNodes,
    level: usize,
    first: UVec3,
    size: u32,
    grid: &Grid,
) -> [f32; 2] {
    let Some(bricks) = nodes.levels.get(level) else {
        return cells_range(nodes, level, first * BRICK, size * BRICK, grid);
    };
    if size == TILE && bricks.tile_is_empty(first / TILE) {
        // A brick here is a cell of the next level, so a tile is 2³ bricks there.
        return bricks_range(nodes, level + 1, first / BRICK, TILE / BRICK, grid);
    }
    let mut range = NO_RANGE;
    for k in 0..size * size * size {
        let brick = first + UVec3::new(k % size, k / size % size, k / (size * size));
        if (brick * BRICK * bricks.step).cmpge(grid.cells).any() {
            continue;
        }
        if let Some(slot) = bricks.slot(brick) {
            range = joined(range, bricks.ranges[slot]);
        }
        let is_whole =
            (0..8u32).all(|k| bricks.slot(brick + UVec3::new(k & 1, k >> 1 & 1, k >> 2)).is_some());
        if !is_whole {
            range = joined(range, cells_range(nodes, level + 1, brick, 1, grid));
        }
    }
    range
}

/// Range of the interpolant over `size`³ cells of a level, or of the coarser cells around them.
fn cells_range(nodes: &SparseNodes, level: usize, first: UVec3, size: u32, grid: &Grid) -> [f32; 2] {
    let step = nodes.levels.get(level).map_or(nodes.top_step, |level| level.step);
    let mut range = NO_RANGE;
    for k in 0..size * size * size {
        let cell = (first + UVec3::new(k % size, k / size % size, k / (size * size))) * step;
        if cell.cmplt(grid.cells).all() {
            range = joined(range, range_of(nodes.cell_from_level(level, cell).corners));
        }
    }
    range
}

/// Least and largest stored value among the 5³ corners of each brick's cells.
pub(crate) fn brick_ranges(level: &BrickLevel) -> Vec<[f32; 2]> {
    let bricks: Vec<(UVec3, usize)> = level.bricks().collect();
    let mut ranges = vec![NO_RANGE; bricks.len()];
    let simd = SimdLevel::detect();
    ranges
        .par_chunks_mut(4096)
        .zip(bricks.par_chunks(4096))
        .for_each(|(ranges, bricks)| ranges_of_bricks(simd, level, bricks, ranges));
    ranges
}

multiversioned! {
    fn ranges_of_bricks<'a>(level: &'a BrickLevel, bricks: &'a [(UVec3, usize)], ranges: &'a mut [[f32; 2]]) = ranges_of_bricks_body
}

#[inline(always)]
fn ranges_of_bricks_body(level: &BrickLevel, bricks: &[(UVec3, usize)], ranges: &mut [[f32; 2]]) {
    let values: &[f32] = &level.values;
    for (range, &(brick, slot)) in ranges.iter_mut().zip(bricks) {
        let mut least = [f32::INFINITY; 16];
        let mut most = [f32::NEG_INFINITY; 16];
        let own = &values[slot * BRICK_NODES..(slot + 1) * BRICK_NODES];
        for layer in own.chunks_exact(16) {
            for k in 0..16 {
                least[k] = if layer[k] < least[k] { layer[k] } else { least[k] };
                most[k] = if layer[k] > most[k] { layer[k] } else { most[k] };
            }
        }
        let mut all = NO_RANGE;
        for k in 0..16 {
            all = joined(all, [least[k], most[k]]);
        }
        // The bricks above along one, two or three axes give the faces, edges and corner at offset 4.
        for k in 1..8u32 {
            let above = UVec3::new(k & 1, k >> 1 & 1, k >> 2);
            if let Some(slot) = level.slot(brick + above) {
                let other = &values[slot * BRICK_NODES..(slot + 1) * BRICK_NODES];
                let extent = |axis: u32| if k >> axis & 1 != 0 { 1 } else { 4 };
                for z in 0..extent(2) {
                    for y in 0..extent(1) {
                        for x in 0..extent(0) {
                            let v = other[x + 4 * y + 16 * z];
                            all = joined(all, [v, v]);
                        }
                    }
                }
            }
        }
        *range = all;
    }
}
