//! Pairs of triangles whose boxes meet.

use glam::{DVec3, Vec3A};
use rayon::prelude::*;

use super::build::Box32;
use super::fans::{Fans, NO_HUB};
use super::{Bvh, LEAF, Node8, WIDTH};
use crate::mesh::TriMesh;
use crate::simd::{SimdLevel, multiversioned};

/// Boxes of a leaf's triangles, side by side, and the box of all.
struct LeafBoxes {
    lo: [[f32; WIDTH]; 3],
    hi: [[f32; WIDTH]; 3],
    all: Box32,
    /// A vertex of very many triangles that all of the leaf's have.
    hub: u32,
}

impl Bvh {
    /// Calls `found` for every pair of triangles whose boxes meet, from any thread and in any order, until told to stop. Of the triangles around
    /// a vertex that very many share, only for pairs that may meet elsewhere too; of these perhaps twice.
    pub(crate) fn for_each_close_pair(
        &self,
        mesh: &TriMesh,
        is_cancelled: impl Fn() -> bool + Sync,
        found: impl Fn(u32, u32) + Sync,
    ) {
        let fans = Fans::new(self, mesh);
        let boxes: Vec<LeafBoxes> = (0..self.leaves.len())
            .into_par_iter()
            .with_min_len(256)
            .map(|leaf| self.boxes(mesh, leaf, &fans))
            .collect();
        let simd = SimdLevel::detect();
        (0..self.leaves.len()).into_par_iter().with_min_len(64).for_each_init(Vec::new, |pairs, leaf| {
            if is_cancelled() {
                return;
            }
            close_pairs(simd, self, &boxes, leaf, pairs);
            for &(a, b) in &*pairs {
                if !fans.hold(mesh, a, b) {
                    found(a, b);
                }
            }
        });
        fans.for_each_close_pair(mesh, is_cancelled, found);
    }

    fn boxes(&self, mesh: &TriMesh, leaf: usize, fans: &Fans) -> LeafBoxes {
        let used: Vec<u32> = self.leaves[leaf].triangle.into_iter().filter(|&t| t != u32::MAX).collect();
        let mut boxes = LeafBoxes {
            lo: [[f32::INFINITY; WIDTH]; 3],
            hi: [[f32::NEG_INFINITY; WIDTH]; 3],
            all: Box32::EMPTY,
            hub: fans.common_hub(mesh, &used),
        };
        for (lane, &t) in self.leaves[leaf].triangle.iter().enumerate().filter(|(_, t)| **t != u32::MAX) {
            let [a, b, c] = mesh.corners(t as usize);
            let scaled = |v: DVec3| (v - self.center) * self.scale;
            let own = Box32::around([scaled(a), scaled(b), scaled(c)]);
            boxes.all = boxes.all.union(&own);
            for axis in 0..3 {
                boxes.lo[axis][lane] = own.lo[axis];
                boxes.hi[axis][lane] = own.hi[axis];
            }
        }
        boxes
    }
}

multiversioned! {
    fn close_pairs<'a>(bvh: &'a Bvh, boxes: &'a [LeafBoxes], leaf: usize, pairs: &'a mut Vec<(u32, u32)>) = close_pairs_body
}

/// The pairs of one leaf with itself and with all leaves after it.
#[inline(always)]
fn close_pairs_body(bvh: &Bvh, boxes: &[LeafBoxes], leaf: usize, pairs: &mut Vec<(u32, u32)>) {
    pairs.clear();
    let mut stack = [0u32; 1024];
    stack[0] = bvh.root;
    let mut depth = 1;
    let own = &boxes[leaf];
    while depth > 0 {
        depth -= 1;
        let current = stack[depth];
        if current & LEAF == 0 {
            let node: &Node8 = &bvh.nodes[current as usize];
            let mut meet = boxes_that_meet(&own.all, &node.lo, &node.hi) & ((1 << node.used) - 1);
            while meet != 0 {
                // Deep enough for any tree: depth is bounded by the builder, and a level adds at most seven.
                stack[depth] = node.child[meet.trailing_zeros() as usize];
                depth += 1;
                meet &= meet - 1;
            }
            continue;
        }
        let other = (current & !LEAF) as usize;
        // What two leaves of one fan have in common is asked of the fan.
        let is_one_fan = own.hub != NO_HUB && own.hub == boxes[other].hub;
        if other < leaf || is_one_fan {
            continue;
        }
        for lane in 0..WIDTH {
            let t = bvh.leaves[leaf].triangle[lane];
            if t == u32::MAX {
                continue;
            }
            let one = Box32 {
                lo: Vec3A::new(own.lo[0][lane], own.lo[1][lane], own.lo[2][lane]),
                hi: Vec3A::new(own.hi[0][lane], own.hi[1][lane], own.hi[2][lane]),
            };
            let mut meet = boxes_that_meet(&one, &boxes[other].lo, &boxes[other].hi);
            if other == leaf {
                // Each pair once: only lanes after this one.
                meet &= !((2 << lane) - 1);
            }
            while meet != 0 {
                pairs.push((t, bvh.leaves[other].triangle[meet.trailing_zeros() as usize]));
                meet &= meet - 1;
            }
        }
    }
}

/// Bit k set when the k-th box meets `one`. Unused lanes hold empty boxes, which meet nothing.
#[inline(always)]
fn boxes_that_meet(one: &Box32, lo: &[[f32; WIDTH]; 3], hi: &[[f32; WIDTH]; 3]) -> u32 {
    let mut meet = [0u32; WIDTH];
    for lane in 0..WIDTH {
        let mut apart = false;
        for axis in 0..3 {
            apart |= (lo[axis][lane] > one.hi[axis]) | (hi[axis][lane] < one.lo[axis]);
        }
        meet[lane] = u32::from(!apart) << lane;
    }
    let mut mask = 0;
    for lane in 0..WIDTH {
        mask |= meet[lane];
    }
    mask
}
