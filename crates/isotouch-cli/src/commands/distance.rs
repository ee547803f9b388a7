use std::path::PathBuf;
use std::time::Instant;

use isotouch::field::{Distance, Field};
use isotouch::output::npy;

use super::build_args::FieldArgs;
use super::output_path;
use super::source;
use crate::console::Console;
use crate::failure::{Classify, Failure};
use crate::format::{count, duration, number, plural};
use crate::interrupt;
use crate::progress::Bar;
use crate::report::Report;

/// Points asked at a time: tens of milliseconds, so that Ctrl-C is answered and the bar moves.
const BATCH: usize = 1 << 20;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
    In the box of the field the number written is its value, which is within `error_bound` of the true distance near the surface (in \
    the band of a sparse field) and within `error_bound_far` everywhere; both are in --json, and null where nothing is certified. \
    Where `understates_depth` is true there, as of parts that overlap or were closed, that holds outside the solid only: a point inside it \
    may be deeper than is written. \
    Outside the box the distance is at least the number written, which is a lower bound; where \
    nothing is known, NaN is written. --flags tells which is which: 0 for a value of the field (inside, perhaps understated as said), 1 for a \
    lower bound, 2 for unknown.\n\n\
    Examples:\n  \
    isotouch distance part.field --points points.npy -o distances.npy\n  \
    isotouch distance part.field --points points.npy -o distances.npy --flags flags.npy\n  \
    isotouch distance part.obj --resolution 128 --points points.npy -o distances.npy")]
pub(crate) struct Args {
    /// Field (also .npy or .dist), or a mesh to build one from.
    field: PathBuf,
    /// Points: a NumPy array of shape (n, 3), 32- or 64-bit floats, as numpy.save writes it.
    #[arg(long, short, value_name = "FILE")]
    points: PathBuf,
    /// Distances: a NumPy array of shape (n,), 64-bit floats; ends in .npy.
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// What each distance is worth: a NumPy array of shape (n,), bytes; ends in .npy.
    #[arg(long, value_name = "FILE")]
    flags: Option<PathBuf>,
    #[command(flatten)]
    build: FieldArgs,
}

pub(crate) fn run(args: &Args, console: &Console) -> Result<Report, Failure> {
    output_path::check(&args.output, "npy", &[&args.field, &args.points])?;
    if let Some(flags) = &args.flags {
        output_path::check(flags, "npy", &[&args.field, &args.points])?;
        output_path::check_different(flags, &args.output)?;
    }
    args.build.limit_threads()?;
    let points = npy::read_points(&args.points).or_bad_input()?;
    let found = source::certain_field(&args.field, &args.build, console)?;
    let field = &found.field;

    let bar = Bar::new(console);
    let mut values = Vec::with_capacity(points.len());
    let mut flags = Vec::with_capacity(if args.flags.is_some() { points.len() } else { 0 });
    let (mut inside, mut outside, mut unknown) = (0u64, 0u64, 0u64);
    let start = Instant::now();
    for batch in points.chunks(BATCH) {
        interrupt::check()?;
        for (point, distance) in batch.iter().zip(field.distances(batch)) {
            match distance {
                Distance::Interpolated(value) => inside += u64::from(value < 0.0),
                _ if !point.is_finite() => {}
                Distance::LowerBound(_) => outside += 1,
                Distance::Unknown => {
                    outside += 1;
                    unknown += 1;
                }
            }
            values.push(distance.value());
            if args.flags.is_some() {
                flags.push(flag(distance));
            }
        }
        bar.update("distances", values.len() as u64, points.len() as u64);
    }
    let elapsed = start.elapsed();
    drop(bar);
    interrupt::check()?;
    npy::write_scalars(&args.output, &values).or_failed()?;
    if let Some(path) = &args.flags {
        npy::write_bytes(path, &flags).or_failed()?;
    }

    if inside > 0 {
        source::warn_of_depth(&args.field, field, console);
    }
    if unknown > 0 {
        console.warn(format_args!(
            "{} outside the box: nothing is known there, since the solid reaches the border of the box; build the \
             field with more padding",
            are(unknown)
        ));
    }
    let not_finite = points.iter().filter(|point| !point.is_finite()).count() as u64;
    if let Some(first) = points.iter().position(|point| !point.is_finite()) {
        console.warn(format_args!(
            "{}: {} not finite, the first at index {first}; NaN was written for {}",
            args.points.display(),
            are(not_finite),
            if not_finite == 1 { "it" } else { "them" }
        ));
    }
    let worth = match unknown {
        0 => "lower bounds".into(),
        _ if unknown == outside => "unknown".into(),
        _ => format!("{} unknown, the others lower bounds", count(unknown)),
    };
    let mut report = Report::new();
    report.line(format_args!("{} → {}", plural(points.len() as u64, "distance"), args.output.display()));
    report.facts(&[
        ("inside the solid", plural(inside, "point")),
        ("outside the box", format!("{} ({worth})", plural(outside, "point"))),
        ("error", error_in_words(field)),
        ("time", duration(elapsed)),
    ]);
    report.key("output", args.output.display().to_string());
    report.key("flags", args.flags.as_ref().map(|path| path.display().to_string()));
    found.report(&mut report);
    report.key("points", points.len());
    report.key("inside", inside);
    report.key("outside", outside);
    report.key("unknown", unknown + not_finite);
    found.report_errors(&mut report);
    report.key("seconds", elapsed.as_secs_f64());
    Ok(report)
}

fn error_in_words(field: &Field) -> String {
    let (near, far) = (field.error_bound(), field.error_bound_far());
    if !field.is_certified() {
        return "not certified".into();
    }
    let within = if far == near {
        format!("within ±{} of the true distance", number(near))
    } else {
        format!(
            "within ±{} of the true distance near the surface, ±{} far from it",
            number(near),
            number(far)
        )
    };
    if field.understates_depth() {
        format!("outside {within}; inside, depths may be understated")
    } else {
        within
    }
}

/// What a distance is worth, as programs read it.
fn flag(distance: Distance) -> u8 {
    match distance {
        Distance::Interpolated(_) => 0,
        Distance::LowerBound(_) => 1,
        Distance::Unknown => 2,
    }
}

fn are(points: u64) -> String {
    format!("{} {}", plural(points, "point"), if points == 1 { "is" } else { "are" })
}
