use isotouch::haptics::Coupling;
use isotouch::haptics::device::{
    Causality, Device, DeviceCommand, DeviceState, Hand, HandOptions, InWorkspace, Path, Preset, Workspace,
    WorkspaceError, WorkspaceOptions,
};
use isotouch::math::{DQuat, DVec3, Pose, Twist, Wrench};

fn options() -> WorkspaceOptions {
    WorkspaceOptions {
        scale: 4.0,
        force_scale: 0.5,
        scene_from_device: DQuat::from_xyzw(0.2, -0.4, 0.1, 0.8).normalize(),
        device_centre: DVec3::new(0.0, -0.12, 0.15),
        scene_centre: DVec3::new(1.0, 2.0, 3.0),
        handle_from_tool: DQuat::from_rotation_z(0.3),
        clutch_buttons: 0b10,
        ..Default::default()
    }
}

fn state(time: f64, t: f64, buttons: u32) -> DeviceState {
    let pose = Pose {
        position: DVec3::new(0.1 * t, (3.0 * t).sin() * 0.05, 0.2 - 0.05 * t),
        rotation: DQuat::from_scaled_axis(DVec3::new(t, 0.5 * t * t, -0.3 * t)),
    };
    let twist = Twist { linear: DVec3::new(0.1, 0.2, t), angular: DVec3::new(1.0, -t, 0.5) };
    let wrench = Some(Wrench { force: DVec3::new(1.0, t, -2.0), torque: DVec3::new(0.1, 0.0, t) });
    DeviceState { time, pose, twist, buttons, wrench }
}

fn close(a: &Pose, b: &Pose) -> bool {
    (a.position - b.position).length() < 1e-12 && a.rotation.dot(b.rotation).abs() > 1.0 - 1e-12
}

/// z up and y forward become y up and −z forward.
#[test]
fn z_up_is_turned() {
    let mut workspace = Workspace::new(WorkspaceOptions::z_up()).unwrap();
    for (device, scene) in [(DVec3::X, DVec3::X), (DVec3::Y, DVec3::NEG_Z), (DVec3::Z, DVec3::Y)] {
        let seen = workspace.to_scene(&DeviceState::at(Pose::at(device))).pose.position;
        assert!((seen - scene).length() < 1e-15);
        let DeviceCommand::Wrench(back) =
            workspace.to_device(&DeviceCommand::Wrench(Wrench { force: scene, torque: scene }))
        else {
            panic!()
        };
        assert!((back.force - device).length() < 1e-15 && (back.torque - device).length() < 1e-15);
    }
}

#[test]
fn there_and_back_is_where_it_was() {
    let mut workspace = Workspace::new(options()).unwrap();
    for i in 0..10 {
        let device = state(0.1 * f64::from(i), 0.3 * f64::from(i), 0);
        let scene = workspace.to_scene(&device);
        let motion = DeviceCommand::Motion { pose: scene.pose, twist: scene.twist };
        let DeviceCommand::Motion { pose, twist } = workspace.to_device(&motion) else { panic!() };
        assert!(close(&pose, &device.pose));
        assert!((twist.linear - device.twist.linear).length() < 1e-12);
        assert!((twist.angular - device.twist.angular).length() < 1e-12);
        let DeviceCommand::Wrench(wrench) =
            workspace.to_device(&DeviceCommand::Wrench(scene.wrench.unwrap()))
        else {
            panic!()
        };
        assert!((wrench.force - device.wrench.unwrap().force).length() < 1e-12);
        assert!((wrench.torque - device.wrench.unwrap().torque).length() < 1e-12);
    }
}

/// The velocity that the scene sees is that of the pose it sees, by differences.
#[test]
fn velocities_belong_to_poses() {
    let mut workspace = Workspace::new(options()).unwrap();
    let at = |x: f64| {
        let twist = Twist { linear: DVec3::new(0.3, -0.1, 0.2), angular: DVec3::new(0.4, 0.5, -0.6) };
        let rotation = DQuat::from_scaled_axis(twist.angular * x) * DQuat::from_rotation_x(0.5);
        DeviceState { twist, ..DeviceState::at(Pose { position: twist.linear * x, rotation }) }
    };
    let e = 1e-6;
    let [before, now, after] = [-e, 0.0, e].map(|x| workspace.to_scene(&at(x)));
    let linear = (after.pose.position - before.pose.position) / (2.0 * e);
    let angular = (after.pose.rotation * before.pose.rotation.conjugate()).xyz() / e;
    assert!((linear - now.twist.linear).length() < 1e-8);
    assert!((angular - now.twist.angular).length() < 1e-8);
}

/// Power in the hand is f/s of that in the scene, of forces and of torques.
#[test]
fn power_is_scaled_by_one_factor() {
    let mut workspace = Workspace::new(options()).unwrap();
    let device = state(0.0, 0.7, 0);
    let scene = workspace.to_scene(&device);
    for wrench in [
        Wrench { force: DVec3::new(1.0, 2.0, -3.0), torque: DVec3::ZERO },
        Wrench { force: DVec3::ZERO, torque: DVec3::new(-0.2, 0.1, 0.4) },
    ] {
        let in_scene = wrench.force.dot(scene.twist.linear) + wrench.torque.dot(scene.twist.angular);
        let DeviceCommand::Wrench(felt) = workspace.to_device(&DeviceCommand::Wrench(wrench)) else {
            panic!()
        };
        let in_hand = felt.force.dot(device.twist.linear) + felt.torque.dot(device.twist.angular);
        assert!((in_hand - in_scene * 0.5 / 4.0).abs() < 1e-12);
    }
}

#[test]
fn the_clutch_lets_go_and_takes_up_without_a_jump() {
    let mut workspace = Workspace::new(options()).unwrap();
    let force = DeviceCommand::Wrench(Wrench { force: DVec3::X * 2.0, torque: DVec3::Y });
    let felt = |workspace: &mut Workspace| {
        let DeviceCommand::Wrench(wrench) = workspace.to_device(&force) else { panic!() };
        wrench.force.length()
    };
    let before = workspace.to_scene(&state(1.0, 0.5, 0b01));
    assert!((felt(&mut workspace) - 1.0).abs() < 1e-12);
    for i in 1..50 {
        let open = workspace.to_scene(&state(1.0 + 0.001 * f64::from(i), 0.5 + 0.02 * f64::from(i), 0b11));
        assert_eq!(open.pose, before.pose);
        assert_eq!((open.twist, open.wrench), (Twist::ZERO, Some(Wrench::ZERO)));
        assert!(workspace.is_open() && felt(&mut workspace) == 0.0);
    }
    // An admittance device is told to stay where it was, although it may have given way since.
    let motion = DeviceCommand::Motion { pose: before.pose, twist: Twist::ZERO };
    assert_eq!(
        workspace.to_device(&motion),
        DeviceCommand::Motion { pose: state(0.0, 0.52, 0).pose, twist: Twist::ZERO }
    );

    let closed = workspace.to_scene(&state(1.05, 1.5, 0));
    assert!(close(&closed.pose, &before.pose), "no jump");
    assert_eq!(felt(&mut workspace), 0.0, "forces grow again");
    workspace.to_scene(&state(1.10, 1.5, 0));
    assert!((felt(&mut workspace) - 0.5).abs() < 1e-9);
    workspace.to_scene(&state(1.16, 1.5, 0));
    assert!((felt(&mut workspace) - 1.0).abs() < 1e-12);

    // From there on it moves as before: the same motion of the device is the same motion in the scene.
    let (device, later) = (state(1.2, 1.5, 0), state(1.3, 1.7, 0));
    let (a, b) = (workspace.to_scene(&device), workspace.to_scene(&later));
    let moved = options().scene_from_device * (later.pose.position - device.pose.position) * 4.0;
    assert!((b.pose.position - a.pose.position - moved).length() < 1e-12);
    let turned = later.pose.rotation * device.pose.rotation.conjugate();
    let expected = options().scene_from_device * turned * options().scene_from_device.conjugate();
    assert!((b.pose.rotation * a.pose.rotation.conjugate()).dot(expected).abs() > 1.0 - 1e-12);
}

/// What an admittance device is told to be goes on while the clutch is open. When it closes the device goes on from where it is, and the scene from where that is.
#[test]
fn a_clutch_that_closes_takes_up_what_an_admittance_device_is_told() {
    let mut workspace = Workspace::new(options()).unwrap();
    let motion = |k: u32| {
        let position = DVec3::new(1.0 + 0.002 * f64::from(k), 2.0, 3.0 - 0.001 * f64::from(k));
        let rotation = DQuat::from_rotation_y(0.003 * f64::from(k));
        DeviceCommand::Motion { pose: Pose { position, rotation }, twist: Twist::ZERO }
    };
    let mut device = state(0.0, 0.5, 0).pose;
    for k in 0..300 {
        let buttons = if (100..200).contains(&k) { 0b10 } else { 0 };
        let told = DeviceState { pose: device, buttons, ..state(1e-3 * f64::from(k), 0.5, 0) };
        workspace.to_scene(&told);
        let DeviceCommand::Motion { pose, .. } = workspace.to_device(&motion(k)) else { panic!() };
        let (way, turn) =
            (pose.position.distance(device.position), pose.rotation.angle_between(device.rotation));
        // The first command is not where the device is; from then on it is told to go by a quarter of the scene's way.
        assert!(k == 0 || (way < 1e-3 && turn < 4e-3), "{k}: a jump of {way} m and {turn} rad");
        device = pose;
    }
}

/// What comes after all limits must not make more of a force, nor turn it around.
#[test]
fn a_clock_that_begins_anew_never_multiplies_forces() {
    let force = DeviceCommand::Wrench(Wrench { force: DVec3::X * 2.0, torque: DVec3::Y });
    for closed in [120.0, 0.02] {
        let mut workspace =
            Workspace::new(WorkspaceOptions { clutch_buttons: 1, ..Default::default() }).unwrap();
        workspace.to_scene(&state(closed - 0.01, 0.5, 1));
        workspace.to_scene(&state(closed, 0.5, 0));
        let mut last = 0.0;
        for k in 0..200 {
            workspace.to_scene(&state(1e-3 * f64::from(k), 0.5, 0));
            let DeviceCommand::Wrench(felt) = workspace.to_device(&force) else { panic!() };
            assert!((0.0..=2.0).contains(&felt.force.x) && felt.force.x >= last, "{felt:?} at {k} ms");
            last = felt.force.x;
        }
        assert_eq!(last, 2.0);
    }
}

#[test]
fn the_clutch_opens_by_call_too() {
    let path = Path::new(vec![(0.0, Pose::IDENTITY), (1.0, Pose::at(DVec3::X * 0.2))]).unwrap();
    let hand = Hand::new(path, HandOptions::default()).unwrap();
    let workspace = Workspace::new(WorkspaceOptions { scale: 2.0, ..Default::default() }).unwrap();
    let mut device = InWorkspace::new(hand, workspace);
    let mut last = device.read().unwrap().pose.position.x;
    for tick in 0..1000 {
        match tick {
            300 => device.workspace_mut().open_clutch(),
            600 => device.workspace_mut().close_clutch(),
            _ => {}
        }
        let x = device.read().unwrap().pose.position.x;
        assert!((x - last).abs() < 1e-3, "a jump from {last} to {x} at {tick}");
        assert_eq!(device.workspace().is_open(), (300..600).contains(&tick));
        last = x;
        device.write(&DeviceCommand::NOTHING).unwrap();
    }
    assert!((last - 0.4 * 0.7).abs() < 0.01, "without what went by while it was open: {last}");
}

#[test]
fn capabilities_are_seen_in_the_scene() {
    let device = Preset::Sigma7.capabilities();
    let scene = Workspace::new(options()).unwrap().capabilities_in_scene(&device);
    // A spring of the scene's largest stiffness, stretched by what 1 mm of the device is, is the device's largest stiffness by 1 mm.
    let felt = scene.max_stiffness * (0.001 * 4.0) * 0.5;
    assert!((felt - device.max_stiffness * 0.001).abs() < 1e-12);
    assert!((scene.max_force * 0.5 - device.max_force).abs() < 1e-12);
    let felt = scene.max_angular_stiffness * 0.1 * 0.5 / 4.0;
    assert!((felt - device.max_angular_stiffness * 0.1).abs() < 1e-12);
    assert!((scene.max_torque * 0.5 / 4.0 - device.max_torque).abs() < 1e-12);
}

#[test]
fn presets_are_sensible() {
    for preset in Preset::ALL {
        let c = preset.capabilities();
        assert!(!c.name.is_empty() && c.causality == Causality::Impedance);
        assert!((1.0..50.0).contains(&c.max_force) && (100.0..1e4).contains(&c.max_stiffness), "{c:?}");
        assert!(c.damping > 0.0 && c.rate >= 1000.0 && c.reach.iter().all(|side| (0.02..1.0).contains(side)));
        assert_eq!(c.has_torque(), c.max_angular_stiffness > 0.0);
        // A sampled spring is passive while damping > stiffness · period / 2 (Colgate & Brown 1994).
        assert!(c.damping > 0.5 * c.max_stiffness / c.rate, "{c:?}");
    }
}

/// b > K·T/2 + |B|: what a device renders without buzzing is just passive at its own rate, and damping leaves less room for stiffness.
#[test]
fn passivity_of_devices() {
    let touch = Preset::Touch.capabilities();
    let passivity = touch.passivity(1000.0);
    assert!((passivity.most_stiffness(0.0) - touch.max_stiffness).abs() < 1e-9);
    assert!((passivity.most_stiffness(0.2) - (touch.max_stiffness - 400.0)).abs() < 1e-9);
    assert!(passivity.margins(&Coupling::spring(900.0, 0.0))[0] > 0.0);
    assert!(passivity.margins(&Coupling { damping: 50.0, ..Coupling::spring(900.0, 0.0) })[0] < -49.0);
    assert!((touch.passivity(4000.0).most_stiffness(0.0) - 4.0 * touch.max_stiffness).abs() < 1e-9);
}

#[test]
fn what_is_no_workspace_is_refused() {
    for (scale, force_scale) in [(0.0, 1.0), (-1.0, 1.0), (f64::NAN, 1.0), (1.0, 0.0), (1.0, f64::INFINITY)] {
        let bad = WorkspaceOptions { scale, force_scale, ..Default::default() };
        assert!(matches!(Workspace::new(bad), Err(WorkspaceError::Scale { .. })));
    }
    let bad =
        WorkspaceOptions { scene_from_device: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.5), ..Default::default() };
    assert!(matches!(Workspace::new(bad), Err(WorkspaceError::Place { .. })));
}
