//! A portrait of a solid by casting: every sample of every pixel is a segment, `first_hits` says where it meets the surface and
//! `touches` whether the light sees that place.
//!
//! ```text
//! cargo run --release -p isotouch --example portrait -- MODEL OUT.png [WIDTH]
//! ```
//!
//! MODEL is a `.field` file, a mesh, or the name of a built-in shape such as `torus-knot`. The y axis points up.

// A program: it says what it did.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::time::Instant;

use glam::DVec3;
use isotouch::ccd::{CastOptions, Hit, Segment};
use isotouch::field::{Field, FieldOptions};
use isotouch::mesh::{TriMesh, shapes};
use rayon::prelude::*;

/// Samples along each side of a pixel; each sees another part of the lamp, so shadows have soft edges.
const SAMPLES: u32 = 4;
/// Cells along the longest side of a field built here.
const RESOLUTION: u32 = 384;

// Colours are linear, not sRGB.
const CLAY: DVec3 = DVec3::new(0.80, 0.46, 0.30);
const SKY: DVec3 = DVec3::new(0.62, 0.74, 0.86);
const FLOOR: DVec3 = DVec3::new(0.70, 0.68, 0.65);
const SUN: DVec3 = DVec3::new(1.0, 0.93, 0.82);

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (model, out, width) = match &arguments[..] {
        [model, out] => (model, out, 800),
        [model, out, width] => (model, out, width.parse()?),
        _ => return Err("usage: portrait MODEL OUT.png [WIDTH]".into()),
    };
    if !(1..=8192).contains(&width) {
        return Err("the width must be from 1 to 8192 pixels".into());
    }
    let field = open(model)?;
    let scene = Scene::around(&field);
    let height = width * 7 / 8;
    let start = Instant::now();
    let rgb: Vec<u8> = (0..height).flat_map(|row| scene.row(row, width, height)).collect();
    println!(
        "{width} × {height} pixels, {} samples each, in {:.1} s",
        SAMPLES * SAMPLES,
        start.elapsed().as_secs_f64()
    );

    let mut encoder = png::Encoder::new(BufWriter::new(File::create(out)?), width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(&rgb)?;
    Ok(())
}

fn open(model: &str) -> Result<Field, Box<dyn Error>> {
    if model.ends_with(".field") {
        return Ok(Field::open(model)?);
    }
    let mesh = match shapes::by_name(model) {
        Some(shape) => shape,
        None => TriMesh::read(model)?,
    };
    Ok(Field::from_mesh(&mesh, &FieldOptions { resolution: RESOLUTION, ..Default::default() })?)
}

/// The solid on a floor, a camera and a lamp.
struct Scene<'a> {
    field: &'a Field,
    /// Radius of a ball around the solid: the unit of all that follows.
    size: f64,
    floor: f64,
    eye: DVec3,
    /// From the eye: to the middle of the picture, and half its width and height on the plane there.
    forward: DVec3,
    right: DVec3,
    up: DVec3,
}

impl<'a> Scene<'a> {
    fn around(field: &'a Field) -> Self {
        let bounds = field.grid().bounds();
        let size = 0.5 * bounds.extent().length();
        let floor = lowest(field);
        let mut middle = bounds.center();
        middle.y = floor + 0.40 * (bounds.max.y - bounds.min.y);
        let away = DVec3::new(0.34, 0.30, 1.0).normalize_or_zero();
        let distance = 3.4 * size;
        let forward = -away * distance;
        let right = DVec3::Y.cross(away).normalize_or_zero() * 0.86 * size;
        let up = away.cross(right) * (7.0 / 8.0);
        Self { field, size, floor, eye: middle + away * distance, forward, right, up }
    }

    /// A row of pixels, as sRGB bytes.
    fn row(&self, row: u32, width: u32, height: u32) -> Vec<u8> {
        let fine = |k: u32, of: u32| (f64::from(k) + 0.5) / f64::from(of * SAMPLES) * 2.0 - 1.0;
        let samples: Vec<(u32, u32)> =
            (0..SAMPLES).flat_map(|j| (0..width * SAMPLES).map(move |i| (i, j))).collect();
        let segments: Vec<Segment> = samples
            .iter()
            .map(|&(i, j)| {
                let (x, y) = (fine(i, width), -fine(row * SAMPLES + j, height));
                Segment::new(self.eye, self.eye + 2.0 * (self.forward + x * self.right + y * self.up))
            })
            .collect();
        let hits = self.field.first_hits(&segments, 0.0, &CastOptions::default());
        let colours: Vec<DVec3> = samples
            .par_iter()
            .zip(&segments)
            .zip(&hits)
            .map(|((&(i, j), segment), hit)| self.colour(segment, hit.as_ref(), lamp(i, row * SAMPLES + j)))
            .collect();
        let pixel = |x: u32| {
            let of_pixel = (0..SAMPLES * SAMPLES).map(|k| {
                let (i, j) = (x * SAMPLES + k % SAMPLES, k / SAMPLES);
                colours[(j * width * SAMPLES + i) as usize]
            });
            of_pixel.sum::<DVec3>() / f64::from(SAMPLES * SAMPLES)
        };
        (0..width).flat_map(|x| srgb(pixel(x))).collect()
    }

    fn colour(&self, segment: &Segment, hit: Option<&Hit>, lamp: DVec3) -> DVec3 {
        match hit {
            Some(hit) => self.lit(hit.point, self.smooth_normal(hit), CLAY, lamp),
            None => self.background(segment, lamp),
        }
    }

    /// Diffuse light of the lamp where it sees the place, and of sky and floor where nothing is in their way.
    fn lit(&self, at: DVec3, normal: DVec3, colour: DVec3, lamp: DVec3) -> DVec3 {
        let facing = normal.dot(lamp).max(0.0);
        // Off the surface, so that the place does not shade itself.
        let begin = at + normal * 1.5 * self.field.grid().cell;
        let is_lit = facing > 0.0 && {
            let to_lamp = Segment::new(begin, begin + lamp * 3.0 * self.size);
            !self.field.touches(&to_lamp, 0.0, &CastOptions::default())
        };
        let direct = if is_lit { facing } else { 0.0 };
        let ambient = SKY.lerp(FLOOR * 0.6, 0.5 - 0.5 * normal.y) * self.openness(at, normal);
        colour * (SUN * 0.80 * direct + ambient * 0.45)
    }

    /// How far the surroundings are open: along the normal of a plane the distance is what was walked, in a hollow it is less.
    fn openness(&self, at: DVec3, normal: DVec3) -> f64 {
        let walked = (1..=5).map(|k| 0.035 * self.size * f64::from(k));
        let open = walked.map(|far| (self.clearance(at + normal * far) / far).clamp(0.0, 1.0));
        open.sum::<f64>() / 5.0
    }

    /// About the distance, outside the box too and without a jump at its border, which would show on the floor.
    fn clearance(&self, p: DVec3) -> f64 {
        let on_box = self.field.grid().bounds().project(p);
        self.field.distance(on_box).value().hypot(p.distance(on_box))
    }

    /// Slopes over two cells: those of a single cell jump from cell to cell, which shows.
    fn smooth_normal(&self, hit: &Hit) -> DVec3 {
        let step = self.field.grid().cell;
        let slope = DVec3::AXES.map(|axis| {
            let at = |side: f64| self.field.distance(hit.point + axis * side * step).value();
            at(1.0) - at(-1.0)
        });
        DVec3::from_array(slope).try_normalize().or(hit.normal).unwrap_or(DVec3::Y)
    }

    /// The floor, which fades into the sky.
    fn background(&self, segment: &Segment, lamp: DVec3) -> DVec3 {
        // Not zero: segments go from the eye through the solid and beyond.
        let direction = (segment.to - segment.from).normalize_or_zero();
        let height = (0.5 + 1.6 * direction.y).clamp(0.0, 1.0);
        let sky = DVec3::new(0.93, 0.91, 0.88).lerp(SKY, height);
        let far = (self.floor - segment.from.y) / direction.y;
        if far <= 0.0 || !far.is_finite() {
            return sky;
        }
        let at = segment.from + direction * far;
        let fade = ((at - self.eye - self.forward).length() / (4.0 * self.size)).clamp(0.0, 1.0);
        self.lit(at, DVec3::Y, FLOOR, lamp).lerp(sky, fade * fade * (3.0 - 2.0 * fade))
    }
}

/// The height at which the solid stands: the lowest of the places that segments from below meet.
fn lowest(field: &Field) -> f64 {
    let bounds = field.grid().bounds();
    let across = 256;
    let upward = |k: i32| {
        let at = DVec3::new(f64::from(k % across), 0.0, f64::from(k / across)) + DVec3::new(0.5, 0.0, 0.5);
        let from = bounds.min + at / f64::from(across) * bounds.extent();
        Segment::new(from, from + DVec3::Y * bounds.extent().y)
    };
    let segments: Vec<Segment> = (0..across * across).map(upward).collect();
    let hits = field.first_hits(&segments, 0.0, &CastOptions::default());
    hits.iter().flatten().map(|hit| hit.point.y).reduce(f64::min).unwrap_or(bounds.min.y)
}

/// The direction of the lamp for a sample, in column `i` and row `j` of all samples. Samples of a pixel share the lamp out among
/// them; where in its share a sample looks changes from one to the next, so that soft shadows have grain and not bands.
fn lamp(i: u32, j: u32) -> DVec3 {
    // A permutation, so that a sample's place in the pixel says nothing about its place on the lamp.
    let share = ((i % SAMPLES) * SAMPLES + j % SAMPLES) * 7 % (SAMPLES * SAMPLES);
    let mut mixed = (u64::from(i) << 32 | u64::from(j)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let grain = |bits: u64| (bits & 0xffff) as f64 / 65536.0;
    let part = |k: u32, grain: f64| (f64::from(k) + grain) / f64::from(SAMPLES) - 0.5;
    let u = part(share / SAMPLES, grain(mixed >> 48));
    let v = part(share % SAMPLES, grain(mixed >> 32));
    let lamp = DVec3::new(-0.62, 1.0, 0.55)
        + 0.35 * u * DVec3::new(1.0, 0.4, 0.4)
        + 0.35 * v * DVec3::new(0.0, -0.5, 0.9);
    lamp.normalize_or_zero()
}

/// Bytes of a linear colour.
fn srgb(colour: DVec3) -> [u8; 3] {
    let curve = |x: f64| if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 };
    colour.to_array().map(|x| (255.0 * curve(x.clamp(0.0, 1.0))).round() as u8)
}
