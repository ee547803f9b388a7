//! VegaFEM's distance field (its class `DistanceField`, version 4).
//!
//! ```text
//!  0  resolution   3 × i32   cells along x, y, z; the first is negative if the values have 32 bits
//! 12  smallest     3 × f64   corner of the box
//! 36  largest      3 × f64   corner of the box
//! 60  values       (x + 1)(y + 1)(z + 1) × f32 or f64, x fastest
//! ```
//!
//! Little-endian, negative inside. There is no magic number, so the length is what tells such a file from another. Closest-point
//! fields have a negative second number, Voronoi diagrams a zero as their first. VegaFEM writes 32 bits; 64 come from older
//! versions.

use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::Path;

use glam::{DVec3, UVec3};

use super::{ExchangeError, Nodes, Precision};
use crate::field::Grid;
use crate::npy::rounded;

const HEADER: usize = 60;

/// By how much the last node may be misplaced when cells are taken for cubes, in cells. Boxes are often rounded, so it cannot
/// be 0; a thousandth is far below what a trilinear field resolves.
const MISPLACED: f64 = 1e-3;

pub(super) fn header(grid: &Grid, precision: Precision) -> Vec<u8> {
    // Grids have at most 2²⁴ cells along an axis.
    let mut resolution = grid.cells.as_ivec3();
    if precision == Precision::Single {
        resolution.x = -resolution.x;
    }
    let bounds = grid.bounds();
    let mut header = Vec::with_capacity(HEADER);
    header.extend(resolution.to_array().into_iter().flat_map(i32::to_le_bytes));
    header.extend([bounds.min, bounds.max].into_iter().flat_map(|p| p.to_array()).flat_map(f64::to_le_bytes));
    header
}

pub(super) fn read(path: &Path) -> Result<Nodes, ExchangeError> {
    let read_error = |source| ExchangeError::Read { path: path.into(), source };
    let file = File::open(path).map_err(read_error)?;
    let about = file.metadata().map_err(read_error)?;
    if !about.is_file() {
        return Err(read_error(std::io::Error::other("it is no regular file")));
    }
    let mut input = BufReader::with_capacity(1 << 16, file);
    let mut header = [0; HEADER];
    input.read_exact(&mut header).map_err(|error| match error.kind() {
        std::io::ErrorKind::UnexpectedEof => {
            let problem = "ends within its 60-byte header; copy or write it again".into();
            ExchangeError::Malformed { path: path.into(), problem }
        }
        _ => read_error(error),
    })?;
    let (grid, precision) = grid_of(&header, about.len(), path)?;

    let mut vanished = 0;
    let mut values = Vec::new();
    values.try_reserve_exact(grid.node_count() as usize).map_err(|_| {
        let problem = format!("there is no memory for its {} nodes", grid.node_count());
        ExchangeError::Malformed { path: path.into(), problem }
    })?;
    let width = width(precision);
    let mut row = vec![0; grid.nodes().x as usize * width];
    for _ in 0..u64::from(grid.nodes().y) * u64::from(grid.nodes().z) {
        input.read_exact(&mut row).map_err(read_error)?;
        match precision {
            Precision::Single => values.extend(row.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b))),
            Precision::Double => {
                let value = |b: &[u8; 8]| rounded(f64::from_le_bytes(*b), &mut vanished);
                values.extend(row.as_chunks().0.iter().map(value));
            }
        }
    }
    Ok(Nodes { grid, values, vanished })
}

fn width(precision: Precision) -> usize {
    match precision {
        Precision::Single => 4,
        Precision::Double => 8,
    }
}

/// What the header says, checked against the length of the file before anything is allocated.
fn grid_of(header: &[u8; HEADER], length: u64, path: &Path) -> Result<(Grid, Precision), ExchangeError> {
    let malformed = |problem: String| Err(ExchangeError::Malformed { path: path.into(), problem });
    let (resolution, corners) = header.split_at(12);
    let [x, y, z] = [0, 1, 2].map(|axis| i32::from_le_bytes(resolution.as_chunks().0[axis]));
    let corner = |k: usize| f64::from_le_bytes(corners.as_chunks().0[k]);
    let (min, max) =
        (DVec3::new(corner(0), corner(1), corner(2)), DVec3::new(corner(3), corner(4), corner(5)));
    if x == 0 {
        return malformed(
            "begins with 0, so it is a Voronoi diagram or something else, not distances".into(),
        );
    }
    if y < 0 {
        return malformed("is a field of closest points; save the distances instead".into());
    }
    if y == 0 || z <= 0 {
        return malformed(format!("has a resolution of {x}, {y}, {z}; it is damaged, or no .dist file"));
    }
    let precision = if x < 0 { Precision::Single } else { Precision::Double };
    let cells = UVec3::new(x.unsigned_abs(), y.unsigned_abs(), z.unsigned_abs());
    let nodes = cells.to_array().map(|n| u128::from(n) + 1).iter().product::<u128>();
    let expected = nodes * width(precision) as u128 + HEADER as u128;
    if expected != u128::from(length) {
        return malformed(format!(
            "has {length} bytes, but {} × {} × {} cells of {precision} precision take {expected}; it was cut short, or is no \
             .dist file",
            cells.x, cells.y, cells.z
        ));
    }
    let sides = (max - min) / cells.as_dvec3();
    if !(sides.is_finite() && sides.cmpgt(DVec3::ZERO).all() && min.is_finite()) {
        return malformed(format!("has a box from {min} to {max}, which holds nothing; it is damaged"));
    }
    let (most, axis) =
        (0..3).map(|axis| (cells[axis], axis)).max_by_key(|&(cells, _)| cells).unwrap_or((1, 0));
    let cell = sides[axis];
    if (sides - cell).abs().max_element() * f64::from(most) > MISPLACED * cell {
        return Err(ExchangeError::NotCubes { path: path.into(), sides: sides.to_array() });
    }
    Ok((Grid { origin: min, cell, cells }, precision))
}
