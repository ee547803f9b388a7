use std::f64::consts::TAU;

use glam::DVec3;

use super::ShapeError;
use super::finish::{Count, Length, check_triangles, finish};
use super::revolve::{band, fan, unit_circle};
use crate::mesh::TriMesh;

/// What happens where a tube begins and ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TubeEnds {
    /// A flat disc on each end.
    #[default]
    Flat,
    /// The last point is joined to the first (do not repeat it), without a seam.
    Joined,
}

/// How [`tube_along`] is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TubeOptions {
    /// Of the circle that each ring's corners lie on.
    pub radius: f64,
    /// Corners of each ring, at least 3.
    pub segments: usize,
    /// Closed by discs, or into a loop.
    pub ends: TubeEnds,
}

impl Default for TubeOptions {
    fn default() -> Self {
        Self { radius: 0.08, segments: 32, ends: TubeEnds::Flat }
    }
}

/// A tube along a curve given by points: one ring of vertices per point, without needless twist.
///
/// The curve should be sampled finely where it bends. A bend tighter than the radius is an error; parts of the curve
/// that are far apart along it but nearer than two radii in space are not noticed, and the tube then cuts itself.
pub fn tube_along(points: &[DVec3], options: TubeOptions) -> Result<TriMesh, ShapeError> {
    tube("tube_along", points, options)
}

pub(super) fn tube(
    shape: &'static str,
    points: &[DVec3],
    options: TubeOptions,
) -> Result<TriMesh, ShapeError> {
    let TubeOptions { radius, segments, ends } = options;
    Length { shape, parameter: "radius", value: radius }.check()?;
    Count { shape, parameter: "segments", value: segments }.check(3)?;
    let least = if ends == TubeEnds::Joined { 3 } else { 2 };
    Count { shape, parameter: "points", value: points.len() }.check(least)?;
    check_triangles(shape, "`segments` and the number of points", [segments, points.len()])?;

    let tangents = tangents(shape, points, ends)?;
    let frames = frames(points, &tangents, ends);
    let circle = unit_circle(segments);
    let mut vertices = Vec::with_capacity(points.len() * segments + 2);
    for (&point, [u, v]) in points.iter().zip(&frames) {
        vertices.extend(circle.iter().map(|&[cos, sin]| point + radius * (cos * u + sin * v)));
    }
    let rings = points.len();
    let bands = if ends == TubeEnds::Joined { rings } else { rings - 1 };
    for ring in 0..bands {
        let next = (ring + 1) % rings;
        // Rings cross where a vertex does not move on along the curve.
        let ahead = tangents[ring] + tangents[next];
        let stuck =
            |k: usize| (vertices[next * segments + k] - vertices[ring * segments + k]).dot(ahead) <= 0.0;
        if (0..segments).any(stuck) {
            return Err(ShapeError::BendTooTight { shape, point: ring, radius });
        }
    }

    let mut triangles = Vec::with_capacity(2 * (bands + 1) * segments);
    for ring in 0..bands {
        triangles.extend(band(segments, ring, (ring + 1) % rings));
    }
    if ends == TubeEnds::Flat {
        let start = vertices.len() as u32;
        vertices.extend([points[0], points[rings - 1]]);
        triangles.extend(fan(segments, 0).map(|[a, b]| [start, b, a]));
        triangles.extend(fan(segments, rings - 1).map(|[a, b]| [start + 1, a, b]));
    }
    finish(shape, vertices, triangles)
}

/// Unit directions at the points: halfway between the directions of the two steps that meet there.
fn tangents(shape: &'static str, points: &[DVec3], ends: TubeEnds) -> Result<Vec<DVec3>, ShapeError> {
    let n = points.len();
    let steps: Vec<DVec3> =
        (0..n).map(|i| (points[(i + 1) % n] - points[i]).try_normalize().unwrap_or(DVec3::ZERO)).collect();
    (0..n)
        .map(|i| {
            let [mut before, mut after] = [steps[(i + n - 1) % n], steps[i]];
            if ends == TubeEnds::Flat {
                before = if i == 0 { after } else { before };
                after = if i == n - 1 { before } else { after };
            }
            let no_direction = ShapeError::NoDirection { shape, point: i };
            if before == DVec3::ZERO || after == DVec3::ZERO {
                return Err(no_direction);
            }
            (before + after).try_normalize().ok_or(no_direction)
        })
        .collect()
}

/// Two unit vectors per point that are perpendicular to the tangent and to each other, turning as little as possible
/// along the curve: the double reflection method (Wang, Jüttler, Zheng, Liu 2008, "Computation of rotation minimizing
/// frames", table I).
fn frames(points: &[DVec3], tangents: &[DVec3], ends: TubeEnds) -> Vec<[DVec3; 2]> {
    let n = points.len();
    let mut u = tangents[0].any_orthonormal_vector();
    let mut us = vec![u];
    for i in 0..n - 1 {
        u = carried(u, [points[i], points[i + 1]], [tangents[i], tangents[i + 1]]);
        us.push(u);
    }
    let mut turn_per_length = 0.0;
    let mut lengths = vec![0.0; n];
    if ends == TubeEnds::Joined {
        for i in 1..n {
            lengths[i] = lengths[i - 1] + points[i].distance(points[i - 1]);
        }
        let whole = lengths[n - 1] + points[0].distance(points[n - 1]);
        // Carried once around, u comes back turned by some angle about the tangent. Turning every ring back by its share
        // closes the tube without a seam.
        let back = carried(u, [points[n - 1], points[0]], [tangents[n - 1], tangents[0]]);
        let angle = tangents[0].cross(us[0]).dot(back).atan2(us[0].dot(back));
        // At exactly half a turn rounding may choose either way; both close.
        debug_assert!(angle.abs() <= 0.5 * TAU);
        turn_per_length = -angle / whole;
    }
    us.iter()
        .zip(tangents)
        .zip(lengths)
        .map(|((&u, &t), length)| {
            let v = t.cross(u);
            let (sin, cos) = (turn_per_length * length).sin_cos();
            [cos * u + sin * v, cos * v - sin * u]
        })
        .collect()
}

/// The frame vector u carried from one point to the next.
fn carried(u: DVec3, [from, to]: [DVec3; 2], [tangent, next_tangent]: [DVec3; 2]) -> DVec3 {
    // Reflect in the plane halfway between the points, then in the one that takes the reflected tangent to the next.
    let reflected = |x: DVec3, normal: DVec3| x - normal * (2.0 * normal.dot(x));
    // A missing normal means nothing to reflect: the points or tangents coincide already.
    let halfway = (to - from).normalize_or_zero();
    let (u, tangent) = (reflected(u, halfway), reflected(tangent, halfway));
    let u = reflected(u, (next_tangent - tangent).normalize_or_zero());
    // Takes out the rounding that would add up over many points.
    (u - next_tangent * next_tangent.dot(u)).try_normalize().unwrap_or(next_tangent.any_orthonormal_vector())
}
