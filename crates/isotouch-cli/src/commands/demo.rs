use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use isotouch::field::{Field, FieldOptions};
use isotouch::mesh::{io, shapes};
use isotouch::output::picture::{Axis, SliceOptions};
use serde_json::json;

use super::{output_path, slice, source};
use crate::console::Console;
use crate::failure::{Classify, Failure};
use crate::format::{bytes, count, duration, number};
use crate::interrupt;
use crate::report::Report;
use crate::values::{MOST_CELLS, whole};

/// What is shown: a built-in shape and the axis that its most telling slice is perpendicular to.
const SHAPES: [(&str, Axis); 4] =
    [("torus-knot", Axis::Z), ("bowl", Axis::Y), ("tube", Axis::Y), ("blob", Axis::Z)];

#[derive(Debug, clap::Args)]
#[command(after_help = "\
    Examples:\n  \
    isotouch demo\n  \
    isotouch demo --out pictures --resolution 128")]
pub(crate) struct Args {
    /// Folder for meshes, fields and pictures; made if it is not there.
    #[arg(long, short, value_name = "DIR", default_value = "isotouch-demo")]
    out: PathBuf,
    /// Cells along the longest side of each field: 1 to 16777216.
    #[arg(
        long,
        short,
        value_name = "N",
        default_value_t = 256,
        value_parser = whole(1, MOST_CELLS),
        allow_negative_numbers = true
    )]
    resolution: u32,
}

impl Default for Args {
    fn default() -> Self {
        Self { out: "isotouch-demo".into(), resolution: 256 }
    }
}

pub(crate) fn run(args: &Args, console: &Console) -> Result<Report, Failure> {
    fs::create_dir_all(&args.out)
        .with_context(|| format!("cannot make the folder {}; choose another with --out", args.out.display()))
        .or_bad_input()?;
    output_path::check_folder(&args.out, "--out").or_bad_input()?;

    console.say(&console.bold(&row("shape", "triangles", "cells", "memory", "error", "built in")));
    let mut rows = Vec::new();
    for (name, axis) in SHAPES {
        let shown = show(name, axis, args, console)?;
        let grid = shown.field.grid();
        console.say(&row(
            name,
            &count(shown.triangles as u64),
            &format!("{} × {} × {}", grid.cells.x, grid.cells.y, grid.cells.z),
            &bytes(shown.field.bytes()),
            &format!("≤ {}", number(shown.field.error_bound())),
            &duration(shown.elapsed),
        ));
        rows.push(json!({
            "name": name,
            "triangles": shown.triangles,
            "cells": grid.cells.to_array(),
            "bytes": shown.field.bytes(),
            "error_bound": shown.field.error_bound(),
            "build_seconds": shown.elapsed.as_secs_f64(),
            "mesh": shown.mesh_file.display().to_string(),
            "field": shown.field_file.display().to_string(),
            "picture": shown.picture_file.display().to_string(),
        }));
    }

    let first = |extension: &str| file(&args.out, SHAPES[0].0, extension).display().to_string();
    let mut report = Report::new();
    report.line(format_args!(
        "\nMeshes, fields and pictures are in {}: open {}",
        args.out.display(),
        first("png")
    ));
    let program = program();
    report.line("\nTry next:");
    report.line(format_args!("  {program} inspect {} {}", first("ply"), first("field")));
    report.line(format_args!("  {program} slice {} -o slice.png --axis x", first("field")));
    report.line(format_args!("  {program} field {} -o fine.field --resolution 512", first("ply")));
    report.line(format_args!("  {program} field --help"));
    report.key("out", args.out.display().to_string());
    report.key("shapes", rows);
    Ok(report)
}

/// What to type to run this program again. Cargo tells of itself to what it runs, which is rarely installed then.
fn program() -> &'static str {
    if std::env::var_os("CARGO").is_some() { "cargo run --release --" } else { "isotouch" }
}

fn row(shape: &str, triangles: &str, cells: &str, memory: &str, error: &str, time: &str) -> String {
    format!("{shape:<12}{triangles:>10}{cells:>18}{memory:>12}{error:>14}{time:>12}")
}

/// A shape whose mesh, field and picture have been written.
struct Shown {
    triangles: usize,
    field: Field,
    elapsed: Duration,
    mesh_file: PathBuf,
    field_file: PathBuf,
    picture_file: PathBuf,
}

fn show(name: &str, axis: Axis, args: &Args, console: &Console) -> Result<Shown, Failure> {
    let mesh = shapes::by_name(name).ok_or_else(|| anyhow!("there is no shape {name}")).or_failed()?;
    let [mesh_file, field_file, picture_file] =
        ["ply", "field", "png"].map(|extension| file(&args.out, name, extension));
    io::write(&mesh_file, &mesh).or_failed()?;

    let options = FieldOptions { resolution: args.resolution, ..Default::default() };
    let start = Instant::now();
    let field = source::build(&mesh, name, &options, console)?;
    let elapsed = start.elapsed();
    interrupt::check()?;
    source::save(&field, &field_file)?;

    let plane = slice::plane(&field, axis, None).or_failed()?;
    let (title, caption) =
        (name.to_owned(), slice::caption(&field, &plane, &slice::where_cut(None, &plane, &field)));
    let image = slice::draw(&field, &plane, &SliceOptions { title, caption, ..Default::default() });
    image.write_png(&picture_file).or_failed()?;
    interrupt::check()?;
    Ok(Shown { triangles: mesh.triangles().len(), field, elapsed, mesh_file, field_file, picture_file })
}

fn file(folder: &Path, name: &str, extension: &str) -> PathBuf {
    folder.join(format!("{name}.{extension}"))
}
