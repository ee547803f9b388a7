use std::path::{Path, PathBuf};
use std::time::Instant;

use isotouch::field::ImportOptions;
use isotouch::mesh::io::ReadOptions;
use isotouch::mesh::{CompareError, CompareOptions, Comparison, OneWay, TriMesh, compare_until};
use serde_json::json;

use super::build_args::limit_threads;
use super::source::{self, Content};
use super::surface;
use crate::console::Console;
use crate::failure::{Classify, Failure};
use crate::format::{coordinate, duration, number, plural};
use crate::interrupt;
use crate::report::Report;
use crate::values::{positive, whole};

/// Sizes so different that the units may be: millimetres against metres make 1000.
const SUSPICIOUS_RATIO: f64 = 500.0;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
    Mean and RMS are over the area of A, from A to B. The Hausdorff distance is the largest distance from any point of one \
    surface to the other: forward from A to B, symmetric in both directions. It is not sampled but bounded: the \
    number given is the distance of a real point, and no point is farther away than the tolerance adds to it. The \
    surface of a field is its level set 0.\n\n\
    Examples:\n  \
    isotouch compare part.obj open.obj\n  \
    isotouch compare part.obj part.field\n  \
    isotouch compare part.obj open.obj --tolerance 0.01 --json")]
pub(crate) struct Args {
    /// First surface, A: a mesh, or a field.
    a: PathBuf,
    /// Second surface, B: a mesh, or a field.
    b: PathBuf,
    /// Points on each surface for mean and RMS: 1 to 1000000000.
    #[arg(
        long,
        value_name = "N",
        default_value_t = CompareOptions::default().samples as u32,
        value_parser = whole(1, 1_000_000_000),
        allow_negative_numbers = true
    )]
    samples: u32,
    /// Which points: another number, other points.
    #[arg(long, value_name = "K", default_value_t = CompareOptions::default().seed)]
    seed: u64,
    /// How far the Hausdorff distances may be off [default: 1e-4 of the longest side of both].
    #[arg(long, value_name = "D", value_parser = positive, allow_hyphen_values = true)]
    tolerance: Option<f64>,
    /// Threads to use: 1 to 1024 [default: all].
    #[arg(long, value_name = "N", value_parser = whole(1, 1024), allow_negative_numbers = true)]
    threads: Option<u32>,
}

pub(crate) fn run(args: &Args, console: &Console) -> Result<Report, Failure> {
    limit_threads(args.threads)?;
    let a = surface_of(&args.a, console)?;
    let b = surface_of(&args.b, console)?;
    warn_of_units(&a, &b, console);
    let options = CompareOptions {
        samples: args.samples as usize,
        seed: args.seed,
        tolerance: args.tolerance,
        ..Default::default()
    };
    let start = Instant::now();
    let found = match compare_until(&a, &b, &options, &interrupt::INTERRUPTED) {
        Err(CompareError::Cancelled) => return Err(Failure::Interrupted),
        other => other.or_bad_input()?,
    };
    let elapsed = start.elapsed();
    if !found.is_within_tolerance() {
        let most = found.hausdorff();
        console.warn(format_args!(
            "the Hausdorff distance is only known to be from {} to {}: the surfaces run side by side for too long; use a \
             larger --tolerance",
            number(most.lower),
            number(most.upper)
        ));
    }
    let mut report = Report::new();
    report.line(format_args!("{} against {}", args.a.display(), args.b.display()));
    report.facts(&[
        ("forward", in_words(&found.forward, found.tolerance)),
        ("backward", in_words(&found.backward, found.tolerance)),
        ("hausdorff", format!("{} (to within {})", number(found.hausdorff().lower), number(error(&found)))),
        ("samples", plural(args.samples.into(), "point")),
        ("time", duration(elapsed)),
    ]);
    add_keys(&mut report, &found);
    report.key("samples", args.samples);
    report.key("seconds", elapsed.as_secs_f64());
    Ok(report)
}

/// The surface that a file stands for: a mesh itself, a field's by its zeros.
fn surface_of(path: &Path, console: &Console) -> Result<TriMesh, Failure> {
    let content = source::open(path, &ReadOptions::default(), console)?;
    interrupt::check()?;
    let field = match content {
        Content::Mesh(loaded) => {
            source::warn_about(path, &loaded, console);
            return Ok(loaded.mesh);
        }
        Content::Field(field) => {
            source::check_sound(&field)?;
            field
        }
        Content::Foreign => source::import(path, &ImportOptions::default(), console)?,
    };
    Ok(surface::extract(path, &field, 0.0, console)?.mesh)
}

fn warn_of_units(a: &TriMesh, b: &TriMesh, console: &Console) {
    let [a, b] = [a, b].map(|mesh| mesh.bounds().extent().max_element());
    let ratio = a.max(b) / a.min(b);
    if ratio > SUSPICIOUS_RATIO {
        console.warn(format_args!(
            "one surface is {} times as large as the other; are both in the same unit?",
            number(ratio)
        ));
    }
}

/// The most that the symmetric distance may be above the number given.
fn error(found: &Comparison) -> f64 {
    found.hausdorff().upper - found.hausdorff().lower
}

fn in_words(way: &OneWay, apart: f64) -> String {
    let p = way.farthest;
    format!(
        "mean {}, RMS {}, largest {} at ({}, {}, {})",
        number(way.mean),
        number(way.rms),
        number(way.hausdorff.lower),
        coordinate(p.x, apart),
        coordinate(p.y, apart),
        coordinate(p.z, apart)
    )
}

fn add_keys(report: &mut Report, found: &Comparison) {
    let (forward, backward, both) = (&found.forward, &found.backward, found.hausdorff());
    report.key("mean", forward.mean);
    report.key("rms", forward.rms);
    report.key("hausdorff", both.lower);
    report.key("hausdorff_upper", both.upper);
    report.key("forward_hausdorff", forward.hausdorff.lower);
    report.key("forward_hausdorff_upper", forward.hausdorff.upper);
    report.key("forward_farthest", json!(forward.farthest.to_array()));
    report.key("backward_mean", backward.mean);
    report.key("backward_rms", backward.rms);
    report.key("backward_hausdorff", backward.hausdorff.lower);
    report.key("backward_hausdorff_upper", backward.hausdorff.upper);
    report.key("backward_farthest", json!(backward.farthest.to_array()));
    report.key("tolerance", found.tolerance);
    report.key("within_tolerance", found.is_within_tolerance());
}
