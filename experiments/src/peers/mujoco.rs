//! MuJoCo's nut and bolt, through the Python package mujoco.

use anyhow::Context as _;

use super::python::PythonPeer;

/// A process that holds them.
pub(crate) struct Peer(PythonPeer);

/// One run of three simulated seconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Threaded {
    pub(crate) ms_per_step: f64,
    /// In its own units: its bolt's radius is 0.255.
    pub(crate) deepest: f64,
    pub(crate) contacts: f64,
}

impl Peer {
    pub(crate) fn new() -> anyhow::Result<Self> {
        Ok(Self(PythonPeer::new("mujoco_threads", tempfile::tempdir().context("no folder")?)?))
    }

    pub(crate) fn version(&self) -> &str {
        &self.0.version
    }

    pub(crate) fn round(&mut self) -> anyhow::Result<Threaded> {
        let answer = self.0.answers_of_round()?;
        let number =
            |key: &str| answer[key].as_f64().with_context(|| format!("MuJoCo's answer has no {key}"));
        Ok(Threaded {
            ms_per_step: number("ms")?,
            deepest: number("deepest")?,
            contacts: number("contacts")?,
        })
    }
}
