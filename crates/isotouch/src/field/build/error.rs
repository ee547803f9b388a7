//! Why a build failed, and what is worth knowing when it did not.

use std::fmt;

use glam::UVec3;

use super::MOST_CELLS;
use super::check::Contradictions;

/// Something a user should be told about a build that succeeded.
#[derive(Debug, Clone, PartialEq)]
pub enum BuildNote {
    /// The mesh was wound inward and has been turned.
    TurnedOutward,
    /// Some parts of the mesh were wound inward, others outward; all face outward now.
    PartsTurned {
        /// Triangles of the parts that were turned.
        triangles: usize,
    },
    /// The mesh runs through itself, so winding numbers decided where normals mislead.
    RunsThroughItself {
        /// Triangles that others pass through.
        crossed: usize,
        /// Triangles inside the solid, or outside it, with both sides.
        hidden: usize,
    },
    /// Signs contradicted each other all the same, so winding numbers decided everywhere.
    UsedWinding,
    /// The solid is so thin that no node lies inside it.
    NothingInside,
    /// The solid touches the border of the box.
    ReachesBorder,
}

impl fmt::Display for BuildNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TurnedOutward => {
                write!(f, "the mesh is wound inward (its triangles face the inside); it was turned")
            }
            Self::PartsTurned { triangles } => write!(
                f,
                "some parts of the mesh are wound inward ({triangles} triangles face the inside); they were turned"
            ),
            Self::RunsThroughItself { crossed: 0, hidden } => write!(
                f,
                "parts of the mesh lie inside others ({hidden} triangles are not on the outside); the solid is their union"
            ),
            Self::RunsThroughItself { crossed, hidden: 0 } => write!(
                f,
                "{crossed} triangles of the mesh touch or cross others; next to them winding numbers decided what is inside"
            ),
            Self::RunsThroughItself { crossed, .. } => write!(
                f,
                "the mesh runs through itself ({crossed} triangles touch or cross others); the solid is what it winds \
                 around at least once"
            ),
            Self::UsedWinding => {
                write!(
                    f,
                    "neighbouring nodes disagreed about inside and outside; winding numbers decided everywhere"
                )
            }
            Self::NothingInside => {
                write!(f, "no node is inside the solid: it is thinner than a cell; use a higher resolution")
            }
            Self::ReachesBorder => write!(
                f,
                "the solid reaches the border of the box, so nothing is known outside it; give more padding"
            ),
        }
    }
}

/// Why there is no field.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// An option makes no sense.
    #[error("{name} is {value}; it must be {must_be}")]
    BadOption {
        /// Its name.
        name: &'static str,
        /// What was given.
        value: f64,
        /// What would do.
        must_be: &'static str,
    },
    /// More cells than anything could hold.
    #[error(
        "{cells} cells along one side are too many (at most {MOST_CELLS}); use a lower resolution or a larger cell size"
    )]
    TooFine {
        /// How many there would be.
        cells: u64,
    },
    /// The mesh has no triangles.
    #[error("the mesh has no triangles, so there is nothing to measure distances to")]
    NoTriangles,
    /// The mesh encloses nothing.
    #[error("the mesh is flat: it encloses no volume, so nothing is inside it; give it a thickness")]
    Flat,
    /// Numbers too large or too small to store distances in `f32`.
    #[error(
        "the mesh is {size:e} across; sizes between 1e-30 and 1e30 can be stored, so scale it to a usual unit first"
    )]
    SizeOutOfRange {
        /// Longest side of its box.
        size: f64,
    },
    /// Coordinates too large for their digits to tell nodes apart.
    #[error(
        "the mesh lies {distance:e} from the origin, too far for cells of {cell:e}: coordinates have 16 digits, and too few \
         are left within a cell; move it nearer to the origin, or use larger cells"
    )]
    TooFarFromOrigin {
        /// Largest coordinate.
        distance: f64,
        /// Size of a cell.
        cell: f64,
    },
    /// The mesh does not separate inside from outside.
    #[error("the mesh is not closed: {}; close it first, for instance with a hole-filling tool (open and broken meshes are not supported yet)", faults_in_words(*boundary_edges, *crowded_edges, *flipped_edges))]
    NotClosed {
        /// Edges with only one triangle.
        boundary_edges: usize,
        /// Edges with more than two triangles.
        crowded_edges: usize,
        /// Edges whose two triangles have opposite orientations.
        flipped_edges: usize,
    },
    /// The mesh is closed but pseudonormals cannot serve it.
    #[error(
        "pseudonormals need edges with exactly two triangles, and {crowded_edges} edges have more; use the sign method \
         'winding'"
    )]
    Crowded {
        /// Edges with more than two triangles.
        crowded_edges: usize,
    },
    /// Neighbouring nodes contradict each other.
    #[error(
        "{count} pairs of neighbouring nodes contradict each other, the first at node ({}, {}, {}) with values {value} and \
         {neighbour}; {remedy}", node.x, node.y, node.z
    )]
    Contradiction {
        /// How many pairs.
        count: u64,
        /// Grid index of the first.
        node: UVec3,
        /// Its value.
        value: f32,
        /// Its neighbour's value.
        neighbour: f32,
        /// What to do about it.
        remedy: &'static str,
    },
    /// The number of values does not fit the grid.
    #[error("the grid has {expected} nodes, but {given} values were given")]
    WrongCount {
        /// Nodes of the grid.
        expected: u64,
        /// Values given.
        given: u64,
    },
    /// There is not enough memory.
    #[error(
        "this field needs about {}, and {} are available; use a lower resolution, a narrower band or sparse storage",
        in_gigabytes(*needed), in_gigabytes(*available)
    )]
    TooMuchMemory {
        /// Bytes the field would take.
        needed: u64,
        /// Bytes that may be used.
        available: u64,
    },
    /// More bricks than the index can name.
    #[error("the band has more than 4294967295 bricks; use a lower resolution or a narrower band")]
    TooManyBricks,
    /// The threads asked for could not be started.
    #[error("could not start {threads} threads: {reason}")]
    Threads {
        /// How many.
        threads: usize,
        /// What the system said.
        reason: String,
    },
    /// The build was told to stop.
    #[error("cancelled")]
    Cancelled,
}

fn in_gigabytes(bytes: u64) -> String {
    if bytes < 1_000_000_000 {
        format!("{:.0} MB", bytes as f64 / 1e6)
    } else {
        format!("{:.1} GB", bytes as f64 / 1e9)
    }
}

fn faults_in_words(boundary: usize, crowded: usize, flipped: usize) -> String {
    let kinds = [
        (boundary, "edges have a triangle on one side only"),
        (crowded, "edges have more than two triangles"),
        (flipped, "edges join triangles of opposite orientation"),
    ];
    let words: Vec<String> =
        kinds.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    words.join(", ")
}

impl Contradictions {
    pub(super) fn into_error(self, remedy: &'static str) -> BuildError {
        let Self { count, node, value, neighbour } = self;
        BuildError::Contradiction { count, node, value, neighbour, remedy }
    }
}
