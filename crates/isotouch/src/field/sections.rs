//! Files of one header, a table of sections, and the sections as they lie in memory: what `.field` and `.shell` files share.
//!
//! ```text
//!   0  magic        8 bytes   what kind of file it is
//!   8  version      u32
//!  12  …                      what that kind of file needs
//!  68  sections     u32       how many
//!  72  …
//!  96  file length  u64
//! 104  …
//! 124  checksum     u32       CRC-32 of bytes 0..124 and of the table
//! 128  table        sections × 32 bytes: kind u32, level u32, offset u64, count u64, checksum u32, reserved u32
//!      sections     each at a multiple of 64
//! ```
//!
//! All numbers are little-endian. Nothing is allocated by what a header claims: all lengths are compared with that of the file first.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use bytemuck::{Pod, Zeroable};

use super::storage::{Buffer, MappedFile};
use crate::atomic_file::write_atomically;

/// Bytes of the header.
pub(crate) const HEADER: usize = 128;
const ALIGNMENT: u64 = 64;
/// Bytes written between two looks at whether to stop: milliseconds on most disks.
const BETWEEN_LOOKS: usize = 1 << 20;
/// Where in the header things are that every kind of file has.
const VERSION_AT: usize = 8;
const SECTIONS_AT: usize = 68;
const LENGTH_AT: usize = 96;
const CHECKSUM_AT: usize = 124;

/// What kind of file, and up to which version it is understood.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileKind {
    pub(crate) magic: [u8; 8],
    pub(crate) version: u32,
}

/// What is wrong with a file.
#[derive(Debug)]
pub(crate) enum Fault {
    Io(io::Error),
    OtherKind,
    NewerVersion(u32),
    WrongLength { expected: u64, actual: u64 },
    Damaged { offset: u64, what: String },
    BigEndian,
    Cancelled,
}

impl Fault {
    pub(crate) fn damaged(offset: u64, what: impl Into<String>) -> Self {
        Self::Damaged { offset, what: what.into() }
    }
}

/// An entry of the table.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Section {
    pub(crate) kind: u32,
    pub(crate) level: u32,
    pub(crate) offset: u64,
    pub(crate) count: u64,
    pub(crate) checksum: u32,
    pub(crate) reserved: u32,
}

/// A section to write.
pub(crate) struct Part<'a> {
    pub(crate) kind: u32,
    pub(crate) level: u32,
    /// Size of one of its elements, in bytes.
    pub(crate) element: usize,
    pub(crate) bytes: &'a [u8],
}

impl<'a> Part<'a> {
    pub(crate) fn new<T: Pod>(kind: u32, level: u32, values: &'a [T]) -> Self {
        Self { kind, level, element: size_of::<T>(), bytes: bytemuck::cast_slice(values) }
    }
}

/// Writes a file, beside its place first. In the header, the number of sections, the length of the file and the checksum are filled in.
pub(crate) fn write(
    path: &Path,
    mut header: [u8; HEADER],
    parts: &[Part<'_>],
    cancel: &AtomicBool,
) -> Result<(), Fault> {
    if cfg!(target_endian = "big") {
        return Err(Fault::BigEndian);
    }
    let mut offset = (HEADER + size_of::<Section>() * parts.len()) as u64;
    let mut table = Vec::with_capacity(parts.len());
    for part in parts {
        offset = offset.next_multiple_of(ALIGNMENT);
        table.push(Section {
            kind: part.kind,
            level: part.level,
            offset,
            count: (part.bytes.len() / part.element) as u64,
            checksum: crc32fast::hash(part.bytes),
            reserved: 0,
        });
        offset += part.bytes.len() as u64;
    }
    put(&mut header, SECTIONS_AT, &(table.len() as u32).to_le_bytes());
    put(&mut header, LENGTH_AT, &offset.to_le_bytes());
    let checksum = header_checksum(&header, &table);
    put(&mut header, CHECKSUM_AT, &checksum.to_le_bytes());
    let write = |out: &mut dyn Write| {
        out.write_all(&header)?;
        out.write_all(bytemuck::cast_slice(&table))?;
        let mut at = (HEADER + size_of_val::<[Section]>(&table)) as u64;
        for (entry, part) in table.iter().zip(parts) {
            let gap = (entry.offset - at) as usize;
            out.write_all(&[0; ALIGNMENT as usize][..gap])?;
            for some in part.bytes.chunks(BETWEEN_LOOKS) {
                if cancel.load(Ordering::Relaxed) {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                out.write_all(some)?;
            }
            at = entry.offset + part.bytes.len() as u64;
        }
        Ok(())
    };
    write_atomically(path, write).map_err(|error| match error.kind() {
        io::ErrorKind::Interrupted => Fault::Cancelled,
        _ => Fault::Io(error),
    })
}

fn put(header: &mut [u8; HEADER], at: usize, bytes: &[u8]) {
    header[at..at + bytes.len()].copy_from_slice(bytes);
}

fn header_checksum(header: &[u8; HEADER], table: &[Section]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&header[..CHECKSUM_AT]);
    hasher.update(bytemuck::cast_slice(table));
    hasher.finalize()
}

/// A file whose header and table are in order.
#[derive(Debug, Clone)]
pub(crate) struct SectionFile {
    pub(crate) header: [u8; HEADER],
    pub(crate) table: Vec<Section>,
    file: MappedFile,
}

impl SectionFile {
    /// Maps a file and checks its header and table, but not the sections.
    pub(crate) fn open(path: &Path, kind: &FileKind) -> Result<Self, Fault> {
        if cfg!(target_endian = "big") {
            return Err(Fault::BigEndian);
        }
        let file = File::open(path).map_err(Fault::Io)?;
        let metadata = file.metadata().map_err(Fault::Io)?;
        if !metadata.is_file() || metadata.len() < 8 {
            return Err(Fault::OtherKind);
        }
        let file = MappedFile::open(&file).map_err(Fault::Io)?;
        let bytes = file.bytes();
        // The file may have become shorter since it was looked at.
        if bytes.get(..8) != Some(&kind.magic[..]) {
            return Err(Fault::OtherKind);
        }
        let actual = bytes.len() as u64;
        let Some(&header) = bytes.first_chunk::<HEADER>() else {
            return Err(Fault::WrongLength { expected: HEADER as u64, actual });
        };
        let version = u32_at(&header, VERSION_AT);
        if version > kind.version {
            return Err(Fault::NewerVersion(version));
        }
        let expected: u64 = bytemuck::pod_read_unaligned(&header[LENGTH_AT..LENGTH_AT + 8]);
        if expected != actual {
            return Err(Fault::WrongLength { expected, actual });
        }
        // At most what fits between the header and the end, so a lying count allocates no more than the file's length.
        let sections = u32_at(&header, SECTIONS_AT);
        let table_bytes = bytes
            .get(HEADER..HEADER + sections as usize * size_of::<Section>())
            .ok_or_else(|| Fault::damaged(SECTIONS_AT as u64, format!("it claims {sections} sections")))?;
        let table: Vec<Section> =
            table_bytes.chunks_exact(size_of::<Section>()).map(bytemuck::pod_read_unaligned).collect();
        if header_checksum(&header, &table) != u32_at(&header, CHECKSUM_AT) {
            return Err(Fault::damaged(CHECKSUM_AT as u64, "the checksum of its header does not match"));
        }
        // What has no meaning yet must be 0, or it could never be given one.
        let is_sound = |section: &Section| section.offset.is_multiple_of(ALIGNMENT) && section.reserved == 0;
        if let Some(k) = table.iter().position(|section| !is_sound(section)) {
            let place = (HEADER + k * size_of::<Section>()) as u64;
            return Err(Fault::damaged(place, "an entry of its table is none that is ever written"));
        }
        Ok(Self { header, table, file })
    }

    /// Compares the bytes of a section, whose elements have so many, with its checksum.
    pub(crate) fn check(&self, section: &Section, element: usize) -> Result<(), Fault> {
        let range = || {
            let length = section.count.checked_mul(element as u64)?;
            let end = usize::try_from(section.offset.checked_add(length)?).ok()?;
            self.file.bytes().get(section.offset as usize..end)
        };
        let bytes =
            range().ok_or_else(|| Fault::damaged(section.offset, "a section lies outside the file"))?;
        if crc32fast::hash(bytes) != section.checksum {
            let what = format!("the checksum of its {} bytes does not match", bytes.len());
            return Err(Fault::damaged(section.offset, what));
        }
        Ok(())
    }

    /// The sections, to be taken in the one order there is.
    pub(crate) fn sections(&self) -> Sections<'_> {
        Sections { file: self, next: 0 }
    }
}

fn u32_at(header: &[u8; HEADER], at: usize) -> u32 {
    bytemuck::pod_read_unaligned(&header[at..at + 4])
}

/// The table, taken section by section.
pub(crate) struct Sections<'a> {
    file: &'a SectionFile,
    next: usize,
}

impl Sections<'_> {
    /// The next section, which must be of this kind, and of this length if it is known.
    pub(crate) fn take<T: Pod>(
        &mut self,
        kind: u32,
        level: u32,
        count: Option<u64>,
    ) -> Result<Buffer<T>, Fault> {
        let place = (HEADER + self.next * size_of::<Section>()) as u64;
        let damaged = |what: &str| Fault::damaged(place, what);
        let section = self.file.table.get(self.next).ok_or_else(|| damaged("a section is missing"))?;
        if section.kind != kind || section.level != level {
            return Err(damaged("a section is not the one that belongs there"));
        }
        if count.is_some_and(|count| count != section.count) {
            return Err(damaged("a section's length does not fit the others"));
        }
        self.next += 1;
        let range = || Some((usize::try_from(section.offset).ok()?, usize::try_from(section.count).ok()?));
        range()
            .and_then(|(offset, count)| self.file.file.slice(offset, count))
            .ok_or_else(|| damaged("a section lies outside the file"))
    }

    /// An error if there are more.
    pub(crate) fn finish(self) -> Result<(), Fault> {
        if self.next == self.file.table.len() {
            Ok(())
        } else {
            Err(Fault::damaged(SECTIONS_AT as u64, "the table has sections that do not belong there"))
        }
    }
}
