//! Unsigned distances from an octet of nodes to the mesh: exact, by candidate lists or by tree search.
//!
//! Which triangles can be closest to a point of a cube is decided by the convexity of distance (`mesh/bvh/cull.rs`). Those
//! that matter to an octet are collected once from the tree, those that matter to each of its bricks are filtered from
//! them, and those that matter to each group of 2³ nodes from these:
//!
//! ```text
//! octet 8³ nodes   tree search            ~90 triangles where triangles span several cells
//! brick 4³ nodes   8 centres at once      ~22
//! group 2³ nodes   8 centres at once       ~6
//! node             8 nodes at once
//! ```
//!
//! Each step evaluates one triangle at eight points, which is one run of vector instructions. Where triangles are not
//! larger than cells lists get long, and most of the work would be to make them short; there the vertices tell which triangles
//! matter to which group (`near_vertices.rs`).

use glam::DVec3;

use super::leaf_vertices::LeafVertices;
use super::near_vertices::NearVertices;
use super::sampler::Octet;
use crate::field::storage::bricks::BRICK_NODES;
use crate::mesh::bvh::{Bvh, ClosestQuery, Cube, Cull, Seed};
use crate::mesh::triangle::{self, PlanarTriangle};
use crate::simd::multiversioned;

/// Longest candidate list of an octet; beyond it its groups look for themselves. Measured: flat between 100 and 500.
const MOST_FOR_OCTET: usize = 256;
/// With more leaves than this around an octet, and triangles shorter than [`FINE`] cells, a list is not even tried.
const MOST_LEAVES: usize = 48;
const FINE: f64 = 2.0;
/// Squared distance, in cells, below which the closest triangle of a node may be asked for.
const ASKED: f64 = 1.0 + 1e-6;
/// Covers the rounding of radii and distances, as in [`Bvh`]'s own searches.
const SLACK: f64 = 1.0 + 1e-9;

/// Squared distances and closest triangles of an octet's nodes, by brick and [`group order`](GROUP_ORDER).
pub(crate) struct OctetDistances {
    pub(crate) squared: [[f64; BRICK_NODES]; 8],
    /// Where the closest triangle is in the tree, as [`pack`] writes it.
    pub(crate) nearest: [[u64; BRICK_NODES]; 8],
}

impl OctetDistances {
    pub(crate) fn new() -> Box<Self> {
        Box::new(Self { squared: [[0.0; BRICK_NODES]; 8], nearest: [[0; BRICK_NODES]; 8] })
    }
}

/// Place in the brick (x fastest) of the k-th node in group order: 2³ groups of 2³ nodes, x fastest in both.
pub(crate) const GROUP_ORDER: [u8; BRICK_NODES] = {
    let mut order = [0; BRICK_NODES];
    let mut k = 0;
    while k < BRICK_NODES {
        let (group, lane) = (k / 8, k % 8);
        let x = 2 * (group & 1) + (lane & 1);
        let y = 2 * (group >> 1 & 1) + (lane >> 1 & 1);
        let z = 2 * (group >> 2) + (lane >> 2);
        order[k] = (x + 4 * y + 16 * z) as u8;
        k += 1;
    }
    order
};

fn pack(seed: Seed) -> u64 {
    u64::from(seed.leaf) << 3 | u64::from(seed.lane)
}

/// The seed that [`OctetDistances::nearest`] holds.
pub(crate) fn unpack(packed: u64) -> Seed {
    Seed { leaf: (packed >> 3) as u32, lane: (packed & 7) as u32 }
}

/// Working memory for octets one after the other.
pub(crate) struct DistanceScratch<'a> {
    pub(crate) query: ClosestQuery<'a>,
    /// The last closest triangle: a good start for the next search nearby.
    pub(crate) seed: Option<Seed>,
    octet: CandidateList,
    brick: CandidateList,
    members: Members,
    leaves: Vec<u32>,
    all_vertices: &'a LeafVertices,
    vertices: NearVertices,
    /// Whether the closest triangle of every node is asked for, not only of those near the surface.
    wants_all: bool,
}

impl<'a> DistanceScratch<'a> {
    pub(crate) fn new(bvh: &'a Bvh, all_vertices: &'a LeafVertices, wants_all: bool) -> Self {
        Self {
            query: ClosestQuery::new(bvh),
            seed: None,
            octet: CandidateList::default(),
            brick: CandidateList::default(),
            members: Members::new(),
            leaves: Vec::new(),
            all_vertices,
            vertices: NearVertices::with_notes(all_vertices.notes.take()),
            wants_all,
        }
    }
}

impl Drop for DistanceScratch<'_> {
    fn drop(&mut self) {
        self.all_vertices.notes.put_back(self.vertices.take_notes());
    }
}

/// Triangles, and which of eight cubes each can be closest in.
#[derive(Default)]
struct CandidateList {
    triangles: Vec<(PlanarTriangle, u64)>,
    /// Bit k set when the triangle can be closest to a point of cube k.
    kept: Vec<u8>,
    offsets: Vec<EightOffsets>,
}

/// Triangles that can be closest to a node of each of an octet's groups.
struct Members {
    /// Where they are in the tree, as [`pack`] writes it. Group g of brick b is the (8b + g)-th.
    of_group: Box<[Vec<u64>; 64]>,
    /// Squared distances of a group's nodes from its members.
    distances: Vec<[f64; 8]>,
}

/// Offsets of eight centres from one triangle, in units of the cubes' half edge.
#[derive(Clone, Copy, Default)]
struct EightOffsets {
    squared: [f32; 8],
    offset: [[f32; 8]; 3],
}

impl Members {
    fn new() -> Self {
        Self { of_group: Box::new(std::array::from_fn(|_| Vec::new())), distances: Vec::new() }
    }

    fn clear(&mut self) {
        for members in self.of_group.iter_mut() {
            members.clear();
        }
    }

    /// Makes a triangle a member of the groups whose bit is set.
    #[inline(always)]
    fn add(&mut self, triangle: u64, groups: u64) {
        let mut groups = groups;
        while groups != 0 {
            self.of_group[groups.trailing_zeros() as usize].push(triangle);
            groups &= groups - 1;
        }
    }
}

impl CandidateList {
    /// Finds out which triangles matter to each of eight cubes of half edge `half`; `cube(k)` gives the corners of cube k.
    #[inline(always)]
    fn measure(&mut self, centers: &Eight, half: f64, cube: impl Fn(usize) -> Eight) {
        let inverse = 1.0 / half;
        let mut least = [f64::INFINITY; 8];
        let mut nearest = [0u64; 8];
        self.offsets.resize(self.triangles.len(), EightOffsets::default());
        for (k, ((triangle, _), out)) in self.triangles.iter().zip(&mut self.offsets).enumerate() {
            let (squared, [x, y, z]) = centers.offsets(triangle);
            for lane in 0..8 {
                let closer = mask(squared[lane] < least[lane]);
                least[lane] = if squared[lane] < least[lane] { squared[lane] } else { least[lane] };
                nearest[lane] = (nearest[lane] & !closer) | (k as u64 & closer);
            }
            for lane in 0..8 {
                out.squared[lane] = (squared[lane] * inverse * inverse) as f32;
                out.offset[0][lane] = (x[lane] * inverse) as f32;
                out.offset[1][lane] = (y[lane] * inverse) as f32;
                out.offset[2][lane] = (z[lane] * inverse) as f32;
            }
        }
        let mut corners = [[0.0f32; 8]; 8];
        for lane in 0..8 {
            let (triangle, _) = &self.triangles[nearest[lane] as usize];
            let squared = cube(lane).distances_squared(triangle);
            for k in 0..8 {
                corners[k][lane] = (squared[k].sqrt() * inverse) as f32;
            }
        }
        self.kept.resize(self.triangles.len(), 0);
        for (of, mask) in self.offsets.iter().zip(&mut self.kept) {
            let mut kept = [0u32; 8];
            for lane in 0..8 {
                let cull = Cull {
                    corners: [
                        corners[0][lane],
                        corners[1][lane],
                        corners[2][lane],
                        corners[3][lane],
                        corners[4][lane],
                        corners[5][lane],
                        corners[6][lane],
                        corners[7][lane],
                    ],
                };
                let offset = [of.offset[0][lane], of.offset[1][lane], of.offset[2][lane]];
                kept[lane] = u32::from(cull.keeps(of.squared[lane], offset)) << lane;
            }
            let mut all = 0;
            for lane in 0..8 {
                all |= kept[lane];
            }
            *mask = all as u8;
        }
    }
}

/// Coordinates along an axis of the lower or upper two nodes of a brick.
#[inline(always)]
fn pair_of(octet: &Octet, brick: usize, axis: usize, half: usize) -> [f64; 2] {
    let first = (brick >> axis & 1) * 4 + 2 * half;
    [octet.at[axis][first], octet.at[axis][first + 1]]
}

/// Eight points side by side.
struct Eight {
    x: [f64; 8],
    y: [f64; 8],
    z: [f64; 8],
}

impl Eight {
    /// The points with one of two coordinates per axis, x fastest.
    #[inline(always)]
    fn corners(x: [f64; 2], y: [f64; 2], z: [f64; 2]) -> Self {
        Self {
            x: std::array::from_fn(|k| x[k & 1]),
            y: std::array::from_fn(|k| y[k >> 1 & 1]),
            z: std::array::from_fn(|k| z[k >> 2]),
        }
    }

    /// The nodes of one of a brick's groups.
    #[inline(always)]
    fn nodes(octet: &Octet, brick: usize, group: usize) -> Self {
        let pair = |axis: usize| pair_of(octet, brick, axis, group >> axis & 1);
        Self::corners(pair(0), pair(1), pair(2))
    }

    #[inline(always)]
    fn point(&self, lane: usize) -> [f64; 3] {
        [self.x[lane], self.y[lane], self.z[lane]]
    }

    /// Squared distances of all points, and their offsets from their closest points, by axis.
    #[inline(always)]
    fn offsets(&self, triangle: &PlanarTriangle) -> ([f64; 8], [[f64; 8]; 3]) {
        let (mut squared, mut x, mut y, mut z) = ([0.0; 8], [0.0; 8], [0.0; 8], [0.0; 8]);
        for lane in 0..8 {
            let (s, offset) = triangle::offset_from_closest(triangle.0, self.point(lane));
            squared[lane] = s;
            x[lane] = offset[0];
            y[lane] = offset[1];
            z[lane] = offset[2];
        }
        (squared, [x, y, z])
    }

    #[inline(always)]
    fn distances_squared(&self, triangle: &PlanarTriangle) -> [f64; 8] {
        let mut out = [0.0; 8];
        for lane in 0..8 {
            out[lane] = triangle::distance_squared(triangle.0, self.point(lane));
        }
        out
    }
}

multiversioned! {
    /// Distances from the wanted bricks of an octet.
    pub(crate) fn octet_distances<'s, 'b>(
        scratch: &'s mut DistanceScratch<'b>,
        octet: &'s Octet,
        wanted: u8,
        out: &'s mut OctetDistances,
    ) = octet_body
}

multiversioned! {
    /// Whether the mesh comes within `bound` of `p`.
    pub(crate) fn is_within<'s, 'b>(scratch: &'s mut DistanceScratch<'b>, p: DVec3, bound: f64) -> bool = is_within_body
}

#[inline(always)]
fn is_within_body(scratch: &mut DistanceScratch<'_>, p: DVec3, bound: f64) -> bool {
    let nearest = scratch.query.nearest(p, scratch.seed, bound * bound * SLACK);
    scratch.seed = nearest.at.or(scratch.seed);
    nearest.at.is_some() && nearest.squared.sqrt() <= bound
}

#[inline(always)]
fn octet_body(scratch: &mut DistanceScratch<'_>, octet: &Octet, wanted: u8, out: &mut OctetDistances) {
    let h = octet.spacing;
    let DistanceScratch { query, seed, leaves, octet: list, .. } = scratch;
    let center = octet.center();
    let Some(nearest) = query.nearest(center, *seed, f64::INFINITY).at else { return };
    *seed = Some(nearest);
    let bvh = query.bvh();
    let cube = Cube::new(bvh, center, 3.5 * h);
    let cull = cube.cull_by(&bvh.planar(nearest));
    query.leaves(&cube, &cull, leaves);
    let is_fine = leaves.len() > MOST_LEAVES && bvh.planar(nearest).longest_edge() < FINE * h;
    if is_fine || !collect(bvh, leaves, &cube, &cull, list) {
        octet_from_vertices(scratch, octet, wanted, out);
        return;
    }
    if list.triangles.is_empty() {
        // The nearest one always belongs; rounding may have hidden it.
        list.triangles.push((bvh.planar(nearest), pack(nearest)));
    }
    octet_from_list(scratch, octet, wanted, out);
}

/// Distances to the nearest of the listed triangles.
#[inline(always)]
fn octet_from_list(scratch: &mut DistanceScratch<'_>, octet: &Octet, wanted: u8, out: &mut OctetDistances) {
    let DistanceScratch { query, octet: list, brick: of_brick, members, wants_all, .. } = scratch;
    let middle = |axis: usize, from: usize, to: usize| 0.5 * (octet.at[axis][from] + octet.at[axis][to]);
    let halves = |axis: usize| [middle(axis, 0, 3), middle(axis, 4, 7)];
    list.measure(&Eight::corners(halves(0), halves(1), halves(2)), 1.5 * octet.spacing, |brick| {
        let ends = |axis: usize| {
            let from = (brick >> axis & 1) * 4;
            [octet.at[axis][from], octet.at[axis][from + 3]]
        };
        Eight::corners(ends(0), ends(1), ends(2))
    });
    members.clear();
    for brick in (0..8).filter(|brick| wanted >> brick & 1 != 0) {
        of_brick.triangles.clear();
        for (entry, kept) in list.triangles.iter().zip(&list.kept) {
            if kept >> brick & 1 != 0 {
                of_brick.triangles.push(*entry);
            }
        }
        find_members(of_brick, octet, brick, members);
        groups_from_members(query.bvh(), members, octet, brick, *wants_all, out);
    }
}

/// Distances to the nearest of the triangles that their vertices say can be nearest.
#[inline(always)]
fn octet_from_vertices(
    scratch: &mut DistanceScratch<'_>,
    octet: &Octet,
    wanted: u8,
    out: &mut OctetDistances,
) {
    let DistanceScratch { query, leaves, all_vertices, vertices, members, wants_all, .. } = scratch;
    vertices.gather(all_vertices, leaves, octet);
    members.clear();
    vertices.for_each_needed(all_vertices, leaves, wanted, |seed, groups| members.add(pack(seed), groups));
    for brick in (0..8).filter(|brick| wanted >> brick & 1 != 0) {
        groups_from_members(query.bvh(), members, octet, brick, *wants_all, out);
    }
}

/// Collects those of the leaves' triangles that can be closest to a point of the cube; false when there are more than
/// [`MOST_FOR_OCTET`].
#[inline(always)]
fn collect(bvh: &Bvh, leaves: &[u32], cube: &Cube, cull: &Cull, list: &mut CandidateList) -> bool {
    list.triangles.clear();
    for &leaf in leaves {
        let mut kept = bvh.triangles_kept(leaf, cube, cull);
        while kept != 0 {
            let found = Seed { leaf, lane: kept.trailing_zeros() };
            kept &= kept - 1;
            list.triangles.push((bvh.planar(found), pack(found)));
        }
        if list.triangles.len() > MOST_FOR_OCTET {
            return false;
        }
    }
    true
}

/// Finds those of the listed triangles that matter to each of a brick's groups.
#[inline(always)]
fn find_members(list: &mut CandidateList, octet: &Octet, brick: usize, members: &mut Members) {
    let centers = |axis: usize| {
        let (low, high) = (pair_of(octet, brick, axis, 0), pair_of(octet, brick, axis, 1));
        [0.5 * (low[0] + low[1]), 0.5 * (high[0] + high[1])]
    };
    list.measure(&Eight::corners(centers(0), centers(1), centers(2)), 0.5 * octet.spacing, |group| {
        Eight::nodes(octet, brick, group)
    });
    for ((_, triangle), &groups) in list.triangles.iter().zip(&list.kept) {
        members.add(*triangle, u64::from(groups) << (8 * brick));
    }
}

/// Distances of a brick's nodes to the nearest of their groups' members.
#[inline(always)]
fn groups_from_members(
    bvh: &Bvh,
    members: &mut Members,
    octet: &Octet,
    brick: usize,
    wants_all: bool,
    out: &mut OctetDistances,
) {
    let Members { of_group, distances } = members;
    for group in 0..8 {
        let members = of_group[8 * brick + group].as_slice();
        let nodes = Eight::nodes(octet, brick, group);
        let mut best = [f64::INFINITY; 8];
        distances.clear();
        for &triangle in members {
            let d = nodes.distances_squared(&bvh.planar(unpack(triangle)));
            for lane in 0..8 {
                best[lane] = if d[lane] < best[lane] { d[lane] } else { best[lane] };
            }
            distances.push(d);
        }
        // Who it was is found afterwards, since two choices on one condition would become branches; and only where it can
        // matter: nodes farther than a cell from the surface have the sign of their neighbours.
        let mut nearest = [0u64; 8];
        let mut least = best[0];
        for lane in 1..8 {
            least = if best[lane] < least { best[lane] } else { least };
        }
        if !wants_all && group != 0 && least > ASKED * octet.spacing * octet.spacing {
            out.squared[brick][8 * group..8 * group + 8].copy_from_slice(&best);
            continue;
        }
        for (&triangle, d) in members.iter().zip(distances.iter()).rev() {
            let mut equal = [0u32; 8];
            for lane in 0..8 {
                equal[lane] = u32::from(d[lane] == best[lane]) << lane;
            }
            let mut lanes = 0;
            for lane in 0..8 {
                lanes |= equal[lane];
            }
            while lanes != 0 {
                nearest[lanes.trailing_zeros() as usize & 7] = triangle;
                lanes &= lanes - 1;
            }
        }
        out.squared[brick][8 * group..8 * group + 8].copy_from_slice(&best);
        out.nearest[brick][8 * group..8 * group + 8].copy_from_slice(&nearest);
    }
}

/// All ones or zero. Choosing by a mask, since compilers make branches of two choices on one condition.
#[inline(always)]
fn mask(is_set: bool) -> u64 {
    0u64.wrapping_sub(u64::from(is_set))
}
