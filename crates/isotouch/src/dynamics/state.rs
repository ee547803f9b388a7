//! All that changes in a world, to be kept and put back.

use glam::DVec3;

use super::energy::EnergyWatch;
use super::overlap::Overlap;
use super::pairs::Party;
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
    /// Pairs that overlap since they were put somewhere.
    pub overlaps: Vec<OverlapState>,
    /// Numbers of bodies that were put somewhere since the last step.
    pub unmeasured: Vec<usize>,
    /// What energy there was and came.
    pub energy: EnergyWatch,
}

/// All that changes of two that stand in each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OverlapState {
    /// Number of a body.
    pub body: usize,
    /// Of another, or of a surface.
    pub other: usize,
    /// Whether the other is a surface.
    pub is_surface: bool,
    /// As deep counts as not touching, m.
    pub allowance: f64,
    /// How deep they are, m.
    pub depth: f64,
    /// The way that the body goes out, without contact, if it is deep.
    pub way_out: Option<DVec3>,
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
        let overlap = |(&(body, party), of): (&(usize, Party), &Overlap)| {
            let (other, is_surface) = match party {
                Party::Body(j) => (j, false),
                Party::Surface(k) => (k, true),
            };
            let Overlap { allowance, depth, way_out } = *of;
            OverlapState { body, other, is_surface, allowance, depth, way_out }
        };
        WorldState {
            time: self.time,
            steps: self.steps_taken,
            unmeasured: self.unmeasured.iter().copied().collect(),
            energy: self.energy,
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
        if state.bodies.len() != self.bodies.len() {
            return Err(StateError { given: state.bodies.len(), bodies: self.bodies.len() });
        }
        self.time = state.time;
        self.steps_taken = state.steps;
        self.unmeasured = state.unmeasured.iter().copied().filter(|k| *k < self.bodies.len()).collect();
        self.energy = state.energy;
        let party = |k: usize, is_surface: bool| if is_surface { Party::Surface(k) } else { Party::Body(k) };
        self.overlaps = state
            .overlaps
            .iter()
            .filter(|of| {
                let others = if of.is_surface { self.surfaces.len() } else { self.bodies.len() };
                of.body < self.bodies.len() && of.other < others
            })
            .map(|&OverlapState { body, other, is_surface, allowance, depth, way_out }| {
                ((body, party(other, is_surface)), Overlap { allowance, depth, way_out })
            })
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
