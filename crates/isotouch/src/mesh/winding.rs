//! How often a surface winds around a point.
//!
//! The generalized winding number (Jacobson et al. 2013) is the sum of the signed solid angles of all triangles, over 4π.
//! For a closed, consistently oriented mesh it is a whole number: 0 outside, 1 inside, 2 where two parts overlap.
//! Far clusters of triangles are replaced by one dipole each (Barill et al. 2018).

use std::f64::consts::PI;

use glam::DVec3;
use rayon::prelude::*;

use super::{Bvh, TriMesh, bvh};
use crate::simd::{SimdLevel, multiversioned};

/// The generalized winding number at `p`, as the plain sum over all triangles.
pub fn winding_number(mesh: &TriMesh, p: DVec3) -> f64 {
    let angles: f64 = (0..mesh.triangles().len()).map(|t| solid_angle(mesh.corners(t), p)).sum();
    angles / (4.0 * PI)
}

/// Signed solid angle of a triangle seen from `p`: positive when it shows its back (Van Oosterom & Strackee 1983).
#[inline(always)]
fn solid_angle(corners: [DVec3; 3], p: DVec3) -> f64 {
    let (a, b, c) = (corners[0] - p, corners[1] - p, corners[2] - p);
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    // tan(Ω/2) = a·(b×c) / (|a||b||c| + (a·b)|c| + (b·c)|a| + (c·a)|b|)
    let numerator = a.dot(b.cross(c));
    let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * numerator.atan2(denominator)
}

/// A cluster is replaced by its dipole from this many radii away. The error of one is then about 1/16 of its share, far
/// below the ½ that would turn a sign; smaller is faster, and errors grow with the inverse square.
const FAR: f64 = 4.0;
/// A hierarchical value further than this from every whole number is computed again triangle by triangle.
const DOUBTFUL: f64 = 0.2;

/// Triangles seen from afar: their summed area vectors at their common centre.
#[derive(Debug, Clone, Copy)]
struct Dipole {
    center: DVec3,
    area_vector: DVec3,
    /// All corners are within this distance of the centre.
    radius: f64,
}

/// Winding numbers of a closed mesh in logarithmic time.
#[derive(Debug)]
pub(crate) struct WindingTree<'a> {
    mesh: &'a TriMesh,
    bvh: &'a Bvh,
    /// Of the children of each node.
    dipoles: Vec<Dipole8>,
}

impl<'a> WindingTree<'a> {
    pub(crate) fn new(mesh: &'a TriMesh, bvh: &'a Bvh) -> Self {
        let none = Dipole { center: DVec3::ZERO, area_vector: DVec3::ZERO, radius: 0.0 };
        let mut dipoles = vec![[none; bvh::WIDTH]; bvh.node_count()];
        // Children follow their parents in the node list, so backwards every child is ready before its parent. Leaves need
        // nothing: they come first, in parallel.
        let of_leaves: Vec<Dipole> = (0..bvh.leaf_count())
            .into_par_iter()
            .with_min_len(256)
            .map(|leaf| leaf_dipole(mesh, bvh.leaf(leaf)))
            .collect();
        for node in (0..bvh.node_count()).rev() {
            for (lane, child) in bvh.children(node).enumerate() {
                dipoles[node][lane] = match child {
                    bvh::Child::Leaf(leaf) => of_leaves[leaf],
                    bvh::Child::Node(below) => {
                        let used = bvh.children(below).count();
                        joined(&dipoles[below][..used])
                    }
                };
            }
        }
        let dipoles = dipoles
            .iter()
            .enumerate()
            .map(|(node, of)| Dipole8::new(&of[..bvh.children(node).count()]))
            .collect();
        Self { mesh, bvh, dipoles }
    }

    /// Whether the surface winds around `p` at least once.
    pub(crate) fn is_inside(&self, p: DVec3) -> bool {
        let w = self.winding(p);
        let w = if (w - w.round()).abs() > DOUBTFUL { winding_number(self.mesh, p) } else { w };
        w > 0.5
    }

    /// The mean of the winding numbers on the two sides of a triangle, at its middle: half of it less, or more, on either side.
    pub(crate) fn amid(&self, triangle: usize) -> f64 {
        let corners = self.mesh.corners(triangle);
        self.amid_at(triangle, (corners[0] + corners[1] + corners[2]) / 3.0)
    }

    /// The same at any point of a triangle.
    pub(crate) fn amid_at(&self, triangle: usize, p: DVec3) -> f64 {
        self.winding(p) - solid_angle(self.mesh.corners(triangle), p) / (4.0 * PI)
    }

    /// The winding number in front of a triangle that no other crosses.
    pub(crate) fn in_front_of(&self, triangle: usize) -> f64 {
        let corners = self.mesh.corners(triangle);
        let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
        let own = solid_angle(corners, middle) / (4.0 * PI);
        let between = self.amid(triangle);
        let doubtful = (between - 0.5 - (between - 0.5).round()).abs() > DOUBTFUL;
        let between = if doubtful { winding_number(self.mesh, middle) - own } else { between };
        (between - 0.5).round()
    }

    /// The winding number, but for the error of far clusters.
    pub(crate) fn winding(&self, p: DVec3) -> f64 {
        angle_seen(SimdLevel::detect(), self, p) / (4.0 * PI)
    }

    #[inline(always)]
    fn leaf_angle(&self, leaf: usize, p: DVec3) -> f64 {
        let mut angle = 0.0;
        for &t in &self.bvh.leaf(leaf).triangle {
            if t != u32::MAX {
                angle += solid_angle(self.mesh.corners(t as usize), p);
            }
        }
        angle
    }
}

multiversioned! {
    /// The solid angle of the whole surface seen from `p`.
    fn angle_seen<'t, 'm>(tree: &'t WindingTree<'m>, p: DVec3) -> f64 = angle_seen_body
}

#[inline(always)]
fn angle_seen_body(tree: &WindingTree<'_>, p: DVec3) -> f64 {
    let Some(root) = tree.bvh.root_child() else { return 0.0 };
    let mut angle = 0.0;
    let mut stack = Vec::with_capacity(64);
    stack.push(root);
    while let Some(child) = stack.pop() {
        let node = match child {
            bvh::Child::Leaf(leaf) => {
                angle += tree.leaf_angle(leaf, p);
                continue;
            }
            bvh::Child::Node(node) => node,
        };
        let dipoles = &tree.dipoles[node];
        let (mut parts, mut near) = ([0.0; bvh::WIDTH], [0u32; bvh::WIDTH]);
        for lane in 0..bvh::WIDTH {
            let x = dipoles.center[0][lane] - p.x;
            let y = dipoles.center[1][lane] - p.y;
            let z = dipoles.center[2][lane] - p.z;
            let squared = x * x + y * y + z * z;
            let along = x * dipoles.area[0][lane] + y * dipoles.area[1][lane] + z * dipoles.area[2][lane];
            let is_far = squared > dipoles.far_squared[lane];
            parts[lane] = if is_far { along / (squared * squared.sqrt()) } else { 0.0 };
            near[lane] = u32::from(!is_far) << lane;
        }
        let mut mask = 0;
        for lane in 0..bvh::WIDTH {
            angle += parts[lane];
            mask |= near[lane];
        }
        while mask != 0 {
            stack.push(tree.bvh.child(node, mask.trailing_zeros() as usize));
            mask &= mask - 1;
        }
    }
    angle
}

/// The dipoles of a node's children, side by side.
#[derive(Debug, Clone, Copy)]
struct Dipole8 {
    center: [[f64; bvh::WIDTH]; 3],
    area: [[f64; bvh::WIDTH]; 3],
    /// Squared distance beyond which the dipole will do.
    far_squared: [f64; bvh::WIDTH],
}

impl Dipole8 {
    /// Unused lanes are far from everything, and nothing: their areas are 0.
    fn new(dipoles: &[Dipole]) -> Self {
        let mut all = Self {
            center: [[f64::MAX.sqrt() * 0.1; bvh::WIDTH]; 3],
            area: [[0.0; bvh::WIDTH]; 3],
            far_squared: [0.0; bvh::WIDTH],
        };
        for (lane, dipole) in dipoles.iter().enumerate() {
            for axis in 0..3 {
                all.center[axis][lane] = dipole.center[axis];
                all.area[axis][lane] = dipole.area_vector[axis];
            }
            all.far_squared[lane] = (FAR * dipole.radius) * (FAR * dipole.radius);
        }
        all
    }
}

fn leaf_dipole(mesh: &TriMesh, leaf: &bvh::Leaf8) -> Dipole {
    let corners = || leaf.triangle.iter().filter(|&&t| t != u32::MAX).map(|&t| mesh.corners(t as usize));
    let (mut center, mut total, mut area_vector) = (DVec3::ZERO, 0.0, DVec3::ZERO);
    for [a, b, c] in corners() {
        let vector = 0.5 * (b - a).cross(c - a);
        let area = vector.length();
        center += area * (a + b + c) / 3.0;
        total += area;
        area_vector += vector;
    }
    let count = corners().count().max(1) as f64;
    let center = if total > 0.0 {
        center / total
    } else {
        corners().map(|[a, b, c]| a + b + c).sum::<DVec3>() / (3.0 * count)
    };
    let radius = corners().flatten().map(|v| v.distance(center)).fold(0.0, f64::max);
    Dipole { center, area_vector, radius }
}

fn joined(parts: &[Dipole]) -> Dipole {
    // Weighted by what is known of each part's size; any centre is sound, a good one is accurate.
    let weight = |d: &Dipole| d.radius * d.radius;
    let total: f64 = parts.iter().map(weight).sum();
    let center = if total > 0.0 {
        parts.iter().map(|d| weight(d) * d.center).sum::<DVec3>() / total
    } else {
        parts.iter().map(|d| d.center).sum::<DVec3>() / parts.len().max(1) as f64
    };
    let radius = parts.iter().map(|d| d.center.distance(center) + d.radius).fold(0.0, f64::max);
    Dipole { center, area_vector: parts.iter().map(|d| d.area_vector).sum(), radius }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::mesh::shapes;

    /// How far the tree may be from the plain sum: 0.06 was seen, in bodies stretched flat. Beyond this the tree would be slow,
    /// since doubtful values are computed again; beyond 1 less this it would be wrong.
    const TOLERANCE: f64 = DOUBTFUL;

    /// Points in and around a mesh, most of them near its surface.
    fn points(mesh: &TriMesh, places: &[[f64; 4]]) -> Vec<DVec3> {
        let bounds = mesh.bounds();
        let size = bounds.extent().max_element();
        let place = |[x, y, z, near]: &[f64; 4]| {
            let anywhere = bounds.center() + 1.5 * size * (DVec3::new(*x, *y, *z) - 0.5);
            let [a, b, c] = mesh.corners((near * mesh.triangles().len() as f64) as usize);
            let beside = (a + b + c) / 3.0 + 0.02 * size * (DVec3::new(*x, *y, *z) - 0.5);
            [anywhere, beside]
        };
        places.iter().flat_map(place).collect()
    }

    fn check(mesh: &TriMesh, places: &[[f64; 4]]) {
        let bvh = Bvh::new(mesh);
        let tree = WindingTree::new(mesh, &bvh);
        let size = mesh.bounds().extent().max_element();
        for p in points(mesh, places) {
            let plain = winding_number(mesh, p);
            let quick = tree.winding(p);
            assert!((quick - plain).abs() < TOLERANCE, "{quick} for {plain} at {p}");
            // On the surface either is right.
            let to_surface = bvh.closest_point(p).map_or(f64::INFINITY, |found| found.distance);
            if to_surface > 1e-9 * size {
                assert_eq!(tree.is_inside(p), plain > 0.5, "{p}: {plain}");
            }
        }
    }

    fn places(count: usize) -> impl Strategy<Value = Vec<[f64; 4]>> {
        prop::collection::vec(prop::array::uniform4(0.0..1.0f64), count)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..Default::default() })]

        /// Closed by construction, and tangled beyond recognition: each tetrahedron wound as it comes.
        #[test]
        fn the_tree_is_the_plain_sum_on_random_tetrahedra(
            parts in prop::collection::vec(prop::array::uniform12(-1.0..1.0f64), 1..200),
            places in places(30),
        ) {
            let vertices = parts.iter().flat_map(|part| part.chunks_exact(3).map(DVec3::from_slice)).collect();
            let faces = |k: usize| {
                [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]].map(|t: [u32; 3]| t.map(|v| v + 4 * k as u32))
            };
            check(&TriMesh::new(vertices, (0..parts.len()).flat_map(faces).collect()).unwrap(), &places);
        }

        #[test]
        fn the_tree_is_the_plain_sum_on_shapes(shape in 0..4usize, stretch in 0.02..1.0f64, places in places(20)) {
            let mesh = shapes::by_name(["torus-knot", "bowl", "blob", "box"][shape]).unwrap();
            check(&mesh.mapped(|v| v * DVec3::new(1.0, stretch, 1.0)).unwrap(), &places);
        }
    }
}
