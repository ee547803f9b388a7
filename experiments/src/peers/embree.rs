//! Embree, through the Python package embreex in a process of its own, which runs a round whenever it is told to.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, bail};
use glam::DVec3;
use isotouch::ccd::Segment;
use isotouch::mesh::TriMesh;
use isotouch::npy;
use serde_json::Value;
use tempfile::TempDir;

use crate::models::project_root;

/// A process that holds the mesh and the segments.
pub(crate) struct Peer {
    process: Child,
    /// `None` once it was told that nothing more will come.
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    folder: TempDir,
    pub(crate) version: String,
}

impl Peer {
    /// Starts the process. The first time it installs the package, which asks the network; what goes wrong there is an error.
    pub(crate) fn new(mesh: &TriMesh, segments: &[Segment]) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir().context("no folder for arrays")?;
        let file = |name: &str| folder.path().join(name);
        let triangles: Vec<DVec3> =
            mesh.triangles().iter().map(|t| DVec3::from_array(t.map(f64::from))).collect();
        npy::write_points(file("vertices.npy"), mesh.vertices())?;
        npy::write_points(file("triangles.npy"), &triangles)?;
        npy::write_points(file("from.npy"), &segments.iter().map(|s| s.from).collect::<Vec<_>>())?;
        npy::write_points(file("to.npy"), &segments.iter().map(|s| s.to).collect::<Vec<_>>())?;

        let script = project_root().join("experiments/peers/embree.py");
        let mut process = Command::new("python3")
            .arg(script)
            .arg(environment())
            .arg(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("python3 does not start")?;
        let (Some(orders), Some(answers)) = (process.stdin.take(), process.stdout.take()) else {
            bail!("python3 has no pipes");
        };
        let answers = BufReader::new(answers);
        let mut peer = Self { process, orders: Some(orders), answers, folder, version: String::new() };
        let ready = peer.answer()?;
        peer.version = ready["version"].as_str().unwrap_or("of unknown version").to_string();
        Ok(peer)
    }

    /// Seconds that all rays take, one after the other, by its own clock.
    pub(crate) fn seconds(&mut self) -> anyhow::Result<f64> {
        let orders = self.orders.as_mut().context("Embree was told to end")?;
        writeln!(orders, "round").context("Embree's process does not listen")?;
        self.answer()?["seconds"].as_f64().context("Embree's process names no time")
    }

    /// Ends the process. Times of the first hits; NaN where there is none.
    pub(crate) fn into_times(mut self) -> anyhow::Result<Vec<f64>> {
        // The end of its orders is what it waits for.
        self.orders = None;
        self.answer()?;
        self.process.wait().context("Embree's process did not end")?;
        Ok(npy::read(self.folder.path().join("times.npy"))?.values)
    }

    /// A line of JSON; an object with the key `error` is one.
    fn answer(&mut self) -> anyhow::Result<Value> {
        let mut line = String::new();
        self.answers.read_line(&mut line).context("Embree's process does not answer")?;
        let answer: Value =
            serde_json::from_str(&line).context("Embree's process ended without an answer")?;
        match answer["error"].as_str() {
            Some(error) => bail!("{error}"),
            None => Ok(answer),
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.orders = None;
        // Nothing to be done about a process that does not end.
        let _ = self.process.wait();
    }
}

/// Where the package is installed.
fn environment() -> PathBuf {
    project_root().join("target/embree")
}
