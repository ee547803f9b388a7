//! The `.field` file: one header, a table of sections, and the sections as they lie in memory.
//!
//! ```text
//!   0  magic        8 bytes   "isofield"
//!   8  version      u32       1
//!  12  storage      u32       0 dense, 1 sparse
//!  16  sign         u32       1 pseudonormal, 2 winding, 3 given, 4 soup, 5 oriented, 6 face normal
//!  20  flags        u32       bit 0: all border nodes are outside the solid; bit 1: neighbours may contradict each other
//!  24  origin       3 × f64
//!  48  cell         f64
//!  56  cells        3 × u32
//!  68  sections     u32       how many
//!  72  band         f64       in cells
//!  80  lipschitz    f64
//!  88  capped nodes u64
//!  96  file length  u64
//! 104  reserved     20 bytes  0
//! 124  checksum     u32       CRC-32 of bytes 0..124 and of the table
//! 128  table        sections × 32 bytes: kind u32, level u32, offset u64, count u64, checksum u32, reserved u32
//!      sections     each at a multiple of 64
//! ```
//!
//! All numbers are little-endian. Which sections there are, and how long each must be, follows from the header; a table
//! that says otherwise is refused. Opening maps the file and checks header, table and indices; the node values are
//! checked by [`Field::verify`], since reading them all would take as long as reading the file.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use bytemuck::{Pod, Zeroable};
use glam::{DVec3, UVec3};

use super::bounds::{self, Bounds, BoundsLevel};
use super::build::{MOST_CELLS, check, nodes};
use super::storage::bricks::{BRICK, BRICK_NODES, NO_TILE, Tile, bricks_of_tile, tile_position};
use super::storage::{BrickLevel, Buffer, DenseNodes, MappedFile, SparseNodes, Storage};
use super::{Facts, Field, Grid, SignMethod, StorageKind, band, query};
use crate::atomic_file::write_atomically;

const MAGIC: [u8; 8] = *b"isofield";
/// The version of the `.field` format that is written and read.
pub const FIELD_FORMAT_VERSION: u32 = 1;
const ALIGNMENT: u64 = 64;
/// Flags of the header.
const BORDER_IS_OUTSIDE: u32 = 1;
const NOT_CERTIFIED: u32 = 2;
/// Bytes written between two looks at whether to stop: milliseconds on most disks.
const BETWEEN_LOOKS: usize = 1 << 20;

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
    reserved: [u32; 5],
    checksum: u32,
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Section {
    kind: u32,
    level: u32,
    offset: u64,
    count: u64,
    checksum: u32,
    reserved: u32,
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

    fn element_size(self) -> u64 {
        match self {
            Self::Nodes | Self::TileAt | Self::BrickValues => 4,
            Self::BrickRanges | Self::Pyramid => 8,
            Self::Tiles => size_of::<Tile>() as u64,
            Self::Caps => 36,
        }
    }
}

/// What a field that came from a file remembers of it.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    path: PathBuf,
    file: MappedFile,
    sections: Vec<Section>,
}

/// The sections of a field in file order, with their bytes.
fn sections_of(field: &Field) -> Vec<(Kind, u32, &[u8])> {
    let mut out: Vec<(Kind, u32, &[u8])> = Vec::new();
    match &field.storage {
        Storage::Dense(nodes) => out.push((Kind::Nodes, 0, bytemuck::cast_slice(&nodes.values))),
        Storage::Sparse(sparse) => {
            for (k, level) in sparse.levels.iter().enumerate() {
                let k = k as u32;
                out.push((Kind::TileAt, k, bytemuck::cast_slice(&level.tile_at)));
                out.push((Kind::Tiles, k, bytemuck::cast_slice(&level.tiles)));
                out.push((Kind::BrickValues, k, bytemuck::cast_slice(&level.values)));
                out.push((Kind::BrickRanges, k, bytemuck::cast_slice(&level.ranges)));
            }
            out.push((Kind::Nodes, sparse.levels.len() as u32, bytemuck::cast_slice(&sparse.top.values)));
        }
    }
    for (k, level) in field.bounds.levels.iter().enumerate() {
        out.push((Kind::Pyramid, k as u32, bytemuck::cast_slice(&level.ranges)));
    }
    if !field.caps.is_empty() {
        out.push((Kind::Caps, 0, bytemuck::cast_slice(&field.caps)));
    }
    out
}

/// How many there are in all. A lying header may name more than a number can hold; no section is that long.
fn product(per_axis: UVec3) -> u64 {
    per_axis.to_array().into_iter().fold(1, |all, n| all.saturating_mul(u64::from(n)))
}

fn aligned(offset: u64) -> u64 {
    offset.next_multiple_of(ALIGNMENT)
}

fn header_checksum(header: &Header, table: &[Section]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&bytemuck::bytes_of(header)[..size_of::<Header>() - 4]);
    hasher.update(bytemuck::cast_slice(table));
    hasher.finalize()
}

impl Field {
    /// Writes the field to a `.field` file, beside it first, so that the file is whole or not there.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), FieldFileError> {
        self.save_until(path, &AtomicBool::new(false))
    }

    /// [`Field::save`] that stops soon after `cancel` was set, with [`FieldFileError::Cancelled`] and nothing left behind.
    pub fn save_until(&self, path: impl AsRef<Path>, cancel: &AtomicBool) -> Result<(), FieldFileError> {
        let path = path.as_ref();
        if cfg!(target_endian = "big") {
            return Err(FieldFileError::BigEndian { path: path.into() });
        }
        let sections = sections_of(self);
        let mut offset = (size_of::<Header>() + sections.len() * size_of::<Section>()) as u64;
        let mut table = Vec::with_capacity(sections.len());
        for (kind, level, bytes) in &sections {
            offset = aligned(offset);
            table.push(Section {
                kind: *kind as u32,
                level: *level,
                offset,
                count: bytes.len() as u64 / kind.element_size(),
                checksum: crc32fast::hash(bytes),
                reserved: 0,
            });
            offset += bytes.len() as u64;
        }
        let mut header = self.header(table.len() as u32, offset);
        header.checksum = header_checksum(&header, &table);
        let write = |out: &mut dyn Write| {
            out.write_all(bytemuck::bytes_of(&header))?;
            out.write_all(bytemuck::cast_slice(&table))?;
            let mut at = (size_of::<Header>() + size_of_val::<[Section]>(&table)) as u64;
            for (entry, (_, _, bytes)) in table.iter().zip(&sections) {
                let gap = (entry.offset - at) as usize;
                out.write_all(&[0; ALIGNMENT as usize][..gap])?;
                for part in bytes.chunks(BETWEEN_LOOKS) {
                    if cancel.load(Ordering::Relaxed) {
                        return Err(io::ErrorKind::Interrupted.into());
                    }
                    out.write_all(part)?;
                }
                at = entry.offset + bytes.len() as u64;
            }
            Ok(())
        };
        write_atomically(path, write).map_err(|source| match source.kind() {
            io::ErrorKind::Interrupted => FieldFileError::Cancelled,
            _ => FieldFileError::Io { path: path.into(), source },
        })
    }

    fn header(&self, sections: u32, file_length: u64) -> Header {
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
                | (if self.facts.is_certified { 0 } else { NOT_CERTIFIED }),
            origin: self.grid.origin.to_array(),
            cell: self.grid.cell,
            cells: self.grid.cells.to_array(),
            sections,
            band: self.facts.band,
            lipschitz: self.facts.lipschitz,
            capped_nodes: self.facts.capped_nodes,
            file_length,
            reserved: [0; 5],
            checksum: 0,
        }
    }

    /// Opens a `.field` file by mapping it: header and indices are checked, the values are read when they are asked for.
    /// The file must not be changed in place while the field is in use; replacing it by another is fine.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FieldFileError> {
        let path = path.as_ref();
        if cfg!(target_endian = "big") {
            return Err(FieldFileError::BigEndian { path: path.into() });
        }
        let io = |source| FieldFileError::Io { path: path.to_path_buf(), source };
        let file = File::open(path).map_err(io)?;
        let metadata = file.metadata().map_err(io)?;
        if !metadata.is_file() || metadata.len() < 8 {
            return Err(FieldFileError::NotAField { path: path.into() });
        }
        let file = MappedFile::open(&file).map_err(io)?;
        Reader { path, file }.field()
    }

    /// Reads all bytes of a field that came from a file and compares them with their checksums: the quick part of
    /// [`Field::verify`].
    pub fn verify_checksums(&self) -> Result<(), FieldFileError> {
        let Some(source) = &self.source else { return Ok(()) };
        source.sections.iter().try_for_each(|section| source.check_section(section))
    }

    /// Reads all values and checks them: checksums of a field that came from a file, and for any field that neighbouring nodes
    /// agree, that the bounds are those of the values, and that nothing is missing of the band, as far as its nodes tell.
    pub fn verify(&self) -> Result<(), FieldFileError> {
        self.verify_checksums()?;
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

impl Source {
    fn check_section(&self, section: &Section) -> Result<(), FieldFileError> {
        let damaged =
            |what: String| FieldFileError::Damaged { path: self.path.clone(), offset: section.offset, what };
        let range = || {
            let length = section.count.checked_mul(kind_of(section.kind)?.element_size())?;
            let end = usize::try_from(section.offset.checked_add(length)?).ok()?;
            self.file.bytes().get(section.offset as usize..end)
        };
        let bytes = range().ok_or_else(|| damaged("a section lies outside the file".into()))?;
        if crc32fast::hash(bytes) != section.checksum {
            return Err(damaged(format!("the checksum of its {} bytes does not match", bytes.len())));
        }
        Ok(())
    }
}

fn kind_of(number: u32) -> Option<Kind> {
    [Kind::Nodes, Kind::TileAt, Kind::Tiles, Kind::BrickValues, Kind::BrickRanges, Kind::Pyramid, Kind::Caps]
        .into_iter()
        .find(|&kind| kind as u32 == number)
}

/// A mapped file being opened.
struct Reader<'a> {
    path: &'a Path,
    file: MappedFile,
}

impl Reader<'_> {
    fn damaged(&self, offset: u64, what: impl Into<String>) -> FieldFileError {
        FieldFileError::Damaged { path: self.path.into(), offset, what: what.into() }
    }

    fn wrong_length(&self, expected: u64) -> FieldFileError {
        FieldFileError::WrongLength {
            path: self.path.into(),
            expected,
            actual: self.file.bytes().len() as u64,
        }
    }

    fn field(self) -> Result<Field, FieldFileError> {
        let (header, grid, table) = self.checked_header()?;
        let source = Source { path: self.path.into(), file: self.file.clone(), sections: table.clone() };
        for section in table.iter().filter(|s| kind_of(s.kind).is_some_and(Kind::is_index)) {
            source.check_section(section)?;
        }
        let mut sections = Sections { reader: &self, table: &table, next: 0 };
        let storage = match header.storage {
            0 => Storage::Dense(sections.dense(0, grid.nodes())?),
            _ => Storage::Sparse(sections.sparse(&grid)?),
        };
        let mut levels = Vec::new();
        for (k, (block, blocks)) in
            bounds::pyramid_shape(grid.cells, bounds::finest_block(&storage)).into_iter().enumerate()
        {
            let count = product(blocks);
            levels.push(BoundsLevel {
                block,
                blocks,
                ranges: sections.take(Kind::Pyramid, k as u32, Some(count))?,
            });
        }
        let has_caps = table.last().is_some_and(|section| section.kind == Kind::Caps as u32);
        let caps = if has_caps { sections.take(Kind::Caps, 0, None)? } else { Vec::new().into() };
        if sections.next != table.len() {
            return Err(self.damaged(68, "the table has sections that do not belong there"));
        }
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
        let facts = Facts { sign, lipschitz, band, capped_nodes, is_certified };
        let border_is_outside = header.flags & BORDER_IS_OUTSIDE != 0;
        let mut field = Field::from_checked_parts(grid, storage, Bounds { levels }, facts, border_is_outside);
        field.caps = caps;
        field.source = Some(source);
        Ok(field)
    }

    fn checked_header(&self) -> Result<(Header, Grid, Vec<Section>), FieldFileError> {
        let bytes = self.file.bytes();
        if bytes[..8] != MAGIC {
            return Err(FieldFileError::NotAField { path: self.path.into() });
        }
        let head =
            bytes.get(..size_of::<Header>()).ok_or_else(|| self.wrong_length(size_of::<Header>() as u64))?;
        let header: Header = bytemuck::pod_read_unaligned(head);
        if header.version > FIELD_FORMAT_VERSION {
            return Err(FieldFileError::NewerVersion { path: self.path.into(), version: header.version });
        }
        if header.file_length != bytes.len() as u64 {
            return Err(self.wrong_length(header.file_length));
        }
        // At most what fits between the header and the end, so a lying count allocates no more than the file's length.
        let table_end = size_of::<Header>() + header.sections as usize * size_of::<Section>();
        let table_bytes = bytes
            .get(size_of::<Header>()..table_end)
            .ok_or_else(|| self.damaged(68, format!("it claims {} sections", header.sections)))?;
        let table: Vec<Section> =
            table_bytes.chunks_exact(size_of::<Section>()).map(bytemuck::pod_read_unaligned).collect();
        if header_checksum(&header, &table) != header.checksum {
            return Err(self.damaged(124, "the checksum of its header does not match"));
        }
        let grid = Grid {
            origin: DVec3::from_array(header.origin),
            cell: header.cell,
            cells: UVec3::from_array(header.cells),
        };
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let sensible = grid.bounds().min.is_finite()
            && grid.bounds().max.is_finite()
            // What has no meaning yet must be 0, or it could never be given one.
            && header.flags <= BORDER_IS_OUTSIDE | NOT_CERTIFIED
            && header.reserved == [0; 5]
            && (1.0..=1e6).contains(&header.band)
            && positive(header.cell)
            && positive(header.lipschitz)
            && grid.cells.min_element() >= 1
            && grid.cells.max_element() <= MOST_CELLS
            && header.version == FIELD_FORMAT_VERSION
            && header.storage <= 1
            && (1..=6).contains(&header.sign);
        if !sensible {
            return Err(self.damaged(12, "its header holds numbers that no field has"));
        }
        Ok((header, grid, table))
    }
}

/// The table, taken section by section in the one order there is.
struct Sections<'a> {
    reader: &'a Reader<'a>,
    table: &'a [Section],
    next: usize,
}

impl Sections<'_> {
    /// The next section, which must be of this kind, and of this length if it is known.
    fn take<T: Pod>(
        &mut self,
        kind: Kind,
        level: u32,
        count: Option<u64>,
    ) -> Result<Buffer<T>, FieldFileError> {
        let place = (size_of::<Header>() + self.next * size_of::<Section>()) as u64;
        let damaged = |what: &str| self.reader.damaged(place, what);
        let section = self.table.get(self.next).ok_or_else(|| damaged("a section is missing"))?;
        if section.kind != kind as u32 || section.level != level {
            return Err(damaged("a section is not the one that belongs there"));
        }
        if count.is_some_and(|count| count != section.count) {
            return Err(damaged("a section's length does not fit the grid"));
        }
        self.next += 1;
        let range = || Some((usize::try_from(section.offset).ok()?, usize::try_from(section.count).ok()?));
        range()
            .and_then(|(offset, count)| self.reader.file.slice(offset, count))
            .ok_or_else(|| damaged("a section lies outside the file"))
    }

    fn dense(&mut self, level: u32, nodes: UVec3) -> Result<DenseNodes, FieldFileError> {
        let count = product(nodes);
        Ok(DenseNodes { nodes, values: self.take(Kind::Nodes, level, Some(count))? })
    }

    fn sparse(&mut self, grid: &Grid) -> Result<SparseNodes, FieldFileError> {
        let (steps, top_step) = nodes::steps(grid);
        let mut levels = Vec::new();
        for (k, &step) in steps.iter().enumerate() {
            levels.push(self.bricks(k as u32, step, nodes::nodes_at(grid, step))?);
        }
        let top = self.dense(steps.len() as u32, nodes::nodes_at(grid, top_step))?;
        Ok(SparseNodes { levels, top, top_step })
    }

    fn bricks(&mut self, level: u32, step: u32, nodes: UVec3) -> Result<BrickLevel, FieldFileError> {
        let tile_count = product(BrickLevel::tiles_per_axis(nodes));
        let tile_at: Buffer<u32> = self.take(Kind::TileAt, level, Some(tile_count))?;
        let tiles: Buffer<Tile> = self.take(Kind::Tiles, level, None)?;
        let bricks = self.check_index(nodes, &tile_at, &tiles)?;
        let values = self.take(Kind::BrickValues, level, Some(bricks * BRICK_NODES as u64))?;
        let ranges = self.take(Kind::BrickRanges, level, Some(bricks))?;
        Ok(BrickLevel { step, nodes, tile_at, tiles, values, ranges })
    }

    /// The number of bricks of an index in which every tile is named once, in order, and counts its bricks rightly, none
    /// of them past the nodes.
    fn check_index(&self, nodes: UVec3, tile_at: &[u32], tiles: &[Tile]) -> Result<u64, FieldFileError> {
        let tiles_per_axis = BrickLevel::tiles_per_axis(nodes);
        let mut bricks = 0u64;
        let mut next = 0;
        for (index, &at) in tile_at.iter().enumerate().filter(|(_, at)| **at != NO_TILE) {
            let sound = tiles.get(at as usize).filter(|tile| {
                let position = tile_position(index, tiles_per_axis);
                at == next
                    && u32::try_from(bricks).is_ok_and(|first| Tile::new(tile.mask, first) == **tile)
                    && bricks_of_tile(tile, position).all(|(brick, _)| (brick * BRICK).cmplt(nodes).all())
            });
            let Some(tile) = sound else {
                return Err(self
                    .reader
                    .damaged(size_of::<Header>() as u64, "the index of its bricks is not sound"));
            };
            bricks += u64::from(tile.brick_count());
            next += 1;
        }
        if next as usize != tiles.len() {
            return Err(self
                .reader
                .damaged(size_of::<Header>() as u64, "the index of its bricks is not sound"));
        }
        Ok(bricks)
    }
}
