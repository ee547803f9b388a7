//! Contacts in single cells against exact arithmetic: a long run that can be stopped and goes on where it was.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::Context as _;
use rayon::prelude::*;

use super::Setup;
use crate::exact::state::State;
use crate::exact::tally::Tally;
use crate::exact::{check_all, name};
use crate::machine;
use crate::models::project_root;
use crate::report::{Report, Table, count, none, number};

/// Queries in all, where not said otherwise.
const COUNT: u64 = 1_000_000_000;
const QUICK_COUNT: u64 = 20_000;

/// Queries of one piece of work, and pieces between looks at the clock: a second or so.
const PIECE: u64 = 1 << 14;
const PIECES: u64 = 128;

/// Seconds between states on disk: what is lost by a crash.
const SAVE_SECONDS: f64 = 10.0;

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let default = if setup.quick { QUICK_COUNT } else { COUNT };
    let count = setup.count.unwrap_or(default);
    let path = state_path(setup);
    let mut state = path.as_deref().map_or_else(|| Ok(State::new()), State::read)?;
    if state.done > 0 {
        eprintln!("going on after {} queries", crate::report::count(state.done));
    }
    let stop = Arc::new(AtomicBool::new(false));
    let handler = Arc::clone(&stop);
    ctrlc::set_handler(move || handler.store(true, Ordering::Relaxed))
        .context("could not listen for Ctrl-C")?;
    let mut saved = Instant::now();
    while state.done < count && !stop.load(Ordering::Relaxed) {
        advance(&mut state, count);
        progress(&state, count);
        if let Some(path) = path.as_deref().filter(|_| saved.elapsed().as_secs_f64() > SAVE_SECONDS) {
            state.write(path)?;
            saved = Instant::now();
        }
    }
    if let Some(path) = &path {
        state.write(path)?;
    }
    Ok(report(&state, count, setup.threads))
}

/// The small version keeps no state, unless it is told to.
fn state_path(setup: &Setup) -> Option<PathBuf> {
    let usual = (!setup.quick).then(|| project_root().join("target/exact.json"));
    setup.state.clone().or(usual)
}

/// One more round of queries.
fn advance(state: &mut State, count: u64) {
    let version = machine::version();
    if !state.versions.contains(&version) {
        state.versions.push(version);
    }
    let start = Instant::now();
    let end = count.min(state.done + PIECE * PIECES);
    let pieces: Vec<u64> = (state.done..end).step_by(PIECE as usize).collect();
    let tallies: Vec<Vec<Tally>> =
        pieces.par_iter().map(|&from| check_all(from..end.min(from + PIECE))).collect();
    // In the order of the numbers, so that the worst and the first broken ones do not depend on threads.
    for of_piece in tallies {
        for (all, new) in state.tallies.iter_mut().zip(of_piece) {
            new.broken.iter().for_each(|broken| eprintln!("BROKEN: {broken}"));
            all.merge(&new);
        }
    }
    state.done = end;
    state.seconds += start.elapsed().as_secs_f64();
}

fn progress(state: &State, goal: u64) {
    let total = state.total();
    eprintln!(
        "{} of {} queries, {} a second; {} false none, {} other promises broken; worst well-separated root {}",
        count(state.done),
        count(goal),
        number(state.done as f64 / state.seconds),
        total.false_none,
        total.broken_count() - total.false_none,
        total.worst.map_or_else(none, |(worst, query)| format!("{worst:.1e} (query {query})")),
    );
}

fn report(state: &State, goal: u64, threads: usize) -> Report {
    let mut table = Table::new(
        format!("{} queries of single cells against exact arithmetic", count(state.done)),
        &[
            "kind",
            "queries",
            "none",
            "crossings",
            "touches",
            "begin inside",
            "by 32 digits",
            "by rationals",
            "false none",
            "late",
            "too far from σ",
            "not below",
            "torn",
            "worst time error",
            "at query",
        ],
    );
    for (kind, tally) in state.tallies.iter().enumerate() {
        table.row(cells(name(kind), tally));
    }
    let total = state.total();
    table.row(cells("all", &total));
    let mut report = Report { tables: vec![table], remarks: remarks(state, threads), ..Default::default() };
    if state.done < goal {
        report.remarks.push(format!("Stopped before {}; the same command goes on from here.", count(goal)));
    }
    if total.broken_count() > 0 {
        let first = total.broken.first().map_or("", String::as_str);
        report
            .failures
            .push(format!("{} promises broken, the first by {first}", count(total.broken_count())));
    }
    report
}

fn cells(name: &str, tally: &Tally) -> Vec<String> {
    let mut cells = vec![name.to_string()];
    let counts = [
        tally.queries,
        tally.free,
        tally.crossings,
        tally.touches,
        tally.starts_inside,
        tally.digits,
        tally.rationals,
        tally.false_none,
        tally.late,
        tally.far,
        tally.not_below,
        tally.torn,
    ];
    cells.extend(counts.map(count));
    cells.extend(match tally.worst {
        Some((worst, query)) => [format!("{worst:.1e}"), count(query)],
        None => [none(), none()],
    });
    cells
}

fn remarks(state: &State, threads: usize) -> Vec<String> {
    vec![
        format!(
            "{} queries a second on {threads} threads, {} s in all. A query is made from its number alone, so any can be made again. Asked of \
             isotouch {}.",
            number(state.done as f64 / state.seconds.max(1e-9)),
            number(state.seconds),
            state.versions.join(", ")
        ),
        "Every answer of `CellCubic::first_hit` is judged: *none* must be free on the whole piece (a false none is a missed contact), a hit must have nothing \
         before it (or it is late) and be within 2⁻⁴³ max|cᵢ − σ| of σ, crossings must go below σ and `starts_inside` begin there, and \
         `stays_positive` must say the same (or the two are torn). The truth comes from `f64` with an error bound where that decides, else from \
         32 digits, else from exact rationals and Sturm's theorem."
            .into(),
        "The time error is a proven bound on how long after the hit the contact begins, as a part of the piece, where p falls by at \
         least a thousandth of max|cᵢ − σ| over the piece's length at the rate it has there."
            .into(),
    ]
}
