//! Ctrl-C: the first asks the job to stop and clean up, the second ends it at once.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::{Exit, Failure};

/// Becomes true with the first Ctrl-C; long jobs watch it.
pub(crate) static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Starts listening for Ctrl-C. Where that is not possible, Ctrl-C ends the process as usual.
pub(crate) fn watch() {
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            end_at_once();
        }
        let mut stderr = std::io::stderr();
        if stderr.is_terminal() {
            let _ = writeln!(stderr, "\nstopping; press Ctrl-C again to stop at once");
        }
    });
}

#[expect(clippy::disallowed_methods, reason = "the user asked twice: destructors may be what takes so long")]
fn end_at_once() -> ! {
    std::process::exit(Exit::Interrupted as i32)
}

/// An error once Ctrl-C was pressed; called between the parts of a job.
pub(crate) fn check() -> Result<(), Failure> {
    if INTERRUPTED.load(Ordering::Relaxed) { Err(Failure::Interrupted) } else { Ok(()) }
}
