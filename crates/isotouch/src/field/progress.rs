//! Telling how far work on a field is, stopping it, and on how many threads it runs.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{Execution, Progress};

/// The work was told to stop.
#[derive(Debug)]
pub(crate) struct Cancelled;

/// The threads asked for could not be started.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("could not start {threads} threads: {reason}")]
pub struct NoThreads {
    /// How many.
    pub threads: usize,
    /// What the system said.
    pub reason: String,
}

/// Runs `work` on as many threads as were asked for.
pub(crate) fn on_threads<R: Send>(
    execution: &Execution<'_>,
    work: impl FnOnce() -> R + Send,
) -> Result<R, NoThreads> {
    let Some(threads) = execution.threads else { return Ok(work()) };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|reason| NoThreads { threads, reason: reason.to_string() })?;
    Ok(pool.install(work))
}

/// One stage of some work, shared by its threads.
pub(crate) struct Stage<'a> {
    execution: &'a Execution<'a>,
    name: &'static str,
    total: u64,
    done: AtomicU64,
}

impl<'a> Stage<'a> {
    pub(crate) fn new(execution: &'a Execution<'a>, name: &'static str, total: usize) -> Self {
        Self { execution, name, total: total as u64, done: AtomicU64::new(0) }
    }

    /// Counts one unit as done.
    pub(crate) fn advance(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(progress) = self.execution.progress {
            progress(Progress { stage: self.name, done, total: self.total });
        }
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.execution.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// An error if the work was told to stop.
    pub(crate) fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }
}
