//! Steps that are taken in parts.
//!
//! The implicit integrator takes every contact for one against a plane, and finds forces for the end of the step. Where bodies strike others, are turned, and strike again within one step, planes that were laid at its beginning are
//! not those of its end: something ends deeper than anything pressed it, and its springs have energy that nobody gave. Such a step does not count. It is taken in two halves, these in halves again, and so on, as long as they make energy.
//!
//! The sum over all bodies that contacts act on decides: what one pair makes, others may hide that lose as much. Where cloth has moved bodies nobody knows what their springs had (`beside`), and no step is halved.
//!
//! Which steps are halved depends on the bodies alone, so the same start gives the same bits. Explicit integrators keep their steps: theirs explode by themselves, which experiments ask of them.

use super::report::{StepError, StepReport};
use super::world::{Integrator, World};

/// Energy that a step may make, as a part of that of springs, and of motion of what contacts act on, before it. More lets impacts be felt as jumps in the energy; less halves steps in which nothing is wrong but rounding of corners.
const BEARABLE: f64 = 1e-3;
/// And as a part of that of their fall within the step, m·(g·dt)²: what rests sways by less.
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
        self.part = 0.5f64.powi(halvings as i32 + 1);
        let first = self.step_in_parts(0.5 * dt, halvings + 1)?;
        let forces: Vec<_> = self.bodies.iter().map(|body| body.contact_force).collect();
        // The first half may have been taken in smaller parts.
        self.part = 0.5f64.powi(halvings as i32 + 1);
        let second = self.step_in_parts(0.5 * dt, halvings + 1)?;
        for (body, force) in self.bodies.iter_mut().zip(forces) {
            body.contact_force = (body.contact_force + force) * 0.5;
        }
        Ok(first.followed_by(&second))
    }
}

/// How much energy a step may make before it is halved, J, by the energy before it of what contacts act on, and by m·(g·dt)² of these, dt being the whole step, times the part of it that is taken.
pub(super) fn bearable([kinetic, elastic]: [f64; 2], fall: f64) -> f64 {
    BEARABLE * (kinetic + elastic) + OF_A_FALL * fall
}
