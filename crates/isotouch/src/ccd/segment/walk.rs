//! Looking for contact along one segment.

use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use glam::{DVec3, UVec3};

use super::far::{Far, Reach, Reaches};
use super::hierarchy::Skips;
use super::lanes;
use super::occupied::{Occupied, Threshold};
use super::outside::{Outside, least_outside};
use super::piece::{Block, Cells, Cursor, Known};
use super::track::{Passage, Track};
use super::{CastOptions, Hit, HitStatus, RootMethod, Segment, Traversal, hierarchy, leap, through, uniform};
use crate::field::Field;
use crate::field::interpolate::gradient;
use crate::field::storage::Storage;
use crate::field::storage::bricks::BRICK_NODES;
use crate::math::cubic::{self, CellCubic, bisection, cardano};

/// What a level set occupies is found out when a segment was asked for so many blocks: about what it takes to save that time.
const BLOCKS_PER_SEGMENT: u64 = 64;

/// A level set of a field, ready to be asked about many segments, all at once or batch by batch. When enough were asked, what it
/// occupies is found out once, and from then on batches are answered sooner.
///
/// ```
/// use isotouch::ccd::{CastOptions, Segment};
/// use isotouch::field::{Field, FieldOptions};
/// use isotouch::mesh::shapes;
///
/// let knot = shapes::by_name("torus-knot").unwrap();
/// let field = Field::from_mesh(&knot, &FieldOptions { resolution: 64, ..Default::default() })?;
/// let surface = field.level_set(0.0, &CastOptions::default());
/// for seed in 0..10 {
///     let segments = Segment::random_in(field.grid().bounds(), 1_000, seed);
///     let hits = surface.first_hits(&segments);
///     assert_eq!(hits[0], surface.first_hit(&segments[0]));
/// }
/// # Ok::<(), isotouch::field::BuildError>(())
/// ```
pub struct LevelSet<'a> {
    pub(super) field: &'a Field,
    pub(super) options: CastOptions,
    iso: f64,
    /// How far σ is within the band; below 0 it is beyond.
    margin: f64,
    steepness: f64,
    pub(super) cells: Cells<'a>,
    pub(super) far: Far<'a>,
    /// Cells per unit of distance, over L.
    pub(super) per_distance: f64,
    error_bound: f64,
    /// Whether contact begins before a path comes to where the field is inside beyond the band. The values at a face of such a cell
    /// are below −band by less than its diagonal, and two cells cover that and rounding.
    keeps_side: bool,
    /// What lower bounds outside the box are at least, once that was asked for.
    least_outside: OnceLock<f64>,
    /// How many segments were asked in batches.
    asked: AtomicUsize,
    /// What it occupies, once it was worth finding out; nothing where that does not help.
    occupied: OnceLock<Option<Occupied>>,
}

/// What a contact means to who looks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contact {
    /// The first is enough.
    Ends,
    /// All are wanted.
    IsOne,
}

/// One question.
#[derive(Clone, Copy)]
pub(super) struct Walk<'a> {
    pub(super) set: &'a LevelSet<'a>,
    pub(super) segment: &'a Segment,
    pub(super) track: Track,
    /// σ, and what rounding of the path may do.
    pub(super) iso: f64,
    /// That much.
    pub(super) slack: f64,
    /// Whether all that matters to σ is at full resolution. A dense field is all band.
    pub(super) is_in_band: bool,
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

impl<'a> LevelSet<'a> {
    #[inline(always)]
    pub(super) fn new(field: &'a Field, iso: f64, options: &CastOptions) -> Self {
        // Which nodes are in the band was decided before they were rounded to f32.
        let band = field.band() * field.grid().cell * (1.0 - 1e-5);
        let margin = match field.nodes() {
            Storage::Dense(_) => f64::INFINITY,
            // Beyond the rim of a sheet its two sides meet without a band between them, so coarse cells have to tell.
            Storage::Sparse(_) if !field.is_certified() => f64::NEG_INFINITY,
            Storage::Sparse(_) => band - iso.abs(),
        };
        let lipschitz = field.lipschitz_between_nodes();
        // The node that a leap begins at was rounded to f32, and so were the corners that it ends before.
        let rounding = field.error_of_cells(0.0) + 2f64.powi(-24) * iso.abs();
        Self {
            field,
            options: *options,
            iso,
            margin,
            steepness: field.steepness_per_cell(iso),
            cells: Cells::new(field.nodes()),
            far: Far::new(field.nodes()),
            per_distance: 1.0 / (lipschitz * field.grid().cell),
            error_bound: field.error_bound() + rounding,
            keeps_side: options.root == RootMethod::Certified
                && field.is_certified()
                && iso + band > 2.0 * lipschitz * field.grid().cell,
            least_outside: OnceLock::new(),
            asked: AtomicUsize::new(0),
            occupied: OnceLock::new(),
        }
    }

    /// What the level set occupies, when so many segments more are asked; `None` as long as finding out would not be worth it, and where leaps
    /// cannot be told in `f32`.
    pub(super) fn occupied(&self, segments: usize) -> Option<&Occupied> {
        let asked = self.asked.fetch_add(segments, Relaxed).saturating_add(segments);
        if self.occupied.get().is_none() {
            let blocks = self.field.grid().cells.as_u64vec3().element_product() / BRICK_NODES as u64;
            if (asked as u64) < blocks / BLOCKS_PER_SEGMENT {
                return None;
            }
            // Not within the lock: a thread that waits for its share of the work may take up a batch that asks for the same.
            let _ = self.occupied.set(self.find_occupied());
        }
        self.occupied.get()?.as_ref()
    }

    fn find_occupied(&self) -> Option<Occupied> {
        let Storage::Sparse(nodes) = self.field.nodes() else { return None };
        let cells = self.field.grid().cells;
        let above = lanes::margin(cells.max_element(), self.steepness);
        // Beside a brick that is not stored, φ is as far from σ as the band reaches, but for the error of its cells.
        let is_clear_beyond = self.margin > self.error_bound + above;
        let asks_as_usual =
            self.options.traversal == Traversal::Leap && self.options.root == RootMethod::Certified;
        if !asks_as_usual
            || !is_clear_beyond
            || !self.field.is_certified()
            || cells.max_element() > lanes::MOST_CELLS
        {
            return None;
        }
        let reserve = (self.iso + self.error_bound) * self.per_distance + 8.0 * self.overshoot();
        let by = Threshold { value: self.iso + above, reach: Reach { cells: self.per_distance, reserve } };
        Some(Occupied::new(nodes, &self.far, cells, &by))
    }

    /// How far beyond a plane paths in lanes go on, in cells.
    #[inline(always)]
    pub(super) fn overshoot(&self) -> f64 {
        lanes::overshoot(self.field.grid().cells.max_element())
    }

    #[inline(always)]
    pub(super) fn walk(&'a self, segment: &'a Segment) -> Walk<'a> {
        let track = Track::new(self.field.grid(), segment);
        let slack = 3.0 * track.blur * self.steepness;
        Walk { set: self, segment, track, iso: self.iso + slack, slack, is_in_band: slack < self.margin }
    }
}

impl<'a> Walk<'a> {
    pub(super) fn outside(&self) -> Outside<'_> {
        Outside { field: self.set.field, segment: self.segment, iso: self.iso }
    }

    /// Whether it is surely free as long as it is outside the box. Not worth asking for one path alone.
    pub(super) fn is_clear_outside(&self) -> bool {
        let least = self.set.least_outside.get_or_init(|| least_outside(self.set.field));
        self.outside().is_clear(*least)
    }

    /// Looks up its cells, for someone who stops at the first contact or goes on.
    #[inline(always)]
    pub(super) fn cursor(&self, contact: Contact) -> Cursor<'a> {
        let keeps_side = contact == Contact::Ends && self.is_in_band && self.set.keeps_side;
        Cursor::new(&self.set.cells, self.is_in_band, keeps_side)
    }

    /// Whether what nodes say of the true distance may be used.
    #[inline(always)]
    pub(super) fn may_leap(&self) -> bool {
        self.set.field.is_certified() && self.is_in_band
    }

    #[inline(always)]
    pub(super) fn reach(&self) -> Reach {
        let cells = self.set.per_distance;
        // A millionth of a cell covers the rounding of places and lengths.
        Reach { cells, reserve: (self.iso + self.set.error_bound) * cells + 1e-6 }
    }

    /// The same on both sides. Below σ the interpolant may be higher than the true value by as much.
    #[inline(always)]
    pub(super) fn reaches(&self) -> Reaches {
        let above = self.reach();
        let reserve = (self.set.error_bound - self.surely_below()) * above.cells + 1e-6;
        Reaches { above, below: Reach { cells: above.cells, reserve } }
    }

    /// Where all corners of cells are less than this, a path is in contact, and proven to be ([`Walk::is_surely_below`], with room
    /// for the rounding of a cubic's coefficients).
    #[inline(always)]
    pub(super) fn surely_below(&self) -> f64 {
        self.iso - 4.0 * self.slack - 1e-9 * self.set.field.grid().cell
    }

    pub(super) fn first_hit(&self) -> Option<Hit> {
        self.first_hit_until(f64::INFINITY)
    }

    /// The first hit, if it is not later than `until`; a later one may be told or not.
    pub(super) fn first_hit_until(&self, until: f64) -> Option<Hit> {
        let Some((enters, leaves)) = self.time_inside() else {
            return self.outside().first_doubt(0.0, 1.0).map(|t| self.hit_outside(t));
        };
        if enters > 0.0
            && let Some(t) = self.outside().first_doubt(0.0, enters)
        {
            return Some(self.hit_outside(t));
        }
        let found = self.first_hit_in_box(until);
        if found.is_some() || leaves >= 1.0 || leaves > until {
            return found;
        }
        self.outside().first_doubt(leaves, 1.0).map(|t| self.hit_outside(t))
    }

    /// The same of what is in the box, whatever is outside.
    #[inline(always)]
    pub(super) fn first_hit_in_box(&self, until: f64) -> Option<Hit> {
        // A touch whose contact goes on, until when: a later cell may prove that it goes below.
        let mut touch: Option<(Hit, f64)> = None;
        let found = self.visit(Contact::Ends, |block, passage| {
            if let Some((hit, end)) = &mut touch {
                let next = if passage.from == *end { self.goes_on(block, passage) } else { None };
                return match next {
                    Some(GoesOn::Below) => {
                        ControlFlow::Break(Some(Hit { status: HitStatus::Crossing, ..*hit }))
                    }
                    Some(GoesOn::Touching) => {
                        *end = passage.to;
                        ControlFlow::Continue(())
                    }
                    None => ControlFlow::Break(Some(*hit)),
                };
            }
            if passage.from > until {
                return ControlFlow::Break(None);
            }
            match self.hit_within(block, passage) {
                Some(hit) if hit.status == HitStatus::Touch && self.reaches_end(block, passage, hit.t) => {
                    touch = Some((hit, passage.to));
                    ControlFlow::Continue(())
                }
                Some(hit) => ControlFlow::Break(Some(hit)),
                None => ControlFlow::Continue(()),
            }
        });
        found.flatten().or(touch.map(|(hit, _)| hit))
    }

    pub(super) fn touches(&self) -> bool {
        let Some((enters, leaves)) = self.time_inside() else {
            return self.outside().first_doubt(0.0, 1.0).is_some();
        };
        let is_hit = |block: &Block, passage: &Passage| {
            if self.is_free(block, passage) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        (enters > 0.0 && self.outside().first_doubt(0.0, enters).is_some())
            || self.visit(Contact::Ends, is_hit).is_some()
            || (leaves < 1.0 && self.outside().first_doubt(leaves, 1.0).is_some())
    }

    /// From when to when the path is in the box; `None` too where it is not finite.
    pub(super) fn time_inside(&self) -> Option<(f64, f64)> {
        self.track.inside.filter(|_| self.track.length.is_finite())
    }

    /// Visits the blocks on the path that may be in contact, in order.
    #[inline(always)]
    pub(super) fn visit<B>(
        &self,
        contact: Contact,
        visit: impl FnMut(&Block, &Passage) -> ControlFlow<B>,
    ) -> Option<B> {
        match self.set.options.traversal {
            Traversal::Uniform => uniform::visit(self, visit),
            Traversal::Hierarchy => {
                hierarchy::visit(self, contact, Skips { pyramid: true, insides: true }, visit)
            }
            Traversal::Minima => {
                hierarchy::visit(self, contact, Skips { pyramid: true, insides: false }, visit)
            }
            Traversal::Leaves => {
                hierarchy::visit(self, contact, Skips { pyramid: false, insides: false }, visit)
            }
            Traversal::Leap => match contact {
                Contact::Ends => leap::visit(self, visit),
                Contact::IsOne => through::visit(self, visit),
            },
        }
    }

    /// The cubic of a block on the path; `None` where all corners are above σ.
    #[inline(always)]
    pub(super) fn cubic(&self, block: &Block, passage: &Passage) -> Option<CellCubic> {
        self.cubic_at(block, passage, self.iso)
    }

    #[inline(always)]
    fn cubic_at(&self, block: &Block, passage: &Passage, iso: f64) -> Option<CellCubic> {
        if block.known.is_above(iso) {
            return None;
        }
        let Known::Corners { corners, step } = &block.known else { return None };
        // The block may be a part of the cell that its values are of.
        let first = block.first / *step * *step;
        let (entry, exit) = self.track.ends(passage, (block.first, block.size), (first, *step));
        Some(CellCubic::along(corners, entry, exit, iso))
    }

    fn is_free(&self, block: &Block, passage: &Passage) -> bool {
        if let Known::Beyond { is_inside } = block.known {
            return !is_inside;
        }
        self.cubic(block, passage).is_none_or(|cubic| match self.set.options.root {
            RootMethod::Certified => cubic.stays_positive(),
            RootMethod::Cardano => cardano::first_hit(&cubic).is_none(),
            RootMethod::Bisection => bisection::first_hit(&cubic).is_none(),
        })
    }

    #[inline(always)]
    pub(super) fn hit_within(&self, block: &Block, passage: &Passage) -> Option<Hit> {
        let WithinPiece { s, status } = match block.known {
            Known::Beyond { is_inside: false } => return None,
            Known::Beyond { is_inside: true } => WithinPiece { s: 0.0, status: HitStatus::StartsInside },
            Known::Corners { .. } => {
                let cubic = self.cubic(block, passage)?;
                let at = |s: f64| {
                    let status = if s == 0.0 { HitStatus::StartsInside } else { HitStatus::Crossing };
                    WithinPiece { s, status }
                };
                match self.set.options.root {
                    RootMethod::Certified => self.certified(&cubic, block, passage)?,
                    RootMethod::Cardano => at(cardano::first_hit(&cubic)?),
                    RootMethod::Bisection => at(bisection::first_hit(&cubic)?),
                }
            }
        };
        let t = (passage.from + s * (passage.to - passage.from)).min(passage.to);
        let status = if status == HitStatus::StartsInside { self.begins_inside(t) } else { status };
        let cell = if block.size == 1 { block.first } else { self.track.cell(t) };
        Some(Hit {
            t,
            point: self.segment.at(t),
            normal: self.normal(block, cell, t),
            cell: Some(cell),
            status,
        })
    }

    /// The normal at time `t`, in a cell of a block.
    #[inline(always)]
    fn normal(&self, block: &Block, cell: UVec3, t: f64) -> Option<DVec3> {
        let Known::Corners { corners, step } = &block.known else {
            return self.set.field.normal(self.segment.at(t));
        };
        let at = (self.track.place(t) - (cell / *step * *step).as_dvec3()) / f64::from(*step);
        gradient(corners, at.clamp(DVec3::ZERO, DVec3::ONE)).try_normalize()
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
        } else if self.is_in_band {
            HitStatus::Crossing
        } else {
            HitStatus::LevelBoundary
        }
    }

    fn hit_outside(&self, t: f64) -> Hit {
        Hit { t, point: self.segment.at(t), normal: None, cell: None, status: HitStatus::Bound }
    }
}

#[cfg(test)]
mod tests;
