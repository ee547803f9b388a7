use isotouch::haptics::clock::{ClockError, ClockOptions, Histogram, Priority, ServoClock, raise_priority};
use proptest::prelude::*;

#[test]
fn it_ticks_at_its_rate_on_average() {
    // Whatever else runs: ticks and misses together are the time.
    let mut clock = ServoClock::new(ClockOptions::default()).unwrap();
    let first = clock.wait();
    let mut missed = first.missed;
    let last = loop {
        let tick = clock.wait();
        missed += tick.missed;
        assert!(tick.late >= 0.0 && (tick.time - tick.index as f64 * 0.001 - tick.late).abs() < 1e-9);
        if tick.index >= 300 {
            break tick;
        }
    };
    let statistics = clock.statistics();
    assert_eq!(statistics.ticks() + missed, last.index + 1);
    assert_eq!(statistics.missed(), missed);
    assert_eq!(statistics.lateness().count(), statistics.ticks());
    assert_eq!(statistics.work().count(), statistics.ticks() - 1);
    let expected = (statistics.ticks() as f64 - 1.0) / (last.time - first.time);
    assert!((statistics.achieved_rate() - expected).abs() < 1e-9 * expected);
}

#[test]
fn work_that_takes_too_long_is_counted_and_not_made_up_for() {
    let mut clock = ServoClock::new(ClockOptions { rate: 200.0, spin: 0.0 }).unwrap();
    clock.wait();
    std::thread::sleep(std::time::Duration::from_millis(32));
    let tick = clock.wait();
    assert!(tick.missed >= 5, "{tick:?}");
    assert_eq!(tick.index, 1 + tick.missed);
    assert!(clock.statistics().work().max() >= 0.032);
    let next = clock.wait();
    assert!(next.time >= next.index as f64 * 0.005, "no burst");
}

#[test]
fn senseless_rates_are_refused() {
    for rate in [0.0, -1.0, f64::NAN, 1e9] {
        assert!(matches!(
            ServoClock::new(ClockOptions { rate, ..Default::default() }),
            Err(ClockError::Rate { .. })
        ));
    }
    assert!(matches!(
        ServoClock::new(ClockOptions { spin: -1.0, ..Default::default() }),
        Err(ClockError::Spin { .. })
    ));
}

/// In a thread of its own, for it may be granted.
#[test]
fn priority_is_granted_or_the_refusal_said() {
    let outcome = std::thread::spawn(raise_priority).join().unwrap();
    if let Priority::Ordinary { why } = outcome {
        assert!(why.contains("refused real-time priority") && why.contains("rtprio"), "{why}");
    }
}

#[test]
fn an_empty_histogram_and_odd_durations() {
    let mut histogram = Histogram::default();
    assert_eq!((histogram.quantile(0.5), histogram.max(), histogram.count()), (0.0, 0.0, 0));
    for seconds in [f64::NAN, -1.0, 0.0] {
        histogram.add_seconds(seconds);
    }
    assert_eq!((histogram.max(), histogram.quantile(1.0)), (0.0, 0.0));
    histogram.add_seconds(f64::INFINITY);
    assert_eq!((histogram.count(), histogram.quantile(1.0)), (4, histogram.max()));
    assert_eq!(histogram.quantile(0.5), 0.0);
}

proptest! {
    /// Against sorting.
    #[test]
    fn quantiles_are_those_of_the_sorted_list_within_a_sixteenth(
        mut values in prop::collection::vec(prop_oneof![0u64..40, 0u64..100_000, 0u64..(1 << 38)], 1..300),
        q in 0.0..=1.0f64,
    ) {
        let mut histogram = Histogram::default();
        values.iter().for_each(|&value| histogram.add(value));
        values.sort_unstable();
        for q in [0.5, 0.99, 0.999, q] {
            let rank = ((q * values.len() as f64).ceil() as usize).max(1);
            let exact = values[rank - 1] as f64 * 1e-9;
            let found = histogram.quantile(q);
            prop_assert!(found >= exact * (1.0 - 1e-12) && found <= exact * (1.0 + 1.0 / 16.0) + 1e-18, "{} {}", found, exact);
        }
        prop_assert_eq!(histogram.max(), *values.last().unwrap() as f64 * 1e-9);
    }
}
