//! What the field tests compare against: written apart from the library, plain and slow.

// Every test file uses its own part of this one.
#![allow(dead_code, clippy::unwrap_used)]

mod double;
pub mod meshes;
pub mod random;

use std::path::{Path, PathBuf};

use isotouch::math::DVec3;
use isotouch::mesh::{Feature, TriMesh};

use double::{Double, Vector};

/// The point of a triangle closest to another point, from 32-digit arithmetic: slivers cost no accuracy.
#[derive(Debug, Clone, Copy)]
pub struct OnTriangle {
    pub point: DVec3,
    pub distance: f64,
    /// The part of the triangle it lies on.
    pub feature: Feature,
    /// How far the answer is from lying on another feature, as a fraction of the triangle: 0 is undecided.
    pub clear_by: f64,
}

/// Ericson's regions (Real-Time Collision Detection, 5.1.5) for the face; for the outline the least of three segments,
/// which also serves triangles without area.
pub fn closest_on_triangle(p: DVec3, corners: [DVec3; 3]) -> OnTriangle {
    let [a, b, c] = corners.map(Vector::of);
    let q = Vector::of(p);
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (ab.dot(q - a), ac.dot(q - a));
    let (d3, d4) = (ab.dot(q - b), ac.dot(q - b));
    let (d5, d6) = (ab.dot(q - c), ac.dot(q - c));
    let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    let total = va + vb + vc;
    let normal = ab.cross(ac);
    let longest_squared = [ab, ac, c - b].iter().map(|e| e.dot(*e).high()).fold(0.0, f64::max);
    // Below this height even 32 digits know no normal, and a segment is as good.
    let has_face = normal.length().high() > 1e-15 * longest_squared;
    if has_face && va.high() > 0.0 && vb.high() > 0.0 && vc.high() > 0.0 {
        // Along the normal, not from the barycentric weights: they lose twice as many digits on a sliver.
        let off_plane = normal * ((q - a).dot(normal) / normal.dot(normal));
        let clear_by = (va / total).high().min((vb / total).high()).min((vc / total).high());
        let (point, distance) = ((q - off_plane).high(), off_plane.length().high());
        return OnTriangle { point, distance, feature: Feature::Face, clear_by };
    }
    let outside_by = if total.high() > 0.0 {
        -(va / total).high().min((vb / total).high()).min((vc / total).high())
    } else {
        0.0
    };
    let mut best: Option<OnTriangle> = None;
    for (k, (from, to)) in [(a, b), (b, c), (c, a)].into_iter().enumerate() {
        let along = to - from;
        let length_squared = along.dot(along);
        let t =
            if length_squared.high() > 0.0 { along.dot(q - from) / length_squared } else { Double::of(0.0) };
        let (at, feature, clear_by) = if t.high() <= 0.0 {
            (from, Feature::Corner(k as u8), (-t.high()).min(outside_by))
        } else if t.high() >= 1.0 {
            (to, Feature::Corner(((k + 1) % 3) as u8), (t.high() - 1.0).min(outside_by))
        } else {
            (from + along * t, Feature::Edge(k as u8), t.high().min(1.0 - t.high()).min(outside_by))
        };
        let distance = (q - at).length().high();
        if best.is_none_or(|known| distance < known.distance) {
            best = Some(OnTriangle { point: at.high(), distance, feature, clear_by });
        }
    }
    best.unwrap()
}

struct Cover {
    center: DVec3,
    radius: f64,
}

/// All triangles of a mesh, each in a sphere that tells when it need not be looked at.
pub struct Soup {
    triangles: Vec<[DVec3; 3]>,
    covers: Vec<Cover>,
}

impl Soup {
    pub fn new(mesh: &TriMesh) -> Self {
        let triangles: Vec<[DVec3; 3]> = (0..mesh.triangles().len()).map(|t| mesh.corners(t)).collect();
        let cover = |t: &[DVec3; 3]| {
            let center = (t[0] + t[1] + t[2]) / 3.0;
            let radius = t.iter().map(|v| v.distance(center)).fold(0.0, f64::max);
            Cover { center, radius: radius * (1.0 + 1e-9) + 1e-15 * center.length() }
        };
        let covers = triangles.iter().map(cover).collect();
        Self { triangles, covers }
    }

    /// Distance to the nearest triangle, with its index.
    pub fn closest(&self, p: DVec3) -> (usize, OnTriangle) {
        let upper = self.covers.iter().map(|s| p.distance(s.center) + s.radius).fold(f64::INFINITY, f64::min);
        let mut best: Option<(usize, OnTriangle)> = None;
        for (k, cover) in self.covers.iter().enumerate() {
            let limit =
                best.map_or(upper * (1.0 + 1e-9), |(_, known)| known.distance.min(upper * (1.0 + 1e-9)));
            let nearer = p.distance(cover.center) - cover.radius;
            if nearer > limit + 1e-12 * (limit + cover.radius) {
                continue;
            }
            let found = closest_on_triangle(p, self.triangles[k]);
            if best.is_none_or(|(_, known)| found.distance < known.distance) {
                best = Some((k, found));
            }
        }
        best.unwrap()
    }

    pub fn distance(&self, p: DVec3) -> f64 {
        self.closest(p).1.distance
    }

    /// How often the surface winds around a point: half solid angles (van Oosterom & Strackee 1983) added up as a
    /// product of complex numbers, counting how often it passes the negative real axis.
    pub fn winding(&self, p: DVec3) -> f64 {
        let (mut re, mut im) = (1.0f64, 0.0f64);
        let mut turns = 0i64;
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|v| v - p);
            let (la, lb, lc) = (a.length(), b.length(), c.length());
            let y = a.dot(b.cross(c));
            let x = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
            let norm = x.abs() + y.abs();
            if norm == 0.0 {
                continue;
            }
            let (x, y) = (x / norm, y / norm);
            let (new_re, new_im) = (re * x - im * y, re * y + im * x);
            if y > 0.0 && im >= 0.0 && new_im < 0.0 {
                turns += 1;
            }
            if y < 0.0 && im < 0.0 && new_im >= 0.0 {
                turns -= 1;
            }
            let norm = new_re.abs() + new_im.abs();
            (re, im) = (new_re / norm, new_im / norm);
        }
        turns as f64 + im.atan2(re) / std::f64::consts::TAU
    }

    /// Negative where the surface winds around the point at least once.
    pub fn signed_distance(&self, p: DVec3) -> f64 {
        let winding = self.winding(p);
        let distance = self.distance(p);
        if winding > 0.5 { -distance } else { distance }
    }
}

/// `work` on all items, on two threads.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let half = items.len() / 2;
    let work = &work;
    std::thread::scope(|scope| {
        let second = scope.spawn(move || items[half..].iter().map(work).collect::<Vec<R>>());
        let mut all: Vec<R> = items[..half].iter().map(work).collect();
        all.extend(second.join().unwrap());
        all
    })
}

/// Exact distance to a box around the origin, negative inside.
pub fn box_distance(p: DVec3, half: DVec3) -> f64 {
    let q = p.abs() - half;
    q.max(DVec3::ZERO).length() + q.max_element().min(0.0)
}

/// Exact distance to a ring around z.
pub fn torus_distance(p: DVec3, major: f64, minor: f64) -> f64 {
    (p.x.hypot(p.y) - major).hypot(p.z) - minor
}

/// The trilinear interpolant of eight corner values, x fastest, as a weighted mean.
pub fn trilinear(corners: [f64; 8], at: DVec3) -> f64 {
    (0..8)
        .map(|k| {
            let weight = |axis: usize| if k >> axis & 1 == 1 { at[axis] } else { 1.0 - at[axis] };
            corners[k] * weight(0) * weight(1) * weight(2)
        })
        .sum()
}

/// A third-party model, if this machine has it.
pub fn model(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("ISOTOUCH_MODELS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models"), PathBuf::from);
    let path = folder.join(name);
    if path.is_file() {
        return Some(path);
    }
    println!("skipped: no {} (set ISOTOUCH_MODELS to the models' folder)", path.display());
    None
}
