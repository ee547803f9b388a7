//! An eight-wide bounding volume hierarchy over the triangles of a mesh: closest point and ray crossings, exact in `f64`.
//!
//! Boxes are `f32`, in coordinates scaled to the mesh and rounded outward; they only decide what to skip, with a
//! margin that covers their rounding. Distances always come from one `f64` formula (`mesh/triangle.rs`), so an answer
//! never depends on the shape of the tree.
//!
//! ```text
//! Node8:  lo[axis][child], hi[axis][child]   children side by side for one vector test
//!         disc                               a thick disc around each child of a few hundred triangles or less
//!         child[8]                           node index, or LEAF | leaf index; `used` children are real
//! Leaf8:  rows[18][triangle]                 up to 8 triangles side by side; unused lanes are infinitely far
//! ```

mod build;
mod closest;
mod cull;
mod disc;
mod fans;
mod overlap;
mod passage;
mod pieces;
mod ray;
mod search;

use glam::DVec3;
use rayon::prelude::*;

use super::{TriMesh, triangle};
pub use closest::ClosestPoint;
pub(crate) use closest::{ClosestQuery, Seed};
pub(crate) use cull::{Cube, Cull};
pub(crate) use passage::Passage;
pub use ray::RayCrossing;

/// How many children a node and triangles a leaf may have.
pub(crate) const WIDTH: usize = 8;
const LEAF: u32 = 1 << 31;

#[derive(Debug, Clone)]
struct Node8 {
    lo: [[f32; WIDTH]; 3],
    hi: [[f32; WIDTH]; 3],
    /// A second bound of each child, better than its box where the surface is smooth.
    disc: disc::Disc8,
    child: [u32; WIDTH],
    used: u32,
}

/// What hangs below a node.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Child {
    Node(usize),
    Leaf(usize),
}

impl Child {
    #[inline(always)]
    fn of(index: u32) -> Self {
        if index & LEAF != 0 { Self::Leaf((index & !LEAF) as usize) } else { Self::Node(index as usize) }
    }
}

/// Triangles that stand side by side for one vector evaluation.
#[derive(Debug, Clone)]
pub(crate) struct Leaf8 {
    rows: [[f64; WIDTH]; triangle::ROWS],
    /// The mesh's triangle in each lane; `u32::MAX` where there is none.
    pub(crate) triangle: [u32; WIDTH],
    /// Which corner of the mesh's triangle is A in the frame.
    first_corner: [u8; WIDTH],
}

impl Leaf8 {
    /// The triangle in one lane.
    #[inline(always)]
    pub(crate) fn planar(&self, lane: usize) -> triangle::PlanarTriangle {
        triangle::PlanarTriangle(std::array::from_fn(|row| self.rows[row][lane]))
    }

    /// Squared distances from one point to all lanes.
    #[inline(always)]
    fn distances_squared(&self, p: [f64; 3]) -> [f64; WIDTH] {
        let mut out = [0.0; WIDTH];
        for lane in 0..WIDTH {
            out[lane] = triangle::distance_squared(self.planar(lane).0, p);
        }
        out
    }
}

/// The hierarchy. It holds copies of all it needs of the mesh.
#[derive(Debug, Clone)]
pub struct Bvh {
    nodes: Vec<Node8>,
    leaves: Vec<Leaf8>,
    /// Boxes are stored as `(x − center) · scale`, within [−1, 1].
    center: DVec3,
    scale: f64,
    root: u32,
}

impl Bvh {
    /// Builds the hierarchy, in parallel on the current rayon pool; the result does not depend on the thread count.
    /// Triangles without area are kept, as segments or points.
    pub fn new(mesh: &TriMesh) -> Self {
        build::build(mesh, |_| true)
    }

    /// A hierarchy of some of the mesh's triangles; they keep their numbers.
    pub(crate) fn of_some(mesh: &TriMesh, is_wanted: impl Fn(usize) -> bool + Sync) -> Self {
        build::build(mesh, is_wanted)
    }

    /// A hierarchy of line segments, to measure distances to; `None` where there are none.
    pub(crate) fn of_edges(edges: &[[DVec3; 2]]) -> Option<Self> {
        let ends: Vec<DVec3> = edges.iter().flatten().copied().collect();
        let triangles = (0..edges.len() as u32).map(|k| [2 * k, 2 * k + 1, 2 * k + 1]).collect();
        let edges = TriMesh::new(ends, triangles).ok()?;
        (!edges.triangles().is_empty()).then(|| Self::new(&edges))
    }

    /// The same hierarchy without some of its triangles. Its boxes stay as they are, so this is for a few.
    pub(crate) fn without(&self, is_hidden: impl Fn(usize) -> bool + Sync) -> Self {
        let shown = |leaf: &Leaf8| {
            let mut leaf = leaf.clone();
            for lane in 0..WIDTH {
                if leaf.triangle[lane] != u32::MAX && is_hidden(leaf.triangle[lane] as usize) {
                    leaf.triangle[lane] = u32::MAX;
                    for row in 0..triangle::ROWS {
                        leaf.rows[row][lane] = triangle::NOWHERE.0[row];
                    }
                }
            }
            leaf
        };
        let leaves = self.leaves.par_iter().with_min_len(256).map(shown).collect();
        Self { nodes: self.nodes.clone(), leaves, ..*self }
    }

    /// How many triangles it holds.
    pub fn triangle_count(&self) -> usize {
        self.leaves.iter().map(|leaf| leaf.triangle.iter().filter(|&&t| t != u32::MAX).count()).sum()
    }

    /// Memory it takes, in bytes.
    pub fn bytes(&self) -> u64 {
        (self.nodes.len() * size_of::<Node8>() + self.leaves.len() * size_of::<Leaf8>()) as u64
    }

    pub(crate) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Children of a node, in lane order. A child node always comes after its parent.
    pub(crate) fn children(&self, node: usize) -> impl Iterator<Item = Child> + '_ {
        let node = &self.nodes[node];
        node.child[..node.used as usize].iter().map(|&index| Child::of(index))
    }

    /// One child of a node.
    #[inline(always)]
    pub(crate) fn child(&self, node: usize, lane: usize) -> Child {
        Child::of(self.nodes[node].child[lane])
    }

    /// Where the tree begins; `None` without triangles.
    pub(crate) fn root_child(&self) -> Option<Child> {
        (!self.leaves.is_empty()).then(|| Child::of(self.root))
    }

    pub(crate) fn leaf_count(&self) -> usize {
        self.leaves.len()
    }

    pub(crate) fn leaf(&self, index: usize) -> &Leaf8 {
        &self.leaves[index]
    }

    /// Squared lower bounds (scaled) of the distance from a scaled point to each child.
    #[inline(always)]
    fn distances_squared_to_children(node: &Node8, q: [f32; 3]) -> [f32; WIDTH] {
        let mut out = [0.0; WIDTH];
        for lane in 0..WIDTH {
            let mut sum = 0.0;
            for axis in 0..3 {
                let below = node.lo[axis][lane] - q[axis];
                let above = q[axis] - node.hi[axis][lane];
                let outside = if below > above { below } else { above };
                let outside = if outside > 0.0 { outside } else { 0.0 };
                sum += outside * outside;
            }
            let to_disc = node.disc.distance_squared(lane, q);
            out[lane] = if to_disc > sum { to_disc } else { sum };
        }
        out
    }

    /// A point in the scaled coordinates of the boxes.
    #[inline(always)]
    fn scaled(&self, p: DVec3) -> [f32; 3] {
        ((p - self.center) * self.scale).as_vec3().to_array()
    }

    /// How far, in squared scaled units, a box may seem to be and still hold something within `distance` of the
    /// point. Larger than needed costs time; smaller could skip the closest triangle.
    ///
    /// Rounding the scaled point to `f32` moves it by 2⁻²⁴ of its largest coordinate per axis; rounded normals of discs turn
    /// the offset by as much; the operations add a few 2⁻²⁴ relative. All are covered twice over. The 10⁻⁹ keeps every triangle that ties in
    /// `f64`, so that the least computed value is found whatever the order of the search.
    #[inline(always)]
    fn reach(&self, q: [f32; 3], distance: f64) -> f32 {
        let largest = f64::from(q[0].abs().max(q[1].abs()).max(q[2].abs()).max(1.0));
        let scaled = distance * self.scale * (1.0 + 1e-9) + largest * f64::from(f32::EPSILON) * 16.0;
        (scaled * scaled * (1.0 + 1e-6)) as f32
    }
}

#[cfg(test)]
mod tests;
