//! Numbers over time as CSV: the time, then named columns, one row per step.
//!
//! ```
//! use isotouch::output::trajectory::{Trajectory, pose_columns};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("ball.csv");
//! let mut columns = vec!["energy".to_owned()];
//! columns.extend(pose_columns("ball"));
//! let mut trajectory = Trajectory::create(&path, &columns)?;
//! trajectory.add(0.0, &[9.81, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0])?;
//! trajectory.add(0.001, &[9.81, 0.0, 0.999995, 0.0, 0.0, 0.0, 0.0, 1.0])?;
//! trajectory.finish()?;
//!
//! let text = std::fs::read_to_string(&path)?;
//! assert_eq!(text.lines().next(), Some("time,energy,ball_x,ball_y,ball_z,ball_qx,ball_qy,ball_qz,ball_qw"));
//! assert_eq!(text.lines().nth(2), Some("0.001,9.81,0,0.999995,0,0,0,0,1"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Each number has the fewest digits that read back as the same `f64`. What is not finite is `NaN`, `inf` or `-inf`, as
//! NumPy and pandas read it.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::atomic_file::UnfinishedFile;

/// Rows reach the disk after so many of them: a killed run leaves most of itself in the unfinished file, and a system call
/// for each row would cost more than the row.
const ROWS_PER_FLUSH: usize = 256;

/// A CSV file that is being written. It is at its path after [`Trajectory::finish`], whole, and not at all when that is never
/// called; until then it grows beside it, under a name that ends in `.unfinished`.
#[derive(Debug)]
pub struct Trajectory {
    path: PathBuf,
    file: UnfinishedFile,
    columns: usize,
    rows: usize,
    /// The row being written.
    line: String,
}

/// Why a trajectory was not written.
#[derive(Debug, thiserror::Error)]
pub enum TrajectoryError {
    /// The file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A row with more or fewer numbers than there are columns.
    #[error("cannot write {}: row {row} has {found} numbers beside the time, but there are {columns} columns", path.display())]
    WrongLength {
        /// The file.
        path: PathBuf,
        /// The row, counted from 0.
        row: usize,
        /// Its numbers.
        found: usize,
        /// The columns, without the time.
        columns: usize,
    },
}

impl Trajectory {
    /// Begins a file with the header `time` and the names of the columns.
    pub fn create(path: impl AsRef<Path>, columns: &[impl AsRef<str>]) -> Result<Self, TrajectoryError> {
        let path = path.as_ref().to_owned();
        let mut line = String::from("time");
        for name in columns {
            line.push(',');
            line.push_str(&quoted(name.as_ref()));
        }
        let file = UnfinishedFile::create(&path)
            .map_err(|source| TrajectoryError::Write { path: path.clone(), source })?;
        let mut trajectory = Self { path, file, columns: columns.len(), rows: 0, line };
        trajectory.write_line()?;
        Ok(trajectory)
    }

    /// Adds a row.
    pub fn add(&mut self, time: f64, numbers: &[f64]) -> Result<(), TrajectoryError> {
        if numbers.len() != self.columns {
            return Err(TrajectoryError::WrongLength {
                path: self.path.clone(),
                row: self.rows,
                found: numbers.len(),
                columns: self.columns,
            });
        }
        push_number(&mut self.line, time);
        for &number in numbers {
            self.line.push(',');
            push_number(&mut self.line, number);
        }
        self.write_line()?;
        self.rows += 1;
        if self.rows.is_multiple_of(ROWS_PER_FLUSH) {
            self.flush()?;
        }
        Ok(())
    }

    /// Rows so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Hands all rows so far to the system.
    pub fn flush(&mut self) -> Result<(), TrajectoryError> {
        let result = self.file.flush();
        self.told(result)
    }

    /// Puts the file at its path.
    pub fn finish(self) -> Result<(), TrajectoryError> {
        let Self { path, file, .. } = self;
        file.finish().map_err(|source| TrajectoryError::Write { path, source })
    }

    fn write_line(&mut self) -> Result<(), TrajectoryError> {
        self.line.push('\n');
        let result = self.file.write_all(self.line.as_bytes());
        self.line.clear();
        self.told(result)
    }

    fn told(&self, result: io::Result<()>) -> Result<(), TrajectoryError> {
        result.map_err(|source| TrajectoryError::Write { path: self.path.clone(), source })
    }
}

/// Names of seven columns for the poses of a body, in the order of [`Pose::to_numbers`](crate::math::Pose::to_numbers).
pub fn pose_columns(body: &str) -> [String; 7] {
    ["x", "y", "z", "qx", "qy", "qz", "qw"].map(|part| format!("{body}_{part}"))
}

/// A name as RFC 4180 wants it.
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}

/// The fewest digits that read back as the same number; powers of ten where there would be rows of zeros.
fn push_number(line: &mut String, number: f64) {
    let size = number.abs();
    let has_power = size.is_finite() && size != 0.0 && !(1e-5..1e16).contains(&size);
    // Writing to a string cannot fail.
    let _ = if has_power { write!(line, "{number:e}") } else { write!(line, "{number}") };
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_read_back_as_they_were(bits: u64) {
            let number = f64::from_bits(bits);
            let mut line = String::new();
            push_number(&mut line, number);
            let read: f64 = line.parse().unwrap();
            prop_assert!(read.to_bits() == bits || (read.is_nan() && number.is_nan()), "{line}");
            prop_assert!(line.len() <= 25, "{line}");
        }
    }

    #[test]
    fn numbers_are_short() {
        for (number, text) in [
            (0.1, "0.1"),
            (-0.0, "-0"),
            (1.0, "1"),
            (1e-5, "0.00001"),
            (1.5e-300, "1.5e-300"),
            (1e15, "1000000000000000"),
            (f64::INFINITY, "inf"),
            (f64::NAN, "NaN"),
        ] {
            let mut line = String::new();
            push_number(&mut line, number);
            assert_eq!(line, text);
        }
    }

    #[test]
    fn the_file_is_there_when_it_is_finished_and_never_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        let files =
            || std::fs::read_dir(folder.path()).unwrap().map(|f| f.unwrap().path()).collect::<Vec<_>>();

        let mut left = Trajectory::create(&path, &["a, b", "say \"c\""]).unwrap();
        for step in 0..ROWS_PER_FLUSH {
            left.add(step as f64, &[1.0, 2.0]).unwrap();
        }
        // Its rows can be looked at while it grows.
        let beside = files();
        assert!(!path.exists() && beside.len() == 1);
        let text = std::fs::read_to_string(&beside[0]).unwrap();
        assert!(text.starts_with("time,\"a, b\",\"say \"\"c\"\"\"\n0,1,2\n"), "{text}");
        assert_eq!(text.lines().count(), ROWS_PER_FLUSH + 1);
        drop(left);
        assert!(files().is_empty());

        let mut kept = Trajectory::create(&path, &["a"]).unwrap();
        kept.add(0.5, &[f64::NAN]).unwrap();
        let error = kept.add(0.6, &[]).unwrap_err().to_string();
        assert!(error.contains("t.csv") && error.contains("row 1 has 0 numbers"), "{error}");
        assert_eq!(kept.rows(), 1);
        kept.finish().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "time,a\n0.5,NaN\n");
        assert_eq!(files().len(), 1);

        let error = Trajectory::create(folder.path().join("no/t.csv"), &["a"]).unwrap_err().to_string();
        assert!(error.contains("t.csv"), "{error}");
    }
}
