//! What the search finds, beside what Clarabel finds, and beside Newton's laws.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus};
use glam::{DMat3, DVec3};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::points::{NONE, Point};
use super::program::{Body, HARD, Particle, Program, Row};
use super::search::State;
use crate::math::{Mat6, Twist, Wrench};

/// A row of a random program: whose plane (two bodies, and something led), arm, normal, gap, slip.
type Plane = (u32, [f64; 3], [f64; 3], f64, [f64; 3]);

/// Two particles and where between them a point is, and its planes.
type Points = [((usize, usize, f64), Vec<Plane>)];

const BODIES: usize = 2;
const PARTICLES: usize = 6;

/// Bodies of some masses, particles of others, and points at particles and between two of them, with planes.
fn program(masses: [f64; BODIES], points: &Points, friction: f64) -> Program {
    let body = |(number, &mass): (usize, &f64)| Body {
        number,
        inertia: Mat6::inertia(mass, DMat3::from_diagonal(DVec3::new(0.1, 0.2, 0.3)) * mass),
        center: DVec3::ZERO,
        reach: 1.0,
    };
    let particle =
        |index: usize| Particle { cloth: 0, index, mass: 0.1 + 0.05 * index as f64, place: DVec3::ZERO };
    let mut program = Program {
        bodies: masses.iter().enumerate().map(body).collect(),
        particles: (0..PARTICLES).map(particle).collect(),
        ..Default::default()
    };
    for ((a, b, part), planes) in points {
        let start = program.rows.len();
        let mass = (1.0 - part) * program.particles[*a].mass + part * program.particles[*b].mass;
        let heaviest = planes.iter().filter(|plane| plane.0 < 2).map(|plane| masses[plane.0 as usize]);
        let heaviest = heaviest.fold(mass, f64::max);
        for &(of, arm, normal, gap, slip) in planes {
            program.rows.push(Row {
                obstacle: of as usize,
                body: if of < 2 { of } else { NONE },
                arm: arm.into(),
                normal: DVec3::from(normal).try_normalize().unwrap_or(DVec3::Y),
                gap,
                slip: slip.into(),
                stiffness: HARD * if planes.len() > 1 { heaviest } else { mass },
                friction,
                simple_drag: None,
            });
        }
        let ends = [(*a as u32, 1.0 - part), (*b as u32, *part)];
        let rows = start..program.rows.len();
        program.points.push(Point { ends, cloth: 0, before: DVec3::ZERO, place: DVec3::ZERO, rows });
    }
    program.lay_order();
    program
}

/// ½·xᵀ·M·x + ½·Σ k·min(0, g + n·Δ)².
fn value(program: &Program, at: &State) -> f64 {
    let of_particles: f64 =
        program.particles.iter().zip(&at.particles).map(|(of, w)| of.mass * w.length_squared()).sum();
    let work = |f: Wrench, u: &Twist| f.force.dot(u.linear) + f.torque.dot(u.angular);
    let of_bodies: f64 =
        program.bodies.iter().zip(&at.bodies).map(|(of, u)| work(of.inertia.apply(u), u)).sum();
    let deltas = program.deltas(at);
    let of_rows: f64 = program
        .rows
        .iter()
        .zip(&deltas)
        .map(|(row, &delta)| row.stiffness * row.height(delta).min(0.0).powi(2))
        .sum();
    0.5 * (of_particles + of_bodies + of_rows)
}

/// The state of numbers in order: bodies, then particles.
fn state(x: &[f64]) -> State {
    let vec = |k: usize| DVec3::new(x[k], x[k + 1], x[k + 2]);
    State {
        bodies: (0..BODIES).map(|b| Twist { linear: vec(6 * b), angular: vec(6 * b + 3) }).collect(),
        particles: (0..PARTICLES).map(|p| vec(6 * BODIES + 3 * p)).collect(),
    }
}

/// The same minimum as a quadratic program: ½·xᵀ·M·x + ½·Σ k·d² with d ≥ 0 and d ≥ −g − n·Δ.
fn ask_clarabel(program: &Program) -> State {
    let unknowns = 6 * BODIES + 3 * PARTICLES;
    let rows = program.rows.len();
    let size = unknowns + rows;
    let mut quadratic = vec![vec![0.0; size]; size];
    for (b, body) in program.bodies.iter().enumerate() {
        for (i, row) in body.inertia.to_rows().iter().enumerate() {
            quadratic[6 * b + i][6 * b..6 * b + 6].copy_from_slice(row);
        }
    }
    for (p, particle) in program.particles.iter().enumerate() {
        for k in 6 * BODIES + 3 * p..6 * BODIES + 3 * p + 3 {
            quadratic[k][k] = particle.mass;
        }
    }
    for (k, row) in program.rows.iter().enumerate() {
        quadratic[unknowns + k][unknowns + k] = row.stiffness;
    }
    // Column by column, of the linear map from x to n·Δ: asked of the program itself, whose `deltas` are linear.
    let mut left = vec![vec![0.0; size]; 2 * rows];
    for column in 0..unknowns {
        let mut x = vec![0.0; unknowns];
        x[column] = 1.0;
        for (k, delta) in program.deltas(&state(&x)).iter().enumerate() {
            left[k][column] = -program.rows[k].normal.dot(*delta);
        }
    }
    let mut right = vec![0.0; 2 * rows];
    for k in 0..rows {
        left[k][unknowns + k] = -1.0;
        right[k] = program.rows[k].gap;
        left[rows + k][unknowns + k] = -1.0;
    }
    let upper: Vec<Vec<f64>> = quadratic
        .iter()
        .enumerate()
        .map(|(i, row)| row.iter().enumerate().map(|(k, &v)| if k >= i { v } else { 0.0 }).collect())
        .collect();
    let settings = DefaultSettings { verbose: false, ..Default::default() };
    let cones = [NonnegativeConeT(2 * rows)];
    let (quadratic, left) = (CscMatrix::from(upper.iter()), CscMatrix::from(left.iter()));
    let mut solver =
        DefaultSolver::new(&quadratic, &vec![0.0; size], &left, &right, &cones, settings).unwrap();
    solver.solve();
    assert!(matches!(solver.solution.status, SolverStatus::Solved), "{:?}", solver.solution.status);
    state(&solver.solution.x[..unknowns])
}

fn planes() -> impl Strategy<Value = Vec<Plane>> {
    let three = || prop::array::uniform3(-1.0..1.0f64);
    prop::collection::vec(
        (0..3u32, three(), three(), -1.0..0.5f64, prop::array::uniform3(-0.01..0.01f64)),
        1..3,
    )
}

fn points() -> impl Strategy<Value = Vec<((usize, usize, f64), Vec<Plane>)>> {
    let ends = (0..PARTICLES, 1..PARTICLES, prop_oneof![Just(0.0), Just(0.5)]);
    // Two different ends.
    let ends = ends.prop_map(|(a, on, part)| (a, (a + on) % PARTICLES, part));
    prop::collection::vec((ends, planes()), 1..16)
}

/// Without friction it is a quadratic program. Nearly all searches come to their end, also between masses of 1 and 10⁶ that are moved by a thousand times what gravity does; what is found then is the minimum.
#[test]
fn clarabel_finds_no_less() {
    let kinds = (
        1e-3..1.0f64,
        1.0..1e3f64,
        points(),
        prop::collection::vec(-0.3..0.3f64, 6 * BODIES + 3 * PARTICLES),
    );
    let mut runner = TestRunner::deterministic();
    let (mut searches, mut given_up) = (0, 0);
    for case in 0..256 {
        let (light, heavy, points, start) = kinds.new_tree(&mut runner).unwrap().current();
        let program = program([light, heavy], &points, 0.0);
        let best = value(&program, &ask_clarabel(&program));
        for mut found in [State::still(&program), state(&start)] {
            searches += 1;
            if !program.search(&mut found, 1e-3) {
                given_up += 1;
                continue;
            }
            let off = value(&program, &found) - best;
            assert!(off.abs() < 1e-3 * best + 1e-9, "case {case}: {off} above {best}");
        }
    }
    assert!(given_up * 20 < searches, "{given_up} of {searches} were given up");
}

/// With friction: what pushes each body and each particle is what moves it, and friction is no more than μ·λ, against the sliding.
#[test]
fn forces_are_those_of_newton_and_coulomb() {
    let kinds = (0.05..1.0f64, 1.0..50.0f64, points(), 0.0..0.8f64);
    let mut runner = TestRunner::deterministic();
    let mut given_up = 0;
    for case in 0..256 {
        let (light, heavy, points, friction) = kinds.new_tree(&mut runner).unwrap().current();
        let program = program([light, heavy], &points, friction);
        let mut at = State::still(&program);
        if !program.search(&mut at, 1e-3) {
            given_up += 1;
            continue;
        }
        let deltas = program.deltas(&at);
        let mut of_particles = vec![(DVec3::ZERO, 0.0); PARTICLES];
        let mut of_bodies = vec![(Wrench::ZERO, 0.0); BODIES];
        for point in &program.points {
            for k in point.rows.clone() {
                let (row, delta) = (&program.rows[k], deltas[k]);
                let pressed = row.pressed(delta);
                let force = row.force(delta, pressed);
                let across = force - row.normal * row.normal.dot(force);
                assert!(across.length() <= friction * pressed + 1e-9 * pressed, "case {case}");
                assert!(across.dot(row.sliding(delta)) <= 0.0, "case {case}");
                for &(end, part) in &point.ends {
                    let (sum, size) = &mut of_particles[end as usize];
                    *sum += force * part;
                    *size += force.length() * part;
                }
                if row.body != NONE {
                    let (sum, size) = &mut of_bodies[row.body as usize];
                    *sum += -Wrench::of_force(force, row.arm);
                    *size += force.length();
                }
            }
        }
        for ((of, w), (sum, size)) in program.particles.iter().zip(&at.particles).zip(&of_particles) {
            let off = (*sum - *w * of.mass).length();
            // Particles need not be told better than by a part of how far anything slides.
            assert!(off < 0.05 * size + 0.01 * of.mass, "case {case}: a particle is off by {off} of {size}");
        }
        for ((of, u), (sum, size)) in program.bodies.iter().zip(&at.bodies).zip(&of_bodies) {
            let moved = of.inertia.apply(u);
            let off = (sum.force - moved.force).length() + (sum.torque - moved.torque).length();
            assert!(off < 0.05 * size + 1e-3, "case {case}: a body is off by {off} of {size}");
        }
    }
    // Planes at random, a thousand times deeper than gravity brings anything in a substep, are harder than scenes, where some searches in a thousand are given up.
    assert!(given_up < 110, "{given_up} were given up");
}

/// One particle among more bodies than are solved for together: it is pressed by all, and what one loses the others get.
#[test]
fn momentum_is_kept_among_many_bodies() {
    let mut runner = TestRunner::deterministic();
    let points = points().new_tree(&mut runner).unwrap().current();
    let mut program = program([1.0, 2.0], &points, 0.0);
    let like = (program.bodies[0].clone(), program.rows[0].clone(), program.points[0].clone());
    (program.bodies, program.rows, program.points) = (Vec::new(), Vec::new(), Vec::new());
    let sides = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::Z, DVec3::NEG_Z];
    for (k, normal) in sides.into_iter().enumerate() {
        program.bodies.push(Body { number: k, center: -normal, ..like.0.clone() });
        let row = Row {
            body: k as u32,
            obstacle: k,
            arm: normal,
            normal,
            gap: -0.1 - 0.05 * k as f64,
            ..like.1.clone()
        };
        program.rows.push(Row { stiffness: 10.0, ..row });
    }
    program.points.push(Point { ends: [(0, 1.0), (0, 0.0)], rows: 0..sides.len(), ..like.2 });
    program.lay_order();
    let mut at = State::still(&program);
    assert!(program.search(&mut at, 1e-3));
    let left = program.left_over(&at);
    let mut sum = (at.particles[0] + left.particles[0]) * program.particles[0].mass;
    for ((body, u), left) in program.bodies.iter().zip(&at.bodies).zip(&left.bodies) {
        assert!(u.linear.length() > 1e-3, "each is pushed");
        sum += body.inertia.apply(&(*u + *left)).force;
    }
    assert!(sum.length() < 1e-12, "{sum}");
}
