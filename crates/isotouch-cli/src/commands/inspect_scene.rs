//! Facts about a scene, without building its fields.

use std::cell::OnceCell;
use std::path::Path;

use anyhow::anyhow;
use isotouch::dynamics::{BodyKind, Mass};
use isotouch::mesh::{TriMesh, mass_properties};
use isotouch::scene::{MeshSource, Scene, ShapeSource, ShellPoints};
use serde_json::{Value, json};

use super::scene_source;
use crate::failure::{Classify, Failure};
use crate::format::{count, number, plural};

/// What is told of a scene: lines for people, and an object for programs.
pub(super) struct SceneFacts {
    pub(super) words: Vec<String>,
    pub(super) json: Value,
}

/// Whether a path is a scene, as far as can be told before it is read: TOML knows no magic number.
pub(super) fn is_scene(path: &Path) -> bool {
    let is_toml = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
    let name = path.to_str().unwrap_or_default();
    let is_no_file = !path.exists() || path.is_dir();
    is_toml || (is_no_file && isotouch::scene::built_in::by_name(name).is_some())
}

pub(super) fn look_at(path: &Path) -> Result<SceneFacts, Failure> {
    let source = scene_source::text(path)?;
    let scene = Scene::parse(&source.name, &source.text).or_bad_input()?;
    let meshes: Vec<TriMesh> = scene
        .shapes()
        .zip(scene.shape_places())
        .map(|(shape, place)| shape.load_mesh().map_err(|error| anyhow!("{place}: {error}")))
        .collect::<anyhow::Result<_>>()
        .or_bad_input()?;
    let shapes: Vec<&ShapeSource> = scene.shapes().collect();

    let mut words = Vec::new();
    if !scene.about.is_empty() {
        words.push(scene.about.clone());
    }
    words.push(format!(
        "{} s in {} of {} s",
        number(scene.seconds),
        plural(scene.steps(), "step"),
        number(scene.dt)
    ));
    let volumes = vec![OnceCell::new(); meshes.len()];
    let mut bodies = Vec::new();
    let width = scene.bodies.iter().map(|body| body.options.name.chars().count()).max().unwrap_or(0);
    for body in &scene.bodies {
        let (mesh, shape) = (&meshes[body.shape], shapes[body.shape]);
        let options = &body.options;
        let of_mesh = |density: f64| {
            // Once for each shape, however many bodies are of it.
            let of_shape =
                volumes[body.shape].get_or_init(|| mass_properties(mesh, 1.0).map(|found| found.mass));
            of_shape
                .as_ref()
                .map(|volume| volume * density)
                .map_err(|error| anyhow!("{}: body '{}': {error}", body.place, options.name))
        };
        let (kind, mass) = match options.kind {
            BodyKind::Fixed => ("fixed", None),
            BodyKind::Kinematic => ("kinematic", None),
            BodyKind::Dynamic => {
                let mass = match options.mass {
                    Mass::Density(density) => of_mesh(density).or_bad_input()?,
                    Mass::Total(mass) => of_mesh(1.0).map(|_| mass).or_bad_input()?,
                    Mass::Given(given) => given.mass,
                };
                ("dynamic", Some(mass))
            }
        };
        let name = match &shape.mesh {
            MeshSource::File(path) => path.display().to_string(),
            MeshSource::BuiltIn(shape) => shape.name().to_owned(),
        };
        let points = match shape.points {
            ShellPoints::Count(points) => plural(points as u64, "point"),
            ShellPoints::Vertices => "its vertices".to_owned(),
            ShellPoints::None => "no points".to_owned(),
        };
        let weight = mass.map_or(String::new(), |mass| format!(", {} kg", number(mass)));
        words.push(format!(
            "{:width$}  {kind}{weight}: {name} ({} triangles, {}³ cells, {points})",
            options.name,
            count(mesh.triangles().len() as u64),
            shape.resolution,
        ));
        bodies.push(json!({
            "name": options.name,
            "kind": kind,
            "mass": mass,
            "shape": name,
            "triangles": mesh.triangles().len(),
            "resolution": shape.resolution,
            "pose": options.pose.to_numbers(),
            "bullet": options.is_bullet,
        }));
    }
    for surface in &scene.surfaces {
        words.push(format!("{}  surface", surface.name));
    }
    let mut cloths = Vec::new();
    for of in &scene.cloth {
        let made = of.make().map_err(|error| anyhow!("{}: cloth '{}': {error}", of.place, of.options.name));
        let made = made.or_bad_input()?.cloth;
        let (particles, mass) = (made.places().len(), made.masses().iter().sum::<f64>());
        words.push(format!(
            "{}  cloth, {} kg: {}, kept {} mm off",
            made.name(),
            number(mass),
            plural(particles as u64, "particle"),
            number(1e3 * made.epsilon())
        ));
        cloths.push(
            json!({ "name": made.name(), "particles": particles, "mass": mass, "epsilon": made.epsilon() }),
        );
    }
    let surfaces: Vec<&str> = scene.surfaces.iter().map(|surface| surface.name.as_str()).collect();
    let json = json!({
        "kind": "scene",
        "about": scene.about,
        "dt": scene.dt,
        "seconds": scene.seconds,
        "steps": scene.steps(),
        "shapes": meshes.len(),
        "bodies": bodies,
        "surfaces": surfaces,
        "cloth": cloths,
    });
    Ok(SceneFacts { words, json })
}
