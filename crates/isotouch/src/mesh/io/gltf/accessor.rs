//! Accessors: which bytes of a buffer view are which numbers.

use glam::DVec3;

use super::super::error::{Fault, Problem};
use super::super::scalar::Scalar;
use super::buffers::Buffers;
use super::document::{Document, Member};

/// An accessor whose count has been checked against the bytes behind it. No more than `count` elements are ever made.
pub(super) struct Accessor<'a> {
    pub(super) member: Member<'a>,
    pub(super) count: u64,
    scalar: Scalar,
    /// Numbers per element.
    width: usize,
    normalized: bool,
}

/// What an element is made of.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// `VEC3` of floats, or of the integers of KHR_mesh_quantization.
    Position,
    /// `SCALAR` of unsigned integers.
    Index,
}

impl<'a> Accessor<'a> {
    pub(super) fn new(document: &'a Document, reference: &Member<'_>, kind: Kind) -> Result<Self, Fault> {
        let (_, member) = document.entry("accessors", reference)?;
        let wanted = match kind {
            Kind::Position => "VEC3",
            Kind::Index => "SCALAR",
        };
        let shape = member.require("type")?;
        if shape.text()? != wanted {
            return shape.syntax(format!("`{wanted}` is needed here; export the file again"));
        }
        let scalar = component(&member.require("componentType")?, kind)?;
        let normalized = member.get("normalized")?.map_or(Ok(false), |flag| flag.flag())?;
        let count = member.require("count")?.whole()?;
        let width = if kind == Kind::Position { 3 } else { 1 };
        Ok(Self { member, count, scalar, width, normalized })
    }

    /// Whether it has bytes of its own; otherwise all is zero that no sparse part replaces.
    pub(super) fn has_view(&self) -> Result<bool, Fault> {
        Ok(self.member.get("bufferView")?.is_some())
    }

    /// All positions, finite ones.
    pub(super) fn positions(&self, buffers: &Buffers<'_>) -> Result<Vec<DVec3>, Fault> {
        let mut positions = Vec::new();
        let read = |bytes: &[u8]| {
            let size = self.scalar.bytes();
            DVec3::from_array(std::array::from_fn(|axis| self.number(&bytes[axis * size..])))
        };
        self.read(buffers, DVec3::ZERO, &mut positions, read)?;
        match positions.iter().position(|p| !p.is_finite()) {
            Some(element) => {
                let DVec3 { x, y, z } = positions[element];
                let problem = Problem::NotFinite { text: format!("{x}, {y}, {z}") };
                Err(self.member.fault_at_element(element as u64, problem))
            }
            None => Ok(positions),
        }
    }

    /// All indices, whatever their size.
    pub(super) fn indices(&self, buffers: &Buffers<'_>) -> Result<Vec<u32>, Fault> {
        let mut indices = Vec::new();
        self.read(buffers, 0, &mut indices, |bytes| unsigned(self.scalar, bytes))?;
        Ok(indices)
    }

    /// Reads the elements into `out`: those of the buffer view (or `zero`), then those that the sparse part replaces.
    fn read<T: Copy>(
        &self,
        buffers: &Buffers<'_>,
        zero: T,
        out: &mut Vec<T>,
        element: impl Fn(&[u8]) -> T,
    ) -> Result<(), Fault> {
        match self.member.get("bufferView")? {
            Some(view) => {
                let elements =
                    Elements { at: &self.member, view: &view, count: self.count, size: self.element_size() };
                elements.read(buffers, out, &element)?;
            }
            // The caller has bounded the count.
            None => out.resize(self.count as usize, zero),
        }
        let Some(sparse) = self.member.get("sparse")? else { return Ok(()) };
        let count = sparse.require("count")?.whole()?;
        let at = sparse.require("indices")?;
        let scalar = component(&at.require("componentType")?, Kind::Index)?;
        let mut replaced = Vec::new();
        Elements { at: &at, view: &at.require("bufferView")?, count, size: scalar.bytes() }.read(
            buffers,
            &mut replaced,
            |bytes| unsigned(scalar, bytes),
        )?;
        let at_values = sparse.require("values")?;
        let mut values = Vec::new();
        let view = at_values.require("bufferView")?;
        Elements { at: &at_values, view: &view, count, size: self.element_size() }.read(
            buffers,
            &mut values,
            element,
        )?;
        for (k, (index, value)) in replaced.into_iter().zip(values).enumerate() {
            match out.get_mut(index as usize) {
                Some(place) => *place = value,
                None => {
                    let message = format!(
                        "this replaces element {index} of {}, counted from 0; export the file again",
                        self.count
                    );
                    return Err(at.fault_at_element(k as u64, Problem::Syntax(message)));
                }
            }
        }
        Ok(())
    }

    fn element_size(&self) -> usize {
        self.width * self.scalar.bytes()
    }

    /// The number at the beginning of `bytes`. Normalised integers as in glTF 2.0, section 3.11.
    fn number(&self, bytes: &[u8]) -> f64 {
        let (value, largest) = match self.scalar {
            Scalar::I8 => (f64::from(bytes[0] as i8), f64::from(i8::MAX)),
            Scalar::U8 => (f64::from(bytes[0]), f64::from(u8::MAX)),
            Scalar::I16 => (f64::from(i16::from_le_bytes([bytes[0], bytes[1]])), f64::from(i16::MAX)),
            Scalar::U16 => (f64::from(u16::from_le_bytes([bytes[0], bytes[1]])), f64::from(u16::MAX)),
            _ => return f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
        };
        if self.normalized { (value / largest).max(-1.0) } else { value }
    }
}

/// Elements in a buffer view, `byteOffset` of `at` behind its beginning.
struct Elements<'a, 'b> {
    at: &'b Member<'a>,
    view: &'b Member<'a>,
    count: u64,
    size: usize,
}

impl Elements<'_, '_> {
    fn read<T>(
        &self,
        buffers: &Buffers<'_>,
        out: &mut Vec<T>,
        element: impl Fn(&[u8]) -> T,
    ) -> Result<(), Fault> {
        let view = buffers.view(self.view)?;
        let stride = view.stride.unwrap_or(self.size);
        if stride < self.size {
            return self.view.syntax(format!(
                "elements of {} bytes cannot be {stride} bytes apart; export the file again",
                self.size
            ));
        }
        let offset = self.at.whole_or("byteOffset", 0)?;
        let bytes = usize::try_from(offset).ok().and_then(|offset| view.bytes.get(offset..));
        let bytes = bytes.unwrap_or_default();
        // The last element need not be followed by what separates it from a next one.
        let needed = match self.count {
            0 => 0,
            count => (count - 1).saturating_mul(stride as u64).saturating_add(self.size as u64),
        };
        if needed > bytes.len() as u64 {
            let what = format!("elements from byte {offset} of a buffer view");
            let problem = Problem::CountTooLarge { what, count: self.count, needed, present: bytes.len() };
            return Err(self.at.fault(problem));
        }
        out.reserve_exact(self.count as usize);
        out.extend(bytes.chunks(stride).take(self.count as usize).map(element));
        Ok(())
    }
}

/// The number type that a `componentType` stands for.
fn component(code: &Member<'_>, kind: Kind) -> Result<Scalar, Fault> {
    Ok(match (code.whole()?, kind) {
        (5120, Kind::Position) => Scalar::I8,
        (5121, _) => Scalar::U8,
        (5122, Kind::Position) => Scalar::I16,
        (5123, _) => Scalar::U16,
        (5125, Kind::Index) => Scalar::U32,
        (5126, Kind::Position) => Scalar::F32,
        (other, Kind::Position) => {
            return code.syntax(format!(
                "positions are floats (5126) or integers of 8 or 16 bits (5120 to 5123), not {other}; export the \
                 file again"
            ));
        }
        (other, Kind::Index) => {
            return code.syntax(format!(
                "indices are unsigned integers (5121, 5123, 5125), not {other}; export the file again"
            ));
        }
    })
}

fn unsigned(scalar: Scalar, bytes: &[u8]) -> u32 {
    match scalar {
        Scalar::U8 => bytes[0].into(),
        Scalar::U16 => u16::from_le_bytes([bytes[0], bytes[1]]).into(),
        _ => u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
    }
}
