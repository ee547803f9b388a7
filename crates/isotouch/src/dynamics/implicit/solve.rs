//! The velocities after the step: Newton's method, conjugate gradients within.

use std::collections::BTreeMap;

use glam::{DMat3, DVec3};

use super::rows::Row;
use crate::dynamics::free::Moved;
use crate::dynamics::pairs::Party;
use crate::dynamics::world::World;
use crate::math::spatial::{Cholesky6, outer};
use crate::math::{Mat6, Twist, Wrench};

/// Most rounds. Contacts that open and close settle in a few; friction at the edge of sliding may take more, and is then as good as its last round.
const MOST_ROUNDS: usize = 40;
/// Rounds end when velocities of all bodies change by less than this part of what gravity adds in the step. Smaller takes rounds that nobody sees; larger lets
/// resting bodies creep.
const SETTLED: f64 = 1e-5;
/// Conjugate gradients end at this part of the first residual. What is left the next round finds, for its residual is of the true function; the last round's own is small already.
const RESIDUAL: f64 = 1e-6;
/// Most halvings of a Newton step that does not lead down.
const MOST_HALVINGS: usize = 12;

pub(super) struct System<'a> {
    rows: &'a [Row],
    dt: f64,
    /// For every body, its place among the unknowns.
    unknown: Vec<Option<usize>>,
    /// Velocities of all bodies without contact.
    free: Vec<Twist>,
    /// M of the unknowns.
    inertia: Vec<Mat6>,
    settled: Twist,
    /// Where the search begins: velocities before the step.
    start: Vec<Twist>,
}

pub(super) struct Solution {
    /// On the shell's body, for every row, N.
    pub(super) forces: Vec<DVec3>,
    pub(super) rounds: usize,
}

/// What a row does at given velocities.
struct RowState {
    /// Of the point, relative to what it touches, m/s.
    velocity: DVec3,
    /// N, along the normal.
    normal_force: f64,
}

/// What a row's force is taken for during a round: linear in the velocity.
struct Resistance {
    /// Whether the spring is pressed.
    is_pressed: bool,
    /// Friction per sliding velocity, N·s/m, for the normal force and speed at the beginning of the round.
    drag: f64,
}

impl<'a> System<'a> {
    pub(super) fn new(world: &World, free: &[Moved], rows: &'a [Row], dt: f64) -> Self {
        let mut unknown = vec![None; world.bodies.len()];
        let mut is_touched = vec![false; world.bodies.len()];
        for row in rows {
            is_touched[row.shell_of] = true;
            if let Party::Body(j) = row.on {
                is_touched[j] = true;
            }
        }
        let (mut inertia, mut start) = (Vec::new(), Vec::new());
        let mut least_size = f64::INFINITY;
        for (k, body) in world.bodies.iter().enumerate() {
            if body.is_dynamic() && is_touched[k] {
                unknown[k] = Some(inertia.len());
                inertia.push(Mat6::inertia(body.mass, body.inertia_in_world(free[k].halfway)));
                start.push(body.twist());
                least_size = least_size.min(body.shape.around().radius);
            }
        }
        let free = free.iter().map(|of| Twist { linear: of.velocity, angular: of.rate }).collect();
        let speed = SETTLED * (world.options.gravity.length() * dt).max(1e-6);
        let settled =
            Twist { linear: DVec3::splat(speed), angular: DVec3::splat(speed / least_size.max(1e-9)) };
        Self { rows, dt, unknown, free, inertia, settled, start }
    }

    pub(super) fn solve(&self) -> Solution {
        let mut velocities = self.start.clone();
        let mut rounds = 0;
        let mut last: Vec<Resistance> = Vec::new();
        let mut states = self.states(&velocities);
        if velocities.is_empty() {
            return Solution { forces: vec![DVec3::ZERO; self.rows.len()], rounds };
        }
        while rounds < MOST_ROUNDS {
            rounds += 1;
            last = self.rows.iter().zip(&states).map(|(row, state)| self.resistance_at(row, state)).collect();
            if self.improve(&mut velocities, &mut states, &last) {
                break;
            }
        }
        // The forces of the last round's linear system, which its velocities solve. Those of the friction law at these velocities are the same but for what is left to
        // improve, times a large stiffness.
        let forces = self.rows.iter().zip(states).zip(&last).map(|((row, state), at)| {
            let along = state.velocity.dot(row.normal);
            let normal_force =
                if at.is_pressed { -row.stiffness * row.gap - self.resistance(row) * along } else { 0.0 };
            normal_force * row.normal - at.drag * row.sliding(&state)
        });
        Solution { forces: forces.collect(), rounds }
    }

    /// One Newton step; whether it was so small that the search is over.
    fn improve(&self, velocities: &mut [Twist], states: &mut Vec<RowState>, at: &[Resistance]) -> bool {
        let gradient = self.gradient(velocities, states, at);
        let Some(direction) = self.blocks(at).solve(&gradient) else { return true };
        let before = self.cost(velocities, states, at);
        let mut length = 1.0;
        for _ in 0..MOST_HALVINGS {
            let next: Vec<Twist> =
                velocities.iter().zip(&direction).map(|(v, d)| along(v, d, -length)).collect();
            let next_states = self.states(&next);
            let cost = self.cost(&next, &next_states, at);
            if cost <= before + 1e-12 * before.abs() {
                velocities.copy_from_slice(&next);
                *states = next_states;
                break;
            }
            length *= 0.5;
        }
        direction.iter().all(|d| {
            (length * d.linear).abs().cmple(self.settled.linear).all()
                && (length * d.angular).abs().cmple(self.settled.angular).all()
        })
    }

    fn resistance_at(&self, row: &Row, state: &RowState) -> Resistance {
        Resistance {
            is_pressed: state.normal_force > 0.0,
            drag: row.friction.drag(state.normal_force, row.sliding(state).length()),
        }
    }

    fn velocity(&self, body: usize, velocities: &[Twist]) -> Twist {
        self.unknown[body].map_or(self.free[body], |k| velocities[k])
    }

    fn states(&self, velocities: &[Twist]) -> Vec<RowState> {
        let state = |row: &Row| {
            let mut velocity = self.velocity(row.shell_of, velocities).at(row.arm_of_shell);
            if let Party::Body(j) = row.on {
                velocity -= self.velocity(j, velocities).at(row.arm_of_surface);
            }
            let along = velocity.dot(row.normal);
            // f = max(0, −k·φ − (k·dt + c)·n·v).
            let normal_force = (-row.stiffness * row.gap - self.resistance(row) * along).max(0.0);
            RowState { velocity, normal_force }
        };
        self.rows.iter().map(state).collect()
    }

    /// k·dt + c: force per velocity along the normal.
    fn resistance(&self, row: &Row) -> f64 {
        row.stiffness * self.dt + row.damping
    }

    /// The function that is minimised, with friction as drags of this round: ½·drag·|vₜ|² touches the true one from above.
    fn cost(&self, velocities: &[Twist], states: &[RowState], at: &[Resistance]) -> f64 {
        let mut sum = 0.0;
        for (body, unknown) in self.unknown.iter().enumerate() {
            let Some(k) = *unknown else { continue };
            let off = along(&velocities[k], &self.free[body], -1.0);
            let pushed = self.inertia[k].apply(&off);
            sum += 0.5 * (pushed.force.dot(off.linear) + pushed.torque.dot(off.angular));
        }
        for ((row, state), Resistance { drag, .. }) in self.rows.iter().zip(states).zip(at) {
            let sliding = row.sliding(state);
            sum += self.dt
                * (0.5 * state.normal_force * state.normal_force / self.resistance(row)
                    + 0.5 * drag * sliding.length_squared());
        }
        sum
    }

    fn gradient(&self, velocities: &[Twist], states: &[RowState], at: &[Resistance]) -> Vec<Wrench> {
        let mut gradient = vec![Wrench::ZERO; self.inertia.len()];
        for (body, unknown) in self.unknown.iter().enumerate() {
            if let Some(k) = *unknown {
                gradient[k] = self.inertia[k].apply(&along(&velocities[k], &self.free[body], -1.0));
            }
        }
        for ((row, state), Resistance { drag, .. }) in self.rows.iter().zip(states).zip(at) {
            let impulse = (state.normal_force * row.normal - *drag * row.sliding(state)) * self.dt;
            if let Some(k) = self.unknown[row.shell_of] {
                gradient[k] += Wrench::of_force(-impulse, row.arm_of_shell);
            }
            if let Party::Body(j) = row.on
                && let Some(k) = self.unknown[j]
            {
                gradient[k] += Wrench::of_force(impulse, row.arm_of_surface);
            }
        }
        gradient
    }

    /// Second derivatives: M + dt·Σ Jᵀ((k·dt + c)·n·nᵀ + drag·(1 − n·nᵀ))J.
    fn blocks(&self, at: &[Resistance]) -> Blocks {
        let mut blocks = Blocks { own: self.inertia.clone(), between: BTreeMap::new() };
        for (row, Resistance { is_pressed, drag }) in self.rows.iter().zip(at) {
            let pressed = if *is_pressed { self.resistance(row) } else { 0.0 };
            if pressed == 0.0 && *drag == 0.0 {
                continue;
            }
            let nn = outer(row.normal, row.normal);
            let k = (nn * pressed + (DMat3::IDENTITY - nn) * *drag) * self.dt;
            let a = self.unknown[row.shell_of];
            let b = match row.on {
                Party::Body(j) => self.unknown[j],
                Party::Surface(_) => None,
            };
            if let Some(a) = a {
                blocks.own[a] += Mat6::at_arms(&k, row.arm_of_shell, row.arm_of_shell);
            }
            if let Some(b) = b {
                blocks.own[b] += Mat6::at_arms(&k, row.arm_of_surface, row.arm_of_surface);
            }
            if let (Some(a), Some(b)) = (a, b) {
                let (low, high, arms) = if a < b {
                    (a, b, (row.arm_of_shell, row.arm_of_surface))
                } else {
                    (b, a, (row.arm_of_surface, row.arm_of_shell))
                };
                let block = Mat6::at_arms(&(k * -1.0), arms.0, arms.1);
                *blocks.between.entry((low, high)).or_insert(Mat6::ZERO) += block;
            }
        }
        blocks
    }
}

impl Row {
    fn sliding(&self, state: &RowState) -> DVec3 {
        state.velocity - state.velocity.dot(self.normal) * self.normal
    }
}

fn along(from: &Twist, direction: &Twist, length: f64) -> Twist {
    Twist {
        linear: from.linear + direction.linear * length,
        angular: from.angular + direction.angular * length,
    }
}

/// A symmetric matrix of 6×6 blocks: one for each body, and one for each two that touch, of which the upper one is kept.
struct Blocks {
    own: Vec<Mat6>,
    between: BTreeMap<(usize, usize), Mat6>,
}

impl Blocks {
    fn apply(&self, x: &[Twist]) -> Vec<Wrench> {
        let mut y: Vec<Wrench> = self.own.iter().zip(x).map(|(own, x)| own.apply(x)).collect();
        for (&(a, b), block) in &self.between {
            y[a] += block.apply(&x[b]);
            y[b] += block.transpose().apply(&x[a]);
        }
        y
    }

    /// Conjugate gradients, each body's own block as preconditioner. `None` if that is not positive definite, which rounding alone can do.
    fn solve(&self, right: &[Wrench]) -> Option<Vec<Twist>> {
        let own: Vec<Cholesky6> = self.own.iter().map(Cholesky6::new).collect::<Option<_>>()?;
        if self.between.is_empty() {
            return Some(own.iter().zip(right).map(|(own, right)| own.solve(right)).collect());
        }
        let precondition =
            |r: &[Wrench]| -> Vec<Twist> { own.iter().zip(r).map(|(own, r)| own.solve(r)).collect() };
        let mut x = vec![Twist::ZERO; right.len()];
        let mut r = right.to_vec();
        let mut z = precondition(&r);
        let mut p = z.clone();
        let mut size = dot(&r, &z);
        let enough = RESIDUAL * RESIDUAL * size;
        for _ in 0..20 * right.len() + 50 {
            if size <= enough || size == 0.0 {
                break;
            }
            let q = self.apply(&p);
            let curvature = dot(&q, &p);
            let is_positive = curvature > 0.0;
            if !is_positive {
                break;
            }
            let step = size / curvature;
            for k in 0..x.len() {
                x[k] = along(&x[k], &p[k], step);
                r[k] += q[k] * -step;
            }
            z = precondition(&r);
            let next = dot(&r, &z);
            let ratio = next / size;
            for (p, z) in p.iter_mut().zip(&z) {
                *p = along(z, p, ratio);
            }
            size = next;
        }
        Some(x)
    }
}

fn dot(a: &[Wrench], b: &[Twist]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.force.dot(b.linear) + a.torque.dot(b.angular)).sum()
}
