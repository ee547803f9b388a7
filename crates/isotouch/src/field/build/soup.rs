//! Inside and outside of a polygon soup: whatever cannot be reached from far away is inside.
//!
//! Orientation, duplicates and inner walls do not matter. On a grid of its own (the field's, or a coarser one that shares
//! its nodes):
//!
//! 1. Outside is what the border reaches. Near where the surface ends, only over nodes farther than σ from the mesh: holes narrower
//!    than 2σ are too narrow to pass, so they are closed. Elsewhere nothing is missing, and every way is open that
//!    no triangle bars, crevices included. When a gap is asked for, σ holds everywhere.
//! 2. What is farther than σ from the mesh and not outside is inside; with cavities kept, it counts how many skins lie between it
//!    and the outside, and behind every second one is a cavity (`cavities.rs`). Then so do pockets nearer to the mesh.
//! 3. All other nodes belong to the nearest of those, over paths within cells that no triangle crosses: first over those that
//!    no triangle comes near, for others may lead through a tear. Nodes that none of them reaches are locked in: inside.
//!
//! After Xu & Barbič 2014, "Signed distance fields for polygon soup meshes"; but only signs come from the offset, distances
//! stay those to the mesh.

use glam::{DVec3, UVec3};
use rayon::prelude::*;

use super::lattice::{Lattice, Openings};
use super::reach::{self, Label, Regions};
use super::side::Side;
use super::{BuildError, memory};
use crate::field::{Execution, Grid};
use crate::mesh::bvh::Passage;
use crate::mesh::{Bvh, TriMesh};

/// Most cells along a side of the grid that signs are found on.
const MOST_CELLS: u32 = 256;
/// Least offset chosen, in cells: gaps that cells can just show are closed.
const LEAST_OFFSET: f64 = 0.9;
/// Largest offset tried when none is given, as a share of the mesh's size.
const LARGEST_OFFSET: f64 = 0.04;
/// With so much of the mesh's area at the boundary of what is inside, the solid is found.
pub(super) const ENOUGH: f64 = 0.5;
/// How far from a triangle its sides are asked about, in cells: well above rounding, and nearer than what else may be there.
const STEP: f64 = 1e-3;
/// A point nearer to a node than this, in cells, is that node, but for rounding.
const AT_NODE: f64 = 1e-6;
/// Most triangles asked about that.
const ASKED: usize = 4096;

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
    lattice: Lattice<'a>,
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
        execution: &'a Execution<'a>,
    ) -> Result<Self, BuildError> {
        let size = mesh.bounds().extent().max_element();
        let grid = grid_around(of_field, options.gap.map_or(LARGEST_OFFSET * size, |gap| 0.5 * gap));
        memory::check(bytes_needed(&grid), execution)?;
        let lattice = Lattice::new(mesh, bvh, grid, execution)?;
        let skins = options.keep_cavities.then(|| lattice.skins(execution.cancel)).transpose()?;
        let mut soup = Self { mesh, bvh, lattice, labels: Vec::new(), gap: 0.0, share: 0.0 };
        // Who asks for a gap wants all that is narrower closed, such as the slots of a housing.
        let openings = if options.gap.is_some() { Openings::Anywhere } else { Openings::of(mesh) };
        let least = LEAST_OFFSET * grid.cell;
        let offsets: Vec<f64> = match options.gap {
            // The smallest that does. Larger ones close wider holes, and lose what is narrower.
            None => doubled(least, LARGEST_OFFSET * size).collect(),
            // The largest that does: what is narrower than the gap would be lost.
            Some(gap) => doubled(least, 0.5 * gap).map(|offset| 0.5 * gap * least / offset).collect(),
        };
        for (k, &offset) in offsets.iter().enumerate() {
            let before = (std::mem::take(&mut soup.labels), soup.gap, soup.share);
            soup.lattice.mark_openings(&openings, offset)?;
            let Regions { labels, has_depth } = reach::find_regions(&soup.lattice, offset, skins.as_ref())?;
            soup.labels = labels;
            reach::spread(&soup.lattice, &mut soup.labels)?;
            soup.gap = 2.0 * offset;
            // Crevices where nothing is deeper than the offset do not make a solid, unless that is all there is.
            soup.share = if has_depth { soup.share_of_boundary() } else { 0.0 };
            if soup.share >= ENOUGH {
                break;
            }
            // Where none does, the narrowest: it loses least.
            let is_no_better = before.2 > soup.share
                || before.2 == soup.share && (options.gap.is_none() || soup.share > 0.0);
            if k > 0 && is_no_better {
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
                let step = STEP * self.lattice.grid.cell * normal.normalize_or_zero();
                let middle = (a + b + c) / 3.0;
                let is_inside = |p: DVec3| self.level(p) > 0.0;
                (normal.length(), is_inside(middle + step) || is_inside(middle - step))
            })
            .collect();
        let all: f64 = asked.iter().map(|(area, _)| area).sum();
        let bounding: f64 = asked.iter().filter(|(_, bounds)| *bounds).map(|(area, _)| area).sum();
        if all > 0.0 { bounding / all } else { 1.0 }
    }

    /// Whether any node is inside. Those on the mesh do not count: what nothing reaches is labelled as inside, and so are nodes
    /// on an open sheet.
    pub(super) fn has_inside(&self) -> bool {
        let mut inside = (0..self.labels.len()).filter(|&k| self.labels[k] == Label::Inside);
        inside.any(|k| !self.lattice.is_on_mesh(k))
    }

    /// Whether holes were closed that are wider than cells make necessary.
    pub(super) fn is_widened(&self) -> bool {
        self.gap > 2.0 * LEAST_OFFSET * self.lattice.grid.cell * (1.0 + 1e-9)
    }

    /// Points where inside and outside meet without a triangle between them.
    pub(super) fn seams(&self, cell: f64) -> Vec<DVec3> {
        let lattice = &self.lattice;
        (0..self.labels.len())
            .into_par_iter()
            .flat_map_iter(|k| {
                (0..3).filter_map(move |axis| {
                    let (next, passage) = lattice.next(k, axis)?;
                    // Less by the rounding of distances, for a tear may leave hardly more room than a wall would. Caps are
                    // looked for from here, by better distances, so that one place too many does no harm.
                    let is_apart = lattice.distance(k) + lattice.distance(next) > cell * (1.0 - 1e-6);
                    let is_open = self.labels[k] != self.labels[next] && passage != Passage::Walled;
                    let ends = [k, next].map(|k| lattice.position(lattice.node(k)));
                    (is_apart && is_open).then(|| 0.5 * (ends[0] + ends[1]))
                })
            })
            .collect()
    }

    /// Whether a triangle has inside on both of its sides at a point of it, as far as the grid can see.
    pub(super) fn is_buried(&self, triangle: usize, place: DVec3) -> bool {
        let [a, b, c] = self.mesh.corners(triangle);
        let Some(normal) = (b - a).cross(c - a).try_normalize() else { return false };
        let step = STEP * self.lattice.grid.cell;
        [step, -step].into_iter().all(|step| {
            let p = place + step * normal;
            !self.corners_seen(p).any(|(_, label)| label == Label::Outside)
        })
    }

    /// The corners of a point's cell that no triangle hides from it, with their weights in the cell and their labels.
    /// Those on the mesh tell nothing: whatever their labels say, they are seen from both sides.
    fn corners_seen(&self, p: DVec3) -> impl Iterator<Item = (f64, Label)> + '_ {
        let grid = &self.lattice.grid;
        let place = (p - grid.origin) / grid.cell;
        let cell = place.floor().clamp(DVec3::ZERO, (grid.cells - UVec3::ONE).as_dvec3());
        let within = (place - cell).clamp(DVec3::ZERO, DVec3::ONE);
        let cell = cell.as_uvec3();
        let corner = move |k: u32| cell + UVec3::new(k & 1, k >> 1 & 1, k >> 2);
        // Farther than a cell's diagonal from every corner, the mesh is not in the cell.
        let is_empty = (0..8).all(|k| self.lattice.distance(self.lattice.index(corner(k))) > 1.8 * grid.cell);
        (0..8).filter_map(move |k| {
            let index = self.lattice.index(corner(k));
            let weight = (0..3)
                .map(|axis| if k >> axis & 1 != 0 { within[axis] } else { 1.0 - within[axis] })
                .product::<f64>();
            let is_seen = is_empty
                || !self.lattice.is_on_mesh(index)
                    && !self.bvh.is_between(self.mesh, p, self.lattice.position(corner(k)));
            is_seen.then(|| (weight, self.labels[index]))
        })
    }

    /// The label of the node that a point is, if it is one.
    fn label_at(&self, p: DVec3) -> Option<Label> {
        let grid = &self.lattice.grid;
        let place = (p - grid.origin) / grid.cell;
        let node = place.round().clamp(DVec3::ZERO, grid.cells.as_dvec3());
        let is_node = (place - node).abs().max_element() < AT_NODE;
        is_node.then(|| self.labels[self.lattice.index(node.as_uvec3())])
    }
}

impl Side for Soup<'_> {
    fn level(&self, p: DVec3) -> f64 {
        if let Some(label) = self.label_at(p) {
            return if label == Label::Inside { 1.0 } else { -1.0 };
        }
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
fn bytes_needed(grid: &Grid) -> u64 {
    // A finished soup has a distance, a mark and a label for each node.
    let kept = 4 + 1 + 1;
    // On its way it has the regions, and the labels made from them beside those of the offset before.
    let passing = 4 + 1;
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
