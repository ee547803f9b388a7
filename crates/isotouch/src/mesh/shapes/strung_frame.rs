//! A frame strung with wires, as one surface.

use std::collections::BTreeMap;

use glam::DVec3;

use super::ShapeError;
use super::finish::{Count, Length, check_multiple, check_triangles, finish};
use super::revolve::unit_circle;
use crate::mesh::TriMesh;

/// How [`strung_frame`] is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StrungFrameOptions {
    /// Along x, outside.
    pub width: f64,
    /// Along y, outside.
    pub height: f64,
    /// Along z.
    pub depth: f64,
    /// Width of the frame's four sides.
    pub border: f64,
    /// How many wires, at least 1.
    pub wires: usize,
    /// Of the circle that the corners of a wire lie on; some of them straight up and down, along y.
    pub wire_radius: f64,
    /// Flat sides of a wire, a multiple of 8.
    pub segments: usize,
}

impl Default for StrungFrameOptions {
    fn default() -> Self {
        Self { width: 1.0, height: 1.0, depth: 0.1, border: 0.1, wires: 12, wire_radius: 0.006, segments: 16 }
    }
}

impl StrungFrameOptions {
    /// From the middle of a wire to that of the next. The first one is half of it from the frame.
    pub fn wire_spacing(&self) -> f64 {
        (self.height - 2.0 * self.border) / self.wires as f64
    }
}

/// A rectangular frame across z, centred on the origin, with wires along x evenly over its window: one closed surface, on which wires grow out of
/// the frame and nothing crosses. Wires are so thin that motions tested at their ends, or against a coarse field, pass through them.
pub fn strung_frame(options: StrungFrameOptions) -> Result<TriMesh, ShapeError> {
    strung("strung_frame", options)
}

pub(super) fn strung(shape: &'static str, options: StrungFrameOptions) -> Result<TriMesh, ShapeError> {
    let StrungFrameOptions { width, height, depth, border, wires, wire_radius, segments } = options;
    for (parameter, value) in [("width", width), ("height", height), ("depth", depth)] {
        Length { shape, parameter, value }.check()?;
    }
    Length { shape, parameter: "border", value: border }
        .check_below("half of `width` and of `height`", 0.5 * width.min(height))?;
    Count { shape, parameter: "wires", value: wires }.check(1)?;
    check_multiple(shape, segments, (8, "the multiples of 8"))?;
    check_triangles(shape, "`wires` and `segments`", [wires.saturating_mul(5), segments])?;
    // Below 1/√8, so that the wall around a wire's end can be cut into triangles between corners of the two.
    Length { shape, parameter: "wire_radius", value: wire_radius }.check_below(
        "a third of `depth` and of the distance of wires",
        depth.min(options.wire_spacing()) / 3.0,
    )?;

    let mut frame = Frame { options, triangles: Vec::new() };
    frame.add_fronts();
    frame.add_outside();
    frame.add_window();
    for wire in 0..wires {
        frame.add_wire(wire);
    }
    let (vertices, triangles) = numbered(&frame.triangles);
    finish(shape, vertices, triangles)
}

/// Corners by number. Places that faces share are computed in one way, so they are the same bits.
fn numbered(triangles: &[[DVec3; 3]]) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let mut vertices = Vec::new();
    let mut numbers = BTreeMap::new();
    let mut number = |place: DVec3| {
        // Nothing has a sign at 0.
        *numbers.entry(place.to_array().map(|x| (x + 0.0).to_bits())).or_insert_with(|| {
            vertices.push(place);
            vertices.len() as u32 - 1
        })
    };
    let triangles = triangles.iter().map(|corners| corners.map(&mut number)).collect();
    (vertices, triangles)
}

/// Triangles of the frame, corner by corner.
struct Frame {
    options: StrungFrameOptions,
    triangles: Vec<[DVec3; 3]>,
}

impl Frame {
    /// Steps along each of the four sides of the cell in the wall that a wire ends in.
    fn steps(&self) -> usize {
        self.options.segments / 4
    }

    /// Half the window along x; negative on the left.
    fn wall(&self, side: f64) -> f64 {
        side * (0.5 * self.options.width - self.options.border)
    }

    /// Heights along the walls of the window, from 0 to wires · steps.
    fn y(&self, k: usize) -> f64 {
        let window = self.options.height - 2.0 * self.options.border;
        window * (k as f64 / (self.options.wires * self.steps()) as f64 - 0.5)
    }

    /// Depths across the walls, from 0 to steps.
    fn z(&self, k: usize) -> f64 {
        self.options.depth * (k as f64 / self.steps() as f64 - 0.5)
    }

    fn quad(&mut self, [a, b, c, d]: [DVec3; 4]) {
        self.triangles.extend([[a, b, c], [a, c, d]]);
    }

    /// The outer corner to a side along x and y, at a depth.
    fn corner(&self, x: f64, y: f64, z: f64) -> DVec3 {
        DVec3::new(0.5 * x * self.options.width, 0.5 * y * self.options.height, z)
    }

    /// What is seen along z, from in front and behind.
    fn add_fronts(&mut self) {
        let last = self.options.wires * self.steps();
        let start = self.triangles.len();
        for z in [self.z(self.steps()), self.z(0)] {
            let inner = |side: f64, k: usize| DVec3::new(self.wall(side), self.y(k), z);
            let outer = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
            let [low_left, low_right, high_right, high_left] = outer.map(|(x, y)| self.corner(x, y, z));
            let mut front = vec![
                [low_left, low_right, inner(1.0, 0)],
                [low_left, inner(1.0, 0), inner(-1.0, 0)],
                [low_left, inner(-1.0, last), high_left],
                [high_left, inner(-1.0, last), inner(1.0, last)],
                [high_left, inner(1.0, last), high_right],
                [high_right, inner(1.0, 0), low_right],
            ];
            for k in 0..last {
                front.push([low_left, inner(-1.0, k), inner(-1.0, k + 1)]);
                front.push([high_right, inner(1.0, k + 1), inner(1.0, k)]);
            }
            self.triangles.extend(front);
        }
        // Behind, the other way round.
        let each = (self.triangles.len() - start) / 2;
        self.triangles[start + each..].iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }

    fn add_outside(&mut self) {
        let around = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        let [back, front] = [self.z(0), self.z(self.steps())];
        for k in 0..4 {
            let [p, q] = [around[k], around[(k + 1) % 4]];
            let at = |(x, y): (f64, f64), z: f64| self.corner(x, y, z);
            self.quad([at(p, back), at(q, back), at(q, front), at(p, front)]);
        }
    }

    /// The window's floor and ceiling; its walls have wires.
    fn add_window(&mut self) {
        let [left, right] = [self.wall(-1.0), self.wall(1.0)];
        let [low, high] = [self.y(0), self.y(self.options.wires * self.steps())];
        for k in 0..self.steps() {
            let [back, front] = [self.z(k), self.z(k + 1)];
            let at = DVec3::new;
            self.quad([
                at(left, low, back),
                at(left, low, front),
                at(right, low, front),
                at(right, low, back),
            ]);
            self.quad([
                at(left, high, back),
                at(right, high, back),
                at(right, high, front),
                at(left, high, front),
            ]);
        }
    }

    /// A wire, and the cells in both walls that it grows out of.
    fn add_wire(&mut self, wire: usize) {
        let (segments, steps) = (self.options.segments, self.steps());
        let [low, high] = [wire * steps, (wire + 1) * steps];
        // Around the cell, from the corner behind and above, forward first: counter-clockwise seen against x.
        let cell = |k: usize| match (k / steps % 4, k % steps) {
            (0, along) => [self.y(high), self.z(along)],
            (1, along) => [self.y(high - along), self.z(steps)],
            (2, along) => [self.y(low), self.z(steps - along)],
            (_, along) => [self.y(low + along), self.z(0)],
        };
        let middle = 0.5 * (self.y(low) + self.y(high));
        let circle = unit_circle(segments);
        let on_wire = |k: usize| {
            // An eighth of a turn back: below the cell's first corner.
            let [cos, sin] = circle[(k + 7 * segments / 8) % segments];
            [middle + self.options.wire_radius * cos, self.options.wire_radius * sin]
        };
        let [left, right] = [self.wall(-1.0), self.wall(1.0)];
        let at = |x: f64, [y, z]: [f64; 2]| DVec3::new(x, y, z);
        let mut quads = Vec::with_capacity(3 * segments);
        for k in 0..segments {
            let next = k + 1;
            quads.push([
                at(left, cell(k)),
                at(left, cell(next)),
                at(left, on_wire(next)),
                at(left, on_wire(k)),
            ]);
            quads.push([
                at(left, on_wire(k)),
                at(left, on_wire(next)),
                at(right, on_wire(next)),
                at(right, on_wire(k)),
            ]);
            quads.push([
                at(right, on_wire(k)),
                at(right, on_wire(next)),
                at(right, cell(next)),
                at(right, cell(k)),
            ]);
        }
        quads.into_iter().for_each(|quad| self.quad(quad));
    }
}
