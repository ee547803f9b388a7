//! The cubic of a cell along a segment, against exact rational arithmetic.

// Clippy's leave for tests does not reach the functions they share.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod check;
mod edge_cases;
mod exact;
mod families;
#[path = "../oracle/mod.rs"]
mod oracle;
mod properties;
mod query;
mod slack;
mod verdict;

use check::Tally;
use families::Family;
use oracle::random::Random;
use query::Query;

/// Checks `count` queries of a family and says what was seen.
fn check_family(family: Family, count: usize) -> Tally {
    let mut random =
        Random(family.name.bytes().fold(1, |seed, byte| u64::wrapping_mul(seed, 31) ^ u64::from(byte)));
    let mut tally = Tally::default();
    for _ in 0..count {
        tally.check(&(family.make)(&mut random));
    }
    println!("{:>22}: {tally}", family.name);
    tally
}

// One test per share of the million, so that they run side by side.

#[test]
fn random_cells() {
    let tally = check_family(families::RANDOM, 500_000);
    assert!(tally.crossings > 90_000 && tally.free > 50_000);
}

#[test]
fn cells_of_distance_fields() {
    let tally = check_family(families::DISTANCE, 350_000);
    assert!(tally.crossings > 50_000 && tally.free > 50_000);
}

#[test]
fn adversarial_cells() {
    let mut total = Tally::default();
    for family in families::ADVERSARIAL {
        total += check_family(family, 10_000);
    }
    println!("{:>22}: {total}", "all adversarial");
    assert!(total.touches > 10_000 && total.crossings > 10_000 && total.free > 10_000);
}
