//! Triangle meshes.

pub mod io;
mod tri_mesh;

pub use tri_mesh::{InvalidMesh, TriMesh};
