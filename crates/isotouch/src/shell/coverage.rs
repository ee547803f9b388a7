//! How far any point of a surface is from the points of a shell, certified.
//!
//! The search is that of Hausdorff distances (`mesh/compare/hausdorff.rs`), with points for targets, for which there is a sharper bound
//! (`shell/voronoi.rs`).

use std::sync::atomic::AtomicBool;

use glam::DVec3;

use super::PointShell;
use super::sphere_tree::SphereTree;
use super::surface::Surface;
use super::voronoi::most_between;
use crate::mesh::Bracket;
use crate::mesh::hausdorff::{self, Found, Limits, Nearest, Target};

/// Most pieces of triangles that are looked at for one level: less than a minute, and 2 GB.
const MOST_PIECES: u64 = 1 << 24;

/// Some points, to measure to.
pub(super) struct Points<'a> {
    pub(super) points: &'a [DVec3],
    pub(super) tree: &'a SphereTree,
}

impl Target for Points<'_> {
    fn nearest(&self, p: DVec3) -> Nearest {
        let found = self.tree.nearest(p).map(|(part, distance)| Nearest { distance, part });
        // There is a point, and coordinates are small enough that squares do not overflow.
        found.unwrap_or(Nearest { distance: f64::INFINITY, part: 0 })
    }

    fn nearest_from(&self, p: DVec3, candidates: [u32; 2]) -> Nearest {
        let [a, b] = candidates.map(|part| Nearest { distance: self.to_part(p, part), part });
        let known = if b.distance < a.distance { b } else { a };
        match self.tree.nearest_where(p, known.distance, |_| true) {
            Some(closer) => Nearest { distance: closer.distance, part: closer.index },
            None => known,
        }
    }

    fn to_part(&self, p: DVec3, point: u32) -> f64 {
        p.distance(self.points[point as usize])
    }

    fn most_on(&self, corners: [DVec3; 3], nearest: [Nearest; 3]) -> (f64, Option<DVec3>) {
        let sites = nearest.map(|near| self.points[near.part as usize]);
        let to_one = hausdorff::most_to_one_part(self, corners, nearest);
        let (upper, place) = most_between(corners, sites);
        if upper < to_one { (upper, Some(place)) } else { (to_one, None) }
    }
}

/// The largest distance from any point of the surface to the nearest of the points; `None` when cancelled.
pub(super) fn coverage(
    surface: &Surface,
    points: &Points<'_>,
    relative: f64,
    cancel: &AtomicBool,
) -> Option<Bracket> {
    // As in comparisons: a few 2⁻⁵³ of the coordinates, many times over. Below it nothing can be told.
    let rounding = 1e-14 * surface.reach;
    let limits = Limits { tolerance: 4.0 * rounding, relative, rounding, most_pieces: MOST_PIECES, cancel };
    let first = surface.mesh.corners(0)[0];
    let known = Found { point: first, distance: points.nearest(first).distance };
    hausdorff::bracket(&surface.mesh, points, &limits, known).map(|(bracket, _)| bracket)
}

/// A shell that something could slip through.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "gaps between the points are up to {gap} wide, and something only {feature} thick can pass through them unnoticed; a spacing of at most \
     {spacing} would tell"
)]
pub struct TooCoarse {
    /// Width of the widest gap: twice the coverage.
    pub gap: f64,
    /// Thickness of what could slip through.
    pub feature: f64,
    /// A spacing that would do.
    pub spacing: f64,
}

impl PointShell {
    /// Whether points alone notice something as thin as `feature`, the thinnest feature of the part that the shell is to touch. A
    /// pin of that diameter finds a way between the points where the surface has a place farther from all of them than half of it.
    pub fn check_against(&self, feature: f64) -> Result<(), TooCoarse> {
        let gap = 2.0 * self.coverage();
        // Written so that NaN is too thin.
        if gap <= feature { Ok(()) } else { Err(TooCoarse { gap, feature, spacing: 0.49 * feature }) }
    }
}
