//! One run at a time in a folder: two would write into each other's recording.

use std::fs::{File, TryLockError};
use std::path::Path;

use anyhow::{Context, anyhow};

use crate::failure::{Classify, Failure};

pub(super) const LOCK: &str = "resume/lock";

/// A folder that nobody else runs in, for as long as this lives. The system gives it back when the program ends, however it does; the file stays, for taking it away while another waits for it would give both a lock.
pub(super) struct Lock {
    _held: File,
}

impl Lock {
    /// Whether somebody runs in a folder, before it is looked at: what is there would be taken for a run that was stopped.
    pub(super) fn is_free(folder: &Path) -> Result<(), Failure> {
        if folder.join(LOCK).exists() {
            Self::take(folder)?;
        }
        Ok(())
    }

    /// Of a folder that is there.
    pub(super) fn take(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(LOCK);
        let file = File::options().create(true).truncate(false).write(true).open(&path);
        let file = file.with_context(|| format!("cannot write {}", path.display())).or_bad_input()?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(anyhow!(
                    "another simulation is running in {}; wait for its end, or choose another folder with -o",
                    folder.display()
                ))
                .or_bad_input();
            }
            // Some file systems have no locks; there a second run is not noticed.
            Err(TryLockError::Error(_)) => {}
        }
        Ok(Self { _held: file })
    }
}
