//! A tube bent like the letter α, of which two make a puzzle.

use std::f64::consts::FRAC_PI_2;

use glam::DVec3;

use super::ShapeError;
use super::finish::{Count, Length, check_triangles};
use super::tube::{TubeEnds, TubeOptions, tube};
use crate::mesh::TriMesh;

/// How [`alpha_tube`] is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AlphaOptions {
    /// Height of the letter, along y, from the end of one arm to that of the other.
    pub size: f64,
    /// Of the tube; less than a tenth of the size.
    pub tube_radius: f64,
    /// Room between the arms where they cross, along z. Wider than the tube, and a second copy can be hung in and out.
    pub gap: f64,
    /// Rings of vertices along the curve, at least 32.
    pub rings: usize,
    /// Corners of each ring, at least 3.
    pub segments: usize,
}

impl Default for AlphaOptions {
    fn default() -> Self {
        Self { size: 1.0, tube_radius: 0.035, gap: 0.13, rings: 192, segments: 24 }
    }
}

/// How far the curve's parameter goes: the arms cross at ±1, and end here.
const END: f64 = 1.45;

/// A closed tube along a loop whose two arms pass each other, as in the letter α.
///
/// The curve is (t², t³ − t) in the plane, which crosses itself at t = ±1; along z the arms are apart by the gap there. Two copies are linked when a strand
/// of each goes through the loop of the other; they come apart where a strand leaves through the gap. The gap of the default is 0.06 wider than the tube, so a
/// path may keep clear by 0.03 of the size. [`alpha_path`](super::alpha_path) is one that keeps 0.02.
pub fn alpha_tube(options: AlphaOptions) -> Result<TriMesh, ShapeError> {
    let shape = "alpha_tube";
    let AlphaOptions { size, tube_radius, gap, rings, segments } = options;
    Length { shape, parameter: "size", value: size }.check()?;
    // The loop is 0.24 of the size wide.
    Length { shape, parameter: "tube_radius", value: tube_radius }
        .check_below("a tenth of `size`", 0.1 * size)?;
    Length { shape, parameter: "gap", value: gap }.check_below("half of `size`", 0.5 * size)?;
    Count { shape, parameter: "rings", value: rings }.check(32)?;
    check_triangles(shape, "`rings` and `segments`", [rings, segments])?;

    let scale = size / (2.0 * (END * END * END - END));
    let half_apart = 0.5 * gap + tube_radius;
    let points: Vec<DVec3> = (0..rings)
        .map(|i| {
            let t = END * (2.0 * i as f64 / (rings - 1) as f64 - 1.0);
            // Level where the arms cross, and beyond: there they are apart by twice this.
            let z = half_apart * (FRAC_PI_2 * t.clamp(-1.0, 1.0)).sin();
            DVec3::new(scale * (t * t - 0.5 * END * END), scale * (t * t * t - t), z)
        })
        .collect();
    tube(shape, &points, TubeOptions { radius: tube_radius, segments, ends: TubeEnds::Flat })
}
