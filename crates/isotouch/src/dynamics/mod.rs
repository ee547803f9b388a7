//! Rigid bodies that carry a field and a shell: they fall, collide, stack, slide and thread.
//!
//! ```
//! use isotouch::ccd::Plane;
//! use isotouch::contact::Material;
//! use isotouch::dynamics::{BodyOptions, Shape, ShapeOptions, World, WorldOptions};
//! use isotouch::math::{DVec3, Pose};
//! use isotouch::mesh::shapes;
//! use std::sync::Arc;
//!
//! let ball = shapes::sphere(0.1, 1280).unwrap();
//! let shape = Arc::new(Shape::from_mesh(&ball, &ShapeOptions { resolution: 32, points: 500, ..Default::default() })?);
//!
//! let mut world = World::new(WorldOptions::default());
//! world.add_surface("ground", Box::new(Plane::GROUND), Material::default())?;
//! let ball = world.add_body(shape, BodyOptions { pose: Pose::at(DVec3::Y * 0.5), ..Default::default() })?;
//! for _ in 0..120 {
//!     world.step(1.0 / 120.0)?;
//! }
//! assert!((world.body(ball).pose().position.y - 0.1).abs() < 0.002, "it lies on the ground");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A step
//!
//! ```text
//! free motion (gravity, forces, turning) ─► pairs whose boxes meet ─► contacts along that motion ─► impulses ─► velocities ─► poses
//!                                                                                                       bullets stop at first contact
//! ```
//!
//! | integrator | contact | use |
//! |---|---|---|
//! | [`Integrator::Implicit`] | springs as they will be at the end of the step, all bodies at once | stiff contact, stacks, large steps: the default |
//! | [`Integrator::Symplectic`] | impulses over this step's free motion | small steps; keeps energy where contact is undamped |
//! | [`Integrator::Papers`] | mean force over the last step | the experiments of Xu and Barbič 2014 and 2016 |
//!
//! # What is kept
//!
//! Linear and angular momentum, to rounding, in contacts between bodies that are free to move: see [`contact`](crate::contact). Not with [`Integrator::Papers`], which applies forces a step later; nor where
//! bodies that overlapped are let apart, which keep linear momentum only. Bullets that are carried along keep both with [`Integrator::Implicit`]. Energy: contact takes it. Explicit integrators make some when steps are too long; a run in
//! which contacts made more than there ever was ends with [`StepError::Diverged`]. The same input gives the same motion, to the last bit, on any number of threads: pairs are looked at in parallel,
//! but added up in their order.

mod beside;
mod body;
mod broad_phase;
mod bullet;
mod check;
mod delay;
mod energy;
mod explicit;
mod free;
mod implicit;
mod overlap;
mod pairs;
mod parts;
mod report;
mod shape;
mod state;
mod turning;
mod world;

pub use body::{Body, BodyError, BodyId, BodyKind, BodyOptions, Mass};
pub use energy::{EnergyWatch, StableStep};
pub use overlap::Overlapping;
pub use report::{StepError, StepReport};
pub use shape::{Shape, ShapeBuildError, ShapeOptions};
pub use state::{BodyState, OverlapState, StateError, WorldState};
pub use world::{ContactModel, Integrator, SurfaceError, SurfaceId, World, WorldOptions};
