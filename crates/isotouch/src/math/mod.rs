//! Boxes, poses and motions, twists and wrenches, the vector types everything else is written in, and the cubic of a cell along a segment.

mod aabb;
pub(crate) mod block_cholesky;
pub mod cubic;
pub mod motion;
mod pose;
mod principal;
pub(crate) mod random;
pub mod spatial;

pub use aabb::Aabb;
pub use glam::{DAffine3, DMat3, DQuat, DVec3, EulerRot, IVec3, UVec3};
pub use motion::{Motion, MotionKind};
pub use pose::{Pose, PoseError};
pub use principal::principal_axes;
pub use spatial::{Mat6, Twist, Wrench};
