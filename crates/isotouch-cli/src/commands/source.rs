//! Where meshes and fields come from: files, or a mesh standing in for its field.

use std::fmt::Display;
use std::fs;
use std::path::Path;

use anyhow::anyhow;
use isotouch::field::{
    BuildError, Built, ExchangeError, ExchangeFormat, Execution, Field, FieldFileError, FieldOptions,
    ImportOptions, Imported, Progress, StorageKind,
};
use isotouch::mesh::io::{self, Loaded, ReadError, ReadOptions};
use isotouch::mesh::{MeshReport, TriMesh, report};
use isotouch::shell::{PointShell, ShellError, ShellFileError, ShellOptions};

use super::build_args::{FieldArgs, FileKind};
use crate::cache::{Cache, Key, Lookup};
use crate::console::Console;
use crate::failure::{Classify, Failure, in_one_line};
use crate::format::{number, plural};
use crate::interrupt::{self, LeavesNothing};
use crate::progress::Bar;
use crate::report::Report;

/// What a file turned out to be.
#[derive(Debug)]
pub(super) enum Content {
    Field(Field),
    Mesh(Loaded),
    /// Values of another program, by the extension; not read yet.
    Foreign,
}

/// Opens a file by what it contains, whatever its name; of the formats of other programs, some are known by their names only.
pub(super) fn open(path: &Path, options: &ReadOptions, console: &Console) -> Result<Content, Failure> {
    if let Some(field) = field_file(path, console)? {
        return Ok(Content::Field(field));
    }
    if ExchangeFormat::of_file(path).is_some() {
        return Ok(Content::Foreign);
    }
    Ok(Content::Mesh(read_mesh(path, options)?))
}

/// The shell in a file; `None` if it is no shell file.
pub(super) fn shell_file(path: &Path) -> Result<Option<PointShell>, Failure> {
    if !is_regular(path) {
        return Ok(None);
    }
    match PointShell::open(path) {
        Ok(shell) => Ok(Some(shell)),
        Err(ShellFileError::NotAShell { .. }) => Ok(None),
        Err(error) => Err(error).or_bad_input(),
    }
}

fn read_mesh(path: &Path, options: &ReadOptions) -> Result<Loaded, Failure> {
    let _reading = LeavesNothing::begin();
    match io::read(path, options) {
        Err(ReadError::UnknownFormat { .. }) if shell_file(path)?.is_some() => {
            Err(anyhow!("{} is a shell; a mesh or a field is needed here", path.display())).or_bad_input()
        }
        Err(ReadError::UnknownFormat { .. })
            if is_regular(path) && path.extension().is_some_and(|extension| extension == "shell") =>
        {
            Err(ShellFileError::NotAShell { path: path.into() }).or_bad_input()
        }
        // Neither field nor mesh; the name tells which of the two it wanted to be.
        Err(ReadError::UnknownFormat { .. })
            if is_regular(path) && path.extension().is_some_and(|extension| extension == "field") =>
        {
            Err(FieldFileError::NotAField { path: path.into() }).or_bad_input()
        }
        Err(ReadError::Empty { .. })
            if path.extension().is_some_and(|extension| extension == "field" || extension == "shell") =>
        {
            Err(anyhow!("{} is empty; make it again", path.display())).or_bad_input()
        }
        other => other.or_bad_input(),
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
    if loaded.cleanup.short_polygons > 0 {
        let faces = plural(loaded.cleanup.short_polygons as u64, "face");
        notes.push(format!(
            " has {faces} with fewer than three corners, left out; if the last one is, the file was cut short"
        ));
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

/// Largest offset, in sizes of the mesh: padding may not be more than a hundred.
const MOST_OFFSET: f64 = 50.0;

/// [`build`] of the mesh in `path`, with room for an offset.
pub(super) fn build_with_room(
    mesh: &TriMesh,
    path: &Path,
    options: &FieldOptions,
    (offset, console): (f64, &Console),
) -> Result<Field, Failure> {
    let size = mesh.bounds().extent().max_element();
    if offset.abs() > MOST_OFFSET * size {
        return Err(anyhow!(
            "--offset {} is more than {MOST_OFFSET} times the size of the mesh ({})",
            number(offset),
            number(size)
        ))
        .or_bad_input();
    }
    let with_room;
    let options = if offset == 0.0 {
        options
    } else {
        with_room = options.with_room_for(offset, mesh.bounds());
        &with_room
    };
    build(mesh, path.display(), options, console).map_err(|failure| about(path, failure))
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

/// Takes over the values of another program, until it is done or Ctrl-C is pressed.
pub(super) fn import(path: &Path, options: &ImportOptions, console: &Console) -> Result<Field, Failure> {
    if ExchangeFormat::of_file(path) != ExchangeFormat::of(path) {
        console.warn(format_args!("{} contains a NumPy array, whatever its name says", path.display()));
    }
    let execution = Execution { cancel: Some(&interrupt::INTERRUPTED), ..Default::default() };
    let Imported { field, slope, vanished } = match Field::import_with(path, options, &execution) {
        Err(ExchangeError::Cancelled) => return Err(Failure::Interrupted),
        other => other.or_bad_input()?,
    };
    // Above 1 by rounding alone is nobody's fault.
    if slope > 1.0 + 1e-6 {
        console.warn(format_args!(
            "{}: neighbouring values differ by up to {} times what they are apart, so they are no distances, or the cells \
             have another size; error bounds are that much larger",
            path.display(),
            number(slope)
        ));
    }
    if vanished > 0 {
        console.warn(format_args!(
            "{}: {} too small for 32 bits became 0; scale values and cells to a usual unit",
            path.display(),
            plural(vanished, "value")
        ));
    }
    Ok(field)
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

    /// Tells programs how far values may be from true distances, if that is known.
    pub(super) fn report_errors(&self, report: &mut Report) {
        let known = |bound: f64| if self.field.is_certified() { bound } else { f64::NAN };
        report.key("certified", self.field.is_certified());
        report.key("error_bound", known(self.field.error_bound()));
        report.key("error_bound_far", known(self.field.error_bound_far()));
        report.key("understates_depth", self.field.understates_depth());
    }
}

/// What the answers are about, and how to ask about the true surface.
pub(super) fn surface_in_words(field: &Field, iso: f64) -> String {
    let bound = field.error_bound();
    if !field.is_certified() {
        return "that of the field; how far its values are from true distances is not certified".into();
    }
    let depths =
        if iso < 0.0 && field.understates_depth() { "; inside, depths may be understated" } else { "" };
    let remedy = if iso < bound {
        format!("; --iso {} misses no contact with the true surface", number(bound * (1.0 + 1e-3)))
    } else {
        String::new()
    };
    let bound = number(bound);
    format!("that of the field, whose values are within ±{bound} of the true distance{remedy}{depths}")
}

/// Says that depths inside are not to be relied on, where that is so, to somebody who asks for them.
pub(super) fn warn_of_depth(path: &Path, field: &Field, console: &Console) {
    if field.understates_depth() {
        console.warn(format_args!(
            "{}: depths inside may be understated, since triangles may run within the solid; outside, and in telling inside from \
             outside, this changes nothing",
            path.display()
        ));
    }
}

/// Refuses a field file that is damaged: all its bytes are read and compared with their checksums, and values that are no numbers are
/// refused. Opening it looks at its header alone.
pub(super) fn check_sound(field: &Field) -> Result<(), Failure> {
    field.verify_checksums().and_then(|()| field.verify_finite()).or_bad_input()
}

/// [`field`] for questions whose answers are certain: says so where they are not.
pub(super) fn certain_field(path: &Path, args: &FieldArgs, console: &Console) -> Result<Source, Failure> {
    let found = field(path, args, console)?;
    // Of a mesh the notes on its field have said it.
    if !found.field.is_certified() && found.cache.is_none() {
        console.warn(format_args!(
            "{}: nothing is certified, for inside and outside meet beyond the rim of an open surface",
            path.display()
        ));
    }
    Ok(found)
}

/// Where a path becomes a field to ask: opens a field file, and looks whether it is damaged; takes over the values of another program, all of them; or, of a mesh
/// that stands in for its field, takes it from the cache or builds it.
pub(super) fn field(path: &Path, args: &FieldArgs, console: &Console) -> Result<Source, Failure> {
    if let Some(field) = field_file(path, console)? {
        args.build.warn_of_ignored(path, FileKind::Field, console);
        check_sound(&field)?;
        return Ok(Source { field, cache: None });
    }
    if ExchangeFormat::of_file(path).is_some() {
        args.build.warn_of_ignored(path, FileKind::Foreign, console);
        let field = import(path, &args.build.import_options(StorageKind::Dense), console)?;
        return Ok(Source { field, cache: None });
    }
    args.build.warn_of_ignored(path, FileKind::Mesh, console);
    let (read, options) = (args.build.read_options(), args.build.options(FieldOptions::default().storage));
    let found = field_of_mesh(path, (&read, &options), args.no_cache, console)?;
    args.build.warn_of_unused(found.field.sign(), console);
    Ok(found)
}

/// The field of a mesh file, from the cache or built and kept there.
pub(super) fn field_of_mesh(
    path: &Path,
    (read, options): (&ReadOptions, &FieldOptions),
    no_cache: bool,
    console: &Console,
) -> Result<Source, Failure> {
    let entry = cache_entry(path, no_cache, (read, options))?;
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
    let loaded = read_mesh(path, read)?;
    interrupt::check()?;
    let mut notes = notes_about(&loaded);
    warn_all(path, &notes, console);
    let built = build_with_notes(&loaded.mesh, options, console).map_err(|failure| about(path, failure))?;
    let about_build: Vec<String> = built.notes.iter().map(|note| format!(": {note}")).collect();
    warn_all(path, &about_build, console);
    notes.extend(about_build);
    let Some((cache, key)) = entry else {
        return Ok(Source { field: built.field, cache: Some(CacheUse::Off) });
    };
    // A file that was changed while it was read must not be remembered as what it was before.
    if Key::new(path, read, options).is_ok_and(|now| now == key)
        && let Err(error) = cache.keep(&key, &built.field, &notes)
    {
        interrupt::check()?;
        console.warn(in_one_line(&error));
    }
    Ok(Source { field: built.field, cache: Some(CacheUse::Built) })
}

/// The mesh in a file, with its warnings; a field will not do.
pub(super) fn mesh(path: &Path, args: &FieldArgs, console: &Console) -> Result<TriMesh, Failure> {
    let instead = "the mesh itself is needed here, for the answer is about its triangles";
    mesh_or(path, args, instead, console)
}

/// [`mesh`], with what is said where there is a field instead.
fn mesh_or(path: &Path, args: &FieldArgs, instead: &str, console: &Console) -> Result<TriMesh, Failure> {
    match open(path, &args.build.read_options(), console)? {
        Content::Mesh(loaded) if loaded.mesh.triangles().is_empty() => {
            Err(anyhow!("{} has no triangles", path.display())).or_bad_input()
        }
        Content::Mesh(loaded) => {
            warn_about(path, &loaded, console);
            Ok(loaded.mesh)
        }
        Content::Field(_) | Content::Foreign => {
            Err(anyhow!("{} is a field; {instead}", path.display())).or_bad_input()
        }
    }
}

/// Says what the mesh of a moving part lacks: of that of a fixed part the notes on its field tell.
pub(super) fn warn_of_moving(path: &Path, mesh: &TriMesh, console: &Console) {
    let about = report(mesh);
    warn_of_holes(path, &about, console);
    if about.flipped_edges > 0 {
        console.warn(format_args!(
            "{}: triangles of the moving mesh face opposite ways at {}; a closed piece of it counts as solid all the same",
            path.display(),
            plural(about.flipped_edges as u64, "edge")
        ));
    }
}

fn warn_of_holes(path: &Path, about: &MeshReport, console: &Console) {
    if about.boundary_edges > 0 {
        console.warn(format_args!(
            "{}: the moving mesh is open ({}, {}); only holes of the fixed part are closed by caps, so what passes through these touches nothing",
            path.display(),
            plural(about.boundary_loops as u64, "hole"),
            plural(about.boundary_edges as u64, "open edge")
        ));
    }
}

/// A shell file, or the shell of a mesh, made as `isotouch shell` does without options.
pub(super) fn shell(path: &Path, args: &FieldArgs, console: &Console) -> Result<PointShell, Failure> {
    if let Some(shell) = shell_file(path)? {
        return Ok(shell);
    }
    let shown = path.display();
    let instead = format!(
        "a shell or a mesh is needed here, whose points are moved; 'isotouch shell {shown} -o FILE.shell' makes one of its surface"
    );
    let mesh = mesh_or(path, args, &instead, console)?;
    warn_of_holes(path, &report(&mesh), console);
    let bar = Bar::new(console);
    let progress = |at: Progress| bar.update(at.stage, at.done, at.total);
    let execution =
        Execution { progress: Some(&progress), cancel: Some(&interrupt::INTERRUPTED), ..Default::default() };
    match PointShell::from_mesh_with(&mesh, &ShellOptions::default(), &execution) {
        Err(ShellError::Cancelled) => Err(Failure::Interrupted),
        Err(error @ ShellError::Threads { .. }) => Err(error).or_failed(),
        other => Ok(other.or_bad_input().map_err(|failure| about(path, failure))?.shell),
    }
}

/// The field in a file; `None` if it is no field file. Warns when its name says that it is another program's.
fn field_file(path: &Path, console: &Console) -> Result<Option<Field>, Failure> {
    // A pipe can be read only once, and fields are mapped: it can only be a mesh.
    if !is_regular(path) {
        return Ok(None);
    }
    match Field::open(path) {
        Ok(field) => {
            if ExchangeFormat::of(path).is_some() {
                console.warn(format_args!("{} contains a .field, whatever its name says", path.display()));
            }
            Ok(Some(field))
        }
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
    no_cache: bool,
    (read, options): (&ReadOptions, &FieldOptions),
) -> Result<Option<(Cache, Key)>, Failure> {
    if no_cache || !is_regular(path) {
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
