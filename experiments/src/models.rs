//! The meshes experiments run on: scanned models from a folder, or shapes made here.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use glam::DVec3;
use isotouch::mesh::TriMesh;
use isotouch::mesh::shapes::{BlobOptions, TorusKnotOptions, blob, torus_knot};

/// Names the folder with the models. Set to nothing, it says that there are none.
const VARIABLE: &str = "ISOTOUCH_MODELS";

/// A mesh and what tables call it.
pub(crate) struct Model {
    pub(crate) name: String,
    pub(crate) mesh: TriMesh,
}

/// The folder with the models, if there is one.
pub(crate) struct Models {
    folder: Option<PathBuf>,
}

/// The models are not there.
#[derive(Debug)]
pub(crate) struct NoModels(String);

impl std::fmt::Display for NoModels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoModels {}

/// The folder of the workspace this was compiled in.
pub(crate) fn project_root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

impl Models {
    /// The folder given, or that of the environment, or the usual one if it exists.
    pub(crate) fn locate(given: Option<PathBuf>) -> anyhow::Result<Self> {
        let named = given.or_else(|| std::env::var_os(VARIABLE).map(PathBuf::from));
        let folder = match named {
            Some(folder) if folder.as_os_str().is_empty() => None,
            Some(folder) if folder.is_dir() => Some(folder),
            Some(folder) => {
                let message = format!("{} is not a folder, so there are no models in it", folder.display());
                return Err(NoModels(message).into());
            }
            None => Some(project_root().join("../shared/models")).filter(|folder| folder.is_dir()),
        };
        Ok(Self { folder })
    }

    /// Whether there is a folder with models at all.
    pub(crate) fn are_there(&self) -> bool {
        self.folder.is_some()
    }

    /// Reads a model, named by its path within the folder.
    pub(crate) fn read(&self, file: &str) -> anyhow::Result<Model> {
        let path = self.path(file)?;
        let mesh = TriMesh::read(&path).with_context(|| format!("could not read {}", path.display()))?;
        Ok(Model { name: short_name(file), mesh })
    }

    /// Where a model is.
    pub(crate) fn path(&self, file: &str) -> anyhow::Result<PathBuf> {
        let Some(folder) = &self.folder else {
            let message = format!(
                "this experiment needs the model {file}, and no models were found; name their folder with --models or \
                 ${VARIABLE}, or use --quick to run on shapes made here"
            );
            return Err(NoModels(message).into());
        };
        let path = folder.join(file);
        if !path.is_file() {
            return Err(NoModels(format!("the model {file} is not in {}", folder.display())).into());
        }
        Ok(path)
    }
}

/// The padding with which `cells` cells along the longest side leave exactly `margin` of them free at either end.
pub(crate) fn padding_of_cells(margin: f64, cells: u32) -> f64 {
    margin / (f64::from(cells) - 2.0 * margin)
}

/// The file's name without folders and extensions.
fn short_name(file: &str) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.split('.').next().unwrap_or(name).to_string()
}

/// A lumpy body with fine detail.
pub(crate) fn built_in_blob(triangles: usize) -> anyhow::Result<Model> {
    let mesh = blob(BlobOptions { triangles, ..Default::default() })?;
    Ok(Model { name: "blob (built in)".into(), mesh })
}

/// The same, stretched to fill a box of this size.
pub(crate) fn built_in_blob_filling(triangles: usize, size: DVec3) -> anyhow::Result<Model> {
    let Model { mesh, .. } = built_in_blob(triangles)?;
    let scale = size / mesh.bounds().extent();
    let mesh = mesh.mapped(|point| scale * point)?;
    Ok(Model { name: "stretched blob (built in)".into(), mesh })
}

/// A knotted tube: concave, with thin gaps.
pub(crate) fn built_in_knot() -> anyhow::Result<Model> {
    let mesh = torus_knot(2, 3, TorusKnotOptions::default())?;
    Ok(Model { name: "torus knot (built in)".into(), mesh })
}
