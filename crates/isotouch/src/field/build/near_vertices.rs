//! Which of many small triangles can be closest to each node, told by their vertices.
//!
//! A point p of a triangle T is a mean of its vertices, p = Σλₖvₖ, and for every x
//!
//! ```text
//! |x − p|² = Σλₖ|x − vₖ|² − Σ λⱼλₖ|vⱼ − vₖ|²  ≥  minₖ |x − vₖ|² − R²
//! ```
//!
//! with R the radius of the smallest ball around T. So T can be closest to x only if one of its vertices is as near as the nearest
//! vertex of all, but for R²; and the smaller the triangles, the fewer are left. Of |x − v|² only the part that differs between
//! vertices counts, and that is linear in x: a few multiplications in `f32` for each vertex and node.

use super::gathered::{Gathered, LANES, VertexBlock};
use super::leaf_vertices::{LeafVertices, NO_CORNER, View};
use super::notes::Notes;
use super::sampler::Octet;
use crate::mesh::bvh::Seed;

/// Nodes of one layer of a brick.
const LAYER: usize = 16;
/// Places of a brick's nodes along an axis, from its centre, in cells.
const PLACES: [f32; 4] = [-1.5, -0.5, 0.5, 1.5];
/// Covers the rounding of two linear functions' values, relative to the squared size of one's terms. Thirteen roundings, of 2⁻²⁴ each, go into
/// one; the sizes of the other are three times as large at most (see [`NearVertices::envelope`]), so 13·(1 + 9)·2⁻²⁴ = 7.8·10⁻⁶ are needed.
const ROUNDING: f32 = 8e-6;
/// Sum of an octet's half edges, in cells: no node's coordinates add up to more.
const FARTHEST_NODE: f32 = 3.0 * 3.5;

/// |x − v|² less what all vertices have in common: `constant + slope·x`, in cells.
#[derive(Clone, Copy)]
struct Lifted {
    constant: [f32; LANES],
    slope: [[f32; LANES]; 3],
    /// R² of the largest triangle at the vertex, and what rounding may have done to `constant`.
    slack: [f32; LANES],
}

impl Lifted {
    /// Farther than anything.
    const NONE: Self =
        Self { constant: [f32::INFINITY; LANES], slope: [[0.0; LANES]; 3], slack: [0.0; LANES] };

    /// The value at `x` in one lane.
    #[inline(always)]
    fn at(&self, lane: usize, x: [f32; 3]) -> f32 {
        self.constant[lane]
            + (self.slope[0][lane] * x[0] + self.slope[1][lane] * x[1] + self.slope[2][lane] * x[2])
    }

    /// Byte k is 1 when lane k may be below the `reference` somewhere in the cube of half edge `half` around `center`, else 0.
    #[inline(always)]
    fn may_be_below(&self, reference: &Reference, center: [f32; 3], half: f32) -> u128 {
        let mut keeps = [0u8; LANES];
        for lane in 0..LANES {
            let lever = (self.slope[0][lane] - reference.slope[0]).abs()
                + (self.slope[1][lane] - reference.slope[1]).abs()
                + (self.slope[2][lane] - reference.slope[2]).abs();
            let is_out = self.at(lane, center) - reference.value - half * lever > self.slack[lane];
            keeps[lane] = u8::from(!is_out);
        }
        u128::from_le_bytes(keeps)
    }
}

/// A vertex that others are compared with.
#[derive(Clone, Copy)]
struct Reference {
    /// Upper bound of the value at the centre.
    value: f32,
    slope: [f32; 3],
}

/// Vertices that stand side by side.
#[derive(Clone, Copy)]
struct Block {
    lifted: Lifted,
    /// Place of the first.
    first: u32,
}

/// The vertices of the triangles near an octet.
#[derive(Default)]
pub(super) struct NearVertices {
    gathered: Gathered,
    /// From the octet's centre.
    vertices: Vec<Block>,
    /// Those that matter to a brick, from its centre.
    kept: Vec<Lifted>,
    /// Their places among the gathered ones.
    places: Vec<u32>,
    /// Bit g set when the kept vertex matters to group g of 2³ nodes.
    groups: Vec<[u32; LANES]>,
    /// The same for every place and brick of the octet: byte b for brick b.
    groups_of: Vec<u64>,
    layer: Layer,
}

impl NearVertices {
    pub(super) fn with_notes(notes: Notes) -> Self {
        let mut vertices = Self::default();
        vertices.gathered.notes = notes;
        vertices
    }

    pub(super) fn take_notes(&mut self) -> Notes {
        std::mem::take(&mut self.gathered.notes)
    }

    /// Takes the triangles of some leaves, for the nodes of an octet.
    #[inline(always)]
    pub(super) fn gather(&mut self, all: &LeafVertices, leaves: &[u32], octet: &Octet) {
        self.vertices.clear();
        self.gathered.gather(all, leaves);
        let view = all.view(octet.center(), octet.spacing);
        let Some(first) = self.gathered.blocks.first() else { return };
        let mut origin = [0.0; 3];
        for axis in 0..3 {
            origin[axis] = (first.position[axis][0] - view.center[axis]) * view.cells;
        }
        for (k, block) in self.gathered.blocks.iter().enumerate() {
            self.vertices.push(Block { lifted: lift(block, &view, origin), first: (k * LANES) as u32 });
        }
        let reference = self.nearest([0.0; 3]);
        self.vertices.retain(|block| block.lifted.may_be_below(&reference, [0.0; 3], 3.5) != 0);
    }

    /// Calls `needed` for every triangle of the leaves gathered that can be closest to a node of the `wanted` bricks, with bit
    /// 8b + g set for group g of 2³ nodes of brick b.
    #[inline(always)]
    pub(super) fn for_each_needed(
        &mut self,
        all: &LeafVertices,
        leaves: &[u32],
        wanted: u8,
        mut needed: impl FnMut(Seed, u64),
    ) {
        self.groups_of.clear();
        self.groups_of.resize(self.gathered.place_count(), 0);
        for brick in (0..8).filter(|brick| wanted >> brick & 1 != 0) {
            self.keep(brick);
            self.find_groups();
            for (k, &place) in self.places.iter().enumerate() {
                self.groups_of[place as usize] |= u64::from(self.groups[k / LANES][k % LANES]) << (8 * brick);
            }
        }
        let mut places = self.gathered.places.as_slice();
        for &leaf in leaves {
            let of = all.of_leaf(leaf);
            let (of_leaf, rest) = places.split_at(of.vertices().len());
            places = rest;
            let mut groups = [0; NO_CORNER as usize + 1];
            let mut any = 0;
            for (groups, &place) in groups.iter_mut().zip(of_leaf) {
                *groups = self.groups_of[place as usize];
                any |= *groups;
            }
            if any == 0 {
                continue;
            }
            for (lane, corners) in of.corners.iter().enumerate() {
                let at = |k: usize| groups[(corners[k] & NO_CORNER) as usize];
                let groups = at(0) | at(1) | at(2);
                if groups != 0 {
                    needed(Seed { leaf, lane: lane as u32 }, groups);
                }
            }
        }
    }

    /// The vertex nearest to a point.
    #[inline(always)]
    fn nearest(&self, x: [f32; 3]) -> Reference {
        let mut least = [f32::INFINITY; LANES];
        let mut block_of = [0u32; LANES];
        for (k, of) in self.vertices.iter().enumerate() {
            for lane in 0..LANES {
                let value = of.lifted.at(lane, x) + of.lifted.slack[lane];
                let closer = 0u32.wrapping_sub(u32::from(value < least[lane]));
                least[lane] = if value < least[lane] { value } else { least[lane] };
                block_of[lane] = (block_of[lane] & !closer) | (k as u32 & closer);
            }
        }
        let mut first = 0;
        for lane in 1..LANES {
            if least[lane] < least[first] {
                first = lane;
            }
        }
        let slope = self.vertices[block_of[first] as usize].lifted.slope;
        Reference { value: least[first], slope: [slope[0][first], slope[1][first], slope[2][first]] }
    }

    /// Finds the vertices that can matter to any point of the brick, compared with the one nearest to its centre.
    #[inline(always)]
    fn keep(&mut self, brick: usize) {
        let side = |axis: usize| if brick >> axis & 1 != 0 { 2.0f32 } else { -2.0 };
        let center = [side(0), side(1), side(2)];
        let reference = self.nearest(center);
        self.kept.clear();
        self.places.clear();
        for of in &self.vertices {
            let mut bytes = of.lifted.may_be_below(&reference, center, 1.5);
            while bytes != 0 {
                let lane = (bytes.trailing_zeros() / 8) as usize % LANES;
                bytes &= bytes - 1;
                let at = self.places.len() % LANES;
                if at == 0 {
                    self.kept.push(Lifted::NONE);
                }
                self.places.push(of.first + lane as u32);
                let Some(kept) = self.kept.last_mut() else { continue };
                kept.constant[at] = of.lifted.at(lane, center);
                kept.slope[0][at] = of.lifted.slope[0][lane];
                kept.slope[1][at] = of.lifted.slope[1][lane];
                kept.slope[2][at] = of.lifted.slope[2][lane];
                kept.slack[at] = of.lifted.slack[lane];
            }
        }
    }

    /// Finds the groups that each kept vertex matters to.
    #[inline(always)]
    fn find_groups(&mut self) {
        let upper = self.envelope();
        self.groups.clear();
        for kept in &self.kept {
            let mut found = [0u32; LANES];
            for at in 0..self.layer.nodes {
                let (x, y) = (self.layer.x[at % LAYER], self.layer.y[at % LAYER]);
                let mut base = [0.0; LANES];
                for lane in 0..LANES {
                    base[lane] = kept.at(lane, [x, y, 0.0]) - kept.slack[lane];
                }
                for layer in 0..self.layer.count {
                    let bit = 1u32 << ((at % 4 / 2) + 2 * (at / 8) + 4 * (layer / 2));
                    let (z, upper) = (PLACES[layer % 4], upper[layer % 4][at % LAYER]);
                    for lane in 0..LANES {
                        let is_out = base[lane] + kept.slope[2][lane] * z > upper;
                        found[lane] |= if is_out { 0 } else { bit };
                    }
                }
            }
            self.groups.push(found);
        }
    }

    /// The least |x − v|² at each node of the brick, less what is common.
    ///
    /// Without the slack of the vertex w that is least: that of each v compared with it covers the rounding of both. Where it matters w is no
    /// farther from x than v, by d. With F = [`FARTHEST_NODE`] ≥ |x|₁, and |x|₂ ≤ F/√3, |w|₁ + F ≤ 2F + √3·d and |v|₁ + F ≥ F + max(0, d − F/√3); the
    /// quotient is largest at d = F/√3, and 3 there. So w's rounding is at most 3 times v's where it grows with sizes, and 9 times where it grows
    /// with their squares.
    #[inline(always)]
    fn envelope(&self) -> [[f32; LAYER]; 4] {
        let far = [f32::INFINITY; LAYER];
        let (mut a, mut b, mut c, mut d) = (far, far, far, far);
        let Layer { x, y, .. } = &self.layer;
        for k in 0..self.places.len() {
            let (of, lane) = (&self.kept[k / LANES], k % LANES);
            let slope = [of.slope[0][lane], of.slope[1][lane], of.slope[2][lane]];
            let base = of.constant[lane];
            for at in 0..LAYER {
                let value = base + (slope[0] * x[at] + slope[1] * y[at]);
                let (p, q) = (value + slope[2] * PLACES[0], value + slope[2] * PLACES[1]);
                let (r, s) = (value + slope[2] * PLACES[2], value + slope[2] * PLACES[3]);
                a[at] = if p < a[at] { p } else { a[at] };
                b[at] = if q < b[at] { q } else { b[at] };
                c[at] = if r < c[at] { r } else { c[at] };
                d[at] = if s < d[at] { s } else { d[at] };
            }
        }
        [a, b, c, d]
    }
}

/// The linear functions of a block's vertices, less that of the vertex at `origin`.
#[inline(always)]
fn lift(block: &VertexBlock, view: &View, origin: [f32; 3]) -> Lifted {
    let mut lifted = Lifted { constant: [0.0; LANES], slope: [[0.0; LANES]; 3], slack: [0.0; LANES] };
    let mut sizes = [0.0f32; LANES];
    for axis in 0..3 {
        for lane in 0..LANES {
            let at = (block.position[axis][lane] - view.center[axis]) * view.cells;
            let (apart, sum) = (at - origin[axis], at + origin[axis]);
            lifted.constant[lane] += apart * sum;
            lifted.slope[axis][lane] = -2.0 * apart;
            sizes[lane] += at.abs() + origin[axis].abs();
        }
    }
    for lane in 0..LANES {
        // A vertex that rounding moves by e is 2(v − x)·e farther from x, squared; e is half the blur, and what it does to the vertex
        // compared with is three times as much.
        let size = sizes[lane] + FARTHEST_NODE;
        let rounding = 4.0 * view.blur * size + ROUNDING * size * size;
        lifted.slack[lane] = block.radius_squared[lane] * (view.cells * view.cells) + rounding;
    }
    lifted
}

/// Places of the nodes of a layer of a brick. Kept in memory with their number, for a compiler that knows how few they are
/// unrolls the loops before it could make vector instructions of them.
struct Layer {
    x: [f32; LAYER],
    y: [f32; LAYER],
    nodes: usize,
    count: usize,
}

impl Default for Layer {
    fn default() -> Self {
        Self {
            x: std::array::from_fn(|k| PLACES[k % 4]),
            y: std::array::from_fn(|k| PLACES[k / 4]),
            nodes: LAYER,
            count: PLACES.len(),
        }
    }
}

#[cfg(test)]
mod tests;
