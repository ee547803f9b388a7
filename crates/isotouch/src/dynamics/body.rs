//! One rigid body.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};

use super::turning::Turning;
use super::{Shape, check};
use crate::contact::{LawError, Material, Placed};
use crate::math::{Pose, Twist, Wrench, principal_axes};
use crate::mesh::{MassError, MassProperties};

/// A body's number in its world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct BodyId(pub(super) usize);

impl BodyId {
    /// Counted from 0, in the order in which bodies were added.
    pub fn index(self) -> usize {
        self.0
    }
}

/// What moves a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BodyKind {
    /// Forces.
    #[default]
    Dynamic,
    /// Its own velocity, whatever touches it.
    Kinematic,
    /// Nothing.
    Fixed,
}

/// Where a body's mass comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mass {
    /// kg/m³, of the closed mesh of its shape.
    Density(f64),
    /// kg: as much in all, spread evenly over the closed mesh of its shape.
    Total(f64),
    /// Mass, centre and inertia as they are.
    Given(MassProperties),
}

/// What body to add.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyOptions {
    /// For messages and files.
    pub name: String,
    /// What moves it.
    pub kind: BodyKind,
    /// Of dynamic bodies.
    pub mass: Mass,
    /// `world_from_body` at the start.
    pub pose: Pose,
    /// Velocity of the centre of mass and angular velocity at the start, in the world.
    pub twist: Twist,
    /// Its surface.
    pub material: Material,
    /// Whether a step ends for it where it first touches something new: it takes an impulse there, and never passes through what is thin. Costs a second look at its way.
    pub is_bullet: bool,
}

impl Default for BodyOptions {
    fn default() -> Self {
        Self {
            name: String::new(),
            kind: BodyKind::Dynamic,
            mass: Mass::Density(1000.0),
            pose: Pose::IDENTITY,
            twist: Twist::ZERO,
            material: Material::default(),
            is_bullet: false,
        }
    }
}

/// Why a body was not added.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BodyError {
    /// Its mesh has none.
    #[error(
        "body '{body}': its mesh has no mass, centre or inertia: {source}; give mass, centre and inertia (mass_properties), or make it fixed or kinematic"
    )]
    Mass {
        /// Which.
        body: String,
        /// Why.
        source: MassError,
    },
    /// There is no mesh to find it from.
    #[error(
        "body '{body}': its shape has no mesh to find the mass of; give mass, centre and inertia (mass_properties)"
    )]
    NoMesh {
        /// Which.
        body: String,
    },
    /// A mass that is no mass.
    #[error("body '{body}': the {quantity} is {value}, but must be positive and finite")]
    NotPositive {
        /// Which.
        body: String,
        /// What of it.
        quantity: &'static str,
        /// As it was given.
        value: f64,
    },
    /// Nothing weighs as little or as much: numbers made of it would be 0 or infinite.
    #[error("body '{body}': the {quantity} is {value:e}, but must be between 1e-30 and 1e30")]
    Absurd {
        /// Which.
        body: String,
        /// What of it.
        quantity: &'static str,
        /// As it was given, or found.
        value: f64,
    },
    /// An inertia that no body has.
    #[error(
        "body '{body}': its inertia has the principal moments {moments:?}, but all must be positive, and none larger than the sum of the other two"
    )]
    BadInertia {
        /// Which.
        body: String,
        /// kg·m².
        moments: [f64; 3],
    },
    /// Not a tensor of inertia.
    #[error(
        "body '{body}': its inertia is not symmetric: {} on one side of the diagonal is {} on the other; give the same number on both sides", .mirrored[0], .mirrored[1]
    )]
    Asymmetric {
        /// Which.
        body: String,
        /// kg·m²: two that should be one.
        mirrored: [f64; 2],
    },
    /// NaN or infinity.
    #[error("body '{body}': the {quantity} has a number that is not finite")]
    NotFinite {
        /// Which.
        body: String,
        /// What of it.
        quantity: &'static str,
    },
    /// A quaternion that is no rotation.
    #[error(
        "body '{body}': the quaternion of its rotation has the length {length}, but must be 1; [0, 0, 0, 1] is not turned"
    )]
    NoRotation {
        /// Which.
        body: String,
        /// As it was given.
        length: f64,
    },
    /// Its material.
    #[error("body '{body}': {source}")]
    Material {
        /// Which.
        body: String,
        /// What is wrong with it.
        source: LawError,
    },
}

/// A rigid body in a world.
#[derive(Debug, Clone)]
pub struct Body {
    pub(super) name: String,
    pub(super) kind: BodyKind,
    pub(super) shape: Arc<Shape>,
    pub(super) material: Material,
    pub(super) is_bullet: bool,
    pub(super) mass: f64,
    /// In the body's frame.
    pub(super) center: DVec3,
    /// About the centre of mass, in the body's frame.
    pub(super) inertia: DMat3,
    pub(super) inverse_inertia: DMat3,
    pub(super) turning: Turning,
    pub(super) pose: Pose,
    /// Of the centre of mass.
    pub(super) velocity: DVec3,
    /// About the centre of mass, in the world; of bodies that forces move. What is conserved, unlike the angular velocity.
    pub(super) angular_momentum: DVec3,
    /// rad/s, in the world, of bodies that forces do not move.
    pub(super) angular_velocity: DVec3,
    /// What users push with, until they say otherwise. About the centre of mass.
    pub(super) user_force: Wrench,
    /// Mean contact force over the last step ([`Integrator::Papers`](super::Integrator)).
    pub(super) contact_force: Wrench,
}

impl Body {
    pub(super) fn new(shape: Arc<Shape>, options: BodyOptions) -> Result<Self, BodyError> {
        let BodyOptions { name, kind, mass, pose, twist, material, is_bullet } = options;
        let pose = check::pose(&name, pose)?;
        check::twist(&name, &twist)?;
        material.check().map_err(|source| BodyError::Material { body: name.clone(), source })?;
        let properties = match kind {
            BodyKind::Dynamic => properties(&shape, mass, &name)?,
            BodyKind::Kinematic | BodyKind::Fixed => MassProperties {
                mass: f64::INFINITY,
                center_of_mass: DVec3::ZERO,
                inertia: DMat3::ZERO,
                volume: 0.0,
            },
        };
        let twist = if kind == BodyKind::Fixed { Twist::ZERO } else { twist };
        let inverse_inertia =
            if kind == BodyKind::Dynamic { properties.inertia.inverse() } else { DMat3::ZERO };
        let mut body = Self {
            name,
            kind,
            shape,
            material,
            is_bullet,
            mass: properties.mass,
            center: properties.center_of_mass,
            inertia: properties.inertia,
            inverse_inertia,
            turning: Turning::new(&properties.inertia),
            pose,
            velocity: DVec3::ZERO,
            angular_momentum: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            user_force: Wrench::ZERO,
            contact_force: Wrench::ZERO,
        };
        body.set_twist(twist);
        Ok(body)
    }

    /// For messages and files.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What moves it.
    pub fn kind(&self) -> BodyKind {
        self.kind
    }

    /// What it is made of.
    pub fn shape(&self) -> &Arc<Shape> {
        &self.shape
    }

    /// Its surface.
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// Whether it stops at its first contact.
    pub fn is_bullet(&self) -> bool {
        self.is_bullet
    }

    /// kg; infinite for what forces do not move.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// `world_from_body`.
    pub fn pose(&self) -> Pose {
        self.pose
    }

    /// The centre of mass in the world.
    pub fn center_of_mass(&self) -> DVec3 {
        self.pose.place(self.center)
    }

    /// Velocity of the centre of mass and angular velocity, in the world.
    pub fn twist(&self) -> Twist {
        let angular = match self.kind {
            BodyKind::Dynamic => self.angular_velocity_of(self.pose.rotation, self.angular_momentum),
            BodyKind::Kinematic | BodyKind::Fixed => self.angular_velocity,
        };
        Twist { linear: self.velocity, angular }
    }

    /// m·v.
    pub fn momentum(&self) -> DVec3 {
        if self.kind == BodyKind::Dynamic { self.mass * self.velocity } else { DVec3::ZERO }
    }

    /// About the centre of mass, in the world.
    pub fn angular_momentum(&self) -> DVec3 {
        self.angular_momentum
    }

    /// J; 0 for what forces do not move.
    pub fn kinetic_energy(&self) -> f64 {
        match self.kind {
            BodyKind::Dynamic => {
                0.5 * self.mass * self.velocity.length_squared()
                    + 0.5 * self.angular_momentum.dot(self.twist().angular)
            }
            BodyKind::Kinematic | BodyKind::Fixed => 0.0,
        }
    }

    pub(super) fn set_twist(&mut self, twist: Twist) {
        self.velocity = twist.linear;
        self.angular_velocity = twist.angular;
        self.angular_momentum = match self.kind {
            BodyKind::Dynamic => self.inertia_in_world(self.pose.rotation) * twist.angular,
            BodyKind::Kinematic | BodyKind::Fixed => DVec3::ZERO,
        };
    }

    pub(super) fn is_dynamic(&self) -> bool {
        self.kind == BodyKind::Dynamic
    }

    /// R·I·Rᵀ.
    pub(super) fn inertia_in_world(&self, rotation: DQuat) -> DMat3 {
        let turn = DMat3::from_quat(rotation);
        turn * self.inertia * turn.transpose()
    }

    /// R·I⁻¹·Rᵀ·L.
    pub(super) fn angular_velocity_of(&self, rotation: DQuat, angular_momentum: DVec3) -> DVec3 {
        rotation * (self.inverse_inertia * (rotation.conjugate() * angular_momentum))
    }

    pub(super) fn placed(&self) -> Placed {
        Placed { world_from_body: self.pose, center: self.center, twist: self.twist() }
    }
}

fn properties(shape: &Shape, mass: Mass, name: &str) -> Result<MassProperties, BodyError> {
    let body = || name.to_owned();
    let positive = |quantity: &'static str, value: f64| {
        if value.is_finite() && value > 0.0 {
            return Ok(());
        }
        Err(BodyError::NotPositive { body: body(), quantity, value })
    };
    let of_mesh = |density: f64| {
        let found = shape.mass(density).ok_or_else(|| BodyError::NoMesh { body: body() })?;
        found.map_err(|source| BodyError::Mass { body: body(), source })
    };
    match mass {
        Mass::Density(density) => {
            positive("density", density)?;
            of_mesh(density)
        }
        Mass::Total(total) => {
            positive("mass", total)?;
            of_mesh(total / of_mesh(1.0)?.mass)
        }
        Mass::Given(given) => {
            positive("mass", given.mass)?;
            if !given.center_of_mass.is_finite() {
                return Err(BodyError::NotFinite { body: body(), quantity: "centre of mass" });
            }
            if !given.inertia.is_finite() {
                return Err(BodyError::NotFinite { body: body(), quantity: "inertia" });
            }
            Ok(given)
        }
    }
    .and_then(|found| {
        check_mass(&found, name)?;
        Ok(found)
    })
}

/// Masses, and moments of inertia, that can be computed with.
const MASSES: std::ops::RangeInclusive<f64> = 1e-30..=1e30;
/// Moments of flat things are at the edge of what can be; by this part they may be beyond.
const FLAT: f64 = 1e-6;

/// Inertia may be off from symmetric by this part of its largest entry: what is computed elsewhere is rounded.
const SYMMETRIC: f64 = 1e-9;

fn check_mass(found: &MassProperties, name: &str) -> Result<(), BodyError> {
    let (inertia, mirror) = (found.inertia.to_cols_array(), found.inertia.transpose().to_cols_array());
    let largest = inertia.iter().fold(0.0f64, |most, entry| most.max(entry.abs()));
    let is_off = |(a, b): &(f64, f64)| (a - b).abs() > SYMMETRIC * largest;
    if let Some((one, other)) = inertia.into_iter().zip(mirror).find(is_off) {
        return Err(BodyError::Asymmetric { body: name.to_owned(), mirrored: [one, other] });
    }
    let moments = principal_axes(&found.inertia).0;
    let absurd = |quantity: &'static str, value: f64| {
        Err(BodyError::Absurd { body: name.to_owned(), quantity, value })
    };
    if !MASSES.contains(&found.mass) {
        return absurd("mass", found.mass);
    }
    // In every solid ∫x² + ∫y² ≥ ∫(x² − y²): each moment is at most the sum of the others.
    let (most, least) = (moments.max_element(), moments.min_element());
    let can_be = least > 0.0 && most <= 0.5 * (1.0 + FLAT) * moments.element_sum();
    if !can_be {
        return Err(BodyError::BadInertia { body: name.to_owned(), moments: moments.to_array() });
    }
    if !MASSES.contains(&least) {
        return absurd("smallest moment of inertia", least);
    }
    if !MASSES.contains(&most) {
        return absurd("largest moment of inertia", most);
    }
    Ok(())
}
