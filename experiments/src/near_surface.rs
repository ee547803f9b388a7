//! Short segments near the surface of a mesh.

use glam::DVec3;
use isotouch::ccd::Segment;
use isotouch::field::Field;
use isotouch::mesh::TriMesh;

use crate::random::Random;

/// Draws points evenly over a surface.
pub(crate) struct NearSurface<'a> {
    mesh: &'a TriMesh,
    /// Area of all triangles up to each, that one included.
    areas: Vec<f64>,
}

impl<'a> NearSurface<'a> {
    pub(crate) fn new(mesh: &'a TriMesh) -> Self {
        let area = |total: &mut f64, t: usize| {
            let [a, b, c] = mesh.corners(t);
            *total += 0.5 * (b - a).cross(c - a).length();
            Some(*total)
        };
        let areas = (0..mesh.triangles().len()).scan(0.0, area).collect();
        Self { mesh, areas }
    }

    /// A point at most `off` from the surface.
    fn point(&self, random: &mut Random, off: f64) -> DVec3 {
        let at = random.unit() * self.areas.last().copied().unwrap_or(0.0);
        let triangle = self.areas.partition_point(|&area| area <= at).min(self.areas.len() - 1);
        let [a, b, c] = self.mesh.corners(triangle);
        // The square root spreads points evenly; without it they would crowd at a.
        let (u, v) = (random.unit().sqrt(), random.unit());
        let normal = (b - a).cross(c - a).normalize_or_zero();
        a + u * (b - a) + u * v * (c - b) + off * (2.0 * random.unit() - 1.0) * normal
    }

    /// Segments of one length in random directions that begin outside, their midpoints near the surface; both in cells. Turned
    /// round where they begin inside, drawn again where that does not help: the shape must have an outside near its surface.
    pub(crate) fn segments_outside(
        &self,
        field: &Field,
        count: usize,
        length: f64,
        near: f64,
        seed: u64,
    ) -> Vec<Segment> {
        let cell = field.grid().cell;
        let mut random = Random::new(seed);
        let is_outside = |p: DVec3| field.distance(p).value() > 0.0;
        let mut segments = Vec::with_capacity(count);
        while segments.len() < count {
            let middle = self.point(&mut random, near * cell);
            let half = 0.5 * length * cell * random.direction();
            let segment = Segment::new(middle - half, middle + half);
            if is_outside(segment.from) {
                segments.push(segment);
            } else if is_outside(segment.to) {
                segments.push(segment.reversed());
            }
        }
        segments
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use isotouch::field::FieldOptions;
    use isotouch::mesh::shapes;

    #[test]
    fn segments_are_as_long_and_as_near_as_asked_and_begin_outside() {
        let ball = shapes::sphere(1.0, 20_480).unwrap();
        let field = Field::from_mesh(&ball, &FieldOptions { resolution: 64, ..Default::default() }).unwrap();
        let cell = field.grid().cell;
        let segments = NearSurface::new(&ball).segments_outside(&field, 500, 3.0, 2.0, 1);
        assert_eq!(segments.len(), 500);
        for segment in &segments {
            assert!((segment.from.distance(segment.to) - 3.0 * cell).abs() < 1e-12);
            // The ball of triangles is within a thousandth of the round one.
            assert!((segment.at(0.5).length() - 1.0).abs() < 2.0 * cell + 1e-3);
            assert!(field.distance(segment.from).value() > 0.0);
        }
        let above = segments.iter().filter(|segment| segment.at(0.5).z > 0.0).count();
        assert!((200..300).contains(&above), "{above} of 500 are on the upper half");
    }
}
