//! The nodes that the sides of a soup are found on: how far each is from the mesh, and how freely one passes between them.

use std::sync::atomic::AtomicBool;

use glam::{DVec3, UVec3};
use rayon::prelude::*;

use super::cavities::Skins;
use super::distance_sampler::MeshSampler;
use super::leaf_vertices::LeafVertices;
use super::sign::SignOracle;
use super::{BuildError, Cancelled, Stage, nodes};
use crate::field::storage::DenseNodes;
use crate::field::{Execution, Grid};
use crate::mesh::adjacency::Adjacency;
use crate::mesh::bvh::Passage;
use crate::mesh::{Bvh, TriMesh};
use crate::simd::SimdLevel;

/// A path is clear when the mesh is farther from it than this, in cells. Larger, and more nodes beside the mesh have no clear
/// path to them; smaller, and wider tears let the wrong side through.
const CLEARANCE: f64 = 1.0 / 32.0;
/// A node nearer to the mesh than this, in cells, lies on it, and is on neither side. Far above rounding, and above the width of
/// tears between triangles that are meant to meet; far below what a field can show.
const ON_MESH: f64 = 1e-3;

/// Nodes that are marked between two looks at whether to stop: some milliseconds of work.
const PIECE: usize = 1 << 12;

/// In a node's mark, two bits for each axis say how freely one passes to the next node, and this bit whether a hole may be near.
const MAY_BE_OPEN: u8 = 1 << 6;

/// Where a mesh may have holes.
pub(super) enum Openings {
    /// Wherever it leaves a narrow way.
    Anywhere,
    /// Near the edges beyond which its surface does not go on, if there are any.
    Along(Option<Bvh>),
}

impl Openings {
    /// Where the surface of a mesh ends.
    pub(super) fn of(mesh: &TriMesh) -> Self {
        let edges = Adjacency::open_edges(mesh);
        // Two edges in three, as in a soup of loose triangles: they are everywhere, without asking where.
        if edges.len() > mesh.triangles().len() { Self::Anywhere } else { Self::Along(Bvh::of_edges(&edges)) }
    }
}

/// A way to go on from a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// To a neighbour, so freely or more so.
    AlongEdges(Passage),
    /// To any other corner of the cells around, over a clear path.
    AcrossCells,
}

pub(super) struct Lattice<'a> {
    mesh: &'a TriMesh,
    bvh: &'a Bvh,
    pub(super) grid: Grid,
    /// Unsigned distances.
    distances: DenseNodes,
    marks: Vec<u8>,
    /// How far from the mesh a node must be, where a hole might be, for one to go through it.
    room_beside_holes: f64,
    /// Whether a hole might be near any node.
    is_open_anywhere: bool,
    /// Whoever goes through all nodes asks it now and then whether to go on.
    pub(super) stage: Stage<'a>,
}

impl<'a> Lattice<'a> {
    pub(super) fn new(
        mesh: &'a TriMesh,
        bvh: &'a Bvh,
        grid: Grid,
        execution: &'a Execution<'a>,
    ) -> Result<Self, BuildError> {
        let vertices = LeafVertices::new(mesh, bvh);
        let simd = execution.simd.unwrap_or_else(SimdLevel::detect);
        let sampler = MeshSampler::new(bvh, &vertices, SignOracle::Unsigned, simd);
        let distances = nodes::dense(&sampler, &grid, 1, execution)?;
        let (marks, room_beside_holes, is_open_anywhere) = (Vec::new(), 0.0, false);
        let stage = Stage::new(execution, "inside and outside", 0);
        let mut lattice =
            Self { mesh, bvh, grid, distances, marks, room_beside_holes, is_open_anywhere, stage };
        let count = lattice.distances.values.len();
        let mut marks = vec![0; count];
        lattice.in_pieces(&mut marks, |k, mark| *mark = lattice.passages_from(k))?;
        lattice.marks = marks;
        Ok(lattice)
    }

    /// Does something to every node's mark, unless told to stop.
    fn in_pieces(&self, marks: &mut [u8], change: impl Fn(usize, &mut u8) + Sync) -> Result<(), Cancelled> {
        marks.par_chunks_mut(PIECE).enumerate().try_for_each(|(piece, marks)| {
            self.stage.check()?;
            marks.iter_mut().enumerate().for_each(|(k, mark)| change(piece * PIECE + k, mark));
            Ok(())
        })
    }

    /// The mark of a node, as far as it tells how freely one passes.
    fn passages_from(&self, k: usize) -> u8 {
        let here = self.distance(k);
        // So far away that no next node can be near enough.
        if here > (1.0 + CLEARANCE) * self.grid.cell {
            return 0;
        }
        let node = self.node(k);
        let mut mark = 0;
        for axis in 0..3 {
            let mut next = node;
            next[axis] += 1;
            if next[axis] >= self.distances.nodes[axis] {
                continue;
            }
            let found = self.passage_to(k, self.index(next));
            mark |= (found as u8) << (2 * axis);
        }
        mark
    }

    /// How freely one passes straight from one node to another.
    fn passage_to(&self, from: usize, to: usize) -> Passage {
        let clearance = CLEARANCE * self.grid.cell;
        let (here, there) = (self.distance(from), self.distance(to));
        let [p, q] = [from, to].map(|k| self.position(self.node(k)));
        // No point of the path is nearer to the mesh than this.
        if 0.5 * (here + there - p.distance(q)) > clearance {
            return Passage::Clear;
        }
        let found = self.bvh.passage(self.mesh, p, q, clearance);
        if here.min(there) <= clearance { found.max(Passage::Tight) } else { found }
    }

    /// The triangles that lie between two nodes, in order.
    pub(super) fn triangles_between(&self, from: usize, to: usize) -> Vec<u32> {
        let [p, q] = [from, to].map(|k| self.position(self.node(k)));
        self.bvh.all_between(self.mesh, p, q)
    }

    /// The skins of the mesh: what hangs together but for tears.
    pub(super) fn skins(&self, cancel: Option<&AtomicBool>) -> Result<Skins, Cancelled> {
        let pieces = self.bvh.pieces(self.mesh, ON_MESH * self.grid.cell, cancel);
        let (of_triangle, count) = pieces.ok_or(Cancelled)?;
        Ok(Skins { of_triangle, count })
    }

    /// Finds out for nodes within about `offset` of the mesh whether a hole narrower than two offsets may be near.
    pub(super) fn mark_openings(&mut self, openings: &Openings, offset: f64) -> Result<(), Cancelled> {
        self.is_open_anywhere = matches!(openings, Openings::Anywhere);
        // The way between two nodes may lead through the middle of a hole, and they are half a cell from there. Let a point of it be s
        // from one node, h − s from the other and σ from the mesh: then √(σ² + s·(h − s)) from there is at least one of them.
        let room = offset.hypot(0.5 * self.grid.cell);
        self.room_beside_holes = room;
        // Whoever passes such a hole comes as near to its rim as it is wide, at a node or between two.
        let near = 2.0 * offset + self.grid.cell;
        let mut marks = std::mem::take(&mut self.marks);
        let done = self.in_pieces(&mut marks, |k, mark| {
            let may_be_open = match openings {
                Openings::Anywhere => true,
                Openings::Along(None) => false,
                Openings::Along(Some(rims)) => {
                    self.distance(k) <= room
                        && rims.distance_within(self.position(self.node(k)), near).is_some()
                }
            };
            *mark = *mark & !MAY_BE_OPEN | if may_be_open { MAY_BE_OPEN } else { 0 };
        });
        self.marks = marks;
        done
    }

    pub(super) fn len(&self) -> usize {
        self.marks.len()
    }

    pub(super) fn nodes(&self) -> UVec3 {
        self.distances.nodes
    }

    pub(super) fn node(&self, k: usize) -> UVec3 {
        node_at(self.distances.nodes, k)
    }

    pub(super) fn index(&self, node: UVec3) -> usize {
        self.distances.index(node)
    }

    pub(super) fn position(&self, node: UVec3) -> DVec3 {
        self.grid.node_position(node.as_ivec3())
    }

    /// How far a node is from the mesh.
    #[inline]
    pub(super) fn distance(&self, k: usize) -> f64 {
        f64::from(self.distances.values[k])
    }

    /// Whether a node lies on the mesh, so that it is on neither side.
    pub(super) fn is_on_mesh(&self, k: usize) -> bool {
        self.distance(k) <= ON_MESH * self.grid.cell
    }

    /// Whether one may go through a node from far away: with room around it where a hole might be, else with hardly any.
    #[inline]
    pub(super) fn is_free(&self, k: usize, offset: f64) -> bool {
        let room = if self.marks[k] & MAY_BE_OPEN != 0 {
            self.room_beside_holes
        } else {
            offset.min(CLEARANCE * self.grid.cell)
        };
        self.distance(k) > room
    }

    /// Whether a node may belong to a pocket: off the mesh, and away from where holes may be, unless they may be everywhere.
    pub(super) fn is_in_pocket(&self, k: usize) -> bool {
        let may_be_open = self.marks[k] & MAY_BE_OPEN != 0;
        self.distance(k) > CLEARANCE * self.grid.cell && (self.is_open_anywhere || !may_be_open)
    }

    /// The nodes around one, and how freely one passes to them.
    pub(super) fn neighbours(&self, k: usize) -> impl Iterator<Item = (usize, Passage)> {
        let [along_x, along_y, _] = self.distances.nodes.to_array().map(|n| n as usize);
        let node = self.node(k);
        let strides = [1, along_x, along_x * along_y];
        (0..3).flat_map(move |axis| {
            let before = (node[axis] > 0).then(|| k - strides[axis]);
            let after = (node[axis] + 1 < self.distances.nodes[axis]).then(|| k + strides[axis]);
            let before = before.map(|n| (n, self.passage(n, axis)));
            [before, after.map(|n| (n, self.passage(k, axis)))].into_iter().flatten()
        })
    }

    /// The nodes among those `wanted` that a step leads to.
    pub(super) fn reached(&self, k: usize, step: Step, wanted: impl Fn(usize) -> bool) -> Vec<usize> {
        match step {
            Step::AlongEdges(least) => {
                let free = self.neighbours(k).filter(|&(_, passage)| passage <= least);
                free.map(|(next, _)| next).filter(|&next| wanted(next)).collect()
            }
            Step::AcrossCells => {
                // What is so near to the mesh has no clear path to it.
                let may_pass = |k: usize| self.distance(k) > CLEARANCE * self.grid.cell;
                let around = self.around(k).filter(|&next| wanted(next) && may_pass(k) && may_pass(next));
                around.filter(|&next| self.passage_to(k, next) == Passage::Clear).collect()
            }
        }
    }

    /// The other corners of the cells around a node.
    pub(super) fn around(&self, k: usize) -> impl Iterator<Item = usize> {
        let (node, most) = (self.node(k), self.distances.nodes - UVec3::ONE);
        let (low, high) = (node.max(UVec3::ONE) - UVec3::ONE, (node + UVec3::ONE).min(most));
        (low.z..=high.z)
            .flat_map(move |z| (low.y..=high.y).map(move |y| (y, z)))
            .flat_map(move |(y, z)| (low.x..=high.x).map(move |x| self.index(UVec3::new(x, y, z))))
            .filter(move |&other| other != k)
    }

    /// The next node along an axis, and how freely one passes to it.
    pub(super) fn next(&self, k: usize, axis: usize) -> Option<(usize, Passage)> {
        let mut next = self.node(k);
        next[axis] += 1;
        (next[axis] < self.distances.nodes[axis]).then(|| (self.index(next), self.passage(k, axis)))
    }

    /// How freely one passes from a node to the next along an axis.
    #[inline]
    pub(super) fn passage(&self, k: usize, axis: usize) -> Passage {
        match self.marks[k] >> (2 * axis) & 3 {
            0 => Passage::Clear,
            1 => Passage::Tight,
            _ => Passage::Walled,
        }
    }
}

fn node_at(nodes: UVec3, k: usize) -> UVec3 {
    let [x, y, _] = nodes.to_array().map(|n| n as usize);
    UVec3::new((k % x) as u32, (k / x % y) as u32, (k / (x * y)) as u32)
}
