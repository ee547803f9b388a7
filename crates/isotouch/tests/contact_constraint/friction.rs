//! Coulomb's friction: a block on a slope by formula, and its laws on random contacts.

use isotouch::contact::constraint::{Contact, FrictionOptions, FrictionSolver, Outcome, Refusal};
use isotouch::math::{DMat3, DVec3, Mat6, Twist};

use super::check::{dual_length, length, minus, work};
use super::problems::Random;

const MASS: f64 = 2.0;

/// A cube of edge 2, standing on z = −1 with its corners.
fn block(friction: f64) -> (Mat6, Vec<Contact>) {
    let inertia = DMat3::from_diagonal(DVec3::splat(MASS * 4.0 / 6.0));
    let corners = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
    let contact =
        |(x, y)| Contact { normal: DVec3::NEG_Z, arm: DVec3::new(x, y, -1.0), bound: 0.0, friction };
    (Mat6::inertia(MASS, inertia), corners.map(contact).to_vec())
}

/// Gravity on a slope pulls by g·sin θ along x and presses by g·cos θ. Friction acts below the centre, so the block would tip beyond tan θ = 1: stay below.
fn pulled(degrees: f64) -> Twist {
    let (sin, cos) = degrees.to_radians().sin_cos();
    Twist { linear: 1e-3 * DVec3::new(sin, 0.0, -cos), angular: DVec3::ZERO }
}

#[test]
fn a_block_on_a_slope_sticks_or_slides() {
    let mut solver = FrictionSolver::with_capacity(8);
    let options = FrictionOptions::default();
    for friction in [0.1, 0.3, 0.5, 0.8] {
        let (metric, contacts) = block(friction);
        for degrees in [0.0, 2.0, 5.0, 5.7, 5.72, 10.0, 16.0, 17.5, 25.0, 26.0, 27.0, 35.0, 38.0, 40.0] {
            let target = pulled(degrees);
            let found = solver.solve(&metric, &target, &contacts, &options);
            let name = format!("μ {friction}, {degrees}°: {found:?}");
            assert_eq!(found.solution.outcome, Outcome::Solved, "{name}");
            assert!(found.excess <= 1e-6 && found.rounds <= 30, "{name}");
            let (sin, cos) = degrees.to_radians().sin_cos();
            let slide = 1e-3 * (sin - friction * cos);
            let step = found.solution.step;
            if slide > 0.0 {
                assert!((step.linear.x - slide).abs() <= 1e-12, "{name}: slides by {slide:e}");
            } else {
                assert!(step.linear.x.abs() <= options.slip_length, "{name}: sticks");
            }
            assert!(step.linear.y.abs() + step.linear.z.abs() + step.angular.length() < 1e-9, "{name}");
            let normal: f64 = solver.forces().iter().map(|force| force.normal).sum();
            assert!((normal - MASS * 1e-3 * cos).abs() < 1e-9, "{name}: carries its weight");
        }
    }
}

/// Where the centre of mass is above the edge, steep slopes tip the block before it slides.
#[test]
fn a_block_on_a_steep_slope_tips() {
    let (metric, contacts) = block(2.0);
    let mut solver = FrictionSolver::with_capacity(8);
    let found = solver.solve(&metric, &pulled(50.0), &contacts, &FrictionOptions::default());
    assert!(found.solution.outcome == Outcome::Solved && found.excess < 1e-6, "{found:?}");
    let step = found.solution.step;
    assert!(step.angular.y > 1e-5, "over the lower edge: {step:?}");
    assert!(contacts[..2].iter().all(|contact| contact.slip(&step).length() <= 1.01e-7), "which holds");
}

/// A finger of a gripper turned about the normal: torsion is held by the points around.
#[test]
fn turning_on_the_spot_rubs_too() {
    let (metric, contacts) = block(0.5);
    let mut solver = FrictionSolver::with_capacity(8);
    let target = |turn| Twist { linear: DVec3::new(0.0, 0.0, -1e-3), angular: DVec3::new(0.0, 0.0, turn) };
    let small = solver.solve(&metric, &target(1e-4), &contacts, &FrictionOptions::default());
    assert!(small.excess < 1e-6 && small.solution.step.angular.z.abs() < 1e-7, "{small:?}");
    // μ·N at √2 from the axis takes μ·m·10⁻³·√2 of angular momentum.
    let large = solver.solve(&metric, &target(1e-2), &contacts, &FrictionOptions::default());
    assert!(large.excess < 1e-6, "{large:?}");
    let expected = 1e-2 - 0.5 * MASS * 1e-3 * 2f64.sqrt() / (MASS * 4.0 / 6.0);
    let got = large.solution.step.angular.z;
    assert!(got > 0.0 && got < 1e-2 && (got - expected).abs() < 0.2 * expected, "{got:e} {expected:e}");
}

#[test]
fn without_friction_it_is_the_plain_program() {
    let (metric, contacts) = block(0.0);
    let found = FrictionSolver::with_capacity(8).solve(
        &metric,
        &pulled(30.0),
        &contacts,
        &FrictionOptions::default(),
    );
    assert!((found.solution.step.linear - DVec3::new(5e-4, 0.0, 0.0)).length() < 1e-15);
    assert_eq!(found.excess, 0.0);
}

/// The laws, on contacts all over a body, many of which wedge it: forces within the cone, against the slip, balance; rows respected; nothing gains energy.
#[test]
fn random_contacts_obey_coulomb() {
    let mut solver = FrictionSolver::with_capacity(64);
    let options = FrictionOptions { slip_length: 1e-6, ..Default::default() };
    let mut random = Random(23);
    let (mut slides, mut sticks, mut unsettled, mut rounds) = (0, 0, 0, 0);
    const COUNT: usize = 2000;
    for k in 0..COUNT {
        let metric = Mat6::inertia(1.0, DMat3::from_diagonal(DVec3::splat(0.3) + 0.1 * random.vector()));
        let friction = [0.1, 0.3, 0.6, 1.0][random.below(4)];
        let up = random.direction();
        let contacts: Vec<Contact> = (0..1 + random.below(30))
            .map(|_| Contact {
                normal: (up + 0.9 * random.direction()).normalize_or_zero(),
                arm: random.vector(),
                bound: 1e-3 * random.signed().max(0.0),
                friction,
            })
            .collect();
        let target = Twist { linear: 1e-2 * random.vector() + 1e-2 * up, angular: 1e-2 * random.vector() };
        let found = solver.solve(&metric, &target, &contacts, &options);
        let step = found.solution.step;
        assert_eq!(found.solution.outcome, Outcome::Solved, "{k}");
        // Balance: M(a − u) = Σ forces.
        let pushed = metric.apply(&minus(&step, &target)) - solver.wrench(&contacts);
        let size = length(&metric, &target);
        assert!(dual_length(&metric, &pushed) <= 1e-8 * size, "{k}: {pushed:?}");
        for (contact, force) in contacts.iter().zip(solver.forces()) {
            assert!(contact.row().along(&step) <= contact.bound + 1e-9 * size, "{k}");
            assert!(
                force.normal >= 0.0 && force.tangential.dot(contact.slip(&step)) <= 1e-18,
                "{k}: against the slip"
            );
            assert!(force.tangential.dot(contact.normal).abs() <= 1e-12 * size);
        }
        // ½|a|² + what friction took ≤ ½|u|².
        let gained = work(&metric.apply(&step), &step) - size * size;
        assert!(gained <= 1e-12 * size * size, "{k}: gained {gained:e}");
        rounds += found.rounds;
        if found.excess > 1e-5 {
            unsettled += 1;
            continue;
        }
        let most = solver.forces().iter().map(|force| force.normal).fold(0.0, f64::max) * friction;
        for (contact, force) in contacts.iter().zip(solver.forces()) {
            let limit = friction * force.normal;
            assert!(force.tangential.length() <= limit + 1.1e-5 * most, "{k}: within the cone");
            if force.normal > 0.0 {
                let slip = contact.slip(&step).length();
                if slip > 1.001 * options.slip_length {
                    assert!(force.tangential.length() >= limit - 1.1e-5 * most, "{k}: slides with all of it");
                    slides += 1;
                } else {
                    sticks += 1;
                }
            }
        }
    }
    println!("{slides} slide, {sticks} stick, {unsettled} of {COUNT} unsettled, {rounds} rounds");
    assert!(slides > 500 && sticks > 500 && unsettled * 10 < COUNT);
}

#[test]
fn what_is_no_friction_is_refused() {
    let (metric, mut contacts) = block(0.5);
    let mut solver = FrictionSolver::with_capacity(4);
    let mut outcome = |metric: &Mat6, contacts: &[Contact], slip_length| {
        let options = FrictionOptions { slip_length, ..Default::default() };
        let found = solver.solve(metric, &pulled(3.0), contacts, &options);
        assert_eq!(found.solution.step, Twist::ZERO);
        found.solution.outcome
    };
    assert_eq!(outcome(&Mat6::ZERO, &contacts, 1e-7), Outcome::Refused(Refusal::Metric));
    assert_eq!(outcome(&metric, &contacts, 0.0), Outcome::Refused(Refusal::Friction { contact: 0 }));
    contacts[2].friction = f64::NAN;
    assert_eq!(outcome(&metric, &contacts, 1e-7), Outcome::Refused(Refusal::Friction { contact: 2 }));
    contacts.extend_from_within(..);
    assert_eq!(outcome(&metric, &contacts, 1e-7), Outcome::Refused(Refusal::TooManyRows { capacity: 4 }));
}
