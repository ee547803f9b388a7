//! A rod through thin wires, faster and faster: who notices?

use glam::{DQuat, DVec3};
use isotouch::ccd::path::{Answer, FixedPart, MovingPart, PathChecker, PathOptions};
use isotouch::ccd::{Sweep, SweepOptions, SweepTraversal};
use isotouch::field::{Field, FieldOptions};
use isotouch::math::{Motion, MotionKind, Pose};
use isotouch::mesh::TriMesh;
use isotouch::mesh::shapes::{StrungFrameOptions, cuboid, strung_frame};
use isotouch::shell::{PointShell, Sampling, ShellOptions};

use super::Setup;
use crate::peers::parry;
use crate::random::Random;
use crate::report::{Report, Table, count, number};
use crate::timing::seconds_of;

const SEED: u64 = 1;
/// The rod, along y, across the wires. Turned by as much as it is below, it still covers the way from wire to wire.
const ROD: DVec3 = DVec3::new(0.015, 0.32, 0.015);
const TURNED: f64 = 0.6;
/// It turns by so much more on its way.
const TURN: f64 = 0.2;
/// Ways per motion, in sizes of the frame.
const WAYS: [f64; 7] = [0.5, 2.0, 10.0, 100.0, 1e3, 1e4, 1e6];
/// Coverages of shells, in radii of the wires.
const COVERAGES: [f64; 4] = [0.5, 1.0, 8.0, 32.0];

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let (resolution, motions, rounds) = if setup.quick { (64, 10, 1) } else { (256, 200, 3) };
    // As thick as two cells: 5 % of the frame's size, which is 1, are added on each side.
    let cell = 1.1 / f64::from(resolution);
    let frame = StrungFrameOptions { wires: 4, wire_radius: cell, ..Default::default() };
    let (wires, rod) = (strung_frame(frame)?, cuboid(ROD)?);
    let field = Field::from_mesh(&wires, &FieldOptions { resolution, ..Default::default() })?;
    let (moving, fixed) = (MovingPart::new(&rod, DVec3::ZERO)?, FixedPart::new(&wires, &field)?);
    let checker = PathChecker::new(&moving, &fixed, &PathOptions::default());
    let sampled = parry::Poses::new(&wires, ROD)?;
    let shells = COVERAGES
        .map(|radii| shell_of(&rod, radii * frame.wire_radius))
        .into_iter()
        .collect::<anyhow::Result<Vec<PointShell>>>()?;

    let mut header: Vec<String> =
        ["way per motion, sizes", "check-path: caught", "µs"].map(String::from).to_vec();
    header.extend(
        ["poses in that time", "sampled: caught", "poses needed", "of 100 poses: caught"].map(String::from),
    );
    for shell in &shells {
        let radii = number(shell.coverage() / frame.wire_radius);
        header.extend([format!("coverage {radii} radii: tree caught"), "linear".into(), "tree, µs".into()]);
    }
    let mut table = Table::new(
        format!(
            "{} motions of a rod through wires two cells thick ({resolution}³), by speed: how many of them are caught",
            count(motions as u64)
        ),
        &header,
    );
    let mut report = Report::default();
    for way in WAYS {
        eprintln!("{way}");
        let moves = through(way, &frame, motions);
        let fastest = |run: &dyn Fn(&Motion)| -> Vec<f64> {
            let best = |motion| (0..rounds).map(|_| seconds_of(|| run(motion))).fold(f64::INFINITY, f64::min);
            moves.iter().map(best).collect()
        };
        let caught = |has: &dyn Fn(&Motion) -> bool| moves.iter().filter(|motion| has(motion)).count();
        let mean = |seconds: &[f64]| number(1e6 * seconds.iter().sum::<f64>() / seconds.len() as f64);

        let by_hundred = caught(&|motion| sampled.touching(motion, 100) > 0);
        let by_path = caught(&|motion| checker.answer(motion) == Answer::Contact);
        let seconds = fastest(&|motion| _ = checker.answer(motion));
        // What one pose takes, on the same ways.
        let of_poses = fastest(&|motion| _ = sampled.touching(motion, 200));
        let per_pose = of_poses.iter().sum::<f64>() / (200 * motions) as f64;
        let poses: Vec<u32> = seconds.iter().map(|s| (s / per_pose).ceil() as u32).collect();
        let by_samples =
            moves.iter().zip(&poses).filter(|(motion, poses)| sampled.touching(motion, **poses) > 0).count();
        let mut cells = vec![
            number(way),
            count(by_path as u64),
            mean(&seconds),
            count(poses.iter().map(|&n| u64::from(n)).sum::<u64>() / motions as u64),
            count(by_samples as u64),
            // No farther apart than what they must not miss is thick: the rod and a wire together.
            count((way / (ROD.z + 2.0 * frame.wire_radius)).ceil() as u64),
            count(by_hundred as u64),
        ];
        if by_path != motions {
            report.failures.push(format!("check-path missed {} at {way}", motions - by_path));
        }
        for shell in &shells {
            let by = |traversal| Sweep::new(shell, &field, &SweepOptions { traversal, ..Default::default() });
            let (tree, linear) = (by(SweepTraversal::Tree), by(SweepTraversal::Linear));
            let [by_tree, by_linear] = [&tree, &linear].map(|sweep| caught(&|motion| sweep.touches(motion)));
            if by_tree != by_linear || (shell.coverage() < frame.wire_radius && by_tree != motions) {
                report.failures.push(format!("tree caught {by_tree}, linear {by_linear}, at {way}"));
            }
            cells.extend([
                count(by_tree as u64),
                count(by_linear as u64),
                mean(&fastest(&|motion| _ = tree.touches(motion))),
            ]);
        }
        table.row(cells);
    }
    report.tables.push(table);
    report.remarks = remarks();
    Ok(report)
}

fn shell_of(mesh: &TriMesh, coverage: f64) -> anyhow::Result<PointShell> {
    // The coverage that is told exceeds the spacing by a hundredth at most.
    let options = ShellOptions { sampling: Sampling::Spacing(0.99 * coverage), ..Default::default() };
    Ok(PointShell::from_mesh(mesh, &options)?)
}

/// Random motions along z from one side to the other, through the window. Every one must touch a wire.
fn through(way: f64, frame: &StrungFrameOptions, count: usize) -> Vec<Motion> {
    let mut random = Random::new(SEED);
    let mut between = |low: f64, high: f64| low + (high - low) * random.unit();
    let room = 0.5 * (frame.width.min(frame.height) - ROD.y) - frame.border - TURN * 0.5 * ROD.y;
    let mut motion = || {
        let aside = DVec3::new(between(-room, room), between(-room, room), 0.0);
        let before = between(0.3, 0.7);
        let turned = between(-TURNED, TURNED);
        let pose = |z: f64, turned: f64| Pose {
            position: aside + DVec3::Z * z,
            rotation: DQuat::from_rotation_z(turned),
        };
        let (from, to) =
            (pose(-before * way, turned), pose((1.0 - before) * way, turned + between(-TURN, TURN)));
        Motion::new(MotionKind::Rigid, from, to)
    };
    (0..count).map(|_| motion()).collect()
}

fn remarks() -> Vec<String> {
    vec![
        "Every motion goes from one side of a strung frame to the other, so all of them touch a wire. check-path and sweeps answer for all times between the two poses. \
         *Sampled* looks at poses only, evenly from the first to the last, as many as fit into the time that check-path takes for the same motion: parry3d's \
         test of a box against the triangles. *Poses needed* are those no farther apart than the rod and a wire are thick. *Of 100 poses* is what planners do that look at every hundredth of a motion. One thread; the fastest of three rounds."
            .into(),
        "Sweeps know the points of a shell only. No place of the rod is farther from one than the coverage: below the radius of the wires no wire passes, above it \
         wires find gaps. Tree and linear traversal give the same answers."
            .into(),
    ]
}
