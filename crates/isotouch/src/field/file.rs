//! The `.field` file: one header, a table of sections, and the sections as they lie in memory.
//!
//! ```text
//!   0  magic        8 bytes   "isofield"
//!   8  version      u32       1
//!  12  storage      u32       0 dense, 1 sparse
//!  16  sign         u32       1 pseudonormal, 2 winding, 3 given, 4 soup, 5 oriented, 6 face normal
//!  20  flags        u32       bit 0: all border nodes are outside the solid; bit 1: neighbours may contradict each other;
//!                            bit 2: depths inside may be understated; bit 3: triangles outside the solid may be left out;
//!                            bit 4: an offset of a mesh's field
//!  24  origin       3 × f64
//!  48  cell         f64
//!  56  cells        3 × u32
//!  68  sections     u32       how many
//!  72  band         f64       in cells
//!  80  lipschitz    f64
//!  88  capped nodes u64
//!  96  file length  u64
//! 104  grown        f64       with bit 4: what was taken off the distances to the mesh; else 0
//! 112  reserved     12 bytes  0
//! 124  checksum     u32       CRC-32 of bytes 0..124 and of the table
//! 128  table        sections × 32 bytes: kind u32, level u32, offset u64, count u64, checksum u32, reserved u32
//!      sections     each at a multiple of 64
//! ```
//!
//! All numbers are little-endian. Which sections there are, and how long each must be, follows from the header; a table
//! that says otherwise is refused. Opening maps the file and checks header, table and indices; the node values are
//! checked by [`Field::verify`], since reading them all would take as long as reading the file. Whoever relies on proofs about a file
//! that may have been damaged calls [`Field::verify_checksums`] and [`Field::verify_finite`], which take not much longer than that.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use bytemuck::{Pod, Zeroable};
use glam::{DVec3, UVec3};
use rayon::prelude::*;

use super::bounds::{self, Bounds, BoundsLevel};
use super::build::{MOST_CELLS, check, nodes};
use super::sections::{self, Fault, FileKind, HEADER, Part, Section, SectionFile, Sections};
use super::storage::bricks::{BRICK, BRICK_NODES, NO_TILE, Tile, bricks_of_tile, tile_position};
use super::storage::{BrickLevel, Buffer, DenseNodes, SparseNodes, Storage};
use super::{Facts, Field, Grid, SignMethod, StorageKind, band, query};

const MAGIC: [u8; 8] = *b"isofield";
/// The version of the `.field` format that is written and read.
pub const FIELD_FORMAT_VERSION: u32 = 1;
/// Flags of the header.
const BORDER_IS_OUTSIDE: u32 = 1;
const NOT_CERTIFIED: u32 = 2;
const UNDERSTATES_DEPTH: u32 = 4;
const HIDES_TRIANGLES: u32 = 8;
const IS_GROWN: u32 = 16;
const ALL_FLAGS: u32 = BORDER_IS_OUTSIDE | NOT_CERTIFIED | UNDERSTATES_DEPTH | HIDES_TRIANGLES | IS_GROWN;

/// Why a field could not be read, written or trusted.
#[derive(Debug, thiserror::Error)]
pub enum FieldFileError {
    /// The system refused.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is some other kind of file.
    #[error("{path} is not a .field file; 'isotouch field MESH -o NAME.field' makes one from a mesh")]
    NotAField {
        /// The file.
        path: PathBuf,
    },
    /// A later version of isotouch wrote it.
    #[error(
        "{path} has format version {version}, but only versions up to {FIELD_FORMAT_VERSION} are known here; update isotouch"
    )]
    NewerVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// It ends too early, or has something behind its end.
    #[error(
        "{path} is {actual} bytes long and should be {expected}: it was cut short or damaged; build it again"
    )]
    WrongLength {
        /// The file.
        path: PathBuf,
        /// Bytes it should have.
        expected: u64,
        /// Bytes it has.
        actual: u64,
    },
    /// Its bytes are not what was written.
    #[error("{path} is damaged at byte {offset}: {what}; build it again")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where.
        offset: u64,
        /// What is wrong.
        what: String,
    },
    /// The values are not those of a field.
    #[error("{}the values contradict each other: {what}; build the field again", prefix(path.as_deref()))]
    Contradiction {
        /// The file, if the field came from one.
        path: Option<PathBuf>,
        /// Where and how.
        what: String,
    },
    /// Saving was told to stop.
    #[error("cancelled")]
    Cancelled,
    /// Mapping needs a little-endian machine.
    #[error("{path}: .field files can only be used on little-endian machines")]
    BigEndian {
        /// The file.
        path: PathBuf,
    },
}

impl FieldFileError {
    fn new(path: &Path, fault: Fault) -> Self {
        let path = path.to_path_buf();
        match fault {
            Fault::Io(source) => Self::Io { path, source },
            Fault::OtherKind => Self::NotAField { path },
            Fault::NewerVersion(version) => Self::NewerVersion { path, version },
            Fault::WrongLength { expected, actual } => Self::WrongLength { path, expected, actual },
            Fault::Damaged { offset, what } => Self::Damaged { path, offset, what },
            Fault::BigEndian => Self::BigEndian { path },
            Fault::Cancelled => Self::Cancelled,
        }
    }
}

fn prefix(path: Option<&Path>) -> String {
    path.map_or_else(String::new, |path| format!("{}: ", path.display()))
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    version: u32,
    storage: u32,
    sign: u32,
    flags: u32,
    origin: [f64; 3],
    cell: f64,
    cells: [u32; 3],
    sections: u32,
    band: f64,
    lipschitz: f64,
    capped_nodes: u64,
    file_length: u64,
    grown: f64,
    reserved: [u32; 3],
    checksum: u32,
}

/// What a section holds; the numbers are those in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
enum Kind {
    /// All nodes of a dense field, or of the coarsest level of a sparse one.
    Nodes = 1,
    TileAt = 2,
    Tiles = 3,
    BrickValues = 4,
    BrickRanges = 5,
    Pyramid = 6,
    Caps = 7,
}

impl Kind {
    /// Small sections that other reads rely on, checked when a file is opened.
    fn is_index(self) -> bool {
        matches!(self, Self::TileAt | Self::Tiles | Self::Pyramid)
    }

    fn element_size(self) -> usize {
        match self {
            Self::Nodes | Self::TileAt | Self::BrickValues => 4,
            Self::BrickRanges | Self::Pyramid => 8,
            Self::Tiles => size_of::<Tile>(),
            Self::Caps => 36,
        }
    }
}

/// What a field that came from a file remembers of it.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    path: PathBuf,
    /// In a box, so that fields stay small to move.
    file: Box<SectionFile>,
}

/// The sections of a field in file order.
fn sections_of(field: &Field) -> Vec<Part<'_>> {
    let mut out = Vec::new();
    match &field.storage {
        Storage::Dense(nodes) => out.push(Part::new(Kind::Nodes as u32, 0, &nodes.values[..])),
        Storage::Sparse(sparse) => {
            for (k, level) in sparse.levels.iter().enumerate() {
                let k = k as u32;
                out.push(Part::new(Kind::TileAt as u32, k, &level.tile_at[..]));
                out.push(Part::new(Kind::Tiles as u32, k, &level.tiles[..]));
                out.push(Part::new(Kind::BrickValues as u32, k, &level.values[..]));
                out.push(Part::new(Kind::BrickRanges as u32, k, &level.ranges[..]));
            }
            out.push(Part::new(Kind::Nodes as u32, sparse.levels.len() as u32, &sparse.top.values[..]));
        }
    }
    for (k, level) in field.bounds.levels.iter().enumerate() {
        out.push(Part::new(Kind::Pyramid as u32, k as u32, &level.ranges[..]));
    }
    if !field.caps.is_empty() {
        out.push(Part::new(Kind::Caps as u32, 0, &field.caps[..]));
    }
    out
}

/// How many there are in all. A lying header may name more than a number can hold; no section is that long.
fn product(per_axis: UVec3) -> u64 {
    per_axis.to_array().into_iter().fold(1, |all, n| all.saturating_mul(u64::from(n)))
}

impl Field {
    /// Writes the field to a `.field` file, beside it first, so that the file is whole or not there.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), FieldFileError> {
        self.save_until(path, &AtomicBool::new(false))
    }

    /// [`Field::save`] that stops soon after `cancel` was set, with [`FieldFileError::Cancelled`] and nothing left behind.
    pub fn save_until(&self, path: impl AsRef<Path>, cancel: &AtomicBool) -> Result<(), FieldFileError> {
        let path = path.as_ref();
        let header = bytemuck::cast(self.header());
        sections::write(path, header, &sections_of(self), cancel)
            .map_err(|fault| FieldFileError::new(path, fault))
    }

    /// Without what [`sections::write`] fills in.
    fn header(&self) -> Header {
        Header {
            magic: MAGIC,
            version: FIELD_FORMAT_VERSION,
            storage: match self.storage() {
                StorageKind::Dense => 0,
                StorageKind::Sparse => 1,
            },
            sign: match self.facts.sign {
                SignMethod::Auto => 0,
                SignMethod::Pseudonormal => 1,
                SignMethod::Winding => 2,
                SignMethod::Given => 3,
                SignMethod::Soup => 4,
                SignMethod::Oriented => 5,
                SignMethod::FaceNormal => 6,
            },
            flags: (if self.border_is_outside { BORDER_IS_OUTSIDE } else { 0 })
                | (if self.facts.is_certified { 0 } else { NOT_CERTIFIED })
                | (if self.facts.understates_depth { UNDERSTATES_DEPTH } else { 0 })
                | (if self.facts.hides_triangles { HIDES_TRIANGLES } else { 0 })
                | (if self.facts.grown.is_some() { IS_GROWN } else { 0 }),
            origin: self.grid.origin.to_array(),
            cell: self.grid.cell,
            cells: self.grid.cells.to_array(),
            sections: 0,
            band: self.facts.band,
            lipschitz: self.facts.lipschitz,
            capped_nodes: self.facts.capped_nodes,
            file_length: 0,
            grown: self.facts.grown.unwrap_or(0.0),
            reserved: [0; 3],
            checksum: 0,
        }
    }

    /// Opens a `.field` file by mapping it: header and indices are checked, the values are read when they are asked for.
    /// The file must not be changed in place while the field is in use; replacing it by another is fine.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FieldFileError> {
        let path = path.as_ref();
        let kind = FileKind { magic: MAGIC, version: FIELD_FORMAT_VERSION };
        let file = SectionFile::open(path, &kind).and_then(field_in);
        file.map_err(|fault| FieldFileError::new(path, fault)).map(|(mut field, file)| {
            field.source = Some(Source { path: path.into(), file: Box::new(file) });
            field
        })
    }

    /// Reads all bytes of a field that came from a file and compares them with their checksums: the quick part of
    /// [`Field::verify`].
    pub fn verify_checksums(&self) -> Result<(), FieldFileError> {
        let Some(source) = &self.source else { return Ok(()) };
        let checked = source.file.table.iter().try_for_each(|section| check_section(&source.file, section));
        checked.map_err(|fault| FieldFileError::new(&source.path, fault))
    }

    /// Reads all values of a field that came from a file: an error if one is not a finite number. Nothing that is asked beside such a
    /// node is proven, and ranges that a file states need not know of it.
    pub fn verify_finite(&self) -> Result<(), FieldFileError> {
        let Some(source) = &self.source else { return Ok(()) };
        let unsound = |values: &[f32]| {
            // Whole chunks without a branch, so that they are compared side by side.
            let is_unsound = |values: &[f32]| values.iter().fold(false, |any, v| any | !v.is_finite());
            values.par_chunks(1 << 16).any(is_unsound)
        };
        let section = sections_of(self).into_iter().zip(&source.file.table).find(|(part, section)| {
            let is_values = [Kind::Nodes, Kind::BrickValues, Kind::BrickRanges, Kind::Pyramid]
                .into_iter()
                .any(|kind| kind as u32 == section.kind);
            is_values && unsound(bytemuck::cast_slice(part.bytes))
        });
        section.map_or(Ok(()), |(_, section)| {
            let what = "some of its values are not finite numbers";
            Err(FieldFileError::new(&source.path, Fault::damaged(section.offset, what)))
        })
    }

    /// Reads all values and checks them: checksums of a field that came from a file, and for any field that neighbouring nodes
    /// agree, that the bounds are those of the values, and that nothing is missing of the band, as far as its nodes tell.
    pub fn verify(&self) -> Result<(), FieldFileError> {
        self.verify_checksums()?;
        self.verify_finite()?;
        let contradiction = |what: String| {
            let path = self.source.as_ref().map(|source| source.path.clone());
            FieldFileError::Contradiction { path, what }
        };
        if self.facts.is_certified {
            check::neighbours(&self.storage, &self.grid, self.facts.lipschitz).map_err(|found| {
                contradiction(format!(
                    "{} pairs of neighbouring nodes differ by more than they are apart, the first at node {} with {} and {}",
                    found.count, found.node, found.value, found.neighbour
                ))
            })?;
        }
        if let Storage::Sparse(sparse) = &self.storage {
            band::check(sparse, &self.grid, &self.facts).map_err(|missing| {
                let [x, y, z] = missing.node.to_array();
                contradiction(format!(
                    "{} within the band of {} cells, the first at node ({x}, {y}, {z}) with nodes {} apart",
                    if missing.count == 1 {
                        "1 brick is missing".into()
                    } else {
                        format!("{} bricks are missing", missing.count)
                    },
                    self.facts.band,
                    if missing.step == 1 { "1 cell".into() } else { format!("{} cells", missing.step) },
                ))
            })?;
            for level in &sparse.levels {
                if bounds::brick_ranges(level)[..] != level.ranges[..] {
                    return Err(contradiction(
                        "the ranges of the bricks are not those of their nodes".into(),
                    ));
                }
            }
        }
        if query::border_is_outside(&self.storage, &self.grid) != self.border_is_outside {
            return Err(contradiction(
                "what is said of the border of the box is not what its nodes say".into(),
            ));
        }
        let expected = Bounds::new(&self.storage, &self.grid);
        if expected.levels.iter().zip(&self.bounds.levels).any(|(a, b)| a.ranges[..] != b.ranges[..]) {
            return Err(contradiction("the bounds are not those of the nodes".into()));
        }
        Ok(())
    }
}

fn check_section(file: &SectionFile, section: &Section) -> Result<(), Fault> {
    let kind = kind_of(section.kind);
    let kind = kind.ok_or_else(|| Fault::damaged(section.offset, "a section lies outside the file"))?;
    file.check(section, kind.element_size())
}

fn kind_of(number: u32) -> Option<Kind> {
    [Kind::Nodes, Kind::TileAt, Kind::Tiles, Kind::BrickValues, Kind::BrickRanges, Kind::Pyramid, Kind::Caps]
        .into_iter()
        .find(|&kind| kind as u32 == number)
}

/// The field in a file whose header and table are in order, and the file.
fn field_in(file: SectionFile) -> Result<(Field, SectionFile), Fault> {
    let (header, grid) = checked_header(&file)?;
    for section in file.table.iter().filter(|s| kind_of(s.kind).is_some_and(Kind::is_index)) {
        check_section(&file, section)?;
    }
    let mut sections = file.sections();
    let storage = match header.storage {
        0 => Storage::Dense(dense(&mut sections, 0, grid.nodes())?),
        _ => Storage::Sparse(sparse(&mut sections, &grid)?),
    };
    let mut levels = Vec::new();
    for (k, (block, blocks)) in
        bounds::pyramid_shape(grid.cells, bounds::finest_block(&storage)).into_iter().enumerate()
    {
        let count = product(blocks);
        levels.push(BoundsLevel {
            block,
            blocks,
            ranges: sections.take(Kind::Pyramid as u32, k as u32, Some(count))?,
        });
    }
    let has_caps = file.table.last().is_some_and(|section| section.kind == Kind::Caps as u32);
    let caps = if has_caps { sections.take(Kind::Caps as u32, 0, None)? } else { Vec::new().into() };
    sections.finish()?;
    let sign = match header.sign {
        1 => SignMethod::Pseudonormal,
        2 => SignMethod::Winding,
        4 => SignMethod::Soup,
        5 => SignMethod::Oriented,
        6 => SignMethod::FaceNormal,
        _ => SignMethod::Given,
    };
    let (band, lipschitz, capped_nodes) = (header.band, header.lipschitz, header.capped_nodes);
    let is_certified = header.flags & NOT_CERTIFIED == 0;
    let understates_depth = header.flags & UNDERSTATES_DEPTH != 0;
    let hides_triangles = header.flags & HIDES_TRIANGLES != 0;
    let grown = (header.flags & IS_GROWN != 0).then_some(header.grown);
    let facts = Facts {
        sign,
        lipschitz,
        band,
        capped_nodes,
        is_certified,
        understates_depth,
        hides_triangles,
        grown,
    };
    let border_is_outside = header.flags & BORDER_IS_OUTSIDE != 0;
    let mut field = Field::from_checked_parts(grid, storage, Bounds { levels }, facts, border_is_outside);
    field.caps = caps;
    Ok((field, file))
}

fn checked_header(file: &SectionFile) -> Result<(Header, Grid), Fault> {
    let header: Header = bytemuck::cast(file.header);
    let grid = Grid {
        origin: DVec3::from_array(header.origin),
        cell: header.cell,
        cells: UVec3::from_array(header.cells),
    };
    let positive = |x: f64| x > 0.0 && x.is_finite();
    let sensible = grid.bounds().min.is_finite()
            && grid.bounds().max.is_finite()
            // What has no meaning yet must be 0, or it could never be given one.
            && header.flags <= ALL_FLAGS
            && header.reserved == [0; 3]
            && header.grown.is_finite()
            && (header.grown == 0.0 || header.flags & IS_GROWN != 0)
            && (1.0..=1e6).contains(&header.band)
            && positive(header.cell)
            && positive(header.lipschitz)
            && grid.cells.min_element() >= 1
            && grid.cells.max_element() <= MOST_CELLS
            && header.version == FIELD_FORMAT_VERSION
            && header.storage <= 1
            && (1..=6).contains(&header.sign);
    if !sensible {
        return Err(Fault::damaged(12, "its header holds numbers that no field has"));
    }
    Ok((header, grid))
}

fn dense(sections: &mut Sections<'_>, level: u32, nodes: UVec3) -> Result<DenseNodes, Fault> {
    let count = product(nodes);
    Ok(DenseNodes { nodes, values: sections.take(Kind::Nodes as u32, level, Some(count))? })
}

fn sparse(sections: &mut Sections<'_>, grid: &Grid) -> Result<SparseNodes, Fault> {
    let (steps, top_step) = nodes::steps(grid);
    let mut levels = Vec::new();
    for (k, &step) in steps.iter().enumerate() {
        levels.push(bricks(sections, k as u32, step, nodes::nodes_at(grid, step))?);
    }
    let top = dense(sections, steps.len() as u32, nodes::nodes_at(grid, top_step))?;
    Ok(SparseNodes { levels, top, top_step })
}

fn bricks(sections: &mut Sections<'_>, level: u32, step: u32, nodes: UVec3) -> Result<BrickLevel, Fault> {
    let tile_count = product(BrickLevel::tiles_per_axis(nodes));
    let tile_at: Buffer<u32> = sections.take(Kind::TileAt as u32, level, Some(tile_count))?;
    let tiles: Buffer<Tile> = sections.take(Kind::Tiles as u32, level, None)?;
    let bricks = check_index(nodes, &tile_at, &tiles)
        .ok_or_else(|| Fault::damaged(HEADER as u64, "the index of its bricks is not sound"))?;
    let values = sections.take(Kind::BrickValues as u32, level, Some(bricks * BRICK_NODES as u64))?;
    let ranges = sections.take(Kind::BrickRanges as u32, level, Some(bricks))?;
    Ok(BrickLevel { step, nodes, tile_at, tiles, values, ranges })
}

/// The number of bricks of an index in which every tile is named once, in order, and counts its bricks rightly, none
/// of them past the nodes; `None` for any other index.
fn check_index(nodes: UVec3, tile_at: &[u32], tiles: &[Tile]) -> Option<u64> {
    let tiles_per_axis = BrickLevel::tiles_per_axis(nodes);
    let mut bricks = 0u64;
    let mut next = 0;
    for (index, &at) in tile_at.iter().enumerate().filter(|(_, at)| **at != NO_TILE) {
        let tile = tiles.get(at as usize).filter(|tile| {
            let position = tile_position(index, tiles_per_axis);
            at == next
                && u32::try_from(bricks).is_ok_and(|first| Tile::new(tile.mask, first) == **tile)
                && bricks_of_tile(tile, position).all(|(brick, _)| (brick * BRICK).cmplt(nodes).all())
        })?;
        bricks += u64::from(tile.brick_count());
        next += 1;
    }
    (next as usize == tiles.len()).then_some(bricks)
}
