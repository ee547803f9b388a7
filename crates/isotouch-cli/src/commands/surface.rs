use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::anyhow;
use isotouch::field::{Execution, Field, Progress, Surface, SurfaceError};
use isotouch::mesh::io::{self, WriteError};

use super::build_args::FieldArgs;
use super::output_path;
use super::source;
use crate::console::Console;
use crate::failure::{Classify, Failure};
use crate::format::{count, duration, number};
use crate::interrupt;
use crate::progress::Bar;
use crate::report::Report;
use crate::values::finite;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
    The mesh is closed, each of its edges has two triangles, and it faces outward. Where the surface leaves the box \
    of the field it is left open, with a warning.\n\n\
    Examples:\n  \
    isotouch surface part.field -o part-again.obj\n  \
    isotouch surface part.field -o grown.stl --iso 0.02\n  \
    isotouch surface part.obj -o shrunk.ply --iso -0.01 --resolution 128")]
pub(crate) struct Args {
    /// Field, or a mesh to build one from.
    field: PathBuf,
    /// Mesh to write: .obj, .stl or .ply, with .gz after it to compress.
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// The level set: 0 is the surface itself, above 0 an offset outside it, below 0 inside.
    #[arg(long, value_name = "SIGMA", default_value_t = 0.0, value_parser = finite, allow_hyphen_values = true)]
    iso: f64,
    #[command(flatten)]
    build: FieldArgs,
}

pub(crate) fn run(args: &Args, console: &Console) -> Result<Report, Failure> {
    output_path::check_mesh(&args.output, &[&args.field])?;
    args.build.limit_threads()?;
    let found = source::field(&args.field, &args.build, console)?;
    let field = &found.field;
    if args.iso < 0.0 {
        source::warn_of_depth(&args.field, field, console);
    }
    let start = Instant::now();
    let surface = extract(&args.field, field, args.iso, console)?;
    let elapsed = start.elapsed();
    interrupt::check()?;
    let mesh = &surface.mesh;
    match io::write(&args.output, mesh) {
        Err(error @ WriteError::Io { .. }) => Err(error).or_failed()?,
        written => written.or_bad_input()?,
    }

    let mut report = Report::new();
    report.line(format_args!("{} → {}", args.field.display(), args.output.display()));
    let mut facts = vec![
        ("vertices", count(mesh.vertices().len() as u64)),
        ("triangles", count(mesh.triangles().len() as u64)),
        ("closed", if surface.is_closed { "yes" } else { "no: it leaves the box" }.into()),
        ("area", number(mesh.area())),
    ];
    if surface.is_closed {
        facts.push(("volume", number(mesh.signed_volume())));
    }
    facts.extend([("cells", format!("of {}", number(surface.cell))), ("time", duration(elapsed))]);
    report.facts(&facts);
    report.key("output", args.output.display().to_string());
    found.report(&mut report);
    report.key("iso", args.iso);
    report.key("vertices", mesh.vertices().len());
    report.key("triangles", mesh.triangles().len());
    report.key("closed", surface.is_closed);
    report.key("area", mesh.area());
    report.key("volume", if surface.is_closed { mesh.signed_volume() } else { f64::NAN });
    report.key("cell", surface.cell);
    report.key("seconds", elapsed.as_secs_f64());
    Ok(report)
}

/// Extracts a level set of the field in `path` with a progress bar, until it is done or Ctrl-C is pressed. It has triangles.
pub(super) fn extract(path: &Path, field: &Field, iso: f64, console: &Console) -> Result<Surface, Failure> {
    let bar = Bar::new(console);
    let progress = |at: Progress| bar.update(at.stage, at.done, at.total);
    let execution =
        Execution { progress: Some(&progress), cancel: Some(&interrupt::INTERRUPTED), ..Default::default() };
    let surface = match field.surface_with(iso, &execution) {
        Err(SurfaceError::Cancelled) => return Err(Failure::Interrupted),
        Err(error @ SurfaceError::Threads { .. }) => return Err(error).or_failed(),
        extracted => extracted.or_bad_input().map_err(|failure| source::about(path, failure))?,
    };
    drop(bar);
    let shown = path.display();
    if surface.mesh.triangles().is_empty() {
        let (low, high) = field.value_range();
        let [iso, low, high] = [iso, low.into(), high.into()].map(number);
        return Err(anyhow!(
            "{shown} has no surface at iso {iso}: its values go from {low} to {high}, and surfaces lie between those"
        ))
        .or_bad_input();
    }
    if !surface.is_closed {
        console.warn(format_args!(
            "{shown}: the surface leaves the box of the field and is left open there; use a field with more padding"
        ));
    }
    Ok(surface)
}
