//! Embree, through the Python package embreex.

use anyhow::Context as _;
use isotouch::ccd::Segment;
use isotouch::mesh::TriMesh;
use isotouch::npy;

use super::python::{PythonPeer, write_mesh};

/// A process that holds the mesh and the segments.
pub(crate) struct Peer(PythonPeer);

impl Peer {
    pub(crate) fn new(mesh: &TriMesh, segments: &[Segment]) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir().context("no folder for arrays")?;
        let file = |name: &str| folder.path().join(name);
        write_mesh(folder.path(), "", mesh)?;
        npy::write_points(file("from.npy"), &segments.iter().map(|s| s.from).collect::<Vec<_>>())?;
        npy::write_points(file("to.npy"), &segments.iter().map(|s| s.to).collect::<Vec<_>>())?;
        Ok(Self(PythonPeer::new("embree", folder)?))
    }

    pub(crate) fn version(&self) -> &str {
        &self.0.version
    }

    /// Seconds that all rays take, one after the other, by its own clock.
    pub(crate) fn seconds(&mut self) -> anyhow::Result<f64> {
        self.0.round("seconds")
    }

    /// Ends the process. Times of the first hits; NaN where there is none.
    pub(crate) fn into_times(mut self) -> anyhow::Result<Vec<f64>> {
        Ok(npy::read(self.0.finish()?.join("times.npy"))?.values)
    }
}
