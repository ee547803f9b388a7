//! The last thing a force passes before it reaches a hand.
//!
//! ```text
//! faults ─► zero at once            clamp ─► ramp ─► rate limit ─► out
//! NaN, stale data, late loop,       |F| ≤ max_force, |τ| ≤ max_torque, keeping directions;
//! device lost, a clock that goes    × (time since the start or the last fault) / ramp; |ΔF| ≤ max_force_rate·Δt
//! back or stands still
//! ```
//!
//! Whatever goes in, what comes out is finite, no longer than the limits, no further from what came out before than the rate limit allows
//! (but for the drop to zero), and zero from the first call on in which a fault is seen. After a fault it starts as at the beginning: from
//! zero, by the ramp.
//!
//! Nothing here allocates, locks, logs or panics.

use crate::math::Wrench;

use super::device::Capabilities;
pub use super::limits::LONGEST_STALE;
use super::limits::shortened;

/// The limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SafetyOptions {
    /// N. Larger forces are shortened.
    pub max_force: f64,
    /// N·m. Larger torques are shortened.
    pub max_torque: f64,
    /// How fast the force may change, N/s. 1000 N/s is a newton a millisecond: contact with something hard is still crisp. Lower dulls
    /// it; higher lets the simulation's jumps through.
    pub max_force_rate: f64,
    /// How fast the torque may change, N·m/s.
    pub max_torque_rate: f64,
    /// For how long forces grow to their full size at the start and after a fault, s. 0 is no ramp.
    pub ramp: f64,
    /// How old the simulation's data may be, and how far apart two calls, s. At most [`LONGEST_STALE`].
    pub stale_after: f64,
}

impl Default for SafetyOptions {
    /// Careful: what any of the presets' devices can do, and no grown hand is hurt by.
    fn default() -> Self {
        Self {
            max_force: 3.0,
            max_torque: 0.1,
            max_force_rate: 1000.0,
            max_torque_rate: 50.0,
            ramp: 0.5,
            stale_after: LONGEST_STALE,
        }
    }
}

impl SafetyOptions {
    /// Up to what a device can do. The full force may come about within 5 ms.
    pub fn for_device(capabilities: &Capabilities) -> Self {
        Self {
            max_force: capabilities.max_force,
            max_torque: capabilities.max_torque,
            max_force_rate: 200.0 * capabilities.max_force,
            max_torque_rate: 200.0 * capabilities.max_torque,
            ..Self::default()
        }
    }

    /// The same, with what makes no sense turned to the safe side: negative or NaN limits are 0 and let nothing pass, and data is
    /// stale after [`LONGEST_STALE`] at the latest.
    fn made_safe(self) -> Self {
        // Finite, so that a rate times no time is 0 and differences do not overflow. No hand device comes near.
        let limit = |value: f64| if value > 0.0 { value.min(1e9) } else { 0.0 };
        Self {
            max_force: limit(self.max_force),
            max_torque: limit(self.max_torque),
            max_force_rate: limit(self.max_force_rate),
            max_torque_rate: limit(self.max_torque_rate),
            // A ramp that is NaN never ends.
            ramp: if self.ramp.is_nan() { f64::INFINITY } else { self.ramp.max(0.0) },
            stale_after: limit(self.stale_after).min(LONGEST_STALE),
        }
    }
}

/// Why nothing goes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A force, torque or time was NaN or infinite.
    NotFinite,
    /// The simulation's data is older than it may be, or claims to be from the future; or the clock of the calls stands still, as that of a device that tells its last state again and again.
    Stale,
    /// The loop itself came so late that its last force was held for longer than data may be old.
    Late,
    /// A call was made for a time before the last one.
    ClockWentBack,
    /// [`Safety::device_lost`] was called, and not yet [`Safety::device_found`].
    DeviceLost,
}

impl Fault {
    const ALL: [Self; 5] = [Self::NotFinite, Self::Stale, Self::Late, Self::ClockWentBack, Self::DeviceLost];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotFinite => "not finite",
            Self::Stale => "stale data",
            Self::Late => "late loop",
            Self::ClockWentBack => "clock went back",
            Self::DeviceLost => "device lost",
        }
    }
}

/// What is at work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SafetyState {
    /// No call yet.
    NotStarted,
    /// Forces grow to their full size.
    Ramping,
    /// As the simulation says, within limits.
    Running,
    /// Zero, because of this.
    Zero(Fault),
}

/// Which limits shortened the last wrench.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limited {
    /// The force was too large.
    pub force: bool,
    /// The torque was too large.
    pub torque: bool,
    /// The force changed too fast.
    pub force_rate: bool,
    /// The torque changed too fast.
    pub torque_rate: bool,
}

/// What happened so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SafetyStatus {
    /// What is at work.
    pub state: SafetyState,
    /// Which limits shortened the last wrench.
    pub limited: Limited,
    /// Calls so far.
    pub calls: u64,
    /// Calls in which a limit shortened the wrench.
    pub limited_calls: u64,
    faults: [u64; Fault::ALL.len()],
}

impl SafetyStatus {
    /// Calls that ended in zero because of a fault.
    pub fn faults(&self, fault: Fault) -> u64 {
        self.faults[fault as usize]
    }

    /// The same for any fault.
    pub fn all_faults(&self) -> u64 {
        self.faults.iter().sum()
    }

    /// State and limits as bits, for records: 0–2 the state (0 not started, 1 ramping, 2 running, 3 and up the faults), 8–11 the limits.
    pub fn bits(&self) -> u32 {
        let state = match self.state {
            SafetyState::NotStarted => 0,
            SafetyState::Ramping => 1,
            SafetyState::Running => 2,
            SafetyState::Zero(fault) => 3 + fault as u32,
        };
        let Limited { force, torque, force_rate, torque_rate } = self.limited;
        let bits = [force, torque, force_rate, torque_rate].into_iter().enumerate();
        state | bits.map(|(i, set)| u32::from(set) << (8 + i)).sum::<u32>()
    }
}

/// See the [module](self).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Safety {
    options: SafetyOptions,
    status: SafetyStatus,
    device_is_lost: bool,
    /// The time of the last call, how many calls were made for it, and for how many it may stand still.
    last_call: Option<f64>,
    calls_at_once: u32,
    most_calls_at_once: u32,
    /// When the ramp began; none after a fault.
    ramp_began: Option<f64>,
    last: Wrench,
}

impl Safety {
    /// For a loop of 1 kHz. Options that make no sense are turned to the safe side: limits that are negative or NaN let nothing pass.
    pub fn new(options: SafetyOptions) -> Self {
        Self::at_rate(options, 1000.0)
    }

    /// For a loop that calls so often, Hz: by that it knows how long a clock that stands still has done so.
    pub fn at_rate(options: SafetyOptions, rate: f64) -> Self {
        let options = options.made_safe();
        let status = SafetyStatus {
            state: SafetyState::NotStarted,
            limited: Limited::default(),
            calls: 0,
            limited_calls: 0,
            faults: [0; Fault::ALL.len()],
        };
        Self {
            options,
            status,
            device_is_lost: false,
            last_call: None,
            calls_at_once: 0,
            // The first call counts, and the one that is refused comes a period later. Of a rate that is none, no call more.
            most_calls_at_once: ((options.stale_after * rate) as u32).saturating_sub(1),
            ramp_began: None,
            last: Wrench::ZERO,
        }
    }

    /// What may be sent at `now` (s), where the simulation wants `wrench` and its data is from `data_time` (s, the same clock).
    pub fn filter(&mut self, now: f64, data_time: f64, wrench: Wrench) -> Wrench {
        self.status.calls += 1;
        self.status.limited = Limited::default();
        let since_last_call = self.last_call.map(|last| now - last);
        self.calls_at_once =
            if since_last_call == Some(0.0) { self.calls_at_once.saturating_add(1) } else { 0 };
        if now.is_finite() {
            self.last_call = Some(now);
        }
        if let Some(fault) = self.fault(now, data_time, &wrench, since_last_call) {
            self.status.state = SafetyState::Zero(fault);
            self.status.faults[fault as usize] += 1;
            self.ramp_began = None;
            self.last = Wrench::ZERO;
            return Wrench::ZERO;
        }

        let SafetyOptions { max_force, max_torque, max_force_rate, max_torque_rate, ramp, .. } = self.options;
        let began = *self.ramp_began.get_or_insert(now);
        let grown = if now - began >= ramp { 1.0 } else { (now - began) / ramp };
        self.status.state = if grown < 1.0 { SafetyState::Ramping } else { SafetyState::Running };

        let dt = since_last_call.unwrap_or(0.0);
        let limited = &mut self.status.limited;
        let force = shortened(wrench.force, max_force, &mut limited.force) * grown;
        let torque = shortened(wrench.torque, max_torque, &mut limited.torque) * grown;
        // A device without torque is no limit that somebody should know of in every call.
        limited.torque &= max_torque > 0.0;
        let force = self.last.force
            + shortened(force - self.last.force, max_force_rate * dt, &mut limited.force_rate);
        let torque = self.last.torque
            + shortened(torque - self.last.torque, max_torque_rate * dt, &mut limited.torque_rate);
        // Between two that are within the limits but for rounding, which must not add up over the calls.
        let mut rounding = false;
        self.last = Wrench {
            force: shortened(force, max_force, &mut rounding),
            torque: shortened(torque, max_torque, &mut rounding),
        };
        self.status.limited_calls += u64::from(*limited != Limited::default());
        self.last
    }

    /// The device does not answer: nothing goes out until it does.
    pub fn device_lost(&mut self) {
        self.device_is_lost = true;
        self.status.state = SafetyState::Zero(Fault::DeviceLost);
        self.ramp_began = None;
        self.last = Wrench::ZERO;
    }

    /// The device answers again: forces grow from zero.
    pub fn device_found(&mut self) {
        if std::mem::replace(&mut self.device_is_lost, false) {
            // It was the device that was away, not the loop that was late.
            self.last_call = None;
        }
    }

    /// What is at work, and what happened so far.
    pub fn status(&self) -> SafetyStatus {
        self.status
    }

    /// The limits, as they are used.
    pub fn options(&self) -> &SafetyOptions {
        &self.options
    }

    fn fault(
        &self,
        now: f64,
        data_time: f64,
        wrench: &Wrench,
        since_last_call: Option<f64>,
    ) -> Option<Fault> {
        // Comparisons are written so that NaN is a fault.
        if self.device_is_lost {
            Some(Fault::DeviceLost)
        } else if !(wrench.is_finite() && now.is_finite() && data_time.is_finite()) {
            Some(Fault::NotFinite)
        } else if since_last_call.is_some_and(|since| since < 0.0) {
            Some(Fault::ClockWentBack)
        } else if since_last_call.is_some_and(|since| since > self.options.stale_after) {
            Some(Fault::Late)
        } else if self.calls_at_once <= self.most_calls_at_once
            && (now - data_time).abs() <= self.options.stale_after
        {
            None
        } else {
            Some(Fault::Stale)
        }
    }
}
