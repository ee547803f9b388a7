//! The fast loop: from a device's state to what it is told, in some microseconds.

use glam::DVec3;

use super::SessionOptions;
use super::local::{LocalModel, Solvers, felt};
use crate::haptics::Coupling;
use crate::haptics::device::{DeviceCommand, DeviceState};
use crate::haptics::exchange::{Reader, Writer};
use crate::haptics::safety::{Safety, SafetyState, SafetyStatus};
use crate::math::{DMat3, Pose, Twist, Wrench};

/// The half of a session that is called in the servo loop. Nothing here allocates, locks, logs or panics.
pub struct Servo {
    states: Writer<DeviceState>,
    words: Reader<LocalModel>,
    coupling: Coupling,
    center: DVec3,
    safety: Safety,
    solvers: Solvers,
    body: Manipulandum,
}

/// What an admittance device is told to be: a body that both the hand and the coupling push.
struct Manipulandum {
    pose: Pose,
    twist: Twist,
    /// Whether it is where the device was found; not before the first state, nor after a loss.
    is_placed: bool,
    /// Of the last call in which it moved; `None` before the first, and after a fault.
    time: Option<f64>,
    mass: f64,
    /// In the body's frame.
    inertia: DMat3,
    /// 1/s: what lets it come to rest.
    drag: f64,
}

/// What is known of the simulation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Feedback {
    /// Where the part was, `world_from_held`.
    pub part: Pose,
    /// Where the servo loop has it now, on the planes it knows.
    pub proxy: Pose,
    /// What the simulation wants to be felt, before [`safety`](crate::haptics::safety).
    pub wanted: Wrench,
    /// Time of the device's state that the simulation answered to, s; −∞ before its first answer.
    pub data_time: f64,
    /// Points in contact.
    pub contacts: u32,
    /// How deep, m.
    pub penetration: f64,
    /// Whether it is held although the hand pulls.
    pub is_stuck: bool,
    /// How long the simulation's last step took, s.
    pub simulation_seconds: f64,
    /// How many there were.
    pub simulation_steps: u64,
}

impl Servo {
    pub(super) fn new(
        states: Writer<DeviceState>,
        words: Reader<LocalModel>,
        coupling: Coupling,
        (pose, mass): (Pose, &crate::mesh::MassProperties),
        options: &SessionOptions,
    ) -> Self {
        Self {
            states,
            words,
            coupling,
            center: mass.center_of_mass,
            safety: Safety::at_rate(options.safety, options.rate),
            solvers: Solvers::new(),
            body: Manipulandum::new((pose, mass), &coupling, options),
        }
    }

    /// Tells the simulation where the hand is.
    pub(super) fn tell(&mut self, state: &DeviceState) {
        if state.wrench.is_some() {
            // The hand is where the device was told to be.
            let Manipulandum { pose, twist, .. } = self.body;
            self.states.write(DeviceState { pose, twist, ..*state });
        } else {
            self.states.write(*state);
        }
    }

    /// What an impedance device should push with, about its handle's origin.
    pub(super) fn wrench(&mut self, state: &DeviceState) -> (Wrench, Feedback) {
        self.words.update();
        let (raw, feedback) = self.raw((&state.pose, &state.twist), state.time);
        // Of a pose that is none anything could come out, and pass for a force.
        let raw = if state.is_sound() { raw } else { NO_FORCE };
        let made = self.words.value().time;
        // No word yet: nothing to feel, and no fault of anybody. The ramp begins with the first.
        if made == f64::NEG_INFINITY && state.is_sound() {
            return (Wrench::ZERO, feedback);
        }
        (self.safety.filter(state.time, made, raw), feedback)
    }

    /// Where an admittance device should go: one symplectic Euler step of its body (2016, section 4.2). On any fault it stays where it is, at rest.
    pub(super) fn motion(&mut self, state: &DeviceState, push: Wrench) -> (DeviceCommand, Feedback) {
        self.words.update();
        let is_sound = state.is_sound() && push.is_finite();
        if is_sound && !self.body.is_placed {
            self.body.take_up(&state.pose);
        }
        let hand = (self.body.pose, self.body.twist);
        let (raw, feedback) = self.raw((&hand.0, &hand.1), state.time);
        let made = self.words.value().time;
        // Without a word it could go anywhere, into what is fixed too.
        let knows = made > f64::NEG_INFINITY;
        let back = if is_sound && !knows {
            Wrench::ZERO
        } else {
            self.safety.filter(state.time, made, if is_sound { raw } else { NO_FORCE })
        };
        let is_fault = matches!(self.safety.status().state, SafetyState::Zero(_));
        if is_sound && knows && !is_fault {
            // After a fault it goes on from where the device is now, not from where it should have stayed.
            if self.body.time.is_none() {
                self.body.take_up(&state.pose);
            }
            self.body.push(push + back, state.time, self.center);
        } else {
            // A hand that pushes against nothing would run away with the device.
            self.body.rest();
        }
        let Manipulandum { pose, twist, .. } = self.body;
        (DeviceCommand::Motion { pose, twist }, feedback)
    }

    fn raw(&mut self, hand: (&Pose, &Twist), now: f64) -> (Wrench, Feedback) {
        let word = self.words.value();
        let about_center = Twist { linear: hand.1.at(hand.0.rotation * self.center), ..*hand.1 };
        let (proxy, twist) = word.part_for((hand.0, &about_center), now, self.center, &mut self.solvers);
        let wrench = felt(&self.coupling, (hand.0, &about_center), (&proxy, &twist), self.center);
        let feedback = Feedback {
            part: word.pose,
            proxy,
            wanted: wrench,
            data_time: word.time,
            contacts: word.contacts,
            penetration: word.penetration,
            is_stuck: word.is_stuck,
            simulation_seconds: word.seconds,
            simulation_steps: word.steps,
        };
        (wrench, feedback)
    }

    /// The device does not answer: what is told from now on is nothing, until it is found.
    pub fn device_lost(&mut self) {
        self.safety.device_lost();
    }

    /// It answers again; forces grow from nothing, and an admittance device goes on from where it is then.
    pub fn device_found(&mut self) {
        self.body.is_placed = false;
        self.safety.device_found();
    }

    /// Which limit is at work, and which faults there were.
    pub fn safety(&self) -> SafetyStatus {
        self.safety.status()
    }
}

/// What is a fault wherever it comes from.
const NO_FORCE: Wrench = Wrench { force: DVec3::NAN, torque: DVec3::NAN };

/// How a hand holds on, at most: stiffness in N/m and N·m/rad, damping in N·s/m and N·m·s/rad. Grips were measured at 100 to 1000, 1 to 10, and 5 to 30.
const GRIP_STIFFNESS: [f64; 2] = [1000.0, 10.0];
const GRIP_DAMPING: [f64; 2] = [30.0, 0.2];
/// ω·dt of a body between coupling and grip; symplectic Euler is stable below 2.
const STEADY: f64 = 0.5;
/// b·dt/m of it: forces are a step late, so 1 would be the limit.
const CALM: f64 = 0.25;
/// Longest step of it, s: after a pause it goes on slowly instead of being thrown.
const LONGEST_STEP: f64 = 0.01;
/// The fastest it is told to go, m/s and rad/s: about what a hand does at most in work. More, and a push that was measured wrongly throws the device; less is felt as drag.
const FASTEST: [f64; 2] = [2.0, 20.0];

impl Manipulandum {
    /// As heavy as the held part, or as an explicit step needs to be steady between a grip and the coupling.
    fn new(
        (pose, mass): (Pose, &crate::mesh::MassProperties),
        coupling: &Coupling,
        options: &SessionOptions,
    ) -> Self {
        let dt = 1.0 / options.rate;
        let least = |k: usize, stiffness: f64, damping: f64| {
            let by_spring = (stiffness + GRIP_STIFFNESS[k]) * (dt / STEADY) * (dt / STEADY);
            by_spring.max((damping + GRIP_DAMPING[k]) * dt / CALM)
        };
        let least_inertia = least(1, coupling.angular_stiffness, coupling.angular_damping);
        Self {
            pose,
            twist: Twist::ZERO,
            is_placed: false,
            time: None,
            mass: (options.hand_mass * mass.mass).max(least(0, coupling.stiffness, coupling.damping)),
            inertia: mass.inertia * options.hand_mass + DMat3::from_diagonal(DVec3::splat(least_inertia)),
            drag: options.hand_drag,
        }
    }

    /// It begins where the device is, at rest, whatever the scene says: a device that is told to be elsewhere at once jumps.
    fn take_up(&mut self, device: &Pose) {
        (self.pose, self.twist) = (*device, Twist::ZERO);
        (self.is_placed, self.time) = (true, None);
    }

    /// It stays where it is. Not where the device says that it is, call after call: one that gives way a little would creep.
    fn rest(&mut self) {
        (self.twist, self.time) = (Twist::ZERO, None);
    }

    /// The wrench is about the handle's origin.
    fn push(&mut self, wrench: Wrench, time: f64, center: DVec3) {
        let last = self.time.replace(time);
        let dt = last.map_or(0.0, |last| (time - last).min(LONGEST_STEP));
        // Written so that NaN is no step.
        let is_step = dt > 0.0;
        if !is_step || !wrench.is_finite() {
            return;
        }
        let turn = DMat3::from_quat(self.pose.rotation);
        let inertia = turn * self.inertia * turn.transpose();
        let arm = self.pose.rotation * center;
        let torque = wrench.torque - arm.cross(wrench.force);
        let mut linear = self.twist.at(arm);
        let kept = 1.0 / (1.0 + self.drag * dt);
        linear = (linear + wrench.force * (dt / self.mass)) * kept;
        let angular = (self.twist.angular + inertia.inverse() * torque * dt) * kept;
        let (linear, angular) = (linear.clamp_length_max(FASTEST[0]), angular.clamp_length_max(FASTEST[1]));
        let way = Twist { linear: linear * dt, angular: angular * dt };
        self.pose = self.pose.displaced(&way, center);
        // Back to the velocity of the origin.
        let arm = self.pose.rotation * center;
        self.twist = Twist { linear: linear - angular.cross(arm), angular };
    }
}
