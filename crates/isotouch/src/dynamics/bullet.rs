//! Bodies that must not pass through anything: their step ends where they first touch.
//!
//! After the step is known, a bullet's way is searched once more, for its true rigid motion. Where one of its points enters something (or a point of that enters the bullet), the
//! bullet stays with what it hit for the rest of the step, carried along if that moves, and takes an inelastic impulse: so large that no point that touches goes on inward. What it is carried
//! into stops it in turn. Points that go deeper by less than half a cell in the whole step belong to the springs: so what rolls or rests is not stopped.

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
/// Most things that stop a bullet within one step, one after the other.
const MOST_STOPS: usize = 4;
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
    /// Stops the bullets that have not stopped yet, in their order.
    pub(super) fn stop_bullets(&self, moves: &mut [Moved], dt: f64) {
        let mut has_stopped = false;
        for k in 0..self.bodies.len() {
            let may_stop = self.bodies[k].is_bullet && self.bodies[k].is_dynamic();
            if may_stop && moves[k].carried.is_none() {
                has_stopped |= self.stop_bullet(k, moves, dt);
            }
        }
        if has_stopped {
            self.carry(moves);
        }
    }

    /// Puts bullets that stopped to where what carries them is. Twice, for those that a bullet carries.
    pub(super) fn carry(&self, moves: &mut [Moved]) {
        for k in (0..moves.len()).chain(0..moves.len()) {
            if let Some(carried) = moves[k].carried {
                moves[k].pose = carried.world_pose(moves);
            }
        }
    }

    fn stop_bullet(&self, bullet: usize, moves: &mut [Moved], dt: f64) -> bool {
        let mut steps = self.steps(moves, dt);
        let mut hit: BTreeSet<Party> = BTreeSet::new();
        for _ in 0..MOST_STOPS {
            let (touches, by) = self.first_touches(bullet, &steps, &hit);
            let (Some(by), Some(first)) = (by, touches.first().map(|touch| touch.t)) else { break };
            hit.insert(by);
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
            let carried = Carried { by, pose: relative.pose(t) };
            let was = moves[bullet].pose.place(self.bodies[bullet].center);
            moves[bullet].carried = Some(carried);
            moves[bullet].pose = carried.world_pose(moves);
            self.go_on_together((bullet, by), was, moves);
            let pose = |party: Party| match party {
                Party::Body(j) => moves[j].pose,
                Party::Surface(_) => Pose::IDENTITY,
            };
            let struck = touches.iter().map(|touch| Struck {
                role: touch.role,
                place: pose(touch.role.on).place(touch.met),
                normal: pose(touch.role.on).rotation * touch.normal,
            });
            self.strike(&struck.collect::<Vec<_>>(), moves);
            // What is left of the step, the bullet with what carries it.
            for step in &mut steps {
                step.from.world_from_body = way(step).pose(t);
                step.duration *= 1.0 - t;
            }
            for body in by.body().into_iter().chain([bullet]) {
                steps[body].to.world_from_body = moves[body].pose;
            }
        }
        moves[bullet].carried.is_some()
    }

    /// What a bullet holds back of its way, it and the body that it hit go together, so that their common centre gets where it would have got: angular momentum is kept with it. What turning with that body
    /// adds goes to the turning of both.
    fn go_on_together(&self, (bullet, by): (usize, Party), was: DVec3, moves: &mut [Moved]) {
        let is_free = |k: &usize| self.bodies[*k].is_dynamic() && moves[*k].carried.is_none();
        let (Some(other), Some(carried)) = (by.body().filter(is_free), moves[bullet].carried) else { return };
        let momentum = |k: usize| self.bodies[k].mass * moves[k].velocity;
        let (own, both) = (momentum(bullet), momentum(bullet) + momentum(other));
        let part = self.bodies[bullet].mass / (self.bodies[bullet].mass + self.bodies[other].mass);
        let held = moves[bullet].pose.place(self.bodies[bullet].center) - was;
        let together = -part * held;
        // x × p of both after that, less what it was.
        let more = held.cross(own) + together.cross(both);
        moves[other].pose.position += together;
        moves[bullet].pose = carried.world_pose(moves);
        let share = self.share_of_turning(bullet, other);
        moves[bullet].angular_momentum -= more * share;
        moves[other].angular_momentum -= more * (1.0 - share);
    }

    /// The points that touch first, the earliest at the beginning, and what the bullet hits there. What was hit before is left out.
    fn first_touches(
        &self,
        bullet: usize,
        steps: &[BodyStep],
        hit: &BTreeSet<Party>,
    ) -> (Vec<Touch>, Option<Party>) {
        let other = |(i, other): Pair| if i == bullet { other } else { Party::Body(i) };
        let pairs: Vec<_> = self
            .pairs(steps)
            .into_iter()
            .filter(|&pair| pair.0 == bullet || pair.1 == Party::Body(bullet))
            .filter(|&pair| !hit.contains(&other(pair)))
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
            if deeper >= DEEPER * cell && has_touched.insert(point) {
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

impl Carried {
    fn world_pose(&self, moves: &[Moved]) -> Pose {
        match self.by {
            Party::Body(j) => moves[j].pose.then_from(&self.pose),
            Party::Surface(_) => self.pose,
        }
    }
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
