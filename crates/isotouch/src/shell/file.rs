//! The `.shell` file: a header, and points, normals, areas and levels as they lie in memory.
//!
//! ```text
//!   0  magic        8 bytes   "isoshell"
//!   8  version      u32       1
//!  12  sampling     u32       1 vertices, 2 spacing, 3 number of points
//!  16  normals      u32       1 mesh, 2 triangles, 3 field
//!  20  flags        u32       bit 0: made on a level set of a field
//!  24  asked for    f64       the spacing, or the number of points; 0 for vertices
//!  32  iso          f64       the level set; 0 for a mesh
//!  40  area         f64       of the surface
//!  48  reserved     20 bytes  0
//!  68  sections     u32       4
//!  72  reserved     24 bytes  0
//!  96  file length  u64
//! 104  reserved     20 bytes  0
//! 124  checksum     u32       CRC-32 of bytes 0..124 and of the table
//! 128  table        sections × 32 bytes
//!      sections     each at a multiple of 64: points, normals (3 × f64 each), areas (f64), levels (u64, f64, f64)
//! ```
//!
//! `field/sections.rs` has what is the same in `.field` files. Opening reads and checks all of it. The sphere tree is not in the file: it is
//! built anew, which takes less than a second, and so no file can hold one whose spheres do not contain what they should.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use bytemuck::{Pod, Zeroable};
use glam::DVec3;

use super::{Facts, NormalSource, PointShell, Sampling, ShellLevel, SphereTree};
use crate::field::sections::{self, Fault, FileKind, Part, SectionFile};

const KIND: FileKind = FileKind { magic: *b"isoshell", version: SHELL_FORMAT_VERSION };
/// The version of the `.shell` format that is written and read.
pub const SHELL_FORMAT_VERSION: u32 = 1;
/// Flag of the header.
const ON_LEVEL_SET: u32 = 1;
/// Kinds of sections.
const POINTS: u32 = 1;
const NORMALS: u32 = 2;
const WEIGHTS: u32 = 3;
const LEVELS: u32 = 4;
/// Unit vectors are as long as this leaves; `f64` rounding leaves 10⁻¹⁶, other programs may have rounded to `f32`.
const UNIT: std::ops::RangeInclusive<f64> = 1.0 - 1e-6..=1.0 + 1e-6;
/// Largest coordinate of a point: squares of distances are then numbers.
const FARTHEST: f64 = 1e150;

/// Why a shell could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ShellFileError {
    /// The system refused.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is some other kind of file.
    #[error("{path} is not a .shell file; 'isotouch shell MESH -o NAME.shell' makes one from a mesh")]
    NotAShell {
        /// The file.
        path: PathBuf,
    },
    /// A later version of isotouch wrote it.
    #[error(
        "{path} has format version {version}, but only versions up to {SHELL_FORMAT_VERSION} are known here; update isotouch"
    )]
    NewerVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// It ends too early, or has something behind its end.
    #[error(
        "{path} is {actual} bytes long and should be {expected}: it was cut short or damaged; make it again"
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
    #[error("{path} is damaged at byte {offset}: {what}; make it again")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where.
        offset: u64,
        /// What is wrong.
        what: String,
    },
    /// Saving was told to stop.
    #[error("cancelled")]
    Cancelled,
    /// The bytes are those of little-endian machines.
    #[error("{path}: .shell files can only be used on little-endian machines")]
    BigEndian {
        /// The file.
        path: PathBuf,
    },
}

impl ShellFileError {
    fn new(path: &Path, fault: Fault) -> Self {
        let path = path.to_path_buf();
        match fault {
            Fault::Io(source) => Self::Io { path, source },
            Fault::OtherKind => Self::NotAShell { path },
            Fault::NewerVersion(version) => Self::NewerVersion { path, version },
            Fault::WrongLength { expected, actual } => Self::WrongLength { path, expected, actual },
            Fault::Damaged { offset, what } => Self::Damaged { path, offset, what },
            Fault::BigEndian => Self::BigEndian { path },
            Fault::Cancelled => Self::Cancelled,
        }
    }
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    version: u32,
    sampling: u32,
    normals: u32,
    flags: u32,
    asked_for: f64,
    iso: f64,
    area: f64,
    reserved: [u32; 5],
    sections: u32,
    reserved_too: [u64; 3],
    file_length: u64,
    reserved_as_well: [u32; 5],
    checksum: u32,
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Level {
    points: u64,
    spacing: f64,
    coverage: f64,
}

impl PointShell {
    /// Writes the shell to a `.shell` file, beside it first, so that the file is whole or not there.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ShellFileError> {
        self.save_until(path, &AtomicBool::new(false))
    }

    /// [`PointShell::save`] that stops soon after `cancel` was set, with [`ShellFileError::Cancelled`] and nothing left behind.
    pub fn save_until(&self, path: impl AsRef<Path>, cancel: &AtomicBool) -> Result<(), ShellFileError> {
        let path = path.as_ref();
        let levels: Vec<Level> = self
            .levels
            .iter()
            .map(|level| Level {
                points: level.points as u64,
                spacing: level.spacing,
                coverage: level.coverage,
            })
            .collect();
        let parts = [
            Part::new(POINTS, 0, &self.points),
            Part::new(NORMALS, 0, &self.normals),
            Part::new(WEIGHTS, 0, &self.weights),
            Part::new(LEVELS, 0, &levels),
        ];
        sections::write(path, bytemuck::cast(self.header()), &parts, cancel)
            .map_err(|fault| ShellFileError::new(path, fault))
    }

    /// Without what [`sections::write`] fills in.
    fn header(&self) -> Header {
        let (sampling, asked_for) = match self.facts.sampling {
            Sampling::Vertices => (1, 0.0),
            Sampling::Spacing(spacing) => (2, spacing),
            Sampling::Points(count) => (3, count as f64),
        };
        Header {
            magic: KIND.magic,
            version: KIND.version,
            sampling,
            normals: match self.facts.normals {
                NormalSource::Mesh => 1,
                NormalSource::Triangles => 2,
                NormalSource::Field => 3,
            },
            flags: if self.facts.iso.is_some() { ON_LEVEL_SET } else { 0 },
            asked_for,
            iso: self.facts.iso.unwrap_or(0.0),
            area: self.facts.area,
            reserved: [0; 5],
            sections: 0,
            reserved_too: [0; 3],
            file_length: 0,
            reserved_as_well: [0; 5],
            checksum: 0,
        }
    }

    /// Reads a `.shell` file and checks all of it. What cannot be checked without the surface is believed: that the points lie on it, their areas, and the
    /// coverage.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ShellFileError> {
        let path = path.as_ref();
        let shell = SectionFile::open(path, &KIND).and_then(|file| shell_in(&file));
        shell.map_err(|fault| ShellFileError::new(path, fault))
    }
}

fn shell_in(file: &SectionFile) -> Result<PointShell, Fault> {
    let facts = checked_header(&bytemuck::cast(file.header))?;
    let elements = [size_of::<DVec3>(), size_of::<DVec3>(), size_of::<f64>(), size_of::<Level>()];
    for (section, element) in file.table.iter().zip(elements) {
        file.check(section, element)?;
    }
    let mut sections = file.sections();
    let points = sections.take::<DVec3>(POINTS, 0, None)?;
    let count = points.len() as u64;
    let normals = sections.take::<DVec3>(NORMALS, 0, Some(count))?;
    let weights = sections.take::<f64>(WEIGHTS, 0, Some(count))?;
    let levels = sections.take::<Level>(LEVELS, 0, None)?;
    sections.finish()?;
    let at = |section: usize| file.table[section].offset;
    if points.is_empty() || u32::try_from(points.len()).is_err() {
        return Err(Fault::damaged(at(0), format!("it has {count} points")));
    }
    // Copied once it is known how much, so that nothing that was checked can change.
    let (points, normals, weights) = (points.to_vec(), normals.to_vec(), weights.to_vec());
    let is_unit = |n: &DVec3| *n == DVec3::ZERO || UNIT.contains(&n.length());
    // Written so that NaN is refused.
    let checks = [
        (
            points.iter().position(|p| !(p.is_finite() && p.abs().max_element() <= FARTHEST)),
            "has a position that is not finite",
        ),
        (normals.iter().position(|n| !is_unit(n)), "has a normal that is no unit vector"),
        (weights.iter().position(|w| !(*w >= 0.0 && w.is_finite())), "has an area that is no area"),
    ];
    for (section, (found, what)) in checks.into_iter().enumerate() {
        if let Some(k) = found {
            return Err(Fault::damaged(at(section), format!("point {k} {what}")));
        }
    }
    let levels = checked_levels(&levels, count).ok_or_else(|| {
        Fault::damaged(
            at(3),
            "its levels are not sound: each has more points than the one before, and no larger coverage",
        )
    })?;
    let tree = SphereTree::new(&points);
    Ok(PointShell { points, normals, weights, levels, tree, facts })
}

fn checked_header(header: &Header) -> Result<Facts, Fault> {
    let is_count = |x: f64| x >= 1.0 && x <= f64::from(u32::MAX) && x.fract() == 0.0;
    let positive = |x: f64| x > 0.0 && x.is_finite();
    let sampling = match header.sampling {
        1 if header.asked_for == 0.0 => Some(Sampling::Vertices),
        2 if positive(header.asked_for) => Some(Sampling::Spacing(header.asked_for)),
        3 if is_count(header.asked_for) => Some(Sampling::Points(header.asked_for as usize)),
        _ => None,
    };
    let normals = match header.normals {
        1 => Some(NormalSource::Mesh),
        2 => Some(NormalSource::Triangles),
        3 => Some(NormalSource::Field),
        _ => None,
    };
    let is_on_level_set = header.flags == ON_LEVEL_SET;
    // What has no meaning yet must be 0, or it could never be given one.
    let is_sensible = header.flags <= ON_LEVEL_SET
        && header.version == SHELL_FORMAT_VERSION
        && header.reserved == [0; 5]
        && header.reserved_too == [0; 3]
        && header.reserved_as_well == [0; 5]
        && header.iso.is_finite()
        && (is_on_level_set || header.iso == 0.0)
        && positive(header.area);
    match (sampling, normals) {
        (Some(sampling), Some(normals)) if is_sensible => {
            Ok(Facts { sampling, normals, iso: is_on_level_set.then_some(header.iso), area: header.area })
        }
        _ => Err(Fault::damaged(12, "its header holds numbers that no shell has")),
    }
}

fn checked_levels(levels: &[Level], count: u64) -> Option<Vec<ShellLevel>> {
    let is_rising = levels.windows(2).all(|pair| {
        let [coarse, fine] = [pair[0], pair[1]];
        coarse.points < fine.points && coarse.coverage >= fine.coverage && coarse.spacing >= fine.spacing
    });
    // A single point is at no distance from others; that is infinite.
    let is_number =
        |level: &Level| level.spacing >= 0.0 && level.coverage >= 0.0 && level.coverage.is_finite();
    let first = levels.first()?;
    let is_whole = first.points > 0 && levels.last()?.points == count;
    (is_rising && is_whole && levels.iter().all(is_number)).then(|| {
        let level =
            |l: &Level| ShellLevel { points: l.points as usize, spacing: l.spacing, coverage: l.coverage };
        levels.iter().map(level).collect()
    })
}
