//! Triangle meshes.

pub mod shapes;
mod tri_mesh;

pub use tri_mesh::{InvalidMesh, TriMesh};
