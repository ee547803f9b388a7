//! Why there is no shell, and what should be known of one.

use std::fmt;

use crate::field::{NoThreads, SurfaceError};
use crate::numbers::exact;

/// Why no shell was made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ShellError {
    /// Nothing to put points on.
    #[error("the mesh has no triangles with an area; there is nothing to put points on")]
    NoSurface,
    /// The level set is empty.
    #[error(
        "the field has no surface at {iso}: its values go from {low} to {high}, and surfaces lie between those"
    )]
    NoLevelSet {
        /// What was asked for.
        iso: f64,
        /// The field's least value.
        low: f32,
        /// Its largest.
        high: f32,
    },
    /// Coordinates that areas overflow with.
    #[error("the mesh reaches beyond 1e75, where areas overflow; scale it down")]
    TooFar,
    /// An option that makes no sense.
    #[error("{name} is {}; it must be {must_be}", exact(*value))]
    BadOption {
        /// Its name.
        name: &'static str,
        /// What was given.
        value: f64,
        /// What would do.
        must_be: &'static str,
    },
    /// More than a shell can sensibly hold.
    #[error(
        "that would be about {points:.1e} points, more than {most:.0e}; a spacing of at least {spacing} would do, or a number of \
         points"
    )]
    TooManyPoints {
        /// How many it would be.
        points: f64,
        /// How many are allowed.
        most: f64,
        /// A spacing that stays below.
        spacing: f64,
    },
    /// Fewer places than points, as rounding leaves them.
    #[error(
        "{points} points were asked for, but the mesh has room for about {room}: it is so small for how far it is from 0 that its \
         coordinates are all alike; move it closer to 0, or ask for fewer"
    )]
    NoRoom {
        /// How many were asked for.
        points: usize,
        /// How many keep apart.
        room: usize,
    },
    /// The level set could not be made.
    #[error(transparent)]
    Surface(SurfaceError),
    /// The threads asked for could not be started.
    #[error(transparent)]
    Threads(#[from] NoThreads),
    /// It was told to stop.
    #[error("cancelled")]
    Cancelled,
}

impl From<SurfaceError> for ShellError {
    fn from(error: SurfaceError) -> Self {
        match error {
            SurfaceError::Cancelled => Self::Cancelled,
            SurfaceError::Threads(error) => Self::Threads(error),
            other => Self::Surface(other),
        }
    }
}

/// Something a user should know of a shell that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellNote {
    /// Parts of the mesh were wound inward; their normals were turned.
    Turned {
        /// How many triangles.
        triangles: usize,
    },
    /// Which way is outward is not known; the normals are those of the triangles as they are wound.
    NotOriented,
    /// The coverage is certain but looser than asked for: too many pieces of triangles would have to be looked at. The shell itself, and
    /// its file, do not tell.
    LooseCoverage,
}

impl fmt::Display for ShellNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Turned { triangles } => write!(
                f,
                "the mesh is wound inward ({triangles} of its triangles face the inside); their normals were turned"
            ),
            Self::NotOriented => f.write_str(
                "the mesh is open or its triangles do not agree on where the outside is, so normals are those of the triangles as they \
                 are wound; a field of the mesh tells better ones",
            ),
            Self::LooseCoverage => f.write_str(
                "the coverage holds, but may be larger than necessary: the mesh is very large for so few points",
            ),
        }
    }
}
