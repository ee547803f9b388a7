use std::sync::{Arc, Mutex};
use std::time::Instant;

use isotouch::haptics::device::{Callback, Device, DeviceCommand, DeviceError, DeviceState, Preset};
use isotouch::math::{DVec3, Pose, Twist, Wrench};

/// A driver that hangs tells its last state again and again: within 10 ms it is lost, and found when time goes on.
#[test]
fn a_device_whose_clock_stands_still_is_lost() {
    let clock = Arc::new(Mutex::new(0.5));
    let theirs = Arc::clone(&clock);
    let read = move || Ok(DeviceState { time: *theirs.lock().unwrap(), ..DeviceState::at(Pose::IDENTITY) });
    let mut device = Callback::new(Preset::Touch.capabilities(), read, |_| Ok(()));
    for _ in 0..3 {
        let begin = Instant::now();
        assert!(device.read().is_ok(), "a new time");
        let error = loop {
            match device.read() {
                Ok(_) => assert!(begin.elapsed().as_secs() < 5),
                Err(error) => break error,
            }
        };
        assert!(matches!(error, DeviceError::Lost { silent, limit: 0.008, .. } if silent > 0.008), "{error}");
        *clock.lock().unwrap() += 0.001;
    }
}

#[test]
fn two_closures_are_a_device() {
    let sent = Arc::new(Mutex::new(Vec::new()));
    let theirs = Arc::clone(&sent);
    let mut x = 0.0;
    let mut device: Box<dyn Device> = Box::new(Callback::new(
        Preset::Omega3.capabilities(),
        move || {
            x += 1.0;
            Ok(DeviceState::at(Pose::at(DVec3::X * if x < 2.5 { x } else { f64::NAN })))
        },
        move |command| {
            theirs.lock().unwrap().push(*command);
            Ok(())
        },
    ));
    assert_eq!(device.capabilities().name, "omega.3");
    assert_eq!([1.0, 2.0].map(|_| device.read().unwrap().pose.position.x), [1.0, 2.0]);
    assert_eq!(device.read(), Err(DeviceError::BadState { device: "omega.3" }), "NaN goes no further");
    let push = DeviceCommand::Wrench(Wrench { force: DVec3::Z, torque: DVec3::ZERO });
    device.write(&push).unwrap();
    let nan = DeviceCommand::Wrench(Wrench { force: DVec3::ZERO, torque: DVec3::NAN });
    assert!(matches!(device.write(&nan), Err(DeviceError::BadCommand { .. })));
    let motion = DeviceCommand::Motion { pose: Pose::IDENTITY, twist: Twist::ZERO };
    assert!(matches!(device.write(&motion), Err(DeviceError::WrongCausality { .. })));
    assert_eq!(*sent.lock().unwrap(), [push]);
}
