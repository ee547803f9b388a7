use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::anyhow;
use isotouch::field::{
    ExchangeError, ExchangeFormat, Execution, ExportOptions, Field, FieldOptions, Grid, Precision, Progress,
    StorageKind,
};
use isotouch::math::DVec3;
use isotouch::mesh::TriMesh;

use super::build_args::{BuildArgs, FileKind};
use super::output_path;
use super::source::{self, Content};
use crate::console::Console;
use crate::failure::{Classify, Failure};
use crate::format::{bytes, coordinate, count, duration, number, plural};
use crate::interrupt;
use crate::progress::Bar;
use crate::report::Report;
use crate::values::finite;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
    A field stores the exact signed distance at every node of a grid, negative inside. An existing output is \
    replaced when the new one is complete.\n\n\
    Other programs' formats, by extension: .npy (NumPy, array[x, y, z]; its position is in NAME.npy.json, or given by \
    --cell and --origin), .dist (VegaFEM), and .nrrd (written only).\n\n\
    Examples:\n  \
    isotouch field part.obj -o part.field\n  \
    isotouch field part.obj -o fine.field --resolution 512 --band 4\n  \
    isotouch field part.obj -o metres.field --scale 0.001\n  \
    isotouch field part.obj -o grown.field --offset 0.02\n  \
    isotouch field part.field -o part.npy\n  \
    isotouch field part.npy -o moved.field --cell 0.1 --origin -1,-1,0")]
pub(crate) struct Args {
    /// Mesh: OBJ, STL, PLY, OFF or glTF, plain or gzipped. Or a field to convert or to offset: .field, .npy or .dist.
    #[arg(value_name = "MESH")]
    input: PathBuf,
    /// File to write: .field, or .npy, .dist or .nrrd for other programs.
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Grow the solid by this much, or shrink it if below 0. A mesh gets the padding and band that takes.
    #[arg(long, value_name = "SIGMA", value_parser = finite, allow_hyphen_values = true)]
    offset: Option<f64>,
    /// Bits of the numbers in .npy, .dist and .nrrd files: single (32) or double (64).
    #[arg(long, value_name = "BITS", default_value_t = Precision::Single, value_parser = precision)]
    precision: Precision,
    #[command(flatten)]
    build: BuildArgs,
}

fn precision(name: &str) -> Result<Precision, String> {
    name.parse().map_err(|error: isotouch::field::UnknownName| error.to_string())
}

pub(crate) fn run(args: &Args, console: &Console) -> Result<Report, Failure> {
    output_path::check_any(&args.output, &["field", "npy", "dist", "nrrd"], &[&args.input])?;
    args.build.limit_threads()?;
    let is_for_others = ExchangeFormat::of(&args.output).is_some();
    let content = source::open(&args.input, &args.build.read_options(), console)?;
    interrupt::check()?;
    if matches!(content, Content::Field(_)) && args.offset.is_none() && !is_for_others {
        let shown = args.input.display();
        return Err(anyhow!(
            "{shown} is a field already; name a mesh, an --offset, or an output for other programs (.npy, .dist, .nrrd)"
        ))
        .or_bad_input();
    }
    let triangles = match &content {
        Content::Mesh(loaded) => Some(loaded.mesh.triangles().len()),
        Content::Field(_) | Content::Foreign => None,
    };
    let start = Instant::now();
    let field = make(content, args, console)?;
    let elapsed = start.elapsed();
    interrupt::check()?;
    if triangles.is_some() {
        args.build.warn_of_unused(field.sign(), console);
    }
    if args.precision != Precision::Single && !is_for_others {
        console.warn("--precision had no effect: a .field has single precision");
    }
    if args.offset.is_some() && field.value_range().0 > 0.0 {
        console.warn("nothing is left of the solid: it is thinner than the offset takes away");
    }
    if args.offset.is_some() && field.is_certified() && !field.is_certified_outside() {
        console.warn("the offset solid reaches the border of the box, so nothing is known outside it");
    }
    if is_for_others {
        export(&field, &args.output, args.precision, console)?;
    } else {
        source::save(&field, &args.output)?;
    }

    let mut report = Report::new();
    report.line(format_args!("{} → {}", args.input.display(), args.output.display()));
    let mut facts = Vec::new();
    facts.extend(triangles.map(|count| ("mesh", plural(count as u64, "triangle"))));
    facts.extend(args.offset.map(|by| ("offset", number(by))));
    facts.extend(in_words(&field));
    facts.push((if triangles.is_some() { "built in" } else { "read in" }, duration(elapsed)));
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

/// The field to write: built of a mesh, taken over from another program, or the one that is there; and offset if that is wanted.
fn make(content: Content, args: &Args, console: &Console) -> Result<Field, Failure> {
    let usual = FieldOptions::default().storage;
    let field = match content {
        Content::Mesh(loaded) => {
            source::warn_about(&args.input, &loaded, console);
            args.build.warn_of_ignored(&args.input, FileKind::Mesh, console);
            // Others want every node, so every node is computed.
            let is_for_others = ExchangeFormat::of(&args.output).is_some();
            build(&loaded.mesh, if is_for_others { StorageKind::Dense } else { usual }, args, console)?
        }
        Content::Field(field) => {
            args.build.warn_of_ignored(&args.input, FileKind::Field, console);
            // What is written gets checksums of its own, which must not be those of damage.
            source::check_sound(&field)?;
            field
        }
        Content::Foreign => {
            args.build.warn_of_ignored(&args.input, FileKind::Foreign, console);
            // All nodes are there; a band around the old surface could miss the new one, or what others want.
            let is_final = args.offset.is_none() && ExchangeFormat::of(&args.output).is_none();
            let storage = if is_final { usual } else { StorageKind::Dense };
            source::import(&args.input, &args.build.import_options(storage), console)?
        }
    };
    match args.offset {
        Some(by) => field.offset(by).or_bad_input().map_err(|failure| source::about(&args.input, failure)),
        None => Ok(field),
    }
}

/// Builds the field of a mesh, with room for the offset.
fn build(mesh: &TriMesh, storage: StorageKind, args: &Args, console: &Console) -> Result<Field, Failure> {
    let options = args.build.options(storage);
    source::build_with_room(mesh, &args.input, &options, (args.offset.unwrap_or(0.0), console))
}

/// Writes a field for other programs, and says what they will not find in it.
fn export(field: &Field, path: &Path, precision: Precision, console: &Console) -> Result<(), Failure> {
    let bar = Bar::new(console);
    let progress = |at: Progress| bar.update(at.stage, at.done, at.total);
    let execution =
        Execution { progress: Some(&progress), cancel: Some(&interrupt::INTERRUPTED), ..Default::default() };
    let exported = field.export_with(path, &ExportOptions { precision }, &execution);
    drop(bar);
    let exported = match exported {
        Err(ExchangeError::Cancelled) => return Err(Failure::Interrupted),
        other => other.or_failed()?,
    };
    if exported.interpolated > 0 {
        console.warn(format_args!(
            "{}: {} of {} values are interpolated, since a sparse field has every node only near the surface; for exact ones \
             build from the mesh with --storage dense",
            path.display(),
            count(exported.interpolated),
            count(exported.nodes)
        ));
    }
    Ok(())
}

/// What a field is, for people.
pub(super) fn in_words(field: &Field) -> Vec<(&'static str, String)> {
    let grid = field.grid();
    let (low, high) = field.value_range();
    let mut facts = vec![
        ("cells", format!("{} × {} × {} of {}", grid.cells.x, grid.cells.y, grid.cells.z, number(grid.cell))),
        ("box", format!("{} to {}", corner(grid.bounds().min, grid), corner(grid.bounds().max, grid))),
        ("nodes", nodes_in_words(field.node_count(), grid.node_count())),
        ("storage", format!("{}, {}", field.storage(), bytes(field.bytes()))),
        ("sign", field.sign().to_string()),
        ("values", format!("{} to {}", number(low.into()), number(high.into()))),
        (
            "error bound",
            match field.is_certified() {
                true => format!("{} near the surface", number(field.error_bound())),
                false => "none: nothing is certified".into(),
            },
        ),
    ];
    // Offsets add some millionths for rounding, which is nothing to tell.
    if number(field.lipschitz()) != number(1.0) {
        facts.push(("steepness", format!("up to {} per unit of length", number(field.lipschitz()))));
    }
    if field.capped_nodes() > 0 {
        facts.push(("capped nodes", count(field.capped_nodes())));
    }
    if field.understates_depth() {
        facts.push(("depth inside", "perhaps understated: triangles may run within the solid".into()));
    }
    if field.hides_triangles() {
        facts.push(("left out", "triangles that bound nothing of the solid; some may lie outside it".into()));
    }
    facts
}

/// Where the band fills the box, a sparse field has coarser nodes besides all those of the grid.
fn nodes_in_words(stored: u64, all: u64) -> String {
    if stored < all { format!("{} stored, {} in all", count(stored), count(all)) } else { count(all) }
}

/// To some digits of the box, wherever it lies.
fn corner(at: DVec3, grid: &Grid) -> String {
    let apart = 1e-4 * grid.bounds().extent();
    format!("({}, {}, {})", coordinate(at.x, apart.x), coordinate(at.y, apart.y), coordinate(at.z, apart.z))
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
        ("lipschitz", field.lipschitz().into()),
        ("capped_nodes", field.capped_nodes().into()),
        (
            "error_bound",
            if field.is_certified() { field.error_bound().into() } else { serde_json::Value::Null },
        ),
        ("value_range", vec![f64::from(low), f64::from(high)].into()),
        ("caps", field.caps().len().into()),
        ("certified", field.is_certified().into()),
        ("certified_outside", field.is_certified_outside().into()),
        ("understates_depth", field.understates_depth().into()),
        ("hides_triangles", field.hides_triangles().into()),
    ]
}
