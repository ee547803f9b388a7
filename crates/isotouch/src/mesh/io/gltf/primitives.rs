//! From placed meshes to triangles.

use std::collections::BTreeMap;

use super::super::error::{Fault, Problem};
use super::super::raw::RawMesh;
use super::accessor::{Accessor, Kind};
use super::buffers::Buffers;
use super::document::{Document, Member};
use super::extensions::{self, DRACO};
use super::scene::Placement;

/// Vertices and corners that any scene may have after all repetitions; more are taken only if the file has as many
/// bytes. At about 50 bytes each this is 5 GB. Larger lets a few kilobytes of nodes fill the memory, smaller refuses
/// scenes that repeat large parts often.
pub(super) const MOST_PLACED: u64 = 100_000_000;

/// Puts the triangles of all placed meshes into one. `bytes` is the length of the file.
pub(super) fn place_all(
    document: &Document,
    buffers: &Buffers<'_>,
    placements: &[Placement<'_>],
    bytes: usize,
) -> Result<RawMesh, Fault> {
    if placements.is_empty() && document.count("meshes")? > 0 {
        return document.root().syntax(
            "the file has meshes, but its scene shows none of them; export what is to be seen in the scene",
        );
    }
    let mut assembly = Assembly {
        document,
        buffers,
        mesh: RawMesh::default(),
        allowed: MOST_PLACED.max(bytes as u64),
        file_bytes: bytes as u64,
    };
    for placement in placements {
        let mut placed = BTreeMap::new();
        for primitive in placement.mesh.require("primitives")?.items()? {
            assembly.add(&primitive, placement, &mut placed)?;
        }
    }
    Ok(assembly.mesh)
}

struct Assembly<'a> {
    document: &'a Document,
    buffers: &'a Buffers<'a>,
    mesh: RawMesh,
    /// How many more vertices and corners may be placed.
    allowed: u64,
    file_bytes: u64,
}

/// Vertices already placed for one placement: many primitives share their positions.
#[derive(Clone, Copy)]
struct Placed {
    first: u32,
    count: u32,
}

impl<'a> Assembly<'a> {
    fn add(
        &mut self,
        primitive: &Member<'_>,
        placement: &Placement<'_>,
        placed: &mut BTreeMap<u64, Placed>,
    ) -> Result<(), Fault> {
        let mode = match primitive.get("mode")? {
            None => Mode::List,
            Some(mode) => match mode.whole()? {
                0..=3 => {
                    self.mesh.skipped_groups += 1;
                    return Ok(());
                }
                4 => Mode::List,
                5 => Mode::Strip,
                6 => Mode::Fan,
                other => {
                    return mode.syntax(format!("modes are 0 to 6, not {other}; export the file again"));
                }
            },
        };
        let Some(reference) = primitive.require("attributes")?.get("POSITION")? else {
            // Legal, for viewers with an extension to fill them in.
            self.mesh.skipped_groups += 1;
            return Ok(());
        };
        let positions = self.accessor(&reference, Kind::Position, primitive)?;
        let vertices = match placed.get(&reference.whole()?) {
            Some(&known) => known,
            None => {
                let new = self.place(&positions, placement)?;
                placed.insert(reference.whole()?, new);
                new
            }
        };
        let corners = match primitive.get("indices")? {
            Some(reference) => {
                let accessor = self.accessor(&reference, Kind::Index, primitive)?;
                let indices = accessor.indices(self.buffers)?;
                self.allow(&accessor)?;
                if let Some(element) = indices.iter().position(|&index| index >= vertices.count) {
                    let (index, count) = (indices[element].into(), vertices.count as usize);
                    let problem = Problem::IndexOutOfRange { index, count, first: 0 };
                    return Err(accessor.member.fault_at_element(element as u64, problem));
                }
                indices
            }
            None => {
                self.allow(&positions)?;
                (0..vertices.count).collect()
            }
        };
        // glTF 2.0, section 3.7.4: where the placement mirrors, the outside is where corners run clockwise.
        let mirrors = placement.scene_from_mesh.matrix3.determinant() < 0.0;
        for_each_face(mode, &corners, |face| self.add_face(face, vertices.first, mirrors));
        Ok(())
    }

    /// The accessor a primitive refers to, with data that can be read and a count that the file has room for.
    fn accessor(
        &self,
        reference: &Member<'_>,
        kind: Kind,
        primitive: &Member<'_>,
    ) -> Result<Accessor<'a>, Fault> {
        let accessor = Accessor::new(self.document, reference, kind)?;
        if !accessor.has_view()? {
            if primitive.has_extension(DRACO)? {
                return Err(extensions::unknown(primitive, DRACO));
            }
            // All zero but for a sparse part: its bytes bound nothing, so the file's do.
            if accessor.count > self.file_bytes {
                let (count, present) = (accessor.count, self.file_bytes as usize);
                let what = "elements without a buffer view".into();
                let problem = Problem::CountTooLarge { what, count, needed: count, present };
                return Err(accessor.member.fault(problem));
            }
        }
        Ok(accessor)
    }

    /// Takes the elements of an accessor off what may still be placed.
    fn allow(&mut self, accessor: &Accessor<'_>) -> Result<(), Fault> {
        match self.allowed.checked_sub(accessor.count) {
            Some(left) => {
                self.allowed = left;
                Ok(())
            }
            None => accessor.member.syntax(format!(
                "the scene repeats its meshes until they have more than {} vertices and corners; split it, or export it \
                 with fewer repetitions",
                MOST_PLACED.max(self.file_bytes)
            )),
        }
    }

    fn place(&mut self, positions: &Accessor<'_>, placement: &Placement<'_>) -> Result<Placed, Fault> {
        // Counts that the file has no room for are found by reading, so they never count as repetitions.
        let points = positions.positions(self.buffers)?;
        self.allow(positions)?;
        let (first, count) = (self.mesh.vertices.len(), points.len());
        if u32::try_from(first + count).is_err() {
            return positions.member.syntax("the scene has more vertices than a mesh can hold; split it");
        }
        let scene_from_mesh = placement.scene_from_mesh;
        self.mesh.vertices.extend(points.into_iter().map(|p| scene_from_mesh.transform_point3(p)));
        if self.mesh.vertices[first..].iter().any(|p| !p.is_finite()) {
            return placement
                .placed_by
                .syntax("placed there, positions leave the range of numbers; scale the scene down");
        }
        Ok(Placed { first: first as u32, count: count as u32 })
    }

    fn add_face(&mut self, face: &[u32], first: u32, mirrors: bool) {
        let begin = self.mesh.corners.len();
        // Indices were checked against the primitive's own vertices, so where they stand does not matter any more.
        if mirrors {
            face.iter().rev().for_each(|corner| self.mesh.push_corner(first + corner, 0));
        } else {
            face.iter().for_each(|corner| self.mesh.push_corner(first + corner, 0));
        }
        self.mesh.end_face(begin);
    }
}

/// How corners make triangles.
#[derive(Clone, Copy)]
enum Mode {
    List,
    Strip,
    Fan,
}

/// glTF 2.0, section 3.7.2.1. What is left over at the end of a list comes as a face that is too short.
fn for_each_face(mode: Mode, corners: &[u32], mut add: impl FnMut(&[u32])) {
    match (mode, corners) {
        (Mode::List, _) => corners.chunks(3).for_each(add),
        (Mode::Strip, _) => corners.windows(3).enumerate().for_each(|(k, window)| match k % 2 {
            0 => add(window),
            _ => add(&[window[0], window[2], window[1]]),
        }),
        (Mode::Fan, [hub, rim @ ..]) => rim.windows(2).for_each(|edge| add(&[edge[0], edge[1], *hub])),
        (Mode::Fan, []) => {}
    }
}
