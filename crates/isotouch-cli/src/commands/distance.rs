use std::path::PathBuf;
use std::time::Instant;

use isotouch::field::Distance;
use isotouch::output::npy;

use super::output_path;
use super::source::{self, BuildArgs};
use crate::console::Console;
use crate::failure::{Classify, Failure};
use crate::format::{duration, number, plural};
use crate::interrupt;
use crate::progress::Bar;
use crate::report::Report;

/// Points asked at a time: tens of milliseconds, so that Ctrl-C is answered and the bar moves.
const BATCH: usize = 1 << 20;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
    Outside the box of the field the distance is at least the number written, which is a lower bound; where \
    nothing is known, NaN is written.\n\n\
    Examples:\n  \
    isotouch distance part.field --points points.npy -o distances.npy\n  \
    isotouch distance part.obj --resolution 128 --points points.npy -o distances.npy")]
pub(crate) struct Args {
    /// Field (also .npy or .dist), or a mesh to build one from.
    field: PathBuf,
    /// Points: a NumPy array of shape (n, 3), 32- or 64-bit floats.
    #[arg(long, short, value_name = "FILE")]
    points: PathBuf,
    /// Distances: a NumPy array of shape (n,), 64-bit floats; ends in .npy.
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    build: BuildArgs,
}

pub(crate) fn run(args: &Args, console: &Console) -> Result<Report, Failure> {
    output_path::check(&args.output, "npy", &[&args.field, &args.points])?;
    args.build.limit_threads()?;
    let points = npy::read_points(&args.points).or_bad_input()?;
    let field = source::field(&args.field, &args.build, console)?;

    let bar = Bar::new(console);
    let mut values = Vec::with_capacity(points.len());
    let (mut outside, mut unknown, mut not_finite) = (0u64, 0u64, 0u64);
    let start = Instant::now();
    for batch in points.chunks(BATCH) {
        interrupt::check()?;
        for (point, distance) in batch.iter().zip(field.distances(batch)) {
            match distance {
                Distance::Interpolated(_) => {}
                _ if !point.is_finite() => not_finite += 1,
                Distance::LowerBound(_) => outside += 1,
                Distance::Unknown => {
                    outside += 1;
                    unknown += 1;
                }
            }
            values.push(distance.value());
        }
        bar.update("distances", values.len() as u64, points.len() as u64);
    }
    let elapsed = start.elapsed();
    drop(bar);
    interrupt::check()?;
    npy::write_scalars(&args.output, &values).or_failed()?;

    if unknown > 0 {
        console.warn(format_args!(
            "{} outside the box: nothing is known there, since the solid reaches the border of the box; build the \
             field with more padding",
            are(unknown)
        ));
    }
    if not_finite > 0 {
        console.warn(format_args!("{} not finite; NaN was written for them", are(not_finite)));
    }
    let inside = values.iter().filter(|value| **value < 0.0).count() as u64;
    let mut report = Report::new();
    report.line(format_args!("{} → {}", plural(points.len() as u64, "distance"), args.output.display()));
    report.facts(&[
        ("inside the solid", plural(inside, "point")),
        ("outside the box", format!("{} (lower bounds)", plural(outside, "point"))),
        ("error", format!("within ±{} of the true distance near the surface", number(field.error_bound()))),
        ("time", duration(elapsed)),
    ]);
    report.key("output", args.output.display().to_string());
    report.key("points", points.len());
    report.key("inside", inside);
    report.key("outside", outside);
    report.key("unknown", unknown + not_finite);
    report.key("error_bound", field.error_bound());
    report.key("seconds", elapsed.as_secs_f64());
    Ok(report)
}

fn are(points: u64) -> String {
    format!("{} {}", plural(points, "point"), if points == 1 { "is" } else { "are" })
}
