//! Haptic devices: one trait for all, and the devices that need no vendor's SDK.
//!
//! | device | what it is |
//! |---|---|
//! | [`Hand`] | a simulated arm that follows a path: closes the loop in tests and without hardware |
//! | [`Replay`] | states that were recorded |
//! | [`Haply`] | an Inverse3, through its local service |
//! | [`Page`] | a web page (or any program) on this machine that sends poses |
//! | [`Callback`] | two closures: for everything that has an SDK of its own |
//!
//! A device speaks in its own frame. [`Workspace`] places and scales that in the scene and has the clutch; [`InWorkspace`] is a device
//! seen through it.
//!
//! ```
//! use isotouch::haptics::device::{Device, DeviceCommand, Hand, HandOptions, Path};
//! use isotouch::math::{DVec3, Pose, Wrench};
//!
//! let path = Path::new(vec![(0.0, Pose::IDENTITY), (0.5, Pose::at(DVec3::X * 0.1))])?;
//! let mut hand = Hand::new(path, HandOptions::default())?;
//! for _ in 0..1000 {
//!     let state = hand.read()?;
//!     assert!(state.pose.position.x < 0.105);
//!     hand.write(&DeviceCommand::Wrench(Wrench::ZERO))?;
//! }
//! assert!((hand.read()?.pose.position.x - 0.1).abs() < 1e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod callback;
mod capabilities;
mod hand;
pub mod haply;
mod link;
pub mod page;
mod path;
mod replay;
mod socket;
mod workspace;

pub use callback::Callback;
pub use capabilities::{Capabilities, Causality, Preset};
pub use hand::{Hand, HandError, HandOptions};
pub use haply::{Haply, HaplyOptions};
pub use page::{Page, PageOptions};
pub use path::{Path, PathError};
pub use replay::Replay;
pub use workspace::{InWorkspace, Workspace, WorkspaceError, WorkspaceOptions};

use crate::math::{Pose, Twist, Wrench};

/// What a device says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeviceState {
    /// s, by the device's own clock, which never goes back.
    pub time: f64,
    /// `scene_from_handle` once it went through a [`Workspace`]; the device's own frame before. m.
    pub pose: Pose,
    /// The velocity of the handle's origin, m/s and rad/s, in the same frame.
    pub twist: Twist,
    /// One bit a button, the first is bit 0; 1 is pressed.
    pub buttons: u32,
    /// What the hand pushes with, N and N·m about the handle's origin. Admittance devices measure it.
    pub wrench: Option<Wrench>,
}

impl DeviceState {
    /// At rest at a pose, no button pressed, at time 0.
    pub fn at(pose: Pose) -> Self {
        Self { time: 0.0, pose, twist: Twist::ZERO, buttons: 0, wrench: None }
    }

    /// Whether all its numbers are finite and its pose is one ([`Pose::checked`]): what can be worked with.
    pub fn is_sound(&self) -> bool {
        self.is_finite() && self.pose.checked().is_some()
    }

    /// Whether all its numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.time.is_finite()
            && self.pose.position.is_finite()
            && self.pose.rotation.is_finite()
            && self.twist.linear.is_finite()
            && self.twist.angular.is_finite()
            && self.wrench.is_none_or(|wrench| wrench.is_finite())
    }
}

/// What a device is told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DeviceCommand {
    /// To push the hand, N and N·m about the handle's origin: impedance devices.
    Wrench(Wrench),
    /// To be there and move so: admittance devices.
    Motion {
        /// Where the handle should be.
        pose: Pose,
        /// How it should move.
        twist: Twist,
    },
}

impl DeviceCommand {
    /// Push with nothing.
    pub const NOTHING: Self = Self::Wrench(Wrench::ZERO);

    /// What lets a hand alone: no force, or of a device that is moved, to stay where it is.
    pub fn nothing(causality: Causality, pose: &Pose) -> Self {
        match causality {
            Causality::Impedance => Self::NOTHING,
            Causality::Admittance => Self::Motion { pose: *pose, twist: Twist::ZERO },
        }
    }

    /// Which devices it is for.
    pub fn causality(&self) -> Causality {
        match self {
            Self::Wrench(_) => Causality::Impedance,
            Self::Motion { .. } => Causality::Admittance,
        }
    }
}

/// Why a device did not answer. Small and without allocations: the servo loop makes and drops these.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum DeviceError {
    /// It closed the connection, or was never there.
    #[error("{device}: the connection is closed; is it plugged in, and does its service run?")]
    Closed {
        /// Which device.
        device: &'static str,
    },
    /// It said nothing for longer than it may.
    #[error("{device}: silent for {:.2} ms, which is longer than {} ms", .silent * 1e3, .limit * 1e3)]
    Lost {
        /// Which device.
        device: &'static str,
        /// For how long, s.
        silent: f64,
        /// The longest silence that is no loss, s.
        limit: f64,
    },
    /// Nobody told it to push for so long that it was let go. What it is told next is not passed on: forces have to grow from zero again.
    #[error("{device}: let go, since it was told nothing for {:.2} ms; is something else keeping this machine busy?", .silent * 1e3)]
    LetGo {
        /// Which device.
        device: &'static str,
        /// For how long, s.
        silent: f64,
    },
    /// It has not said anything yet.
    #[error("{device}: nothing has arrived yet; wait until it has (`wait`), then read")]
    NotReady {
        /// Which device.
        device: &'static str,
    },
    /// It sent numbers that are NaN, infinite or no pose.
    #[error("{device}: sent a state that is not made of finite numbers and a unit quaternion")]
    BadState {
        /// Which device.
        device: &'static str,
    },
    /// A recording or a path is over.
    #[error("{device}: it is over, after {states} states")]
    Ended {
        /// Which device.
        device: &'static str,
        /// How many states there were.
        states: u64,
    },
    /// A force for an admittance device, or a motion for an impedance device.
    #[error("{device} is an {} device and takes no {} commands", .is.name(), .told.name())]
    WrongCausality {
        /// Which device.
        device: &'static str,
        /// What it is.
        is: Causality,
        /// What the command is for.
        told: Causality,
    },
    /// A command with NaN or infinite numbers: nothing was sent.
    #[error("{device}: a command that is not finite was not sent")]
    BadCommand {
        /// Which device.
        device: &'static str,
    },
    /// What a vendor's SDK says.
    #[error("{device}: {what} (code {code})")]
    Vendor {
        /// Which device.
        device: &'static str,
        /// In words.
        what: &'static str,
        /// The SDK's own number.
        code: i64,
    },
}

/// Opening a device failed.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Nobody listens there.
    #[error("{device}: cannot reach {address}: {source}; {remedy}")]
    Unreachable {
        /// Which device.
        device: &'static str,
        /// Where it should have been.
        address: String,
        /// What the system says.
        source: std::io::Error,
        /// What to do.
        remedy: &'static str,
    },
    /// Somebody listens there, but speaks something else.
    #[error("{device}: {address} does not answer as expected: {what}; {remedy}")]
    Unexpected {
        /// Which device.
        device: &'static str,
        /// Where.
        address: String,
        /// What was wrong.
        what: String,
        /// What to do.
        remedy: &'static str,
    },
}

/// A device that a hand holds. Reading and writing never block, lock or allocate: they are called in the servo loop.
pub trait Device: Send {
    /// What it can do.
    fn capabilities(&self) -> &Capabilities;

    /// Its latest state.
    fn read(&mut self) -> Result<DeviceState, DeviceError>;

    /// Tells it what to do until the next command.
    fn write(&mut self, command: &DeviceCommand) -> Result<(), DeviceError>;
}

impl<D: Device + ?Sized> Device for Box<D> {
    fn capabilities(&self) -> &Capabilities {
        (**self).capabilities()
    }

    fn read(&mut self) -> Result<DeviceState, DeviceError> {
        (**self).read()
    }

    fn write(&mut self, command: &DeviceCommand) -> Result<(), DeviceError> {
        (**self).write(command)
    }
}

/// The wrench of a command for an impedance device, if it can be sent.
fn wrench_of(device: &'static str, command: &DeviceCommand) -> Result<Wrench, DeviceError> {
    match command {
        DeviceCommand::Wrench(wrench) if wrench.is_finite() => Ok(*wrench),
        DeviceCommand::Wrench(_) => Err(DeviceError::BadCommand { device }),
        DeviceCommand::Motion { .. } => {
            Err(DeviceError::WrongCausality { device, is: Causality::Impedance, told: Causality::Admittance })
        }
    }
}
