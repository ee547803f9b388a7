//! Points near a field, carried from question to question.
//!
//! A part in contact moves by parts of a cell from one step to the next, and asks about the same few points each time; yet a search from the top of the tree looks at hundreds of spheres to find
//! them. So they are kept: all points whose distance may be at most T where the list was made. Everything else is farther than T then, and after it has moved by s still farther than
//! T − L·s: until that is used up, the list is all there is to look at. Each of its points knows φ where it was looked up last, and is not looked up again until it may have come as near as is asked for.
//! Spheres of the tree carry along what they were found to be clear by, so that a new list is not made from scratch either. Answers are those of a search, to the last bit.

use glam::{DAffine3, DVec3};

use super::first::earlier;
use super::near::descend;
use super::{Contact, NearPoint, Obstacle, Question, Sweep, SweepOptions};
use crate::ccd::HitStatus;
use crate::field::storage::Storage;
use crate::field::{Distance, Field};
use crate::math::{Aabb, Motion};
use crate::shell::PointShell;

/// The points of one shell that are near one surface.
#[derive(Debug, Clone, Default)]
pub struct Neighbours {
    /// In the order of the tree.
    near: Vec<Neighbour>,
    /// How far each may go from where all were looked at last without coming to the level; apart from the rest, for most are asked no more than that.
    free: Vec<f64>,
    /// `surface_from_shell` where the list was made.
    made_at: Option<DAffine3>,
    /// The true values of all other points are above this there.
    beyond: f64,
    made: u64,
    /// Where they were looked at last, and for which level.
    looked: Option<(DAffine3, f64)>,
    /// For every node of the tree.
    spheres: Vec<Seen>,
    /// The list before, while a new one is made.
    old: Vec<Neighbour>,
    old_free: Vec<f64>,
    /// Those that a motion may bring into contact: from when on, and which.
    in_doubt: Vec<(f64, u32)>,
}

/// What was found of a sphere.
#[derive(Debug, Clone, Copy)]
struct Seen {
    /// Where its centre was then.
    center: DVec3,
    /// What the true value there was at least.
    least: f64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Neighbour {
    /// In the order of the tree.
    pub(super) index: u32,
    pub(super) point: DVec3,
    /// Where φ was looked up last, and what it was.
    pub(super) place: DVec3,
    pub(super) distance: Distance,
    /// How far φ may be off the true value there: more where a sparse field is coarse.
    pub(super) off: f64,
}

/// How far a part may move before its neighbours are looked for again, in cells. Less looks for them more often, more has more of them.
const MARGIN: f64 = 1.5;
/// So many neighbours are never too many.
const FEW: usize = 256;
/// Motions longer than this, in cells, are searched for as a whole: lists would have too many points.
const LONGEST: f64 = 12.0;

impl Neighbours {
    /// How often they were looked for in the whole tree.
    pub fn searches(&self) -> u64 {
        self.made
    }

    /// As [`Obstacle::points_within`]. Always ask about the same shell and the same surface.
    pub fn points_within(
        &mut self,
        (shell, obstacle): (&PointShell, &Obstacle<'_>),
        surface_from_shell: &DAffine3,
        within: f64,
        found: &mut Vec<NearPoint>,
    ) {
        let Some(field) = certified(obstacle) else {
            return obstacle.points_within(shell, surface_from_shell, within, found);
        };
        let sweep = Sweep::new(shell, field, &SweepOptions { iso: within, ..Default::default() });
        let certain = Certain::new(&sweep, within);
        let moved =
            self.made_at.map_or(f64::INFINITY, |made_at| farthest(shell, &made_at, surface_from_shell));
        // Written so that NaN is not enough.
        let is_enough = certain.least_value(self.beyond, moved) > within;
        let margin = MARGIN * field.grid().cell;
        // After a long way there are more than need be.
        let is_too_much = self.near.len() > FEW && self.beyond > certain.enough_for(within, 3.0 * margin);
        if !is_enough || is_too_much {
            self.make(&sweep, surface_from_shell, certain.enough_for(within, margin));
        }
        // Since the last look every point has moved by no more than this.
        let moved = match &self.looked {
            Some((looked_at, level)) if within <= *level => farthest(shell, looked_at, surface_from_shell),
            _ => f64::INFINITY,
        };
        for (free, neighbour) in self.free.iter_mut().zip(&mut self.near) {
            *free -= moved;
            if *free > 0.0 {
                continue;
            }
            let place = surface_from_shell.transform_point3(neighbour.point);
            *free = certain.free_way(neighbour, within) - place.distance(neighbour.place);
            if *free > 0.0 {
                continue;
            }
            neighbour.place = place;
            (neighbour.distance, neighbour.off) = field.distance_and_error(place);
            *free = certain.free_way(neighbour, within);
            let value = neighbour.distance.value();
            if value <= within || value.is_nan() {
                let point = shell.tree().order()[neighbour.index as usize];
                found.push(NearPoint { point, place, value });
            }
        }
        self.looked = Some((*surface_from_shell, within));
    }

    /// As [`Obstacle::first_contact`]; soon done if the motion is short and begins near where [`Neighbours::points_within`] was asked last.
    pub fn first_contact(
        &mut self,
        (shell, obstacle): (&PointShell, &Obstacle<'_>),
        motion: &Motion,
        iso: f64,
        tolerance: f64,
    ) -> Option<Contact> {
        let Some(field) = certified(obstacle) else {
            return obstacle.first_contact(shell, motion, iso, tolerance);
        };
        let options = SweepOptions { iso, tolerance: Some(tolerance), ..Default::default() };
        let sweep = Sweep::new(shell, field, &options);
        let question = sweep.question(motion);
        self.reach_along(&question, motion);
        match self.first_among(&question, motion) {
            Known::Contact(contact) => contact,
            Known::Nothing => question.first_by_tree(u32::MAX, u64::MAX).0.contact,
        }
    }

    /// Makes the list anew if it is not enough for a motion, unless that is long.
    fn reach_along(&mut self, question: &Question<'_>, motion: &Motion) {
        let Question { sweep, iso, .. } = *question;
        let (start, way) = (motion.frame_from_body(0.0), motion.speed().at(sweep.reach));
        let cell = sweep.field.grid().cell;
        let certain = Certain::new(sweep, iso);
        let moved = self.made_at.map_or(f64::INFINITY, |made_at| farthest(sweep.shell, &made_at, &start));
        let is_enough = certain.least_value(self.beyond, moved + way) > iso;
        if !is_enough && way <= LONGEST * cell {
            self.make(sweep, &start, certain.enough_for(iso, way + MARGIN * cell));
        }
    }

    fn first_among(&mut self, question: &Question<'_>, motion: &Motion) -> Known {
        let Some(made_at) = &self.made_at else { return Known::Nothing };
        let Question { sweep, iso, .. } = *question;
        let certain = Certain::new(sweep, iso);
        let start = motion.frame_from_body(0.0);
        let speed = motion.speed();
        let moved = farthest(sweep.shell, made_at, &start);
        let is_enough = certain.least_value(self.beyond, moved + speed.at(sweep.reach)) > iso;
        if !is_enough {
            return Known::Nothing;
        }
        // What is free of a level that is farther out, from where all were looked at, is soon told.
        let looked = self.looked.as_ref().filter(|(_, level)| iso <= *level);
        let off = looked.map_or(f64::INFINITY, |(at, _)| farthest(sweep.shell, at, &start));
        let longest = speed.at(sweep.reach);
        let pieces = question.pieces.count();
        let middle = question.pieces.ends(pieces / 2)[0];
        self.in_doubt.clear();
        for (k, (free, neighbour)) in self.free.iter().zip(&self.near).enumerate() {
            if *free > off + longest {
                continue;
            }
            let way = speed.at(neighbour.point.length());
            let before = start.transform_point3(neighbour.point).distance(neighbour.place);
            let clear = certain.free_way(neighbour, iso) - before;
            if clear > way {
                continue;
            }
            // Until then it is free. What does not move is in doubt at once.
            let until = if clear > 0.0 { clear / way } else { 0.0 };
            self.in_doubt.push((until, k as u32));
        }
        // Those that may touch soonest first: once a contact is known, the rest is asked only until then.
        self.in_doubt.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut best: Option<Contact> = None;
        for &(until, k) in &self.in_doubt {
            if best.is_some_and(|best| until > best.hit.t + 1e-9) {
                break;
            }
            let neighbour = &self.near[k as usize];
            // One look at the middle of the way is as much as two or three at pieces, and often settles all of them.
            let way = speed.at(neighbour.point.length());
            let around =
                if pieces > 2 { certain.free_around(neighbour, middle, sweep.field, iso) / way } else { 0.0 };
            // A piece before, for rounding of times.
            let first = (until * f64::from(pieces)) as u32;
            for piece in first.saturating_sub(1)..pieces {
                let [begins, ends] = [piece, piece + 1].map(|at| f64::from(at) / f64::from(pieces));
                if best.is_some_and(|best| begins > best.hit.t) {
                    break;
                }
                // A hair for rounding of times.
                if 0.5 - begins < around - 1e-9 && ends - 0.5 < around - 1e-9 {
                    continue;
                }
                let until = best.map_or(f64::INFINITY, |best| question.part_of(piece, best.hit.t) + 1e-9);
                let segment = question.segment(neighbour.point, piece);
                let Some(hit) = question.set.first_hit_until(&segment, until) else { continue };
                if hit.status == HitStatus::Bound {
                    // Outside the box spheres may know better.
                    return Known::Nothing;
                }
                let number = sweep.shell.tree().order()[neighbour.index as usize];
                let contact = question.contact(number, piece, hit, 0.0);
                best = [best, contact].into_iter().flatten().reduce(earlier);
                break;
            }
        }
        Known::Contact(best)
    }

    /// Looks for all points whose true value may be at most `beyond`.
    fn make(&mut self, sweep: &Sweep<'_>, surface_from_shell: &DAffine3, beyond: f64) {
        let (field, lipschitz) = (sweep.field, sweep.lipschitz);
        let hair = 2e-9 * field.grid().cell;
        let tree = sweep.shell.tree();
        let nothing = Seen { center: DVec3::ZERO, least: f64::NAN };
        self.spheres.resize(tree.node_count(), nothing);
        std::mem::swap(&mut self.near, &mut self.old);
        std::mem::swap(&mut self.free, &mut self.old_free);
        self.near.clear();
        self.free.clear();
        self.made += 1;
        let (near, free, spheres) = (&mut self.near, &mut self.free, &mut self.spheres);
        let may_hold = |node: usize, center: DVec3, radius: f64| {
            let seen = &mut spheres[node];
            let threshold = beyond + lipschitz * radius + hair;
            let moved = lipschitz * center.distance(seen.center);
            if seen.least - moved > threshold {
                return false;
            }
            // Where even that would not clear it, its parts are asked at once. NaN is looked at.
            if seen.least > f64::NEG_INFINITY && seen.least + moved < threshold {
                return true;
            }
            let by_node = field.lower_bound_by_node(center);
            let least = if by_node > threshold.max(0.0) { by_node } else { field.lower_bound(center) };
            *seen = Seen { center, least };
            let is_clear = least > threshold;
            !is_clear
        };
        // Both lists are in the order of the tree; what was on the old one keeps what is known of it, the rest is looked up when it is first asked for.
        let mut old = self.old.iter().zip(&self.old_free).peekable();
        descend(tree, surface_from_shell, may_hold, |k, place| {
            while old.next_if(|(of, _)| (of.index as usize) < k).is_some() {}
            let known = old.next_if(|(of, _)| of.index as usize == k);
            let unknown = || Neighbour {
                index: k as u32,
                point: tree.points()[k],
                place,
                distance: Distance::Unknown,
                off: f64::INFINITY,
            };
            near.push(known.map_or_else(unknown, |(of, _)| *of));
            free.push(known.map_or(0.0, |(_, free)| *free));
        });
        (self.made_at, self.beyond) = (Some(*surface_from_shell), beyond);
    }
}

/// A field whose bounds hold, outside its box as well. Formulas are asked as fast as a list; of sheets nothing is certain beyond their rims.
pub(super) fn certified<'a>(obstacle: &Obstacle<'a>) -> Option<&'a Field> {
    match obstacle {
        Obstacle::Field(field) => Some(*field).filter(|field| field.is_certified_outside()),
        Obstacle::Analytic(_) => None,
    }
}

/// What a list knows of a contact.
enum Known {
    Contact(Option<Contact>),
    Nothing,
}

/// What is certain of values of points that move.
pub(super) struct Certain {
    /// Of the field.
    bounds: Aabb,
    /// What the interpolant may be below the true value.
    error: f64,
    /// Of true values, and of the interpolant at full resolution.
    pub(super) lipschitz: f64,
    steepness: f64,
    /// For rounding of places.
    hair: f64,
    /// Where cells are not at full resolution, true values outside the solid are at least this.
    fine_within: f64,
    /// What φ is off by where they are.
    fine_error: f64,
}

impl Certain {
    pub(super) fn new(sweep: &Sweep<'_>, iso: f64) -> Self {
        let field = sweep.field;
        // A cell is at full resolution if a corner is in the band, and no point of it is farther from one than half its diagonal.
        let fine_within = match field.nodes() {
            Storage::Dense(_) => f64::INFINITY,
            Storage::Sparse(_) => {
                (field.band() * (1.0 - 1e-5) - sweep.lipschitz * 0.75f64.sqrt()) * field.grid().cell
            }
        };
        Self {
            bounds: field.grid().bounds(),
            error: sweep.error_at_points(iso),
            lipschitz: sweep.lipschitz,
            steepness: sweep.steepness(iso),
            hair: 2e-9 * field.grid().cell,
            fine_within,
            fine_error: field.error_bound(),
        }
    }

    /// What φ is at least of a point whose true value was `least` before it moved by `way`.
    #[inline(always)]
    pub(super) fn least_value(&self, least: f64, way: f64) -> f64 {
        least - self.lipschitz * way - self.error - self.hair
    }

    /// The true value above which others need not be looked at for some way.
    pub(super) fn enough_for(&self, within: f64, way: f64) -> f64 {
        within + self.lipschitz * way + self.error + 2.0 * self.hair
    }

    /// How far a point surely goes from a place of the shell without coming to a level.
    fn free_around(&self, of: &Neighbour, surface_from_shell: &DAffine3, field: &Field, iso: f64) -> f64 {
        let place = surface_from_shell.transform_point3(of.point);
        let (distance, off) = field.distance_and_error(place);
        self.free_way(&Neighbour { place, distance, off, ..*of }, iso)
    }

    /// How far a point surely goes from where it was looked up without coming to a level. True values change by L, and are off the interpolant at both ends. And from a cell at full resolution:
    /// as long as cells are, the interpolant is continuous and changes by √3·L; where they are not, true values are beyond the band, and from there it is as far as from any such place.
    /// Outside the box there are only bounds, which may say less than is known inside.
    #[inline(always)]
    pub(super) fn free_way(&self, of: &Neighbour, iso: f64) -> f64 {
        let Distance::Interpolated(value) = of.distance else { return 0.0 };
        let above = value - iso - self.hair;
        let mut free = (above - of.off - self.error) / self.lipschitz;
        if of.off <= self.fine_error {
            let from_beyond = (self.fine_within - iso - self.error - self.hair) / self.lipschitz;
            free = free.max((above / self.steepness).min(from_beyond));
        }
        let within_box = (of.place - self.bounds.min).min(self.bounds.max - of.place).min_element();
        let free = free.min(within_box);
        // Written so that NaN is none.
        if free > 0.0 { free } else { 0.0 }
    }

    /// The same where what only bounds tell of, outside the box, is no contact: there and on the way there the true value says as much as anywhere.
    #[inline(always)]
    pub(super) fn way_without_contact(&self, of: &Neighbour, iso: f64) -> f64 {
        let (Distance::Interpolated(value) | Distance::LowerBound(value)) = of.distance else { return 0.0 };
        let free = (value - of.off - iso - self.error - self.hair) / self.lipschitz;
        // NaN is not more.
        self.free_way(of, iso).max(free)
    }
}

/// How far any point of a shell is from where it was: |Δc| + |R₁ − R₀|·ρ, the norm of a difference of rotations being its Frobenius norm over √2.
pub(super) fn farthest(shell: &PointShell, from: &DAffine3, to: &DAffine3) -> f64 {
    let around = shell.tree().sphere(0);
    let shift = from.transform_point3(around.center).distance(to.transform_point3(around.center));
    let turn = to.matrix3 - from.matrix3;
    let squared = turn.x_axis.length_squared() + turn.y_axis.length_squared() + turn.z_axis.length_squared();
    // A hair for rounding, which may add up over many steps.
    let rounding = 1e-15 * (around.reach() + from.translation.length() + to.translation.length());
    shift + (0.5 * squared).sqrt() * around.radius + rounding
}
