use std::path::{Path, PathBuf};

use isotouch::field::{Field, ImportOptions};
use isotouch::mesh::io::{Cleanup, Loaded, ReadOptions};
use isotouch::mesh::report;
use isotouch::shell::PointShell;
use serde_json::{Map, Value, json};

use super::source::{self, Content};
use super::{field, inspect_recording, inspect_scene, shell};
use crate::console::{Console, complain};
use crate::failure::{Classify, Exit, Failure};
use crate::format::plural;
use crate::interrupt::{self, LeavesNothing};
use crate::report::Report;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
    What a file is, is told by its content and not by its name, but for scenes (.toml, or a built-in name). A file that cannot be read does not keep the \
    others from being looked at; the exit code is 2 then.\n\n\
    Examples:\n  \
    isotouch inspect part.obj\n  \
    isotouch inspect part.field --verify\n  \
    isotouch inspect part.obj part.field --json")]
pub(crate) struct Args {
    /// Meshes, fields, shells, scenes and recordings of haptic sessions.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Check every number in fields, not only their headers, and that none is missing from the band.
    #[arg(long)]
    verify: bool,
}

pub(crate) fn run(args: &Args, console: &Console) -> Result<Report, Failure> {
    let _looking = LeavesNothing::begin();
    let mut report = Report::new();
    let mut files = Vec::new();
    let mut problems = Vec::new();
    for path in &args.files {
        interrupt::check()?;
        let mut object = Map::new();
        object.insert("file".into(), path.display().to_string().into());
        match look_at(path, args.verify, console) {
            Ok(found) => {
                report.line(format_args!("{}: {}", console.bold(&path.display().to_string()), found.what));
                found.words.iter().for_each(|line| report.line(format_args!("  {line}")));
                report.facts(&found.facts);
                object.extend(found.json);
            }
            Err(Failure::Interrupted) => return Err(Failure::Interrupted),
            Err(failure) => {
                let problem = failure.to_string();
                complain("error", &problem, "\x1b[31m");
                object.insert("error".into(), problem.clone().into());
                problems.push(problem);
            }
        }
        files.push(Value::Object(object));
    }
    report.key("files", files);
    if !problems.is_empty() {
        report.key("error", problems.join("; "));
        report.set_exit(Exit::BadInput);
    }
    Ok(report)
}

/// What one file turned out to be.
struct Found {
    what: String,
    words: Vec<String>,
    facts: Vec<(&'static str, String)>,
    json: Map<String, Value>,
}

fn look_at(path: &Path, verify: bool, console: &Console) -> Result<Found, Failure> {
    if inspect_scene::is_scene(path) {
        let inspect_scene::SceneFacts { words, json } = inspect_scene::look_at(path)?;
        let json = json.as_object().cloned().unwrap_or_default();
        return Ok(Found { what: "scene".into(), words, facts: Vec::new(), json });
    }
    if let Some(shell) = source::shell_file(path)? {
        return Ok(look_at_shell(&shell, verify));
    }
    if path.is_file()
        && let Some(inspect_recording::RecordingFacts { facts, json }) = inspect_recording::look_at(path)?
    {
        return Ok(Found { what: "recording".into(), words: Vec::new(), facts, json });
    }
    match source::open(path, &ReadOptions::default(), console)? {
        Content::Field(field) => {
            look_at_field(&field, verify).map_err(|failure| source::about(path, failure))
        }
        Content::Foreign => {
            let field = source::import(path, &ImportOptions::default(), console)?;
            look_at_field(&field, verify).map_err(|failure| source::about(path, failure))
        }
        Content::Mesh(loaded) => {
            source::warn_about(path, &loaded, console);
            Ok(look_at_mesh(&loaded))
        }
    }
}

fn look_at_field(opened: &Field, verify: bool) -> Result<Found, Failure> {
    let mut facts = field::in_words(opened);
    if !opened.is_certified() {
        facts.push(("certified", "no: inside and outside meet beyond the rim of an open surface".into()));
    } else if !opened.is_certified_outside() {
        facts.push(("outside its box", "unknown: the solid reaches the border".into()));
    }
    let mut json = Map::from_iter([("kind".to_owned(), json!("field"))]);
    json.extend(field::as_json(opened).into_iter().map(|(name, value)| (name.to_owned(), value)));
    if verify {
        opened.verify().or_bad_input()?;
        facts.push(("verified", "every number is in order".into()));
        json.insert("verified".into(), true.into());
    }
    Ok(Found { what: "field".into(), words: Vec::new(), facts, json })
}

/// All of a shell was checked when it was opened.
fn look_at_shell(opened: &PointShell, verify: bool) -> Found {
    let mut facts = shell::in_words(opened);
    let mut json = Map::from_iter([("kind".to_owned(), json!("shell"))]);
    json.extend(shell::as_json(opened).into_iter().map(|(name, value)| (name.to_owned(), value)));
    if verify {
        facts.push(("verified", "every number is in order".into()));
        json.insert("verified".into(), true.into());
    }
    Found { what: "shell".into(), words: Vec::new(), facts, json }
}

fn look_at_mesh(loaded: &Loaded) -> Found {
    let found = report(&loaded.mesh);
    let mut words = found.sentences();
    words.extend(cleanup_in_words(&loaded.cleanup));
    let gzipped = if loaded.gzipped { ", gzipped" } else { "" };
    let Cleanup { polygons_triangulated, short_polygons, welded_vertices, .. } = loaded.cleanup;
    let json = json!({
        "kind": "mesh",
        "format": loaded.format.to_string(),
        "gzipped": loaded.gzipped,
        "vertices": found.vertices,
        "triangles": found.triangles,
        "edges": found.edges,
        "components": found.components,
        "closed": found.is_closed(),
        "solid": found.is_solid(),
        "wound_inward": found.is_wound_inward(),
        "boundary_edges": found.boundary_edges,
        "boundary_loops": found.boundary_loops,
        "nonmanifold_edges": found.nonmanifold_edges,
        "flipped_edges": found.flipped_edges,
        "duplicate_triangles": found.duplicate_triangles,
        "degenerate_triangles": loaded.cleanup.degenerate_triangles + found.degenerate_triangles,
        "inward_components": found.inward_components,
        "cavities": found.cavities,
        "area": found.area,
        "signed_volume": found.signed_volume,
        "bounds": { "min": found.bounds.min.to_array(), "max": found.bounds.max.to_array() },
        "cleanup": {
            "polygons_triangulated": polygons_triangulated,
            "short_polygons": short_polygons,
            "welded_vertices": welded_vertices,
            "degenerate_triangles": loaded.cleanup.degenerate_triangles,
            "unused_vertices": loaded.cleanup.unused_vertices,
            "trailing_bytes": loaded.cleanup.trailing_bytes,
            "skipped_groups": loaded.cleanup.skipped_groups,
        },
    });
    let json = match json {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    Found { what: format!("mesh ({}{gzipped})", loaded.format), words, facts: Vec::new(), json }
}

fn cleanup_in_words(cleanup: &Cleanup) -> Vec<String> {
    let done = [
        (cleanup.polygons_triangulated, "polygon", "cut into triangles"),
        (cleanup.welded_vertices, "repeated corner", "welded"),
        (cleanup.degenerate_triangles, "triangle", "without area dropped"),
        (cleanup.skipped_groups, "group", "of points or lines left out"),
    ];
    let said = done.into_iter().filter(|(count, ..)| *count > 0);
    said.map(|(count, what, how)| format!("while reading: {} {how}", plural(count as u64, what))).collect()
}
