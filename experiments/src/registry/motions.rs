//! Whole motions that are proven free, beside FCL looking at single poses.

use glam::DVec3;
use isotouch::ccd::path::{Answer, FixedPart, MovingPart, PathChecker, PathOptions};
use isotouch::field::{Field, FieldOptions};
use isotouch::math::{DQuat, Motion, MotionKind, Pose};
use isotouch::mesh::TriMesh;

use super::Setup;
use crate::casting::pool;
use crate::models::built_in_knot;
use crate::peers::fcl;
use crate::random::Random;
use crate::report::{Report, Table, count, number};
use crate::timing::seconds_of;

const ROUNDS: usize = 5;
const SEED: u64 = 1;
/// A motion: so far, in sizes of the moving part, and so much of a turn, in radians, at most.
const FAR: f64 = 0.1;
const TURN: f64 = 0.3;
/// Clearances along the motion, in sizes of the moving part, from which a row begins.
const ROWS: [(f64, &str); 5] =
    [(0.08, "above 8 %"), (0.02, "2 to 8 %"), (0.002, "0.2 to 2 %"), (0.0, "below 0.2 %"), (-1.0, "contact")];

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let motions = if setup.quick { 24 } else { 600 };
    let mut report = Report { remarks: remarks(), ..Default::default() };
    for (name, moving, fixed) in parts(setup)? {
        eprintln!("{name}");
        let table = compare(&name, (&moving, &fixed), motions, setup.quick, &mut report)?;
        report.tables.push(table);
    }
    Ok(report)
}

fn parts(setup: &Setup) -> anyhow::Result<Vec<(String, TriMesh, TriMesh)>> {
    let knot = built_in_knot()?;
    if setup.quick {
        return Ok(vec![("two knots".into(), knot.mesh.clone(), knot.mesh)]);
    }
    let read = |file: &str| setup.models.read(file).map(|model| model.mesh);
    Ok(vec![
        (
            "skull_10k past armadillo".into(),
            sized(&read("scan/skull_10k.obj")?)?,
            sized(&read("scan/armadillo.obj")?)?,
        ),
        (
            "bunny_777v past bunny".into(),
            sized(&read("scan/bunny_777v.obj")?)?,
            sized(&read("scan/bunny.off")?)?,
        ),
        (
            "gear past gear base".into(),
            sized(&read("assembly/factory_gear_medium_space_5e-4.obj")?)?,
            sized(&read("assembly/factory_gear_base_loose_space_5e-4_subdiv_4x.obj")?)?,
        ),
        ("two torus knots".into(), sized(&knot.mesh)?, sized(&knot.mesh)?),
    ])
}

/// About its middle, 1 long.
fn sized(mesh: &TriMesh) -> anyhow::Result<TriMesh> {
    let bounds = mesh.bounds();
    let scale = 1.0 / bounds.extent().max_element();
    Ok(mesh.clone().mapped(|p| (p - bounds.center()) * scale)?)
}

/// One motion, and how it went.
struct Row {
    clearance: f64,
    answer: Answer,
    seconds: f64,
    fcl: Option<f64>,
}

fn compare(
    name: &str,
    (moving, fixed): (&TriMesh, &TriMesh),
    count_of: usize,
    quick: bool,
    report: &mut Report,
) -> anyhow::Result<Table> {
    let resolution = if quick { 48 } else { 256 };
    let field = Field::from_mesh(fixed, &FieldOptions { resolution, ..Default::default() })?;
    let (part, other) = (MovingPart::new(moving, DVec3::ZERO)?, FixedPart::new(fixed, &field)?);
    let checker = PathChecker::new(&part, &other, &PathOptions::default());
    let motions = random_motions(count_of);
    let starts: Vec<Pose> = motions.iter().map(|motion| motion.pose(0.0)).collect();
    let mut peer = match fcl::Peer::new(moving, fixed, &starts) {
        Ok(peer) => Some(peer),
        Err(error) => {
            report.remark_once(format!("FCL is missing here: {error:#}."));
            None
        }
    };
    let one_thread = pool(1)?;
    let mut fastest = vec![f64::INFINITY; motions.len()];
    let mut overhead = f64::INFINITY;
    for _ in 0..ROUNDS {
        for (fastest, motion) in fastest.iter_mut().zip(&motions) {
            *fastest = fastest.min(one_thread.install(|| seconds_of(|| checker.answer(motion))));
        }
        if let Some(peer) = &mut peer {
            overhead = overhead.min(peer.round()?);
        }
    }
    let version = peer.as_ref().map_or("not here".into(), |peer| peer.version().to_string());
    let answers = peer.map(fcl::Peer::into_answers).transpose()?;
    let mut rows = Vec::new();
    for (k, motion) in motions.iter().enumerate() {
        let answer = checker.answer(motion);
        let found = answers.as_ref().map(|answers| answers[k]);
        if let Some(found) = found {
            anyhow::ensure!(
                !found.collides || answer != Answer::Free,
                "FCL finds contact where it was proven free"
            );
        }
        // The clearance of what touches is not looked for: all times of contact would be, too.
        let nearest = || checker.check_leg(motion, 0.0).nearest.map_or(0.0, |near| near.distance);
        let clearance = if answer == Answer::Contact { -1.0 } else { nearest() };
        rows.push(Row { clearance, answer, seconds: fastest[k], fcl: found.map(|found| found.seconds) });
    }
    let mut table = Table::new(
        format!(
            "{name}: {} random motions of up to {FAR} sizes and {TURN} radians, one thread; FCL {version}",
            count(count_of as u64)
        ),
        &[
            "clearance",
            "motions",
            "free",
            "µs per motion: median",
            "90 %",
            "FCL: µs per pose: median",
            "90 %",
            "motion/pose",
            "motions per second",
            "FCL: poses per second",
        ],
    );
    for (k, &(least, words)) in ROWS.iter().enumerate() {
        let below = if k == 0 { f64::INFINITY } else { ROWS[k - 1].0 };
        let of: Vec<&Row> =
            rows.iter().filter(|row| row.clearance >= least && row.clearance < below).collect();
        if of.is_empty() {
            continue;
        }
        let ours = Quantiles::of(of.iter().map(|row| 1e6 * row.seconds));
        // The call from Python is not FCL's fault.
        let theirs = Quantiles::of(
            of.iter().filter_map(|row| row.fcl).map(|seconds| 1e6 * (seconds - overhead).max(0.0)),
        );
        table.row(vec![
            words.into(),
            count(of.len() as u64),
            count(of.iter().filter(|row| row.answer == Answer::Free).count() as u64),
            number(ours.median),
            number(ours.ninth),
            told(theirs.median),
            told(theirs.ninth),
            told(ours.median / theirs.median),
            number(1e6 / ours.mean),
            told(1e6 / theirs.mean),
        ]);
    }
    Ok(table)
}

/// Poses around the other part, whose size is 1 too, and small motions from them.
fn random_motions(count: usize) -> Vec<Motion> {
    let mut random = Random::new(SEED);
    let motion = |_| {
        let position = random.direction() * (0.3 + 1.2 * random.unit());
        let from = Pose { position, rotation: random.rotation() };
        let turn = DQuat::from_axis_angle(random.direction(), TURN * random.unit());
        let to = Pose {
            position: position + random.direction() * FAR * random.unit(),
            rotation: turn * from.rotation,
        };
        Motion::new(MotionKind::Rigid, from, to)
    };
    (0..count).map(motion).collect()
}

/// A number, where FCL is here.
fn told(value: f64) -> String {
    if value.is_finite() { number(value) } else { "–".into() }
}

struct Quantiles {
    median: f64,
    ninth: f64,
    mean: f64,
}

impl Quantiles {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        let at = |part: f64| values.get((part * values.len() as f64) as usize).copied().unwrap_or(f64::NAN);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        Self { median: at(0.5), ninth: at(0.9), mean }
    }
}

fn remarks() -> Vec<String> {
    vec![
        "A motion is proven free or found to touch as a whole (yes or no, without its clearance); FCL looks at its first pose only. Parts are scaled to a longest side of 1. Every motion and \
         pose counts with the fastest of five rounds; what a call from Python to FCL takes that has nothing to do (two triangles \
         far apart) is taken off its times. Rows are by the least distance along the motion, in sizes."
            .into(),
    ]
}
