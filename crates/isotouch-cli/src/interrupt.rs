//! Ctrl-C and SIGTERM: the first asks the job to stop and clean up, the second ends it at once.

use std::io::{IsTerminal, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::console::LastWords;
use crate::failure::{Exit, Failure};

/// Becomes true when the process is first asked to stop; long jobs watch it.
pub(crate) static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Whether it was SIGTERM that asked, as `kill`, `timeout` and job schedulers do, and not Ctrl-C.
static BY_SIGTERM: AtomicBool = AtomicBool::new(false);

/// How many parts of the job go on that leave nothing behind when they are ended at once.
static LEAVING_NOTHING: AtomicUsize = AtomicUsize::new(0);

/// What is said by whoever ends the process at once.
static LAST_WORDS: OnceLock<LastWords> = OnceLock::new();

/// As long as it lives, the first Ctrl-C or SIGTERM ends the process at once: for work that does not look whether it should stop, and that
/// leaves nothing behind.
pub(crate) struct LeavesNothing(());

impl LeavesNothing {
    pub(crate) fn begin() -> Self {
        LEAVING_NOTHING.fetch_add(1, Ordering::AcqRel);
        // Asked between the last look and now.
        if INTERRUPTED.load(Ordering::Acquire) {
            end_at_once();
        }
        Self(())
    }
}

impl Drop for LeavesNothing {
    fn drop(&mut self) {
        LEAVING_NOTHING.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Starts listening. Where that is not possible, both end the process as usual. A file that grows beyond its limit (SIGXFSZ) must not
/// end it, half written as that file is: whoever writes is told by an error.
#[cfg(unix)]
pub(crate) fn watch(last_words: LastWords) {
    use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};

    let _ = LAST_WORDS.set(last_words);
    if let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGXFSZ]) {
        let listen = move || {
            signals
                .forever()
                .filter(|&signal| signal != SIGXFSZ)
                .for_each(|signal| ask_to_stop(signal == SIGTERM));
        };
        let _ = std::thread::Builder::new().name("signals".into()).spawn(listen);
    }
}

/// Starts listening for Ctrl-C. Where that is not possible, it ends the process as usual.
#[cfg(not(unix))]
pub(crate) fn watch(last_words: LastWords) {
    let _ = LAST_WORDS.set(last_words);
    let _ = ctrlc::set_handler(|| ask_to_stop(false));
}

fn ask_to_stop(by_sigterm: bool) {
    if INTERRUPTED.load(Ordering::Acquire) {
        end_at_once();
    }
    BY_SIGTERM.store(by_sigterm, Ordering::Relaxed);
    INTERRUPTED.store(true, Ordering::Release);
    if LEAVING_NOTHING.load(Ordering::Acquire) > 0 {
        end_at_once();
    }
    let mut stderr = std::io::stderr();
    if !by_sigterm && stderr.is_terminal() {
        let _ = writeln!(stderr, "\nstopping; press Ctrl-C again to stop at once");
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the user asked twice, or nothing is left behind: destructors may be what takes so long"
)]
fn end_at_once() -> ! {
    if let Some(last_words) = LAST_WORDS.get() {
        last_words.say(&Failure::Interrupted);
    }
    std::process::exit(exit() as i32)
}

/// How a process ends that was asked to stop.
pub(crate) fn exit() -> Exit {
    if BY_SIGTERM.load(Ordering::Relaxed) { Exit::Terminated } else { Exit::Interrupted }
}

/// An error once the process was asked to stop; called between the parts of a job.
pub(crate) fn check() -> Result<(), Failure> {
    if INTERRUPTED.load(Ordering::Acquire) { Err(Failure::Interrupted) } else { Ok(()) }
}
