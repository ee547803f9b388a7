//! Polygons into triangles.
//!
//! A strictly convex polygon becomes a fan. Any other is clipped ear by ear in its plane: an ear is a corner that bulges
//! and whose triangle holds no other corner, not even on its rim, so a corner in the middle of a straight side ends up
//! as a corner of triangles on both sides of it and no crack opens. A corner is tested once, and again when a
//! neighbour goes: the work is quadratic in the corners at most. What crosses itself or has no area has no right
//! answer; it still gives all its corners a triangle.

use std::collections::VecDeque;

use glam::{DVec2, DVec3};

/// The most corners of a polygon that needs ear clipping. The work grows with the square: this many take a tenth of a
/// second. Larger lets a hostile file waste minutes, smaller refuses caps that some CAD programs write.
pub(super) const MAX_CONCAVE_CORNERS: usize = 20_000;

/// The polygon needs ear clipping and has more than [`MAX_CONCAVE_CORNERS`].
#[derive(Debug)]
pub(super) struct TooManyCorners;

/// Appends the triangles of one polygon, always two fewer than it has corners.
pub(super) fn triangulate(
    polygon: &[u32],
    vertices: &[DVec3],
    triangles: &mut Vec<[u32; 3]>,
) -> Result<(), TooManyCorners> {
    match (polygon, project(polygon, vertices)) {
        (&[a, b, c], _) => triangles.push([a, b, c]),
        (_, Some(points)) if !is_strictly_convex(&points) => {
            if polygon.len() > MAX_CONCAVE_CORNERS {
                return Err(TooManyCorners);
            }
            let ears = clip_ears(&points);
            triangles.extend(ears.into_iter().map(|ear| ear.map(|corner| polygon[corner])));
        }
        _ => triangles.extend((2..polygon.len()).map(|i| [polygon[0], polygon[i - 1], polygon[i]])),
    }
    Ok(())
}

/// The power of two that brings `size` close to 1. Multiplying by it is exact, and keeps products of very large or very
/// small coordinates from overflowing or vanishing.
pub(super) fn scale_to_one(size: f64) -> f64 {
    let exponent = (size.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    2f64.powi(-exponent.clamp(-1000, 1000))
}

/// The corners in the coordinate plane the polygon faces most, counter-clockwise. `None` for fewer than four corners
/// or no area.
fn project(polygon: &[u32], vertices: &[DVec3]) -> Option<Vec<DVec2>> {
    if polygon.len() < 4 {
        return None;
    }
    let origin = vertices[polygon[0] as usize];
    let corners: Vec<DVec3> = polygon.iter().map(|&v| vertices[v as usize] - origin).collect();
    let size = corners.iter().map(|c| c.abs().max_element()).fold(0.0, f64::max);
    let scale = scale_to_one(size);
    // Newell: n = Σ pᵢ × pᵢ₊₁, twice the vector area, right for concave and bent polygons.
    let normal: DVec3 = (0..corners.len())
        .map(|i| (corners[i] * scale).cross(corners[(i + 1) % corners.len()] * scale))
        .sum();
    if !normal.is_finite() || normal == DVec3::ZERO {
        return None;
    }
    let axis = normal.abs().max_position();
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let (u, v) = if normal[axis] > 0.0 { (u, v) } else { (v, u) };
    Some(corners.iter().map(|c| DVec2::new(c[u], c[v]) * scale).collect())
}

/// Positive when a, b, c turn left.
fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

/// Every corner turns left, and going round takes one turn: seen from the first corner no triangle is reversed.
fn is_strictly_convex(points: &[DVec2]) -> bool {
    let n = points.len();
    (0..n).all(|i| turn(points[i], points[(i + 1) % n], points[(i + 2) % n]) > 0.0)
        && (2..n).all(|i| turn(points[0], points[i - 1], points[i]) > 0.0)
}

/// A ring of corners that loses one after the other.
struct Ring<'a> {
    points: &'a [DVec2],
    next: Vec<usize>,
    previous: Vec<usize>,
    present: Vec<bool>,
}

fn clip_ears(points: &[DVec2]) -> Vec<[usize; 3]> {
    let n = points.len();
    let mut ring = Ring {
        points,
        next: (0..n).map(|i| (i + 1) % n).collect(),
        previous: (0..n).map(|i| (i + n - 1) % n).collect(),
        present: vec![true; n],
    };
    let mut ears: VecDeque<usize> = (0..n).filter(|&i| ring.is_ear(i)).collect();
    let mut triangles = Vec::with_capacity(n - 2);
    let mut any_left = 0;
    while triangles.len() < n - 2 {
        // The queue may hold corners that are gone, or that a clipped neighbour has changed.
        let ear = match ears.pop_front() {
            Some(corner) if ring.present[corner] && ring.is_ear(corner) => corner,
            Some(_) => continue,
            None => {
                while !ring.present[any_left] {
                    any_left = ring.next[any_left];
                }
                ring.best_of_the_rest(any_left)
            }
        };
        let (before, after) = (ring.previous[ear], ring.next[ear]);
        triangles.push([before, ear, after]);
        ring.remove(ear);
        ears.extend([before, after].into_iter().filter(|&corner| ring.is_ear(corner)));
    }
    triangles
}

impl Ring<'_> {
    fn turn_at(&self, corner: usize) -> f64 {
        turn(self.points[self.previous[corner]], self.points[corner], self.points[self.next[corner]])
    }

    fn is_ear(&self, corner: usize) -> bool {
        let [a, b, c] = [self.previous[corner], corner, self.next[corner]].map(|i| self.points[i]);
        // A repeated corner has no area and can go at once.
        if a == b || b == c {
            return true;
        }
        if turn(a, b, c) <= 0.0 {
            return false;
        }
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let mut other = self.next[self.next[corner]];
        while other != self.previous[corner] {
            let p = self.points[other];
            let in_box = p.cmpge(low).all() && p.cmple(high).all();
            // A corner at the same position (a polygon that touches itself, as around a bridged hole) is no obstacle.
            if in_box
                && p != a
                && p != b
                && p != c
                && turn(a, b, p) >= 0.0
                && turn(b, c, p) >= 0.0
                && turn(c, a, p) >= 0.0
            {
                return false;
            }
            other = self.next[other];
        }
        true
    }

    /// Without an ear left the rest is a straight line or crosses itself: a corner without area, else one that bulges.
    fn best_of_the_rest(&self, start: usize) -> usize {
        let mut bulging = None;
        let mut corner = start;
        loop {
            let turn = self.turn_at(corner);
            if turn == 0.0 {
                return corner;
            }
            if turn > 0.0 && bulging.is_none() {
                bulging = Some(corner);
            }
            corner = self.next[corner];
            if corner == start {
                return bulging.unwrap_or(start);
            }
        }
    }

    fn remove(&mut self, corner: usize) {
        let (before, after) = (self.previous[corner], self.next[corner]);
        self.next[before] = after;
        self.previous[after] = before;
        self.present[corner] = false;
    }
}
