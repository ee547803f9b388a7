//! The vertices of each leaf of the tree, and how far the triangles at them reach.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use glam::DVec3;
use rayon::prelude::*;

use super::notes::SpareNotes;
use crate::mesh::{Bvh, TriMesh};

/// Triangles of a leaf.
const TRIANGLES: usize = 8;
/// Most vertices that a leaf's triangles can have.
const MOST_VERTICES: usize = 3 * TRIANGLES;
/// Stands for the corners of a lane without a triangle: a place beyond all vertices, whose bits are all set.
pub(super) const NO_CORNER: u8 = 31;

/// A vertex in the scaled coordinates of [`LeafVertices`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Vertex {
    pub(super) position: [f32; 3],
    /// Squared radius of the smallest ball around the largest of the tree's triangles at the vertex.
    pub(super) radius_squared: f32,
}

/// The vertices of one leaf's triangles.
pub(super) struct OfLeaf {
    /// Each once.
    vertices: [u32; MOST_VERTICES],
    count: u8,
    /// Places of the triangles' corners among them; [`NO_CORNER`] in lanes without a triangle.
    pub(super) corners: [[u8; 3]; TRIANGLES],
}

impl OfLeaf {
    const EMPTY: Self = Self { vertices: [0; MOST_VERTICES], count: 0, corners: [[NO_CORNER; 3]; TRIANGLES] };

    #[inline(always)]
    pub(super) fn vertices(&self) -> &[u32] {
        &self.vertices[..usize::from(self.count)]
    }

    /// Where a vertex stands, from now on.
    fn place(&mut self, vertex: u32) -> u8 {
        let known = self.vertices().iter().position(|&v| v == vertex);
        known.map_or_else(
            || {
                self.vertices[usize::from(self.count)] = vertex;
                self.count += 1;
                self.count - 1
            },
            |place| place as u8,
        )
    }
}

/// The vertices of all leaves.
pub(super) struct LeafVertices {
    vertices: Vec<Vertex>,
    leaves: Vec<OfLeaf>,
    /// Positions are stored as `(x − center) · scale`, within [−1, 1].
    center: DVec3,
    scale: f64,
    /// For those who collect them.
    pub(super) notes: SpareNotes,
}

/// An octet's place in the scaled coordinates.
pub(super) struct View {
    pub(super) center: [f32; 3],
    /// Cells per scaled length.
    pub(super) cells: f32,
    /// How far rounding may move a vertex, in cells.
    pub(super) blur: f32,
}

impl LeafVertices {
    pub(super) fn new(mesh: &TriMesh, bvh: &Bvh) -> Self {
        let bounds = mesh.bounds();
        let center = bounds.center();
        let half = 0.5 * bounds.extent().max_element();
        let scale = if half > 0.0 { 1.0 / half } else { 1.0 };
        // Bits of positive numbers are in the order of the numbers, so the largest is found in any order of the leaves.
        let radii: Vec<AtomicU32> = mesh.vertices().iter().map(|_| AtomicU32::new(0)).collect();
        let leaves = (0..bvh.leaf_count())
            .into_par_iter()
            .with_min_len(256)
            .map(|leaf| {
                let mut of = OfLeaf::EMPTY;
                for (lane, &triangle) in bvh.leaf(leaf).triangle.iter().enumerate() {
                    if triangle == u32::MAX {
                        continue;
                    }
                    let squared = enclosing_radius_squared(mesh.corners(triangle as usize)) * scale * scale;
                    // Rounded up, for it is an upper bound.
                    let squared = (squared * (1.0 + 1e-6)) as f32;
                    for (k, &vertex) in mesh.triangles()[triangle as usize].iter().enumerate() {
                        radii[vertex as usize].fetch_max(squared.to_bits(), Relaxed);
                        of.corners[lane][k] = of.place(vertex);
                    }
                }
                of
            })
            .collect();
        let vertices = mesh
            .vertices()
            .par_iter()
            .zip(radii)
            .with_min_len(4096)
            .map(|(&vertex, squared)| Vertex {
                position: ((vertex - center) * scale).as_vec3().to_array(),
                radius_squared: f32::from_bits(squared.into_inner()),
            })
            .collect();
        Self { vertices, leaves, center, scale, notes: SpareNotes::default() }
    }

    /// How many vertices the mesh has.
    pub(super) fn len(&self) -> usize {
        self.vertices.len()
    }

    #[inline(always)]
    pub(super) fn of_leaf(&self, leaf: u32) -> &OfLeaf {
        &self.leaves[leaf as usize]
    }

    #[inline(always)]
    pub(super) fn vertex(&self, index: u32) -> &Vertex {
        &self.vertices[index as usize]
    }

    #[inline(always)]
    pub(super) fn view(&self, center: DVec3, cell: f64) -> View {
        let center = ((center - self.center) * self.scale).as_vec3().to_array();
        let cells = (1.0 / (self.scale * cell)) as f32;
        let largest = center[0].abs().max(center[1].abs()).max(center[2].abs()).max(1.0);
        View { center, cells, blur: 2.0 * f32::EPSILON * largest * cells }
    }
}

/// Squared radius of the smallest ball around a triangle.
fn enclosing_radius_squared([a, b, c]: [DVec3; 3]) -> f64 {
    let [ab, bc, ca] = [(b - a).length_squared(), (c - b).length_squared(), (a - c).length_squared()];
    let longest = ab.max(bc).max(ca);
    let twice_area_squared = (b - a).cross(c - a).length_squared();
    let is_obtuse = 2.0 * longest >= ab + bc + ca;
    let circumscribed = ab * bc * ca / (4.0 * twice_area_squared);
    // Jung's theorem gives the most it can be, should rounding spoil a sliver.
    if is_obtuse || !circumscribed.is_finite() { 0.25 * longest } else { circumscribed.min(longest / 3.0) }
}
