//! What the field tests compare against: written apart from the library, plain and slow.

// Every test file uses its own part of this one.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::print_stdout)]

pub mod crc32;
pub mod cubic;
pub mod damage;
pub mod double;
pub mod meshes;
pub mod models;
pub mod motion;
pub mod node;
pub mod polynomial;
pub mod python;
pub mod random;
pub mod triangles;

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
    let edges = [(a, b), (b, c), (c, a)];
    let along_edge = edges.map(|(from, to)| {
        let squared = (to - from).dot(to - from);
        if squared.high() > 0.0 { (to - from).dot(q - from) / squared } else { Double::of(0.0) }
    });
    for (k, (from, to)) in edges.into_iter().enumerate() {
        let t = along_edge[k];
        // A corner is clear when it lies beyond the ends of both its edges.
        let beyond_both =
            |corner: usize| (-along_edge[corner].high()).min(along_edge[(corner + 2) % 3].high() - 1.0);
        let (at, feature, clear_by) = if t.high() <= 0.0 {
            (from, Feature::Corner(k as u8), beyond_both(k))
        } else if t.high() >= 1.0 {
            (to, Feature::Corner(((k + 1) % 3) as u8), beyond_both((k + 1) % 3))
        } else {
            (from + (to - from) * t, Feature::Edge(k as u8), t.high().min(1.0 - t.high()))
        };
        let (distance, clear_by) = ((q - at).length().high(), clear_by.min(outside_by));
        if best.is_none_or(|known| distance < known.distance) {
            best = Some(OnTriangle { point: at.high(), distance, feature, clear_by });
        }
    }
    best.unwrap()
}

/// About the distance to a triangle that is no sliver, off by 10⁻⁸ of its size and of the distance at most.
fn quick_distance(p: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (ab.dot(p - a), ac.dot(p - a));
    let (d3, d4) = (ab.dot(p - b), ac.dot(p - b));
    let (d5, d6) = (ab.dot(p - c), ac.dot(p - c));
    let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    if va > 0.0 && vb > 0.0 && vc > 0.0 {
        let normal = ab.cross(ac);
        return (p - a).dot(normal).abs() / normal.length();
    }
    let to_segment = |from: DVec3, along: DVec3| {
        let t = (along.dot(p - from) / along.length_squared()).clamp(0.0, 1.0);
        (p - from - t * along).length_squared()
    };
    to_segment(a, ab).min(to_segment(b, c - b)).min(to_segment(c, -ac)).sqrt()
}

/// A sphere around a triangle tells when it need not be looked at.
struct Cover {
    center: DVec3,
    radius: f64,
    is_sliver: bool,
}

/// All triangles of a mesh.
pub struct Soup {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    covers: Vec<Cover>,
}

impl Soup {
    pub fn new(mesh: &TriMesh) -> Self {
        let cover = |t: usize| {
            let [a, b, c] = mesh.corners(t);
            let center = (a + b + c) / 3.0;
            let radius = a.distance(center).max(b.distance(center)).max(c.distance(center));
            let is_sliver = (b - a).cross(c - a).length() < 1e-3 * radius * radius;
            Cover { center, radius: radius * (1.0 + 1e-9) + 1e-15 * center.length(), is_sliver }
        };
        let covers = (0..mesh.triangles().len()).map(cover).collect();
        Self { vertices: mesh.vertices().to_vec(), triangles: mesh.triangles().to_vec(), covers }
    }

    /// The triangles of a closed mesh that have nothing in front of them somewhere, so that they bound its solid. Those that
    /// show in a spot smaller than the samples are missed.
    pub fn exposed(mesh: &TriMesh) -> Self {
        let all = Self::new(mesh);
        // Middles of the n² small triangles that cutting the edges into n parts makes, upright ones only.
        let n = 5;
        let samples: Vec<[f64; 2]> = (0..n)
            .flat_map(|i| (0..n - i).map(move |j| [i, j].map(|k| (f64::from(k) + 1.0 / 3.0) / f64::from(n))))
            .collect();
        let is_exposed = |t: usize| {
            let [a, b, c] = mesh.corners(t);
            // On the triangle the others wind half a turn more than in front of it.
            samples.iter().any(|[u, v]| all.winding_without(a + *u * (b - a) + *v * (c - a), Some(t)) < 1.0)
        };
        let every: Vec<usize> = (0..mesh.triangles().len()).collect();
        let exposed = in_parallel(&every, |&t| is_exposed(t).then(|| mesh.triangles()[t]));
        let exposed = exposed.into_iter().flatten().collect();
        Self::new(&TriMesh::new(mesh.vertices().to_vec(), exposed).unwrap())
    }

    /// Distance to the nearest triangle, with its index.
    pub fn closest(&self, p: DVec3) -> (usize, OnTriangle) {
        let mut upper =
            self.covers.iter().map(|s| p.distance(s.center) + s.radius).fold(f64::INFINITY, f64::min);
        let mut best: Option<(usize, OnTriangle)> = None;
        for (k, cover) in self.covers.iter().enumerate() {
            let limit = upper + 1e-7 * (upper + cover.radius);
            if p.distance(cover.center) - cover.radius > limit {
                continue;
            }
            let corners = self.triangles[k].map(|v| self.vertices[v as usize]);
            if !cover.is_sliver && quick_distance(p, corners) > limit {
                continue;
            }
            let found = closest_on_triangle(p, corners);
            if best.is_none_or(|(_, known)| found.distance < known.distance) {
                upper = upper.min(found.distance);
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
        self.winding_without(p, None)
    }

    /// The same without one of the triangles, as for a point of it.
    fn winding_without(&self, p: DVec3, left_out: Option<usize>) -> f64 {
        let around: Vec<(DVec3, f64)> = self.vertices.iter().map(|&v| (v - p, v.distance(p))).collect();
        let (mut re, mut im) = (1.0f64, 0.0f64);
        let mut turns = 0i64;
        for (k, triangle) in self.triangles.iter().enumerate() {
            if left_out == Some(k) {
                continue;
            }
            let [(a, la), (b, lb), (c, lc)] = triangle.map(|v| around[v as usize]);
            let y = a.dot(b.cross(c));
            let x = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
            if x == 0.0 && y == 0.0 {
                continue;
            }
            let (new_re, new_im) = (re * x - im * y, re * y + im * x);
            if y > 0.0 && im >= 0.0 && new_im < 0.0 {
                turns += 1;
            }
            if y < 0.0 && im < 0.0 && new_im >= 0.0 {
                turns -= 1;
            }
            (re, im) = (new_re, new_im);
            let norm = re.abs() + im.abs();
            if !(1e-60..1e60).contains(&norm) {
                (re, im) = (re / norm, im / norm);
            }
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
