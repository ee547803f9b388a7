//! All that changes in a world, to be kept and put back.

use glam::DVec3;

use super::world::World;
use crate::math::{Pose, Wrench};

/// All that changes of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyState {
    /// `world_from_body`.
    pub pose: Pose,
    /// Of the centre of mass, m/s.
    pub velocity: DVec3,
    /// About the centre of mass, in the world, kg·m²/s; of dynamic bodies.
    pub angular_momentum: DVec3,
    /// rad/s, of bodies that forces do not move.
    pub angular_velocity: DVec3,
    /// N and N·m: what users push with.
    pub user_force: Wrench,
    /// N and N·m: mean contact force over the last step.
    pub contact_force: Wrench,
}

/// All that changes of a world. Steps from it are those that would have followed, to the last bit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WorldState {
    /// Seconds since the start.
    pub time: f64,
    /// Steps since the start.
    pub steps: u64,
    /// In the order in which bodies were added.
    pub bodies: Vec<BodyState>,
    /// How deep pairs were in each other at the start: the number of a body; of another one, or of a surface if the flag is set; and the depth, m.
    pub overlaps: Vec<(usize, usize, bool, f64)>,
    /// Whether overlaps were looked for.
    pub has_started: bool,
}

/// A state that is not of this world.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the state is of a world with {given} bodies, but this one has {bodies}")]
pub struct StateError {
    /// Bodies of the state.
    pub given: usize,
    /// Bodies of the world.
    pub bodies: usize,
}

impl World {
    /// All that changes.
    pub fn state(&self) -> WorldState {
        use super::pairs::Party;
        let overlap = |(&(i, party), &depth): (&(usize, Party), &f64)| match party {
            Party::Body(j) => (i, j, false, depth),
            Party::Surface(k) => (i, k, true, depth),
        };
        WorldState {
            time: self.time,
            steps: self.steps_taken,
            has_started: self.has_started,
            overlaps: self.overlaps.iter().map(overlap).collect(),
            bodies: self
                .bodies
                .iter()
                .map(|body| BodyState {
                    pose: body.pose,
                    velocity: body.velocity,
                    angular_momentum: body.angular_momentum,
                    angular_velocity: body.angular_velocity,
                    user_force: body.user_force,
                    contact_force: body.contact_force,
                })
                .collect(),
        }
    }

    /// Puts back what [`World::state`] gave, in a world of the same bodies.
    pub fn restore(&mut self, state: &WorldState) -> Result<(), StateError> {
        use super::pairs::Party;
        if state.bodies.len() != self.bodies.len() {
            return Err(StateError { given: state.bodies.len(), bodies: self.bodies.len() });
        }
        self.time = state.time;
        self.steps_taken = state.steps;
        self.has_started = state.has_started;
        let party = |k: usize, is_surface: bool| if is_surface { Party::Surface(k) } else { Party::Body(k) };
        self.overlaps = state
            .overlaps
            .iter()
            .map(|&(i, k, is_surface, depth)| ((i, party(k, is_surface)), depth))
            .collect();
        for (body, of) in self.bodies.iter_mut().zip(&state.bodies) {
            body.pose = of.pose;
            body.velocity = of.velocity;
            body.angular_momentum = of.angular_momentum;
            body.angular_velocity = of.angular_velocity;
            body.user_force = of.user_force;
            body.contact_force = of.contact_force;
        }
        Ok(())
    }
}
