//! What a simulation leaves for people and programs.

use std::fs;
use std::path::Path;

use anyhow::Context;
use isotouch::ccd::{Ball, Plane};
use isotouch::cloth::Cloth;
use isotouch::math::{DQuat, DVec3, Pose};
use isotouch::mesh::{TriMesh, shapes};
use isotouch::output::animation::{Animation, frames_at_rate};
use isotouch::output::chart::{Axis, Chart, Scale};
use isotouch::output::cloth_film::ClothFilm;
use isotouch::output::npy::npz::{Compression, Npz};
use isotouch::output::palette;
use isotouch::output::trajectory::{Trajectory, pose_columns};
use isotouch::scene::SurfaceShape;
use serde_json::{Map, Value};

use super::play::{Plan, Play};
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

/// Meshes of cloth, one per frame.
const OBJS: &str = "obj";

/// What results are made of, and where they go.
#[derive(Clone, Copy)]
pub(super) struct Results<'a> {
    pub(super) folder: &'a Path,
    pub(super) plan: &'a Plan,
    pub(super) play: &'a Play,
    pub(super) recording: &'a Recording,
}

impl Results<'_> {
    pub(super) fn write(self, summary: &Map<String, Value>, wants_objs: bool) -> anyhow::Result<()> {
        let Self { folder, plan, play, recording } = self;
        write_csv(&folder.join("trajectory.csv"), play, recording)?;
        write_npz(&folder.join("trajectory.npz"), play, recording)?;
        let times: Vec<f64> = recording.rows().map(Row::time).collect();
        let frames = frames_at_rate(&times, plan.frames_per_second);
        let rows: Vec<Row<'_>> = recording.rows().collect();
        let shown: Vec<Row<'_>> = frames.iter().map(|&frame| rows[frame]).collect();
        let cloth = cloth_film(play.cloths(), &shown);
        write_film(&folder.join("scene.glb"), (plan, play), &shown, &cloth)?;
        if wants_objs && !play.cloths().is_empty() {
            let folder = folder.join(OBJS);
            fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
            cloth.write_objs(&folder)?;
        }
        write_charts(folder, recording)?;
        // Last of all: it says what the folder holds.
        output_path::write_json(&folder.join("summary.json"), summary)
    }
}

/// Those of an earlier run, which may have had more frames.
pub(super) fn remove_objs(folder: &Path) -> anyhow::Result<()> {
    let Ok(files) = fs::read_dir(folder.join(OBJS)) else { return Ok(()) };
    for file in files {
        let path = file?.path();
        if path.extension().is_some_and(|extension| extension == "obj") {
            fs::remove_file(&path).with_context(|| format!("cannot replace {}", path.display()))?;
        }
    }
    Ok(())
}

fn cloth_film(cloths: &[Cloth], rows: &[Row<'_>]) -> ClothFilm {
    let mut film = ClothFilm::of(cloths);
    for row in rows {
        let places: Vec<DVec3> =
            row.places().as_chunks::<3>().0.iter().map(|&p| DVec3::from_array(p)).collect();
        film.record_places(row.time(), &places);
    }
    film
}

/// No clock in it: the same scene gives the same bytes.
fn write_csv(path: &Path, play: &Play, recording: &Recording) -> anyhow::Result<()> {
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
    for actor in play.actors() {
        columns.extend(pose_columns(actor.name));
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

fn write_npz(path: &Path, play: &Play, recording: &Recording) -> anyhow::Result<()> {
    let (rows, actors) = (recording.len(), play.actors().len());
    let all = |of: &dyn Fn(Row<'_>) -> f64| recording.rows().map(of).collect::<Vec<f64>>();
    let mut arrays = Npz::new();
    arrays.add("times", &[rows], all(&|row| row.time()));
    let poses: Vec<f64> = recording.rows().flat_map(|row| row.poses().to_vec()).collect();
    arrays.add("poses", &[rows, actors, 7], poses);
    let energies: Vec<f64> = recording.rows().flat_map(Row::energies).collect();
    arrays.add("energies", &[rows, 3], energies);
    arrays.add("penetration", &[rows], all(&|row| row.penetration()));
    let contacts: Vec<u32> = recording.rows().map(|row| row.contacts() as u32).collect();
    arrays.add("contacts", &[rows], contacts);
    arrays.add("momentum", &[rows, 3], recording.rows().flat_map(Row::momentum).collect::<Vec<f64>>());
    let turning: Vec<f64> = recording.rows().flat_map(Row::angular_momentum).collect();
    arrays.add("angular_momentum", &[rows, 3], turning);
    // Arrays of texts are not written here: characters by their numbers, as many as the longest has, the rest zeros.
    let all_actors = play.actors();
    let longest = all_actors.iter().map(|actor| actor.name.chars().count()).max().unwrap_or(0).max(1);
    let mut names = vec![0u32; actors * longest];
    for (row, actor) in names.chunks_exact_mut(longest).zip(&all_actors) {
        row.iter_mut().zip(actor.name.chars()).for_each(|(place, letter)| *place = u32::from(letter));
    }
    arrays.add("names", &[actors, longest], names);
    let mut first = 0;
    for cloth in play.cloths() {
        let (name, particles) = (cloth.name(), cloth.places().len());
        let of = 3 * first..3 * (first + particles);
        let places: Vec<f64> = recording.rows().flat_map(|row| row.places()[of.clone()].to_vec()).collect();
        arrays.add(format!("{name}_places"), &[rows, particles, 3], places);
        match cloth.mesh() {
            Some(mesh) => {
                let corners: Vec<u32> = mesh.triangles().iter().flatten().copied().collect();
                arrays.add(format!("{name}_triangles"), &[mesh.triangles().len(), 3], corners);
            }
            None => {
                let ends = cloth.strands().iter().flat_map(|of| [of.start as u32, of.end as u32]);
                arrays.add(
                    format!("{name}_strands"),
                    &[cloth.strands().len(), 2],
                    ends.collect::<Vec<u32>>(),
                );
            }
        }
        first += particles;
    }
    Ok(arrays.write(path, Compression::Deflated)?)
}

fn write_film(
    path: &Path,
    (plan, play): (&Plan, &Play),
    rows: &[Row<'_>],
    cloth: &ClothFilm,
) -> anyhow::Result<()> {
    let mut film = Animation::new(&rows.iter().map(|row| row.time()).collect::<Vec<f64>>())?;
    let mut low = DVec3::INFINITY;
    let mut high = DVec3::NEG_INFINITY;
    let actors = play.actors();
    for (k, actor) in actors.iter().enumerate() {
        let Some(mesh) = actor.mesh else { continue };
        // Obstacles of a scene of cloth are led, or stand still.
        let is_led = matches!(play, Play::Cloth(_));
        let shown = if actor.is_fixed { &rows[..1] } else { rows };
        let poses: Vec<Pose> = shown.iter().map(|row| row.pose(k)).collect();
        let reach = mesh.vertices().iter().map(|p| p.length()).fold(0.0, f64::max);
        for pose in &poses {
            low = low.min(pose.position - reach);
            high = high.max(pose.position + reach);
        }
        let colour = if actor.is_fixed || is_led { GREY } else { palette::distinct(k) };
        film.add_body(actor.name, mesh, colour, &poses)?;
    }
    let cloths = cloth.shown();
    for (k, one) in cloths.iter().enumerate() {
        for &place in one.frames.iter().flatten() {
            low = low.min(place);
            high = high.max(place);
        }
        film.add_cloth(&one.name, &one.mesh, palette::distinct(play.bodies().len() + k), &one.frames)?;
    }
    let grounds: Vec<(String, TriMesh, Pose)> = plan
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
