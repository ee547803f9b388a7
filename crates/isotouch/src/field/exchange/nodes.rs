//! All nodes of a grid, in a row: x fastest, then y, then z.

use std::io::{self, Write};
use std::path::Path;

use glam::UVec3;
use rayon::prelude::*;

use super::{ExchangeError, Exported, Precision};
use crate::atomic_file::write_atomically;
use crate::field::interpolate::interpolate;
use crate::field::progress::Stage;
use crate::field::storage::Storage;
use crate::field::{Execution, Field, Grid};

/// Nodes computed before they are written: some megabytes, and milliseconds between two looks at a cancel flag.
const BLOCK: usize = 1 << 20;

/// Writes `header` and then every node of a field.
pub(super) fn write(
    field: &Field,
    path: &Path,
    header: &[u8],
    precision: Precision,
    execution: &Execution<'_>,
) -> Result<Exported, ExchangeError> {
    let nodes = field.grid().nodes();
    let layer = nodes.x as usize * nodes.y as usize;
    let layers_at_once = (BLOCK / layer).max(1);
    let stage = Stage::new(execution, "writing", (nodes.z as usize).div_ceil(layers_at_once));
    let mut interpolated = 0;
    let written = write_atomically(path, |out| {
        out.write_all(header)?;
        for first in (0..nodes.z).step_by(layers_at_once) {
            stage.check().map_err(|_| io::Error::other("cancelled"))?;
            let end = nodes.z.min(first + layers_at_once as u32);
            interpolated += write_layers(field, first..end, precision, out)?;
            stage.advance();
        }
        Ok(())
    });
    match written {
        Ok(()) => Ok(Exported { nodes: field.grid().node_count(), interpolated }),
        Err(_) if stage.is_cancelled() => Err(ExchangeError::Cancelled),
        Err(source) => Err(ExchangeError::Write { path: path.into(), source }),
    }
}

/// Writes some layers of nodes; returns how many of their values were interpolated.
fn write_layers(
    field: &Field,
    layers: std::ops::Range<u32>,
    precision: Precision,
    out: &mut dyn Write,
) -> io::Result<u64> {
    let nodes = field.grid().nodes();
    let rows: Vec<(u32, u32)> = layers.flat_map(|z| (0..nodes.y).map(move |y| (y, z))).collect();
    let rows: Vec<(Vec<u8>, u64)> = rows
        .into_par_iter()
        .with_min_len(64)
        .map(|(y, z)| {
            let mut bytes = Vec::with_capacity(8 * nodes.x as usize);
            let mut interpolated = 0;
            for x in 0..nodes.x {
                let node = UVec3::new(x, y, z);
                let value = match stored(&field.storage, node) {
                    Some(value) => value.into(),
                    None => {
                        interpolated += 1;
                        between(field, node)
                    }
                };
                match precision {
                    Precision::Single => bytes.extend_from_slice(&(value as f32).to_le_bytes()),
                    Precision::Double => bytes.extend_from_slice(&value.to_le_bytes()),
                }
            }
            (bytes, interpolated)
        })
        .collect();
    let mut interpolated = 0;
    for (bytes, count) in rows {
        out.write_all(&bytes)?;
        interpolated += count;
    }
    Ok(interpolated)
}

/// The value of a node, if it is stored at any level.
fn stored(storage: &Storage, node: UVec3) -> Option<f32> {
    let sparse = match storage {
        Storage::Dense(nodes) => return Some(nodes.values[nodes.index(node)]),
        Storage::Sparse(sparse) => sparse,
    };
    for level in &sparse.levels {
        // A node that is none of this level is none of the coarser ones either.
        if (node % level.step).cmpne(UVec3::ZERO).any() {
            return None;
        }
        if let Some(value) = level.node(node / level.step) {
            return Some(value);
        }
    }
    let is_on_top = (node % sparse.top_step).cmpeq(UVec3::ZERO).all();
    is_on_top.then(|| sparse.top.values[sparse.top.index(node / sparse.top_step)])
}

/// The interpolant at a node that is not stored.
fn between(field: &Field, node: UVec3) -> f64 {
    let cell = node.min(field.grid().cells - 1);
    let found = field.storage.cell(cell);
    let first = cell / found.step * found.step;
    interpolate(&found.corners, (node - first).as_dvec3() / f64::from(found.step))
}

/// The first value that is NaN or infinite, or stands for infinity: VegaFEM marks nodes outside a narrow band by the
/// largest number there is.
pub(super) fn check_finite(values: &[f32], grid: &Grid) -> Result<(), (UVec3, f32)> {
    let is_bad = |value: &f32| !value.is_finite() || value.abs() == f32::MAX;
    match values.par_iter().position_first(is_bad) {
        Some(at) => {
            let (x, y) = (grid.nodes().x as usize, grid.nodes().y as usize);
            let node = UVec3::new((at % x) as u32, (at / x % y) as u32, (at / (x * y)) as u32);
            Err((node, values[at]))
        }
        None => Ok(()),
    }
}

/// The largest difference of neighbours along an axis per unit of length, less what the rounding of both to `f32` may add.
pub(super) fn slope(values: &[f32], grid: &Grid) -> f64 {
    let (x, y) = (grid.nodes().x as usize, grid.nodes().y as usize);
    let difference = |a: f32, b: f32| {
        let (a, b) = (f64::from(a), f64::from(b));
        (a - b).abs() - (a.abs() + b.abs()) * f64::from(f32::EPSILON) * 0.5
    };
    let largest = values
        .par_chunks(x)
        .enumerate()
        .map(|(row, along_x)| {
            let mut largest = along_x.windows(2).map(|w| difference(w[0], w[1])).fold(0.0, f64::max);
            // The next row in y, unless this is the last of its layer, and the one in z.
            let next = [((row + 1) % y != 0).then_some(row + 1), Some(row + y)];
            for next in next.into_iter().flatten() {
                let Some(other) = values.get(next * x..(next + 1) * x) else { continue };
                for (&a, &b) in along_x.iter().zip(other) {
                    largest = largest.max(difference(a, b));
                }
            }
            largest
        })
        .reduce(|| 0.0, f64::max);
    largest / grid.cell
}
