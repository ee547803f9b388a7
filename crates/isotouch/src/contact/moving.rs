//! Where a body is during a step.

use glam::{DQuat, DVec3};

use super::Handles;
use crate::math::{Pose, Twist};

/// A body at a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placed {
    /// Where its frame is.
    pub world_from_body: Pose,
    /// Centre of mass, in the body's frame.
    pub center: DVec3,
    /// Of the centre of mass, and how it turns; in the world.
    pub twist: Twist,
}

impl Placed {
    /// Standing still, with its centre of mass at the origin of its frame.
    pub fn at_rest(world_from_body: Pose) -> Self {
        Self { world_from_body, center: DVec3::ZERO, twist: Twist::ZERO }
    }

    /// The centre of mass in the world.
    pub fn center_in_world(&self) -> DVec3 {
        self.world_from_body.place(self.center)
    }

    /// The velocity of a place in the world that moves with the body.
    pub fn velocity_of(&self, place: DVec3) -> DVec3 {
        self.twist.at(place - self.center_in_world())
    }
}

/// A body over a step: at its beginning and its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyStep {
    /// At t = 0.
    pub from: Placed,
    /// At t = 1.
    pub to: Placed,
    /// How long the step is, in seconds.
    pub duration: f64,
}

impl BodyStep {
    /// What does not move.
    pub fn still(at: Placed, duration: f64) -> Self {
        Self { from: at, to: at, duration }
    }

    /// The body in between. [`Handles::Interpolated`]: the centre on a straight line, rotation and velocities in proportion. [`Handles::Substep`]: a symplectic
    /// Euler step of length t from the beginning, with the acceleration that leads to the velocity at the end (2014, section 4).
    pub fn at(&self, t: f64, handles: Handles) -> Placed {
        let twist = self.from.twist.lerp(&self.to.twist, t);
        let (a, b) = (&self.from, &self.to);
        let (center, rotation) = match handles {
            Handles::Interpolated => (
                a.center_in_world().lerp(b.center_in_world(), t),
                a.world_from_body.rotation.lerp(b.world_from_body.rotation, t),
            ),
            Handles::Substep => {
                let seconds = t * self.duration;
                let turn = DQuat::from_scaled_axis(twist.angular * seconds);
                (
                    a.center_in_world() + twist.linear * seconds,
                    (turn * a.world_from_body.rotation).normalize(),
                )
            }
        };
        let position = center - rotation * a.center;
        Placed { world_from_body: Pose { position, rotation }, center: a.center, twist }
    }
}
