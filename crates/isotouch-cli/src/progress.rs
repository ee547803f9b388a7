//! Progress bars on stderr, when somebody is watching.

use std::sync::Mutex;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::console::Console;

/// A bar that disappears when dropped; an invisible one when stderr is not a terminal or `--quiet` was given.
#[derive(Debug)]
pub(crate) struct Bar {
    bar: ProgressBar,
    stage: Mutex<&'static str>,
}

impl Bar {
    pub(crate) fn new(console: &Console) -> Self {
        let target = if console.shows_progress() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        if let Ok(style) = ProgressStyle::with_template("{msg:>12} {bar:32} {percent:>3} %  {eta} left") {
            bar.set_style(style.progress_chars("━╸ "));
        }
        Self { bar, stage: Mutex::new("") }
    }

    /// `done` of `total` pieces of the stage; may be called from any thread.
    pub(crate) fn update(&self, stage: &'static str, done: u64, total: u64) {
        if self.bar.is_hidden() {
            return;
        }
        if let Ok(mut current) = self.stage.lock()
            && *current != stage
        {
            *current = stage;
            self.bar.reset();
            self.bar.set_message(stage);
            self.bar.enable_steady_tick(Duration::from_millis(100));
        }
        self.bar.set_length(total);
        self.bar.set_position(done);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
