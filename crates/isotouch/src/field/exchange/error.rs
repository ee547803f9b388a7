use std::io;
use std::path::PathBuf;

use crate::field::BuildError;
use crate::npy::NpyError;

fn what_is_wrong(value: f32) -> String {
    let beyond = if value.is_infinite() {
        ", or one beyond 3.4e38, the most that 32 bits hold, and then values and cells have to be scaled"
    } else {
        ""
    };
    format!(
        "the value {value}{beyond}; every node needs a finite one, so compute the whole field and not only a narrow band"
    )
}

/// Why a field could not be taken over from another program, or written for it.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// The system could not read the file.
    #[error("{}: cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The system could not write the file. An older file of that name is untouched.
    #[error("{}: cannot be written: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It was told to stop.
    #[error("cancelled")]
    Cancelled,
    /// A NumPy file that is broken or has another shape.
    #[error(transparent)]
    Npy(#[from] NpyError),
    /// A NumPy file, and nothing that says where its nodes are.
    #[error(
        "{}: an array says nothing about where its nodes are; make a field of it with `isotouch field {} -o NAME.field --cell H \
         --origin X,Y,Z`, or put {{\"cell\": H, \"origin\": [X, Y, Z]}} into {}",
        path.display(), path.display(), sidecar.display()
    )]
    NoPosition {
        /// The file.
        path: PathBuf,
        /// The file that could say it.
        sidecar: PathBuf,
    },
    /// A file that is not what its name says, or is damaged.
    #[error("{}: {problem}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where and what is wrong, and what to do.
        problem: String,
    },
    /// Cells with sides of different lengths.
    #[error(
        "{}: its cells are {} × {} × {}, but only cubes are taken; resample it so that all three are equal",
        path.display(), sides[0], sides[1], sides[2]
    )]
    NotCubes {
        /// The file.
        path: PathBuf,
        /// The sides of a cell.
        sides: [f64; 3],
    },
    /// A value that no field has.
    #[error(
        "{}: the node ({}, {}, {}) has {}", path.display(), node[0], node[1], node[2], what_is_wrong(*value)
    )]
    NotFinite {
        /// The file.
        path: PathBuf,
        /// The node's indices.
        node: [u32; 3],
        /// Its value.
        value: f32,
    },
    /// The values do not make a field.
    #[error("{}: {source}", path.display())]
    Build {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: BuildError,
    },
    /// A format that is written and not read.
    #[error("{}: {format} is written, not read; convert it to .npy", path.display())]
    WriteOnly {
        /// The file.
        path: PathBuf,
        /// The format.
        format: &'static str,
    },
    /// An extension that stands for no format.
    #[error("{}: cannot tell the format from this name; end it in {known}", path.display())]
    UnknownExtension {
        /// The file.
        path: PathBuf,
        /// What it may end in.
        known: &'static str,
    },
}
