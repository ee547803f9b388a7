use isotouch::haptics::device::{
    Causality, Device, DeviceCommand, DeviceError, Hand, HandError, HandOptions, Path,
};
use isotouch::math::{DQuat, DVec3, Pose, Twist, Wrench};

fn resting(options: HandOptions) -> Hand {
    Hand::new(Path::resting(Pose::IDENTITY).unwrap(), options).unwrap()
}

fn push(hand: &mut Hand, wrench: Wrench, ticks: usize) {
    for _ in 0..ticks {
        hand.write(&DeviceCommand::Wrench(wrench)).unwrap();
    }
}

#[test]
fn under_a_constant_wrench_it_comes_to_rest_where_springs_balance() {
    let mut hand = resting(HandOptions::default());
    let wrench = Wrench { force: DVec3::new(4.0, -2.0, 1.0), torque: DVec3::new(0.0, 0.0, 1.5) };
    push(&mut hand, wrench, 5000);
    let state = hand.read().unwrap();
    assert!((state.pose.position - wrench.force / 400.0).length() < 1e-9);
    // 1.5 N·m on 5 N·m/rad.
    assert!(state.pose.rotation.angle_between(DQuat::from_rotation_z(0.3)) < 1e-7);
    assert!(state.twist.linear.length() < 1e-9 && state.twist.angular.length() < 1e-9);
    push(&mut hand, Wrench::ZERO, 5000);
    assert!(hand.read().unwrap().pose.position.length() < 1e-9 && hand.energy() < 1e-15);
}

/// Against the textbook's damped oscillation: x(t) = e^(−ζωt)·x₀·(cos ω_d t + ζω/ω_d·sin ω_d t).
#[test]
fn it_swings_back_as_a_damped_oscillator() {
    let options = HandOptions { damping: 4.0, rate: 10_000.0, ..Default::default() };
    let mut hand = resting(options);
    push(&mut hand, Wrench { force: DVec3::X * 4.0, torque: DVec3::ZERO }, 50_000);
    let x0 = hand.read().unwrap().pose.position.x;
    let omega = (options.stiffness / options.mass).sqrt();
    let zeta = options.damping / (2.0 * (options.stiffness * options.mass).sqrt());
    let omega_d = omega * (1.0 - zeta * zeta).sqrt();
    for tick in 0..5000 {
        let t = f64::from(tick) / options.rate;
        let expected = (-zeta * omega * t).exp()
            * x0
            * ((omega_d * t).cos() + zeta * omega / omega_d * (omega_d * t).sin());
        let x = hand.read().unwrap().pose.position.x;
        assert!((x - expected).abs() < 0.003 * x0, "{x} {expected} at {t}");
        push(&mut hand, Wrench::ZERO, 1);
    }
}

/// Whatever pushes it, it gives back no more than went in: the energy it holds is at most the work done on it, to the order of a step.
#[test]
fn it_is_passive() {
    for damping in [0.0, 1.0, 20.0] {
        let mut hand =
            resting(HandOptions { damping, angular_damping: damping * 0.007, ..Default::default() });
        let (mut work, mut most) = (0.0, 0.0f64);
        for tick in 0..20_000 {
            let t = f64::from(tick) * 1e-3;
            let on = tick < 10_000;
            let force =
                if on { DVec3::new((28.0 * t).sin() * 3.0, (9.0 * t).cos(), 1.0) } else { DVec3::ZERO };
            let torque = if on {
                DVec3::new(0.1 * (50.0 * t).sin(), 0.05, 0.1 * (3.0 * t).cos())
            } else {
                DVec3::ZERO
            };
            push(&mut hand, Wrench { force, torque }, 1);
            // Of the velocity after the step, with which the pose moved.
            let twist = hand.read().unwrap().twist;
            work += (force.dot(twist.linear) + torque.dot(twist.angular)) * 1e-3;
            most = most.max(hand.energy());
            assert!(
                hand.energy() <= work + 0.03 * most + 1e-6,
                "{} J of {work} J at {t} s, damping {damping}",
                hand.energy()
            );
        }
        assert!(most > 0.01);
        if damping > 0.0 {
            assert!(hand.energy() < 1e-3 * most, "and what is left dies out");
        }
    }
}

#[test]
fn it_follows_its_path() {
    let end = Pose { position: DVec3::new(0.2, -0.1, 0.05), rotation: DQuat::from_rotation_x(1.0) };
    let path = Path::new(vec![(0.0, Pose::IDENTITY), (2.0, end), (3.0, end)]).unwrap();
    let mut hand = Hand::new(path.clone(), HandOptions::default()).unwrap();
    let mut last_time = -1.0;
    for tick in 0..3500 {
        let state = hand.read().unwrap();
        assert!(state.time > last_time);
        last_time = state.time;
        if (500..2000).contains(&tick) {
            let (target, twist) = path.at(state.time);
            assert!((state.pose.position - target.position).length() < 2e-4, "at {}", state.time);
            assert!(state.pose.rotation.angle_between(target.rotation) < 2e-3);
            assert!((state.twist.linear - twist.linear).length() < 1e-3);
        }
        push(&mut hand, Wrench::ZERO, 1);
    }
    let state = hand.read().unwrap();
    assert!(hand.is_done() && (state.pose.position - end.position).length() < 1e-6);
}

#[test]
fn the_same_commands_give_the_same_bits() {
    let run = || {
        let path = Path::new(vec![(0.0, Pose::IDENTITY), (0.5, Pose::at(DVec3::ONE * 0.1))]).unwrap();
        let mut hand = Hand::new(path, HandOptions::default()).unwrap();
        (0..1000)
            .map(|tick| {
                let x = f64::from(tick).sin();
                push(&mut hand, Wrench { force: DVec3::splat(x), torque: DVec3::Y * (0.1 * x) }, 1);
                hand.read().unwrap()
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}

#[test]
fn an_admittance_hand_pushes_towards_its_target() {
    let options = HandOptions { causality: Causality::Admittance, ..Default::default() };
    let path = Path::resting(Pose::at(DVec3::X * 0.1)).unwrap();
    let mut hand = Hand::new(path, options).unwrap();
    let there = Pose { position: DVec3::ZERO, rotation: DQuat::from_rotation_y(-0.2) };
    let twist = Twist { linear: DVec3::Z * 0.5, angular: DVec3::Y };
    hand.write(&DeviceCommand::Motion { pose: there, twist }).unwrap();
    let state = hand.read().unwrap();
    assert_eq!((state.pose, state.twist), (there, twist));
    let wrench = state.wrench.unwrap();
    // 400 N/m over 0.1 m; 20 N·s/m at 0.5 m/s; 5 N·m/rad over 0.2 rad less 0.14 N·m·s/rad at 1 rad/s.
    assert!((wrench.force - DVec3::new(40.0, 0.0, -10.0)).length() < 1e-12);
    assert!((wrench.torque - DVec3::Y * (1.0 - 0.14)).length() < 1e-12);
    assert_eq!(state.time, 0.001);
}

#[test]
fn commands_of_the_wrong_kind_or_without_numbers_are_refused() {
    let mut hand = resting(HandOptions::default());
    let motion = DeviceCommand::Motion { pose: Pose::IDENTITY, twist: Twist::ZERO };
    let error = hand.write(&motion).unwrap_err();
    assert!(matches!(error, DeviceError::WrongCausality { .. }));
    assert_eq!(error.to_string(), "hand is an impedance device and takes no admittance commands");
    let nan = DeviceCommand::Wrench(Wrench { force: DVec3::NAN, torque: DVec3::ZERO });
    assert_eq!(hand.write(&nan), Err(DeviceError::BadCommand { device: "hand" }));
    assert_eq!(hand.read().unwrap().time, 0.0, "no time passed");
    let mut hand = resting(HandOptions { causality: Causality::Admittance, ..Default::default() });
    let nowhere = Pose { position: DVec3::ZERO, rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0) };
    assert!(hand.write(&DeviceCommand::Motion { pose: nowhere, twist: Twist::ZERO }).is_err());
    assert!(hand.write(&DeviceCommand::NOTHING).is_err());
}

#[test]
fn what_is_no_hand_is_refused() {
    let path = || Path::resting(Pose::IDENTITY).unwrap();
    let bad = [
        HandOptions { mass: 0.0, ..Default::default() },
        HandOptions { stiffness: -1.0, ..Default::default() },
        HandOptions { rate: f64::INFINITY, ..Default::default() },
        HandOptions { angular_damping: f64::NAN, ..Default::default() },
    ];
    for options in bad {
        assert!(matches!(Hand::new(path(), options), Err(HandError::Number { .. })), "{options:?}");
    }
    let stiff = HandOptions { stiffness: 1e6, ..Default::default() };
    let error = Hand::new(path(), stiff).unwrap_err();
    assert!(matches!(error, HandError::TooStiff { what: "grip", .. }), "{error}");
}
