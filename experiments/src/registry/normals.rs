//! Whose normals hold a peg that turns on the ground: figure 5 of 2016.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use isotouch::ccd::Plane;
use isotouch::haptics::{Detection, GodObject, GodObjectOptions, Held, HeldPair, RowNormals, Surface};
use isotouch::math::Pose;
use isotouch::mesh::mass_properties;
use isotouch::mesh::shapes::cuboid;
use isotouch::output::chart::{Axis, Chart};

use super::Setup;
use crate::haptic_scenes::{draw, least_value, shell_of};
use crate::report::{Report, Table, number};

/// m, upright.
const PEG: DVec3 = DVec3::new(0.1, 0.4, 0.1);
/// What counts as a cell of the ground, m.
const CELL: f64 = 0.01;
/// The hand is so far below the ground, and turns the peg by this much.
const DEEP: f64 = 0.05;
const TURN: f64 = 1.0;

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let (points, steps) = if setup.quick { (800, 300) } else { (5_000, 3_000) };
    let peg = cuboid(PEG)?;
    let ground = Surface::Analytic(Arc::new(Plane::GROUND), CELL);
    let pair = Arc::new(HeldPair::new(
        shell_of(&peg, points)?,
        ground,
        Held::Shell,
        mass_properties(&peg, 1000.0)?,
    )?);
    let mut report = Report::default();
    let mut table = Table::new(
        format!("A peg pressed on the ground and turned by {TURN} rad: how deep its points come, cells"),
        &["detection", "normals", "deepest, cells", "at the end, cells"],
    );
    let mut chart = Chart::new(
        "A peg that turns on the ground",
        Axis::new("turned", "rad"),
        Axis::new("lowest point above the ground", "cells"),
    );
    let mut sunk = Vec::new();
    for (detection, detects) in
        [(Detection::Papers, "as 2016"), (Detection::Continuous, "of the whole motion")]
    {
        for (normals, whose) in [(RowNormals::Shell, "of the peg"), (RowNormals::Fixed, "of the ground")] {
            let options = GodObjectOptions { detection, normals, ..Default::default() };
            let start = Pose::at(DVec3::Y * (0.5 * PEG.y + 0.02));
            let mut god = GodObject::new(Arc::clone(&pair), start, &options)?;
            let (mut turned, mut heights) = (Vec::new(), Vec::new());
            for k in 0..steps {
                let part = f64::from(k) / f64::from(steps - 1);
                let turn = TURN * (part - 0.1).max(0.0) / 0.9;
                let position = DVec3::Y * (0.5 * PEG.y - DEEP * (10.0 * part).min(1.0));
                god.step(&Pose { position, rotation: DQuat::from_rotation_z(turn) });
                turned.push(turn);
                heights.push(least_value(&pair, &god.pose()) / CELL);
            }
            let least = heights.iter().copied().fold(f64::INFINITY, f64::min);
            let end = heights.last().copied().unwrap_or(f64::NAN);
            table.row(vec![detects.into(), whose.into(), number((-least).max(0.0)), number((-end).max(0.0))]);
            chart.add(&format!("detection {detects}, normals {whose}"), &turned, &heights);
            sunk.push((-least).max(0.0));
        }
    }
    report.tables.push(table);
    draw(&chart, "normals", setup.quick)?;
    let [papers_shell, papers_fixed, whole_shell, whole_fixed] = sunk[..] else { unreachable!("four runs") };
    if papers_shell < 0.2 {
        report.failures.push(format!("with its own normals the peg sinks by {papers_shell} cells only"));
    }
    if papers_fixed > 0.1 * papers_shell {
        report.failures.push(format!("with the ground's normals the peg sinks by {papers_fixed} cells"));
    }
    if whole_shell > 0.0 || whole_fixed > 0.0 {
        report
            .failures
            .push(format!("detection of the whole motion let it sink: {whole_shell}, {whole_fixed}"));
    }
    report.remarks.push(
        "The paper (figure 5): normals of the peg turn with it, and it sinks; those of the ground do not. Its detection leaves out the points that touched before, so nothing else stops them. Where the whole motion is \
         looked at, nothing sinks whatever the normals.\n\n![A peg on the ground](pictures/normals.svg)"
            .into(),
    );
    Ok(report)
}
