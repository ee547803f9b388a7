//! The promises over everything a cell can hold, with shrinking where one breaks; and the mirror.

use glam::DVec3;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::Query;
use crate::check::Tally;
use crate::exact::{Of, Oracle};
use crate::families;
use crate::oracle::random::Random;

fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        Just(1.0),
        Just(0.5),
        0.0..=1.0,
        1e-300..1e-10,
        (0.0..1e-10f64).prop_map(|x| 1.0 - x)
    ]
}

fn place() -> impl Strategy<Value = DVec3> {
    [coordinate(), coordinate(), coordinate()].prop_map(DVec3::from_array)
}

fn corner() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => -1.0..1.0f32,
        2 => prop_oneof![Just(0.0), Just(1.0), Just(-1.0), Just(0.25)],
        1 => any::<f32>().prop_filter("finite", |c| c.is_finite()),
    ]
}

fn query() -> impl Strategy<Value = Query> {
    let corners = proptest::array::uniform8(corner());
    let iso = prop_oneof![Just(0.0), Just(0.25), -1.0..1.0, -1e-12..1e-12];
    (corners, place(), place(), iso).prop_map(|(corners, entry, exit, iso)| Query {
        corners,
        entry,
        exit,
        iso,
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 20_000,
        rng_seed: RngSeed::Fixed(20_140_416),
        failure_persistence: None,
        ..Default::default()
    })]

    #[test]
    fn every_promise_holds_for_any_cell(query in query()) {
        Tally::default().check(&query);
    }
}

/// p(1 − s) has the mirrored intervals, wherever p is not within tolerance of deciding otherwise.
#[test]
fn the_way_back_mirrors_the_intervals() {
    let mut random = Random(11);
    let mut compared = 0;
    for k in 0..100_000 {
        let family = if k % 2 == 0 { families::RANDOM } else { families::DISTANCE };
        let query = (family.make)(&mut random);
        let (there, back) = (query.cubic().intervals(), query.reversed().cubic().intervals());
        assert_eq!(there.len(), back.len(), "{query:?}");
        let oracle = Oracle::new(&query);
        for (one, other) in there.iter().zip(back.iter().rev()) {
            for (a, b) in [(one.start, 1.0 - other.end), (one.end, 1.0 - other.start)] {
                if a == b {
                    continue; // both ends of the piece, most often
                }
                // Both lie where 0 ≤ p ≤ tolerance, next to the same root; 1 − s itself is rounded.
                let (low, high) = (a.min(b), a.max(b));
                let slack = 2.0 * oracle.tolerance();
                assert!(
                    oracle.is_positive(Of::MinusP, slack, (low, high))
                        && oracle.is_positive(Of::P, slack, (low, high)),
                    "{one:?} {other:?} {query:?}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 20_000, "{compared}");
}
