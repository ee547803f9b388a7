//! A session in a device's callback at 1 kHz, as a developer with a vendor's SDK writes it: `cargo run --release -p isotouch --example haptic_callback`

#![allow(clippy::print_stdout)]

use isotouch::haptics::clock::{ClockOptions, ServoClock};
use isotouch::haptics::device::{DeviceState, Preset};
use isotouch::haptics::safety::SafetyOptions;
use isotouch::haptics::{Session, SessionOptions};
use isotouch::math::{DVec3, Pose, Twist};
use isotouch::scene::haptic::{HapticScene, Method, built_in};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wall = built_in::by_name("wall").ok_or("it is built in")?;
    let scene = HapticScene::parse(wall.name, wall.text)?;
    // docs/haptics.md shows what is between these two lines.
    // Once, before the device starts: all that allocates and takes long.
    let built = scene.build()?;
    let renderer = scene.renderer(&built.pair, Method::Constraint)?;
    let device = Preset::Touch.capabilities();
    let safety = SafetyOptions::for_device(&device);
    let options = SessionOptions { rate: device.rate, safety, ..SessionOptions::default() };
    // The simulation gets a thread of its own. The servo call waits for nothing, and neither allocates nor locks.
    let mut session = Session::threaded(renderer, &options)?;

    // In the device's callback, at 1 kHz: where the handle is (m, m/s, by a clock in s), and what it pushes with (N, N·m).
    let mut callback = |time: f64, pose: Pose, twist: Twist| {
        session.servo(&DeviceState { time, twist, ..DeviceState::at(pose) })
    };
    // So much for the page.

    // In place of the SDK: a hand that goes down at 2 cm/s until it is 2 mm too deep.
    let start = scene.start().position;
    let mut clock = ServoClock::new(ClockOptions::default())?;
    let mut force = DVec3::ZERO;
    loop {
        let tick = clock.wait();
        if tick.time > 2.0 {
            break;
        }
        let height = (start.y - 0.02 * tick.time).max(0.018);
        let speed = if height > 0.018 { -0.02 } else { 0.0 };
        let twist = Twist { linear: DVec3::Y * speed, angular: DVec3::ZERO };
        force = callback(tick.time, Pose::at(start.with_y(height)), twist).force;
    }
    println!("pushed back with {:.2} N; {:.1} Hz", force.y, clock.statistics().achieved_rate());
    println!(
        "{} steps of the simulation",
        session.finish().map_or(0, |simulation| simulation.totals().steps)
    );
    Ok(())
}
