//! How a body moves when nothing touches it.
//!
//! Velocity and angular momentum L first, then the place: symplectic. A free body keeps L, not its angular velocity; how it turns is in [`turning`](super::turning).

use glam::{DQuat, DVec3};

use super::Body;
use super::bullet::Carried;
use crate::contact::Placed;
use crate::math::{Pose, Twist, Wrench};

/// Where a body gets in a step with given momenta.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Moved {
    pub(super) pose: Pose,
    /// Of the centre of mass.
    pub(super) velocity: DVec3,
    pub(super) angular_momentum: DVec3,
    /// Angular velocity halfway.
    pub(super) rate: DVec3,
    /// Rotation halfway.
    pub(super) halfway: DQuat,
    /// Of a bullet that stopped: its pose is not where velocities lead, but where this is.
    pub(super) carried: Option<Carried>,
}

impl Moved {
    /// The body at the end, as turning like halfway.
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
        if self.carried.is_some() { Self { pose: self.pose, carried: self.carried, ..next } } else { next }
    }
}

/// A step with these momenta, from where the body is.
pub(super) fn moved(body: &Body, velocity: DVec3, angular_momentum: DVec3, dt: f64) -> Moved {
    let start = body.pose.rotation;
    let (mut rate, mut halfway) = (body.angular_velocity, start);
    let rotation = if body.is_dynamic() {
        let energy = 0.5 * angular_momentum.dot(body.angular_velocity_of(start, angular_momentum));
        let end;
        (halfway, end) = body.turning.turned(start, angular_momentum, (energy, dt));
        rate = body.angular_velocity_of(halfway, angular_momentum);
        end
    } else {
        (DQuat::from_scaled_axis(rate * dt) * start).normalize()
    };
    let center = body.center_of_mass() + velocity * dt;
    let position = center - rotation * body.center;
    Moved { pose: Pose { position, rotation }, velocity, angular_momentum, rate, halfway, carried: None }
}
