//! Which triangles hang together.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use glam::DVec3;
use rayon::prelude::*;

use super::Bvh;
use super::passage::squared_between;
use super::ray::RayFrame;
use crate::mesh::TriMesh;
use crate::mesh::sets::Sets;
use crate::mesh::triangle::PlanarTriangle;

/// Triangles looked at between two rounds of joining. More, and fewer of them are known to hang together already; fewer, and
/// threads wait for each other.
const AT_ONCE: usize = 1 << 14;

impl Bvh {
    /// For every triangle of the mesh, the piece it belongs to: triangles that share a vertex, cross, or are no farther apart than
    /// `near` are of one piece. Pieces are numbered from 0; the second answer is how many there are. `None` when told to stop.
    pub(crate) fn pieces(
        &self,
        mesh: &TriMesh,
        near: f64,
        cancel: Option<&AtomicBool>,
    ) -> Option<(Vec<u32>, u32)> {
        let part_of = mesh.parts();
        let part = |t: u32| part_of[mesh.triangles()[t as usize][0] as usize];
        let triangles: Vec<u32> = (0..mesh.triangles().len() as u32).collect();
        if triangles.iter().all(|&t| part(t) == part(0)) {
            return Some((vec![0; triangles.len()], triangles.len().min(1) as u32));
        }
        let mut sets = Sets::new(part_of.len());
        for some in triangles.chunks(AT_ONCE) {
            if cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
                return None;
            }
            let known = &sets;
            let meeting: Vec<[u32; 2]> = some
                .par_iter()
                .flat_map_iter(|&t| {
                    let corners = mesh.corners(t as usize);
                    let own = known.find_shared(part(t));
                    // A large triangle may meet thousands.
                    let mut met = BTreeSet::from([own]);
                    self.any_in_box(low(corners) - near, high(corners) + near, |other| {
                        let there = known.find_shared(part(other));
                        if !met.contains(&there) && meet(corners, mesh.corners(other as usize), near) {
                            met.insert(there);
                        }
                        false
                    });
                    met.into_iter().filter(move |&other| other != own).map(move |other| [own, other])
                })
                .collect();
            for [a, b] in meeting {
                sets.join(a, b);
            }
        }
        const NONE: u32 = u32::MAX;
        let mut number = vec![NONE; part_of.len()];
        let mut count = 0;
        let of_triangle = triangles
            .into_iter()
            .map(|t| {
                let number = &mut number[sets.find(part(t)) as usize];
                if *number == NONE {
                    *number = count;
                    count += 1;
                }
                *number
            })
            .collect();
        Some((of_triangle, count))
    }
}

fn low([a, b, c]: [DVec3; 3]) -> DVec3 {
    a.min(b).min(c)
}

fn high([a, b, c]: [DVec3; 3]) -> DVec3 {
    a.max(b).max(c)
}

fn edges([a, b, c]: [DVec3; 3]) -> [[DVec3; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// Whether two triangles cross, or are no farther apart than `near`.
fn meet(one: [DVec3; 3], other: [DVec3; 3], near: f64) -> bool {
    if (low(one) - near).cmpgt(high(other)).any() || (high(one) + near).cmplt(low(other)).any() {
        return false;
    }
    // Two triangles that do not cross are nearest to each other at an edge of both, or at a corner of one of them.
    let crosses = |edge: [DVec3; 2], face: [DVec3; 3]| {
        RayFrame::new(edge[0], edge[1] - edge[0])
            .and_then(|frame| frame.crossing(face))
            .is_some_and(|(t, _)| t <= 1.0)
    };
    let touches = |corners: [DVec3; 3], face: [DVec3; 3]| {
        let (planar, first) = PlanarTriangle::new(face);
        corners.iter().any(|&p| planar.closest(first, p).0.distance_squared(p) <= near * near)
    };
    edges(one).iter().any(|&a| edges(other).iter().any(|&b| squared_between(a, b) <= near * near))
        || edges(one).iter().any(|&edge| crosses(edge, other))
        || edges(other).iter().any(|&edge| crosses(edge, one))
        || touches(one, other)
        || touches(other, one)
}
