//! What a session leaves for people and programs.

use std::fs;
use std::path::Path;

use anyhow::Context;
use isotouch::math::Pose;
use isotouch::output::animation::{Animation, frames_at_rate};
use isotouch::output::chart::{Axis, Chart, Scale};
use isotouch::output::npy::npz::{Compression, Npz};
use isotouch::output::palette;
use isotouch::output::trajectory::{Trajectory, pose_columns};
use isotouch::scene::haptic::{BuiltHaptic, HapticScene};
use serde_json::{Map, Value};

use super::log::{Log, Row};
use crate::commands::output_path;

const CHARTS: [&str; 5] = ["force", "torque", "penetration", "contacts", "step-time"];
const GREY: [u8; 3] = [150, 150, 155];
/// Of the film.
const FRAMES_PER_SECOND: f64 = 30.0;

pub(super) fn write(
    folder: &Path,
    scene: &HapticScene,
    built: &BuiltHaptic,
    (log, summary): (&Log<'_>, &Map<String, Value>),
) -> anyhow::Result<()> {
    remove_earlier(folder)?;
    let rows = log.rows();
    write_csv(&folder.join("trajectory.csv"), rows)?;
    write_npz(&folder.join("trajectory.npz"), rows)?;
    write_charts(folder, built.pair.surface().cell(), rows)?;
    if !rows.is_empty() {
        write_film(&folder.join("scene.glb"), scene, built, rows)?;
    }
    // Last of all: it says what the folder holds.
    output_path::write_json(&folder.join("summary.json"), summary)
}

/// What is there is of another run, and would be believed to be of this one.
fn remove_earlier(folder: &Path) -> anyhow::Result<()> {
    let charts = CHARTS.iter().flat_map(|name| [format!("{name}.svg"), format!("{name}.png")]);
    let others = ["trajectory.csv", "trajectory.npz", "scene.glb", "summary.json"].map(str::to_owned);
    for name in charts.chain(others) {
        let path = folder.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot replace {}", path.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

fn write_csv(path: &Path, rows: &[Row]) -> anyhow::Result<()> {
    let mut columns: Vec<String> = [
        "force_x",
        "force_y",
        "force_z",
        "torque_x",
        "torque_y",
        "torque_z",
        "penetration",
        "contacts",
        "stuck",
    ]
    .map(str::to_owned)
    .to_vec();
    columns.extend(pose_columns("hand"));
    columns.extend(pose_columns("part"));
    columns.extend(["step_us", "servo_us", "lost"].map(str::to_owned));
    let mut trajectory = Trajectory::create(path, &columns)?;
    let mut numbers = Vec::with_capacity(columns.len());
    for row in rows {
        numbers.clear();
        numbers.extend(row.wrench.force.to_array());
        numbers.extend(row.wrench.torque.to_array());
        numbers.extend([row.penetration, row.contacts.into(), f64::from(u8::from(row.is_stuck))]);
        numbers.extend(row.hand.to_numbers());
        numbers.extend(row.part.to_numbers());
        numbers.extend([1e6 * row.step, 1e6 * row.servo, f64::from(u8::from(row.is_lost))]);
        trajectory.add(row.time, &numbers)?;
    }
    Ok(trajectory.finish()?)
}

fn write_npz(path: &Path, rows: &[Row]) -> anyhow::Result<()> {
    let n = rows.len();
    let all = |of: &dyn Fn(&Row) -> f64| rows.iter().map(of).collect::<Vec<f64>>();
    let poses = |of: fn(&Row) -> Pose| rows.iter().flat_map(|row| of(row).to_numbers()).collect::<Vec<f64>>();
    let mut arrays = Npz::new();
    arrays.add("times", &[n], all(&|row| row.time));
    arrays.add(
        "forces",
        &[n, 3],
        rows.iter().flat_map(|row| row.wrench.force.to_array()).collect::<Vec<f64>>(),
    );
    arrays.add(
        "torques",
        &[n, 3],
        rows.iter().flat_map(|row| row.wrench.torque.to_array()).collect::<Vec<f64>>(),
    );
    arrays.add("penetration", &[n], all(&|row| row.penetration));
    arrays.add("contacts", &[n], rows.iter().map(|row| row.contacts).collect::<Vec<u32>>());
    arrays.add("stuck", &[n], rows.iter().map(|row| u32::from(row.is_stuck)).collect::<Vec<u32>>());
    arrays.add("lost", &[n], rows.iter().map(|row| u32::from(row.is_lost)).collect::<Vec<u32>>());
    arrays.add("hand", &[n, 7], poses(|row| row.hand));
    arrays.add("part", &[n, 7], poses(|row| row.part));
    arrays.add("step_us", &[n], all(&|row| 1e6 * row.step));
    arrays.add("servo_us", &[n], all(&|row| 1e6 * row.servo));
    Ok(arrays.write(path, Compression::Deflated)?)
}

/// As figures 6 and 7 of 2016: over the trajectory.
fn write_charts(folder: &Path, cell: f64, rows: &[Row]) -> anyhow::Result<()> {
    let times: Vec<f64> = rows.iter().map(|row| row.time).collect();
    let all = |of: &dyn Fn(&Row) -> f64| without_rounding(rows.iter().map(of).collect());
    let time = || Axis::new("time", "s");
    let write = |chart: &Chart, name: &str| -> anyhow::Result<()> {
        for extension in ["svg", "png"] {
            chart.write(folder.join(format!("{name}.{extension}")))?;
        }
        Ok(())
    };
    for (name, title, unit) in [("force", "Force on the hand", "N"), ("torque", "Torque on the hand", "N·m")]
    {
        let of = |row: &Row| if name == "force" { row.wrench.force } else { row.wrench.torque };
        let mut chart = Chart::new(title, time(), Axis::new(name, unit));
        for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
            chart.add(axis, &times, &all(&|row| of(row)[k]));
        }
        chart.add("length", &times, &all(&|row| of(row).length()));
        write(&chart, name)?;
    }
    let mut chart = Chart::new("Deepest penetration", time(), Axis::new("penetration", "cells"));
    chart.add("", &times, &all(&|row| row.penetration / cell));
    write(&chart, "penetration")?;

    let mut chart = Chart::new("Points in contact", time(), Axis::new("points", ""));
    chart.add("", &times, &all(&|row| row.contacts.into()));
    write(&chart, "contacts")?;

    let step_axis = Axis::new("time", "µs").scaled(Scale::Logarithmic);
    let mut chart = Chart::new("Time of a simulation step and of a servo call", time(), step_axis);
    chart.add("simulation step", &times, &all(&|row| 1e6 * row.step));
    chart.add("servo call", &times, &all(&|row| 1e6 * row.servo));
    write(&chart, "step-time")
}

/// Of N, N·m, cells and µs: what is nowhere more than this is what rounding left of nothing, and would fill a chart with noise.
const NOTHING: f64 = 1e-12;

fn without_rounding(mut values: Vec<f64>) -> Vec<f64> {
    if values.iter().all(|value| value.abs() < NOTHING) {
        values.fill(0.0);
    }
    values
}

/// The part as it is felt, and what it touches.
fn write_film(path: &Path, scene: &HapticScene, built: &BuiltHaptic, rows: &[Row]) -> anyhow::Result<()> {
    let times: Vec<f64> = rows.iter().map(|row| row.time - rows[0].time).collect();
    let frames = frames_at_rate(&times, FRAMES_PER_SECOND);
    let mut film = Animation::new(&frames.iter().map(|&frame| times[frame]).collect::<Vec<f64>>())?;
    let poses: Vec<Pose> = frames.iter().map(|&frame| rows[frame].part).collect();
    film.add_body("held", &built.held, palette::distinct(0), &poses)?;
    if let Some(fixed) = &built.fixed {
        film.add_body("fixed", fixed, GREY, &[scene.world_from_fixed])?;
    }
    Ok(film.write(path)?)
}
