//! Errors with the exit code that they end in.

use std::fmt;

use crate::interrupt;

/// Exit codes; scripts rely on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All done.
    Done = 0,
    /// Done, and there is contact.
    Contact = 1,
    /// Bad usage or bad input: run it differently.
    BadInput = 2,
    /// Done, but it is too close to call.
    Undecided = 3,
    /// The input was good, but the job failed: a full disk, no memory.
    Failed = 4,
    /// Stopped by Ctrl-C, as shells number it.
    Interrupted = 130,
    /// Stopped by SIGTERM, as shells number it.
    Terminated = 143,
}

/// Why a command did not do what it was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The user can change something about the input.
    BadInput(anyhow::Error),
    /// The machine let us down.
    Failed(anyhow::Error),
    /// The user changed their mind, by Ctrl-C or SIGTERM.
    Interrupted,
}

impl Failure {
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::BadInput(_) => Exit::BadInput,
            Self::Failed(_) => Exit::Failed,
            Self::Interrupted => interrupt::exit(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadInput(error) | Self::Failed(error) => f.write_str(&in_one_line(error)),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

/// The error and its causes, leaving out causes that the text so far already tells.
pub(crate) fn in_one_line(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// Says of an error whose it is; there is no `From`, so that nobody forgets to.
pub(crate) trait Classify<T> {
    /// Exit code 2.
    fn or_bad_input(self) -> Result<T, Failure>;
    /// Exit code 4.
    fn or_failed(self) -> Result<T, Failure>;
}

impl<T, E: Into<anyhow::Error>> Classify<T> for Result<T, E> {
    fn or_bad_input(self) -> Result<T, Failure> {
        self.map_err(|error| Failure::BadInput(error.into()))
    }

    fn or_failed(self) -> Result<T, Failure> {
        self.map_err(|error| Failure::Failed(error.into()))
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn causes_are_told_once() {
        let cause = || anyhow::anyhow!("no such file");
        let told = cause().context("cannot read part.obj");
        assert_eq!(Failure::BadInput(told).to_string(), "cannot read part.obj: no such file");
        let repeated = cause().context("cannot read part.obj: no such file");
        assert_eq!(Failure::BadInput(repeated).to_string(), "cannot read part.obj: no such file");
        let failed: Result<(), Failure> = Err::<(), _>(cause()).context("saving").or_failed();
        assert_eq!(failed.unwrap_err().exit(), Exit::Failed);
    }
}
