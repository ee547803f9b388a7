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

/// Seconds of one run, and its result.
pub(crate) fn timed<R>(run: impl FnOnce() -> R) -> (f64, R) {
    let start = Instant::now();
    let result = run();
    (start.elapsed().as_secs_f64(), result)
}

/// Seconds of one run.
pub(crate) fn seconds_of<R>(run: impl FnOnce() -> R) -> f64 {
    let start = Instant::now();
    std::hint::black_box(run());
    start.elapsed().as_secs_f64()
}

/// A run that says how many seconds it took.
pub(crate) type Timed<'a> = Box<dyn FnMut() -> anyhow::Result<f64> + 'a>;

/// Seconds of each run in its fastest round. The runs take turns, so that whatever else the machine does meanwhile strikes all
/// alike.
pub(crate) fn fastest_of_rounds(rounds: usize, runs: &mut [Timed<'_>]) -> anyhow::Result<Vec<f64>> {
    let mut best = vec![f64::INFINITY; runs.len()];
    for _ in 0..rounds {
        for (best, run) in best.iter_mut().zip(runs.iter_mut()) {
            *best = best.min(run()?);
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_take_turns_and_the_fastest_counts() {
        let order = std::cell::RefCell::new(Vec::new());
        let run = |name: char, mut seconds: Vec<f64>| -> Timed<'_> {
            let order = &order;
            Box::new(move || {
                order.borrow_mut().push(name);
                Ok(seconds.remove(0))
            })
        };
        let mut runs = [run('a', vec![3.0, 1.0, 2.0]), run('b', vec![4.0, 6.0, 5.0])];
        assert_eq!(fastest_of_rounds(3, &mut runs).unwrap(), [1.0, 4.0]);
        assert_eq!(order.borrow().iter().collect::<String>(), "ababab");
    }
}
