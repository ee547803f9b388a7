//! Bodies that must not pass through anything: their step ends where they first touch.
//!
//! After the step is known, a bullet's way is searched once more, for its true rigid motion. Where one of its points enters something (or a point of that enters the bullet), the
//! bullet stays there for the rest of the step and takes an inelastic impulse: so large that no point that touches goes on inward. Points that go deeper by less than half a cell
//! in the whole step belong to the springs: so what rolls or rests is not stopped.

use glam::DVec3;

use super::free::Moved;
use super::pairs::{Party, Role};
use super::world::World;
use crate::ccd::sweep::chord_contacts;
use crate::ccd::{HitStatus, Obstacle, Sweep, SweepOptions};
use crate::contact::{Friction, Placed, ShellOnSurface};
use crate::math::{Motion, MotionKind, Wrench};

/// Sweeps over points that touch at once. A few are enough: what is left is taken up by springs in the next step.
const SWEEPS: usize = 20;
/// Points that touch within this part of the step after the first one share its impulse.
const AT_ONCE: f64 = 1e-3;
/// A point may go deeper by this part of a cell within a step; more is a stop. Nothing that a field holds is thinner. Less stops what rolls; more lets corners through.
const DEEPER: f64 = 0.5;
/// What is left between a stopped bullet and what it hit, in parts of a cell, so that the next step begins outside.
const SKIN: f64 = 0.01;

/// A point that touches.
struct Touch {
    t: f64,
    role: Role,
    /// In the world, when it touches.
    place: DVec3,
    /// Away from what is touched, in the world.
    normal: DVec3,
    /// Length of the way to go back from there, along the normal.
    skin: f64,
}

impl World {
    /// Stops the bullets that have not stopped yet, in their order.
    pub(super) fn stop_bullets(&self, moves: &mut [Moved], dt: f64) {
        for k in 0..self.bodies.len() {
            let may_stop = self.bodies[k].is_bullet && self.bodies[k].is_dynamic() && !moves[k].has_stopped;
            moves[k].has_stopped |= may_stop && self.stop_bullet(k, moves, dt);
        }
    }

    fn stop_bullet(&self, bullet: usize, moves: &mut [Moved], dt: f64) -> bool {
        let steps = self.steps(moves, dt);
        let pairs: Vec<_> = self
            .pairs(&steps)
            .into_iter()
            .filter(|&(i, other)| i == bullet || other == Party::Body(bullet))
            .collect();
        let roles = self.roles(&pairs);
        let mut touches: Vec<Touch> =
            self.look(&roles, &steps, |role, pair| self.touches(role, pair)).into_iter().flatten().collect();
        let Some(first) = touches.iter().map(|touch| touch.t).min_by(f64::total_cmp) else { return false };
        touches.retain(|touch| touch.t <= first + AT_ONCE);

        // Back by the skin, as far as the way is long.
        let way = Motion::new(
            MotionKind::Rigid,
            steps[bullet].from.world_from_body,
            steps[bullet].to.world_from_body,
        );
        let speed = way.speed().at(self.bodies[bullet].shape.around().reach());
        let skin = touches.iter().map(|touch| touch.skin).fold(0.0, f64::max);
        let t = (first - skin / speed.max(f64::MIN_POSITIVE)).max(0.0);
        moves[bullet].pose = way.pose(t);
        self.strike(&touches, moves);
        true
    }

    fn touches(&self, role: &Role, pair: &ShellOnSurface<'_>) -> Vec<Touch> {
        let pose = |placed: &Placed| placed.world_from_body;
        let motion = Motion::new(MotionKind::Rigid, pose(&pair.shell_body.from), pose(&pair.shell_body.to))
            .seen_from(pose(&pair.surface_body.from), pose(&pair.surface_body.to));
        let iso = -role.overlap;
        let (contacts, cell) = match pair.obstacle {
            Obstacle::Field(field) => {
                let options = SweepOptions { iso, ..Default::default() };
                (Sweep::new(pair.shell, field, &options).contacts(&motion).points, field.grid().cell)
            }
            Obstacle::Analytic(_) => {
                (chord_contacts(pair.shell, pair.obstacle, &motion, iso), 0.25 * pair.shell.coverage())
            }
        };
        let surface = pair.obstacle.touchable();
        let mut touches = Vec::new();
        for of in &contacts {
            let p = pair.shell.points()[of.point as usize];
            for interval in of.intervals.iter().filter(|interval| interval.status != HitStatus::Bound) {
                let t = interval.start;
                let met = motion.place(t, p);
                let Some(normal) = super::pairs::normal_of(surface, met) else { continue };
                // How much deeper the whole step would take it, had it no other side to come out of.
                let deeper = normal.dot(met - motion.place(1.0, p));
                if deeper < DEEPER * cell {
                    continue;
                }
                let world_from_surface = Motion::new(
                    MotionKind::Rigid,
                    pose(&pair.surface_body.from),
                    pose(&pair.surface_body.to),
                )
                .pose(t);
                let skin = if t == 0.0 { 0.0 } else { SKIN * cell };
                let (place, normal) = (world_from_surface.place(met), world_from_surface.rotation * normal);
                touches.push(Touch { t, role: *role, place, normal, skin });
                break;
            }
        }
        touches
    }

    /// Impulses at all touches, one after the other, until none goes inward.
    fn strike(&self, touches: &[Touch], moves: &mut [Moved]) {
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

    fn arms(&self, touch: &Touch, moves: &[Moved]) -> [(usize, DVec3, f64); 2] {
        let arm = |body: usize| touch.place - moves[body].pose.place(self.bodies[body].center);
        let surface = match touch.role.on {
            Party::Body(j) => (j, arm(j), -1.0),
            Party::Surface(_) => (usize::MAX, DVec3::ZERO, -1.0),
        };
        [(touch.role.shell_of, arm(touch.role.shell_of), 1.0), surface]
    }

    fn relative_velocity(&self, touch: &Touch, moves: &[Moved]) -> DVec3 {
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
    fn compliance(&self, touch: &Touch, direction: DVec3, moves: &[Moved]) -> f64 {
        let of = |(body, arm, _): (usize, DVec3, f64)| match self.bodies.get(body) {
            Some(it) if it.is_dynamic() => {
                let turn = it.angular_velocity_of(moves[body].pose.rotation, arm.cross(direction));
                1.0 / it.mass + direction.dot(turn.cross(arm))
            }
            _ => 0.0,
        };
        self.arms(touch, moves).into_iter().map(of).sum()
    }

    fn push(&self, touch: &Touch, impulse: DVec3, moves: &mut [Moved]) {
        for (body, arm, sign) in self.arms(touch, moves) {
            let Some(it) = self.bodies.get(body).filter(|it| it.is_dynamic()) else { continue };
            let of = Wrench::of_force(sign * impulse, arm);
            moves[body].velocity += of.force / it.mass;
            moves[body].angular_momentum += of.torque;
        }
    }
}
