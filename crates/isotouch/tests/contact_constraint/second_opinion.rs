//! Clarabel, an interior-point method, asked about the same programs.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus};
use isotouch::contact::constraint::{Outcome, Row, Solution, Solver};
use isotouch::math::Twist;

use super::check::{length, minus, work};
use super::problems::Problem;

/// Families in which rounding decides: opposite copies leave no room or a hair of it, and rows of all sizes are beyond a solver with eight digits unless they are evened out first.
pub(crate) const DELICATE: [&str; 3] = ["copies", "nearly parallel", "scales"];
/// By so much bounds are loosened and tightened, of rows of length 1 and a target of size 1: a hundred times what Clarabel calls solved.
const HAIR: f64 = 1e-6;

/// What Clarabel says beside ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opinion {
    /// The same step.
    Same,
    /// That rows conflict, as ours does.
    SameConflict,
    /// A hair of room decides between a step and a conflict.
    ByAHair,
    /// It is not sure itself.
    Unsure,
}

/// Asks about a program of a family; an error where the two differ, in words.
pub(crate) fn second_opinion(
    solver: &mut Solver,
    family: &str,
    problem: &Problem,
) -> Result<Opinion, String> {
    let ours = solver.solve(&problem.factor(), &problem.target, &problem.rows);
    if DELICATE.contains(&family) { up_to_a_hair(solver, problem, &ours) } else { plainly(problem, &ours) }
}

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
    let mut solver = DefaultSolver::new(&p, &q, &a, &b, &cones, settings).ok()?;
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

/// A step that is solved for has numbers; those that have none would pass all comparisons.
fn is_finite(ours: &Solution) -> Result<(), String> {
    let step = &ours.step;
    if step.linear.is_finite() && step.angular.is_finite() { Ok(()) } else { Err(format!("{step:?}")) }
}

/// Where answers do not hang on the last digits.
fn plainly(problem: &Problem, ours: &Solution) -> Result<Opinion, String> {
    is_finite(ours)?;
    match (ask(problem), ours.outcome) {
        (None, _) => Ok(Opinion::Unsure),
        (Some(Some(theirs)), Outcome::Solved) => {
            let change = minus(&ours.step, &problem.target);
            let reach = length(&problem.metric, &problem.target) + length(&problem.metric, &change);
            // The minimum of a square: eight digits of it are four of the step.
            let apart = length(&problem.metric, &minus(&ours.step, &theirs));
            // Where nothing is wanted, theirs is off zero by its own tolerance.
            if apart > 1e-3 * reach + 1e-8 {
                return Err(format!("{apart:e} of {reach:e} apart"));
            }
            let nearer =
                length(&problem.metric, &change) - length(&problem.metric, &minus(&theirs, &problem.target));
            if nearer > 1e-5 * reach + 1e-8 {
                return Err(format!("theirs is nearer by {nearer:e} of {reach:e}"));
            }
            Ok(Opinion::Same)
        }
        (Some(None), Outcome::Conflict { .. }) => Ok(Opinion::SameConflict),
        (theirs, ours) => Err(format!("{theirs:?}, but {ours:?}")),
    }
}

/// The same program with rows of length 1, a target and a metric of size 1, and how large the target was.
fn evened(problem: &Problem) -> (Problem, f64) {
    let Problem { metric, target, rows } = problem;
    let size = target.linear.abs().max(target.angular.abs()).max_element();
    let size = if size > 0.0 { size } else { 1.0 };
    let rows = rows.iter().map(|row| {
        let length = six(&row.direction).iter().map(|x| x * x).sum::<f64>().sqrt();
        Row { direction: row.direction * (1.0 / length), bound: row.bound / (length * size) }
    });
    let target = Twist { linear: target.linear / size, angular: target.angular / size };
    let metric = *metric * (1.0 / metric.to_rows()[0][0]);
    (Problem { metric, target, rows: rows.collect() }, size)
}

/// In proportion to the step: digits are counted from the largest.
fn hair(step: &Twist) -> f64 {
    HAIR * (1.0 + step.linear.length() + step.angular.length())
}

fn loosened(problem: &Problem, by: f64) -> Problem {
    let rows = problem.rows.iter().map(|row| Row { bound: row.bound + by, ..*row }).collect();
    Problem { rows, ..problem.clone() }
}

/// Where a hair of room moves the minimum far, two steps cannot be compared. But how far they go can: Clarabel's keeps rows to a hair, so it is no farther from the target than ours and no nearer than
/// ours with bounds loosened by a hair. And what one solves and the other calls a conflict is decided by a hair.
fn up_to_a_hair(solver: &mut Solver, problem: &Problem, ours: &Solution) -> Result<Opinion, String> {
    is_finite(ours)?;
    let (even, size) = evened(problem);
    let ours_evened = Twist { linear: ours.step.linear / size, angular: ours.step.angular / size };
    let mut nearly = |by: f64| {
        let nearly = loosened(&even, by);
        solver.solve(&nearly.factor(), &nearly.target, &nearly.rows)
    };
    let far = |step: &Twist| length(&even.metric, &minus(step, &even.target));
    match (ask(&even), ours.outcome) {
        (None, _) => Ok(Opinion::Unsure),
        (Some(Some(theirs)), Outcome::Solved) => {
            let loose = nearly(hair(&theirs));
            if loose.outcome != Outcome::Solved {
                return Err(format!("{:?} with a hair more room", loose.outcome));
            }
            let (least, found, most) = (far(&loose.step), far(&theirs), far(&ours_evened));
            // The minimum of a square: eight digits of it are four of the step.
            let reach = length(&even.metric, &even.target) + most;
            if least > found + 1e-5 * reach + 1e-8 {
                return Err(format!("{least} is farther than {found}, of {reach}"));
            }
            // Rows that leave a hair of room between them stop it far from the minimum; ours is nearer, and within its rows.
            let kept = even.rows.iter().map(|row| work(&row.direction, &ours_evened) - row.bound);
            let worst = kept.fold(0.0, f64::max);
            if worst > 1e-8 * (1.0 + reach) {
                return Err(format!("{worst:e} beyond a row"));
            }
            // Nor may ours be far from the minimum: what keeps rows that are a hair tighter keeps these, and must not be nearer.
            if most > found + 1e-3 * reach + 1e-8
                && let Some(Some(tight)) = ask(&loosened(&even, -hair(&theirs)))
                && most > far(&tight) + 1e-3 * reach + 1e-8
            {
                return Err(format!("{most} is farther than {}, of {reach}", far(&tight)));
            }
            Ok(if found <= most + 1e-3 * reach + 1e-8 { Opinion::Same } else { Opinion::Unsure })
        }
        (Some(None), Outcome::Conflict { .. }) => Ok(Opinion::SameConflict),
        (Some(Some(theirs)), Outcome::Conflict { .. }) => match nearly(hair(&theirs)).outcome {
            Outcome::Solved => Ok(Opinion::ByAHair),
            other => Err(format!("{other:?} with a hair more room")),
        },
        (Some(None), Outcome::Solved) => match nearly(-hair(&ours_evened)).outcome {
            Outcome::Conflict { .. } => Ok(Opinion::ByAHair),
            other => Err(format!("{other:?} with a hair less room")),
        },
        (theirs, ours) => Err(format!("{theirs:?}, but {ours:?}")),
    }
}
