//! What the command says, and where: results on stdout, everything else on stderr.

use std::cell::RefCell;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value, json};

use crate::failure::{Exit, Failure};
use crate::report::Report;

/// The two ends of the conversation, and the rules agreed on for this run.
#[derive(Debug)]
pub(crate) struct Console {
    json: bool,
    quiet: bool,
    told: Arc<Told>,
    /// The first failure to write to stdout that matters: a closed pipe does not.
    broken: RefCell<Option<io::Error>>,
}

/// What was said so far, for whoever has the last word.
#[derive(Debug, Default)]
struct Told {
    warnings: Mutex<Vec<String>>,
    /// Whether the one JSON object was printed.
    is_answered: AtomicBool,
}

/// What is said when the process is ended from outside, while the console is busy elsewhere.
#[derive(Debug)]
pub(crate) struct LastWords {
    json: bool,
    told: Arc<Told>,
}

impl LastWords {
    /// The failure, on stderr and as the JSON object that programs wait for, unless they have one.
    pub(crate) fn say(&self, failure: &Failure) {
        complain("error", &failure.to_string(), "\x1b[31m");
        if self.json
            && let Some(text) = self.told.answer(Map::from_iter([error_of(failure)]))
        {
            let _ = write_stdout(&text);
        }
    }
}

impl Told {
    /// The one JSON object, with the warnings; `None` if it was made before.
    fn answer(&self, mut object: Map<String, Value>) -> Option<String> {
        if self.is_answered.swap(true, Ordering::AcqRel) {
            return None;
        }
        object
            .insert("warnings".into(), json!(*self.warnings.lock().unwrap_or_else(PoisonError::into_inner)));
        Some(format!("{}\n", Value::Object(object)))
    }
}

fn error_of(failure: &Failure) -> (String, Value) {
    ("error".into(), json!(failure.to_string()))
}

impl Console {
    pub(crate) fn new(json: bool, quiet: bool) -> Self {
        Self { json, quiet, told: Arc::default(), broken: RefCell::default() }
    }

    /// What another thread needs to end the process.
    pub(crate) fn last_words(&self) -> LastWords {
        LastWords { json: self.json, told: self.told.clone() }
    }

    /// Whether stdout is for one JSON object.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Whether bars may be drawn on stderr.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }

    /// Something the user should know although the job goes on. Always on stderr, and in JSON as well.
    pub(crate) fn warn(&self, message: impl Display) {
        let message = message.to_string();
        complain("warning", &message, "\x1b[33m");
        self.told.warnings.lock().unwrap_or_else(PoisonError::into_inner).push(message);
    }

    /// What was warned of so far.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.told.warnings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether only what is asked for may be told.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// A line of text right now, for commands that have something to tell before they end.
    pub(crate) fn say(&self, line: &str) {
        if !self.json && !self.quiet {
            self.write(&format!("{line}\n"));
        }
    }

    /// The text in bold, where the terminal shows that.
    pub(crate) fn bold(&self, text: &str) -> String {
        if colourful(&io::stdout()) { format!("\x1b[1m{text}\x1b[0m") } else { text.into() }
    }

    /// Prints the report or the failure, and says how the process should end.
    pub(crate) fn finish(&self, outcome: Result<Report, Failure>) -> ExitCode {
        let exit = match outcome {
            Ok(report) => self.print(report),
            Err(failure) => {
                complain("error", &failure.to_string(), "\x1b[31m");
                if self.json {
                    self.print_json(Map::from_iter([error_of(&failure)]));
                }
                failure.exit()
            }
        };
        match self.broken.borrow_mut().take() {
            Some(error) => {
                complain("error", &format!("cannot write to standard output: {error}"), "\x1b[31m");
                ExitCode::from(Exit::Failed as u8)
            }
            None => ExitCode::from(exit as u8),
        }
    }

    fn print(&self, report: Report) -> Exit {
        let exit = report.exit();
        if self.json {
            self.print_json(report.into_json());
        } else if !self.quiet {
            self.write(report.text());
        }
        exit
    }

    /// Numbers that are not finite became `null` on their way into a [`Value`].
    fn print_json(&self, object: Map<String, Value>) {
        if let Some(text) = self.told.answer(object) {
            self.write(&text);
        }
    }

    fn write(&self, text: &str) {
        if let Err(error) = write_stdout(text) {
            self.broken.borrow_mut().get_or_insert(error);
        }
    }
}

/// Writes to stdout. A reader that has gone (`| head -1`) has seen enough: that is not an error.
pub(crate) fn write_stdout(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

/// A line on stderr. Where not even that can be written, there is nobody left to tell.
pub(crate) fn complain(kind: &str, message: &str, colour: &str) {
    let mut out = io::stderr().lock();
    let _ = if colourful(&io::stderr()) {
        writeln!(out, "{colour}{kind}:\x1b[0m {message}")
    } else {
        writeln!(out, "{kind}: {message}")
    };
}

/// Colours only on terminals that show them, and not for users who asked for none (<https://no-color.org>).
fn colourful(stream: &impl IsTerminal) -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    !refused && !dumb && stream.is_terminal()
}
