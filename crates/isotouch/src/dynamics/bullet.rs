//! Bodies that must not pass through anything: their step ends where they first touch.
//!
//! After the step is known, a bullet's way is searched once more, for its true rigid motion. Where one of its points enters something (or a point of that enters the bullet), the
//! bullet stays with what it hit for the rest of the step, carried along if that moves, and takes an inelastic impulse: so large that no point that touches goes on inward. What it is carried
//! into stops it in turn. Points that go deeper by less than half a cell in the whole step belong to the springs: so what rolls or rests is not stopped.
//!
//! Of two that squeeze a bullet it stays with the one that gives way less, and the other one stops at the bullet, whether it is a bullet itself or not. A bullet whose way another one has changed is looked at
//! again. Only between two that both cannot give way, as two plates that are led together, nothing helps: then it is with the last one that it touched.

use std::collections::BTreeSet;

use glam::DVec3;

use super::free::Moved;
use super::pairs::{Pair, Party, Role};
use super::world::World;
use crate::ccd::sweep::chord_contacts;
use crate::ccd::{HitStatus, Obstacle, PointContacts, Sweep, SweepOptions};
use crate::contact::{BodyStep, Friction, Placed, ShellOnSurface};
use crate::math::{Motion, MotionKind, Pose, Wrench};

/// Sweeps over points that touch at once. A few are enough: what is left is taken up by springs in the next step.
const SWEEPS: usize = 20;
/// Points that touch within this part of the step after the first one share its impulse.
const AT_ONCE: f64 = 1e-3;
/// A point may go deeper by this part of a cell within a step; more is a stop. Nothing that a field holds is thinner. Less stops what rolls; more lets corners through.
const DEEPER: f64 = 0.5;
/// What is left between a stopped bullet and what it hit, in parts of a cell, so that the next step begins outside.
const SKIN: f64 = 0.01;
/// Most things that stop a bullet within one look, one after the other.
const MOST_STOPS: usize = 4;
/// Most times that all bullets are looked at in a step, each time only those pairs of which one has changed its way since: there and back in their order, so that a row of them needs three. What is
/// left then is found in the next step, from where it is by then.
const MOST_LOOKS: usize = 8;
/// Motion along surfaces without a grid is cut into chords that are this part of the shell's coverage away from it at most.
const OFF_CHORD: f64 = 0.05;
/// And into no more than this many.
const MOST_CHORDS: f64 = 64.0;

/// Times at which a point that touches is looked at again, to tell how deep it gets: what turns may dip in and be out again at the end.
const LOOKS: u32 = 8;

/// Where a bullet that stopped is: with what it hit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Carried {
    by: Party,
    /// `surface_from_bullet`.
    pose: Pose,
}

/// A point that touches.
struct Touch {
    t: f64,
    role: Role,
    /// In the frame of what is touched.
    met: DVec3,
    /// Away from that, in its frame.
    normal: DVec3,
    /// Length of the way to go back from there, along the normal.
    skin: f64,
}

/// The same in the world, at the end of the step.
struct Struck {
    role: Role,
    place: DVec3,
    normal: DVec3,
}

impl World {
    /// Stops the bullets, in their order and back, until none changes the way of another.
    pub(super) fn stop_bullets(&self, moves: &mut [Moved], dt: f64) {
        let may_stop = |k: &usize| self.bodies[*k].is_bullet && self.bodies[*k].is_dynamic();
        let mut bullets: Vec<usize> = (0..self.bodies.len()).filter(may_stop).collect();
        if bullets.is_empty() {
            return;
        }
        let before: Vec<DVec3> = moves.iter().map(|of| of.angular_momentum).collect();
        // Counts looks. Everything is new to the first one.
        let mut now = 1_usize;
        let mut changed = vec![now; moves.len()];
        let mut looked = vec![0; moves.len()];
        for _ in 0..MOST_LOOKS {
            let mut is_done = true;
            for &k in &bullets {
                if changed.iter().all(|&when| when <= looked[k]) {
                    continue;
                }
                let is_new = |party: Party| {
                    changed[k] > looked[k] || party.body().is_some_and(|j| changed[j] > looked[k])
                };
                let poses: Vec<Pose> = moves.iter().map(|of| of.pose).collect();
                self.stop_bullet(k, &is_new, moves, dt);
                now += 1;
                looked[k] = now;
                // What it changed itself, it knows.
                for (j, _) in poses.iter().enumerate().filter(|(j, pose)| moves[*j].pose != **pose) {
                    changed[j] = now;
                    is_done = false;
                }
            }
            if is_done {
                break;
            }
            bullets.reverse();
        }
        for ((body, of), before) in self.bodies.iter().zip(moves.iter_mut()).zip(before) {
            if body.is_dynamic() && of.angular_momentum != before {
                // What stopped is no longer on the way that it was halfway of.
                let rotation = if of.carried.is_some() { of.pose.rotation } else { of.halfway };
                of.rate = body.angular_velocity_of(rotation, of.angular_momentum);
            }
        }
    }

    /// Puts what stopped to where what carries it is.
    pub(super) fn carry(&self, moves: &mut [Moved]) {
        for k in 0..moves.len() {
            if moves[k].carried.is_some() {
                moves[k].pose = carried_pose(k, moves);
            }
        }
    }

    /// Looks along the way of a bullet, at what `is_new` to it.
    fn stop_bullet(&self, bullet: usize, is_new: &dyn Fn(Party) -> bool, moves: &mut [Moved], dt: f64) {
        let mut steps = self.steps(moves, dt);
        let mut met: Vec<Touch> = Vec::new();
        for _ in 0..MOST_STOPS {
            // What it stopped at and what stopped at it were met. Not so what carries that: a bullet may be with another one beyond the plate at which that one stopped. After a stop all else is new.
            let may_meet = |party: Party| {
                let stopped_at = |k: usize| moves[k].carried.map(|of| of.by);
                let has_met = stopped_at(bullet) == Some(party)
                    || party.body().is_some_and(|j| stopped_at(j) == Some(Party::Body(bullet)));
                !has_met && (!met.is_empty() || is_new(party))
            };
            let (touches, by) = self.first_touches(bullet, &steps, &may_meet);
            let (Some(by), Some(first)) = (by, touches.first().map(|touch| touch.t)) else { break };
            let way = |step: &BodyStep| {
                Motion::new(MotionKind::Rigid, step.from.world_from_body, step.to.world_from_body)
            };
            let still = Motion::new(MotionKind::Rigid, Pose::IDENTITY, Pose::IDENTITY);
            let of_surface = match by {
                Party::Body(j) => way(&steps[j]),
                Party::Surface(_) => still,
            };
            // Back by the skin, as far as the way to what was hit is long.
            let relative = way(&steps[bullet]).seen_from(of_surface.pose(0.0), of_surface.pose(1.0));
            let speed = relative.speed().at(self.bodies[bullet].shape.around().reach());
            let skin = touches.iter().map(|touch| touch.skin).fold(0.0, f64::max);
            let t = (first - skin / speed.max(f64::MIN_POSITIVE)).max(0.0);
            // Which of both stops at the other one.
            let (held, carried) = match by {
                Party::Body(j) if self.stops_at(j, bullet, moves) => {
                    (j, Carried { by: Party::Body(bullet), pose: relative.pose(t).inverse() })
                }
                _ => (bullet, Carried { by, pose: relative.pose(t) }),
            };
            let was: Vec<DVec3> = (0..moves.len()).map(|k| self.center(k, moves)).collect();
            moves[held].carried = Some(carried);
            self.carry(moves);
            self.go_on_together(held, &was, moves);
            met.extend(touches);
            let pose = |party: Party| match party {
                Party::Body(j) => moves[j].pose,
                Party::Surface(_) => Pose::IDENTITY,
            };
            // All that it met in this look, at once: what holds it from behind must not go on inward either.
            let struck = met.iter().map(|touch| Struck {
                role: touch.role,
                place: pose(touch.role.on).place(touch.met),
                normal: pose(touch.role.on).rotation * touch.normal,
            });
            self.strike(&struck.collect::<Vec<_>>(), moves);
            // What is left of the step, each with what carries it.
            for (step, of) in steps.iter_mut().zip(moves.iter()) {
                step.from.world_from_body = way(step).pose(t);
                step.to.world_from_body = of.pose;
                step.duration *= 1.0 - t;
            }
        }
    }

    /// Whether a body that touches a bullet stops there instead of carrying it: where something carries the bullet already, and gives way less.
    fn stops_at(&self, body: usize, bullet: usize, moves: &[Moved]) -> bool {
        // Nothing may come to carry itself.
        if is_carried_by(body, Party::Body(bullet), moves) {
            return true;
        }
        let Some(carried) = moves[bullet].carried else { return false };
        self.bodies[body].is_dynamic()
            && !is_carried_by(bullet, Party::Body(body), moves)
            && self.firmness(Party::Body(body), moves) <= self.firmness(carried.by, moves)
    }

    /// How little something gives way, kg.
    fn firmness(&self, party: Party, moves: &[Moved]) -> f64 {
        let Party::Body(body) = party else { return f64::INFINITY };
        match root(body, moves) {
            // Infinite for what forces do not move.
            Party::Body(root) if self.bodies[root].is_dynamic() => self.bodies[body].mass,
            _ => f64::INFINITY,
        }
    }

    /// What a body holds back of its way, it and all that it goes with go together, so that their common centre gets where it would have got: angular momentum is kept with it. What turning with what carries
    /// it adds goes to the turning of both. `was`: where centres would have got.
    fn go_on_together(&self, held: usize, was: &[DVec3], moves: &mut [Moved]) {
        let Party::Body(first) = root(held, moves) else { return };
        if !self.bodies[first].is_dynamic() || first == held {
            return;
        }
        let together: Vec<usize> =
            (0..moves.len()).filter(|&k| root(k, moves) == Party::Body(first)).collect();
        let (mut mass, mut back) = (0.0, DVec3::ZERO);
        for &k in &together {
            mass += self.bodies[k].mass;
            back += self.bodies[k].mass * (self.center(k, moves) - was[k]);
        }
        moves[first].pose.position -= back / mass;
        self.carry(moves);
        // x × p of all after that, less what it was.
        let more: DVec3 = together
            .iter()
            .map(|&k| (self.center(k, moves) - was[k]).cross(self.bodies[k].mass * moves[k].velocity))
            .sum();
        let share = self.share_of_turning(held, first);
        moves[held].angular_momentum -= more * share;
        moves[first].angular_momentum -= more * (1.0 - share);
    }

    fn center(&self, body: usize, moves: &[Moved]) -> DVec3 {
        moves[body].pose.place(self.bodies[body].center)
    }

    /// The points that touch first, the earliest at the beginning, and what the bullet hits there, of all that it may meet.
    fn first_touches(
        &self,
        bullet: usize,
        steps: &[BodyStep],
        may_meet: &dyn Fn(Party) -> bool,
    ) -> (Vec<Touch>, Option<Party>) {
        let other = |(i, other): Pair| if i == bullet { other } else { Party::Body(i) };
        let pairs: Vec<_> = self
            .pairs(steps)
            .into_iter()
            .filter(|&pair| pair.0 == bullet || pair.1 == Party::Body(bullet))
            .filter(|&pair| may_meet(other(pair)))
            .collect();
        let roles = self.roles(&pairs);
        let mut touches: Vec<Touch> =
            self.look(&roles, steps, |role, pair| self.touches(role, pair)).into_iter().flatten().collect();
        // Stable: those at the same time stay in the order of pairs.
        touches.sort_by(|a, b| a.t.total_cmp(&b.t));
        let Some(first) = touches.first().map(|touch| touch.t) else { return (touches, None) };
        touches.retain(|touch| touch.t <= first + AT_ONCE);
        let by = touches.first().map(|touch| other(touch.role.pair));
        (touches, by)
    }

    fn touches(&self, role: &Role, pair: &ShellOnSurface<'_>) -> Vec<Touch> {
        let pose = |placed: &Placed| placed.world_from_body;
        let motion = Motion::new(MotionKind::Rigid, pose(&pair.shell_body.from), pose(&pair.shell_body.to))
            .seen_from(pose(&pair.surface_body.from), pose(&pair.surface_body.to));
        let iso = -role.overlap;
        // Points and the beginnings of their contacts, those of each point in order.
        let (starts, cell) = match pair.obstacle {
            Obstacle::Field(field) => {
                let options = SweepOptions { iso, ..Default::default() };
                let found = Sweep::new(pair.shell, field, &options).contacts(&motion).points;
                (known_starts(&found, 0.0, 1.0), field.grid().cell)
            }
            Obstacle::Analytic(_) => (chord_starts(pair, &motion, iso), 0.25 * pair.shell.coverage()),
        };
        let surface = pair.obstacle.touchable();
        let mut touches: Vec<Touch> = Vec::new();
        let mut has_touched = BTreeSet::new();
        for (point, t) in starts {
            let p = pair.shell.points()[point as usize];
            let met = motion.place(t, p);
            let Some(normal) = super::pairs::normal_of(surface, met) else { continue };
            // How much deeper the rest of the step would take it, had it no other side to come out of.
            let deeper = (1..=LOOKS)
                .map(|k| t + (1.0 - t) * f64::from(k) / f64::from(LOOKS))
                .map(|later| normal.dot(met - motion.place(later, p)))
                .fold(f64::NEG_INFINITY, f64::max);
            if deeper >= DEEPER * self.part * cell && has_touched.insert(point) {
                let skin = if t == 0.0 { 0.0 } else { SKIN * cell };
                touches.push(Touch { t, role: *role, met, normal, skin });
            }
        }
        touches
    }

    /// Impulses at all touches, one after the other, until none goes inward.
    fn strike(&self, touches: &[Struck], moves: &mut [Moved]) {
        let mut pushed = vec![0.0; touches.len()];
        let mut dragged = vec![DVec3::ZERO; touches.len()];
        for _ in 0..SWEEPS {
            for (k, touch) in touches.iter().enumerate() {
                let velocity = self.relative_velocity(touch, moves);
                let along = velocity.dot(touch.normal);
                let gives = self.compliance(touch, touch.normal, moves);
                if gives <= 0.0 {
                    continue;
                }
                // The sum of pushes never pulls.
                let before: f64 = pushed[k];
                pushed[k] = (before - along / gives).max(0.0);
                self.push(touch, touch.normal * (pushed[k] - before), moves);

                let velocity = self.relative_velocity(touch, moves);
                let sliding = velocity - velocity.dot(touch.normal) * touch.normal;
                let Some(direction) = sliding.try_normalize() else { continue };
                let Friction { kinetic_coefficient, .. } = touch.role.law.friction;
                let gives = self.compliance(touch, direction, moves);
                let wanted = dragged[k] - direction * (sliding.length() / gives);
                let kept = wanted.clamp_length_max(kinetic_coefficient * pushed[k]);
                self.push(touch, kept - dragged[k], moves);
                dragged[k] = kept;
            }
        }
    }

    fn arms(&self, touch: &Struck, moves: &[Moved]) -> [(usize, DVec3, f64); 2] {
        let arm = |body: usize| touch.place - moves[body].pose.place(self.bodies[body].center);
        let surface = match touch.role.on {
            Party::Body(j) => (j, arm(j), -1.0),
            Party::Surface(_) => (usize::MAX, DVec3::ZERO, -1.0),
        };
        [(touch.role.shell_of, arm(touch.role.shell_of), 1.0), surface]
    }

    fn relative_velocity(&self, touch: &Struck, moves: &[Moved]) -> DVec3 {
        let of = |(body, arm, sign): (usize, DVec3, f64)| match moves.get(body) {
            Some(of) => sign * (of.velocity + self.rate(body, of).cross(arm)),
            None => DVec3::ZERO,
        };
        self.arms(touch, moves).into_iter().map(of).sum()
    }

    fn rate(&self, body: usize, of: &Moved) -> DVec3 {
        if self.bodies[body].is_dynamic() {
            self.bodies[body].angular_velocity_of(of.pose.rotation, of.angular_momentum)
        } else {
            of.rate
        }
    }

    /// Velocity per impulse, both along a direction.
    fn compliance(&self, touch: &Struck, direction: DVec3, moves: &[Moved]) -> f64 {
        let of = |(body, arm, _): (usize, DVec3, f64)| match self.bodies.get(body) {
            Some(it) if it.is_dynamic() => {
                let turn = it.angular_velocity_of(moves[body].pose.rotation, arm.cross(direction));
                1.0 / it.mass + direction.dot(turn.cross(arm))
            }
            _ => 0.0,
        };
        self.arms(touch, moves).into_iter().map(of).sum()
    }

    fn push(&self, touch: &Struck, impulse: DVec3, moves: &mut [Moved]) {
        for (body, arm, sign) in self.arms(touch, moves) {
            let Some(it) = self.bodies.get(body).filter(|it| it.is_dynamic()) else { continue };
            let of = Wrench::of_force(sign * impulse, arm);
            moves[body].velocity += of.force / it.mass;
            moves[body].angular_momentum += of.torque;
        }
    }
}

/// Where a body is: itself, or with what carries it. Nothing carries itself, so that ends.
fn carried_pose(body: usize, moves: &[Moved]) -> Pose {
    let mut pose = Pose::IDENTITY;
    let mut body = body;
    loop {
        match moves[body].carried {
            None => return moves[body].pose.then_from(&pose),
            Some(Carried { by: Party::Surface(_), pose: of }) => return of.then_from(&pose),
            Some(Carried { by: Party::Body(by), pose: of }) => (pose, body) = (of.then_from(&pose), by),
        }
    }
}

/// What carries a body in the end: itself, if nothing does.
fn root(body: usize, moves: &[Moved]) -> Party {
    let mut party = Party::Body(body);
    while let Party::Body(k) = party
        && let Some(carried) = moves[k].carried
    {
        party = carried.by;
    }
    party
}

/// Whether something carries a body, or what carries it.
fn is_carried_by(body: usize, by: Party, moves: &[Moved]) -> bool {
    let mut party = Party::Body(body);
    while let Party::Body(k) = party
        && let Some(carried) = moves[k].carried
    {
        party = carried.by;
        if party == by {
            return true;
        }
    }
    false
}

/// Where contacts begin that are more than a doubt outside a field's box, of a piece of a motion.
fn known_starts(of: &[PointContacts], from: f64, to: f64) -> Vec<(u32, f64)> {
    let starts = of.iter().flat_map(|of| {
        let known = of.intervals.iter().filter(|interval| interval.status != HitStatus::Bound);
        known.map(|interval| (of.point, from + (to - from) * interval.start))
    });
    starts.collect()
}

/// The same of a surface without a grid, which knows of straight ways only: along chords that are close to the motion.
fn chord_starts(pair: &ShellOnSurface<'_>, motion: &Motion, iso: f64) -> Vec<(u32, f64)> {
    let reach = pair.shell.tree().sphere(0).reach();
    let sagitta = motion.acceleration().at(reach) / 8.0;
    let pieces = (sagitta / (OFF_CHORD * pair.shell.coverage())).sqrt().ceil().clamp(1.0, MOST_CHORDS);
    let mut starts = Vec::new();
    for k in 0..pieces as u32 {
        let (from, to) = (f64::from(k) / pieces, f64::from(k + 1) / pieces);
        let piece = Motion::new(MotionKind::Chord, motion.pose(from), motion.pose(to));
        starts.extend(known_starts(&chord_contacts(pair.shell, pair.obstacle, &piece, iso), from, to));
    }
    starts
}
