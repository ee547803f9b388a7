//! How a body moves when nothing touches it.
//!
//! Velocity and angular momentum L first, then the place: symplectic. A free body keeps L, not its angular velocity ω; over a step it turns by exp(dt·ω) with the ω that belongs to L
//! halfway, found by fixed-point steps. That keeps L to rounding, and the energy of a tumbling body without drift.

use glam::{DQuat, DVec3};

use super::Body;
use crate::contact::Placed;
use crate::math::{Pose, Twist, Wrench};

/// Fixed-point steps for the rate halfway: each gains a factor of about ω·dt, and steps turn by less than a radian.
const ROUNDS: usize = 6;

/// Where a body gets in a step with given momenta.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Moved {
    pub(super) pose: Pose,
    /// Of the centre of mass.
    pub(super) velocity: DVec3,
    pub(super) angular_momentum: DVec3,
    /// Mean angular velocity over the step.
    pub(super) rate: DVec3,
    /// Rotation halfway, where the rate belongs to.
    pub(super) halfway: DQuat,
    /// Whether the pose is not where velocities lead, but where a bullet stopped.
    pub(super) has_stopped: bool,
}

impl Moved {
    /// The body at the end, as moving with the mean rate.
    pub(super) fn placed(&self, body: &Body) -> Placed {
        Placed {
            world_from_body: self.pose,
            center: body.center,
            twist: Twist { linear: self.velocity, angular: self.rate },
        }
    }
}

/// Velocity and angular momentum after forces acted for a time.
pub(super) fn pushed(body: &Body, force: Wrench, gravity: DVec3, dt: f64) -> (DVec3, DVec3) {
    let velocity = body.velocity + (gravity + force.force / body.mass) * dt;
    (velocity, body.angular_momentum + force.torque * dt)
}

impl Moved {
    /// The same way with impulses on top. What has stopped stays there.
    pub(super) fn struck(&self, body: &Body, impulse: &Wrench, dt: f64) -> Self {
        if !body.is_dynamic() || *impulse == Wrench::ZERO {
            return *self;
        }
        let velocity = self.velocity + impulse.force / body.mass;
        let next = moved(body, velocity, self.angular_momentum + impulse.torque, dt);
        if self.has_stopped { Self { pose: self.pose, has_stopped: true, ..next } } else { next }
    }
}

/// A step with these momenta, from where the body is.
pub(super) fn moved(body: &Body, velocity: DVec3, angular_momentum: DVec3, dt: f64) -> Moved {
    let start = body.pose.rotation;
    let mut halfway = start;
    let mut rate = body.angular_velocity;
    if body.is_dynamic() {
        rate = body.angular_velocity_of(start, angular_momentum);
        for _ in 0..ROUNDS {
            halfway = turned(start, rate * (0.5 * dt));
            rate = body.angular_velocity_of(halfway, angular_momentum);
        }
    }
    let rotation = turned(start, rate * dt);
    let center = body.center_of_mass() + velocity * dt;
    let position = center - rotation * body.center;
    Moved { pose: Pose { position, rotation }, velocity, angular_momentum, rate, halfway, has_stopped: false }
}

fn turned(rotation: DQuat, by: DVec3) -> DQuat {
    (DQuat::from_scaled_axis(by) * rotation).normalize()
}
