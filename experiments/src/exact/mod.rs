//! Queries of single cells (`isotouch::math::cubic`) against the truth, many and fast.
//!
//! ```text
//! number of the query ─► family and seed ─► query ─► what the library says
//!                                             └────► the truth: f64 with error bounds, then 32 digits, then exact rationals
//! ```
//!
//! A query is its number: any can be made again alone. Kinds of queries and the slow oracle are those of the library's own tests
//! (`crates/isotouch/tests`); the fast enclosure before them is here.

mod check;
mod enclosure;
#[allow(clippy::unwrap_used)]
#[path = "../../../crates/isotouch/tests/math_cubic/families.rs"]
mod families;
mod oracle;
#[allow(dead_code)]
#[path = "../../../crates/isotouch/tests/math_cubic/query.rs"]
mod query;
pub(crate) mod state;
pub(crate) mod tally;
#[allow(dead_code, clippy::unwrap_used)]
#[path = "../../../crates/isotouch/tests/math_cubic/exact.rs"]
mod truth;

use families::Family;
use oracle::random::Random;
use tally::Tally;

/// Shares of the kinds among 64 queries in a row; the rest are one each of those made to break the module.
const RANDOM: u64 = 28;
const DISTANCE: u64 = 16;
const SHARES: u64 = RANDOM + DISTANCE + families::ADVERSARIAL.len() as u64;
const _: () = assert!(SHARES == 64);

/// Kinds of queries.
pub(crate) const FAMILIES: usize = 2 + families::ADVERSARIAL.len();

/// The kind of the query with this number.
fn family_of(number: u64) -> usize {
    match number % SHARES {
        share if share < RANDOM => 0,
        share if share < RANDOM + DISTANCE => 1,
        share => 2 + (share - RANDOM - DISTANCE) as usize,
    }
}

fn family(index: usize) -> Family {
    match index {
        0 => families::RANDOM,
        1 => families::DISTANCE,
        _ => families::ADVERSARIAL[index - 2],
    }
}

/// The name of a kind.
pub(crate) fn name(index: usize) -> &'static str {
    family(index).name
}

/// The query with this number.
fn query(number: u64) -> query::Query {
    // Scrambled, since generators that begin a step apart would give each other's numbers.
    let seed = Random(number ^ 0x5bd1_e995_9e37_79b9).bits();
    (family(family_of(number)).make)(&mut Random(seed))
}

/// Asks queries and judges the answers.
pub(crate) fn check_all(numbers: std::ops::Range<u64>) -> Vec<Tally> {
    let mut tallies = vec![Tally::default(); FAMILIES];
    for number in numbers {
        let query = query(number);
        tallies[family_of(number)].add(number, &query, check::check(&query));
    }
    tallies
}
