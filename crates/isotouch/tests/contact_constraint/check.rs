//! The conditions that make a step the minimum (Karush, Kuhn, Tucker), and those that make weights a proof. For a convex program the former are sufficient.

use isotouch::contact::constraint::{Outcome, Row, Solution, Weighted};
use isotouch::math::{Mat6, Twist, Wrench};

use super::problems::Problem;

pub(crate) fn work(wrench: &Wrench, twist: &Twist) -> f64 {
    wrench.force.dot(twist.linear) + wrench.torque.dot(twist.angular)
}

pub(crate) fn minus(a: &Twist, b: &Twist) -> Twist {
    Twist { linear: a.linear - b.linear, angular: a.angular - b.angular }
}

/// |a| in M.
pub(crate) fn length(metric: &Mat6, twist: &Twist) -> f64 {
    work(&metric.apply(twist), twist).max(0.0).sqrt()
}

/// |J| in M⁻¹. Scaled first: squares of 10⁻²⁰⁰ are zero.
pub(crate) fn dual_length(metric: &Mat6, wrench: &Wrench) -> f64 {
    let largest = wrench.force.abs().max_element().max(wrench.torque.abs().max_element());
    if largest == 0.0 {
        return 0.0;
    }
    let scaled = Wrench { force: wrench.force / largest, torque: wrench.torque / largest };
    largest * work(&scaled, &metric.solve(&scaled).unwrap()).max(0.0).sqrt()
}

/// Panics with the problem's seed unless the solution is what its outcome says.
pub(crate) fn check(problem: &Problem, solution: &Solution, weights: &[Weighted], name: &str) {
    assert!(solution.step.linear.is_finite() && solution.step.angular.is_finite(), "{name}");
    let mut seen = vec![false; problem.rows.len()];
    for weight in weights {
        assert!(weight.weight > 0.0 && weight.weight.is_finite(), "{name}: {weight:?}");
        assert!(!std::mem::replace(&mut seen[weight.row], true), "{name}: row {} twice", weight.row);
    }
    match solution.outcome {
        Outcome::Solved => is_minimum(problem, &problem.rows, solution, weights, name),
        Outcome::Relaxed => {
            let mut rows = problem.rows.clone();
            rows.iter_mut().for_each(|row| row.bound = row.bound.max(0.0));
            is_minimum(problem, &rows, solution, weights, name);
        }
        Outcome::Conflict { beyond } => is_conflict(problem, beyond, weights, name),
        other => panic!("{name}: {other:?} after {} rounds", solution.iterations),
    }
}

fn is_minimum(problem: &Problem, rows: &[Row], solution: &Solution, weights: &[Weighted], name: &str) {
    assert!(weights.len() <= 6, "{name}");
    let metric = &problem.metric;
    let change = minus(&solution.step, &problem.target);
    let reach = length(metric, &problem.target) + length(metric, &change);
    // What is stated, and what these checks themselves round.
    let tolerance = 2.0 * solution.tolerance + 1e-11;
    let slack = |row: &Row| tolerance * (row.bound.abs() + dual_length(metric, &row.direction) * reach);
    for (k, row) in rows.iter().enumerate() {
        let over = row.along(&solution.step) - row.bound;
        assert!(over <= slack(row), "{name}: row {k} is violated by {over:e}, allowed {:e}", slack(row));
    }
    let (mut rest, mut terms) = (metric.apply(&change), reach);
    for weight in weights {
        let row = &rows[weight.row];
        let over = row.along(&solution.step) - row.bound;
        assert!(over.abs() <= slack(row), "{name}: row {} has a multiplier and room {over:e}", weight.row);
        rest += row.direction * weight.weight;
        terms += weight.weight * dual_length(metric, &row.direction);
    }
    let off = dual_length(metric, &rest);
    assert!(off <= tolerance * terms, "{name}: M(a − u) + Jᵀλ = {off:e} of {terms:e}");
}

fn is_conflict(problem: &Problem, beyond: f64, weights: &[Weighted], name: &str) {
    assert!(!weights.is_empty() && weights.len() <= 7, "{name}");
    let (mut sum, mut terms, mut room, mut at_zero) = (Wrench::ZERO, 0.0, 0.0, 0.0);
    for weight in weights {
        let row = &problem.rows[weight.row];
        sum += row.direction * weight.weight;
        terms += weight.weight * dual_length(&problem.metric, &row.direction);
        room += weight.weight * (row.bound - row.along(&problem.target));
        at_zero += weight.weight * row.bound;
    }
    let residual = dual_length(&problem.metric, &sum);
    assert!(residual <= 2e-6 * terms, "{name}: Jᵀw = {residual:e} of {terms:e}");
    assert!(room < 0.0 && at_zero < 0.0, "{name}: room {room:e}, bᵀw = {at_zero:e}");
    // What rounding the weights leaves is more than what the proof had.
    assert!(
        residual <= -room / beyond + 1e-12 * terms,
        "{name}: beyond {beyond:e}, but {residual:e} and {room:e}"
    );
}
