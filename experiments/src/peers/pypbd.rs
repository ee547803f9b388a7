//! PositionBasedDynamics, through its Python package pyPBD.

use anyhow::Context as _;
use isotouch::mesh::{io, shapes};
use isotouch::npy;

use super::python::PythonPeer;

/// A square sheet over a ball.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sheet {
    /// Along a side.
    pub(crate) squares: usize,
    /// m, of a side.
    pub(crate) size: f64,
    /// m, of the ball.
    pub(crate) radius: f64,
    /// Where the sheet begins, above the middle of the ball, m.
    pub(crate) height: f64,
    pub(crate) steps: u32,
    /// Seconds of a step.
    pub(crate) dt: f64,
    pub(crate) substeps: u32,
}

/// What it says of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    /// Of a substep.
    pub(crate) seconds: f64,
    /// How far off the ball the nearest particle is at the end, m.
    pub(crate) nearest: f64,
}

/// Runs the scene so often; the fastest counts. Its version too.
pub(crate) fn run(sheet: &Sheet, rounds: u32) -> anyhow::Result<(Run, String)> {
    let folder = tempfile::tempdir().context("no folder for arrays")?;
    let numbers = [
        sheet.squares as f64,
        sheet.size,
        sheet.radius,
        sheet.height,
        f64::from(sheet.steps),
        sheet.dt,
        f64::from(sheet.substeps),
    ];
    npy::write_scalars(folder.path().join("scene.npy"), &numbers)?;
    // It collides with a formula; the mesh only stands for the body.
    io::write(folder.path().join("ball.obj"), &shapes::sphere(sheet.radius, 320)?)?;
    let mut peer = PythonPeer::new("pypbd_cloth", folder)?;
    let mut best: Option<Run> = None;
    for _ in 0..rounds {
        let answer = peer.answers_of_round()?;
        let number = |key: &str| answer[key].as_f64().with_context(|| format!("pyPBD names no {key}"));
        let run = Run { seconds: number("seconds")?, nearest: number("nearest")? };
        if best.is_none_or(|known| run.seconds < known.seconds) {
            best = Some(run);
        }
    }
    let version = peer.version.clone();
    peer.finish()?;
    Ok((best.context("no rounds")?, version))
}
