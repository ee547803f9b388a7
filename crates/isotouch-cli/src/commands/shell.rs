use std::path::{Path, PathBuf};
use std::time::Instant;

use isotouch::field::{Execution, Field, Progress, StorageKind};
use isotouch::shell::{
    NormalSource, PointShell, Sampled, Sampling, ShellError, ShellFileError, ShellNote, ShellOptions,
};
use serde_json::{Value, json};

use super::build_args::{FieldArgs, FileKind};
use super::output_path;
use super::source::{self, Content};
use crate::console::Console;
use crate::failure::{Classify, Failure};
use crate::format::{bytes, count, duration, number};
use crate::interrupt;
use crate::progress::Bar;
use crate::report::Report;
use crate::values::{between, finite, positive, whole};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
    A shell is points on a surface, with outward normals, shares of its area, and nested levels. Sharp edges and corners \
    always get points. The coverage is certain: no point of the surface is farther from all points than that.\n\n\
    Examples:\n  \
    isotouch shell part.obj -o part.shell\n  \
    isotouch shell part.obj -o fine.shell --spacing 0.02\n  \
    isotouch shell part.obj -o part.shell --vertices\n  \
    isotouch shell part.obj -o grown.shell --points 2000 --offset 0.05\n  \
    isotouch shell open.obj -o open.shell --points 2000 --normals open.obj --resolution 64")]
pub(crate) struct Args {
    /// Mesh: OBJ, STL, PLY, OFF or glTF, plain or gzipped. Or a field, for one of its level sets.
    #[arg(value_name = "MESH")]
    input: PathBuf,
    /// Shell to write.
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    sampling: SamplingArgs,
    /// Edges where the surface turns by more than this, in degrees, are sharp: 0 to 180.
    #[arg(long, value_name = "DEGREES", default_value_t = 40.0, value_parser = between(0.0, 180.0), allow_hyphen_values = true)]
    sharp: f64,
    /// Put the points on the surface this far outside, or inside if below 0; a field of the mesh is built for that.
    #[arg(long, value_name = "SIGMA", value_parser = finite, allow_hyphen_values = true)]
    offset: Option<f64>,
    /// Take normals from this field, or from that of this mesh: where a mesh is open or wound both ways, it knows better.
    #[arg(long, value_name = "FIELD", conflicts_with = "offset")]
    normals: Option<PathBuf>,
    #[command(flatten)]
    build: FieldArgs,
}

#[derive(Debug, clap::Args)]
#[group(multiple = false)]
struct SamplingArgs {
    /// So many points, which push each other apart: 1 to 50000000 [default: 10000].
    #[arg(long, visible_alias = "count", value_name = "N", value_parser = whole(1, 50_000_000), allow_negative_numbers = true)]
    points: Option<u32>,
    /// Points such that none of the surface is farther than this from one, but for a hundredth.
    #[arg(long, value_name = "D", value_parser = positive, allow_hyphen_values = true)]
    spacing: Option<f64>,
    /// The mesh's vertices.
    #[arg(long)]
    vertices: bool,
}

impl Args {
    fn options(&self) -> ShellOptions {
        let usual = ShellOptions::default();
        let sampling = match (self.sampling.points, self.sampling.spacing) {
            _ if self.sampling.vertices => Sampling::Vertices,
            (Some(points), _) => Sampling::Points(points as usize),
            (None, Some(spacing)) => Sampling::Spacing(spacing),
            (None, None) => usual.sampling,
        };
        ShellOptions { sampling, sharp_angle: self.sharp.to_radians(), ..usual }
    }
}

pub(crate) fn run(args: &Args, console: &Console) -> Result<Report, Failure> {
    let normals = args.normals.as_deref();
    let inputs: Vec<&Path> = std::iter::once(&*args.input).chain(normals).collect();
    output_path::check(&args.output, "shell", &inputs)?;
    args.build.limit_threads()?;
    let content = source::open(&args.input, &args.build.build.read_options(), console)?;
    interrupt::check()?;
    let start = Instant::now();
    // Before the shell is made: a file that cannot be read should not be noticed minutes later.
    let field = normals.map(|path| source::field(path, &args.build, console)).transpose()?;
    let mut shell = make(content, args, console)?;
    if let Some(built) = field {
        shell = shell.with_normals_of(&built.field);
    }
    let elapsed = start.elapsed();
    interrupt::check()?;
    match shell.save_until(&args.output, &interrupt::INTERRUPTED) {
        Err(ShellFileError::Cancelled) => return Err(Failure::Interrupted),
        saved => saved.or_failed()?,
    }

    let mut report = Report::new();
    report.line(format_args!("{} → {}", args.input.display(), args.output.display()));
    let mut facts = in_words(&shell);
    facts.push(("made in", duration(elapsed)));
    report.facts(&facts);
    report.key("output", args.output.display().to_string());
    report.key("seconds", elapsed.as_secs_f64());
    for (name, value) in as_json(&shell) {
        report.key(name, value);
    }
    Ok(report)
}

/// The shell of what was read: on the mesh itself, or on a level set of a field.
fn make(content: Content, args: &Args, console: &Console) -> Result<PointShell, Failure> {
    let build = &args.build.build;
    match content {
        Content::Mesh(loaded) => {
            source::warn_about(&args.input, &loaded, console);
            let mesh = &loaded.mesh;
            let Some(offset) = args.offset else {
                // Options of fields are for the one that the normals come from.
                if args.normals.is_none() {
                    build.warn_of_ignored(&args.input, FileKind::Surface, console);
                }
                let options = args.options();
                return sample(args, console, |execution| {
                    PointShell::from_mesh_with(mesh, &options, execution)
                });
            };
            let options = build.options(StorageKind::Sparse);
            let field = source::build_with_room(mesh, &args.input, &options, (offset, console))?;
            on_level_set(&field, offset, args, console)
        }
        Content::Field(field) => {
            build.warn_of_ignored(&args.input, FileKind::Field, console);
            source::check_sound(&field)?;
            on_level_set(&field, args.offset.unwrap_or(0.0), args, console)
        }
        Content::Foreign => {
            build.warn_of_ignored(&args.input, FileKind::Foreign, console);
            let field = source::import(&args.input, &build.import_options(StorageKind::Dense), console)?;
            on_level_set(&field, args.offset.unwrap_or(0.0), args, console)
        }
    }
}

fn on_level_set(field: &Field, iso: f64, args: &Args, console: &Console) -> Result<PointShell, Failure> {
    let options = args.options();
    sample(args, console, |execution| PointShell::from_field_with(field, iso, &options, execution))
}

/// Makes a shell with a progress bar, until it is done or Ctrl-C is pressed, and warns of what was found.
fn sample(
    args: &Args,
    console: &Console,
    make: impl FnOnce(&Execution<'_>) -> Result<Sampled, ShellError>,
) -> Result<PointShell, Failure> {
    let bar = Bar::new(console);
    let progress = |at: Progress| bar.update(at.stage, at.done, at.total);
    let execution =
        Execution { progress: Some(&progress), cancel: Some(&interrupt::INTERRUPTED), ..Default::default() };
    let made = make(&execution);
    drop(bar);
    let sampled = match made {
        Err(ShellError::Cancelled) => return Err(Failure::Interrupted),
        Err(error @ ShellError::Threads { .. }) => return Err(error).or_failed(),
        other => other.or_bad_input().map_err(|failure| source::about(&args.input, failure))?,
    };
    for note in &sampled.notes {
        match note {
            // Better ones follow.
            ShellNote::NotOriented if args.normals.is_some() => {}
            ShellNote::NotOriented => {
                let shown = args.input.display();
                console.warn(format_args!("{shown}: {note}: --normals {shown}"));
            }
            _ => console.warn(format_args!("{}: {note}", args.input.display())),
        }
    }
    Ok(sampled.shell)
}

/// What a shell is, for people.
pub(super) fn in_words(shell: &PointShell) -> Vec<(&'static str, String)> {
    let chosen = match shell.sampling() {
        Sampling::Vertices => "the vertices of the mesh".into(),
        Sampling::Spacing(spacing) => format!("for a spacing of {}", number(spacing)),
        Sampling::Points(_) => "pushed apart".into(),
    };
    let mut facts = vec![("points", format!("{}, {chosen}", count(shell.len() as u64)))];
    facts.extend(shell.iso().map(|iso| ("level set", number(iso))));
    let coverage = format!("{}: no place of the surface is farther from a point", number(shell.coverage()));
    facts.push(("coverage", coverage));
    let (last, coarser) = match shell.levels().split_last() {
        Some((last, coarser)) => (Some(last), coarser),
        None => (None, &[][..]),
    };
    // A single point has no other.
    let last = last.filter(|level| level.spacing.is_finite());
    facts.extend(last.map(|level| ("closest two", format!("{} apart", number(level.spacing)))));
    for level in coarser {
        let told = format!("{} points cover within {}", count(level.points as u64), number(level.coverage));
        facts.push(("level", told));
    }
    let normals = match shell.normal_source() {
        NormalSource::Mesh => "outward, by the mesh",
        NormalSource::Triangles => "as the triangles are wound, perhaps inward",
        NormalSource::Field => "outward, by a field",
    };
    facts.push(("normals", normals.into()));
    facts.push(("area", number(shell.area())));
    facts.push((
        "memory",
        format!("{}, {} spheres", bytes(shell.bytes()), count(shell.tree().node_count() as u64)),
    ));
    facts
}

/// What a shell is, for programs.
pub(super) fn as_json(shell: &PointShell) -> Vec<(&'static str, Value)> {
    let levels: Vec<Value> = shell
        .levels()
        .iter()
        .map(|level| json!({ "points": level.points, "spacing": level.spacing, "coverage": level.coverage }))
        .collect();
    let spacing = match shell.sampling() {
        Sampling::Spacing(spacing) => Some(spacing),
        Sampling::Vertices | Sampling::Points(_) => None,
    };
    vec![
        ("points", shell.len().into()),
        ("levels", levels.into()),
        ("coverage", shell.coverage().into()),
        ("sampling", shell.sampling().to_string().into()),
        ("spacing", spacing.into()),
        ("normals", shell.normal_source().to_string().into()),
        ("iso", shell.iso().into()),
        ("area", shell.area().into()),
        ("bytes", shell.bytes().into()),
        ("spheres", shell.tree().node_count().into()),
    ]
}
