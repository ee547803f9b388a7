//! All that changes in a world of cloth, to be kept and put back.

use glam::DVec3;

use super::sheets::are_several;
use super::{Cloth, ClothWorld};
use crate::math::Pose;

/// All that changes of a cloth.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClothState {
    /// Of particles, m.
    pub places: Vec<DVec3>,
    /// m/s.
    pub velocities: Vec<DVec3>,
    /// How far each particle is from the nearest surface, at least, m; none where that is to be looked at.
    pub clearances: Vec<f64>,
    /// The same of the middle of each edge.
    pub edge_clearances: Vec<f64>,
    /// Where particles were when pairs near each other were last looked for; none where they were not.
    pub seen_at: Vec<DVec3>,
    /// Whether a part of it is let out of something, or all of it was and is stretched from that still.
    pub is_let_out: bool,
}

/// All that changes of a world of cloth. Steps from it are those that would have followed, to the last bit, if pins and obstacles are led as they would have been.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClothWorldState {
    /// Seconds since the start.
    pub time: f64,
    /// In the order in which cloths were added.
    pub cloths: Vec<ClothState>,
    /// Of obstacles, in the order in which they were added.
    pub poses: Vec<Pose>,
}

/// A state that is not of this world.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the state is of a world with {given} {what}, but this one has {here}")]
pub struct ClothStateError {
    /// What there are more or fewer of.
    pub what: &'static str,
    /// Of the state.
    pub given: usize,
    /// Of the world.
    pub here: usize,
}

impl ClothWorld {
    /// All that changes.
    pub fn state(&self) -> ClothWorldState {
        let poses = self.obstacles().iter().map(|of| of.pose).collect();
        ClothWorldState { time: self.time(), cloths: self.states_of_cloths(), poses }
    }

    /// All that changes of the cloths.
    pub(super) fn states_of_cloths(&self) -> Vec<ClothState> {
        let mut states: Vec<ClothState> = self.cloths.iter().map(Cloth::state).collect();
        if are_several(&self.cloths) {
            for (state, seen_at) in states.iter_mut().zip(self.sheets.seen_at(&self.cloths)) {
                state.seen_at = seen_at;
            }
        }
        states
    }

    /// Puts back what [`ClothWorld::states_of_cloths`] gave. Pins stay led where they are.
    pub(super) fn put_cloths_back(&mut self, states: &[ClothState]) {
        for (cloth, of) in self.cloths.iter_mut().zip(states) {
            cloth.put_back(of);
        }
        let seen_at: Vec<DVec3> = states.iter().flat_map(|of| of.seen_at.iter().copied()).collect();
        self.sheets.recall(&seen_at, &self.cloths);
    }

    /// Puts back what [`ClothWorld::state`] gave, in a world of the same cloths and obstacles.
    pub fn restore(&mut self, state: &ClothWorldState) -> Result<(), ClothStateError> {
        let same = |what: &'static str, given: usize, here: usize| {
            if given == here { Ok(()) } else { Err(ClothStateError { what, given, here }) }
        };
        same("cloths", state.cloths.len(), self.cloths.len())?;
        same("obstacles", state.poses.len(), self.obstacles.len())?;
        for (cloth, of) in self.cloths.iter().zip(&state.cloths) {
            let (particles, edges) = (cloth.places.len(), cloth.edges.len());
            same("particles", of.places.len(), particles)?;
            same("velocities", of.velocities.len(), particles)?;
            if !of.clearances.is_empty() {
                same("distances of particles", of.clearances.len(), particles)?;
                same("distances of edges", of.edge_clearances.len(), edges)?;
            }
            if !of.seen_at.is_empty() {
                same("places of pairs", of.seen_at.len(), particles)?;
            }
        }
        self.time = state.time;
        for (obstacle, &pose) in self.obstacles.iter_mut().zip(&state.poses) {
            obstacle.pose = pose;
            obstacle.target = pose;
        }
        self.put_cloths_back(&state.cloths);
        for (cloth, of) in self.cloths.iter_mut().zip(&state.cloths) {
            // A step ends with its pins where they were led.
            for pin in &mut cloth.pins {
                pin.to = of.places[pin.particle as usize];
            }
        }
        Ok(())
    }
}

impl Cloth {
    fn state(&self) -> ClothState {
        let (clearances, edge_clearances) = self.contacts.known();
        ClothState {
            places: self.places.clone(),
            velocities: self.velocities.clone(),
            clearances: clearances.to_vec(),
            edge_clearances: edge_clearances.to_vec(),
            seen_at: self.neighbours.seen_at().to_vec(),
            is_let_out: self.is_let_out,
        }
    }

    fn put_back(&mut self, of: &ClothState) {
        self.places.copy_from_slice(&of.places);
        self.velocities.copy_from_slice(&of.velocities);
        self.is_let_out = of.is_let_out;
        self.contacts.recall(&of.clearances, &of.edge_clearances);
        if let Some(thickness) = self.thickness {
            self.neighbours.recall(&of.seen_at, (thickness, None));
        }
    }
}
