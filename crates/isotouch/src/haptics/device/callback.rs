//! Devices with an SDK of their own.

use std::time::Instant;

use crate::haptics::limits::LONGEST_SILENCE;

use super::{Capabilities, Device, DeviceCommand, DeviceError, DeviceState};

/// A device of two closures. Let them only copy what the SDK's own thread has: they run in the servo loop.
///
/// The time of a state is when the device was there, by any clock that goes on; take it where the SDK tells the pose, not in the closure. A driver that hangs tells its last state again and again: where the time is
/// the same for 8 ms, reads say [`DeviceError::Lost`].
///
/// ```
/// use isotouch::haptics::device::{Callback, Device, DeviceCommand, DeviceState, Preset};
/// use isotouch::math::Pose;
///
/// let mut touch = Callback::new(
///     Preset::Touch.capabilities(),
///     || Ok(DeviceState { time: 0.25, ..DeviceState::at(Pose::IDENTITY) }), // hdGetDoublev(…), mm to m
///     |command| match command {
///         DeviceCommand::Wrench(_wrench) => Ok(()), // hdSetDoublev(…)
///         DeviceCommand::Motion { .. } => unreachable!("an impedance device is never told to move"),
///     },
/// );
/// touch.read()?;
/// # Ok::<(), isotouch::haptics::device::DeviceError>(())
/// ```
pub struct Callback<R, W> {
    capabilities: Capabilities,
    read: R,
    write: W,
    /// The time of the last state, and since when it has been that.
    last: Option<(f64, Instant)>,
}

impl<R, W> Callback<R, W>
where
    R: FnMut() -> Result<DeviceState, DeviceError> + Send,
    W: FnMut(&DeviceCommand) -> Result<(), DeviceError> + Send,
{
    /// `read` gives the latest state, `write` sends a command. States that are not finite and commands of the wrong kind are kept from
    /// passing through.
    pub fn new(capabilities: Capabilities, read: R, write: W) -> Self {
        Self { capabilities, read, write, last: None }
    }
}

impl<R, W> Device for Callback<R, W>
where
    R: FnMut() -> Result<DeviceState, DeviceError> + Send,
    W: FnMut(&DeviceCommand) -> Result<(), DeviceError> + Send,
{
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn read(&mut self) -> Result<DeviceState, DeviceError> {
        let device = self.capabilities.name;
        let state = (self.read)()?;
        if !state.is_finite() {
            return Err(DeviceError::BadState { device });
        }
        let now = Instant::now();
        match self.last {
            Some((time, since)) if time == state.time => {
                let silent = (now - since).as_secs_f64();
                if silent > LONGEST_SILENCE {
                    return Err(DeviceError::Lost { device, silent, limit: LONGEST_SILENCE });
                }
            }
            _ => self.last = Some((state.time, now)),
        }
        Ok(state)
    }

    fn write(&mut self, command: &DeviceCommand) -> Result<(), DeviceError> {
        let (device, is, told) = (self.capabilities.name, self.capabilities.causality, command.causality());
        if is != told {
            return Err(DeviceError::WrongCausality { device, is, told });
        }
        let is_finite = match command {
            DeviceCommand::Wrench(wrench) => wrench.is_finite(),
            DeviceCommand::Motion { pose, twist } => {
                DeviceState { twist: *twist, ..DeviceState::at(*pose) }.is_finite()
            }
        };
        if is_finite { (self.write)(command) } else { Err(DeviceError::BadCommand { device }) }
    }
}

impl<R, W> std::fmt::Debug for Callback<R, W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Callback").field("capabilities", &self.capabilities).finish_non_exhaustive()
    }
}
