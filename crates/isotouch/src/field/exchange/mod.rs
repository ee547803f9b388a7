//! Fields in the formats of other programs.
//!
//! | format | read | written | index order | position |
//! |---|---|---|---|---|
//! | NumPy `.npy` | yes | yes | `array[x, y, z]` | in `NAME.npy.json` beside it, or given |
//! | VegaFEM `.dist` | yes | yes | x fastest | in the file |
//! | NRRD `.nrrd` | no | yes | x fastest | in the file |
//!
//! ```no_run
//! use isotouch::field::{Field, ImportOptions};
//!
//! let field = Field::import("scan.dist", &ImportOptions::default())?.field;
//! field.export("scan.npy", &Default::default())?;
//! # Ok::<(), isotouch::field::ExchangeError>(())
//! ```
//!
//! **In.** Foreign values are taken as they are; nobody certifies them. The field states how fast they change:
//! [`Field::lipschitz`] is the largest difference of neighbouring nodes per unit of length, and at least 1, that of a
//! distance. Its error bound then holds for every function with these values that changes no faster between the nodes.
//!
//! **Out.** Every node at full resolution. Where a sparse field has no node the interpolant is written, which is within
//! [`Field::error_bound_at`] of the distance; [`Exported::interpolated`] counts those nodes.

mod dist;
mod error;
mod nodes;
mod npy;
mod nrrd;

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use glam::DVec3;

pub use self::error::ExchangeError;
use super::options::UnknownName;
use super::{BuildError, Execution, Field, FieldOptions, Grid, StorageKind};

/// A format of other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExchangeFormat {
    /// A NumPy array `array[x, y, z]`.
    Npy,
    /// VegaFEM's distance field.
    Dist,
    /// NRRD ("nearly raw raster data"), as 3D Slicer and ParaView read it.
    Nrrd,
}

impl ExchangeFormat {
    /// The format that a file's extension stands for; `None` if it is none of these.
    pub fn of(path: impl AsRef<Path>) -> Option<Self> {
        let extension = path.as_ref().extension().and_then(OsStr::to_str)?;
        let named = |name: &str| extension.eq_ignore_ascii_case(name);
        [("npy", Self::Npy), ("dist", Self::Dist), ("nrrd", Self::Nrrd)]
            .into_iter()
            .find_map(|(name, format)| named(name).then_some(format))
    }

    /// The format of a file that is there: NumPy's by its first bytes, whatever its name; the others, which have none of their
    /// own or are not read, by the extension.
    pub fn of_file(path: impl AsRef<Path>) -> Option<Self> {
        let path = path.as_ref();
        if crate::npy::is_array(path) { Some(Self::Npy) } else { Self::of(path) }
    }
}

/// How to read a foreign field.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportOptions {
    /// Edge length of a cell, for files that do not say or say it wrongly.
    pub cell: Option<f64>,
    /// Position of the first node, for files that do not say or say it wrongly.
    pub origin: Option<DVec3>,
    /// How fast the values change at most, per unit of length; by default it is estimated from neighbours.
    pub lipschitz: Option<f64>,
    /// How the nodes are kept: dense by default, as in the file. The other options count where they mean something
    /// (the band of a sparse field).
    pub field: FieldOptions,
}

impl Default for ImportOptions {
    fn default() -> Self {
        let field = FieldOptions { storage: StorageKind::Dense, ..FieldOptions::default() };
        Self { cell: None, origin: None, lipschitz: None, field }
    }
}

/// A field that came from elsewhere.
#[derive(Debug)]
pub struct Imported {
    /// The field.
    pub field: Field,
    /// The largest difference of neighbouring nodes per unit of length. Above 1 the values are no distances, or the cells
    /// are not of the size stated.
    pub slope: f64,
    /// Values other than 0 that became 0, being too small for 32 bits.
    pub vanished: u64,
}

/// How many bits a number gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// 32, which is what fields hold.
    #[default]
    Single,
    /// 64, for programs that read nothing else.
    Double,
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Single => "single",
            Self::Double => "double",
        })
    }
}

impl FromStr for Precision {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        match name {
            "single" => Ok(Self::Single),
            "double" => Ok(Self::Double),
            _ => Err(UnknownName { given: name.into(), known: "single, double" }),
        }
    }
}

/// How to write a field for other programs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ExportOptions {
    /// How many bits a number gets.
    pub precision: Precision,
}

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exported {
    /// Nodes, all of them.
    pub nodes: u64,
    /// Nodes that a sparse field does not have, and whose values were interpolated between coarser ones.
    pub interpolated: u64,
}

impl Field {
    /// Reads a field of another program, in the format that [`ExchangeFormat::of_file`] finds.
    pub fn import(path: impl AsRef<Path>, options: &ImportOptions) -> Result<Imported, ExchangeError> {
        Self::import_with(path, options, &Execution::default())
    }

    /// [`Field::import`], with progress and a way to stop it once the values are read.
    pub fn import_with(
        path: impl AsRef<Path>,
        options: &ImportOptions,
        execution: &Execution<'_>,
    ) -> Result<Imported, ExchangeError> {
        let path = path.as_ref();
        let Nodes { mut grid, values, vanished } = match ExchangeFormat::of_file(path) {
            Some(ExchangeFormat::Npy) => npy::read(path, options)?,
            Some(ExchangeFormat::Dist) => dist::read(path)?,
            Some(ExchangeFormat::Nrrd) => {
                return Err(ExchangeError::WriteOnly { path: path.into(), format: "NRRD" });
            }
            None => {
                return Err(ExchangeError::UnknownExtension { path: path.into(), known: ".npy or .dist" });
            }
        };
        grid.cell = options.cell.unwrap_or(grid.cell);
        grid.origin = options.origin.unwrap_or(grid.origin);
        nodes::check_finite(&values, &grid).map_err(|(node, value)| ExchangeError::NotFinite {
            path: path.into(),
            node: node.to_array(),
            value,
        })?;
        let slope = nodes::slope(&values, &grid);
        let lipschitz = options.lipschitz.unwrap_or(slope.max(1.0));
        let field =
            Self::from_grid_with(grid, values, lipschitz, &options.field, execution).map_err(|error| {
                match error {
                    BuildError::Cancelled => ExchangeError::Cancelled,
                    source => ExchangeError::Build { path: path.into(), source },
                }
            })?;
        Ok(Imported { field, slope, vanished })
    }

    /// Writes the field for another program, in the format that the extension names. The file appears whole or not at all; with
    /// `NAME.npy` comes `NAME.npy.json`, which holds the position.
    pub fn export(&self, path: impl AsRef<Path>, options: &ExportOptions) -> Result<Exported, ExchangeError> {
        self.export_with(path, options, &Execution::default())
    }

    /// [`Field::export`], with progress and a way to stop it.
    pub fn export_with(
        &self,
        path: impl AsRef<Path>,
        options: &ExportOptions,
        execution: &Execution<'_>,
    ) -> Result<Exported, ExchangeError> {
        let path = path.as_ref();
        let (header, sidecar) = match ExchangeFormat::of(path) {
            Some(ExchangeFormat::Npy) => {
                (npy::header(&self.grid, options.precision), Some(npy::sidecar(&self.grid)))
            }
            Some(ExchangeFormat::Dist) => (dist::header(&self.grid, options.precision), None),
            Some(ExchangeFormat::Nrrd) => (nrrd::header(&self.grid, options.precision), None),
            None => {
                let known = ".npy, .dist or .nrrd";
                return Err(ExchangeError::UnknownExtension { path: path.into(), known });
            }
        };
        let exported = nodes::write(self, path, &header, options.precision, execution)?;
        if let Some(sidecar) = sidecar {
            npy::write_sidecar(path, &sidecar)?;
        }
        Ok(exported)
    }
}

/// What a file holds.
struct Nodes {
    grid: Grid,
    /// x fastest.
    values: Vec<f32>,
    /// Values other than 0 that became 0.
    vanished: u64,
}
