use glam::DVec3;

use super::ShapeError;
use super::finish::{Count, Length, check_triangles, finish};
use super::revolve::{band, unit_circle};
use crate::mesh::TriMesh;

/// How [`torus`] is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TorusOptions {
    /// From the axis to the middle of the ring.
    pub major_radius: f64,
    /// Of the ring's cross section; smaller than the major radius.
    pub minor_radius: f64,
    /// Steps around the axis, at least 3.
    pub major_segments: usize,
    /// Steps around the cross section, at least 3.
    pub minor_segments: usize,
}

impl Default for TorusOptions {
    fn default() -> Self {
        Self { major_radius: 0.35, minor_radius: 0.15, major_segments: 96, minor_segments: 48 }
    }
}

/// A ring around z, centred on the origin.
pub fn torus(options: TorusOptions) -> Result<TriMesh, ShapeError> {
    let shape = "torus";
    let TorusOptions { major_radius, minor_radius, major_segments, minor_segments } = options;
    Length { shape, parameter: "major_radius", value: major_radius }.check()?;
    Length { shape, parameter: "minor_radius", value: minor_radius }
        .check_below("`major_radius`", major_radius)?;
    Count { shape, parameter: "major_segments", value: major_segments }.check(3)?;
    Count { shape, parameter: "minor_segments", value: minor_segments }.check(3)?;
    check_triangles(shape, "`major_segments` and `minor_segments`", [major_segments, minor_segments])?;

    let around_axis = unit_circle(major_segments);
    let section = unit_circle(minor_segments);
    let mut vertices = Vec::with_capacity(major_segments * minor_segments);
    for &[section_cos, section_sin] in &section {
        let (radius, z) = (major_radius + minor_radius * section_cos, minor_radius * section_sin);
        vertices.extend(around_axis.iter().map(|&[cos, sin]| DVec3::new(radius * cos, radius * sin, z)));
    }
    // Rings follow the section counter-clockwise, which runs upward on the outside.
    let triangles = (0..minor_segments)
        .flat_map(|ring| band(major_segments, ring, (ring + 1) % minor_segments))
        .collect();
    finish(shape, vertices, triangles)
}
