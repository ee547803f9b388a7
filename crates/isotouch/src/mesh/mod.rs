//! Triangle meshes.

pub(crate) mod adjacency;
pub mod bvh;
mod compare;
pub(crate) mod fill;
pub mod io;
mod mass;
mod report;
pub mod shapes;
mod tri_mesh;
pub(crate) mod triangle;
mod winding;

pub use bvh::Bvh;
pub use compare::{Bracket, CompareError, CompareOptions, Comparison, OneWay, compare, compare_until};
pub use mass::{MassError, MassProperties, mass_properties};
pub use report::{MeshReport, report};
pub use tri_mesh::{InvalidMesh, TriMesh};
pub use triangle::Feature;
pub(crate) use winding::WindingTree;
pub use winding::winding_number;
