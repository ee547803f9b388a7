//! Steps with forces that are known beforehand: the papers' loop, and symplectic Euler.

use std::time::Instant;

use glam::DVec3;

use super::delay::{Delay, Delays, Shift, add_delay};
use super::free::{Moved, moved, pushed};
use super::pairs::{Party, Pressed, Role, is_known};
use super::world::{ContactModel, Stepped, World};
use crate::contact::{Arms, BodyStep, PairImpulse, PenaltyOptions};
use crate::math::Wrench;

impl World {
    /// The loop of 2014, section 4: a step with the mean force of the last one, then contacts along it, for the next.
    pub(super) fn step_as_papers(&self, dt: f64) -> Stepped {
        let mut moves = self.free_moves(dt, |body| self.bodies[body].contact_force);
        self.stop_bullets(&mut moves, dt);
        let steps = self.steps(&moves, dt);
        let clock = Instant::now();
        let found = self.impulses(&steps);
        let pressed = self.pressed_by(&found, &steps);
        let contact_seconds = clock.elapsed().as_secs_f64();
        let forces = found.impulses.into_iter().map(|impulse| impulse * (1.0 / dt)).collect();
        Stepped { moves, forces, pressed, pairs: found.pairs, rounds: 0, contact_seconds }
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
        let found = self.impulses(&steps);
        let contact_seconds = clock.elapsed().as_secs_f64();
        let struck = free.iter().zip(&self.bodies).zip(&found.impulses);
        let mut moves: Vec<Moved> =
            struck.map(|((of, body), impulse)| of.struck(body, impulse, dt)).collect();
        self.give_back((&found.delays, Shift::Least), &free, &mut moves, dt);
        self.carry(&mut moves);
        self.stop_bullets(&mut moves, dt);
        // The free motion went deeper than bodies do.
        let pressed = self.pressed_by(&found, &self.steps(&moves, dt));
        let forces = found.impulses.into_iter().map(|impulse| impulse * (1.0 / dt)).collect();
        Stepped { moves, forces, pressed, pairs: found.pairs, rounds: 0, contact_seconds }
    }

    /// Where bodies get under gravity, users' forces and given contact forces.
    pub(super) fn free_moves(&self, dt: f64, contact: impl Fn(usize) -> Wrench) -> Vec<Moved> {
        let pushed: Vec<(DVec3, DVec3)> = self
            .bodies
            .iter()
            .enumerate()
            .map(|(k, body)| {
                if body.is_dynamic() {
                    pushed(body, body.user_force + contact(k), self.options.gravity, dt)
                } else {
                    (body.velocity, body.angular_momentum)
                }
            })
            .collect();
        let mut velocities: Vec<DVec3> = pushed.iter().map(|of| of.0).collect();
        self.let_apart(&mut velocities);
        let each = self.bodies.iter().zip(velocities).zip(pushed);
        each.map(|((body, velocity), (_, momentum))| moved(body, velocity, momentum, dt)).collect()
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
    fn impulses(&self, steps: &[BodyStep]) -> Found {
        let pairs = self.pairs(steps);
        let roles = self.roles(&pairs);
        let found: Vec<(PairImpulse, Vec<u32>)> = self.look(&roles, steps, |role, pair| {
            let options = PenaltyOptions { iso: -role.overlap, ..self.options.penalty };
            let (touching, impulse) = match self.options.contact {
                ContactModel::Continuous => {
                    let touching = pair.contacts(options.iso);
                    let impulse = pair.impulse_of(&touching, &role.law, &options);
                    (touching, impulse)
                }
                ContactModel::Discrete => {
                    let touching = pair.at_end().contacts(options.iso);
                    let impulse = pair.discrete_impulse_of(&touching, &role.law, &options);
                    (touching, impulse)
                }
            };
            let points = touching.iter().filter(|of| is_known(of)).map(|of| of.point).collect();
            (impulse, points)
        });
        let mut impulses = vec![Wrench::ZERO; self.bodies.len()];
        let mut delays = Delays::new();
        for (role, (impulse, _)) in roles.iter().zip(&found) {
            impulses[role.shell_of] += impulse.on_shell;
            if let Party::Body(j) = role.on {
                impulses[j] += impulse.on_surface;
                let impulse = match (self.options.contact, self.options.penalty.arms) {
                    // Bodies are taken to be at the end all the time.
                    (ContactModel::Discrete, Arms::Moving) => impulse.on_shell.force,
                    _ => impulse.delay,
                };
                let way = |k: usize| steps[k].to.center_in_world() - steps[k].from.center_in_world();
                let missing = (way(role.shell_of) - way(j)).cross(impulse);
                add_delay(&mut delays, (role.shell_of, j), Delay { impulse, missing });
            }
        }
        let touching = roles.into_iter().zip(found.into_iter().map(|(_, points)| points)).collect();
        Found { impulses, delays, touching, pairs: pairs.len() }
    }

    /// How deep the points that touched are at the end of these steps.
    fn pressed_by(&self, found: &Found, steps: &[BodyStep]) -> Pressed {
        let mut sum = Pressed::default();
        for (role, points) in &found.touching {
            if let Some(pair) = self.on_surface(role, steps) {
                sum.add(&self.pressed(role, &pair, points.iter().copied()));
            }
        }
        sum
    }
}

/// What contacts along a motion come to.
struct Found {
    /// On every body.
    impulses: Vec<Wrench>,
    delays: Delays,
    /// Points that touched.
    touching: Vec<(Role, Vec<u32>)>,
    pairs: usize,
}
