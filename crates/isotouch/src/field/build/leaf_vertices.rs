//! The vertices of each leaf of the tree, side by side.

use glam::DVec3;
use rayon::prelude::*;

use crate::mesh::{Bvh, TriMesh};

/// Vertices of a block.
pub(super) const LANES: usize = 16;
/// Triangles of a leaf.
const TRIANGLES: usize = 8;
/// Eight triangles have at most this many vertices, which fill two blocks at most.
pub(super) const MOST_VERTICES: usize = 2 * LANES;
/// Coordinates of unused lanes: so far away that they are never near, and near enough that squares stay finite.
const FAR: f32 = 1e12;

/// Up to 16 vertices of a leaf, in the scaled coordinates of [`LeafVertices`].
#[derive(Debug, Clone, Copy)]
pub(super) struct VertexBlock {
    pub(super) position: [[f32; LANES]; 3],
    /// Squared radius of the smallest ball around the largest of the leaf's triangles at the vertex.
    pub(super) radius_squared: [f32; LANES],
}

impl VertexBlock {
    const EMPTY: Self = Self { position: [[FAR; LANES]; 3], radius_squared: [0.0; LANES] };
}

/// The vertices of all leaves.
pub(super) struct LeafVertices {
    blocks: Vec<VertexBlock>,
    /// First block of each leaf, and the end.
    first_block: Vec<u32>,
    /// Places of the corners of each leaf's triangles among its vertices.
    corners: Vec<[[u8; 3]; TRIANGLES]>,
    /// Positions are stored as `(x − center) · scale`, within [−1, 1].
    center: DVec3,
    scale: f64,
}

/// An octet's place in the scaled coordinates.
pub(super) struct View {
    pub(super) center: [f32; 3],
    /// Cells per scaled length.
    pub(super) cells: f32,
    /// How far rounding may move a vertex, in cells.
    pub(super) blur: f32,
}

/// One leaf, before all are put together.
struct OfLeaf {
    blocks: [VertexBlock; 2],
    used: usize,
    corners: [[u8; 3]; TRIANGLES],
}

impl LeafVertices {
    pub(super) fn new(mesh: &TriMesh, bvh: &Bvh) -> Self {
        let bounds = mesh.bounds();
        let center = bounds.center();
        let half = 0.5 * bounds.extent().max_element();
        let scale = if half > 0.0 { 1.0 / half } else { 1.0 };
        let of_leaves: Vec<OfLeaf> = (0..bvh.leaf_count())
            .into_par_iter()
            .with_min_len(256)
            .map(|leaf| of_leaf(mesh, &bvh.leaf(leaf).triangle, center, scale))
            .collect();
        let mut blocks = Vec::with_capacity(of_leaves.len());
        let mut first_block = Vec::with_capacity(of_leaves.len() + 1);
        let mut corners = Vec::with_capacity(of_leaves.len());
        for of in &of_leaves {
            first_block.push(blocks.len() as u32);
            blocks.extend_from_slice(&of.blocks[..of.used]);
            corners.push(of.corners);
        }
        first_block.push(blocks.len() as u32);
        Self { blocks, first_block, corners, center, scale }
    }

    #[inline(always)]
    pub(super) fn blocks_of(&self, leaf: u32) -> &[VertexBlock] {
        &self.blocks[self.first_block[leaf as usize] as usize..self.first_block[leaf as usize + 1] as usize]
    }

    #[inline(always)]
    pub(super) fn corners_of(&self, leaf: u32) -> &[[u8; 3]; TRIANGLES] {
        &self.corners[leaf as usize]
    }

    #[inline(always)]
    pub(super) fn view(&self, center: DVec3, cell: f64) -> View {
        let center = ((center - self.center) * self.scale).as_vec3().to_array();
        let cells = (1.0 / (self.scale * cell)) as f32;
        let largest = center[0].abs().max(center[1].abs()).max(center[2].abs()).max(1.0);
        View { center, cells, blur: 2.0 * f32::EPSILON * largest * cells }
    }
}

fn of_leaf(mesh: &TriMesh, triangles: &[u32; TRIANGLES], center: DVec3, scale: f64) -> OfLeaf {
    let mut of = OfLeaf {
        blocks: [VertexBlock::EMPTY; 2],
        used: 1,
        // Unused lanes take the last place, which no vertex has: eight triangles have 24 at most.
        corners: [[MOST_VERTICES as u8 - 1; 3]; TRIANGLES],
    };
    let mut vertices = [u32::MAX; MOST_VERTICES];
    let mut count = 0;
    for (lane, &triangle) in triangles.iter().enumerate().filter(|(_, t)| **t != u32::MAX) {
        let corners = mesh.triangles()[triangle as usize];
        let radius_squared = enclosing_radius_squared(mesh.corners(triangle as usize)) * scale * scale;
        // Rounded up, for it is an upper bound.
        let radius_squared = (radius_squared * (1.0 + 1e-6)) as f32;
        for (k, &vertex) in corners.iter().enumerate() {
            let at = vertices[..count].iter().position(|&v| v == vertex).unwrap_or_else(|| {
                vertices[count] = vertex;
                count += 1;
                count - 1
            });
            let block = &mut of.blocks[at / LANES];
            let scaled = ((mesh.vertices()[vertex as usize] - center) * scale).as_vec3();
            for axis in 0..3 {
                block.position[axis][at % LANES] = scaled[axis];
            }
            let known = &mut block.radius_squared[at % LANES];
            *known = known.max(radius_squared);
            of.corners[lane][k] = at as u8;
        }
    }
    of.used = count.div_ceil(LANES).max(1);
    of
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
