//! Every order of events of a writer and a reader, within bounds that loom finishes in seconds.
#![cfg(loom)]
#![allow(clippy::unwrap_used, unsafe_code, clippy::undocumented_unsafe_blocks)]

use isotouch_loom::exchange::exchange;
use loom::cell::UnsafeCell;
use loom::thread;

/// A value of two halves, each watched by loom for as long as it is looked at: also after `value()` has returned.
struct Halves([UnsafeCell<u64>; 2]);

impl Halves {
    fn new(value: u64) -> Self {
        Self([UnsafeCell::new(value), UnsafeCell::new(value)])
    }

    fn set(&mut self, value: u64) {
        for half in &self.0 {
            half.with_mut(|half| unsafe { *half = value });
        }
    }

    /// Both halves, which must be of one value.
    fn whole(&self) -> u64 {
        let [a, b] = [0, 1].map(|i| self.0[i].with(|half| unsafe { *half }));
        assert_eq!(a, b, "torn");
        a
    }
}

impl Clone for Halves {
    fn clone(&self) -> Self {
        Self::new(self.whole())
    }
}

#[test]
fn values_are_whole_and_never_go_back() {
    loom::model(|| {
        let (mut writer, mut reader) = exchange(Halves::new(0));
        let producer = thread::spawn(move || {
            for value in 1..=3 {
                writer.edit(|slot| slot.set(value));
            }
        });
        let mut last = 0;
        for _ in 0..3 {
            let is_new = reader.update();
            let value = reader.value().whole();
            assert!(if is_new { value > last } else { value == last }, "{value} after {last}, new: {is_new}");
            last = value;
        }
        producer.join().unwrap();
        let is_new = reader.update();
        assert_eq!(reader.value().whole(), 3, "the latest value wins");
        assert_eq!(is_new, last < 3);
    });
}

#[test]
fn both_directions_at_once() {
    loom::model(|| {
        let (mut state_writer, mut state_reader) = exchange(Halves::new(0));
        let (mut force_writer, mut force_reader) = exchange(Halves::new(0));
        let servo = thread::spawn(move || {
            let state = state_reader.read().value.whole();
            force_writer.edit(|slot| slot.set(10 + state));
        });
        state_writer.edit(|slot| slot.set(1));
        let force = force_reader.read().value.whole();
        assert!([0, 10, 11].contains(&force));
        servo.join().unwrap();
        assert!(force_reader.read().value.whole() >= 10);
    });
}

#[test]
fn values_outlive_either_side() {
    loom::model(|| {
        let (mut writer, mut reader) = exchange(Halves::new(0));
        let producer = thread::spawn(move || writer.edit(|slot| slot.set(1)));
        assert!(reader.read().value.whole() <= 1);
        producer.join().unwrap();
        assert_eq!(reader.read().value.whole(), 1);
    });
}
