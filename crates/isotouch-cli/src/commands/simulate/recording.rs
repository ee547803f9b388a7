//! Rows of numbers, one per step, in memory and in a file that only grows.
//!
//! The file is what a killed run leaves behind. Rows are `f64` in little-endian order and have no header: the checkpoint knows how many of them count, and their checksum.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use isotouch::dynamics::{StepReport, World};
use isotouch::math::Pose;

/// Numbers of a row before the poses.
const FACTS: usize = 16;
const POSE: usize = 7;

/// All rows so far.
pub(super) struct Recording {
    path: PathBuf,
    file: File,
    bodies: usize,
    numbers: Vec<f64>,
    /// How many of the numbers are in the file.
    written: usize,
    hash: crc32fast::Hasher,
}

/// A row, taken apart.
#[derive(Clone, Copy)]
pub(super) struct Row<'a>(&'a [f64]);

impl Row<'_> {
    pub(super) fn time(self) -> f64 {
        self.0[0]
    }

    /// Kinetic, potential, elastic.
    pub(super) fn energies(self) -> [f64; 3] {
        [self.0[1], self.0[2], self.0[3]]
    }

    pub(super) fn penetration(self) -> f64 {
        self.0[4]
    }

    pub(super) fn contacts(self) -> f64 {
        self.0[5]
    }

    /// Bullets that stopped.
    pub(super) fn stopped(self) -> f64 {
        self.0[7]
    }

    /// Wall-clock time of the step, and of finding contacts.
    pub(super) fn seconds(self) -> [f64; 2] {
        [self.0[8], self.0[9]]
    }

    /// kg·m/s, of all dynamic bodies.
    pub(super) fn momentum(self) -> [f64; 3] {
        [self.0[10], self.0[11], self.0[12]]
    }

    /// kg·m²/s, of all dynamic bodies about the origin.
    pub(super) fn angular_momentum(self) -> [f64; 3] {
        [self.0[13], self.0[14], self.0[15]]
    }

    /// Of all bodies.
    pub(super) fn poses(&self) -> &[f64] {
        &self.0[FACTS..]
    }

    pub(super) fn pose(self, body: usize) -> Pose {
        let at = FACTS + POSE * body;
        let [x, y, z, qx, qy, qz, qw]: [f64; POSE] = std::array::from_fn(|k| self.0[at + k]);
        Pose {
            position: isotouch::math::DVec3::new(x, y, z),
            rotation: isotouch::math::DQuat::from_xyzw(qx, qy, qz, qw),
        }
    }
}

impl Recording {
    /// An empty one.
    pub(super) fn create(path: &Path, bodies: usize) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            file: File::create(path)?,
            bodies,
            numbers: Vec::new(),
            written: 0,
            hash: crc32fast::Hasher::new(),
        })
    }

    /// The first `rows` of a file; what comes after them is cut off. `None` if they are not what the checksum says.
    pub(super) fn open(path: &Path, bodies: usize, rows: u64, checksum: u32) -> io::Result<Option<Self>> {
        let mut bytes = fs::read(path)?;
        let length = usize::try_from(rows).ok().and_then(|rows| rows.checked_mul(8 * width(bodies)));
        let Some(length) = length.filter(|length| *length <= bytes.len()) else { return Ok(None) };
        bytes.truncate(length);
        let mut hash = crc32fast::Hasher::new();
        hash.update(&bytes);
        if hash.clone().finalize() != checksum {
            return Ok(None);
        }
        let numbers: Vec<f64> =
            bytes.as_chunks::<8>().0.iter().map(|number| f64::from_le_bytes(*number)).collect();
        let file = File::options().append(true).open(path)?;
        file.set_len(length as u64)?;
        Ok(Some(Self { path: path.to_owned(), file, bodies, written: numbers.len(), numbers, hash }))
    }

    pub(super) fn add(&mut self, world: &World, report: &StepReport) {
        self.numbers.extend([
            report.time,
            report.kinetic_energy,
            report.potential_energy,
            report.elastic_energy,
            report.max_penetration,
            report.contacts as f64,
            report.pairs as f64,
            report.stopped as f64,
            report.seconds,
            report.contact_seconds,
        ]);
        self.numbers.extend(report.momentum.to_array());
        self.numbers.extend(report.angular_momentum.to_array());
        for body in world.bodies() {
            self.numbers.extend(body.pose().to_numbers());
        }
    }

    /// Hands all rows so far to the disk. Rows in the file, and their checksum.
    pub(super) fn sync(&mut self) -> io::Result<(u64, u32)> {
        let bytes: Vec<u8> =
            self.numbers[self.written..].iter().flat_map(|number| number.to_le_bytes()).collect();
        self.file.write_all(&bytes)?;
        self.file.sync_data()?;
        self.hash.update(&bytes);
        self.written = self.numbers.len();
        Ok((self.len() as u64, self.hash.clone().finalize()))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn len(&self) -> usize {
        self.numbers.len() / width(self.bodies)
    }

    pub(super) fn rows(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        self.numbers.chunks_exact(width(self.bodies)).map(Row)
    }

    pub(super) fn last(&self) -> Option<Row<'_>> {
        self.numbers.chunks_exact(width(self.bodies)).next_back().map(Row)
    }
}

/// Numbers of a row.
pub(super) fn width(bodies: usize) -> usize {
    FACTS + POSE * bodies
}
