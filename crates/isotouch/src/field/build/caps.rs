//! Caps: the pieces of boundary that a sign method adds where a mesh has none.
//!
//! Where inside and outside meet and no triangle is near, the boundary of the solid must be something: otherwise two neighbouring
//! nodes could be far from everything, one inside and one outside, and no certificate would hold. So the surface between
//! them is followed over the cells of the grid, from where it is known to pass, and made of triangles: a vertex in each
//! cell, and around every grid edge that passes from inside to outside the four cells' vertices (a surface net). Each such edge
//! crosses its two triangles, so the distances at its two ends add up to no more than its length.
//!
//! Edges whose two ends are near enough to the mesh need no cap.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DVec3, IVec3};
use rayon::prelude::*;

use super::BuildError;
use super::progress::Stage;
use super::side::Side;
use crate::field::{Execution, Grid};
use crate::mesh::{Bvh, TriMesh};

/// Most edges that caps may cross, before it is an error: some hundred bytes each.
const MOST_EDGES: usize = 20_000_000;
/// Distances from a face across an edge add up to the edge's length, but for rounding.
const ROUNDING: f64 = 1e-9;
/// A vertex stays this far, in cells, from the ends of the edges it lies between.
const FROM_ENDS: f64 = 0.02;

/// An edge of the grid: from a node, one cell along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct GridEdge {
    pub(super) node: [i32; 3],
    pub(super) axis: usize,
}

/// Follows caps over the grid.
pub(super) struct CapTracer<'a, S: ?Sized> {
    side: &'a S,
    bvh: &'a Bvh,
    grid: &'a Grid,
    execution: &'a Execution<'a>,
    /// What is known of nodes: how far inside (positive) by the side's own measure, and how far the mesh is.
    nodes: BTreeMap<[i32; 3], (f64, f64)>,
    looked_at: BTreeSet<[i32; 3]>,
    /// Edges that caps cross, with where along them.
    edges: BTreeMap<GridEdge, f64>,
}

impl<'a, S: Side + ?Sized> CapTracer<'a, S> {
    pub(super) fn new(side: &'a S, bvh: &'a Bvh, grid: &'a Grid, execution: &'a Execution<'a>) -> Self {
        let (nodes, looked_at, edges) = (BTreeMap::new(), BTreeSet::new(), BTreeMap::new());
        Self { side, bvh, grid, execution, nodes, looked_at, edges }
    }

    /// Follows the caps that pass through the cells around some points. Says whether any were found.
    pub(super) fn follow(&mut self, from: impl Iterator<Item = DVec3>) -> Result<bool, BuildError> {
        let grid = self.grid;
        let cells = from.flat_map(|p| {
            let cell = ((p - grid.origin) / grid.cell).floor().as_ivec3();
            // Seeds may lie on faces: the cells around are looked at as well.
            around(cell.to_array())
        });
        let before = self.edges.len();
        let mut wave = self.fresh(cells);
        let stage = Stage::new(self.execution, "closing holes", 0);
        while !wave.is_empty() {
            stage.check()?;
            self.learn(&wave);
            let mut next = Vec::new();
            for &cell in &wave {
                for edge in edges_of(cell) {
                    if !self.edges.contains_key(&edge)
                        && let Some(at) = self.crossing(edge)
                    {
                        self.edges.insert(edge, at);
                        next.extend(cells_around(edge));
                    }
                }
            }
            if self.edges.len() > MOST_EDGES {
                return Err(BuildError::CapsTooLarge);
            }
            wave = self.fresh(next.into_iter());
        }
        Ok(self.edges.len() > before)
    }

    /// The cells within the grid that were not looked at before, in order.
    fn fresh(&mut self, cells: impl Iterator<Item = [i32; 3]>) -> Vec<[i32; 3]> {
        let most = self.grid.cells.as_ivec3().to_array();
        let mut fresh: Vec<[i32; 3]> = cells
            .filter(|cell| (0..3).all(|axis| (0..most[axis]).contains(&cell[axis])))
            .filter(|cell| self.looked_at.insert(*cell))
            .collect();
        fresh.sort_unstable();
        fresh
    }

    /// Computes what is not yet known of the cells' nodes.
    fn learn(&mut self, cells: &[[i32; 3]]) {
        let mut wanted: Vec<[i32; 3]> = cells
            .iter()
            .flat_map(|cell| corners_of(*cell))
            .filter(|node| !self.nodes.contains_key(node))
            .collect();
        wanted.sort_unstable();
        wanted.dedup();
        let learned: Vec<(f64, f64)> = wanted
            .par_iter()
            .map(|&node| {
                let p = self.grid.node_position(IVec3::from_array(node));
                (self.side.level(p), self.bvh.distance_within(p, f64::INFINITY).unwrap_or(f64::INFINITY))
            })
            .collect();
        self.nodes.extend(wanted.into_iter().zip(learned));
    }

    /// Where a cap crosses an edge: if its ends are on different sides, and the mesh is too far to be what is between them.
    fn crossing(&self, edge: GridEdge) -> Option<f64> {
        let mut end = edge.node;
        end[edge.axis] += 1;
        let ((a, near_a), (b, near_b)) = (*self.nodes.get(&edge.node)?, *self.nodes.get(&end)?);
        if (a > 0.0) == (b > 0.0) || near_a + near_b <= self.grid.cell * (1.0 + ROUNDING) {
            return None;
        }
        Some((a / (a - b)).clamp(FROM_ENDS, 1.0 - FROM_ENDS))
    }

    /// The caps found so far, facing outward.
    pub(super) fn triangles(&self) -> Caps {
        let mut edges: Vec<(GridEdge, f64)> = self.edges.iter().map(|(&edge, &at)| (edge, at)).collect();
        edges.sort_unstable_by_key(|&(edge, _)| edge);
        // The vertex of a cell is the mean of where caps cross its edges.
        let mut sums: BTreeMap<[i32; 3], (DVec3, f64)> = BTreeMap::new();
        for &(edge, at) in &edges {
            let mut offset = DVec3::ZERO;
            offset[edge.axis] = at * self.grid.cell;
            let place = self.grid.node_position(IVec3::from_array(edge.node)) + offset;
            for cell in cells_around(edge) {
                let (sum, count) = sums.entry(cell).or_insert((DVec3::ZERO, 0.0));
                *sum += place;
                *count += 1.0;
            }
        }
        let mut caps = Caps::default();
        let mut index: BTreeMap<[i32; 3], u32> = BTreeMap::new();
        for (edge, _) in edges {
            let [a, b, c, d] = cells_around(edge).map(|cell| {
                *index.entry(cell).or_insert_with(|| {
                    let (sum, count) = sums[&cell];
                    caps.vertices.push(sum / count);
                    caps.vertices.len() as u32 - 1
                })
            });
            let is_inside = self.nodes.get(&edge.node).is_some_and(|&(level, _)| level > 0.0);
            caps.triangles.extend(if is_inside { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
        }
        caps
    }
}

/// Triangles that close the holes of a mesh.
#[derive(Debug, Default)]
pub(super) struct Caps {
    pub(super) vertices: Vec<DVec3>,
    pub(super) triangles: Vec<[u32; 3]>,
}

impl Caps {
    /// The triangles, numbered for vertices that follow those of a mesh.
    pub(super) fn triangles_after(&self, mesh: &TriMesh) -> Vec<[u32; 3]> {
        let first = mesh.vertices().len() as u32;
        self.triangles.iter().map(|corners| corners.map(|v| v + first)).collect()
    }
}

fn corners_of(cell: [i32; 3]) -> [[i32; 3]; 8] {
    std::array::from_fn(|k| std::array::from_fn(|axis| cell[axis] + (k >> axis & 1) as i32))
}

fn around([x, y, z]: [i32; 3]) -> impl Iterator<Item = [i32; 3]> {
    (-1..=1).flat_map(move |k| (-1..=1).flat_map(move |j| (-1..=1).map(move |i| [x + i, y + j, z + k])))
}

fn edges_of(cell: [i32; 3]) -> impl Iterator<Item = GridEdge> {
    (0..12).map(move |k| {
        let (axis, corner) = (k / 4, k % 4);
        let mut node = cell;
        node[(axis + 1) % 3] += (corner & 1) as i32;
        node[(axis + 2) % 3] += (corner >> 1) as i32;
        GridEdge { node, axis }
    })
}

/// The four cells around an edge, counterclockwise as seen from its far end.
fn cells_around(edge: GridEdge) -> [[i32; 3]; 4] {
    let (u, v) = ((edge.axis + 1) % 3, (edge.axis + 2) % 3);
    [(1, 1), (0, 1), (0, 0), (1, 0)].map(|(back_u, back_v)| {
        let mut cell = edge.node;
        cell[u] -= back_u;
        cell[v] -= back_v;
        cell
    })
}
