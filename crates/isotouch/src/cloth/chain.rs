//! Obstacles that hang together: a robot arm, a leg, a rod that bends. One obstacle for each link, led by the angles of the joints.

use glam::{DQuat, DVec3};

use super::{ClothWorld, ObstacleId};
use crate::math::Pose;

/// What turns a link against the one before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Joint {
    /// What it moves. The origin of that obstacle's frame is in the joint.
    pub link: ObstacleId,
    /// Where the link is in the frame of the one before, of the first in that of the base, at an angle of 0.
    pub parent_from_link: Pose,
    /// What it turns about, in the link's frame, through its origin.
    pub axis: DVec3,
}

/// Links in a row, each turned about its joint with the one before.
///
/// ```
/// use isotouch::ccd::Ball;
/// use isotouch::cloth::{Chain, ClothWorld, Joint, ObstacleOptions};
/// use isotouch::math::{DVec3, Pose};
/// use std::f64::consts::FRAC_PI_2;
/// use std::sync::Arc;
///
/// let mut world = ClothWorld::default();
/// // A ball 0.3 m from its joint, for an upper arm and a forearm.
/// let ball = Arc::new(Ball { center: DVec3::X * 0.3, radius: 0.05 });
/// let upper = world.add_surface(ball.clone(), ObstacleOptions::default())?;
/// let fore = world.add_surface(ball, ObstacleOptions::default())?;
/// let joint = |link, at| Joint { link, parent_from_link: Pose::at(at), axis: DVec3::Z };
/// let arm = Chain::new(Pose::IDENTITY, vec![joint(upper, DVec3::ZERO), joint(fore, DVec3::X * 0.3)])?;
/// arm.put(&mut world, &[0.0, 0.0])?;
/// // Up by a right angle, and on by another one, in a step.
/// arm.lead(&mut world, &[FRAC_PI_2, FRAC_PI_2])?;
/// world.step(0.01)?;
/// let hand = world.obstacle(fore).pose().place(DVec3::X * 0.3);
/// assert!((hand - DVec3::new(-0.3, 0.3, 0.0)).length() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    world_from_base: Pose,
    joints: Vec<Joint>,
}

/// Why a chain is none, or cannot be moved so.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ChainError {
    /// An axis without direction.
    #[error("the axis of joint {joint} (counted from 0) is {axis}, but must be a direction, as [0, 0, 1]")]
    BadAxis {
        /// Which.
        joint: usize,
        /// As it was given.
        axis: DVec3,
    },
    /// More or fewer angles than joints.
    #[error("{given} angles were given to a chain of {joints} joints")]
    Angles {
        /// How many angles.
        given: usize,
        /// How many joints.
        joints: usize,
    },
    /// An angle that is no number.
    #[error("the angle of joint {joint} (counted from 0) is {angle}, but must be finite")]
    BadAngle {
        /// Which.
        joint: usize,
        /// As it was given, rad.
        angle: f64,
    },
}

impl Chain {
    /// From the base on. Its links stay where they are until they are led.
    pub fn new(world_from_base: Pose, mut joints: Vec<Joint>) -> Result<Self, ChainError> {
        for (k, joint) in joints.iter_mut().enumerate() {
            let axis = joint.axis;
            joint.axis = axis.try_normalize().ok_or(ChainError::BadAxis { joint: k, axis })?;
        }
        Ok(Self { world_from_base, joints })
    }

    /// Where its links are at these angles, rad: one for each joint.
    pub fn poses(&self, angles: &[f64]) -> Result<Vec<Pose>, ChainError> {
        if angles.len() != self.joints.len() {
            return Err(ChainError::Angles { given: angles.len(), joints: self.joints.len() });
        }
        if let Some(joint) = angles.iter().position(|angle| !angle.is_finite()) {
            return Err(ChainError::BadAngle { joint, angle: angles[joint] });
        }
        let mut at = self.world_from_base;
        let all = self.joints.iter().zip(angles).map(|(joint, &angle)| {
            let turn = Pose { position: DVec3::ZERO, rotation: DQuat::from_axis_angle(joint.axis, angle) };
            at = at.then_from(&joint.parent_from_link).then_from(&turn);
            at
        });
        Ok(all.collect())
    }

    /// Leads its links: they are there at the end of the next step. Within it each goes straight on and turns evenly, so that joints open by up to ℓ·Δθ²/8 on the way, ℓ the length of a link and Δθ the
    /// turn of a step: a hundredth of a millimetre of 0.3 m at 2 rad/s and 10 ms.
    pub fn lead(&self, world: &mut ClothWorld, angles: &[f64]) -> Result<(), ChainError> {
        for (joint, pose) in self.joints.iter().zip(self.poses(angles)?) {
            world.move_obstacle(joint.link, pose);
        }
        Ok(())
    }

    /// Puts its links there at once. Cloth that is inside one then is pushed out gently.
    pub fn put(&self, world: &mut ClothWorld, angles: &[f64]) -> Result<(), ChainError> {
        for (joint, pose) in self.joints.iter().zip(self.poses(angles)?) {
            world.put_obstacle(joint.link, pose);
        }
        Ok(())
    }
}
