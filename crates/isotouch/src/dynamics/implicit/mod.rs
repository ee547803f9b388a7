//! A step with the contact forces that there will be at its end.
//!
//! Where explicit forces of stiff springs overshoot, here the velocities u after the step minimise
//!
//! ```text
//! ½ (u − u*)ᵀ M (u − u*)  +  dt·Σ fᵢ(u)²/(2(kᵢ dt + cᵢ))  +  dt·Σ μλᵢ √(|vₜ|² + v₀²)
//! fᵢ = max(0, −kᵢ φᵢ − (kᵢ dt + cᵢ) nᵢ·vᵢ(u))
//! ```
//!
//! u* are the velocities without contact, φᵢ the distance of a point to what it touches (or will, along its free motion), vᵢ its velocity relative to that; so fᵢ is the force
//! of spring and damper at the end of the step. The last term is friction, with the normal forces λ of the round before. All bodies are solved for at once, by Newton's method: each round is a
//! symmetric positive definite system in blocks of 6×6, solved by conjugate gradients. The minimum exists and is unique for given λ, whatever the stiffness: steps do not explode.
//!
//! Contacts come from the continuous search, along the free motion and within a small margin of the surface: points that are inside, that come inside, or may be pressed inside
//! by others.

mod rows;
mod solve;

use std::time::Instant;

use super::delay::{Delays, Shift, add_delay};
use super::free::Moved;
use super::pairs::{Party, Pressed};
use super::world::{Stepped, World};
use crate::math::Wrench;
use rows::Row;
use solve::System;

impl World {
    pub(super) fn step_implicit(&self, dt: f64) -> Stepped {
        let free = self.free_moves(dt, |_| Wrench::ZERO);
        let steps = self.steps(&free, dt);
        let clock = Instant::now();
        let pairs = self.pairs(&steps);
        let roles = self.roles(&pairs);
        let found: Vec<Vec<Row>> = self.look(&roles, &steps, |role, pair| self.rows(role, pair));
        let contact_seconds = clock.elapsed().as_secs_f64();
        let rows: Vec<Row> = found.iter().flatten().copied().collect();
        let solution = System::new(self, &free, &rows, dt).solve();

        let mut impulses = vec![Wrench::ZERO; self.bodies.len()];
        let mut delays = Delays::new();
        for (row, force) in rows.iter().zip(&solution.forces) {
            let impulse = *force * dt;
            impulses[row.shell_of] += Wrench::of_force(impulse, row.arm_of_shell);
            if let Party::Body(j) = row.on {
                impulses[j] += Wrench::of_force(-impulse, row.arm_of_surface);
                if row.t > 0.0 {
                    add_delay(&mut delays, (row.shell_of, j), row.t * impulse);
                }
            }
        }
        let struck = free.iter().zip(&self.bodies).zip(&impulses);
        let mut moves: Vec<Moved> =
            struck.map(|((of, body), impulse)| of.struck(body, impulse, dt)).collect();
        self.give_back((&delays, Shift::Sideways), &free, &mut moves, dt);
        self.stop_bullets(&mut moves, dt);
        let steps = self.steps(&moves, dt);
        let mut sum = Pressed::default();
        for (role, rows) in roles.iter().zip(&found) {
            let Some(pair) = self.on_surface(role, &steps) else { continue };
            let pressed = self.pressed(role, &pair, rows.iter().map(|row| row.point));
            sum.add(&pressed);
        }
        let forces = impulses.into_iter().map(|impulse| impulse * (1.0 / dt)).collect();
        Stepped { moves, forces, pressed: sum, pairs: pairs.len(), rounds: solution.rounds, contact_seconds }
    }
}
