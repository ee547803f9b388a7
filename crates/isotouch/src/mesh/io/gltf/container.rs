//! The binary container: a header and chunks.

use super::super::error::{Fault, Place, Problem};

const MAGIC: &[u8; 4] = b"glTF";
const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;
const JSON: &[u8; 4] = b"JSON";
const BINARY: &[u8; 4] = b"BIN\0";

/// The parts of a binary file.
#[derive(Debug)]
pub(super) struct Container<'a> {
    pub(super) json: &'a [u8],
    /// Where the JSON begins in the file.
    pub(super) json_at: usize,
    pub(super) binary: Option<&'a [u8]>,
    /// Bytes after the length that the header states.
    pub(super) trailing_bytes: usize,
}

pub(in super::super) fn has_magic(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

pub(super) fn open(bytes: &[u8]) -> Result<Container<'_>, Fault> {
    if !has_magic(bytes) {
        return syntax(0, "a .glb file begins with `glTF`, and this one does not; export it again");
    }
    let (Some(version), Some(length)) = (u32_at(bytes, 4), u32_at(bytes, 8)) else {
        return cut_short(bytes.len(), "the 12-byte header of a .glb file");
    };
    if version != 2 {
        return syntax(
            4,
            format!("this is binary glTF version {version}; only version 2 is read, export it as such"),
        );
    }
    if (length as usize) < HEADER || length as usize > bytes.len() {
        let problem = Problem::CountTooLarge {
            what: "bytes in all".into(),
            count: length.into(),
            needed: u64::from(length).max(HEADER as u64),
            present: bytes.len(),
        };
        return Err(Fault { place: Place::Byte(8), problem });
    }
    let trailing_bytes = bytes.len() - length as usize;
    let bytes = &bytes[..length as usize];

    let Some((kind, json_at, json)) = chunk(bytes, HEADER)? else {
        return cut_short(HEADER, "the file: it has no JSON chunk");
    };
    if kind != *JSON {
        return syntax(
            HEADER + 4,
            "the first chunk of a .glb file is JSON, and this one is not; export it again",
        );
    }
    let mut at = json_at + json.len();
    let mut binary = None;
    // Chunks of other kinds belong to extensions.
    while let Some((kind, content_at, content)) = chunk(bytes, at)? {
        if kind == *BINARY && binary.is_none() {
            binary = Some(content);
        }
        at = content_at + content.len();
    }
    Ok(Container { json, json_at, binary, trailing_bytes })
}

/// Kind, place and content of the chunk at `at`; `None` at the end.
#[allow(clippy::type_complexity, reason = "three parts, used twice, right above")]
fn chunk(bytes: &[u8], at: usize) -> Result<Option<([u8; 4], usize, &[u8])>, Fault> {
    let rest = &bytes[at..];
    // Fewer than four bytes are the padding of the last chunk, which some writers leave out of its length.
    if rest.len() < 4 {
        return Ok(None);
    }
    let (Some(length), Some(&kind)) = (u32_at(rest, 0), rest.get(4..).and_then(<[u8]>::first_chunk)) else {
        return cut_short(at, "the header of a chunk");
    };
    let content = &rest[CHUNK_HEADER..];
    match content.get(..length as usize) {
        Some(content) => Ok(Some((kind, at + CHUNK_HEADER, content))),
        None => {
            let (count, present) = (length.into(), content.len());
            let problem =
                Problem::CountTooLarge { what: "bytes of a chunk".into(), count, needed: count, present };
            Err(Fault { place: Place::Byte(at), problem })
        }
    }
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|four| u32::from_le_bytes(*four))
}

fn syntax<T>(at: usize, message: impl Into<String>) -> Result<T, Fault> {
    Err(Fault { place: Place::Byte(at), problem: Problem::Syntax(message.into()) })
}

fn cut_short<T>(at: usize, what: &str) -> Result<T, Fault> {
    Err(Fault { place: Place::Byte(at), problem: Problem::CutShort { what: what.into() } })
}
