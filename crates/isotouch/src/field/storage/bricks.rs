//! One resolution of a sparse field: bricks of 4³ nodes where the surface is near, nothing elsewhere.
//!
//! ```text
//! tile (8³ bricks = 32³ nodes)        brick (4³ nodes, x fastest)
//!   mask   8 × u64  one bit a brick     values[64 · slot ..]
//!   before 8 × u16  bricks in earlier words
//!   first  u32      slot of its first brick
//! ```
//!
//! A brick is found by its bit and a count of the bits before it: the whole index of a 1024³ field is a few hundred
//! kilobytes and stays in cache. Nodes are stored once: a cell on a brick's upper face takes corners from the
//! next brick, and exists at this resolution only if all eight corners do.

use bytemuck::{Pod, Zeroable};
use glam::UVec3;

use super::Buffer;

/// Nodes along the edge of a brick; also the ratio of the spacings of two levels.
pub(crate) const BRICK: u32 = 4;
/// Nodes in a brick.
pub(crate) const BRICK_NODES: usize = 64;
/// Bricks along the edge of a tile.
pub(crate) const TILE: u32 = 8;
/// Marks a tile without bricks.
pub(crate) const NO_TILE: u32 = u32::MAX;

/// Which bricks of a tile exist and where they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Tile {
    pub(crate) mask: [u64; 8],
    pub(crate) before: [u16; 8],
    pub(crate) first: u32,
    /// Keeps the layout free of hidden padding; always 0.
    pub(crate) reserved: u32,
}

impl Tile {
    /// A tile with the given bricks, its first at slot `first`.
    pub(crate) fn new(mask: [u64; 8], first: u32) -> Self {
        let mut before = [0u16; 8];
        for word in 1..8 {
            before[word] = before[word - 1] + mask[word - 1].count_ones() as u16;
        }
        Self { mask, before, first, reserved: 0 }
    }

    pub(crate) fn brick_count(&self) -> u32 {
        self.mask.iter().map(|word| word.count_ones()).sum()
    }

    /// Bit of a brick in its tile, from its position within the tile.
    #[inline(always)]
    pub(crate) fn bit(brick: UVec3) -> (usize, u32) {
        ((brick.z % TILE) as usize, (brick.x % TILE) + TILE * (brick.y % TILE))
    }

    /// Edge, in bricks, of the largest block around a brick, of 1, 2 or 4, in which none exists. The brick itself does not.
    #[inline(always)]
    fn empty_around(&self, brick: UVec3) -> u32 {
        let is_empty = |size: u32, plane: u64| {
            let first = (brick % TILE) / size * size;
            let plane = plane << (first.x + TILE * first.y);
            self.mask[first.z as usize..][..size as usize].iter().all(|word| word & plane == 0)
        };
        // The bits of a block in one of its layers: 4 in each of 4 rows of 8, or 2 in each of 2.
        if is_empty(4, 0x0f0f_0f0f) {
            4
        } else if is_empty(2, 0x0303) {
            2
        } else {
            1
        }
    }

    #[inline(always)]
    fn slot(&self, brick: UVec3) -> Option<usize> {
        let (word, bit) = Self::bit(brick);
        let mask = self.mask[word];
        if mask >> bit & 1 == 0 {
            return None;
        }
        let rank = (mask & ((1 << bit) - 1)).count_ones();
        Some(self.first as usize + self.before[word] as usize + rank as usize)
    }
}

/// One resolution of a sparse field.
#[derive(Debug, Clone)]
pub(crate) struct BrickLevel {
    /// Spacing of its nodes, in cells of the field's grid: a power of 4.
    pub(crate) step: u32,
    /// Nodes per axis that the level would have if it were dense.
    pub(crate) nodes: UVec3,
    /// For every tile, x fastest: its position in `tiles`, or [`NO_TILE`].
    pub(crate) tile_at: Buffer<u32>,
    pub(crate) tiles: Buffer<Tile>,
    /// 64 values a brick, in slot order; nodes past the last one of the grid hold exact values too.
    pub(crate) values: Buffer<f32>,
    /// Least and largest stored value among the 5³ corners of each brick's cells.
    pub(crate) ranges: Buffer<[f32; 2]>,
}

impl BrickLevel {
    /// Tiles per axis for so many nodes.
    pub(crate) fn tiles_per_axis(nodes: UVec3) -> UVec3 {
        (nodes + (BRICK * TILE - 1)) / (BRICK * TILE)
    }

    /// Whether a tile has no bricks, or lies past the last one.
    pub(crate) fn tile_is_empty(&self, tile: UVec3) -> bool {
        let tiles = Self::tiles_per_axis(self.nodes);
        tile.cmpge(tiles).any() || self.tile_at[tile_index(tile, tiles)] == NO_TILE
    }

    /// A tile within the level, if it has bricks.
    pub(crate) fn tile(&self, tile: UVec3) -> Option<&Tile> {
        let at = self.tile_at[tile_index(tile, Self::tiles_per_axis(self.nodes))];
        (at != NO_TILE).then(|| &self.tiles[at as usize])
    }

    /// Where a brick's values begin, divided by 64; `None` when it is not stored.
    #[inline(always)]
    pub(crate) fn slot(&self, brick: UVec3) -> Option<usize> {
        self.index().slot(brick)
    }

    #[inline(always)]
    fn index(&self) -> BrickIndex<'_> {
        BrickIndex {
            tiles_per_axis: Self::tiles_per_axis(self.nodes),
            tile_at: &self.tile_at,
            tiles: &self.tiles,
        }
    }

    /// Its slices, for many questions.
    #[inline]
    pub(crate) fn view(&self) -> BrickView<'_> {
        BrickView { step: self.step, index: self.index(), values: &self.values, ranges: &self.ranges }
    }

    /// Place of a node within its brick.
    #[inline]
    pub(crate) fn within_brick(node: UVec3) -> usize {
        let local = node % BRICK;
        (local.x + BRICK * (local.y + BRICK * local.z)) as usize
    }

    /// A node's value, if it is stored.
    #[inline]
    pub(crate) fn node(&self, node: UVec3) -> Option<f32> {
        let slot = self.slot(node / BRICK)?;
        Some(self.values[slot * BRICK_NODES + Self::within_brick(node)])
    }

    /// Values at the corners of a cell, x fastest; `None` unless all eight are stored.
    #[inline]
    pub(crate) fn corners(&self, cell: UVec3) -> Option<[f32; 8]> {
        let local = cell % BRICK;
        let slot = self.slot(cell / BRICK)?;
        if local.cmplt(UVec3::splat(BRICK - 1)).all() {
            let first = slot * BRICK_NODES + Self::within_brick(cell);
            let values = &self.values[first..first + 22];
            return Some([0, 1, 4, 5, 16, 17, 20, 21].map(|offset| values[offset]));
        }
        let mut out = [0.0; 8];
        for (k, value) in out.iter_mut().enumerate() {
            let k = k as u32;
            *value = self.node(cell + UVec3::new(k & 1, k >> 1 & 1, k >> 2))?;
        }
        Some(out)
    }

    /// Every stored brick with its slot, in slot order.
    pub(crate) fn bricks(&self) -> impl Iterator<Item = (UVec3, usize)> + '_ {
        let tiles = Self::tiles_per_axis(self.nodes);
        self.tile_at.iter().enumerate().filter(|(_, at)| **at != NO_TILE).flat_map(move |(index, &at)| {
            let tile = tile_position(index, tiles);
            bricks_of_tile(&self.tiles[at as usize], tile)
        })
    }
}

/// Finds bricks.
#[derive(Debug, Clone, Copy)]
struct BrickIndex<'a> {
    tiles_per_axis: UVec3,
    tile_at: &'a [u32],
    tiles: &'a [Tile],
}

impl BrickIndex<'_> {
    #[inline(always)]
    fn slot(&self, brick: UVec3) -> Option<usize> {
        let tile = brick / TILE;
        if tile.cmpge(self.tiles_per_axis).any() {
            return None;
        }
        let at = self.tile_at[tile_index(tile, self.tiles_per_axis)];
        if at == NO_TILE { None } else { self.tiles[at as usize].slot(brick) }
    }

    #[inline(always)]
    fn empty_around(&self, brick: UVec3) -> u32 {
        let tile = brick / TILE;
        if tile.cmpge(self.tiles_per_axis).any() {
            return 1;
        }
        let at = self.tile_at[tile_index(tile, self.tiles_per_axis)];
        if at == NO_TILE { TILE } else { self.tiles[at as usize].empty_around(brick) }
    }
}

/// A level whose slices are at hand: a [`Buffer`] may be mapped, and asks itself that at every access.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BrickView<'a> {
    pub(crate) step: u32,
    index: BrickIndex<'a>,
    pub(crate) values: &'a [f32],
    pub(crate) ranges: &'a [[f32; 2]],
}

impl BrickView<'_> {
    /// As [`BrickLevel::slot`].
    #[inline(always)]
    pub(crate) fn slot(&self, brick: UVec3) -> Option<usize> {
        self.index.slot(brick)
    }

    /// Edge, in bricks, of a block around a brick that is not stored in which none is: 1, 2, 4, or a whole tile.
    #[inline(always)]
    pub(crate) fn empty_around(&self, brick: UVec3) -> u32 {
        self.index.empty_around(brick)
    }

    /// As [`BrickLevel::node`].
    #[inline(always)]
    pub(crate) fn node(&self, node: UVec3) -> Option<f32> {
        let slot = self.slot(node / BRICK)?;
        Some(self.values[slot * BRICK_NODES + BrickLevel::within_brick(node)])
    }
}

/// Index of a tile, x fastest.
#[inline(always)]
pub(crate) fn tile_index(tile: UVec3, tiles: UVec3) -> usize {
    tile.x as usize + tiles.x as usize * (tile.y as usize + tiles.y as usize * tile.z as usize)
}

/// Position of the tile with this index, x fastest.
pub(crate) fn tile_position(index: usize, tiles: UVec3) -> UVec3 {
    let (x, y) = (tiles.x as usize, tiles.y as usize);
    UVec3::new((index % x) as u32, (index / x % y) as u32, (index / (x * y)) as u32)
}

/// The bricks of one tile with their slots, in slot order.
pub(crate) fn bricks_of_tile(tile: &Tile, position: UVec3) -> impl Iterator<Item = (UVec3, usize)> + '_ {
    let mut slot = tile.first as usize;
    (0..8u32).flat_map(move |z| (0..64u32).map(move |bit| (z, bit))).filter_map(move |(z, bit)| {
        if tile.mask[z as usize] >> bit & 1 == 0 {
            return None;
        }
        slot += 1;
        Some((position * TILE + UVec3::new(bit % TILE, bit / TILE, z), slot - 1))
    })
}
