//! Wavefront OBJ: `v` and `f` lines. Lines, points, curves, materials, normals and texture coordinates are passed over.

use std::borrow::Cow;

use glam::DVec3;

use super::error::{Fault, Problem};
use super::raw::RawMesh;
use super::text::{self, Text, words};

pub(super) fn parse(bytes: &[u8]) -> Result<RawMesh, Fault> {
    let mut lines = Text::new(bytes, 0);
    let mut mesh = RawMesh::default();
    while let Some(line) = lines.line() {
        let at = lines.last();
        let line = joined(line, &mut lines);
        let mut words = words(&line).take_while(|word| !word.starts_with(b"#"));
        let read = match words.next() {
            Some(b"v") => vertex(words, &mut mesh),
            // `fo` is how the 1990 version of the format wrote faces.
            Some(b"f" | b"fo") => face(words, at, &mut mesh),
            _ => Ok(()),
        };
        read.map_err(|problem| lines.fault_at(at, problem))?;
    }
    match mesh.index_out_of_range(1) {
        Some((at, problem)) => Err(lines.fault_at(at, problem)),
        None => Ok(mesh),
    }
}

/// The line with those after it that a backslash at its end attaches to it.
fn joined<'a>(line: &'a [u8], lines: &mut Text<'a>) -> Cow<'a, [u8]> {
    let mut joined = Cow::Borrowed(line);
    while let Some(rest) = joined.strip_suffix(b"\\") {
        let mut longer = rest.to_vec();
        longer.push(b' ');
        longer.extend_from_slice(lines.line().unwrap_or_default());
        joined = Cow::Owned(longer);
    }
    joined
}

/// `x y z`; what may follow (a weight, a colour) is ignored.
fn vertex<'a>(mut words: impl Iterator<Item = &'a [u8]>, mesh: &mut RawMesh) -> Result<(), Problem> {
    let mut position = DVec3::ZERO;
    for axis in 0..3 {
        let word = words.next().ok_or_else(|| Problem::CutShort { what: "a vertex".into() })?;
        position[axis] = text::coordinate(word)?;
    }
    mesh.vertices.push(position);
    Ok(())
}

/// Corners as `v`, `v/vt`, `v//vn` or `v/vt/vn`.
fn face<'a>(words: impl Iterator<Item = &'a [u8]>, at: usize, mesh: &mut RawMesh) -> Result<(), Problem> {
    let first = mesh.corners.len();
    for word in words {
        let slash = word.iter().position(|&b| b == b'/').unwrap_or(word.len());
        let index = text::integer(&word[..slash])?;
        let count = mesh.vertices.len();
        // Vertices count from 1; negative ones count back from the latest.
        let vertex = if index > 0 {
            u32::try_from(index - 1).ok()
        } else if index < 0 {
            count.checked_add_signed(index as isize).and_then(|vertex| u32::try_from(vertex).ok())
        } else {
            None
        };
        let vertex = vertex.ok_or(Problem::IndexOutOfRange { index, count, first: 1 })?;
        mesh.push_corner(vertex, at);
    }
    mesh.end_face(first);
    Ok(())
}
