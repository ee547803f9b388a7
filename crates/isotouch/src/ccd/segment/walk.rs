//! Looking for contact along one segment.

use std::ops::ControlFlow;

use glam::DVec3;

use super::outside::Outside;
use super::piece::{Block, Cells, Known};
use super::track::{Passage, Track};
use super::{CastOptions, Hit, HitStatus, RootMethod, Segment, Traversal, hierarchy, leap, uniform};
use crate::field::Field;
use crate::field::storage::Storage;
use crate::math::cubic::{self, CellCubic, bisection, cardano};

/// One question.
pub(super) struct Walk<'a> {
    pub(super) field: &'a Field,
    pub(super) segment: &'a Segment,
    pub(super) track: Track,
    pub(super) cells: Cells<'a>,
    /// σ, and what rounding of the path may do.
    pub(super) iso: f64,
    /// That much.
    slack: f64,
    options: CastOptions,
}

/// How a touch goes on in the next cell.
enum GoesOn {
    Touching,
    Below,
}

/// A hit within a piece, as part of it.
struct WithinPiece {
    s: f64,
    status: HitStatus,
}

impl<'a> Walk<'a> {
    pub(super) fn new(field: &'a Field, segment: &'a Segment, iso: f64, options: &CastOptions) -> Self {
        let track = Track::new(field.grid(), segment);
        let slack = 3.0 * track.blur * field.steepness_per_cell();
        let iso = iso + slack;
        let band = field.band() * field.grid().cell;
        // Which nodes are in the band was decided before they were rounded to f32.
        let is_dense = matches!(field.nodes(), Storage::Dense(_));
        let is_in_band = is_dense || iso.abs() < band * (1.0 - 1e-5);
        Self {
            field,
            segment,
            track,
            cells: Cells { storage: field.nodes(), is_in_band },
            iso,
            slack,
            options: *options,
        }
    }

    pub(super) fn outside(&self) -> Outside<'_> {
        Outside { field: self.field, segment: self.segment, iso: self.iso }
    }

    pub(super) fn first_hit(&self) -> Option<Hit> {
        let Some((enters, leaves)) = self.time_inside() else {
            return self.outside().first_doubt(0.0, 1.0).map(|t| self.hit_outside(t));
        };
        if enters > 0.0
            && let Some(t) = self.outside().first_doubt(0.0, enters)
        {
            return Some(self.hit_outside(t));
        }
        // A touch whose contact goes on, until when: a later cell may prove that it goes below.
        let mut touch: Option<(Hit, f64)> = None;
        let found = self.visit(|block, passage| {
            if let Some((hit, until)) = &mut touch {
                let next = if passage.from == *until { self.goes_on(block, passage) } else { None };
                return match next {
                    Some(GoesOn::Below) => ControlFlow::Break(Hit { status: HitStatus::Crossing, ..*hit }),
                    Some(GoesOn::Touching) => {
                        *until = passage.to;
                        ControlFlow::Continue(())
                    }
                    None => ControlFlow::Break(*hit),
                };
            }
            match self.hit_within(block, passage) {
                Some(hit) if hit.status == HitStatus::Touch && self.reaches_end(block, passage, hit.t) => {
                    touch = Some((hit, passage.to));
                    ControlFlow::Continue(())
                }
                Some(hit) => ControlFlow::Break(hit),
                None => ControlFlow::Continue(()),
            }
        });
        let found = found.or(touch.map(|(hit, _)| hit));
        if found.is_some() || leaves >= 1.0 {
            return found;
        }
        self.outside().first_doubt(leaves, 1.0).map(|t| self.hit_outside(t))
    }

    pub(super) fn touches(&self) -> bool {
        let Some((enters, leaves)) = self.time_inside() else {
            return self.outside().first_doubt(0.0, 1.0).is_some();
        };
        let is_hit = |block: &Block, passage: &Passage| {
            if self.is_free(block, passage) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        (enters > 0.0 && self.outside().first_doubt(0.0, enters).is_some())
            || self.visit(is_hit).is_some()
            || (leaves < 1.0 && self.outside().first_doubt(leaves, 1.0).is_some())
    }

    /// From when to when the path is in the box; `None` too where it is not finite.
    pub(super) fn time_inside(&self) -> Option<(f64, f64)> {
        self.track.inside.filter(|_| self.track.length.is_finite())
    }

    /// Visits the blocks on the path that may be in contact, in order.
    pub(super) fn visit<B>(&self, visit: impl FnMut(&Block, &Passage) -> ControlFlow<B>) -> Option<B> {
        match self.options.traversal {
            Traversal::Uniform => uniform::visit(self, visit),
            Traversal::Hierarchy => hierarchy::visit(self, visit),
            Traversal::Leap => leap::visit(self, visit),
        }
    }

    /// The cubic of a block on the path; `None` where all corners are above σ.
    #[inline(always)]
    pub(super) fn cubic(&self, block: &Block, passage: &Passage) -> Option<CellCubic> {
        self.cubic_at(block, passage, self.iso)
    }

    #[inline(always)]
    fn cubic_at(&self, block: &Block, passage: &Passage, iso: f64) -> Option<CellCubic> {
        let Known::Corners { corners, step } = &block.known else { return None };
        let mut least = corners[0];
        for &corner in &corners[1..] {
            least = if corner < least { corner } else { least };
        }
        if f64::from(least) > iso {
            return None;
        }
        // The block may be a part of the cell that its values are of.
        let first = block.first / *step * *step;
        let (entry, exit) = self.track.ends(passage, (block.first, block.size), (first, *step));
        Some(CellCubic::along(corners, DVec3::from_array(entry), DVec3::from_array(exit), iso))
    }

    fn is_free(&self, block: &Block, passage: &Passage) -> bool {
        if let Known::Beyond { is_inside } = block.known {
            return !is_inside;
        }
        self.cubic(block, passage).is_none_or(|cubic| match self.options.root {
            RootMethod::Certified => cubic.stays_positive(),
            RootMethod::Cardano => cardano::first_hit(&cubic).is_none(),
            RootMethod::Bisection => bisection::first_hit(&cubic).is_none(),
        })
    }

    fn hit_within(&self, block: &Block, passage: &Passage) -> Option<Hit> {
        let WithinPiece { s, status } = match block.known {
            Known::Beyond { is_inside: false } => return None,
            Known::Beyond { is_inside: true } => WithinPiece { s: 0.0, status: HitStatus::StartsInside },
            Known::Corners { .. } => {
                let cubic = self.cubic(block, passage)?;
                let at = |s: f64| {
                    let status = if s == 0.0 { HitStatus::StartsInside } else { HitStatus::Crossing };
                    WithinPiece { s, status }
                };
                match self.options.root {
                    RootMethod::Certified => self.certified(&cubic, block, passage)?,
                    RootMethod::Cardano => at(cardano::first_hit(&cubic)?),
                    RootMethod::Bisection => at(bisection::first_hit(&cubic)?),
                }
            }
        };
        let t = (passage.from + s * (passage.to - passage.from)).min(passage.to);
        let status = if status == HitStatus::StartsInside { self.begins_inside(t) } else { status };
        let point = self.segment.at(t);
        Some(Hit { t, point, normal: self.field.normal(point), cell: Some(self.track.cell(t)), status })
    }

    /// The first hit within a piece. What is below the raised σ may be above σ itself, so a crossing is one only if it goes below by
    /// more than that.
    fn certified(&self, cubic: &CellCubic, block: &Block, passage: &Passage) -> Option<WithinPiece> {
        let cubic::Hit { s, status } = cubic.first_hit()?;
        let [b0, b1, b2, b3] = cubic.bernstein();
        let t = cubic.rounding();
        // + + + −, + + − − or + − − −: from the one root on it is below, and at the end surely.
        let is_simple = (b0 > t) & ((b1 > t) | (b2 <= t)) & self.is_surely_below(b3, cubic);
        let status = if s == 0.0 && self.is_surely_below(b0, cubic) {
            HitStatus::StartsInside
        } else if status != cubic::HitStatus::Touch
            && (is_simple || self.first_goes_below(cubic, block, passage))
        {
            HitStatus::Crossing
        } else {
            HitStatus::Touch
        };
        Some(WithinPiece { s, status })
    }

    /// Whether a coefficient of a cubic says that σ itself is passed.
    pub(super) fn is_surely_below(&self, coefficient: f64, cubic: &CellCubic) -> bool {
        coefficient < -(cubic.rounding() + 2.0 * self.slack)
    }

    /// Whether the first contact within a piece goes below σ itself.
    fn first_goes_below(&self, cubic: &CellCubic, block: &Block, passage: &Passage) -> bool {
        cubic.intervals().first().is_some_and(|interval| self.goes_below(block, passage, interval))
    }

    /// Whether an interval of a piece below the raised σ goes below σ itself.
    pub(super) fn goes_below(&self, block: &Block, passage: &Passage, interval: &cubic::Interval) -> bool {
        self.cubic_at(block, passage, self.iso - 2.0 * self.slack).is_some_and(|lower| {
            lower
                .intervals()
                .iter()
                .any(|of| of.is_certain && of.start <= interval.end && of.end >= interval.start)
        })
    }

    /// Whether the contact that begins at time `t` within a block goes on to its exit.
    fn reaches_end(&self, block: &Block, passage: &Passage, t: f64) -> bool {
        let Some(cubic) = self.cubic(block, passage) else { return false };
        let is_its = |interval: &cubic::Interval| {
            (passage.from + interval.start * (passage.to - passage.from)).min(passage.to) <= t
        };
        let last = cubic.intervals().iter().rfind(|interval| is_its(interval)).copied();
        last.is_some_and(|interval| interval.end == 1.0)
    }

    /// What becomes of a contact that reaches the entry of a block; `None` where it ends.
    fn goes_on(&self, block: &Block, passage: &Passage) -> Option<GoesOn> {
        if let Known::Beyond { is_inside } = block.known {
            return is_inside.then_some(GoesOn::Below);
        }
        let cubic = self.cubic(block, passage)?;
        let first = cubic.intervals().first().copied().filter(|interval| interval.start == 0.0)?;
        if first.is_certain && self.goes_below(block, passage, &first) {
            Some(GoesOn::Below)
        } else {
            (first.end == 1.0).then_some(GoesOn::Touching)
        }
    }

    /// The status of a contact that a block is in from its entry on. Values agree on the face of two cells of one size, so later
    /// than at the start only a change of size can make that.
    pub(super) fn begins_inside(&self, t: f64) -> HitStatus {
        if t == 0.0 {
            HitStatus::StartsInside
        } else if self.cells.is_in_band {
            HitStatus::Crossing
        } else {
            HitStatus::LevelBoundary
        }
    }

    fn hit_outside(&self, t: f64) -> Hit {
        Hit { t, point: self.segment.at(t), normal: None, cell: None, status: HitStatus::Bound }
    }
}
