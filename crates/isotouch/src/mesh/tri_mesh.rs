use glam::DVec3;
use rayon::prelude::*;

use super::sets::Sets;
use crate::math::Aabb;

/// An indexed triangle mesh with finite `f64` coordinates and indices in range.
///
/// Nothing more is promised: it may be open, tangled or inside out. `mesh::report` tells.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TriMesh {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

/// Why vertices and triangles do not make a [`TriMesh`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum InvalidMesh {
    /// A triangle names a vertex that is not there.
    #[error(
        "triangle {triangle} refers to vertex {vertex}, but there are only {count} vertices (counted from 0)"
    )]
    IndexOutOfRange {
        /// The triangle, counted from 0.
        triangle: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many vertices there are.
        count: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has a coordinate that is not a finite number ({x}, {y}, {z})")]
    NotFinite {
        /// The vertex, counted from 0.
        vertex: usize,
        /// Its x coordinate.
        x: f64,
        /// Its y coordinate.
        y: f64,
        /// Its z coordinate.
        z: f64,
    },
    /// More vertices than 32-bit indices can name.
    #[error("{count} vertices are more than a mesh can hold (4294967295)")]
    TooManyVertices {
        /// How many there are.
        count: usize,
    },
}

impl TriMesh {
    /// Checks indices and coordinates and takes them over as they are: nothing is welded, dropped or turned.
    pub fn new(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Self, InvalidMesh> {
        if vertices.len() > u32::MAX as usize {
            return Err(InvalidMesh::TooManyVertices { count: vertices.len() });
        }
        if let Some(vertex) = vertices.iter().position(|v| !v.is_finite()) {
            let DVec3 { x, y, z } = vertices[vertex];
            return Err(InvalidMesh::NotFinite { vertex, x, y, z });
        }
        let count = vertices.len();
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= count) {
                return Err(InvalidMesh::IndexOutOfRange { triangle, vertex, count });
            }
        }
        Ok(Self { vertices, triangles })
    }

    /// Vertex positions.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Corner indices of each triangle, counter-clockwise seen from outside when the mesh is wound outward.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The three corners of one triangle.
    #[inline]
    pub fn corners(&self, triangle: usize) -> [DVec3; 3] {
        let [a, b, c] = self.triangles[triangle];
        [self.vertices[a as usize], self.vertices[b as usize], self.vertices[c as usize]]
    }

    /// The box around all vertices that a triangle uses.
    pub fn bounds(&self) -> Aabb {
        let runs = self.triangles.par_chunks(1 << 14);
        runs.map(|run| Aabb::of_points(run.iter().flatten().map(|&v| self.vertices[v as usize])))
            .reduce(|| Aabb::EMPTY, Aabb::union)
    }

    /// The mesh with more vertices and triangles behind its own.
    pub(crate) fn with_more(&self, vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<Self, InvalidMesh> {
        Self::new([&self.vertices, vertices].concat(), [&self.triangles, triangles].concat())
    }

    /// The same vertices with other triangles, whose indices are in range.
    pub(super) fn with_triangles(&self, triangles: Vec<[u32; 3]>) -> Self {
        debug_assert!(triangles.iter().flatten().all(|&v| (v as usize) < self.vertices.len()));
        Self { vertices: self.vertices.clone(), triangles }
    }

    /// For every vertex, one vertex that stands for all that triangles join it to.
    pub(crate) fn parts(&self) -> Vec<u32> {
        let mut sets = Sets::new(self.vertices.len());
        for &[a, b, c] in &self.triangles {
            sets.join(a, b);
            sets.join(a, c);
        }
        sets.into_found()
    }

    /// Every triangle with the opposite winding.
    #[must_use]
    pub fn flipped(mut self) -> Self {
        for corners in &mut self.triangles {
            corners.swap(1, 2);
        }
        self
    }

    /// The listed triangles with the opposite winding.
    #[must_use]
    pub(crate) fn with_flipped(mut self, triangles: &[usize]) -> Self {
        for &t in triangles {
            self.triangles[t].swap(1, 2);
        }
        self
    }

    /// Positions mapped through `place`. Errs when it makes a coordinate that is not finite.
    pub fn mapped(mut self, place: impl Fn(DVec3) -> DVec3) -> Result<Self, InvalidMesh> {
        for vertex in &mut self.vertices {
            *vertex = place(*vertex);
        }
        Self::new(self.vertices, self.triangles)
    }

    /// Total area of the triangles.
    pub fn area(&self) -> f64 {
        self.sum_over_triangles(|[a, b, c]| 0.5 * (b - a).cross(c - a).length())
    }

    /// Signed volume: positive when a closed mesh is wound outward. Of an open mesh it depends on the origin.
    pub fn signed_volume(&self) -> f64 {
        // Measured from the middle of the box: far from the origin the terms would cancel badly.
        let o = self.bounds().center();
        self.sum_over_triangles(|[a, b, c]| (a - o).dot((b - o).cross(c - o)) / 6.0)
    }

    /// Sums of runs of triangles, in parallel, and then of those in order: the same for any number of threads.
    fn sum_over_triangles(&self, of_triangle: impl Fn([DVec3; 3]) -> f64 + Sync) -> f64 {
        let corners = |&[a, b, c]: &[u32; 3]| {
            [self.vertices[a as usize], self.vertices[b as usize], self.vertices[c as usize]]
        };
        let runs: Vec<f64> = self
            .triangles
            .par_chunks(1 << 14)
            .map(|run| run.iter().map(|triangle| of_triangle(corners(triangle))).sum())
            .collect();
        runs.into_iter().sum()
    }
}
