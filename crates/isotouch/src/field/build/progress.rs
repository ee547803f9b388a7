//! Telling how far the build is, and stopping it.

use std::sync::atomic::{AtomicU64, Ordering};

use super::BuildError;
use crate::field::{Execution, Progress};

/// One stage of a build, shared by its threads.
pub(super) struct Stage<'a> {
    execution: &'a Execution<'a>,
    name: &'static str,
    total: u64,
    done: AtomicU64,
}

impl<'a> Stage<'a> {
    pub(super) fn new(execution: &'a Execution<'a>, name: &'static str, total: usize) -> Self {
        Self { execution, name, total: total as u64, done: AtomicU64::new(0) }
    }

    /// Counts one unit as done.
    pub(super) fn advance(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(progress) = self.execution.progress {
            progress(Progress { stage: self.name, done, total: self.total });
        }
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.execution.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// An error if the build was told to stop.
    pub(super) fn check(&self) -> Result<(), BuildError> {
        if self.is_cancelled() { Err(BuildError::Cancelled) } else { Ok(()) }
    }
}
