//! The first hit in a cell: certified, beside the papers' Cardano and bisection on the same cells.
//!
//! `cargo bench -p isotouch --bench cubic`. Items are cells; every time includes making the cubic from the corners, which
//! `build` shows alone.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use isotouch::math::DVec3;
use isotouch::math::cubic::{CellCubic, HitStatus, bisection, cardano};

/// Enough that branch predictors cannot learn them by heart, few enough for the second-level cache.
const CELLS: usize = 8192;

/// What the corners look like.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// Independent corners: strongly curved, up to three roots.
    Random,
    /// A plane plus 5 % noise: what distance fields look like.
    Distance,
}

/// A cell, and a piece of a segment through it.
struct Query {
    corners: [f32; 8],
    entry: DVec3,
    exit: DVec3,
}

impl Query {
    #[inline(always)]
    fn cubic(&self) -> CellCubic {
        CellCubic::along(&self.corners, self.entry, self.exit, 0.0)
    }
}

/// SplitMix64 (Steele et al. 2014).
struct Random(u64);

impl Random {
    /// In [0, 1).
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 * 2f64.powi(-53)
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.unit(), self.unit(), self.unit())
    }
}

/// Cells with a crossing, entered from outside; with `crosses` false, straddling cells that the path does not touch.
fn cells(kind: Kind, crosses: bool) -> Vec<Query> {
    let mut random = Random(7);
    let mut queries = Vec::new();
    while queries.len() < CELLS {
        let normal = random.vector() - 0.5;
        let offset = random.unit() - 0.5;
        let corners = std::array::from_fn(|k| {
            let corner = DVec3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64);
            match kind {
                Kind::Random => random.unit() as f32 - 0.5,
                Kind::Distance => {
                    (normal.normalize_or_zero().dot(corner - 0.5) + offset + 0.05 * random.unit()) as f32
                }
            }
        });
        // From one face to another: x = 0 or 1 at the entry, y or z = 0 or 1 at the exit.
        let (mut entry, mut exit) = (random.vector(), random.vector());
        entry.x = entry.x.round();
        exit[1 + (random.unit() > 0.5) as usize] = (random.unit() > 0.5) as u8 as f64;
        let query = Query { corners, entry, exit };
        let straddles = corners.iter().any(|&c| c <= 0.0) && corners.iter().any(|&c| c > 0.0);
        let hit = query.cubic().first_hit();
        if straddles
            && if crosses { hit.is_some_and(|h| h.status == HitStatus::Crossing) } else { hit.is_none() }
        {
            queries.push(query);
        }
    }
    queries
}

#[inline(always)]
fn run(bencher: Bencher<'_, '_>, queries: Vec<Query>, first: impl Fn(&CellCubic) -> Option<f64> + Sync) {
    bencher.counter(ItemsCount::new(queries.len())).bench(|| {
        let mut sum = 0.0;
        for query in &queries {
            sum += first(&black_box(query).cubic()).unwrap_or(2.0);
        }
        sum
    });
}

#[divan::bench(args = [Kind::Random, Kind::Distance])]
fn build(bencher: Bencher<'_, '_>, kind: Kind) {
    run(bencher, cells(kind, true), |cubic| {
        let [b0, b1, b2, b3] = cubic.bernstein();
        Some(b0 + b1 + b2 + b3)
    });
}

#[divan::bench(args = [Kind::Random, Kind::Distance])]
fn crossing_certified(bencher: Bencher<'_, '_>, kind: Kind) {
    run(bencher, cells(kind, true), |cubic| cubic.first_hit().map(|hit| hit.s));
}

#[divan::bench(args = [Kind::Random, Kind::Distance])]
fn crossing_cardano(bencher: Bencher<'_, '_>, kind: Kind) {
    run(bencher, cells(kind, true), cardano::first_hit);
}

#[divan::bench(args = [Kind::Random, Kind::Distance])]
fn crossing_bisection(bencher: Bencher<'_, '_>, kind: Kind) {
    run(bencher, cells(kind, true), bisection::first_hit);
}

#[divan::bench(args = [Kind::Random, Kind::Distance])]
fn crossing_intervals(bencher: Bencher<'_, '_>, kind: Kind) {
    run(bencher, cells(kind, true), |cubic| {
        cubic.intervals().iter().map(|i| i.start + i.end).reduce(|a, b| a + b)
    });
}

#[divan::bench(args = [Kind::Random, Kind::Distance])]
fn free_certified(bencher: Bencher<'_, '_>, kind: Kind) {
    run(bencher, cells(kind, false), |cubic| cubic.first_hit().map(|hit| hit.s));
}

#[divan::bench(args = [Kind::Random, Kind::Distance])]
fn free_cardano(bencher: Bencher<'_, '_>, kind: Kind) {
    run(bencher, cells(kind, false), cardano::first_hit);
}

fn main() {
    divan::main();
}
