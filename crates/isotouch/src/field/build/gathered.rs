//! The different vertices of a handful of triangles, each once.

use super::leaf_vertices::{LeafVertices, MOST_VERTICES, NO_CORNER};
use crate::mesh::bvh::Seed;

/// Vertices of a block.
pub(super) const LANES: usize = 16;
/// Coordinates of unused lanes: so far away that they are never near, and near enough that squares stay finite.
const FAR: f32 = 1e12;
/// An entry of the hash table without a place.
const FREE: u32 = u32::MAX;

/// Up to 16 vertices side by side, in the scaled coordinates of [`LeafVertices`].
#[derive(Debug, Clone, Copy)]
pub(super) struct VertexBlock {
    pub(super) position: [[f32; LANES]; 3],
    pub(super) radius_squared: [f32; LANES],
}

impl VertexBlock {
    const EMPTY: Self = Self { position: [[FAR; LANES]; 3], radius_squared: [0.0; LANES] };
}

/// The triangles of some leaves and their vertices. Neighbouring leaves share many vertices; a small hash table, emptied for each
/// collection, finds those met before.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) blocks: Vec<VertexBlock>,
    /// Triangles, and the places of their corners among the vertices.
    pub(super) triangles: Vec<(Seed, [u32; 3])>,
    /// The mesh's vertex at each place.
    vertices: Vec<u32>,
    /// Places, by the hash of the vertex; a power of two of them, so many that at least half are free.
    table: Vec<u32>,
}

impl Gathered {
    #[inline(always)]
    pub(super) fn gather(&mut self, all: &LeafVertices, leaves: &[u32]) {
        self.blocks.clear();
        self.triangles.clear();
        self.vertices.clear();
        self.table.clear();
        let most: usize = leaves.iter().map(|&leaf| all.of_leaf(leaf).vertices().len()).sum();
        self.table.resize((2 * most).next_power_of_two(), FREE);
        for &leaf in leaves {
            let of = all.of_leaf(leaf);
            let mut places = [0; MOST_VERTICES];
            for (place, &vertex) in places.iter_mut().zip(of.vertices()) {
                *place = self.place(vertex);
            }
            for (lane, corners) in of.corners.iter().enumerate() {
                if corners[0] != NO_CORNER {
                    let at = |k: usize| places[corners[k] as usize % MOST_VERTICES];
                    self.triangles.push((Seed { leaf, lane: lane as u32 }, [at(0), at(1), at(2)]));
                }
            }
        }
        for sixteen in self.vertices.chunks(LANES) {
            let mut block = VertexBlock::EMPTY;
            for (lane, &vertex) in sixteen.iter().enumerate() {
                let vertex = all.vertex(vertex);
                for axis in 0..3 {
                    block.position[axis][lane] = vertex.position[axis];
                }
                block.radius_squared[lane] = vertex.radius_squared;
            }
            self.blocks.push(block);
        }
    }

    /// How many places there are, unused ones of the last block included.
    pub(super) fn places(&self) -> usize {
        self.blocks.len() * LANES
    }

    /// Where a vertex stands, from now on.
    #[inline(always)]
    fn place(&mut self, vertex: u32) -> u32 {
        let last = self.table.len() - 1;
        // Knuth's multiplicative hash: the high bits of a product with 2³² over the golden ratio.
        let mut at = (vertex.wrapping_mul(0x9E37_79B9) >> 12) as usize;
        loop {
            let place = self.table[at & last];
            if place == FREE {
                self.table[at & last] = self.vertices.len() as u32;
                self.vertices.push(vertex);
                return self.vertices.len() as u32 - 1;
            }
            if self.vertices[place as usize] == vertex {
                return place;
            }
            at += 1;
        }
    }
}
