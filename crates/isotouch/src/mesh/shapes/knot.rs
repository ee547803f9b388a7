use std::f64::consts::TAU;

use glam::DVec3;

use super::ShapeError;
use super::finish::{Count, Length, check_triangles};
use super::tube::{TubeEnds, TubeOptions, tube};
use crate::mesh::TriMesh;

/// How [`torus_knot`] is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TorusKnotOptions {
    /// From the axis to the middle of the ring that the curve winds around.
    pub major_radius: f64,
    /// From the middle of the ring to the curve; smaller than the major radius.
    pub minor_radius: f64,
    /// Of the tube along the curve.
    pub tube_radius: f64,
    /// Rings of vertices along the curve, at least 8 times the larger of `p` and `q`.
    pub rings: usize,
    /// Corners of each ring, at least 3.
    pub segments: usize,
}

impl Default for TorusKnotOptions {
    fn default() -> Self {
        Self { major_radius: 0.3, minor_radius: 0.12, tube_radius: 0.07, rings: 384, segments: 32 }
    }
}

/// A tube along the curve that winds `p` times around the z axis and `q` times around the ring meanwhile: 2, 3 is the
/// trefoil. Centred on the origin. An error when strands would touch: lower the tube radius then.
pub fn torus_knot(p: u32, q: u32, options: TorusKnotOptions) -> Result<TriMesh, ShapeError> {
    let shape = "torus_knot";
    let TorusKnotOptions { major_radius, minor_radius, tube_radius, rings, segments } = options;
    Count { shape, parameter: "p", value: p as usize }.check(1)?;
    Count { shape, parameter: "q", value: q as usize }.check(1)?;
    let factor = greatest_common_divisor(p, q);
    if factor > 1 {
        return Err(ShapeError::NotCoprime { p, q, factor });
    }
    Length { shape, parameter: "major_radius", value: major_radius }.check()?;
    Length { shape, parameter: "minor_radius", value: minor_radius }
        .check_below("`major_radius`", major_radius)?;
    Length { shape, parameter: "tube_radius", value: tube_radius }.check()?;
    // Fewer and the polygon through the points is another knot.
    Count { shape, parameter: "rings", value: rings }.check(8 * p.max(q) as usize)?;
    check_triangles(shape, "`rings` and `segments`", [rings, segments])?;

    let points: Vec<DVec3> = (0..rings)
        .map(|i| {
            let t = TAU * i as f64 / rings as f64;
            let (sin_p, cos_p) = (f64::from(p) * t).sin_cos();
            let (sin_q, cos_q) = (f64::from(q) * t).sin_cos();
            let radius = major_radius + minor_radius * cos_q;
            DVec3::new(radius * cos_p, radius * sin_p, minor_radius * sin_q)
        })
        .collect();
    if let Some(gap) = strand_gap(&points, tube_radius) {
        let (limit, limit_value) = ("half the distance between strands", 0.5 * gap);
        return Err(ShapeError::TooLarge {
            shape,
            parameter: "tube_radius",
            value: tube_radius,
            limit,
            limit_value,
        });
    }
    tube(shape, &points, TubeOptions { radius: tube_radius, segments, ends: TubeEnds::Joined })
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// The smallest distance between strands of a closed curve, when it is below two tube radii.
///
/// Two points belong to different strands when the curve between them is longer than a half circle of the tightest
/// bend a tube of this radius can take, π · radius. The curve is thinned to about 1000 points, between which the
/// distance can be smaller by half a step's sagitta only, since strands run side by side.
fn strand_gap(points: &[DVec3], tube_radius: f64) -> Option<f64> {
    let thinned: Vec<DVec3> = points.iter().copied().step_by(points.len().div_ceil(1024)).collect();
    let n = thinned.len();
    let mut lengths = vec![0.0];
    for i in 0..n {
        lengths.push(lengths[i] + thinned[i].distance(thinned[(i + 1) % n]));
    }
    let whole = lengths[n];
    let mut least = f64::INFINITY;
    for i in 0..n {
        for j in i + 1..n {
            let along = lengths[j] - lengths[i];
            if along.min(whole - along) > std::f64::consts::PI * tube_radius {
                least = least.min(thinned[i].distance(thinned[j]));
            }
        }
    }
    (least <= 2.0 * tube_radius).then_some(least)
}
