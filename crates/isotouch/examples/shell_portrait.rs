//! A picture of a shell: the surface it was made on, and its points as discs along the surface, in the colour of the level they first
//! belong to.
//!
//! ```sh
//! isotouch shell part.obj -o part.shell --points 2000
//! cargo run --release --example shell_portrait -- part.obj part.shell part.png
//! ```
//!
//! Plain rasterising: every triangle, then every disc, into a buffer of depths, several samples a pixel.

// This is a program, and programs print.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;

use isotouch::math::{Aabb, DVec3};
use isotouch::mesh::TriMesh;
use isotouch::shell::PointShell;

/// Samples along each side of a pixel.
const SAMPLES: usize = 3;
const SURFACE: DVec3 = DVec3::new(0.80, 0.78, 0.74);
/// Of the coarsest level, the next ones, and the finest.
const LEVELS: [DVec3; 5] = [
    DVec3::new(0.75, 0.05, 0.05),
    DVec3::new(0.85, 0.35, 0.02),
    DVec3::new(0.70, 0.55, 0.02),
    DVec3::new(0.05, 0.40, 0.25),
    DVec3::new(0.04, 0.16, 0.45),
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (mesh, shell, out, width) = match &arguments[..] {
        [mesh, shell, out] => (mesh, shell, out, 800),
        [mesh, shell, out, width] => (mesh, shell, out, width.parse()?),
        _ => return Err("usage: shell_portrait MESH SHELL OUT.png [WIDTH]".into()),
    };
    if !(1..=8192).contains(&width) {
        return Err("the width must be from 1 to 8192 pixels".into());
    }
    let (mesh, shell) = (TriMesh::read(mesh)?, PointShell::open(shell)?);
    let mut view = View::of(&mesh, width);
    for t in 0..mesh.triangles().len() {
        view.draw_triangle(mesh.corners(t));
    }
    view.draw_points(&shell);
    let (rgb, height) = view.developed();
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(out)?), width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(&rgb)?;
    println!("{} points of {} levels", shell.len(), shell.levels().len());
    Ok(())
}

/// A view from far away, so that parallel lines stay parallel.
struct View {
    /// To the right, upward and towards the eye.
    axes: [DVec3; 3],
    /// The lower left corner, along those axes.
    corner: DVec3,
    /// Samples per unit of length.
    scale: f64,
    width: usize,
    height: usize,
    /// Of every sample: how near to the eye, and its colour.
    depths: Vec<f64>,
    colours: Vec<DVec3>,
}

impl View {
    fn of(mesh: &TriMesh, pixels: usize) -> Self {
        let toward = DVec3::new(0.42, 0.36, 1.0).normalize_or_zero();
        let right = DVec3::Y.cross(toward).normalize_or_zero();
        let axes = [right, toward.cross(right), toward];
        let seen = Aabb::of_points(mesh.vertices().iter().map(|v| along(axes, *v)));
        let margin = 0.04 * seen.extent().max_element();
        let seen = seen.expanded(margin);
        let width = pixels * SAMPLES;
        let scale = width as f64 / seen.extent().x;
        let height = ((seen.extent().y * scale / SAMPLES as f64).ceil() as usize).max(1) * SAMPLES;
        Self {
            axes,
            corner: seen.min,
            scale,
            width,
            height,
            depths: vec![f64::NEG_INFINITY; width * height],
            colours: vec![DVec3::new(0.97, 0.96, 0.94); width * height],
        }
    }

    /// Where a point is: x and y in samples, z towards the eye.
    fn place(&self, p: DVec3) -> DVec3 {
        let at = along(self.axes, p) - self.corner;
        DVec3::new(at.x * self.scale, at.y * self.scale, at.z)
    }

    /// Every sample of a rectangle, with its index.
    fn samples(&self, low: DVec3, high: DVec3) -> impl Iterator<Item = (usize, f64, f64)> + use<> {
        let clamp = |x: f64, most: usize| (x.max(0.0) as usize).min(most);
        let (left, right) = (clamp(low.x, self.width), clamp(high.x + 1.0, self.width));
        let (bottom, top) = (clamp(low.y, self.height), clamp(high.y + 1.0, self.height));
        let width = self.width;
        (bottom..top)
            .flat_map(move |y| (left..right).map(move |x| (y * width + x, x as f64 + 0.5, y as f64 + 0.5)))
    }

    fn draw_triangle(&mut self, corners: [DVec3; 3]) {
        let [a, b, c] = corners.map(|v| self.place(v));
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
        // Both sides are shown alike.
        let facing = along(self.axes, normal);
        let colour = SURFACE * light(facing * facing.z.signum());
        let area = (b - a).truncate().perp_dot((c - a).truncate());
        for (at, x, y) in self.samples(a.min(b).min(c), a.max(b).max(c)) {
            let p = DVec3::new(x, y, 0.0);
            let part = |u: DVec3, v: DVec3| (v - u).truncate().perp_dot((p - u).truncate()) / area;
            let (wa, wb, wc) = (part(b, c), part(c, a), part(a, b));
            let depth = wa * a.z + wb * b.z + wc * c.z;
            if wa >= 0.0 && wb >= 0.0 && wc >= 0.0 && depth > self.depths[at] {
                self.depths[at] = depth;
                self.colours[at] = colour;
            }
        }
    }

    fn draw_points(&mut self, shell: &PointShell) {
        let levels = shell.levels();
        // Discs of the finest level cover about a fifth of the surface.
        let radius = (0.2 * shell.area() / shell.len() as f64 / std::f64::consts::PI).sqrt();
        for (k, (&point, &normal)) in shell.points().iter().zip(shell.normals()).enumerate() {
            let level = levels.iter().position(|level| k < level.points).unwrap_or(levels.len() - 1);
            let from_finest = (levels.len() - 1 - level).min(LEVELS.len() - 1);
            let colour = LEVELS[LEVELS.len() - 1 - from_finest];
            self.draw_disc(point, normal, (radius * (1.0 + 0.22 * from_finest as f64), colour));
        }
    }

    /// A disc along the surface, where nothing is in front of it.
    fn draw_disc(&mut self, center: DVec3, normal: DVec3, (radius, colour): (f64, DVec3)) {
        let facing = along(self.axes, normal);
        if facing.z <= 0.05 {
            return;
        }
        let (at, reach) = (self.place(center), DVec3::new(radius, radius, 0.0) * self.scale);
        let colour = colour * (0.55 + 0.45 * light(facing));
        for (sample, x, y) in self.samples(at - reach, at + reach) {
            let (dx, dy) = ((x - at.x) / self.scale, (y - at.y) / self.scale);
            // In the plane of the disc.
            let dz = -(dx * facing.x + dy * facing.y) / facing.z;
            let is_inside = dx * dx + dy * dy + dz * dz <= radius * radius;
            // The surface may be curved; half a radius in front of the disc it still is the same.
            if is_inside && at.z + dz > self.depths[sample] - 0.5 * radius {
                self.colours[sample] = colour;
            }
        }
    }

    /// Bytes of the pixels from top to bottom, and how many rows.
    fn developed(&self) -> (Vec<u8>, usize) {
        let (columns, rows) = (self.width / SAMPLES, self.height / SAMPLES);
        let pixel = |row: usize, column: usize| {
            let samples = (0..SAMPLES * SAMPLES).map(|k| {
                let (x, y) = (column * SAMPLES + k % SAMPLES, row * SAMPLES + k / SAMPLES);
                self.colours[y * self.width + x]
            });
            samples.sum::<DVec3>() / (SAMPLES * SAMPLES) as f64
        };
        let bytes = |colour: DVec3| {
            // About the curve of sRGB.
            colour.to_array().map(|x| (255.0 * x.clamp(0.0, 1.0).powf(1.0 / 2.2)).round() as u8)
        };
        let rgb =
            (0..rows).rev().flat_map(|row| (0..columns).flat_map(move |column| bytes(pixel(row, column))));
        (rgb.collect(), rows)
    }
}

fn along(axes: [DVec3; 3], v: DVec3) -> DVec3 {
    DVec3::from_array(axes.map(|axis| axis.dot(v)))
}

/// How bright a place is that faces so, along the axes of the view: a lamp to the upper left, and some light from everywhere.
fn light(facing: DVec3) -> f64 {
    let lamp = DVec3::new(-0.45, 0.6, 0.66);
    0.30 + 0.70 * facing.dot(lamp).max(0.0)
}
