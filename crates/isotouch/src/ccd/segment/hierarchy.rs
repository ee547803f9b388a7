//! Blocks that lie on one side of σ are passed whole.

use std::ops::ControlFlow;

use glam::UVec3;

use super::piece::{Block, Cells, Cursor, Known};
use super::track::{Passage, Steps};
use super::walk::{Contact, Walk};
use crate::field::Bounds;
use crate::field::storage::bricks::BRICK;

/// Which blocks are passed whole.
#[derive(Debug, Clone, Copy)]
pub(super) struct Skips {
    /// Larger ones than bricks too.
    pub(super) pyramid: bool,
    /// Those below σ too, where all contacts are wanted.
    pub(super) insides: bool,
}

/// Visits the blocks that are not in a larger one above σ, in order.
pub(super) fn visit<B>(
    walk: &Walk<'_>,
    contact: Contact,
    skips: Skips,
    mut visit: impl FnMut(&Block, &Passage) -> ControlFlow<B>,
) -> Option<B> {
    let (mut t, end) = walk.time_inside()?;
    let mut cursor = walk.cursor(contact);
    let skips = Skips { insides: skips.insides && contact == Contact::IsOne, ..skips };
    let mut climb = Climb::new(walk, skips);
    let below = if skips.insides { climb.below } else { f64::NEG_INFINITY };
    loop {
        let cell = walk.track.cell(t);
        t = match climb.largest_block(cell) {
            Some((Side::Above, first, size)) => {
                cursor.came_above();
                walk.track.leaves(first, size)
            }
            Some((Side::Below, first, size)) => {
                let block = Block { known: Known::Beyond { is_inside: true }, first, size };
                let passage = walk.track.passage(first, size);
                if let ControlFlow::Break(found) = visit(&block, &passage) {
                    return Some(found);
                }
                walk.track.leaves(first, size)
            }
            None => match visit_brick(walk, &mut cursor, cell, (end, below), &mut visit) {
                ControlFlow::Break(found) => return Some(found),
                ControlFlow::Continue(t) => t,
            },
        };
        if t >= end {
            return None;
        }
    }
}

/// Visits the cells of the brick around a cell that may be in contact, from that cell on, unless all are above σ. Until when the path
/// is in the brick, or in the coarser block where there is none. A brick whose values are all less than `below` is passed whole.
#[inline(always)]
pub(super) fn visit_brick<B>(
    walk: &Walk<'_>,
    cursor: &mut Cursor<'_>,
    cell: UVec3,
    (end, below): (f64, f64),
    visit: &mut impl FnMut(&Block, &Passage) -> ControlFlow<B>,
) -> ControlFlow<B, f64> {
    let first = cell / BRICK * BRICK;
    if let Cells::Sparse { fine, .. } = &walk.set.cells {
        match cursor.slot(fine, cell) {
            // Its cells that reach into missing bricks have values beyond the band.
            Some(slot) if walk.is_in_band && f64::from(fine.ranges[slot][0]) > walk.iso => {
                cursor.came_above();
                return ControlFlow::Continue(walk.track.leaves(first, BRICK));
            }
            Some(slot) if walk.is_in_band && f64::from(fine.ranges[slot][1]) < below => {
                let block = Block { known: Known::Beyond { is_inside: true }, first, size: BRICK };
                visit(&block, &walk.track.passage(first, BRICK))?;
                return ControlFlow::Continue(walk.track.leaves(first, BRICK));
            }
            Some(_) => {}
            None => {
                let block = cursor.find(cell);
                if !block.known.is_above(walk.iso) {
                    visit(&block, &walk.track.passage(block.first, block.size))?;
                    return ControlFlow::Continue(walk.track.leaves(block.first, block.size));
                }
                cursor.came_above();
                // The bricks missing around it lie on the same side, for between two sides there is the band.
                let size =
                    if walk.is_in_band { BRICK * fine.empty_around(first / BRICK) } else { block.size };
                return ControlFlow::Continue(walk.track.leaves(cell / size * size, size));
            }
        }
    }
    let mut steps = Steps::new(&walk.track, cell);
    loop {
        let block = cursor.find(steps.cell());
        if !block.known.is_above(walk.iso) {
            visit(&block, &walk.track.passage(block.first, block.size))?;
        }
        let t = steps.until();
        if t >= end {
            return ControlFlow::Continue(t);
        }
        steps.advance();
        if steps.cell() / BRICK * BRICK != first {
            cursor.came_above();
            return ControlFlow::Continue(t);
        }
    }
}

/// On which side of σ a whole block lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Above,
    Below,
}

/// Looks for the largest block around a cell that lies on one side.
struct Climb<'a> {
    bounds: &'a Bounds,
    skips: Skips,
    /// Least values above this are above σ.
    above: f64,
    /// Largest values below this are surely below.
    below: f64,
    /// Where the last one was found: the next is mostly near it.
    level: usize,
}

impl<'a> Climb<'a> {
    fn new(walk: &Walk<'a>, skips: Skips) -> Self {
        Self { bounds: walk.set.field.bounds(), skips, above: walk.iso, below: walk.surely_below(), level: 0 }
    }

    #[inline(always)]
    fn side(&self, level: usize, cell: UVec3) -> Option<Side> {
        let [least, largest] = self.bounds.levels[level].range_around(cell);
        if f64::from(least) > self.above {
            return Some(Side::Above);
        }
        (self.skips.insides && f64::from(largest) < self.below).then_some(Side::Below)
    }

    /// A block on one side has its parts on that side, so up from there while that is true, and down until it is.
    #[inline(always)]
    fn largest_block(&mut self, cell: UVec3) -> Option<(Side, UVec3, u32)> {
        if !self.skips.pyramid {
            return None;
        }
        let mut found = self.side(self.level, cell);
        if found.is_some() {
            while self.level + 1 < self.bounds.levels.len()
                && let Some(side) = self.side(self.level + 1, cell)
            {
                self.level += 1;
                found = Some(side);
            }
        } else {
            while self.level > 0 && found.is_none() {
                self.level -= 1;
                found = self.side(self.level, cell);
            }
        }
        let size = self.bounds.levels[self.level].block;
        found.map(|side| (side, cell / size * size, size))
    }
}
