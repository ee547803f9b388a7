//! NumPy arrays: `array[x, y, z]` is the value of node (x, y, z). An array has no position, so a small JSON file beside it
//! has:
//!
//! ```text
//! bunny.npy.json    {"cell": 0.01, "origin": [-0.5, -0.5, -0.5], "shape": [101, 101, 101]}
//! ```
//!
//! Ours are written in Fortran order, which is how the nodes lie in memory; NumPy does not mind. Both orders are read.

use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use glam::{DVec3, UVec3};
use serde_json::{Value, json};

use super::{ExchangeError, ImportOptions, Nodes, Precision};
use crate::atomic_file::write_atomically;
use crate::field::Grid;
use crate::npy;

/// The longest side-car file that is read, in bytes. A real one has about a hundred.
const MOST_SIDECAR: u64 = 1 << 16;

pub(super) fn header(grid: &Grid, precision: Precision) -> Vec<u8> {
    let descr = match precision {
        Precision::Single => "<f4",
        Precision::Double => "<f8",
    };
    npy::grid_header(shape(grid), descr)
}

fn shape(grid: &Grid) -> [usize; 3] {
    grid.nodes().to_array().map(|length| length as usize)
}

pub(super) fn sidecar(grid: &Grid) -> Value {
    json!({ "cell": grid.cell, "origin": grid.origin.to_array(), "shape": shape(grid) })
}

/// The name of the file that says where the nodes of `path` are.
fn sidecar_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".json");
    name.into()
}

pub(super) fn write_sidecar(path: &Path, sidecar: &Value) -> Result<(), ExchangeError> {
    let path = sidecar_path(path);
    write_atomically(&path, |out| writeln!(out, "{sidecar}"))
        .map_err(|source| ExchangeError::Write { path, source })
}

pub(super) fn read(path: &Path, options: &ImportOptions) -> Result<Nodes, ExchangeError> {
    // The small file first: without a position the large one need not be read. What the options say needs no file.
    let beside = match (options.cell, options.origin) {
        (Some(_), Some(_)) => None,
        _ => read_sidecar(&sidecar_path(path))?,
    };
    let (cell, origin) = match (options.cell, &beside) {
        (Some(cell), None) => (cell, options.origin.unwrap_or(DVec3::ZERO)),
        (cell, Some(beside)) => (cell.unwrap_or(beside.cell), options.origin.unwrap_or(beside.origin)),
        (None, None) => {
            // Who is told to say where the nodes are should have nodes, along three axes.
            npy::read_grid_shape(path)?;
            let sidecar = sidecar_path(path);
            return Err(ExchangeError::NoPosition { path: path.into(), sidecar });
        }
    };
    let npy::GridValues { shape, values, vanished } = npy::read_grid(path)?;
    let malformed = |problem: String| ExchangeError::Malformed { path: path.into(), problem };
    if let Some(stated) = beside.and_then(|beside| beside.shape)
        && stated != shape
    {
        return Err(malformed(format!(
            "the array has shape {shape:?}, but {} was written for {stated:?}; correct or remove that file",
            sidecar_path(path).display()
        )));
    }
    let mut cells = UVec3::ZERO;
    for axis in 0..3 {
        cells[axis] = match u32::try_from(shape[axis]) {
            Ok(nodes @ 2..) => nodes - 1,
            _ => {
                let problem = format!(
                    "the array has shape {shape:?}, but a field needs 2 or more nodes along each axis"
                );
                return Err(malformed(problem));
            }
        };
    }
    Ok(Nodes { grid: Grid { origin, cell, cells }, values, vanished })
}

/// What a side-car file says.
struct Sidecar {
    cell: f64,
    origin: DVec3,
    shape: Option<[usize; 3]>,
}

/// Reads the file beside the array, if there is one.
fn read_sidecar(path: &Path) -> Result<Option<Sidecar>, ExchangeError> {
    let mut text = String::new();
    match File::open(path).and_then(|file| file.take(MOST_SIDECAR).read_to_string(&mut text)) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(ExchangeError::Read { path: path.into(), source }),
    }
    let malformed = |problem: String| ExchangeError::Malformed { path: path.into(), problem };
    let value: Value =
        serde_json::from_str(&text).map_err(|error| malformed(format!("is no JSON: {error}")))?;
    let numbers = |name: &str| -> Option<[f64; 3]> {
        let list: Vec<f64> = value.get(name)?.as_array()?.iter().map(Value::as_f64).collect::<Option<_>>()?;
        list.try_into().ok()
    };
    let cell = value.get("cell").and_then(Value::as_f64).filter(|cell| *cell > 0.0);
    let cell = cell.ok_or_else(|| malformed("\"cell\" has to be a number above 0".into()))?;
    let origin = match value.get("origin") {
        None => [0.0; 3],
        Some(_) => numbers("origin").ok_or_else(|| malformed("\"origin\" has to be three numbers".into()))?,
    };
    let shape = match value.get("shape") {
        None => None,
        Some(_) => {
            let shape =
                numbers("shape").ok_or_else(|| malformed("\"shape\" has to be three numbers".into()))?;
            Some(shape.map(|length| length as usize))
        }
    };
    Ok(Some(Sidecar { cell, origin: origin.into(), shape }))
}
