//! A run: steps, checkpoints, and going on from one.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use isotouch::scene::StageError;

use super::checkpoint::Checkpoint;
use super::play::{Plan, Play};
use super::recording::{self, Cast, Recording};
use super::{Args, results};
use crate::console::Console;
use crate::failure::{Classify, Failure};
use crate::format::number;
use crate::interrupt;
use crate::progress::Bar;

/// What `--resume` goes on from, in the folder of results.
pub(super) const CHECKPOINT: &str = "resume/checkpoint";
const RECORDING: &str = "resume/recording";

/// How a run ended.
pub(super) enum Ending {
    Done,
    Interrupted,
    Diverged(StageError),
}

/// A world on its way.
pub(super) struct Run {
    pub(super) play: Play,
    pub(super) recording: Recording,
    checkpoint: PathBuf,
    fingerprint: [u8; 32],
}

impl Run {
    pub(super) fn begin(
        folder: &Path,
        mut play: Play,
        fingerprint: [u8; 32],
        args: &Args,
    ) -> Result<Self, Failure> {
        let (checkpoint, path) = (folder.join(CHECKPOINT), folder.join(RECORDING));
        let cast = Cast::of(&play);
        if args.resume {
            let found = Checkpoint::read(&checkpoint).or_bad_input()?;
            let recording = Recording::open(&path, cast, found.rows, found.rows_checksum)
                .with_context(|| format!("cannot read {}", path.display()))
                .or_bad_input()?;
            let recording = recording
                .ok_or_else(|| anyhow!("{} is damaged; begin anew with --force", path.display()))
                .or_bad_input()?;
            play.restore(&found.state, found.cloth.as_ref()).or_bad_input()?;
            play.recall_doubts(&found.doubts);
            return Ok(Self { play, recording, checkpoint, fingerprint });
        }
        // What is there is of another run: from here on it would be believed to be of this one.
        for name in results::FILES.into_iter().chain([CHECKPOINT]) {
            match fs::remove_file(folder.join(name)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(error)
                        .with_context(|| format!("cannot replace {}", folder.join(name).display()))
                        .or_failed();
                }
                _ => {}
            }
        }
        results::remove_objs(folder).or_failed()?;
        let mut recording = Recording::create(&path, cast)
            .with_context(|| format!("cannot write {}", path.display()))
            .or_failed()?;
        recording.add(&play, &play.start());
        Ok(Self { play, recording, checkpoint, fingerprint })
    }

    /// The first row is the start.
    pub(super) fn steps_taken(&self) -> u64 {
        self.recording.len() as u64 - 1
    }

    pub(super) fn time(&self) -> f64 {
        self.recording.last().map_or(0.0, recording::Row::time)
    }

    /// Whether there is something left to do, or the run is as long as it should be.
    pub(super) fn allows(&self, plan: &Plan) -> Result<(), Failure> {
        let done = self.steps_taken();
        if done <= plan.steps() {
            return Ok(());
        }
        Err(anyhow!(
            "{} s are simulated already, more than --seconds {}; --resume only makes runs longer, so give more, or begin anew with --force",
            number(self.time()),
            number(plan.seconds)
        ))
        .or_bad_input()
    }

    pub(super) fn steps(
        &mut self,
        plan: &Plan,
        every: Duration,
        console: &Console,
    ) -> Result<Ending, Failure> {
        let bar = Bar::new(console);
        let total = plan.steps();
        let mut saved = Instant::now();
        while self.steps_taken() < total {
            if interrupt::check().is_err() {
                return Ok(Ending::Interrupted);
            }
            match self.play.step(plan.dt) {
                Ok(facts) => self.recording.add(&self.play, &facts),
                Err(error) => return Ok(Ending::Diverged(error)),
            }
            bar.update("steps", self.steps_taken(), total);
            if saved.elapsed() >= every {
                self.save()?;
                saved = Instant::now();
            }
        }
        Ok(Ending::Done)
    }

    /// The rows first, then the checkpoint that counts on them.
    pub(super) fn save(&mut self) -> Result<(), Failure> {
        let (rows, rows_checksum) = self
            .recording
            .sync()
            .with_context(|| format!("cannot write {}", self.recording.path().display()))
            .or_failed()?;
        let (state, cloth) = self.play.state();
        let (fingerprint, doubts) = (self.fingerprint, self.play.kept_doubts());
        let checkpoint = Checkpoint { fingerprint, rows, rows_checksum, state, cloth, doubts };
        checkpoint
            .write(&self.checkpoint)
            .with_context(|| format!("cannot write {}", self.checkpoint.display()))
            .or_failed()
    }
}
