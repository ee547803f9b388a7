//! The two parts, as the search needs them.

use std::borrow::Cow;

use glam::DVec3;

use super::looks::unit_normal;
use crate::field::Field;
use crate::math::Aabb;
use crate::mesh::{Bvh, TriMesh};
use crate::shell::{Sphere, SphereTree};

/// The part that stands still.
pub struct FixedPart<'a> {
    pub(super) field: &'a Field,
    /// With the caps of the field behind its own triangles.
    pub(super) mesh: Cow<'a, TriMesh>,
    pub(super) bvh: Bvh,
    /// Of all triangles, one after the other.
    pub(super) corners: Vec<[DVec3; 3]>,
    pub(super) longest_edge: f64,
    /// Unit normals of all triangles; zero without area.
    pub(super) normals: Vec<DVec3>,
    /// How many triangles are its own.
    own: usize,
}

impl<'a> FixedPart<'a> {
    /// A mesh and its field. Where the field closes holes, its caps are part of the surface.
    pub fn new(mesh: &'a TriMesh, field: &'a Field) -> Self {
        let own = mesh.triangles().len();
        let of_caps: Vec<DVec3> = field.caps().flatten().collect();
        let first = mesh.vertices().len() as u32;
        let caps: Vec<[u32; 3]> =
            (0..of_caps.len() as u32 / 3).map(|k| [0, 1, 2].map(|corner| first + 3 * k + corner)).collect();
        // Caps of a field are finite; a mesh that cannot hold them goes without.
        let mesh = match mesh.with_more(&of_caps, &caps) {
            Ok(closed) if !caps.is_empty() => Cow::Owned(closed),
            _ => Cow::Borrowed(mesh),
        };
        let corners: Vec<[DVec3; 3]> = (0..mesh.triangles().len()).map(|t| mesh.corners(t)).collect();
        let normals = corners.iter().map(unit_normal).collect();
        let longest = |&[a, b, c]: &[DVec3; 3]| a.distance(b).max(b.distance(c)).max(c.distance(a));
        let longest_edge = corners.iter().map(longest).fold(0.0, f64::max);
        Self { field, bvh: Bvh::new(&mesh), mesh, corners, longest_edge, normals, own }
    }

    pub(super) fn own(&self) -> usize {
        self.own
    }

    pub(super) fn is_cap(&self, triangle: u32) -> bool {
        triangle as usize >= self.own
    }

    /// Diagonal of the box around it.
    pub fn size(&self) -> f64 {
        self.mesh.bounds().extent().length()
    }
}

/// A triangle of the moving part.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patch {
    pub(super) corners: [DVec3; 3],
    /// Its middle, and how far its corners are from there.
    pub(super) sphere: Sphere,
    /// How far it is from the body's origin at most.
    pub(super) reach: f64,
}

/// The part that moves.
pub struct MovingPart {
    /// From the origin that it turns about.
    pub(super) mesh: TriMesh,
    /// Over the middles of triangles.
    pub(super) tree: SphereTree,
    /// For every node of the tree, a ball around all its triangles.
    pub(super) spheres: Vec<Sphere>,
    /// Triangles in the order of the tree.
    pub(super) patches: Vec<Patch>,
    size: f64,
}

impl MovingPart {
    /// A mesh whose poses are those of `origin`: a point p of it is at R·(p − origin) + position.
    pub fn new(mesh: &TriMesh, origin: DVec3) -> Self {
        let placed: Vec<DVec3> = mesh.vertices().iter().map(|&v| v - origin).collect();
        // Differences of finite numbers may be infinite; such a mesh stays where it is.
        let mesh = TriMesh::new(placed, mesh.triangles().to_vec()).unwrap_or_else(|_| mesh.clone());
        let count = mesh.triangles().len();
        let middles: Vec<DVec3> = (0..count).map(|t| mesh.corners(t).iter().sum::<DVec3>() / 3.0).collect();
        let tree = SphereTree::new(&middles);
        let patches: Vec<Patch> =
            tree.order().iter().map(|&t| Patch::new(mesh.corners(t as usize))).collect();
        let sphere = |node: usize| {
            let center = tree.sphere(node).center;
            let of = &patches[tree.point_range(node)];
            let farthest = of.iter().flat_map(|patch| patch.corners).map(|corner| corner.distance(center));
            Sphere { center, radius: rounded_up(farthest.fold(0.0, f64::max)) }
        };
        let spheres = (0..tree.node_count()).map(sphere).collect();
        let size = mesh.bounds().extent().length();
        Self { mesh, tree, spheres, patches, size }
    }

    /// Diagonal of the box around it.
    pub fn size(&self) -> f64 {
        self.size
    }

    pub(super) fn bounds(&self) -> Aabb {
        self.mesh.bounds()
    }
}

impl Patch {
    /// Its four quarters, of half its size.
    pub(super) fn quarters(&self) -> [Self; 4] {
        let [a, b, c] = self.corners;
        let (ab, bc, ca) = (0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a));
        [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]].map(Self::new)
    }

    fn new(corners: [DVec3; 3]) -> Self {
        let center = corners.iter().sum::<DVec3>() / 3.0;
        let farthest = |from: DVec3| corners.iter().map(|corner| corner.distance(from)).fold(0.0, f64::max);
        let sphere = Sphere { center, radius: rounded_up(farthest(center)) };
        Self { corners, sphere, reach: rounded_up(farthest(DVec3::ZERO)) }
    }
}

/// With room for the rounding of a distance.
fn rounded_up(distance: f64) -> f64 {
    distance * (1.0 + 1e-14)
}
