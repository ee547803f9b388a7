//! Planes, balls and functions along segments: against exact rational arithmetic, against each other and against dense samples.

// Clippy's leave for tests does not reach the functions they share.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod check;
mod edge_cases;
mod exact;
mod field;
mod function;
#[path = "../oracle/mod.rs"]
mod oracle;
mod queries;

use check::Tally;
use exact::Query;
use oracle::random::Random;

/// Most broken promises that are printed.
const MOST_PRINTED: usize = 20;

fn check_all(count: usize, make: fn(&mut Random) -> Query) -> Tally {
    let mut random = Random(3);
    let mut tally = Tally::default();
    for _ in 0..count {
        tally.check(&make(&mut random));
    }
    println!("{tally:?}");
    for failure in tally.failures.iter().take(MOST_PRINTED) {
        println!("  {failure}");
    }
    assert!(tally.failures.is_empty(), "{} of {count} are wrong", tally.failures.len());
    tally
}

#[test]
fn planes_keep_every_promise() {
    let tally = check_all(30_000, queries::of_plane);
    assert!(tally.free > 3_000 && tally.crossings > 3_000 && tally.starts_inside > 3_000);
    assert!(tally.touches > 500 && tally.separated > 3_000);
}

#[test]
fn balls_keep_every_promise() {
    let tally = check_all(30_000, queries::of_ball);
    assert!(tally.free > 3_000 && tally.crossings > 3_000 && tally.starts_inside > 1_000);
    assert!(tally.touches > 500 && tally.separated > 3_000);
}
