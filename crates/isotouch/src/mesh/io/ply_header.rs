//! The header of a PLY file: which elements follow, how many, made of what.

use super::Format;
use super::error::{Fault, Problem};
use super::scalar::Scalar;
use super::text::{self, Text, excerpt, is_blank, words};

impl Scalar {
    fn named(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => return None,
        })
    }
}

/// One property of an element.
#[derive(Debug)]
pub(super) struct Property<'a> {
    pub(super) name: &'a [u8],
    /// The type of the length, if this is a list.
    pub(super) list: Option<Scalar>,
    /// The type of the value or values.
    pub(super) value: Scalar,
}

/// A table of the body.
#[derive(Debug)]
pub(super) struct Element<'a> {
    pub(super) name: &'a [u8],
    pub(super) count: u64,
    pub(super) properties: Vec<Property<'a>>,
    /// Where the header announces it.
    pub(super) at: usize,
}

#[derive(Debug)]
pub(super) struct Header<'a> {
    pub(super) format: Format,
    pub(super) elements: Vec<Element<'a>>,
    /// Where the body begins.
    pub(super) end: usize,
}

/// Where the word `ply` stands if the file begins with it, blanks allowed before.
fn magic(bytes: &[u8]) -> Option<usize> {
    let start = bytes.iter().position(|&b| !is_blank(b))?;
    let rest = bytes[start..].strip_prefix(b"ply")?;
    rest.first().is_none_or(|&b| is_blank(b)).then_some(start)
}

/// Which kind of PLY this is, if it is one. With a broken format line it counts as text: reading it will tell.
pub(super) fn format(bytes: &[u8]) -> Option<Format> {
    let mut text = Text::new(bytes, magic(bytes)?);
    while let Some(line) = text.line() {
        let mut words = words(line);
        if words.next() == Some(b"format") {
            return Some(words.next().and_then(named_format).unwrap_or(Format::PlyAscii));
        }
    }
    Some(Format::PlyAscii)
}

fn named_format(name: &[u8]) -> Option<Format> {
    match name {
        b"ascii" => Some(Format::PlyAscii),
        b"binary_little_endian" => Some(Format::PlyLittleEndian),
        b"binary_big_endian" => Some(Format::PlyBigEndian),
        _ => None,
    }
}

pub(super) fn parse(bytes: &[u8]) -> Result<Header<'_>, Fault> {
    let start = magic(bytes).unwrap_or(0);
    let mut text = Text::new(bytes, start);
    let magic_line = text.line().unwrap_or_default();
    // A header that ends its lines in CR alone may be followed by a body that begins with the byte of LF.
    let ends_in_cr_alone = bytes[start + magic_line.len()..].first() == Some(&b'\r')
        && bytes.get(start + magic_line.len() + 1) != Some(&b'\n');
    let mut format = None;
    let mut elements: Vec<Element<'_>> = Vec::new();
    loop {
        let line = text.line().ok_or_else(|| text.cut_short("the header (there is no `end_header`)"))?;
        let line_end = text.last() + line.len();
        let line_words: Vec<&[u8]> = words(line).take(6).collect();
        match line_words.as_slice() {
            [] | [b"comment" | b"obj_info", ..] => {}
            [b"format", name, ..] => {
                let named = named_format(name).ok_or_else(|| unexpected(&text, line))?;
                format = Some(named);
            }
            [b"element", name, count] => {
                let problem = |problem| text.fault(problem);
                let count = text::integer(count).map_err(problem)?;
                let count = u64::try_from(count).map_err(|_| unexpected(&text, line))?;
                elements.push(Element { name, count, properties: Vec::new(), at: text.last() });
            }
            [b"property", kind @ .., name] => {
                let (list, value) = match kind {
                    [value] => (None, Scalar::named(value)),
                    [b"list", length, value] => (Scalar::named(length), Scalar::named(value)),
                    _ => (None, None),
                };
                let is_list = kind.first() == Some(&&b"list"[..]);
                match (value, elements.last_mut()) {
                    (Some(value), Some(element)) if list.is_some() == is_list => {
                        element.properties.push(Property { name, list, value });
                    }
                    _ => return Err(unexpected(&text, line)),
                }
            }
            [b"end_header"] => {
                let end = if ends_in_cr_alone { line_end + 1 } else { bytes.len() - text.remaining().len() };
                let format = format.ok_or_else(|| {
                    text.fault(Problem::Syntax(
                        "the header has no `format` line; export the file again".into(),
                    ))
                })?;
                return Ok(Header { format, elements, end: end.min(bytes.len()) });
            }
            // Some writers forget the word `comment`. Before the first element a line cannot describe data.
            _ if elements.is_empty() => {}
            _ => return Err(unexpected(&text, line)),
        }
    }
}

fn unexpected(text: &Text<'_>, line: &[u8]) -> Fault {
    let message = format!("the header line `{}` makes no sense in PLY; export the file again", excerpt(line));
    text.fault(Problem::Syntax(message))
}
