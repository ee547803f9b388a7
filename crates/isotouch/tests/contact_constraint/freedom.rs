//! Free, pinched, jammed: cases one can think through, and proofs that hold.

use isotouch::contact::constraint::{Freedom, Row, Solver, Weighted};
use isotouch::math::{DMat3, DVec3, Mat6, Wrench};

use super::check::{dual_length, work};
use super::problems::{FAMILIES, Problem, Random};

fn problem(rows: Vec<Row>) -> Problem {
    let metric = Mat6::inertia(2.0, DMat3::from_diagonal(DVec3::new(0.1, 0.2, 0.3)));
    Problem { metric, target: isotouch::math::Twist::ZERO, rows }
}

fn is_proof(problem: &Problem, weights: &[Weighted]) {
    let (mut sum, mut terms) = (Wrench::ZERO, 0.0);
    for weight in weights {
        assert!(weight.weight > 0.0);
        sum += problem.rows[weight.row].direction * weight.weight;
        terms += weight.weight * dual_length(&problem.metric, &problem.rows[weight.row].direction);
    }
    let off = dual_length(&problem.metric, &sum);
    assert!(!weights.is_empty() && off <= 1e-6 * terms, "{off:e} of {terms:e}");
}

/// How many dimensions rows span, by elimination with full pivoting.
fn rank(rows: &[[f64; 6]]) -> usize {
    let mut rows = rows.to_vec();
    let mut rank = 0;
    while rank < 6.min(rows.len()) {
        let pivot = (rank..rows.len())
            .flat_map(|i| (0..6).map(move |j| (i, j)))
            .max_by(|a, b| rows[a.0][a.1].abs().total_cmp(&rows[b.0][b.1].abs()))
            .unwrap();
        // Below the angles that are told apart, above rounding.
        if rows[pivot.0][pivot.1].abs() < 1e-10 {
            break;
        }
        rows.swap(rank, pivot.0);
        for i in rank + 1..rows.len() {
            let factor = rows[i][pivot.1] / rows[rank][pivot.1];
            for j in 0..6 {
                rows[i][j] -= factor * rows[rank][j];
            }
            rows[i][pivot.1] = 0.0;
        }
        rank += 1;
    }
    rank
}

/// What `freedom` says, with what it says it by checked.
fn checked(solver: &mut Solver, problem: &Problem) -> &'static str {
    let factor = problem.factor();
    let freedom = solver.freedom(&factor, &problem.rows);
    let sine =
        |row: &Row, a| work(&row.direction, a) / dual_length(&problem.metric, &row.direction).max(1e-300);
    match &freedom {
        Freedom::Free { escape } => {
            for row in problem.rows.iter().filter(|row| row.direction != Wrench::ZERO) {
                assert!(sine(row, escape) < 0.0, "{row:?}");
            }
            "free"
        }
        Freedom::Pinched { slide } => {
            is_proof(problem, solver.weights());
            assert!(solver.weights().len() <= 7);
            assert!((work(&problem.metric.apply(slide), slide) - 1.0).abs() < 1e-9, "of unit length");
            for row in problem.rows.iter().filter(|row| row.direction != Wrench::ZERO) {
                assert!(sine(row, slide) <= 2e-7, "{:e}", sine(row, slide));
            }
            "pinched"
        }
        Freedom::Jammed => {
            is_proof(problem, solver.weights());
            let rows: Vec<[f64; 6]> = solver
                .weights()
                .iter()
                .map(|w| {
                    let white = factor.whiten(&problem.rows[w.row].direction);
                    let length = white.iter().map(|x| x * x).sum::<f64>().sqrt();
                    white.map(|x| x / length)
                })
                .collect();
            assert_eq!(rank(&rows), 6, "the rows of the proof span everything");
            "jammed"
        }
        other => panic!("{other:?}"),
    }
}

fn axis(k: usize, sign: f64) -> Row {
    let mut six = [0.0; 6];
    six[k] = sign;
    Row {
        direction: Wrench { force: DVec3::from_slice(&six[..3]), torque: DVec3::from_slice(&six[3..]) },
        bound: 0.0,
    }
}

#[test]
fn nothing_and_one_wall_are_free() {
    let mut solver = Solver::with_capacity(16);
    assert_eq!(checked(&mut solver, &problem(vec![])), "free");
    assert_eq!(checked(&mut solver, &problem(vec![axis(2, 1.0)])), "free");
    assert_eq!(checked(&mut solver, &problem((0..6).map(|k| axis(k, 1.0)).collect())), "free");
    let nothing = Row { direction: Wrench::ZERO, bound: 0.0 };
    assert_eq!(checked(&mut solver, &problem(vec![nothing, axis(0, -1.0)])), "free");
}

#[test]
fn two_walls_pinch_and_twelve_jam() {
    let mut solver = Solver::with_capacity(16);
    let mut rows = Vec::new();
    for k in 0..6 {
        rows.push(axis(k, 1.0));
        assert_eq!(checked(&mut solver, &problem(rows.clone())), if k == 0 { "free" } else { "pinched" });
        rows.push(axis(k, -3.0));
        assert_eq!(checked(&mut solver, &problem(rows.clone())), if k == 5 { "jammed" } else { "pinched" });
    }
    assert_eq!(solver.weights().len(), 12);
    // Seven rows are enough: a simplex around the origin.
    let mut simplex: Vec<Row> = (0..6).map(|k| axis(k, 1.0)).collect();
    let all = simplex.iter().fold(Wrench::ZERO, |sum, row| sum - row.direction);
    simplex.push(Row { direction: all, bound: 0.0 });
    assert_eq!(checked(&mut solver, &problem(simplex.clone())), "jammed");
    assert_eq!(solver.weights().len(), 7);
    simplex.remove(3);
    assert_eq!(checked(&mut solver, &problem(simplex)), "free");
}

/// A peg in a round hole slides along it and turns in it; with a bottom it is pinched still, for it cannot leave the walls; a cube in a box that fits is jammed.
#[test]
fn pegs_and_boxes() {
    let mut solver = Solver::with_capacity(200);
    let mut peg = Vec::new();
    for k in 0..24 {
        let (sin, cos) = (f64::from(k) * std::f64::consts::TAU / 24.0).sin_cos();
        for z in [-1.0, 1.0] {
            peg.push(Row::contact(DVec3::new(cos, sin, 0.0), DVec3::new(0.2 * cos, 0.2 * sin, z), 0.0));
        }
    }
    assert_eq!(checked(&mut solver, &problem(peg.clone())), "pinched");
    let Freedom::Pinched { slide } = solver.freedom(&problem(peg.clone()).factor(), &peg) else { panic!() };
    let off = slide.linear.truncate().length() + slide.angular.truncate().length();
    assert!(off < 1e-9, "only along and about its axis: {slide:?}");
    peg.push(Row::contact(DVec3::NEG_Z, DVec3::new(0.0, 0.0, -1.0), 0.0));
    assert_eq!(checked(&mut solver, &problem(peg)), "pinched");

    let mut cube = Vec::new();
    for axis in 0..3 {
        for sign in [-1.0, 1.0] {
            for (p, q) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
                let (mut normal, mut arm) = (DVec3::ZERO, DVec3::ZERO);
                normal[axis] = sign;
                (arm[axis], arm[(axis + 1) % 3], arm[(axis + 2) % 3]) = (sign, p, q);
                cube.push(Row::contact(normal, arm, 0.0));
            }
        }
    }
    assert_eq!(checked(&mut solver, &problem(cube.clone())), "jammed");
    // Without its lid it leaves along z, but the four walls hold on.
    cube.retain(|row| row.direction.force.z <= 0.0);
    assert_eq!(checked(&mut solver, &problem(cube)), "pinched");
}

/// A wedge closes as its angle goes to zero: pinched below the stated 10⁻⁷, free above.
#[test]
fn wedges_are_told_from_slits_by_the_stated_angle() {
    let mut solver = Solver::with_capacity(4);
    for (angle, expected) in [(1e-2, "free"), (1e-6, "free"), (1e-10, "pinched"), (0.0, "pinched")] {
        let rows = vec![
            Row { direction: Wrench { force: DVec3::new(angle, 1.0, 0.0), torque: DVec3::ZERO }, bound: 0.0 },
            Row {
                direction: Wrench { force: DVec3::new(angle, -1.0, 0.0), torque: DVec3::ZERO },
                bound: 0.0,
            },
        ];
        assert_eq!(checked(&mut solver, &problem(rows)), expected, "{angle}");
    }
}

/// The proofs are checked; that rows without one are free shows in the escape, so no answer is taken on trust.
#[test]
fn random_rows() {
    let mut solver = Solver::with_capacity(400);
    let mut seen = std::collections::BTreeMap::new();
    let mut random = Random(17);
    for k in 0..20_000 {
        let mut problem = (FAMILIES[k % FAMILIES.len()].make)(&mut random);
        // Rows in opposite pairs of a few: pinched in some directions, open in others.
        if k % 3 == 0 {
            let turned: Vec<Row> = problem.rows[..problem.rows.len().min(random.below(8))]
                .iter()
                .map(|row| Row { direction: row.direction * -2.0, bound: 0.0 })
                .collect();
            problem.rows.extend(turned);
        }
        *seen.entry(checked(&mut solver, &problem)).or_insert(0) += 1;
    }
    println!("{seen:?}");
    assert!(seen.values().all(|&count| count > 1000) && seen.len() == 3);
}
