//! Inside and outside of a polygon soup: whatever cannot be reached from far away is inside.
//!
//! Orientation, duplicates and inner walls do not matter. On a grid of its own (the field's, or a coarser one that shares
//! its nodes):
//!
//! 1. Outside is what the border reaches over nodes farther than σ from the mesh. Holes narrower than 2σ are too narrow
//!    to pass, so they are closed.
//! 2. Every other node farther than σ is inside; with cavities kept, it counts how many walls lie between it and the
//!    outside, and every second region is a cavity.
//! 3. Nodes within σ belong to the nearest of those, over grid edges that no triangle crosses. Nodes that none of them
//!    reaches are locked in by walls closer than 2σ: inside.
//!
//! After Xu & Barbič 2014, "Signed distance fields for polygon soup meshes"; but only signs come from the offset, distances
//! stay those to the mesh.

use std::collections::VecDeque;

use glam::{DVec3, IVec3, UVec3};
use rayon::prelude::*;

use super::distance_sampler::MeshSampler;
use super::leaf_vertices::LeafVertices;
use super::nodes;
use super::side::Side;
use super::sign::SignOracle;
use super::{BuildError, memory};
use crate::field::storage::DenseNodes;
use crate::field::{Execution, Grid};
use crate::mesh::{Bvh, TriMesh};
use crate::simd::SimdLevel;

/// Most cells along a side of the grid that signs are found on.
const MOST_CELLS: u32 = 256;
/// Least offset, in cells: below √3/2 a flood could pass through a wall between two nodes.
const LEAST_OFFSET: f64 = 0.9;
/// Largest offset tried when none is given, as a share of the mesh's size.
const LARGEST_OFFSET: f64 = 0.04;
/// With so much of the mesh's area at the boundary of what is inside, the solid is found.
pub(super) const ENOUGH: f64 = 0.5;
/// Most triangles asked about that.
const ASKED: usize = 4096;

/// What is known of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    Unknown,
    Outside,
    Inside,
}

/// What a user may say about soups.
#[derive(Debug, Clone, Copy)]
pub(super) struct SoupOptions {
    /// Holes narrower than this are closed; `None` to choose.
    pub(super) gap: Option<f64>,
    pub(super) keep_cavities: bool,
}

/// The sides of a soup.
pub(super) struct Soup<'a> {
    mesh: &'a TriMesh,
    bvh: &'a Bvh,
    grid: Grid,
    /// Unsigned distances.
    distances: DenseNodes,
    labels: Vec<Label>,
    /// Holes narrower than this are closed.
    pub(super) gap: f64,
    /// The share of the mesh's area that has inside on one side or both; 0 where nothing is deeper than the offset. What has it on
    /// none bounds nothing: a sheet, or a part that leaks through a hole wider than the gap.
    pub(super) share: f64,
}

impl<'a> Soup<'a> {
    pub(super) fn new(
        mesh: &'a TriMesh,
        bvh: &'a Bvh,
        of_field: &Grid,
        options: SoupOptions,
        execution: &Execution<'_>,
    ) -> Result<Self, BuildError> {
        let size = mesh.bounds().extent().max_element();
        let grid = grid_around(of_field, options.gap.map_or(LARGEST_OFFSET * size, |gap| 0.5 * gap));
        memory::check(bytes_needed(&grid, options), execution)?;
        let vertices = LeafVertices::new(mesh, bvh);
        let simd = execution.simd.unwrap_or_else(SimdLevel::detect);
        let sampler = MeshSampler::new(bvh, &vertices, SignOracle::Unsigned, simd);
        let distances = nodes::dense(&sampler, &grid, 1, execution)?;
        let mut soup = Self { mesh, bvh, grid, distances, labels: Vec::new(), gap: 0.0, share: 0.0 };
        let least = LEAST_OFFSET * grid.cell;
        let offsets: Vec<f64> = match options.gap {
            // The smallest that does. Larger ones close wider holes, and lose what is narrower.
            None => doubled(least, LARGEST_OFFSET * size).collect(),
            // The largest that does: what is narrower than the gap would be lost.
            Some(gap) => doubled(least, 0.5 * gap).map(|offset| 0.5 * gap * least / offset).collect(),
        };
        for (k, &offset) in offsets.iter().enumerate() {
            let before = (std::mem::take(&mut soup.labels), soup.gap, soup.share);
            soup.find_regions(offset, options.keep_cavities);
            let has_depth = soup.labels.contains(&Label::Inside);
            soup.spread();
            soup.gap = 2.0 * offset;
            // Crevices where nothing is deeper than the offset do not make a solid, unless that is all there is.
            soup.share = if has_depth { soup.share_of_boundary() } else { 0.0 };
            if soup.share >= ENOUGH {
                break;
            }
            if k > 0 && before.2 >= soup.share {
                (soup.labels, soup.gap, soup.share) = before;
            }
        }
        Ok(soup)
    }

    /// The share of the mesh's area with inside on one side or both, from a sample of its triangles.
    pub(super) fn share_of_boundary(&self) -> f64 {
        let every = self.mesh.triangles().len().div_ceil(ASKED).max(1);
        let asked: Vec<(f64, bool)> = (0..self.mesh.triangles().len())
            .into_par_iter()
            .step_by(every)
            .map(|t| {
                let [a, b, c] = self.mesh.corners(t);
                let normal = (b - a).cross(c - a);
                let step = 1e-3 * self.grid.cell * normal.normalize_or_zero();
                let middle = (a + b + c) / 3.0;
                let is_inside = |p: DVec3| self.level(p) > 0.0;
                (normal.length(), is_inside(middle + step) || is_inside(middle - step))
            })
            .collect();
        let all: f64 = asked.iter().map(|(area, _)| area).sum();
        let bounding: f64 = asked.iter().filter(|(_, bounds)| *bounds).map(|(area, _)| area).sum();
        if all > 0.0 { bounding / all } else { 1.0 }
    }

    /// Whether anything is inside.
    pub(super) fn has_inside(&self) -> bool {
        self.labels.contains(&Label::Inside)
    }

    /// Points where inside and outside meet without a triangle between them.
    pub(super) fn seams(&self, cell: f64) -> Vec<DVec3> {
        let nodes = self.grid.nodes();
        (0..self.labels.len())
            .into_par_iter()
            .flat_map_iter(|k| {
                let node = self.node(k);
                (0..3).filter_map(move |axis| {
                    if node[axis] + 1 >= nodes[axis] {
                        return None;
                    }
                    let mut next = node;
                    next[axis] += 1;
                    let other = self.distances.index(next);
                    let is_apart = f64::from(self.distances.values[k] + self.distances.values[other])
                        > cell * (1.0 + 1e-6);
                    let (a, b) = (self.position(node), self.position(next));
                    (is_apart
                        && self.labels[k] != self.labels[other]
                        && !self.bvh.is_between(self.mesh, a, b))
                    .then(|| 0.5 * (a + b))
                })
            })
            .collect()
    }

    /// Whether a triangle has inside on both of its sides at a point of it, as far as the grid can see.
    pub(super) fn is_buried(&self, triangle: usize, place: DVec3) -> bool {
        let [a, b, c] = self.mesh.corners(triangle);
        let Some(normal) = (b - a).cross(c - a).try_normalize() else { return false };
        let step = 1e-3 * self.grid.cell;
        [step, -step].into_iter().all(|step| {
            let p = place + step * normal;
            !self.corners_seen(p).any(|(_, label)| label == Label::Outside)
        })
    }

    fn node(&self, index: usize) -> UVec3 {
        let [x, y, _] = self.grid.nodes().to_array().map(|n| n as usize);
        UVec3::new((index % x) as u32, (index / x % y) as u32, (index / (x * y)) as u32)
    }

    fn position(&self, node: UVec3) -> DVec3 {
        self.grid.node_position(node.as_ivec3())
    }

    /// Labels the nodes farther from the mesh than the offset.
    fn find_regions(&mut self, offset: f64, keep_cavities: bool) {
        let values = &self.distances.values;
        let is_free = |k: usize| f64::from(values[k]) > offset;
        let mut regions = vec![u32::MAX; values.len()];
        // Region 0 is the outside: all nodes of the border are free, for the grid leaves room.
        let mut count = self.flood(&mut regions, 0, 0, is_free);
        for k in 0..regions.len() {
            if regions[k] == u32::MAX && is_free(k) {
                count = self.flood(&mut regions, count, k, is_free);
            }
        }
        let depth = if keep_cavities { self.depths(&regions, count, is_free) } else { Vec::new() };
        self.labels = regions
            .into_iter()
            .map(|region| match region {
                u32::MAX => Label::Unknown,
                0 => Label::Outside,
                region if keep_cavities && depth[region as usize] % 2 == 0 => Label::Outside,
                _ => Label::Inside,
            })
            .collect();
    }

    /// Gives all free nodes that can be reached from one the same number; returns the next number.
    fn flood(&self, regions: &mut [u32], region: u32, from: usize, is_free: impl Fn(usize) -> bool) -> u32 {
        // In the order they are reached: the queue is then a front through the grid, where a stack could hold most of it.
        let mut queue = VecDeque::from([from]);
        regions[from] = region;
        while let Some(k) = queue.pop_front() {
            for next in self.neighbours(k) {
                if regions[next] == u32::MAX && is_free(next) {
                    regions[next] = region;
                    queue.push_back(next);
                }
            }
        }
        region + 1
    }

    /// How many walls lie between each region and the outside.
    fn depths(&self, regions: &[u32], count: u32, is_free: impl Fn(usize) -> bool) -> Vec<u32> {
        let mut walls = vec![u32::MAX; regions.len()];
        let mut wall_count = 0;
        for k in 0..regions.len() {
            if walls[k] == u32::MAX && !is_free(k) {
                wall_count = self.flood(&mut walls, wall_count, k, |k| !is_free(k));
            }
        }
        // Regions and walls that touch.
        let mut touching: Vec<(u32, u32)> = (0..regions.len())
            .into_par_iter()
            .filter(|&k| is_free_region(regions[k]))
            .flat_map_iter(|k| {
                let walls = &walls;
                self.neighbours(k)
                    .filter_map(move |next| (walls[next] != u32::MAX).then_some((regions[k], walls[next])))
            })
            .collect();
        touching.par_sort_unstable();
        touching.dedup();
        let mut walls_of = vec![Vec::new(); count as usize];
        let mut regions_of = vec![Vec::new(); wall_count as usize];
        for (region, wall) in touching {
            walls_of[region as usize].push(wall);
            regions_of[wall as usize].push(region);
        }
        let mut depth = vec![u32::MAX; count as usize];
        depth[0] = 0;
        let mut queue = VecDeque::from([0u32]);
        while let Some(region) = queue.pop_front() {
            for &wall in &walls_of[region as usize] {
                for &next in &regions_of[wall as usize] {
                    if depth[next as usize] == u32::MAX {
                        depth[next as usize] = depth[region as usize] + 1;
                        queue.push_back(next);
                    }
                }
            }
        }
        depth
    }

    /// Labels the nodes near the mesh by the nearest labelled one that can be reached without crossing a triangle.
    fn spread(&mut self) {
        let is_rim = |k: usize| {
            self.labels[k] != Label::Unknown && self.neighbours(k).any(|n| self.labels[n] == Label::Unknown)
        };
        let mut front: Vec<usize> = (0..self.labels.len()).into_par_iter().filter(|&k| is_rim(k)).collect();
        while !front.is_empty() {
            let mut reached: Vec<(usize, Label)> = front
                .par_iter()
                .flat_map_iter(|&k| {
                    let soup = &*self;
                    let here = soup.position(soup.node(k));
                    soup.neighbours(k).filter_map(move |next| {
                        let is_new = soup.labels[next] == Label::Unknown;
                        let there = soup.position(soup.node(next));
                        (is_new && !soup.bvh.is_between(soup.mesh, here, there))
                            .then_some((next, soup.labels[k]))
                    })
                })
                .collect();
            // Reached from both sides at once: it counts as outside, so the order does not matter.
            reached.par_sort_unstable_by_key(|&(k, label)| (k, label != Label::Outside));
            reached.dedup_by_key(|&mut (k, _)| k);
            for &(k, label) in &reached {
                self.labels[k] = label;
            }
            front = reached.into_iter().map(|(k, _)| k).collect();
        }
        for label in &mut self.labels {
            if *label == Label::Unknown {
                *label = Label::Inside;
            }
        }
    }

    fn neighbours(&self, k: usize) -> impl Iterator<Item = usize> + use<> {
        let [along_x, along_y, along_z] = self.grid.nodes().to_array().map(|n| n as usize);
        let (row, layer) = (along_x, along_x * along_y);
        let (x, y, z) = (k % row, k / row % along_y, k / layer);
        [
            (x > 0).then(|| k - 1),
            (x + 1 < along_x).then(|| k + 1),
            (y > 0).then(|| k - row),
            (y + 1 < along_y).then(|| k + row),
            (z > 0).then(|| k - layer),
            (z + 1 < along_z).then(|| k + layer),
        ]
        .into_iter()
        .flatten()
    }

    /// The corners of a point's cell that no triangle hides from it, with their weights in the cell and their labels.
    fn corners_seen(&self, p: DVec3) -> impl Iterator<Item = (f64, Label)> + '_ {
        let place = (p - self.grid.origin) / self.grid.cell;
        let cell = place.floor().clamp(DVec3::ZERO, (self.grid.cells - UVec3::ONE).as_dvec3());
        let within = (place - cell).clamp(DVec3::ZERO, DVec3::ONE);
        let cell = cell.as_ivec3();
        let corner = move |k: usize| cell + IVec3::new((k & 1) as i32, (k >> 1 & 1) as i32, (k >> 2) as i32);
        let index = move |k: usize| self.distances.index(corner(k).as_uvec3());
        // Farther than a cell's diagonal from every corner, the mesh is not in the cell.
        let is_empty = (0..8).all(|k| f64::from(self.distances.values[index(k)]) > 1.8 * self.grid.cell);
        (0..8).filter_map(move |k| {
            let weight = (0..3)
                .map(|axis| if k >> axis & 1 != 0 { within[axis] } else { 1.0 - within[axis] })
                .product::<f64>();
            let is_seen = is_empty || !self.bvh.is_between(self.mesh, p, self.grid.node_position(corner(k)));
            is_seen.then(|| (weight, self.labels[index(k)]))
        })
    }
}

fn is_free_region(region: u32) -> bool {
    region != u32::MAX
}

impl Side for Soup<'_> {
    fn level(&self, p: DVec3) -> f64 {
        let (mut sum, mut seen) = (0.0, 0.0);
        for (weight, label) in self.corners_seen(p) {
            sum += if label == Label::Inside { weight } else { -weight };
            seen += weight;
        }
        // A point that sees no corner is locked in by walls closer than a cell.
        if seen > 0.0 { sum } else { 1.0 }
    }
}

/// `least` and its doubles up to `most`.
fn doubled(least: f64, most: f64) -> impl Iterator<Item = f64> {
    std::iter::successors(Some(least), |offset| Some(2.0 * offset))
        .take_while(move |&offset| offset <= most.max(least))
}

/// Memory while signs are found on a grid, but for what grows with the surface only.
fn bytes_needed(grid: &Grid, options: SoupOptions) -> u64 {
    // A finished soup has a distance and a label for each node.
    let kept = 4 + 1;
    // On its way it has the regions, and the labels made from them beside those of the offset before.
    let passing = 4 + 1 + if options.keep_cavities { 4 } else { 0 };
    // Where holes are spanned, a second soup is made while the first one is kept.
    grid.node_count().saturating_mul(kept + kept + passing)
}

/// A grid that shares nodes with the field's, with room for the offset on all sides.
fn grid_around(of_field: &Grid, offset: f64) -> Grid {
    let step = of_field.cells.max_element().div_ceil(MOST_CELLS).max(1);
    let cell = of_field.cell * f64::from(step);
    let room = (offset.max(LEAST_OFFSET * cell) / cell).ceil() as u32 + 2;
    Grid {
        origin: of_field.origin - cell * f64::from(room),
        cell,
        cells: of_field.cells.map(|n| n.div_ceil(step) + 2 * room),
    }
}
