//! Other software, called the way its documentation says.

pub(crate) mod embree;
pub(crate) mod fcl;
pub(crate) mod mesh_to_sdf;
pub(crate) mod mujoco;
pub(crate) mod parry;
pub(crate) mod pypbd;
mod python;
