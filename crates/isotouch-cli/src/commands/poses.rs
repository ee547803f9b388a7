//! Paths from files, and turns that go either way.

use std::f64::consts::PI;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, anyhow};
use isotouch::ccd::path::PathReader;
use isotouch::math::{Motion, MotionKind, Pose};

use crate::console::Console;
use crate::failure::{Classify, Failure};
use crate::format::{count, plural};
use crate::interrupt::LeavesNothing;

/// In radians: what turns by no less than half a turn but for this goes one way round or the other by the last digits of its quaternions. Larger warns of turns
/// that are meant to be a little less than half; smaller misses those whose digits were rounded.
const NEARLY: f64 = 1e-6;
/// Legs that are named in a warning.
const MOST_NAMED: usize = 3;

/// The poses of a path; `-` is standard input.
pub(super) fn read(path: &Path, motion: MotionKind, console: &Console) -> Result<Vec<Pose>, Failure> {
    // A pipe may never end.
    let _reading = LeavesNothing::begin();
    if path.as_os_str() == "-" {
        return poses("standard input", io::stdin().lock(), motion, console);
    }
    let shown = path.display().to_string();
    let file = File::open(path).with_context(|| format!("cannot read {shown}")).or_bad_input()?;
    poses(&shown, BufReader::new(file), motion, console)
}

fn poses(
    shown: &str,
    input: impl BufRead,
    motion: MotionKind,
    console: &Console,
) -> Result<Vec<Pose>, Failure> {
    let mut reader = PathReader::new(input);
    let mut poses: Vec<Pose> = Vec::new();
    let mut half_turns = 0;
    let mut named = Vec::new();
    while let Some(pose) = reader.next() {
        let pose = pose.with_context(|| shown.to_owned()).or_bad_input()?;
        if let Some(&last) = poses.last()
            && is_half_turn(&Motion::new(motion, last, pose))
        {
            half_turns += 1;
            if named.len() < MOST_NAMED {
                named.push(format!("leg {} (to line {})", count(poses.len() as u64), count(reader.line())));
            }
        }
        poses.push(pose);
    }
    if half_turns > 0 {
        let more = half_turns - named.len();
        let more = if more > 0 { format!(" and {} more", count(more as u64)) } else { String::new() };
        console.warn(format_args!(
            "{shown}: {} half a turn, so that the last digit of a quaternion says which way round: {}{more}; put a pose in between",
            if half_turns == 1 { "a leg is".into() } else { format!("{} are", plural(half_turns as u64, "leg")) },
            named.join(", ")
        ));
    }
    match poses.len() {
        0 => Err(anyhow!("{shown} has no poses; a path needs at least two, one per line: x,y,z,qx,qy,qz,qw"))
            .or_bad_input(),
        1 => Err(anyhow!(
            "{shown} has only one pose; a path needs two. To check a single pose, write it twice"
        ))
        .or_bad_input(),
        _ => Ok(poses),
    }
}

/// Whether rounding decides which way round a motion goes. By chords every point goes straight.
fn is_half_turn(motion: &Motion) -> bool {
    motion.kind() != MotionKind::Chord && motion.angle() > PI - NEARLY
}

/// Says so of a single motion, with the options that its poses come from.
pub(super) fn warn_of_half_turn(motion: &Motion, options: &str, console: &Console) {
    if is_half_turn(motion) {
        console.warn(format_args!(
            "from {options} is half a turn, so that the last digit of a quaternion says which way round; sweep in two steps, with a pose in between"
        ));
    }
}
