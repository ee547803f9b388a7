//! Recording from the servo loop.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::{Entry, RecordingError, RecordingHeader, RecordingWriter};

/// Entries the ring holds: two seconds at 4 kHz, longer than a disk usually pauses. 3.5 MB.
const RING: usize = 8192;
/// How often the thread looks into the ring.
const PAUSE: Duration = Duration::from_millis(5);

/// The servo loop's end of a recording. [`Recorder::push`] is wait-free and allocates nothing; a thread of its own writes.
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    ring: rtrb::Producer<Entry>,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<Result<u64, RecordingError>>>,
}

#[derive(Debug, Default)]
struct Shared {
    stop: AtomicBool,
    dropped: AtomicU64,
}

/// How a recording went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecorderReport {
    /// Ticks in the file.
    pub entries: u64,
    /// Ticks that are missing because they came faster than they could be written; the file says so too.
    pub dropped: u64,
}

impl Recorder {
    /// Begins a recording that will be at `path` once it is finished.
    pub fn start(path: &Path, header: &RecordingHeader) -> Result<Self, RecordingError> {
        let writer = RecordingWriter::create(path, header)?;
        let (ring, entries) = rtrb::RingBuffer::new(RING);
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("recorder".into())
            .spawn(move || write_all(writer, entries, &theirs))
            .map_err(|source| RecordingError::Io { path: path.to_owned(), source })?;
        Ok(Self { path: path.to_owned(), ring, shared, thread: Some(thread) })
    }

    /// Adds an entry; where the ring is full it is dropped and counted. Never waits.
    pub fn push(&mut self, entry: &Entry) {
        if self.ring.push(*entry).is_err() {
            self.shared.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many entries were dropped so far.
    pub fn dropped(&self) -> u64 {
        self.shared.dropped.load(Ordering::Relaxed)
    }

    /// Writes what is left and puts the file where it belongs. Not for the servo loop.
    pub fn finish(mut self) -> Result<RecorderReport, RecordingError> {
        let gone = RecordingError::WriterGone { path: self.path.clone() };
        let entries = self.stop().unwrap_or(Err(gone))?;
        Ok(RecorderReport { entries, dropped: self.dropped() })
    }

    fn stop(&mut self) -> Option<Result<u64, RecordingError>> {
        self.shared.stop.store(true, Ordering::Release);
        self.thread.take()?.join().ok()
    }
}

impl Drop for Recorder {
    /// A recording that was not finished is worth keeping: it is, but nobody hears whether that worked.
    fn drop(&mut self) {
        let _ = self.stop();
    }
}

fn write_all(
    mut writer: RecordingWriter,
    mut entries: rtrb::Consumer<Entry>,
    shared: &Shared,
) -> Result<u64, RecordingError> {
    loop {
        // Before the ring is emptied: what was pushed before the stop is then seen.
        let stop = shared.stop.load(Ordering::Acquire);
        while let Ok(entry) = entries.pop() {
            writer.push(&entry)?;
        }
        writer.note_dropped(shared.dropped.load(Ordering::Relaxed));
        if stop {
            let count = writer.entries();
            return writer.finish().map(|()| count);
        }
        thread::sleep(PAUSE);
    }
}
