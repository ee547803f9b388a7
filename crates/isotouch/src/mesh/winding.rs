//! How often a surface winds around a point.
//!
//! The generalized winding number (Jacobson et al. 2013) is the sum of the signed solid angles of all triangles, over 4π.
//! For a closed, consistently oriented mesh it is a whole number: 0 outside, 1 inside, 2 where two parts overlap.
//! Far clusters of triangles are replaced by one dipole each (Barill et al. 2018).

use std::f64::consts::PI;

use glam::DVec3;

use super::{Bvh, TriMesh, bvh};

/// The generalized winding number at `p`, as the plain sum over all triangles.
pub fn winding_number(mesh: &TriMesh, p: DVec3) -> f64 {
    let angles: f64 = (0..mesh.triangles().len()).map(|t| solid_angle(mesh.corners(t), p)).sum();
    angles / (4.0 * PI)
}

/// Signed solid angle of a triangle seen from `p`: positive when it shows its back (Van Oosterom & Strackee 1983).
fn solid_angle(corners: [DVec3; 3], p: DVec3) -> f64 {
    let [a, b, c] = corners.map(|v| v - p);
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
    /// One per child of each node.
    dipoles: Vec<[Dipole; bvh::WIDTH]>,
}

impl<'a> WindingTree<'a> {
    pub(crate) fn new(mesh: &'a TriMesh, bvh: &'a Bvh) -> Self {
        let none = Dipole { center: DVec3::ZERO, area_vector: DVec3::ZERO, radius: 0.0 };
        let mut dipoles = vec![[none; bvh::WIDTH]; bvh.node_count()];
        // Children follow their parents in the node list, so backwards every child is ready before its parent.
        for node in (0..bvh.node_count()).rev() {
            for (lane, child) in bvh.children(node).enumerate() {
                dipoles[node][lane] = match child {
                    bvh::Child::Leaf(leaf) => leaf_dipole(mesh, bvh.leaf(leaf)),
                    bvh::Child::Node(below) => {
                        let used = bvh.children(below).count();
                        joined(&dipoles[below][..used])
                    }
                };
            }
        }
        Self { mesh, bvh, dipoles }
    }

    /// Whether the surface winds around `p` at least once.
    pub(crate) fn is_inside(&self, p: DVec3) -> bool {
        let w = self.winding(p);
        let w = if (w - w.round()).abs() > DOUBTFUL { winding_number(self.mesh, p) } else { w };
        w > 0.5
    }

    /// The winding number in front of a triangle that no other crosses.
    pub(crate) fn in_front_of(&self, triangle: usize) -> f64 {
        let corners = self.mesh.corners(triangle);
        let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
        // On a triangle, and without it, the winding number is halfway between its two sides.
        let own = solid_angle(corners, middle) / (4.0 * PI);
        let between = self.winding(middle) - own;
        let doubtful = (between - 0.5 - (between - 0.5).round()).abs() > DOUBTFUL;
        let between = if doubtful { winding_number(self.mesh, middle) - own } else { between };
        (between - 0.5).round()
    }

    fn winding(&self, p: DVec3) -> f64 {
        let Some(root) = self.bvh.root_child() else { return 0.0 };
        let mut angle = 0.0;
        let mut stack = vec![root];
        while let Some(child) = stack.pop() {
            let node = match child {
                bvh::Child::Leaf(leaf) => {
                    angle += self.leaf_angle(leaf, p);
                    continue;
                }
                bvh::Child::Node(node) => node,
            };
            for (lane, child) in self.bvh.children(node).enumerate() {
                let dipole = &self.dipoles[node][lane];
                let to_center = dipole.center - p;
                let squared = to_center.length_squared();
                if squared > (FAR * dipole.radius) * (FAR * dipole.radius) {
                    angle += to_center.dot(dipole.area_vector) / (squared * squared.sqrt());
                } else {
                    stack.push(child);
                }
            }
        }
        angle / (4.0 * PI)
    }

    fn leaf_angle(&self, leaf: usize, p: DVec3) -> f64 {
        let triangles = self.bvh.leaf(leaf).triangle.iter().filter(|&&t| t != u32::MAX);
        triangles.map(|&t| solid_angle(self.mesh.corners(t as usize), p)).sum()
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
