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
pub(crate) mod sections;
pub(crate) mod storage;
mod surface;

pub use bounds::Bounds;
pub use build::{BuildError, BuildNote, Built, available_memory};
pub use exchange::{
    ExchangeError, ExchangeFormat, ExportOptions, Exported, ImportOptions, Imported, Precision,
};
pub use file::{FIELD_FORMAT_VERSION, FieldFileError};
use glam::{DVec3, Vec3};
pub use grid::Grid;
pub use offset::OffsetError;
pub use options::{Execution, FieldOptions, Progress, SignMethod, StorageKind, UnknownName};
pub use progress::NoThreads;
pub(crate) use progress::{Cancelled, Stage, on_threads};
pub use query::Distance;
use storage::{Buffer, Storage};
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
    /// Corners of the triangles that close the mesh's holes, from the grid's origin.
    caps: Buffer<[f32; 9]>,
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
    /// Whether neighbouring nodes agree everywhere: not beyond the rim of an open sheet.
    pub(crate) is_certified: bool,
    /// Whether triangles may run within the solid, to which nodes inside are measured as to its boundary.
    pub(crate) understates_depth: bool,
    /// Whether triangles of the mesh that no node is measured to may be outside the solid.
    pub(crate) hides_triangles: bool,
    /// Of an offset of a mesh's field: what was taken off the distances to the mesh, whose solid lies in the box.
    pub(crate) grown: Option<f64>,
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
        let caps = Vec::new().into();
        Self { grid, storage, bounds, facts, largest, border_is_outside, caps, source: None }
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

    /// The triangles that close the mesh's holes, part of the boundary of the solid, facing outward.
    pub fn caps(&self) -> impl ExactSizeIterator<Item = [DVec3; 3]> + '_ {
        let corner = |of: &[f32; 9], k: usize| {
            self.grid.origin + Vec3::new(of[3 * k], of[3 * k + 1], of[3 * k + 2]).as_dvec3()
        };
        self.caps.iter().map(move |of| [corner(of, 0), corner(of, 1), corner(of, 2)])
    }

    /// Remembers the triangles that close the mesh's holes.
    pub(crate) fn with_caps(mut self, caps: impl Iterator<Item = [DVec3; 3]>) -> Self {
        let origin = self.grid.origin;
        let rows: Vec<[f32; 9]> = caps
            .map(|corners| {
                let [a, b, c] = corners.map(|v| (v - origin).as_vec3().to_array());
                [a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]]
            })
            .collect();
        self.caps = rows.into();
        self
    }

    /// Whether the bounds that the field states hold everywhere. Not where inside and outside meet beyond the rim of an open
    /// sheet ([`SignMethod::Oriented`]).
    pub fn is_certified(&self) -> bool {
        self.facts.is_certified
    }

    /// Whether depths inside may be less than they are, since pieces of triangles may run within the solid: where a mesh runs
    /// through itself, or was closed. Outside, and in telling inside from outside, this changes nothing.
    pub fn understates_depth(&self) -> bool {
        self.facts.understates_depth
    }

    /// Whether triangles of the mesh may be outside the solid and yet not be measured to, for they bound nothing of it: those of a part
    /// that is wound inward have the outside on both sides. Bounds then hold for the solid, not for all triangles of the mesh.
    pub fn hides_triangles(&self) -> bool {
        self.facts.hides_triangles
    }

    /// Half width of the full-resolution shell of a sparse field, in cells.
    pub fn band(&self) -> f64 {
        self.facts.band
    }

    /// Whether the cells that decide about a level set are all at full resolution, those beyond the band being known to be on one side of it. Where they are not, values jump from cells of one size to
    /// those of another, and motions along curves are only told from contact where they are several coarse cells away.
    pub fn is_fine_at(&self, iso: f64) -> bool {
        match self.nodes() {
            Storage::Dense(_) => true,
            Storage::Sparse(_) => iso.abs() + 2.0 * self.error_bound() < self.band() * self.grid().cell,
        }
    }

    /// Values change by at most this much per unit of length between nodes: 1 for distances.
    pub fn lipschitz(&self) -> f64 {
        self.facts.lipschitz
    }

    /// How much the true values may change per unit of length along any direction. Those that did not come from a mesh were checked along
    /// the axes only.
    pub(crate) fn lipschitz_between_nodes(&self) -> f64 {
        if self.taken_off().is_some() { self.facts.lipschitz } else { 3f64.sqrt() * self.facts.lipschitz }
    }

    /// What values are less than the distances to a mesh whose solid lies in the box: 0 of a mesh's own field, the offset of one that was made of such a
    /// field, nothing where values did not come from a mesh.
    #[inline]
    pub(crate) fn taken_off(&self) -> Option<f64> {
        match self.facts.sign {
            SignMethod::Given => self.facts.grown,
            _ => Some(0.0),
        }
    }

    /// Nodes stored, at all levels.
    pub fn node_count(&self) -> u64 {
        self.storage.node_count()
    }

    /// Memory the field takes, bounds included, in bytes.
    pub fn bytes(&self) -> u64 {
        self.storage.bytes() + self.bounds.bytes() + self.caps.size_in_bytes()
    }

    /// Least and largest value anywhere in the box.
    pub fn value_range(&self) -> (f32, f32) {
        self.bounds.overall()
    }

    pub(crate) fn nodes(&self) -> &Storage {
        &self.storage
    }

    /// How much the interpolant can change along an axis over the length of a cell of the grid, in cells that it is `iso` somewhere in. It
    /// depends on no other value, so that dense and sparse fields are asked about the same level set, to the last bit.
    pub(crate) fn steepness_per_cell(&self, iso: f64) -> f64 {
        let along_cell = self.facts.lipschitz * self.grid.cell;
        if self.facts.is_certified {
            // Neighbouring nodes were checked, but for their rounding; their values are not farther from `iso` than √3 cells' worth.
            along_cell + 2f64.powi(-22) * (iso.abs() + 4.0 * along_cell)
        } else {
            2.0 * f64::from(self.largest)
        }
    }

    /// Ranges of values over blocks of cells.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Whether distances outside the box have a certified lower bound: not when the solid reaches the border.
    pub fn is_certified_outside(&self) -> bool {
        self.border_is_outside && self.facts.is_certified
    }
}
