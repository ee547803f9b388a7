//! Cell after cell.

use std::ops::ControlFlow;

use super::piece::Block;
use super::track::Passage;
use super::walk::Walk;

/// Visits every block on the path, in order.
pub(super) fn visit<B>(
    walk: &Walk<'_>,
    mut visit: impl FnMut(&Block, &Passage) -> ControlFlow<B>,
) -> Option<B> {
    let (mut t, end) = walk.time_inside()?;
    let mut cell = walk.track.cell(t);
    loop {
        let block = walk.cells.find(cell);
        let passage = walk.track.passage(block.first, block.size);
        if let ControlFlow::Break(found) = visit(&block, &passage) {
            return Some(found);
        }
        if passage.to >= end {
            return None;
        }
        cell =
            if block.size == 1 { walk.track.neighbour(cell, &passage) } else { walk.track.cell(passage.to) };
        debug_assert!(passage.to > t || walk.track.cell(passage.to) == cell, "no progress at {t}");
        t = passage.to;
    }
}
