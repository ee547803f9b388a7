//! How far two surfaces are apart.
//!
//! ```
//! use isotouch::mesh::{CompareOptions, compare, shapes};
//!
//! let (small, large) = (shapes::sphere(1.0, 1280).unwrap(), shapes::sphere(1.5, 5120).unwrap());
//! let found = compare(&small, &large, &CompareOptions::default())?;
//! let hausdorff = found.hausdorff();
//! assert!(hausdorff.lower > 0.49 && hausdorff.upper < 0.51);
//! assert!((found.forward.mean - 0.5).abs() < 0.01);
//! # Ok::<(), isotouch::mesh::CompareError>(())
//! ```
//!
//! Mean and RMS are over the area of a surface, from points spread evenly over it. The Hausdorff distance, the largest
//! distance from any point of one surface to the other, is no matter of sampling: it comes as an interval that certainly
//! holds it (`compare/hausdorff.rs` says how). Distances from points to triangles are exact. The same input gives the
//! same answer on any number of threads.

pub(crate) mod hausdorff;
mod sample;
mod target;

use std::sync::atomic::{AtomicBool, Ordering};

use glam::DVec3;

use super::TriMesh;
use crate::numbers::exact;
use hausdorff::{Found, Limits};
use target::Triangles;

/// How to compare surfaces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CompareOptions {
    /// Points on each surface for mean and RMS. Usual: 100 000. The error shrinks at least with their square root.
    pub samples: usize,
    /// Which points they are.
    pub seed: u64,
    /// How wide the interval around a Hausdorff distance may be. By default 10⁻⁴ of the longest side of the box around both
    /// surfaces. Smaller takes longer, where surfaces run side by side in proportion to its inverse square. Below 10⁻¹² of the
    /// coordinates it cannot be met.
    pub tolerance: Option<f64>,
    /// Most pieces of triangles that are looked at in each direction before the interval is given as it is. Usual: 2²⁴, less than
    /// a minute. More takes memory too, up to 140 bytes each where surfaces run side by side.
    pub most_pieces: u64,
}

impl Default for CompareOptions {
    fn default() -> Self {
        Self { samples: 100_000, seed: 1, tolerance: None, most_pieces: 1 << 24 }
    }
}

/// Ends of an interval that certainly holds a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bracket {
    /// It is not below this.
    pub lower: f64,
    /// It is not above this.
    pub upper: f64,
}

/// Distances from the points of one surface to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OneWay {
    /// Mean distance over the area.
    pub mean: f64,
    /// Root of the mean squared distance over the area.
    pub rms: f64,
    /// The largest distance of any point. The lower end is the distance at [`OneWay::farthest`], less what rounding may have
    /// added: 10⁻¹⁴ of the coordinates.
    pub hausdorff: Bracket,
    /// A point of the surface, to within rounding, whose distance was found to be the largest.
    pub farthest: DVec3,
}

/// What two surfaces, A and B, have to do with each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// From A to B.
    pub forward: OneWay,
    /// From B to A.
    pub backward: OneWay,
    /// How wide the brackets were to be at most.
    pub tolerance: f64,
}

impl Comparison {
    /// The symmetric Hausdorff distance: the larger one of both directions.
    pub fn hausdorff(&self) -> Bracket {
        let (a, b) = (self.forward.hausdorff, self.backward.hausdorff);
        Bracket { lower: a.lower.max(b.lower), upper: a.upper.max(b.upper) }
    }

    /// Whether the brackets are as narrow as asked for. They are not when [`CompareOptions::most_pieces`] came first.
    pub fn is_within_tolerance(&self) -> bool {
        [self.forward, self.backward]
            .iter()
            .all(|way| way.hausdorff.upper - way.hausdorff.lower <= self.tolerance)
    }
}

/// Why surfaces were not compared.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CompareError {
    /// A mesh without any area.
    #[error("the {which} mesh has no triangles with an area; there is nothing to compare")]
    NoSurface {
        /// "first" or "second".
        which: &'static str,
    },
    /// A mesh with coordinates that areas overflow with.
    #[error("the meshes reach beyond 1e75, where areas overflow; scale them down")]
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
    /// The comparison was told to stop.
    #[error("cancelled")]
    Cancelled,
}

/// Largest coordinate. An area takes the square of a cross product of edges, whose components are up to 2·10⁷⁵: below 10³⁰³. From
/// 10⁷⁷ on it could be infinite, and so could means over the area.
const FARTHEST: f64 = 1e75;

/// Compares two surfaces, in parallel on the current rayon pool.
pub fn compare(a: &TriMesh, b: &TriMesh, options: &CompareOptions) -> Result<Comparison, CompareError> {
    compare_until(a, b, options, &AtomicBool::new(false))
}

/// [`compare`], until it is done or `cancel` becomes true.
pub fn compare_until(
    a: &TriMesh,
    b: &TriMesh,
    options: &CompareOptions,
    cancel: &AtomicBool,
) -> Result<Comparison, CompareError> {
    for (mesh, which) in [(a, "first"), (b, "second")] {
        // Not a number in a sum of areas is an overflow, reported below.
        if mesh.area() == 0.0 {
            return Err(CompareError::NoSurface { which });
        }
    }
    let both = a.bounds().union(b.bounds());
    let reach = both.min.abs().max(both.max.abs()).max_element();
    if reach > FARTHEST {
        return Err(CompareError::TooFar);
    }
    if options.samples == 0 {
        return Err(CompareError::BadOption { name: "samples", value: 0.0, must_be: "at least 1" });
    }
    let tolerance = options.tolerance.unwrap_or(1e-4 * both.extent().max_element());
    if !(tolerance > 0.0 && tolerance.is_finite()) {
        let must_be = "a positive finite number";
        return Err(CompareError::BadOption { name: "tolerance", value: tolerance, must_be });
    }
    // What positions of pieces and distances are rounded by: a few 2⁻⁵³ of the coordinates, many times over.
    let rounding = 1e-14 * reach;
    // Both ends of a bracket are off by it: no search would ever make one so narrow.
    if options.tolerance.is_some() && tolerance < 4.0 * rounding {
        let must_be = "at least 4e-14 of the largest coordinate, which distances are rounded to";
        return Err(CompareError::BadOption { name: "tolerance", value: tolerance, must_be });
    }
    let one_way = |from: &TriMesh, to: &TriMesh| {
        let target = Triangles::new(to);
        let run = Run { from, to: &target, options, tolerance, rounding, cancel };
        run.one_way()
    };
    Ok(Comparison { forward: one_way(a, b)?, backward: one_way(b, a)?, tolerance })
}

/// One direction of a comparison.
struct Run<'a> {
    from: &'a TriMesh,
    to: &'a Triangles,
    options: &'a CompareOptions,
    tolerance: f64,
    rounding: f64,
    cancel: &'a AtomicBool,
}

impl Run<'_> {
    fn one_way(&self) -> Result<OneWay, CompareError> {
        let average = sample::average(self)?;
        let limits = Limits {
            tolerance: self.tolerance,
            relative: 0.0,
            rounding: self.rounding,
            most_pieces: self.options.most_pieces,
            cancel: self.cancel,
        };
        let found = hausdorff::bracket(self.from, self.to, &limits, average.farthest);
        let (hausdorff, farthest) = found.ok_or(CompareError::Cancelled)?;
        Ok(OneWay { mean: average.mean, rms: average.rms, hausdorff, farthest })
    }

    fn check_cancel(&self) -> Result<(), CompareError> {
        if self.cancel.load(Ordering::Relaxed) { Err(CompareError::Cancelled) } else { Ok(()) }
    }
}
