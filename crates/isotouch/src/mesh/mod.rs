//! Triangle meshes.

pub(crate) mod adjacency;
pub mod bvh;
mod compare;
pub(crate) mod creases;
mod edges;
mod enclosure;
pub(crate) mod fill;
mod flat;
pub mod io;
mod mass;
mod report;
pub(crate) mod sets;
pub mod shapes;
pub(crate) mod spread;
mod tri_mesh;
pub(crate) mod triangle;
pub(crate) mod triangle_pair;
mod winding;

pub use bvh::Bvh;
pub(crate) use compare::hausdorff;
pub use compare::{Bracket, CompareError, CompareOptions, Comparison, OneWay, compare, compare_until};
pub(crate) use enclosure::{Enclosure, Side};
pub(crate) use flat::is_flat;
pub use mass::{MassError, MassProperties, mass_properties};
pub use report::{MeshReport, report};
pub(crate) use report::{inward_triangles, unit_normal, welded};
pub use tri_mesh::{InvalidMesh, TriMesh};
pub use triangle::Feature;
pub(crate) use winding::WindingTree;
pub use winding::winding_number;
