//! Two loops: a servo loop that is never late, and a simulation that takes the time it needs.
//!
//! ```text
//! device ─ state ─► servo ─ state ─► simulation      (lock-free, the latest counts)
//!        ◄ wrench ─       ◄ planes ─
//! ```
//!
//! [`Session::servo`] goes into the callback of a device, at 1 kHz or more: it tells the simulation where the hand is, asks what it knows of contact, lets the part slide along the planes that were told, and
//! gives the force, clamped, ramped and checked ([`safety`](super::safety)).
//!
//! For a device that is [`Session::threaded`], as in `examples/haptic_callback.rs`. Here, without a clock, [`Session::in_step`], which does the same in one thread:
//!
//! ```
//! use isotouch::ccd::Plane;
//! use isotouch::haptics::device::DeviceState;
//! use isotouch::haptics::{
//!     Coupling, GodObject, GodObjectOptions, Held, HeldPair, Renderer, Session, SessionOptions, Surface,
//! };
//! use isotouch::math::{DVec3, Pose};
//! use isotouch::mesh::{mass_properties, shapes};
//! use isotouch::shell::{PointShell, Sampling, ShellOptions};
//! use std::sync::Arc;
//!
//! // A ball of 2 cm in the hand, above a floor.
//! let ball = shapes::sphere(0.01, 1280).unwrap();
//! let shell = PointShell::from_mesh(&ball, &ShellOptions { sampling: Sampling::Points(500), ..Default::default() })?;
//! let floor = Surface::Analytic(Arc::new(Plane::GROUND), 1e-3);
//! let pair = HeldPair::new(Arc::new(shell), floor, Held::Shell, mass_properties(&ball, 1000.0)?)?;
//! let above = Pose::at(DVec3::Y * 0.02);
//! let god = GodObject::new(Arc::new(pair), above, &GodObjectOptions::default())?;
//! let renderer = Renderer::Constraint(Box::new(god), Coupling::spring(1000.0, 0.5));
//! let mut session = Session::in_step(renderer, &SessionOptions::default())?;
//!
//! // The hand goes down, and 1 mm too deep: 1000 N/m · 1 mm.
//! let mut force = DVec3::ZERO;
//! for tick in 0..2000 {
//!     let height = (0.02 - 1.1e-5 * f64::from(tick)).max(0.009);
//!     let time = 1e-3 * f64::from(tick);
//!     force = session.servo(&DeviceState { time, ..DeviceState::at(Pose::at(DVec3::Y * height)) }).force;
//! }
//! assert!((force.y - 1.0).abs() < 0.05, "{force}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod local;
mod servo;
mod simulation;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::JoinHandle;
use std::time::Duration;

pub use servo::{Feedback, Servo};
pub use simulation::{Holding, Simulation, Stuck, Totals};

use super::device::{DeviceCommand, DeviceState};
use super::exchange::exchange;
use super::safety::SafetyOptions;
use super::{CouplingError, Renderer};
use crate::math::Wrench;
use crate::numbers::exact;
use local::LocalModel;

/// How a session runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SessionOptions {
    /// Rate of the servo loop, Hz: what a step is taken to last before the device's clock tells, and after how many calls one that stands still is stale.
    pub rate: f64,
    /// What may be felt.
    pub safety: SafetyOptions,
    /// Mass of the body that an admittance device is told to be, in parts of the held part's; more where a step would not be steady otherwise.
    pub hand_mass: f64,
    /// How fast that body comes to rest by itself, 1/s.
    pub hand_drag: f64,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self { rate: 1000.0, safety: SafetyOptions::default(), hand_mass: 1.0, hand_drag: 1.0 }
    }
}

/// Why there is no session.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// Of the spring that is felt.
    #[error(transparent)]
    Coupling(#[from] CouplingError),
    /// A number that makes no sense.
    #[error("{quantity} is {}, but must be {wanted}", exact(*value))]
    Option {
        /// Which.
        quantity: &'static str,
        /// As it was given.
        value: f64,
        /// What would do.
        wanted: &'static str,
    },
    /// No thread for the simulation.
    #[error("the simulation's thread could not be started: {0}")]
    Thread(#[from] std::io::Error),
}

/// Servo and simulation.
pub struct Session {
    servo: Servo,
    simulation: Place,
    feedback: Option<Feedback>,
}

/// Where the simulation runs.
enum Place {
    /// In every servo call, before the force is known.
    InStep(Box<Simulation>),
    /// In a thread of its own.
    Thread { stop: Arc<AtomicBool>, thread: Option<JoinHandle<Simulation>> },
}

impl Session {
    /// Both in one thread, step by step: the same states give the same forces, to the last bit. For recordings and tests; a servo call lasts as long as the simulation needs, and allocates with it.
    pub fn in_step(renderer: Renderer, options: &SessionOptions) -> Result<Self, SessionError> {
        let (servo, simulation) = halves(renderer, options)?;
        Ok(Self { servo, simulation: Place::InStep(Box::new(simulation)), feedback: None })
    }

    /// The simulation in a thread of its own, as fast as it can; the servo call waits for nothing.
    pub fn threaded(renderer: Renderer, options: &SessionOptions) -> Result<Self, SessionError> {
        let (servo, mut simulation) = halves(renderer, options)?;
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name("isotouch simulation".into()).spawn(move || {
            while !told.load(Relaxed) {
                if !simulation.step() {
                    // Nothing new: a state comes every millisecond.
                    std::thread::sleep(Duration::from_micros(50));
                }
            }
            simulation
        })?;
        Ok(Self { servo, simulation: Place::Thread { stop, thread: Some(thread) }, feedback: None })
    }

    /// From where the hand is to what it feels: force and torque about the handle's origin, N and N·m. For impedance devices.
    pub fn servo(&mut self, state: &DeviceState) -> Wrench {
        let state = DeviceState { wrench: None, ..*state };
        self.exchange(&state);
        let (wrench, feedback) = self.servo.wrench(&state);
        self.feedback = Some(feedback);
        wrench
    }

    /// The same for devices of either kind: those that say what the hand pushes with are told where to go, the others what to push with.
    pub fn command(&mut self, state: &DeviceState) -> DeviceCommand {
        let Some(push) = state.wrench else { return DeviceCommand::Wrench(self.servo(state)) };
        self.exchange(state);
        let (command, feedback) = self.servo.motion(state, push);
        self.feedback = Some(feedback);
        command
    }

    fn exchange(&mut self, state: &DeviceState) {
        self.servo.tell(state);
        if let Place::InStep(simulation) = &mut self.simulation {
            simulation.step();
        }
    }

    /// What was known of the simulation at the last call.
    pub fn feedback(&self) -> Option<&Feedback> {
        self.feedback.as_ref()
    }

    /// The servo's half.
    pub fn servo_half(&mut self) -> &mut Servo {
        &mut self.servo
    }

    /// The simulation, while it runs in step.
    pub fn simulation(&self) -> Option<&Simulation> {
        match &self.simulation {
            Place::InStep(simulation) => Some(simulation),
            Place::Thread { .. } => None,
        }
    }

    /// Ends the session and gives the simulation back; `None` if its thread panicked.
    pub fn finish(mut self) -> Option<Simulation> {
        match &mut self.simulation {
            Place::InStep(_) => {}
            Place::Thread { stop, thread } => {
                stop.store(true, Relaxed);
                return thread.take().and_then(|thread| thread.join().ok());
            }
        }
        let over = Place::Thread { stop: Arc::new(AtomicBool::new(true)), thread: None };
        match std::mem::replace(&mut self.simulation, over) {
            Place::InStep(simulation) => Some(*simulation),
            Place::Thread { .. } => None,
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Place::Thread { stop, thread } = &mut self.simulation {
            stop.store(true, Relaxed);
            if let Some(thread) = thread.take() {
                drop(thread.join());
            }
        }
    }
}

fn halves(renderer: Renderer, options: &SessionOptions) -> Result<(Servo, Simulation), SessionError> {
    renderer.coupling().check()?;
    let positive = [("rate", options.rate), ("hand_mass", options.hand_mass)];
    for (quantity, value) in positive {
        if !(value.is_finite() && value > 0.0) {
            return Err(SessionError::Option { quantity, value, wanted: "positive and finite" });
        }
    }
    if !(options.hand_drag.is_finite() && options.hand_drag >= 0.0) {
        let value = options.hand_drag;
        return Err(SessionError::Option { quantity: "hand_drag", value, wanted: "finite, 0 or more" });
    }
    let pose = renderer.pose();
    let (state_writer, state_reader) = exchange(DeviceState::at(pose));
    let (word_writer, word_reader) = exchange(LocalModel::at(pose));
    let mass = *renderer.pair().mass();
    let servo = Servo::new(state_writer, word_reader, *renderer.coupling(), (pose, &mass), options);
    let simulation = Simulation::new(renderer, state_reader, word_writer, 1.0 / options.rate);
    Ok((servo, simulation))
}
