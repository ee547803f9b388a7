//! The two parts, as the search needs them.

use std::borrow::Cow;
use std::sync::OnceLock;

use glam::DVec3;

use crate::field::Field;
use crate::math::motion::PerRadius;
use crate::math::{Aabb, Motion};
use crate::mesh::{Bvh, Enclosure, InvalidMesh, Side, TriMesh, unit_normal, welded};
use crate::shell::{Sphere, SphereTree};

/// Why a mesh cannot be a part.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PartError {
    /// Mesh and caps together are no mesh.
    #[error("the mesh cannot hold the triangles that close its holes: {0}")]
    Caps(InvalidMesh),
    /// From the origin that it turns about, coordinates are not finite.
    #[error("the moving mesh is too far from its origin {origin}: {source}")]
    Origin {
        /// The origin that was given.
        origin: DVec3,
        /// What is wrong then.
        source: InvalidMesh,
    },
}

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
    enclosure: OnceLock<Enclosure>,
    components: OnceLock<Vec<Vec<u32>>>,
}

impl<'a> FixedPart<'a> {
    /// A mesh and the field that was made of it. Where the field closes holes, its caps are part of the surface.
    pub fn new(mesh: &'a TriMesh, field: &'a Field) -> Result<Self, PartError> {
        let own = mesh.triangles().len();
        let of_caps: Vec<DVec3> = field.caps().flatten().collect();
        let first = mesh.vertices().len() as u32;
        let caps: Vec<[u32; 3]> =
            (0..of_caps.len() as u32 / 3).map(|k| [0, 1, 2].map(|corner| first + 3 * k + corner)).collect();
        let mesh = if caps.is_empty() {
            Cow::Borrowed(mesh)
        } else {
            Cow::Owned(mesh.with_more(&of_caps, &caps).map_err(PartError::Caps)?)
        };
        let corners: Vec<[DVec3; 3]> = (0..mesh.triangles().len()).map(|t| mesh.corners(t)).collect();
        let normals = corners.iter().map(|&corners| unit_normal(corners)).collect();
        let longest = |&[a, b, c]: &[DVec3; 3]| a.distance(b).max(b.distance(c)).max(c.distance(a));
        let longest_edge = corners.iter().map(longest).fold(0.0, f64::max);
        Ok(Self {
            field,
            bvh: Bvh::new(&mesh),
            mesh,
            corners,
            longest_edge,
            normals,
            own,
            enclosure: OnceLock::new(),
            components: OnceLock::new(),
        })
    }

    pub(super) fn is_cap(&self, triangle: u32) -> bool {
        triangle as usize >= self.own
    }

    /// What it encloses, caps included.
    pub(super) fn enclosure(&self) -> &Enclosure {
        self.enclosure.get_or_init(|| Enclosure::new(&self.mesh))
    }

    /// Vertices of its own triangles, those that triangles join together.
    pub(super) fn components(&self) -> &[Vec<u32>] {
        self.components.get_or_init(|| components(&self.mesh, self.own))
    }

    /// Diagonal of the box around it.
    pub fn size(&self) -> f64 {
        self.mesh.bounds().extent().length()
    }
}

/// How fast and how crooked the points of the moving part go, at most, by their distance from a line or a point of the body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// On the line.
    about: DVec3,
    /// Its direction; `None` for the point alone.
    axis: Option<DVec3>,
    /// No point of the part is farther from there.
    reach: f64,
    pub(super) speed: PerRadius,
    pub(super) acceleration: PerRadius,
}

impl Pace {
    /// How far a point of the body is from there.
    #[inline]
    pub(super) fn radius(&self, p: DVec3) -> f64 {
        let arm = p - self.about;
        rounded_up(self.axis.map_or(arm, |axis| axis.cross(arm)).length())
    }

    /// How far any point of a ball is from there at most.
    #[inline]
    pub(super) fn radius_of(&self, ball: &Sphere) -> f64 {
        self.radius(ball.center) + ball.radius
    }

    /// The same of a triangle.
    #[inline]
    pub(super) fn radius_of_patch(&self, patch: &Patch) -> f64 {
        let [a, b, c] = patch.corners.map(|corner| self.radius(corner));
        a.max(b).max(c)
    }

    /// The speed of all points at most.
    pub(super) fn fastest(&self) -> f64 {
        self.speed.at(self.reach)
    }
}

/// A triangle of the moving part.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patch {
    pub(super) corners: [DVec3; 3],
    /// Its middle, and how far its corners are from there.
    pub(super) sphere: Sphere,
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
    /// Kept, for every motion asks for it, and finding it looks at all vertices.
    bounds: Aabb,
    enclosure: OnceLock<(Bvh, Enclosure)>,
    components: OnceLock<Vec<Vec<u32>>>,
}

impl MovingPart {
    /// A mesh whose poses are those of `origin`: a point p of it is at R·(p − origin) + position.
    pub fn new(mesh: &TriMesh, origin: DVec3) -> Result<Self, PartError> {
        let placed: Vec<DVec3> = mesh.vertices().iter().map(|&v| v - origin).collect();
        let mesh = TriMesh::new(placed, mesh.triangles().to_vec())
            .map_err(|source| PartError::Origin { origin, source })?;
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
        let bounds = mesh.bounds();
        let (enclosure, components) = (OnceLock::new(), OnceLock::new());
        Ok(Self { mesh, tree, spheres, patches, bounds, enclosure, components })
    }

    /// Diagonal of the box around it.
    pub fn size(&self) -> f64 {
        self.bounds.extent().length()
    }

    /// How fast and how crooked its points move.
    pub(super) fn pace(&self, motion: &Motion) -> Pace {
        let (motion, about) = motion.about(self.bounds.center());
        let [low, high] = [self.bounds.min, self.bounds.max].map(|corner| corner - about);
        let reach = rounded_up(low.abs().max(high.abs()).length());
        let axis = motion.axis_in_body();
        Pace { about, axis, reach, speed: motion.speed(), acceleration: motion.acceleration() }
    }

    pub(super) fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// On which side of its surface a point is, in its own frame.
    pub(super) fn side(&self, p: DVec3) -> Side {
        let (bvh, enclosure) =
            self.enclosure.get_or_init(|| (Bvh::new(&self.mesh), Enclosure::new(&self.mesh)));
        enclosure.side(&self.mesh, bvh, p)
    }

    /// Vertices, those that triangles join together.
    pub(super) fn components(&self) -> &[Vec<u32>] {
        self.components.get_or_init(|| components(&self.mesh, usize::MAX))
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
        Self { corners, sphere }
    }
}

/// Vertices of the first so many triangles, those that triangles join together. Vertices in the same place count as one.
fn components(mesh: &TriMesh, triangles: usize) -> Vec<Vec<u32>> {
    let mesh = welded(mesh);
    let parts = mesh.parts();
    let mut used: Vec<(u32, u32)> =
        mesh.triangles().iter().take(triangles).flatten().map(|&v| (parts[v as usize], v)).collect();
    used.sort_unstable();
    used.dedup();
    used.chunk_by(|a, b| a.0 == b.0).map(|of| of.iter().map(|&(_, v)| v).collect()).collect()
}

/// With room for the rounding of a distance.
fn rounded_up(distance: f64) -> f64 {
    distance * (1.0 + 1e-14)
}
