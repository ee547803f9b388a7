//! Signed distance fields: exact at every node, trilinear between them, negative inside.

mod band;
mod bounds;
mod build;
pub mod exchange;
mod file;
mod grid;
pub(crate) mod interpolate;
mod offset;
mod options;
mod progress;
mod query;
pub(crate) mod storage;
mod surface;

pub use bounds::Bounds;
pub use build::{BuildError, BuildNote, Built};
pub use exchange::{
    ExchangeError, ExchangeFormat, ExportOptions, Exported, ImportOptions, Imported, Precision,
};
pub use file::{FIELD_FORMAT_VERSION, FieldFileError};
pub use grid::Grid;
pub use offset::OffsetError;
pub use options::{Execution, FieldOptions, Progress, SignMethod, StorageKind, UnknownName};
pub use query::Distance;
use storage::Storage;
pub use surface::{Surface, SurfaceError};

/// A signed distance field on a regular grid.
#[derive(Debug, Clone)]
pub struct Field {
    grid: Grid,
    storage: Storage,
    bounds: Bounds,
    facts: Facts,
    /// Largest |value| of any stored node.
    largest: f32,
    /// Whether all nodes on the border of the box are outside the solid.
    border_is_outside: bool,
    /// The file it was opened from.
    source: Option<file::Source>,
}

/// What is known of a field beside its nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Facts {
    pub(crate) sign: SignMethod,
    /// Values change by at most this much per unit of length: 1 for distances.
    pub(crate) lipschitz: f64,
    /// Half width of the full-resolution shell, in cells.
    pub(crate) band: f64,
    pub(crate) capped_nodes: u64,
}

impl Field {
    pub(crate) fn from_parts(grid: Grid, storage: Storage, bounds: Bounds, facts: Facts) -> Self {
        let border_is_outside = query::border_is_outside(&storage, &grid);
        Self::from_checked_parts(grid, storage, bounds, facts, border_is_outside)
    }

    fn from_checked_parts(
        grid: Grid,
        storage: Storage,
        bounds: Bounds,
        facts: Facts,
        border_is_outside: bool,
    ) -> Self {
        let (least, most) = bounds.overall();
        let largest = least.abs().max(most.abs());
        Self { grid, storage, bounds, facts, largest, border_is_outside, source: None }
    }

    /// The grid the nodes lie on.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// How the nodes are kept.
    pub fn storage(&self) -> StorageKind {
        match self.storage {
            Storage::Dense(_) => StorageKind::Dense,
            Storage::Sparse(_) => StorageKind::Sparse,
        }
    }

    /// How inside and outside were told apart: never [`SignMethod::Auto`].
    pub fn sign(&self) -> SignMethod {
        self.facts.sign
    }

    /// Nodes whose distance is to a cap that closes a hole of the mesh, not to the mesh.
    pub fn capped_nodes(&self) -> u64 {
        self.facts.capped_nodes
    }

    /// Half width of the full-resolution shell of a sparse field, in cells.
    pub fn band(&self) -> f64 {
        self.facts.band
    }

    /// Values change by at most this much per unit of length between nodes: 1 for distances.
    pub fn lipschitz(&self) -> f64 {
        self.facts.lipschitz
    }

    /// Nodes stored, at all levels.
    pub fn node_count(&self) -> u64 {
        self.storage.node_count()
    }

    /// Memory the field takes, bounds included, in bytes.
    pub fn bytes(&self) -> u64 {
        self.storage.bytes() + self.bounds.bytes()
    }

    /// Least and largest value anywhere in the box.
    pub fn value_range(&self) -> (f32, f32) {
        self.bounds.overall()
    }

    /// Ranges of values over blocks of cells.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Whether distances outside the box have a certified lower bound: not when the solid reaches the border.
    pub fn is_certified_outside(&self) -> bool {
        self.border_is_outside
    }
}
