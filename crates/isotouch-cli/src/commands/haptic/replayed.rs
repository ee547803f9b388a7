//! The recording that a replay is of: whether it fits the scene, is whole, and was made as it is replayed.

use std::path::Path;

use anyhow::anyhow;
use isotouch::haptics::record::{Entry, Recording};
use isotouch::scene::haptic::{BuiltHaptic, HapticScene};
use sha2::{Digest, Sha256};

use super::Args;
use super::device::DeviceArg;
use crate::console::Console;
use crate::failure::{Classify, Failure};
use crate::format::count;

/// Of the scene's text: what a recording is of.
pub(super) fn fingerprint(text: &str) -> String {
    Sha256::digest(text).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// The recording to be replayed, if it is of this scene and there is something in it.
pub(super) fn open(
    args: &Args,
    name: &str,
    fingerprint: &str,
    console: &Console,
) -> Result<Option<Recording>, Failure> {
    let DeviceArg::Replay(path) = &args.device else { return Ok(None) };
    if args.rate.is_some() {
        return Err(anyhow!("a recording is replayed at its own rate; leave out --rate")).or_bad_input();
    }
    let recording = Recording::open(path).or_bad_input()?;
    let of = &recording.header().scene;
    if !of.starts_with(fingerprint) && !args.other_scene {
        let other = of.split(' ').next_back().filter(|other| !other.is_empty()).unwrap_or("another scene");
        let other = if other == name { format!("another version of {other}") } else { other.to_owned() };
        return Err(anyhow!(
            "{} is a recording of {other}, not of {name}; its hand would be elsewhere. Replay that scene, or this one with --other-scene",
            path.display()
        ))
        .or_bad_input();
    }
    check_whole(path, &recording, console)?;
    Ok(Some(recording))
}

/// A recording that was cut off, or has gaps, is replayed as far as it goes, but not without a word.
fn check_whole(path: &Path, recording: &Recording, console: &Console) -> Result<(), Failure> {
    let entries = recording.entries().len() as u64;
    if entries == 0 {
        let why = if recording.is_finished() {
            "it ended before its first tick"
        } else {
            "it was cut off before its first block was whole"
        };
        return Err(anyhow!(
            "{}: there are 0 entries in this recording, for {why}; there is nothing to replay. Make another with --record",
            path.display()
        ))
        .or_bad_input();
    }
    if !recording.is_finished() {
        console.warn(format_args!(
            "{}: the recording was cut off; {} before that are whole, and only these are replayed",
            path.display(),
            counted(entries)
        ));
    }
    if recording.dropped() > 0 {
        console.warn(format_args!(
            "{}: {} missing between those that were recorded, so forces will differ",
            path.display(),
            match recording.dropped() {
                1 => "1 tick is".to_owned(),
                ticks => format!("{} ticks are", count(ticks)),
            }
        ));
    }
    Ok(())
}

fn counted(entries: u64) -> String {
    if entries == 1 { "1 entry".to_owned() } else { format!("{} entries", count(entries)) }
}

/// Whether it was made in step (`--single-threaded`): then the simulation had answered to every state before its force was told.
pub(super) fn was_in_step(entries: &[Entry]) -> bool {
    let mut answered = entries.iter().filter(|entry| !entry.device_lost && entry.state.is_sound());
    answered.all(|entry| entry.data_time.to_bits() == entry.state.time.to_bits())
}

/// What forces depend on besides the scene's text and the hand.
pub(super) fn made_with(args: &Args, scene: &HapticScene, built: &BuiltHaptic) -> String {
    let (cell, points) = (built.pair.surface().cell(), built.pair.shell().len());
    format!("{} offset {} cell {cell:.6e} points {points}", args.method.name(), scene.offset)
}

/// A replay has the method, offset, resolution and points of its own command line. Where they are not those of the recording its forces are not either.
pub(super) fn warn_of_other_options(recorded: &str, now: &str, console: &Console) {
    // What is between the fingerprint and the name; recordings of before had no cell.
    let options = |scene: &str| -> Option<String> {
        let (_, rest) = scene.split_once(' ')?;
        rest.contains(" cell ").then(|| rest.split(' ').take(7).collect::<Vec<_>>().join(" "))
    };
    let is_same_scene = recorded.split(' ').next() == now.split(' ').next();
    if let (true, Some(then), Some(now)) = (is_same_scene, options(recorded), options(now))
        && then != now
    {
        console.warn(format_args!(
            "the recording was made with {then}, and is replayed with {now}: forces will differ. Give the same --method, --offset, --resolution and --points for the same forces"
        ));
    }
}
