//! What is given back of the angular momentum of two bodies that met on their way.
//!
//! An impulse J at the part t of a step acts where bodies are by then, with arms from their centres there. A step that moves on with the new velocity from the very beginning acts as if J came at
//! t = 0; for two free bodies w × J of their angular momentum would be lost, w being how far the centre of A has gone by then less that of B. So both centres are shifted against each other by D/m_A and −D/m_B, such
//! that D × (v_A' − v_B') is what was missing: their common centre stays, and the angular momentum is kept to rounding, however many touch at once. What no shift can do, along v_A' − v_B', is
//! of second order in J and goes to the turning of both.

use std::collections::BTreeMap;

use glam::DVec3;

use super::free::Moved;
use super::world::World;

/// For each pair of bodies.
pub(super) type Delays = BTreeMap<(usize, usize), Delay>;

/// Of the impulses J of two bodies.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Delay {
    /// ∑ t·J on the first one, t the part of the step before J.
    pub(super) impulse: DVec3,
    /// ∑ w × J, whichever body comes first: the angular momentum that both would lose.
    pub(super) missing: DVec3,
}

/// Which of the shifts that do it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shift {
    /// The shortest.
    Least,
    /// The one across the impulse, which presses nothing in, unless it is longer than the way of the step; else the shortest.
    Sideways,
}

/// Adds a delay of an impulse on `body`, the other way on `other`.
pub(super) fn add_delay(delays: &mut Delays, (body, other): (usize, usize), delay: Delay) {
    let (pair, impulse) =
        if body < other { ((body, other), delay.impulse) } else { ((other, body), -delay.impulse) };
    let sum = delays.entry(pair).or_default();
    sum.impulse += impulse;
    sum.missing += delay.missing;
}

impl World {
    /// The part of an angular momentum that the first of two bodies takes, so that both turn about as fast by it.
    pub(super) fn share_of_turning(&self, a: usize, b: usize) -> f64 {
        let trace = |k: usize| {
            let inertia = self.bodies[k].inertia;
            inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z
        };
        trace(a) / (trace(a) + trace(b))
    }

    pub(super) fn give_back(
        &self,
        (delays, shift): (&Delays, Shift),
        free: &[Moved],
        moves: &mut [Moved],
        dt: f64,
    ) {
        for (&(a, b), &Delay { impulse: delay, missing }) in delays {
            let is_free = |k: usize| self.bodies[k].is_dynamic() && moves[k].carried.is_none();
            if missing == DVec3::ZERO || !is_free(a) || !is_free(b) {
                continue;
            }
            let before = free[a].velocity - free[b].velocity;
            let after = moves[a].velocity - moves[b].velocity;
            let square = after.length_squared();
            // D = v' × E/|v'|², the shortest with D × v' = E.
            let least = after.cross(missing) / square;
            let least = if least.is_finite() { least } else { DVec3::ZERO };
            let masses = (self.bodies[a].mass, self.bodies[b].mass);
            let reduced = masses.0 * masses.1 / (masses.0 + masses.1);
            let mut shifted = least.clamp_length_max(2.0 * dt * delay.length());
            if shift == Shift::Sideways {
                // Any part along v' may be added.
                let sideways = least - after * (least.dot(delay) / after.dot(delay));
                if sideways.is_finite() && sideways.length() <= reduced * dt * before.length() {
                    shifted = sideways;
                }
            }
            moves[a].pose.position += shifted / masses.0;
            moves[b].pose.position -= shifted / masses.1;
            let left = missing - shifted.cross(after);
            let share = self.share_of_turning(a, b);
            moves[a].angular_momentum += left * share;
            moves[b].angular_momentum += left * (1.0 - share);
        }
    }
}
