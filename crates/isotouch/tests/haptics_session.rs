//! The two loops together.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::time::Duration;

use isotouch::ccd::Plane;
use isotouch::haptics::device::{Causality, Device, DeviceCommand, DeviceState, Hand, HandOptions, Path};
use isotouch::haptics::safety::{Fault, SafetyOptions};
use isotouch::haptics::{
    Coupling, GodObject, GodObjectOptions, Held, HeldPair, PenaltyObject, PenaltyObjectOptions, Renderer,
    Session, SessionError, SessionOptions, Surface,
};
use isotouch::math::{DQuat, DVec3, Pose, Twist, Wrench};
use isotouch::mesh::{mass_properties, shapes};
use isotouch::shell::{PointShell, Sampling, ShellOptions};

/// A ball of 2 cm above a floor.
fn pair() -> Arc<HeldPair> {
    let ball = shapes::sphere(0.01, 1280).unwrap();
    let options = ShellOptions { sampling: Sampling::Points(800), ..Default::default() };
    let shell = Arc::new(PointShell::from_mesh(&ball, &options).unwrap());
    let floor = Surface::Analytic(Arc::new(Plane::GROUND), 1e-3);
    Arc::new(HeldPair::new(shell, floor, Held::Shell, mass_properties(&ball, 2000.0).unwrap()).unwrap())
}

fn above() -> Pose {
    Pose::at(DVec3::Y * 0.02)
}

fn constraint() -> Renderer {
    let god = GodObject::new(pair(), above(), &GodObjectOptions::default()).unwrap();
    Renderer::Constraint(Box::new(god), Coupling::spring(1000.0, 0.1))
}

fn penalty() -> Renderer {
    let options =
        PenaltyObjectOptions { coupling: Coupling::critical(1000.0, 0.1, 0.008, 1e-6), ..Default::default() };
    Renderer::Penalty(Box::new(PenaltyObject::new(pair(), above(), &options).unwrap()))
}

/// Limits that are not reached, so that forces can be compared.
fn wide() -> SessionOptions {
    let safety = SafetyOptions {
        max_force: 100.0,
        max_torque: 10.0,
        max_force_rate: 1e6,
        max_torque_rate: 1e6,
        ramp: 0.0,
        ..Default::default()
    };
    SessionOptions { safety, ..Default::default() }
}

/// Down at 20 mm/s to 1 mm too deep, then along the floor.
fn states() -> Vec<DeviceState> {
    let state = |k: u32| {
        let time = 1e-3 * f64::from(k);
        let (down, along) = ((0.02 - 0.02 * time).max(0.009), (time - 0.6).max(0.0) * 0.05);
        let falls = if down > 0.009 { -0.02 } else { 0.0 };
        let slides = if time > 0.6 { 0.05 } else { 0.0 };
        DeviceState {
            time,
            twist: Twist { linear: DVec3::new(slides, falls, 0.0), angular: DVec3::ZERO },
            ..DeviceState::at(Pose::at(DVec3::new(along, down, 0.0)))
        }
    };
    (0..1000).map(state).collect()
}

#[test]
fn the_force_is_that_of_the_spring_and_smooth() {
    let mut session = Session::in_step(constraint(), &wide()).unwrap();
    let mut last = DVec3::ZERO;
    for state in states() {
        let force = session.servo(&state).force;
        assert!((force - last).length() < 0.05, "a jump at {}: {last} to {force}", state.time);
        let depth = (0.01 - state.pose.position.y).max(0.0);
        assert!((force - DVec3::Y * 1000.0 * depth).length() < 0.05, "at {}: {force}", state.time);
        last = force;
    }
    let feedback = *session.feedback().unwrap();
    assert!(feedback.contacts >= 1 && feedback.penetration == 0.0);
    let totals = session.finish().unwrap().totals();
    assert_eq!((totals.steps, totals.max_penetration), (1000, 0.0));
}

#[test]
fn a_state_that_is_no_pose_pushes_nobody() {
    for rotation in [0.0, 0.7, 1.5, 1e160, f64::NAN].map(|w| DQuat::from_xyzw(0.0, 0.0, 0.0, w)) {
        for in_contact in [false, true] {
            let mut session = Session::in_step(constraint(), &wide()).unwrap();
            let states = states();
            let before = if in_contact { 800 } else { 0 };
            for state in &states[..before] {
                session.servo(state);
            }
            let bad = DeviceState { pose: Pose { rotation, ..states[before].pose }, ..states[before] };
            assert_eq!(session.servo(&bad), Wrench::ZERO, "{rotation}");
            assert_eq!(session.servo_half().safety().faults(Fault::NotFinite), 1, "{rotation}");
        }
    }
    // What is a unit quaternion but for the rounding of f32 is one.
    let mut session = Session::in_step(constraint(), &wide()).unwrap();
    for state in states() {
        let rotation = DQuat::from_xyzw(0.0, 0.0, 0.0, 1.0 + 3e-7);
        session.servo(&DeviceState { pose: Pose { rotation, ..state.pose }, ..state });
    }
    assert_eq!(session.servo_half().safety().all_faults(), 0);
}

#[test]
fn the_same_states_give_the_same_forces_to_the_last_bit() {
    for renderer in [constraint, penalty] {
        let run = || {
            let mut session = Session::in_step(renderer(), &wide()).unwrap();
            states()
                .iter()
                .map(|state| session.servo(state).force.to_array().map(f64::to_bits))
                .collect::<Vec<_>>()
        };
        assert_eq!(run(), run());
    }
}

#[test]
fn in_threads_it_feels_the_same() {
    for (renderer, off) in [(constraint as fn() -> Renderer, 0.1), (penalty, 0.4)] {
        let mut session = Session::threaded(renderer(), &wide()).unwrap();
        let mut worst: f64 = 0.0;
        let (mut counted, mut silent) = (0, 0);
        for state in states() {
            let force = session.servo(&state).force;
            // A tick; a loaded machine may take longer, which is then stale and zero.
            std::thread::sleep(Duration::from_millis(1));
            let depth = (0.01 - state.pose.position.y).max(0.0);
            if depth > 0.0 && force == DVec3::ZERO {
                silent += 1;
                continue;
            }
            // Where the hand changes its way the part needs a moment.
            if state.time > 0.65 {
                counted += 1;
                worst = worst.max((force - DVec3::Y * 1000.0 * depth).length());
            }
        }
        assert!(counted > 100, "felt {counted} times, silent {silent} times");
        assert!(worst < off, "{worst} N off");
        assert!(session.feedback().unwrap().contacts > 0);
        assert!(session.finish().unwrap().totals().steps > 100);
    }
}

#[test]
fn an_admittance_device_is_told_where_to_go_and_the_floor_stops_it() {
    let mut session = Session::in_step(constraint(), &wide()).unwrap();
    let path = Path::new(vec![(0.0, above()), (0.5, Pose::at(DVec3::Y * 0.005))]).unwrap();
    let options = HandOptions { causality: Causality::Admittance, ..Default::default() };
    let mut hand = Hand::new(path, options).unwrap();
    let mut lowest = f64::INFINITY;
    for _ in 0..4000 {
        let state = hand.read().unwrap();
        let command = session.command(&state);
        let DeviceCommand::Motion { pose, .. } = command else { panic!("{command:?}") };
        hand.write(&command).unwrap();
        lowest = lowest.min(pose.position.y);
    }
    // The hand's target is 5 mm too deep; between its grip and the coupling the handle stays near the floor, and the part on it.
    assert!(lowest > 0.004, "{lowest}");
    let simulation = session.finish().unwrap();
    assert_eq!(simulation.totals().max_penetration, 0.0);
    assert!(simulation.renderer().pose().position.y > 0.0099);
}

#[test]
fn nonsense_from_a_device_is_not_felt() {
    let mut session = Session::in_step(constraint(), &wide()).unwrap();
    for state in states() {
        session.servo(&state);
    }
    let bad = DeviceState { time: 1.001, ..DeviceState::at(Pose::at(DVec3::NAN)) };
    assert_eq!(session.servo(&bad).force, DVec3::ZERO);
    let bad = DeviceState { time: f64::NAN, ..DeviceState::at(above()) };
    assert_eq!(session.servo(&bad).force, DVec3::ZERO);
}

#[test]
fn options_that_make_no_sense_are_named() {
    let error = Session::in_step(constraint(), &SessionOptions { rate: 0.0, ..wide() }).err().unwrap();
    assert!(matches!(error, SessionError::Option { quantity: "rate", .. }), "{error}");
}
