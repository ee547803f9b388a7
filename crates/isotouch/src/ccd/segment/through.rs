//! As far at once as the distance at a node allows, outside the solid and within it: for all contacts.
//!
//! Within the solid it is the same as outside ([`super::leap`]), with signs changed: at x, s away from a node with value v < σ, the true
//! value is at most v + L·s, within r of x at most v + L·(s + r), and the interpolant is higher by the error of its cells at most.

use std::ops::ControlFlow;

use glam::UVec3;

use super::hierarchy::{self, Side, Skips};
use super::leap::SHORTEST;
use super::piece::{Block, Known};
use super::track::Passage;
use super::walk::{Contact, Walk};

/// Visits the blocks that no leap passes over, in order. A leap within the solid is visited as one block.
pub(super) fn visit<B>(walk: &Walk<'_>, visit: impl FnMut(&Block, &Passage) -> ControlFlow<B>) -> Option<B> {
    if !walk.may_leap() {
        return hierarchy::visit(walk, Contact::IsOne, Skips { pyramid: true, insides: true }, visit);
    }
    let time = walk.time_inside()?;
    visit_during(walk, time, visit)
}

/// The same from a time on until another, and perhaps a little longer. Both are in the box, and leaps are allowed.
#[inline(always)]
pub(super) fn visit_during<B>(
    walk: &Walk<'_>,
    (from, until): (f64, f64),
    mut visit: impl FnMut(&Block, &Passage) -> ControlFlow<B>,
) -> Option<B> {
    let (_, end) = walk.time_inside()?;
    let (by, below, per_cell) = (walk.reaches(), walk.surely_below(), 1.0 / walk.track.length);
    let mut cursor = walk.cursor(Contact::IsOne);
    let mut t = from;
    loop {
        let leap = walk.set.far.side(&by, walk.track.place(t), SHORTEST);
        let next = leap.map_or(t, |(_, reach)| t + reach * per_cell);
        let visited = match leap {
            // Written so that a path of no length, whose steps are infinite or nothing, comes to its cell.
            Some((side, _)) if next > t => {
                let block = Block { known: Known::Beyond { is_inside: true }, first: UVec3::ZERO, size: 0 };
                match side {
                    Side::Above => ControlFlow::Continue(next),
                    Side::Below => {
                        visit(&block, &walk.track.between(t, next.min(end))).map_continue(|()| next)
                    }
                }
            }
            _ => hierarchy::visit_brick(walk, &mut cursor, walk.track.cell(t), (end, below), &mut visit),
        };
        match visited {
            ControlFlow::Break(found) => return Some(found),
            ControlFlow::Continue(next) => t = next,
        }
        if t >= until {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ccd::{CastOptions, Segment};
    use crate::field::{Field, FieldOptions, StorageKind};
    use crate::math::DVec3;
    use crate::mesh::shapes;

    /// That answers are the same, tests of segments tell; here, that the way within a solid is not walked.
    #[test]
    fn a_solid_is_passed_in_few_leaps() {
        let ball = shapes::sphere(1.0, 20_480).unwrap();
        for storage in [StorageKind::Dense, StorageKind::Sparse] {
            let field =
                Field::from_mesh(&ball, &FieldOptions { resolution: 200, storage, ..Default::default() })
                    .unwrap();
            let set = field.level_set(0.0, &CastOptions::default());
            for direction in [DVec3::X, DVec3::new(0.3, -0.8, 0.5), DVec3::new(-0.6, 0.1, -0.7)] {
                let offset = 0.3 * direction.any_orthonormal_vector();
                let path = Segment::new(offset - 2.0 * direction, offset + 2.0 * direction);
                let walk = set.walk(&path);
                let (mut blocks, mut until) = (0, None);
                let _ = visit::<()>(&walk, |_, passage| {
                    blocks += 1;
                    // Nothing is left out.
                    assert!(
                        until.is_none_or(|until| passage.from <= until),
                        "{storage}: {passage:?} after {until:?}"
                    );
                    until = Some(passage.to);
                    ControlFlow::Continue(())
                });
                // Of some 200 cells and more within the ball.
                assert!(blocks < 60, "{storage} {direction}: {blocks}");
                assert_eq!(walk.intervals().len(), 1);
            }
        }
    }
}
