//! Pictures of a built-in scene of cloth, side by side: moved for a while, then its triangles drawn with a depth buffer and a lamp that throws shadows. Cloth is
//! checked, so that one sees where it is stretched and sheared.
//!
//! ```text
//! cargo run --release -p isotouch --example cloth_portrait -- SCENE SECONDS[,SECONDS…] OUT.png [WIDTH]
//! ```

// A program: it says what it did.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;

use glam::{DMat3, DVec2, DVec3};
use isotouch::cloth::scenes::{self, ClothScene};
use isotouch::output::cloth_film::ClothFilm;

/// Samples along each side of a pixel.
const SAMPLES: usize = 3;
/// Pixels along a side of the lamp's picture.
const LAMP: usize = 2048;

// Colours are linear, not sRGB.
const CLOTH: DVec3 = DVec3::new(0.62, 0.20, 0.16);
const CHECK: DVec3 = DVec3::new(0.78, 0.58, 0.48);
/// How much darker the inside is.
const INSIDE: f64 = 0.6;
/// Of a check, m.
const SIDE: f64 = 0.05;
const OBSTACLE: DVec3 = DVec3::new(0.55, 0.55, 0.58);
const SKY: DVec3 = DVec3::new(0.80, 0.86, 0.92);

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (name, times, out, width) = match &arguments[..] {
        [name, times, out] => (name, times, out, 400),
        [name, times, out, width] => (name, times, out, width.parse()?),
        _ => return Err("usage: cloth_portrait SCENE SECONDS[,SECONDS…] OUT.png [WIDTH]".into()),
    };
    if !(1..=4096).contains(&width) {
        return Err("the width must be from 1 to 4096 pixels".into());
    }
    let times: Vec<f64> = times.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let mut scene = scenes::by_name(name)?;
    let (mut moments, mut points) = (Vec::new(), Vec::new());
    for &seconds in &times {
        while scene.world.time() < seconds - 1e-9 {
            scene.step()?;
        }
        moments.push(triangles_of(&scene));
        points.extend(scene.world.cloths().iter().flat_map(|cloth| cloth.places().iter().copied()));
    }
    // From where each scene tells most: toward the eye.
    let toward = match name.as_str() {
        "flag-wires" => DVec3::new(1.0, 0.35, 0.8),
        "trousers" => DVec3::new(0.35, 0.15, 1.0),
        _ => DVec3::new(0.6, 0.55, 1.0),
    };
    let height = width;
    let all = || points.iter().copied();
    let eye = View::of(toward, all(), 1.15, [width * SAMPLES, height * SAMPLES]);
    let lamp = View::of(DVec3::new(-0.5, 1.0, 0.6), all(), 2.2, [LAMP, LAMP]);
    let pictures: Vec<Vec<u8>> = moments
        .iter()
        .map(|triangles| develop(&eye, &eye.draw(triangles), (&lamp, &lamp.draw(triangles)), triangles))
        .collect();
    let rows = (0..height).flat_map(|y| pictures.iter().map(move |rgb| &rgb[3 * width * y..][..3 * width]));
    let rgb: Vec<u8> = rows.flatten().copied().collect();

    let wide = (width * pictures.len()) as u32;
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(out)?), wide, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(&rgb)?;
    println!("{name} after {times:?} s: {out}");
    Ok(())
}

struct Triangle {
    corners: [DVec3; 3],
    normals: [DVec3; 3],
    /// Of the whole triangle.
    face: DVec3,
    /// Where its corners were at rest; of what is no cloth, nothing.
    rest: Option<[DVec3; 3]>,
}

fn triangles_of(scene: &ClothScene) -> Vec<Triangle> {
    let mut all = Vec::new();
    let mut add = |places: &[DVec3], triangles: &[[u32; 3]], rest: Option<&[DVec3]>| {
        let mut normals = vec![DVec3::ZERO; places.len()];
        let faces = || triangles.iter().map(|of| of.map(|i| i as usize));
        let flat = |[a, b, c]: [usize; 3]| (places[b] - places[a]).cross(places[c] - places[a]);
        for of in faces() {
            for i in of {
                normals[i] += flat(of);
            }
        }
        for of in faces() {
            let face = flat(of).normalize_or_zero();
            // Solids have sharp edges, cloth has none.
            let at = |i: usize| {
                let smooth = normals[i].normalize_or_zero();
                if rest.is_some() || smooth.dot(face) > 0.8 { smooth } else { face }
            };
            let rest = rest.map(|rest| of.map(|i| rest[i]));
            all.push(Triangle { corners: of.map(|i| places[i]), normals: of.map(at), face, rest });
        }
    };
    for one in ClothFilm::new(&scene.world).shown() {
        add(&one.frames[0], one.mesh.triangles(), Some(one.mesh.vertices()));
    }
    for (id, mesh) in &scene.meshes {
        let pose = scene.world.obstacle(*id).pose();
        let places: Vec<DVec3> = mesh.vertices().iter().map(|&p| pose.place(p)).collect();
        add(&places, mesh.triangles(), None);
    }
    all
}

/// Seen without perspective.
struct View {
    /// Rows: right, up, toward the eye.
    view_from_world: DMat3,
    center: DVec3,
    /// Pixels per metre.
    scale: f64,
    size: [usize; 2],
}

/// What is seen at a pixel.
#[derive(Clone, Copy)]
struct Seen {
    depth: f64,
    triangle: u32,
    weights: [f64; 3],
}

const NOTHING: Seen = Seen { depth: f64::NEG_INFINITY, triangle: u32::MAX, weights: [0.0; 3] };

impl View {
    fn of(toward: DVec3, points: impl Iterator<Item = DVec3>, margin: f64, size: [usize; 2]) -> Self {
        let toward = toward.normalize_or_zero();
        let right = DVec3::Y.cross(toward).normalize_or_zero();
        let view_from_world = DMat3::from_cols(right, toward.cross(right), toward).transpose();
        let (low, high) = points
            .map(|p| view_from_world * p)
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
        let extent = (high - low) * margin;
        let scale = (size[0] as f64 / extent.x).min(size[1] as f64 / extent.y);
        Self { view_from_world, center: 0.5 * (low + high), scale, size }
    }

    /// x and y in pixels, z in metres toward the eye.
    fn place(&self, point: DVec3) -> DVec3 {
        let p = self.view_from_world * point - self.center;
        let [w, h] = self.size.map(|pixels| 0.5 * pixels as f64);
        DVec3::new(w + p.x * self.scale, h - p.y * self.scale, p.z)
    }

    fn draw(&self, triangles: &[Triangle]) -> Vec<Seen> {
        let [width, height] = self.size;
        let mut seen = vec![NOTHING; width * height];
        for (k, of) in triangles.iter().enumerate() {
            let [a, b, c] = of.corners.map(|p| self.place(p));
            let flat = |p: DVec3| DVec2::new(p.x, p.y);
            let area = (flat(b) - flat(a)).perp_dot(flat(c) - flat(a));
            if area == 0.0 {
                continue;
            }
            let (low, high) = (a.min(b).min(c), a.max(b).max(c));
            let range = |low: f64, high: f64, size: usize| {
                (low.floor().max(0.0) as usize)..(high.ceil().clamp(0.0, size as f64) as usize)
            };
            for y in range(low.y, high.y, height) {
                for x in range(low.x, high.x, width) {
                    let p = DVec2::new(x as f64 + 0.5, y as f64 + 0.5);
                    let part =
                        |from: DVec3, to: DVec3| (flat(to) - flat(from)).perp_dot(p - flat(from)) / area;
                    let weights = [part(b, c), part(c, a), part(a, b)];
                    if weights.iter().any(|&weight| weight < 0.0) {
                        continue;
                    }
                    let depth = weights[0] * a.z + weights[1] * b.z + weights[2] * c.z;
                    let pixel = &mut seen[y * width + x];
                    if depth > pixel.depth {
                        *pixel = Seen { depth, triangle: k as u32, weights };
                    }
                }
            }
        }
        seen
    }
}

fn mixed(of: [DVec3; 3], weights: [f64; 3]) -> DVec3 {
    of[0] * weights[0] + of[1] * weights[1] + of[2] * weights[2]
}

/// Light, shadow, and from samples to pixels.
fn develop(eye: &View, seen: &[Seen], (lamp, shadows): (&View, &[Seen]), triangles: &[Triangle]) -> Vec<u8> {
    let toward_eye = eye.view_from_world.transpose() * DVec3::Z;
    let toward_lamp = lamp.view_from_world.transpose() * DVec3::Z;
    let colour = |one: &Seen| -> DVec3 {
        let Some(of) = triangles.get(one.triangle as usize) else { return SKY };
        let point = mixed(of.corners, one.weights);
        let mut normal = mixed(of.normals, one.weights).normalize_or_zero();
        // By the triangle, not by the smoothed normal, which turns away before the outline does.
        let is_front = of.face.dot(toward_eye) >= 0.0;
        if !is_front {
            normal = -normal;
        }
        let paint = match of.rest {
            Some(rest) => {
                // A little beside zero, where flat sheets lie.
                let at = (mixed(rest, one.weights) / SIDE + 0.01).floor();
                let check = if (at.x + at.y + at.z).rem_euclid(2.0) < 0.5 { CLOTH } else { CHECK };
                check * if is_front { 1.0 } else { INSIDE }
            }
            None => OBSTACLE,
        };
        let at = lamp.place(point + normal * (3.0 / lamp.scale));
        let is_there = at.x >= 0.0 && at.y >= 0.0 && (at.x as usize) < LAMP && (at.y as usize) < LAMP;
        let is_lit =
            !is_there || shadows[at.y as usize * LAMP + at.x as usize].depth < at.z + 2.0 / lamp.scale;
        let sun = if is_lit { normal.dot(toward_lamp).max(0.0) } else { 0.0 };
        paint * (0.30 + 0.15 * normal.y + 0.9 * sun)
    };
    let [width, height] = eye.size.map(|samples| samples / SAMPLES);
    let mut rgb = Vec::with_capacity(3 * width * height);
    for y in 0..height {
        for x in 0..width {
            let samples = (0..SAMPLES * SAMPLES).map(|k| {
                let (i, j) = (x * SAMPLES + k % SAMPLES, y * SAMPLES + k / SAMPLES);
                colour(&seen[j * eye.size[0] + i])
            });
            let mean = samples.sum::<DVec3>() / (SAMPLES * SAMPLES) as f64;
            rgb.extend(mean.to_array().map(|v| (v.clamp(0.0, 1.0).powf(1.0 / 2.2) * 255.0).round() as u8));
        }
    }
    rgb
}
