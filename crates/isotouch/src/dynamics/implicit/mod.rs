//! A step with the contact forces that there will be at its end.
//!
//! Where explicit forces of stiff springs overshoot, here the velocities u after the step minimise
//!
//! ```text
//! ½ (u − u*)ᵀ M (u − u*)  +  dt·Σ fᵢ(u)²/(2(kᵢ dt + cᵢ))  +  dt·Σ μλᵢ √(|vₜ|² + v₀²)  +  dt·Σ bλᵢ √(|ω|² + ω₀²)
//! fᵢ = max(0, −kᵢ φᵢ − (kᵢ dt + cᵢ) nᵢ·vᵢ(u))
//! ```
//!
//! u* are the velocities without contact, φᵢ the distance of a point to what it touches (or will, along its free motion), vᵢ its velocity relative to that; so fᵢ is the force
//! of spring and damper at the end of the step. The third term is friction, with the normal forces λ of the round before; the last one holds back rolling, ω being how both turn against each other. All bodies are solved for at once, by Newton's method: each round is a
//! symmetric positive definite system in blocks of 6×6. The minimum exists and is unique for given λ, whatever the stiffness: steps do not explode.
//!
//! Each point is taken for one against a plane. Where bodies turn far in a step, or slide far over what is curved, points end deeper than that plane says. Then contacts are looked for again along the motion
//! that was found, planes are laid where points end, and velocities are found anew (`relaid`); the better of both is taken. Only of those that it is true of: in a heap somebody always turns fast.
//!
//! Bodies that do not touch each other, nor others that do, are solved for apart (`island`): rounds that one impact takes are not taken by all.
//!
//! Contacts come from the continuous search, along the free motion and within a small margin of the surface: points that are inside, that come inside, or may be pressed inside
//! by others. What is led off its free motion farther than that is looked at again (`departure`); what only seems to come is put off (`seeming`).

mod departure;
mod island;
mod rows;
mod seeming;
mod solve;

use std::time::Instant;

use rayon::prelude::*;

use super::delay::{Delay, Delays, Shift, add_delay};
use super::free::Moved;
use super::pairs::{Party, Pressed, Role, Watched, watched_again};
use super::world::{Stepped, World};
use crate::contact::BodyStep;
use crate::math::{Twist, Wrench};
use island::Island;
use rows::Row;
use seeming::{Key, roles_beside};
use solve::{Push, Solution, System};

/// Most times that planes are laid anew within a step.
const MOST_RELAYS: usize = 3;
/// Springs may end with this part of the kinetic energy more than their planes told; with more, planes are laid anew. Less looks more often; more lets impacts on what is curved make energy.
const UNTOLD: f64 = 1e-3;
/// A body that turns farther in a step than this is looked at again, radians: its points may come to where their chords did not lead. Of a point's distance to the axis the chord is off by an eighth of the square.
const FAR_TURN: f64 = 0.1;
/// The same for what touches something that forces do not move, and so can roll on it for long: arms of the step's beginning would slow its turning, by a force times as much of its size.
const ROLLED: f64 = 1e-3;

/// Velocities that were found for the bodies of an island, and where they lead.
struct Tried {
    solution: Solution,
    /// On bodies, those that nothing moves among them.
    impulses: Vec<(usize, Wrench)>,
    /// Of the island's bodies, in their order.
    moves: Vec<Moved>,
    /// What is to be small: what contact does to the velocities, and the energy of springs, J.
    cost: f64,
    /// Energy of springs that planes did not tell of, for each of the island's roles, J.
    untold: Vec<f64>,
    /// Whether planes may still be laid anew: not where that was tried, and was worse.
    is_open: bool,
}

/// Islands, in the order of their first bodies, with velocities for each.
struct Settled {
    islands: Vec<Island>,
    best: Vec<Tried>,
    /// Roles of which rows were put off.
    put_off: Vec<Key>,
}

/// All bodies as they move, as far as that is known.
struct Course {
    free: Vec<Moved>,
    moves: Vec<Moved>,
    steps: Vec<BodyStep>,
    dt: f64,
}

impl Course {
    fn set(&mut self, world: &World, island: &Island, moves: &[Moved]) {
        for (&k, of) in island.bodies.iter().zip(moves) {
            self.moves[k] = *of;
            self.steps[k].to = of.placed(&world.bodies[k]);
        }
    }
}

impl World {
    pub(super) fn step_implicit(&self, dt: f64, watched: &mut Vec<Watched>) -> Stepped {
        let free = self.free_moves(dt, |_| Wrench::ZERO);
        let steps = self.steps(&free, dt);
        let mut course = Course { moves: free.clone(), free, steps, dt };
        let clock = Instant::now();
        let mut pairs = self.pairs(&course.steps);
        *watched = watched_again(self.roles(&pairs), std::mem::take(watched));
        let mut found = self.rows_of(watched, &course.steps, |_| true);
        let mut contact_seconds = clock.elapsed().as_secs_f64();
        let mut settled = self.first_islands(watched, &mut found, &mut course);
        let led_off = settled.islands.iter().flat_map(|island| island.bodies.iter().copied()).collect();
        self.settle((&mut pairs, watched), (&mut found, &mut settled), &mut course, led_off);
        for relay in 0..MOST_RELAYS {
            let mut is_asked = vec![false; watched.len()];
            for (island, best) in settled.islands.iter().zip(&mut settled.best) {
                best.is_open &= self.ask_again((island, best), &course, relay, (watched, &mut is_asked));
            }
            if !settled.best.iter().any(|best| best.is_open) {
                break;
            }
            let clock = Instant::now();
            let mut more = self.rows_of(watched, &course.steps, |k| is_asked[k]);
            contact_seconds += clock.elapsed().as_secs_f64();
            let mut led_off = Vec::new();
            for (island, best) in settled.islands.iter().zip(&mut settled.best).filter(|(_, of)| of.is_open) {
                let velocities = &best.solution.row_velocities;
                let unknown =
                    self.relay((island, velocities), (watched, &is_asked), &course, (&found, &mut more));
                // What was found for them, and what was before.
                let exchange = |found: &mut [Vec<Row>], more: &mut [Vec<Row>]| {
                    for &role in island.roles.iter().filter(|&&role| is_asked[role]) {
                        std::mem::swap(&mut found[role], &mut more[role]);
                    }
                };
                exchange(&mut found, &mut more);
                let start = Some(best.solution.velocities.as_slice());
                let mut next = self.tried(island, (watched, &found), &mut course, start);
                next.solution.rounds += best.solution.rounds;
                // Both with all that is known now: what stops a contact that the other did not know of is no worse for that.
                if next.cost < best.cost + unknown {
                    *best = next;
                    led_off.extend(&island.bodies);
                } else {
                    best.solution.rounds = next.solution.rounds;
                    best.is_open = false;
                    exchange(&mut found, &mut more);
                    course.set(self, island, &best.moves);
                }
            }
            // What is led elsewhere by new planes may come into others.
            if !led_off.is_empty() {
                self.settle((&mut pairs, watched), (&mut found, &mut settled), &mut course, led_off);
            }
        }
        let mut forces = vec![Wrench::ZERO; self.bodies.len()];
        for &(k, impulse) in settled.best.iter().flat_map(|of| &of.impulses) {
            forces[k] += impulse * (1.0 / dt);
        }
        let mut moves = course.moves;
        self.stop_bullets(&mut moves, dt);
        let steps = self.steps(&moves, dt);
        let mut sum = Pressed::default();
        for (Watched { role, .. }, rows) in watched.iter().zip(&found).filter(|(_, rows)| !rows.is_empty()) {
            let Some(pair) = self.on_surface(role, &steps) else { continue };
            let pressed = self.pressed(role, &pair, rows.iter().map(|row| row.point));
            sum.add(&pressed);
        }
        let rounds = settled.best.iter().map(|of| of.solution.rounds).max().unwrap_or(0);
        Stepped { moves, forces, pressed: sum, pairs: pairs.len(), rounds, contact_seconds }
    }

    /// Points that touch, or may come to, of the roles that are asked for; none of the others.
    fn rows_of(
        &self,
        watched: &mut [Watched],
        steps: &[BodyStep],
        is_asked: impl Fn(usize) -> bool + Sync,
    ) -> Vec<Vec<Row>> {
        let each = watched.par_iter_mut().enumerate();
        each.map(|(k, watched)| if is_asked(k) { self.rows(watched, steps) } else { Vec::new() }).collect()
    }

    /// Marks the roles of an island whose planes are to be laid anew, and tells whether there are any: at first those of bodies that turn far, and those that share in what planes did not tell, if
    /// that is much in all. What is less than their even share of what may be is not worth it.
    fn ask_again(
        &self,
        (island, best): (&Island, &Tried),
        course: &Course,
        relay: usize,
        (watched, is_asked): (&[Watched], &mut [bool]),
    ) -> bool {
        let kinetic = |&k: &usize| {
            let of = &course.free[k];
            0.5 * self.bodies[k].mass * of.velocity.length_squared() + 0.5 * of.angular_momentum.dot(of.rate)
        };
        let bearable = UNTOLD * island.bodies.iter().map(kinetic).sum::<f64>();
        let is_much = best.untold.iter().sum::<f64>() > bearable;
        let share = bearable / island.roles.len() as f64;
        let mut is_any = false;
        for (&k, untold) in island.roles.iter().zip(&best.untold) {
            let role = &watched[k].role;
            let least = if self.both_give_way(role) { FAR_TURN } else { ROLLED };
            let turns_far = |k: usize| (course.moves[k].rate * course.dt).length_squared() > least * least;
            let is_turned = || turns_far(role.shell_of) || role.on.body().is_some_and(turns_far);
            is_asked[k] = (is_much && *untold > share) || (relay == 0 && is_turned());
            is_any |= is_asked[k];
        }
        is_any
    }

    /// Whether forces move both.
    fn both_give_way(&self, role: &Role) -> bool {
        self.bodies[role.shell_of].is_dynamic() && role.on.body().is_some_and(|j| self.bodies[j].is_dynamic())
    }

    /// Solves for the velocities of an island, from others or from those before the step, and moves its bodies with them.
    fn tried(
        &self,
        island: &Island,
        (watched, found): (&[Watched], &[Vec<Row>]),
        course: &mut Course,
        start: Option<&[Twist]>,
    ) -> Tried {
        let dt = course.dt;
        let rows: Vec<Row> = island.roles.iter().flat_map(|&k| &found[k]).copied().collect();
        let system = System::new(self, (&island.bodies, &course.free), &rows, dt);
        let solution = system.solve(start.map_or_else(|| system.start(), <[Twist]>::to_vec));
        let mut impulses = vec![Wrench::ZERO; island.bodies.len()];
        let mut on_others: Vec<(usize, Wrench)> = Vec::new();
        let mut delays = Delays::new();
        let mut push = |body: usize, impulse: Wrench| match island.bodies.binary_search(&body) {
            Ok(k) => impulses[k] += impulse,
            Err(_) => on_others.push((body, impulse)),
        };
        for (row, Push { force, torque }) in rows.iter().zip(&solution.pushes) {
            let (impulse, turning) = (*force * dt, Wrench { force: glam::DVec3::ZERO, torque: *torque * dt });
            push(row.shell_of, Wrench::of_force(impulse, row.arm_of_shell) + turning);
            if let Party::Body(j) = row.on {
                push(j, Wrench::of_force(-impulse, row.arm_of_surface) + turning * -1.0);
                if row.t > 0.0 {
                    let delay = Delay { impulse: row.t * impulse, missing: row.ahead.cross(impulse) };
                    add_delay(&mut delays, (row.shell_of, j), delay);
                }
            }
        }
        for (&k, impulse) in island.bodies.iter().zip(&impulses) {
            course.moves[k] = course.free[k].struck(&self.bodies[k], impulse, dt);
        }
        self.give_back((&delays, Shift::Sideways), &course.free, &mut course.moves, dt);
        let moves: Vec<Moved> = island.bodies.iter().map(|&k| course.moves[k]).collect();
        course.set(self, island, &moves);

        let (mut untold, mut elastic) = (Vec::with_capacity(island.roles.len()), 0.0);
        let mut velocities = solution.row_velocities.iter();
        for &k in &island.roles {
            let (role, mut more) = (&watched[k].role, 0.0);
            let Some(pair) = self.on_surface(role, &course.steps) else { continue };
            let end = pair.end();
            for (row, velocity) in found[k].iter().zip(&mut velocities) {
                let told = row.pressed(row.gap + dt * row.normal.dot(*velocity));
                let energy = row.pressed(row.end(role, &pair, &end).1);
                more += energy - told;
                elastic += energy;
            }
            untold.push(more);
        }
        let impulses = island.bodies.iter().copied().zip(impulses).chain(on_others).collect();
        let cost = solution.detour + elastic;
        Tried { solution, impulses, moves, cost, untold, is_open: true }
    }

    /// The planes of contacts where points end, beside those that are new along the way there, for the roles that are asked for. Only of those that touch: others are found in the next step, if
    /// they do then. Tells the energy of the new ones' springs where their points end without them, J.
    fn relay(
        &self,
        (island, velocities): (&Island, &[glam::DVec3]),
        (watched, is_asked): (&[Watched], &[bool]),
        course: &Course,
        (found, more): (&[Vec<Row>], &mut [Vec<Row>]),
    ) -> f64 {
        let mut unknown = 0.0;
        let mut velocities = velocities.iter();
        for &k in &island.roles {
            let known = found[k].iter().zip(velocities.by_ref());
            let Some(pair) = self.on_surface(&watched[k].role, &course.steps).filter(|_| is_asked[k]) else {
                // Theirs are passed over.
                known.for_each(drop);
                continue;
            };
            let gives_way = self.both_give_way(&watched[k].role);
            let own = self.bodies[watched[k].role.shell_of].shape.field();
            let mut rows: Vec<Row> = known
                .map(|(row, velocity)| {
                    row.relaid((&watched[k].role, own), &pair, (*velocity * course.dt, gives_way))
                })
                .collect();
            // Both are in the order of points.
            let known = rows.len();
            let is_new = |row: &&Row| rows[..known].binary_search_by_key(&row.point, |of| of.point).is_err();
            let held = self.depth_held(watched, found, course, roles_beside(watched, k));
            let role = (&watched[k].role, own);
            let as_it_holds = |row: &Row| row.as_it_holds(role, &pair, held.unwrap_or(0.0));
            let new: Vec<Row> = more[k].iter().filter(is_new).filter_map(as_it_holds).collect();
            let end = pair.end();
            unknown += new.iter().map(|row| row.pressed(row.end(role.0, &pair, &end).1)).sum::<f64>();
            rows.extend(new);
            rows.sort_by_key(|row| row.point);
            more[k] = rows;
        }
        unknown
    }
}
