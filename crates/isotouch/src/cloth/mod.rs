//! Cloth, ribbons and hair: particles that fall on any number of moving fields.
//!
//! ```
//! use isotouch::ccd::Ball;
//! use isotouch::cloth::{Cloth, ClothOptions, ClothWorld, ClothWorldOptions, ObstacleOptions, garments};
//! use isotouch::math::DVec3;
//! use std::sync::Arc;
//!
//! let mut world = ClothWorld::new(ClothWorldOptions::default());
//! world.add_surface(Arc::new(Ball { center: DVec3::new(0.0, -0.3, 0.0), radius: 0.25 }), ObstacleOptions::default())?;
//! let cloth = Cloth::from_mesh(&garments::tablecloth(0.8, 24)?, &ClothOptions::default())?;
//! let cloth = world.add_cloth(cloth);
//! for _ in 0..50 {
//!     world.step(0.01)?;
//!     assert!(world.penetration() < 0.0, "no particle and no middle of an edge is ever inside");
//! }
//! let places = world.cloth(cloth).places();
//! assert!(places[0].y < -0.2 && places[12 * 25 + 12].y > -0.06, "corners hang, the middle rests on the ball");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A substep
//!
//! ```text
//! gravity, wind ─► places ─► bending, strain (XPBD, one round) ─► cloth off itself ─► cloth off obstacles ─► velocities
//! ```
//!
//! Constraints are solved with their compliance (XPBD, Macklin, Müller and Chentanez 2016) in many small steps of one round each (Macklin et al. 2019). Contact is that of
//! Fuhrmann, Sobottka and Groß 2003, made continuous.
//!
//! # What is promised
//!
//! With [`CollisionMethod::Continuous`], where obstacles leave room, no free particle and no middle of an edge that starts outside is below a surface at the end of a step, however fast it
//! is and however thin the obstacle. Between an end and the middle an edge may cut a corner that is sharper than ε allows; with ε as it is chosen by default it
//! does not, as far as ε is reached and the edge is no longer than at rest. The same input gives the same motion, to the last bit, on any number of threads.

mod chain;
mod collide;
mod colours;
mod constraints;
mod edges_off;
mod error;
mod free_bodies;
pub mod garments;
mod keep_off;
mod obstacles;
mod options;
mod particles;
mod passed;
pub mod scenes;
mod self_collision;
mod sheets;
mod state;
mod substep;
mod take_back;
mod topology;
mod wind;
mod world;

pub use chain::{Chain, ChainError, Joint};
pub use error::{ClothError, ClothStepError, ObstacleError};
pub(crate) use free_bodies::FreeBody;
pub use obstacles::{Obstacle, ObstacleId, ObstacleOptions};
pub use options::{
    ClothOptions, ClothWorldOptions, CollisionMethod, EdgeTest, Fabric, FrictionModel, StrandOptions,
};
pub(crate) use particles::no_more_than_its_size;
pub use particles::{Cloth, Handle};
pub use state::{ClothState, ClothStateError, ClothWorldState};
pub(crate) use substep::Way;
pub use world::{ClothId, ClothReport, ClothWorld};
