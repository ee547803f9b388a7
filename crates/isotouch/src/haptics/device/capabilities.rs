//! What devices can do.

use crate::haptics::Passivity;

/// Who decides what: the two kinds of haptic device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Causality {
    /// The hand moves it, it says where it is, and it is told with what to push: most devices.
    Impedance,
    /// The hand pushes it, it says with what, and it is told where to be: strong geared arms with force sensors.
    Admittance,
}

impl Causality {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Impedance => "impedance",
            Self::Admittance => "admittance",
        }
    }
}

/// What a device can do. SI units; a torque of 0 means that it has none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Capabilities {
    /// Its name in messages.
    pub name: &'static str,
    /// Which kind it is.
    pub causality: Causality,
    /// The largest force it should be asked for, N. Above it motors saturate or trip.
    pub max_force: f64,
    /// The largest torque, N·m; 0 where it has none.
    pub max_torque: f64,
    /// The stiffest spring it renders without buzzing at its rate, N/m.
    pub max_stiffness: f64,
    /// The same for rotation, N·m/rad; 0 where it has no torque.
    pub max_angular_stiffness: f64,
    /// Damping that goes well with that stiffness, N·s/m. Much more amplifies the noise of the measured velocity.
    pub damping: f64,
    /// The same for rotation, N·m·s/rad.
    pub angular_damping: f64,
    /// How often a second it is read and written, Hz.
    pub rate: f64,
    /// Half the sides of the box that its handle reaches, m.
    pub reach: [f64; 3],
}

impl Capabilities {
    /// The damping of its own that it must have, to be read and written at `rate`, Hz: it renders its largest stiffness without buzzing, so b ≥ K·T/2 of that. The hand that holds it adds
    /// to it, which is not counted: it may let go. Where it has no torque, turns limit nothing.
    pub fn passivity(&self, rate: f64) -> Passivity {
        let own = |most: f64| 0.5 * most / self.rate;
        Passivity {
            device_damping: own(self.max_stiffness),
            device_angular_damping: if self.has_torque() {
                own(self.max_angular_stiffness)
            } else {
                f64::INFINITY
            },
            period: 1.0 / rate,
        }
    }

    /// Whether it has torques.
    pub fn has_torque(&self) -> bool {
        self.max_torque > 0.0
    }
}

/// Common devices. The figures are magnitudes as makers state them (force, workspace, stiffness), to be checked against the data sheet of the device at hand, rounded to the careful side;
/// rotational stiffness and damping, which few makers state, are usual values. Nothing here was measured on hardware: look at yours, and
/// change what differs with `Capabilities { max_force: 5.0, ..Preset::Touch.capabilities() }`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// 3D Systems (Geomagic, SensAble Phantom Omni) Touch: 3.3 N peak, of which 0.88 N can be held for long. No torque.
    Touch,
    /// 3D Systems (Geomagic, SensAble Phantom Desktop) Touch X: 7.9 N peak, 1.75 N for long. No torque.
    TouchX,
    /// Force Dimension omega.3: 12 N for long, up to 8 kHz. No torque.
    Omega3,
    /// Force Dimension omega.6: as omega.3; it measures rotation but has no torque.
    Omega6,
    /// Force Dimension sigma.7: 20 N and 0.4 N·m for long.
    Sigma7,
    /// Haption Virtuose 6D: about 31 N and 3.1 N·m peak, 8.5 N and 0.5 N·m for long.
    Virtuose6D,
    /// Novint Falcon: about 9 N. No torque.
    Falcon,
    /// Haply Inverse3: about 10 N peak. No torque; its grip measures rotation.
    Inverse3,
}

impl Preset {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Touch,
        Self::TouchX,
        Self::Omega3,
        Self::Omega6,
        Self::Sigma7,
        Self::Virtuose6D,
        Self::Falcon,
        Self::Inverse3,
    ];

    /// Its figures.
    pub fn capabilities(self) -> Capabilities {
        let no_torque = Capabilities {
            name: "",
            causality: Causality::Impedance,
            max_force: 0.0,
            max_torque: 0.0,
            max_stiffness: 0.0,
            max_angular_stiffness: 0.0,
            damping: 0.0,
            angular_damping: 0.0,
            rate: 1000.0,
            reach: [0.0; 3],
        };
        match self {
            Self::Touch => Capabilities {
                name: "Touch",
                max_force: 3.3,
                max_stiffness: 1000.0,
                damping: 1.0,
                reach: [0.08, 0.06, 0.035],
                ..no_torque
            },
            Self::TouchX => Capabilities {
                name: "Touch X",
                max_force: 7.9,
                max_stiffness: 1500.0,
                damping: 2.0,
                reach: [0.08, 0.06, 0.06],
                ..no_torque
            },
            Self::Omega3 => Capabilities {
                name: "omega.3",
                max_force: 12.0,
                max_stiffness: 3000.0,
                damping: 5.0,
                rate: 4000.0,
                reach: [0.055, 0.08, 0.08],
                ..no_torque
            },
            Self::Omega6 => Capabilities {
                name: "omega.6",
                max_force: 12.0,
                max_stiffness: 3000.0,
                damping: 5.0,
                rate: 4000.0,
                reach: [0.055, 0.08, 0.08],
                ..no_torque
            },
            Self::Sigma7 => Capabilities {
                name: "sigma.7",
                max_force: 20.0,
                max_torque: 0.4,
                max_stiffness: 3000.0,
                max_angular_stiffness: 5.0,
                damping: 5.0,
                angular_damping: 0.01,
                rate: 4000.0,
                reach: [0.065, 0.095, 0.095],
                ..no_torque
            },
            Self::Virtuose6D => Capabilities {
                name: "Virtuose 6D",
                max_force: 31.0,
                max_torque: 3.1,
                max_stiffness: 2000.0,
                max_angular_stiffness: 30.0,
                damping: 10.0,
                angular_damping: 0.1,
                reach: [0.4, 0.2, 0.45],
                ..no_torque
            },
            Self::Falcon => Capabilities {
                name: "Falcon",
                max_force: 9.0,
                max_stiffness: 1500.0,
                damping: 2.0,
                reach: [0.05, 0.05, 0.05],
                ..no_torque
            },
            Self::Inverse3 => Capabilities {
                name: "Inverse3",
                max_force: 10.0,
                max_stiffness: 1500.0,
                damping: 3.0,
                reach: [0.15, 0.1, 0.1],
                ..no_torque
            },
        }
    }
}
