//! What a recording of a haptic session holds.

use std::path::Path;

use anyhow::anyhow;
use isotouch::haptics::record::{RecordingError, RecordingReader};
use serde_json::{Map, Value, json};

use crate::failure::{Classify, Failure};
use crate::format::{count, number};

/// In words and for programs.
pub(super) struct RecordingFacts {
    pub(super) facts: Vec<(&'static str, String)>,
    pub(super) json: Map<String, Value>,
}

/// `None` if it is no recording. All of it is read, block by block, and checked.
pub(super) fn look_at(path: &Path) -> Result<Option<RecordingFacts>, Failure> {
    let mut reader = match RecordingReader::open(path) {
        Ok(reader) => reader,
        // By its name it should be one: that it is no mesh would tell nobody anything.
        Err(RecordingError::NotARecording { .. }) if path.extension().is_some_and(|of| of == "recording") => {
            return Err(anyhow!(
                "{}: a damaged recording: it does not begin with \"isotrace\" (byte 0), so nothing of it can be read; take a copy of it, or make \
                 another with `isotouch haptic SCENE --record FILE`",
                path.display()
            ))
            .or_bad_input();
        }
        Err(
            RecordingError::NotARecording { .. } | RecordingError::Missing { .. } | RecordingError::Io { .. },
        ) => {
            return Ok(None);
        }
        Err(error) => return Err(error).or_bad_input(),
    };
    let (mut entries, mut lost) = (0, 0);
    let mut span: Option<[f64; 2]> = None;
    while let Some(block) = reader.next_block().or_bad_input()? {
        entries += block.len() as u64;
        lost += block.iter().filter(|entry| entry.device_lost).count() as u64;
        if let (Some(first), Some(last)) = (block.first(), block.last()) {
            span = Some([span.map_or(first.time, |[begin, _]| begin), last.time]);
        }
    }
    let seconds = span.map_or(0.0, |[begin, end]| end - begin);
    let header = reader.header();
    let how = if reader.is_finished() { "" } else { "; it was cut off" };
    // Before the scene's name is what tells whether another is the same, and the options it was made with.
    let (_, scene) = header.scene.split_once(' ').unwrap_or(("", &header.scene));
    let facts = vec![
        (
            "entries",
            format!("{} of {} s at {} Hz{how}", count(entries), number(seconds), number(header.rate)),
        ),
        ("device", format!("{}, {}", header.device, header.causality.name())),
        ("scene", scene.to_owned()),
        ("missing ticks", count(reader.dropped())),
        ("ticks without a device", count(lost)),
    ];
    let json = json!({
        "kind": "recording",
        "entries": entries,
        "seconds": seconds,
        "rate": header.rate,
        "device": header.device,
        "causality": header.causality.name(),
        "scene": scene,
        "finished": reader.is_finished(),
        "dropped": reader.dropped(),
        "lost_ticks": lost,
    });
    let json = json.as_object().cloned().unwrap_or_default();
    Ok(Some(RecordingFacts { facts, json }))
}
