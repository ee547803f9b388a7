//! Bodies and cloth together.

use std::sync::Arc;

use super::cloth::SceneHandle;
use super::error::SceneError;
use super::parse::Scene;
use crate::cloth::{ClothId, ClothReport, ClothStepError, ClothWorld, Handle, ObstacleId, ObstacleOptions};
use crate::dynamics::{StepError, StepReport, World};
use crate::math::{Pose, Wrench};

/// A world of bodies and a world of cloth that touch each other: bodies with fields are obstacles to cloth, and feel what it presses with.
///
/// A step moves bodies first, with what cloth did to them in the step before; then cloth, while bodies go from where they were to where they are. So contact with moving bodies is
/// found along the whole way, and the force on bodies is late by a step.
pub struct Stage {
    /// The bodies.
    pub bodies: World,
    /// The cloth.
    pub cloth: ClothWorld,
    /// Which obstacle a body is.
    obstacles: Vec<Option<ObstacleId>>,
    /// What pushes bodies beside cloth.
    forces: Vec<Wrench>,
    /// Hands that lead cloth. What they do depends on the time alone, so that a stage that is put back goes on as it would have.
    hands: Vec<(ClothId, Handle, SceneHandle)>,
}

/// Why a step of both was not taken.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StageError {
    /// Of bodies.
    #[error(transparent)]
    Bodies(#[from] StepError),
    /// Of cloth.
    #[error(transparent)]
    Cloth(#[from] ClothStepError),
}

impl Stage {
    /// A step of `dt` seconds. On an error nothing has changed, of bodies nor of cloth.
    pub fn step(&mut self, dt: f64) -> Result<(StepReport, ClothReport), StageError> {
        // Bodies have moved when cloth finds that it cannot.
        let before = self.bodies.state();
        let of_bodies = self.bodies.step(dt)?;
        for (body, id) in self.bodies.bodies().iter().zip(&self.obstacles) {
            if let Some(id) = id {
                self.cloth.move_obstacle(*id, body.pose());
            }
        }
        let end = self.cloth.time() + dt;
        for (id, handle, script) in &self.hands {
            // Its particles are pinned as long as it is there.
            let _ = handle.lead(self.cloth.cloth_mut(*id), Pose::at(script.way(end)));
        }
        let of_cloth = match self.cloth.step(dt) {
            Ok(report) => report,
            Err(error) => {
                // The same bodies as a moment ago.
                let _ = self.bodies.restore(&before);
                return Err(error.into());
            }
        };
        let reactions: Vec<Wrench> = self
            .bodies
            .bodies()
            .iter()
            .zip(&self.obstacles)
            .map(|(body, id)| {
                let Some(id) = id else { return Wrench::ZERO };
                let obstacle = self.cloth.obstacle(*id);
                let impulse = obstacle.impulse();
                // About the centre of mass instead of the origin of the body's frame.
                let arm = obstacle.pose().position - body.center_of_mass();
                let torque = impulse.torque + arm.cross(impulse.force);
                Wrench { force: impulse.force, torque } * (1.0 / dt)
            })
            .collect();
        for (k, reaction) in reactions.into_iter().enumerate() {
            if let Some(id) = self.bodies.body_at(k) {
                // Of particles at finite speeds, or cloth had diverged.
                let _ = self.bodies.set_force(id, self.forces[k] + reaction);
            }
        }
        Ok((of_bodies, of_cloth))
    }
}

impl Scene {
    /// Bodies and cloth of the scene, with bodies as they are in `bodies`, which is made of it ([`Scene::world`], [`Scene::world_with`]).
    pub fn stage(&self, bodies: World) -> Result<Stage, SceneError> {
        let mut cloth = ClothWorld::new(self.cloth_options);
        let mut obstacles = Vec::with_capacity(self.bodies.len());
        for (body, of) in bodies.bodies().iter().zip(&self.bodies) {
            let Some(field) = body.shape().shared_field() else {
                obstacles.push(None);
                continue;
            };
            let options = ObstacleOptions {
                name: body.name().to_owned(),
                pose: body.pose(),
                friction: body.material().kinetic_friction,
                bounce: 0.0,
            };
            let id = cloth.add_field(field, options).map_err(|error| SceneError::Cloth {
                place: of.place.clone(),
                cloth: body.name().to_owned(),
                source: error.into(),
            })?;
            obstacles.push(Some(id));
        }
        for surface in &self.surfaces {
            let options = ObstacleOptions {
                name: surface.name.clone(),
                friction: surface.material.kinetic_friction,
                ..Default::default()
            };
            cloth.add_surface(Arc::from(surface.shape.touchable()), options).map_err(|error| {
                SceneError::Cloth {
                    place: surface.place.clone(),
                    cloth: surface.name.clone(),
                    source: error.into(),
                }
            })?;
        }
        let mut hands = Vec::new();
        for of in &self.cloth {
            let wrong = |source| SceneError::Cloth {
                place: of.place.clone(),
                cloth: of.options.name.clone(),
                source,
            };
            let mut made = of.make().map_err(wrong)?;
            let grip = |script: &SceneHandle| Handle::grip(&mut made, &script.particles, Pose::IDENTITY);
            let handles: Vec<Handle> =
                of.handles.iter().map(grip).collect::<Result<_, _>>().map_err(|error| wrong(error.into()))?;
            let id = cloth.add_cloth(made);
            hands.extend(
                handles.into_iter().zip(&of.handles).map(|(handle, script)| (id, handle, script.clone())),
            );
        }
        let forces = self.bodies.iter().map(|body| body.force).collect();
        Ok(Stage { bodies, cloth, obstacles, forces, hands })
    }
}
