//! Other software, called the way its documentation says.

pub(crate) mod mesh_to_sdf;
