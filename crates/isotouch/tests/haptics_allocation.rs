//! What the servo loop calls takes no memory from the system, and gives none back.
#![allow(unsafe_code, clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use isotouch::ccd::Plane;
use isotouch::haptics::clock::{ClockOptions, Histogram, ServoClock};
use isotouch::haptics::device::{
    Device, DeviceCommand, DeviceState, Hand, HandOptions, InWorkspace, Page, PageOptions, Path, Workspace,
    WorkspaceOptions,
};
use isotouch::haptics::exchange::exchange;
use isotouch::haptics::record::{Entry, Recorder, RecordingHeader};
use isotouch::haptics::safety::{Safety, SafetyOptions};
use isotouch::haptics::{
    Coupling, GodObject, GodObjectOptions, Held, HeldPair, Renderer, Session, SessionOptions, Surface,
};
use isotouch::math::{DVec3, Pose, Wrench};
use isotouch::mesh::{mass_properties, shapes};
use isotouch::shell::{PointShell, Sampling, ShellOptions};

/// Counts the calls of this thread.
struct Counting;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // While a thread ends there is nothing left to count in.
    let _ = CALLS.try_with(|calls| calls.set(calls.get() + 1));
}

// SAFETY: Everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: As the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count();
        // SAFETY: As the caller promised.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn calls(work: impl FnOnce()) -> u64 {
    let before = CALLS.get();
    work();
    CALLS.get() - before
}

#[test]
fn the_count_counts() {
    assert_eq!(calls(|| drop(std::hint::black_box(Box::new(1)))), 2);
}

#[test]
fn a_tick_of_the_servo_loop_allocates_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ticks.recording");
    let mut recorder = Recorder::start(&path, &RecordingHeader::default()).unwrap();
    let hand_path = Path::new(vec![(0.0, Pose::IDENTITY), (1.0, Pose::at(DVec3::X))]).unwrap();
    let hand = Hand::new(hand_path, HandOptions::default()).unwrap();
    let workspace = Workspace::new(WorkspaceOptions::z_up()).unwrap();
    let mut device: Box<dyn Device> = Box::new(InWorkspace::new(hand, workspace));
    let mut safety = Safety::new(SafetyOptions::for_device(device.capabilities()));
    let mut clock = ServoClock::new(ClockOptions::default()).unwrap();
    let (mut states, mut state_reader) = exchange(device.read().unwrap());
    let mut histogram = Histogram::default();

    let count = calls(|| {
        for i in 0..200 {
            let tick = clock.wait();
            let state = device.read().unwrap();
            states.write(state);
            let pushed =
                if i % 50 == 49 { f64::NAN } else { -100.0 * state_reader.read().value.pose.position.x };
            if i == 120 {
                safety.device_lost();
                safety.device_found();
            }
            let wrench =
                safety.filter(tick.time, tick.time, Wrench { force: DVec3::X * pushed, torque: DVec3::ZERO });
            let command = DeviceCommand::Wrench(wrench);
            device.write(&command).unwrap();
            assert!(device.write(&DeviceCommand::Wrench(push_nan())).is_err());
            recorder.push(&Entry {
                tick: tick.index,
                state,
                command,
                safety: safety.status().bits(),
                ..Entry::default()
            });
            histogram.add_seconds(tick.late);
            std::hint::black_box((histogram.quantile(0.99), clock.statistics().achieved_rate()));
        }
    });
    assert_eq!(count, 0);
    assert_eq!(recorder.finish().unwrap().entries, 200);
}

/// The call itself: in contact with more planes than are told, smooth and rough, and beside a device of the other kind.
#[test]
fn a_servo_call_in_contact_allocates_nothing() {
    let block = shapes::cuboid(DVec3::new(0.02, 0.01, 0.03)).unwrap();
    let options = ShellOptions { sampling: Sampling::Points(2000), ..Default::default() };
    let shell = Arc::new(PointShell::from_mesh(&block, &options).unwrap());
    let floor = Surface::Analytic(Arc::new(Plane::GROUND), 1e-3);
    let mass = mass_properties(&block, 1000.0).unwrap();
    let pair = Arc::new(HeldPair::new(shell, floor, Held::Shell, mass).unwrap());
    for (friction, push) in [(0.0, None), (0.4, None), (0.0, Some(Wrench::ZERO))] {
        let options = GodObjectOptions { friction, ..Default::default() };
        let god = GodObject::new(Arc::clone(&pair), Pose::at(DVec3::Y * 0.0052), &options).unwrap();
        let renderer = Renderer::Constraint(Box::new(god), Coupling::spring(1000.0, 0.1));
        let mut session = Session::threaded(renderer, &SessionOptions::default()).unwrap();
        let mut most = 0;
        let mut tick = |k: u32, session: &mut Session| {
            let place = DVec3::new(2e-6 * f64::from(k), 0.0045, 0.0);
            let time = 1e-3 * f64::from(k);
            let command =
                session.command(&DeviceState { time, wrench: push, ..DeviceState::at(Pose::at(place)) });
            std::thread::sleep(Duration::from_millis(1));
            most = most.max(session.feedback().map_or(0, |feedback| feedback.contacts));
            std::hint::black_box(command);
        };
        for k in 0..100 {
            tick(k, &mut session);
        }
        let count = calls(|| {
            for k in 100..300 {
                tick(k, &mut session);
            }
        });
        assert_eq!(count, 0, "μ = {friction}");
        assert!(push.is_some() || most > 48, "only {most} points touched");
    }
}

fn push_nan() -> Wrench {
    Wrench { force: DVec3::NAN, torque: DVec3::ZERO }
}

/// Also where nobody answers: errors are values without memory of their own.
#[test]
fn a_device_over_a_wire_allocates_nothing_in_the_loop() {
    let mut page = Page::open(&PageOptions::default()).unwrap();
    let count = calls(|| {
        for _ in 0..100 {
            assert!(page.read().is_err());
            page.write(&DeviceCommand::NOTHING).unwrap();
        }
    });
    assert_eq!(count, 0);
}
