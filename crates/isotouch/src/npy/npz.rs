//! NumPy's `.npz` files: named arrays of any shape in one zip archive.
//!
//! ```
//! use isotouch::npy::npz::{Compression, Npz};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("run.npz");
//! let poses = vec![0.0; 100 * 2 * 7];
//! let mut run = Npz::new();
//! run.add("poses", &[100, 2, 7], &poses[..]); // steps, bodies, x y z qx qy qz qw
//! run.add("contacts", &[100], vec![0u32; 100]);
//! run.write(&path, Compression::Deflated)?; // in Python: numpy.load("run.npz")["poses"]
//!
//! let same = Npz::read(&path)?;
//! assert_eq!(same.get("poses").unwrap().shape(), [100, 2, 7]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The same arrays give the same bytes: entries carry no time. An array beyond 4 GiB is written as Zip64, which Python
//! reads.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::path::Path;

use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use super::header::{self, Kind, Order};
use super::{Failure, NpyError, open_file, read_in_c_order, shape_text, write_little_endian};
use crate::atomic_file::write_atomically;

/// Named arrays, in the order they were added.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Npz<'a> {
    arrays: Vec<(String, NpzArray<'a>)>,
}

/// An array of numbers in C order: the last index runs fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct NpzArray<'a> {
    shape: Vec<usize>,
    values: Values<'a>,
}

/// Numbers of one of the types that are written.
#[derive(Debug, Clone, PartialEq)]
pub enum Values<'a> {
    /// `float64`.
    F64(Cow<'a, [f64]>),
    /// `int64`.
    I64(Cow<'a, [i64]>),
    /// `uint32`.
    U32(Cow<'a, [u32]>),
}

/// Whether an archive takes less space or less time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compression {
    /// As `numpy.savez`: bytes as they are.
    #[default]
    Stored,
    /// As `numpy.savez_compressed`.
    Deflated,
}

impl<'a> Npz<'a> {
    /// No arrays yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an array; `values` is a slice, which is not copied, or a `Vec`. What does not go together is told by
    /// [`Npz::write`].
    pub fn add(&mut self, name: impl Into<String>, shape: &[usize], values: impl Into<Values<'a>>) {
        self.arrays.push((name.into(), NpzArray { shape: shape.to_vec(), values: values.into() }));
    }

    /// The array of that name.
    pub fn get(&self, name: &str) -> Option<&NpzArray<'a>> {
        self.arrays.iter().find(|(other, _)| other == name).map(|(_, array)| array)
    }

    /// Names and arrays, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &NpzArray<'a>)> {
        self.arrays.iter().map(|(name, array)| (name.as_str(), array))
    }

    /// Writes an archive. The file appears whole or not at all.
    pub fn write(&self, path: impl AsRef<Path>, compression: Compression) -> Result<(), NpyError> {
        let path = path.as_ref();
        self.check().map_err(|problem| NpyError::Unwritable { path: path.to_owned(), problem })?;
        write_atomically(path, |out| self.write_to(out, compression))
            .map_err(|source| NpyError::Write { path: path.to_owned(), source })
    }

    /// What makes it impossible to write the arrays.
    fn check(&self) -> Result<(), String> {
        let mut names = BTreeSet::new();
        for (name, array) in self.iter() {
            if !is_good_name(name) {
                return Err(format!(
                    "an array cannot be called '{}'; use letters, digits and signs other than / and \\",
                    name.escape_debug()
                ));
            }
            if !names.insert(name) {
                return Err(format!("two arrays are called '{name}'; rename one"));
            }
            let count = array.shape.iter().try_fold(1usize, |product, &length| product.checked_mul(length));
            if count != Some(array.values.len()) {
                return Err(format!(
                    "the array '{name}' has {} numbers, which is not what its shape {} holds",
                    array.values.len(),
                    shape_text(&array.shape)
                ));
            }
        }
        Ok(())
    }

    fn write_to(&self, out: &mut dyn Write, compression: Compression) -> io::Result<()> {
        let method = match compression {
            Compression::Stored => CompressionMethod::Stored,
            Compression::Deflated => CompressionMethod::Deflated,
        };
        let mut archive = ZipWriter::new_stream(out);
        for (name, array) in self.iter() {
            let head = header::encode(&array.shape, array.values.descr(), Order::C);
            // What does not compress grows a little.
            let most_bytes = (head.len() + array.values.bytes()) as u64 / 1000 * 1001 + (1 << 16);
            let options = SimpleFileOptions::default()
                .compression_method(method)
                .last_modified_time(DateTime::DEFAULT)
                .large_file(most_bytes > u64::from(u32::MAX));
            archive.start_file(format!("{name}.npy"), options)?;
            archive.write_all(&head)?;
            array.values.write_to(&mut archive)?;
        }
        archive.finish()?;
        Ok(())
    }
}

impl Npz<'static> {
    /// Reads all arrays of an archive. Floats become `f64`, `uint32` stays, other integers of up to 64 bits become
    /// `i64`; names lose their `.npy`.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, NpyError> {
        open_file(path.as_ref(), |file| {
            let mut archive = ZipArchive::new(io::BufReader::new(file)).map_err(failure)?;
            let mut arrays = Vec::new();
            for index in 0..archive.len() {
                let mut entry = archive.by_index(index).map_err(failure)?;
                let name = entry.name().map_err(failure)?.into_owned();
                let name = name.strip_suffix(".npy").unwrap_or(&name).to_owned();
                let array = read_array(&mut entry).map_err(|failure| match failure {
                    Failure::Malformed(problem) => {
                        Failure::Malformed(format!("in '{}': {problem}", name.escape_debug()))
                    }
                    // The archive is there; what it says of itself is wrong.
                    Failure::Io(error) if error.kind() != io::ErrorKind::Interrupted => Failure::Malformed(
                        format!("'{}' is damaged ({error}); write it again", name.escape_debug()),
                    ),
                    other => other,
                })?;
                arrays.push((name, array));
            }
            Ok(Npz { arrays })
        })
    }
}

impl NpzArray<'_> {
    /// Length along each index.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The numbers.
    pub fn values(&self) -> &Values<'_> {
        &self.values
    }

    /// The numbers, when they are floats.
    pub fn as_f64(&self) -> Option<&[f64]> {
        match &self.values {
            Values::F64(values) => Some(values),
            _ => None,
        }
    }
}

impl Values<'_> {
    /// How many numbers.
    pub fn len(&self) -> usize {
        match self {
            Self::F64(values) => values.len(),
            Self::I64(values) => values.len(),
            Self::U32(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn bytes(&self) -> usize {
        self.len() * if matches!(self, Self::U32(_)) { 4 } else { 8 }
    }

    /// NumPy's name of the type.
    fn descr(&self) -> &'static str {
        match self {
            Self::F64(_) => "<f8",
            Self::I64(_) => "<i8",
            Self::U32(_) => "<u4",
        }
    }

    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::F64(values) => write_little_endian(out, values, f64::to_le_bytes),
            Self::I64(values) => write_little_endian(out, values, i64::to_le_bytes),
            Self::U32(values) => write_little_endian(out, values, u32::to_le_bytes),
        }
    }
}

macro_rules! values_from {
    ($number:ty, $variant:ident) => {
        impl<'a> From<&'a [$number]> for Values<'a> {
            fn from(values: &'a [$number]) -> Self {
                Self::$variant(Cow::Borrowed(values))
            }
        }

        impl From<Vec<$number>> for Values<'_> {
            fn from(values: Vec<$number>) -> Self {
                Self::$variant(Cow::Owned(values))
            }
        }
    };
}

values_from!(f64, F64);
values_from!(i64, I64);
values_from!(u32, U32);

/// Names become names of files in an archive, which some programs unpack.
fn is_good_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() < 1000
        && !name.contains(|c: char| matches!(c, '/' | '\\') || c.is_control())
}

fn read_array(input: &mut dyn Read) -> Result<NpzArray<'static>, Failure> {
    let header = header::read(input)?;
    let number = header.number;
    let values = match number.kind {
        Kind::F32 | Kind::F64 => read_in_c_order(input, &header, |bytes| number.decode_float(bytes))?.into(),
        Kind::U32 => read_in_c_order(input, &header, |bytes| number.decode_integer(bytes) as u32)?.into(),
        Kind::U8 | Kind::I32 | Kind::I64 => {
            read_in_c_order(input, &header, |bytes| number.decode_integer(bytes))?.into()
        }
    };
    Ok(NpzArray { shape: header.shape, values })
}

fn failure(error: ZipError) -> Failure {
    match error {
        // An archive that is cut short ends where more was announced.
        ZipError::Io(error) if error.kind() != io::ErrorKind::UnexpectedEof => Failure::Io(error),
        other => {
            Failure::Malformed(format!("it is no .npz archive, or a damaged one ({other}); write it again"))
        }
    }
}
