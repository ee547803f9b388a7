//! A tree of spheres over points, for culling whole groups of moving points at once.
//!
//! ```text
//!             0                 depth 0: one sphere around everything
//!    1     2     3     4        depth 1
//!  5…8   9…12 13…16 17…20       depth 2: children of node k of a depth are 4k … 4k + 3 of the next
//! ```
//!
//! The shape is a matter of counting, so no links are stored: with n points, node k of depth d stands for the points from
//! ⌊kn/4ᵈ⌋ to ⌊(k + 1)n/4ᵈ⌋ in tree order, and all leaves are at one depth, with 2 to 8 points each (fewer only where there are
//! fewer in all). Nodes lie breadth-first in one array of 16 bytes a sphere; four siblings fill one line of cache.
//!
//! **Guarantee.** Every sphere contains the spheres of its children, and that of a leaf its points, for the `f64` numbers that
//! [`SphereTree::sphere`] gives and exactly, rounding and underflow included. So what is clear of a sphere is clear of all below it.
//!
//! **Why four children.** A descent to one leaf looks at f·log_f(n) spheres: 37 for n = 437,645 with f = 2 and with f = 4, and 50
//! with f = 8. Four halves the depth of two for free. **Why small leaves.** A point costs as much to test as a sphere, so a leaf
//! should hold about as many points as a node has children.
//! **Why local origins.** Spheres are `f32` numbers, from the middle of the points three to six levels up and in units of their size: counted
//! from one origin for all, a cluster smaller than 2⁻²⁴ of the whole would have spheres no smaller than that, and culling would find nothing.
//! **Why free centres.** The papers put spheres on points of the shell (Barbič & James 2008). A centre that may lie anywhere never makes them
//! larger.
//!
//! ```
//! use isotouch::math::DVec3;
//! use isotouch::shell::SphereTree;
//!
//! let points: Vec<DVec3> = (0..1000).map(|k| DVec3::new(f64::from(k % 10), f64::from(k / 10), 0.0)).collect();
//! let tree = SphereTree::new(&points);
//! let all = tree.sphere(0);
//! assert!(points.iter().all(|p| p.distance(all.center) <= all.radius));
//! let (nearest, distance) = tree.nearest(DVec3::new(3.2, 7.0, 0.0)).unwrap();
//! assert_eq!(points[nearest as usize], DVec3::new(3.0, 7.0, 0.0));
//! assert!((distance - 0.2).abs() < 1e-12);
//! ```

mod ball;
mod build;
mod farthest_first;
mod nearest;

use std::ops::Range;
use std::sync::OnceLock;

use glam::DVec3;

pub(super) use farthest_first::{FarthestFirst, farthest_first};

/// Children of a node that is no leaf.
pub const FANOUT: usize = 4;
/// Most points of a leaf.
pub const LEAF_POINTS: usize = 8;

/// A ball.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sphere {
    /// Its middle.
    pub center: DVec3,
    /// Its radius, ≥ 0.
    pub radius: f64,
}

impl Sphere {
    /// How far its farthest point is from the origin.
    pub fn reach(&self) -> f64 {
        self.center.length() + self.radius
    }
}

/// Nested spheres over points; see the [module](self) for the layout.
#[derive(Debug, Clone)]
pub struct SphereTree {
    /// Depth of the leaves.
    depth: u32,
    /// x, y, z and radius of every sphere, breadth-first, in units and from the origin of its frame.
    spheres: Vec<[f32; 4]>,
    /// One for every node at a depth that is a multiple of [`FRAME_DEPTHS`], breadth-first; none for leaves.
    frames: Vec<Frame>,
    /// Positions in tree order.
    points: Vec<DVec3>,
    /// For every place in tree order, the point's number where it came from.
    order: Vec<u32>,
    /// For every node, the least number of its points; once that was asked for.
    least: OnceLock<Vec<u32>>,
}

/// What is found out later does not make another tree.
impl PartialEq for SphereTree {
    fn eq(&self, other: &Self) -> bool {
        self.depth == other.depth
            && self.spheres == other.spheres
            && self.frames == other.frames
            && self.points == other.points
            && self.order == other.order
    }
}

/// Depths of the tree that share a frame: a node's frame belongs to the nearest node above it whose depth is a multiple of this. More
/// leaves more spheres too large around clusters, 4 to that power; fewer takes memory.
const FRAME_DEPTHS: u32 = 3;

/// What the numbers of some spheres are relative to.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Frame {
    origin: DVec3,
    /// A power of two, so that scaling by it rounds nothing.
    unit: f64,
}

impl Frame {
    #[inline(always)]
    fn sphere(&self, stored: &[f32; 4]) -> Sphere {
        let [x, y, z, radius] = stored.map(f64::from);
        Sphere { center: self.origin + self.unit * DVec3::new(x, y, z), radius: self.unit * radius }
    }
}

impl SphereTree {
    /// Nodes, leaves included; 0 without points.
    pub fn node_count(&self) -> usize {
        self.spheres.len()
    }

    /// Depth of the leaves; the root is at depth 0.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Memory it takes, in bytes.
    pub fn bytes(&self) -> u64 {
        (size_of_val::<[_]>(&self.spheres)
            + size_of_val::<[_]>(&self.frames)
            + size_of_val::<[_]>(&self.points)
            + size_of_val::<[_]>(&self.order)) as u64
    }

    /// One sphere; 0 is the root.
    #[inline]
    pub fn sphere(&self, node: usize) -> Sphere {
        self.frame(node).sphere(&self.spheres[node])
    }

    /// The frame of a node's sphere; siblings share it.
    #[inline]
    fn frame(&self, node: usize) -> &Frame {
        let depth = depth_of(node);
        let top = depth.saturating_sub(1) / FRAME_DEPTHS * FRAME_DEPTHS;
        let above = (node - first_node(depth)) >> (2 * (depth - top));
        &self.frames[first_frame(top) + above]
    }

    /// The nodes of a depth.
    pub fn nodes_at(&self, depth: u32) -> Range<usize> {
        if self.spheres.is_empty() || depth > self.depth {
            return 0..0;
        }
        first_node(depth)..first_node(depth + 1)
    }

    /// Children of a node; none below leaves.
    #[inline]
    pub fn children(&self, node: usize) -> Range<usize> {
        let first = FANOUT * node + 1;
        if first < self.spheres.len() { first..first + FANOUT } else { 0..0 }
    }

    /// Where in tree order the points of a node are.
    pub fn point_range(&self, node: usize) -> Range<usize> {
        let depth = depth_of(node);
        range_of(node - first_node(depth), depth, self.points.len())
    }

    /// Positions in tree order: points of a node lie side by side.
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// For every place in tree order, the number the point had when the tree was made.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// For every node, the least number of its points: from which level of a shell on it counts. Found once, when it is first asked for.
    pub(crate) fn least_numbers(&self) -> &[u32] {
        self.least.get_or_init(|| {
            let mut least = vec![u32::MAX; self.node_count()];
            for node in (0..self.node_count()).rev() {
                let children = self.children(node);
                least[node] = if children.is_empty() {
                    self.order[self.point_range(node)].iter().copied().min().unwrap_or(u32::MAX)
                } else {
                    children.map(|child| least[child]).min().unwrap_or(u32::MAX)
                };
            }
            least
        })
    }
}

/// The first node of a depth: (4ᵈ − 1) / 3.
fn first_node(depth: u32) -> usize {
    ((1_usize << (2 * depth)) - 1) / 3
}

/// The first frame of a depth that has some, one for each node there and at depths before: (4ᵈ − 1) / (4ᶠ − 1), f depths apart.
fn first_frame(depth: u32) -> usize {
    ((1_usize << (2 * depth)) - 1) / ((1 << (2 * FRAME_DEPTHS)) - 1)
}

fn depth_of(node: usize) -> u32 {
    // Node (4ᵈ − 1)/3 is the first of depth d, and 3·node + 1 is 4ᵈ there and less than 4ᵈ⁺¹ up to the last.
    (3 * node + 1).ilog2() / 2
}

/// The points of node `k` of a depth, of `count` in all.
fn range_of(k: usize, depth: u32, count: usize) -> Range<usize> {
    let at = |k: usize| ((k as u128 * count as u128) >> (2 * depth)) as usize;
    at(k)..at(k + 1)
}
