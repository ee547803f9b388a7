//! Building: binned surface-area splits, eight ways at a time.

use glam::DVec3;
use rayon::prelude::*;

use super::{Bvh, LEAF, Leaf8, Node8, WIDTH};
use crate::math::Aabb;
use crate::mesh::{TriMesh, triangle};

/// Bins per axis in the split search; more gain little.
const BINS: usize = 16;
/// Ranges longer than this are built in parallel.
const PARALLEL_ABOVE: usize = 4096;
/// Below this depth splits halve the count instead of minimising area: bounds the depth of odd meshes.
const MEDIAN_BELOW_DEPTH: usize = 40;

#[derive(Clone, Copy)]
struct Item {
    bounds: Aabb,
    centroid: DVec3,
    triangle: u32,
}

/// Nodes and leaves of a subtree; indices are local to it.
struct Subtree {
    nodes: Vec<Node8>,
    leaves: Vec<Leaf8>,
    root: u32,
}

pub(super) fn build(mesh: &TriMesh) -> Bvh {
    let bounds = mesh.bounds();
    let mut items: Vec<Item> = (0..mesh.triangles().len())
        .map(|t| {
            let bounds = Aabb::of_points(mesh.corners(t));
            Item { bounds, centroid: bounds.center(), triangle: t as u32 }
        })
        .collect();
    let half = 0.5 * bounds.extent().max_element();
    let placement = Placement {
        mesh,
        center: if bounds.is_empty() { DVec3::ZERO } else { bounds.center() },
        scale: if half > 0.0 && (1.0 / half).is_finite() { 1.0 / half } else { 1.0 },
    };
    let tree = placement.subtree(&mut items, 0);
    Bvh {
        nodes: tree.nodes,
        leaves: tree.leaves,
        center: placement.center,
        scale: placement.scale,
        root: tree.root,
    }
}

struct Placement<'a> {
    mesh: &'a TriMesh,
    center: DVec3,
    scale: f64,
}

impl Placement<'_> {
    fn subtree(&self, items: &mut [Item], depth: usize) -> Subtree {
        if items.len() <= WIDTH {
            return Subtree { nodes: Vec::new(), leaves: vec![self.leaf(items)], root: LEAF };
        }
        let mut ranges = split_eight_ways(items, depth);
        let bounds: Vec<Aabb> = ranges.iter().map(|range| bounds_of(range)).collect();
        let children: Vec<Subtree> = if ranges.iter().map(|r| r.len()).sum::<usize>() > PARALLEL_ABOVE {
            ranges.par_iter_mut().map(|range| self.subtree(range, depth + 3)).collect()
        } else {
            ranges.iter_mut().map(|range| self.subtree(range, depth + 3)).collect()
        };
        self.join(&bounds, children)
    }

    /// A node over finished subtrees: the node first, then the subtrees in order, so that a descent reads forward.
    fn join(&self, bounds: &[Aabb], children: Vec<Subtree>) -> Subtree {
        let mut node = Node8 {
            lo: [[f32::INFINITY; WIDTH]; 3],
            hi: [[f32::NEG_INFINITY; WIDTH]; 3],
            child: [u32::MAX; WIDTH],
            used: children.len() as u32,
        };
        let mut nodes = vec![node.clone()];
        let mut leaves = Vec::new();
        for (lane, (child, bounds)) in children.into_iter().zip(bounds).enumerate() {
            let low = (bounds.min - self.center) * self.scale;
            let high = (bounds.max - self.center) * self.scale;
            for axis in 0..3 {
                // `as f32` rounds to nearest and the scaling rounded too: one step outward covers both.
                node.lo[axis][lane] = (low[axis] as f32).next_down();
                node.hi[axis][lane] = (high[axis] as f32).next_up();
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

    fn leaf(&self, items: &[Item]) -> Leaf8 {
        let mut leaf = Leaf8 {
            rows: [[0.0; WIDTH]; triangle::ROWS],
            triangle: [u32::MAX; WIDTH],
            first_corner: [0; WIDTH],
        };
        for lane in 0..WIDTH {
            let Some(item) = items.get(lane) else {
                for row in 0..triangle::ROWS {
                    leaf.rows[row][lane] = triangle::NOWHERE.0[row];
                }
                continue;
            };
            let (planar, first) = triangle::PlanarTriangle::new(self.mesh.corners(item.triangle as usize));
            for row in 0..triangle::ROWS {
                leaf.rows[row][lane] = planar.0[row];
            }
            leaf.triangle[lane] = item.triangle;
            leaf.first_corner[lane] = first;
        }
        leaf
    }
}

fn bounds_of(items: &[Item]) -> Aabb {
    items.iter().fold(Aabb::EMPTY, |b, item| b.union(item.bounds))
}

/// Up to eight ranges that partition the items, by splitting the costliest range again and again.
fn split_eight_ways(items: &mut [Item], depth: usize) -> Vec<&mut [Item]> {
    let mut ranges: Vec<&mut [Item]> = vec![items];
    while ranges.len() < WIDTH {
        let cost = |range: &[Item]| bounds_of(range).surface_area() * range.len() as f64;
        let Some((widest, _)) = ranges
            .iter()
            .enumerate()
            .filter(|(_, range)| range.len() > WIDTH)
            .map(|(i, range)| (i, cost(range)))
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
        else {
            break;
        };
        let range = ranges.remove(widest);
        let middle = partition(range, depth);
        let (left, right) = range.split_at_mut(middle);
        ranges.insert(widest, right);
        ranges.insert(widest, left);
    }
    ranges
}

/// Reorders the items so that the first part and the rest make good nodes; returns where the rest begins (never 0 or
/// the length).
fn partition(items: &mut [Item], depth: usize) -> usize {
    let centroids = Aabb::of_points(items.iter().map(|item| item.centroid));
    let extent = centroids.extent();
    if depth < MEDIAN_BELOW_DEPTH
        && let Some((axis, threshold_bin)) = best_binned_split(items, &centroids)
    {
        // A stable partition keeps the mesh's order: the same tree from the same mesh, always.
        let bin = |item: &Item| bin_of(item.centroid[axis], centroids.min[axis], extent[axis]);
        let (left, right): (Vec<Item>, Vec<Item>) = items.iter().partition(|item| bin(item) < threshold_bin);
        let middle = left.len();
        items[..middle].copy_from_slice(&left);
        items[middle..].copy_from_slice(&right);
        return middle;
    }
    let axis = (0..3).max_by(|&i, &j| extent[i].total_cmp(&extent[j])).unwrap_or(0);
    let middle = items.len() / 2;
    items.select_nth_unstable_by(middle, |a, b| {
        a.centroid[axis].total_cmp(&b.centroid[axis]).then(a.triangle.cmp(&b.triangle))
    });
    middle
}

fn bin_of(x: f64, min: f64, extent: f64) -> usize {
    (((x - min) / extent * BINS as f64) as usize).min(BINS - 1)
}

/// The axis and bin border with the least Σ area × count; `None` when all centroids coincide.
fn best_binned_split(items: &[Item], centroids: &Aabb) -> Option<(usize, usize)> {
    let extent = centroids.extent();
    let mut bins = [[(Aabb::EMPTY, 0usize); BINS]; 3];
    for item in items {
        for axis in 0..3 {
            if extent[axis] > 0.0 {
                let bin = &mut bins[axis][bin_of(item.centroid[axis], centroids.min[axis], extent[axis])];
                bin.0 = bin.0.union(item.bounds);
                bin.1 += 1;
            }
        }
    }
    let mut best: Option<(f64, usize, usize)> = None;
    for axis in (0..3).filter(|&axis| extent[axis] > 0.0) {
        let mut from_right = [(Aabb::EMPTY, 0usize); BINS + 1];
        for bin in (0..BINS).rev() {
            let (bounds, count) = from_right[bin + 1];
            from_right[bin] = (bounds.union(bins[axis][bin].0), count + bins[axis][bin].1);
        }
        let (mut left, mut left_count) = (Aabb::EMPTY, 0);
        for border in 1..BINS {
            left = left.union(bins[axis][border - 1].0);
            left_count += bins[axis][border - 1].1;
            let (right, right_count) = from_right[border];
            if left_count == 0 || right_count == 0 {
                continue;
            }
            let cost = left.surface_area() * left_count as f64 + right.surface_area() * right_count as f64;
            if best.is_none_or(|(least, ..)| cost < least) {
                best = Some((cost, axis, border));
            }
        }
    }
    best.map(|(_, axis, border)| (axis, border))
}
