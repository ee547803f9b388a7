//! What is known of all paths near one: found out once for the points of a sphere, which then are asked only while it leaves them in doubt.
//!
//! ```text
//! path of the centre   ───────────────────────────────────────────────►
//!                          free    │ in doubt │   inside   │ in doubt │  free
//! a point of the sphere    –         its cells    contact     its cells   –
//! ```
//!
//! A point that stays within ρ of the centre is on the side of σ that the centre is on wherever that is farther from σ than ρ and the error of
//! cells. So leaps of the centre, less by ρ, are leaps of all.

use super::hierarchy::Side;
use super::intervals::{Interval, add};
use super::leap::SHORTEST;
use super::walk::{LevelSet, Walk};
use super::{Segment, Traversal};

/// A time during which paths are not known to be free.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stretch {
    from: f64,
    to: f64,
    /// Whether all are in contact throughout, as long as they are in the box.
    is_inside: bool,
}

/// Paths that stay near one.
#[derive(Debug, Default)]
pub(crate) struct Nearby {
    /// In order. At other times, in the box, all are free.
    stretches: Vec<Stretch>,
    /// Before this they are known to be free, in the box and outside.
    from: f64,
    /// Whether all that is to be asked is there. If not, paths are asked as if each were alone.
    is_known: bool,
}

impl Nearby {
    /// Finds out about paths that are within `radius` of `path` at every time, and free before the time `from`.
    pub(crate) fn look(&mut self, set: &LevelSet<'_>, path: &Segment, radius: f64, from: f64) {
        self.stretches.clear();
        self.from = from;
        let walk = set.walk(path);
        self.is_known =
            set.options.traversal == Traversal::Leap && walk.may_leap() && walk.track.length.is_finite();
        if !self.is_known {
            return;
        }
        // Places of the others are rounded too, and their σ is raised by what that may do.
        let radius = radius / set.field.grid().cell * (1.0 + 1e-9) + 8.0 * walk.track.blur + 1e-6;
        let Some((first, last)) = walk.track.time_within(radius) else { return };
        let (by, per_cell) = (walk.reaches().around(radius), 1.0 / walk.track.length);
        // What is in doubt remains so for about as long; half of it, so that not much more is asked than has to be.
        let step = SHORTEST + 0.5 * radius;
        let mut t = first.max(from);
        while t < last || (t == last && self.stretches.is_empty()) {
            let found = set.far.side(&by, walk.track.place(t), SHORTEST);
            let next = t + found.map_or(step, |(_, reach)| reach) * per_cell;
            // A path so long that a step is nothing is in doubt to its end.
            let (next, side) = if next > t { (next, found.map(|(side, _)| side)) } else { (last, None) };
            if side != Some(Side::Above) {
                self.push(Stretch { from: t, to: next.min(last), is_inside: side == Some(Side::Below) });
            }
            if t == last {
                return;
            }
            t = next;
        }
    }

    fn push(&mut self, next: Stretch) {
        match self.stretches.last_mut() {
            Some(last) if last.to == next.from && last.is_inside == next.is_inside => last.to = next.to,
            _ => self.stretches.push(next),
        }
    }

    /// [`LevelSet::intervals`] of one of these paths, but for what only cannot be excluded before they are known to be free no more.
    pub(crate) fn intervals(&self, set: &LevelSet<'_>, segment: &Segment, all: &mut Vec<Interval>) {
        all.clear();
        let walk = set.walk(segment);
        match walk.time_inside() {
            Some(time) if self.is_known && walk.may_leap() => self.add_intervals(&walk, time, all),
            _ => walk.add_intervals(all),
        }
    }

    fn add_intervals(&self, walk: &Walk<'_>, (enters, leaves): (f64, f64), all: &mut Vec<Interval>) {
        let is_clear_outside = (enters == 0.0 && leaves == 1.0) || walk.is_clear_outside();
        if enters > 0.0 && self.from <= enters && !is_clear_outside {
            walk.add_doubt((0.0, enters), all);
        }
        for stretch in &self.stretches {
            let (from, to) = (stretch.from.max(enters), stretch.to.min(leaves));
            if from > to {
                continue;
            }
            if stretch.is_inside {
                add(all, Interval { start: from, end: to, status: walk.begins_inside(from) });
            } else {
                walk.add_contacts_during((from, to), all);
            }
        }
        if leaves < 1.0 && !is_clear_outside {
            walk.add_doubt((leaves, 1.0), all);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ccd::CastOptions;
    use crate::field::{Field, FieldOptions, StorageKind};
    use crate::math::DVec3;
    use crate::math::random::unit;
    use crate::mesh::shapes;

    /// Within 1 of the origin, the same for the same numbers.
    fn in_ball(seed: u64, k: u64) -> DVec3 {
        let at = DVec3::new(unit(seed, 3 * k), unit(seed, 3 * k + 1), unit(seed, 3 * k + 2)) * 2.0 - 1.0;
        at.clamp_length_max(1.0)
    }

    #[test]
    fn paths_near_one_are_told_what_each_alone_would_be() {
        let (mut inside, mut in_doubt, mut contacts) = (0, 0, 0);
        for (name, storage) in
            [("blob", StorageKind::Sparse), ("blob", StorageKind::Dense), ("bowl", StorageKind::Sparse)]
        {
            let mesh = shapes::by_name(name).unwrap();
            let field =
                Field::from_mesh(&mesh, &FieldOptions { resolution: 150, storage, ..Default::default() })
                    .unwrap();
            let (bounds, cell) = (field.grid().bounds(), field.grid().cell);
            let band = field.band() * cell;
            for (k, iso) in [0.0, 0.9 * band, -0.9 * band, 2.0 * band].into_iter().enumerate() {
                let set = field.level_set(iso, &CastOptions::default());
                let alone = CastOptions { traversal: Traversal::Uniform, ..Default::default() };
                let alone = field.level_set(iso, &alone);
                let around = bounds.expanded(0.2 * bounds.extent().max_element());
                for (n, path) in (0..).zip(Segment::random_in(around, 150, k as u64)) {
                    let radius = [0.01, 1.0, 4.0, 20.0][n as usize % 4] * cell;
                    // Free until then, if all that is asked is where they are.
                    let (mut nearby, mut found) = (Nearby::default(), Vec::new());
                    nearby.look(&set, &path, radius, 0.0);
                    inside += nearby.stretches.iter().filter(|of| of.is_inside).count();
                    in_doubt += nearby.stretches.iter().filter(|of| !of.is_inside).count();
                    for k in 0..8 {
                        let [from, to] = [0, 1].map(|end| radius * in_ball(n, 2 * k + end));
                        let near = Segment::new(path.from + from, path.to + to);
                        nearby.intervals(&set, &near, &mut found);
                        assert_eq!(found, alone.intervals(&near), "{name} {storage} {iso}: {near:?}");
                        contacts += found.len();
                    }
                }
            }
        }
        assert!(inside > 300 && in_doubt > 600 && contacts > 3000, "{inside} {in_doubt} {contacts}");
    }

    #[test]
    fn paths_of_no_length_and_endless_ones_are_told_too() {
        let mesh = shapes::by_name("blob").unwrap();
        let field = Field::from_mesh(&mesh, &FieldOptions { resolution: 64, ..Default::default() }).unwrap();
        let set = field.level_set(0.0, &CastOptions::default());
        let bounds = field.grid().bounds();
        let mut found = Vec::new();
        for (k, path) in (0..).zip(Segment::random_in(bounds, 200, 5)) {
            let scale = [0.0, 1e-14, 1e17, f64::INFINITY][k % 4];
            let path = Segment::new(path.from, path.from + scale * (path.to - path.from));
            let mut nearby = Nearby::default();
            nearby.look(&set, &path, 0.01, 0.0);
            nearby.intervals(&set, &path, &mut found);
            assert_eq!(found, set.intervals(&path), "{path:?}");
        }
    }
}
