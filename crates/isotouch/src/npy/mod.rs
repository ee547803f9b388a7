//! NumPy's `.npy` files: points and grids in, points, numbers and grids out. Many arrays in one file: [`npz`].
//!
//! ```text
//! 0x93 "NUMPY"   magic, 6 bytes
//! major minor    1.0, 2.0 or 3.0
//! header length  u16 (version 1) or u32, little endian
//! header         a Python dict: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }, spaces, newline
//! data           the numbers, without gaps
//! ```
//!
//! Own code and not a crate, because those at hand multiply a lying shape until it overflows, parse the header
//! with a recursive grammar, or allocate what the header claims. Here memory grows only with bytes that were read.

mod header;
pub mod npz;

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use glam::DVec3;

use crate::atomic_file::write_atomically;
use header::{Header, Order};

/// An array read from a file, its numbers in C order: the last index runs fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// Length along each index.
    pub shape: Vec<usize>,
    /// As many numbers as the product of the shape. NaN and infinities come through as they are.
    pub values: Vec<f64>,
}

/// Why an `.npy` or `.npz` file was not read or written.
#[derive(Debug, thiserror::Error)]
pub enum NpyError {
    /// There is no such file.
    #[error("{}: no such file; check the spelling and the folder", path.display())]
    NoSuchFile {
        /// The file.
        path: PathBuf,
    },
    /// The file could not be opened or read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file is not what its name promises, or is damaged.
    #[error("{}: {problem}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where and what is wrong, and what to do.
        problem: String,
    },
    /// Arrays that cannot be written as they are.
    #[error("cannot write {}: {problem}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Which array, what is wrong with it, and what to do.
        problem: String,
    },
    /// A good array, but not of the shape that is needed.
    #[error("{}: the array has shape {}, but {wanted} is needed; {}", path.display(), shape_text(shape), remedy(shape, wanted))]
    WrongShape {
        /// The file.
        path: PathBuf,
        /// The shape it has.
        shape: Vec<usize>,
        /// The shape it should have.
        wanted: &'static str,
    },
}

/// Reads an array of 32- or 64-bit floats of any shape, either byte order, C or Fortran order.
pub fn read(path: impl AsRef<Path>) -> Result<Array, NpyError> {
    open(path.as_ref(), read_from)
}

/// Whether a file begins as arrays do. Only regular files are looked at, for a pipe can be read but once.
pub(crate) fn is_array(path: &Path) -> bool {
    let mut first = [0; header::MAGIC.len()];
    let is_regular = std::fs::metadata(path).is_ok_and(|about| about.is_file());
    is_regular
        && File::open(path).and_then(|mut file| file.read_exact(&mut first)).is_ok()
        && first == *header::MAGIC
}

/// The shape of an array with three indices, without its numbers.
pub(crate) fn read_grid_shape(path: &Path) -> Result<[usize; 3], NpyError> {
    open(path, |input| grid_shape(&header::read_of_floats(input)?))
}

fn grid_shape(header: &Header) -> Result<[usize; 3], Failure> {
    let wrong = || Failure::WrongShape(header.shape.clone(), GRID);
    <[usize; 3]>::try_from(header.shape.as_slice()).map_err(|_| wrong())
}

/// An array with three indices, rounded to 32 bits.
pub(crate) struct GridValues {
    pub(crate) shape: [usize; 3],
    /// The *first* index runs fastest.
    pub(crate) values: Vec<f32>,
    /// Numbers other than 0 that became 0.
    pub(crate) vanished: u64,
}

/// A number in 32 bits; counts those that become 0 and were not.
pub(crate) fn rounded(value: f64, vanished: &mut u64) -> f32 {
    let rounded = value as f32;
    *vanished += u64::from(rounded == 0.0 && value != 0.0);
    rounded
}

/// Reads an array with three indices.
pub(crate) fn read_grid(path: &Path) -> Result<GridValues, NpyError> {
    open(path, |input| {
        let header = header::read_of_floats(input)?;
        let shape = grid_shape(&header)?;
        let mut vanished = 0;
        let values =
            read_values(input, &header, |bytes| rounded(header.number.decode_float(bytes), &mut vanished))?;
        // Numbers of which the last index is the fastest are those of the array with its indices reversed, in Fortran order.
        let values = match header.order {
            Order::Fortran => values,
            Order::C => c_order(&[shape[2], shape[1], shape[0]], &values),
        };
        Ok(GridValues { shape, values, vanished })
    })
}

fn open<T>(path: &Path, read: impl FnOnce(&mut dyn Read) -> Result<T, Failure>) -> Result<T, NpyError> {
    open_file(path, |file| read(&mut BufReader::with_capacity(1 << 16, file)))
}

fn open_file<T>(path: &Path, read: impl FnOnce(File) -> Result<T, Failure>) -> Result<T, NpyError> {
    let read_error = |source| NpyError::Read { path: path.to_owned(), source };
    let file = File::open(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => NpyError::NoSuchFile { path: path.to_owned() },
        _ => read_error(source),
    })?;
    if file.metadata().map_err(read_error)?.is_dir() {
        return Err(read_error(io::ErrorKind::IsADirectory.into()));
    }
    read(file).map_err(|error| match error {
        Failure::Io(source) => read_error(source),
        Failure::Malformed(problem) => NpyError::Malformed { path: path.to_owned(), problem },
        Failure::WrongShape(shape, wanted) => NpyError::WrongShape { path: path.to_owned(), shape, wanted },
    })
}

/// The shape of an array of nodes.
const GRID: &str = "one length for each of x, y and z";
/// The shape of an array of points.
const POINTS: &str = "(n, 3)";

/// Reads points: an array of shape (n, 3).
pub fn read_points(path: impl AsRef<Path>) -> Result<Vec<DVec3>, NpyError> {
    let path = path.as_ref();
    let Array { shape, values } = read(path)?;
    match shape[..] {
        [_, 3] => Ok(values.chunks_exact(3).map(DVec3::from_slice).collect()),
        _ => Err(NpyError::WrongShape { path: path.to_owned(), shape, wanted: POINTS }),
    }
}

/// Reads pairs of points from an array of shape (n, 2, 3) or (n, 6).
pub fn read_pairs(path: impl AsRef<Path>) -> Result<Vec<[DVec3; 2]>, NpyError> {
    let path = path.as_ref();
    let Array { shape, values } = read(path)?;
    match shape[..] {
        [_, 2, 3] | [_, 6] => {
            let pair = |of: &[f64]| [DVec3::from_slice(&of[..3]), DVec3::from_slice(&of[3..])];
            Ok(values.chunks_exact(6).map(pair).collect())
        }
        _ => Err(NpyError::WrongShape { path: path.to_owned(), shape, wanted: "(n, 2, 3) or (n, 6)" }),
    }
}

/// Writes numbers as an (n,) array of 64-bit floats. The file appears whole or not at all.
pub fn write_scalars(path: impl AsRef<Path>, values: &[f64]) -> Result<(), NpyError> {
    write(path.as_ref(), &[values.len()], values)
}

/// Writes points as an (n, 3) array of 64-bit floats. The file appears whole or not at all.
pub fn write_points(path: impl AsRef<Path>, points: &[DVec3]) -> Result<(), NpyError> {
    write(path.as_ref(), &[points.len(), 3], bytemuck::cast_slice(points))
}

/// Writes marks as an (n,) array of bytes (`uint8`). The file appears whole or not at all.
pub fn write_bytes(path: impl AsRef<Path>, values: &[u8]) -> Result<(), NpyError> {
    let path = path.as_ref();
    write_atomically(path, |out| {
        out.write_all(&header::encode(&[values.len()], "|u1", Order::C))?;
        out.write_all(values)
    })
    .map_err(|source| NpyError::Write { path: path.to_owned(), source })
}

fn write(path: &Path, shape: &[usize], values: &[f64]) -> Result<(), NpyError> {
    write_atomically(path, |out| {
        out.write_all(&header::encode(shape, "<f8", Order::C))?;
        write_little_endian(out, values, f64::to_le_bytes)
    })
    .map_err(|source| NpyError::Write { path: path.to_owned(), source })
}

fn write_little_endian<T: Copy, const WIDTH: usize>(
    out: &mut dyn Write,
    values: &[T],
    encode: impl Fn(T) -> [u8; WIDTH],
) -> io::Result<()> {
    let mut block = Vec::with_capacity(1 << 16);
    for chunk in values.chunks(1 << 13) {
        block.clear();
        block.extend(chunk.iter().flat_map(|&value| encode(value)));
        out.write_all(&block)?;
    }
    Ok(())
}

/// What stands before the numbers of an array with three indices, the first one running fastest. `descr` is NumPy's name
/// of the number type.
pub(crate) fn grid_header(shape: [usize; 3], descr: &str) -> Vec<u8> {
    header::encode(&shape, descr, Order::Fortran)
}

/// What went wrong, before the file's name is added.
#[derive(Debug)]
enum Failure {
    Io(io::Error),
    Malformed(String),
    /// The shape, and what it should be.
    WrongShape(Vec<usize>, &'static str),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn malformed<T>(problem: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::Malformed(problem.into()))
}

fn read_from(input: &mut dyn Read) -> Result<Array, Failure> {
    let header = header::read_of_floats(input)?;
    let values = read_in_c_order(input, &header, |bytes| header.number.decode_float(bytes))?;
    Ok(Array { shape: header.shape, values })
}

/// Numbers with the last index running fastest, whatever the file's order.
fn read_in_c_order<T: Copy>(
    input: &mut dyn Read,
    header: &Header,
    decode: impl Fn(&[u8]) -> T,
) -> Result<Vec<T>, Failure> {
    let values = read_values(input, header, decode)?;
    Ok(match header.order {
        Order::C => values,
        Order::Fortran => c_order(&header.shape, &values),
    })
}

fn read_values<T>(
    input: &mut dyn Read,
    header: &Header,
    mut decode: impl FnMut(&[u8]) -> T,
) -> Result<Vec<T>, Failure> {
    let width = header.number.width();
    let mut values: Vec<T> = Vec::new();
    let mut block = vec![0u8; 1 << 16];
    let mut left = header.count;
    while left > 0 {
        let take = left.min(block.len() / width);
        let bytes = &mut block[..take * width];
        let filled = read_up_to(input, bytes)?;
        if filled < bytes.len() {
            let found = values.len() + filled / width;
            return malformed(format!(
                "it ends after {found} of the {} numbers that its shape {} announces; write it again",
                header.count,
                shape_text(&header.shape)
            ));
        }
        if values.try_reserve(take).is_err() {
            return malformed(format!("there is no memory for {} numbers; split the file", header.count));
        }
        values.extend(bytes.chunks_exact(width).map(&mut decode));
        left -= take;
    }
    if read_up_to(input, &mut block[..1])? > 0 {
        return malformed(format!(
            "more data follows the {} numbers that its shape {} announces; a file may hold one array only",
            header.count,
            shape_text(&header.shape)
        ));
    }
    Ok(values)
}

/// Fills as much of `bytes` as there is to read; less than all only at the end of the input.
fn read_up_to(input: &mut dyn Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < bytes.len() {
        match input.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Numbers stored with the first index running fastest, reordered so that the last one does.
fn c_order<T: Copy>(shape: &[usize], fortran: &[T]) -> Vec<T> {
    let mut strides = Vec::with_capacity(shape.len());
    let mut stride = 1;
    for &length in shape {
        strides.push(stride);
        stride *= length;
    }
    let mut index = vec![0; shape.len()];
    let mut at = 0;
    let mut values = Vec::with_capacity(fortran.len());
    for _ in 0..fortran.len() {
        values.push(fortran[at]);
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            at += strides[axis];
            if index[axis] < shape[axis] {
                break;
            }
            at -= index[axis] * strides[axis];
            index[axis] = 0;
        }
    }
    values
}

/// What to do about an array that has another shape than the one wanted.
fn remedy(shape: &[usize], wanted: &str) -> &'static str {
    match shape {
        [3, _] if wanted == POINTS => "save its transpose, array.T",
        [_, 3] if wanted == GRID => "it may hold points, which are no field",
        _ => "reshape it before saving",
    }
}

/// A shape as Python writes it: `(5,)`, `(5, 3)`.
fn shape_text(shape: &[usize]) -> String {
    match shape {
        [length] => format!("({length},)"),
        _ => format!("({})", shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests;
