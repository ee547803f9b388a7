//! A recording, written as it goes.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::atomic_file::UnfinishedFile;

use super::format::{
    BlockHeader, ENTRIES_PER_BLOCK, ENTRY_BYTES, encode_block_header, encode_entry, encode_header,
};
use super::{Entry, RecordingError, RecordingHeader};

/// Writes a recording beside its path, block by block, and renames it at the end. Dropped before [`RecordingWriter::finish`], the file is
/// removed; where the process is killed it stays beside the path (`.NAME.….unfinished`) and can be read up to its last whole block.
#[derive(Debug)]
pub struct RecordingWriter {
    path: PathBuf,
    file: UnfinishedFile,
    /// The entries of the block that is being filled, as bytes.
    block: Vec<u8>,
    /// Entries in blocks before it.
    written: u64,
    dropped: u64,
}

impl RecordingWriter {
    /// Begins a recording that will be at `path`.
    pub fn create(path: &Path, header: &RecordingHeader) -> Result<Self, RecordingError> {
        let failed = |source| RecordingError::Io { path: path.to_owned(), source };
        let mut file = UnfinishedFile::create(path).map_err(failed)?;
        file.write_all(&encode_header(header)).and_then(|()| file.flush()).map_err(failed)?;
        let block = Vec::with_capacity(ENTRIES_PER_BLOCK * ENTRY_BYTES);
        Ok(Self { path: path.to_owned(), file, block, written: 0, dropped: 0 })
    }

    /// Adds an entry. Every 256th writes a block.
    pub fn push(&mut self, entry: &Entry) -> Result<(), RecordingError> {
        encode_entry(entry, &mut self.block);
        if self.block.len() == ENTRIES_PER_BLOCK * ENTRY_BYTES { self.write_block() } else { Ok(()) }
    }

    /// How many entries were added.
    pub fn entries(&self) -> u64 {
        self.written + (self.block.len() / ENTRY_BYTES) as u64
    }

    /// Notes that entries were not recorded, since the start.
    pub(super) fn note_dropped(&mut self, dropped: u64) {
        self.dropped = dropped;
    }

    /// Writes what is left, says that this is the end, and puts the file where it belongs.
    pub fn finish(mut self) -> Result<(), RecordingError> {
        if !self.block.is_empty() {
            self.write_block()?;
        }
        let end =
            BlockHeader { is_end: true, count: 0, first: self.written, dropped: self.dropped, checksum: 0 };
        let path = self.path;
        let mut file = self.file;
        file.write_all(&encode_block_header(&end))
            .and_then(|()| file.finish())
            .map_err(|source| RecordingError::Io { path, source })
    }

    fn write_block(&mut self) -> Result<(), RecordingError> {
        let count = (self.block.len() / ENTRY_BYTES) as u32;
        let header = BlockHeader {
            is_end: false,
            count,
            first: self.written,
            dropped: self.dropped,
            checksum: crc32fast::hash(&self.block),
        };
        let written: io::Result<()> = (|| {
            self.file.write_all(&encode_block_header(&header))?;
            self.file.write_all(&self.block)?;
            // To the system, so that it survives this process.
            self.file.flush()
        })();
        written.map_err(|source| RecordingError::Io { path: self.path.clone(), source })?;
        self.written += u64::from(count);
        self.block.clear();
        Ok(())
    }
}
