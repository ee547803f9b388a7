//! Casting many segments through a field, and how long that takes.

use anyhow::Context as _;
use isotouch::ccd::{CastOptions, Hit, Segment};
use isotouch::field::Field;
use rayon::ThreadPool;

use crate::timing::seconds_of;

/// Segments answered at a time: enough for all threads, few enough that the memory of one batch's hits serves the next.
const BATCH: usize = 1 << 14;

/// A number of threads of its own.
pub(crate) fn pool(threads: usize) -> anyhow::Result<ThreadPool> {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("could not start threads")
}

/// What to cast, and through what.
#[derive(Clone, Copy)]
pub(crate) struct Cast<'a> {
    pub(crate) field: &'a Field,
    pub(crate) segments: &'a [Segment],
    pub(crate) iso: f64,
    pub(crate) options: CastOptions,
}

impl Cast<'_> {
    /// Hands every first hit, in order, to `each`.
    pub(crate) fn for_each(&self, mut each: impl FnMut(usize, Option<Hit>)) {
        let surface = self.field.level_set(self.iso, &self.options).expecting(self.segments.len());
        for (batch, segments) in self.segments.chunks(BATCH).enumerate() {
            let hits = surface.first_hits(segments);
            for (k, hit) in hits.into_iter().enumerate() {
                each(batch * BATCH + k, hit);
            }
        }
    }

    /// Times of the first hits; NaN where there is none.
    pub(crate) fn times(&self) -> Vec<f64> {
        let mut times = vec![f64::NAN; self.segments.len()];
        self.fill(&mut times);
        times
    }

    fn fill(&self, times: &mut [f64]) {
        self.for_each(|k, hit| times[k] = hit.map_or(f64::NAN, |hit| hit.t));
    }

    /// Seconds that all first hits take, their times being kept, on the threads of a pool.
    pub(crate) fn seconds_on(&self, pool: &ThreadPool) -> f64 {
        // Written once before, so that no memory is asked of the system while the clock runs.
        let mut times = vec![0.0; self.segments.len()];
        times.fill(f64::NAN);
        pool.install(|| seconds_of(|| self.fill(&mut times)))
    }
}
