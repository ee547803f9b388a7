//! Stopwatches.

use std::time::Instant;

/// Runs shorter than this are repeated: caches, page faults and other programs disturb them most.
const SHORT_SECONDS: f64 = 2.0;
/// How often a short run is done in all.
const REPETITIONS: usize = 3;

/// Seconds of the fastest run, and the last run's result. Earlier results are dropped before the next run begins,
/// and dropping is not timed.
pub(crate) fn best_time<R, E>(mut run: impl FnMut() -> Result<R, E>) -> Result<(f64, R), E> {
    let mut best = f64::INFINITY;
    let mut repetition = 1;
    loop {
        let start = Instant::now();
        let result = run()?;
        best = best.min(start.elapsed().as_secs_f64());
        if best >= SHORT_SECONDS || repetition == REPETITIONS {
            return Ok((best, result));
        }
        repetition += 1;
    }
}
