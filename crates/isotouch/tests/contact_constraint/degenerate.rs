//! Rows that say nothing, too much, or what is not a number.

use isotouch::contact::constraint::{Outcome, Refusal, Row, Solver};
use isotouch::math::spatial::Cholesky6;
use isotouch::math::{DMat3, DVec3, Mat6, Twist, Wrench};

use super::problems::{FAMILIES, Random};

fn unit_metric() -> Cholesky6 {
    Cholesky6::new(&Mat6::inertia(1.0, DMat3::IDENTITY)).unwrap()
}

const DOWN: Twist = Twist { linear: DVec3::new(0.3, 0.0, -1.0), angular: DVec3::ZERO };

fn ground(bound: f64) -> Row {
    Row::contact(DVec3::NEG_Z, DVec3::ZERO, bound)
}

#[test]
fn no_rows_leave_the_target_as_it_is() {
    let solution = Solver::with_capacity(0).solve(&unit_metric(), &DOWN, &[]);
    assert_eq!((solution.outcome, solution.step), (Outcome::Solved, DOWN));
}

#[test]
fn rows_without_direction_are_true_or_conflict() {
    let mut solver = Solver::with_capacity(4);
    let nothing = |bound| Row { direction: Wrench::ZERO, bound };
    for bound in [0.0, -0.0, 1.0, f64::INFINITY] {
        let solution = solver.solve(&unit_metric(), &DOWN, &[nothing(bound), ground(0.25)]);
        assert_eq!(solution.outcome, Outcome::Solved);
        assert!((solution.step.linear.z + 0.25).abs() < 1e-15);
    }
    for bound in [-1e-300, -1.0, f64::NEG_INFINITY] {
        let rows = [ground(0.25), nothing(bound)];
        let solution = solver.solve(&unit_metric(), &DOWN, &rows);
        assert_eq!(solution.outcome, Outcome::Conflict { beyond: f64::INFINITY });
        assert!(solver.weights().len() == 1 && solver.weights()[0].row == 1);
        assert_eq!(solver.solve_or_relax(&unit_metric(), &DOWN, &rows, &[]).outcome, Outcome::Relaxed);
    }
}

#[test]
fn infinite_bounds_bind_nothing_or_conflict() {
    let mut solver = Solver::with_capacity(4);
    let solution = solver.solve(&unit_metric(), &DOWN, &[ground(f64::INFINITY)]);
    assert_eq!((solution.outcome, solution.step), (Outcome::Solved, DOWN));
    let never = [ground(f64::NEG_INFINITY)];
    assert!(matches!(solver.solve(&unit_metric(), &DOWN, &never).outcome, Outcome::Conflict { .. }));
    let relaxed = solver.solve_or_relax(&unit_metric(), &DOWN, &never, &[]);
    assert!(relaxed.outcome == Outcome::Relaxed && relaxed.step.linear.z.abs() < 1e-15);
}

#[test]
fn what_is_no_number_is_refused_by_name() {
    let mut solver = Solver::with_capacity(3);
    let mut refusal = |target: Twist, rows: &[Row]| {
        let solution = solver.solve_or_relax(&unit_metric(), &target, rows, &[]);
        assert_eq!(solution.step, Twist::ZERO);
        solution.outcome
    };
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let row = Row::contact(DVec3::new(0.0, bad, 1.0), DVec3::ONE, 1.0);
        assert_eq!(refusal(DOWN, &[ground(0.0), row]), Outcome::Refused(Refusal::Row { row: 1 }));
        let target = Twist { angular: DVec3::new(0.0, 0.0, bad), ..DOWN };
        assert_eq!(refusal(target, &[ground(0.0)]), Outcome::Refused(Refusal::Target));
    }
    assert_eq!(refusal(DOWN, &[ground(f64::NAN)]), Outcome::Refused(Refusal::Row { row: 0 }));
    assert_eq!(refusal(DOWN, &[ground(0.0); 4]), Outcome::Refused(Refusal::TooManyRows { capacity: 3 }));
}

/// Walls that leave a gap of a given width, or overlap by it.
#[test]
fn walls_that_face_each_other() {
    let mut solver = Solver::with_capacity(4);
    for (width, is_open) in [(1e-3, true), (0.0, true), (-1e-16, true), (-1e-6, false), (-1.0, false)] {
        let walls = [ground(0.1), Row::contact(DVec3::Z, DVec3::ZERO, width - 0.1)];
        let solution = solver.solve(&unit_metric(), &DOWN, &walls);
        if is_open {
            assert_eq!(solution.outcome, Outcome::Solved, "{width}");
            assert!((solution.step.linear.z + 0.1).abs() < 1e-9 && solution.step.linear.x == 0.3);
        } else {
            assert!(matches!(solution.outcome, Outcome::Conflict { .. }), "{width}");
            assert!(solver.weights().len() == 2 && solution.step == Twist::ZERO);
        }
    }
}

/// Every bit pattern there is, in every place: an answer, and finite.
#[test]
fn no_input_makes_nan_of_the_step() {
    let mut solver = Solver::with_capacity(400);
    let odd = [
        0.0,
        -0.0,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        5e-324,
        1e-308,
        1e-160,
        1e160,
        f64::MAX,
        -f64::MAX,
    ];
    let mut random = Random(3);
    for k in 0..20_000 {
        let mut problem = (FAMILIES[k % FAMILIES.len()].make)(&mut random);
        for _ in 0..1 + random.below(4) {
            let value = odd[random.below(odd.len())];
            match random.below(4) {
                0 => problem.target.linear[random.below(3)] = value,
                place if !problem.rows.is_empty() => {
                    let row = random.below(problem.rows.len());
                    let row = &mut problem.rows[row];
                    match place {
                        1 => row.bound = value,
                        2 => row.direction.force[random.below(3)] = value,
                        _ => row.direction.torque[random.below(3)] = value,
                    }
                }
                _ => {}
            }
        }
        let factor = problem.factor();
        let solution = solver.solve_or_relax(&factor, &problem.target, &problem.rows, &[0, 1, 2, usize::MAX]);
        assert!(solution.step.linear.is_finite() && solution.step.angular.is_finite());
        assert!(solver.weights().iter().all(|w| w.weight.is_finite() && w.weight >= 0.0));
        assert!(solution.is_minimum() || solution.step == Twist::ZERO);
        solver.freedom(&factor, &problem.rows);
    }
}
