//! Short segments near the surface, as points move in one step of haptic rendering: which traversal for them?

use isotouch::ccd::{CastOptions, Traversal};
use isotouch::field::{Field, FieldOptions, StorageKind};
use rayon::ThreadPool;

use super::Setup;
use crate::casting::{Cast, pool};
use crate::models::Model;
use crate::near_surface::NearSurface;
use crate::report::{Report, Table, number};
use crate::timing::{Timed, fastest_of_rounds};

/// Every run is done so many times, in turns with the others; the fastest counts.
const ROUNDS: usize = 5;
const SEED: u64 = 1;

/// Midpoints are this near to the surface, in cells.
const NEAR: f64 = 2.0;

/// Lengths, in cells.
const LENGTHS: [f64; 7] = [0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0];

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let model = setup.bunny()?;
    let (resolution, count) = if setup.quick { (32, 200) } else { (256, 300_000) };
    let one_thread = pool(1)?;
    let mut tables = Vec::new();
    for storage in [StorageKind::Sparse, StorageKind::Dense] {
        eprintln!("{}: {storage} {resolution}³", model.name);
        let field =
            Field::from_mesh(&model.mesh, &FieldOptions { resolution, storage, ..Default::default() })?;
        tables.push(measure(&model, &field, count, &one_thread)?);
    }
    Ok(Report { tables, remarks: remarks(count), ..Default::default() })
}

fn measure(model: &Model, field: &Field, count: usize, one_thread: &ThreadPool) -> anyhow::Result<Table> {
    let names = Traversal::NAMES.map(|(name, _)| name);
    let mut header: Vec<String> = ["cells long", "hits, %"].map(String::from).to_vec();
    header.extend(names.map(|name| format!("{name}: ns")));
    header.extend(names.iter().filter(|&&name| name != "uniform").map(|name| format!("uniform/{name}")));
    let caption = format!(
        "{} at {}³, {}: ns per query on one thread",
        model.name,
        field.grid().cells.max_element(),
        field.storage()
    );
    let mut table = Table::new(caption, &header);
    let near_surface = NearSurface::new(&model.mesh);
    for length in LENGTHS {
        let segments = near_surface.segments_outside(field, count, length, NEAR, SEED);
        let cast = |traversal| {
            let options = CastOptions { traversal, ..Default::default() };
            Cast { field, segments: &segments, iso: 0.0, options }
        };
        let mut runs: Vec<Timed<'_>> = Vec::new();
        for (_, traversal) in Traversal::NAMES {
            let cast = cast(traversal);
            runs.push(Box::new(move || Ok(cast.seconds_on(one_thread))));
        }
        let seconds = fastest_of_rounds(ROUNDS, &mut runs)?;
        let hits = cast(Traversal::Leap).times().iter().filter(|t| !t.is_nan()).count();

        let timed = || names.iter().zip(&seconds);
        let uniform = timed().find(|(name, _)| **name == "uniform").map_or(f64::NAN, |(_, &seconds)| seconds);
        let mut cells = vec![number(length), number(100.0 * hits as f64 / count as f64)];
        cells.extend(timed().map(|(_, seconds)| number(seconds * 1e9 / count as f64)));
        cells.extend(timed().filter(|(name, _)| **name != "uniform").map(|(_, s)| number(uniform / s)));
        table.row(cells);
    }
    Ok(table)
}

fn remarks(count: usize) -> Vec<String> {
    vec![
        format!(
            "{} segments of every length, in random directions, their midpoints evenly over the surface and at most {NEAR} cells off \
             it along the normal of a triangle (seed {SEED}); those that begin inside are turned round, and replaced where that does \
             not help. First hit with σ = 0, wall clock on one thread, the fastest of {ROUNDS} rounds in which all traversals take \
             turns. Segments are in random order, so that neighbours in the list are none in space and find little in the cache; points of \
             a shell would be neighbours.",
            crate::report::count(count as u64)
        ),
        "2016 (section 4.1) on haptic rendering, where a point moves by a few cells at most in a step: keeping the minimum of each cell alone and going \
         cell by cell is about 1.5 times as fast as plain traversal, and the whole octree makes rendering 2 to 3 times slower, since mostly \
         a single cell can be skipped. Here a column uniform/NAME above 1 says how many times faster NAME is than plain traversal, \
         below 1 that it is slower."
            .into(),
    ]
}
