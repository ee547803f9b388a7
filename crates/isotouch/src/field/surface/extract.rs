//! From the lattice to triangles: blocks in parallel, then vertices shared between them.

use glam::{DVec3, UVec3};
use rayon::prelude::*;

use super::cell::{EDGES, for_each_loop, inside_corners};
use super::lattice::Lattice;
use super::weld::{self, Snap};
use super::{Surface, SurfaceError, center, fill};
use crate::field::progress::Stage;
use crate::field::{Execution, Field};
use crate::mesh::TriMesh;

/// Nearest that a vertex comes to the end of its edge, as a fraction of it, unless it is the node itself. Coordinates of a
/// field resolve 10⁻⁷ of a cell, so less would let vertices of different edges coincide; more would move them visibly.
const NEAREST: f64 = 1e-6;
/// Blocks that one thread takes at a time.
const BLOCKS_PER_TASK: usize = 256;

/// What a vertex lies on: a node and an axis for an edge, or a cell and the number of its loop. Orders all vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    z: u32,
    y: u32,
    x: u32,
    /// 0 to 2: the edge along that axis. From 3: a loop.
    kind: u8,
}

impl Key {
    fn new(at: UVec3, kind: usize) -> Self {
        Self { z: at.z, y: at.y, x: at.x, kind: kind as u8 }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Vertex {
    pub(super) key: Key,
    pub(super) position: DVec3,
    /// The node it lies on, if that one's value is σ.
    pub(super) snap: Option<Snap>,
}

/// The surface in some blocks.
#[derive(Default)]
struct Piece {
    vertices: Vec<Vertex>,
    /// Positions in `vertices`.
    triangles: Vec<[u32; 3]>,
    leaves_box: bool,
}

pub(super) fn surface(field: &Field, iso: f64, execution: &Execution<'_>) -> Result<Surface, SurfaceError> {
    let lattice = Lattice::new(field, iso);
    let blocks = lattice.blocks(iso);
    let stage = Stage::new(execution, "surface", blocks.len().div_ceil(BLOCKS_PER_TASK));
    let extractor = Extractor { lattice: &lattice, iso, same: same_value(field, iso) };
    let pieces = blocks
        .par_chunks(BLOCKS_PER_TASK)
        .map(|blocks| {
            stage.check()?;
            let mut piece = Piece::default();
            let mut scratch = Scratch::new(lattice.block);
            for &first in blocks {
                extractor.block(first, &mut scratch, &mut piece);
            }
            stage.advance();
            Ok(piece)
        })
        .collect::<Result<Vec<_>, SurfaceError>>()?;
    let is_closed = !pieces.iter().any(|piece| piece.leaves_box);
    let (vertices, triangles) = joined(&pieces);
    drop(pieces);
    stage.check()?;
    if u32::try_from(vertices.len()).is_err() {
        return Err(SurfaceError::TooLarge { vertices: vertices.len() });
    }
    let (vertices, triangles) = weld::at_nodes(&vertices, triangles);
    // There are not too many, and indices are ours: only positions can be wrong, and only if values were.
    let mesh = TriMesh::new(vertices, triangles).map_err(|_| SurfaceError::BadValues)?;
    Ok(Surface { mesh, is_closed, cell: lattice.spacing() })
}

/// Values this near to σ are σ: they differ by their rounding to `f32` (half an ulp of σ), or by that of the formulas they came
/// from, a few 2⁻⁵³ of the coordinates, as where a face of a box lies in a plane of nodes.
fn same_value(field: &Field, iso: f64) -> f64 {
    let bounds = field.grid.bounds();
    2f64.powi(-24) * iso.abs() + 1e-14 * bounds.min.abs().max(bounds.max.abs()).max_element()
}

/// One list of vertices for all pieces, each vertex once, in the order of their keys.
fn joined(pieces: &[Piece]) -> (Vec<Vertex>, Vec<[u32; 3]>) {
    let mut vertices: Vec<Vertex> = pieces.par_iter().flat_map_iter(|p| p.vertices.iter().copied()).collect();
    vertices.par_sort_unstable_by_key(|vertex| vertex.key);
    vertices.dedup_by_key(|vertex| vertex.key);
    let index_of = |vertex: &Vertex| {
        // Found for certain: all were put there.
        vertices.binary_search_by_key(&vertex.key, |other| other.key).unwrap_or(0) as u32
    };
    let triangles = pieces
        .par_iter()
        .flat_map_iter(|piece| {
            let index: Vec<u32> = piece.vertices.iter().map(index_of).collect();
            piece.triangles.iter().map(move |corners| corners.map(|k| index[k as usize]))
        })
        .collect();
    (vertices, triangles)
}

/// Working memory for a block.
struct Scratch {
    /// Values less σ of the block's nodes, x fastest.
    values: Vec<f64>,
    /// Positions in the piece's vertices, three edges a node; `NONE` for those not made yet.
    vertex_on: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Scratch {
    fn new(block: u32) -> Self {
        let nodes = (block as usize + 1).pow(3);
        Self { values: vec![0.0; nodes], vertex_on: vec![NONE; 3 * nodes] }
    }
}

struct Extractor<'a> {
    lattice: &'a Lattice<'a>,
    iso: f64,
    same: f64,
}

impl Extractor<'_> {
    fn block(&self, first: UVec3, scratch: &mut Scratch, piece: &mut Piece) {
        let cells = (self.lattice.cells - first).min(UVec3::splat(self.lattice.block));
        let side = self.lattice.block + 1;
        let index = |local: UVec3| (local.x + side * (local.y + side * local.z)) as usize;
        let (mut has_inside, mut has_outside) = (false, false);
        for z in 0..=cells.z {
            for y in 0..=cells.y {
                for x in 0..=cells.x {
                    let local = UVec3::new(x, y, z);
                    let value = self.lattice.value(first + local) - self.iso;
                    scratch.values[index(local)] = value;
                    has_inside |= value <= 0.0;
                    has_outside |= value > 0.0;
                }
            }
        }
        if !(has_inside && has_outside) {
            return;
        }
        scratch.vertex_on.fill(NONE);
        for z in 0..cells.z {
            for y in 0..cells.y {
                for x in 0..cells.x {
                    let local = UVec3::new(x, y, z);
                    let corners: [usize; 8] = std::array::from_fn(|k| index(local + corner(k)));
                    let values = corners.map(|k| scratch.values[k]);
                    if !matches!(inside_corners(&values), 0 | 255) {
                        self.cell(first + local, (&values, &corners), &mut scratch.vertex_on, piece);
                    }
                }
            }
        }
    }

    fn cell(
        &self,
        cell: UVec3,
        (values, corners): (&[f64; 8], &[usize; 8]),
        vertex_on: &mut [u32],
        piece: &mut Piece,
    ) {
        let mut loops = 0;
        // Where on each crossed edge the vertex is, in coordinates of the cell.
        let mut at = [DVec3::ZERO; 12];
        for_each_loop(values, |edges| {
            let mut vertices = [0; 12];
            for (k, &edge) in edges.iter().enumerate() {
                let (edge, [low, high]) = (edge as usize, EDGES[edge as usize]);
                let axis = edge / 4;
                let t = root(values[low], values[high]);
                at[edge] = corner(low).as_dvec3();
                at[edge][axis] = t;
                let slot = &mut vertex_on[3 * corners[low] + axis];
                if *slot == NONE {
                    *slot = piece.vertices.len() as u32;
                    piece.vertices.push(self.on_edge(cell + corner(low), axis, [values[low], values[high]]));
                }
                vertices[k] = *slot;
            }
            let mut add = |corners: [usize; 3]| piece.triangles.push(corners.map(|k| vertices[k]));
            if fill::triangles(edges, &at, &mut add).is_none() {
                let local = center::point(values, edges, &at);
                let (low, high) = (self.lattice.position(cell), self.lattice.position(cell + 1));
                let middle = piece.vertices.len() as u32;
                let key = Key::new(cell, 3 + loops);
                piece.vertices.push(Vertex { key, position: low + local * (high - low), snap: None });
                for k in 0..edges.len() {
                    piece.triangles.push([vertices[k], vertices[(k + 1) % edges.len()], middle]);
                }
            }
            loops += 1;
            piece.leaves_box |= self.leaves_box(cell, values);
        });
    }

    fn on_edge(&self, node: UVec3, axis: usize, [low, high]: [f64; 2]) -> Vertex {
        let mut above = node;
        above[axis] += 1;
        let (from, to) = (self.lattice.position(node), self.lattice.position(above));
        let mut position = from;
        position[axis] = from[axis] + root(low, high) * (to[axis] - from[axis]);
        // Of two ends that are both σ, the inside one.
        let (inside, outside) = if low <= 0.0 {
            ((low, node, from), (high, above, to))
        } else {
            ((high, above, to), (low, node, from))
        };
        let snap = [inside, outside].into_iter().find(|(value, ..)| value.abs() <= self.same);
        let snap = snap.map(|(_, node, position)| Snap { node: Key::new(node, 0), position });
        Vertex { key: Key::new(node, axis), position, snap }
    }

    /// Whether the surface crosses a face of the cell that is part of the border of the box.
    fn leaves_box(&self, cell: UVec3, values: &[f64; 8]) -> bool {
        let inside = inside_corners(values);
        (0..3).any(|axis| {
            let upper = (0..8).fold(0u8, |mask, k| mask | ((k >> axis & 1) as u8) << k);
            let crosses = |face: u8| !matches!(inside & face, 0) && inside & face != face;
            (cell[axis] == 0 && crosses(!upper))
                || (cell[axis] + 1 == self.lattice.cells[axis] && crosses(upper))
        })
    }
}

fn corner(k: usize) -> UVec3 {
    UVec3::new((k & 1) as u32, (k >> 1 & 1) as u32, (k >> 2) as u32)
}

/// Where the line from `low` at 0 to `high` at 1 is zero, kept off the ends.
fn root(low: f64, high: f64) -> f64 {
    (low / (low - high)).clamp(NEAREST, 1.0 - NEAREST)
}
