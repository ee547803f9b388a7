//! The god object's quadratic program: the step nearest to the wanted one that goes into nothing.
//!
//! A body at contact with something wants to move by u (a displacement, a velocity or an acceleration: 2016 §4.2 says acceleration). Every contact k allows what does not lead
//! deeper, J_k·a ≤ b_k, with J_k = (n, r × n) for a point at arm r whose normal n leads *into* what it touches, and b_k the gap there is, less the skin to be kept. Of all steps that
//! respect these rows the body takes the nearest, as its inertia measures distance (Gauss's principle):
//!
//! ```text
//! minimise ½·(a − u)ᵀ·M·(a − u)   subject to   J·a ≤ b,      a ∈ ℝ⁶
//! ```
//!
//! ```
//! use isotouch::contact::constraint::{Outcome, Row, Solver};
//! use isotouch::math::spatial::Cholesky6;
//! use isotouch::math::{DMat3, DVec3, Mat6, Twist};
//!
//! // A box that stands with four corners on the ground, z = 0, and is pushed down and sideways.
//! let metric = Cholesky6::new(&Mat6::inertia(1.0, DMat3::IDENTITY)).unwrap();
//! let corners = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
//! let rows = corners.map(|(x, y)| Row::contact(DVec3::NEG_Z, DVec3::new(x, y, -1.0), 0.0));
//! let mut solver = Solver::with_capacity(100);
//! let target = Twist { linear: DVec3::new(0.2, 0.0, -0.5), angular: DVec3::ZERO };
//! let solution = solver.solve(&metric, &target, &rows);
//! assert_eq!(solution.outcome, Outcome::Solved);
//! assert!((solution.step.linear - DVec3::new(0.2, 0.0, 0.0)).length() < 1e-12, "it slides");
//! assert!((solver.wrench(&rows).force.z - 0.5).abs() < 1e-12, "the ground pushes up");
//! ```
//!
//! # Why a dual method
//!
//! There are six unknowns, and up to some hundred rows of which at most six independent ones matter. With M = L·Lᵀ and y = Lᵀ(a − u) it is the shortest vector of a
//! polyhedron. A dual active-set method (Goldfarb & Idnani 1983) starts at the wanted step, where most often few rows are violated, and takes up one at a time; it
//! needs no feasible point to begin with, notices by itself when there is none, and proves it. One round looks at every row once (six products) and does some hundred operations on a 6×6
//! factor. A guess of the active rows, such as those of the step before, is as good a start ([`Solver::solve_from`]).
//!
//! Because lengths are measured by M, metres and radians need no weighing against each other: rows are scaled to unit length in M⁻¹.
//!
//! # What is guaranteed
//!
//! *Solved*: every row holds to [`Solution::tolerance`], which is ten digits nearly always and six in the worst case; λ ≥ 0, λ is positive only where the row holds
//! with equality to that tolerance, and M(a − u) = −Jᵀλ to that of the terms. *Conflict*: the weights are a proof. Outcomes other than these have a = 0,
//! which is always finite, and with [`Solver::solve_or_relax`] always safe. The same input gives the same bits.
//!
//! # What may go wrong
//!
//! - Rows that contradict each other by needles: two walls that meet at less than 10⁻⁸ rad somewhere far away count as a conflict. [`Outcome::Conflict`] says how far the proof reaches.
//! - Rows that are parallel to 10⁻¹⁰ are one row. So are those parallel to 10⁻⁸, or 10⁻⁶, where rounding would decide otherwise: a search that ends in something that its own checks
//!   refuse is made again, more coarsely.
//! - An M of condition κ costs a factor √κ in these tolerances once it exceeds 10¹⁰ or so, for rows are then no longer known to ten digits as M sees them.
//! - Rows that are not numbers are refused, not passed over: a contact that is left out is a hole.
//!
//! # Stuck
//!
//! With b = 0, a = 0 is always allowed, so nothing is ever "infeasible"; the body just may not move. [`Solver::freedom`] tells which: *free*, *pinched* or *jammed*.
//!
//! # Friction
//!
//! [`FrictionSolver`] adds Coulomb's, by some of these programs in a row.

mod basis;
mod dual;
mod freedom;
mod friction;
mod row;
mod solver;
mod unit_rows;

pub use freedom::Freedom;
pub use friction::{Contact, ContactForce, FrictionOptions, FrictionSolution, FrictionSolver};
pub use row::{Outcome, Refusal, Row, Solution, Weighted};
pub use solver::Solver;
