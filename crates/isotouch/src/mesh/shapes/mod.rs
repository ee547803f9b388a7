//! Closed meshes made from a few numbers, for tests, demos and first steps: round things, a blob, and machine parts and puzzles that fit each
//! other with a stated clearance ([`peg`] and [`hole_plate`], [`bolt`] and [`nut`], [`gear`], [`bars_and_rod`], [`strung_frame`], [`alpha_tube`]).
//!
//! Every mesh here is closed, wound outward and consistently oriented; no two vertices share a position and no
//! triangle is degenerate. Lengths are in whatever unit the caller thinks in; the defaults are about 1 across.
//! Round shapes stand upright along z. What makes no sense (a negative radius, a torus thicker than its ring)
//! is a [`ShapeError`] that names the parameter.
//!
//! The same options give the same bits on every run and with any number of threads. [`cuboid`], [`sphere`] and
//! [`blob`] use only operations that IEEE 754 rounds exactly, so they are the same on every machine too; the others
//! use the platform's `sin` and `cos`, whose last bit may differ from one platform to the next.
//!
//! ```
//! use isotouch::mesh::shapes::{self, TorusOptions};
//!
//! let ring = shapes::torus(TorusOptions { minor_radius: 0.1, ..Default::default() })?;
//! assert!(ring.signed_volume() > 0.0);
//! # Ok::<(), shapes::ShapeError>(())
//! ```

mod alpha;
mod alpha_path;
mod bars;
mod blob;
mod bolt;
mod error;
mod finish;
mod gear;
mod knot;
mod noise;
mod peg;
mod revolve;
mod rings;
mod round;
mod sphere;
mod strung_frame;
mod thread;
mod torus;
mod tube;

pub use alpha::{AlphaOptions, alpha_tube};
pub use alpha_path::alpha_path;
pub use bars::{BarsAndRod, BarsOptions, bars_and_rod};
pub use blob::{BlobOptions, blob};
pub use bolt::{BoltOptions, NutOptions, bolt, nut};
pub use error::ShapeError;
pub use gear::{GearMeshing, GearOptions, gear, gears_mesh};
pub use knot::{TorusKnotOptions, torus_knot};
pub use peg::{HolePlateOptions, PegOptions, hole_plate, peg};
pub use round::{BowlOptions, CapsuleOptions, ConeOptions, CylinderOptions, bowl, capsule, cone, cylinder};
pub use sphere::sphere;
pub use strung_frame::{StrungFrameOptions, strung_frame};
pub use torus::{TorusOptions, torus};
pub use tube::{TubeEnds, TubeOptions, tube_along};

use glam::DVec3;

use super::TriMesh;
use finish::{Length, finish};

/// The names that [`by_name`] knows.
pub const NAMES: [&str; 19] = [
    "box",
    "sphere",
    "cylinder",
    "capsule",
    "cone",
    "torus",
    "torus-knot",
    "bowl",
    "tube",
    "blob",
    "peg",
    "hole-plate",
    "bars",
    "rod",
    "strung-frame",
    "gear",
    "bolt",
    "nut",
    "alpha",
];

/// A built-in shape with its default sizes, about 1 across; `None` for a name that is not in [`NAMES`].
pub fn by_name(name: &str) -> Option<TriMesh> {
    let shape = match name {
        "box" => cuboid(DVec3::ONE),
        "sphere" => sphere(0.5, 5_120),
        "cylinder" => cylinder(CylinderOptions::default()),
        "capsule" => capsule(CapsuleOptions::default()),
        "cone" => cone(ConeOptions::default()),
        "torus" => torus(TorusOptions::default()),
        "torus-knot" => torus_knot(2, 3, TorusKnotOptions::default()),
        "bowl" => bowl(BowlOptions::default()),
        "tube" => tube_along(&helix(), TubeOptions::default()),
        "blob" => blob(BlobOptions::default()),
        "peg" => peg(PegOptions::default()),
        "hole-plate" => hole_plate(HolePlateOptions::default()),
        "bars" => bars_and_rod(BarsOptions::default()).map(|puzzle| puzzle.bars),
        "rod" => bars_and_rod(BarsOptions::default()).map(|puzzle| puzzle.rod),
        "strung-frame" => strung_frame(StrungFrameOptions::default()),
        "gear" => gear(GearOptions::default()),
        "bolt" => bolt(BoltOptions::default()),
        "nut" => nut(NutOptions::default()),
        "alpha" => alpha_tube(AlphaOptions::default()),
        _ => return None,
    };
    // Defaults are always valid; the tests build every one of them.
    shape.ok()
}

/// A box with these edge lengths, centred on the origin: 8 vertices, 12 triangles.
pub fn cuboid(size: DVec3) -> Result<TriMesh, ShapeError> {
    let shape = "cuboid";
    for (parameter, value) in [("size.x", size.x), ("size.y", size.y), ("size.z", size.z)] {
        Length { shape, parameter, value }.check()?;
    }
    // Corner i is on the high side of x, y, z where bit 0, 1, 2 of i is set.
    let side = |i: usize, axis: usize| if i >> axis & 1 == 1 { 0.5 } else { -0.5 };
    let vertices = (0..8).map(|i| size * DVec3::new(side(i, 0), side(i, 1), side(i, 2))).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    finish(shape, vertices, triangles)
}

/// Three turns of a helix along z, the built-in tube's centre line.
fn helix() -> Vec<DVec3> {
    let steps = 192;
    (0..=steps)
        .map(|i| {
            let along = f64::from(i) / f64::from(steps);
            let (sin, cos) = (3.0 * std::f64::consts::TAU * along).sin_cos();
            DVec3::new(0.4 * cos, 0.4 * sin, along - 0.5)
        })
        .collect()
}
