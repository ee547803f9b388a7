//! Iso-surfaces: the triangles where the interpolant equals σ.
//!
//! ```text
//! field ─► lattice (one grid of nodes, one value each) ─► cells: loops ─► triangles ─► vertices shared ─► TriMesh
//! ```
//!
//! Marching cubes without its tables. In every cell whose corners lie on both sides of σ, each edge with its ends on different
//! sides gets a vertex at the root of the interpolant, which is linear there. Each face joins its vertices by the line the
//! interpolant takes through it; where it has four, the value at the saddle decides which (Nielson & Hamann 1991). The lines
//! close into loops, and every loop is filled.
//!
//! **Why there are no cracks.** All cells belong to one lattice, and a node has one value, whatever cell asks. The lines in a
//! face depend on its four values alone, so the two cells beside it draw the same ones. A sparse field is sampled at the
//! spacing of the finest bricks that the surface can pass; a node that is not stored there takes the interpolant of a
//! coarser cell. Where levels meet, the interpolant jumps, and the surface runs through the jump.
//!
//! **Why every edge has two triangles.** A diagonal that fills a loop never lies in a face, where the cell beyond could have
//! the same one; a loop that cannot be filled so gets a vertex in its middle. Vertices at a node whose value is σ would lie
//! on each other: they become one, unless that would pinch the surface (`weld`).

mod cell;
mod center;
mod extract;
mod fill;
mod lattice;
mod weld;

use super::progress::{Cancelled, NoThreads, on_threads};
use super::{Execution, Field};
use crate::mesh::TriMesh;

/// An iso-surface and what is worth knowing about it.
#[derive(Debug, Clone)]
pub struct Surface {
    /// Wound outward: towards values above σ. Every edge has two triangles, but on the border of the box.
    pub mesh: TriMesh,
    /// False when the surface leaves the box, where it is left open.
    pub is_closed: bool,
    /// Size of the cells it was taken from: those of the grid, or coarser ones far from the band of a sparse field.
    pub cell: f64,
}

/// Why there is no surface.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SurfaceError {
    /// σ is not a number.
    #[error("the iso value is {iso}; it must be a finite number")]
    NotFinite {
        /// What was given.
        iso: f64,
    },
    /// More vertices than a mesh can name.
    #[error(
        "the surface has {vertices} vertices, more than a mesh can hold (4294967295); use a field of a lower resolution"
    )]
    TooLarge {
        /// How many.
        vertices: usize,
    },
    /// Values that no field has, from a file that was changed after it was written.
    #[error("the field has values that are not finite: its file is damaged; build it again")]
    BadValues,
    /// The threads asked for could not be started.
    #[error("could not start {threads} threads: {reason}")]
    Threads {
        /// How many.
        threads: usize,
        /// What the system said.
        reason: String,
    },
    /// It was told to stop.
    #[error("cancelled")]
    Cancelled,
}

impl From<Cancelled> for SurfaceError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

impl From<NoThreads> for SurfaceError {
    fn from(NoThreads { threads, reason }: NoThreads) -> Self {
        Self::Threads { threads, reason }
    }
}

impl Field {
    /// The surface where the interpolant equals `iso`, wound outward; without triangles where no value is on either side.
    ///
    /// Values ≤ `iso` are inside. Vertices lie on the edges of cells, where the interpolant is `iso` to a millionth of the
    /// edge's two values' difference; next to a jump between the levels of a sparse field, to within that jump.
    ///
    /// ```
    /// use isotouch::{field::{Field, FieldOptions}, mesh::{report, shapes}};
    /// let torus = shapes::by_name("torus").unwrap();
    /// let field = Field::from_mesh(&torus, &FieldOptions { resolution: 64, padding: 0.1, ..Default::default() })?;
    /// let grown = field.surface(1.5 * field.grid().cell)?;
    /// assert!(report(&grown).is_solid() && grown.signed_volume() > torus.signed_volume());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn surface(&self, iso: f64) -> Result<TriMesh, SurfaceError> {
        self.surface_with(iso, &Execution::default()).map(|surface| surface.mesh)
    }

    /// The surface where the interpolant equals `iso`, with a say in how it is computed, and whether it is closed.
    pub fn surface_with(&self, iso: f64, execution: &Execution<'_>) -> Result<Surface, SurfaceError> {
        if !iso.is_finite() {
            return Err(SurfaceError::NotFinite { iso });
        }
        on_threads(execution, || extract::surface(self, iso, execution))?
    }
}
