//! The promises of the command, tested on the real program.
#![allow(clippy::unwrap_used, reason = "what cannot be set up fails the test")]

mod cache;
mod cast;
mod check_path;
mod closed_pipe;
mod compare;
mod demo;
mod distance;
mod exchange;
mod exit_codes;
mod field;
mod haptic;
mod haptic_page;
mod hard_files;
mod help;
mod inspect;
mod interrupt;
mod json;
mod shell;
mod simulate;
mod slice;
mod surface;
mod sweep;
mod terminal;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use isotouch::math::DVec3;
use isotouch::mesh::{TriMesh, io, shapes};
use isotouch::output::npy;
use serde_json::Value;

/// A folder of its own for one test, with files to work on.
pub(crate) struct Desk {
    folder: tempfile::TempDir,
    /// Its own, so that no test finds what another left, or what the user has.
    cache: tempfile::TempDir,
}

impl Desk {
    /// With `part.obj` (a torus), `open.obj` (a torus with a hole) and `points.npy` (five points).
    pub(crate) fn new() -> Self {
        let desk = Self { folder: tempfile::tempdir().unwrap(), cache: tempfile::tempdir().unwrap() };
        let torus = shapes::by_name("torus").unwrap();
        io::write(desk.path("part.obj"), &torus).unwrap();
        let holed = TriMesh::new(torus.vertices().to_vec(), torus.triangles()[5..].to_vec()).unwrap();
        io::write(desk.path("open.obj"), &holed).unwrap();
        npy::write_points(desk.path("points.npy"), &points()).unwrap();
        desk
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The folder where fields of meshes are kept.
    pub(crate) fn cache(&self) -> &Path {
        self.cache.path()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_isotouch"));
        command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null());
        // As a user runs it, not as the test runner does.
        command.env_remove("NO_COLOR").env_remove("CARGO");
        command.env("ISOTOUCH_CACHE", self.cache.path()).env_remove("ISOTOUCH_CACHE_SIZE");
        command.env_remove("ISOTOUCH_MODELS");
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::from(self.command(arguments).output().unwrap())
    }

    /// Runs what has to succeed.
    pub(crate) fn succeed(&self, arguments: &[&str]) -> Run {
        let run = self.run(arguments);
        assert_eq!(run.code, Some(0), "{arguments:?}: {}", run.stderr);
        run
    }

    /// A coarse field of the part, quickly made.
    pub(crate) fn make_field(&self, name: &str) {
        self.succeed(&["field", "part.obj", "-o", name, "--resolution", "32"]);
    }

    /// Names of all files, sorted.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// In the tube of the torus, on its axis, near it, outside the box of a field, and nowhere.
pub(crate) fn points() -> Vec<DVec3> {
    let extent = shapes::by_name("torus").unwrap().bounds().extent();
    let tube = DVec3::new(0.5 * extent.x - 0.5 * extent.z, 0.0, 0.0);
    vec![tube, DVec3::ZERO, 0.9 * tube, DVec3::new(100.0, 0.0, 0.0), DVec3::new(f64::NAN, 0.0, 0.0)]
}

/// How a run of the program ended.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Run {
    /// What was printed, which has to be one JSON object on one line and nothing else.
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.stdout.matches('\n').count(), 1, "{}", self.stdout);
        let value: Value = serde_json::from_str(&self.stdout).expect("one JSON value");
        assert!(value.is_object(), "{value}");
        value
    }
}

/// Width and height that a PNG claims, after a look at its first bytes.
pub(crate) fn png_size(path: &Path) -> (u32, u32) {
    let bytes = std::fs::read(path).unwrap();
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"));
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}
