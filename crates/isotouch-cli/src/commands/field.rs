use std::path::PathBuf;
use std::time::Instant;

use isotouch::field::Field;

use super::output_path;
use super::source::{self, BuildArgs};
use crate::console::Console;
use crate::failure::{Classify, Failure};
use crate::format::{bytes, count, duration, number, plural};
use crate::interrupt;
use crate::report::Report;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
    A field stores the exact signed distance at every node of a grid, negative inside. An existing output is \
    replaced when the new one is complete.\n\n\
    Examples:\n  \
    isotouch field part.obj -o part.field\n  \
    isotouch field part.obj -o fine.field --resolution 512 --band 4\n  \
    isotouch field part.obj -o metres.field --scale 0.001")]
pub(crate) struct Args {
    /// Mesh: OBJ, STL, PLY, OFF or glTF, plain or gzipped; closed.
    mesh: PathBuf,
    /// Field file to write; ends in .field.
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    build: BuildArgs,
}

pub(crate) fn run(args: &Args, console: &Console) -> Result<Report, Failure> {
    output_path::check(&args.output, "field", &[&args.mesh])?;
    args.build.limit_threads()?;
    let mesh = source::mesh(&args.mesh, &args.build, console)?;
    let start = Instant::now();
    let field = source::field_of(&mesh, &args.mesh, &args.build, console)?;
    let elapsed = start.elapsed();
    interrupt::check()?;
    field.save(&args.output).or_failed()?;

    let mut report = Report::new();
    report.line(format_args!("{} → {}", args.mesh.display(), args.output.display()));
    let mut facts = vec![("mesh", plural(mesh.triangles().len() as u64, "triangle"))];
    facts.extend(in_words(&field));
    facts.push(("built in", duration(elapsed)));
    report.facts(&facts);
    report.key("output", args.output.display().to_string());
    report.key("triangles", mesh.triangles().len());
    report.key("build_seconds", elapsed.as_secs_f64());
    for (name, value) in as_json(&field) {
        report.key(name, value);
    }
    Ok(report)
}

/// What a field is, for people.
pub(super) fn in_words(field: &Field) -> Vec<(&'static str, String)> {
    let grid = field.grid();
    let (low, high) = field.value_range();
    let mut facts = vec![
        ("cells", format!("{} × {} × {} of {}", grid.cells.x, grid.cells.y, grid.cells.z, number(grid.cell))),
        ("nodes", format!("{} stored, {} in all", count(field.node_count()), count(grid.node_count()))),
        ("storage", format!("{}, {}", field.storage(), bytes(field.bytes()))),
        ("sign", field.sign().to_string()),
        ("values", format!("{} to {}", number(low.into()), number(high.into()))),
        ("error bound", format!("{} near the surface", number(field.error_bound()))),
    ];
    if field.capped_nodes() > 0 {
        facts.push(("capped nodes", count(field.capped_nodes())));
    }
    facts
}

/// What a field is, for programs.
pub(super) fn as_json(field: &Field) -> Vec<(&'static str, serde_json::Value)> {
    let grid = field.grid();
    let (low, high) = field.value_range();
    vec![
        ("cells", grid.cells.to_array().to_vec().into()),
        ("cell", grid.cell.into()),
        ("origin", grid.origin.to_array().to_vec().into()),
        ("nodes", field.node_count().into()),
        ("bytes", field.bytes().into()),
        ("storage", field.storage().to_string().into()),
        ("band", field.band().into()),
        ("sign", field.sign().to_string().into()),
        ("capped_nodes", field.capped_nodes().into()),
        ("error_bound", field.error_bound().into()),
        ("value_range", vec![f64::from(low), f64::from(high)].into()),
        ("certified_outside", field.is_certified_outside().into()),
    ]
}
