//! Contacts that only seem to come.
//!
//! A row takes a point for one against a plane, and a body's side is a plane only as far as it goes. What slides on a table is a little deep in it: by as much, points of the table that pass below its front edge meet its front,
//! and a plane laid there would stop it. The free motion, which falls into the table, meets them deep in the front. And points that pass close to an edge are in front of a plane that they never come to.
//!
//! So of the contacts of a pair those are solved for first that are sure: whose points end about as deep as their planes say, and that come first, or in the direction of what comes first. The others are *put off*, and looked for again
//! along the motion that these leave. There counts what comes deeper than what is held: points that slide below an edge come just as deep, and those that meet a wall come deep into it.

use std::ops::Range;

use glam::DVec3;

use crate::contact::ShellOnSurface;
use crate::dynamics::pairs::{Pair, Role, Watched};
use crate::dynamics::world::World;
use crate::math::Pose;

use super::Course;
use super::rows::Row;

/// Contacts within 60° of one that is sure hold in its direction, cosine.
const SAME_DIRECTION: f64 = 0.5;
/// A plane that has a point come in by more than this, in margins within which contacts are looked for, is asked whether it is true. What rests comes in by less.
const WORTH_ASKING: f64 = 0.04;
/// A plane is true where its point comes at least this part as deep as it says. What meets an edge comes next to nothing as deep; what slides in threads about as deep.
const TRUE_PART: f64 = 0.5;
/// What is put off counts where it comes deeper than this many times what is held does, and this part of the margin: as deep as that it may come below an edge, while what is held sways.
const DEEPER: f64 = 1.5;
const A_LITTLE: f64 = 0.1;

/// Which role, however many others come between.
pub(super) type Key = (Pair, usize);

pub(super) fn key(of: &Watched) -> Key {
    (of.role.pair, of.role.shell_of)
}

/// The roles of one pair, of which there are one or two, after another.
pub(super) fn pairs_of(watched: &[Watched]) -> impl Iterator<Item = Range<usize>> {
    let mut begin = 0;
    std::iter::from_fn(move || {
        let pair = watched.get(begin)?.role.pair;
        let count = watched[begin..].iter().take_while(|of| of.role.pair == pair).count();
        begin += count;
        Some(begin - count..begin)
    })
}

/// The roles of a role's pair.
pub(super) fn roles_beside(watched: &[Watched], k: usize) -> Range<usize> {
    let is_same = |of: &&Watched| of.role.pair == watched[k].role.pair;
    let before = watched[..k].iter().rev().take_while(is_same).count();
    k - before..k + watched[k..].iter().take_while(is_same).count()
}

/// When a row's point comes inside along the motion on which it was found, as part of the step; infinite if it does not.
fn comes_inside(row: &Row, role: &Role, pair: &ShellOnSurface<'_>) -> f64 {
    if row.gap <= 0.0 && row.t == 0.0 {
        return 0.0;
    }
    let hit = pair.obstacle.touchable().first_hit(&pair.chord(row.point), -role.overlap);
    hit.map_or(f64::INFINITY, |hit| hit.t)
}

/// Both roles of a pair hold against each other: the normal of one of them, away from the same body.
fn outward(row: &Row, of: usize) -> DVec3 {
    if row.shell_of == of { row.normal } else { -row.normal }
}

impl World {
    /// Takes out rows that are not sure and tells of which roles, in order. Where nothing is sure, all stay: what is thin is passed in a step, and no plane of it is true.
    pub(super) fn put_off(&self, watched: &[Watched], found: &mut [Vec<Row>], course: &Course) -> Vec<Key> {
        let mut put_off = Vec::new();
        for roles in pairs_of(watched) {
            // Most pairs are near without contact, or rest.
            let rests = |row: &Row| row.planned >= 0.0 || (row.gap <= 0.0 && !self.is_worth_asking(row));
            if roles.clone().all(|k| found[k].iter().all(rests)) {
                continue;
            }
            let is_sure = self.are_sure(watched, found, course, roles.clone());
            for (k, is_sure) in roles.zip(is_sure) {
                let before = found[k].len();
                let mut is_sure = is_sure.into_iter();
                found[k].retain(|_| is_sure.next().unwrap_or(true));
                if found[k].len() < before {
                    put_off.push(key(&watched[k]));
                }
            }
        }
        put_off
    }

    /// Which rows of a pair's roles are sure.
    fn are_sure(
        &self,
        watched: &[Watched],
        found: &[Vec<Row>],
        course: &Course,
        roles: Range<usize>,
    ) -> Vec<Vec<bool>> {
        let of = watched[roles.start].role.pair.0;
        // When they come inside; NaN for those whose planes are not true.
        let inside: Vec<Vec<f64>> = roles
            .clone()
            .map(|k| {
                let role = &watched[k].role;
                let Some(pair) = self.on_surface(role, &course.steps) else {
                    return vec![0.0; found[k].len()];
                };
                let end = pair.end();
                let when = |row: &Row| {
                    if row.planned >= 0.0 && row.gap > 0.0 {
                        // A plane that its point does not come to holds nothing, and may stay.
                        f64::INFINITY
                    } else if self.is_true(row, (role, &pair, &end)) {
                        comes_inside(row, role, &pair)
                    } else {
                        f64::NAN
                    }
                };
                found[k].iter().map(when).collect()
            })
            .collect();
        // NaN is no minimum.
        let first = inside.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        let each = || roles.clone().zip(&inside).flat_map(|(k, inside)| found[k].iter().zip(inside));
        let firsts: Vec<DVec3> = each()
            .filter(|(_, inside)| inside.is_finite() && **inside <= first)
            .map(|(row, _)| outward(row, of))
            .collect();
        let is_sure = |(row, inside): (&Row, &f64)| {
            firsts.is_empty()
                || row.planned >= 0.0
                || !inside.is_nan()
                    && firsts.iter().any(|normal| normal.dot(outward(row, of)) > SAME_DIRECTION)
        };
        let sure = |(k, inside): (usize, &Vec<f64>)| found[k].iter().zip(inside).map(is_sure).collect();
        roles.clone().zip(&inside).map(sure).collect()
    }

    /// Whether a plane says that its point comes in far.
    fn is_worth_asking(&self, row: &Row) -> bool {
        row.planned < -WORTH_ASKING * self.margin(row.on, row.shell_of)
    }

    /// Whether a row's point ends about as deep as its plane says, along the motion on which it was found.
    pub(super) fn is_true(&self, row: &Row, (role, pair, end): (&Role, &ShellOnSurface<'_>, &Pose)) -> bool {
        !self.is_worth_asking(row) || row.end(role, pair, end).1 <= TRUE_PART * row.planned
    }

    /// How deep points of a pair may come without being contacts of their own: about as deep as those are that hold, as they end. `None` where nothing does.
    pub(super) fn depth_held(
        &self,
        watched: &[Watched],
        found: &[Vec<Row>],
        course: &Course,
        roles: Range<usize>,
    ) -> Option<f64> {
        let mut deepest: Option<f64> = None;
        for k in roles {
            let role = &watched[k].role;
            let Some(pair) = self.on_surface(role, &course.steps).filter(|_| !found[k].is_empty()) else {
                continue;
            };
            let end = pair.end();
            let depth = found[k].iter().map(|row| -row.end(role, &pair, &end).1).fold(0.0, f64::max);
            let allowed = DEEPER * depth + A_LITTLE * self.margin(role.on, role.shell_of);
            deepest = Some(deepest.map_or(allowed, |so_far| so_far.max(allowed)));
        }
        deepest
    }

    /// A contact that comes beside others, which are held so deep: as it is if its plane is true, or if it comes deeper than that. If not, its point slid below an edge, and holds where it ends, if that is inside.
    pub(super) fn as_it_holds(
        &self,
        row: &Row,
        (role, pair): (&Role, &ShellOnSurface<'_>),
        held: f64,
    ) -> Option<Row> {
        let chord = pair.chord(row.point);
        let comes_in = |depth: f64| pair.obstacle.touchable().touches(&chord, -role.overlap - depth);
        if !comes_in(0.0) {
            return None;
        }
        if self.is_true(row, (role, pair, &pair.end())) || comes_in(held) {
            return Some(*row);
        }
        row.laid_at_end((role, self.bodies[role.shell_of].shape.field()), pair)
    }
}
