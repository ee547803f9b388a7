//! Rigid bodies that give way to cloth.
//!
//! Cloth is kept off what is led as if that could not be moved ([`keep_off`](super::keep_off)). A body with mass is moved by cloth as well. Where both may touch in a substep, how far the bodies are turned from
//! their ways, U, and particles from theirs, w, is what makes this smallest:
//!
//! ```text
//! ½·Σ Uᵀ·M·U  +  ½·Σ m·|w|²  +  ½·Σ k·min(0, g + n·Δ)²  +  Σ μ·λ·|s + Δₜ|
//! ```
//!
//! The sums go over bodies, over particles, and over each point of cloth (a particle, or a place on an edge) and each obstacle that it may touch: g is how far it would end above ε, Δ how far it is moved relative to the obstacle, n the
//! obstacle's normal, s how far the point would slide, and λ = −k·min(0, g + n·Δ) how hard it is pressed, as found in the round before. k is so stiff that what is left of g is some parts of what gravity does in a substep.
//! The last sum is rounded off where it sticks, to k·|s + Δₜ|²/2 below μ·λ/k, so that what is held creeps by a part of what gravity does in a substep. For given λ in that sum the function is convex, and [`search`] finds where it is least, by steps that solve for all bodies and particles at once ([`newton`]). What comes of that:
//!
//! - Ratios of masses do not make it unstable (tested to 10⁶), but for bodies that stand on something themselves: what they touch beside cloth they touch in their own step, and a light one is pressed to and fro between that and what is heavy on the cloth. A push at a time, each with the inverse masses of body and particle (as XPBD does), comes to the same in the end, but needs as many rounds as one is lighter than the other; that is rejected.
//! - Cloth between a body and the floor, or between two bodies, hands on what presses on it, and what drags it: each of its points has a plane on either side, and both forces act on the same few grams. To take such
//!   points for held, with a mass to press with, is rejected: a body slid on them with ten times its friction, or was thrown.
//! - Points that a pin holds do not move, and all else is the same.
//!
//! Planes are those of where points end; if something is moved far by contact they are laid anew where it ends then ([`points`]). Afterwards bodies have their places for the substep, and cloth is kept off them and all else as off what is led: that holds it above every
//! surface, whatever the search left over. What that still does to velocities of particles the bodies get back. Impulses are told by motions, M·U and m·w, and what is left of their sum, the search not being exact, goes to the velocities of bodies and particles together:
//! momentum is kept to rounding, of what touches nothing that is led or pinned.
//!
//! A push takes from the way inward what would lead nearer than ε within the substep, and friction. There is no bounce. What is nearer than ε already is let apart gently.

mod newton;
#[cfg(test)]
mod oracle;
mod points;
mod program;
mod search;

use glam::{DMat3, DVec3};

use super::collide::Rules;
use super::obstacles::{Obstacle, ObstacleId, Placed};
use super::substep::{Way, placed};
use super::{Cloth, ClothWorldOptions};
use crate::math::{Mat6, Pose, Twist, Wrench};
use crate::mesh::sets::Sets;
use points::{Finder, NONE};
use program::Program;
use search::State;

/// Planes are laid anew where a point was moved by more than this part of ε, relative to what it touches, since they were. More takes curved surfaces for flat; less looks in vain.
const FAR: f64 = 0.05;
/// How often at most.
const MOST_RELAYS: usize = 3;

/// A body that gives way, in a substep.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FreeBody {
    pub(crate) obstacle: ObstacleId,
    /// kg.
    pub(crate) mass: f64,
    /// About the centre of mass, in the world, at the end of the substep.
    pub(crate) inertia: DMat3,
    /// The centre of mass in its frame.
    pub(crate) center: DVec3,
    /// m: how far points of it are from there at most.
    pub(crate) reach: f64,
    /// Where it is at the beginning.
    pub(crate) from: Pose,
    /// Where it is at the end: without cloth, and afterwards with it.
    pub(crate) to: Pose,
    /// What cloth did to its velocity in the substep before, to begin the search with.
    pub(crate) change: Twist,
    /// What cloth did to it, about its centre of mass at the end: N·s and N·m·s.
    pub(crate) impulse: Wrench,
}

impl FreeBody {
    /// What a push on any point of it has to move at the least, by turning it as well.
    fn least_mass(&self) -> f64 {
        // 1/M + r²·|I⁻¹|, and the trace is no less than the norm.
        let inverse = self.inertia.inverse();
        let trace = inverse.x_axis.x + inverse.y_axis.y + inverse.z_axis.z;
        1.0 / (1.0 / self.mass + self.reach * self.reach * trace)
    }

    /// Where it gets when it is turned from its way; to the last bit where it was going when it is not, for bodies that cloth has moved are taken on trust.
    fn moved(&self, by: &Twist) -> Pose {
        if *by == Twist::ZERO { self.to } else { self.to.displaced(by, self.center) }
    }
}

/// Keeps all cloth off all obstacles, those that give way among them, which are moved. How many points touch, and what cloth did to obstacles, about the origins of their frames at the end.
pub(super) fn keep_off(
    cloths: &mut [Cloth],
    free: &mut [FreeBody],
    (obstacles, ways): (&[Obstacle], &[Way]),
    (options, h): (&ClothWorldOptions, f64),
) -> (usize, Vec<Wrench>) {
    let mut placed = placed(obstacles, ways);
    let mut agreed = vec![Wrench::ZERO; obstacles.len()];
    let mut count = 0;
    if !free.is_empty() {
        count = agree(cloths, free, (obstacles, &mut placed), (options, h), &mut agreed);
    }
    let mut impulses = vec![Wrench::ZERO; obstacles.len()];
    let kept_off = cloths.iter_mut().map(|cloth| cloth.be_kept_off(options, h, (&placed, &mut impulses)));
    count = count.max(kept_off.sum());
    for body in free {
        let k = body.obstacle.index();
        let arm = body.to.position - body.to.place(body.center);
        let left = impulses[k];
        body.impulse += Wrench { torque: left.torque + arm.cross(left.force), ..left };
    }
    for (sum, of) in impulses.iter_mut().zip(agreed) {
        *sum += of;
    }
    (count, impulses)
}

/// Bodies and cloth turn each other from their ways. Bodies are left where they end, and so are particles. How many points touch.
fn agree<'a>(
    cloths: &mut [Cloth],
    free: &mut [FreeBody],
    (obstacles, placed): (&'a [Obstacle], &mut [Placed<'a>]),
    (options, h): (&ClothWorldOptions, f64),
    impulses: &mut [Wrench],
) -> usize {
    for body in free.iter() {
        placed[body.obstacle.index()].yields = Some(body.least_mass());
    }
    for cloth in cloths.iter_mut() {
        cloth.look_if_unknown(placed);
    }
    let rules: Vec<Rules> = cloths.iter().map(|cloth| cloth.rules(options, h)).collect();
    let mut program = Finder::new(cloths, &rules, (free, obstacles.len())).find(placed);
    let mut state = State::still(&program);
    for (body, u) in program.bodies.iter().zip(&mut state.bodies) {
        let change = free[body.number].change;
        *u = Twist { linear: change.linear * h, angular: change.angular * h };
    }
    for (of, w) in program.particles.iter().zip(&mut state.particles) {
        *w = cloths[of.cloth].contacts.yielded[of.index];
    }
    let fall = options.gravity.length() * h * h;
    let epsilon = rules.iter().map(|of| of.epsilon).fold(f64::INFINITY, f64::min);
    let fall = fall.max(1e-6 * epsilon);
    // How far points were moved when planes were laid.
    let mut laid = vec![DVec3::ZERO; program.rows.len()];
    for relay in 0.. {
        let mut next = state.clone();
        if program.search(&mut next, fall) || relay == 0 {
            state = next;
        }
        for (body, u) in program.bodies.iter().zip(&state.bodies) {
            let of = &free[body.number];
            let k = of.obstacle.index();
            placed[k] = obstacles[k].placed(k, of.from, of.moved(u));
            placed[k].yields = Some(of.least_mass());
        }
        let deltas = program.deltas(&state);
        let farthest = deltas.iter().zip(&laid).map(|(to, from)| to.distance(*from)).fold(0.0, f64::max);
        let is_near = farthest <= FAR * epsilon;
        if is_near || relay == MOST_RELAYS {
            break;
        }
        program.lay(&state, placed, &rules);
        laid = deltas;
    }
    for body in free.iter_mut() {
        (body.change, body.impulse) = (Twist::ZERO, Wrench::ZERO);
    }
    for cloth in cloths.iter_mut() {
        cloth.contacts.yielded.fill(DVec3::ZERO);
    }
    for (of, &w) in program.particles.iter().zip(&state.particles) {
        let cloth = &mut cloths[of.cloth];
        cloth.places[of.index] += w;
        cloth.contacts.yielded[of.index] = w;
    }
    let left = program.left_over(&state);
    for (of, left) in program.particles.iter().zip(&left.particles) {
        cloths[of.cloth].anchors[of.index] -= *left;
    }
    for ((body, u), left) in program.bodies.iter().zip(&state.bodies).zip(&left.bodies) {
        let of = &mut free[body.number];
        of.to = of.moved(u);
        let per_second = |by: &Twist| Twist { linear: by.linear / h, angular: by.angular / h };
        of.change = per_second(u);
        of.impulse = body.inertia.apply(&(of.change + per_second(left)));
        let arm = of.to.place(of.center) - of.to.position;
        impulses[of.obstacle.index()] +=
            Wrench { torque: of.impulse.torque + arm.cross(of.impulse.force), ..of.impulse };
    }
    program.count_pressed(&state, (placed, h), impulses)
}

impl Program {
    /// What particles and bodies that touch nothing else have to be moved by, in velocity alone, so that their momentum is what it was.
    fn left_over(&self, state: &State) -> State {
        let mut left = State::still(self);
        let (group_of_body, group_of_particle) = self.groups();
        let mut is_held = vec![false; self.bodies.len() + self.particles.len()];
        let deltas = self.deltas(state);
        for point in &self.points {
            let rows = point.rows.clone();
            let is_pressed = |k: usize| self.rows[k].pressed(deltas[k]) > 0.0;
            let is_pinned = point.ends.iter().any(|&(end, part)| end == NONE && part > 0.0);
            let by_others = |k: usize| self.rows[k].body == NONE || is_pinned;
            if rows.clone().any(|k| by_others(k) && is_pressed(k)) {
                for row in &self.rows[rows] {
                    if row.body != NONE {
                        is_held[group_of_body[row.body as usize]] = true;
                    }
                }
            }
        }
        for (group, _) in is_held.iter().enumerate().filter(|(_, is_held)| !**is_held) {
            let bodies: Vec<usize> = (0..self.bodies.len()).filter(|&b| group_of_body[b] == group).collect();
            let Some(&first) = bodies.first() else { continue };
            let about = self.bodies[first].center;
            let (mut sum, mut inertia) = (Wrench::ZERO, Mat6::ZERO);
            for &b in &bodies {
                let (body, arm) = (&self.bodies[b], self.bodies[b].center - about);
                let own = body.inertia.apply(&state.bodies[b]);
                sum += Wrench { torque: own.torque + arm.cross(own.force), ..own };
                inertia += Mat6::at_arms(&body.inertia.force_linear, arm, arm);
                inertia.torque_angular += body.inertia.torque_angular;
            }
            let particles: Vec<usize> =
                (0..self.particles.len()).filter(|&p| group_of_particle[p] == group).collect();
            for &p in &particles {
                let (of, arm) = (&self.particles[p], self.particles[p].place - about);
                sum += Wrench::of_force(state.particles[p] * of.mass, arm);
                inertia += Mat6::at_arms(&DMat3::from_diagonal(DVec3::splat(of.mass)), arm, arm);
            }
            // Bodies have mass, so it is definite but for numbers that are none.
            let by = inertia.solve(&-sum).unwrap_or(Twist::ZERO);
            for &b in &bodies {
                left.bodies[b] = Twist { linear: by.at(self.bodies[b].center - about), ..by };
            }
            for &p in &particles {
                left.particles[p] = by.at(self.particles[p].place - about);
            }
        }
        left
    }

    /// Bodies and particles that may touch, directly or by others: the group of each body and of each particle.
    fn groups(&self) -> (Vec<usize>, Vec<usize>) {
        let count = self.bodies.len();
        let mut sets = Sets::new(count + self.particles.len());
        for point in &self.points {
            let ends = point.ends.iter().filter(|(end, _)| *end != NONE);
            let particles = ends.map(|&(end, _)| count as u32 + end);
            let bodies = self.rows[point.rows.clone()].iter().filter(|row| row.body != NONE);
            let mut all = particles.chain(bodies.map(|row| row.body));
            if let Some(first) = all.next() {
                all.for_each(|other| sets.join(first, other));
            }
        }
        let mut of_body: Vec<usize> = sets.into_found().into_iter().map(|group| group as usize).collect();
        let of_particle = of_body.split_off(count);
        (of_body, of_particle)
    }

    /// How many points touch; and what those do to obstacles that are led.
    fn count_pressed(
        &self,
        state: &State,
        (placed, h): (&[Placed<'_>], f64),
        impulses: &mut [Wrench],
    ) -> usize {
        let deltas = self.deltas(state);
        let mut count = 0;
        for point in &self.points {
            let mut is_pressed = false;
            for k in point.rows.clone() {
                let row = &self.rows[k];
                let bound = row.pressed(deltas[k]);
                is_pressed |= bound > 0.0;
                if bound > 0.0 && row.body == NONE {
                    let impulse = row.force(deltas[k], bound) * (-1.0 / h);
                    impulses[row.obstacle] +=
                        Wrench::of_force(impulse, point.place - placed[row.obstacle].origin);
                }
            }
            count += usize::from(is_pressed);
        }
        count
    }
}
