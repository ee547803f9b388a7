//! A simulated arm, so that the loop can be closed without hardware.

use crate::math::{DQuat, Pose, Twist, Wrench};

use super::path::rotation_vector;
use super::{Capabilities, Causality, Device, DeviceCommand, DeviceError, DeviceState, Path};

/// How the arm is built. The defaults are those of a relaxed grip (hand and forearm: 0.5–5 kg, 100–1000 N/m).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HandOptions {
    /// Which kind of device it holds.
    pub causality: Causality,
    /// What moves with the handle, kg.
    pub mass: f64,
    /// The same for rotation, kg·m², alike about all axes.
    pub inertia: f64,
    /// How firmly the hand goes to its target, N/m.
    pub stiffness: f64,
    /// N·s/m.
    pub damping: f64,
    /// N·m/rad.
    pub angular_stiffness: f64,
    /// N·m·s/rad.
    pub angular_damping: f64,
    /// How many commands a second it is given, Hz: each advances it by the inverse.
    pub rate: f64,
    /// The largest force it says it can take, N: for [`Capabilities`].
    pub max_force: f64,
    /// The largest torque, N·m.
    pub max_torque: f64,
}

impl Default for HandOptions {
    fn default() -> Self {
        Self {
            causality: Causality::Impedance,
            mass: 0.5,
            inertia: 0.002,
            stiffness: 400.0,
            damping: 20.0,
            angular_stiffness: 5.0,
            angular_damping: 0.14,
            rate: 1000.0,
            max_force: 20.0,
            max_torque: 1.0,
        }
    }
}

/// What is no hand.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum HandError {
    /// A number that is negative, NaN or infinite, or 0 where something must be.
    #[error("a hand's {what} is {value}; it must be a finite number {}", if *.may_be_zero { "not below 0" } else { "above 0" })]
    Number {
        /// Which.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Whether 0 is allowed.
        may_be_zero: bool,
    },
    /// A spring too stiff for the mass and the rate: the integration would explode.
    #[error(
        "the {what} swings with {frequency} rad/s, too fast for steps of {dt} s; take a larger mass or inertia, a lower stiffness or a higher rate"
    )]
    TooStiff {
        /// Which spring.
        what: &'static str,
        /// √(stiffness / mass).
        frequency: f64,
        /// The step.
        dt: f64,
    },
}

/// A mass on a spring and a damper whose other end follows a [`Path`], in all six degrees of freedom. The same input gives the same
/// motion to the last bit. Time passes with commands: each [`Device::write`] is a step of 1/rate.
///
/// As an impedance device, wrenches push the mass. As an admittance device, the handle is where it was told to be, and what is reported is
/// the spring's and damper's pull. Apart from what moves its target, it is passive: it gives back no more energy than went in.
#[derive(Debug, Clone, PartialEq)]
pub struct Hand {
    path: Path,
    options: HandOptions,
    capabilities: Capabilities,
    steps: u64,
    pose: Pose,
    twist: Twist,
    buttons: u32,
}

impl Hand {
    /// At rest where its path begins.
    pub fn new(path: Path, options: HandOptions) -> Result<Self, HandError> {
        let o = &options;
        for (what, value, may_be_zero) in [
            ("mass", o.mass, false),
            ("inertia", o.inertia, false),
            ("rate", o.rate, false),
            ("stiffness", o.stiffness, true),
            ("damping", o.damping, true),
            ("angular stiffness", o.angular_stiffness, true),
            ("angular damping", o.angular_damping, true),
            ("largest force", o.max_force, true),
            ("largest torque", o.max_torque, true),
        ] {
            let is_fine = value.is_finite() && (value > 0.0 || (may_be_zero && value == 0.0));
            if !is_fine {
                return Err(HandError::Number { what, value, may_be_zero });
            }
        }
        let dt = 1.0 / o.rate;
        for (what, stiffness, mass) in
            [("grip", o.stiffness, o.mass), ("turning grip", o.angular_stiffness, o.inertia)]
        {
            // Symplectic Euler is stable below 2; up to 0.5 its frequency is right within about 1 %.
            let frequency = (stiffness / mass).sqrt();
            if frequency * dt > 0.5 {
                return Err(HandError::TooStiff { what, frequency, dt });
            }
        }
        let capabilities = Capabilities {
            name: "hand",
            causality: o.causality,
            max_force: o.max_force,
            max_torque: o.max_torque,
            max_stiffness: 2000.0,
            max_angular_stiffness: 10.0,
            damping: 5.0,
            angular_damping: 0.01,
            rate: o.rate,
            reach: [0.5; 3],
        };
        let pose = path.at(0.0).0;
        Ok(Self { path, options, capabilities, steps: 0, pose, twist: Twist::ZERO, buttons: 0 })
    }

    /// s since the start.
    pub fn time(&self) -> f64 {
        self.steps as f64 / self.options.rate
    }

    /// Where it wants to be.
    pub fn target(&self) -> Pose {
        self.path.at(self.time()).0
    }

    /// Whether its path is over.
    pub fn is_done(&self) -> bool {
        self.time() >= self.path.span().1
    }

    /// Presses and lets go of buttons.
    pub fn set_buttons(&mut self, buttons: u32) {
        self.buttons = buttons;
    }

    /// Of the mass and of the springs, J.
    pub fn energy(&self) -> f64 {
        let o = &self.options;
        let target = self.target();
        let stretch = target.position - self.pose.position;
        let turn = rotation_vector(target.rotation * self.pose.rotation.conjugate());
        0.5 * (o.mass * self.twist.linear.length_squared()
            + o.inertia * self.twist.angular.length_squared()
            + o.stiffness * stretch.length_squared()
            + o.angular_stiffness * turn.length_squared())
    }

    /// What the springs pull with.
    fn spring(&self, target: &Pose) -> Wrench {
        Wrench {
            force: (target.position - self.pose.position) * self.options.stiffness,
            torque: rotation_vector(target.rotation * self.pose.rotation.conjugate())
                * self.options.angular_stiffness,
        }
    }

    /// What springs and dampers pull with.
    fn grip(&self) -> Wrench {
        let (target, wanted) = self.path.at(self.time());
        let spring = self.spring(&target);
        Wrench {
            force: spring.force + (wanted.linear - self.twist.linear) * self.options.damping,
            torque: spring.torque + (wanted.angular - self.twist.angular) * self.options.angular_damping,
        }
    }

    /// Symplectic Euler: velocities first, then poses with the new ones. Damping is taken at the end of the step, so that it cannot
    /// overshoot:  m·(v′ − v) = dt·(F + k·(x_t − x) + b·(v_t − v′)).
    fn step(&mut self, wrench: &Wrench) {
        let o = self.options;
        let dt = 1.0 / o.rate;
        let (target, wanted) = self.path.at(self.time());
        let push = self.spring(&target) + *wrench;
        let linear = (self.twist.linear * o.mass + (push.force + wanted.linear * o.damping) * dt)
            / (o.mass + dt * o.damping);
        let angular = (self.twist.angular * o.inertia
            + (push.torque + wanted.angular * o.angular_damping) * dt)
            / (o.inertia + dt * o.angular_damping);
        self.twist = Twist { linear, angular };
        self.pose = Pose {
            position: self.pose.position + linear * dt,
            rotation: (DQuat::from_scaled_axis(angular * dt) * self.pose.rotation).normalize(),
        };
    }
}

impl Device for Hand {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn read(&mut self) -> Result<DeviceState, DeviceError> {
        let wrench = match self.options.causality {
            Causality::Impedance => None,
            Causality::Admittance => Some(self.grip()),
        };
        Ok(DeviceState {
            time: self.time(),
            pose: self.pose,
            twist: self.twist,
            buttons: self.buttons,
            wrench,
        })
    }

    fn write(&mut self, command: &DeviceCommand) -> Result<(), DeviceError> {
        let device = self.capabilities.name;
        let (is, told) = (self.options.causality, command.causality());
        match command {
            _ if is != told => return Err(DeviceError::WrongCausality { device, is, told }),
            DeviceCommand::Wrench(wrench) if wrench.is_finite() => self.step(wrench),
            DeviceCommand::Motion { pose, twist } if is_motion(pose, twist) => {
                (self.pose, self.twist) = (*pose, *twist);
            }
            _ => return Err(DeviceError::BadCommand { device }),
        }
        self.steps += 1;
        Ok(())
    }
}

fn is_motion(pose: &Pose, twist: &Twist) -> bool {
    Pose::from_numbers(pose.to_numbers()).is_ok() && twist.linear.is_finite() && twist.angular.is_finite()
}
