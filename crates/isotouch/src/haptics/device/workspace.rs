//! Where a device's small box of air is in the scene, and how large.

use std::f64::consts::FRAC_1_SQRT_2;

use crate::math::{DQuat, DVec3, Pose, Twist, Wrench};

use super::{Capabilities, Device, DeviceCommand, DeviceError, DeviceState};

/// How device and scene belong together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorkspaceOptions {
    /// Metres in the scene for a metre of the device.
    pub scale: f64,
    /// Newtons in the hand for a newton in the scene.
    pub force_scale: f64,
    /// The device's axes in the scene.
    pub scene_from_device: DQuat,
    /// The place of the device, in its frame, m, …
    pub device_centre: DVec3,
    /// … that is this place of the scene, m.
    pub scene_centre: DVec3,
    /// How what is held is turned in the handle's axes.
    pub handle_from_tool: DQuat,
    /// While any of these buttons is pressed, the device moves and the scene does not. 0 for none.
    pub clutch_buttons: u32,
    /// For how long forces grow again after the clutch has closed, s.
    pub clutch_ramp: f64,
}

impl Default for WorkspaceOptions {
    /// The scene's frame is the device's; no clutch.
    fn default() -> Self {
        Self {
            scale: 1.0,
            force_scale: 1.0,
            scene_from_device: DQuat::IDENTITY,
            device_centre: DVec3::ZERO,
            scene_centre: DVec3::ZERO,
            handle_from_tool: DQuat::IDENTITY,
            clutch_buttons: 0,
            clutch_ramp: 0.1,
        }
    }
}

impl WorkspaceOptions {
    /// For devices whose z is up and y forward, as the Inverse3: in the scene y is up and −z forward.
    pub fn z_up() -> Self {
        // A quarter turn about x: (x, y, z) goes to (x, z, −y).
        let scene_from_device = DQuat::from_xyzw(-FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2);
        Self { scene_from_device, ..Self::default() }
    }
}

/// Options that make no workspace.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum WorkspaceError {
    /// A scale that is not positive.
    #[error("the {what} of a workspace is {value}; it must be a finite number above 0")]
    Scale {
        /// Which.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A place or rotation that is not finite, or a quaternion that is not a unit.
    #[error("the {what} of a workspace must be finite, and a unit quaternion where it turns")]
    Place {
        /// Which.
        what: &'static str,
    },
}

/// Places and scales a device in a scene, and lets go of it (the clutch).
///
/// With A = `scene_from_device`, s = `scale`, f = `force_scale`:
///
/// | | device to scene | scene to device |
/// |---|---|---|
/// | position | c_s + A·s·(x − c_d) | its inverse |
/// | rotation | A·q·`handle_from_tool` | its inverse |
/// | velocity | A·s·v, A·ω | A⁻¹·v/s, A⁻¹·ω |
/// | wrench | A·F/f, A·τ·s/f | A⁻¹·F·f, A⁻¹·τ·f/s |
///
/// So work in the hand is f/s times that in the scene, of forces and torques alike: what is passive in the scene is passive in the hand.
/// A spring of k N/m in the scene is felt as f·s·k.
///
/// While the clutch is open the scene sees the handle at rest where it was, the hand feels nothing (an admittance device stays where it is),
/// and afterwards motion goes on from there without a jump: `scene_centre` and `handle_from_tool` have changed. What an admittance device is told to be
/// may have gone on meanwhile; it goes on from where that is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Workspace {
    options: WorkspaceOptions,
    opened_by_call: bool,
    /// Where the scene sees the handle while the clutch is open, …
    held: Option<Pose>,
    /// … and where an admittance device stays.
    parked: Option<Pose>,
    /// Where the scene last wanted an admittance device.
    commanded: Option<Pose>,
    /// When the clutch closed, by the device's clock.
    closed_at: Option<f64>,
    last_device: Option<DeviceState>,
    last_scene: Option<Pose>,
}

impl Workspace {
    /// Checks the options.
    pub fn new(options: WorkspaceOptions) -> Result<Self, WorkspaceError> {
        for (what, value) in [("scale", options.scale), ("force scale", options.force_scale)] {
            let is_fine = value.is_finite() && value > 0.0;
            if !is_fine {
                return Err(WorkspaceError::Scale { what, value });
            }
        }
        let is_unit = |q: DQuat| q.is_finite() && (q.length() - 1.0).abs() < 1e-6;
        for (what, is_fine) in [
            ("device centre", options.device_centre.is_finite()),
            ("scene centre", options.scene_centre.is_finite()),
            ("rotation scene_from_device", is_unit(options.scene_from_device)),
            ("rotation handle_from_tool", is_unit(options.handle_from_tool)),
            ("clutch ramp", options.clutch_ramp.is_finite()),
        ] {
            if !is_fine {
                return Err(WorkspaceError::Place { what });
            }
        }
        Ok(Self {
            options,
            opened_by_call: false,
            held: None,
            parked: None,
            commanded: None,
            closed_at: None,
            last_device: None,
            last_scene: None,
        })
    }

    /// As they are now: the clutch changes `scene_centre` and `handle_from_tool`.
    pub fn options(&self) -> &WorkspaceOptions {
        &self.options
    }

    /// Opens the clutch, from the next state on.
    pub fn open_clutch(&mut self) {
        self.opened_by_call = true;
    }

    /// Closes it, from the next state on, unless a button keeps it open.
    pub fn close_clutch(&mut self) {
        self.opened_by_call = false;
    }

    /// Whether device and scene are apart.
    pub fn is_open(&self) -> bool {
        self.held.is_some()
    }

    /// A state of the device as the scene sees it.
    pub fn to_scene(&mut self, state: &DeviceState) -> DeviceState {
        let opens = self.opened_by_call || state.buttons & self.options.clutch_buttons != 0;
        if opens && self.held.is_none() {
            self.held = Some(self.last_scene.unwrap_or_else(|| self.placed(&state.pose)));
            self.parked = Some(state.pose);
        } else if !opens && let Some(held) = self.held.take() {
            self.parked = None;
            self.take_up(&state.pose, &self.commanded.unwrap_or(held));
            self.closed_at = Some(state.time);
        } else if let Some(closed) = self.closed_at {
            let since = state.time - closed;
            if since < 0.0 {
                // The device's clock began anew: so does the ramp.
                self.closed_at = Some(state.time);
            } else if since >= self.options.clutch_ramp {
                self.closed_at = None;
            }
        }
        self.last_device = Some(*state);
        if let Some(pose) = self.held {
            return DeviceState {
                pose,
                twist: Twist::ZERO,
                wrench: state.wrench.map(|_| Wrench::ZERO),
                ..*state
            };
        }
        let WorkspaceOptions { scale, force_scale, scene_from_device: turn, .. } = self.options;
        let pose = self.placed(&state.pose);
        self.last_scene = Some(pose);
        DeviceState {
            pose,
            twist: Twist { linear: turn * state.twist.linear * scale, angular: turn * state.twist.angular },
            wrench: state.wrench.map(|wrench| Wrench {
                force: turn * wrench.force / force_scale,
                torque: turn * wrench.torque * (scale / force_scale),
            }),
            ..*state
        }
    }

    /// A command of the scene as the device is to have it.
    pub fn to_device(&mut self, command: &DeviceCommand) -> DeviceCommand {
        if let DeviceCommand::Motion { pose, .. } = command {
            self.commanded = Some(*pose);
        }
        let o = &self.options;
        let turn = o.scene_from_device.conjugate();
        match command {
            DeviceCommand::Wrench(wrench) => {
                let grown = self.grown();
                DeviceCommand::Wrench(Wrench {
                    force: turn * wrench.force * (o.force_scale * grown),
                    torque: turn * wrench.torque * (o.force_scale / o.scale * grown),
                })
            }
            DeviceCommand::Motion { pose, twist } => match self.parked {
                Some(pose) => DeviceCommand::Motion { pose, twist: Twist::ZERO },
                None => DeviceCommand::Motion {
                    pose: Pose {
                        position: o.device_centre + turn * (pose.position - o.scene_centre) / o.scale,
                        rotation: (turn * pose.rotation * o.handle_from_tool.conjugate()).normalize(),
                    },
                    twist: Twist { linear: turn * twist.linear / o.scale, angular: turn * twist.angular },
                },
            },
        }
    }

    /// What the device can do, in the scene's units.
    pub fn capabilities_in_scene(&self, device: &Capabilities) -> Capabilities {
        let WorkspaceOptions { scale: s, force_scale: f, .. } = self.options;
        Capabilities {
            max_force: device.max_force / f,
            max_torque: device.max_torque * s / f,
            max_stiffness: device.max_stiffness / (f * s),
            max_angular_stiffness: device.max_angular_stiffness * s / f,
            damping: device.damping / (f * s),
            angular_damping: device.angular_damping * s / f,
            reach: device.reach.map(|side| side * s),
            ..*device
        }
    }

    /// How much of a force is felt: nothing while the clutch is open, then ever more.
    fn grown(&self) -> f64 {
        match (self.held, self.closed_at, self.last_device) {
            (Some(_), _, _) => 0.0,
            // Never below 0 or above 1, whatever clocks do: this comes after all limits.
            (None, Some(closed), Some(device)) if self.options.clutch_ramp > 0.0 => {
                ((device.time - closed) / self.options.clutch_ramp).clamp(0.0, 1.0)
            }
            _ => 1.0,
        }
    }

    fn placed(&self, device: &Pose) -> Pose {
        let o = &self.options;
        Pose {
            position: o.scene_centre + o.scene_from_device * ((device.position - o.device_centre) * o.scale),
            rotation: (o.scene_from_device * device.rotation * o.handle_from_tool).normalize(),
        }
    }

    /// So that the device, as it is now, is where the scene sees it already.
    fn take_up(&mut self, device: &Pose, held: &Pose) {
        let o = &mut self.options;
        o.scene_centre =
            held.position - o.scene_from_device * ((device.position - o.device_centre) * o.scale);
        o.handle_from_tool =
            ((o.scene_from_device * device.rotation).conjugate() * held.rotation).normalize();
    }
}

/// A device seen through a workspace: in the scene's frame and units.
#[derive(Debug, Clone, PartialEq)]
pub struct InWorkspace<D> {
    device: D,
    workspace: Workspace,
    capabilities: Capabilities,
}

impl<D: Device> InWorkspace<D> {
    /// Puts the device into the scene.
    pub fn new(device: D, workspace: Workspace) -> Self {
        let capabilities = workspace.capabilities_in_scene(device.capabilities());
        Self { device, workspace, capabilities }
    }

    /// For the clutch.
    pub fn workspace_mut(&mut self) -> &mut Workspace {
        &mut self.workspace
    }

    /// Where it is.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// The device itself.
    pub fn device_mut(&mut self) -> &mut D {
        &mut self.device
    }
}

impl<D: Device> Device for InWorkspace<D> {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn read(&mut self) -> Result<DeviceState, DeviceError> {
        let state = self.device.read()?;
        Ok(self.workspace.to_scene(&state))
    }

    fn write(&mut self, command: &DeviceCommand) -> Result<(), DeviceError> {
        self.device.write(&self.workspace.to_device(command))
    }
}
