//! STL, as text and as binary records.
//!
//! ```text
//! binary, little endian:  header  80 bytes, anything
//!                         count    u32
//!                         count x { normal 3 f32, corners 3 x 3 f32, attribute u16 }   50 bytes each
//! ```
//!
//! Normals are ignored: writers fill them with zeros or NaN, and the corners have the winding.

use glam::DVec3;

use super::error::{Fault, Place, Problem};
use super::raw::RawMesh;
use super::text::{self, Text, excerpt};

const HEADER: usize = 84;
const RECORD: usize = 50;

/// Whether the length is exactly what the count says. No text passes: its count would be above 150 million.
pub(super) fn is_exactly_binary(bytes: &[u8]) -> bool {
    announced(bytes).is_some_and(|count| count as u64 * RECORD as u64 + HEADER as u64 == bytes.len() as u64)
}

fn announced(bytes: &[u8]) -> Option<u32> {
    bytes.get(80..HEADER)?.try_into().ok().map(u32::from_le_bytes)
}

/// Whether it begins with `solid` and goes on as text does.
pub(super) fn begins_like_ascii(bytes: &[u8]) -> bool {
    let mut text = Text::new(bytes, 0);
    if !text.word().is_some_and(|word| word.eq_ignore_ascii_case(b"solid")) {
        return false;
    }
    text.line();
    match text.word() {
        None => true,
        Some(word) => [&b"facet"[..], b"endsolid", b"outer"].iter().any(|w| word.eq_ignore_ascii_case(w)),
    }
}

pub(super) fn parse_binary(bytes: &[u8]) -> Result<RawMesh, Fault> {
    let fault = |at, problem| Err(Fault { place: Place::Byte(at), problem });
    let Some(count) = announced(bytes) else {
        return fault(bytes.len(), Problem::CutShort { what: "the 84-byte header of a binary STL".into() });
    };
    let needed = u64::from(count) * RECORD as u64;
    let body = &bytes[HEADER..];
    if needed > body.len() as u64 {
        let what = "triangles of binary STL".into();
        return fault(80, Problem::CountTooLarge { what, count: count.into(), needed, present: body.len() });
    }
    let mut mesh = RawMesh::default();
    mesh.trailing_bytes = body.len() - needed as usize;
    mesh.vertices.reserve_exact(3 * count as usize);
    mesh.corners.reserve_exact(3 * count as usize);
    mesh.sizes.resize(count as usize, 3);
    for (triangle, record) in body.chunks_exact(RECORD).take(count as usize).enumerate() {
        for corner in 0..3 {
            let at = 12 + 12 * corner;
            let position = DVec3::from_array([0, 4, 8].map(|axis| f64::from(f32_at(record, at + axis))));
            if !position.is_finite() {
                let text = format!("{}, {}, {}", position.x, position.y, position.z);
                return fault(HEADER + RECORD * triangle + at, Problem::NotFinite { text });
            }
            mesh.push_corner(mesh.vertices.len() as u32, 0);
            mesh.vertices.push(position);
        }
    }
    Ok(mesh)
}

fn f32_at(record: &[u8], at: usize) -> f32 {
    f32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]])
}

/// The word in lower case, as far as it fits: no keyword is longer than eight letters.
fn lower_case<'a>(word: &[u8], buffer: &'a mut [u8; 8]) -> &'a [u8] {
    let Some(lower) = buffer.get_mut(..word.len()) else { return b"" };
    lower.copy_from_slice(word);
    lower.make_ascii_lowercase();
    lower
}

pub(super) fn parse_ascii(bytes: &[u8]) -> Result<RawMesh, Fault> {
    let mut text = Text::new(bytes, 0);
    let mut mesh = RawMesh::default();
    let mut first = 0;
    let mut inside_solid = false;
    let mut buffer = [0; 8];
    while let Some(word) = text.word() {
        // Keywords come in any case, and some writers put a whole facet on one line.
        match lower_case(word, &mut buffer) {
            b"vertex" if inside_solid => {
                let mut position = DVec3::ZERO;
                for axis in 0..3 {
                    let word = text.word().ok_or_else(|| text.cut_short("a vertex"))?;
                    position[axis] = text::coordinate(word).map_err(|problem| text.fault(problem))?;
                }
                mesh.push_corner(mesh.vertices.len() as u32, text.last());
                mesh.vertices.push(position);
            }
            b"normal" if inside_solid => (0..3).for_each(|_| {
                text.word();
            }),
            b"endloop" if inside_solid => {
                mesh.end_face(first);
                first = mesh.corners.len();
            }
            b"facet" | b"outer" | b"loop" | b"endfacet" if inside_solid => {}
            b"solid" => {
                inside_solid = true;
                text.line();
            }
            // `endsolid name` or the older `end solid name`.
            b"endsolid" | b"end" => {
                inside_solid = false;
                text.line();
            }
            _ => {
                let expected = if inside_solid { "facet, vertex or endsolid" } else { "solid" };
                let found = excerpt(word);
                let message =
                    format!("found `{found}` where ASCII STL has {expected}; export the file again");
                return Err(text.fault(Problem::Syntax(message)));
            }
        }
    }
    // Without its last line the file may lack any number of triangles.
    if inside_solid || first < mesh.corners.len() {
        return Err(text.cut_short("a solid (there is no `endsolid`)"));
    }
    Ok(mesh)
}
