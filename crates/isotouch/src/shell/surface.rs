//! The surface that a shell is made on, ready to be sampled.

use glam::DVec3;
use rayon::prelude::*;

use super::ShellError;
use crate::mesh::{TriMesh, inward_triangles, unit_normal, welded};

/// Largest coordinate; beyond, areas overflow (see `mesh::compare`).
const FARTHEST: f64 = 1e75;

/// A welded mesh with normals.
pub(super) struct Surface {
    pub(super) mesh: TriMesh,
    /// Of every triangle; zero where it has none. Outward if `is_oriented`.
    pub(super) normals: Vec<DVec3>,
    /// Whether the mesh is closed and consistently oriented, so that there is an outside.
    pub(super) is_oriented: bool,
    /// Triangles that were turned, since they faced the inside.
    pub(super) turned: usize,
    pub(super) area: f64,
    /// Length of the longest side of the box around it.
    pub(super) size: f64,
    /// Largest coordinate.
    pub(super) reach: f64,
}

impl Surface {
    /// Of any mesh with an area; parts of a closed one that face the inside are turned.
    pub(super) fn new(mesh: &TriMesh) -> Result<Self, ShellError> {
        match inward_triangles(mesh) {
            Some(inward) => Self::of_welded(welded(mesh).with_flipped(&inward), true, inward.len()),
            None => Self::of_welded(welded(mesh), false, 0),
        }
    }

    /// Of a mesh that is known to face outward, also where it ends.
    pub(super) fn facing_outward(mesh: &TriMesh) -> Result<Self, ShellError> {
        Self::of_welded(welded(mesh), true, 0)
    }

    fn of_welded(mesh: TriMesh, is_oriented: bool, turned: usize) -> Result<Self, ShellError> {
        let bounds = mesh.bounds();
        let reach = bounds.min.abs().max(bounds.max.abs()).max_element();
        if reach.is_finite() && reach > FARTHEST {
            return Err(ShellError::TooFar);
        }
        // Without triangles, too.
        let area = mesh.area();
        if area == 0.0 {
            return Err(ShellError::NoSurface);
        }
        let triangles = (0..mesh.triangles().len()).into_par_iter().with_min_len(1024);
        let normals = triangles.map(|t| unit_normal(mesh.corners(t))).collect();
        let size = bounds.extent().max_element();
        Ok(Self { mesh, normals, is_oriented, turned, area, size, reach })
    }

    /// The vertices that triangles use, ascending.
    pub(super) fn used_vertices(&self) -> Vec<u32> {
        let mut is_used = vec![false; self.mesh.vertices().len()];
        self.mesh.triangles().iter().flatten().for_each(|&v| is_used[v as usize] = true);
        (0..is_used.len() as u32).filter(|&v| is_used[v as usize]).collect()
    }

    /// Whether two places face the same side, as far as that can be told. Points on the two sides of a thin plate do not.
    pub(super) fn face_alike(&self, one: DVec3, other: DVec3) -> bool {
        !self.is_oriented || one == DVec3::ZERO || other == DVec3::ZERO || one.dot(other) > 0.0
    }

    /// The angle-weighted normals at all vertices (Thürmer & Wüthrich 1998); zero at those that no triangle with a normal uses.
    pub(super) fn vertex_normals(&self) -> Vec<DVec3> {
        let mut sums = vec![DVec3::ZERO; self.mesh.vertices().len()];
        let mut any = vec![DVec3::ZERO; self.mesh.vertices().len()];
        for (t, corners) in self.mesh.triangles().iter().enumerate() {
            if self.normals[t] == DVec3::ZERO {
                continue;
            }
            let at = self.mesh.corners(t);
            for k in 0..3 {
                let (u, v) = (at[(k + 1) % 3] - at[k], at[(k + 2) % 3] - at[k]);
                sums[corners[k] as usize] += u.angle_between(v) * self.normals[t];
                any[corners[k] as usize] = self.normals[t];
            }
        }
        // A sheet that is there twice, once each way, has normals that cancel: then any of them.
        sums.into_iter().zip(any).map(|(sum, any)| sum.try_normalize().unwrap_or(any)).collect()
    }
}
