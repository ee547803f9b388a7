//! The largest distance of any point of one surface to another, between certain bounds, by branch and bound.
//!
//! Below: the distance of any point that was looked at. Above: the distance to *one* triangle t of the other surface is a
//! convex function, so on a piece of a triangle it is largest at one of the corners pⱼ; and the distance to the whole
//! surface is no larger than that to t. So on a piece with corners p₀ p₁ p₂, with tᵢ the triangle nearest to pᵢ,
//!
//! ```text
//! max d  ≤  min over i of  max over j of  d(pⱼ, tᵢ)
//! ```
//!
//! which is exact where one triangle is nearest to all three, and never worse than what the distance's Lipschitz bound
//! gives. The piece with the largest bound is cut into four at the middles of its sides, until no bound is more than the
//! tolerance above the largest distance found. Pieces are cut in rounds of fixed size, so threads do not change the answer.
//! (Guthe, Borodin & Klein 2005 and Tang, Lee & Kim 2009 cut in the same way, with other bounds.)

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;
use rayon::prelude::*;

use super::target::Nearest;
use super::{Bracket, CompareError, Found, Run};

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

/// In the heap by their bound; those that tie by age, which makes the order the same in every run.
struct Queued {
    piece: Piece,
    number: u64,
}

impl Ord for Queued {
    fn cmp(&self, other: &Self) -> Ordering {
        self.piece.upper.total_cmp(&other.piece.upper).then(other.number.cmp(&self.number))
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

/// The bracket around the largest distance, and where it was found. `known` is any point of the surface.
pub(super) fn bracket(run: &Run<'_>, known: Found) -> Result<(Bracket, DVec3), CompareError> {
    let mut search = Search { run, farthest: known, settled: 0.0, open: BinaryHeap::new(), looked_at: 0 };
    search.begin()?;
    while search.looked_at < run.options.most_pieces && search.round()? {}
    Ok(search.finish())
}

struct Search<'a> {
    run: &'a Run<'a>,
    farthest: Found,
    /// The largest bound of all pieces that need not be cut.
    settled: f64,
    open: BinaryHeap<Queued>,
    looked_at: u64,
}

impl Search<'_> {
    /// Looks at all corners of the surface, then at all triangles.
    fn begin(&mut self) -> Result<(), CompareError> {
        let (run, mesh) = (self.run, self.run.from);
        let mut is_used = vec![false; mesh.vertices().len()];
        mesh.triangles().iter().flatten().for_each(|&v| is_used[v as usize] = true);
        let nowhere = Nearest { distance: f64::NEG_INFINITY, triangle: 0 };
        let nearest: Vec<Nearest> = mesh
            .vertices()
            .par_iter()
            .zip(&is_used)
            .map(|(&v, &used)| {
                run.check_cancel()?;
                Ok(if used { run.to.nearest(v) } else { nowhere })
            })
            .collect::<Result<_, CompareError>>()?;
        for (&point, nearest) in mesh.vertices().iter().zip(&nearest) {
            self.farthest = self.farthest.farther(Found { point, distance: nearest.distance });
        }
        for block in mesh.triangles().chunks(ROUND) {
            run.check_cancel()?;
            let pieces: Vec<Piece> = block
                .par_iter()
                .map(|corners| {
                    let at = corners.map(|v| mesh.vertices()[v as usize]);
                    piece(run, at, corners.map(|v| nearest[v as usize]))
                })
                .collect();
            self.add(&pieces);
        }
        Ok(())
    }

    /// Cuts the pieces with the largest bounds; false when none needs it.
    fn round(&mut self) -> Result<bool, CompareError> {
        self.run.check_cancel()?;
        let mut cut = Vec::with_capacity(ROUND);
        while cut.len() < ROUND
            && let Some(Queued { piece, .. }) = self.open.pop()
        {
            if self.is_settled(&piece) {
                // All that is left in the heap has a smaller bound.
                self.settled = self.settled.max(piece.upper);
                self.open.clear();
            } else {
                cut.push(piece);
            }
        }
        if cut.is_empty() {
            return Ok(false);
        }
        let run = self.run;
        let parts: Vec<[Piece; 4]> = cut.par_iter().map(|piece| quarters(run, piece)).collect();
        for point in parts.iter().flatten().flat_map(|piece| piece.corners.into_iter().zip(piece.nearest)) {
            self.farthest = self.farthest.farther(Found { point: point.0, distance: point.1.distance });
        }
        parts.iter().for_each(|quarters| self.add(quarters));
        Ok(true)
    }

    fn add(&mut self, pieces: &[Piece]) {
        for &piece in pieces {
            self.looked_at += 1;
            if self.is_settled(&piece) {
                self.settled = self.settled.max(piece.upper);
            } else {
                self.open.push(Queued { piece, number: self.looked_at });
            }
        }
    }

    fn is_settled(&self, piece: &Piece) -> bool {
        piece.upper + self.run.rounding <= self.farthest.distance + self.run.tolerance
    }

    fn finish(self) -> (Bracket, DVec3) {
        let open = self.open.peek().map_or(0.0, |queued| queued.piece.upper);
        let lower = self.farthest.distance;
        // Rounding may have moved pieces and distances.
        let upper = lower.max(self.settled).max(open) + self.run.rounding;
        (Bracket { lower, upper }, self.farthest.point)
    }
}

fn piece(run: &Run<'_>, corners: [DVec3; 3], nearest: [Nearest; 3]) -> Piece {
    let mut upper = f64::INFINITY;
    for (i, near) in nearest.iter().enumerate() {
        // A triangle that is nearest to two corners need not be tried twice.
        if nearest[..i].iter().any(|earlier| earlier.triangle == near.triangle) {
            continue;
        }
        let mut largest = near.distance;
        for (j, other) in nearest.iter().enumerate() {
            let distance = if other.triangle == near.triangle {
                other.distance
            } else {
                run.to.to_triangle(corners[j], near.triangle)
            };
            largest = largest.max(distance);
        }
        upper = upper.min(largest);
    }
    Piece { corners, nearest, upper }
}

/// The four similar parts of a piece.
fn quarters(run: &Run<'_>, whole: &Piece) -> [Piece; 4] {
    let [a, b, c] = whole.corners;
    let [near_a, near_b, near_c] = whole.nearest;
    let middle = |p: DVec3, q: DVec3, near_p: Nearest, near_q: Nearest| {
        let point = 0.5 * (p + q);
        (point, run.to.nearest_from(point, [near_p.triangle, near_q.triangle]))
    };
    let (ab, near_ab) = middle(a, b, near_a, near_b);
    let (bc, near_bc) = middle(b, c, near_b, near_c);
    let (ca, near_ca) = middle(c, a, near_c, near_a);
    let part = |corners, nearest| {
        let part = piece(run, corners, nearest);
        // What held for the whole holds for its parts.
        Piece { upper: part.upper.min(whole.upper), ..part }
    };
    [
        part([a, ab, ca], [near_a, near_ab, near_ca]),
        part([b, bc, ab], [near_b, near_bc, near_ab]),
        part([c, ca, bc], [near_c, near_ca, near_bc]),
        part([ab, bc, ca], [near_ab, near_bc, near_ca]),
    ]
}
