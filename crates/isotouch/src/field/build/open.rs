//! Fields of meshes that are not closed, or whose triangles do not agree on where the outside is.
//!
//! ```text
//! side (winding numbers, or what can be reached) ─► caps where it changes away from the mesh ─► mesh + caps ─► field
//!                                                        ▲                                              │
//!                                                        └──────── neighbours that contradict ◄─────────┘
//! ```

use std::sync::atomic::AtomicU64;

use glam::DVec3;
use rayon::prelude::*;

use super::caps::CapTracer;
use super::check::{self, Contradictions};
use super::distance_sampler::{CapCount, MeshSampler};
use super::in_front::Pieces;
use super::leaf_vertices::LeafVertices;
use super::side::{HalfWound, Side};
use super::sign::{Pseudonormals, SignOracle, Untangled};
use super::soup::{ENOUGH, Soup, SoupOptions};
use super::tangle::{Sides, crossed_triangles};
use super::{BuildError, BuildNote, fill as fill_nodes};
use crate::field::storage::Storage;
use crate::field::{Execution, FieldOptions, Grid, SignMethod};
use crate::mesh::{Bvh, TriMesh, WindingTree, fill};
use crate::simd::SimdLevel;

/// Rounds of closing what the check of neighbours finds open. Two are usual.
const ROUNDS: usize = 8;
/// A triangle with more than so much winding on both sides is inside the solid.
const BURIED: f64 = 0.75;
/// A triangle is boundary beyond doubt with less winding than this in front of it, this many cells from any rim.
const CLEAR: f64 = 0.25;
const RIM: f64 = 8.0;
/// Most triangles asked how well winding numbers serve a mesh.
const SAMPLE: usize = 4096;

/// The nodes of a field whose mesh is not closed, and what is to be said about it.
pub(super) struct Opened {
    pub(super) storage: Storage,
    pub(super) capped_nodes: u64,
    /// The triangles added to the mesh.
    pub(super) caps: Vec<[DVec3; 3]>,
    /// Whether neighbouring nodes agree everywhere.
    pub(super) is_certified: bool,
    /// Whether some triangles count as buried: where they were looked at, about a cell apart, or farther on long ones. A thin piece may
    /// stick out between.
    pub(super) hides_triangles: bool,
    pub(super) notes: Vec<BuildNote>,
}

/// What all methods need.
pub(super) struct OpenMesh<'a, 'm> {
    pub(super) mesh: &'a TriMesh,
    pub(super) normals: &'a Pseudonormals<'m>,
    pub(super) grid: &'a Grid,
    pub(super) options: &'a FieldOptions,
    pub(super) execution: &'a Execution<'a>,
}

impl OpenMesh<'_, '_> {
    /// By winding numbers: inside where the mesh winds around more than half. `rim` are the edges of its holes.
    pub(super) fn by_winding(&self, bvh: &Bvh, rim: Vec<[DVec3; 2]>) -> Result<Opened, BuildError> {
        let side = HalfWound(WindingTree::new(self.mesh, bvh));
        let adjacency = self.normals.adjacency();
        let crossed = crossed_triangles(self.mesh, bvh, adjacency, self.execution)?;
        let pieces = Pieces { mesh: self.mesh, adjacency, crossed: &crossed, rim: &rim };
        let in_front = pieces.in_front(&side.0, &[-CLEAR, CLEAR, BURIED]);
        let is_kept: Vec<bool> = in_front
            .par_iter()
            .enumerate()
            .map(|(t, &w)| {
                let is_exposed = |p: DVec3| side.0.amid_at(t, p) - 0.5 < BURIED;
                w < BURIED || samples(self.mesh.corners(t), self.grid.cell).any(is_exposed)
            })
            .collect();
        let sides = self.clear_sides(&pieces, &in_front);
        let seeds = rim.into_iter().map(|[a, b]| 0.5 * (a + b)).collect();
        self.capped(&side, Some(&sides), self.mesh, &is_kept, seeds)
    }

    /// Which triangles are boundary beyond doubt, so that next to them their normals decide: outside in front, inside
    /// behind, crossed by none, and away from every rim. There winding numbers hardly change within a cell: along a
    /// straight rim at distance R by no more than 1/2πR per length.
    fn clear_sides(&self, pieces: &Pieces<'_>, in_front: &[f64]) -> Vec<Sides> {
        let Some(rim) = Bvh::of_edges(pieces.rim) else { return vec![Sides::Crossed; in_front.len()] };
        (0..in_front.len())
            .into_par_iter()
            .map(|t| {
                let [a, b, c] = self.mesh.corners(t);
                let size = a.distance(b).max(b.distance(c)).max(c.distance(a));
                let is_whole = pieces.adjacency.across[t].iter().all(|&other| other as usize != t);
                let is_clear = is_whole
                    && !pieces.crossed[t]
                    && in_front[t].abs() < CLEAR
                    && rim.distance_within(a, size + RIM * self.grid.cell).is_none();
                if is_clear { Sides::Boundary } else { Sides::Crossed }
            })
            .collect()
    }

    /// By what can be reached from outside.
    pub(super) fn by_reach(&self, bvh: &Bvh) -> Result<Opened, BuildError> {
        let options = SoupOptions { gap: self.options.gap, keep_cavities: self.options.keep_cavities };
        let soup = Soup::new(self.mesh, bvh, self.grid, options, self.execution)?;
        // Holes too wide for any offset, as the ends of a tube are: those with a rim can be spanned. Or so wide that the
        // offset which closes them closes the tube halfway along as well.
        let is_doubtful = options.gap.is_none() && soup.is_widened() && soup.share < NEARLY_ALL;
        if (soup.share < ENOUGH || is_doubtful)
            && let Some(spanned) = self.spanned()?
        {
            let bvh = Bvh::new(&spanned);
            let closed = Soup::new(&spanned, &bvh, self.grid, options, self.execution)?;
            let is_better = closed.share > soup.share && (soup.share < ENOUGH || closed.gap < soup.gap);
            if closed.has_inside() && is_better {
                return self.by_soup(&closed, &spanned);
            }
        }
        // Walls between the outside and a cavity, and closed plates, may be too thin for any node: they enclose something all the same,
        // and a field finer than the grid of the signs may show it.
        if !soup.has_inside() && soup.share == 0.0 && soup.share_of_boundary() < ENOUGH {
            // Where one was asked for, none up to it did.
            return Err(BuildError::EnclosesNothing { gap: options.gap.unwrap_or(soup.gap) });
        }
        self.by_soup(&soup, self.mesh)
    }

    /// The mesh with its holes spanned, if it has any, and if they are not so large that it is an open sheet.
    fn spanned(&self) -> Result<Option<TriMesh>, BuildError> {
        let holes = fill::hole_triangles(self.mesh, self.execution.cancel).ok_or(BuildError::Cancelled)?;
        let area = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|v| self.mesh.vertices()[v as usize]);
            0.5 * (b - a).cross(c - a).length()
        };
        let span: f64 = holes.iter().map(area).sum();
        let is_sheet = span > LARGEST_SPAN * self.mesh.area();
        Ok(if holes.is_empty() || is_sheet { None } else { self.mesh.with_more(&[], &holes).ok() })
    }

    /// `mesh` is the mesh the soup was made from: ours, or ours with holes spanned by triangles behind our own.
    fn by_soup(&self, soup: &Soup<'_>, mesh: &TriMesh) -> Result<Opened, BuildError> {
        let is_kept: Vec<bool> = (0..mesh.triangles().len())
            .into_par_iter()
            .map(|t| {
                let is_exposed = |p: DVec3| !soup.is_buried(t, p);
                samples(mesh.corners(t), self.grid.cell).any(is_exposed)
            })
            .collect();
        let mut opened = self.capped(soup, None, mesh, &is_kept, soup.seams(self.grid.cell))?;
        match self.options.gap {
            // Told even if nothing was closed: somebody waits for a hole to be.
            Some(asked) if soup.gap < asked * (1.0 - 1e-9) => {
                opened.notes.push(BuildNote::GapNarrowed { asked, width: soup.gap });
            }
            _ if mesh.triangles().len() > self.mesh.triangles().len() => {
                opened.notes.push(BuildNote::HolesSpanned { width: soup.gap });
            }
            _ if opened.capped_nodes > 0 => opened.notes.push(BuildNote::GapsClosed { width: soup.gap }),
            _ => {}
        }
        let share = soup.share_of_boundary();
        if share < ENOUGH {
            opened.notes.push(BuildNote::MostBoundsNothing { share });
        }
        Ok(opened)
    }

    /// By the normals of an open surface. What contradicts itself beyond its rim is counted, not mended.
    pub(super) fn by_normals(&self, bvh: &Bvh) -> Result<Opened, BuildError> {
        let vertices = LeafVertices::new(self.mesh, bvh);
        let normals = self.normals.shared();
        let by_faces = self.options.sign == SignMethod::FaceNormal;
        let sampler =
            MeshSampler::new(bvh, &vertices, SignOracle::InFront { normals, by_faces }, self.simd());
        let storage = fill_nodes(&sampler, self.grid, self.options, self.execution)?;
        let contradicting = check::neighbours(&storage, self.grid, 1.0).err().map_or(0, |found| found.count);
        let notes =
            Vec::from_iter((contradicting > 0).then_some(BuildNote::NoCertificate { pairs: contradicting }));
        Ok(Opened {
            storage,
            capped_nodes: 0,
            caps: Vec::new(),
            is_certified: contradicting == 0,
            hides_triangles: false,
            notes,
        })
    }

    fn simd(&self) -> SimdLevel {
        self.execution.simd.unwrap_or_else(SimdLevel::detect)
    }

    /// The field of a mesh, ours or ours with more behind, and of the caps that `side` asks for. Next to triangles whose sides
    /// are given, which are ours, normals decide.
    fn capped<S: Side>(
        &self,
        side: &S,
        sides: Option<&[Sides]>,
        mesh: &TriMesh,
        is_kept: &[bool],
        seeds: Vec<DVec3>,
    ) -> Result<Opened, BuildError> {
        let kept = Bvh::of_some(mesh, |t| is_kept[t]);
        let mut tracer = CapTracer::new(side, &kept, self.grid, self.execution);
        tracer.follow(seeds.into_iter())?;
        let mut rounds = 0;
        loop {
            let caps = tracer.triangles();
            let closed = mesh
                .with_more(&caps.vertices, &caps.triangles_after(mesh))
                .map_err(|_| BuildError::CapsTooLarge)?;
            let bvh = Bvh::of_some(&closed, |t| is_kept.get(t).copied().unwrap_or(true));
            if bvh.triangle_count() == 0 {
                return Err(BuildError::EnclosesNothing { gap: 0.0 });
            }
            let vertices = LeafVertices::new(&closed, &bvh);
            let sign = match sides {
                Some(sides) => {
                    let normals = self.normals.shared();
                    SignOracle::Untangled(Untangled::leaky(normals, sides.to_vec(), side, self.grid.cell))
                }
                None => SignOracle::Side(side),
            };
            let mut sampler = MeshSampler::new(&bvh, &vertices, sign, self.simd());
            let (first, cells) = (self.mesh.triangles().len() as u32, self.grid.cells.as_ivec3());
            sampler.caps = Some(CapCount { first, cells, nodes: AtomicU64::new(0) });
            let storage = fill_nodes(&sampler, self.grid, self.options, self.execution)?;
            let Err(found) = check::neighbours(&storage, self.grid, 1.0) else {
                let capped_nodes = sampler.caps.map_or(0, |caps| caps.nodes.into_inner());
                let share = (closed.area() - self.mesh.area()) / self.mesh.area();
                let caps = (first as usize..closed.triangles().len()).map(|t| closed.corners(t)).collect();
                return Ok(Opened {
                    storage,
                    capped_nodes,
                    caps,
                    is_certified: true,
                    hides_triangles: is_kept.contains(&false),
                    notes: notes(capped_nodes, share, is_kept),
                });
            };
            rounds += 1;
            if rounds == ROUNDS || !tracer.follow(self.places(&found))? {
                return Err(found.into_error(
                    "the surface that closes the mesh could not be followed; use another sign method or resolution",
                ));
            }
        }
    }

    /// Points along the edges whose ends contradict each other, one for each cell of the grid.
    fn places(&self, found: &Contradictions) -> impl Iterator<Item = DVec3> {
        let grid = *self.grid;
        found.pairs.clone().into_iter().flat_map(move |pair| {
            let start = grid.node_position(pair.node.as_ivec3());
            let mut along = DVec3::ZERO;
            along[pair.axis] = grid.cell;
            (0..pair.step).map(move |k| start + (f64::from(k) + 0.5) * along)
        })
    }
}

/// With less of the mesh's area than this at the boundary, a gap wider than cells need may have closed more than holes. Nearer to 1,
/// and a few stray triangles make a second soup necessary; less, and a tube is filled halfway along, its ends cut off.
const NEARLY_ALL: f64 = 0.95;
/// Holes that were spanned may have this share of the mesh's area in all.
const LARGEST_SPAN: f64 = 0.25;
/// Most places along an edge of a triangle where its sides are looked at.
const MOST_PLACES: f64 = 64.0;

/// Points all over a triangle, about a cell apart; farther in one that is longer than 64.
fn samples(corners: [DVec3; 3], cell: f64) -> impl Iterator<Item = DVec3> {
    let [a, b, c] = corners;
    let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
    middles(corners, (longest / cell).ceil().clamp(1.0, MOST_PLACES) as u32)
}

/// Middles of the n² small triangles that cutting the edges of one into n parts makes.
pub(super) fn middles([a, b, c]: [DVec3; 3], n: u32) -> impl Iterator<Item = DVec3> {
    (0..n).flat_map(move |i| {
        (0..2 * (n - i) - 1).map(move |k| {
            let (j, is_upper) = (k / 2, k % 2 == 1);
            let third = if is_upper { 2.0 / 3.0 } else { 1.0 / 3.0 };
            let (u, v) = ((f64::from(i) + third) / f64::from(n), (f64::from(j) + third) / f64::from(n));
            a + u * (b - a) + v * (c - a)
        })
    })
}

fn notes(capped_nodes: u64, share: f64, is_kept: &[bool]) -> Vec<BuildNote> {
    let buried = is_kept.iter().filter(|kept| !**kept).count();
    let mut notes = Vec::new();
    if capped_nodes > 0 {
        notes.push(BuildNote::Capped { nodes: capped_nodes, share });
    }
    if buried > 0 {
        notes.push(BuildNote::Buried { triangles: buried });
    }
    notes
}

/// The share of the mesh's area along which the winding number is nearly whole on both sides, and the share along which it
/// passes from nothing to one.
pub(super) fn winding_serves(mesh: &TriMesh, bvh: &Bvh) -> (f64, f64) {
    let tree = WindingTree::new(mesh, bvh);
    let step = mesh.triangles().len().div_ceil(SAMPLE).max(1);
    let sampled: Vec<(f64, f64)> = (0..mesh.triangles().len())
        .into_par_iter()
        .step_by(step)
        .map(|t| {
            let [a, b, c] = mesh.corners(t);
            (0.5 * (b - a).cross(c - a).length(), tree.amid(t) - 0.5)
        })
        .collect();
    let all: f64 = sampled.iter().map(|(area, _)| area).sum();
    let share = |is_good: &dyn Fn(f64) -> bool| {
        let good: f64 = sampled.iter().filter(|(_, front)| is_good(*front)).map(|(area, _)| area).sum();
        if all > 0.0 { good / all } else { 0.0 }
    };
    (share(&|front| (front - front.round()).abs() < 0.25), share(&|front| front.abs() < 0.25))
}
