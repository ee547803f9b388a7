//! Where meshes and fields come from: files, or a mesh standing in for its field.

use std::fmt::Display;
use std::fs;
use std::path::Path;

use anyhow::anyhow;
use isotouch::field::{
    BuildError, Built, Execution, Field, FieldFileError, FieldOptions, Progress, SignMethod, StorageKind,
};
use isotouch::mesh::TriMesh;
use isotouch::mesh::io::{self, Loaded, ReadError, ReadOptions};

use crate::cache::{Cache, Key, Lookup};
use crate::console::Console;
use crate::failure::{Classify, Failure};
use crate::interrupt;
use crate::progress::Bar;
use crate::report::Report;
use crate::values::{MOST_CELLS, between, positive, whole};

/// How a field is built from a mesh.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Building a field from a mesh")]
pub(super) struct BuildArgs {
    /// Cells along the longest side of the box, padding included: 1 to 16777216 [default: 256].
    #[arg(long, short, value_name = "N", value_parser = whole(1, MOST_CELLS), allow_negative_numbers = true)]
    resolution: Option<u32>,
    /// Edge length of a cell, instead of a resolution.
    #[arg(long, value_name = "H", value_parser = positive, conflicts_with = "resolution", allow_hyphen_values = true)]
    cell: Option<f64>,
    /// sparse: fine near the surface, coarse elsewhere; dense: fine everywhere [default: sparse].
    #[arg(long, value_name = "KIND", value_parser = storage)]
    storage: Option<StorageKind>,
    /// Half width of the fine shell of a sparse field, in cells: 1 to 1000000 [default: 3].
    #[arg(long, value_name = "CELLS", value_parser = between(1.0, 1e6), allow_hyphen_values = true)]
    band: Option<f64>,
    /// Free space around the solid, as a fraction of its longest side: 0 to 100 [default: 0.05].
    #[arg(long, value_name = "P", value_parser = between(0.0, 100.0), allow_hyphen_values = true)]
    padding: Option<f64>,
    /// How inside is told from outside: auto, pseudonormal, winding, soup or oriented [default: auto].
    #[arg(long, value_name = "METHOD", value_parser = sign)]
    sign: Option<SignMethod>,
    /// soup: holes narrower than this are closed [default: chosen from the mesh].
    #[arg(long, value_name = "WIDTH", value_parser = positive, allow_hyphen_values = true)]
    gap: Option<f64>,
    /// soup: leave enclosed hollows hollow.
    #[arg(long)]
    keep_cavities: bool,
    /// Multiply the coordinates of the mesh, such as 0.001 for millimetres to metres.
    #[arg(long, value_name = "S", value_parser = positive, allow_hyphen_values = true)]
    scale: Option<f64>,
    /// Threads to use: 1 to 1024 [default: all].
    #[arg(long, value_name = "N", value_parser = whole(1, 1024), allow_negative_numbers = true)]
    threads: Option<u32>,
}

/// How a field is come by where a mesh may stand in for it.
#[derive(Debug, Default, clap::Args)]
pub(super) struct FieldArgs {
    #[command(flatten)]
    build: BuildArgs,
    /// Build the field of a mesh anew, and do not keep it for the next time.
    #[arg(long, help_heading = "Building a field from a mesh")]
    no_cache: bool,
}

impl FieldArgs {
    /// Makes everything in this process use so many threads; called once.
    pub(super) fn limit_threads(&self) -> Result<(), Failure> {
        self.build.limit_threads()
    }
}

fn storage(name: &str) -> Result<StorageKind, String> {
    name.parse().map_err(|error: isotouch::field::UnknownName| error.to_string())
}

fn sign(name: &str) -> Result<SignMethod, String> {
    name.parse().map_err(|error: isotouch::field::UnknownName| error.to_string())
}

impl BuildArgs {
    pub(super) fn read_options(&self) -> ReadOptions {
        ReadOptions { scale: self.scale.unwrap_or(1.0), ..Default::default() }
    }

    pub(super) fn options(&self) -> FieldOptions {
        let usual = FieldOptions::default();
        FieldOptions {
            resolution: self.resolution.unwrap_or(usual.resolution),
            cell_size: self.cell,
            padding: self.padding.unwrap_or(usual.padding),
            band: self.band.unwrap_or(usual.band),
            sign: self.sign.unwrap_or(usual.sign),
            storage: self.storage.unwrap_or(usual.storage),
            gap: self.gap,
            keep_cavities: self.keep_cavities,
        }
    }

    /// Warns of flags that were given and mean nothing, since the file is a field already.
    pub(super) fn warn_of_no_effect(&self, path: &Path, console: &Console) {
        let given = [
            ("--resolution", self.resolution.is_some()),
            ("--cell", self.cell.is_some()),
            ("--storage", self.storage.is_some()),
            ("--band", self.band.is_some()),
            ("--padding", self.padding.is_some()),
            ("--sign", self.sign.is_some()),
            ("--gap", self.gap.is_some()),
            ("--keep-cavities", self.keep_cavities),
            ("--scale", self.scale.is_some()),
        ];
        let ignored: Vec<&str> =
            given.into_iter().filter_map(|(name, given)| given.then_some(name)).collect();
        if !ignored.is_empty() {
            let shown = path.display();
            console.warn(format_args!("{shown} is a field already; {} had no effect", ignored.join(", ")));
        }
    }

    /// Makes everything in this process use so many threads; called once.
    pub(super) fn limit_threads(&self) -> Result<(), Failure> {
        match self.threads {
            Some(threads) => {
                rayon::ThreadPoolBuilder::new().num_threads(threads as usize).build_global().or_failed()
            }
            None => Ok(()),
        }
    }
}

/// What a file turned out to be.
#[derive(Debug)]
pub(super) enum Content {
    Field(Field),
    Mesh(Loaded),
}

/// Opens a file by what it contains, whatever its name.
pub(super) fn open(path: &Path, options: &ReadOptions) -> Result<Content, Failure> {
    if let Some(field) = field_file(path)? {
        return Ok(Content::Field(field));
    }
    match io::read(path, options) {
        Ok(loaded) => Ok(Content::Mesh(loaded)),
        // Neither; the name tells which of the two it wanted to be.
        Err(ReadError::UnknownFormat { .. } | ReadError::Empty { .. })
            if is_regular(path) && path.extension().is_some_and(|extension| extension == "field") =>
        {
            Err(FieldFileError::NotAField { path: path.into() }).or_bad_input()
        }
        Err(error) => Err(error).or_bad_input(),
    }
}

/// Warns when the file is not what it seems.
pub(super) fn warn_about(path: &Path, loaded: &Loaded, console: &Console) {
    warn_all(path, &notes_about(loaded), console);
}

/// What should be said of a file that is not what it seems, to stand behind its name.
fn notes_about(loaded: &Loaded) -> Vec<String> {
    let mut notes = Vec::new();
    if loaded.extension_lies {
        notes.push(format!(" contains {}, whatever its name says", loaded.format));
    }
    if loaded.cleanup.trailing_bytes > 0 {
        let bytes = loaded.cleanup.trailing_bytes;
        notes.push(format!(" has {bytes} bytes after the end of the mesh; they were ignored"));
    }
    notes
}

fn warn_all(path: &Path, notes: &[String], console: &Console) {
    for note in notes {
        console.warn(format_args!("{}{note}", path.display()));
    }
}

/// Builds a field with a progress bar, and warns of what was found; warnings begin with `name`.
pub(super) fn build(
    mesh: &TriMesh,
    name: impl Display,
    options: &FieldOptions,
    console: &Console,
) -> Result<Field, Failure> {
    let Built { field, notes } = build_with_notes(mesh, options, console)?;
    for note in notes {
        console.warn(format_args!("{name}: {note}"));
    }
    Ok(field)
}

/// Builds a field with a progress bar, until it is done or Ctrl-C is pressed.
fn build_with_notes(mesh: &TriMesh, options: &FieldOptions, console: &Console) -> Result<Built, Failure> {
    let bar = Bar::new(console);
    let progress = |at: Progress| bar.update(at.stage, at.done, at.total);
    let execution =
        Execution { progress: Some(&progress), cancel: Some(&interrupt::INTERRUPTED), ..Default::default() };
    let built = Field::from_mesh_with(mesh, options, &execution);
    drop(bar);
    match built {
        Ok(built) => Ok(built),
        Err(BuildError::Cancelled) => Err(Failure::Interrupted),
        Err(error @ BuildError::Threads { .. }) => Err(Failure::Failed(error.into())),
        Err(error) => Err(Failure::BadInput(error.into())),
    }
}

/// Writes a field, until it is done or the process is asked to stop.
pub(super) fn save(field: &Field, path: &Path) -> Result<(), Failure> {
    match field.save_until(path, &interrupt::INTERRUPTED) {
        Err(FieldFileError::Cancelled) => Err(Failure::Interrupted),
        other => other.or_failed(),
    }
}

/// A field, and how it was come by.
pub(super) struct Source {
    pub(super) field: Field,
    /// `None` for a file that is a field already.
    pub(super) cache: Option<CacheUse>,
}

/// What the cache did for a mesh that stands in for its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CacheUse {
    Hit,
    Built,
    Off,
}

impl Source {
    /// Tells programs what the cache did.
    pub(super) fn report(&self, report: &mut Report) {
        let word = self.cache.map(|cache| match cache {
            CacheUse::Hit => "hit",
            CacheUse::Built => "built",
            CacheUse::Off => "off",
        });
        report.key("cache", word);
    }
}

/// Where a path becomes a field: opens a field file, or takes the field of a mesh that stands in for it from the cache, or builds it.
pub(super) fn field(path: &Path, args: &FieldArgs, console: &Console) -> Result<Source, Failure> {
    if let Some(field) = field_file(path)? {
        args.build.warn_of_no_effect(path, console);
        return Ok(Source { field, cache: None });
    }
    let (read, options) = (args.build.read_options(), args.build.options());
    let entry = cache_entry(path, args, (&read, &options))?;
    if let Some((cache, key)) = &entry {
        match cache.find(key) {
            Lookup::Found(field, notes) => {
                warn_all(path, &notes, console);
                return Ok(Source { field: *field, cache: Some(CacheUse::Hit) });
            }
            Lookup::Damaged => {
                console.warn(format_args!(
                    "{}: its cached field was damaged and is built again",
                    path.display()
                ));
            }
            Lookup::Missing => {}
        }
    }
    interrupt::check()?;
    let loaded = match open(path, &read)? {
        Content::Mesh(loaded) => loaded,
        // Only when it was replaced a moment ago.
        Content::Field(field) => return Ok(Source { field, cache: None }),
    };
    interrupt::check()?;
    let mut notes = notes_about(&loaded);
    warn_all(path, &notes, console);
    let built = build_with_notes(&loaded.mesh, &options, console).map_err(|failure| about(path, failure))?;
    let about_build: Vec<String> = built.notes.iter().map(|note| format!(": {note}")).collect();
    warn_all(path, &about_build, console);
    notes.extend(about_build);
    let Some((cache, key)) = entry else {
        return Ok(Source { field: built.field, cache: Some(CacheUse::Off) });
    };
    // A file that was changed while it was read must not be remembered as what it was before.
    if Key::new(path, &read, &options).is_ok_and(|now| now == key)
        && let Err(error) = cache.keep(&key, &built.field, &notes)
    {
        console.warn(format_args!("{error:#}"));
    }
    Ok(Source { field: built.field, cache: Some(CacheUse::Built) })
}

/// The field in a file; `None` if it is no field file.
fn field_file(path: &Path) -> Result<Option<Field>, Failure> {
    // A pipe can be read only once, and fields are mapped: it can only be a mesh.
    if !is_regular(path) {
        return Ok(None);
    }
    match Field::open(path) {
        Ok(field) => Ok(Some(field)),
        Err(FieldFileError::NotAField { .. }) => Ok(None),
        Err(error) => Err(error).or_bad_input(),
    }
}

fn is_regular(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| about.is_file())
}

/// The cache and the file's key in it; `None` without a cache, and for pipes, which can be read only once.
fn cache_entry(
    path: &Path,
    args: &FieldArgs,
    (read, options): (&ReadOptions, &FieldOptions),
) -> Result<Option<(Cache, Key)>, Failure> {
    if args.no_cache || !is_regular(path) {
        return Ok(None);
    }
    let Some(cache) = Cache::from_environment().or_bad_input()? else { return Ok(None) };
    // What cannot be read is told by the reader.
    Ok(Key::new(path, read, options).ok().map(|key| (cache, key)))
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
