//! The different vertices of a handful of leaves, each once.

use super::leaf_vertices::LeafVertices;
use super::notes::Notes;

/// Vertices of a block.
pub(super) const LANES: usize = 16;
/// Coordinates of unused lanes: so far away that they are never near, and near enough that squares stay finite.
const FAR: f32 = 1e12;

/// Up to 16 vertices side by side, in the scaled coordinates of [`LeafVertices`].
#[derive(Debug, Clone, Copy)]
pub(super) struct VertexBlock {
    pub(super) position: [[f32; LANES]; 3],
    pub(super) radius_squared: [f32; LANES],
}

impl VertexBlock {
    const EMPTY: Self = Self { position: [[FAR; LANES]; 3], radius_squared: [0.0; LANES] };
}

/// The vertices of some leaves. Neighbouring leaves share many of them; a note for every vertex of the mesh tells those met before.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) blocks: Vec<VertexBlock>,
    /// Where the vertices of the leaves stand, leaf by leaf.
    pub(super) places: Vec<u32>,
    /// The mesh's vertex at each place.
    vertices: Vec<u32>,
    pub(super) notes: Notes,
}

impl Gathered {
    #[inline(always)]
    pub(super) fn gather(&mut self, all: &LeafVertices, leaves: &[u32]) {
        self.blocks.clear();
        self.notes.forget(all.len());
        let most: usize = leaves.iter().map(|&leaf| all.of_leaf(leaf).vertices().len()).sum();
        self.places.resize(most, 0);
        self.vertices.resize(most, 0);
        let mut places = self.places.iter_mut();
        for &leaf in leaves {
            for (&vertex, out) in all.of_leaf(leaf).vertices().iter().zip(&mut places) {
                let place = self.notes.place(vertex);
                // One met before is written where it stands already.
                self.vertices[place as usize] = vertex;
                *out = place;
            }
        }
        self.vertices.truncate(self.notes.count());
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
    pub(super) fn place_count(&self) -> usize {
        self.blocks.len() * LANES
    }
}
