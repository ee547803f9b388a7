//! The check that makes every certificate true: neighbouring nodes differ by no more than they are apart.

use glam::UVec3;
use rayon::prelude::*;

use crate::field::Grid;
use crate::field::storage::bricks::{BRICK, BRICK_NODES};
use crate::field::storage::{BrickLevel, DenseNodes, SparseNodes, Storage};
use crate::simd::{SimdLevel, multiversioned};

/// The first pair of neighbours (in storage order) that contradict each other, and how many there are.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Contradictions {
    pub(crate) count: u64,
    /// The pairs, or the first of them when there are very many.
    pub(crate) pairs: Vec<Pair>,
    /// Grid index of the first one.
    pub(crate) node: UVec3,
    pub(crate) value: f32,
    pub(crate) neighbour: f32,
}

/// Two neighbours: a node by its grid index, and the next one along an axis, so many cells on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pair {
    pub(crate) node: UVec3,
    pub(crate) axis: usize,
    pub(crate) step: u32,
}

/// Most pairs that are listed.
const MOST_PAIRS: usize = 100_000;

/// Checks |φᵢ − φⱼ| ≤ L·|xᵢ − xⱼ| for all neighbours at every level, and that levels agree where they share a node.
pub(crate) fn neighbours(storage: &Storage, grid: &Grid, lipschitz: f64) -> Result<(), Contradictions> {
    match storage {
        Storage::Dense(nodes) => dense(nodes, 1, &Allowance::new(grid, 1, lipschitz)),
        Storage::Sparse(sparse) => {
            for level in &sparse.levels {
                bricks(level, &Allowance::new(grid, level.step, lipschitz))?;
            }
            dense(&sparse.top, sparse.top_step, &Allowance::new(grid, sparse.top_step, lipschitz))?;
            levels_agree(sparse)
        }
    }
}

/// How much neighbours may differ: their distance, the rounding of both to `f32` (half an ulp each), and the error of
/// the `f64` formulas, a few 2⁻⁵³ of the coordinates.
struct Allowance {
    apart: f64,
}

impl Allowance {
    fn new(grid: &Grid, step: u32, lipschitz: f64) -> Self {
        let bounds = grid.bounds();
        let largest = bounds.min.abs().max(bounds.max.abs()).max_element();
        Self { apart: lipschitz * (grid.cell * f64::from(step) * (1.0 + 1e-12) + 1e-14 * largest) }
    }

    #[inline(always)]
    fn is_exceeded(&self, a: f32, b: f32) -> bool {
        let (a, b) = (f64::from(a), f64::from(b));
        let rounding = (a.abs() + b.abs()) * f64::from(f32::EPSILON) * 0.5;
        let is_within = (a - b).abs() - rounding <= self.apart;
        // NaN is within nothing, so it exceeds; so does infinity, whose rounding is infinite too.
        !is_within
    }
}

fn merge(a: Option<Contradictions>, b: Option<Contradictions>) -> Option<Contradictions> {
    match (a, b) {
        (Some(mut a), Some(b)) => {
            a.count += b.count;
            let room = MOST_PAIRS.saturating_sub(a.pairs.len());
            a.pairs.extend(b.pairs.into_iter().take(room));
            Some(a)
        }
        (a, b) => a.or(b),
    }
}

fn found(pair: Pair, value: f32, neighbour: f32) -> Option<Contradictions> {
    Some(Contradictions { count: 1, pairs: vec![pair], node: pair.node, value, neighbour })
}

fn dense(nodes: &DenseNodes, step: u32, allowance: &Allowance) -> Result<(), Contradictions> {
    let values: &[f32] = &nodes.values;
    let (nx, ny) = (nodes.nodes.x as usize, nodes.nodes.y as usize);
    let layer = nx * ny;
    let worst = (0..nodes.nodes.z as usize)
        .into_par_iter()
        .map(|z| {
            let mut all = None;
            for (axis, stride) in [1, nx, layer].into_iter().enumerate() {
                if axis == 2 && z + 1 == nodes.nodes.z as usize {
                    continue;
                }
                for y in 0..if axis == 1 { ny - 1 } else { ny } {
                    let start = z * layer + y * nx;
                    let row = &values[start..start + if axis == 0 { nx - 1 } else { nx }];
                    let next = &values[start + stride..start + stride + row.len()];
                    // Vectorises; the place is looked for only when there is something to find.
                    if row.iter().zip(next).fold(false, |bad, (&a, &b)| bad | allowance.is_exceeded(a, b)) {
                        for (x, (&a, &b)) in row.iter().zip(next).enumerate() {
                            if allowance.is_exceeded(a, b) {
                                let node = UVec3::new(x as u32, y as u32, z as u32) * step;
                                all = merge(all, found(Pair { node, axis, step }, a, b));
                            }
                        }
                    }
                }
            }
            all
        })
        .collect::<Vec<_>>();
    worst.into_iter().fold(None, merge).map_or(Ok(()), Err)
}

fn bricks(level: &BrickLevel, allowance: &Allowance) -> Result<(), Contradictions> {
    let all: Vec<(UVec3, usize)> = level.bricks().collect();
    let simd = SimdLevel::detect();
    let worst: Vec<Option<Contradictions>> = all
        .par_chunks(4096)
        .map(|chunk| {
            if chunk_is_sound(simd, level, chunk, allowance) {
                return None;
            }
            chunk.iter().fold(None, |all, &(brick, slot)| merge(all, of_brick(level, brick, slot, allowance)))
        })
        .collect();
    worst.into_iter().fold(None, merge).map_or(Ok(()), Err)
}

type Nodes = [f32; BRICK_NODES];

/// A brick's nodes, and those of the bricks above it along each axis.
#[inline(always)]
fn nodes_around(level: &BrickLevel, brick: UVec3, slot: usize) -> (&Nodes, [Option<&Nodes>; 3]) {
    let (bricks, _) = level.values.as_chunks::<BRICK_NODES>();
    let above = |unit: UVec3| level.slot(brick + unit).map(|slot| &bricks[slot]);
    (&bricks[slot], [above(UVec3::X), above(UVec3::Y), above(UVec3::Z)])
}

multiversioned! {
    fn chunk_is_sound<'a>(level: &'a BrickLevel, chunk: &'a [(UVec3, usize)], allowance: &'a Allowance) -> bool = chunk_is_sound_body
}

/// Says only whether there is anything to find, in straight loops that become vector instructions.
#[inline(always)]
fn chunk_is_sound_body(level: &BrickLevel, chunk: &[(UVec3, usize)], allowance: &Allowance) -> bool {
    let mut bad = false;
    for &(brick, slot) in chunk {
        let (own, above) = nodes_around(level, brick, slot);
        for row in 0..16 {
            for x in 0..3 {
                bad |= allowance.is_exceeded(own[4 * row + x], own[4 * row + x + 1]);
            }
        }
        for z in 0..4 {
            for k in 0..12 {
                bad |= allowance.is_exceeded(own[16 * z + k], own[16 * z + k + 4]);
            }
        }
        for k in 0..48 {
            bad |= allowance.is_exceeded(own[k], own[k + 16]);
        }
        if let Some(next) = above[0] {
            for row in 0..16 {
                bad |= allowance.is_exceeded(own[4 * row + 3], next[4 * row]);
            }
        }
        if let Some(next) = above[1] {
            for z in 0..4 {
                for x in 0..4 {
                    bad |= allowance.is_exceeded(own[16 * z + 12 + x], next[16 * z + x]);
                }
            }
        }
        if let Some(next) = above[2] {
            for k in 0..16 {
                bad |= allowance.is_exceeded(own[48 + k], next[k]);
            }
        }
    }
    !bad
}

/// What is wrong in and just above one brick.
fn of_brick(level: &BrickLevel, brick: UVec3, slot: usize, allowance: &Allowance) -> Option<Contradictions> {
    let (own, above) = nodes_around(level, brick, slot);
    let mut worst = None;
    for (axis, stride) in [1, 4, 16].into_iter().enumerate() {
        for node in 0..BRICK_NODES {
            let is_last = node >> (2 * axis) & 3 == 3;
            let neighbour = match (is_last, above[axis]) {
                (false, _) => own[node + stride],
                (true, Some(next)) => next[node - 3 * stride],
                (true, None) => continue,
            };
            if allowance.is_exceeded(own[node], neighbour) {
                let k = node as u32;
                let at = brick * BRICK + UVec3::new(k & 3, k >> 2 & 3, k >> 4);
                let pair = Pair { node: at * level.step, axis, step: level.step };
                worst = merge(worst, found(pair, own[node], neighbour));
            }
        }
    }
    worst
}

/// A node stored at two levels must have one value.
fn levels_agree(sparse: &SparseNodes) -> Result<(), Contradictions> {
    for (k, level) in sparse.levels.iter().enumerate() {
        for (brick, slot) in level.bricks() {
            let own = level.values[slot * BRICK_NODES];
            let coarse = match sparse.levels.get(k + 1) {
                Some(above) => above.node(brick),
                None => Some(sparse.top.values[sparse.top.index(brick)]),
            };
            if let Some(coarse) = coarse
                && coarse.to_bits() != own.to_bits()
            {
                return Err(Contradictions {
                    count: 1,
                    pairs: Vec::new(),
                    node: brick * BRICK * level.step,
                    value: own,
                    neighbour: coarse,
                });
            }
        }
    }
    Ok(())
}
