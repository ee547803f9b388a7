//! Inside or outside, for a point whose closest triangle is known.

use std::sync::{Arc, OnceLock};

use glam::DVec3;
use rayon::prelude::*;

use super::side::Side;
use super::tangle::Sides;
use crate::mesh::adjacency::{Adjacency, EdgeFaults};
use crate::mesh::bvh::{Bvh, Seed};
use crate::mesh::{Feature, TriMesh, WindingTree};

/// The method a field is built with.
pub(crate) enum SignOracle<'a> {
    Pseudonormal(Pseudonormals<'a>),
    Winding(WindingTree<'a>),
    Untangled(Untangled<'a>),
    /// For meshes that are not closed.
    Side(&'a dyn Side),
    /// Pseudonormals, or face normals alone, of an open surface.
    InFront {
        normals: Pseudonormals<'a>,
        by_faces: bool,
    },
    /// All is outside: distances alone are wanted.
    Unsigned,
}

/// Pseudonormals where the mesh is sound, winding numbers where it runs through itself.
pub(crate) struct Untangled<'a> {
    normals: Pseudonormals<'a>,
    sides: Vec<Sides>,
    /// What lies around each vertex: crossed where its triangles differ.
    around: Vec<Sides>,
    /// Decides where a mesh that leaks does not: beside crossed triangles, and farther from the mesh than this.
    leaky: Option<(&'a dyn Side, f64)>,
}

impl<'a> Untangled<'a> {
    pub(crate) fn new(normals: Pseudonormals<'a>, sides: Vec<Sides>) -> Self {
        let mut around: Vec<Option<Sides>> = vec![None; normals.mesh.vertices().len()];
        for (triangle, &sides) in normals.mesh.triangles().iter().zip(&sides) {
            for &v in triangle {
                let known = &mut around[v as usize];
                *known = if known.is_none_or(|k| k == sides) { Some(sides) } else { Some(Sides::Crossed) };
            }
        }
        let around = around.into_iter().map(|sides| sides.unwrap_or(Sides::Crossed)).collect();
        Self { normals, sides, around, leaky: None }
    }

    /// For a mesh that leaks: normals decide within `reach` of the triangles said to be boundary, `side` elsewhere.
    pub(crate) fn leaky(
        normals: Pseudonormals<'a>,
        sides: Vec<Sides>,
        side: &'a dyn Side,
        reach: f64,
    ) -> Self {
        Self { leaky: Some((side, reach)), ..Self::new(normals, sides) }
    }

    fn is_inside(&self, bvh: &'a Bvh, p: DVec3, nearest: Seed) -> bool {
        let (q, feature, triangle) = bvh.closest_on(nearest, p);
        let t = triangle as usize;
        if let Some((side, reach)) = self.leaky
            && (t >= self.sides.len() || p.distance_squared(q) > reach * reach)
        {
            return side.is_inside(p);
        }
        let sides = match feature {
            Feature::Face => self.sides[t],
            Feature::Edge(k) => {
                let across = self.sides[self.normals.adjacency().across[t][k as usize] as usize];
                if across == self.sides[t] { across } else { Sides::Crossed }
            }
            Feature::Corner(k) => self.around[self.normals.mesh.triangles()[t][k as usize] as usize],
        };
        match sides {
            Sides::Boundary => match (self.normals.is_surely_inside(bvh, p, nearest), self.leaky) {
                (Some(is_inside), _) => is_inside,
                (None, Some((side, _))) => side.is_inside(p),
                (None, None) => self.normals.winding(bvh).is_inside(p),
            },
            Sides::Buried => true,
            Sides::Stray => false,
            Sides::Crossed => match self.leaky {
                Some((side, _)) => side.is_inside(p),
                None => self.normals.winding(bvh).is_inside(p),
            },
        }
    }
}

impl<'a> SignOracle<'a> {
    /// Whether neighbours tell nothing about a node: beyond the rim of an open sheet sides change without a surface.
    pub(crate) fn asks_every_node(&self) -> bool {
        matches!(self, Self::InFront { .. })
    }

    /// Whether nodes far from the surface must be asked all the same, since caps might be missing.
    pub(crate) fn may_lack_caps(&self) -> bool {
        match self {
            Self::Side(_) => true,
            Self::Untangled(known) => known.leaky.is_some(),
            _ => false,
        }
    }

    /// Whether `p` is inside, `nearest` being its closest triangle.
    pub(crate) fn is_inside(&self, bvh: &'a Bvh, p: DVec3, nearest: Seed) -> bool {
        match self {
            Self::Pseudonormal(normals) => normals.is_inside(bvh, p, nearest),
            Self::Winding(tree) => tree.is_inside(p),
            Self::Untangled(known) => known.is_inside(bvh, p, nearest),
            Self::Side(side) => side.is_inside(p),
            Self::InFront { normals, by_faces } => normals.is_behind(bvh, p, nearest, *by_faces),
            Self::Unsigned => false,
        }
    }
}

/// Normals of faces, edges and vertices such that the sign of (p − q)·n, with q the closest point, is the sign of the
/// distance, whichever feature q lies on (Bærentzen & Aanæs 2005): faces count once at edges, by their angle at
/// vertices.
pub(crate) struct Pseudonormals<'a> {
    mesh: &'a TriMesh,
    normals: Arc<Normals>,
    /// Made when the first doubtful point comes up.
    winding: OnceLock<WindingTree<'a>>,
}

/// What one mesh has once, however many fields are made of it and of what closes its holes.
struct Normals {
    adjacency: Adjacency,
    /// Unit normals; zero for triangles without area, which have no side.
    faces: Vec<DVec3>,
    /// Angle-weighted sums of face normals, and of the angles; infinite beside a triangle without area.
    vertices: Vec<(DVec3, f64)>,
}

/// A triangle's unit normal, zero if it has no area, and its angles.
fn normal_and_angles(corners: [DVec3; 3]) -> (DVec3, [f64; 3]) {
    let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
    let mut angles = [0.0; 3];
    for k in 0..3 {
        let to_next = corners[(k + 1) % 3] - corners[k];
        let to_last = corners[(k + 2) % 3] - corners[k];
        // atan2 keeps its precision for angles near 0 and π, where acos loses it.
        angles[k] = to_next.cross(to_last).length().atan2(to_next.dot(to_last));
    }
    (normal, angles)
}

/// How much of its faces' weight must be left of (p − q)·n for the sign to be trusted; below it a winding number decides. Less
/// is left only at knife edges and needle tips under some ten degrees, where real meshes are often folded over. Larger costs
/// time; smaller trusts folds. Beside triangles without area, whose normal is lacking in the sum, no share is enough.
const TRUSTED_SHARE: f64 = 0.01;

impl<'a> Pseudonormals<'a> {
    pub(crate) fn new(mesh: &'a TriMesh) -> (Self, EdgeFaults) {
        let ((adjacency, faults), parts) = rayon::join(
            || Adjacency::new(mesh),
            || {
                (0..mesh.triangles().len())
                    .into_par_iter()
                    .with_min_len(4096)
                    .map(|t| normal_and_angles(mesh.corners(t)))
                    .collect::<Vec<_>>()
            },
        );
        let mut faces = Vec::with_capacity(mesh.triangles().len());
        let mut vertices = vec![(DVec3::ZERO, 0.0); mesh.vertices().len()];
        for (indices, (normal, angles)) in mesh.triangles().iter().zip(parts) {
            faces.push(normal);
            for k in 0..3 {
                let (sum, weight) = &mut vertices[indices[k] as usize];
                *sum += angles[k] * normal;
                *weight += if normal == DVec3::ZERO { f64::INFINITY } else { angles[k] };
            }
        }
        let normals = Arc::new(Normals { adjacency, faces, vertices });
        (Self { mesh, normals, winding: OnceLock::new() }, faults)
    }

    /// The same normals, for another tree.
    pub(super) fn shared<'b>(&self) -> Pseudonormals<'b>
    where
        'a: 'b,
    {
        Pseudonormals { mesh: self.mesh, normals: self.normals.clone(), winding: OnceLock::new() }
    }

    pub(super) fn adjacency(&self) -> &Adjacency {
        &self.normals.adjacency
    }

    /// The offset of `p` from its closest point, the pseudonormal there, and the weight of the faces in it.
    fn at_closest(&self, bvh: &Bvh, p: DVec3, nearest: Seed) -> (DVec3, DVec3, f64) {
        let (q, feature, triangle) = bvh.closest_on(nearest, p);
        let t = triangle as usize;
        let Normals { adjacency, faces, vertices } = &*self.normals;
        let (normal, weight) = match feature {
            Feature::Face => (faces[t], 1.0),
            Feature::Edge(k) => {
                let (own, other) = (faces[t], faces[adjacency.across[t][k as usize] as usize]);
                let is_whole = own != DVec3::ZERO && other != DVec3::ZERO;
                (own + other, if is_whole { 2.0 } else { f64::INFINITY })
            }
            Feature::Corner(k) => vertices[self.mesh.triangles()[t][k as usize] as usize],
        };
        (p - q, normal, weight)
    }

    /// Whether `p` is behind the surface at its closest point, going by the closest triangle's own normal if `by_faces`.
    fn is_behind(&self, bvh: &Bvh, p: DVec3, nearest: Seed, by_faces: bool) -> bool {
        if by_faces {
            let (q, _, triangle) = bvh.closest_on(nearest, p);
            return (p - q).dot(self.normals.faces[triangle as usize]) < 0.0;
        }
        let (offset, normal, _) = self.at_closest(bvh, p, nearest);
        offset.dot(normal) < 0.0
    }

    pub(super) fn winding(&self, bvh: &'a Bvh) -> &WindingTree<'a> {
        self.winding.get_or_init(|| WindingTree::new(self.mesh, bvh))
    }

    fn is_inside(&self, bvh: &'a Bvh, p: DVec3, nearest: Seed) -> bool {
        self.is_surely_inside(bvh, p, nearest).unwrap_or_else(|| self.winding(bvh).is_inside(p))
    }

    /// Which side `p` is on, unless too little is left of the normals to be trusted.
    fn is_surely_inside(&self, bvh: &Bvh, p: DVec3, nearest: Seed) -> Option<bool> {
        let (offset, normal, weight) = self.at_closest(bvh, p, nearest);
        let along = offset.dot(normal);
        // Never where the weight is infinite, and the product perhaps no number.
        let is_trusted = along.abs() > TRUSTED_SHARE * weight * offset.length();
        is_trusted.then_some(along < 0.0)
    }
}
