//! Where meshes and fields come from: files, or a mesh standing in for its field.

use std::fmt::Display;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use isotouch::field::{
    BuildError, Built, ExchangeFormat, Execution, Field, FieldFileError, FieldOptions, ImportOptions,
    Imported, Progress, SignMethod, StorageKind,
};
use isotouch::math::DVec3;
use isotouch::mesh::TriMesh;
use isotouch::mesh::io::{self, Loaded, ReadError, ReadOptions};

use crate::console::Console;
use crate::failure::{Classify, Failure};
use crate::format::number;
use crate::interrupt;
use crate::progress::Bar;
use crate::values::{MOST_CELLS, between, point, positive, whole};

/// How a field is built from a mesh.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Building a field from a mesh")]
pub(super) struct BuildArgs {
    /// Cells along the longest side of the box, padding included: 1 to 16777216 [default: 256].
    #[arg(long, short, value_name = "N", value_parser = whole(1, MOST_CELLS), allow_negative_numbers = true)]
    resolution: Option<u32>,
    /// Edge length of a cell, instead of a resolution. For a .npy file: that of its cells.
    #[arg(long, value_name = "H", value_parser = positive, conflicts_with = "resolution", allow_hyphen_values = true)]
    cell: Option<f64>,
    /// For a .npy file: position of its first node [default: what NAME.npy.json says, or 0,0,0].
    #[arg(long, value_name = "X,Y,Z", value_parser = point, allow_hyphen_values = true)]
    origin: Option<DVec3>,
    /// sparse: fine near the surface, coarse elsewhere; dense: fine everywhere [default: sparse].
    #[arg(long, value_name = "KIND", value_parser = storage)]
    storage: Option<StorageKind>,
    /// Half width of the fine shell of a sparse field, in cells: 1 to 1000000 [default: 3].
    #[arg(long, value_name = "CELLS", value_parser = between(1.0, 1e6), allow_hyphen_values = true)]
    band: Option<f64>,
    /// Free space around the solid, as a fraction of its longest side: 0 to 100 [default: 0.05].
    #[arg(long, value_name = "P", value_parser = between(0.0, 100.0), allow_hyphen_values = true)]
    padding: Option<f64>,
    /// How inside is told from outside: auto, pseudonormal or winding [default: auto].
    #[arg(long, value_name = "METHOD", value_parser = sign)]
    sign: Option<SignMethod>,
    /// Multiply the coordinates of the mesh, such as 0.001 for millimetres to metres.
    #[arg(long, value_name = "S", value_parser = positive, allow_hyphen_values = true)]
    scale: Option<f64>,
    /// Threads to use: 1 to 1024 [default: all].
    #[arg(long, value_name = "N", value_parser = whole(1, 1024), allow_negative_numbers = true)]
    threads: Option<u32>,
}

fn storage(name: &str) -> Result<StorageKind, String> {
    name.parse().map_err(|error: isotouch::field::UnknownName| error.to_string())
}

fn sign(name: &str) -> Result<SignMethod, String> {
    match name {
        "soup" | "oriented" => Err(format!(
            "{name} is not in this version: close the mesh first, and use winding where it overlaps itself"
        )),
        _ => name.parse().map_err(|error: isotouch::field::UnknownName| error.to_string()),
    }
}

impl BuildArgs {
    fn read_options(&self) -> ReadOptions {
        ReadOptions { scale: self.scale.unwrap_or(1.0), ..Default::default() }
    }

    /// What to build; `storage` where nothing is asked for.
    fn options(&self, storage: StorageKind) -> FieldOptions {
        let usual = FieldOptions::default();
        FieldOptions {
            resolution: self.resolution.unwrap_or(usual.resolution),
            cell_size: self.cell,
            padding: self.padding.unwrap_or(usual.padding),
            band: self.band.unwrap_or(usual.band),
            sign: self.sign.unwrap_or(usual.sign),
            storage: self.storage.unwrap_or(storage),
        }
    }

    fn import_options(&self, storage: StorageKind) -> ImportOptions {
        // Of a grid that is there only storage and band can be chosen.
        let field = FieldOptions { cell_size: None, ..self.options(storage) };
        ImportOptions { cell: self.cell, origin: self.origin, field, ..Default::default() }
    }

    /// Says which flags were given that mean nothing for `path`, which is `what`.
    fn warn_of_ignored(&self, path: &Path, what: Existing, console: &Console) {
        // Whether each was given, and whether it means something for the values of another program.
        let given = [
            ("--resolution", self.resolution.is_some(), false),
            ("--cell", self.cell.is_some(), true),
            ("--origin", self.origin.is_some(), true),
            ("--storage", self.storage.is_some(), true),
            ("--band", self.band.is_some(), true),
            ("--padding", self.padding.is_some(), false),
            ("--sign", self.sign.is_some(), false),
            ("--scale", self.scale.is_some(), false),
        ];
        let ignored: Vec<&str> = given
            .into_iter()
            .filter(|&(_, given, foreign)| given && !(foreign && what == Existing::Foreign))
            .map(|(name, ..)| name)
            .collect();
        if !ignored.is_empty() {
            let shown = path.display();
            console.warn(format_args!("{shown} is a field already; {} had no effect", ignored.join(", ")));
        }
    }

    /// Makes everything in this process use as many threads as were asked for; called once.
    pub(super) fn limit_threads(&self) -> Result<(), Failure> {
        limit_threads(self.threads)
    }
}

/// Makes everything in this process use so many threads; called once.
pub(super) fn limit_threads(threads: Option<u32>) -> Result<(), Failure> {
    match threads {
        Some(threads) => {
            rayon::ThreadPoolBuilder::new().num_threads(threads as usize).build_global().or_failed()
        }
        None => Ok(()),
    }
}

/// What kind of field a file has.
#[derive(Clone, Copy, PartialEq)]
enum Existing {
    Ours,
    Foreign,
}

/// What a file turned out to be.
#[derive(Debug)]
pub(super) enum Content {
    Field(Field),
    Mesh(Loaded),
    /// Values of another program, by the extension; not read yet.
    Foreign,
}

/// Opens a file by what it contains, whatever its name; only the formats of other programs are known by their names.
pub(super) fn open(path: &Path, options: &ReadOptions) -> Result<Content, Failure> {
    if ExchangeFormat::of(path).is_some() {
        return Ok(Content::Foreign);
    }
    // A pipe can be read only once, and fields are mapped: it can only be a mesh.
    let is_file = fs::metadata(path).is_ok_and(|about| about.is_file());
    let no_field = match is_file.then(|| Field::open(path)) {
        Some(Ok(field)) => return Ok(Content::Field(field)),
        Some(Err(error @ FieldFileError::NotAField { .. })) => Some(error),
        Some(Err(error)) => return Err(error).or_bad_input(),
        None => None,
    };
    match (io::read(path, options), no_field) {
        (Ok(loaded), _) => Ok(Content::Mesh(loaded)),
        // Neither; the name tells which of the two it wanted to be.
        (Err(ReadError::UnknownFormat { .. } | ReadError::Empty { .. }), Some(no_field))
            if path.extension().is_some_and(|extension| extension == "field") =>
        {
            Err(no_field).or_bad_input()
        }
        (Err(error), _) => Err(error).or_bad_input(),
    }
}

/// Warns when the file is not what it seems.
pub(super) fn warn_about(path: &Path, loaded: &Loaded, console: &Console) {
    let shown = path.display();
    if loaded.extension_lies {
        console.warn(format_args!("{shown} contains {}, whatever its name says", loaded.format));
    }
    if loaded.cleanup.trailing_bytes > 0 {
        let bytes = loaded.cleanup.trailing_bytes;
        console.warn(format_args!("{shown} has {bytes} bytes after the end of the mesh; they were ignored"));
    }
}

/// Builds a field with a progress bar, until it is done or Ctrl-C is pressed. Warnings begin with `name`.
pub(super) fn build(
    mesh: &TriMesh,
    name: impl Display,
    options: &FieldOptions,
    console: &Console,
) -> Result<Field, Failure> {
    let bar = Bar::new(console);
    let progress = |at: Progress| bar.update(at.stage, at.done, at.total);
    let execution =
        Execution { progress: Some(&progress), cancel: Some(&interrupt::INTERRUPTED), ..Default::default() };
    let built = Field::from_mesh_with(mesh, options, &execution);
    drop(bar);
    match built {
        Ok(Built { field, notes }) => {
            for note in notes {
                console.warn(format_args!("{name}: {note}"));
            }
            Ok(field)
        }
        Err(BuildError::Cancelled) => Err(Failure::Interrupted),
        Err(error @ BuildError::Threads { .. }) => Err(Failure::Failed(error.into())),
        Err(error) => Err(Failure::BadInput(error.into())),
    }
}

/// Builds the field of a mesh that came from the file `path`.
fn field_of(
    mesh: &TriMesh,
    path: &Path,
    args: &BuildArgs,
    storage: StorageKind,
    console: &Console,
) -> Result<Field, Failure> {
    build(mesh, path.display(), &args.options(storage), console).map_err(|failure| about(path, failure))
}

/// Takes over the values of another program.
pub(super) fn import(path: &Path, options: &ImportOptions, console: &Console) -> Result<Field, Failure> {
    let Imported { field, slope } = Field::import(path, options).or_bad_input()?;
    // Above 1 by rounding alone is nobody's fault.
    if slope > 1.0 + 1e-6 {
        console.warn(format_args!(
            "{}: neighbouring values differ by up to {} times what they are apart, so they are no distances, or the cells \
             have another size; error bounds are that much larger",
            path.display(),
            number(slope)
        ));
    }
    Ok(field)
}

/// A field from any file: opened, taken over, or built of a mesh that stands in for it.
pub(super) struct FromFile {
    pub(super) field: Field,
    /// Triangles of the mesh it was built of.
    pub(super) triangles: Option<usize>,
    /// Whether it is a `.field` file, and nothing was done but opening it.
    pub(super) was_ours: bool,
    /// How long building or taking over took; opening takes no time.
    pub(super) elapsed: Duration,
}

/// Opens a field, takes it over, or builds it; a new one is kept as `storage` unless the user asks for something else.
pub(super) fn any_field(
    path: &Path,
    args: &BuildArgs,
    storage: StorageKind,
    console: &Console,
) -> Result<FromFile, Failure> {
    let content = open(path, &args.read_options())?;
    interrupt::check()?;
    match content {
        Content::Mesh(loaded) => {
            warn_about(path, &loaded, console);
            let start = Instant::now();
            let field = field_of(&loaded.mesh, path, args, storage, console)?;
            let triangles = Some(loaded.mesh.triangles().len());
            Ok(FromFile { field, triangles, was_ours: false, elapsed: start.elapsed() })
        }
        Content::Field(field) => {
            args.warn_of_ignored(path, Existing::Ours, console);
            Ok(FromFile { field, triangles: None, was_ours: true, elapsed: Duration::ZERO })
        }
        Content::Foreign => {
            args.warn_of_ignored(path, Existing::Foreign, console);
            let start = Instant::now();
            let field = import(path, &args.import_options(storage), console)?;
            Ok(FromFile { field, triangles: None, was_ours: false, elapsed: start.elapsed() })
        }
    }
}

/// A field to ask. Values of other programs are kept as they are, all of them; a mesh gets a sparse field.
pub(super) fn field(path: &Path, args: &BuildArgs, console: &Console) -> Result<Field, Failure> {
    let is_foreign = ExchangeFormat::of(path).is_some();
    let storage = if is_foreign { StorageKind::Dense } else { FieldOptions::default().storage };
    Ok(any_field(path, args, storage, console)?.field)
}

/// Puts the file in front of what is wrong with it, unless it is named already.
pub(super) fn about(path: &Path, failure: Failure) -> Failure {
    let name = path.display().to_string();
    let named = |error: anyhow::Error| {
        if error.to_string().contains(&name) { error } else { anyhow!("{name}: {error}") }
    };
    match failure {
        Failure::BadInput(error) => Failure::BadInput(named(error)),
        Failure::Failed(error) => Failure::Failed(named(error)),
        Failure::Interrupted => Failure::Interrupted,
    }
}
