//! Boxes and the vector types everything else is written in.

mod aabb;

pub use aabb::Aabb;
pub use glam::{DMat3, DVec3, IVec3, UVec3};
