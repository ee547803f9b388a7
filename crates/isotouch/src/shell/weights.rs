//! Which share of the surface's area belongs to which point.

use glam::DVec3;
use rayon::prelude::*;

use super::ShellError;
use super::sphere_tree::SphereTree;
use super::surface::Surface;
use super::voronoi::share_of_one;
use crate::field::{Execution, Stage};

/// Triangles that one thread takes at a time. What they give is added in order, so threads do not change sums.
const BLOCK: usize = 1024;

/// A third of each triangle to each of its corners. `of_vertex` has the point that stands for a vertex.
pub(super) fn of_vertices(surface: &Surface, of_vertex: &[u32], count: usize) -> Vec<f64> {
    let mut weights = vec![0.0; count];
    for (t, corners) in surface.mesh.triangles().iter().enumerate() {
        let third = area(surface.mesh.corners(t)) / 3.0;
        for &v in corners {
            weights[of_vertex[v as usize] as usize] += third;
        }
    }
    weights
}

/// Pieces longer than this, in lengths of the finest, are shared out by more than one thread: large triangles have many points.
const WORTH_A_THREAD: f64 = 64.0;

/// Where pieces of triangles meet three cells they may be this much shorter than where they meet two.
const FINER: f64 = 0.25;

/// Points, and what is needed to tell which of them a place belongs to.
pub(super) struct Cells<'a> {
    pub(super) points: &'a [DVec3],
    pub(super) normals: &'a [DVec3],
    pub(super) tree: &'a SphereTree,
    /// Sides shorter than this are cut by planes, not by halves.
    pub(super) finest: f64,
}

/// The area of the places that each point is nearest to, among those that face the same side.
///
/// Such places make convex cells, so a piece of a triangle whose corners share their nearest point belongs to it as a whole. Others
/// are halved until their sides are shorter than `finest`; then the plane halfway between two points cuts them. Where three meet, pieces are halved
/// further, until a third for each is as good.
pub(super) fn of_nearest(
    surface: &Surface,
    cells: &Cells<'_>,
    execution: &Execution<'_>,
) -> Result<Vec<f64>, ShellError> {
    let mut weights = vec![0.0; cells.points.len()];
    let triangles = surface.mesh.triangles().len();
    let starts: Vec<usize> = (0..triangles).step_by(BLOCK).collect();
    let stage = Stage::new(execution, "areas", starts.len());
    // Some blocks at a time: all shares of a large mesh would take more memory than the shell.
    for starts in starts.chunks(64) {
        let shares: Vec<Vec<(u32, f64)>> = starts
            .par_iter()
            .map(|&start| {
                let mut shares = Vec::new();
                for t in start..triangles.min(start + BLOCK) {
                    let side = Side { surface, cells, stage: &stage, normal: surface.normals[t] };
                    let corners = surface.mesh.corners(t);
                    side.share(corners, corners.map(|p| side.nearest(p)), &mut shares);
                }
                stage.check()?;
                stage.advance();
                Ok(shares)
            })
            .collect::<Result<_, ShellError>>()?;
        for (point, area) in shares.into_iter().flatten() {
            weights[point as usize] += area;
        }
    }
    Ok(weights)
}

/// The side that a triangle faces.
struct Side<'a> {
    surface: &'a Surface,
    cells: &'a Cells<'a>,
    stage: &'a Stage<'a>,
    normal: DVec3,
}

impl Side<'_> {
    fn counts(&self, point: u32) -> bool {
        self.surface.face_alike(self.cells.normals[point as usize], self.normal)
    }

    /// The nearest point that faces this side, or if none does the nearest.
    fn nearest(&self, p: DVec3) -> u32 {
        let found = self.cells.tree.nearest_where(p, f64::INFINITY, |point| self.counts(point));
        match found {
            Some(found) => found.index,
            None => self.cells.tree.nearest(p).map_or(0, |(point, _)| point),
        }
    }

    /// The same, where one of two points is likely to be it.
    fn nearest_from(&self, p: DVec3, likely: [u32; 2]) -> u32 {
        let [a, b] = likely.map(|point| p.distance(self.cells.points[point as usize]));
        let (known, within) = if b < a { (likely[1], b) } else { (likely[0], a) };
        if !self.counts(known) {
            return self.nearest(p);
        }
        let found = self.cells.tree.nearest_where(p, within, |point| self.counts(point));
        found.map_or(known, |found| found.index)
    }

    /// Shares a piece out whose corners have these nearest points; not all of it when cancelled, for one triangle may have all points there are.
    fn share(&self, corners: [DVec3; 3], nearest: [u32; 3], shares: &mut Vec<(u32, f64)>) {
        let [a, b, c] = nearest;
        if a == b && b == c {
            shares.push((a, area(corners)));
            return;
        }
        let lengths = [0, 1, 2].map(|k| corners[k].distance(corners[(k + 1) % 3]));
        let longest = DVec3::from_array(lengths).max_position();
        let odd_one = [(b, c), (c, a), (a, b)].iter().position(|(one, other)| one == other);
        let finest = if odd_one.is_some() { self.cells.finest } else { FINER * self.cells.finest };
        // Written so that lengths that are not numbers end it, too.
        let is_long = lengths[longest] > finest;
        if !is_long {
            self.cut(corners, nearest, odd_one, shares);
            return;
        }
        let (i, j, k) = (longest, (longest + 1) % 3, (longest + 2) % 3);
        let half = 0.5 * (corners[i] + corners[j]);
        let near_half = self.nearest_from(half, [nearest[i], nearest[j]]);
        let first = ([corners[i], half, corners[k]], [nearest[i], near_half, nearest[k]]);
        let second = ([half, corners[j], corners[k]], [near_half, nearest[j], nearest[k]]);
        if lengths[longest] > WORTH_A_THREAD * finest {
            if self.stage.is_cancelled() {
                return;
            }
            let mut more = Vec::new();
            rayon::join(
                || self.share(first.0, first.1, shares),
                || self.share(second.0, second.1, &mut more),
            );
            shares.append(&mut more);
        } else {
            self.share(first.0, first.1, shares);
            self.share(second.0, second.1, shares);
        }
    }

    /// Shares a small piece out, of which one corner at most has a nearest point of its own; or each has.
    fn cut(
        &self,
        corners: [DVec3; 3],
        nearest: [u32; 3],
        odd_one: Option<usize>,
        shares: &mut Vec<(u32, f64)>,
    ) {
        let whole = area(corners);
        let Some(odd_one) = odd_one else {
            shares.extend(nearest.map(|point| (point, whole / 3.0)));
            return;
        };
        let turned = [odd_one, (odd_one + 1) % 3, (odd_one + 2) % 3];
        let [one, other, _] = turned.map(|k| nearest[k]);
        let at = |point: u32| self.cells.points[point as usize];
        let part = whole * share_of_one(turned.map(|k| corners[k]), at(one), at(other));
        shares.extend([(one, part), (other, whole - part)]);
    }
}

fn area([a, b, c]: [DVec3; 3]) -> f64 {
    0.5 * (b - a).cross(c - a).length()
}
