//! Where a closed mesh runs through itself, and which side of each triangle is inside all the same.
//!
//! Away from its self-intersections a closed oriented surface has winding number w on its outer side and w + 1 on its inner
//! side, and w is the same along a whole patch of triangles that none of the others cross. So one winding number tells
//! for the patch: with w = 0 it is true boundary and normals decide; with w ≥ 1 it is buried, inside on both sides; with
//! w < 0 it is outside on both. Only points whose closest triangle is itself crossed need a winding number of their own.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use glam::DVec3;
use rayon::prelude::*;

use crate::mesh::adjacency::Adjacency;
use crate::mesh::{Bvh, TriMesh, winding_number_without};

/// What lies on the two sides of a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sides {
    /// Outside in front, inside behind: a piece of true boundary.
    Boundary,
    /// Inside on both.
    Buried,
    /// Outside on both.
    Stray,
    /// Other triangles pass through it.
    Crossed,
}

/// Patches smaller than this are treated as crossed: points near them are asked for their winding number one by one,
/// which costs less than asking for the patch's.
const SMALL_PATCH: usize = 16;

/// The sides of every triangle.
pub(super) fn sides(mesh: &TriMesh, bvh: &Bvh, adjacency: &Adjacency) -> Vec<Sides> {
    let crossed: Vec<AtomicBool> = mesh.triangles().iter().map(|_| AtomicBool::new(false)).collect();
    (0..mesh.triangles().len())
        .into_par_iter()
        .with_min_len(256)
        .for_each(|t| mark_crossings(mesh, bvh, adjacency, t, &crossed));
    let mut sides: Vec<Option<Sides>> =
        crossed.into_iter().map(|crossed| crossed.into_inner().then_some(Sides::Crossed)).collect();
    for first in 0..sides.len() {
        if sides[first].is_some() {
            continue;
        }
        let patch = patch_around(first, adjacency, &mut sides);
        let what = if patch.len() < SMALL_PATCH { Sides::Crossed } else { sides_of_patch(mesh, &patch) };
        for t in patch {
            sides[t] = Some(what);
        }
    }
    sides.into_iter().map(|s| s.unwrap_or(Sides::Crossed)).collect()
}

/// The uncrossed triangles reachable from one without passing a crossed one; marked as crossed until they are known.
fn patch_around(first: usize, adjacency: &Adjacency, sides: &mut [Option<Sides>]) -> Vec<usize> {
    let mut patch = vec![first];
    sides[first] = Some(Sides::Crossed);
    let mut next = 0;
    while next < patch.len() {
        for &t in &adjacency.across[patch[next]] {
            if sides[t as usize].is_none() {
                sides[t as usize] = Some(Sides::Crossed);
                patch.push(t as usize);
            }
        }
        next += 1;
    }
    patch
}

fn sides_of_patch(mesh: &TriMesh, patch: &[usize]) -> Sides {
    let area = |t: usize| {
        let [a, b, c] = mesh.corners(t);
        (b - a).cross(c - a).length_squared()
    };
    let largest = patch
        .iter()
        .copied()
        .max_by(|&i, &j| area(i).total_cmp(&area(j)).then(j.cmp(&i)))
        .unwrap_or(patch[0]);
    let [a, b, c] = mesh.corners(largest);
    // On the surface, and without the triangle it lies on, the winding number is halfway between its two sides.
    let outer = (winding_number_without(mesh, (a + b + c) / 3.0, largest) - 0.5).round();
    match outer {
        w if w >= 1.0 => Sides::Buried,
        w if w < 0.0 => Sides::Stray,
        _ => Sides::Boundary,
    }
}

/// Marks triangle `t` and every later one that passes through it, or lies folded onto it across a shared edge. Pairs of
/// which both are marked already are not looked at: the marks come out the same in any order.
fn mark_crossings(mesh: &TriMesh, bvh: &Bvh, adjacency: &Adjacency, t: usize, crossed: &[AtomicBool]) {
    let own = mesh.triangles()[t];
    let corners = mesh.corners(t);
    bvh.for_each_near(mesh, t, |other| {
        let o = other as usize;
        if crossed[t].load(Relaxed) && crossed[o].load(Relaxed) {
            return;
        }
        let theirs = mesh.triangles()[o];
        let shared = theirs.iter().filter(|v| own.contains(v)).count();
        let is_crossed = match shared {
            0 | 1 => edges_cross(mesh, t, o) || edges_cross(mesh, o, t),
            2 if adjacency.across[t].contains(&other) => is_folded(corners, mesh.corners(o)),
            _ => true,
        };
        if is_crossed {
            crossed[t].store(true, Relaxed);
            crossed[o].store(true, Relaxed);
        }
    });
}

fn is_folded(a: [DVec3; 3], b: [DVec3; 3]) -> bool {
    let normal = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a).normalize_or_zero();
    normal(a).dot(normal(b)) < -1.0 + 1e-12
}

/// Whether an edge of triangle `from` passes through triangle `to`. Edges that end at a shared corner are left out: they
/// touch there by right.
fn edges_cross(mesh: &TriMesh, from: usize, to: usize) -> bool {
    let theirs = mesh.triangles()[to];
    let [a, b, c] = mesh.corners(to);
    let ends = mesh.triangles()[from];
    (0..3).any(|k| {
        let (i, j) = (ends[k], ends[(k + 1) % 3]);
        if theirs.contains(&i) || theirs.contains(&j) {
            return false;
        }
        segment_crosses(mesh.vertices()[i as usize], mesh.vertices()[j as usize], [a, b, c])
    })
}

/// Segment against triangle by the signs of five volumes; anything within rounding of touching counts as crossing, which
/// only costs time.
fn segment_crosses(p: DVec3, q: DVec3, [a, b, c]: [DVec3; 3]) -> bool {
    let volume = |a: DVec3, b: DVec3, c: DVec3, d: DVec3| (b - a).cross(c - a).dot(d - a);
    let size = [p, q, b, c].into_iter().map(|v| (v - a).abs().max_element()).fold(0.0, f64::max);
    let rounding = 1e-13 * size * size * size;
    let (at_p, at_q) = (volume(a, b, c, p), volume(a, b, c, q));
    if (at_p > rounding && at_q > rounding) || (at_p < -rounding && at_q < -rounding) {
        return false;
    }
    let around = [volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)];
    around.iter().all(|&v| v >= -rounding) || around.iter().all(|&v| v <= rounding)
}
