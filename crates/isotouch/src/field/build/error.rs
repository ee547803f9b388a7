//! Why a build failed, and what is worth knowing when it did not.

use std::fmt;

use glam::UVec3;

use super::MOST_CELLS;
use super::check::Contradictions;
use crate::field::{NoThreads, SignMethod};
use crate::numbers::number;

/// Caps larger than this share of the mesh's area are worth a warning.
const LARGE_CAPS: f64 = 0.1;

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
        /// Triangles inside the solid with both sides.
        hidden: usize,
    },
    /// Parts that are wound inward reach out of what they are hollows of, or have nothing around them at all.
    HollowOutside {
        /// Their triangles with outside on both sides, which distances leave out.
        triangles: usize,
    },
    /// Signs contradicted each other all the same, so winding numbers decided everywhere.
    UsedWinding,
    /// `auto` took a method other than the usual one.
    Chose {
        /// Which.
        method: SignMethod,
        /// Why.
        because: &'static str,
    },
    /// Holes were closed, and the caps are part of the boundary.
    Capped {
        /// Nodes measured to a cap.
        nodes: u64,
        /// Area of the caps, as a share of the mesh's.
        share: f64,
    },
    /// Holes up to this width were closed.
    GapsClosed {
        /// The width.
        width: f64,
    },
    /// Holes were spanned from rim to rim, for closing them by their width would have lost more of the mesh.
    HolesSpanned {
        /// Holes up to this width were closed besides.
        width: f64,
    },
    /// The gap that was asked for would have lost the solid, or most of it, so a narrower one was taken.
    GapNarrowed {
        /// What was asked for.
        asked: f64,
        /// Holes up to this width were closed.
        width: f64,
    },
    /// Triangles with the solid on both sides, which distances leave out.
    Buried {
        /// How many.
        triangles: usize,
    },
    /// Most of the mesh has outside on both sides: sheets, or parts that leak.
    MostBoundsNothing {
        /// The share of its area that does bound the solid.
        share: f64,
    },
    /// What is inside is a matter of opinion.
    DoubtfulInside,
    /// Beyond the rim of an open sheet, inside and outside meet without a surface.
    NoCertificate {
        /// Pairs of neighbouring nodes that contradict each other there.
        pairs: u64,
    },
    /// The solid is so thin that no node lies inside it.
    NothingInside,
    /// Some closed parts are so thin that no node lies inside them, so that they are missing in the field.
    PartsTooThin {
        /// How many. One that others with nodes inside lie close to may be missing in the count.
        parts: usize,
        /// Parts of the mesh in all: triangles that share vertices are of one part.
        all: usize,
    },
    /// Some closed parts are thinner than a cell and wound inward, so that winding numbers do not count them as solid at any
    /// resolution.
    ThinPartsInward {
        /// How many.
        parts: usize,
        /// Parts of the mesh in all.
        all: usize,
    },
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
                "some parts of the mesh are wound inward ({} the inside); they were turned",
                counted(*triangles, "triangle faces", "triangles face")
            ),
            Self::RunsThroughItself { crossed: 0, hidden } => write!(
                f,
                "parts of the mesh lie inside others ({} not on the outside); the solid is their union",
                counted(*hidden, "triangle is", "triangles are")
            ),
            Self::RunsThroughItself { crossed, hidden: 0 } => write!(
                f,
                "{} or cross others; next to them winding numbers decided what is inside",
                counted(*crossed, "triangle of the mesh touches", "triangles of the mesh touch")
            ),
            Self::RunsThroughItself { crossed, .. } => write!(
                f,
                "the mesh runs through itself ({} or cross others); the solid is what it winds around at least once",
                counted(*crossed, "triangle touches", "triangles touch")
            ),
            Self::HollowOutside { triangles } => write!(
                f,
                "parts of the mesh are wound inward, and count as hollow: what they enclose is taken away from the others, and \
                 where there are no others nothing is left ({} outside on both sides); turn them over if they are solid, as the \
                 sign method 'auto' does with those that cross no others",
                counted(*triangles, "triangle has", "triangles have")
            ),
            Self::UsedWinding => {
                write!(
                    f,
                    "neighbouring nodes disagreed about inside and outside; winding numbers decided everywhere"
                )
            }
            Self::Chose { method, because } => write!(f, "the sign method '{method}' was chosen: {because}"),
            Self::Capped { nodes, share } => {
                write!(
                    f,
                    "holes were closed: {} measured to caps, whose area is {:.2} % of the mesh's",
                    counted(*nodes as usize, "node is", "nodes are"),
                    100.0 * share
                )?;
                if *share > LARGE_CAPS {
                    write!(f, "; that is much, so look at a slice before you trust it")?;
                }
                Ok(())
            }
            Self::GapsClosed { width } => {
                write!(f, "holes narrower than {} count as closed", number(*width))
            }
            Self::HolesSpanned { width } => write!(
                f,
                "holes were spanned from rim to rim, however wide, which keeps more of the mesh than a gap as wide would; besides, \
                 holes narrower than {} count as closed",
                number(*width)
            ),
            Self::GapNarrowed { asked, width } => write!(
                f,
                "a gap of {} is wider than most of the solid, which would be lost; only holes narrower than {} count as closed",
                number(*asked),
                number(*width)
            ),
            Self::Buried { triangles } => write!(
                f,
                "{} the solid on both sides and were left out",
                counted(*triangles, "triangle has", "triangles have")
            ),
            Self::MostBoundsNothing { share } => write!(
                f,
                "only {:.0} % of the mesh's area bounds the solid: the rest are open sheets, or parts with holes wider than the gap; \
                 look at a slice, and close them, or try a wider '--gap'",
                (100.0 * share).max(0.0)
            ),
            Self::DoubtfulInside => write!(
                f,
                "much of the mesh has no clear inside; look at a slice before you trust the field, or try 'soup'"
            ),
            Self::NoCertificate { pairs } => write!(
                f,
                "inside and outside meet without a surface between them, as beyond the rim of an open one ({}); nothing is certified",
                counted(
                    *pairs as usize,
                    "pair of nodes contradicts itself",
                    "pairs of nodes contradict each other"
                )
            ),
            Self::NothingInside => {
                write!(f, "no node is inside the solid: it is thinner than a cell; use a higher resolution")
            }
            Self::PartsTooThin { parts, all } => write!(
                f,
                "{parts} of {all} parts {} too thin for these cells: no node is inside {}; use a higher resolution",
                if *parts == 1 { "is" } else { "are" },
                if *parts == 1 { "it" } else { "them" }
            ),
            Self::ThinPartsInward { parts, all } => write!(
                f,
                "{parts} of {all} parts {} wound inward, so that no node is inside {}; turn {} over or use the sign method \
                 'soup', and a higher resolution, for {} thinner than a cell",
                if *parts == 1 { "is" } else { "are" },
                if *parts == 1 { "it" } else { "them" },
                if *parts == 1 { "it" } else { "them" },
                if *parts == 1 { "it is" } else { "they are" }
            ),
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
    /// The sign method is that of fields without a mesh.
    #[error("the sign method 'given' is for values without a mesh; use 'auto'")]
    SignNotForMeshes,
    /// An option makes no sense.
    #[error("{name} is {}; it must be {must_be}", number(*value))]
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
        "{} cells along one side are too many (at most {MOST_CELLS}); use a lower resolution or a larger cell size",
        // Counts beyond are not known.
        if *cells < u64::from(u32::MAX) { cells.to_string() } else { "billions of".into() }
    )]
    TooFine {
        /// How many there would be.
        cells: u64,
    },
    /// The mesh has no triangles.
    #[error("the mesh has no triangles, so there is nothing to measure distances to")]
    NoTriangles,
    /// The mesh encloses nothing.
    #[error(
        "the mesh is flat: it encloses no volume, so nothing is inside it; give it a thickness, or take it as a sheet by the sign method 'oriented'"
    )]
    Flat,
    /// The mesh has no size.
    #[error("all of the mesh is one point, so it has no surface; check its coordinates and the scale")]
    OnePoint,
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
    #[error(
        "the mesh {}: {}; {}",
        if *boundary_edges > 0 { "is not closed" } else { "does not tell inside from outside" },
        faults_in_words(*boundary_edges, *crowded_edges, *flipped_edges),
        remedy_for_faults(*boundary_edges)
    )]
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
        "pseudonormals need edges with exactly two triangles, and {}; use the sign method 'winding'",
        counted(*crowded_edges, "edge has more", "edges have more")
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
    /// Closing the holes would take more than the solid.
    #[error(
        "the surface that closes the mesh's holes is too large to follow at this resolution; use a lower resolution, or close \
         the mesh"
    )]
    CapsTooLarge,
    /// Winding numbers need a surface with a front and a back.
    #[error(
        "the mesh's triangles do not agree on where the outside is, so winding numbers mean nothing; use the sign method 'soup'"
    )]
    NotOriented,
    /// Nothing is enclosed, whatever the orientation.
    #[error(
        "the mesh encloses nothing at this resolution: every point can be reached from outside{}; give a larger gap to close or a \
         higher resolution, or use the sign method 'oriented' if it is an open sheet",
        if *gap > 0.0 { format!(" through holes wider than {}", number(*gap)) } else { String::new() }
    )]
    EnclosesNothing {
        /// Holes narrower than this were closed.
        gap: f64,
    },
    /// What is enclosed lies between the nodes.
    #[error(
        "the mesh is thinner than a cell ({}), so that no node is inside it; use a higher resolution or smaller cells", number(*cell)
    )]
    ThinnerThanCell {
        /// Size of a cell.
        cell: f64,
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
        "this field needs about {}, and {} are available; use {remedy}",
        in_gigabytes(*needed), in_gigabytes(*available)
    )]
    TooMuchMemory {
        /// Bytes the field would take.
        needed: u64,
        /// Bytes that may be used.
        available: u64,
        /// What would need less.
        remedy: &'static str,
    },
    /// More bricks than the index can name.
    #[error("the band has more than 4294967295 bricks; use a lower resolution or a narrower band")]
    TooManyBricks,
    /// The threads asked for could not be started.
    #[error(transparent)]
    Threads(#[from] NoThreads),
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
        (boundary, "edge has", "edges have", "a triangle on one side only"),
        (crowded, "edge has", "edges have", "more than two triangles"),
        (flipped, "edge joins", "edges join", "triangles of opposite orientation"),
    ];
    let words: Vec<String> = kinds
        .iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many, what)| format!("{} {what}", counted(*count, one, many)))
        .collect();
    words.join(", ")
}

fn remedy_for_faults(boundary: usize) -> &'static str {
    if boundary > 0 {
        "use the sign method 'auto', 'winding' or 'soup', which close its holes, or 'oriented' for an open sheet"
    } else {
        "use the sign method 'auto' or 'soup', which do not need them to agree"
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

impl Contradictions {
    pub(super) fn into_error(self, remedy: &'static str) -> BuildError {
        let Self { count, node, value, neighbour, .. } = self;
        BuildError::Contradiction { count, node, value, neighbour, remedy }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remedies_fit_the_faults() {
        let said = |boundary_edges, crowded_edges, flipped_edges| {
            BuildError::NotClosed { boundary_edges, crowded_edges, flipped_edges }.to_string()
        };
        assert!(said(1, 0, 0).starts_with(
            "the mesh is not closed: 1 edge has a triangle on one side only; use the sign method"
        ));
        assert!(
            said(3, 0, 1)
                .contains("3 edges have a triangle on one side only, 1 edge joins triangles of opposite")
        );
        for closed in [said(0, 1, 0), said(0, 0, 3)] {
            assert!(closed.contains("'soup'") && !closed.contains("hole"), "{closed}");
        }
    }
}
