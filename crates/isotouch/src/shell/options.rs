//! What shell to make.

use std::fmt;

/// What shell to make.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShellOptions {
    /// Which points.
    pub sampling: Sampling,
    /// An edge is sharp where the surface turns by more than this, in radians; sharp edges and corners get points of their own.
    /// Usual: 40°. Less takes the facets of coarse cylinders for edges, more misses chamfers. Not used for vertices.
    pub sharp_angle: f64,
    /// How far, as a fraction, a coverage may be above the largest distance there is. Usual: 0.01. Smaller takes longer, about with
    /// its inverse.
    pub tolerance: f64,
}

impl Default for ShellOptions {
    fn default() -> Self {
        Self { sampling: Sampling::Points(10_000), sharp_angle: 40f64.to_radians(), tolerance: 0.01 }
    }
}

/// Which points of a surface make a shell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sampling {
    /// All vertices that triangles use, those at one position once.
    Vertices,
    /// No point of the surface is farther than this from a point of the shell, but for a hundredth; and points that face the same
    /// side are no closer together, but for sharp edges and corners, which may be half as far apart.
    Spacing(f64),
    /// So many points, spread by letting them push each other apart.
    Points(usize),
}

impl fmt::Display for Sampling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vertices => f.write_str("vertices"),
            Self::Spacing(_) => f.write_str("spacing"),
            Self::Points(_) => f.write_str("points"),
        }
    }
}

/// How the normals of a shell were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NormalSource {
    /// The mesh is closed and consistently oriented: its triangles tell, and those of parts wound inward were turned.
    Mesh,
    /// The mesh is open, or its triangles do not agree: normals are those of the triangles as they are wound, and may point inward.
    Triangles,
    /// The gradient of a field.
    Field,
}

impl fmt::Display for NormalSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mesh => "mesh",
            Self::Triangles => "triangles",
            Self::Field => "field",
        })
    }
}
