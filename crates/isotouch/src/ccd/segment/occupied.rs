//! What a level set occupies: made once for many segments, so that each finds its cells by a bit and its leaps by a byte.
//!
//! ```text
//! block of 4³ cells (a brick)     one byte: 0, it may be in contact; k, it is free and so is all within k − 1 cells of it
//!   cell                          one bit of the brick's 64: it may be in contact
//! ```
//!
//! Where a field has no brick it lies on one side: that of the next coarser node at its lowest corner, for between two sides there are bricks.
//!
//! Paths leap over the blocks in `f32` ([`super::lanes`]), so a block or cell counts as free only where φ is above σ by more than that
//! rounding can hide; whoever comes to one that is not looks exactly.

use glam::UVec3;
use rayon::prelude::*;

use super::far::{Far, Reach};
use crate::field::storage::bricks::{BRICK, BRICK_NODES, BrickLevel, TILE, bricks_of_tile};
use crate::field::storage::{BrickView, SparseNodes};

/// Distance of a block's farthest points from its centre, in cells: 2√3.
const TO_CORNER: f64 = 3.464_101_616;

/// Bits of a brick's nodes whose x, y or z is the last.
const LAST: [u64; 3] = [0x8888_8888_8888_8888, 0xf000_f000_f000_f000, 0xffff_0000_0000_0000];

pub(super) struct Occupied {
    /// Blocks per axis.
    pub(super) blocks: UVec3,
    /// One more than how many cells around each block are free; 0 where it may be in contact.
    pub(super) free: Vec<u8>,
    /// By slot: bit x + 4y + 16z of a brick set when that cell may be in contact.
    cells: Vec<u64>,
}

/// What decides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Threshold {
    /// Values above this are free.
    pub(super) value: f64,
    /// How far a path may leap.
    pub(super) reach: Reach,
}

impl Occupied {
    pub(super) fn new(nodes: &SparseNodes, far: &Far<'_>, cells: UVec3, by: &Threshold) -> Self {
        let blocks = (cells + (BRICK - 1)) / BRICK;
        let mut free = vec![0; blocks.as_u64vec3().element_product() as usize];
        let layer = (blocks.x * blocks.y) as usize;
        free.par_chunks_mut(layer).enumerate().for_each(|(z, free)| {
            for (y, row) in free.chunks_mut(blocks.x as usize).enumerate() {
                far_from_top(row, y as u32, z as u32, far, &by.reach);
            }
        });
        // Coarser levels first, for finer ones know better.
        for level in nodes.levels.iter().skip(1).rev() {
            let slabs = free.par_chunks_mut(layer * (level.step / BRICK * BRICK * TILE) as usize);
            slabs.enumerate().for_each(|(z, slab)| {
                for (brick, slot) in bricks_of_layer(level, z as u32) {
                    far_from_brick(slab, blocks, level, (brick, slot), &by.reach);
                }
            });
        }
        let fine = &nodes.levels[0];
        let below = nodes_below(fine, by.value);
        let masks = free.par_chunks_mut(layer * TILE as usize).enumerate().map(|(z, slab)| {
            let view = fine.view();
            let of_brick = |(brick, slot): (UVec3, usize)| {
                // Written so that NaN may.
                let is_above = f64::from(fine.ranges[slot][0]) > by.value;
                let may_touch = !is_above;
                // Bricks past the last cell hold the corners of others.
                if brick.cmplt(blocks).all() {
                    let at = &mut slab[index_in_slab(brick, blocks, TILE)];
                    *at = if may_touch { 0 } else { (*at).max(1) };
                }
                if may_touch { cells_below(&view, &below, brick) } else { 0 }
            };
            bricks_of_layer(fine, z as u32).map(of_brick).collect::<Vec<u64>>()
        });
        let cells = masks.collect::<Vec<_>>().concat();
        Self { blocks, free, cells }
    }

    /// The cells of a brick that may be in contact, a bit each.
    #[inline(always)]
    pub(super) fn cells(&self, slot: usize) -> u64 {
        self.cells[slot]
    }

    /// Whether a block is free.
    #[inline(always)]
    pub(super) fn is_free(&self, block: UVec3) -> bool {
        let index = block.x as usize
            + self.blocks.x as usize * (block.y as usize + self.blocks.y as usize * block.z as usize);
        self.free[index] != 0
    }
}

/// As a byte: how far may be leapt from anywhere in a block, and one more; 0 where not even the block is free.
#[inline(always)]
fn as_byte(reach: f64) -> u8 {
    if reach > 0.0 { (1.0 + reach).min(255.0) as u8 } else { 0 }
}

/// The free cells around a row of blocks, by the coarsest nodes.
fn far_from_top(row: &mut [u8], y: u32, z: u32, far: &Far<'_>, by: &Reach) {
    for (x, free) in row.iter_mut().enumerate() {
        let block = UVec3::new(x as u32, y, z);
        let center = (block * BRICK).as_dvec3() + 0.5 * f64::from(BRICK);
        let is_outside = far.value(block * BRICK / far.step) > 0.0;
        *free = as_byte(far.reach(by, center) - TO_CORNER).max(u8::from(is_outside));
    }
}

/// The free cells around the blocks between the nodes of a brick and the next ones.
fn far_from_brick(
    slab: &mut [u8],
    blocks: UVec3,
    level: &BrickLevel,
    (brick, slot): (UVec3, usize),
    by: &Reach,
) {
    // Blocks between two nodes.
    let apart = level.step / BRICK;
    for (k, &value) in level.values[slot * BRICK_NODES..][..BRICK_NODES].iter().enumerate() {
        let k = k as u32;
        let first = (brick * BRICK + UVec3::new(k % 4, k / 4 % 4, k / 16)) * apart;
        for z in first.z..(first.z + apart).min(blocks.z) {
            for y in first.y..(first.y + apart).min(blocks.y) {
                for x in first.x..(first.x + apart).min(blocks.x) {
                    let block = UVec3::new(x, y, z);
                    let farthest = ((block + 1 - first) * BRICK).as_dvec3().length();
                    let reach = f64::from(value) * by.cells - by.reserve - farthest;
                    let at = &mut slab[index_in_slab(block, blocks, apart * BRICK * TILE)];
                    let found = as_byte(reach).max(u8::from(value > 0.0));
                    // One that says no more than on which side a block would be if there were no brick here is forgotten.
                    *at = if *at > 1 { found.max(*at) } else { found };
                }
            }
        }
    }
}

/// Index of a block in the slab of `thickness` layers that it lies in.
#[inline(always)]
fn index_in_slab(block: UVec3, blocks: UVec3, thickness: u32) -> usize {
    block.x as usize
        + blocks.x as usize * (block.y as usize + blocks.y as usize * (block.z % thickness) as usize)
}

/// The bricks of a layer of tiles with their slots, in slot order.
fn bricks_of_layer(level: &BrickLevel, z: u32) -> impl Iterator<Item = (UVec3, usize)> + '_ {
    let tiles = BrickLevel::tiles_per_axis(level.nodes);
    let count = if z < tiles.z { tiles.x * tiles.y } else { 0 };
    (0..count).flat_map(move |k| {
        let position = UVec3::new(k % tiles.x, k / tiles.x, z);
        level.tile(position).into_iter().flat_map(move |tile| bricks_of_tile(tile, position))
    })
}

/// By slot: bit k set when node k of the brick is not above a value.
fn nodes_below(level: &BrickLevel, value: f64) -> Vec<u64> {
    let of_slot = |(range, nodes): (&[f32; 2], &[f32])| {
        if f64::from(range[0]) > value {
            return 0;
        }
        let mut bits = 0u64;
        for (k, &node) in nodes.iter().enumerate() {
            let is_above = f64::from(node) > value;
            bits |= u64::from(!is_above) << k;
        }
        bits
    };
    level
        .ranges
        .par_iter()
        .zip(level.values.par_chunks_exact(BRICK_NODES))
        .with_min_len(1024)
        .map(of_slot)
        .collect()
}

/// Bit k set when a corner of cell k of a brick is set in `below`, or not stored.
fn cells_below(level: &BrickView<'_>, below: &[u64], brick: UVec3) -> u64 {
    // Of the brick and its upper neighbours, bit k of the index for axis k.
    let mut bits = [0u64; 8];
    for (k, bits) in bits.iter_mut().enumerate() {
        let k = k as u32;
        let neighbour = brick + UVec3::new(k & 1, k >> 1 & 1, k >> 2);
        *bits = level.slot(neighbour).map_or(u64::MAX, |slot| below[slot]);
    }
    // Each node joins the next one along an axis; the last ones, those of the neighbour.
    let join = |of: u64, next: u64, axis: usize| {
        let (shift, last) = (1 << (2 * axis), LAST[axis]);
        of | (of >> shift & !last) | (next << (3 * shift) & last)
    };
    for axis in 0..3 {
        for k in (0..8).filter(|k| k & (1 << axis) == 0) {
            bits[k] = join(bits[k], bits[k | 1 << axis], axis);
        }
    }
    bits[0]
}

#[cfg(test)]
mod tests;
