//! The god object's quadratic program at 10, 50 and 100 rows, beside Clarabel on the same programs.
//!
//! `cargo bench -p isotouch --bench constraint`. Items are programs. Before the means, percentiles of single programs: what a loop at 1 kHz waits for.

#![allow(clippy::print_stdout)]

use std::time::Instant;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use isotouch::contact::constraint::{Row, Solver};
use isotouch::math::spatial::Cholesky6;
use isotouch::math::{DMat3, DVec3, Mat6, Twist, Wrench};

const PROGRAMS: usize = 2000;
const SIZES: [usize; 3] = [10, 50, 100];

struct Program {
    metric: Mat6,
    factor: Cholesky6,
    target: Twist,
    rows: Vec<Row>,
}

/// SplitMix64 (Steele et al. 2014).
struct Random(u64);

impl Random {
    /// In [−1, 1).
    fn signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 * 2f64.powi(-52) - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }
}

/// A body pushed into a hollow: normals within 60° of one direction, small gaps.
fn programs(rows: usize) -> Vec<Program> {
    let mut random = Random(5);
    let mut program = || {
        let metric = Mat6::inertia(1.0, DMat3::from_diagonal(DVec3::splat(0.4) + 0.2 * random.vector()));
        let into = random.vector().normalize_or_zero();
        let rows = (0..rows)
            .map(|_| {
                let normal = (into + 0.85 * random.vector().normalize_or_zero()).normalize_or_zero();
                Row::contact(normal, random.vector(), 1e-2 * random.signed().abs())
            })
            .collect();
        let target = Twist { linear: into + 0.3 * random.vector(), angular: 0.3 * random.vector() };
        Program { metric, factor: Cholesky6::new(&metric).expect("positive definite"), target, rows }
    };
    (0..PROGRAMS).map(|_| program()).collect()
}

fn ask_clarabel(program: &Program) -> f64 {
    let six = |w: &Wrench| [w.force.x, w.force.y, w.force.z, w.torque.x, w.torque.y, w.torque.z];
    let mut upper = program.metric.to_rows();
    for (i, row) in upper.iter_mut().enumerate() {
        row[..i].fill(0.0);
    }
    let q = six(&program.metric.apply(&program.target)).map(|x| -x);
    let rows: Vec<[f64; 6]> = program.rows.iter().map(|row| six(&row.direction)).collect();
    let bounds: Vec<f64> = program.rows.iter().map(|row| row.bound).collect();
    let settings = DefaultSettings { verbose: false, ..DefaultSettings::default() };
    let (p, a) = (CscMatrix::from(&upper), CscMatrix::from(&rows));
    let mut solver = DefaultSolver::new(&p, &q, &a, &bounds, &[NonnegativeConeT(rows.len())], settings)
        .expect("a program like any other");
    solver.solve();
    solver.solution.x[0]
}

/// Single programs, in microseconds.
fn percentiles(name: &str, programs: &[Program], mut solve: impl FnMut(&Program)) {
    programs.iter().take(200).for_each(&mut solve);
    let mut times: Vec<f64> = programs
        .iter()
        .map(|program| {
            let start = Instant::now();
            solve(black_box(program));
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize];
    println!("{name:>24}: p50 {:8.2} µs, p99 {:8.2} µs, max {:8.2} µs", at(0.5), at(0.99), at(1.0));
}

#[divan::bench(args = SIZES)]
fn cold(bencher: Bencher<'_, '_>, rows: usize) {
    let programs = programs(rows);
    let mut solver = Solver::with_capacity(rows);
    bencher.counter(ItemsCount::new(programs.len())).bench_local(|| {
        for program in &programs {
            black_box(solver.solve(&program.factor, &program.target, &program.rows));
        }
    });
}

fn main() {
    for rows in SIZES {
        let programs = programs(rows);
        let mut solver = Solver::with_capacity(rows);
        percentiles(&format!("{rows} rows, cold"), &programs, |program| {
            black_box(solver.solve(&program.factor, &program.target, &program.rows));
        });
        // The rows of the step before, in haptics most often the right ones; found apart, so that only the second search is timed.
        let guesses: Vec<Vec<usize>> = programs
            .iter()
            .map(|program| {
                solver.solve(&program.factor, &program.target, &program.rows);
                solver.weights().iter().map(|weight| weight.row).collect()
            })
            .collect();
        let mut next = (0..200).chain(0..programs.len());
        percentiles(&format!("{rows} rows, warm"), &programs, |program| {
            let guess = &guesses[next.next().unwrap_or(0)];
            black_box(solver.solve_from(&program.factor, &program.target, &program.rows, guess));
        });
        percentiles(&format!("{rows} rows, Clarabel"), &programs, |program| {
            black_box(ask_clarabel(program));
        });
    }
    divan::main();
}
