//! Filling dense and sparse storage from a sampler, in parallel, with the same bytes whatever the thread count.

use glam::{IVec3, UVec3};
use rayon::prelude::*;

use super::progress::Stage;
use super::sampler::{OCTET, Octet, OctetValues, Sampler};
use super::{BuildError, memory};
use crate::field::storage::bricks::{
    BRICK, BRICK_NODES, NO_TILE, TILE, Tile, bricks_of_tile, tile_index, tile_position,
};
use crate::field::storage::{BrickLevel, DenseNodes, SparseNodes};
use crate::field::{Execution, Grid};

const EMPTY_OCTET: OctetValues = [[0.0; BRICK_NODES]; 8];

/// The coarsest level of a sparse field has at most this many cells per axis: small enough to stay in cache, and
/// to start every search from.
const TOP_CELLS: u32 = 64;

/// All nodes at `step` cells of spacing.
pub(super) fn dense<S: Sampler>(
    sampler: &S,
    grid: &Grid,
    step: u32,
    execution: &Execution<'_>,
) -> Result<DenseNodes, BuildError> {
    let nodes = nodes_at(grid, step);
    let mut values = memory::zeroed(nodes.as_u64vec3().element_product() as usize)?;
    fill_dense(sampler, grid, (nodes, step), &mut values, execution)?;
    Ok(DenseNodes { nodes, values: values.into() })
}

/// Computes a dense box of nodes.
fn fill_dense<S: Sampler>(
    sampler: &S,
    grid: &Grid,
    (nodes, step): (UVec3, u32),
    values: &mut [f32],
    execution: &Execution<'_>,
) -> Result<(), BuildError> {
    let (nx, ny) = (nodes.x as usize, nodes.y as usize);
    // One task a bar of octets along x: the eight layers of a slab are cut into runs of eight rows each.
    let mut bars: Vec<(IVec3, Vec<&mut [f32]>)> = Vec::new();
    for (k, slab) in values.chunks_mut(nx * ny * OCTET).enumerate() {
        let mut in_slab: Vec<Vec<&mut [f32]>> = Vec::new();
        in_slab.resize_with(ny.div_ceil(OCTET), Vec::new);
        for layer in slab.chunks_mut(nx * ny) {
            for (bar, rows) in in_slab.iter_mut().zip(layer.chunks_mut(nx * OCTET)) {
                bar.push(rows);
            }
        }
        let first = |j: usize| IVec3::new(0, (j * OCTET) as i32, (k * OCTET) as i32);
        bars.extend(in_slab.into_iter().enumerate().map(|(j, rows)| (first(j), rows)));
    }
    let stage = Stage::new(execution, "distances", bars.len());
    bars.into_par_iter().with_max_len(1).try_for_each(|(first, mut layers)| {
        stage.check()?;
        let mut scratch = sampler.scratch();
        let mut octet_values = Box::new(EMPTY_OCTET);
        let rows = layers[0].len() / nx;
        for i in (0..nx).step_by(OCTET) {
            let octet = Octet::new(grid, first + IVec3::new(i as i32, 0, 0), step);
            let wanted = (0..8).fold(0u8, |wanted, brick| {
                let [x, y, z] = [0, 1, 2].map(|axis| (brick >> axis & 1) * BRICK as usize);
                wanted | u8::from(i + x < nx && y < rows && z < layers.len()) << brick
            });
            sampler.sample(&mut scratch, &octet, wanted, &mut octet_values);
            for (z, layer) in layers.iter_mut().enumerate() {
                for (y, row) in layer.chunks_mut(nx).enumerate() {
                    for (x, value) in row[i..].iter_mut().take(OCTET).enumerate() {
                        let brick = x / 4 + 2 * (y / 4) + 4 * (z / 4);
                        *value = octet_values[brick][x % 4 + 4 * (y % 4) + 16 * (z % 4)];
                    }
                }
            }
        }
        stage.advance();
        Ok(())
    })
}

pub(in crate::field) fn nodes_at(grid: &Grid, step: u32) -> UVec3 {
    (grid.cells + (step - 1)) / step + UVec3::ONE
}

/// Spacings of a sparse field's brick levels, finest first, and of its dense top.
pub(in crate::field) fn steps(grid: &Grid) -> (Vec<u32>, u32) {
    let mut steps = vec![1];
    let mut top = BRICK;
    while grid.cells.max_element().div_ceil(top) > TOP_CELLS {
        steps.push(top);
        top *= BRICK;
    }
    (steps, top)
}

/// Bricks within `band` cells of the surface at every level, and all nodes at the coarsest.
pub(super) fn sparse<S: Sampler>(
    sampler: &S,
    grid: &Grid,
    band: f64,
    execution: &Execution<'_>,
) -> Result<SparseNodes, BuildError> {
    let (steps, top_step) = steps(grid);
    let plans = steps
        .iter()
        .map(|&step| plan(sampler, grid, step, band, execution))
        .collect::<Result<Vec<_>, _>>()?;
    memory::check(plans.iter().map(Planned::bytes).sum(), execution)?;
    let mut levels = Vec::new();
    for planned in plans {
        let Planned { step, nodes, tile_at, tiles, bricks } = planned;
        let mut values = memory::zeroed(bricks * BRICK_NODES)?;
        let plan = Plan { step, nodes, tile_at: &tile_at, tiles: &tiles };
        fill(sampler, grid, &plan, &mut values, execution)?;
        levels.push(BrickLevel {
            step,
            nodes,
            tile_at: tile_at.into(),
            tiles: tiles.into(),
            values: values.into(),
            ranges: Vec::new().into(),
        });
    }
    let top = dense(sampler, grid, top_step, execution)?;
    Ok(SparseNodes { levels, top, top_step })
}

/// Which bricks a level has.
struct Plan<'a> {
    step: u32,
    nodes: UVec3,
    tile_at: &'a [u32],
    tiles: &'a [Tile],
}

/// Which bricks a level will have.
struct Planned {
    step: u32,
    nodes: UVec3,
    tile_at: Vec<u32>,
    tiles: Vec<Tile>,
    bricks: usize,
}

impl Planned {
    fn bytes(&self) -> u64 {
        (self.tile_at.len() * 4 + self.tiles.len() * size_of::<Tile>() + self.bricks * (BRICK_NODES * 4 + 8))
            as u64
    }
}

/// Chooses a level's bricks. A brick is wanted when one of its nodes is a corner of a cell that has a corner within the
/// band, so when the 6³ nodes in and around it come that close; by its circumscribed sphere:
/// |φ(centre)| ≤ band + 2.5·√3 (in cells of the level). That keeps every cell with a corner in the band whole.
fn plan<S: Sampler>(
    sampler: &S,
    grid: &Grid,
    step: u32,
    band: f64,
    execution: &Execution<'_>,
) -> Result<Planned, BuildError> {
    let nodes = nodes_at(grid, step);
    let tiles_per_axis = BrickLevel::tiles_per_axis(nodes);
    let count = tiles_per_axis.as_u64vec3().element_product() as usize;
    let search = BandSearch { sampler, grid, step, nodes, band };
    let near = search.tiles_near(tiles_per_axis);
    let stage = Stage::new(execution, "finding the surface", near.len());
    // Most tiles of a large box are empty: only the others take memory.
    let masks = near
        .into_par_iter()
        .with_max_len(1)
        .filter_map(|index| {
            if let Err(error) = stage.check() {
                return Some(Err(error));
            }
            let mut mask = [0; 8];
            let mut scratch = sampler.scratch();
            search.descend(&mut scratch, tile_position(index, tiles_per_axis) * TILE, TILE, &mut mask);
            stage.advance();
            (mask != [0; 8]).then_some(Ok((index, mask)))
        })
        .collect::<Result<Vec<(usize, [u64; 8])>, _>>()?;
    let (mut tile_at, mut tiles, mut bricks) = (vec![NO_TILE; count], Vec::new(), 0usize);
    for (index, mask) in masks {
        tile_at[index] = tiles.len() as u32;
        let first = u32::try_from(bricks).map_err(|_| BuildError::TooManyBricks)?;
        let tile = Tile::new(mask, first);
        bricks += tile.brick_count() as usize;
        tiles.push(tile);
    }
    Ok(Planned { step, nodes, tile_at, tiles, bricks })
}

struct BandSearch<'a, S> {
    sampler: &'a S,
    grid: &'a Grid,
    step: u32,
    nodes: UVec3,
    band: f64,
}

/// Tiles along an edge of the blocks that are looked at first.
const TILES_OF_BLOCK: u32 = 4;

impl<S: Sampler> BandSearch<'_, S> {
    /// The tiles that may have bricks, in order: those of blocks of 4³ that come near the surface.
    fn tiles_near(&self, tiles_per_axis: UVec3) -> Vec<usize> {
        let blocks = (tiles_per_axis + (TILES_OF_BLOCK - 1)) / TILES_OF_BLOCK;
        let mut near: Vec<usize> = (0..blocks.as_u64vec3().element_product() as usize)
            .into_par_iter()
            .flat_map_iter(|block| {
                let first = tile_position(block, blocks) * TILES_OF_BLOCK;
                let is_near =
                    self.comes_near(&mut self.sampler.scratch(), first * TILE, TILES_OF_BLOCK * TILE);
                let count = if is_near { TILES_OF_BLOCK.pow(3) } else { 0 };
                (0..count).filter_map(move |k| {
                    let at = first + UVec3::new(k & 3, k >> 2 & 3, k >> 4);
                    at.cmplt(tiles_per_axis).all().then(|| tile_index(at, tiles_per_axis))
                })
            })
            .collect();
        near.par_sort_unstable();
        near
    }

    /// Whether the `size`³ bricks from `first` may have a wanted one among them.
    fn comes_near(&self, scratch: &mut S::Scratch, first: UVec3, size: u32) -> bool {
        let spacing = self.grid.cell * f64::from(self.step);
        // The bricks' nodes and one more on each side: 4·size + 2 nodes, so half an edge is (4·size + 1)/2.
        let half = 0.5 * f64::from(BRICK * size + 1);
        let center = self.grid.origin + spacing * (first.as_dvec3() * f64::from(BRICK) - 1.0 + half);
        let reach = self.sampler.lipschitz() * spacing * 3f64.sqrt() * half + self.band * spacing;
        self.sampler.is_within(scratch, center, reach)
    }

    /// Sets the bits of the wanted bricks among the `size`³ bricks from `first`.
    fn descend(&self, scratch: &mut S::Scratch, first: UVec3, size: u32, mask: &mut [u64; 8]) {
        if (first * BRICK).cmpge(self.nodes).any() {
            return;
        }
        if !self.comes_near(scratch, first, size) {
            return;
        }
        if size == 1 {
            let (word, bit) = Tile::bit(first);
            mask[word] |= 1 << bit;
            return;
        }
        let half = size / 2;
        for k in 0..8 {
            self.descend(scratch, first + half * UVec3::new(k & 1, k >> 1 & 1, k >> 2), half, mask);
        }
    }
}

/// Computes the bricks of a level.
fn fill<S: Sampler>(
    sampler: &S,
    grid: &Grid,
    plan: &Plan<'_>,
    values: &mut [f32],
    execution: &Execution<'_>,
) -> Result<(), BuildError> {
    let tiles_per_axis = BrickLevel::tiles_per_axis(plan.nodes);
    let mut rest = values;
    let mut tasks = Vec::with_capacity(plan.tiles.len());
    for (index, &at) in plan.tile_at.iter().enumerate().filter(|(_, at)| **at != NO_TILE) {
        let tile = &plan.tiles[at as usize];
        let (of_tile, after) = rest.split_at_mut(tile.brick_count() as usize * BRICK_NODES);
        rest = after;
        tasks.push((tile, tile_position(index, tiles_per_axis), of_tile));
    }
    let stage = Stage::new(execution, "distances", tasks.len());
    tasks.into_par_iter().with_max_len(1).try_for_each(|(tile, position, values)| {
        stage.check()?;
        fill_tile(sampler, (grid, plan.step), (tile, position), values);
        stage.advance();
        Ok(())
    })
}

/// Computes the bricks of one tile, an octet at a time.
fn fill_tile<S: Sampler>(
    sampler: &S,
    (grid, step): (&Grid, u32),
    (tile, position): (&Tile, UVec3),
    values: &mut [f32],
) {
    let mut slots = [[None::<usize>; 8]; 64];
    for (brick, slot) in bricks_of_tile(tile, position) {
        let local = brick % TILE;
        let octet = local / 2;
        let within = local % 2;
        slots[(octet.x + 4 * octet.y + 16 * octet.z) as usize]
            [(within.x + 2 * within.y + 4 * within.z) as usize] = Some(slot - tile.first as usize);
    }
    let mut scratch = sampler.scratch();
    let mut octet_values = Box::new(EMPTY_OCTET);
    for (k, slots) in slots.iter().enumerate() {
        let within = UVec3::new(k as u32 % 4, k as u32 / 4 % 4, k as u32 / 16);
        let first = (position * TILE * BRICK + within * OCTET as u32).as_ivec3();
        let wanted = (0..8).fold(0u8, |wanted, brick| wanted | u8::from(slots[brick].is_some()) << brick);
        if wanted == 0 {
            continue;
        }
        sampler.sample(&mut scratch, &Octet::new(grid, first, step), wanted, &mut octet_values);
        for (brick, slot) in slots.iter().enumerate() {
            if let Some(slot) = *slot {
                values[slot * BRICK_NODES..(slot + 1) * BRICK_NODES].copy_from_slice(&octet_values[brick]);
            }
        }
    }
}
