//! Cell after cell.

use std::ops::ControlFlow;

use super::piece::Block;
use super::track::{Passage, Steps};
use super::walk::{Contact, Walk};

/// Visits every cell on the path, in order; where σ is beyond the band of a sparse field, its coarser cells too.
pub(super) fn visit<B>(
    walk: &Walk<'_>,
    mut visit: impl FnMut(&Block, &Passage) -> ControlFlow<B>,
) -> Option<B> {
    let (enters, end) = walk.time_inside()?;
    let mut cursor = walk.cursor(Contact::IsOne);
    let mut steps = Steps::new(&walk.track, walk.track.cell(enters));
    loop {
        let block = cursor.find(steps.cell());
        if !block.known.is_above(walk.iso) {
            let passage = walk.track.passage(block.first, block.size);
            if let ControlFlow::Break(found) = visit(&block, &passage) {
                return Some(found);
            }
        }
        let is_one_piece = block.size > 1 && !walk.is_in_band;
        let t = if is_one_piece { walk.track.leaves(block.first, block.size) } else { steps.until() };
        if t >= end {
            return None;
        }
        if is_one_piece {
            steps = Steps::new(&walk.track, walk.track.cell(t));
        } else {
            steps.advance();
        }
    }
}
