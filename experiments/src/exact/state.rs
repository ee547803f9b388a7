//! How far a run has come: a file that is replaced whole, so that a run can be stopped at any moment and goes on later.

use std::fs;
use std::io;
use std::path::Path;

use anyhow::{Context as _, ensure};
use serde::{Deserialize, Serialize};

use super::FAMILIES;
use super::tally::Tally;
use crate::results::replace_file;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    /// Queries with numbers below this are done.
    pub(crate) done: u64,
    /// Time spent on them, by the wall clock.
    pub(crate) seconds: f64,
    /// By kind.
    pub(crate) tallies: Vec<Tally>,
    /// The versions of this library that were asked.
    pub(crate) versions: Vec<String>,
}

impl State {
    pub(crate) fn new() -> Self {
        Self { done: 0, seconds: 0.0, tallies: vec![Tally::default(); FAMILIES], versions: Vec::new() }
    }

    /// The state in a file; a new one where there is no file.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::new()),
            Err(error) => return Err(error).with_context(|| format!("could not read {}", path.display())),
        };
        let remedy =
            || format!("{} is not the state of this experiment; remove it to begin anew", path.display());
        let state: Self = serde_json::from_str(&text).with_context(remedy)?;
        let queries: u64 = state.tallies.iter().map(|tally| tally.queries).sum();
        ensure!(state.tallies.len() == FAMILIES && queries == state.done, "{}", remedy());
        Ok(state)
    }

    pub(crate) fn write(&self, path: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_string(self).context("the state has no form as text")?;
        replace_file(path, &text).with_context(|| format!("could not write {}", path.display()))
    }

    /// What happened to all kinds together.
    pub(crate) fn total(&self) -> Tally {
        let mut total = Tally::default();
        self.tallies.iter().for_each(|tally| total.merge(tally));
        total
    }
}

#[cfg(test)]
mod tests {
    use super::super::check_all;
    use super::*;

    #[test]
    fn a_state_is_read_as_it_was_written_and_a_damaged_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.json");
        assert_eq!(State::read(&path).unwrap(), State::new());
        let mut state = State { done: 640, tallies: check_all(0..640), ..State::new() };
        // Halves and quarters survive any reading of decimal numbers; that is all that is compared here.
        state.tallies.iter_mut().for_each(|tally| tally.worst = Some((0.25, 7)));
        state.write(&path).unwrap();
        assert_eq!(State::read(&path).unwrap(), state);
        for wrong in ["", "{}", &fs::read_to_string(&path).unwrap().replace("\"done\":640", "\"done\":641")] {
            fs::write(&path, wrong).unwrap();
            assert!(State::read(&path).unwrap_err().to_string().contains("remove it"), "{wrong}");
        }
    }

    #[test]
    fn queries_in_pieces_are_the_same_queries() {
        let whole = State { done: 640, tallies: check_all(0..640), ..State::new() };
        let mut pieces = State::new();
        for range in [0..100, 100..101, 101..640] {
            for (all, new) in pieces.tallies.iter_mut().zip(check_all(range)) {
                all.merge(&new);
            }
        }
        assert_eq!(whole.tallies, pieces.tallies);
        assert_eq!(whole.total().broken_count(), 0);
        assert!(whole.tallies.iter().all(|tally| tally.queries >= 10));
    }
}
