//! A world that steps beside another, as that of cloth: what bodies are to it, and what it does to them between steps.

use glam::{DMat3, DVec3};

use super::body::Body;
use super::world::World;
use crate::math::{Pose, Wrench};

impl Body {
    /// Of a dynamic body: the centre of mass in its frame, and the inertia about it in the axes of the world.
    pub(crate) fn center_and_inertia(&self) -> Option<(DVec3, DMat3)> {
        self.is_dynamic().then(|| (self.center, self.inertia_in_world(self.pose.rotation)))
    }
}

impl World {
    /// A dynamic body gives way: it is moved, and gets an impulse about its centre of mass there. Unlike after [`World::set_pose`] it was not put somewhere: it presses on what it is moved into.
    pub(crate) fn give_way(&mut self, body: usize, pose: Pose, impulse: Wrench) {
        let body = &mut self.bodies[body];
        if body.pose != pose
            && let Some(last) = &mut self.energy.last
        {
            // It may have been pressed into something: what those springs give back is not made by contact, however much.
            last[2] = f64::INFINITY;
        }
        body.pose = pose;
        body.velocity += impulse.force / body.mass;
        body.angular_momentum += impulse.torque;
    }

    /// Tells the time and the steps since the start: of steps that were parts of one, those after that one.
    pub(crate) fn count_as_one(&mut self, (time, steps_taken): (f64, u64)) {
        (self.time, self.steps_taken) = (time, steps_taken);
    }
}
