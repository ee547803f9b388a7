//! OFF: `[ST][C][N]OFF`, counts, one vertex per line, one face per line.
//!
//! A vertex line begins with x y z in every variety; normals, colours and texture coordinates after them are passed
//! over, and so are the colours after a face.

use glam::DVec3;

use super::error::{Fault, Problem};
use super::raw::RawMesh;
use super::text::{self, Text, excerpt, words};

/// The least a vertex takes: `0 0 0` and the end of its line.
const MIN_VERTEX: u64 = 6;
/// The least a face takes: `0` and the end of its line.
const MIN_FACE: u64 = 2;

pub(super) fn has_keyword(bytes: &[u8]) -> bool {
    Text::new(bytes, 0).word_outside_comments().and_then(keyword).is_some()
}

/// Whether the first line is just vertex, face and edge count: an OFF file that lost its keyword.
pub(super) fn begins_with_counts(bytes: &[u8]) -> bool {
    let mut text = Text::new(bytes, 0);
    let Some(first) = text.word_outside_comments() else { return false };
    let mut line = vec![first];
    line.extend(words(text.line().unwrap_or_default()).take_while(|word| !word.starts_with(b"#")));
    let counts: Vec<u64> = line.iter().filter_map(|word| count(word).ok()).collect();
    let next_line = text.line().unwrap_or_default();
    let coordinates = words(next_line).filter(|word| text::coordinate(word).is_ok()).count();
    (2..=3).contains(&line.len())
        && counts.len() == line.len()
        && counts[0] > 0
        && (coordinates >= 3 || next_line.is_empty())
}

/// Splits `STCNOFF` from what is glued to it (some files have `OFF8 6 0`).
fn keyword(word: &[u8]) -> Option<(&[u8], &[u8])> {
    let off = word.windows(3).position(|w| w.eq_ignore_ascii_case(b"off"))?;
    let (prefix, rest) = (&word[..off], &word[off + 3..]);
    let known =
        [&b""[..], b"C", b"N", b"ST", b"CN", b"STC", b"STN", b"STCN", b"4", b"n", b"4n", b"C4", b"N4"];
    let glued = rest.is_empty() || rest.iter().all(u8::is_ascii_digit);
    (glued && known.contains(&prefix)).then_some((prefix, rest))
}

pub(super) fn parse(bytes: &[u8]) -> Result<RawMesh, Fault> {
    let mut text = Text::new(bytes, 0);
    let mut first = text.word_outside_comments();
    if let Some((prefix, glued)) = first.and_then(keyword) {
        if prefix.iter().any(|b| b"4n".contains(b)) {
            let message =
                "OFF with four or more dimensions is not supported; export it with three".to_owned();
            return Err(text.fault(Problem::Syntax(message)));
        }
        first = if glued.is_empty() { text.word_outside_comments() } else { Some(glued) };
        if first.is_some_and(|word| word.eq_ignore_ascii_case(b"BINARY")) {
            let message = "binary OFF is not supported; export it as text, or as PLY".to_owned();
            return Err(text.fault(Problem::Syntax(message)));
        }
    }
    let vertices = count_at(&text, first, &"the vertex count")?;
    let second = text.word_outside_comments();
    let faces = count_at(&text, second, &"the face count")?;
    skip_edge_count(&mut text);

    let needed =
        vertices.saturating_mul(MIN_VERTEX).saturating_add(faces.saturating_mul(MIN_FACE)).saturating_sub(1);
    let present = text.remaining().len();
    if needed > present as u64 {
        let what = format!("vertices and {faces} faces");
        return Err(text.fault(Problem::CountTooLarge { what, count: vertices, needed, present }));
    }
    let mut mesh = RawMesh::default();
    mesh.vertices.reserve_exact(vertices as usize);
    mesh.sizes.reserve_exact(faces as usize);
    for vertex in 0..vertices {
        let mut position = DVec3::ZERO;
        for axis in 0..3 {
            let word = text.word_outside_comments();
            let word = word.ok_or_else(|| text.cut_short(format!("vertex {vertex} of {vertices}")))?;
            position[axis] = text::coordinate(word).map_err(|problem| text.fault(problem))?;
        }
        mesh.vertices.push(position);
        text.line();
    }
    for face in 0..faces {
        let word = text.word_outside_comments();
        let corners = count_at(&text, word, &format_args!("face {face} of {faces}"))?;
        let first = mesh.corners.len();
        for _ in 0..corners {
            let word = text.word_outside_comments();
            let word = word.ok_or_else(|| text.cut_short(format!("face {face} of {faces}")))?;
            let index = text::integer(word).map_err(|problem| text.fault(problem))?;
            let count = mesh.vertices.len();
            let vertex = u32::try_from(index).ok().filter(|&vertex| (vertex as usize) < count);
            let vertex =
                vertex.ok_or_else(|| text.fault(Problem::IndexOutOfRange { index, count, first: 0 }))?;
            mesh.push_corner(vertex, text.last());
        }
        mesh.end_face(first);
        text.line();
    }
    mesh.trailing_bytes = text.remaining().trim_ascii().len();
    Ok(mesh)
}

/// Passes over the edge count: on the line of the others, or alone on the next, or missing.
fn skip_edge_count(text: &mut Text<'_>) {
    let rest = text.line().unwrap_or_default();
    if words(rest).next().is_none() {
        let mut ahead = text.clone();
        if ahead.word_outside_comments().is_some_and(|word| count(word).is_ok())
            && words(ahead.line().unwrap_or_default()).next().is_none()
        {
            *text = ahead;
        }
    }
}

fn count(word: &[u8]) -> Result<u64, Problem> {
    u64::try_from(text::integer(word)?)
        .map_err(|_| Problem::Syntax(format!("`{}` cannot be a count; export the file again", excerpt(word))))
}

fn count_at(text: &Text<'_>, word: Option<&[u8]>, what: &dyn std::fmt::Display) -> Result<u64, Fault> {
    let word = word.ok_or_else(|| text.cut_short(what.to_string()))?;
    count(word).map_err(|problem| text.fault(problem))
}
