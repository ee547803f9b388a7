//! A hundred thousand programs, each answer checked.

use isotouch::contact::constraint::{Outcome, Solver};

use super::check::{check, dual_length, length, minus};
use super::problems::{FAMILIES, Family, Random};

const EACH: u64 = 12_000;

fn seeded(family: &Family, k: u64) -> Random {
    Random(family.name.bytes().fold(k, |seed, byte| seed.wrapping_mul(31) ^ u64::from(byte)))
}

/// 9 families of 12,000.
#[test]
fn every_answer_is_a_minimum_or_a_proof() {
    let mut solver = Solver::with_capacity(400);
    for family in &FAMILIES {
        let (mut solved, mut conflicts, mut most, mut active, mut coarse) = (0, 0, 0, 0, 0);
        for k in 0..EACH {
            let problem = (family.make)(&mut seeded(family, k));
            let solution = solver.solve(&problem.factor(), &problem.target, &problem.rows);
            check(&problem, &solution, solver.weights(), &format!("{} {k}", family.name));
            coarse += usize::from(solution.tolerance > 1e-10);
            most = most.max(solution.iterations);
            match solution.outcome {
                Outcome::Solved => {
                    solved += 1;
                    active += solver.weights().len();
                }
                _ => conflicts += 1,
            }
        }
        println!(
            "{:>16}: {solved} solved, {conflicts} conflicts, {:.1} active, {most} rounds at most, {coarse} coarse",
            family.name,
            active as f64 / solved as f64
        );
        assert!(solved > 2000, "{}: else it tests little", family.name);
    }
}

#[test]
fn relaxed_rows_always_have_an_answer() {
    let mut solver = Solver::with_capacity(400);
    let mut relaxed = 0;
    for family in &FAMILIES {
        for k in 0..2000 {
            let problem = (family.make)(&mut seeded(family, k));
            let solution = solver.solve_or_relax(&problem.factor(), &problem.target, &problem.rows, &[]);
            assert!(solution.is_minimum(), "{} {k}: {solution:?}", family.name);
            check(&problem, &solution, solver.weights(), &format!("{} {k}", family.name));
            relaxed += usize::from(solution.outcome == Outcome::Relaxed);
        }
    }
    assert!(relaxed > 1000);
}

/// Whatever is guessed. How much a minimum moves when rows change by rounding depends on how near to parallel its active rows are, so only those well apart are held to many digits.
#[test]
fn guesses_change_nothing_but_the_work() {
    let mut solver = Solver::with_capacity(400);
    let (mut cold_rounds, mut warm_rounds) = (0, 0);
    for family in &FAMILIES {
        for k in 0..3000 {
            let random = &mut seeded(family, k);
            let problem = (family.make)(random);
            let (factor, rows) = (problem.factor(), &problem.rows);
            let cold = solver.solve(&factor, &problem.target, rows);
            let exact: Vec<usize> = solver.weights().iter().map(|w| w.row).collect();
            let is_tame = !["copies", "nearly parallel", "clustered"].contains(&family.name);
            let guesses = [
                exact.clone(),
                exact.iter().rev().copied().skip(1).collect(),
                (0..8).map(|_| random.below(rows.len() + 3)).collect(),
            ];
            for (which, guess) in guesses.iter().enumerate() {
                let warm = solver.solve_from(&factor, &problem.target, rows, guess);
                let name = format!("{} {k} guess {which}", family.name);
                check(&problem, &warm, solver.weights(), &name);
                let same = matches!(
                    (cold.outcome, warm.outcome),
                    (Outcome::Solved, Outcome::Solved) | (Outcome::Conflict { .. }, Outcome::Conflict { .. })
                );
                assert!(same || !is_tame, "{name}: {:?} {:?}", cold.outcome, warm.outcome);
                if same && cold.is_minimum() {
                    let reach = length(&problem.metric, &problem.target)
                        + length(&problem.metric, &minus(&cold.step, &problem.target));
                    let apart = length(&problem.metric, &minus(&cold.step, &warm.step));
                    // Of bounds of 10³ times the target's size a share is rounding as well.
                    let bound = rows
                        .iter()
                        .map(|row| row.bound.abs() / dual_length(&problem.metric, &row.direction))
                        .filter(|size| size.is_finite())
                        .fold(0.0, f64::max);
                    assert!(apart <= 1e-9 * (reach + bound) || !is_tame, "{name}: {apart:e} of {reach:e}");
                }
                if is_tame && which == 0 {
                    cold_rounds += cold.iterations;
                    warm_rounds += warm.iterations;
                }
            }
        }
    }
    println!("rounds: {cold_rounds} cold, {warm_rounds} warm");
    assert!(warm_rounds < cold_rounds / 10);
}
