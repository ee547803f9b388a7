//! What a simulation leaves for people and programs.

use std::path::Path;

use isotouch::ccd::{Ball, Plane};
use isotouch::dynamics::{BodyKind, World};
use isotouch::math::{DQuat, DVec3, Pose};
use isotouch::mesh::{TriMesh, shapes};
use isotouch::output::animation::{Animation, frames_at_rate};
use isotouch::output::chart::{Axis, Chart, Scale};
use isotouch::output::npy::npz::{Compression, Npz};
use isotouch::output::palette;
use isotouch::output::trajectory::{Trajectory, pose_columns};
use isotouch::scene::{Scene, SurfaceShape};
use serde_json::{Map, Value};

use super::recording::{Recording, Row};
use crate::commands::output_path;

/// Names of the files, in the order in which they are written.
pub(super) const FILES: [&str; 12] = [
    "trajectory.csv",
    "trajectory.npz",
    "scene.glb",
    "energy.svg",
    "energy.png",
    "penetration.svg",
    "penetration.png",
    "contacts.svg",
    "contacts.png",
    "step-time.svg",
    "step-time.png",
    "summary.json",
];

const GREY: [u8; 3] = [150, 150, 155];

pub(super) fn write(
    folder: &Path,
    (scene, world): (&Scene, &World),
    recording: &Recording,
    summary: &Map<String, Value>,
) -> anyhow::Result<()> {
    write_csv(&folder.join("trajectory.csv"), world, recording)?;
    write_npz(&folder.join("trajectory.npz"), world, recording)?;
    write_film(&folder.join("scene.glb"), scene, world, recording)?;
    write_charts(folder, recording)?;
    // Last of all: it says what the folder holds.
    output_path::write_json(&folder.join("summary.json"), summary)
}

/// No clock in it: the same scene gives the same bytes.
fn write_csv(path: &Path, world: &World, recording: &Recording) -> anyhow::Result<()> {
    let mut columns: Vec<String> = [
        "kinetic_energy",
        "potential_energy",
        "elastic_energy",
        "penetration",
        "contacts",
        "momentum_x",
        "momentum_y",
        "momentum_z",
        "angular_momentum_x",
        "angular_momentum_y",
        "angular_momentum_z",
    ]
    .map(str::to_owned)
    .to_vec();
    for body in world.bodies() {
        columns.extend(pose_columns(body.name()));
    }
    let mut trajectory = Trajectory::create(path, &columns)?;
    let mut numbers = Vec::with_capacity(columns.len());
    for row in recording.rows() {
        numbers.clear();
        numbers.extend(row.energies());
        numbers.extend([row.penetration(), row.contacts()]);
        numbers.extend(row.momentum());
        numbers.extend(row.angular_momentum());
        numbers.extend(row.poses());
        trajectory.add(row.time(), &numbers)?;
    }
    Ok(trajectory.finish()?)
}

fn write_npz(path: &Path, world: &World, recording: &Recording) -> anyhow::Result<()> {
    let (rows, bodies) = (recording.len(), world.bodies().len());
    let all = |of: &dyn Fn(Row<'_>) -> f64| recording.rows().map(of).collect::<Vec<f64>>();
    let mut arrays = Npz::new();
    arrays.add("times", &[rows], all(&|row| row.time()));
    let poses: Vec<f64> = recording.rows().flat_map(|row| row.poses().to_vec()).collect();
    arrays.add("poses", &[rows, bodies, 7], poses);
    let energies: Vec<f64> = recording.rows().flat_map(Row::energies).collect();
    arrays.add("energies", &[rows, 3], energies);
    arrays.add("penetration", &[rows], all(&|row| row.penetration()));
    let contacts: Vec<u32> = recording.rows().map(|row| row.contacts() as u32).collect();
    arrays.add("contacts", &[rows], contacts);
    arrays.add("momentum", &[rows, 3], recording.rows().flat_map(Row::momentum).collect::<Vec<f64>>());
    let turning: Vec<f64> = recording.rows().flat_map(Row::angular_momentum).collect();
    arrays.add("angular_momentum", &[rows, 3], turning);
    // Arrays of texts are not written here: characters by their numbers, as many as the longest has, the rest zeros.
    let longest = world.bodies().iter().map(|body| body.name().chars().count()).max().unwrap_or(0).max(1);
    let mut names = vec![0u32; bodies * longest];
    for (row, body) in names.chunks_exact_mut(longest).zip(world.bodies()) {
        row.iter_mut().zip(body.name().chars()).for_each(|(place, letter)| *place = u32::from(letter));
    }
    arrays.add("names", &[bodies, longest], names);
    Ok(arrays.write(path, Compression::Deflated)?)
}

fn write_film(path: &Path, scene: &Scene, world: &World, recording: &Recording) -> anyhow::Result<()> {
    let times: Vec<f64> = recording.rows().map(Row::time).collect();
    let frames = frames_at_rate(&times, scene.frames_per_second);
    let rows: Vec<_> = recording.rows().collect();
    let mut film = Animation::new(&frames.iter().map(|&frame| times[frame]).collect::<Vec<f64>>())?;
    let mut low = DVec3::INFINITY;
    let mut high = DVec3::NEG_INFINITY;
    for (k, body) in world.bodies().iter().enumerate() {
        let Some(mesh) = body.shape().mesh() else { continue };
        let is_fixed = body.kind() == BodyKind::Fixed;
        let shown = if is_fixed { &frames[..1] } else { &frames[..] };
        let poses: Vec<Pose> = shown.iter().map(|&frame| rows[frame].pose(k)).collect();
        let reach = body.shape().around().reach();
        for pose in &poses {
            low = low.min(pose.position - reach);
            high = high.max(pose.position + reach);
        }
        let colour = if is_fixed { GREY } else { palette::distinct(k) };
        film.add_body(body.name(), mesh, colour, &poses)?;
    }
    let grounds: Vec<(String, TriMesh, Pose)> = scene
        .surfaces
        .iter()
        .map(|surface| {
            let (mesh, pose) = shown(surface.shape, low, high)?;
            Ok((surface.name.clone(), mesh, pose))
        })
        .collect::<anyhow::Result<_>>()?;
    for (name, mesh, pose) in &grounds {
        film.add_body(name, mesh, [205, 205, 208], &[*pose])?;
    }
    Ok(film.write(path)?)
}

/// A surface as it is shown: of a plane, a plate below all that moves.
fn shown(surface: SurfaceShape, low: DVec3, high: DVec3) -> anyhow::Result<(TriMesh, Pose)> {
    Ok(match surface {
        SurfaceShape::Plane(Plane { normal, offset }) => {
            let middle = 0.5 * (low + high);
            let size = (high - low).max_element().max(1e-6) * 1.5;
            let thickness = 0.01 * size;
            let on_plane = middle - (normal.dot(middle) - offset) * normal;
            let rotation = DQuat::from_rotation_arc(DVec3::Y, normal);
            let plate = shapes::cuboid(DVec3::new(size, thickness, size))?;
            (plate, Pose { position: on_plane - 0.5 * thickness * normal, rotation })
        }
        SurfaceShape::Ball(Ball { center, radius }) => (shapes::sphere(radius, 5120)?, Pose::at(center)),
    })
}

fn write_charts(folder: &Path, recording: &Recording) -> anyhow::Result<()> {
    let times: Vec<f64> = recording.rows().map(Row::time).collect();
    let all = |of: &dyn Fn(Row<'_>) -> f64| recording.rows().map(of).collect::<Vec<f64>>();
    let time = || Axis::new("time", "s");
    let write = |chart: &Chart, name: &str| -> anyhow::Result<()> {
        for extension in ["svg", "png"] {
            chart.write(folder.join(format!("{name}.{extension}")))?;
        }
        Ok(())
    };

    let mut chart = Chart::new("Energy", time(), Axis::new("energy", "J"));
    for (k, name) in ["kinetic", "potential", "elastic"].into_iter().enumerate() {
        chart.add(name, &times, &all(&|row| row.energies()[k]));
    }
    chart.add("sum", &times, &all(&|row| row.energies().iter().sum()));
    write(&chart, "energy")?;

    let mut chart = Chart::new("Deepest penetration", time(), Axis::new("penetration", "mm"));
    chart.add("", &times, &all(&|row| 1e3 * row.penetration()));
    write(&chart, "penetration")?;

    let mut chart = Chart::new("Points in contact", time(), Axis::new("points", ""));
    chart.add("", &times, &all(&|row| row.contacts()));
    write(&chart, "contacts")?;

    // The first row is the start, which takes no time.
    let after_start = |values: Vec<f64>| values.into_iter().skip(1).collect::<Vec<f64>>();
    let step_times = after_start(times.clone());
    let step_axis = Axis::new("time of a step", "ms").scaled(Scale::Logarithmic);
    let mut chart = Chart::new("Time of a step", time(), step_axis);
    chart.add("whole step", &step_times, &after_start(all(&|row| 1e3 * row.seconds()[0])));
    chart.add("finding contacts", &step_times, &after_start(all(&|row| 1e3 * row.seconds()[1])));
    write(&chart, "step-time")
}
