//! PLY: the tables that the header announces, one after the other, as text or binary of either byte order.

use glam::DVec3;

use super::Format;
use super::error::{Fault, Place, Problem};
use super::ply_header::{self, Element, Property};
use super::raw::RawMesh;
use super::scalar::Scalar;
use super::text::{self, Text, excerpt};

/// Values of a body in their order.
trait Values {
    fn number(&mut self, kind: Scalar) -> Result<f64, Fault>;
    fn integer(&mut self, kind: Scalar) -> Result<i64, Fault>;
    fn skip(&mut self, kind: Scalar, count: usize) -> Result<(), Fault>;
    /// The least number of bytes that one value takes.
    fn least_bytes(&self, kind: Scalar) -> u64;
    /// Bytes not yet read.
    fn remaining(&self) -> usize;
    /// Where the last value began.
    fn last(&self) -> usize;
    fn fault(&self, at: usize, problem: Problem) -> Fault;
}

pub(super) fn parse(bytes: &[u8]) -> Result<RawMesh, Fault> {
    let header = ply_header::parse(bytes)?;
    match header.format {
        Format::PlyBigEndian => {
            body(&header.elements, bytes, Binary::<true> { bytes, at: header.end, last: header.end })
        }
        Format::PlyLittleEndian => {
            body(&header.elements, bytes, Binary::<false> { bytes, at: header.end, last: header.end })
        }
        _ => body(&header.elements, bytes, Text::new(bytes, header.end)),
    }
}

fn body(elements: &[Element<'_>], bytes: &[u8], mut values: impl Values) -> Result<RawMesh, Fault> {
    let mut mesh = RawMesh::default();
    for element in elements.iter().filter(|element| !element.properties.is_empty()) {
        let least =
            element.properties.iter().map(|p| values.least_bytes(p.list.unwrap_or(p.value))).sum::<u64>();
        // The last value of a text needs no separator.
        let needed = element.count.saturating_mul(least).saturating_sub(1);
        let present = values.remaining();
        if needed > present as u64 {
            let what = format!("`{}` elements", excerpt(element.name));
            let problem = Problem::CountTooLarge { what, count: element.count, needed, present };
            return Err(Text::new(bytes, 0).fault_at(element.at, problem));
        }
        match element.name {
            b"vertex" => vertices(element, bytes, &mut values, &mut mesh)?,
            b"face" => faces(element, &mut values, &mut mesh)?,
            b"tristrips" => strips(element, &mut values, &mut mesh)?,
            _ => others(element, &mut values)?,
        }
    }
    if let Some((at, problem)) = mesh.index_out_of_range(0) {
        return Err(values.fault(at, problem));
    }
    mesh.trailing_bytes = bytes[bytes.len() - values.remaining()..].trim_ascii().len();
    Ok(mesh)
}

fn vertices(
    element: &Element<'_>,
    bytes: &[u8],
    values: &mut impl Values,
    mesh: &mut RawMesh,
) -> Result<(), Fault> {
    let axis_of = |property: &Property<'_>| match property.name {
        b"x" if property.list.is_none() => Some(0),
        b"y" if property.list.is_none() => Some(1),
        b"z" if property.list.is_none() => Some(2),
        _ => None,
    };
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        if !element.properties.iter().any(|property| axis_of(property) == Some(axis)) {
            let message = format!("the vertices have no `{name}`; export the file with 3D positions");
            return Err(Text::new(bytes, 0).fault_at(element.at, Problem::Syntax(message)));
        }
    }
    let plan: Vec<_> = element.properties.iter().map(|p| (axis_of(p), p)).collect();
    // Bounded by the file's length, as every vertex takes at least three bytes (checked before).
    mesh.vertices.reserve_exact(element.count as usize);
    for _ in 0..element.count {
        let mut position = DVec3::ZERO;
        for &(axis, property) in &plan {
            match axis {
                Some(axis) => position[axis] = values.number(property.value)?,
                None => skip(property, values)?,
            }
        }
        mesh.vertices.push(position);
    }
    Ok(())
}

fn is_corner_list(property: &Property<'_>) -> bool {
    property.list.is_some() && matches!(property.name, b"vertex_indices" | b"vertex_index")
}

fn faces(element: &Element<'_>, values: &mut impl Values, mesh: &mut RawMesh) -> Result<(), Fault> {
    mesh.sizes.reserve(element.count as usize);
    for _ in 0..element.count {
        for property in &element.properties {
            match property.list {
                Some(length) if is_corner_list(property) => {
                    let first = mesh.corners.len();
                    for _ in 0..list_length(length, property.value, values)? {
                        let index = values.integer(property.value)?;
                        let vertex = vertex_index(index, values, mesh)?;
                        mesh.push_corner(vertex, values.last());
                    }
                    mesh.end_face(first);
                }
                _ => skip(property, values)?,
            }
        }
    }
    Ok(())
}

/// Triangle strips, as the Stanford archive has them: each index makes a triangle with the two before it, every second
/// one turned; -1 begins a new strip.
fn strips(element: &Element<'_>, values: &mut impl Values, mesh: &mut RawMesh) -> Result<(), Fault> {
    for _ in 0..element.count {
        for property in &element.properties {
            let Some(length) = property.list.filter(|_| is_corner_list(property)) else {
                skip(property, values)?;
                continue;
            };
            let mut strip: Vec<(u32, usize)> = Vec::with_capacity(3);
            let mut turned = false;
            for _ in 0..list_length(length, property.value, values)? {
                let index = values.integer(property.value)?;
                if index == -1 {
                    strip.clear();
                    turned = false;
                    continue;
                }
                strip.push((vertex_index(index, values, mesh)?, values.last()));
                if let &[a, b, c] = strip.as_slice() {
                    let first = mesh.corners.len();
                    let corners = if turned { [b, a, c] } else { [a, b, c] };
                    corners.into_iter().for_each(|(vertex, at)| mesh.push_corner(vertex, at));
                    mesh.end_face(first);
                    strip.remove(0);
                    turned = !turned;
                }
            }
        }
    }
    Ok(())
}

fn others(element: &Element<'_>, values: &mut impl Values) -> Result<(), Fault> {
    for _ in 0..element.count {
        element.properties.iter().try_for_each(|property| skip(property, values))?;
    }
    Ok(())
}

fn skip(property: &Property<'_>, values: &mut impl Values) -> Result<(), Fault> {
    let count = match property.list {
        Some(length) => list_length(length, property.value, values)?,
        None => 1,
    };
    values.skip(property.value, count)
}

/// The length of a list, checked against what is left of the file.
fn list_length(length: Scalar, value: Scalar, values: &mut impl Values) -> Result<usize, Fault> {
    let count = values.integer(length)?;
    let at = values.last();
    let count = u64::try_from(count).map_err(|_| {
        let message = format!("a list cannot have {count} values; export the file again");
        values.fault(at, Problem::Syntax(message))
    })?;
    let needed = count.saturating_mul(values.least_bytes(value)).saturating_sub(1);
    let present = values.remaining();
    if needed > present as u64 {
        let problem = Problem::CountTooLarge { what: "values of a list".into(), count, needed, present };
        return Err(values.fault(at, problem));
    }
    Ok(count as usize)
}

fn vertex_index(index: i64, values: &impl Values, mesh: &RawMesh) -> Result<u32, Fault> {
    u32::try_from(index).map_err(|_| {
        values.fault(values.last(), Problem::IndexOutOfRange { index, count: mesh.vertices.len(), first: 0 })
    })
}

impl Values for Text<'_> {
    fn number(&mut self, _: Scalar) -> Result<f64, Fault> {
        let word = self.word().ok_or_else(|| self.cut_short("its numbers"))?;
        text::coordinate(word).map_err(|problem| self.fault(problem))
    }

    fn integer(&mut self, _: Scalar) -> Result<i64, Fault> {
        let word = self.word().ok_or_else(|| self.cut_short("its numbers"))?;
        text::integer(word).map_err(|problem| self.fault(problem))
    }

    fn skip(&mut self, _: Scalar, count: usize) -> Result<(), Fault> {
        (0..count).try_for_each(|_| self.word().map(|_| ())).ok_or_else(|| self.cut_short("its numbers"))
    }

    fn least_bytes(&self, _: Scalar) -> u64 {
        // A digit and a blank.
        2
    }

    fn remaining(&self) -> usize {
        Text::remaining(self).len()
    }

    fn last(&self) -> usize {
        Text::last(self)
    }

    fn fault(&self, at: usize, problem: Problem) -> Fault {
        self.fault_at(at, problem)
    }
}

/// A binary body.
struct Binary<'a, const BIG_ENDIAN: bool> {
    bytes: &'a [u8],
    at: usize,
    last: usize,
}

impl<const BIG_ENDIAN: bool> Binary<'_, BIG_ENDIAN> {
    #[inline]
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let Some(&chunk) = self.bytes[self.at..].first_chunk::<N>() else {
            return Err(self.cut_short());
        };
        self.last = self.at;
        self.at += N;
        Ok(chunk)
    }

    fn cut_short(&self) -> Fault {
        self.fault(self.bytes.len(), Problem::CutShort { what: "its numbers".into() })
    }
}

macro_rules! from_bytes {
    ($type:ty, $self:ident) => {
        if BIG_ENDIAN { <$type>::from_be_bytes($self.take()?) } else { <$type>::from_le_bytes($self.take()?) }
    };
}

impl<const BIG_ENDIAN: bool> Values for Binary<'_, BIG_ENDIAN> {
    #[inline]
    fn number(&mut self, kind: Scalar) -> Result<f64, Fault> {
        let value = match kind {
            Scalar::F32 => f64::from(from_bytes!(f32, self)),
            Scalar::F64 => from_bytes!(f64, self),
            _ => self.integer(kind)? as f64,
        };
        if value.is_finite() {
            return Ok(value);
        }
        Err(self.fault(self.last, Problem::NotFinite { text: value.to_string() }))
    }

    #[inline]
    fn integer(&mut self, kind: Scalar) -> Result<i64, Fault> {
        Ok(match kind {
            Scalar::I8 => from_bytes!(i8, self).into(),
            Scalar::U8 => from_bytes!(u8, self).into(),
            Scalar::I16 => from_bytes!(i16, self).into(),
            Scalar::U16 => from_bytes!(u16, self).into(),
            Scalar::I32 => from_bytes!(i32, self).into(),
            Scalar::U32 => from_bytes!(u32, self).into(),
            Scalar::F32 | Scalar::F64 => {
                let value = self.number(kind)?;
                text::whole(value)
                    .ok_or_else(|| self.fault(self.last, Problem::NotAnInteger { text: value.to_string() }))?
            }
        })
    }

    fn skip(&mut self, kind: Scalar, count: usize) -> Result<(), Fault> {
        let end = count.checked_mul(kind.bytes()).and_then(|bytes| self.at.checked_add(bytes));
        let end = end.filter(|&end| end <= self.bytes.len()).ok_or_else(|| self.cut_short())?;
        self.at = end;
        Ok(())
    }

    fn least_bytes(&self, kind: Scalar) -> u64 {
        kind.bytes() as u64
    }

    fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn last(&self) -> usize {
        self.last
    }

    fn fault(&self, at: usize, problem: Problem) -> Fault {
        Fault { place: Place::Byte(at), problem }
    }
}
