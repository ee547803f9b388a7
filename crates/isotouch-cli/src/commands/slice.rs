use std::path::PathBuf;

use anyhow::anyhow;
use isotouch::field::{Distance, Field, Grid};
use isotouch::output::picture::{self, Axis, SliceOptions, SlicePlane};

use super::build_args::FieldArgs;
use super::output_path;
use super::source;
use crate::console::Console;
use crate::failure::{Classify, Failure};
use crate::format::{coordinate, number};
use crate::interrupt::{self, LeavesNothing};
use crate::report::Report;
use crate::values::{axis, finite, whole};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
    Blue is inside, orange is outside, the thick line is the surface. What is not known is hatched.\n\n\
    Examples:\n  \
    isotouch slice part.field -o part.png\n  \
    isotouch slice part.field -o side.png --axis y --at -0.1\n  \
    isotouch slice part.obj -o part.png --resolution 128 --width 1600")]
pub(crate) struct Args {
    /// Field (also .npy or .dist), or a mesh to build one from.
    field: PathBuf,
    /// Picture to write; ends in .png.
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Axis that the slice is perpendicular to: x, y or z.
    #[arg(long, default_value = "z", value_parser = axis)]
    axis: Axis,
    /// Where the slice meets that axis [default: a quarter of a cell above the middle of the box].
    #[arg(long, value_name = "V", value_parser = finite, allow_hyphen_values = true)]
    at: Option<f64>,
    /// Width of the picture in pixels: 240 to 16384.
    #[arg(
        long,
        value_name = "PIXELS",
        default_value_t = 960,
        value_parser = whole(240, 16384),
        allow_negative_numbers = true
    )]
    width: u32,
    /// Unit to write behind lengths, such as mm.
    #[arg(long, value_name = "NAME")]
    unit: Option<String>,
    #[command(flatten)]
    build: FieldArgs,
}

pub(crate) fn run(args: &Args, console: &Console) -> Result<Report, Failure> {
    output_path::check(&args.output, "png", &[&args.field])?;
    args.build.limit_threads()?;
    let found = source::field(&args.field, &args.build, console)?;
    let field = &found.field;
    source::warn_of_depth(&args.field, field, console);
    if field.value_range() == (0.0, 0.0) {
        console.warn(format_args!("{}: all values are 0, so there is nothing to see", args.field.display()));
    }
    let plane = plane(field, args.axis, args.at).or_bad_input()?;
    interrupt::check()?;
    let options = SliceOptions {
        width: args.width,
        title: args.field.file_name().unwrap_or(args.field.as_os_str()).to_string_lossy().into_owned(),
        caption: caption(field, &plane, &where_cut(args.at, &plane, field)),
        unit: args.unit.clone().unwrap_or_default(),
        caps: field.caps().collect(),
    };
    let drawing = LeavesNothing::begin();
    let image = draw(field, &plane, &options);
    drop(drawing);
    image.write_png(&args.output).or_failed()?;

    let mut report = Report::new();
    report.line(format_args!(
        "{}: {} × {} pixels, {} = {}",
        args.output.display(),
        image.width(),
        image.height(),
        plane.axis,
        where_cut(args.at, &plane, field)
    ));
    report.key("output", args.output.display().to_string());
    found.report(&mut report);
    report.key("axis", plane.axis.to_string());
    report.key("at", plane.at);
    report.key("width", image.width());
    report.key("height", image.height());
    Ok(report)
}

/// The slice through the box of a field at `at`, or a quarter of a cell above its middle. The middle itself is a plane of
/// nodes, or halfway between two, and a symmetric part has its plane of symmetry there, often with faces in it.
pub(super) fn plane(field: &Field, axis: Axis, at: Option<f64>) -> anyhow::Result<SlicePlane> {
    let bounds = field.grid().bounds();
    let (low, high) = (bounds.min[axis.index()], bounds.max[axis.index()]);
    match at {
        Some(at) if !(low..=high).contains(&at) => Err(anyhow!(
            "{axis} = {at} is outside the field, which goes from {} to {}; choose --at in between",
            coordinate(low, 0.1 * field.grid().cell),
            coordinate(high, 0.1 * field.grid().cell)
        )),
        _ => Ok(SlicePlane { axis, at: at.unwrap_or_else(|| beside_middle(field.grid(), axis)), bounds }),
    }
}

fn beside_middle(grid: &Grid, axis: Axis) -> f64 {
    grid.bounds().center()[axis.index()] + 0.25 * grid.cell
}

/// Draws what the field knows; a lower bound is not a distance.
pub(super) fn draw(field: &Field, plane: &SlicePlane, options: &SliceOptions) -> picture::Image {
    let distance = |point| match field.distance(point) {
        Distance::Interpolated(distance) => distance,
        Distance::LowerBound(_) | Distance::Unknown => f64::NAN,
    };
    picture::slice(plane, distance, options)
}

pub(super) fn caption(field: &Field, plane: &SlicePlane, at: &str) -> String {
    let grid = field.grid();
    format!(
        "{} = {} · {} × {} × {} cells of {}",
        plane.axis,
        at.replace('-', "−"),
        grid.cells.x,
        grid.cells.y,
        grid.cells.z,
        number(grid.cell)
    )
}

/// Where a slice is: as it was asked for, or to a tenth of a cell, for more digits would only show how it was rounded.
pub(super) fn where_cut(asked: Option<f64>, plane: &SlicePlane, field: &Field) -> String {
    match asked {
        Some(at) if (1e-4..1e16).contains(&at.abs()) || at == 0.0 => (at + 0.0).to_string(),
        Some(at) => format!("{at:e}"),
        None => coordinate(plane.at, 0.1 * field.grid().cell),
    }
}
