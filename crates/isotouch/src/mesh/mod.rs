//! Triangle meshes.

mod mass;
mod report;
pub mod shapes;
mod tri_mesh;

pub use mass::{MassError, MassProperties, mass_properties};
pub use report::{MeshReport, report};
pub use tri_mesh::{InvalidMesh, TriMesh};
