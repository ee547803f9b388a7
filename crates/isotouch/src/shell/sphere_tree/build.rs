//! Building: halves by the middle along the longest side, then spheres from the leaves up. O(n log n).

use glam::DVec3;
use rayon::prelude::*;

use super::ball::{middle, radius_around, rounded_up};
use super::{FANOUT, FRAME_DEPTHS, Frame, LEAF_POINTS, Sphere, SphereTree, first_node, range_of};
use crate::math::Aabb;

/// Points below which a part is ordered on the thread that has it.
const ALONE: usize = 4096;

impl SphereTree {
    /// Builds the tree, in parallel on the current rayon pool; the result does not depend on the number of threads. Points must be
    /// finite, and fewer than 2³².
    pub fn new(points: &[DVec3]) -> Self {
        assert!(u32::try_from(points.len()).is_ok(), "{} points are more than 32 bits count", points.len());
        let mut depth = 0;
        while points.len() > LEAF_POINTS << (2 * depth) {
            depth += 1;
        }
        let mut placed: Vec<(DVec3, u32)> = points.iter().copied().zip(0..).collect();
        divide(&mut placed, 0..1, 0, depth, points.len());
        let mut tree = Self {
            depth,
            spheres: Vec::new(),
            frames: Vec::new(),
            points: placed.iter().map(|(point, _)| *point).collect(),
            order: placed.iter().map(|(_, number)| *number).collect(),
            least: std::sync::OnceLock::new(),
        };
        if !points.is_empty() {
            tree.add_frames();
            tree.add_spheres();
        }
        tree
    }

    fn add_frames(&mut self) {
        for depth in (0..self.depth.max(1)).step_by(FRAME_DEPTHS as usize) {
            let tree = &*self;
            let frame = |k: usize| {
                let points = &tree.points[range_of(k, depth, tree.points.len())];
                let bounds = Aabb::of_points(points.iter().copied());
                Frame { origin: bounds.center(), unit: unit_for(&bounds) }
            };
            let made: Vec<Frame> = (0..1_usize << (2 * depth)).into_par_iter().map(frame).collect();
            self.frames.extend(made);
        }
    }

    fn add_spheres(&mut self) {
        self.spheres = vec![[0.0; 4]; first_node(self.depth + 1)];
        for depth in (0..=self.depth).rev() {
            let nodes = self.nodes_at(depth);
            let tree = &*self;
            let made: Vec<[f32; 4]> =
                nodes.clone().into_par_iter().with_min_len(64).map(|node| tree.made_sphere(node)).collect();
            self.spheres[nodes].copy_from_slice(&made);
        }
    }

    /// The sphere of a node from its children or points.
    fn made_sphere(&self, node: usize) -> [f32; 4] {
        let mut parts = [Sphere { center: DVec3::ZERO, radius: 0.0 }; LEAF_POINTS];
        let children = self.children(node);
        let count = if children.is_empty() {
            let points = &self.points[self.point_range(node)];
            for (part, &point) in parts.iter_mut().zip(points) {
                part.center = point;
            }
            points.len()
        } else {
            for (part, child) in parts.iter_mut().zip(children) {
                *part = self.sphere(child);
            }
            FANOUT
        };
        let parts = &parts[..count];
        let frame = self.frame(node);
        let [x, y, z] = ((middle(parts) - frame.origin) / frame.unit).as_vec3().to_array();
        // The centre that will be used, after its rounding; the radius pays for that.
        let center = frame.sphere(&[x, y, z, 0.0]).center;
        [x, y, z, rounded_up(radius_around(center, parts) / frame.unit)]
    }
}

/// A power of two, about the size of the points: numbers of the frame are then near 1, whatever the units of the mesh.
fn unit_for(bounds: &Aabb) -> f64 {
    let size = bounds.extent().max_element();
    // Within what powers of two and their reciprocals can be; NaN and 0 give 1.
    if size > 0.0 && size.is_finite() {
        2f64.powi((size.log2().floor() as i32).clamp(-900, 900))
    } else {
        1.0
    }
}

/// Orders the points of the nodes `nodes` of a depth, so that every node below has its points side by side.
fn divide(
    points: &mut [(DVec3, u32)],
    nodes: std::ops::Range<usize>,
    depth: u32,
    leaf_depth: u32,
    count: usize,
) {
    // Four children at the next depth, two halvings from here: first the pair of pairs, then each pair.
    if nodes.len() == 1 {
        if depth == leaf_depth {
            return;
        }
        let children = FANOUT * nodes.start..FANOUT * nodes.end;
        return divide(points, children, depth + 1, leaf_depth, count);
    }
    let half = nodes.start + nodes.len() / 2;
    let at = range_of(half, depth, count).start - range_of(nodes.start, depth, count).start;
    let bounds = Aabb::of_points(points.iter().map(|(point, _)| *point));
    let axis = bounds.extent().max_position();
    if at > 0 && at < points.len() {
        // Ties by number, so that the order is the same whatever the points come in as.
        points.select_nth_unstable_by(at, |(p, i), (q, j)| p[axis].total_cmp(&q[axis]).then(i.cmp(j)));
    }
    let is_small = points.len() < ALONE;
    let (low, high) = points.split_at_mut(at);
    let (first, second) = (nodes.start..half, half..nodes.end);
    let mut divide_low = || divide(low, first.clone(), depth, leaf_depth, count);
    let mut divide_high = || divide(high, second.clone(), depth, leaf_depth, count);
    if is_small {
        divide_low();
        divide_high();
    } else {
        rayon::join(divide_low, divide_high);
    }
}
