//! Whole segments through small fields, against exact rational arithmetic.

// Clippy's leave for tests does not reach the functions they share.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod check;
#[path = "../oracle/mod.rs"]
mod oracle;
mod path;
mod scenes;
mod segments;

use check::{Query, Tally};
use oracle::random::Random;
use scenes::{FAMILIES, Family, Scene};

/// Most broken promises that are printed.
const MOST_PRINTED: usize = 20000;

/// `count` segments, so many to a field; `iso` may move σ for each.
fn check_family(family: Family, count: usize, iso: impl Fn(&Query<'_>, &mut Random) -> f64) -> Tally {
    let mut random = Random(family as u64 + 1);
    let mut tally = Tally::default();
    while tally.queries < count {
        let scene = Scene::new(family, &mut random);
        for _ in 0..30 {
            let segment = segments::segment(&scene.grid, &mut random);
            let mut query = Query { scene: &scene, segment, iso: scene.iso };
            query.iso = iso(&query, &mut random);
            tally.check(&query);
        }
    }
    println!("{family:?}: {tally}");
    for failure in tally.failures.iter().take(MOST_PRINTED) {
        println!("  {failure}");
    }
    tally
}

fn as_it_is(query: &Query<'_>, _: &mut Random) -> f64 {
    query.iso
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
fn ten_thousand_segments() {
    let tallies = FAMILIES.map(|family| check_family(family, 1_260, as_it_is));
    assert!(tallies.iter().all(|tally| tally.failures.is_empty()));
    let total = |count: fn(&Tally) -> usize| tallies.iter().map(count).sum::<usize>();
    assert!(total(|tally| tally.crossings) > 1_000 && total(|tally| tally.free) > 1_000);
    assert!(total(|tally| tally.true_touches) > 100 && total(|tally| tally.several_contacts) > 100);
}

#[test]
fn segments_that_graze() {
    let tallies = FAMILIES.map(|family| check_family(family, 240, grazing));
    assert!(tallies.iter().all(|tally| tally.failures.is_empty()));
    assert!(tallies.iter().map(|tally| tally.true_touches).sum::<usize>() > 50);
}
