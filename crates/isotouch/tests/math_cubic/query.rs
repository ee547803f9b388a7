//! What a cell is asked.

use isotouch::math::DVec3;
use isotouch::math::cubic::CellCubic;

/// A cell, a piece of a segment through it, and the iso value asked about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Query {
    pub(crate) corners: [f32; 8],
    pub(crate) entry: DVec3,
    pub(crate) exit: DVec3,
    pub(crate) iso: f64,
}

impl Query {
    pub(crate) fn cubic(&self) -> CellCubic {
        CellCubic::along(&self.corners, self.entry, self.exit, self.iso)
    }

    pub(crate) fn reversed(self) -> Self {
        Self { entry: self.exit, exit: self.entry, ..self }
    }
}
