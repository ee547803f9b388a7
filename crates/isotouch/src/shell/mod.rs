//! Point shells: what touches a field. Points on a surface, with outward normals, shares of its area, and a tree of spheres over them.
//!
//! ```text
//! mesh, or level set of a field ─► points: corners, sharp edges, faces ─► order ─► levels, each with its coverage ─► areas
//!                                                                          └────► sphere tree
//! ```
//!
//! Every **level** is a uniform sampling that contains the one before: the points stand in farthest-first order, so a level is
//! simply the first so many of them. Its **coverage** is a certified bound: no point of the surface, edges and all, is farther from the
//! points of the level than that.
//!
//! ```
//! use isotouch::mesh::shapes;
//! use isotouch::shell::{PointShell, Sampling, ShellOptions};
//!
//! let ball = shapes::sphere(1.0, 5120).unwrap();
//! let shell = PointShell::from_mesh(&ball, &ShellOptions { sampling: Sampling::Points(500), ..Default::default() })?;
//! assert_eq!(shell.len(), 500);
//! assert!((shell.weights().iter().sum::<f64>() / ball.area() - 1.0).abs() < 1e-9);
//! // 500 points on a sphere leave gaps of about √(4π/500)·0.62 ≈ 0.1 at best.
//! assert!(shell.coverage() < 0.13);
//! # Ok::<(), isotouch::shell::ShellError>(())
//! ```

mod build;
mod coverage;
mod error;
mod file;
mod levels;
mod options;
mod sampling;
pub mod sphere_tree;
mod surface;
mod voronoi;
mod weights;

use glam::DVec3;

pub use build::Sampled;
pub use coverage::TooCoarse;
pub use error::{ShellError, ShellNote};
pub use file::{SHELL_FORMAT_VERSION, ShellFileError};
pub use levels::ShellLevel;
pub use options::{NormalSource, Sampling, ShellOptions};
pub use sphere_tree::{Sphere, SphereTree};

/// Points on a surface, in farthest-first order, with normals, areas, levels and a sphere tree.
#[derive(Debug, Clone, PartialEq)]
pub struct PointShell {
    points: Vec<DVec3>,
    normals: Vec<DVec3>,
    weights: Vec<f64>,
    levels: Vec<ShellLevel>,
    tree: SphereTree,
    facts: Facts,
}

/// What is known of a shell beside its points.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Facts {
    sampling: Sampling,
    normals: NormalSource,
    /// The level set it was made on; `None` for a mesh.
    iso: Option<f64>,
    area: f64,
}

impl PointShell {
    /// How many points, of all levels.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Never: a surface has points.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Positions. The first [`ShellLevel::points`] of them are a level.
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// Outward unit normals; [`PointShell::normal_source`] tells how outward was known. Zero where the surface has no direction:
    /// at triangles without area.
    pub fn normals(&self) -> &[DVec3] {
        &self.normals
    }

    /// The share of the surface's area that is nearest to each point; of vertices, a third of the triangles around each. They add up to
    /// [`PointShell::area`], but for rounding.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Levels from coarse to fine; the last one has all points.
    pub fn levels(&self) -> &[ShellLevel] {
        &self.levels
    }

    /// No point of the surface is farther from all points than this. See [`ShellLevel::coverage`].
    pub fn coverage(&self) -> f64 {
        self.levels.last().map_or(f64::INFINITY, |level| level.coverage)
    }

    /// The sphere tree over all points; its numbers are those of [`PointShell::points`].
    pub fn tree(&self) -> &SphereTree {
        &self.tree
    }

    /// How the points were chosen.
    pub fn sampling(&self) -> Sampling {
        self.facts.sampling
    }

    /// Where the normals came from.
    pub fn normal_source(&self) -> NormalSource {
        self.facts.normals
    }

    /// The level set of a field that the shell was made on; `None` for the surface of a mesh.
    pub fn iso(&self) -> Option<f64> {
        self.facts.iso
    }

    /// Area of the surface.
    pub fn area(&self) -> f64 {
        self.facts.area
    }

    /// Memory it takes, the tree included, in bytes.
    pub fn bytes(&self) -> u64 {
        let per_point = 2 * size_of::<DVec3>() + size_of::<f64>();
        (self.points.len() * per_point) as u64 + self.tree.bytes()
    }
}
