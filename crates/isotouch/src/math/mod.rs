//! Boxes, the vector types everything else is written in, and the cubic of a cell along a segment.

mod aabb;
pub mod cubic;
pub(crate) mod random;

pub use aabb::Aabb;
pub use glam::{DMat3, DVec3, IVec3, UVec3};
