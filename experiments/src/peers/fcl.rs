//! FCL, through the Python package python-fcl.

use anyhow::Context as _;
use glam::DVec3;
use isotouch::math::Pose;
use isotouch::mesh::TriMesh;
use isotouch::npy;

use super::python::{PythonPeer, write_mesh};

/// A process that holds two meshes and poses of the first one.
pub(crate) struct Peer(PythonPeer);

/// What it found about a pose.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AtPose {
    /// Of its fastest round, the call from Python included.
    pub(crate) seconds: f64,
    pub(crate) collides: bool,
}

impl Peer {
    pub(crate) fn new(moving: &TriMesh, fixed: &TriMesh, poses: &[Pose]) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir().context("no folder for arrays")?;
        let file = |name: &str| folder.path().join(name);
        write_mesh(folder.path(), "moving_", moving)?;
        write_mesh(folder.path(), "fixed_", fixed)?;
        npy::write_points(
            file("positions.npy"),
            &poses.iter().map(|pose| pose.position).collect::<Vec<DVec3>>(),
        )?;
        npy::write_points(
            file("vectors.npy"),
            &poses.iter().map(|pose| pose.rotation.xyz()).collect::<Vec<DVec3>>(),
        )?;
        npy::write_scalars(
            file("scalars.npy"),
            &poses.iter().map(|pose| pose.rotation.w).collect::<Vec<f64>>(),
        )?;
        Ok(Self(PythonPeer::new("python_fcl", folder)?))
    }

    pub(crate) fn version(&self) -> &str {
        &self.0.version
    }

    /// Asks about all poses once. Seconds of a call that has nothing to do.
    pub(crate) fn round(&mut self) -> anyhow::Result<f64> {
        self.0.round("overhead")
    }

    /// Ends the process.
    pub(crate) fn into_answers(mut self) -> anyhow::Result<Vec<AtPose>> {
        let folder = self.0.finish()?;
        let (seconds, collides) =
            (npy::read(folder.join("times.npy"))?.values, npy::read(folder.join("collides.npy"))?.values);
        let answer = |(seconds, collides)| AtPose { seconds, collides: collides > 0.0 };
        Ok(seconds.into_iter().zip(collides).map(answer).collect())
    }
}
