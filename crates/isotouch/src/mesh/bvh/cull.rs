//! Which triangles can be closest to some point of a cube.
//!
//! Let c be the cube's centre, T* its closest triangle, and U_k the distance of the cube's corner c + δ_k from T*. For a
//! convex thing (a triangle, a box) at distance D from c, and g the unit vector from its closest point to c:
//!
//! - no point c + δ of the cube is closer to it than D + g·δ, since distances to convex sets are convex;
//! - the distance to T* is convex too, and so is its difference from that linear bound: it is largest at a corner.
//!
//! So the thing cannot be closest anywhere in the cube if D + g·δ_k > U_k at all eight corners. This is exact
//! for one flat thing against another; the usual D > D* + 2r keeps several times as many.

use glam::DVec3;

use super::{ClosestQuery, LEAF, Leaf8, Node8, Seed, WIDTH};
use crate::mesh::triangle;

/// Covers what `f32` arithmetic does to lengths measured in half edges of a cube, relative to the distance. Larger keeps
/// more; smaller could drop a closest triangle.
const ROUNDING: f32 = 2e-6;

/// The test for one cube. Lengths are in half edges of the cube.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cull {
    /// Distance of each corner (x fastest) from the centre's closest triangle.
    pub(crate) corners: [f32; 8],
}

impl Cull {
    /// Whether a convex thing whose closest point is `offset` away, √`squared` in length, may be closest in the cube.
    #[inline(always)]
    pub(crate) fn keeps(&self, squared: f32, offset: [f32; 3]) -> bool {
        let distance = squared.sqrt();
        // At distance 0 the bound is 0 whatever the direction.
        let inverse = if squared > 0.0 { 1.0 / distance } else { 0.0 };
        let [x, y, z] = [offset[0] * inverse, offset[1] * inverse, offset[2] * inverse];
        // U_k − g·δ_k, with δ_k = (±1, ±1, ±1).
        let (sum, difference) = (x + y, y - x);
        let u = self.corners;
        let slack = [
            u[0] + (sum + z),
            u[1] + (difference + z),
            u[2] - (difference - z),
            u[3] - (sum - z),
            u[4] + (sum - z),
            u[5] + (difference - z),
            u[6] - (difference + z),
            u[7] - (sum + z),
        ];
        let mut most = slack[0];
        for k in 1..8 {
            most = if slack[k] > most { slack[k] } else { most };
        }
        distance <= most + ROUNDING * (distance + 2.0)
    }
}

impl ClosestQuery<'_> {
    /// Calls `found` for every triangle that can be closest to a point of the cube of half edge `half` around `center`;
    /// stops early, returning false, when `found` does. `nearest` must be the closest triangle of the centre.
    #[inline(always)]
    pub(crate) fn candidates(
        &mut self,
        center: DVec3,
        half: f64,
        nearest: Seed,
        mut found: impl FnMut(Seed) -> bool,
    ) -> bool {
        let bvh = self.bvh;
        let inverse_unit = 1.0 / half;
        let planar = bvh.leaves[nearest.leaf as usize].planar(nearest.lane as usize);
        let mut cull = Cull { corners: [0.0; 8] };
        for k in 0..8 {
            let side = |bit: usize| if k >> bit & 1 != 0 { half } else { -half };
            let corner = [center.x + side(0), center.y + side(1), center.z + side(2)];
            cull.corners[k] = (triangle::distance_squared(planar.0, corner).sqrt() * inverse_unit) as f32;
        }
        let point = center.to_array();
        let q = bvh.scaled(center);
        let to_units = (1.0 / (bvh.scale * half)) as f32;
        let largest = q[0].abs().max(q[1].abs()).max(q[2].abs()).max(1.0);
        // Rounding of the centre and the boxes in scaled coordinates moves a box by less than this, and turns its
        // direction by no more than that over its distance, which the corners' lever arm of √3 multiplies.
        let blur = 16.0 * f32::EPSILON * largest * to_units;
        let blurred = Cull { corners: cull.corners.map(|u| u + blur) };
        self.stack.clear();
        self.stack.push((0.0, bvh.root));
        while let Some((_, current)) = self.stack.pop() {
            if current & LEAF == 0 {
                let node = &bvh.nodes[current as usize];
                let mut within = children_kept(&blurred, node, q, to_units) & ((1 << node.used) - 1);
                while within != 0 {
                    let lane = within.trailing_zeros() as usize;
                    within &= within - 1;
                    self.stack.push((0.0, node.child[lane]));
                }
                continue;
            }
            let index = current & !LEAF;
            let leaf = &bvh.leaves[index as usize];
            let mut kept = triangles_kept(&cull, leaf, point, inverse_unit);
            while kept != 0 {
                let lane = kept.trailing_zeros();
                kept &= kept - 1;
                if leaf.triangle[lane as usize] != u32::MAX && !found(Seed { leaf: index, lane }) {
                    return false;
                }
            }
        }
        true
    }
}

/// Bit k set when child k may hold a triangle that is kept, by its box and by its disc.
#[inline(always)]
fn children_kept(cull: &Cull, node: &Node8, q: [f32; 3], to_units: f32) -> u32 {
    let mut kept = [0u32; WIDTH];
    for lane in 0..WIDTH {
        let mut offset = [0.0f32; 3];
        let mut squared = 0.0;
        for axis in 0..3 {
            let below = node.lo[axis][lane] - q[axis];
            let above = q[axis] - node.hi[axis][lane];
            let low = if below > 0.0 { below } else { 0.0 };
            let high = if above > 0.0 { above } else { 0.0 };
            offset[axis] = (high - low) * to_units;
            squared += offset[axis] * offset[axis];
        }
        kept[lane] = u32::from(cull.keeps(squared, offset)) << lane;
    }
    for lane in 0..WIDTH {
        let (squared, offset) = node.disc.offset(lane, q);
        let in_units = [offset[0] * to_units, offset[1] * to_units, offset[2] * to_units];
        let keeps = cull.keeps(squared * to_units * to_units, in_units);
        kept[lane] = if keeps { kept[lane] } else { 0 };
    }
    let mut mask = 0;
    for lane in 0..WIDTH {
        mask |= kept[lane];
    }
    mask
}

/// Bit k set when the triangle in lane k may be closest.
#[inline(always)]
fn triangles_kept(cull: &Cull, leaf: &Leaf8, point: [f64; 3], inverse_unit: f64) -> u32 {
    let (mut squared, mut x, mut y, mut z) = ([0.0; WIDTH], [0.0; WIDTH], [0.0; WIDTH], [0.0; WIDTH]);
    for lane in 0..WIDTH {
        let (s, offset) = triangle::offset_from_closest(leaf.planar(lane).0, point);
        squared[lane] = s;
        x[lane] = offset[0];
        y[lane] = offset[1];
        z[lane] = offset[2];
    }
    let in_units = |v: f64| (v * inverse_unit) as f32;
    let mut kept = [0u32; WIDTH];
    for lane in 0..WIDTH {
        let offset = [in_units(x[lane]), in_units(y[lane]), in_units(z[lane])];
        let keeps = cull.keeps(in_units(squared[lane] * inverse_unit), offset);
        kept[lane] = u32::from(keeps) << lane;
    }
    let mut mask = 0;
    for lane in 0..WIDTH {
        mask |= kept[lane];
    }
    mask
}
