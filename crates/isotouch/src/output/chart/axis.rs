//! What an axis shows, and where its round numbers are.

use crate::output::numbers::number;
use crate::output::picture::{label, round_step_at_least};

/// How numbers are spread along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Equal differences take equal lengths.
    #[default]
    Linear,
    /// Equal ratios take equal lengths. What is not positive has no place.
    Logarithmic,
}

/// Numbers beyond this have no place on an axis, as infinite ones have none: differences of them overflow.
const LARGEST: f64 = 1e300;

/// Ranges are at least this wide, and this part of the numbers in them: else ticks could not be told apart.
const LEAST_WIDTH: f64 = 1e-300;
const LEAST_SHARE: f64 = 1e-12;

/// From the first to the last number that an axis shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::output) struct Range {
    pub(in crate::output) scale: Scale,
    pub(in crate::output) low: f64,
    pub(in crate::output) high: f64,
}

/// A number beside an axis; minor ones have no words.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::output) struct Tick {
    pub(in crate::output) value: f64,
    pub(in crate::output) label: String,
}

/// All numbers beside an axis.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::output) struct Ticks {
    pub(in crate::output) ticks: Vec<Tick>,
    /// What was taken off every label, because all that is of interest happens in the last digits.
    pub(in crate::output) base: Option<String>,
}

impl Range {
    /// Just around the numbers that have a place.
    pub(in crate::output) fn tight(scale: Scale, values: impl Iterator<Item = f64>) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|&value| has_place(scale, value)) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            return match scale {
                Scale::Linear => Self { scale, low: 0.0, high: 1.0 },
                Scale::Logarithmic => Self { scale, low: 0.1, high: 10.0 },
            };
        }
        Self { scale, low, high }.widened()
    }

    /// With some air: from zero when that is not far, to the next power of ten on a logarithmic scale.
    pub(in crate::output) fn airy(scale: Scale, values: impl Iterator<Item = f64>) -> Self {
        let Self { low, high, .. } = Self::tight(scale, values);
        match scale {
            Scale::Logarithmic if high / low >= 10.0 => {
                let power = |exponent: f64| 10f64.powi(exponent as i32);
                // What is a power of ten but for rounding needs no further one.
                let (low, high) = ((low.log10() + 1e-9).floor(), (high.log10() - 1e-9).ceil());
                Self { scale, low: power(low), high: power(high) }
            }
            Scale::Logarithmic => {
                let air = (high / low).powf(0.06);
                Self { scale, low: low / air, high: high * air }
            }
            Scale::Linear => {
                let air = 0.06 * (high - low);
                let is_near_zero = |value: f64| value.abs() < 0.4 * (high - low);
                let low = if low >= 0.0 && is_near_zero(low) { 0.0 } else { low - air };
                let high = if high <= 0.0 && is_near_zero(high) { 0.0 } else { high + air };
                Self { scale, low, high }
            }
        }
    }

    /// A single number gets room on both sides.
    fn widened(self) -> Self {
        let Self { scale, low, high } = self;
        let least = LEAST_WIDTH.max(LEAST_SHARE * low.abs().max(high.abs()));
        if high - low >= least {
            return self;
        }
        match scale {
            Scale::Logarithmic => Self { scale, low: low / 2.0, high: high * 2.0 },
            Scale::Linear if low == 0.0 => Self { scale, low: -1.0, high: 1.0 },
            Scale::Linear => Self { scale, low: low - 0.1 * low.abs(), high: high + 0.1 * high.abs() },
        }
    }

    /// How far along the axis a number is: 0 at its beginning, 1 at its end. Not for what has no place.
    pub(in crate::output) fn share(&self, value: f64) -> Option<f64> {
        if !has_place(self.scale, value) {
            return None;
        }
        let share = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Logarithmic => (value / self.low).log10() / (self.high / self.low).log10(),
        };
        Some(share.clamp(0.0, 1.0))
    }

    /// About so many numbers, or fewer.
    pub(in crate::output) fn ticks(&self, most: usize) -> Ticks {
        let most = most.max(2);
        let mut found = match self.scale {
            Scale::Linear => self.linear_ticks(most),
            Scale::Logarithmic => self.logarithmic_ticks(most),
        };
        // The room beside the largest and smallest of all numbers has none.
        found.ticks.retain(|tick| has_place(self.scale, tick.value));
        found
    }

    fn linear_ticks(&self, most: usize) -> Ticks {
        let (width, size) = (self.high - self.low, self.low.abs().max(self.high.abs()));
        // 9.80665 ± 10⁻⁶ is shown as differences from 9.80665, for twelve digits at each tick are not read.
        let base = (width < 1e-4 * size).then(|| {
            let coarse = width.log10().ceil();
            let start = (0.5 * (self.low + self.high) / 10f64.powf(coarse)).round() * 10f64.powf(coarse);
            let text = if start.abs() < 1e7 {
                format!("{start:.*}", (-coarse).max(0.0) as usize)
            } else {
                let digits = (size.log10() - coarse).ceil().max(0.0) as usize;
                format!("{start:.digits$e}")
            };
            // What is taken off is what is said.
            (text.parse().unwrap_or(start), text)
        });
        let zero = base.as_ref().map_or(0.0, |(zero, _)| *zero);
        let (low, high) = (self.low - zero, self.high - zero);
        let step = round_step_at_least(width / most as f64);
        let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
        let count = (last - first).max(0.0) as usize + 1;
        let tick = |k: usize| {
            let value = (first + k as f64) * step;
            Tick { value: value + zero, label: minus(&label(value, step)) }
        };
        Ticks {
            ticks: (0..count.min(4 * most)).map(tick).collect(),
            base: base.map(|(_, text)| minus(&text)),
        }
    }

    fn logarithmic_ticks(&self, most: usize) -> Ticks {
        let first = (self.low.log10() - 1e-9).ceil() as i32;
        let last = (self.high.log10() + 1e-9).floor() as i32;
        let powers = (last - first + 1).max(0);
        if powers < 2 && self.high / self.low < 5.0 {
            return self.linear_ticks(most);
        }
        let between = self.low * (1.0 - 1e-9)..=self.high * (1.0 + 1e-9);
        let every = (powers as usize).div_ceil(most) as i32;
        let mut ticks = Vec::new();
        for exponent in first - 1..=last {
            for digit in 1..10 {
                let value: f64 = format!("{digit}e{exponent}").parse().unwrap_or(f64::NAN);
                let is_named = match digit {
                    1 => exponent % every.max(1) == 0,
                    // Few powers leave room for the numbers between them.
                    2 | 5 => 3 * powers as usize <= most && powers < 3,
                    _ => false,
                };
                let is_drawn = is_named || (every <= 1 && powers < 9);
                if is_drawn && between.contains(&value) {
                    let label = if is_named { minus(&number(value)) } else { String::new() };
                    ticks.push(Tick { value, label });
                }
            }
        }
        Ticks { ticks, base: None }
    }
}

fn has_place(scale: Scale, value: f64) -> bool {
    match scale {
        // Written so that NaN has none.
        Scale::Linear => value.abs() <= LARGEST,
        Scale::Logarithmic => (1.0 / LARGEST..=LARGEST).contains(&value),
    }
}

/// With the sign that is as wide as a digit.
fn minus(text: &str) -> String {
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn named(range: &Range, most: usize) -> Vec<String> {
        range.ticks(most).ticks.into_iter().map(|tick| tick.label).filter(|label| !label.is_empty()).collect()
    }

    #[test]
    fn ticks_are_round() {
        let linear = |low, high| Range { scale: Scale::Linear, low, high };
        assert_eq!(named(&linear(0.0, 1.06), 6), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(named(&linear(-3.0, 4.2), 4), ["−2", "0", "2", "4"]);
        assert_eq!(named(&linear(0.0, 2e-6), 4), ["0", "5e−7", "1e−6", "1.5e−6", "2e−6"]);
        let logarithmic = |low, high| Range { scale: Scale::Logarithmic, low, high };
        assert_eq!(named(&logarithmic(1e-3, 1e2), 8), ["0.001", "0.01", "0.1", "1", "10", "100"]);
        assert_eq!(named(&logarithmic(1.0, 40.0), 8), ["1", "2", "5", "10", "20"]);
        assert_eq!(named(&logarithmic(3.0, 7.0), 4), ["3", "4", "5", "6", "7"]);
        assert!(named(&logarithmic(1e-12, 1e3), 6).len() <= 6);
    }

    #[test]
    fn what_happens_in_the_last_digits_is_shown_as_differences() {
        let ticks = Range { scale: Scale::Linear, low: 9.80665 - 2e-7, high: 9.80665 + 2e-7 }.ticks(5);
        assert_eq!(ticks.base.as_deref(), Some("9.806650"));
        assert!(ticks.ticks.iter().all(|tick| tick.label.chars().count() < 8), "{ticks:?}");
        let ticks = Range { scale: Scale::Linear, low: -4.2e9 - 1.0, high: -4.2e9 }.ticks(5);
        assert!(ticks.base.is_some_and(|base| base.contains("e9")));
    }

    #[test]
    fn ranges_have_air_and_zero_where_it_is_near() {
        let of = |values: &[f64]| {
            let range = Range::airy(Scale::Linear, values.iter().copied());
            [range.low, range.high]
        };
        assert_eq!(of(&[1.0, 10.0])[0], 0.0);
        assert!(of(&[9.0, 10.0])[0] > 8.0);
        assert_eq!(of(&[-10.0, -1.0])[1], 0.0);
        assert_eq!(of(&[f64::NAN, f64::INFINITY]), [0.0, 1.06]);
        let log = Range::airy(Scale::Logarithmic, [0.0, -1.0, 0.002, 30.0, 1000.0].into_iter());
        assert!((log.low - 0.001).abs() < 1e-15 && log.high == 1000.0, "{log:?}");
    }

    /// There was a tick for 5·10⁻³⁰¹, which has no place.
    #[test]
    fn beside_the_smallest_number_there_is_no_tick() {
        let range = Range::airy(Scale::Logarithmic, [1e-300].into_iter());
        let ticks = range.ticks(7).ticks;
        assert!(!ticks.is_empty() && ticks.iter().all(|tick| range.share(tick.value).is_some()), "{ticks:?}");
    }

    proptest! {
        /// Any numbers make a range in which they have their place, with ticks in it that ascend.
        #[test]
        fn any_numbers_have_ticks(bits in prop::collection::vec(any::<u64>(), 0..4), close: bool, is_log: bool) {
            let scale = if is_log { Scale::Logarithmic } else { Scale::Linear };
            let mut values: Vec<f64> = bits.into_iter().map(f64::from_bits).collect();
            if close && let Some(&first) = values.first() {
                values = vec![first, first * (1.0 + 3e-16), first * (1.0 + 1e-10)];
            }
            for range in [Range::tight(scale, values.iter().copied()), Range::airy(scale, values.iter().copied())] {
                prop_assert!(range.low < range.high, "{range:?}");
                for &value in &values {
                    prop_assert_eq!(range.share(value).is_some(), has_place(scale, value));
                }
                let ticks = range.ticks(7).ticks;
                prop_assert!(ticks.len() < 80);
                prop_assert!(ticks.windows(2).all(|pair| pair[0].value < pair[1].value), "{range:?} {ticks:?}");
                prop_assert!(ticks.iter().all(|tick| range.share(tick.value).is_some()), "{range:?} {ticks:?}");
            }
        }
    }
}
