//! The line that shows how it goes, drawn outside of the servo loop.

use std::cell::Cell;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use isotouch::haptics::Feedback;
use isotouch::haptics::device::DeviceCommand;

use crate::console::Console;
use crate::format::number;

/// Between two drawings.
const PAUSE: Duration = Duration::from_millis(100);

/// What the loop says of itself, without locks: the latest numbers, each for itself.
#[derive(Debug, Default)]
pub(super) struct Shared {
    ticks: AtomicU64,
    steps: AtomicU64,
    contacts: AtomicU64,
    stuck: AtomicU64,
    /// Bits of f64: N, m, s, s.
    force: AtomicU64,
    penetration: AtomicU64,
    step: AtomicU64,
    servo: AtomicU64,
}

impl Shared {
    pub(super) fn tell(&self, of: &Feedback, command: &DeviceCommand, servo: f64) {
        let force = match command {
            DeviceCommand::Wrench(wrench) => wrench.force.length(),
            DeviceCommand::Motion { .. } => of.wanted.force.length(),
        };
        self.ticks.fetch_add(1, Relaxed);
        self.steps.store(of.simulation_steps, Relaxed);
        self.contacts.store(of.contacts.into(), Relaxed);
        self.stuck.store(of.is_stuck.into(), Relaxed);
        self.force.store(force.to_bits(), Relaxed);
        self.penetration.store(of.penetration.to_bits(), Relaxed);
        self.step.store(of.simulation_seconds.to_bits(), Relaxed);
        self.servo.store(servo.to_bits(), Relaxed);
    }
}

/// The line; an invisible one when stderr is not a terminal or `--quiet` was given.
pub(super) struct Status {
    line: ProgressBar,
    /// When it was last drawn, with the ticks and steps until then.
    last: Cell<(Instant, u64, u64)>,
}

impl Status {
    pub(super) fn new(console: &Console) -> Self {
        let target = if console.shows_progress() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let line = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{msg}") {
            line.set_style(style);
        }
        Self { line, last: Cell::new((Instant::now(), 0, 0)) }
    }

    /// Waits until it is time to draw again.
    pub(super) fn pause(&self) {
        std::thread::sleep(PAUSE);
    }

    /// Draws, unless it was drawn just before.
    pub(super) fn draw(&self, shared: &Shared) {
        let (last, ticks_then, steps_then) = self.last.get();
        let since = last.elapsed();
        if self.line.is_hidden() || since < PAUSE {
            return;
        }
        let (ticks, steps) = (shared.ticks.load(Relaxed), shared.steps.load(Relaxed));
        self.last.set((Instant::now(), ticks, steps));
        let rate = |now: u64, then: u64| now.saturating_sub(then) as f64 / since.as_secs_f64();
        let of = |bits: &AtomicU64| f64::from_bits(bits.load(Relaxed));
        let contacts = shared.contacts.load(Relaxed);
        let stuck = if shared.stuck.load(Relaxed) > 0 { "  stuck" } else { "" };
        self.line.set_message(format!(
            "servo {:.0} Hz, {} µs   simulation {:.0} Hz, {} µs   {contacts} contacts   {:.2} N   {} mm deep{stuck}",
            rate(ticks, ticks_then),
            number(1e6 * of(&shared.servo)),
            rate(steps, steps_then),
            number(1e6 * of(&shared.step)),
            of(&shared.force),
            number(1e3 * of(&shared.penetration)),
        ));
    }
}

impl Drop for Status {
    fn drop(&mut self) {
        self.line.finish_and_clear();
    }
}
