//! Steps that are taken in parts.
//!
//! The implicit integrator takes every contact for one against a plane, and finds forces for the end of the step. Where bodies strike others, are turned, and strike again within one step, planes that were laid at its beginning are
//! not those of its end: something ends deeper than anything pressed it, and its springs have energy that nobody gave. Such a step does not count. It is taken in two halves, these in halves again, and so on, as long as they make energy.
//!
//! Which steps are halved depends on the bodies alone, so the same start gives the same bits. Explicit integrators keep their steps: theirs explode by themselves, which experiments ask of them.

use super::report::{StepError, StepReport};
use super::world::{Integrator, World};

/// Energy that a step may make, as a part of that of motion and springs before it. More lets impacts be felt as jumps in the energy; less halves steps in which nothing is wrong but rounding of corners.
const BEARABLE: f64 = 1e-3;
/// And as a part of that of the fall of all bodies within the step, m·(g·dt)²: what rests sways by less.
const OF_A_FALL: f64 = 0.01;
/// Parts of a step are no shorter than a sixteenth of it. Shorter ones would take more than they mend: what is left then counts as made.
const MOST_HALVINGS: u32 = 4;

impl World {
    /// A step, or its halves. On an error some of them may have been taken.
    pub(super) fn step_in_parts(&mut self, dt: f64, halvings: u32) -> Result<StepReport, StepError> {
        let may_halve = self.options.integrator == Integrator::Implicit && halvings < MOST_HALVINGS;
        if let Some(report) = self.attempt(dt, may_halve)? {
            return Ok(report);
        }
        let first = self.step_in_parts(0.5 * dt, halvings + 1)?;
        let forces: Vec<_> = self.bodies.iter().map(|body| body.contact_force).collect();
        let second = self.step_in_parts(0.5 * dt, halvings + 1)?;
        for (body, force) in self.bodies.iter_mut().zip(forces) {
            body.contact_force = (body.contact_force + force) * 0.5;
        }
        Ok(StepReport {
            max_penetration: first.max_penetration.max(second.max_penetration),
            max_penetration_cells: first.max_penetration_cells.max(second.max_penetration_cells),
            pairs: first.pairs.max(second.pairs),
            rounds: first.rounds + second.rounds,
            stopped: first.stopped + second.stopped,
            parts: first.parts + second.parts,
            contact_seconds: first.contact_seconds + second.contact_seconds,
            ..second
        })
    }

    /// How much energy a step may make before it is halved, J.
    pub(super) fn bearable(&self, dt: f64, [kinetic, elastic]: [f64; 2]) -> f64 {
        let mass: f64 = self.bodies.iter().filter(|body| body.is_dynamic()).map(|body| body.mass).sum();
        let fall = mass * (self.options.gravity * dt).length_squared();
        BEARABLE * (kinetic + elastic) + OF_A_FALL * fall
    }
}
