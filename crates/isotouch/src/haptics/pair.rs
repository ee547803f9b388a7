//! What is held, and what stands still.

use std::sync::Arc;

use glam::{DAffine3, DMat3, DQuat, DVec3};

use crate::ccd::{Obstacle, Touchable};
use crate::field::Field;
use crate::math::{Mat6, Motion, MotionKind, Pose};
use crate::mesh::MassProperties;
use crate::shell::PointShell;

/// Which of two parts is in the hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Held {
    /// The shell: its points touch a field that stands still.
    #[default]
    Shell,
    /// The field: it is moved against points that stand still, as the peg of 2016.
    Field,
}

/// What points touch.
#[derive(Clone)]
pub enum Surface {
    /// A field.
    Field(Arc<Field>),
    /// A plane, a ball, a function; and what counts as its cell: a length that skins and saturation are in proportion to.
    Analytic(Arc<dyn Touchable + Send + Sync>, f64),
}

impl Surface {
    /// For questions.
    pub fn obstacle(&self) -> Obstacle<'_> {
        match self {
            Self::Field(field) => Obstacle::Field(field),
            Self::Analytic(surface, _) => Obstacle::Analytic(surface.as_ref()),
        }
    }

    /// Length of a cell, m.
    pub fn cell(&self) -> f64 {
        match self {
            Self::Field(field) => field.grid().cell,
            Self::Analytic(_, cell) => *cell,
        }
    }
}

/// A part in the hand and a part that stands still: one is points, the other is a field.
#[derive(Clone)]
pub struct HeldPair {
    shell: Arc<PointShell>,
    surface: Surface,
    held: Held,
    world_from_fixed: Pose,
    mass: MassProperties,
}

/// Why two parts cannot be rendered.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PairError {
    /// Nothing to touch with.
    #[error("the shell has no points; nothing could touch")]
    NoPoints,
    /// A field that answers nothing outside its box.
    #[error(
        "the field's solid reaches the border of its box: the mesh is an open sheet, or the box lacks padding; close the mesh, or build the field with some padding (5 % is usual)"
    )]
    NoBorder,
    /// NaN, infinity, or a quaternion that is no unit one.
    #[error(
        "the pose of the fixed part has a number that is not finite, or a quaternion that is not of length 1"
    )]
    NotAPose,
    /// A mass that is none.
    #[error("the held part's {quantity} is not a positive, finite number; give mass, centre and inertia")]
    Mass {
        /// Of what.
        quantity: &'static str,
    },
    /// A length that is none.
    #[error("an analytic surface needs a positive length that stands for a cell, not {0}")]
    Cell(f64),
}

impl HeldPair {
    /// Two parts, with the mass of the held one: mass and inertia are the metric in which the god object follows the hand.
    pub fn new(
        shell: Arc<PointShell>,
        surface: Surface,
        held: Held,
        mass: MassProperties,
    ) -> Result<Self, PairError> {
        if shell.is_empty() {
            return Err(PairError::NoPoints);
        }
        match &surface {
            Surface::Field(field) if !field.is_certified_outside() => return Err(PairError::NoBorder),
            Surface::Analytic(_, cell) if !(cell.is_finite() && *cell > 0.0) => {
                return Err(PairError::Cell(*cell));
            }
            Surface::Field(_) | Surface::Analytic(..) => {}
        }
        let positive = |value: f64| value.is_finite() && value > 0.0;
        if !positive(mass.mass) {
            return Err(PairError::Mass { quantity: "mass" });
        }
        if !mass.center_of_mass.is_finite() {
            return Err(PairError::Mass { quantity: "centre of mass" });
        }
        if Mat6::inertia(mass.mass, mass.inertia).solve(&crate::math::Wrench::ZERO).is_none() {
            return Err(PairError::Mass { quantity: "inertia" });
        }
        Ok(Self { shell, surface, held, world_from_fixed: Pose::IDENTITY, mass })
    }

    /// Mass properties of the points themselves, a skin of even weight, for parts that enclose no volume: `mass` in kg, spread by area.
    pub fn skin_mass(shell: &PointShell, mass: f64) -> MassProperties {
        let weighted = || shell.points().iter().zip(shell.weights());
        let area: f64 = shell.weights().iter().sum();
        let center = weighted().map(|(&p, &w)| p * w).sum::<DVec3>() / area;
        let mut inertia = DMat3::ZERO;
        for (&p, &w) in weighted() {
            let arm = p - center;
            let identity = DMat3::from_diagonal(DVec3::splat(arm.length_squared()));
            inertia += (identity - crate::math::spatial::outer(arm, arm)) * (mass * w / area);
        }
        MassProperties { mass, center_of_mass: center, inertia, volume: 0.0 }
    }

    /// The same, with the fixed part elsewhere.
    pub fn with_fixed_at(self, world_from_fixed: Pose) -> Result<Self, PairError> {
        let world_from_fixed = world_from_fixed.checked().ok_or(PairError::NotAPose)?;
        Ok(Self { world_from_fixed, ..self })
    }

    /// The points.
    pub fn shell(&self) -> &PointShell {
        &self.shell
    }

    /// What they touch.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// Which of them is in the hand.
    pub fn held(&self) -> Held {
        self.held
    }

    /// Of the held part, in its own frame.
    pub fn mass(&self) -> &MassProperties {
        &self.mass
    }

    /// The mean of the held part's moments of inertia, kg·m²: a typical one.
    pub fn typical_moment(&self) -> f64 {
        let inertia = &self.mass.inertia;
        (inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z) / 3.0
    }

    /// How far its mass is from its centre, in the mean, m: where all of it would have that moment.
    pub fn gyration(&self) -> f64 {
        (self.typical_moment() / self.mass.mass).sqrt()
    }

    /// Centre of mass of the held part, in its own frame.
    pub fn center(&self) -> DVec3 {
        self.mass.center_of_mass
    }

    /// Where the fixed part is.
    pub fn world_from_fixed(&self) -> Pose {
        self.world_from_fixed
    }

    /// The kinetic metric: mass and inertia of the held part, turned into the world.
    pub fn metric(&self, rotation: DQuat) -> Mat6 {
        let turn = DMat3::from_quat(rotation);
        Mat6::inertia(self.mass.mass, turn * self.mass.inertia * turn.transpose())
    }

    /// Where the surface is, with the held part at a pose.
    pub fn world_from_surface(&self, world_from_held: &Pose) -> Pose {
        match self.held {
            Held::Shell => self.world_from_fixed,
            Held::Field => *world_from_held,
        }
    }

    /// Where the points are.
    pub fn world_from_shell(&self, world_from_held: &Pose) -> Pose {
        match self.held {
            Held::Shell => *world_from_held,
            Held::Field => self.world_from_fixed,
        }
    }

    /// Where the points are in the frame of the surface.
    pub fn surface_from_shell(&self, world_from_held: &Pose) -> DAffine3 {
        let (surface, shell) =
            (self.world_from_surface(world_from_held), self.world_from_shell(world_from_held));
        surface.inverse().then_from(&shell).to_affine()
    }

    /// The rigid motion of the held part between two poses, as the surface sees the points move.
    pub fn motion(&self, from: Pose, to: Pose) -> Motion {
        match self.held {
            Held::Shell => {
                let fixed_from_world = self.world_from_fixed.inverse();
                let [from, to] = [from, to].map(|pose| fixed_from_world.then_from(&pose));
                Motion::new(MotionKind::Rigid, from, to)
            }
            Held::Field => Motion::new(MotionKind::Rigid, self.world_from_fixed, self.world_from_fixed)
                .seen_from(from, to),
        }
    }

    /// The least φ of any point, if it is at most `within`: how deep or how near the parts are.
    pub fn least_value(&self, world_from_held: &Pose, within: f64) -> Option<f64> {
        let mut near = Vec::new();
        let at = self.surface_from_shell(world_from_held);
        self.surface.obstacle().points_within(&self.shell, &at, within, &mut near);
        near.iter().map(|point| point.value).min_by(f64::total_cmp)
    }
}
