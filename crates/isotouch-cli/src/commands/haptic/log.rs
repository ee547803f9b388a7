//! What is kept of every tick, without allocation while the loop turns.

use isotouch::haptics::Feedback;
use isotouch::haptics::clock::Histogram;
use isotouch::haptics::device::{DeviceCommand, DeviceError, DeviceState};
use isotouch::haptics::record::Entry;
use isotouch::haptics::safety::{Fault, SafetyStatus};
use isotouch::math::{DVec3, Pose, Wrench};
use serde_json::{Map, Value, json};

use super::replayed::was_in_step;
use crate::format::{count, plural};

/// Rows that are kept for tables and charts: 17 minutes at 1 kHz, some 300 MB.
const MOST_ROWS: u64 = 1_000_000;

/// A tick.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) time: f64,
    pub(super) hand: Pose,
    pub(super) part: Pose,
    pub(super) wrench: Wrench,
    pub(super) penetration: f64,
    pub(super) contacts: u32,
    pub(super) is_stuck: bool,
    /// Whether the device did not answer: nothing was felt, the hand is where it was last.
    pub(super) is_lost: bool,
    /// s of the simulation's last step, and of the servo call.
    pub(super) step: f64,
    pub(super) servo: f64,
}

/// All ticks.
pub(super) struct Log<'a> {
    rows: Vec<Row>,
    capacity: usize,
    left_out: u64,
    step: Histogram,
    servo: Histogram,
    /// Steps of the simulation that were counted.
    steps: u64,
    ticks: u64,
    lost_ticks: u64,
    /// How often the device was lost, and why it was first.
    losses: u64,
    why_lost: Option<DeviceError>,
    /// As of the last tick that was answered.
    last: Option<(DeviceState, Feedback)>,
    contacts: u64,
    most: [f64; 2],
    span: [f64; 2],
    recorded: Option<Compared<'a>>,
}

/// Commands beside those of a recording.
struct Compared<'a> {
    entries: &'a [Entry],
    next: usize,
    same: bool,
    largest: [f64; 2],
}

impl<'a> Log<'a> {
    pub(super) fn new(keeps_rows: bool, limit: Option<u64>, recorded: Option<&'a [Entry]>) -> Self {
        let ticks = limit.unwrap_or(recorded.map_or(u64::MAX, |entries| entries.len() as u64));
        let capacity = if keeps_rows { ticks.min(MOST_ROWS) as usize } else { 0 };
        Self {
            rows: Vec::with_capacity(capacity),
            capacity,
            left_out: 0,
            step: Histogram::default(),
            servo: Histogram::default(),
            steps: 0,
            ticks: 0,
            lost_ticks: 0,
            losses: 0,
            why_lost: None,
            last: None,
            contacts: 0,
            most: [0.0; 2],
            span: [f64::INFINITY, f64::NEG_INFINITY],
            recorded: recorded.map(|entries| Compared { entries, next: 0, same: true, largest: [0.0; 2] }),
        }
    }

    /// A tick, with what was felt. Unheard: the device told where it is but did not take its command; why, and whether that is new.
    pub(super) fn add(
        &mut self,
        (state, command): (&DeviceState, &DeviceCommand),
        of: &Feedback,
        servo: f64,
        unheard: Option<(DeviceError, bool)>,
    ) {
        self.ticks += 1;
        if let Some((why, is_first)) = unheard {
            self.lost_ticks += 1;
            self.losses += u64::from(is_first);
            self.why_lost.get_or_insert(why);
        }
        self.servo.add_seconds(servo);
        if of.simulation_steps > self.steps {
            self.steps = of.simulation_steps;
            self.step.add_seconds(of.simulation_seconds);
        }
        self.contacts += u64::from(of.contacts);
        let wrench = wrench_of(command);
        self.most = [self.most[0].max(wrench.force.length()), self.most[1].max(wrench.torque.length())];
        self.span = [self.span[0].min(state.time), self.span[1].max(state.time)];
        if let Some(recorded) = &mut self.recorded {
            recorded.compare(command);
        }
        self.last = Some((*state, *of));
        self.keep(Row {
            time: state.time,
            hand: state.pose,
            part: of.part,
            wrench,
            penetration: of.penetration,
            contacts: of.contacts,
            is_stuck: of.is_stuck,
            is_lost: unheard.is_some(),
            step: of.simulation_seconds,
            servo,
        });
    }

    fn keep(&mut self, row: Row) {
        if self.rows.len() < self.capacity {
            self.rows.push(row);
        } else if self.capacity > 0 {
            self.left_out += 1;
        }
    }

    /// A tick without a device: nothing is felt, and hand and part are where they were.
    pub(super) fn add_loss(&mut self, time: f64, (why, is_first): (DeviceError, bool)) {
        self.ticks += 1;
        self.lost_ticks += 1;
        self.losses += u64::from(is_first);
        self.why_lost.get_or_insert(why);
        self.span = [self.span[0].min(time), self.span[1].max(time)];
        if let Some(recorded) = &mut self.recorded {
            recorded.compare(&DeviceCommand::NOTHING);
        }
        if let Some((state, of)) = self.last {
            self.keep(Row {
                time,
                hand: state.pose,
                part: of.part,
                wrench: Wrench::ZERO,
                penetration: of.penetration,
                contacts: of.contacts,
                is_stuck: of.is_stuck,
                is_lost: true,
                step: 0.0,
                servo: 0.0,
            });
        }
    }

    /// Ticks without a device.
    pub(super) fn lost_ticks(&self) -> u64 {
        self.lost_ticks
    }

    /// What should be known of a device that did not answer all the time.
    pub(super) fn told_of_loss(&self) -> Option<String> {
        let why = self.why_lost?;
        let times =
            if self.losses == 1 { "once".to_owned() } else { format!("{} times", count(self.losses)) };
        Some(format!(
            "the device was lost {times}, for {} of {}, in which nothing was felt; the first time for this: {why}",
            count(self.lost_ticks),
            plural(self.ticks, "tick"),
        ))
    }

    pub(super) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Ticks that were too many to be kept.
    pub(super) fn left_out(&self) -> u64 {
        self.left_out
    }

    pub(super) fn summary(&self) -> Map<String, Value> {
        let answered = self.ticks - self.lost_ticks;
        let mut summary = Map::new();
        let mut put = |key: &str, value: Value| summary.insert(key.to_owned(), value);
        put("ticks", self.ticks.into());
        put("lost_ticks", self.lost_ticks.into());
        put("losses", self.losses.into());
        put("seconds", json!((self.span[1] - self.span[0]).max(0.0)));
        put("mean_contacts", json!(self.contacts as f64 / answered.max(1) as f64));
        put("max_force", json!(self.most[0]));
        put("max_torque", json!(self.most[1]));
        put("step_us", quantiles(&self.step));
        put("servo_us", quantiles(&self.servo));
        if let Some(of) = &self.recorded {
            put(
                "replay",
                json!({
                    "entries": of.entries.len(),
                    "single_threaded": was_in_step(of.entries),
                    "same_commands": of.same,
                    "max_force_difference": of.largest[0],
                    "max_torque_difference": of.largest[1],
                }),
            );
        }
        summary
    }
}

impl Compared<'_> {
    fn compare(&mut self, command: &DeviceCommand) {
        let Some(entry) = self.entries.get(self.next) else { return };
        self.next += 1;
        self.same &= bits(command) == bits(&entry.command);
        let (ours, theirs) = (wrench_of(command), wrench_of(&entry.command));
        self.largest[0] = self.largest[0].max((ours.force - theirs.force).length());
        self.largest[1] = self.largest[1].max((ours.torque - theirs.torque).length());
    }
}

/// All numbers of a command.
fn bits(command: &DeviceCommand) -> [u64; 13] {
    let mut numbers = [0.0; 13];
    match command {
        DeviceCommand::Wrench(of) => {
            numbers[..3].copy_from_slice(&of.force.to_array());
            numbers[3..6].copy_from_slice(&of.torque.to_array());
        }
        DeviceCommand::Motion { pose, twist } => {
            numbers[..7].copy_from_slice(&pose.to_numbers());
            numbers[7..10].copy_from_slice(&twist.linear.to_array());
            numbers[10..].copy_from_slice(&twist.angular.to_array());
        }
    }
    numbers.map(f64::to_bits)
}

/// What is pushed with; an admittance device is told where to go instead.
fn wrench_of(command: &DeviceCommand) -> Wrench {
    match command {
        DeviceCommand::Wrench(wrench) => *wrench,
        DeviceCommand::Motion { .. } => Wrench { force: DVec3::ZERO, torque: DVec3::ZERO },
    }
}

/// In µs; nothing if nothing was counted.
pub(super) fn quantiles(of: &Histogram) -> Value {
    if of.count() == 0 {
        return json!({ "p50": null, "p99": null, "max": null });
    }
    let part = |q: f64| 1e6 * of.quantile(q);
    json!({ "p50": part(0.5), "p99": part(0.99), "p99_9": part(0.999), "max": 1e6 * of.max() })
}

/// Ticks in which nothing was felt for safety, by why. While a device is lost the safety gate is not asked, so these are counted here.
pub(super) fn faults(of: &SafetyStatus, lost_ticks: u64) -> Value {
    let all = [Fault::NotFinite, Fault::Stale, Fault::Late, Fault::ClockWentBack, Fault::DeviceLost];
    let ticks = |fault: Fault| of.faults(fault) + if fault == Fault::DeviceLost { lost_ticks } else { 0 };
    let seen = all.into_iter().filter(|fault| ticks(*fault) > 0);
    Value::Object(seen.map(|fault| (fault.name().to_owned(), ticks(fault).into())).collect())
}
