//! The god object's quadratic program by itself: programs that are hard in one way or another, beside Clarabel, and the time of those with many rows.

use std::sync::Arc;

use glam::{DMat3, DVec3};
use isotouch::contact::constraint::{Outcome, Row, Solver};
use isotouch::haptics::{GodObject, GodObjectOptions};
use isotouch::math::spatial::Cholesky6;
use isotouch::math::{Mat6, Twist};

use super::Setup;
use super::peg::Pin;
use crate::haptic_scenes::Sorted;
use crate::random::Random;
use crate::report::{Report, Table, count, number};
use crate::timing::timed;

// What the library's tests ask, so that both are of the same programs.
#[allow(dead_code, clippy::unwrap_used)]
#[path = "../../../crates/isotouch/tests/contact_constraint/check.rs"]
mod check;
#[allow(dead_code, clippy::unwrap_used)]
#[path = "../../../crates/isotouch/tests/contact_constraint/problems.rs"]
mod problems;
#[allow(dead_code)]
#[path = "../../../crates/isotouch/tests/contact_constraint/second_opinion.rs"]
mod second_opinion;

use problems::{FAMILIES, Family};
use second_opinion::second_opinion;

/// What is asked of a program of 50 rows, s.
const TARGET: f64 = 10e-6;
const ROWS: usize = 50;

/// Duplicate, opposite, nearly parallel rows, of all sizes, 0 to 200: is anything ever not a number, and does Clarabel say the same?
pub(super) fn adversarial(setup: &Setup, report: &mut Report) {
    let (each, asked) = if setup.quick { (150, 15) } else { (12_000, 1_000) };
    let mut table = Table::new(
        format!("Programs that are hard in one way or another, {} of each kind", count(each)),
        &[
            "rows",
            "solved",
            "proven to conflict",
            "neither",
            "not a number",
            "Clarabel asked",
            "the same",
            "decided by a hair",
            "Clarabel not sure",
            "differs",
        ],
    );
    for family in &FAMILIES {
        let seen = Seen::of(family, each, asked);
        let Seen {
            solved, conflicts, unsettled, not_numbers, opinions: [same, conflict, hair, unsure], ..
        } = seen;
        let told = [
            solved,
            conflicts,
            unsettled,
            not_numbers,
            asked,
            same + conflict,
            hair,
            unsure,
            seen.differ.len() as u64,
        ];
        table.row([vec![family.name.into()], told.map(count).to_vec()].concat());
        if unsettled + not_numbers > 0 {
            report.failures.push(format!(
                "{}: {unsettled} programs without an answer, {not_numbers} steps that are not numbers",
                family.name
            ));
        }
        if 10 * unsure > asked {
            report.failures.push(format!(
                "{}: Clarabel is not sure about {unsure} of {asked}, so it was hardly asked",
                family.name
            ));
        }
        if let Some(words) = seen.differ.first() {
            report.failures.push(format!("{}: Clarabel differs, {words}", family.name));
        }
    }
    report.tables.push(table);
    report.remarks.push(
        "Rows: points all over a body (contacts), on few faces (clustered), any, copied (also turned round and scaled), nearly parallel up to 10⁻¹⁵, of sizes from 10⁻³⁰ to 10³⁰, that conflict, in few dimensions, and of \
         small whole numbers; 0 to 200 of them. Clarabel, an interior-point method, is asked about the first of each kind. Where a hair of room (10⁻⁶) decides between a step and a conflict, that hair is what the two differ by; \
         where Clarabel stops without an answer it is not sure."
            .into(),
    );
}

#[derive(Default)]
struct Seen {
    solved: u64,
    conflicts: u64,
    unsettled: u64,
    not_numbers: u64,
    /// Of Clarabel: same step, same conflict, by a hair, unsure.
    opinions: [u64; 4],
    differ: Vec<String>,
}

impl Seen {
    fn of(family: &Family, each: u64, asked: u64) -> Self {
        let mut solver = Solver::with_capacity(400);
        let mut seen = Self::default();
        for k in 0..each {
            // Each from its own number.
            let seed = family.name.bytes().fold(k, |seed, byte| seed.wrapping_mul(31) ^ u64::from(byte));
            let problem = (family.make)(&mut problems::Random(seed));
            let solution = solver.solve(&problem.factor(), &problem.target, &problem.rows);
            match solution.outcome {
                Outcome::Solved => seen.solved += 1,
                Outcome::Conflict { .. } => seen.conflicts += 1,
                _ => seen.unsettled += 1,
            }
            let Twist { linear, angular } = solution.step;
            seen.not_numbers += u64::from(!(linear.is_finite() && angular.is_finite()));
            if k < asked {
                match second_opinion(&mut solver, family.name, &problem) {
                    Ok(opinion) => seen.opinions[opinion as usize] += 1,
                    Err(words) => seen.differ.push(format!("{k}: {words}")),
                }
            }
        }
        seen
    }
}

struct Program {
    metric: Cholesky6,
    wanted: Twist,
    rows: Vec<Row>,
}

/// Programs with 50 rows and more: of a peg in its hole, and random ones.
pub(super) fn many_rows(setup: &Setup, report: &mut Report) -> anyhow::Result<()> {
    let peg = of_the_peg(setup)?;
    let fifty = |of: &Program| {
        let rows = (0..ROWS).map(|k| of.rows[k * of.rows.len() / ROWS]).collect();
        Program { metric: of.metric, wanted: of.wanted, rows }
    };
    let programs = if setup.quick { 200 } else { 20_000 };
    let sets = [
        ("peg in its hole: 50 of its rows", peg.iter().map(fifty).collect()),
        ("peg in its hole: all", peg),
        ("random: 50 rows", hollows(ROWS, programs)),
        ("random: 100 rows", hollows(100, programs)),
        ("random: 200 rows", hollows(200, programs)),
    ];
    let mut table = Table::new(
        "Programs of many rows: time of one, from scratch and from the rows that held it before",
        &[
            "program",
            "programs",
            "rows, mean",
            "that hold, mean",
            "from scratch: p50, µs",
            "p99, µs",
            "max, µs",
            "from the rows before: p50, µs",
            "p99, µs",
            "max, µs",
        ],
    );
    for (name, set) in sets {
        let Times { cold, warm, rows, active } = Times::of(&set);
        if set.is_empty() {
            report.failures.push(format!("{name}: no program was timed"));
            continue;
        }
        let micro = |seconds: f64| number(1e6 * seconds);
        let mut cells =
            vec![name.into(), count(set.len() as u64), number(rows.mean()), number(active.mean())];
        for times in [&cold, &warm] {
            cells.extend([micro(times.quantile(0.5)), micro(times.quantile(0.99)), micro(times.max())]);
        }
        table.row(cells);
        // Written so that NaN is above.
        let is_fast = cold.quantile(0.99) <= TARGET;
        if !setup.quick && rows.max() <= ROWS as f64 && !is_fast {
            report.remarks.push(format!(
                "**{name}: p99 is {} µs, above the {} µs that were asked for.**",
                micro(cold.quantile(0.99)),
                micro(TARGET)
            ));
        }
    }
    report.tables.push(table);
    report.remarks.push(
        "Asked for: p99 of a program of 50 rows below 10 µs. Every program is timed once from scratch and once from the rows that held the part for a wish a tenth shorter, as the god object begins with those of the pass before. \
         The random ones are a body pushed into a hollow: normals within 60° of one direction, small gaps."
            .into(),
    );
    Ok(())
}

/// What the god object would have to solve next in every step with many rows.
fn of_the_peg(setup: &Setup) -> anyhow::Result<Vec<Program>> {
    let pin = Pin::new(if setup.quick { 1_500 } else { super::peg::POINTS })?;
    let hands = pin.hands(if setup.quick { 600 } else { 4_000 });
    let (pair, options) = (pin.pair()?, GodObjectOptions::default());
    let mut god = GodObject::new(Arc::clone(&pair), hands[0], &options)?;
    let mut programs = Vec::new();
    for hand in &hands {
        god.step(hand);
        if god.rows().len() < ROWS {
            continue;
        }
        let gap = god.pose().displacement_to(hand, pair.center());
        let wanted = Twist { linear: gap.linear * options.closing, angular: gap.angular * options.closing };
        let Some(metric) = Cholesky6::new(&pair.metric(god.pose().rotation)) else {
            anyhow::bail!("a mass that is none")
        };
        programs.push(Program { metric, wanted, rows: god.rows().to_vec() });
    }
    Ok(programs)
}

/// A body pushed into a hollow.
fn hollows(rows: usize, programs: usize) -> Vec<Program> {
    let mut random = Random::new(5);
    let mut vector = || DVec3::new(random.unit(), random.unit(), random.unit()) * 2.0 - DVec3::ONE;
    let mut program = || {
        let inertia = DMat3::from_diagonal(DVec3::splat(0.4) + 0.2 * vector());
        let into = vector().normalize_or(DVec3::X);
        let rows = (0..rows).map(|_| {
            let normal = (into + 0.85 * vector().normalize_or_zero()).normalize_or(into);
            Row::contact(normal, vector(), 1e-2 * vector().x.abs())
        });
        let rows = rows.collect();
        let wanted = Twist { linear: into + 0.3 * vector(), angular: 0.3 * vector() };
        Cholesky6::new(&Mat6::inertia(1.0, inertia)).map(|metric| Program { metric, wanted, rows })
    };
    (0..programs).filter_map(|_| program()).collect()
}

/// s, and numbers of rows.
struct Times {
    cold: Sorted,
    warm: Sorted,
    rows: Sorted,
    active: Sorted,
}

impl Times {
    fn of(programs: &[Program]) -> Self {
        let mut solver = Solver::with_capacity(200);
        let [mut cold, mut warm, mut rows, mut active]: [Vec<f64>; 4] = Default::default();
        for Program { metric, wanted, rows: of } in programs {
            let shorter = Twist { linear: 0.9 * wanted.linear, angular: 0.9 * wanted.angular };
            cold.push(timed(|| solver.solve_or_relax(metric, wanted, of, &[])).0);
            active.push(solver.weights().len() as f64);
            rows.push(of.len() as f64);
            solver.solve_or_relax(metric, &shorter, of, &[]);
            let before: Vec<usize> = solver.weights().iter().map(|weight| weight.row).take(6).collect();
            warm.push(timed(|| solver.solve_or_relax(metric, wanted, of, &before)).0);
        }
        let [cold, warm, rows, active] = [cold, warm, rows, active].map(Sorted::new);
        Self { cold, warm, rows, active }
    }
}
