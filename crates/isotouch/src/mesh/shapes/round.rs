//! Bodies of revolution: cylinder, capsule, cone, bowl.

use std::f64::consts::FRAC_PI_2;

use super::ShapeError;
use super::finish::{Count, Length};
use super::revolve::{ProfilePoint, check_revolve, revolve};
use crate::mesh::TriMesh;

/// How [`cylinder`] is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CylinderOptions {
    /// Radius of the circle its corners lie on.
    pub radius: f64,
    /// Length along z.
    pub height: f64,
    /// Flat sides around the axis, at least 3.
    pub segments: usize,
    /// Bands along the axis, at least 1.
    pub rings: usize,
}

impl Default for CylinderOptions {
    fn default() -> Self {
        Self { radius: 0.5, height: 1.0, segments: 64, rings: 1 }
    }
}

/// A cylinder along z, centred on the origin. It is a prism inscribed in the round cylinder.
pub fn cylinder(options: CylinderOptions) -> Result<TriMesh, ShapeError> {
    let shape = "cylinder";
    let CylinderOptions { radius, height, segments, rings } = options;
    Length { shape, parameter: "radius", value: radius }.check()?;
    Length { shape, parameter: "height", value: height }.check()?;
    Count { shape, parameter: "rings", value: rings }.check(1)?;
    check_revolve(shape, segments, rings)?;
    let mut profile = vec![[0.0, -0.5 * height]];
    profile.extend((0..=rings).map(|i| [radius, height * (i as f64 / rings as f64 - 0.5)]));
    profile.push([0.0, 0.5 * height]);
    revolve(shape, &profile, segments)
}

/// How [`cone`] is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConeOptions {
    /// Radius of the circle that the corners of its base lie on.
    pub radius: f64,
    /// From base to tip.
    pub height: f64,
    /// Flat sides around the axis, at least 3.
    pub segments: usize,
}

impl Default for ConeOptions {
    fn default() -> Self {
        Self { radius: 0.5, height: 1.0, segments: 64 }
    }
}

/// A cone with its tip up: base at z = −height/2, tip at z = height/2.
pub fn cone(options: ConeOptions) -> Result<TriMesh, ShapeError> {
    let shape = "cone";
    let ConeOptions { radius, height, segments } = options;
    Length { shape, parameter: "radius", value: radius }.check()?;
    Length { shape, parameter: "height", value: height }.check()?;
    let low = -0.5 * height;
    revolve(shape, &[[0.0, low], [radius, low], [0.0, -low]], segments)
}

/// How [`capsule`] is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CapsuleOptions {
    /// Radius of the cylinder and its two hemispheres.
    pub radius: f64,
    /// Between the centres of the hemispheres: the whole capsule is `2 · radius` longer.
    pub length: f64,
    /// Flat sides around the axis, at least 3.
    pub segments: usize,
    /// Bands from the rim of each hemisphere to its pole, at least 1.
    pub rings: usize,
}

impl Default for CapsuleOptions {
    fn default() -> Self {
        Self { radius: 0.25, length: 0.5, segments: 64, rings: 16 }
    }
}

/// A cylinder with a hemisphere on each end, along z, centred on the origin.
pub fn capsule(options: CapsuleOptions) -> Result<TriMesh, ShapeError> {
    let shape = "capsule";
    let CapsuleOptions { radius, length, segments, rings } = options;
    Length { shape, parameter: "radius", value: radius }.check()?;
    Length { shape, parameter: "length", value: length }.check()?;
    Count { shape, parameter: "rings", value: rings }.check(1)?;
    check_revolve(shape, segments, rings.saturating_mul(2))?;
    let south: Vec<ProfilePoint> = quarter(radius, rings).map(|[r, z]| [r, z - 0.5 * length]).collect();
    let north = south.iter().rev().map(|&[r, z]| [r, -z]);
    let profile: Vec<ProfilePoint> = south.iter().copied().chain(north).collect();
    revolve(shape, &profile, segments)
}

/// How [`bowl`] is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BowlOptions {
    /// Radius of the outer hemisphere.
    pub radius: f64,
    /// Between the outer and the inner hemisphere, smaller than the radius.
    pub thickness: f64,
    /// Flat sides around the axis, at least 3.
    pub segments: usize,
    /// Bands from the rim to the bottom, outside and inside, at least 1.
    pub rings: usize,
}

impl Default for BowlOptions {
    fn default() -> Self {
        Self { radius: 0.5, thickness: 0.05, segments: 64, rings: 24 }
    }
}

/// A hemispherical bowl open upward, with a flat rim at z = 0. The origin is the centre of both hemispheres.
pub fn bowl(options: BowlOptions) -> Result<TriMesh, ShapeError> {
    let shape = "bowl";
    let BowlOptions { radius, thickness, segments, rings } = options;
    Length { shape, parameter: "radius", value: radius }.check()?;
    Length { shape, parameter: "thickness", value: thickness }.check_below("`radius`", radius)?;
    Count { shape, parameter: "rings", value: rings }.check(1)?;
    check_revolve(shape, segments, rings.saturating_mul(2))?;
    let inner: Vec<ProfilePoint> = quarter(radius - thickness, rings).collect();
    let profile: Vec<ProfilePoint> = quarter(radius, rings).chain(inner.into_iter().rev()).collect();
    revolve(shape, &profile, segments)
}

/// A quarter circle about the origin, from the south pole to the equator.
fn quarter(radius: f64, rings: usize) -> impl Iterator<Item = ProfilePoint> {
    (0..=rings).map(move |i| {
        // Poles and equator exactly: sin and cos of the rounded right angle leave 6e-17.
        if i == 0 {
            return [0.0, -radius];
        }
        if i == rings {
            return [radius, 0.0];
        }
        let (sin, cos) = (FRAC_PI_2 * i as f64 / rings as f64).sin_cos();
        [radius * sin, -radius * cos]
    })
}
