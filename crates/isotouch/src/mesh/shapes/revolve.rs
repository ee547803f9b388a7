//! Surfaces of revolution about z.

use std::f64::consts::TAU;

use glam::DVec3;

use super::ShapeError;
use super::finish::{Count, check_triangles, finish};
use crate::mesh::TriMesh;

/// A point of a profile: distance from the axis, height.
pub(super) type ProfilePoint = [f64; 2];

/// Turns a profile that starts and ends on the axis about z; the points between the two stay off the axis.
///
/// The body lies to the left of the profile: running upward outside, as from the south pole of a globe to the north.
pub(super) fn revolve(
    shape: &'static str,
    profile: &[ProfilePoint],
    segments: usize,
) -> Result<TriMesh, ShapeError> {
    check_revolve(shape, segments, profile.len())?;
    let rings = profile.len() - 2;
    let circle = unit_circle(segments);
    let mut vertices = Vec::with_capacity(rings * segments + 2);
    for &[radius, z] in &profile[1..=rings] {
        vertices.extend(circle.iter().map(|&[cos, sin]| DVec3::new(radius * cos, radius * sin, z)));
    }
    let start = vertices.len() as u32;
    vertices.push(DVec3::new(0.0, 0.0, profile[0][1]));
    vertices.push(DVec3::new(0.0, 0.0, profile[rings + 1][1]));

    let mut triangles = Vec::with_capacity(2 * rings * segments);
    triangles.extend(fan(segments, 0).map(|[a, b]| [start, b, a]));
    for ring in 1..rings {
        triangles.extend(band(segments, ring - 1, ring));
    }
    triangles.extend(fan(segments, rings - 1).map(|[a, b]| [start + 1, a, b]));
    finish(shape, vertices, triangles)
}

/// Refuses counts that enclose nothing or too much, for a profile about to be made.
pub(super) fn check_revolve(shape: &'static str, segments: usize, rings: usize) -> Result<(), ShapeError> {
    Count { shape, parameter: "segments", value: segments }.check(3)?;
    check_triangles(shape, "`segments` and `rings`", [segments, rings])
}

/// `[cos, sin]` of evenly spaced angles, counter-clockwise from x.
pub(super) fn unit_circle(segments: usize) -> Vec<[f64; 2]> {
    (0..segments)
        .map(|k| {
            let (sin, cos) = (TAU * k as f64 / segments as f64).sin_cos();
            [cos, sin]
        })
        .collect()
}

/// Edges of a ring of vertices, in order.
pub(super) fn fan(segments: usize, ring: usize) -> impl Iterator<Item = [u32; 2]> {
    let first = ring * segments;
    (0..segments).map(move |k| [(first + k) as u32, (first + (k + 1) % segments) as u32])
}

/// Triangles between two rings; outward when the second lies ahead along the axis the rings turn about.
pub(super) fn band(segments: usize, ring: usize, next: usize) -> impl Iterator<Item = [u32; 3]> {
    fan(segments, ring).zip(fan(segments, next)).flat_map(|([a, b], [d, c])| [[a, b, c], [a, c, d]])
}
