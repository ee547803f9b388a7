//! Where scenes come from, and the worlds made of them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use isotouch::cloth::scenes as cloth_scenes;
use isotouch::dynamics::{Shape, World};
use isotouch::mesh::io::ReadOptions;
use isotouch::scene::built_in::BuiltInScene;
use isotouch::scene::{MeshSource, Scene, SceneError, ShapeFailure, ShapeSource, built_in, haptic};

use super::source;
use crate::console::Console;
use crate::failure::{Classify, Failure};
use crate::interrupt;

/// A scene's text, and what to call it.
pub(super) struct SceneText {
    pub(super) name: String,
    pub(super) text: String,
    /// Whether it comes with the program.
    is_built_in: bool,
    /// The folder of the models that it is of, if it is a built-in one with models.
    pub(super) models: Option<PathBuf>,
}

impl SceneText {
    /// The text for another place: files of models are named from the root.
    pub(super) fn to_be_copied(&self) -> std::io::Result<String> {
        let Some(models) = &self.models else { return Ok(self.text.clone()) };
        let folder = models.canonicalize()?.display().to_string().replace('\\', "/");
        Ok(self.text.replace("file = \"", &format!("file = \"{folder}/")))
    }
}

/// Names the folder with models. Set to nothing, it says that there are none.
const MODELS: &str = "ISOTOUCH_MODELS";
/// Where it is usually.
const USUAL_MODELS: &str = "../shared/models";

/// A file, or a built-in scene to be simulated if there is no file of that name.
pub(super) fn text(scene: &Path) -> Result<SceneText, Failure> {
    let found = text_among(scene, &built_in::ALL, &cloth_scenes::NAMES)?;
    let Some(folder) = models()?.filter(|_| found.is_built_in) else { return Ok(found) };
    let with_models = built_in::WITH_MODELS.into_iter().find(|scene| scene.name == found.name);
    let Some(with_models) = with_models else { return Ok(found) };
    // As if it lay there, so that its files are found.
    let name = folder.join(with_models.name).display().to_string();
    let parsed = Scene::parse(&name, with_models.text).or_failed()?;
    let is_there = |shape: &ShapeSource| match &shape.mesh {
        MeshSource::File(path) => path.is_file(),
        MeshSource::BuiltIn(_) => true,
    };
    if !parsed.shapes().all(is_there) {
        return Ok(found);
    }
    Ok(SceneText { name, text: with_models.text.to_owned(), is_built_in: true, models: Some(folder) })
}

/// The folder with models, if there is one.
fn models() -> Result<Option<PathBuf>, Failure> {
    match std::env::var_os(MODELS).map(PathBuf::from) {
        Some(folder) if folder.as_os_str().is_empty() => Ok(None),
        Some(folder) if folder.is_dir() => Ok(Some(folder)),
        Some(folder) => Err(anyhow!(
            "{MODELS} is {}, which is no folder; set it to one with models, to nothing for built-in shapes, or not at all",
            folder.display()
        ))
        .or_bad_input(),
        None => Ok(Some(PathBuf::from(USUAL_MODELS)).filter(|folder| folder.is_dir())),
    }
}

/// The same with other built-in scenes, and names of some that have no text.
pub(super) fn text_among(
    scene: &Path,
    built_in: &[BuiltInScene],
    without_text: &[&'static str],
) -> Result<SceneText, Failure> {
    let name = scene.display().to_string();
    // The folder with the results of a built-in scene is often called like it.
    let is_no_file = !scene.exists() || scene.is_dir();
    if let Some(found) = built_in.iter().find(|found| found.name == name).filter(|_| is_no_file) {
        return Ok(SceneText { name, text: found.text.to_owned(), is_built_in: true, models: None });
    }
    if !scene.exists() {
        let names: Vec<&str> =
            built_in.iter().map(|scene| scene.name).chain(without_text.iter().copied()).collect();
        let is_simulated = built_in::by_name(&name).is_some() || cloth_scenes::NAMES.contains(&&*name);
        let elsewhere = match (is_simulated, haptic::built_in::by_name(&name)) {
            (true, _) => format!(" ({name} is one for `isotouch simulate`)"),
            (false, Some(_)) => format!(" ({name} is one for `isotouch haptic`)"),
            (false, None) => String::new(),
        };
        let nearest = match isotouch::scene::nearest_name(&name, &names) {
            Some(nearest) => format!("; did you mean '{nearest}'?"),
            None => String::new(),
        };
        return Err(anyhow!(
            "there is no file {name}, and no built-in scene of that name; built in are {}{elsewhere}{nearest}",
            names.join(", ")
        ))
        .or_bad_input();
    }
    let text = fs::read_to_string(scene)
        .map_err(|source| SceneError::Read { path: scene.to_owned(), source })
        .or_bad_input()?;
    Ok(SceneText { name, text, is_built_in: false, models: None })
}

/// The world of a scene, fields of mesh files from the cache.
pub(super) fn world(scene: &Scene, no_cache: bool, console: &Console) -> Result<World, Failure> {
    // The library passes on what went wrong in words; how the process should end is remembered here.
    let mut failed = None;
    let built = scene.world_with(|wanted| {
        shape(wanted, no_cache, console).map_err(|failure| {
            let words = failure.to_string();
            failed = Some(failure);
            words.into()
        })
    });
    match (built, failed) {
        (Err(_), Some(Failure::Interrupted)) => Err(Failure::Interrupted),
        (Err(error), Some(Failure::Failed(_))) => Err(error).or_failed(),
        (built, _) => built.or_bad_input(),
    }
}

fn shape(wanted: &ShapeSource, no_cache: bool, console: &Console) -> Result<Shape, Failure> {
    interrupt::check()?;
    let told = |error: ShapeFailure| anyhow!("{error}");
    let mesh = wanted.load_mesh().map_err(told).or_bad_input()?;
    let options = wanted.field_options();
    let field = match &wanted.mesh {
        MeshSource::File(path) => {
            let read = ReadOptions { scale: wanted.scale, ..Default::default() };
            source::field_of_mesh(path, (&read, &options), no_cache, console)?.field
        }
        MeshSource::BuiltIn(shape) => {
            source::build(&mesh, format!("the shape of kind '{}'", shape.name()), &options, console)?
        }
    };
    interrupt::check()?;
    wanted.assemble(mesh, field).map_err(told).or_bad_input()
}
