//! Signed distances to a mesh, an octet of nodes at a time.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use glam::{DVec3, IVec3};

use super::distance::{self, DistanceScratch, GROUP_ORDER, OctetDistances};
use super::leaf_vertices::LeafVertices;
use super::sampler::{Octet, OctetValues, Sampler};
use super::sign::SignOracle;
use crate::field::storage::bricks::BRICK_NODES;
use crate::mesh::Bvh;
use crate::simd::SimdLevel;

pub(super) struct MeshSampler<'a> {
    pub(super) vertices: &'a LeafVertices,
    pub(super) bvh: &'a Bvh,
    pub(super) sign: SignOracle<'a>,
    pub(super) simd: SimdLevel,
    /// Set where some triangles are caps.
    pub(super) caps: Option<CapCount>,
}

/// Counts the nodes that are measured to caps.
pub(super) struct CapCount {
    /// Triangles from here on are caps.
    pub(super) first: u32,
    /// Nodes past the grid do not count.
    pub(super) cells: IVec3,
    pub(super) nodes: AtomicU64,
}

impl<'a> MeshSampler<'a> {
    pub(super) fn new(
        bvh: &'a Bvh,
        vertices: &'a LeafVertices,
        sign: SignOracle<'a>,
        simd: SimdLevel,
    ) -> Self {
        Self { bvh, vertices, sign, simd, caps: None }
    }

    fn count_capped(&self, caps: &CapCount, octet: &Octet, brick: usize, nearest: &[u64; BRICK_NODES]) {
        let capped = (0..BRICK_NODES).filter(|&node| {
            let seed = distance::unpack(nearest[node]);
            let triangle = self.bvh.leaf(seed.leaf as usize).triangle[seed.lane as usize];
            triangle >= caps.first && octet.node(brick, node).cmple(caps.cells).all()
        });
        caps.nodes.fetch_add(capped.count() as u64, Relaxed);
    }
}

pub(super) struct MeshScratch<'a> {
    search: DistanceScratch<'a>,
    distances: Box<OctetDistances>,
}

impl<'a> Sampler for MeshSampler<'a> {
    type Scratch = MeshScratch<'a>;

    fn scratch(&self) -> MeshScratch<'a> {
        MeshScratch {
            search: DistanceScratch::new(
                self.bvh,
                self.vertices,
                self.caps.is_some() || self.sign.asks_every_node(),
            ),
            distances: OctetDistances::new(),
        }
    }

    fn lipschitz(&self) -> f64 {
        1.0
    }

    fn is_within(&self, scratch: &mut MeshScratch<'a>, p: DVec3, bound: f64) -> bool {
        distance::is_within(self.simd, &mut scratch.search, p, bound)
    }

    fn sample(&self, scratch: &mut MeshScratch<'a>, octet: &Octet, wanted: u8, out: &mut OctetValues) {
        distance::octet_distances(self.simd, &mut scratch.search, octet, wanted, &mut scratch.distances);
        let mut side_of_uniform = [None; 8];
        for brick in (0..8).filter(|brick| wanted >> brick & 1 != 0) {
            let mut distances = [0.0; BRICK_NODES];
            let mut nearest = [0u64; BRICK_NODES];
            for k in 0..BRICK_NODES {
                distances[GROUP_ORDER[k] as usize] = scratch.distances.squared[brick][k].sqrt();
                nearest[GROUP_ORDER[k] as usize] = scratch.distances.nearest[brick][k];
            }
            if let Some(caps) = &self.caps {
                self.count_capped(caps, octet, brick, &nearest);
            }
            let inside = |node: usize| {
                let p = octet.position(brick, node);
                self.sign.is_inside(self.bvh, p, distance::unpack(nearest[node]))
            };
            if self.sign.asks_every_node() {
                for node in 0..BRICK_NODES {
                    let sign = if inside(node) { -1.0 } else { 1.0 };
                    out[brick][node] = (sign * distances[node]) as f32;
                }
                continue;
            }
            let least = distances.iter().fold(f64::INFINITY, |a, &b| a.min(b));
            if are_on_one_side(least, least, octet.spacing) {
                // No two neighbours in it, nor in a brick beside it of which this is true as well, are apart.
                // Where holes were closed every brick asks for itself: were a cap missing, the check would find out.
                let known = [1, 2, 4]
                    .into_iter()
                    .filter(|bit| brick & bit != 0 && !self.sign.may_lack_caps())
                    .find_map(|bit| side_of_uniform[brick & !bit]);
                let is_inside = known.unwrap_or_else(|| inside(0));
                side_of_uniform[brick] = Some(is_inside);
                let sign = if is_inside { -1.0 } else { 1.0 };
                for node in 0..BRICK_NODES {
                    out[brick][node] = (sign * distances[node]) as f32;
                }
            } else {
                let sides = sides_of_nodes(&distances, octet.spacing, inside);
                for node in 0..BRICK_NODES {
                    let sign = if sides >> node & 1 != 0 { -1.0 } else { 1.0 };
                    out[brick][node] = (sign * distances[node]) as f32;
                }
            }
        }
    }
}

/// Two points `apart` from each other whose distances to the surface add up to more than that cannot have the surface
/// between them. The slack is far above the rounding of nodes and distances, 2⁻⁵³ of a box that is as near to the origin as
/// `from_mesh` moves it; it need not be tight, for whoever is left in doubt is asked.
fn are_on_one_side(a: f64, b: f64, apart: f64) -> bool {
    a + b > apart * (1.0 + 1e-8)
}

/// Bit k set when node k is inside. Nodes take the side of a neighbour where they surely share it.
fn sides_of_nodes(distances: &[f64; BRICK_NODES], spacing: f64, inside: impl Fn(usize) -> bool) -> u64 {
    let mut sides = 0u64;
    for node in 0..BRICK_NODES {
        let before = |stride: usize, digit: usize| {
            (node >> (2 * digit) & 3 != 0
                && are_on_one_side(distances[node], distances[node - stride], spacing))
            .then(|| sides >> (node - stride) & 1 != 0)
        };
        let known = before(1, 0).or_else(|| before(4, 1)).or_else(|| before(16, 2));
        sides |= u64::from(known.unwrap_or_else(|| inside(node))) << node;
    }
    sides
}
