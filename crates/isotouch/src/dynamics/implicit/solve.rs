//! The velocities after the step: Newton's method.
//!
//! Friction with given normal forces is a convex function too, and its own second derivatives are taken as far as they hold: along a sliding that has risen friction does not resist more when it gets faster.
//! With drags alone, force over speed, contacts that hold nearly all they can take hundreds of rounds. Rolling friction is taken for drags: it is small beside the inertia of what rolls, but where it lies still, and there it is
//! linear.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DMat3, DVec3};

use super::rows::Row;
use crate::dynamics::free::Moved;
use crate::dynamics::pairs::Party;
use crate::dynamics::world::World;
use crate::math::block_cholesky::Order;
use crate::math::spatial::{Cholesky6, outer};
use crate::math::{Mat6, Twist, Wrench};

/// Most rounds. Contacts that open and close settle in a few; friction at the edge of sliding may take more, and is then as good as its last round.
const MOST_ROUNDS: usize = 40;
/// Rounds after which friction is taken for drags altogether: bodies are at the edge of tipping or sticking then, and drags get there slowly but surely.
const QUICK_ROUNDS: usize = 24;
/// A contact whose friction was told wrong by more than this part of what it can be is held back by a part of its drag, at first this one, then ever more; one that was told right to a third of it less and less.
const WRONG: f64 = 0.3;
/// Rounds end when velocities of all bodies change by less than this part of what gravity adds in the step. Smaller takes rounds that nobody sees; larger lets
/// resting bodies creep.
const SETTLED: f64 = 1e-5;
/// Or by less than this part of what the step has changed them by: what is struck need not be told to the last digit of what rests.
const SETTLED_PART: f64 = 1e-4;
/// Conjugate gradients end at this part of the first residual. What is left the next round finds, for its residual is of the true function; the last round's own is small already.
const RESIDUAL: f64 = 1e-6;
/// Most looks along a Newton step for where it stops leading down. Stiff springs may let it lead a millionth of its length, which takes some twenty: a round that ends sooner gets nowhere, and so do all after it.
const MOST_LOOKS: usize = 60;
/// A step is long enough where the slope along it is this part of what it was, either way. Less looks longer; more takes more rounds.
const FLAT: f64 = 0.5;
/// Products of blocks, for every product that a round of conjugate gradients takes, up to which the matrix is solved directly. A product of two blocks takes six times as long as one with six
/// numbers, and conjugate gradients some hundred rounds.
const DIRECT: usize = 50;

pub(super) struct System<'a> {
    rows: &'a [Row],
    /// For every row, the places among the unknowns of the bodies that it acts on.
    acts_on: Vec<[Option<usize>; 2]>,
    dt: f64,
    /// The body of every unknown, in order.
    bodies: &'a [usize],
    /// All bodies without contact.
    free: &'a [Moved],
    /// M of the unknowns.
    inertia: Vec<Mat6>,
    settled: Twist,
    /// Velocities before the step.
    start: Vec<Twist>,
    order: Option<Order>,
}

/// What a row does to the shell's body, and the other way round to the other.
pub(super) struct Push {
    /// N, at the point.
    pub(super) force: DVec3,
    /// N·m, beside what the force makes at its arm: what holds back rolling.
    pub(super) torque: DVec3,
}

pub(super) struct Solution {
    /// Of every row.
    pub(super) pushes: Vec<Push>,
    /// Of what each row's point does relative to what it touches, m/s.
    pub(super) row_velocities: Vec<DVec3>,
    /// Of the bodies that are touched.
    pub(super) velocities: Vec<Twist>,
    /// ½ (u − u*)ᵀ M (u − u*), J.
    pub(super) detour: f64,
    pub(super) rounds: usize,
}

/// What a row does at given velocities.
struct RowState {
    /// Of the point, relative to what it touches, m/s.
    velocity: DVec3,
    /// How the shell's body turns, relative to what it touches, rad/s.
    turning: DVec3,
    /// N, along the normal.
    normal_force: f64,
}

/// What a row's force is taken for during a round: linear in the velocity, with the normal force of its beginning for friction.
struct Resistance {
    /// N, at the beginning of the round.
    normal_force: f64,
    /// m/s, along the surface, then.
    sliding: DVec3,
    /// Friction force per sliding velocity, N·s/m.
    drag: f64,
    /// How much more friction there is per speed along the sliding, N·s/m; at most the drag, which is what there is across.
    rise: f64,
    /// Of the sliding.
    direction: DVec3,
    /// Torque per turning, N·m·s.
    rolling: f64,
}

/// What a Newton step came to.
struct Improved {
    /// How much of it was taken.
    length: f64,
    /// Whether all of it is so small that the search is over.
    is_settled: bool,
}

impl Resistance {
    /// How much a contact is to be held back next, in parts of its drag. Friction bends where sliding begins; told from far away, one contact would be thrown past that bend and bring all others to a halt.
    fn held_next(&self, row: &Row, state: &RowState, held: f64) -> f64 {
        let most = row.friction.coefficient(0.0) * self.normal_force;
        if most == 0.0 {
            return held;
        }
        let sliding = row.sliding(state);
        let wrong =
            (self.linear_friction(sliding) - row.friction.force(self.normal_force, sliding)).length() / most;
        if wrong > WRONG {
            (4.0 * held).clamp(WRONG * WRONG, 1.0)
        } else if wrong < WRONG / 3.0 {
            0.25 * held
        } else {
            held
        }
    }

    /// Friction at another sliding velocity, as this round takes it to be.
    fn linear_friction(&self, sliding: DVec3) -> DVec3 {
        let change = sliding - self.sliding;
        let along = self.direction * change.dot(self.direction);
        -(self.drag * (self.sliding + change - along) + self.rise * along)
    }
}

impl<'a> System<'a> {
    /// Of bodies that forces move, in order, and rows that act on no others that do.
    pub(super) fn new(
        world: &World,
        (bodies, free): (&'a [usize], &'a [Moved]),
        rows: &'a [Row],
        dt: f64,
    ) -> Self {
        let unknown = |body: usize| bodies.binary_search(&body).ok();
        let acts_on =
            rows.iter().map(|row| [unknown(row.shell_of), row.on.body().and_then(unknown)]).collect();
        let of = |&k: &usize| {
            let body = &world.bodies[k];
            Mat6::inertia(body.mass, body.inertia_in_world(free[k].halfway))
        };
        let inertia = bodies.iter().map(of).collect();
        let start = bodies.iter().map(|&k| world.bodies[k].twist()).collect();
        let least_size =
            bodies.iter().map(|&k| world.bodies[k].shape.around().radius).fold(f64::INFINITY, f64::min);
        let speed = SETTLED * (world.options.gravity.length() * dt).max(1e-6);
        let settled =
            Twist { linear: DVec3::splat(speed), angular: DVec3::splat(speed / least_size.max(1e-9)) };
        let mut system = Self { rows, acts_on, dt, bodies, free, inertia, settled, start, order: None };
        system.order = system.order();
        system
    }

    /// How to solve directly, if that pays.
    fn order(&self) -> Option<Order> {
        let both = |on: &[Option<usize>; 2]| Some((on[0]?.min(on[1]?), on[0]?.max(on[1]?)));
        let pairs: BTreeSet<(usize, usize)> = self.acts_on.iter().filter_map(both).collect();
        let by_gradients = self.inertia.len() + 2 * pairs.len();
        Order::within(self.inertia.len(), &pairs, DIRECT * by_gradients)
    }

    /// Where the search begins, unless it was searched before: velocities before the step.
    pub(super) fn start(&self) -> Vec<Twist> {
        self.start.clone()
    }

    pub(super) fn solve(&self, mut velocities: Vec<Twist>) -> Solution {
        let mut rounds = 0;
        let mut last: Vec<Resistance> = Vec::new();
        let mut states = self.states(&velocities);
        let mut is_solved = false;
        let mut held = vec![0.0; self.rows.len()];
        while rounds < MOST_ROUNDS && !velocities.is_empty() {
            rounds += 1;
            if rounds > QUICK_ROUNDS {
                held.fill(1.0);
            }
            let each = self.rows.iter().zip(&states).zip(&held);
            last = each.map(|((row, state), held)| resistance_at(row, state, *held)).collect();
            let Improved { length, is_settled } = self.improve(&mut velocities, &mut states, &last);
            is_solved = length == 1.0;
            for (((row, state), at), held) in self.rows.iter().zip(&states).zip(&last).zip(&mut held) {
                *held = at.held_next(row, state, *held);
            }
            // Forces are those of a whole step; what is left of one that stiff springs cut short they would be off by, times their stiffness.
            if is_settled && is_solved {
                break;
            }
        }
        let pushes = self.rows.iter().zip(&states).enumerate().map(|(k, (row, state))| {
            let Some(at) = last.get(k).filter(|_| is_solved) else {
                // Not there yet: the forces of these velocities.
                let friction = row.friction.force(state.normal_force, row.sliding(state));
                let torque = row.rolling_torque(state.normal_force, state);
                return Push { force: state.normal_force * row.normal + friction, torque };
            };
            // The forces of the last round's linear system, which its velocities solve. Those of the law at these velocities are the same but for what is left to improve, times a large stiffness.
            let along = state.velocity.dot(row.normal);
            let is_pressed = at.normal_force > 0.0;
            let normal_force =
                if is_pressed { -row.stiffness * row.gap - self.resistance(row) * along } else { 0.0 };
            let force = normal_force * row.normal + at.linear_friction(row.sliding(state));
            Push { force, torque: -at.rolling * state.turning }
        });
        let pushes = pushes.collect();
        let row_velocities = states.iter().map(|state| state.velocity).collect();
        Solution { pushes, row_velocities, detour: self.detour(&velocities), velocities, rounds }
    }

    /// One Newton step.
    fn improve(&self, velocities: &mut [Twist], states: &mut Vec<RowState>, at: &[Resistance]) -> Improved {
        let gradient = self.gradient(velocities, states, at);
        let Some(direction) = self.blocks(at).solve(self.order.as_ref(), &gradient) else {
            return Improved { length: 0.0, is_settled: true };
        };
        let before = dot(&gradient, &direction);
        // The function falls against the direction up to where the slope changes its sign: between `low` and `high`, once both are known. There it is looked for by false position: springs that the step
        // presses first may stop it within a millionth of its length.
        let (mut low, mut high, mut length) = (0.0, 1.0, 1.0);
        let (mut low_slope, mut high_slope) = (before, f64::NEG_INFINITY);
        for _ in 0..MOST_LOOKS {
            let next: Vec<Twist> =
                velocities.iter().zip(&direction).map(|(v, d)| along(v, d, low - length)).collect();
            let next_states = self.states(&next);
            let slope = dot(&self.gradient(&next, &next_states, at), &direction);
            if slope < -FLAT * before {
                // Ends that stay are believed half (Illinois): both get there.
                (high, high_slope, low_slope) = (length, slope, 0.5 * low_slope);
            } else {
                velocities.copy_from_slice(&next);
                *states = next_states;
                (low, low_slope, high_slope) = (length, slope, 0.5 * high_slope);
                if slope <= FLAT * before || low == high {
                    break;
                }
            }
            let part = low_slope / (low_slope - high_slope);
            // Not at an end, where rounding may put it.
            length = if part > 0.0 && part < 1.0 { low + part * (high - low) } else { 0.5 * (low + high) };
        }
        let each = direction.iter().zip(velocities.iter()).zip(&self.start);
        let is_settled = each.fold(true, |is_settled, ((d, now), before)| {
            let changed = along(now, before, -1.0);
            let within = |d: DVec3, least: DVec3, changed: DVec3| {
                d.length_squared() <= least.x.max(SETTLED_PART * changed.length()).powi(2)
            };
            is_settled
                && within(d.linear, self.settled.linear, changed.linear)
                && within(d.angular, self.settled.angular, changed.angular)
        });
        Improved { length: low, is_settled }
    }

    /// Of an unknown, or of a body that contact does not move.
    fn velocity(&self, unknown: Option<usize>, body: usize, velocities: &[Twist]) -> Twist {
        unknown.map_or_else(|| self.free_velocity(body), |k| velocities[k])
    }

    fn free_velocity(&self, body: usize) -> Twist {
        Twist { linear: self.free[body].velocity, angular: self.free[body].rate }
    }

    fn states(&self, velocities: &[Twist]) -> Vec<RowState> {
        let state = |(row, on): (&Row, &[Option<usize>; 2])| {
            let of_shell = self.velocity(on[0], row.shell_of, velocities);
            let (mut velocity, mut turning) = (of_shell.at(row.arm_of_shell), of_shell.angular);
            if let Party::Body(j) = row.on {
                let of_surface = self.velocity(on[1], j, velocities);
                velocity -= of_surface.at(row.arm_of_surface);
                turning -= of_surface.angular;
            }
            let along = velocity.dot(row.normal);
            // f = max(0, −k·φ − (k·dt + c)·n·v).
            let normal_force = (-row.stiffness * row.gap - self.resistance(row) * along).max(0.0);
            RowState { velocity, turning, normal_force }
        };
        self.rows.iter().zip(&self.acts_on).map(state).collect()
    }

    /// k·dt + c: force per velocity along the normal.
    fn resistance(&self, row: &Row) -> f64 {
        row.stiffness * self.dt + row.damping
    }

    /// ½ (u − u*)ᵀ M (u − u*).
    fn detour(&self, velocities: &[Twist]) -> f64 {
        let of = |(k, &body): (usize, &usize)| {
            let off = along(&velocities[k], &self.free_velocity(body), -1.0);
            let pushed = self.inertia[k].apply(&off);
            0.5 * (pushed.force.dot(off.linear) + pushed.torque.dot(off.angular))
        };
        self.bodies.iter().enumerate().map(of).sum()
    }

    /// First derivatives of the function that is minimised, friction with the normal forces of the round's beginning.
    fn gradient(&self, velocities: &[Twist], states: &[RowState], at: &[Resistance]) -> Vec<Wrench> {
        let of = |(k, &body): (usize, &usize)| {
            self.inertia[k].apply(&along(&velocities[k], &self.free_velocity(body), -1.0))
        };
        let mut gradient: Vec<Wrench> = self.bodies.iter().enumerate().map(of).collect();
        for (((row, on), state), at) in self.rows.iter().zip(&self.acts_on).zip(states).zip(at) {
            let friction = if at.normal_force > 0.0 {
                row.friction.force(at.normal_force, row.sliding(state))
            } else {
                DVec3::ZERO
            };
            let torque = row.rolling_torque(at.normal_force, state) * self.dt;
            if state.normal_force == 0.0 && friction == DVec3::ZERO && torque == DVec3::ZERO {
                continue;
            }
            let impulse = (state.normal_force * row.normal + friction) * self.dt;
            if let Some(k) = on[0] {
                gradient[k] += Wrench::of_force(-impulse, row.arm_of_shell);
                gradient[k].torque -= torque;
            }
            if let Some(k) = on[1] {
                gradient[k] += Wrench::of_force(impulse, row.arm_of_surface);
                gradient[k].torque += torque;
            }
        }
        gradient
    }

    /// Second derivatives: M + dt·Σ Jᵀ((k·dt + c)·n·nᵀ + drag·(1 − n·nᵀ − s·sᵀ) + rise·s·sᵀ)J, s the direction of sliding; and the drag of rolling for how both turn.
    fn blocks(&self, at: &[Resistance]) -> Blocks {
        let mut blocks = Blocks { own: self.inertia.clone(), between: BTreeMap::new() };
        // Rows of one pair stand together: its block is added up before it is looked for.
        let (mut pair, mut block_of_pair) = ((0, 0), Mat6::ZERO);
        let mut add = |pair: (usize, usize), block: Mat6| {
            if pair.0 != pair.1 {
                *blocks.between.entry(pair).or_insert(Mat6::ZERO) += block;
            }
        };
        for ((row, &[a, b]), at) in self.rows.iter().zip(&self.acts_on).zip(at) {
            let &Resistance { normal_force, drag, rise, direction, rolling, .. } = at;
            let is_pressed = normal_force > 0.0;
            if !is_pressed {
                continue;
            }
            let (nn, ss) = (outer(row.normal, row.normal), outer(direction, direction));
            let friction = (DMat3::IDENTITY - nn) * drag + ss * (rise - drag);
            let k = (nn * self.resistance(row) + friction) * self.dt;
            let turned = DMat3::from_diagonal(DVec3::splat(rolling * self.dt));
            if let Some(a) = a {
                blocks.own[a] += Mat6::at_arms(&k, row.arm_of_shell, row.arm_of_shell);
                blocks.own[a].torque_angular += turned;
            }
            if let Some(b) = b {
                blocks.own[b] += Mat6::at_arms(&k, row.arm_of_surface, row.arm_of_surface);
                blocks.own[b].torque_angular += turned;
            }
            if let (Some(a), Some(b)) = (a, b) {
                let (low, high, arms) = if a < b {
                    (a, b, (row.arm_of_shell, row.arm_of_surface))
                } else {
                    (b, a, (row.arm_of_surface, row.arm_of_shell))
                };
                if pair != (low, high) {
                    add(pair, block_of_pair);
                    (pair, block_of_pair) = ((low, high), Mat6::ZERO);
                }
                block_of_pair += Mat6::at_arms(&(k * -1.0), arms.0, arms.1);
                block_of_pair.torque_angular -= turned;
            }
        }
        add(pair, block_of_pair);
        blocks
    }
}

fn resistance_at(row: &Row, state: &RowState, held: f64) -> Resistance {
    let (normal_force, sliding) = (state.normal_force, row.sliding(state));
    let speed = sliding.length();
    let drag = row.friction.drag(normal_force, speed);
    // Where friction falls with the speed it is taken for constant, or the function were not convex.
    // Whatever is beyond all numbers: `clamp` would panic.
    let rise = row.friction.rise(normal_force, speed).min(drag).max(held * drag);
    let direction = sliding.try_normalize().unwrap_or(DVec3::ZERO);
    let rolling = row.rolling_drag(normal_force, state);
    Resistance { normal_force, sliding, drag, rise, direction, rolling }
}

impl Row {
    fn sliding(&self, state: &RowState) -> DVec3 {
        state.velocity - state.velocity.dot(self.normal) * self.normal
    }

    /// Torque per turning at a normal force.
    fn rolling_drag(&self, normal_force: f64, state: &RowState) -> f64 {
        self.friction.rolling_drag(normal_force, state.turning.length(), self.arm_of_shell.length())
    }

    fn rolling_torque(&self, normal_force: f64, state: &RowState) -> DVec3 {
        -self.rolling_drag(normal_force, state) * state.turning
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

    /// Directly, or by conjugate gradients, also where rounding does not let it, each body's own block as preconditioner. `None` if that is not positive definite, which rounding alone can do.
    fn solve(&self, order: Option<&Order>, right: &[Wrench]) -> Option<Vec<Twist>> {
        if let Some(solution) = order.and_then(|order| order.solve(&self.own, &self.between, right)) {
            return Some(solution);
        }
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
