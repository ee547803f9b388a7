//! A step of Newton's method: the function near a state as a quadratic one, and where that is least.
//!
//! Bodies and particles have masses of their own, and each row joins a body with one particle, or with the two ends of an edge. Conjugate gradients solve for the step, with a matrix beside them that can be
//! eliminated: a point on an edge counts in it as half a point at each end, which is no softer, for (½a + ½b − c)² ≤ ½(a − c)² + ½(b − c)², and as stiff where both move alike. So particles are joined
//! with bodies alone in it; they are eliminated one by one, and what is left has six unknowns for each body. Without edges it is the matrix itself. To eliminate with edges fills in: it takes a hundred times as long for some hundreds of particles.

use std::collections::BTreeMap;

use glam::{DMat3, DVec3};

use super::points::NONE;
use super::program::{BETWEEN, Program};
use super::search::State;
use crate::math::spatial::{Cholesky6, cross_matrix};
use crate::math::{Mat6, Twist, Wrench};

/// Rounds of conjugate gradients at most; a step that is less than the best is a step down still.
const MOST_ROUNDS: usize = 40;
/// They end where what is left is this part of what it was, in the matrix's own measure. Less costs rounds, more costs steps.
const LEFT: f64 = 1e-3;

/// A row near a state.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hold {
    /// Whether it does anything there.
    pub(super) is_active: bool,
    /// On the point, kg·m.
    pub(super) force: DVec3,
    /// What that falls by as the point moves, kg.
    pub(super) stiffness: DMat3,
}

/// Forces on all bodies and particles, kg·m.
struct Forces {
    particles: Vec<DVec3>,
    bodies: Vec<Wrench>,
}

impl Forces {
    /// What they work on a way.
    fn on(&self, way: &State) -> f64 {
        let of_particles: f64 = self.particles.iter().zip(&way.particles).map(|(f, w)| f.dot(*w)).sum();
        let of_body = |(f, u): (&Wrench, &Twist)| f.force.dot(u.linear) + f.torque.dot(u.angular);
        of_particles + self.bodies.iter().zip(&way.bodies).map(of_body).sum::<f64>()
    }

    fn less(&mut self, others: &Self, part: f64) {
        for (f, other) in self.particles.iter_mut().zip(&others.particles) {
            *f -= *other * part;
        }
        for (f, other) in self.bodies.iter_mut().zip(&others.bodies) {
            *f = *f - *other * part;
        }
    }
}

/// How a particle is joined with a body: H between both, of its linear and angular part.
#[derive(Clone, Copy)]
struct Coupling {
    body: u32,
    linear: DMat3,
    angular: DMat3,
}

const UNCOUPLED: Coupling = Coupling { body: NONE, linear: DMat3::ZERO, angular: DMat3::ZERO };

/// The matrix in which points on edges are halved, with its particles eliminated.
struct Halved<'a> {
    program: &'a Program,
    couplings: Vec<[Coupling; BETWEEN]>,
    /// Of particles.
    inverses: Vec<DMat3>,
    own: Vec<Mat6>,
    between: BTreeMap<(usize, usize), Mat6>,
}

impl Program {
    /// The step that leads from a state to the minimum, as far as it can be told from there; what is to be taken away. `None` where the matrix is not positive definite, by numbers that are none or by rounding.
    pub(super) fn step(&self, at: &State, holds: &[Hold]) -> Option<State> {
        let halved = self.halved(holds);
        let mut left = self.slope(at, holds);
        let mut towards = halved.solve(&left)?;
        let mut step = State::still(self);
        let mut size = left.on(&towards);
        let enough = LEFT * LEFT * size;
        for _ in 0..MOST_ROUNDS {
            let held = self.held(&towards, holds);
            let length = size / held.on(&towards);
            if !length.is_finite() {
                break;
            }
            step.add(&towards, length);
            left.less(&held, length);
            let next = halved.solve(&left)?;
            let size_next = left.on(&next);
            if size_next <= enough {
                break;
            }
            towards.turn_to(next, size_next / size);
            size = size_next;
        }
        Some(step)
    }

    fn inertia(&self, way: &State) -> Forces {
        Forces {
            particles: self.particles.iter().zip(&way.particles).map(|(of, &w)| w * of.mass).collect(),
            bodies: self.bodies.iter().zip(&way.bodies).map(|(body, u)| body.inertia.apply(u)).collect(),
        }
    }

    /// Adds what rows do, with a force on its point for each.
    fn add_rows(&self, forces: &mut Forces, holds: &[Hold], of: impl Fn(usize) -> DVec3) {
        for point in &self.points {
            for k in point.rows.clone().filter(|&k| holds[k].is_active) {
                let (row, force) = (&self.rows[k], of(k));
                for &(end, part) in point.ends.iter().filter(|(end, _)| *end != NONE) {
                    forces.particles[end as usize] -= force * part;
                }
                if row.body != NONE {
                    forces.bodies[row.body as usize] += Wrench::of_force(force, row.arm);
                }
            }
        }
    }

    /// The first derivatives.
    fn slope(&self, at: &State, holds: &[Hold]) -> Forces {
        let mut slope = self.inertia(at);
        self.add_rows(&mut slope, holds, |k| holds[k].force);
        slope
    }

    /// The second derivatives times a way.
    fn held(&self, way: &State, holds: &[Hold]) -> Forces {
        let mut held = self.inertia(way);
        let deltas = self.deltas(way);
        self.add_rows(&mut held, holds, |k| -(holds[k].stiffness * deltas[k]));
        held
    }

    fn halved(&self, holds: &[Hold]) -> Halved<'_> {
        let mut own: Vec<Mat6> = self.bodies.iter().map(|body| body.inertia).collect();
        let mut between: BTreeMap<(usize, usize), Mat6> = BTreeMap::new();
        let mut stiff: Vec<DMat3> =
            self.particles.iter().map(|of| DMat3::from_diagonal(DVec3::splat(of.mass))).collect();
        let slots = |bodies: &[u32; BETWEEN]| bodies.map(|body| Coupling { body, ..UNCOUPLED });
        let mut couplings: Vec<[Coupling; BETWEEN]> = self.between.iter().map(slots).collect();
        for point in &self.points {
            for k in point.rows.clone().filter(|&k| holds[k].is_active) {
                let (row, g) = (&self.rows[k], holds[k].stiffness);
                let mut turned = None;
                if row.body != NONE {
                    own[row.body as usize] += Mat6::at_arms(&g, row.arm, row.arm);
                    turned = Some(g * cross_matrix(row.arm));
                }
                for &(end, part) in point.ends.iter().filter(|(end, _)| *end != NONE) {
                    stiff[end as usize] += g * part;
                    let Some(turned) = turned else { continue };
                    let slot = couplings[end as usize].iter_mut().find(|one| one.body == row.body);
                    if let Some(one) = slot {
                        // −G·(δ + ω × r) = −G·δ + G·[r]×·ω.
                        one.linear -= g * part;
                        one.angular += turned * part;
                    }
                }
            }
        }
        let inverses: Vec<DMat3> = stiff.iter().map(DMat3::inverse).collect();
        for (couplings, inverse) in couplings.iter().zip(&inverses) {
            for (k, one) in joined(couplings).enumerate() {
                let a = one.body as usize;
                let (linear, angular) =
                    (one.linear.transpose() * *inverse, one.angular.transpose() * *inverse);
                for other in joined(&couplings[k..]) {
                    let b = other.body as usize;
                    let block = Mat6 {
                        force_linear: linear * other.linear,
                        force_angular: linear * other.angular,
                        torque_linear: angular * other.linear,
                        torque_angular: angular * other.angular,
                    } * -1.0;
                    if a == b {
                        own[a] += block;
                    } else if a < b {
                        *between.entry((a, b)).or_insert(Mat6::ZERO) += block;
                    } else {
                        *between.entry((b, a)).or_insert(Mat6::ZERO) += block.transpose();
                    }
                }
            }
        }
        Halved { program: self, couplings, inverses, own, between }
    }
}

impl Halved<'_> {
    fn solve(&self, forces: &Forces) -> Option<State> {
        let mut right = forces.bodies.clone();
        for ((couplings, inverse), force) in self.couplings.iter().zip(&self.inverses).zip(&forces.particles)
        {
            let alone = *inverse * *force;
            for one in joined(couplings) {
                let (linear, angular) = (one.linear.transpose(), one.angular.transpose());
                right[one.body as usize] += -Wrench { force: linear * alone, torque: angular * alone };
            }
        }
        let bodies: Vec<Twist> = match &self.program.order {
            Some(order) => order.solve(&self.own, &self.between, &right)?,
            None => {
                let each = self.own.iter().zip(&right);
                each.map(|(own, right)| Some(Cholesky6::new(own)?.solve(right))).collect::<Option<_>>()?
            }
        };
        let of_particle = |((couplings, inverse), force): ((&[Coupling; BETWEEN], &DMat3), &DVec3)| {
            let by_body = |one: &Coupling| {
                let twist = &bodies[one.body as usize];
                one.linear * twist.linear + one.angular * twist.angular
            };
            *inverse * (*force - joined(couplings).map(by_body).sum::<DVec3>())
        };
        let particles = self.couplings.iter().zip(&self.inverses).zip(&forces.particles);
        Some(State { particles: particles.map(of_particle).collect(), bodies })
    }
}

fn joined(couplings: &[Coupling]) -> impl Iterator<Item = &Coupling> {
    couplings.iter().take_while(|one| one.body != NONE)
}
