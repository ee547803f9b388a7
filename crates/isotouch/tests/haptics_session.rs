//! The two loops together.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::time::Duration;

use isotouch::ccd::Plane;
use isotouch::haptics::device::{
    Causality, Device, DeviceCommand, DeviceState, Hand, HandOptions, Path, Workspace, WorkspaceOptions,
};
use isotouch::haptics::safety::{Fault, SafetyOptions, SafetyState};
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
    let options = PenaltyObjectOptions {
        coupling: Some(Coupling::critical(1000.0, 0.1, 0.008, 1e-6)),
        ..Default::default()
    };
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

/// A driver that hangs gives its last state to every call: what was felt then must not be felt for ever.
#[test]
fn a_device_that_freezes_is_not_pushed_for_ever() {
    let mut session = Session::in_step(constraint(), &wide()).unwrap();
    let states = states();
    for state in &states {
        session.servo(state);
    }
    let frozen = states[999];
    let felt = (0..1000).take_while(|_| session.servo(&frozen) != Wrench::ZERO).count();
    assert!(felt <= 10, "felt in {felt} calls more");
    assert_eq!(session.servo_half().safety().state, SafetyState::Zero(Fault::Stale));
    let on = DeviceState { time: frozen.time + 1e-3, ..frozen };
    assert_ne!(session.servo(&on), Wrench::ZERO, "and is again when it goes on");
}

/// A block of 1 cm above a floor of friction μ.
fn block(friction: f64) -> Renderer {
    let block = shapes::cuboid(DVec3::new(0.02, 0.01, 0.03)).unwrap();
    let options = ShellOptions { sampling: Sampling::Points(800), ..Default::default() };
    let shell = Arc::new(PointShell::from_mesh(&block, &options).unwrap());
    let floor = Surface::Analytic(Arc::new(Plane::GROUND), 1e-3);
    let mass = mass_properties(&block, 1000.0).unwrap();
    let pair = Arc::new(HeldPair::new(shell, floor, Held::Shell, mass).unwrap());
    let options = GodObjectOptions { friction, ..Default::default() };
    let god = GodObject::new(pair, Pose::at(DVec3::Y * 0.007), &options).unwrap();
    Renderer::Constraint(Box::new(god), Coupling::spring(1000.0, 0.1))
}

/// Pressed 1 mm too deep and pulled aside: 1 N down, so the floor takes up to μ N along it, in the hand too.
#[test]
fn friction_is_felt() {
    let felt = |friction: f64, pull: f64| {
        let mut session = Session::in_step(block(friction), &wide()).unwrap();
        let mut last = DVec3::ZERO;
        for k in 0..1000 {
            let time = 1e-3 * f64::from(k);
            let (down, along) =
                ((0.007 - 0.01 * time).max(0.004), ((time - 0.4) / 0.2).clamp(0.0, 1.0) * pull);
            let state = DeviceState { time, ..DeviceState::at(Pose::at(DVec3::new(along, down, 0.0))) };
            let force = session.servo(&state).force;
            assert!((force - last).length() < 0.1, "μ = {friction}: a jump at {time}: {last} to {force}");
            last = force;
        }
        assert!((last.y - 1.0).abs() < 0.05, "{last}");
        last.x
    };
    assert!(felt(0.0, 4e-4).abs() < 0.02, "without friction nothing holds it: {}", felt(0.0, 4e-4));
    assert!((felt(0.5, 4e-4) + 0.4).abs() < 0.05, "it sticks: {}", felt(0.5, 4e-4));
    assert!((felt(0.5, 2e-3) + 0.5).abs() < 0.05, "it slides: {}", felt(0.5, 2e-3));
}

fn pushed(time: f64, force: DVec3) -> DeviceState {
    DeviceState { time, wrench: Some(Wrench { force, torque: DVec3::ZERO }), ..DeviceState::at(above()) }
}

fn told(command: DeviceCommand) -> (Pose, Twist) {
    let DeviceCommand::Motion { pose, twist } = command else { panic!("{command:?}") };
    assert!(pose.position.is_finite() && pose.rotation.is_finite() && twist.linear.is_finite());
    (pose, twist)
}

#[test]
fn an_admittance_device_stays_where_it_is_on_any_fault() {
    let mut session = Session::in_step(constraint(), &wide()).unwrap();
    let mut before = above();
    for k in 0..100 {
        before = told(session.command(&pushed(1e-3 * f64::from(k), DVec3::X))).0;
    }
    assert!(before.position.x > above().position.x, "it goes where it is pushed");
    let nonsense = [pushed(f64::NAN, DVec3::X), pushed(0.1, DVec3::NAN), pushed(0.101, DVec3::INFINITY)];
    for bad in nonsense {
        assert_eq!(told(session.command(&bad)), (before, Twist::ZERO));
    }
    session.servo_half().device_lost();
    for k in 110..120 {
        assert_eq!(told(session.command(&pushed(1e-3 * f64::from(k), DVec3::X))), (before, Twist::ZERO));
    }
    session.servo_half().device_found();
    let mut after = before;
    for k in 120..200 {
        let state = DeviceState { pose: after, ..pushed(1e-3 * f64::from(k), DVec3::X) };
        after = told(session.command(&state)).0;
    }
    assert!(after.position.x > before.position.x, "and goes on afterwards");
}

#[test]
fn an_admittance_device_begins_where_it_is_and_is_not_thrown() {
    let mut session = Session::in_step(constraint(), &wide()).unwrap();
    let elsewhere = Pose::at(DVec3::new(0.1, 0.3, -0.2));
    let first = DeviceState { pose: elsewhere, ..pushed(0.0, DVec3::ZERO) };
    assert_eq!(told(session.command(&first)), (elsewhere, Twist::ZERO));
    let mut last = elsewhere;
    for k in 1..2000 {
        let (pose, twist) = told(session.command(&pushed(1e-3 * f64::from(k), DVec3::Y * 1e6)));
        assert!((pose.position - last.position).length() < 2.1e-3 && twist.linear.length() < 2.1);
        last = pose;
    }
}

/// An admittance device that is wherever it is told to be, in a workspace with a clutch; the hand pushes down and aside, against the floor. The body that it is told to be goes on while the clutch is open.
#[test]
fn an_admittance_device_does_not_jump_when_the_clutch_closes() {
    let mut session = Session::in_step(constraint(), &wide()).unwrap();
    let options = WorkspaceOptions { scale: 2.0, clutch_buttons: 1, ..Default::default() };
    let mut workspace = Workspace::new(options).unwrap();
    let mut device = Pose::at(DVec3::Y * 0.01);
    let mut far = 0.0;
    for k in 0..1500 {
        let buttons = u32::from((400..700).contains(&k) || (900..905).contains(&k));
        let state =
            DeviceState { pose: device, buttons, ..pushed(1e-3 * f64::from(k), DVec3::new(0.5, -0.5, 0.0)) };
        let command = session.command(&workspace.to_scene(&state));
        let (next, _) = told(workspace.to_device(&command));
        let way = next.position.distance(device.position);
        assert!(way < 1.1e-3, "a jump of {way} m at {k}");
        assert!(buttons == 0 || way < 1e-12, "it stays while the clutch is open: {way} m at {k}");
        far += way;
        device = next;
    }
    assert!(far > 0.05, "it has gone {far} m");
}

/// A device that comes back may be anywhere: it goes on from there. So it does after any fault.
#[test]
fn an_admittance_device_does_not_jump_when_it_comes_back() {
    for is_lost in [true, false] {
        let mut session = Session::in_step(constraint(), &wide()).unwrap();
        let mut device = above();
        for k in 0..300 {
            let state = DeviceState { pose: device, ..pushed(1e-3 * f64::from(k), DVec3::X) };
            device = told(session.command(&state)).0;
        }
        let before = device;
        if is_lost {
            session.servo_half().device_lost();
        }
        // Meanwhile it was carried 5 cm away; or the loop stood still, which is a fault of its own.
        device.position += DVec3::new(0.03, 0.04, 0.0);
        if is_lost {
            session.servo_half().device_found();
        }
        for k in 0..300 {
            let state = DeviceState { pose: device, ..pushed(0.5 + 1e-3 * f64::from(k), DVec3::X) };
            let (next, twist) = told(session.command(&state));
            // It stays where it should have stayed while there is a fault, which here is one call.
            let is_fault = matches!(session.servo_half().safety().state, SafetyState::Zero(_));
            if is_fault && !is_lost {
                assert_eq!((next, twist, k), (before, Twist::ZERO, 0));
                continue;
            }
            let way = next.position.distance(device.position);
            assert!(way < 2.1e-3, "a jump of {way} m at {k}");
            assert!(k > 1 || way < 1e-4, "it begins at rest: {way} m at {k}");
            device = next;
        }
        assert!(device.position.x > before.position.x + 0.03, "and goes on");
    }
}

/// A simulation that does not keep up: what it said is too old to be felt.
#[test]
fn stale_words_are_not_felt() {
    let mut session = Session::threaded(constraint(), &wide()).unwrap();
    let deep = |time: f64| DeviceState { time, ..DeviceState::at(Pose::at(DVec3::Y * 0.009)) };
    while session.feedback().is_none_or(|feedback| feedback.data_time < 0.0) {
        session.servo(&deep(0.0));
        std::thread::sleep(Duration::from_millis(1));
    }
    let mut stale = 0;
    for k in 0..2000 {
        let before = session.servo_half().safety().faults(Fault::Stale);
        // Calls come faster than the simulation answers.
        let wrench = session.servo(&deep(5e-3 * f64::from(k)));
        if session.servo_half().safety().faults(Fault::Stale) > before {
            assert_eq!(wrench, Wrench::ZERO);
            stale += 1;
        }
    }
    assert!(stale > 100, "{stale}");
}

/// Penetration is told below the level that counts, by both methods.
#[test]
fn a_level_below_the_surface_is_no_penetration() {
    let options = GodObjectOptions { iso: -4e-4, ..Default::default() };
    let god = GodObject::new(pair(), above(), &options).unwrap();
    let renderer = Renderer::Constraint(Box::new(god), Coupling::spring(1000.0, 0.1));
    let mut session = Session::in_step(renderer, &wide()).unwrap();
    for state in states() {
        session.servo(&state);
    }
    let simulation = session.finish().unwrap();
    assert_eq!(simulation.totals().max_penetration, 0.0);
    assert!(simulation.renderer().pose().position.y < 0.0099, "it did go in");
}

#[test]
fn options_that_make_no_sense_are_named() {
    let error = Session::in_step(constraint(), &SessionOptions { rate: 0.0, ..wide() }).err().unwrap();
    assert!(matches!(error, SessionError::Option { quantity: "rate", .. }), "{error}");
}

/// What the docs show is what the example compiles.
#[test]
fn the_docs_show_the_example() {
    let docs = include_str!("../../../docs/haptics.md");
    let example = include_str!("../examples/haptic_callback.rs");
    let shown = docs.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert!(shown.contains("Session::threaded") && shown.contains("session.servo("));
    let indented: String = shown
        .lines()
        .map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") })
        .collect();
    assert!(
        example.contains(&indented),
        "docs/haptics.md shows other code than examples/haptic_callback.rs has"
    );
}
