//! Rigid bodies against what textbooks say of them.
#![allow(clippy::unwrap_used)]

mod bad_input;
mod bullets;
mod collisions;
mod contact_forces;
mod determinism;
mod free_motion;
mod friction;
mod heaps;
mod impacts;
mod overlaps;
mod resting;
mod threads;

use std::sync::Arc;

use isotouch::ccd::Plane;
use isotouch::contact::Material;
use isotouch::dynamics::{BodyOptions, Shape, ShapeOptions, World, WorldOptions};
use isotouch::math::{DVec3, Pose};
use isotouch::mesh::{TriMesh, shapes};

/// g, m/s².
const G: f64 = 9.81;

fn shape(mesh: &TriMesh, resolution: u32, points: usize) -> Arc<Shape> {
    Arc::new(Shape::from_mesh(mesh, &ShapeOptions { resolution, points }).unwrap())
}

fn ball(radius: f64) -> Arc<Shape> {
    shape(&shapes::sphere(radius, 1280).unwrap(), 32, 400)
}

fn block(size: DVec3, points: usize) -> Arc<Shape> {
    shape(&shapes::cuboid(size).unwrap(), 32, points)
}

fn at(position: DVec3) -> BodyOptions {
    BodyOptions { pose: Pose::at(position), ..Default::default() }
}

fn on_ground(options: WorldOptions, ground: Material) -> World {
    let mut world = World::new(options);
    world.add_surface("ground", Box::new(Plane::GROUND), ground).unwrap();
    world
}
