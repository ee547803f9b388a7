//! Building: binned surface-area splits, eight ways at a time, first the tree, then the leaves.

use glam::{DVec3, Vec3A};
use rayon::prelude::*;

use super::disc::{Disc, Disc8};
use super::{Bvh, LEAF, Leaf8, Node8, WIDTH};
use crate::mesh::{TriMesh, triangle};

/// Bins in the split search; more gain little.
const BINS: usize = 16;
/// Ranges longer than this are split in parallel.
const PARALLEL_ABOVE: usize = 4096;
/// Below this depth splits halve the count instead of minimising area: bounds the depth of odd meshes.
const MEDIAN_BELOW_DEPTH: usize = 40;

/// A box in the scaled coordinates of the tree, rounded outward.
#[derive(Debug, Clone, Copy)]
pub(super) struct Box32 {
    pub(super) lo: Vec3A,
    pub(super) hi: Vec3A,
}

impl Box32 {
    pub(super) const EMPTY: Self = Self { lo: Vec3A::INFINITY, hi: Vec3A::NEG_INFINITY };

    /// The box around scaled points.
    pub(super) fn around(points: [DVec3; 3]) -> Self {
        let low = points[0].min(points[1]).min(points[2]);
        let high = points[0].max(points[1]).max(points[2]);
        // `as f32` rounds to nearest and the scaling rounded too: one step outward covers both.
        let down = |x: f64| (x as f32).next_down();
        let up = |x: f64| (x as f32).next_up();
        Self {
            lo: Vec3A::new(down(low.x), down(low.y), down(low.z)),
            hi: Vec3A::new(up(high.x), up(high.y), up(high.z)),
        }
    }

    #[inline(always)]
    pub(super) fn union(self, other: &Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// Half the surface area; 0 when empty.
    fn area(&self) -> f32 {
        let sides = (self.hi - self.lo).max(Vec3A::ZERO);
        sides.x * sides.y + sides.y * sides.z + sides.z * sides.x
    }
}

/// A triangle to be placed. Centroids are sums of low and high sides: twice the middle, which orders the same.
#[derive(Clone, Copy)]
struct Item {
    bounds: Box32,
    triangle: u32,
}

impl Item {
    #[inline(always)]
    fn centroid(&self) -> Vec3A {
        self.bounds.lo + self.bounds.hi
    }
}

/// Nodes of a subtree and the item ranges of its leaves; indices are local to it.
struct Subtree {
    nodes: Vec<Node8>,
    leaves: Vec<(u32, u32)>,
    root: u32,
}

pub(super) fn build(mesh: &TriMesh, is_wanted: impl Fn(usize) -> bool + Sync) -> Bvh {
    let bounds = mesh.bounds();
    let half = 0.5 * bounds.extent().max_element();
    let center = if bounds.is_empty() { DVec3::ZERO } else { bounds.center() };
    let scale = if half > 0.0 && (1.0 / half).is_finite() { 1.0 / half } else { 1.0 };
    let mut items: Vec<Item> = (0..mesh.triangles().len())
        .into_par_iter()
        .with_min_len(4096)
        .filter(|&t| is_wanted(t))
        .map(|t| {
            let [a, b, c] = mesh.corners(t);
            let bounds = Box32::around([(a - center) * scale, (b - center) * scale, (c - center) * scale]);
            Item { bounds, triangle: t as u32 }
        })
        .collect();
    let all = bounds_of(&items);
    let scaled = Scaled { mesh, center, scale };
    let tree = scaled.subtree(&mut items, 0, all, 0);
    let leaves = tree
        .leaves
        .par_iter()
        .with_min_len(256)
        .map(|&(first, count)| leaf(mesh, &items[first as usize..(first + count) as usize]))
        .collect();
    Bvh { nodes: tree.nodes, leaves, center, scale, root: tree.root }
}

fn bounds_of(items: &[Item]) -> Box32 {
    items.iter().fold(Box32::EMPTY, |b, item| b.union(&item.bounds))
}

/// Children with more triangles than this get no disc: they are too curved to gain from one.
const MOST_IN_DISC: usize = 512;

/// The mesh in the tree's coordinates.
struct Scaled<'a> {
    mesh: &'a TriMesh,
    center: DVec3,
    scale: f64,
}

impl Scaled<'_> {
    fn disc(&self, items: &[Item]) -> Disc {
        if items.len() > MOST_IN_DISC {
            return Disc::UNBOUNDED;
        }
        Disc::around(items.iter().map(|item| {
            let [a, b, c] = self.mesh.corners(item.triangle as usize);
            let scaled = |v: DVec3| (v - self.center) * self.scale;
            [scaled(a), scaled(b), scaled(c)]
        }))
    }

    /// The tree over `items`, which begin at `first` in the whole list.
    fn subtree(&self, items: &mut [Item], first: u32, bounds: Box32, depth: usize) -> Subtree {
        if items.len() <= WIDTH {
            return Subtree { nodes: Vec::new(), leaves: vec![(first, items.len() as u32)], root: LEAF };
        }
        let count = items.len();
        let ranges = split_eight_ways(items, first, bounds, depth);
        let bounds: Vec<(Box32, Disc)> =
            ranges.iter().map(|range| (range.bounds, self.disc(range.items))).collect();
        let below = |range: Range<'_>| self.subtree(range.items, range.first, range.bounds, depth + 3);
        let children: Vec<Subtree> = if count > PARALLEL_ABOVE {
            ranges.into_par_iter().map(below).collect()
        } else {
            ranges.into_iter().map(below).collect()
        };
        join(&bounds, children)
    }
}

/// A node over finished subtrees: the node first, then the subtrees in order, so that a descent reads forward.
fn join(bounds: &[(Box32, Disc)], children: Vec<Subtree>) -> Subtree {
    let mut node = Node8 {
        lo: [[f32::INFINITY; WIDTH]; 3],
        hi: [[f32::NEG_INFINITY; WIDTH]; 3],
        disc: Disc8::UNBOUNDED,
        child: [u32::MAX; WIDTH],
        used: children.len() as u32,
    };
    let mut nodes = vec![node.clone()];
    let mut leaves = Vec::new();
    for (lane, (child, (bounds, disc))) in children.into_iter().zip(bounds).enumerate() {
        node.disc.set(lane, disc);
        for axis in 0..3 {
            node.lo[axis][lane] = bounds.lo[axis];
            node.hi[axis][lane] = bounds.hi[axis];
        }
        let (node_base, leaf_base) = (nodes.len() as u32, leaves.len() as u32);
        let moved = |index: u32| {
            if index & LEAF != 0 { index + leaf_base } else { index + node_base }
        };
        node.child[lane] = moved(child.root);
        nodes.extend(child.nodes.into_iter().map(|mut n| {
            for c in &mut n.child[..n.used as usize] {
                *c = moved(*c);
            }
            n
        }));
        leaves.extend(child.leaves);
    }
    nodes[0] = node;
    Subtree { nodes, leaves, root: 0 }
}

fn leaf(mesh: &TriMesh, items: &[Item]) -> Leaf8 {
    let mut leaf =
        Leaf8 { rows: [[0.0; WIDTH]; triangle::ROWS], triangle: [u32::MAX; WIDTH], first_corner: [0; WIDTH] };
    for lane in 0..WIDTH {
        let planar = match items.get(lane) {
            Some(item) => {
                let (planar, first) = triangle::PlanarTriangle::new(mesh.corners(item.triangle as usize));
                leaf.triangle[lane] = item.triangle;
                leaf.first_corner[lane] = first;
                planar
            }
            None => triangle::NOWHERE,
        };
        for row in 0..triangle::ROWS {
            leaf.rows[row][lane] = planar.0[row];
        }
    }
    leaf
}

/// Items that will share a child.
struct Range<'a> {
    items: &'a mut [Item],
    first: u32,
    bounds: Box32,
}

/// Up to eight ranges that partition the items, by splitting the costliest range again and again.
fn split_eight_ways(items: &mut [Item], first: u32, bounds: Box32, depth: usize) -> Vec<Range<'_>> {
    let mut ranges = vec![Range { items, first, bounds }];
    while ranges.len() < WIDTH {
        let costliest = ranges
            .iter()
            .enumerate()
            .filter(|(_, range)| range.items.len() > WIDTH)
            .map(|(k, range)| (k, range.bounds.area() * range.items.len() as f32))
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        let Some((k, _)) = costliest else { break };
        let Range { items, first, .. } = ranges.remove(k);
        let Split { middle, left, right } = partition(items, depth);
        let (before, after) = items.split_at_mut(middle);
        ranges.insert(k, Range { items: after, first: first + middle as u32, bounds: right });
        ranges.insert(k, Range { items: before, first, bounds: left });
    }
    ranges
}

/// Two parts of a range, and the boxes around them.
struct Split {
    /// Where the right one begins: never 0 or the length.
    middle: usize,
    left: Box32,
    right: Box32,
}

/// Reorders the items so that the first part and the rest make good nodes.
fn partition(items: &mut [Item], depth: usize) -> Split {
    let (mut low, mut high) = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
    for item in &*items {
        low = low.min(item.centroid());
        high = high.max(item.centroid());
    }
    let axis = (0..3).max_by(|&i, &j| (high[i] - low[i]).total_cmp(&(high[j] - low[j]))).unwrap_or(0);
    let bins = Bins { axis, low: low[axis], per_length: BINS as f32 / (high[axis] - low[axis]) };
    if depth < MEDIAN_BELOW_DEPTH
        && let Some(best) = bins.best_split(items)
    {
        // Swapping from both ends: the order within a side is not kept, but always comes out the same.
        let (mut left, mut right) = (0, items.len());
        while left < right {
            if bins.bin(&items[left]) < best.border {
                left += 1;
            } else {
                right -= 1;
                items.swap(left, right);
            }
        }
        return Split { middle: left, left: best.left, right: best.right };
    }
    let middle = items.len() / 2;
    items.select_nth_unstable_by(middle, |a, b| {
        a.centroid()[axis].total_cmp(&b.centroid()[axis]).then(a.triangle.cmp(&b.triangle))
    });
    let (left, right) = items.split_at(middle);
    Split { middle, left: bounds_of(left), right: bounds_of(right) }
}

/// The border between two bins, and the boxes around what is in the bins on either side.
struct BestSplit {
    cost: f32,
    border: usize,
    left: Box32,
    right: Box32,
}

/// Equal intervals of the centroids along the axis where they spread most.
struct Bins {
    axis: usize,
    low: f32,
    per_length: f32,
}

impl Bins {
    #[inline(always)]
    fn bin(&self, item: &Item) -> usize {
        // By way of 32 bits: a conversion to 64 takes several instructions.
        (((item.centroid()[self.axis] - self.low) * self.per_length) as u32 as usize).min(BINS - 1)
    }

    /// The bin border with the least Σ area × count; `None` when all centroids coincide.
    fn best_split(&self, items: &[Item]) -> Option<BestSplit> {
        if !self.per_length.is_finite() {
            return None;
        }
        let mut bins = [(Box32::EMPTY, 0usize); BINS];
        for item in items {
            let bin = &mut bins[self.bin(item)];
            bin.0 = bin.0.union(&item.bounds);
            bin.1 += 1;
        }
        let mut from_right = [(Box32::EMPTY, 0usize); BINS + 1];
        for bin in (0..BINS).rev() {
            let (bounds, count) = from_right[bin + 1];
            from_right[bin] = (bounds.union(&bins[bin].0), count + bins[bin].1);
        }
        let mut best: Option<BestSplit> = None;
        let (mut left, mut left_count) = (Box32::EMPTY, 0);
        for border in 1..BINS {
            left = left.union(&bins[border - 1].0);
            left_count += bins[border - 1].1;
            let (right, right_count) = from_right[border];
            if left_count == 0 || right_count == 0 {
                continue;
            }
            let cost = left.area() * left_count as f32 + right.area() * right_count as f32;
            if best.as_ref().is_none_or(|best| cost < best.cost) {
                best = Some(BestSplit { cost, border, left, right });
            }
        }
        best
    }
}
