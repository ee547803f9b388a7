//! The largest distance of any point of a surface to a target (another surface, or points), between certain bounds, by branch and
//! bound.
//!
//! Below: the distance of any point that was looked at, less what rounding may have added. Above: the distance to *one* convex part t
//! of the target (a triangle, a point) is a convex function, so on a piece of a triangle it is largest at one of the corners pⱼ;
//! and the distance to the whole target is no larger than that to t. So on a piece with corners p₀ p₁ p₂, with tᵢ the part nearest to pᵢ,
//!
//! ```text
//! max d  ≤  min over i of  max over j of  d(pⱼ, tᵢ)
//! ```
//!
//! which is exact where one part is nearest to all three, and never worse than what the distance's Lipschitz bound
//! gives. The piece with the largest bound is cut into four at the middles of its sides, or a long thin one into two across its
//! longest, until no bound is more than the tolerance above the largest distance found. Pieces are cut in rounds of fixed size,
//! so threads do not change the answer.
//! (Guthe, Borodin & Klein 2005 and Tang, Lee & Kim 2009 cut in the same way, with other bounds.)

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::atomic::{self, AtomicBool};

use glam::DVec3;
use rayon::prelude::*;

use super::Bracket;
use crate::mesh::TriMesh;

/// What distances are measured to: convex parts, with numbers.
pub(crate) trait Target: Sync {
    /// The distance of `p`.
    fn nearest(&self, p: DVec3) -> Nearest;

    /// The distance of `p`. One of `candidates` is likely to be the nearest part, or almost.
    fn nearest_from(&self, p: DVec3, candidates: [u32; 2]) -> Nearest;

    /// The distance of `p` to one part.
    fn to_part(&self, p: DVec3, part: u32) -> f64;

    /// What no place of a piece is farther than, and a place that may be that far if one is known.
    fn most_on(&self, corners: [DVec3; 3], nearest: [Nearest; 3]) -> (f64, Option<DVec3>) {
        (most_to_one_part(self, corners, nearest), None)
    }
}

/// The distance of a point, and the part it is to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nearest {
    pub(crate) distance: f64,
    pub(crate) part: u32,
}

/// A point and its distance.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    pub(crate) point: DVec3,
    pub(crate) distance: f64,
}

impl Found {
    /// The farther of two; the first one if they tie, so that the order decides and not the threads.
    pub(crate) fn farther(self, other: Self) -> Self {
        if other.distance > self.distance { other } else { self }
    }
}

/// When a bracket is good enough, or has to do.
#[derive(Clone, Copy)]
pub(crate) struct Limits<'a> {
    /// How wide it may be, and as a fraction of its lower end; the wider of the two counts.
    pub(crate) tolerance: f64,
    pub(crate) relative: f64,
    /// What positions and distances may be rounded by.
    pub(crate) rounding: f64,
    /// Pieces of triangles that are looked at before it is given as it is.
    pub(crate) most_pieces: u64,
    pub(crate) cancel: &'a AtomicBool,
}

/// Pieces cut at a time: enough to keep threads busy, few enough that the next round profits from what this one found.
const ROUND: usize = 4096;

/// A piece of a triangle, and what is known of distances on it.
#[derive(Debug, Clone, Copy)]
struct Piece {
    corners: [DVec3; 3],
    nearest: [Nearest; 3],
    /// No point of it is farther away.
    upper: f64,
}

/// In the heap by their bound; those that tie by age, which makes the order the same in every run. Millions wait where surfaces run side by
/// side, and a heap moves what is in it about: so the piece itself stays where it is.
struct Queued {
    upper: f64,
    number: u64,
    piece: Box<Piece>,
}

impl Ord for Queued {
    fn cmp(&self, other: &Self) -> Ordering {
        self.upper.total_cmp(&other.upper).then(other.number.cmp(&self.number))
    }
}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Queued {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Queued {}

/// The bracket around the largest distance of any point of `from`, and where it was found; `None` when cancelled. `known` is any
/// point of the surface.
pub(crate) fn bracket<T: Target>(
    from: &TriMesh,
    to: &T,
    limits: &Limits<'_>,
    known: Found,
) -> Option<(Bracket, DVec3)> {
    let mut search =
        Search { from, to, limits, farthest: known, settled: 0.0, open: BinaryHeap::new(), looked_at: 0 };
    search.begin()?;
    while search.looked_at < limits.most_pieces && search.round()? {}
    Some(search.finish())
}

struct Search<'a, T> {
    from: &'a TriMesh,
    to: &'a T,
    limits: &'a Limits<'a>,
    farthest: Found,
    /// The largest bound of all pieces that need not be cut.
    settled: f64,
    open: BinaryHeap<Queued>,
    looked_at: u64,
}

impl<T: Target> Search<'_, T> {
    /// Looks at all corners of the surface, then at all triangles.
    fn begin(&mut self) -> Option<()> {
        let (to, limits, mesh) = (self.to, self.limits, self.from);
        let mut is_used = vec![false; mesh.vertices().len()];
        mesh.triangles().iter().flatten().for_each(|&v| is_used[v as usize] = true);
        let nowhere = Nearest { distance: f64::NEG_INFINITY, part: 0 };
        let nearest: Vec<Nearest> = mesh
            .vertices()
            .par_iter()
            .zip(&is_used)
            .map(|(&v, &used)| {
                limits.check_cancel()?;
                Some(if used { to.nearest(v) } else { nowhere })
            })
            .collect::<Option<_>>()?;
        for (&point, nearest) in mesh.vertices().iter().zip(&nearest) {
            self.farthest = self.farthest.farther(Found { point, distance: nearest.distance });
        }
        for block in mesh.triangles().chunks(ROUND) {
            limits.check_cancel()?;
            let lower = self.lower();
            let looks: Vec<Look> = block
                .par_iter()
                .map(|corners| {
                    let at = corners.map(|v| mesh.vertices()[v as usize]);
                    look_at((to, lower), at, corners.map(|v| nearest[v as usize]))
                })
                .collect();
            self.add(&looks);
        }
        Some(())
    }

    /// Cuts the pieces with the largest bounds; false when none needs it.
    fn round(&mut self) -> Option<bool> {
        self.limits.check_cancel()?;
        let mut cut = Vec::with_capacity(ROUND);
        while cut.len() < ROUND
            && let Some(Queued { piece, .. }) = self.open.pop()
        {
            if self.is_settled(&piece) {
                // All that is left in the heap has a smaller bound.
                self.settled = self.settled.max(piece.upper);
                self.open.clear();
            } else {
                cut.push(*piece);
            }
        }
        if cut.is_empty() {
            return Some(false);
        }
        let (to, lower) = (self.to, self.lower());
        let parts: Vec<Vec<Look>> = cut.par_iter().map(|piece| parts_of((to, lower), piece)).collect();
        let looks = parts.concat();
        for point in looks.iter().flat_map(|look| look.piece.corners.into_iter().zip(look.piece.nearest)) {
            self.farthest = self.farthest.farther(Found { point: point.0, distance: point.1.distance });
        }
        self.add(&looks);
        Some(true)
    }

    fn add(&mut self, looks: &[Look]) {
        // First what was seen, for it may settle pieces.
        self.farthest = looks.iter().filter_map(|look| look.seen).fold(self.farthest, Found::farther);
        for &Look { piece, .. } in looks {
            self.looked_at += 1;
            if self.is_settled(&piece) {
                self.settled = self.settled.max(piece.upper);
            } else {
                let queued = Queued { upper: piece.upper, number: self.looked_at, piece: Box::new(piece) };
                self.open.push(queued);
            }
        }
    }

    fn is_settled(&self, piece: &Piece) -> bool {
        let tolerance = self.limits.tolerance.max(self.limits.relative * self.lower());
        piece.upper + self.limits.rounding <= self.lower() + tolerance
    }

    /// Some point is certainly this far: rounding may have moved the farthest one off its triangle, and its distance.
    fn lower(&self) -> f64 {
        (self.farthest.distance - self.limits.rounding).max(0.0)
    }

    fn finish(self) -> (Bracket, DVec3) {
        let open = self.open.peek().map_or(0.0, |queued| queued.upper);
        // Rounding may have moved pieces and distances.
        let upper = self.farthest.distance.max(self.settled).max(open) + self.limits.rounding;
        (Bracket { lower: self.lower(), upper }, self.farthest.point)
    }
}

impl Limits<'_> {
    /// `None` when told to stop.
    fn check_cancel(&self) -> Option<()> {
        (!self.cancel.load(atomic::Ordering::Relaxed)).then_some(())
    }
}

/// A piece, and a point of it that was found to be far away.
#[derive(Debug, Clone, Copy)]
struct Look {
    piece: Piece,
    seen: Option<Found>,
}

/// Looks at a piece. A place that may be far is only looked at if that could raise what is known, `lower`.
fn look_at<T: Target>((to, lower): (&T, f64), corners: [DVec3; 3], nearest: [Nearest; 3]) -> Look {
    let (upper, place) = to.most_on(corners, nearest);
    let seen = place.filter(|_| upper > lower).map(|point| {
        let distance = to.nearest_from(point, [nearest[0].part, nearest[1].part]).distance;
        Found { point, distance }
    });
    Look { piece: Piece { corners, nearest, upper }, seen }
}

/// min over i of max over j of d(pⱼ, tᵢ)
pub(crate) fn most_to_one_part<T: Target + ?Sized>(
    to: &T,
    corners: [DVec3; 3],
    nearest: [Nearest; 3],
) -> f64 {
    let mut upper = f64::INFINITY;
    for (i, near) in nearest.iter().enumerate() {
        // A part that is nearest to two corners need not be tried twice.
        if nearest[..i].iter().any(|earlier| earlier.part == near.part) {
            continue;
        }
        let mut largest = near.distance;
        for (j, other) in nearest.iter().enumerate() {
            let distance =
                if other.part == near.part { other.distance } else { to.to_part(corners[j], near.part) };
            largest = largest.max(distance);
        }
        upper = upper.min(largest);
    }
    upper
}

/// A side that is this much longer than another makes a piece a long thin one: cut into four it would stay as thin, and a needle would
/// take pieces with the square of its length.
const THIN: f64 = 2.5;

/// The four similar parts of a piece, or the two halves of a long thin one.
fn parts_of<T: Target>((to, lower): (&T, f64), whole: &Piece) -> Vec<Look> {
    let middle = |i: usize, j: usize| {
        let point = 0.5 * (whole.corners[i] + whole.corners[j]);
        (point, to.nearest_from(point, [whole.nearest[i].part, whole.nearest[j].part]))
    };
    let part = |corners: [(DVec3, Nearest); 3]| {
        let mut part = look_at((to, lower), corners.map(|c| c.0), corners.map(|c| c.1));
        // What held for the whole holds for its parts.
        part.piece.upper = part.piece.upper.min(whole.upper);
        part
    };
    let corner = |k: usize| (whole.corners[k], whole.nearest[k]);
    let length = |k: usize| whole.corners[k].distance(whole.corners[(k + 1) % 3]);
    let lengths = [length(0), length(1), length(2)];
    let longest = DVec3::from_array(lengths).max_position();
    let shortest = lengths[0].min(lengths[1]).min(lengths[2]);
    if lengths[longest] > THIN * shortest {
        let (i, j, k) = (longest, (longest + 1) % 3, (longest + 2) % 3);
        let half = middle(i, j);
        return vec![part([corner(i), half, corner(k)]), part([half, corner(j), corner(k)])];
    }
    let (ab, bc, ca) = (middle(0, 1), middle(1, 2), middle(2, 0));
    let [a, b, c] = [corner(0), corner(1), corner(2)];
    vec![part([a, ab, ca]), part([b, bc, ab]), part([c, ca, bc]), part([ab, bc, ca])]
}
