//! A recording, read. Memory follows the bytes that are there, not what they claim.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use super::format::{
    BLOCK_HEADER_BYTES, BadHeader, ENTRIES_PER_BLOCK, ENTRY_BYTES, HEADER_BYTES, decode_block_header,
    decode_entry, decode_header,
};
use super::{Entry, RecordingError, RecordingHeader};

/// A whole recording in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    header: RecordingHeader,
    entries: Vec<Entry>,
    is_finished: bool,
    dropped: u64,
}

/// Five hours at 1 kHz, 8 GB: more is a mistake, or wants the other way.
const MOST_ENTRIES: usize = 18_000_000;

impl Recording {
    /// Reads a file and checks it. One that was cut off (its process was killed) is read up to its last whole block.
    pub fn open(path: &Path) -> Result<Self, RecordingError> {
        let mut reader = RecordingReader::open(path)?;
        let mut entries = Vec::new();
        while let Some(block) = reader.next_block()? {
            if entries.len() + block.len() > MOST_ENTRIES {
                return Err(RecordingError::TooLong { path: path.to_owned(), limit: MOST_ENTRIES });
            }
            entries.extend_from_slice(block);
        }
        let (is_finished, dropped) = (reader.is_finished(), reader.dropped());
        Ok(Self { header: reader.header, entries, is_finished, dropped })
    }

    /// What it is of.
    pub fn header(&self) -> &RecordingHeader {
        &self.header
    }

    /// All ticks in their order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Whether it was ended as it should be, and not cut off.
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// How many ticks are missing because they came faster than they could be written.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }
}

/// Reads a recording block by block.
#[derive(Debug)]
pub struct RecordingReader {
    path: PathBuf,
    file: BufReader<File>,
    header: RecordingHeader,
    /// Bytes read.
    at: u64,
    /// Entries read.
    entries: u64,
    dropped: u64,
    end: End,
    bytes: Vec<u8>,
    block: Vec<Entry>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    NotYet,
    Finished,
    CutOff,
}

impl RecordingReader {
    /// Reads the header.
    pub fn open(path: &Path) -> Result<Self, RecordingError> {
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => RecordingError::Missing { path: path.to_owned() },
            _ => RecordingError::Io { path: path.to_owned(), source },
        };
        let mut file = BufReader::new(File::open(path).map_err(failed)?);
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        file.by_ref().take(HEADER_BYTES as u64).read_to_end(&mut bytes).map_err(failed)?;
        let damaged = |what| RecordingError::Damaged { path: path.to_owned(), at: 0, what, whole: 0 };
        let Ok(header) = <&[u8; HEADER_BYTES]>::try_from(bytes.as_slice()) else {
            return Err(if bytes.starts_with(&super::format::MAGIC) {
                damaged("the file ends within its header")
            } else {
                RecordingError::NotARecording { path: path.to_owned() }
            });
        };
        let header = decode_header(header).map_err(|bad| match bad {
            BadHeader::Magic => RecordingError::NotARecording { path: path.to_owned() },
            BadHeader::Version(version) => RecordingError::Version { path: path.to_owned(), version },
            BadHeader::Damaged(what) => damaged(what),
        })?;
        Ok(Self {
            path: path.to_owned(),
            file,
            header,
            at: HEADER_BYTES as u64,
            entries: 0,
            dropped: 0,
            end: End::NotYet,
            bytes,
            block: Vec::with_capacity(ENTRIES_PER_BLOCK),
        })
    }

    /// What it is of.
    pub fn header(&self) -> &RecordingHeader {
        &self.header
    }

    /// The next ticks; `None` at the end, or where the file was cut off.
    pub fn next_block(&mut self) -> Result<Option<&[Entry]>, RecordingError> {
        if self.end != End::NotYet {
            return Ok(None);
        }
        if !self.fill(BLOCK_HEADER_BYTES)? {
            self.end = End::CutOff;
            return Ok(None);
        }
        let mut bytes = [0; BLOCK_HEADER_BYTES];
        bytes.copy_from_slice(&self.bytes);
        let header = decode_block_header(&bytes).map_err(|what| self.damaged(what))?;
        if header.first != self.entries {
            return Err(self.damaged("a block is missing or twice"));
        }
        if header.is_end {
            self.at += BLOCK_HEADER_BYTES as u64;
            if self.fill(1)? {
                return Err(self.damaged("something follows the end"));
            }
            (self.end, self.dropped) = (End::Finished, header.dropped);
            return Ok(None);
        }
        // At most a block of entries: the count was checked.
        if !self.fill(header.count as usize * ENTRY_BYTES)? {
            self.end = End::CutOff;
            return Ok(None);
        }
        if crc32fast::hash(&self.bytes) != header.checksum {
            return Err(self.damaged("the checksum of a block is wrong"));
        }
        self.block.clear();
        for entry in self.bytes.chunks_exact(ENTRY_BYTES) {
            match decode_entry(entry) {
                Some(entry) => self.block.push(entry),
                None => return Err(self.damaged("an entry has flags that do not exist")),
            }
        }
        self.at += (BLOCK_HEADER_BYTES + self.bytes.len()) as u64;
        self.entries += u64::from(header.count);
        self.dropped = header.dropped;
        Ok(Some(&self.block))
    }

    /// After the last block: whether the recording was ended as it should be, and not cut off.
    pub fn is_finished(&self) -> bool {
        self.end == End::Finished
    }

    /// How many ticks, up to here, are missing because they came faster than they could be written.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Reads so many bytes; false if there are fewer.
    fn fill(&mut self, count: usize) -> Result<bool, RecordingError> {
        self.bytes.clear();
        let read = self.file.by_ref().take(count as u64).read_to_end(&mut self.bytes);
        match read {
            Ok(read) => Ok(read == count),
            Err(source) => Err(RecordingError::Io { path: self.path.clone(), source }),
        }
    }

    fn damaged(&self, what: &'static str) -> RecordingError {
        RecordingError::Damaged { path: self.path.clone(), at: self.at, what, whole: self.entries }
    }
}
