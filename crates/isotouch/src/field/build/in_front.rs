//! How often an open mesh winds around what lies in front of its triangles.
//!
//! Along a surface that no other crosses, the winding number in front of it is changed by the rims of holes alone. Like the magnetic
//! field of a current along them (Biot and Savart), its gradient is no steeper than ℓ/4πR², ℓ the length of all rims and R
//! the distance to the nearest. So a number that is far from where anything is decided tells for many triangles around.

use std::collections::VecDeque;
use std::f64::consts::PI;

use glam::DVec3;
use rayon::prelude::*;

use crate::mesh::adjacency::Adjacency;
use crate::mesh::{Bvh, TriMesh, WindingTree};

/// One in so many triangles is asked first, and the others only where those do not tell.
const ONE_IN: usize = 64;
/// What clusters of triangles seen from afar, and rounding, may add to a winding number.
const TREE_ERROR: f64 = 0.03;

/// An open surface in pieces.
pub(super) struct Pieces<'a> {
    pub(super) mesh: &'a TriMesh,
    pub(super) adjacency: &'a Adjacency,
    /// Which triangles others pass through.
    pub(super) crossed: &'a [bool],
    /// The edges along which winding numbers are not whole.
    pub(super) rim: &'a [[DVec3; 2]],
}

impl Pieces<'_> {
    /// The winding numbers in front of all triangles: exact, or such that they are on the same side of all `thresholds`.
    pub(super) fn in_front(&self, winding: &WindingTree<'_>, thresholds: &[f64]) -> Vec<f64> {
        let count = self.mesh.triangles().len();
        let exact = |t: usize| winding.amid(t) - 0.5;
        let slopes = self.slopes();
        let mut known: Vec<Option<f64>> = vec![None; count];
        let seeds: Vec<(usize, f64)> =
            (0..count).into_par_iter().step_by(ONE_IN).map(|t| (t, exact(t))).collect();
        let mut queue = VecDeque::new();
        for (t, value) in seeds {
            known[t] = Some(value);
            let to_nearest = thresholds.iter().map(|at| (value - at).abs()).fold(f64::INFINITY, f64::min);
            queue.push_back((t, to_nearest - TREE_ERROR));
        }
        // What is left of the way to the nearest threshold, when the surface is followed from a triangle that was asked.
        while let Some((t, left)) = queue.pop_front() {
            for side in 0..3 {
                let next = self.adjacency.across[t][side] as usize;
                let left = left - self.change(t, side, &slopes);
                if known[next].is_none() && left > 0.0 {
                    known[next] = known[t];
                    queue.push_back((next, left));
                }
            }
        }
        known.into_par_iter().enumerate().map(|(t, value)| value.unwrap_or_else(|| exact(t))).collect()
    }

    /// How steep winding numbers may be on each triangle; infinite where others cross it, or at a rim.
    fn slopes(&self) -> Vec<f64> {
        let length: f64 = self.rim.iter().map(|[a, b]| a.distance(*b)).sum();
        let rim = Bvh::of_edges(self.rim);
        (0..self.mesh.triangles().len())
            .into_par_iter()
            .map(|t| {
                let [a, b, c] = self.mesh.corners(t);
                let size = a.distance(b).max(b.distance(c)).max(c.distance(a));
                let to_rim = rim.as_ref().and_then(|rim| rim.distance_within(a, f64::INFINITY));
                // From anywhere on the triangle.
                let nearest = to_rim.map_or(f64::INFINITY, |distance| distance - size);
                if self.crossed[t] || nearest <= 0.0 {
                    f64::INFINITY
                } else {
                    length / (4.0 * PI * nearest * nearest)
                }
            })
            .collect()
    }

    /// How much winding numbers may change from the middle of a triangle to that of the one across one of its sides.
    fn change(&self, t: usize, side: usize, slopes: &[f64]) -> f64 {
        let next = self.adjacency.across[t][side] as usize;
        let corners = self.mesh.corners(t);
        let edge = 0.5 * (corners[side] + corners[(side + 1) % 3]);
        let to_edge = |t: usize| (self.mesh.corners(t).iter().sum::<DVec3>() / 3.0).distance(edge);
        // Never 0 · ∞: what has no size is no shorter than rounding.
        slopes[t] * to_edge(t).max(f64::MIN_POSITIVE) + slopes[next] * to_edge(next).max(f64::MIN_POSITIVE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;

    /// A ring that ends at a plane: on a ball the numbers would be the same all over.
    #[test]
    fn no_number_is_taken_across_a_threshold() {
        let ring = shapes::by_name("torus").unwrap();
        let is_kept = |t: &usize| ring.corners(*t).iter().all(|v| v.x < 0.25);
        let kept = (0..ring.triangles().len()).filter(is_kept).map(|t| ring.triangles()[t]).collect();
        let open = TriMesh::new(ring.vertices().to_vec(), kept).unwrap();
        let bvh = Bvh::new(&open);
        let winding = WindingTree::new(&open, &bvh);
        let (adjacency, _) = Adjacency::new(&open);
        let crossed = vec![false; open.triangles().len()];
        let rim = Adjacency::unbalanced_edges(&open);
        let pieces = Pieces { mesh: &open, adjacency: &adjacency, crossed: &crossed, rim: &rim };
        let thresholds = [-0.25, 0.25];
        let found = pieces.in_front(&winding, &thresholds);
        let (mut taken, mut low) = (0, 0);
        for (t, value) in found.into_iter().enumerate() {
            let exact = winding.amid(t) - 0.5;
            taken += usize::from(value != exact);
            low += usize::from(exact < -0.25);
            assert!(thresholds.iter().all(|at| (value < *at) == (exact < *at)), "{t}: {value} for {exact}");
        }
        assert!(low > 10, "only {low} are beyond a threshold");
        assert!(taken > open.triangles().len() / 4, "only {taken} numbers were not computed");
    }
}
