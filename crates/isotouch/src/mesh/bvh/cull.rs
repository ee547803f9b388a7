//! Which triangles can be closest to some point of a cube.
//!
//! Let U_k be upper bounds of the distance from the mesh at the cube's corners c + δ_k. For a convex thing (a triangle, a box, a
//! disc) at distance D from the centre c, and g the unit vector from its closest point to c, no point c + δ is closer to
//! it than D + g·δ, since distances to convex sets are convex. So if D + g·δ_k > U_k at all eight corners, the thing is
//! closest to none of them. And if all U_k are distances from one and the same triangle, it is closest to no
//! point of the cube: the distance from that triangle, less the linear bound, is convex and so largest at a corner.
//!
//! This is exact for one flat thing against another; the usual D > D* + 2r keeps several times as many.

use glam::DVec3;

use super::{Bvh, ClosestQuery, LEAF, Leaf8, Node8, Seed, WIDTH};
use crate::mesh::triangle;

/// Covers what `f32` arithmetic does to lengths measured in half edges of a cube, relative to the distance. Larger keeps
/// more; smaller could drop a closest triangle.
const ROUNDING: f32 = 2e-6;

/// Upper bounds of the distance at a cube's corners, in half edges of the cube.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cull {
    /// x fastest.
    pub(crate) corners: [f32; 8],
}

impl Cull {
    /// Whether a convex thing whose closest point is `offset` away from the centre, √`squared` in length, may be closest.
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
        // Squares overflow where cells are larger than the mesh by 10¹⁹: nothing can be told, so all is kept.
        (distance <= most + ROUNDING * (distance + 2.0)) | !squared.is_finite()
    }
}

/// A cube, seen from the tree.
pub(crate) struct Cube {
    center: [f64; 3],
    half: f64,
    /// The centre in the tree's scaled coordinates.
    scaled: [f32; 3],
    /// Half edges per scaled length.
    to_units: f32,
    /// Rounding of the centre and of bounds in scaled coordinates moves a bound by less than this many half edges, and turns its
    /// direction by no more than that over its distance, which the corners' lever arm of √3 multiplies.
    blur: f32,
}

impl Cube {
    #[inline(always)]
    pub(crate) fn new(bvh: &Bvh, center: DVec3, half: f64) -> Self {
        let scaled = bvh.scaled(center);
        let to_units = (1.0 / (bvh.scale * half)) as f32;
        let largest = scaled[0].abs().max(scaled[1].abs()).max(scaled[2].abs()).max(1.0);
        let blur = 16.0 * f32::EPSILON * largest * to_units;
        Self { center: center.to_array(), half, scaled, to_units, blur }
    }

    /// Bounds by the distances of the corners from one triangle.
    #[inline(always)]
    pub(crate) fn cull_by(&self, triangle: &triangle::PlanarTriangle) -> Cull {
        let mut cull = Cull { corners: [0.0; 8] };
        for k in 0..8 {
            let side = |bit: usize| if k >> bit & 1 != 0 { self.half } else { -self.half };
            let corner = [self.center[0] + side(0), self.center[1] + side(1), self.center[2] + side(2)];
            cull.corners[k] = (triangle::distance_squared(triangle.0, corner).sqrt() / self.half) as f32;
        }
        cull
    }

    /// The bounds with everything taken as much nearer as rounding may have moved it.
    #[inline(always)]
    fn blurred(&self, cull: &Cull) -> Cull {
        let mut blurred = *cull;
        for k in 0..8 {
            blurred.corners[k] += self.blur;
        }
        blurred
    }

    /// Bit k set when child k may hold a triangle that is kept, by its box and by its disc.
    #[inline(always)]
    fn children_kept(&self, cull: &Cull, node: &Node8) -> u32 {
        let by_boxes = self.boxes_kept(&self.blurred(cull), node);
        if by_boxes == 0 { 0 } else { by_boxes & self.discs_kept(cull, node) }
    }

    #[inline(always)]
    fn boxes_kept(&self, cull: &Cull, node: &Node8) -> u32 {
        let q = self.scaled;
        let mut kept = [0u32; WIDTH];
        for lane in 0..WIDTH {
            let mut offset = [0.0f32; 3];
            let mut squared = 0.0;
            for axis in 0..3 {
                let below = node.lo[axis][lane] - q[axis];
                let above = q[axis] - node.hi[axis][lane];
                let low = if below > 0.0 { below } else { 0.0 };
                let high = if above > 0.0 { above } else { 0.0 };
                offset[axis] = (high - low) * self.to_units;
                squared += offset[axis] * offset[axis];
            }
            kept[lane] = u32::from(cull.keeps(squared, offset)) << lane;
        }
        all_of(kept) & ((1 << node.used) - 1)
    }

    /// Bit k set when child k may hold a triangle that is kept, by its disc alone.
    #[inline(always)]
    fn discs_kept(&self, cull: &Cull, node: &Node8) -> u32 {
        let cull = self.blurred(cull);
        let mut kept = [0u32; WIDTH];
        for lane in 0..WIDTH {
            let (squared, offset) = node.disc.offset(lane, self.scaled);
            let in_units = [offset[0] * self.to_units, offset[1] * self.to_units, offset[2] * self.to_units];
            kept[lane] = u32::from(cull.keeps(squared * self.to_units * self.to_units, in_units)) << lane;
        }
        all_of(kept) & ((1 << node.used) - 1)
    }

    /// Bit k set when the triangle in lane k may be closest.
    #[inline(always)]
    fn triangles_kept(&self, cull: &Cull, leaf: &Leaf8) -> u32 {
        let (mut squared, mut x, mut y, mut z) = ([0.0; WIDTH], [0.0; WIDTH], [0.0; WIDTH], [0.0; WIDTH]);
        for lane in 0..WIDTH {
            let (s, offset) = triangle::offset_from_closest(leaf.planar(lane).0, self.center);
            squared[lane] = s;
            x[lane] = offset[0];
            y[lane] = offset[1];
            z[lane] = offset[2];
        }
        let inverse = 1.0 / self.half;
        let in_units = |v: f64| (v * inverse) as f32;
        let mut kept = [0u32; WIDTH];
        for lane in 0..WIDTH {
            let offset = [in_units(x[lane]), in_units(y[lane]), in_units(z[lane])];
            let keeps = cull.keeps(in_units(squared[lane] * inverse), offset);
            kept[lane] = u32::from(keeps & (leaf.triangle[lane] != u32::MAX)) << lane;
        }
        all_of(kept)
    }
}

#[inline(always)]
fn all_of(bits: [u32; WIDTH]) -> u32 {
    let mut mask = 0;
    for lane in 0..WIDTH {
        mask |= bits[lane];
    }
    mask
}

impl ClosestQuery<'_> {
    /// Collects the leaves that can hold the closest triangle of a point of the cube.
    #[inline(always)]
    pub(crate) fn leaves(&mut self, cube: &Cube, cull: &Cull, out: &mut Vec<u32>) {
        let bvh = self.bvh;
        out.clear();
        self.stack.clear();
        self.stack.push((0.0, bvh.root));
        while let Some((_, current)) = self.stack.pop() {
            if current & LEAF != 0 {
                out.push(current & !LEAF);
                continue;
            }
            let node = &bvh.nodes[current as usize];
            let mut kept = cube.children_kept(cull, node);
            while kept != 0 {
                self.stack.push((0.0, node.child[kept.trailing_zeros() as usize]));
                kept &= kept - 1;
            }
        }
    }
}

impl Bvh {
    /// Which of a leaf's triangles (bit k for lane k) can be closest to a corner of the cube.
    #[inline(always)]
    pub(crate) fn triangles_kept(&self, leaf: u32, cube: &Cube, bounds: &Cull) -> u32 {
        cube.triangles_kept(bounds, &self.leaves[leaf as usize])
    }

    /// The triangle that a search ended at.
    #[inline(always)]
    pub(crate) fn planar(&self, seed: Seed) -> triangle::PlanarTriangle {
        self.leaves[seed.leaf as usize].planar(seed.lane as usize)
    }
}
