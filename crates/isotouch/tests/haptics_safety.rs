//! Every fault injected, every limit reached.
#![allow(clippy::unwrap_used)]

use isotouch::haptics::device::Preset;
use isotouch::haptics::safety::{Fault, LONGEST_STALE, Safety, SafetyOptions, SafetyState};
use isotouch::math::{DVec3, Wrench};
use proptest::prelude::*;

const DT: f64 = 0.001;

fn push(x: f64) -> Wrench {
    Wrench { force: DVec3::X * x, torque: DVec3::Y * (0.01 * x) }
}

/// One that has run long enough to be past its ramp, and the time.
fn running(options: SafetyOptions, wrench: Wrench) -> (Safety, f64) {
    let mut safety = Safety::new(options);
    let mut now = 0.0;
    while safety.status().state != SafetyState::Running {
        now += DT;
        safety.filter(now, now, wrench);
    }
    (safety, now)
}

#[test]
fn what_is_within_the_limits_passes_unchanged() {
    let (mut safety, now) = running(SafetyOptions::default(), push(2.0));
    assert_eq!(safety.filter(now + DT, now, push(2.0)), push(2.0));
    assert_eq!(safety.status().all_faults(), 0);
}

#[test]
fn forces_and_torques_are_clamped_and_keep_their_direction() {
    let options = SafetyOptions { max_force_rate: 1e6, max_torque_rate: 1e6, ..Default::default() };
    let (mut safety, now) = running(options, Wrench::ZERO);
    let wrench = Wrench { force: DVec3::new(300.0, -400.0, 0.0), torque: DVec3::new(0.0, 3.0, 4.0) };
    let out = safety.filter(now + DT, now + DT, wrench);
    assert!((out.force - DVec3::new(1.8, -2.4, 0.0)).length() < 1e-14);
    assert!((out.torque - DVec3::new(0.0, 0.06, 0.08)).length() < 1e-16);
    let limited = safety.status().limited;
    assert!(limited.force && limited.torque && !limited.force_rate && !limited.torque_rate);
    // Squares of this overflow.
    let out = safety.filter(now + 2.0 * DT, now + 2.0 * DT, push(-1e300));
    assert!((out.force + DVec3::X * 3.0).length() < 1e-14);
}

#[test]
fn a_jump_is_spread_over_time() {
    let (mut safety, now) = running(SafetyOptions::default(), Wrench::ZERO);
    for tick in 1..=4 {
        let t = now + f64::from(tick) * DT;
        let out = safety.filter(t, t, push(3.0));
        let expected = f64::from(tick).min(3.0);
        assert!((out.force.x - expected).abs() < 1e-9, "1000 N/s: {} at tick {tick}", out.force.x);
        assert_eq!(safety.status().limited.force_rate, tick < 3);
    }
}

#[test]
fn forces_grow_from_zero_at_the_start() {
    let mut safety = Safety::new(SafetyOptions::default());
    assert_eq!(safety.status().state, SafetyState::NotStarted);
    for tick in 0..=600 {
        let now = 10.0 + f64::from(tick) * DT;
        let out = safety.filter(now, now, push(2.0));
        let expected = 2.0 * (f64::from(tick) / 500.0).min(1.0);
        assert!((out.force.x - expected).abs() < 1e-9, "{} at tick {tick}", out.force.x);
        let state = if expected < 2.0 { SafetyState::Ramping } else { SafetyState::Running };
        // On the seam rounding may say either.
        assert!(tick == 500 || safety.status().state == state);
    }
}

/// Each fault: the first call that can see it gives zero, and afterwards forces grow from zero.
#[test]
fn every_fault_is_zero_at_once_and_starts_the_ramp_anew() {
    type Inject = fn(&mut Safety, f64) -> Wrench;
    let faults: [(Fault, &str, Inject); 12] = [
        (Fault::NotFinite, "NaN force", |s, t| s.filter(t, t, push(f64::NAN))),
        (Fault::NotFinite, "infinite torque", |s, t| {
            s.filter(t, t, Wrench { torque: DVec3::Z * f64::NEG_INFINITY, ..push(1.0) })
        }),
        (Fault::NotFinite, "NaN data time", |s, t| s.filter(t, f64::NAN, push(2.0))),
        (Fault::NotFinite, "NaN time", |s, _| s.filter(f64::NAN, 0.0, push(2.0))),
        (Fault::NotFinite, "infinite time", |s, t| s.filter(f64::INFINITY, t, push(2.0))),
        (Fault::Stale, "stale data", |s, t| s.filter(t, t - 0.0101, push(2.0))),
        (Fault::Stale, "no data ever", |s, t| s.filter(t, -1e9, push(2.0))),
        (Fault::Stale, "data of the future", |s, t| s.filter(t, t + 5.0, push(2.0))),
        // Ten calls of a millisecond each are still felt; the next one comes 10 ms after the first.
        (Fault::Stale, "a device that tells its last state for ever", |s, t| {
            for _ in 0..10 {
                assert_eq!(s.filter(t, t, push(2.0)), push(2.0));
            }
            s.filter(t, t, push(2.0))
        }),
        (Fault::ClockWentBack, "clock went back", |s, t| s.filter(t - 0.1, t - 0.1, push(2.0))),
        (Fault::Late, "late loop", |s, t| s.filter(t + 0.02, t + 0.02, push(2.0))),
        (Fault::DeviceLost, "device lost", |s, t| {
            s.device_lost();
            s.filter(t, t, push(2.0))
        }),
    ];
    for (fault, name, inject) in faults {
        let (mut safety, now) = running(SafetyOptions::default(), push(2.0));
        assert_eq!(safety.filter(now + DT, now + DT, push(2.0)).force.x, 2.0);
        assert_eq!(inject(&mut safety, now + 2.0 * DT), Wrench::ZERO, "{name}");
        assert_eq!(safety.status().state, SafetyState::Zero(fault), "{name}");
        assert_eq!(safety.status().faults(fault), 1, "{name}");
        assert_eq!(safety.status().all_faults(), 1, "{name}");
        // Healthy again, from whatever time the fault left behind.
        safety.device_found();
        let now = now + 0.03;
        let mut resync = Safety::clone(&safety);
        resync.filter(now, now, push(2.0));
        let start = now + DT;
        let first = resync.filter(start, start, push(2.0));
        assert!(first.force.length() <= 2.0 * 2.0 * DT / 0.5 + 1e-9, "{name}: {first:?}");
        for tick in 1..=510 {
            let t = start + f64::from(tick) * DT;
            resync.filter(t, t, push(2.0));
        }
        assert_eq!(resync.status().state, SafetyState::Running, "{name}");
        assert_eq!(resync.filter(start + 0.511, start + 0.511, push(2.0)).force.x, 2.0, "{name}");
    }
}

#[test]
fn a_lost_device_gets_nothing_until_it_is_found() {
    let (mut safety, now) = running(SafetyOptions::default(), push(2.0));
    safety.device_lost();
    assert_eq!(safety.status().state, SafetyState::Zero(Fault::DeviceLost), "before any call");
    for tick in 1..100 {
        let t = now + f64::from(tick) * DT;
        assert_eq!(safety.filter(t, t, push(2.0)), Wrench::ZERO);
    }
    assert_eq!(safety.status().faults(Fault::DeviceLost), 99);
}

/// A simulation that hangs is felt for at most 10 ms.
#[test]
fn a_simulation_that_stops_is_zero_within_ten_milliseconds() {
    let (mut safety, stopped) = running(SafetyOptions::default(), push(2.0));
    let mut pushed = 0.0;
    for tick in 1..100 {
        let now = stopped + f64::from(tick) * DT;
        if safety.filter(now, stopped, push(2.0)).force.x > 0.0 {
            pushed = now - stopped;
        }
    }
    assert!((0.009..=0.0101).contains(&pushed), "{pushed}");
}

/// Of a device that tells each state several times, as a slow one does to a fast loop, nothing is taken away; of one that tells it for 10 ms all is.
#[test]
fn a_clock_that_stands_still_is_stale_after_ten_milliseconds_of_calls() {
    for rate in [500.0, 1000.0, 4000.0] {
        let mut safety = Safety::at_rate(SafetyOptions { ramp: 0.0, ..Default::default() }, rate);
        let mut time = 0.0;
        for call in 0..4000 {
            if call % 4 == 0 {
                time += 4.0 / rate;
            }
            safety.filter(time, time, push(2.0));
        }
        assert_eq!(safety.status().all_faults(), 0, "{rate} Hz");
        let felt = (0..1000).take_while(|_| safety.filter(time, time, push(2.0)) != Wrench::ZERO).count();
        assert!(felt as f64 / rate <= 0.010, "{rate} Hz: felt in {felt} calls more");
        assert_eq!(safety.status().state, SafetyState::Zero(Fault::Stale));
    }
}

#[test]
fn senseless_limits_let_nothing_pass() {
    for bad in [f64::NAN, -1.0, 0.0] {
        let options = SafetyOptions { max_force: bad, max_torque: bad, ..Default::default() };
        let (mut safety, now) = running(options, push(2.0));
        assert_eq!(safety.filter(now + DT, now + DT, push(2.0)), Wrench::ZERO, "{bad}");
    }
    for slow in [1.0, f64::INFINITY, 0.011] {
        let safety = Safety::new(SafetyOptions { stale_after: slow, ..Default::default() });
        assert_eq!(safety.options().stale_after, LONGEST_STALE, "{slow}");
    }
    // Never grows.
    let mut safety = Safety::new(SafetyOptions { ramp: f64::NAN, ..Default::default() });
    for tick in 0..2000 {
        let now = f64::from(tick) * DT;
        assert_eq!(safety.filter(now, now, push(2.0)), Wrench::ZERO);
    }
}

#[test]
fn devices_bring_their_limits() {
    for preset in Preset::ALL {
        let capabilities = preset.capabilities();
        let options = SafetyOptions { ramp: 0.0, ..SafetyOptions::for_device(&capabilities) };
        let mut safety = Safety::new(options);
        let mut out = Wrench::ZERO;
        for tick in 0..100 {
            let now = f64::from(tick) * DT;
            out = safety.filter(now, now, Wrench { force: DVec3::X * 1e3, torque: DVec3::X * 1e3 });
        }
        assert!((out.force.x - capabilities.max_force).abs() < 1e-12, "{}", capabilities.name);
        assert!((out.torque.x - capabilities.max_torque).abs() < 1e-12, "{}", capabilities.name);
    }
}

/// A number of any kind: usual, huge, tiny, NaN, infinite.
fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![4 => -100.0..100.0, 1 => any::<f64>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever is put in, in whatever order: finite, within the limits, and never a faster change than allowed but for the drop to zero.
    #[test]
    fn whatever_goes_in_what_comes_out_is_safe(
        calls in prop::collection::vec(
            (prop_oneof![8 => 0.0..0.004f64, 1 => any::<f64>()], prop_oneof![8 => 0.0..0.012f64, 1 => any::<f64>()], prop::array::uniform6(any_number()), 0..40),
            1..200,
        ),
        ramp in 0.0..0.05,
    ) {
        let options = SafetyOptions { ramp, ..Default::default() };
        let mut safety = Safety::new(options);
        let (mut now, mut last) = (0.0, Wrench::ZERO);
        for (step, age, [a, b, c, d, e, f], event) in calls {
            match event {
                0 => safety.device_lost(),
                1..4 => safety.device_found(),
                _ => {}
            }
            if event == 0 {
                last = Wrench::ZERO;
            }
            let then = now + step;
            let out = safety.filter(then, then - age, Wrench { force: DVec3::new(a, b, c), torque: DVec3::new(d, e, f) });
            prop_assert!(out.is_finite());
            prop_assert!(out.force.length() <= options.max_force * (1.0 + 1e-12));
            prop_assert!(out.torque.length() <= options.max_torque * (1.0 + 1e-12));
            if out != Wrench::ZERO {
                let dt = then - now;
                prop_assert!((out.force - last.force).length() <= options.max_force_rate * dt + 1e-9);
                prop_assert!((out.torque - last.torque).length() <= options.max_torque_rate * dt + 1e-9);
            }
            // NaN is not fresh.
            // As old as it was told, after the rounding of large times.
            let told = then - (then - age);
            let is_fresh = f64::abs(told) <= options.stale_after + 1e-9;
            if !is_fresh {
                prop_assert_eq!(out, Wrench::ZERO);
            }
            last = out;
            if then.is_finite() {
                now = then;
            }
        }
    }
}
