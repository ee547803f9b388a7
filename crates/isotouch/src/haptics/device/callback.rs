//! Devices with an SDK of their own.

use super::{Capabilities, Device, DeviceCommand, DeviceError, DeviceState};

/// A device of two closures. Let them only copy what the SDK's own thread has: they run in the servo loop.
///
/// ```
/// use isotouch::haptics::device::{Callback, Device, DeviceCommand, DeviceState, Preset};
/// use isotouch::math::Pose;
///
/// let mut touch = Callback::new(
///     Preset::Touch.capabilities(),
///     || Ok(DeviceState::at(Pose::IDENTITY)), // hdGetDoublev(…), mm to m
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
}

impl<R, W> Callback<R, W>
where
    R: FnMut() -> Result<DeviceState, DeviceError> + Send,
    W: FnMut(&DeviceCommand) -> Result<(), DeviceError> + Send,
{
    /// `read` gives the latest state, `write` sends a command. States that are not finite and commands of the wrong kind are kept from
    /// passing through.
    pub fn new(capabilities: Capabilities, read: R, write: W) -> Self {
        Self { capabilities, read, write }
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
        let state = (self.read)()?;
        if state.is_finite() {
            Ok(state)
        } else {
            Err(DeviceError::BadState { device: self.capabilities.name })
        }
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
