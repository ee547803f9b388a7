//! Screw threads: the ISO metric profile along a helix.
//!
//! ```text
//!         P/8
//!        ╱‾‾‾╲         ╱‾‾      d/2
//!       ╱     ╲       ╱               flanks at 30° to the radius
//!   ___╱       ╲_____╱         d/2 − 5/8 H,  H = √3/2 P
//!                P/4
//! ```
//!
//! Rows of vertices lie P/n apart along z when there are n around, so the helix goes from corner to corner along the diagonals: on each of them the profile
//! has one value, its bends at multiples of P/16 among them, and the surface is strips along the helix without ripples.

use std::f64::consts::PI;

use super::ShapeError;
use super::finish::{Length, check_multiple, check_triangles};
use super::revolve::unit_circle;
use super::rings::{Ring, Rings};

/// Flat sides around must be a multiple of this: of 16 for the bends of the profile, of 6 for hexagons.
pub(super) const AROUND: (usize, &str) = (48, "the multiples of 48");

/// How much narrower the neck of a bolt is than its thread's root, and how much wider the mouth of a nut, in pitches.
const RELIEF: f64 = 0.05;

/// A thread that rises counter-clockwise, as on most screws, through a crest at z = 0 along +x.
#[derive(Debug, Clone, Copy)]
pub(super) struct Thread {
    pub(super) shape: &'static str,
    pub(super) diameter: f64,
    pub(super) pitch: f64,
    pub(super) segments: usize,
}

impl Thread {
    pub(super) fn check(&self) -> Result<(), ShapeError> {
        let Self { shape, diameter, pitch, segments } = *self;
        Length { shape, parameter: "diameter", value: diameter }.check()?;
        // Deeper, and not much of the bolt is left.
        Length { shape, parameter: "pitch", value: pitch }
            .check_below("half of `diameter`", 0.5 * diameter)?;
        check_multiple(shape, segments, AROUND)
    }

    pub(super) fn rings(&self) -> Rings {
        Rings::new(self.shape, unit_circle(self.segments))
    }

    /// Rows that fit a length, with something like one left over; an error if there are none, or far too many.
    pub(super) fn rows(&self, parameter: &'static str, length: f64) -> Result<usize, ShapeError> {
        let shape = self.shape;
        Length { shape, parameter, value: length }.check()?;
        let rows = (length / self.row() - 0.5).floor();
        if rows < self.segments as f64 {
            let range = "lengths of more than one and a half pitches";
            return Err(ShapeError::OutOfRange { shape, parameter, value: length, range });
        }
        check_triangles(shape, "`segments` or the length over the pitch", [self.segments, rows as usize])?;
        Ok(rows as usize)
    }

    /// Distance of rows.
    pub(super) fn row(&self) -> f64 {
        self.pitch / self.segments as f64
    }

    /// Radius of the bottom of the thread: half the minor diameter.
    pub(super) fn root(&self) -> f64 {
        0.5 * self.diameter - 0.625 * 0.75f64.sqrt() * self.pitch
    }

    pub(super) fn relief(&self) -> f64 {
        RELIEF * self.pitch
    }

    /// The profile so many rows beside a crest.
    fn radius(&self, rows: i64) -> f64 {
        let around = self.segments as i64;
        let beside = rows.rem_euclid(around).min((-rows).rem_euclid(around)) as f64 / around as f64;
        let flank = 0.5 * self.diameter - 3f64.sqrt() * self.pitch * (beside - 0.0625);
        flank.clamp(self.root(), 0.5 * self.diameter)
    }

    /// The row of vertices so many above z = 0, its radii widened by some length and then by a factor.
    pub(super) fn add_row(&self, rings: &mut Rings, row: i64, (wider, factor): (f64, f64)) -> Ring {
        let z = row as f64 * self.row();
        rings.add(z, |k, [cos, sin]| {
            let radius = factor * (self.radius(row - k as i64) + wider);
            [radius * cos, radius * sin]
        })
    }

    /// What a nut's radii are widened by for a clearance. The flanks of both are where F = r − f(z − Pθ/2π) is 0 and that much, so they are apart
    /// by it over |∇F| = √(1 + f'² + (f'·P / 2πr)²) with f' = √3; at the root that is largest. Edges from corner to corner, one step of 2π/n around and one
    /// of f'·P/n in radius, leave the helix by P/2π times a quarter of the product of 2π/n and the relative step in radius; that for bolt and nut, times
    /// f' to count in radii, is added.
    pub(super) fn widening(&self, clearance: f64) -> f64 {
        let rise = self.pitch / (2.0 * PI * self.root());
        let twist = 1.5 * self.row() * self.row() / self.root();
        clearance * (4.0 + 3.0 * rise * rise).sqrt() + twist
    }
}

/// Where a ray from the middle of a hexagon, with corners along ±x, meets its sides.
pub(super) fn on_hexagon(across_flats: f64, k: usize, [cos, sin]: [f64; 2], segments: usize) -> [f64; 2] {
    let sixth = segments / 6;
    // From the middle of a side.
    let from_flat = (k % sixth) as f64 / sixth as f64 - 0.5;
    let radius = 0.5 * across_flats / (from_flat * PI / 3.0).cos();
    [radius * cos, radius * sin]
}
