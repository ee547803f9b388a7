//! Filling: points where darts left a place uncovered.
//!
//! A piece of a triangle is covered when one point is within the spacing of all its corners, for then it is of all the piece. A
//! piece whose middle is covered by none gets a point there; any other is halved, and its halves are looked at.

use std::ops::ControlFlow;

use glam::DVec3;
use rayon::prelude::*;

use super::{Place, PointGrid, Sample, TOGETHER, stage};
use crate::field::{Cancelled, Execution, Stage};
use crate::shell::ShellError;
use crate::shell::surface::Surface;

/// Pieces shorter than this fraction of the spacing are covered if their middle is, but for as much as that. Larger leaves places farther
/// than promised; smaller takes longer.
const FINEST: f64 = 0.01;

/// Length, in spacings, of pieces that threads look at as a whole: large triangles have many.
const WORTH_A_LOOK: f64 = 16.0;

/// Adds points until every place is within the spacing, but for a hundredth, of one that faces the same side.
pub(super) fn fill(
    surface: &Surface,
    spacing: f64,
    (samples, grid): (&mut Vec<Sample>, &mut PointGrid),
    execution: &Execution<'_>,
) -> Result<(), ShellError> {
    let triangles = surface.mesh.triangles().len();
    let stage = stage(execution, "filling", triangles);
    let starts: Vec<usize> = (0..triangles).step_by(TOGETHER).collect();
    // Most places are covered, which threads find out side by side.
    let cover = Cover { surface, grid, samples, spacing };
    let bare: Vec<Vec<Piece>> = starts
        .par_iter()
        .map(|&start| {
            let mut bare = Vec::new();
            for triangle in start..triangles.min(start + TOGETHER) {
                let normal = surface.normals[triangle];
                let whole = Piece { corners: surface.mesh.corners(triangle), normal };
                cover.add_bare(&whole, &stage, &mut bare)?;
            }
            stage.advance();
            Ok(bare)
        })
        .collect::<Result<_, ShellError>>()?;
    // The others get their points one after the other, for each may cover the next.
    for piece in bare.into_iter().flatten() {
        stage.check()?;
        fill_piece(&piece, surface, spacing, (samples, grid));
    }
    Ok(())
}

/// Length of all triangles that are cut before a look at their pieces, each counted as that of its pieces' middles: a spacing per piece.
pub(super) fn length_of_pieces(surface: &Surface, spacing: f64) -> f64 {
    let longest = |t: usize| Piece { corners: surface.mesh.corners(t), normal: DVec3::ZERO }.longest().1;
    let lengths = (0..surface.mesh.triangles().len()).map(longest);
    lengths.filter(|&length| length > WORTH_A_LOOK * spacing).sum::<f64>() / WORTH_A_LOOK
}

/// A piece of a triangle.
struct Piece {
    corners: [DVec3; 3],
    normal: DVec3,
}

impl Piece {
    fn middle(&self) -> DVec3 {
        (self.corners[0] + self.corners[1] + self.corners[2]) / 3.0
    }

    /// The longest side and its length.
    fn longest(&self) -> (usize, f64) {
        let lengths = [0, 1, 2].map(|k| self.corners[k].distance(self.corners[(k + 1) % 3]));
        let longest = DVec3::from_array(lengths).max_position();
        (longest, lengths[longest])
    }

    /// Cut across a side; `None` where that has no middle, since no number lies between its ends.
    fn halves(&self, side: usize) -> Option<[Self; 2]> {
        let [a, b, c] = [side, (side + 1) % 3, (side + 2) % 3].map(|k| self.corners[k]);
        let half = 0.5 * (a + b);
        let halves = [[a, half, c], [half, b, c]].map(|corners| Self { corners, normal: self.normal });
        (half != a && half != b).then_some(halves)
    }
}

/// How much of a piece is covered.
#[derive(PartialEq, Eq)]
enum Covered {
    /// All of it.
    Wholly,
    /// Its middle.
    Partly,
    /// Not its middle.
    Hardly,
}

/// What covers places.
struct Cover<'a> {
    surface: &'a Surface,
    grid: &'a PointGrid,
    samples: &'a [Sample],
    spacing: f64,
}

impl Cover<'_> {
    fn of(&self, piece: &Piece) -> Covered {
        let mut found = Covered::Hardly;
        let limit = self.spacing * self.spacing;
        let by_one = self.grid.near(piece.middle(), self.spacing, |k, _| {
            let sample = &self.samples[k as usize];
            if !self.surface.face_alike(sample.normal, piece.normal) {
                return ControlFlow::Continue(());
            }
            found = Covered::Partly;
            if piece.corners.iter().all(|corner| corner.distance_squared(sample.point) <= limit) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        if by_one { Covered::Wholly } else { found }
    }

    fn is_whole(&self, piece: &Piece) -> bool {
        match self.of(piece) {
            Covered::Wholly => true,
            Covered::Hardly => false,
            Covered::Partly => {
                let (side, length) = piece.longest();
                length <= FINEST * self.spacing
                    || piece.halves(side).is_none_or(|halves| halves.iter().all(|half| self.is_whole(half)))
            }
        }
    }

    /// Adds the pieces, none of them large, that are not wholly covered. Stops when told to: one triangle may have millions.
    fn add_bare(&self, piece: &Piece, stage: &Stage<'_>, bare: &mut Vec<Piece>) -> Result<(), Cancelled> {
        stage.check()?;
        let (side, length) = piece.longest();
        let halves = if length > WORTH_A_LOOK * self.spacing { piece.halves(side) } else { None };
        if let Some([first, second]) = halves {
            let mut more = Vec::new();
            let (one, other) = rayon::join(
                || self.add_bare(&first, stage, bare),
                || self.add_bare(&second, stage, &mut more),
            );
            bare.append(&mut more);
            one.and(other)
        } else {
            if !self.is_whole(piece) {
                bare.push(Piece { corners: piece.corners, normal: piece.normal });
            }
            Ok(())
        }
    }
}

fn fill_piece(
    piece: &Piece,
    surface: &Surface,
    spacing: f64,
    (samples, grid): (&mut Vec<Sample>, &mut PointGrid),
) {
    let cover = Cover { surface, grid, samples, spacing };
    match cover.of(piece) {
        Covered::Wholly => return,
        Covered::Hardly => {
            let point = piece.middle();
            grid.insert(point);
            samples.push(Sample { point, normal: piece.normal, place: Place::Face });
        }
        Covered::Partly => {}
    }
    let (side, length) = piece.longest();
    if length > FINEST * spacing {
        for half in piece.halves(side).into_iter().flatten() {
            fill_piece(&half, surface, spacing, (samples, grid));
        }
    }
}
