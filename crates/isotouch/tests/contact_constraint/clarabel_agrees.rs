//! Clarabel, an interior-point method, as a second opinion.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus};
use isotouch::contact::constraint::{Outcome, Solver};
use isotouch::math::Twist;

use super::check::{length, minus};
use super::problems::{FAMILIES, Problem, Random};

/// Those that a solver with eight digits can be asked; the others are judged by the conditions of a minimum alone.
const ASKED: [&str; 6] = ["contacts", "clustered", "any rows", "conflicts", "low rank", "integers"];

fn six(w: &isotouch::math::Wrench) -> [f64; 6] {
    [w.force.x, w.force.y, w.force.z, w.torque.x, w.torque.y, w.torque.z]
}

/// The step, or `None` for a conflict; the outer `None` where Clarabel is not sure.
fn ask(problem: &Problem) -> Option<Option<Twist>> {
    let metric = problem.metric.to_rows();
    let mut upper = metric;
    for (i, row) in upper.iter_mut().enumerate() {
        row[..i].fill(0.0);
    }
    let p = CscMatrix::from(&upper);
    let pull = six(&problem.metric.apply(&problem.target));
    let q = pull.map(|x| -x).to_vec();
    let rows: Vec<[f64; 6]> = problem.rows.iter().map(|row| six(&row.direction)).collect();
    let a = if rows.is_empty() { CscMatrix::zeros((0, 6)) } else { CscMatrix::from(&rows) };
    let b: Vec<f64> = problem.rows.iter().map(|row| row.bound).collect();
    let cones = [NonnegativeConeT(rows.len())];
    let settings = DefaultSettings { verbose: false, ..DefaultSettings::default() };
    let mut solver = DefaultSolver::new(&p, &q, &a, &b, &cones, settings).unwrap();
    solver.solve();
    let x = &solver.solution.x;
    match solver.solution.status {
        SolverStatus::Solved => Some(Some(Twist {
            linear: isotouch::math::DVec3::from_slice(&x[..3]),
            angular: isotouch::math::DVec3::from_slice(&x[3..]),
        })),
        SolverStatus::PrimalInfeasible => Some(None),
        _ => None,
    }
}

#[test]
fn clarabel_finds_the_same() {
    let mut solver = Solver::with_capacity(400);
    let (mut same, mut conflicts, mut unsure) = (0, 0, 0);
    for family in FAMILIES.iter().filter(|family| ASKED.contains(&family.name)) {
        let mut random = Random(71);
        for k in 0..1500 {
            let problem = (family.make)(&mut random);
            let ours = solver.solve(&problem.factor(), &problem.target, &problem.rows);
            let name = format!("{} {k}", family.name);
            match (ask(&problem), ours.outcome) {
                (None, _) => unsure += 1,
                (Some(Some(theirs)), Outcome::Solved) => {
                    let change = minus(&ours.step, &problem.target);
                    let reach = length(&problem.metric, &problem.target) + length(&problem.metric, &change);
                    // The minimum of a square: eight digits of it are four of the step.
                    let apart = length(&problem.metric, &minus(&ours.step, &theirs));
                    assert!(apart <= 1e-3 * reach, "{name}: {apart:e} of {reach:e}");
                    let nearer = length(&problem.metric, &change)
                        - length(&problem.metric, &minus(&theirs, &problem.target));
                    assert!(nearer <= 1e-5 * reach, "{name}: theirs is nearer by {nearer:e} of {reach:e}");
                    same += 1;
                }
                (Some(None), Outcome::Conflict { .. }) => conflicts += 1,
                (theirs, ours) => panic!("{name}: {theirs:?}, but {ours:?}"),
            }
        }
    }
    println!("{same} the same, {conflicts} conflicts, {unsure} unsure");
    assert!(same > 6000 && conflicts > 500 && unsure < 100);
}
