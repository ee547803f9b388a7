//! The servo loop: read, ask, write, note. In real time with the simulation beside it, or in step as fast as it goes.

use std::path::Path;
use std::sync::atomic::Ordering::Acquire;
use std::time::Instant;

use anyhow::anyhow;
use isotouch::haptics::Session;
use isotouch::haptics::clock::{ClockOptions, DeadlineStatistics, Priority, ServoClock, raise_priority};
use isotouch::haptics::device::{Device, DeviceCommand, DeviceError, DeviceState};
use isotouch::haptics::record::{
    Entry, Recorder, RecorderReport, RecordingError, RecordingHeader, RecordingWriter,
};
use isotouch::math::Pose;

use super::log::Log;
use super::status::{Shared, Status};
use crate::console::Console;
use crate::failure::{Classify, Failure};
use crate::interrupt::INTERRUPTED;

/// How long a device may be gone before the session ends, s.
pub(super) const PATIENCE: f64 = 5.0;
/// Ticks in step between two looks of the status line.
const TICKS_PER_LOOK: u64 = 64;

/// How it ended.
pub(super) enum Ending {
    Done,
    Interrupted,
    Lost(DeviceError),
}

/// Where ticks are recorded.
pub(super) enum Tape {
    None,
    /// In step: written where they are made, none lost.
    Direct(Box<RecordingWriter>, Option<RecordingError>),
    /// In real time: through a ring.
    Ring(Recorder),
}

impl Tape {
    pub(super) fn start(
        path: Option<&Path>,
        header: &RecordingHeader,
        is_paced: bool,
    ) -> Result<Self, RecordingError> {
        Ok(match path {
            None => Self::None,
            Some(path) if is_paced => Self::Ring(Recorder::start(path, header)?),
            Some(path) => Self::Direct(Box::new(RecordingWriter::create(path, header)?), None),
        })
    }

    fn push(&mut self, entry: &Entry) {
        match self {
            Self::None => {}
            Self::Direct(writer, failed) => {
                if failed.is_none() {
                    *failed = writer.push(entry).err();
                }
            }
            Self::Ring(recorder) => recorder.push(entry),
        }
    }

    pub(super) fn finish(self) -> Result<Option<RecorderReport>, RecordingError> {
        match self {
            Self::None => Ok(None),
            Self::Direct(_, Some(error)) => Err(error),
            Self::Direct(writer, None) => {
                let entries = writer.entries();
                writer.finish().map(|()| Some(RecorderReport { entries, dropped: 0 }))
            }
            Self::Ring(recorder) => recorder.finish().map(Some),
        }
    }
}

/// All that turns.
pub(super) struct Drive<'a> {
    pub(super) device: Box<dyn Device>,
    pub(super) session: Session,
    pub(super) tape: Tape,
    pub(super) log: Log<'a>,
    pub(super) rate: f64,
    /// Ticks, if there is an end.
    pub(super) limit: Option<u64>,
    pub(super) is_live: bool,
}

/// What is left when it has ended.
pub(super) struct Outcome<'a> {
    pub(super) session: Session,
    pub(super) tape: Tape,
    pub(super) log: Log<'a>,
    pub(super) ending: Ending,
    /// In real time only.
    pub(super) deadlines: Option<DeadlineStatistics>,
    pub(super) priority: Option<String>,
    pub(super) device: &'static str,
}

impl<'a> Drive<'a> {
    /// One tick after the other, without a clock.
    pub(super) fn in_step(self, console: &Console) -> Outcome<'a> {
        let shared = Shared::default();
        let status = Status::new(console);
        let mut turning = Turning::new(self);
        let mut tick = 0;
        let ending = loop {
            if let Some(ending) = turning.turn(tick, None, &shared) {
                break ending;
            }
            tick += 1;
            if tick % TICKS_PER_LOOK == 0 {
                status.draw(&shared);
            }
        };
        turning.outcome(ending, None, None)
    }

    /// In real time, in a thread of its own that comes before others where the system allows.
    pub(super) fn paced(self, console: &Console) -> Result<Outcome<'a>, Failure> {
        let shared = Shared::default();
        let clock = ClockOptions { rate: self.rate, ..ClockOptions::default() };
        let joined = std::thread::scope(|scope| {
            let servo = std::thread::Builder::new().name("servo".into()).spawn_scoped(scope, || {
                let mut turning = Turning::new(self);
                let priority = match raise_priority() {
                    Priority::RealTime => "real time".to_owned(),
                    Priority::Ordinary { why } => format!("ordinary: {why}"),
                };
                let mut clock = match ServoClock::new(clock) {
                    Ok(clock) => clock,
                    Err(error) => return Err(error),
                };
                let ending = loop {
                    let tick = clock.wait();
                    let stamp = turning.is_live().then_some(tick.time);
                    if let Some(ending) = turning.turn(tick.index, stamp, &shared) {
                        break ending;
                    }
                };
                let deadlines = clock.statistics().clone();
                Ok(turning.outcome(ending, Some(deadlines), Some(priority)))
            });
            let servo = match servo {
                Ok(servo) => servo,
                Err(error) => return Err(anyhow!("the servo loop's thread could not be started: {error}")),
            };
            let status = Status::new(console);
            while !servo.is_finished() {
                status.pause();
                status.draw(&shared);
            }
            match servo.join() {
                Ok(outcome) => Ok(outcome?),
                Err(_) => Err(anyhow!("the servo loop panicked; this is a bug, please report it")),
            }
        });
        joined.or_failed()
    }
}

/// The loop's own state.
struct Turning<'a> {
    drive: Drive<'a>,
    last: DeviceState,
    /// Since when the device is gone, and why.
    lost: Option<(Instant, DeviceError)>,
    lost_in_a_row: u64,
    ticks: u64,
}

impl<'a> Turning<'a> {
    fn new(drive: Drive<'a>) -> Self {
        Self { drive, last: DeviceState::at(Pose::IDENTITY), lost: None, lost_in_a_row: 0, ticks: 0 }
    }

    fn is_live(&self) -> bool {
        self.drive.is_live
    }

    /// One turn. `stamp` is the loop's own time, for devices whose clocks may tick more slowly than the loop: the session counts by it.
    fn turn(&mut self, tick: u64, stamp: Option<f64>, shared: &Shared) -> Option<Ending> {
        if INTERRUPTED.load(Acquire) {
            return Some(Ending::Interrupted);
        }
        // A simulated hand waits for missed ticks; nobody else does.
        let done = if self.drive.is_live { tick } else { self.ticks };
        if self.drive.limit.is_some_and(|limit| done >= limit) {
            return Some(Ending::Done);
        }
        self.ticks += 1;
        match self.drive.device.read() {
            Ok(state) => {
                self.answer(tick, DeviceState { time: stamp.unwrap_or(state.time), ..state }, shared)
            }
            Err(DeviceError::Ended { .. }) => Some(Ending::Done),
            Err(error) => self.without_device((tick, stamp), error),
        }
    }

    fn answer(&mut self, tick: u64, state: DeviceState, shared: &Shared) -> Option<Ending> {
        let Drive { device, session, tape, log, .. } = &mut self.drive;
        // One that only speaks and does not hear is still lost.
        if self.lost.is_some() {
            session.servo_half().device_found();
        }
        self.last = state;
        let begin = Instant::now();
        let command = session.command(&state);
        let seconds = begin.elapsed().as_secs_f64();
        let written = device.write(&command);
        let safety = session.servo_half().safety();
        let is_first = self.lost.is_none();
        if let Some(feedback) = session.feedback() {
            // In step the call has the simulation in it.
            let is_in_step = session.simulation().is_some();
            let servo = if is_in_step { (seconds - feedback.simulation_seconds).max(0.0) } else { seconds };
            let unheard = written.err().map(|why| (why, is_first));
            // What was not taken was not felt.
            let felt = if unheard.is_none() { command } else { DeviceCommand::NOTHING };
            log.add((&state, &felt), feedback, servo, unheard);
            shared.tell(feedback, &felt, servo);
            tape.push(&Entry {
                tick,
                time: state.time,
                data_time: feedback.data_time,
                state,
                device_lost: unheard.is_some(),
                wanted: feedback.wanted,
                command: felt,
                god_pose: feedback.part,
                contacts: feedback.contacts,
                penetration: feedback.penetration,
                step_seconds: feedback.simulation_seconds,
                safety: safety.bits(),
            });
        }
        match written {
            Ok(()) => {
                self.lost = None;
                None
            }
            Err(error) => self.without_device_since(error),
        }
    }

    /// It does not answer: nothing is felt until it does.
    fn without_device(&mut self, (tick, stamp): (u64, Option<f64>), error: DeviceError) -> Option<Ending> {
        let Drive { device, session, tape, log, rate, .. } = &mut self.drive;
        session.servo_half().device_lost();
        let is_first = self.lost.is_none();
        self.lost_in_a_row = if is_first { 1 } else { self.lost_in_a_row + 1 };
        // A device that says nothing tells no time either: in step its clock is taken to go on.
        let time = stamp.unwrap_or(self.last.time + self.lost_in_a_row as f64 / *rate);
        log.add_loss(time, (error, is_first));
        // It may hear although it does not speak. Whatever the last force was, it must not stay.
        let _ = device.write(&DeviceCommand::nothing(device.capabilities().causality, &self.last.pose));
        let state = self.last;
        tape.push(&Entry {
            tick,
            time,
            state,
            device_lost: true,
            command: DeviceCommand::NOTHING,
            safety: session.servo_half().safety().bits(),
            ..Entry::default()
        });
        self.without_device_since(error)
    }

    fn without_device_since(&mut self, error: DeviceError) -> Option<Ending> {
        self.drive.session.servo_half().device_lost();
        let (since, why) = *self.lost.get_or_insert((Instant::now(), error));
        (self.drive.is_live && since.elapsed().as_secs_f64() > PATIENCE).then_some(Ending::Lost(why))
    }

    fn outcome(
        self,
        ending: Ending,
        deadlines: Option<DeadlineStatistics>,
        priority: Option<String>,
    ) -> Outcome<'a> {
        let Drive { mut device, session, tape, log, .. } = self.drive;
        // Whoever holds it lets go of nothing that still pushes. It may be gone.
        let _ = device.write(&DeviceCommand::nothing(device.capabilities().causality, &self.last.pose));
        let device = device.capabilities().name;
        Outcome { session, tape, log, ending, deadlines, priority, device }
    }
}
