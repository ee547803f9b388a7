//! Coulomb's friction for the god object.
//!
//! With normal forces λ known, friction is the derivative of a convex function: the step minimises
//!
//! ```text
//! ½·|a − u|²_M + Σ μ·λ·H(|slip(a)|)   subject to   J·a ≤ b
//! ```
//!
//! where slip is how far the point moves along the surface and H(s) = |s|, rounded off below the *slip length* s₀ (s²/2s₀ + s₀/2, Huber's function). Its derivative is Coulomb's force: μ·λ
//! against the slip, and in proportion to it where it is shorter than s₀: that is sticking. Each round takes the function for a quadratic one, a metric and a target of their own,
//! and solves that program; its multipliers are the next λ. Only active rows have any, so at most six contacts take part.
//!
//! Rounds are Newton's with an exact line search. The last round weighs the slip instead, force = −w·slip with w = μ·λ/max(|slip|, s₀): whatever the rounds before have come to,
//! friction is against the slip then and takes energy out. How far it is from Coulomb's law is measured and said ([`FrictionSolution::excess`]).

use glam::{DMat3, DVec3};

use super::row::{Outcome, Refusal, Row, Solution};
use super::solver::Solver;
use crate::math::spatial::{Cholesky6, outer};
use crate::math::{Mat6, Twist, Wrench};

/// Rounds end when λ changes by less than this part of the largest, and the step by less than this part of the target. Smaller is rounding; larger is seen as excess.
const SETTLED: f64 = 1e-8;
/// From this round on λ goes only this part of its way: where friction presses on what causes it (wedging), full changes go back and forth. One half settles a few wedges more and takes a
/// quarter more rounds.
const DAMPED_FROM: u32 = 4;
const DAMPED: f64 = 0.6;
/// Halvings of the line search: a millionth of the step.
const HALVINGS: u32 = 20;

/// A contact that rubs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Unit, into what is touched.
    pub normal: DVec3,
    /// From the reference point to the contact, m.
    pub arm: DVec3,
    /// How far the point may still move along the normal, m.
    pub bound: f64,
    /// μ ≥ 0.
    pub friction: f64,
}

impl Contact {
    /// Without the friction.
    pub fn row(&self) -> Row {
        Row::contact(self.normal, self.arm, self.bound)
    }

    /// How far the point moves along the surface.
    pub fn slip(&self, step: &Twist) -> DVec3 {
        let moved = step.at(self.arm);
        let normal = self.normal.normalize_or_zero();
        moved - normal * normal.dot(moved)
    }
}

/// What friction costs, and how exact it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrictionOptions {
    /// s₀: what sticks creeps by less than this in a step, m. Larger is soft; below a millionth of the steps rounding is felt.
    pub slip_length: f64,
    /// Most rounds. A block that slides or sticks settles within 30. Among random tilted contacts with μ up to 1, where bodies wedge, one in twelve does not settle in 40.
    pub rounds: u32,
}

impl Default for FrictionOptions {
    /// A tenth of a micrometre: beneath what fingers feel, and a ten-thousandth of a millimetre's step.
    fn default() -> Self {
        Self { slip_length: 1e-7, rounds: 40 }
    }
}

/// What a contact does to the body, in units of M·a.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ContactForce {
    /// λ ≥ 0, against the normal.
    pub normal: f64,
    /// Along the surface, against the slip.
    pub tangential: DVec3,
}

/// A step with friction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrictionSolution {
    /// As without friction; `iterations` are those of all rounds.
    pub solution: Solution,
    /// Programs solved.
    pub rounds: u32,
    /// By how much a tangential force is off Coulomb's at most, as part of the largest μ·λ: above μ·λ, or below it where the contact slides. Below 10⁻⁶ when settled; wedges that do not settle
    /// show here. The step is still within its rows, friction against the slip, and no energy is gained.
    pub excess: f64,
}

/// Finds steps with friction. Keeps its memory, so that solving allocates nothing.
#[derive(Debug, Clone)]
pub struct FrictionSolver {
    solver: Solver,
    rows: Vec<Row>,
    /// λ that friction is taken from in a round.
    pressing: Vec<f64>,
    forces: Vec<ContactForce>,
}

/// What a round takes the friction of a contact for: force = −stiffness·(motion of the point) − constant.
struct Model {
    stiffness: DMat3,
    constant: DVec3,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Newton,
    Weighted,
}

impl FrictionSolver {
    /// For this many contacts at most.
    pub fn with_capacity(contacts: usize) -> Self {
        Self {
            solver: Solver::with_capacity(contacts),
            rows: Vec::with_capacity(contacts),
            pressing: Vec::with_capacity(contacts),
            forces: Vec::with_capacity(contacts),
        }
    }

    /// Of every contact, after a step that is a minimum. With these M·(a − u) is the sum of [`FrictionSolver::wrench`].
    pub fn forces(&self) -> &[ContactForce] {
        &self.forces
    }

    /// What all contacts do to the body.
    pub fn wrench(&self, contacts: &[Contact]) -> Wrench {
        contacts.iter().zip(&self.forces).fold(Wrench::ZERO, |sum, (contact, force)| {
            sum + Wrench::of_force(force.tangential, contact.arm) - contact.row().direction * force.normal
        })
    }

    /// The step, with rows relaxed where they conflict ([`Solver::solve_or_relax`]).
    pub fn solve(
        &mut self,
        metric: &Mat6,
        target: &Twist,
        contacts: &[Contact],
        options: &FrictionOptions,
    ) -> FrictionSolution {
        self.forces.clear();
        let refused = |refusal| FrictionSolution {
            solution: Solution::none(Outcome::Refused(refusal)),
            rounds: 0,
            excess: 0.0,
        };
        if contacts.len() > self.solver.capacity() {
            return refused(Refusal::TooManyRows { capacity: self.solver.capacity() });
        }
        let slips_well = options.slip_length > 0.0 && options.slip_length.is_finite();
        let rubs_well =
            |contact: &Contact| contact.friction >= 0.0 && contact.friction.is_finite() && slips_well;
        if let Some(contact) = contacts.iter().position(|contact| !rubs_well(contact)) {
            return refused(Refusal::Friction { contact });
        }
        let Some(frictionless) = Cholesky6::new(metric) else { return refused(Refusal::Metric) };
        self.rows.clear();
        self.rows.extend(contacts.iter().map(Contact::row));
        let first = self.solver.solve_or_relax(&frictionless, target, &self.rows, &[]);
        let mut answer = FrictionSolution { solution: first, rounds: 1, excess: 0.0 };
        if !first.is_minimum() {
            return answer;
        }
        if first.outcome == Outcome::Relaxed {
            self.rows.iter_mut().for_each(|row| row.bound = row.bound.max(0.0));
        }
        self.pressing.clear();
        self.pressing.resize(contacts.len(), 0.0);
        self.press(1.0);
        let far = squared(metric, target);
        let mut at = first.step;
        let mut kind = if self.rubs(contacts) { Kind::Newton } else { Kind::Weighted };
        loop {
            let Some(found) = self.round(metric, target, contacts, options, (&at, kind)) else {
                return FrictionSolution {
                    solution: Solution {
                        iterations: answer.solution.iterations,
                        ..Solution::none(Outcome::Unsettled)
                    },
                    ..answer
                };
            };
            answer.rounds += 1;
            answer.solution.iterations += found.iterations;
            if kind == Kind::Weighted {
                answer.solution.step = found.step;
                answer.excess = self.account(contacts, options, &at, &found.step);
                return answer;
            }
            let change = difference(&found.step, &at);
            let share = self.downhill(metric, target, contacts, options, (&at, &change));
            at = Twist {
                linear: at.linear + change.linear * share,
                angular: at.angular + change.angular * share,
            };
            let pressed = self.press(if answer.rounds < DAMPED_FROM { 1.0 } else { DAMPED });
            let is_settled = pressed < SETTLED && squared(metric, &change) <= SETTLED * SETTLED * far;
            // The last but one: what is left is to be weighted.
            if is_settled || answer.rounds > options.rounds {
                kind = Kind::Weighted;
            }
        }
    }

    fn rubs(&self, contacts: &[Contact]) -> bool {
        contacts.iter().zip(&self.pressing).any(|(contact, &pressing)| contact.friction * pressing > 0.0)
    }

    /// λ of the last program becomes, by a share, what friction is taken from. Tells by how much it changed, as part of the largest.
    fn press(&mut self, share: f64) -> f64 {
        let (mut change, mut largest) = (0.0f64, 0.0f64);
        for row in 0..self.pressing.len() {
            let new = self.solver.weights().iter().find(|w| w.row == row).map_or(0.0, |w| w.weight);
            let old = self.pressing[row];
            change = change.max((new - old).abs());
            largest = largest.max(new).max(old);
            self.pressing[row] = old + share * (new - old);
        }
        if largest > 0.0 { change / largest } else { 0.0 }
    }

    /// The program with friction as it is at a step.
    fn round(
        &mut self,
        metric: &Mat6,
        target: &Twist,
        contacts: &[Contact],
        options: &FrictionOptions,
        (at, kind): (&Twist, Kind),
    ) -> Option<Solution> {
        let mut stiffer = *metric;
        let mut pull = metric.apply(target);
        for (contact, &pressing) in contacts.iter().zip(&self.pressing) {
            if let Some(model) = model(contact, pressing, options, at, kind) {
                stiffer += Mat6::at_arms(&model.stiffness, contact.arm, contact.arm);
                pull = pull - Wrench::of_force(model.constant, contact.arm);
            }
        }
        let factor = Cholesky6::new(&stiffer)?;
        // ½|a − u|²_M + ½aᵀKa + c·a is ½|a − u′|² in the metric M + K, with (M + K)u′ = Mu − c.
        let nearer = factor.solve(&pull);
        let mut guess = [usize::MAX; 6];
        for (guess, weight) in guess.iter_mut().zip(self.solver.weights()) {
            *guess = weight.row;
        }
        let found = self.solver.solve_from(&factor, &nearer, &self.rows, &guess);
        found.is_minimum().then_some(found)
    }

    /// How much of a change leads downhill: up to where the derivative vanishes.
    fn downhill(
        &self,
        metric: &Mat6,
        target: &Twist,
        contacts: &[Contact],
        options: &FrictionOptions,
        (at, change): (&Twist, &Twist),
    ) -> f64 {
        let slope = |share: f64| {
            let there = Twist {
                linear: at.linear + change.linear * share,
                angular: at.angular + change.angular * share,
            };
            let pull = metric.apply(&difference(&there, target));
            let mut slope = pull.force.dot(change.linear) + pull.torque.dot(change.angular);
            for (contact, &pressing) in contacts.iter().zip(&self.pressing) {
                let most = contact.friction * pressing;
                if most > 0.0 {
                    let slip = contact.slip(&there);
                    slope += most * slip.dot(change.at(contact.arm)) / slip.length().max(options.slip_length);
                }
            }
            slope
        };
        // At a minimum the slope is rounding, of either sign.
        let start = slope(0.0);
        if slope(1.0) <= 1e-6 * start.abs() {
            return 1.0;
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if slope(middle) > 0.0 { high = middle } else { low = middle }
        }
        0.5 * (low + high)
    }

    /// Forces of the last round, and how far they are from Coulomb's.
    fn account(&mut self, contacts: &[Contact], options: &FrictionOptions, at: &Twist, step: &Twist) -> f64 {
        let (mut excess, mut largest) = (0.0f64, 0.0f64);
        for (k, contact) in contacts.iter().enumerate() {
            let normal = self.solver.weights().iter().find(|w| w.row == k).map_or(0.0, |w| w.weight);
            let tangential = model(contact, self.pressing[k], options, at, Kind::Weighted)
                .map_or(DVec3::ZERO, |model| -(model.stiffness * step.at(contact.arm)));
            self.forces.push(ContactForce { normal, tangential });
            // λ is of the normal as it was given, μ is of forces.
            let most = contact.friction * normal * contact.normal.length();
            let off = tangential.length() - most;
            let slides = contact.slip(step).length() > options.slip_length;
            excess = excess.max(if slides { off.abs() } else { off });
            largest = largest.max(most);
        }
        if excess <= 0.0 {
            0.0
        } else if largest > 0.0 {
            excess / largest
        } else {
            f64::INFINITY
        }
    }
}

fn model(
    contact: &Contact,
    pressing: f64,
    options: &FrictionOptions,
    at: &Twist,
    kind: Kind,
) -> Option<Model> {
    let normal = contact.normal.try_normalize()?;
    let most = contact.friction * pressing * contact.normal.length();
    if most <= 0.0 {
        return None;
    }
    let slip = contact.slip(at);
    let length = slip.length();
    let along_surface = DMat3::IDENTITY - outer(normal, normal);
    let weight = most / length.max(options.slip_length);
    if kind == Kind::Weighted || length <= options.slip_length {
        return Some(Model { stiffness: along_surface * weight, constant: DVec3::ZERO });
    }
    // The force is μλ·s/|s|: constant along the slip, and turning with it.
    let along_slip = slip / length;
    Some(Model {
        stiffness: (along_surface - outer(along_slip, along_slip)) * weight,
        constant: along_slip * most,
    })
}

fn difference(a: &Twist, b: &Twist) -> Twist {
    Twist { linear: a.linear - b.linear, angular: a.angular - b.angular }
}

fn squared(metric: &Mat6, twist: &Twist) -> f64 {
    let wrench = metric.apply(twist);
    wrench.force.dot(twist.linear) + wrench.torque.dot(twist.angular)
}
