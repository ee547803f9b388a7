//! A point of cloth against obstacles (Fuhrmann, Sobottka and Groß 2003, section 4), along its whole way.
//!
//! A point ends a substep at x; where it began is `before`. Where x is nearer to a surface than its level, ε as a rule, it is set back along the gradient by
//! (ε − d)·n (eq. 1), and friction takes some of the tangential motion (eq. 3, or 5 and 6). With [`CollisionMethod::Continuous`] its way in the obstacle's frame is
//! looked at as well: what would come below ε/2 on the way stops there, slides along that plane, and is looked at again. Where it then ends near the same obstacle, contact there tells its velocity; where it slid past, contact on the way does.
//!
//! Velocities are (x − anchor)/h. The anchor is `before`, but for what is to leave no trace in the velocity: being pushed out of a solid that it
//! began in, and half of a bounce. So "the velocities are corrected" (section 4.1) by moving anchors.
//!
//! What is led stops all that comes. A body that gives way ([`free_bodies`](super::free_bodies)) only stops what would come nearer than the level within the substep: then the push on a point
//! changes evenly with the body's motion, and a motion can be found for which both agree.

use glam::DVec3;

use super::obstacles::Placed;
use super::{CollisionMethod, FrictionModel};
use crate::ccd::Segment;

/// Looks at a place. More than two are needed only where obstacles meet.
const LOOKS: usize = 5;
/// What stops at this part of ε on its way has the rest for edges and rounding.
pub(super) const STOP: f64 = 0.5;

/// How a cloth is kept off obstacles in a substep.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    /// m.
    pub(super) epsilon: f64,
    pub(super) method: CollisionMethod,
    pub(super) friction: FrictionModel,
    /// How far what is inside may be pushed out in a substep, m.
    pub(super) push_out: f64,
    /// Slower impacts do not bounce: what gravity adds in two substeps, as a way, m.
    pub(super) rest_way: f64,
}

/// A point on its way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    pub(super) before: DVec3,
    /// Where it seems to come from.
    pub(super) anchor: DVec3,
    pub(super) place: DVec3,
    /// φ at `before`, of the nearest obstacle, at least.
    pub(super) clearance: f64,
}

/// Where it may go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answer {
    pub(super) anchor: DVec3,
    pub(super) place: DVec3,
    /// φ there, of the nearest obstacle, at least (in contact, but for curvature).
    pub(super) clearance: f64,
    pub(super) pushes: Pushes,
}

/// Which obstacles a point touched, and how each of them changed its displacement, m. A point rests on three at most; of more, those after the third are added
/// to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pushes {
    /// `u32::MAX` for none.
    obstacles: [u32; 3],
    kicks: [DVec3; 3],
}

impl Pushes {
    pub(super) const NONE: Self = Self { obstacles: [u32::MAX; 3], kicks: [DVec3::ZERO; 3] };

    pub(super) fn add(&mut self, obstacle: usize, kick: DVec3) {
        let index = obstacle as u32;
        let slot = self.obstacles.iter().position(|&known| known == index || known == u32::MAX).unwrap_or(2);
        if self.obstacles[slot] == u32::MAX {
            self.obstacles[slot] = index;
            self.kicks[slot] = kick;
        } else {
            self.kicks[slot] += kick;
        }
    }

    pub(super) fn is_none(&self) -> bool {
        self.obstacles[0] == u32::MAX
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, DVec3)> + '_ {
        let of = self.obstacles.iter().zip(&self.kicks).take_while(|(obstacle, _)| **obstacle != u32::MAX);
        of.map(|(&obstacle, &kick)| (obstacle as usize, kick))
    }
}

/// What is in the way at a place.
enum Finding {
    Clear {
        least: f64,
    },
    /// Too near, by this much of φ, and how near others are.
    Near {
        obstacle: usize,
        phi: f64,
        normal: DVec3,
        others: f64,
    },
    /// On the way there: φ was at the stop level at this point of the obstacle's frame.
    OnTheWay {
        obstacle: usize,
        point: DVec3,
        normal: Option<DVec3>,
    },
}

/// Keeps a point off all obstacles.
pub(super) fn kept_off(way: &Way, obstacles: &[Placed<'_>], rules: &Rules) -> Answer {
    let Way { before, mut anchor, mut place, clearance } = *way;
    let level = match rules.method {
        CollisionMethod::Continuous if clearance + rules.push_out < rules.epsilon => {
            rules.epsilon.min(held_before(before, obstacles) + rules.push_out)
        }
        // At once, as 2003.
        _ => rules.epsilon,
    };
    let mut pushes = Pushes::NONE;
    let mut last = None;
    // What it slid along on its way and was not near at its end, with the normal there.
    let mut passed: [Option<(usize, DVec3)>; LOOKS] = [None; LOOKS];
    let slowed = |passed: &[Option<(usize, DVec3)>], mut answer: Answer| {
        for &(obstacle, normal) in passed.iter().flatten() {
            slow_down(&mut answer, (before, level), (&obstacles[obstacle], normal), rules);
        }
        answer
    };
    for look in 0..LOOKS {
        match find(before, place, level, obstacles, (rules, look)) {
            Finding::Clear { least } => {
                return slowed(&passed, Answer { anchor, place, clearance: least, pushes });
            }
            Finding::OnTheWay { obstacle, point, normal } => {
                let of = &obstacles[obstacle];
                last = Some(of);
                let to = of.from_world.transform_point3(place);
                let normal = normal.or_else(|| of.shape.gradient(point)?.try_normalize());
                let Some(normal) = normal.filter(|_| look + 1 < LOOKS) else {
                    pushes.add(of.index, DVec3::ZERO);
                    break;
                };
                // On along the plane, a little off it. The displacement stays what it was until all is known, for friction and bounce are made of it.
                let inward = (point - to).dot(normal).max(0.0) + 1e-3 * rules.epsilon;
                let off = of.to_world.transform_vector3(normal * inward);
                place += off;
                anchor += off;
                pushes.add(of.index, DVec3::ZERO);
                passed[look] = Some((obstacle, normal));
            }
            Finding::Near { obstacle, phi, normal, others } => {
                let of = &obstacles[obstacle];
                last = Some(of);
                passed.iter_mut().for_each(|one| *one = one.filter(|(other, _)| *other != obstacle));
                let touch = Touch { normal, lift: level - phi, gap: gap_before(of, before, level) };
                let (moved, shift) = response(of, (anchor, place), &touch, rules);
                place += moved;
                pushes.add(of.index, moved - shift);
                anchor += shift;
                let step = of.steepness * moved.length();
                let is_settled = phi - step > STOP * rules.epsilon.min(level) && others - step > level;
                if is_settled {
                    return slowed(&passed, Answer { anchor, place, clearance: level, pushes });
                }
            }
        }
    }
    // No way out was found: it goes to where it is safe.
    let found = find(before, place, level, obstacles, (rules, 1));
    if let (Some(of), Finding::OnTheWay { obstacle, .. }) = (last, found) {
        let refuge = refuge(before, obstacles, obstacle);
        pushes.add(of.index, (refuge - before) - (place - anchor));
        let clearance = least_value(refuge, obstacles);
        return Answer { anchor: before, place: refuge, clearance, pushes };
    }
    slowed(&passed, Answer { anchor, place, clearance: least_value(place, obstacles), pushes })
}

/// What a point that slid past an obstacle loses of its velocity: all that contact on the way takes, by its anchor alone, for its place is good.
fn slow_down(
    answer: &mut Answer,
    (before, level): (DVec3, f64),
    (of, normal): (&Placed<'_>, DVec3),
    rules: &Rules,
) {
    let touch = Touch { normal, lift: 0.0, gap: gap_before(of, before, level) };
    let (moved, shift) = response(of, (answer.anchor, answer.place), &touch, rules);
    answer.anchor += shift - moved;
    answer.pushes.add(of.index, moved - shift);
}

/// Where a point that is in the way of an obstacle is safe at the end of a substep: carried by that one, or where it was, or carried by another. Between obstacles that leave no room, nowhere:
/// then it goes with the first.
pub(super) fn refuge(before: DVec3, obstacles: &[Placed<'_>], first: usize) -> DVec3 {
    let with_first = obstacles[first].carried(before);
    let others = obstacles.iter().map(|of| of.carried(before));
    let places = [with_first, before].into_iter().chain(others);
    places.into_iter().find(|&place| is_lost(before, place, obstacles).is_none()).unwrap_or(with_first)
}

/// How far a point was held off the nearest obstacle at the beginning of the substep.
fn held_before(before: DVec3, obstacles: &[Placed<'_>]) -> f64 {
    let of = |of: &Placed<'_>| {
        let local = of.from_world_before.transform_point3(before);
        of.look(local, of.box_distance(local)).1
    };
    obstacles.iter().map(of).filter(|phi| !phi.is_nan()).fold(f64::INFINITY, f64::min)
}

/// φ of the nearest obstacle at a place.
pub(super) fn least_value(place: DVec3, obstacles: &[Placed<'_>]) -> f64 {
    let of = |of: &Placed<'_>| of.shape.value(of.from_world.transform_point3(place));
    obstacles.iter().map(of).filter(|phi| !phi.is_nan()).fold(f64::INFINITY, f64::min)
}

/// The same at the beginning of the substep.
pub(super) fn least_value_before(before: DVec3, obstacles: &[Placed<'_>]) -> f64 {
    let of = |of: &Placed<'_>| of.shape.value(of.from_world_before.transform_point3(before));
    obstacles.iter().map(of).filter(|phi| !phi.is_nan()).fold(f64::INFINITY, f64::min)
}

/// Which obstacle a point comes below the surface of, on its way or at its end, although it began outside.
pub(super) fn is_lost(before: DVec3, place: DVec3, obstacles: &[Placed<'_>]) -> Option<usize> {
    obstacles.iter().position(|of| {
        let (from, to) =
            (of.from_world_before.transform_point3(before), of.from_world.transform_point3(place));
        let phi = of.shape.value(to);
        let change = of.steepness * to.distance(from);
        let bent = of.steepness * of.sagitta(from, to);
        if phi > change + bent {
            return false;
        }
        let start = of.shape.value(from);
        if start.is_nan() || start <= 0.0 {
            return false;
        }
        // φ on the way is no less than ½·(φ₀ + φ₁ − L·ℓ).
        let may_cross = 0.5 * (phi + start - change) <= bent;
        phi <= 0.0 || (may_cross && crosses(of, from, to, bent.min(0.9 * start).min(0.9 * phi)).is_some())
    })
}

fn crosses(of: &Placed<'_>, from: DVec3, to: DVec3, iso: f64) -> Option<(f64, DVec3, Option<DVec3>)> {
    let (first, last) = of.time_in_box(from, to)?;
    let at = |t: f64| {
        if t <= 0.0 {
            from
        } else if t >= 1.0 {
            to
        } else {
            from.lerp(to, t)
        }
    };
    let hit = of.shape.first_hit(&Segment::new(at(first), at(last)), iso)?;
    Some((first + (last - first) * hit.t, hit.point, hit.normal))
}

/// Where a way comes to half of ε.
struct Met {
    t: f64,
    /// In the obstacle's frame, as the next.
    point: DVec3,
    normal: Option<DVec3>,
    /// φ there.
    iso: f64,
}

/// Where a point first comes to ε/2 of an obstacle, on its way from a place of the world to one of the obstacle's frame where φ is no less than `bound`. `None` where it does not, where it was that near before, and with the method of 2003.
fn met(of: &Placed<'_>, (before, to): (DVec3, DVec3), bound: f64, rules: &Rules) -> Option<Met> {
    if rules.method == CollisionMethod::Discrete {
        return None;
    }
    let stop = STOP * rules.epsilon;
    let from = of.from_world_before.transform_point3(before);
    let start = of.shape.value(from);
    // φ on the way is no less than ½·(φ₀ + φ₁ − L·ℓ).
    let may_meet = start > 0.0 && 0.5 * (bound + start - of.steepness * from.distance(to)) < stop;
    if !may_meet {
        return None;
    }
    let iso = (stop + of.steepness * of.sagitta(from, to)).min(0.9 * start);
    let (t, point, normal) = crosses(of, from, to, iso)?;
    Some(Met { t, point, normal, iso })
}

/// What an obstacle is taken for by a point near it: a plane that the point is to be kept above.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlaneAhead {
    /// Of the world, at the end of the substep.
    pub(super) normal: DVec3,
    /// How far the point ends above ε, m; negative where it is nearer.
    pub(super) gap: f64,
    /// How far it began above ε.
    pub(super) gap_before: f64,
}

/// The plane that an obstacle is for a point that goes from `before` to `place`: where it ends, or, if it would come through half of ε, where it does so first. `None` where it is farther off than it goes.
pub(super) fn plane_ahead(of: &Placed<'_>, before: DVec3, place: DVec3, rules: &Rules) -> Option<PlaneAhead> {
    let to = of.from_world.transform_point3(place);
    let travel = place.distance(before) + of.drift(before.distance(of.origin));
    let beside = of.box_distance(to);
    if beside > rules.epsilon + 2.0 * travel {
        return None;
    }
    let (bound, phi, gradient) = of.look(to, beside);
    if bound.is_nan() {
        return None;
    }
    let from = of.from_world_before.transform_point3(before);
    let gap_before = of.look(from, of.box_distance(from)).1 - rules.epsilon;
    let (normal, gap) = match met(of, (before, to), bound, rules) {
        Some(Met { point, normal, iso, .. }) => {
            let normal = normal.or_else(|| of.shape.gradient(point)?.try_normalize())?;
            (normal, (to - point).dot(normal) + iso - rules.epsilon)
        }
        None => (gradient.and_then(DVec3::try_normalize)?, phi - rules.epsilon),
    };
    Some(PlaneAhead { normal: of.to_world.transform_vector3(normal), gap, gap_before })
}

fn find(
    before: DVec3,
    place: DVec3,
    level: f64,
    obstacles: &[Placed<'_>],
    (rules, look): (&Rules, usize),
) -> Finding {
    let mut least = f64::INFINITY;
    let mut nearest: Option<(usize, f64, DVec3)> = None;
    let mut others = f64::INFINITY;
    let mut first: Option<(f64, usize, DVec3, Option<DVec3>)> = None;
    let world_way = place.distance(before);
    for (k, of) in obstacles.iter().enumerate() {
        let to = of.from_world.transform_point3(place);
        let travel = world_way + of.drift(before.distance(of.origin));
        let beside = of.box_distance(to);
        if beside > rules.epsilon + travel {
            least = least.min(beside);
            others = others.min(beside);
            continue;
        }
        let (bound, phi, gradient) = of.look(to, beside);
        // Nothing is known there.
        if bound.is_nan() {
            continue;
        }
        least = least.min(bound);
        // φ changes by no more than its steepness on the way.
        let may_be_near = bound - of.steepness * travel < STOP * rules.epsilon;
        if may_be_near
            && let Some(Met { t, point, normal, .. }) = met(of, (before, to), bound, rules)
            && first.is_none_or(|(other, ..)| t < other)
        {
            first = Some((t, k, point, normal));
        }
        // Once set back it may stay a thousandth nearer: curvature.
        let wanted = if look == 0 { level } else { level - 1e-3 * rules.epsilon };
        let normal = gradient.and_then(DVec3::try_normalize);
        match (normal.filter(|_| phi < wanted), nearest) {
            (Some(normal), None) => nearest = Some((k, phi, normal)),
            (Some(normal), Some((_, other, _))) if phi < other => {
                others = others.min(other);
                nearest = Some((k, phi, normal));
            }
            _ => others = others.min(phi),
        }
    }
    match (first, nearest) {
        (Some((_, obstacle, point, normal)), _) => Finding::OnTheWay { obstacle, point, normal },
        (None, Some((obstacle, phi, normal))) => Finding::Near { obstacle, phi, normal, others },
        (None, None) => Finding::Clear { least },
    }
}

/// How far a point was beyond the level at the beginning of the substep, of a body that gives way.
fn gap_before(of: &Placed<'_>, before: DVec3, level: f64) -> f64 {
    if !of.gives_way() {
        return 0.0;
    }
    let local = of.from_world_before.transform_point3(before);
    (of.look(local, of.box_distance(local)).1 - level).max(0.0)
}

/// A place that is too near.
struct Touch {
    /// In the obstacle's frame.
    normal: DVec3,
    /// By how much.
    lift: f64,
    /// How much nearer it may have come within the substep.
    gap: f64,
}

/// How place and anchor are moved by contact with an obstacle, which itself may move.
fn response(
    of: &Placed<'_>,
    (anchor, place): (DVec3, DVec3),
    &Touch { normal, lift, gap }: &Touch,
    rules: &Rules,
) -> (DVec3, DVec3) {
    // The displacement as seen from the obstacle.
    let from = of.from_world_before.transform_point3(anchor);
    let to = of.from_world.transform_point3(place);
    let way = to - from;
    let along_normal = way.dot(normal);
    // Only what goes inward presses: Δx_n of eq. 5.
    let inward = (-along_normal - gap).max(0.0);
    let tangential = way - normal * along_normal;
    // (ε − d)·n + r_t (eq. 4).
    let kept = kept_part(tangential.length(), inward, of.friction, rules);
    let moved = normal * lift + tangential * (kept - 1.0);
    // What was inward is gone (or comes back in part), and being lifted is no motion.
    let bounced = if inward > rules.rest_way { of.bounce * inward } else { 0.0 };
    let wanted = if inward > 0.0 { bounced - gap } else { along_normal };
    let shift = normal * (along_normal + lift - wanted);
    // Anchors are of the substep's beginning, when the obstacle was turned otherwise.
    let shift = of.from_world_before.matrix3.transpose() * shift;
    (of.to_world.transform_vector3(moved), shift)
}

/// β: the part of the tangential motion that friction leaves. 0 sticks.
fn kept_part(tangential: f64, inward: f64, friction: f64, rules: &Rules) -> f64 {
    match rules.friction {
        // r_t = −c_f·Δx_t (eq. 3).
        FrictionModel::Simple => 1.0 - friction.min(1.0),
        // β = max((|Δx_t| − c_f·|Δx_n|)/|Δx_t|, 0) (eq. 5, without its minus).
        FrictionModel::Coulomb if tangential > 0.0 => {
            ((tangential - friction * inward) / tangential).max(0.0)
        }
        FrictionModel::Coulomb => 1.0,
    }
}
