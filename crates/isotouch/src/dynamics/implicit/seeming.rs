//! Contacts that only seem to come.
//!
//! A row takes a point for one against a plane, and a body's side is a plane only as far as it goes. What slides on a table is a little deep in it: by as much, points of the table that pass below its front edge meet its front,
//! and a plane laid there would stop it. The free motion, which falls into the table, meets them deep in the front. And points that pass close to an edge are in front of a plane that they never come to.
//!
//! So of the contacts of a pair those are solved for first that are sure: what is inside and does not strike, or what the free motion meets first. The others are *put off*, and looked for again along the motion that these leave.
//! There counts what comes deeper than what is held: points that slide below an edge come just as deep, and those that meet a wall come deep into it.

use crate::contact::ShellOnSurface;
use crate::dynamics::pairs::{Pair, Role, Watched};
use crate::dynamics::world::World;

use super::Course;
use super::rows::Row;

/// Contacts within 60° of one that is sure hold in its direction, cosine.
const SAME_DIRECTION: f64 = 0.5;
/// What strikes holds with what is inside within 18° of its direction, cosine: facets of threads. Less, and threads come deeper; more, and edges catch what slides.
const ALONG: f64 = 0.95;
/// What comes nearer than this in a step, in margins within which contacts are looked for, strikes. What rests comes nearer by much less.
const STRIKE: f64 = 0.2;
/// What is put off counts where it comes deeper than this many times what is held does, and this part of the margin: as deep as that it may come below an edge, while what is held sways.
const DEEPER: f64 = 1.5;
const A_LITTLE: f64 = 0.1;

/// Which role, however many others come between.
pub(super) type Key = (Pair, usize);

pub(super) fn key(of: &Watched) -> Key {
    (of.role.pair, of.role.shell_of)
}

/// The roles of one pair, of which there are one or two, after another.
pub(super) fn pairs_of(watched: &[Watched]) -> impl Iterator<Item = std::ops::Range<usize>> {
    let mut begin = 0;
    std::iter::from_fn(move || {
        let pair = watched.get(begin)?.role.pair;
        let count = watched[begin..].iter().take_while(|of| of.role.pair == pair).count();
        begin += count;
        Some(begin - count..begin)
    })
}

/// The roles of a role's pair.
pub(super) fn roles_beside(watched: &[Watched], k: usize) -> std::ops::Range<usize> {
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

impl World {
    /// Takes out rows that are not sure, of all pairs or of those that are asked for, and tells of which roles, in order.
    pub(super) fn put_off(
        &self,
        watched: &[Watched],
        found: &mut [Vec<Row>],
        course: &Course,
        is_asked: impl Fn(usize) -> bool,
    ) -> Vec<Key> {
        let mut put_off = Vec::new();
        for roles in pairs_of(watched).filter(|roles| roles.clone().any(&is_asked)) {
            // Most pairs are near without contact, or rest.
            let is_plain = |row: &Row| {
                row.planned >= 0.0 || (row.gap <= 0.0 && row.t == 0.0 && !self.strikes(row, course))
            };
            if roles.clone().all(|k| found[k].iter().all(|row| row.gap <= 0.0 && is_plain(row))) {
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
        roles: std::ops::Range<usize>,
    ) -> Vec<Vec<bool>> {
        let first_body = watched[roles.start].role.pair.0;
        // Both roles of a pair hold against each other.
        let outward = |row: &Row| if row.shell_of == first_body { row.normal } else { -row.normal };
        let inside: Vec<Vec<f64>> = roles
            .clone()
            .map(|k| {
                let role = &watched[k].role;
                let Some(pair) = self.on_surface(role, &course.steps) else {
                    return vec![0.0; found[k].len()];
                };
                // Planes that are not come to hold nothing, and may stay.
                let when = |row: &Row| {
                    if row.planned >= 0.0 && row.gap > 0.0 {
                        f64::INFINITY
                    } else {
                        comes_inside(row, role, &pair)
                    }
                };
                found[k].iter().map(when).collect()
            })
            .collect();
        let first = inside.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        let each = || roles.clone().zip(&inside).flat_map(|(k, inside)| found[k].iter().zip(inside));
        let is_first = |inside: f64| inside <= first && inside.is_finite();
        let is_quiet = |row: &Row| !self.strikes(row, course);
        let firsts: Vec<_> = each()
            .filter(|(_, inside)| is_first(**inside))
            .map(|(row, _)| (outward(row), is_quiet(row)))
            .collect();
        let any_quiet = first == 0.0 && firsts.iter().any(|(_, is_quiet)| *is_quiet);
        let is_sure = |row: &Row, inside: f64| {
            if row.planned >= 0.0 {
                return true;
            }
            if !inside.is_finite() {
                return false;
            }
            let is_held = |cosine: f64| {
                let mut holding = firsts.iter().filter(|(_, is_quiet)| *is_quiet || !any_quiet);
                holding.any(|(normal, _)| normal.dot(outward(row)) > cosine)
            };
            if any_quiet && !is_quiet(row) {
                is_held(ALONG)
            } else {
                is_first(inside) || is_held(SAME_DIRECTION)
            }
        };
        let sure = |(k, inside): (usize, &Vec<f64>)| {
            found[k].iter().zip(inside).map(|(row, inside)| is_sure(row, *inside)).collect()
        };
        roles.clone().zip(&inside).map(sure).collect()
    }

    /// Whether a point comes near by more than what rests does, with the velocities from before the step.
    fn strikes(&self, row: &Row, course: &Course) -> bool {
        let of = |k: usize, arm| course.steps[k].from.twist.at(arm);
        let velocity = of(row.shell_of, row.arm_of_shell)
            - row.on.body().map_or(glam::DVec3::ZERO, |j| of(j, row.arm_of_surface));
        -row.normal.dot(velocity) * course.dt > STRIKE * self.margin(row.on, row.shell_of)
    }

    /// How deep points of a pair may come without being contacts of their own: about as deep as those are that are held. `None` where nothing is.
    pub(super) fn depth_held(
        &self,
        watched: &[Watched],
        found: &[Vec<Row>],
        course: &Course,
        roles: std::ops::Range<usize>,
    ) -> Option<f64> {
        let mut deepest: Option<f64> = None;
        for k in roles {
            let role = &watched[k].role;
            let Some(pair) = self.on_surface(role, &course.steps).filter(|_| !found[k].is_empty()) else {
                continue;
            };
            let end = pair.end();
            let depth = found[k].iter().map(|row| row.depth(role, &pair, &end)).fold(0.0, f64::max);
            let allowed = DEEPER * depth + A_LITTLE * self.margin(role.on, role.shell_of);
            deepest = Some(deepest.map_or(allowed, |so_far| so_far.max(allowed)));
        }
        deepest
    }
}
