//! What a folder of results holds already, and whether it may be written to.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use isotouch::mesh::io::companions;
use isotouch::scene::{ClothSource, MeshSource, Scene};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::Args;
use super::checkpoint::Checkpoint;
use super::lock::LOCK;
use super::results::FILES;
use super::run::CHECKPOINT;
use crate::failure::{Classify, Failure};
use crate::format::count;

/// Folders that were not there before.
pub(super) struct Made(Vec<PathBuf>);

impl Made {
    pub(super) fn of(folder: &Path) -> Self {
        let folders = [folder.join("resume"), folder.to_owned()];
        Self(folders.into_iter().filter(|folder| !folder.exists()).collect())
    }

    /// Takes them away again, as far as they are empty.
    pub(super) fn remove(&self) {
        for lock in self.0.iter().filter(|folder| folder.ends_with("resume")).filter_map(|of| of.parent()) {
            fs::remove_file(lock.join(LOCK)).ok();
        }
        for folder in &self.0 {
            fs::remove_dir(folder).ok();
        }
    }
}

/// Of all that motion depends on, but for how long it goes on: the text, the time step, and the mesh files.
pub(super) fn fingerprint(text: &str, (dt, scene): (f64, Option<&Scene>)) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(format!("scene {}\n", text.len()));
    hash.update(text);
    hash.update(dt.to_le_bytes());
    let shapes = scene.iter().flat_map(|scene| scene.shapes()).filter_map(|shape| match &shape.mesh {
        MeshSource::File(path) => Some(path),
        MeshSource::BuiltIn(_) => None,
    });
    let cloth = scene.iter().flat_map(|scene| &scene.cloth).filter_map(|cloth| match &cloth.source {
        ClothSource::File(path, _) => Some(path),
        _ => None,
    });
    for path in shapes.chain(cloth) {
        // What cannot be read is told when the mesh is.
        let others = companions(path).unwrap_or_default();
        for file in std::iter::once(path).chain(&others) {
            hash.update(Sha256::digest(fs::read(file).unwrap_or_default()));
        }
    }
    hash.finalize().into()
}

pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What a folder holds already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Earlier {
    Nothing,
    /// A whole run of this scene, of so many steps.
    Same(u64),
    /// Of this scene, but not its end.
    Unfinished,
    /// Of another scene.
    Other,
    /// A checkpoint that cannot be read.
    Damaged,
    /// A file that no run left, of a name that a run would write.
    Foreign(&'static str),
}

impl Earlier {
    pub(super) fn of(folder: &Path, fingerprint: &[u8; 32]) -> Self {
        let summary = fs::read(folder.join("summary.json")).ok();
        let checkpoint = folder.join(CHECKPOINT);
        if summary.is_none() && !checkpoint.exists() {
            let foreign = FILES.into_iter().find(|name| folder.join(name).exists());
            return foreign.map_or(Self::Nothing, Self::Foreign);
        }
        let mut steps_taken = 0;
        if checkpoint.exists() {
            match Checkpoint::read(&checkpoint) {
                Ok(found) if found.fingerprint == *fingerprint => steps_taken = found.rows.saturating_sub(1),
                Ok(_) => return Self::Other,
                Err(_) => return Self::Damaged,
            }
        }
        let summary = summary.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
        match summary {
            None => Self::Unfinished,
            Some(found) if found["fingerprint"] == hexadecimal(fingerprint) => {
                // A run that was made longer and did not get to its end leaves the summary of the shorter one.
                let steps = found["steps"].as_u64().filter(|steps| *steps >= steps_taken);
                steps.filter(|_| found["finished"] == true).map_or(Self::Unfinished, Self::Same)
            }
            Some(_) => Self::Other,
        }
    }

    /// Whether as many steps may take the place of what there is: a shorter run would destroy more than it makes.
    pub(super) fn allows_steps(self, steps: u64, args: &Args, folder: &Path) -> Result<(), Failure> {
        match self {
            Self::Same(more) if more > steps && !args.resume && !args.force => Err(anyhow!(
                "{} holds a run of this scene of {} steps, and this one would have {}; choose another folder with -o, or replace it with --force",
                folder.display(),
                count(more),
                count(steps)
            ))
            .or_bad_input(),
            _ => Ok(()),
        }
    }

    pub(super) fn allows(self, args: &Args, folder: &Path) -> Result<(), Failure> {
        let shown = folder.display();
        let refused = match self {
            Self::Nothing if args.resume => {
                anyhow!("there is nothing in {shown} to go on from; leave out --resume")
            }
            Self::Foreign(_) if args.resume => {
                anyhow!("there is nothing in {shown} to go on from; leave out --resume")
            }
            Self::Foreign(name) if !args.force => anyhow!(
                "{shown} holds {name}, which no simulation left there; choose another folder with -o, or replace it with --force"
            ),
            Self::Damaged if args.resume || !args.force => {
                let path = folder.join(CHECKPOINT);
                match Checkpoint::read(&path) {
                    Err(error) => error,
                    Ok(_) => anyhow!("{} was changed just now; try again", path.display()),
                }
            }
            Self::Other if args.resume => anyhow!(
                "{shown} holds results of another scene or time step, or the scene was changed, so --resume cannot go on from there; choose another folder \
                 with -o, or replace them with --force"
            ),
            Self::Other if !args.force => anyhow!(
                "{shown} holds results of another scene or time step; choose another folder with -o, or replace them with --force"
            ),
            Self::Unfinished if !args.resume && !args.force => {
                anyhow!(
                    "{shown} holds a run that was stopped; go on with --resume, or begin anew with --force"
                )
            }
            _ => return Ok(()),
        };
        Err(refused).or_bad_input()
    }
}
