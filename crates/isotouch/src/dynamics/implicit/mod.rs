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
//! symmetric positive definite system in blocks of 6×6. The minimum exists and is unique for given λ, whatever the stiffness: steps do not explode.
//!
//! Each point is taken for one against a plane. Where bodies turn far in a step, or slide far over what is curved, points end deeper than that plane says. Then contacts are looked for again along the motion
//! that was found, planes are laid where points end, and velocities are found anew ([`World::relaid`]); the better of both is taken.
//!
//! Contacts come from the continuous search, along the free motion and within a small margin of the surface: points that are inside, that come inside, or may be pressed inside
//! by others.

mod factor;
mod rows;
mod solve;

use std::time::Instant;

use rayon::prelude::*;

use super::delay::{Delays, Shift, add_delay};
use super::free::Moved;
use super::pairs::{Party, Pressed, Role};
use super::world::{Stepped, World};
use crate::math::{Twist, Wrench};
use rows::Row;
use solve::{Solution, System};

/// Most times that planes are laid anew within a step.
const MOST_RELAYS: usize = 3;
/// Springs may end with this part of the kinetic energy more than their planes told; with more, planes are laid anew. Less looks more often; more lets impacts on what is curved make energy.
const UNTOLD: f64 = 1e-3;
/// A body that turns farther in a step than this is looked at again, radians: its points may come to where their chords did not lead. Of a point's distance to the axis the chord is off by an eighth of the square.
const FAR_TURN: f64 = 0.1;

/// Velocities that were found, and where they lead.
struct Tried {
    solution: Solution,
    impulses: Vec<Wrench>,
    moves: Vec<Moved>,
    /// What is to be small: what contact does to the velocities, and the energy of springs, J.
    cost: f64,
    /// Energy of springs that planes did not tell of, J.
    untold: f64,
}

impl World {
    pub(super) fn step_implicit(&self, dt: f64) -> Stepped {
        let free = self.free_moves(dt, |_| Wrench::ZERO);
        let steps = self.steps(&free, dt);
        let clock = Instant::now();
        let pairs = self.pairs(&steps);
        let roles = self.roles(&pairs);
        let mut found: Vec<Vec<Row>> = self.look(&roles, &steps, |role, pair| self.rows(role, pair));
        let mut contact_seconds = clock.elapsed().as_secs_f64();
        let mut best = self.tried(&roles, &found, &free, (dt, None));
        let mut rounds = best.solution.rounds;
        let kinetic = |free: &[Moved]| -> f64 {
            let each = self.bodies.iter().zip(free).filter(|(body, _)| body.is_dynamic());
            each.map(|(body, of)| {
                0.5 * body.mass * of.velocity.length_squared() + 0.5 * of.angular_momentum.dot(of.rate)
            })
            .sum()
        };
        let turns_far = |of: &Moved| (of.rate * dt).length_squared() > FAR_TURN * FAR_TURN;
        for relay in 0..MOST_RELAYS {
            let touched = found.iter().flatten().flat_map(Row::bodies);
            let is_first_turn = relay == 0 && touched.into_iter().any(|body| turns_far(&best.moves[body]));
            if best.untold <= UNTOLD * kinetic(&free) && !is_first_turn {
                break;
            }
            let clock = Instant::now();
            let relaid = self.relaid(&roles, &found, &best, dt);
            contact_seconds += clock.elapsed().as_secs_f64();
            let next = self.tried(&roles, &relaid, &free, (dt, Some(&best.solution.velocities)));
            rounds += next.solution.rounds;
            let is_better = next.cost < best.cost;
            if !is_better {
                break;
            }
            (best, found) = (next, relaid);
        }
        let Tried { impulses, mut moves, .. } = best;
        self.stop_bullets(&mut moves, dt);
        let steps = self.steps(&moves, dt);
        let mut sum = Pressed::default();
        for (role, rows) in roles.iter().zip(&found) {
            let Some(pair) = self.on_surface(role, &steps) else { continue };
            let pressed = self.pressed(role, &pair, rows.iter().map(|row| row.point));
            sum.add(&pressed);
        }
        let forces = impulses.into_iter().map(|impulse| impulse * (1.0 / dt)).collect();
        Stepped { moves, forces, pressed: sum, pairs: pairs.len(), rounds, contact_seconds }
    }

    /// Solves for the velocities, from others or from those before the step, and moves bodies with them.
    fn tried(
        &self,
        roles: &[Role],
        found: &[Vec<Row>],
        free: &[Moved],
        (dt, start): (f64, Option<&[Twist]>),
    ) -> Tried {
        let rows: Vec<Row> = found.iter().flatten().copied().collect();
        let system = System::new(self, free, &rows, dt);
        // A body that was not touched before has no velocity to begin with.
        let start = start
            .filter(|start| start.len() == system.start().len())
            .map_or_else(|| system.start(), <[Twist]>::to_vec);
        let solution = system.solve(start);
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
        self.give_back((&delays, Shift::Sideways), free, &mut moves, dt);

        let steps = self.steps(&moves, dt);
        let (mut untold, mut elastic) = (0.0, 0.0);
        let mut velocities = solution.row_velocities.iter();
        for (role, rows) in roles.iter().zip(found) {
            let Some(pair) = self.on_surface(role, &steps) else { continue };
            for (row, velocity) in rows.iter().zip(&mut velocities) {
                let pressed = |gap: f64| 0.5 * row.stiffness * gap.min(0.0).powi(2);
                let told = pressed(row.gap + dt * row.normal.dot(*velocity));
                let energy = pressed(row.end(role, &pair).1);
                untold += energy - told;
                elastic += energy;
            }
        }
        let cost = solution.detour + elastic;
        Tried { solution, impulses, moves, cost, untold }
    }

    /// The planes of contacts where points end, and contacts that are new along the way there.
    fn relaid(&self, roles: &[Role], found: &[Vec<Row>], tried: &Tried, dt: f64) -> Vec<Vec<Row>> {
        let steps = self.steps(&tried.moves, dt);
        // Only of those that touch: others are found in the next step, if they do then.
        let touching: Vec<Role> =
            roles.iter().zip(found).filter(|(_, rows)| !rows.is_empty()).map(|(role, _)| *role).collect();
        let mut more = self.look(&touching, &steps, |role, pair| self.rows(role, pair)).into_iter();
        let more: Vec<Vec<Row>> = found
            .iter()
            .map(|rows| if rows.is_empty() { Vec::new() } else { more.next().unwrap_or_default() })
            .collect();
        let mut velocities = tried.solution.row_velocities.iter().copied();
        let known: Vec<Vec<_>> =
            found.iter().map(|rows| rows.iter().copied().zip(&mut velocities).collect()).collect();
        let each = roles.par_iter().zip(&known).zip(&more);
        each.map(|((role, known), more)| {
            let Some(pair) = self.on_surface(role, &steps) else { return Vec::new() };
            let mut rows: Vec<Row> =
                known.iter().map(|(row, velocity)| row.relaid(role, &pair, *velocity * dt)).collect();
            let is_known: std::collections::BTreeSet<u32> = rows.iter().map(|row| row.point).collect();
            rows.extend(more.iter().filter(|row| !is_known.contains(&row.point)));
            rows.sort_by_key(|row| row.point);
            rows
        })
        .collect()
    }
}
