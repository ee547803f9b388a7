//! The crate mesh_to_sdf.

use isotouch::field::{Field, Grid};
use isotouch::mesh::TriMesh;
use mesh_to_sdf::{SignMethod, Topology, generate_grid_sdf};

use crate::timing::best_time;

/// A mesh as the crate wants it.
pub(crate) struct PeerMesh {
    vertices: Vec<[f32; 3]>,
    indices: Vec<u32>,
}

/// What it computed on a grid.
pub(crate) struct PeerField {
    pub(crate) seconds: f64,
    /// z fastest.
    values: Vec<f32>,
}

impl PeerMesh {
    pub(crate) fn new(mesh: &TriMesh) -> Self {
        let vertices = mesh.vertices().iter().map(|v| v.to_array().map(|x| x as f32)).collect();
        Self { vertices, indices: mesh.triangles().iter().flatten().copied().collect() }
    }

    /// Distances at all nodes of a grid. On grids the crate has one algorithm (triangles spread from cell to cell); rays
    /// give the sign, since its normals are documented to leak outside.
    pub(crate) fn field(&self, grid: &Grid) -> PeerField {
        let first = grid.origin.to_array().map(|x| x as f32);
        let count = grid.nodes().to_array().map(|n| n as usize);
        let their_grid = mesh_to_sdf::Grid::new(first, [grid.cell as f32; 3], count);
        let topology = || Topology::TriangleList(Some(&self.indices[..]));
        let run = || {
            let values = generate_grid_sdf(&self.vertices, topology(), &their_grid, SignMethod::Raycast);
            Ok::<_, std::convert::Infallible>(values)
        };
        let Ok((seconds, values)) = best_time(run);
        PeerField { seconds, values }
    }
}

/// How two fields differ at the nodes of a grid.
pub(crate) struct Difference {
    /// Largest difference of absolute values, in cells.
    pub(crate) largest: f64,
    /// Nodes more than a thousandth of a cell from the surface with the other sign.
    pub(crate) other_sign: u64,
}

impl PeerField {
    /// How it differs from a dense field on the same grid.
    pub(crate) fn difference_from(&self, field: &Field) -> Difference {
        let grid = field.grid();
        let [_, ny, nz] = grid.nodes().to_array();
        let mut difference = Difference { largest: 0.0, other_sign: 0 };
        for (index, &theirs) in self.values.iter().enumerate() {
            let index = index as u32;
            let node = glam::UVec3::new(index / (ny * nz), index / nz % ny, index % nz);
            let ours = field.distance(grid.node_position(node.as_ivec3()).min(grid.bounds().max)).value();
            let theirs = f64::from(theirs);
            difference.largest = difference.largest.max((theirs.abs() - ours.abs()).abs() / grid.cell);
            if ours.abs() > 1e-3 * grid.cell && (theirs < 0.0) != (ours < 0.0) {
                difference.other_sign += 1;
            }
        }
        difference
    }
}
