//! Where a closed mesh runs through itself, and which side of each triangle is inside all the same.
//!
//! Away from its self-intersections a closed oriented surface has winding number w on its outer side and w + 1 on its inner
//! side, and w is the same along a whole patch of triangles that none of the others cross. So one winding number tells
//! for the patch: with w = 0 it is true boundary and normals decide; with w ≥ 1 it is buried, inside on both sides; with
//! w < 0 it is outside on both, as a part is that was wound inward. Only points whose closest triangle is itself crossed need a winding number of their own.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use super::sign::Pseudonormals;
use crate::field::{Cancelled, Execution};
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
    /// Triangles of components that are wound inward: all of one has outside on both sides, or most of one that others cross.
    pub(super) inverted: Vec<usize>,
}

impl Tangle {
    /// For a mesh whose winding numbers are whole. Where it branches, the triangles at those edges count as crossed: no normal of theirs
    /// tells a side there.
    pub(super) fn new<'a>(
        mesh: &'a TriMesh,
        bvh: &'a Bvh,
        normals: &Pseudonormals<'a>,
        branches: bool,
        execution: &Execution<'_>,
    ) -> Result<Self, Cancelled> {
        let adjacency = normals.adjacency();
        let (crossed, winding) =
            rayon::join(|| crossed_triangles(mesh, bvh, adjacency, execution), || normals.winding(bvh));
        let mut crossed = crossed?;
        if branches {
            for (t, across) in adjacency.across.iter().enumerate() {
                crossed[t] |= across.contains(&(t as u32));
            }
        }
        let mut tangle = Self { sides: vec![Sides::Crossed; crossed.len()], inverted: Vec::new() };
        // Patches end where others cross.
        let mut visited = crossed.clone();
        for first in 0..crossed.len() {
            if !visited[first] {
                tangle.add_patch(mesh, winding, &reachable(first, adjacency, &mut visited));
            }
        }
        tangle.find_inverted(mesh, adjacency);
        Ok(tangle)
    }

    /// Whether normals tell everywhere.
    pub(super) fn is_none(&self) -> bool {
        self.sides.iter().all(|&sides| sides == Sides::Boundary)
    }

    pub(super) fn count(&self, what: Sides) -> usize {
        self.sides.iter().filter(|&&sides| sides == what).count()
    }

    fn add_patch(&mut self, mesh: &TriMesh, winding: &WindingTree<'_>, patch: &[usize]) {
        // Any will do that is no sliver.
        let some = patch.iter().take(256).map(|&t| (area_vector(mesh, t).length_squared(), t));
        let largest = some.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        let what = match winding.in_front_of(largest.map_or(0, |(_, t)| t)) {
            w if w >= 1.0 => Sides::Buried,
            w if w < 0.0 => Sides::Stray,
            _ => Sides::Boundary,
        };
        for &t in patch {
            self.sides[t] = what;
        }
    }

    /// A part wound inward that sticks out of another one is a part to whoever sees it. One that is mostly within is a cavity, though its
    /// skin may come through the wall here and there.
    fn find_inverted(&mut self, mesh: &TriMesh, adjacency: &Adjacency) {
        if self.count(Sides::Stray) == 0 {
            return;
        }
        let origin = mesh.bounds().center();
        let mut visited = vec![false; self.sides.len()];
        for first in 0..self.sides.len() {
            if self.sides[first] != Sides::Stray || visited[first] {
                continue;
            }
            let component = reachable(first, adjacency, &mut visited);
            let area_of = |what: Sides| -> f64 {
                let of = component.iter().filter(|&&t| self.sides[t] == what);
                of.map(|&t| area_vector(mesh, t).length()).sum()
            };
            let volume: f64 = component
                .iter()
                .map(|&t| {
                    let [a, b, c] = mesh.corners(t).map(|v| v - origin);
                    a.dot(b.cross(c))
                })
                .sum();
            let is_stray = |&t: &usize| self.sides[t] == Sides::Stray;
            let sticks_out = volume < 0.0 && area_of(Sides::Stray) > area_of(Sides::Boundary);
            if component.iter().all(is_stray) || sticks_out {
                self.inverted.extend(component);
            }
        }
    }
}

/// Normal to a triangle, twice as long as its area is large.
fn area_vector(mesh: &TriMesh, t: usize) -> DVec3 {
    let [a, b, c] = mesh.corners(t);
    (b - a).cross(c - a)
}

/// All triangles that edges join to one, as far as they were not visited.
fn reachable(first: usize, adjacency: &Adjacency, visited: &mut [bool]) -> Vec<usize> {
    let mut found = vec![first];
    visited[first] = true;
    let mut next = 0;
    while next < found.len() {
        for t in adjacency.across[found[next]].map(|t| t as usize) {
            if !visited[t] {
                visited[t] = true;
                found.push(t);
            }
        }
        next += 1;
    }
    found
}

/// Which triangles others pass through, or lie on.
pub(super) fn crossed_triangles(
    mesh: &TriMesh,
    bvh: &Bvh,
    adjacency: &Adjacency,
    execution: &Execution<'_>,
) -> Result<Vec<bool>, Cancelled> {
    let is_cancelled = || execution.cancel.is_some_and(|flag| flag.load(Relaxed));
    let crossed: Vec<AtomicBool> = mesh.triangles().iter().map(|_| AtomicBool::new(false)).collect();
    bvh.for_each_close_pair(mesh, is_cancelled, |t, o| {
        // Where both are marked there is nothing to learn; so the marks come out the same in any order.
        let both = crossed[t as usize].load(Relaxed) && crossed[o as usize].load(Relaxed);
        if !both && is_crossed(mesh, adjacency, t as usize, o as usize) {
            crossed[t as usize].store(true, Relaxed);
            crossed[o as usize].store(true, Relaxed);
        }
    });
    if is_cancelled() {
        return Err(Cancelled);
    }
    Ok(crossed.into_iter().map(AtomicBool::into_inner).collect())
}

/// Whether two triangles pass through each other, or lie on each other. Neighbours in a flat face do neither.
fn is_crossed(mesh: &TriMesh, adjacency: &Adjacency, t: usize, o: usize) -> bool {
    let (own, theirs) = (mesh.triangles()[t], mesh.triangles()[o]);
    match theirs.iter().filter(|v| own.contains(v)).count() {
        0 | 1 => {
            // One by one, for most pairs end here.
            let of_other = heights(mesh, t, o);
            if of_other == Heights::OneSide {
                return false;
            }
            match (of_other, heights(mesh, o, t)) {
                (_, Heights::OneSide) => false,
                (Heights::InPlane, Heights::InPlane) => overlap_in_plane(mesh.corners(t), mesh.corners(o)),
                _ => edges_cross(mesh, t, o) || edges_cross(mesh, o, t),
            }
        }
        2 if adjacency.across[t].contains(&(o as u32)) => is_folded(mesh.corners(t), mesh.corners(o)),
        _ => true,
    }
}

/// Where the corners of one triangle lie that another one does not have, seen from the other one's plane.
#[derive(PartialEq, Eq)]
enum Heights {
    OneSide,
    /// All in the plane, as far as rounding can tell.
    InPlane,
    /// On both sides, or some in the plane.
    Mixed,
}

fn heights(mesh: &TriMesh, plane: usize, other: usize) -> Heights {
    let [a, b, c] = mesh.corners(plane);
    let normal = (b - a).cross(c - a);
    let own = mesh.triangles()[plane];
    let (mut above, mut below, mut within) = (true, true, true);
    for v in mesh.triangles()[other] {
        if !own.contains(&v) {
            let offset = mesh.vertices()[v as usize] - a;
            let height = normal.dot(offset);
            // The cross product's own rounding grows with the edges, also where it is short.
            let edges = (b - a).abs().max_element() * (c - a).abs().max_element();
            let rounding = 1e-12 * edges * offset.abs().max_element();
            above &= height > rounding;
            below &= height < -rounding;
            within &= height.abs() <= rounding;
        }
    }
    if above || below {
        Heights::OneSide
    } else if within {
        Heights::InPlane
    } else {
        Heights::Mixed
    }
}

/// Whether two triangles of one plane have area in common. Touching is not overlapping.
fn overlap_in_plane(a: [DVec3; 3], b: [DVec3; 3]) -> bool {
    let normal = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a);
    let normal = if normal(a).length_squared() >= normal(b).length_squared() { normal(a) } else { normal(b) };
    let edges = [0, 1, 2].into_iter().flat_map(|k| [(a[k], a[(k + 1) % 3]), (b[k], b[(k + 1) % 3])]);
    !edges.into_iter().any(|edge| is_separated(edge, normal, &a, &b))
}

/// Whether a segment and a triangle of one plane have more in common than a piece of the triangle's outline.
fn segment_overlaps(p: DVec3, q: DVec3, triangle: [DVec3; 3]) -> bool {
    let [a, b, c] = triangle;
    let normal = (b - a).cross(c - a);
    ![(a, b), (b, c), (c, a), (p, q)].into_iter().any(|edge| is_separated(edge, normal, &[p, q], &triangle))
}

/// Whether the line along an edge has all of `a` on one side and all of `b` on the other, touching allowed. An edge or plane
/// without direction separates: what has no area overlaps nothing.
fn is_separated((from, to): (DVec3, DVec3), normal: DVec3, a: &[DVec3], b: &[DVec3]) -> bool {
    let across = normal.cross(to - from);
    let range = |points: &[DVec3]| {
        let at = points.iter().map(|&v| across.dot(v - from));
        at.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
    };
    let ((low_a, high_a), (low_b, high_b)) = (range(a), range(b));
    let size = a.iter().chain(b).map(|&v| (v - from).abs().max_element()).fold(0.0, f64::max);
    // An overlap this thin is rounding of corners that touch.
    let touching = 1e-9 * across.length() * size;
    high_a <= low_b + touching || high_b <= low_a + touching
}

fn is_folded(a: [DVec3; 3], b: [DVec3; 3]) -> bool {
    let normal = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a);
    let (m, n) = (normal(a), normal(b));
    let along = m.dot(n);
    // cos < −1 + 10⁻¹², squared. A triangle without area has no side to be folded to.
    along < 0.0 && along * along >= (1.0 - 2e-12) * m.length_squared() * n.length_squared()
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

/// Segment against triangle by the signs of five volumes. What touches within rounding counts as crossing: points near it
/// then ask for a winding number of their own, which is right either way.
fn segment_crosses(p: DVec3, q: DVec3, [a, b, c]: [DVec3; 3]) -> bool {
    let volume = |a: DVec3, b: DVec3, c: DVec3, d: DVec3| (b - a).cross(c - a).dot(d - a);
    let size = [p, q, b, c].into_iter().map(|v| (v - a).abs().max_element()).fold(0.0, f64::max);
    let rounding = 1e-13 * size * size * size;
    let (at_p, at_q) = (volume(a, b, c, p), volume(a, b, c, q));
    if (at_p > rounding && at_q > rounding) || (at_p < -rounding && at_q < -rounding) {
        return false;
    }
    if at_p.abs() <= rounding && at_q.abs() <= rounding {
        return segment_overlaps(p, q, [a, b, c]);
    }
    let around = [volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)];
    around.iter().all(|&v| v >= -rounding) || around.iter().all(|&v| v <= rounding)
}

#[cfg(test)]
mod tests;
