//! Three bars and a rod that goes between them.

use super::finish::{Length, check_multiple};
use super::strung_frame::{StrungFrameOptions, strung};
use super::{CylinderOptions, ShapeError, cylinder};
use crate::mesh::TriMesh;

/// How [`bars_and_rod`] are made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BarsOptions {
    /// Of each bar.
    pub bar_radius: f64,
    /// Room between two bars.
    pub gap: f64,
    /// Room on either side of the rod halfway between two bars; less than half the gap.
    pub clearance: f64,
    /// Of the rod.
    pub rod_length: f64,
    /// Flat sides of bars and rod, a multiple of 8.
    pub segments: usize,
}

impl Default for BarsOptions {
    fn default() -> Self {
        Self { bar_radius: 0.06, gap: 0.16, clearance: 0.02, rod_length: 0.8, segments: 32 }
    }
}

/// A small puzzle.
#[derive(Debug, Clone, PartialEq)]
pub struct BarsAndRod {
    /// Three bars along x in a frame across z, one above the other along y; the middle one goes through the origin.
    pub bars: TriMesh,
    /// A rod along z, centred on the origin: there it is in the middle bar, and half a spacing above or below it is free.
    pub rod: TriMesh,
    /// From the middle of a bar to that of the next: the gap and two bar radii.
    pub spacing: f64,
}

/// Three parallel bars held by a frame, and a rod to be swept between them: along z from outside, or over to the other gap.
///
/// Halfway between two bars, not turned, **the least distance of rod and bars is the clearance, exactly**: both have corners where they are
/// nearest.
pub fn bars_and_rod(options: BarsOptions) -> Result<BarsAndRod, ShapeError> {
    let shape = "bars_and_rod";
    let BarsOptions { bar_radius, gap, clearance, rod_length, segments } = options;
    for (parameter, value) in [("bar_radius", bar_radius), ("gap", gap), ("rod_length", rod_length)] {
        Length { shape, parameter, value }.check()?;
    }
    Length { shape, parameter: "clearance", value: clearance }.check_below("half of `gap`", 0.5 * gap)?;
    check_multiple(shape, segments, (8, "the multiples of 8"))?;
    // Bars as near to each other as they are thick would leave their ends no wall to stand in.
    Length { shape, parameter: "bar_radius", value: bar_radius }.check_below("`gap`", gap)?;
    let spacing = gap + 2.0 * bar_radius;
    let border = 2.0 * bar_radius;
    let bars = strung(
        shape,
        StrungFrameOptions {
            width: 3.0 * spacing + 2.0 * border,
            height: 3.0 * spacing + 2.0 * border,
            depth: 4.0 * bar_radius,
            border,
            wires: 3,
            wire_radius: bar_radius,
            segments,
        },
    )?;
    let radius = 0.5 * gap - clearance;
    let rod = cylinder(CylinderOptions { radius, height: rod_length, segments, rings: 1 })?;
    Ok(BarsAndRod { bars, rod, spacing })
}
