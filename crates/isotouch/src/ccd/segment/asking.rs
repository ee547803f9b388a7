//! Paths among the occupied cells of a level set, which are asked one after the other.

use super::occupied::Occupied;
use super::piece::Cells;
use super::track::Steps;
use super::walk::{Contact, Walk};
use super::{Hit, HitStatus};
use crate::field::storage::bricks::BRICK;

/// What comes next on a path.
enum Ahead {
    /// A cell that may be in contact.
    Cell,
    /// A free block, at this time.
    Free(f64),
    /// Its end, or that of the box.
    End,
    /// A block without cells of its own.
    Unstored,
}

/// What became of it.
pub(super) enum Outcome {
    Done(Option<Hit>),
    /// It is in a free block at this time, and was free before.
    LeapsFrom(f64),
}

/// Asks the occupied cells on a path from time `t` on, until there is a hit, the end, or a free block. It was free so far.
#[inline(always)]
pub(super) fn first_hit(walk: &Walk<'_>, occupied: &Occupied, t: f64) -> Outcome {
    let mut cursor = walk.cursor(Contact::Ends);
    let mut steps = Steps::new(&walk.track, walk.track.cell(t));
    if t > 0.0 {
        cursor.came_above();
    }
    loop {
        let first = steps.cell();
        match next_cell(walk, occupied, &mut steps) {
            Ahead::Cell => {}
            Ahead::Free(t) => return Outcome::LeapsFrom(t),
            Ahead::End => return Outcome::Done(None),
            Ahead::Unstored => return Outcome::Done(walk.first_hit()),
        }
        if steps.cell() != first {
            cursor.came_above();
        }
        let block = cursor.find(steps.cell());
        if !block.known.is_above(walk.iso) {
            match walk.hit_within(&block, &walk.track.passage(block.first, block.size)) {
                // What becomes of a touch, later cells tell.
                Some(hit) if hit.status == HitStatus::Touch => return Outcome::Done(walk.first_hit()),
                Some(hit) => return Outcome::Done(Some(hit)),
                None => {}
            }
        }
        cursor.came_above();
        match go_on(walk, occupied, &mut steps) {
            Ahead::Free(t) => return Outcome::LeapsFrom(t),
            Ahead::End => return Outcome::Done(None),
            Ahead::Cell | Ahead::Unstored => {}
        }
    }
}

/// On to the first cell that may be in contact, the present one included.
#[inline(always)]
fn next_cell(walk: &Walk<'_>, occupied: &Occupied, steps: &mut Steps<'_>) -> Ahead {
    let Cells::Sparse { fine, .. } = &walk.set.cells else { return Ahead::Unstored };
    loop {
        let brick = steps.cell() / BRICK;
        let Some(slot) = fine.slot(brick) else { return Ahead::Unstored };
        let cells = occupied.cells(slot);
        while steps.cell() / BRICK == brick {
            let local = steps.cell() % BRICK;
            if cells >> (local.x + BRICK * (local.y + BRICK * local.z)) & 1 != 0 {
                return Ahead::Cell;
            }
            match go_on(walk, occupied, steps) {
                Ahead::Cell => {}
                other => return other,
            }
        }
    }
}

/// On to the next cell.
#[inline(always)]
fn go_on(walk: &Walk<'_>, occupied: &Occupied, steps: &mut Steps<'_>) -> Ahead {
    let t = steps.until();
    if walk.time_inside().is_none_or(|(_, end)| t >= end) {
        return Ahead::End;
    }
    let brick = steps.cell() / BRICK;
    steps.advance();
    let next = steps.cell() / BRICK;
    if next != brick && occupied.is_free(next) { Ahead::Free(t) } else { Ahead::Cell }
}
