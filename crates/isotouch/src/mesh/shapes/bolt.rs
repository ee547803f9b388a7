//! A bolt and the nut for it.

use std::f64::consts::PI;

use super::ShapeError;
use super::finish::Length;
use super::thread::{Thread, on_hexagon};
use crate::mesh::TriMesh;

/// How [`bolt`] is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoltOptions {
    /// Of the thread's crests: 10 for M10.
    pub diameter: f64,
    /// Along the axis from one turn of the thread to the next, less than half the diameter: 1.5 for M10.
    pub pitch: f64,
    /// From under the head to the tip, at least one and a half pitches.
    pub length: f64,
    /// Of the head, between opposite sides: 16 for M10.
    pub head_width: f64,
    /// Of the head, along z: 6.4 for M10.
    pub head_height: f64,
    /// Flat sides around, and rows of vertices per turn: a multiple of 48.
    pub segments: usize,
}

impl Default for BoltOptions {
    fn default() -> Self {
        Self { diameter: 0.4, pitch: 0.1, length: 0.6, head_width: 0.6, head_height: 0.25, segments: 48 }
    }
}

/// A bolt with a hexagonal head and a right-hand ISO thread up to under the head. Its tip is at z = 0, its head below: a crest is where z = pitch · θ / 2π.
///
/// All of its corners are on the true thread, all else is inside it but for the twist of the flanks between corners.
pub fn bolt(options: BoltOptions) -> Result<TriMesh, ShapeError> {
    let shape = "bolt";
    let BoltOptions { diameter, pitch, length, head_width, head_height, segments } = options;
    let thread = Thread { shape, diameter, pitch, segments };
    thread.check()?;
    let rows = thread.rows("length", length)? as i64;
    Length { shape, parameter: "diameter", value: diameter }.check_below("`head_width`", head_width)?;
    Length { shape, parameter: "head_width", value: head_width }.check()?;
    Length { shape, parameter: "head_height", value: head_height }.check()?;

    let mut rings = thread.rings();
    let hexagon = |k, direction| on_hexagon(head_width, k, direction, segments);
    let bottom = -length - head_height;
    let [head_low, head_high] = [bottom, -length].map(|z| rings.add(z, hexagon));
    // What is left over under the head is a neck, as screws have where the thread runs out.
    let neck = thread.root() - thread.relief();
    let [neck_low, neck_high] = [-length, -(rows as f64) * thread.row()].map(|z| rings.add_circle(z, neck));
    rings.close_below(head_low, bottom);
    rings.join(head_low, head_high);
    rings.join(head_high, neck_low);
    rings.join(neck_low, neck_high);
    let mut last = neck_high;
    for row in -rows..=0 {
        let next = thread.add_row(&mut rings, row, (0.0, 1.0));
        rings.join(last, next);
        last = next;
    }
    rings.close_above(last, 0.0);
    rings.finish()
}

/// How [`nut`] is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NutOptions {
    /// Of the bolt it is for.
    pub diameter: f64,
    /// Of the bolt it is for.
    pub pitch: f64,
    /// Along z, at least one and a half pitches.
    pub height: f64,
    /// Between opposite sides.
    pub width: f64,
    /// Room between its thread and that of the bolt.
    pub clearance: f64,
    /// Flat sides around, and rows of vertices per turn: a multiple of 48. As many as the bolt has, or more.
    pub segments: usize,
}

impl Default for NutOptions {
    fn default() -> Self {
        Self { diameter: 0.4, pitch: 0.1, height: 0.32, width: 0.75, clearance: 0.008, segments: 48 }
    }
}

/// A hexagonal nut around z, from z = 0 up, whose thread is that of a [`bolt`] with its tip at z = 0, wider by the clearance.
///
/// So it is free on such a bolt wherever it is turned by an angle φ and moved along z by pitch · φ / 2π, or by whole pitches more: nothing of the two threads is nearer than
/// the clearance. Pushed along z without turning it meets the bolt after a little more than the clearance.
pub fn nut(options: NutOptions) -> Result<TriMesh, ShapeError> {
    let shape = "nut";
    let NutOptions { diameter, pitch, height, width, clearance, segments } = options;
    let thread = Thread { shape, diameter, pitch, segments };
    thread.check()?;
    let rows = thread.rows("height", height)? as i64;
    // More, and the threads of bolt and nut would pass each other.
    Length { shape, parameter: "clearance", value: clearance }
        .check_below("a tenth of `pitch`", 0.1 * pitch)?;
    // Sides between corners are nearer to the axis than these, and those of the bolt may be elsewhere.
    let factor = 1.0 / (PI / segments as f64).cos();
    let wider = thread.widening(clearance);
    let mouth = factor * (0.5 * diameter + wider) + thread.relief();
    Length { shape, parameter: "diameter", value: 2.0 * mouth }
        .check_below("`width`, thread and clearance included", width)?;

    let mut rings = thread.rings();
    let hexagon = |k, direction| on_hexagon(width, k, direction, segments);
    let [low, high] = [0.0, height].map(|z| rings.add(z, hexagon));
    let first = thread.add_row(&mut rings, 0, (wider, factor));
    rings.join(low, high);
    rings.join(first, low);
    let mut last = first;
    for row in 1..=rows {
        let next = thread.add_row(&mut rings, row, (wider, factor));
        rings.join_inside(last, next);
        last = next;
    }
    // What is left over is a mouth wider than the thread.
    let [mouth_low, mouth_high] = [rows as f64 * thread.row(), height].map(|z| rings.add_circle(z, mouth));
    rings.join_inside(last, mouth_low);
    rings.join_inside(mouth_low, mouth_high);
    rings.join_inside(mouth_high, high);
    rings.finish()
}
