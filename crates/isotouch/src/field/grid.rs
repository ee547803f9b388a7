use glam::{DVec3, IVec3, UVec3};

use crate::math::Aabb;

/// A regular grid: `cells` cubes of edge length `cell` per axis from `origin`; nodes are their corners.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// Position of node (0, 0, 0), the corner of the box with the smallest coordinates.
    pub origin: DVec3,
    /// Edge length of a cell, `h`.
    pub cell: f64,
    /// Number of cells per axis, each at least 1.
    pub cells: UVec3,
}

impl Grid {
    /// The grid of a field around `solid`: padding (a fraction of the longest side) on every side, `resolution`
    /// cells along the longest side with padding included, as many cells as needed along the others, centred.
    pub(crate) fn around(solid: Aabb, padding: f64, spacing: Spacing) -> Self {
        let extent = solid.extent();
        let padded = extent + DVec3::splat(2.0 * padding * extent.max_element());
        let (cell, cells) = match spacing {
            Spacing::Resolution(n) => {
                let cell = padded.max_element() / f64::from(n);
                // A hair less before rounding up: the longest side must come out at n, not n + 1.
                (cell, (padded / cell * (1.0 - 1e-12)).ceil())
            }
            Spacing::CellSize(cell) => (cell, (padded / cell * (1.0 - 1e-12)).ceil()),
        };
        // Saturates for absurd sizes, which the memory check then refuses.
        let cells = cells.max(DVec3::ONE).as_uvec3();
        let origin = solid.center() - 0.5 * cell * cells.as_dvec3();
        Self { origin, cell, cells }
    }

    /// Number of nodes per axis: cells + 1.
    pub fn nodes(&self) -> UVec3 {
        self.cells + UVec3::ONE
    }

    /// Total number of nodes.
    pub fn node_count(&self) -> u64 {
        let n = self.cells.as_u64vec3() + 1;
        n.x.saturating_mul(n.y).saturating_mul(n.z)
    }

    /// The box the cells fill.
    pub fn bounds(&self) -> Aabb {
        Aabb::new(self.origin, self.origin + self.cell * self.cells.as_dvec3())
    }

    /// Position of a node. Nodes past the box are where the same spacing puts them.
    pub fn node_position(&self, node: IVec3) -> DVec3 {
        self.origin + self.cell * node.as_dvec3()
    }

    /// The cell that holds a point and where in it, each coordinate in [0, 1]; `None` outside the box. Points on a face
    /// shared by two cells belong to the upper one, on the far faces of the box to the last.
    #[inline]
    pub fn locate(&self, p: DVec3) -> Option<(UVec3, DVec3)> {
        let u = (p - self.origin) / self.cell;
        let cells = self.cells.as_dvec3();
        // Written so that NaN is outside.
        if !(u.cmpge(DVec3::ZERO).all() && u.cmple(cells).all()) {
            return None;
        }
        let index = u.floor().min(cells - 1.0);
        Some((index.as_uvec3(), u - index))
    }
}

/// What sets the size of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Spacing {
    /// So many cells along the longest side of the padded box.
    Resolution(u32),
    /// This edge length.
    CellSize(f64),
}
