//! From a scene to a world.

use std::sync::Arc;

use super::error::{Place, SceneError, ShapeFailure};
use super::parse::Scene;
use super::shape::ShapeSource;
use crate::dynamics::{Shape, World};
use crate::math::Wrench;

impl Scene {
    /// Makes all shapes and puts the bodies in their places.
    pub fn world(&self) -> Result<World, SceneError> {
        self.world_with(ShapeSource::build)
    }

    /// The same with shapes from elsewhere, such as a cache: `build` is called once for each shape ([`Scene::shapes`]).
    pub fn world_with(
        &self,
        mut build: impl FnMut(&ShapeSource) -> Result<Shape, ShapeFailure>,
    ) -> Result<World, SceneError> {
        let mut shapes = Vec::with_capacity(self.shapes.len());
        for shape in &self.shapes {
            let made = build(&shape.source).map_err(|source| SceneError::Shape {
                place: shape.place.clone(),
                shape: shape.name.clone(),
                source,
            })?;
            shapes.push(Arc::new(made));
        }
        let mut world = World::new(self.options);
        for &(kind, other, law) in &self.laws {
            // Looked at when it was read.
            let nowhere = || Place { file: "the scene".to_owned(), line: 1, column: 1 };
            let place = || self.bodies.first().map_or_else(nowhere, |body| body.place.clone());
            let what = || "a law".to_owned();
            world.set_law(kind, other, law).map_err(|source| SceneError::Law {
                place: place(),
                what: what(),
                source,
            })?;
        }
        for surface in &self.surfaces {
            world.add_surface(&surface.name, surface.shape.touchable(), surface.material).map_err(
                |error| SceneError::Law {
                    place: surface.place.clone(),
                    what: error.surface,
                    source: error.source,
                },
            )?;
        }
        for body in &self.bodies {
            let added = world.add_body(shapes[body.shape].clone(), body.options.clone());
            let wrong = |source| SceneError::Body { place: body.place.clone(), source };
            let id = added.map_err(wrong)?;
            if body.force != Wrench::ZERO {
                world.set_force(id, body.force).map_err(wrong)?;
            }
        }
        Ok(world)
    }
}
