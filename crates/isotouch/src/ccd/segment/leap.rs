//! As far at once as the distance at a node allows.
//!
//! At x, s away from a node with value v, the true distance is at least v − L·s, and within r of x at least v − L·(s + r). The
//! interpolant is lower by the error of full-resolution cells at most (coarser ones begin beyond the band). So the path is free for
//!
//! ```text
//! r = (v − σ − ε)/L − s
//! ```

use std::ops::ControlFlow;

use super::hierarchy::{self, Skips};
use super::piece::Block;
use super::track::Passage;
use super::walk::{Contact, Walk};

/// Leaps shorter than this many cells are not worth it.
pub(super) const SHORTEST: f64 = 1.0;

/// Visits the blocks that no leap passes over, in order, for who stops at the first contact.
pub(super) fn visit<B>(
    walk: &Walk<'_>,
    mut visit: impl FnMut(&Block, &Passage) -> ControlFlow<B>,
) -> Option<B> {
    if !walk.may_leap() {
        return hierarchy::visit(walk, Contact::Ends, Skips { pyramid: true, insides: false }, visit);
    }
    let (mut t, end) = walk.time_inside()?;
    let (by, per_cell) = (walk.reach(), 1.0 / walk.track.length);
    let mut cursor = walk.cursor(Contact::Ends);
    loop {
        let place = walk.track.place(t);
        let mut reach = walk.set.far.reach(&by, place);
        if reach <= SHORTEST {
            reach = walk.set.far.reach_between(&by, place, SHORTEST);
        }
        let next = t + reach * per_cell;
        // Written so that a path of no length, whose steps are infinite or nothing, comes to its cell.
        if reach > SHORTEST && next > t {
            t = next;
            cursor.came_above();
        } else {
            match hierarchy::visit_brick(
                walk,
                &mut cursor,
                walk.track.cell(t),
                (end, f64::NEG_INFINITY),
                &mut visit,
            ) {
                ControlFlow::Break(found) => return Some(found),
                ControlFlow::Continue(until) => t = until,
            }
        }
        if t >= end {
            return None;
        }
    }
}
