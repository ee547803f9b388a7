//! Devices: the simulated hand against what mechanics says of it, and those over a wire against stand-ins that speak their messages.
#![allow(clippy::unwrap_used)]

mod callback;
mod clock;
mod hand;
mod haply;
mod page;
mod path;
mod workspace;

use isotouch::haptics::device::{Device, DeviceState};

/// Reads until it answers as wanted. How long that took, s.
fn wait_for(
    device: &mut dyn Device,
    mut is_it: impl FnMut(&Result<DeviceState, isotouch::haptics::device::DeviceError>) -> bool,
) -> f64 {
    let begin = std::time::Instant::now();
    loop {
        let answer = device.read();
        if is_it(&answer) {
            return begin.elapsed().as_secs_f64();
        }
        assert!(begin.elapsed().as_secs_f64() < 10.0, "still {answer:?}");
        std::thread::sleep(std::time::Duration::from_micros(200));
    }
}
