//! Where the numbers are: in the binary chunk, in the JSON itself, or in a file beside it.

use std::cell::OnceCell;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::super::error::{Fault, Problem};
use super::super::gzip::MAX_BYTES;
use super::super::text::excerpt;
use super::base64;
use super::document::{Document, Member};
use super::extensions::{self, MESHOPT};

/// The buffers of a document, each fetched when it is first asked for: those that hold only pictures or animations never
/// are.
pub(super) struct Buffers<'a> {
    document: &'a Document,
    /// The content of the first buffer, if it names no other.
    binary_chunk: Option<&'a [u8]>,
    folder: Option<&'a Path>,
    fetched: Vec<OnceCell<Vec<u8>>>,
}

/// A part of a buffer, and the step from one element to the next where it says so.
pub(super) struct View<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) stride: Option<usize>,
}

impl<'a> Buffers<'a> {
    pub(super) fn new(
        document: &'a Document,
        binary_chunk: Option<&'a [u8]>,
        folder: Option<&'a Path>,
    ) -> Self {
        // A list of buffers that is no list is reported by whoever asks for the first one.
        let count = document.count("buffers").unwrap_or(0);
        Self { document, binary_chunk, folder, fetched: vec![OnceCell::new(); count] }
    }

    /// The bytes of the buffer view that `reference` names.
    pub(super) fn view(&self, reference: &Member<'_>) -> Result<View<'_>, Fault> {
        let (_, view) = self.document.entry("bufferViews", reference)?;
        for name in MESHOPT {
            if view.has_extension(name)? && !self.has_fallback(&view)? {
                return Err(extensions::unknown(&view, name));
            }
        }
        let bytes = self.buffer(&view.require("buffer")?)?;
        let offset = view.whole_or("byteOffset", 0)?;
        let length = view.require("byteLength")?;
        let count = length.whole()?;
        let bytes = slice(bytes, offset, count).ok_or_else(|| {
            length.fault(Problem::CountTooLarge {
                what: format!("bytes from byte {offset} of a buffer"),
                count,
                needed: count,
                present: bytes.len().saturating_sub(usize::try_from(offset).unwrap_or(usize::MAX)),
            })
        })?;
        let stride = match view.get("byteStride")? {
            Some(stride) => match usize::try_from(stride.whole()?) {
                Ok(bytes @ 1..=252) => Some(bytes),
                _ => return stride.syntax("a stride is from 4 to 252 bytes; export the file again"),
            },
            None => None,
        };
        Ok(View { bytes, stride })
    }

    /// Whether the buffer of a compressed view has content for those who cannot unpack.
    fn has_fallback(&self, view: &Member<'_>) -> Result<bool, Fault> {
        let (index, buffer) = self.document.entry("buffers", &view.require("buffer")?)?;
        Ok(buffer.get("uri")?.is_some() || (index == 0 && self.binary_chunk.is_some()))
    }

    fn buffer(&self, reference: &Member<'_>) -> Result<&[u8], Fault> {
        let (index, buffer) = self.document.entry("buffers", reference)?;
        let length = buffer.require("byteLength")?;
        let announced = length.whole()?;
        let all = match (buffer.get("uri")?, self.binary_chunk) {
            (Some(uri), _) => match self.fetched[index].get() {
                Some(bytes) => bytes,
                None => {
                    let bytes = self.fetch(&uri, announced)?;
                    self.fetched[index].get_or_init(|| bytes)
                }
            },
            (None, Some(chunk)) if index == 0 => chunk,
            (None, _) => {
                return buffer.syntax(
                    "this buffer has no `uri`, and the file has no binary chunk for it; export the file again",
                );
            }
        };
        // More may be there: chunks and base64 are padded.
        slice(all, 0, announced).ok_or_else(|| {
            length.fault(Problem::CountTooLarge {
                what: "bytes of a buffer".into(),
                count: announced,
                needed: announced,
                present: all.len(),
            })
        })
    }

    fn fetch(&self, uri: &Member<'_>, length: u64) -> Result<Vec<u8>, Fault> {
        let text = uri.text()?;
        if let Some(data) = text.strip_prefix("data:") {
            let Some((_, encoded)) = data.split_once(";base64,") else {
                return uri
                    .syntax("a data URI is `data:…;base64,…`, and this one is not; export the file again");
            };
            return base64::decode(encoded).or_else(|at| {
                uri.syntax(format!(
                    "character {at} of the base64 data does not belong; export the file again"
                ))
            });
        }
        let shown = excerpt(text.as_bytes());
        let name = match file_beside(text) {
            Ok(name) => name,
            Err(why) => return uri.syntax(format!("the file `{shown}` is not read: {why}")),
        };
        let Some(folder) = self.folder else {
            return uri.syntax(format!(
                "the file `{shown}` is not at hand when a mesh is read from memory; read it from its folder, or \
                 export it as .glb"
            ));
        };
        read_file(&folder.join(name), length).or_else(|error| {
            uri.syntax(format!(
                "the file `{shown}` beside this one cannot be read ({error}); put it there, or export as .glb"
            ))
        })
    }
}

/// The files that a document's buffers are in, of those names that are followed.
pub(super) fn files(document: &Document) -> Result<Vec<PathBuf>, Fault> {
    let mut files = Vec::new();
    for index in 0..document.count("buffers")? {
        let Some(uri) = document.entry_at("buffers", index)?.get("uri")? else { continue };
        let uri = uri.text()?;
        files.extend((!uri.starts_with("data:")).then(|| file_beside(uri).ok()).flatten());
    }
    Ok(files)
}

/// `length` bytes from `offset`, if all of them are there.
fn slice(bytes: &[u8], offset: u64, length: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    let end = start.checked_add(usize::try_from(length).ok()?)?;
    bytes.get(start..end)
}

/// At most `length` bytes of a regular file: a pipe might never end.
fn read_file(path: &Path, length: u64) -> std::io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(std::io::Error::other("it is no regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(length.min(MAX_BYTES)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The relative path that a URI stands for. A model must not make its reader open files elsewhere, let alone over the net.
fn file_beside(uri: &str) -> Result<PathBuf, &'static str> {
    const OUTSIDE: &str = "only files in the folder of this one are, and in folders below it; move it there";
    let name = percent_decoded(uri).ok_or("its name is wrongly encoded; export the file again")?;
    if name.contains(':') {
        return Err("addresses and drives are not followed; download it and export as .glb");
    }
    if name.contains('\0') || name.is_empty() {
        return Err("that is no file name; export the file again");
    }
    if name.starts_with('/') || name.contains('\\') || name.split('/').any(|part| part == "..") {
        return Err(OUTSIDE);
    }
    Ok(PathBuf::from(name))
}

/// `my%20part.bin` is `my part.bin`.
fn percent_decoded(uri: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let [first, others @ ..] = rest {
        rest = others;
        if *first == b'%' {
            let (digits, others) = others.split_at_checked(2)?;
            let digit = |d: u8| char::from(d).to_digit(16);
            bytes.push((digit(digits[0])? * 16 + digit(digits[1])?) as u8);
            rest = others;
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_the_folder() {
        for (uri, name) in [
            ("part.bin", "part.bin"),
            ("./data/part.bin", "./data/part.bin"),
            ("my%20part.bin", "my part.bin"),
            ("%C3%A9.bin", "é.bin"),
            ("..part", "..part"),
        ] {
            assert_eq!(file_beside(uri), Ok(PathBuf::from(name)));
        }
        for uri in [
            "/etc/passwd",
            "../part.bin",
            "data/../../part.bin",
            "%2e%2e/part.bin",
            "..%2fpart.bin",
            "%2Fetc%2Fpasswd",
            "..\\part.bin",
            "data%5C..%5Cpart.bin",
            "C:/part.bin",
            "http://example.org/part.bin",
            "file:///etc/passwd",
            "part%00.bin",
            "part%zz.bin",
            "part%2",
            "%ff.bin",
            "",
        ] {
            assert!(file_beside(uri).is_err(), "{uri}");
        }
    }
}
