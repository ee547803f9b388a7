//! States that were recorded.

use crate::haptics::record::Recording;

use super::{Capabilities, Causality, Device, DeviceCommand, DeviceError, DeviceState, Preset};

/// Gives one recorded state a read, in their order, and then says that it is over. What it is told is ignored: the hand has moved already.
///
/// Recorded states are those of the scene, so a replay needs no [`super::Workspace`].
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    /// `None` where the device was lost.
    states: Vec<Option<DeviceState>>,
    capabilities: Capabilities,
    next: usize,
}

impl Replay {
    /// From states in their order.
    pub fn new(states: Vec<DeviceState>, capabilities: Capabilities) -> Self {
        Self { states: states.into_iter().map(Some).collect(), capabilities, next: 0 }
    }

    /// From a recording; losses of the device included.
    pub fn from_recording(recording: &Recording) -> Self {
        let header = recording.header();
        // Limits as they were, or as of the named device, where it is one of ours.
        let known = Preset::ALL.iter().map(|preset| preset.capabilities()).find(|c| c.name == header.device);
        let hand = Capabilities {
            name: "hand",
            max_force: 20.0,
            max_torque: 1.0,
            max_stiffness: 2000.0,
            max_angular_stiffness: 10.0,
            damping: 5.0,
            angular_damping: 0.01,
            reach: [0.5; 3],
            ..Preset::Touch.capabilities()
        };
        let known = known.unwrap_or(hand);
        let [max_force, max_torque] = header.limits.unwrap_or([known.max_force, known.max_torque]);
        let capabilities = Capabilities {
            name: "replay",
            causality: header.causality,
            rate: header.rate,
            max_force,
            max_torque,
            ..known
        };
        let states = recording.entries().iter().map(|entry| (!entry.device_lost).then_some(entry.state));
        Self { states: states.collect(), capabilities, next: 0 }
    }

    /// How many reads are left.
    pub fn remaining(&self) -> usize {
        self.states.len() - self.next
    }
}

impl Device for Replay {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn read(&mut self) -> Result<DeviceState, DeviceError> {
        let device = self.capabilities.name;
        let Some(state) = self.states.get(self.next) else {
            return Err(DeviceError::Ended { device, states: self.states.len() as u64 });
        };
        self.next += 1;
        state.ok_or(DeviceError::Closed { device })
    }

    fn write(&mut self, command: &DeviceCommand) -> Result<(), DeviceError> {
        let (is, told): (Causality, _) = (self.capabilities.causality, command.causality());
        if is == told {
            Ok(())
        } else {
            Err(DeviceError::WrongCausality { device: self.capabilities.name, is, told })
        }
    }
}
