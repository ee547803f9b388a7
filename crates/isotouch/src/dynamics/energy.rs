//! Where energy comes from, to tell a run that explodes from one that is pushed.
//!
//! Contact can only take energy. What bodies have at the end of a step and not at its beginning, users' forces and bodies that are led have done the work for; what is left was made by steps too
//! long for their springs. Such excess is added up, and paid back by what contact takes later. When it is more than there ever was to make motion of (what bodies came with, fell by, and were
//! given), the run has diverged.

use super::free::Moved;
use super::parts::bearable;
use super::world::{Integrator, Stepped, World};
use crate::contact::{Law, Stiffness};
use crate::math::{Twist, Wrench};

/// Energy to begin with that nobody misses: bodies lifted by this part of their size.
const LIFTED: f64 = 0.1;
/// Part of a body's surface that may rest on something at once: one face of a cube.
const RESTING: f64 = 1.0 / 6.0;

/// Of the sums of all energies, what rounding may come to: a thousand bodies far from the origin, some units in the last place each.
const ROUNDING: f64 = 1e-12;

/// The energy account of a world. All in J.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct EnergyWatch {
    /// Kinetic energy that bodies came with, and work that was done on them.
    pub given: f64,
    /// Potential energy to count falls from.
    pub reference: f64,
    /// The lowest potential energy so far.
    pub lowest: f64,
    /// Energy that contacts made and did not take again.
    pub excess: f64,
    /// Kinetic, potential and elastic energy after the last step; `None` before the first. The last one is infinite where bodies were moved since, as by cloth: nobody knows then what springs have.
    pub last: Option<[f64; 3]>,
}

impl EnergyWatch {
    /// What changed between steps was done by the user.
    fn begin(&mut self, [kinetic, potential]: [f64; 2]) {
        match self.last {
            None => *self = Self { given: kinetic, reference: potential, lowest: potential, ..*self },
            Some([last_kinetic, last_potential, _]) => {
                self.given += (kinetic - last_kinetic).abs();
                self.reference += potential - last_potential;
                self.lowest += potential - last_potential;
            }
        }
    }

    /// A step: energies after it, and the work that was done in it. What contacts made of it, less what they took.
    fn end(&mut self, before: [f64; 2], after: [f64; 3], work: f64) -> f64 {
        let elastic = self.last.map_or(0.0, |last| last[2]);
        let more = after.iter().sum::<f64>() - before.iter().sum::<f64>() - elastic;
        // Where nobody knows what springs had, nothing is added, and nothing is paid back.
        let made = if elastic.is_finite() { more - work } else { 0.0 };
        self.excess = (self.excess + made).max(0.0);
        self.given += work.max(0.0);
        self.lowest = self.lowest.min(after[1]);
        self.last = Some(after);
        made
    }

    /// All that there was to make motion of.
    pub fn available(&self) -> f64 {
        self.given + self.reference - self.lowest
    }
}

/// How long the steps of an explicit integrator may be.
#[derive(Debug, Clone, PartialEq)]
pub struct StableStep {
    /// The body that needs the shortest.
    pub body: String,
    /// s: √(m/k) without damping, m/(kτ) with much, τ the damping time; with steps much longer springs overshoot, or dampers push back faster than bodies came.
    pub dt: f64,
}

impl World {
    /// The account after a step, whether what contacts made in it is bearable, and whether they made more energy than there was: then the body that gained most.
    pub(super) fn watch(&self, stepped: &Stepped, dt: f64) -> (EnergyWatch, bool, Option<usize>) {
        let now = self.report();
        let before = [now.kinetic_energy, now.potential_energy];
        let mut watch = self.energy;
        watch.begin(before);
        let (mut kinetic, mut potential, mut work, mut unseen) = (0.0, 0.0, 0.0, 0.0);
        // Of bodies that contacts act on.
        let (mut acted_on, mut fall) = (0.0, 0.0);
        let (mut gained, mut most) = (None, f64::NEG_INFINITY);
        let is_led = self.bodies.iter().any(|body| !body.is_dynamic() && body.twist() != Twist::ZERO);
        let delayed = self.options.integrator == Integrator::Papers;
        for (k, (body, of)) in self.bodies.iter().zip(&stepped.moves).enumerate() {
            // The papers' loop acts with the force of the step before.
            let force = if delayed { body.contact_force } else { stepped.forces[k] };
            if !body.is_dynamic() {
                // What is led does the work that contact takes from it.
                work -= dt * (force.force.dot(of.velocity) + force.torque.dot(of.rate));
                continue;
            }
            let (own, twist) = kinetic_after(body, of);
            kinetic += own;
            let lost =
                body.mass * self.options.gravity.dot(of.pose.place(body.center) - body.center_of_mass());
            potential -= body.mass * self.options.gravity.dot(of.pose.place(body.center));
            let more = own - body.kinetic_energy();
            if force == Wrench::ZERO && of.carried.is_none() {
                // Nothing touches it: whatever the order of the integrator makes of its motion, no contact does.
                work += more - lost;
            } else {
                // Along the way that it goes, as gravity does: with the velocity after the step.
                work += dt
                    * (body.user_force.force.dot(twist.linear) + body.user_force.torque.dot(twist.angular));
                acted_on += body.kinetic_energy();
                // As much in all parts of a step as in the whole: halves of the square of dt would be a quarter.
                fall += body.mass * (self.options.gravity * dt).length_squared() / self.part;
            }
            if is_led && of.carried.is_some() {
                // What strikes a bullet is not among the forces.
                work += more.max(0.0);
            }
            if more > most {
                (gained, most) = (Some(k), more);
            }
            let speed = self.options.separation_speed;
            let gravity = self.options.gravity.length();
            let lifted = LIFTED * body.shape.around().radius * gravity;
            unseen += body.mass * (lifted + (gravity * dt).powi(2) + speed * speed);
        }
        let after = [kinetic, potential, stepped.pressed.elastic_energy];
        let elastic = watch.last.map_or(0.0, |last| last[2]);
        if self.lets_apart() {
            // The shrinking allowance presses springs; what has no contact is led along its way out, also upwards. More than that is made by contacts, whoever else is let apart.
            let more = after.iter().sum::<f64>() - before.iter().sum::<f64>() - elastic;
            work = work.max(more.min((after[2] - elastic).max(0.0) + unseen));
        }
        let rounding = ROUNDING * after.iter().chain(&before).map(|energy| energy.abs()).sum::<f64>();
        let is_bearable = watch.end(before, after, work) <= bearable([acted_on, elastic], fall) + rounding;
        let has_diverged = watch.excess > watch.available() + unseen;
        (watch, is_bearable, gained.filter(|_| has_diverged))
    }

    /// The longest step that the explicit integrators can be trusted with, or `None` for the implicit one, which takes any. An estimate: the mass of a body and the springs and dampers
    /// under a sixth of its surface.
    pub fn stable_step(&self) -> Option<StableStep> {
        if self.options.integrator == Integrator::Implicit {
            return None;
        }
        let mut kinds: Vec<crate::contact::Material> = Vec::new();
        let all = self.bodies.iter().map(|body| body.material);
        for material in all.chain(self.surfaces.iter().map(|surface| surface.material)) {
            if !kinds.contains(&material) {
                kinds.push(material);
            }
        }
        let mut found: Option<StableStep> = None;
        for body in self.bodies.iter().filter(|body| body.is_dynamic()) {
            let Some(shell) = body.shape.shell() else { continue };
            let resting = |stiffness: Stiffness| match stiffness {
                Stiffness::PerArea(k) => k * RESTING * shell.weights().iter().sum::<f64>(),
                Stiffness::PerPoint(k) => k * (RESTING * shell.len() as f64).max(1.0),
            };
            let longest = |law: &Law| {
                // k·dt²/m + kτ·dt/m = 1: half of what a symplectic step with the mean depth along its way bears.
                let square = body.mass / resting(law.stiffness);
                2.0 * square / (law.damping + (law.damping * law.damping + 4.0 * square).sqrt())
            };
            let dt = kinds
                .iter()
                .map(|other| longest(&self.law_between(&body.material, other)))
                .fold(f64::INFINITY, f64::min);
            if found.as_ref().is_none_or(|of| dt < of.dt) {
                found = Some(StableStep { body: body.name.clone(), dt });
            }
        }
        found
    }
}

fn kinetic_after(body: &super::Body, of: &Moved) -> (f64, Twist) {
    let angular = body.angular_velocity_of(of.pose.rotation, of.angular_momentum);
    let energy = 0.5 * (body.mass * of.velocity.length_squared() + of.angular_momentum.dot(angular));
    (energy, Twist { linear: of.velocity, angular })
}
