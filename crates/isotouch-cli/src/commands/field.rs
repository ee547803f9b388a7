use std::path::PathBuf;
use std::time::Instant;

use anyhow::anyhow;
use isotouch::field::Field;
use isotouch::math::DVec3;
use isotouch::mesh::TriMesh;

use super::output_path;
use super::source::{self, BuildArgs, Content};
use crate::console::Console;
use crate::failure::{Classify, Failure};
use crate::format::{bytes, count, duration, number, plural};
use crate::interrupt;
use crate::report::Report;
use crate::values::finite;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
    A field stores the exact signed distance at every node of a grid, negative inside. An existing output is \
    replaced when the new one is complete.\n\n\
    Examples:\n  \
    isotouch field part.obj -o part.field\n  \
    isotouch field part.obj -o fine.field --resolution 512 --band 4\n  \
    isotouch field part.obj -o metres.field --scale 0.001\n  \
    isotouch field part.obj -o grown.field --offset 0.02")]
pub(crate) struct Args {
    /// Mesh: OBJ, STL, PLY or OFF, plain or gzipped; closed. With --offset also a field.
    mesh: PathBuf,
    /// Field file to write; ends in .field.
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Grow the solid by this much, or shrink it if below 0. A mesh gets the padding and band that takes.
    #[arg(long, value_name = "SIGMA", value_parser = finite, allow_hyphen_values = true)]
    offset: Option<f64>,
    #[command(flatten)]
    build: BuildArgs,
}

pub(crate) fn run(args: &Args, console: &Console) -> Result<Report, Failure> {
    output_path::check(&args.output, "field", &[&args.mesh])?;
    args.build.limit_threads()?;
    let content = source::open(&args.mesh, &args.build.read_options())?;
    interrupt::check()?;
    let start = Instant::now();
    let (field, triangles) = match (content, args.offset) {
        (Content::Mesh(loaded), offset) => {
            source::warn_about(&args.mesh, &loaded, console);
            let triangles = loaded.mesh.triangles().len();
            (of_mesh(&loaded.mesh, offset, args, console)?, Some(triangles))
        }
        (Content::Field(field), Some(by)) => {
            args.build.warn_of_no_effect(&args.mesh, console);
            (field.offset(by).or_bad_input().map_err(|failure| source::about(&args.mesh, failure))?, None)
        }
        (Content::Field(_), None) => {
            let shown = args.mesh.display();
            return Err(anyhow!(
                "{shown} is a field already; a mesh is needed here, unless --offset is given"
            ))
            .or_bad_input();
        }
    };
    let elapsed = start.elapsed();
    interrupt::check()?;
    if args.offset.is_some() && !field.is_certified_outside() {
        console.warn("the offset solid reaches the border of the box, so nothing is known outside it");
    }
    source::save(&field, &args.output)?;

    let mut report = Report::new();
    report.line(format_args!("{} → {}", args.mesh.display(), args.output.display()));
    let mut facts = Vec::new();
    facts.extend(triangles.map(|count| ("mesh", plural(count as u64, "triangle"))));
    facts.extend(args.offset.map(|by| ("offset", number(by))));
    facts.extend(in_words(&field));
    facts.push(("built in", duration(elapsed)));
    report.facts(&facts);
    report.key("output", args.output.display().to_string());
    report.key("triangles", triangles);
    report.key("offset", args.offset);
    report.key("build_seconds", elapsed.as_secs_f64());
    for (name, value) in as_json(&field) {
        report.key(name, value);
    }
    Ok(report)
}

fn of_mesh(mesh: &TriMesh, offset: Option<f64>, args: &Args, console: &Console) -> Result<Field, Failure> {
    let about = |failure| source::about(&args.mesh, failure);
    let options = args.build.options();
    let Some(by) = offset else {
        return source::build(mesh, args.mesh.display(), &options, console).map_err(about);
    };
    let options = options.with_room_for(by, mesh.bounds());
    let field = source::build(mesh, args.mesh.display(), &options, console).map_err(about)?;
    field.offset(by).or_bad_input().map_err(about)
}

/// What a field is, for people.
pub(super) fn in_words(field: &Field) -> Vec<(&'static str, String)> {
    let grid = field.grid();
    let (low, high) = field.value_range();
    let mut facts = vec![
        ("cells", format!("{} × {} × {} of {}", grid.cells.x, grid.cells.y, grid.cells.z, number(grid.cell))),
        ("box", format!("{} to {}", corner(grid.bounds().min), corner(grid.bounds().max))),
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

fn corner(at: DVec3) -> String {
    format!("({}, {}, {})", number(at.x), number(at.y), number(at.z))
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
