//! Other software in a Python process of its own, which runs a round whenever it is told to.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, bail};
use glam::DVec3;
use isotouch::mesh::TriMesh;
use isotouch::npy;
use serde_json::Value;
use tempfile::TempDir;

use crate::models::project_root;

/// A process, and the folder that it reads from and writes to.
pub(crate) struct PythonPeer {
    name: &'static str,
    process: Child,
    /// `None` once it was told that nothing more will come.
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    folder: TempDir,
    pub(crate) version: String,
}

impl PythonPeer {
    /// Starts `experiments/peers/NAME.py` on a folder of arrays. The first time it installs what it needs, which asks the network;
    /// what goes wrong there is an error.
    pub(crate) fn new(name: &'static str, folder: TempDir) -> anyhow::Result<Self> {
        let root = project_root();
        let mut process = Command::new("python3")
            .arg(root.join("experiments/peers").join(name).with_extension("py"))
            .arg(root.join("target").join(name))
            .arg(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("python3 does not start")?;
        let (Some(orders), Some(answers)) = (process.stdin.take(), process.stdout.take()) else {
            bail!("python3 has no pipes");
        };
        let answers = BufReader::new(answers);
        let mut peer = Self { name, process, orders: Some(orders), answers, folder, version: String::new() };
        let ready = peer.answer()?;
        peer.version = ready["version"].as_str().unwrap_or("of unknown version").to_string();
        Ok(peer)
    }

    /// Runs a round. A number that it tells about it.
    pub(crate) fn round(&mut self, key: &str) -> anyhow::Result<f64> {
        let answer = self.answers_of_round()?;
        answer[key].as_f64().with_context(|| format!("the process of {} names no {key}", self.name))
    }

    /// Runs a round. All that it tells about it.
    pub(crate) fn answers_of_round(&mut self) -> anyhow::Result<Value> {
        let orders = self.orders.as_mut().context("the process was told to end")?;
        writeln!(orders, "round").with_context(|| format!("the process of {} does not listen", self.name))?;
        self.answer()
    }

    /// Ends the process; its folder has what it wrote.
    pub(crate) fn finish(&mut self) -> anyhow::Result<&Path> {
        // The end of its orders is what it waits for.
        self.orders = None;
        self.answer()?;
        self.process.wait().with_context(|| format!("the process of {} did not end", self.name))?;
        Ok(self.folder.path())
    }

    /// A line of JSON; an object with the key `error` is one.
    fn answer(&mut self) -> anyhow::Result<Value> {
        let mut line = String::new();
        let name = self.name;
        self.answers
            .read_line(&mut line)
            .with_context(|| format!("the process of {name} does not answer"))?;
        let answer: Value = serde_json::from_str(&line)
            .with_context(|| format!("the process of {name} ended without an answer"))?;
        match answer["error"].as_str() {
            Some(error) => bail!("{error}"),
            None => Ok(answer),
        }
    }
}

impl Drop for PythonPeer {
    fn drop(&mut self) {
        self.orders = None;
        // Nothing to be done about a process that does not end.
        let _ = self.process.wait();
    }
}

/// Writes a mesh as two arrays; their names begin with `prefix`.
pub(crate) fn write_mesh(folder: &Path, prefix: &str, mesh: &TriMesh) -> anyhow::Result<()> {
    let triangles: Vec<DVec3> =
        mesh.triangles().iter().map(|t| DVec3::from_array(t.map(f64::from))).collect();
    npy::write_points(folder.join(format!("{prefix}vertices.npy")), mesh.vertices())?;
    npy::write_points(folder.join(format!("{prefix}triangles.npy")), &triangles)?;
    Ok(())
}
