//! Where a closed mesh runs through itself, and which side of each triangle is inside all the same.
//!
//! Away from its self-intersections a closed oriented surface has winding number w on its outer side and w + 1 on its inner
//! side, and w is the same along a whole patch of triangles that none of the others cross. So one winding number tells
//! for the patch: with w = 0 it is true boundary and normals decide; with w ≥ 1 it is buried, inside on both sides; with
//! w < 0 it is outside on both, as a part is that was wound inward. Only points whose closest triangle is itself crossed need a winding number of their own.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use crate::mesh::adjacency::Adjacency;
use crate::mesh::{Bvh, TriMesh, WindingTree};
use glam::DVec3;

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

/// What is known of a mesh that may run through itself.
pub(super) struct Tangle {
    pub(super) sides: Vec<Sides>,
    /// Triangles of whole components that have outside on both sides: they are wound inward.
    pub(super) inverted: Vec<usize>,
}

impl Tangle {
    pub(super) fn new(mesh: &TriMesh, bvh: &Bvh, adjacency: &Adjacency) -> Self {
        let crossed: Vec<AtomicBool> = mesh.triangles().iter().map(|_| AtomicBool::new(false)).collect();
        bvh.for_each_close_pair(mesh, |t, o| {
            // Where both are marked there is nothing to learn; so the marks come out the same in any order.
            let both = crossed[t as usize].load(Relaxed) && crossed[o as usize].load(Relaxed);
            if !both && is_crossed(mesh, adjacency, t as usize, o as usize) {
                crossed[t as usize].store(true, Relaxed);
                crossed[o as usize].store(true, Relaxed);
            }
        });
        let crossed: Vec<bool> = crossed.into_iter().map(AtomicBool::into_inner).collect();
        let winding = WindingTree::new(mesh, bvh);
        let mut tangle = Self { sides: vec![Sides::Crossed; crossed.len()], inverted: Vec::new() };
        let mut visited = crossed.clone();
        for first in 0..crossed.len() {
            if !visited[first] {
                let patch = patch_around(first, adjacency, &crossed, &mut visited);
                tangle.add_patch(mesh, &winding, patch);
            }
        }
        tangle
    }

    /// Whether normals tell everywhere.
    pub(super) fn is_none(&self) -> bool {
        self.sides.iter().all(|&sides| sides == Sides::Boundary)
    }

    pub(super) fn count(&self, what: Sides) -> usize {
        self.sides.iter().filter(|&&sides| sides == what).count()
    }

    fn add_patch(&mut self, mesh: &TriMesh, winding: &WindingTree<'_>, patch: Patch) {
        let area = |t: usize| {
            let [a, b, c] = mesh.corners(t);
            (b - a).cross(c - a).length_squared()
        };
        let larger = |&i: &usize, &j: &usize| area(i).total_cmp(&area(j)).then(j.cmp(&i));
        let largest = patch.triangles.iter().copied().max_by(larger).unwrap_or(0);
        let what = match winding.in_front_of(largest) {
            w if w >= 1.0 => Sides::Buried,
            w if w < 0.0 => Sides::Stray,
            _ => Sides::Boundary,
        };
        for &t in &patch.triangles {
            self.sides[t] = what;
        }
        if what == Sides::Stray && patch.is_whole_component {
            self.inverted.extend(patch.triangles);
        }
    }
}

struct Patch {
    triangles: Vec<usize>,
    /// Whether it borders on no crossed triangle.
    is_whole_component: bool,
}

/// The uncrossed triangles reachable from one without passing a crossed one.
fn patch_around(first: usize, adjacency: &Adjacency, crossed: &[bool], visited: &mut [bool]) -> Patch {
    let mut patch = Patch { triangles: vec![first], is_whole_component: true };
    visited[first] = true;
    let mut next = 0;
    while next < patch.triangles.len() {
        for t in adjacency.across[patch.triangles[next]].map(|t| t as usize) {
            patch.is_whole_component &= !crossed[t];
            if !visited[t] {
                visited[t] = true;
                patch.triangles.push(t);
            }
        }
        next += 1;
    }
    patch
}

/// Whether two triangles pass through each other, or lie folded onto each other across a shared edge.
fn is_crossed(mesh: &TriMesh, adjacency: &Adjacency, t: usize, o: usize) -> bool {
    let (own, theirs) = (mesh.triangles()[t], mesh.triangles()[o]);
    match theirs.iter().filter(|v| own.contains(v)).count() {
        0 | 1 => {
            !is_on_one_side(mesh, t, o)
                && !is_on_one_side(mesh, o, t)
                && (edges_cross(mesh, t, o) || edges_cross(mesh, o, t))
        }
        2 if adjacency.across[t].contains(&(o as u32)) => is_folded(mesh.corners(t), mesh.corners(o)),
        _ => true,
    }
}

/// Whether the corners of `other` that `plane` does not have are all clearly on the same side of its plane.
fn is_on_one_side(mesh: &TriMesh, plane: usize, other: usize) -> bool {
    let [a, b, c] = mesh.corners(plane);
    let normal = (b - a).cross(c - a);
    let own = mesh.triangles()[plane];
    let (mut above, mut below) = (true, true);
    for v in mesh.triangles()[other] {
        if !own.contains(&v) {
            let offset = mesh.vertices()[v as usize] - a;
            let height = normal.dot(offset);
            let rounding = 1e-12 * normal.abs().max_element() * offset.abs().max_element();
            above &= height > rounding;
            below &= height < -rounding;
        }
    }
    above || below
}

fn is_folded(a: [DVec3; 3], b: [DVec3; 3]) -> bool {
    let normal = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a);
    let (m, n) = (normal(a), normal(b));
    let along = m.dot(n);
    // cos < −1 + 10⁻¹², squared; a triangle without area is folded onto anything.
    along <= 0.0 && along * along >= (1.0 - 2e-12) * m.length_squared() * n.length_squared()
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
