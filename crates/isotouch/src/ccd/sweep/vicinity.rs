//! Contacts of two bodies that are asked about step after step.
//!
//! In a heap most pairs whose spheres meet do not touch, and those that do touch with the same few points each time; yet a search from the top of the tree finds that out anew in every step. So what
//! was found is kept: all points whose true value may be at most T where the list was made, each with φ there. Everything else is farther than T then, and after it has moved by s still farther than
//! T − L·s. Until that is used up, the list is all there is to ask, and of it only the points that may have come to the level by now. It only ever saves work: answers are those of a search, to the
//! last bit, so it need not be kept with the state of a simulation. [`Neighbours`](super::Neighbours) do the same for one part that is asked thousands of times a second; these are for many pairs, and keep less.

use glam::{DAffine3, DVec3};

use super::near::descend;
use super::neighbours::{Certain, Neighbour, certified, farthest};
use super::{Obstacle, PointContacts, Sweep, SweepOptions, chord_contacts};
use crate::ccd::HitStatus;
use crate::field::Distance;
use crate::math::{Motion, MotionKind, Pose};
use crate::shell::PointShell;

/// How far points may move before they are looked for again, in cells. Less looks for them more often, more has more of them.
const MARGIN: f64 = 1.5;
/// Or so many times as far as in this motion, if that is more: what moves fast would use up a margin in every step.
const STEPS: f64 = 2.0;
/// Motions longer than this, in cells, are searched for as a whole: lists would have many points and not last.
const LONGEST: f64 = 2.0;

/// The points of one shell that are near one surface, from step to step.
#[derive(Debug, Clone, Default)]
pub struct Vicinity {
    /// In the order of the tree.
    near: Vec<Neighbour>,
    /// How far each goes from where it was without contact; apart from the rest, for most are asked no more than that.
    free: Vec<f64>,
    /// The level that this is about.
    free_of: f64,
    /// How far all points, on the list or not, go without contact with that level.
    clear_for: f64,
    /// Of the field.
    lipschitz: f64,
    /// `surface_from_shell` where the list was made.
    made_at: Option<DAffine3>,
    /// The true values of all other points are above this there.
    beyond: f64,
    searches: u64,
}

impl Vicinity {
    /// How often the whole tree was looked at.
    pub fn searches(&self) -> u64 {
        self.searches
    }

    /// As [`chord_contacts`], but for points that only a bound tells of ([`HitStatus::Bound`]). Always ask about the same shell and the same surface.
    pub fn contacts(
        &mut self,
        (shell, obstacle): (&PointShell, Obstacle<'_>),
        motion: &Motion,
        iso: f64,
    ) -> Vec<PointContacts> {
        self.known_contacts((shell, obstacle), motion, iso).unwrap_or_else(|| {
            self.searches += 1;
            let mut found = chord_contacts(shell, obstacle, motion, iso);
            found.retain(|of| of.intervals.iter().any(|interval| interval.status != HitStatus::Bound));
            found
        })
    }

    /// Whether it is known that no point comes to the level `iso` on its chord between two poses `surface_from_shell`, whose places are off by no more than `rounding`. Soon told; `false` says nothing.
    pub fn is_clear(&self, shell: &PointShell, ends: [Pose; 2], iso: f64, rounding: f64) -> bool {
        let Some(made_at) = &self.made_at else { return false };
        let [from, to] = ends.map(|end| farthest(shell, made_at, &end.to_affine()));
        // What rounding does to places, and to the level; that may be a few times as steep.
        let nearer = 8.0 * rounding + (iso - self.free_of).max(0.0) / self.lipschitz;
        from.max(to) + nearer < self.clear_for
    }

    /// `None` where only a search can tell.
    fn known_contacts(
        &mut self,
        (shell, obstacle): (&PointShell, Obstacle<'_>),
        motion: &Motion,
        iso: f64,
    ) -> Option<Vec<PointContacts>> {
        let field = certified(&obstacle).filter(|_| !shell.is_empty())?;
        let sweep = Sweep::new(shell, field, &SweepOptions { iso, ..Default::default() });
        if motion.kind() != MotionKind::Chord {
            return None;
        }
        let iso = sweep.raised_iso(motion, 0.0);
        let [from, to] = [motion.frame_from_body(0.0), motion.frame_from_body(1.0)];
        let certain = Certain::new(&sweep, iso);
        // A point on its chord is nowhere farther from where it was than at one of the ends.
        let moved_since =
            |made_at: &DAffine3| farthest(shell, made_at, &from).max(farthest(shell, made_at, &to));
        let mut moved = self.made_at.as_ref().map_or(f64::INFINITY, moved_since);
        // Written so that NaN is not enough.
        let is_enough = certain.least_value(self.beyond, moved) > iso;
        if !is_enough {
            let (way, cell) = (farthest(shell, &from, &to), field.grid().cell);
            let is_short = way <= LONGEST * cell;
            if !is_short {
                return None;
            }
            let ahead = (MARGIN * cell).max(STEPS * way);
            self.make(&sweep, &from, certain.enough_for(iso, way + ahead));
            self.free.clear();
            self.free.extend(self.near.iter().map(|of| certain.way_without_contact(of, iso)));
            (self.free_of, self.lipschitz) = (iso, certain.lipschitz);
            let others = (self.beyond - certain.enough_for(iso, 0.0)) / certain.lipschitz;
            self.clear_for = self.free.iter().copied().fold(others, f64::min);
            moved = way;
        }
        // Of a level farther out points are nearer, by no more than this.
        let moved = moved + (iso - self.free_of).max(0.0) / certain.lipschitz;
        let in_doubt = || self.free.iter().zip(&self.near).filter(|(free, _)| **free <= moved);
        if in_doubt().next().is_none() {
            return Some(Vec::new());
        }
        let question = sweep.question(motion);
        let mut found = Vec::new();
        for (_, neighbour) in in_doubt() {
            let chord = question.segment(neighbour.point, 0);
            let off = |end: DVec3| end.distance_squared(neighbour.place);
            let free = certain.way_without_contact(neighbour, iso);
            if off(chord.from).max(off(chord.to)) < free * free {
                continue;
            }
            let intervals = question.set.intervals(&chord);
            if intervals.iter().any(|interval| interval.status == HitStatus::Bound) {
                // Outside the box spheres may know better.
                return None;
            }
            if !intervals.is_empty() {
                let point = shell.tree().order()[neighbour.index as usize];
                found.push(PointContacts { point, intervals });
            }
        }
        found.sort_unstable_by_key(|of| of.point);
        Some(found)
    }

    /// Looks for all points whose true value may be at most `beyond`.
    fn make(&mut self, sweep: &Sweep<'_>, surface_from_shell: &DAffine3, beyond: f64) {
        let (field, lipschitz) = (sweep.field, sweep.lipschitz);
        let hair = 2e-9 * field.grid().cell;
        let tree = sweep.shell.tree();
        self.near.clear();
        self.searches += 1;
        // What is left out is often much farther than it has to be; then the list lasts longer.
        let left_out = std::cell::Cell::new(f64::INFINITY);
        let leave_out = |least: f64| left_out.set(left_out.get().min(least));
        let may_hold = |_, center: DVec3, radius: f64| {
            let threshold = beyond + lipschitz * radius + hair;
            let by_node = field.lower_bound_by_node(center);
            let least = if by_node > threshold.max(0.0) { by_node } else { field.lower_bound(center) };
            let is_clear = least > threshold;
            if is_clear {
                leave_out(least - lipschitz * radius - hair);
            }
            !is_clear
        };
        let near = &mut self.near;
        descend(tree, surface_from_shell, may_hold, |k, place| {
            let (distance, off) = field.distance_and_error(place);
            match distance {
                Distance::Interpolated(value) | Distance::LowerBound(value)
                    if value - off - hair > beyond =>
                {
                    leave_out(value - off - hair);
                }
                _ => near.push(Neighbour { index: k as u32, point: tree.points()[k], place, distance, off }),
            }
        });
        (self.made_at, self.beyond) = (Some(*surface_from_shell), left_out.get());
    }
}
