//! Rows of numbers, one per step, in memory and in a file that only grows.
//!
//! The file is what a killed run leaves behind. Rows are `f64` in little-endian order and have no header: the checkpoint knows how many of them count, and their checksum.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use isotouch::math::{DQuat, DVec3, Pose};

use super::play::{Facts, Play};

/// Numbers of a row before the poses.
const FACTS: usize = 16;
const POSE: usize = 7;

/// What rows have beside facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cast {
    /// What has a pose.
    pub(super) actors: usize,
    /// Of all cloth.
    pub(super) particles: usize,
}

impl Cast {
    pub(super) fn of(play: &Play) -> Self {
        Self { actors: play.actors().len(), particles: play.particles() }
    }

    /// Numbers of a row.
    pub(super) fn width(self) -> usize {
        FACTS + POSE * self.actors + 3 * self.particles
    }
}

/// All rows so far.
pub(super) struct Recording {
    path: PathBuf,
    file: File,
    cast: Cast,
    numbers: Vec<f64>,
    /// How many of the numbers are in the file.
    written: usize,
    hash: crc32fast::Hasher,
}

/// A row, taken apart.
#[derive(Clone, Copy)]
pub(super) struct Row<'a>(&'a [f64], Cast);

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
        self.0[6]
    }

    /// Wall-clock time of the step, and of finding contacts.
    pub(super) fn seconds(self) -> [f64; 2] {
        [self.0[7], self.0[8]]
    }

    /// kg·m/s, of all dynamic bodies.
    pub(super) fn momentum(self) -> [f64; 3] {
        [self.0[10], self.0[11], self.0[12]]
    }

    /// kg·m²/s, of all dynamic bodies about the origin.
    pub(super) fn angular_momentum(self) -> [f64; 3] {
        [self.0[13], self.0[14], self.0[15]]
    }

    /// How deep cloth is; negative by how far it keeps off.
    pub(super) fn cloth_depth(self) -> f64 {
        self.0[9]
    }

    /// Of all that has one.
    pub(super) fn poses(&self) -> &[f64] {
        &self.0[FACTS..FACTS + POSE * self.1.actors]
    }

    pub(super) fn pose(self, actor: usize) -> Pose {
        let at = FACTS + POSE * actor;
        let [x, y, z, qx, qy, qz, qw]: [f64; POSE] = std::array::from_fn(|k| self.0[at + k]);
        Pose { position: DVec3::new(x, y, z), rotation: DQuat::from_xyzw(qx, qy, qz, qw) }
    }

    /// Of all particles of all cloth, three numbers each.
    pub(super) fn places(&self) -> &[f64] {
        &self.0[FACTS + POSE * self.1.actors..]
    }
}

impl Recording {
    /// An empty one.
    pub(super) fn create(path: &Path, cast: Cast) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            file: File::create(path)?,
            cast,
            numbers: Vec::new(),
            written: 0,
            hash: crc32fast::Hasher::new(),
        })
    }

    /// The first `rows` of a file; what comes after them is cut off. `None` if they are not what the checksum says.
    pub(super) fn open(path: &Path, cast: Cast, rows: u64, checksum: u32) -> io::Result<Option<Self>> {
        let mut bytes = fs::read(path)?;
        let length = usize::try_from(rows).ok().and_then(|rows| rows.checked_mul(8 * cast.width()));
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
        Ok(Some(Self { path: path.to_owned(), file, cast, written: numbers.len(), numbers, hash }))
    }

    pub(super) fn add(&mut self, play: &Play, facts: &Facts) {
        self.numbers.extend([facts.time]);
        self.numbers.extend(facts.energies);
        self.numbers.extend([
            facts.penetration,
            facts.contacts as f64,
            facts.stopped as f64,
            facts.seconds,
            facts.contact_seconds,
            facts.cloth_depth,
        ]);
        self.numbers.extend(facts.momentum.to_array());
        self.numbers.extend(facts.angular_momentum.to_array());
        for actor in play.actors() {
            self.numbers.extend(actor.pose.to_numbers());
        }
        for cloth in play.cloths() {
            self.numbers.extend(cloth.places().iter().flat_map(DVec3::to_array));
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
        self.numbers.len() / self.cast.width()
    }

    pub(super) fn rows(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        self.numbers.chunks_exact(self.cast.width()).map(|row| Row(row, self.cast))
    }

    pub(super) fn last(&self) -> Option<Row<'_>> {
        self.numbers.chunks_exact(self.cast.width()).next_back().map(|row| Row(row, self.cast))
    }
}
