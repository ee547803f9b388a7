//! Closest point.

use glam::DVec3;

use super::{Bvh, LEAF, WIDTH};
use crate::mesh::triangle::Feature;
use crate::simd::{SimdLevel, multiversioned};

/// The point of a mesh nearest to another point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClosestPoint {
    /// Where it is.
    pub point: DVec3,
    /// How far away, ≥ 0.
    pub distance: f64,
    /// The triangle it lies on; where several share it, any one of them.
    pub triangle: u32,
    /// The part of that triangle it lies on.
    pub feature: Feature,
}

/// Where a search found its best triangle, and where the next search nearby may begin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seed {
    pub(crate) leaf: u32,
    pub(crate) lane: u32,
}

/// The best so far of a search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nearest {
    pub(crate) squared: f64,
    pub(crate) at: Option<Seed>,
}

/// A search with its own stack, so that many searches allocate once.
pub(crate) struct ClosestQuery<'a> {
    pub(super) bvh: &'a Bvh,
    pub(super) stack: Vec<(f32, u32)>,
}

impl<'a> ClosestQuery<'a> {
    pub(crate) fn new(bvh: &'a Bvh) -> Self {
        Self { bvh, stack: Vec::with_capacity(256) }
    }

    pub(crate) fn bvh(&self) -> &'a Bvh {
        self.bvh
    }

    /// The least squared distance from `p` among triangles nearer than `bound_squared`, beginning with the seed's leaf. A good
    /// seed (the answer for a neighbouring point) leaves little of the tree to visit.
    #[inline(always)]
    pub(crate) fn nearest(&mut self, p: DVec3, seed: Option<Seed>, bound_squared: f64) -> Nearest {
        let bvh = self.bvh;
        let point = p.to_array();
        let q = bvh.scaled(p);
        let mut best = Nearest { squared: bound_squared, at: None };
        let seeded = seed.map_or(u32::MAX, |s| s.leaf | LEAF);
        if let Some(seed) = seed {
            improve(bvh, seed.leaf, point, &mut best);
        }
        let mut reach = bvh.reach(q, best.squared.sqrt());
        self.stack.clear();
        let mut current = bvh.root;
        loop {
            if current & LEAF != 0 {
                if current != seeded && improve(bvh, current & !LEAF, point, &mut best) {
                    reach = bvh.reach(q, best.squared.sqrt());
                }
            } else if let Some(nearest) = self.descend(current, q, reach) {
                current = nearest;
                continue;
            }
            loop {
                let Some((bound, index)) = self.stack.pop() else { return best };
                if bound <= reach {
                    current = index;
                    break;
                }
            }
        }
    }

    /// The nearest child within reach; the other ones within reach go on the stack.
    #[inline(always)]
    fn descend(&mut self, node: u32, q: [f32; 3], reach: f32) -> Option<u32> {
        let node = &self.bvh.nodes[node as usize];
        let bounds = Bvh::distances_squared_to_children(node, q);
        let mut within = 0u32;
        for lane in 0..WIDTH {
            within |= u32::from(bounds[lane] <= reach) << lane;
        }
        within &= (1 << node.used) - 1;
        if within == 0 {
            return None;
        }
        let mut nearest = within.trailing_zeros() as usize;
        within &= within - 1;
        while within != 0 {
            let lane = within.trailing_zeros() as usize;
            within &= within - 1;
            let farther =
                if bounds[lane] < bounds[nearest] { std::mem::replace(&mut nearest, lane) } else { lane };
            self.stack.push((bounds[farther], node.child[farther]));
        }
        Some(node.child[nearest])
    }
}

/// Takes the leaf's nearest triangle into `best` when it is nearer; says whether it was.
#[inline(always)]
fn improve(bvh: &Bvh, leaf: u32, point: [f64; 3], best: &mut Nearest) -> bool {
    let squared = bvh.leaves[leaf as usize].distances_squared(point);
    let mut least = squared[0];
    for lane in 1..WIDTH {
        least = if squared[lane] < least { squared[lane] } else { least };
    }
    if least < best.squared {
        let lane = squared.iter().position(|&s| s == least).unwrap_or(0) as u32;
        *best = Nearest { squared: least, at: Some(Seed { leaf, lane }) };
        true
    } else {
        false
    }
}

#[inline(always)]
fn nearest_body(query: &mut ClosestQuery<'_>, p: DVec3, bound_squared: f64) -> Nearest {
    query.nearest(p, None, bound_squared)
}

multiversioned! {
    fn nearest_dispatched<'q, 'b>(query: &'q mut ClosestQuery<'b>, p: DVec3, bound_squared: f64) -> Nearest = nearest_body
}

/// Nothing is nearer than a bound that is negative or not a number.
fn squared_bound(bound: f64) -> f64 {
    if bound > 0.0 { bound * bound } else { 0.0 }
}

impl Bvh {
    /// The point of the mesh closest to `p`; `None` only for a mesh without triangles, and a `p` that is not finite or so far
    /// away (10¹⁵⁴) that squared distances are not.
    pub fn closest_point(&self, p: DVec3) -> Option<ClosestPoint> {
        self.closest_point_within(p, f64::INFINITY)
    }

    /// The closest point, if it is nearer than `bound`. A small bound makes the search short.
    pub fn closest_point_within(&self, p: DVec3, bound: f64) -> Option<ClosestPoint> {
        let mut query = ClosestQuery::new(self);
        let nearest = nearest_dispatched(SimdLevel::detect(), &mut query, p, squared_bound(bound));
        let seed = nearest.at?;
        let leaf = &self.leaves[seed.leaf as usize];
        let lane = seed.lane as usize;
        let (point, feature) = leaf.planar(lane).closest(leaf.first_corner[lane], p);
        Some(ClosestPoint { point, distance: nearest.squared.sqrt(), triangle: leaf.triangle[lane], feature })
    }

    /// Distance to the mesh, if it is below `bound`.
    pub fn distance_within(&self, p: DVec3, bound: f64) -> Option<f64> {
        let mut query = ClosestQuery::new(self);
        let nearest = nearest_dispatched(SimdLevel::detect(), &mut query, p, squared_bound(bound));
        nearest.at.map(|_| nearest.squared.sqrt())
    }

    /// Closest point on the triangle a search ended at, with its feature and the mesh's triangle.
    pub(crate) fn closest_on(&self, seed: Seed, p: DVec3) -> (DVec3, Feature, u32) {
        let leaf = &self.leaves[seed.leaf as usize];
        let lane = seed.lane as usize;
        let (point, feature) = leaf.planar(lane).closest(leaf.first_corner[lane], p);
        (point, feature, leaf.triangle[lane])
    }
}
