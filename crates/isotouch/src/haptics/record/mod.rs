//! Everything that goes in and out of the servo loop, in a file.
//!
//! One entry a tick: what the device said, what the simulation made of it, what was sent. Numbers are stored bit for bit, so a recording
//! that is replayed ([`super::device::Replay`]) through the same deterministic simulation gives the same forces to the last bit. The bytes are described in
//! `docs/recording-format.md`.
//!
//! | | for |
//! |---|---|
//! | [`RecordingWriter`] | one thread: each entry is written where it is made |
//! | [`Recorder`] | the servo loop: entries go through a ring to a thread that writes; never waits, allocates or locks |
//! | [`Recording`], [`RecordingReader`] | all of it at once; block by block |
//!
//! ```
//! use isotouch::haptics::record::{Entry, Recording, RecordingHeader, RecordingWriter};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("session.recording");
//! let mut writer = RecordingWriter::create(&path, &RecordingHeader::default())?;
//! let entry = Entry { tick: 7, penetration: 1e-5, ..Entry::default() };
//! writer.push(&entry)?;
//! writer.finish()?;
//!
//! let recording = Recording::open(&path)?;
//! assert_eq!(recording.entries(), [entry]);
//! assert!(recording.is_finished());
//! # Ok::<(), isotouch::haptics::record::RecordingError>(())
//! ```

mod format;
mod reader;
mod recorder;
mod writer;

use std::io;
use std::path::PathBuf;

pub use reader::{Recording, RecordingReader};
pub use recorder::{Recorder, RecorderReport};
pub use writer::RecordingWriter;

use crate::math::{Pose, Wrench};

use super::device::{Causality, DeviceCommand, DeviceState};

/// What a recording is of.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordingHeader {
    /// The servo loop's rate, Hz.
    pub rate: f64,
    /// Which kind of device.
    pub causality: Causality,
    /// The device's name; at most 64 bytes of it are kept.
    pub device: String,
    /// What was touched and how, for people: the scene's name or file; at most 128 bytes are kept.
    pub scene: String,
    /// The largest force, N, and torque, N·m, that it could be told, in the scene's units; `None` in recordings that do not say.
    pub limits: Option<[f64; 2]>,
}

impl Default for RecordingHeader {
    fn default() -> Self {
        Self {
            rate: 1000.0,
            causality: Causality::Impedance,
            device: String::new(),
            scene: String::new(),
            limits: None,
        }
    }
}

/// One tick of the servo loop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    /// Its number.
    pub tick: u64,
    /// When it began, s, by the loop's clock.
    pub time: f64,
    /// When the simulation's data was made, s, by the same clock.
    pub data_time: f64,
    /// What the device said, in the scene's frame; the last state if the device was lost.
    pub state: DeviceState,
    /// Whether the device was lost.
    pub device_lost: bool,
    /// What the simulation wanted to push with, before [`super::safety`].
    pub wanted: Wrench,
    /// What was sent.
    pub command: DeviceCommand,
    /// Where the body is that stays outside.
    pub god_pose: Pose,
    /// How many points touch.
    pub contacts: u32,
    /// How deep the deepest point is inside, m.
    pub penetration: f64,
    /// How long the simulation's last step took, s.
    pub step_seconds: f64,
    /// What [`super::safety`] did: [`super::safety::SafetyStatus::bits`].
    pub safety: u32,
}

impl Default for Entry {
    fn default() -> Self {
        Self {
            tick: 0,
            time: 0.0,
            data_time: 0.0,
            state: DeviceState::at(Pose::IDENTITY),
            device_lost: false,
            wanted: Wrench::ZERO,
            command: DeviceCommand::NOTHING,
            god_pose: Pose::IDENTITY,
            contacts: 0,
            penetration: 0.0,
            step_seconds: 0.0,
            safety: 0,
        }
    }
}

/// What can be wrong with a recording.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// No such file.
    #[error("{}: there is no such recording; check the name, or make one with `isotouch haptic SCENE --record FILE`", path.display())]
    Missing {
        /// Which file.
        path: PathBuf,
    },
    /// Another kind of file.
    #[error("{}: not a recording of a haptic session (it does not begin with \"isotrace\")", path.display())]
    NotARecording {
        /// Which file.
        path: PathBuf,
    },
    /// Made by a later program.
    #[error("{}: version {version} of the format; this program reads version {}: use the one that made it", path.display(), format::VERSION)]
    Version {
        /// Which file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// Bytes that contradict themselves.
    #[error("{}: a recording that is damaged at byte {at}: {what}; the {whole} entries before that are whole (RecordingReader gives them). Take a copy of it, or make another with `isotouch haptic SCENE --record FILE`", path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// From where on.
        at: u64,
        /// What is wrong.
        what: &'static str,
        /// How many entries before are whole.
        whole: u64,
    },
    /// More than the given memory.
    #[error("{}: it holds more than {limit} entries; read it block by block with RecordingReader", path.display())]
    TooLong {
        /// Which file.
        path: PathBuf,
        /// How many may be held at once.
        limit: usize,
    },
    /// The thread that writes has ended before its time.
    #[error("{}: the thread that writes the recording panicked; the file was not finished", path.display())]
    WriterGone {
        /// Which file.
        path: PathBuf,
    },
}
