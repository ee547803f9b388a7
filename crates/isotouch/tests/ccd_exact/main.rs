//! Whole segments through small fields, against exact rational arithmetic.

// Clippy's leave for tests does not reach the functions they share.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod check;
mod edge_cases;
#[path = "../oracle/mod.rs"]
mod oracle;
mod path;
mod query;
mod scenes;
mod segments;

use check::Tally;
use oracle::random::Random;
use query::Query;
use scenes::{FAMILIES, Scene};

/// Most broken promises that are printed.
const MOST_PRINTED: usize = 20;

/// Segments per field.
const PER_FIELD: usize = 30;

/// Asks a check about `count` segments of each family: most with the field's own σ, every fourth grazing.
fn check_all(count: usize, check: fn(&mut Tally, &Query<'_>)) -> Tally {
    let mut total = Tally::default();
    for family in FAMILIES {
        let mut random = Random(family as u64 + 1);
        let mut tally = Tally::default();
        while tally.queries < count {
            let scene = Scene::new(family, &mut random);
            for _ in 0..PER_FIELD {
                let segment = segments::segment(&scene.grid, &mut random);
                let mut query = Query { scene: &scene, segment, iso: scene.iso };
                if random.below(4) == 0 {
                    query.iso = grazing(&query, &mut random);
                }
                tally.check(&query, check);
            }
        }
        total += tally;
    }
    println!("all: {total}");
    for failure in total.failures.iter().take(MOST_PRINTED) {
        println!("  {failure}");
    }
    total
}

/// σ at the lowest value of the path, or beside it by what rounding does.
fn grazing(query: &Query<'_>, random: &mut Random) -> f64 {
    let Some(lowest) = query.path().lowest() else { return query.iso };
    let iso = query.iso + lowest;
    let scale = f64::from(query.scene.scale);
    let off = [0.0, 1e-16, -1e-16, 1e-14, -1e-14, 1e-12, -1e-12, 1e-10, -1e-10][random.below(9)];
    match random.below(4) {
        0 => iso.next_up(),
        1 => iso.next_down(),
        2 => iso,
        _ => iso + off * scale,
    }
}

#[test]
fn first_hits_are_the_exact_ones() {
    let tally = check_all(3_000, Tally::check_first_hit);
    assert!(tally.crossings > 1_500 && tally.free > 5_000 && tally.separated > 1_500);
    assert!(tally.rationals > 50 && tally.starts_inside > 2_000 && tally.bounds > 2_000);
    assert!(tally.failures.is_empty());
}

#[test]
fn contacts_are_the_exact_ones() {
    let tally = check_all(2_000, Tally::check_contacts);
    assert!(tally.several_contacts > 1_000);
    assert!(tally.failures.is_empty());
}

#[test]
fn contacts_begin_with_the_first_hit() {
    assert!(check_all(2_000, Tally::check_first_contact).failures.is_empty());
}

#[test]
fn contacts_are_apart() {
    assert!(check_all(2_000, Tally::check_apart).failures.is_empty());
}

#[test]
fn what_is_unknown_is_never_free() {
    assert!(check_all(1_000, Tally::check_unknown).failures.is_empty());
}

#[test]
fn crossings_reach_iso() {
    let tally = check_all(1_300, Tally::check_crossing);
    assert!(tally.crossings > 700);
    assert!(tally.failures.is_empty());
}

#[test]
fn traversals_agree_to_the_last_bit() {
    assert!(check_all(2_000, Tally::check_traversals).failures.is_empty());
}

#[test]
fn storages_agree_to_the_last_bit() {
    assert!(check_all(2_000, Tally::check_storages).failures.is_empty());
}
