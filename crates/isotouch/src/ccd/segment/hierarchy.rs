//! Blocks whose least value is above σ are passed whole.

use std::ops::ControlFlow;

use glam::UVec3;

use super::piece::Block;
use super::track::Passage;
use super::walk::Walk;
use crate::field::storage::Storage;
use crate::field::storage::bricks::BRICK;

/// Visits the blocks that are not in a larger one above σ, in order.
pub(super) fn visit<B>(
    walk: &Walk<'_>,
    mut visit: impl FnMut(&Block, &Passage) -> ControlFlow<B>,
) -> Option<B> {
    let (mut t, end) = walk.time_inside()?;
    loop {
        let cell = walk.track.cell(t);
        let passage = match free_block(walk, cell) {
            Some((first, size)) => walk.track.passage(first, size),
            None => {
                let block = walk.cells.find(cell);
                let passage = walk.track.passage(block.first, block.size);
                if let ControlFlow::Break(found) = visit(&block, &passage) {
                    return Some(found);
                }
                passage
            }
        };
        if passage.to >= end {
            return None;
        }
        t = passage.to;
    }
}

/// The largest block around a cell whose values are all above σ.
fn free_block(walk: &Walk<'_>, cell: UVec3) -> Option<(UVec3, u32)> {
    let is_above = |least: f32| f64::from(least) > walk.iso;
    for level in walk.field.bounds().levels.iter().rev() {
        if is_above(level.range_around(cell)[0]) {
            return Some((cell / level.block * level.block, level.block));
        }
    }
    // Within a tile of a sparse field, its bricks. Their cells that reach into missing ones have values beyond the band.
    if let Storage::Sparse(nodes) = walk.cells.storage
        && walk.cells.is_in_band
    {
        let bricks = &nodes.levels[0];
        let slot = bricks.slot(cell / BRICK)?;
        return is_above(bricks.ranges[slot][0]).then(|| (cell / BRICK * BRICK, BRICK));
    }
    None
}
