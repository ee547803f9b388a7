//! Steps with forces that are known beforehand: the papers' loop, and symplectic Euler.

use std::time::Instant;

use super::free::{Moved, moved, pushed};
use super::pairs::{Party, Pressed, is_known};
use super::world::{ContactModel, Stepped, World};
use crate::contact::{BodyStep, PairImpulse, PenaltyOptions};
use crate::math::Wrench;

impl World {
    /// The loop of 2014, section 4: a step with the mean force of the last one, then contacts along it, for the next.
    pub(super) fn step_as_papers(&self, dt: f64) -> Stepped {
        let mut moves = self.free_moves(dt, |body| self.bodies[body].contact_force);
        self.stop_bullets(&mut moves, dt);
        let steps = self.steps(&moves, dt);
        let clock = Instant::now();
        let (impulses, pressed, pairs) = self.impulses(&steps);
        let contact_seconds = clock.elapsed().as_secs_f64();
        let forces = impulses.into_iter().map(|impulse| impulse * (1.0 / dt)).collect();
        Stepped { moves, forces, pressed, pairs, rounds: 0, contact_seconds }
    }

    /// Contacts along the free motion give impulses, these the velocities to move with.
    pub(super) fn step_symplectic(&self, dt: f64) -> Stepped {
        let mut free = self.free_moves(dt, |_| Wrench::ZERO);
        // Springs must not push back from where a bullet never gets to.
        self.stop_bullets(&mut free, dt);
        let mut steps = self.steps(&free, dt);
        for (step, of) in steps.iter_mut().zip(&free) {
            // The step is made with the velocities of its end.
            step.from.twist.linear = of.velocity;
            step.from.twist.angular = of.rate;
        }
        let clock = Instant::now();
        let (impulses, pressed, pairs) = self.impulses(&steps);
        let contact_seconds = clock.elapsed().as_secs_f64();
        let struck = free.iter().zip(&self.bodies).zip(&impulses);
        let mut moves: Vec<Moved> =
            struck.map(|((of, body), impulse)| of.struck(body, impulse, dt)).collect();
        self.stop_bullets(&mut moves, dt);
        let forces = impulses.into_iter().map(|impulse| impulse * (1.0 / dt)).collect();
        Stepped { moves, forces, pressed, pairs, rounds: 0, contact_seconds }
    }

    /// Where bodies get under gravity, users' forces and given contact forces.
    pub(super) fn free_moves(&self, dt: f64, contact: impl Fn(usize) -> Wrench) -> Vec<Moved> {
        let of = |(k, body): (usize, &super::Body)| {
            if !body.is_dynamic() {
                return moved(body, body.velocity, body.angular_momentum, dt);
            }
            let (velocity, angular_momentum) =
                pushed(body, body.user_force + contact(k), self.options.gravity, dt);
            moved(body, velocity, angular_momentum, dt)
        };
        self.bodies.iter().enumerate().map(of).collect()
    }

    /// The same as steps, from where bodies are now.
    pub(super) fn steps(&self, moves: &[Moved], dt: f64) -> Vec<BodyStep> {
        self.bodies
            .iter()
            .zip(moves)
            .map(|(body, of)| BodyStep { from: body.placed(), to: of.placed(body), duration: dt })
            .collect()
    }

    /// Impulses of contact on every body, added up in the order of pairs.
    fn impulses(&self, steps: &[BodyStep]) -> (Vec<Wrench>, Pressed, usize) {
        let pairs = self.pairs(steps);
        let roles = self.roles(&pairs);
        let found: Vec<(PairImpulse, Pressed)> = self.look(&roles, steps, |role, pair| {
            let options = PenaltyOptions { iso: -role.overlap, ..self.options.penalty };
            let (pair, options) = match self.options.contact {
                ContactModel::Continuous => (*pair, options),
                ContactModel::Discrete => (pair.at_end(), PenaltyOptions { subintervals: 1, ..options }),
            };
            let touching = pair.contacts(options.iso);
            let points = touching.iter().filter(|of| is_known(of)).map(|of| of.point);
            let pressed = self.pressed(role, &pair, points);
            (pair.impulse_of(&touching, &role.law, &options), pressed)
        });
        let mut impulses = vec![Wrench::ZERO; self.bodies.len()];
        let mut sum = Pressed::default();
        for (role, (impulse, pressed)) in roles.iter().zip(&found) {
            impulses[role.shell_of] += impulse.on_shell;
            if let Party::Body(j) = role.on {
                impulses[j] += impulse.on_surface;
            }
            sum.elastic_energy += pressed.elastic_energy;
            sum.deepest = sum.deepest.max(pressed.deepest);
            sum.points += pressed.points;
        }
        (impulses, sum, pairs.len())
    }
}
