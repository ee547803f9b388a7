//! A peg, and a plate with a hole for it.

use std::f64::consts::PI;

use super::ShapeError;
use super::finish::{Length, check_multiple, check_triangles};
use super::revolve::{check_revolve, revolve, unit_circle};
use super::rings::Rings;
use crate::mesh::TriMesh;

/// How [`peg`] is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PegOptions {
    /// From the axis to the middles of its flat sides; its corners are farther out, by 1 / cos(π / segments).
    pub radius: f64,
    /// Along z.
    pub length: f64,
    /// How much of both ends is cut off at 45°; 0 for none.
    pub chamfer: f64,
    /// Flat sides around the axis, at least 3.
    pub segments: usize,
}

impl Default for PegOptions {
    fn default() -> Self {
        Self { radius: 0.2, length: 1.0, chamfer: 0.02, segments: 64 }
    }
}

/// A peg along z, centred on the origin: a prism around the round cylinder of its radius. It goes into a [`hole_plate`].
pub fn peg(options: PegOptions) -> Result<TriMesh, ShapeError> {
    let shape = "peg";
    let PegOptions { radius, length, chamfer, segments } = options;
    Length { shape, parameter: "radius", value: radius }.check()?;
    Length { shape, parameter: "length", value: length }.check()?;
    check_revolve(shape, segments, 6)?;
    let half = 0.5 * length;
    let corner = |radius: f64| radius / (PI / segments as f64).cos();
    let mut profile = vec![[0.0, -half], [corner(radius), -half], [corner(radius), half], [0.0, half]];
    if chamfer != 0.0 {
        let cut = Length { shape, parameter: "chamfer", value: chamfer };
        cut.check_below("`radius` and half of `length`", radius.min(half))?;
        let inner = corner(radius - chamfer);
        profile[1][1] += chamfer;
        profile[2][1] -= chamfer;
        profile.insert(1, [inner, -half]);
        profile.insert(4, [inner, half]);
    }
    revolve(shape, &profile, segments)
}

/// How [`hole_plate`] is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HolePlateOptions {
    /// Of its square sides.
    pub width: f64,
    /// Along z.
    pub thickness: f64,
    /// From the axis to the middles of the hole's flat sides.
    pub hole_radius: f64,
    /// Flat sides around the hole, a multiple of 8.
    pub segments: usize,
}

impl Default for HolePlateOptions {
    fn default() -> Self {
        Self { width: 1.0, thickness: 0.25, hole_radius: 0.21, segments: 64 }
    }
}

/// A square plate across z with a hole along z, centred on the origin.
///
/// Flat sides of the hole stand in the same directions as those of a [`peg`] with as many, and radii of both are to the
/// middles of these. So a peg on the axis, not turned or by whole sides, has **exactly `hole_radius` − `radius` of room** all around: that is the
/// least distance of the two polyhedra, wherever the peg is along z, as long as it reaches through. Turned by anything else it has less, by up to
/// its radius times 1 / cos(π / segments) − 1, which is 0.0012 with 64 sides.
pub fn hole_plate(options: HolePlateOptions) -> Result<TriMesh, ShapeError> {
    let shape = "hole_plate";
    let HolePlateOptions { width, thickness, hole_radius, segments } = options;
    Length { shape, parameter: "width", value: width }.check()?;
    Length { shape, parameter: "thickness", value: thickness }.check()?;
    check_multiple(shape, segments, (8, "the multiples of 8"))?;
    check_triangles(shape, "`segments`", [segments, 4])?;
    let narrowing = (PI / segments as f64).cos();
    Length { shape, parameter: "hole_radius", value: hole_radius }
        .check_below("half of `width`, less what corners need", 0.5 * width * narrowing)?;

    let mut rings = Rings::new(shape, unit_circle(segments));
    let [low, high] = [-0.5 * thickness, 0.5 * thickness];
    let [hole_low, hole_high] = [low, high].map(|z| rings.add_circle(z, hole_radius / narrowing));
    let [rim_low, rim_high] = [low, high].map(|z| rings.add(z, |_, direction| on_square(width, direction)));
    rings.join(hole_low, rim_low);
    rings.join(rim_low, rim_high);
    rings.join(rim_high, hole_high);
    rings.join(hole_high, hole_low);
    rings.finish()
}

/// Where a ray from the middle of a square meets its sides.
fn on_square(width: f64, [cos, sin]: [f64; 2]) -> [f64; 2] {
    let half = 0.5 * width;
    if cos.abs() >= sin.abs() {
        [half.copysign(cos), half * (sin / cos.abs())]
    } else {
        [half * (cos / sin.abs()), half.copysign(sin)]
    }
}
