//! Round numbers for scales: steps of 1, 2 or 5 times a power of ten.

/// The smallest step of 1, 2 or 5 times a power of ten that is at least `length`. `length` is positive and finite.
pub(in crate::output) fn round_step_at_least(length: f64) -> f64 {
    let power = 10f64.powf(length.log10().floor());
    // The last factor catches a logarithm that was rounded down across a power of ten.
    [1.0, 2.0, 5.0, 10.0, 20.0]
        .into_iter()
        .map(|factor| exact(factor, power))
        .find(|&step| step >= length * (1.0 - 1e-9))
        .unwrap_or(length)
}

/// The largest step of 1, 2 or 5 times a power of ten that is at most `length`.
pub(super) fn round_step_at_most(length: f64) -> f64 {
    let power = 10f64.powf(length.log10().floor());
    [5.0, 2.0, 1.0, 0.5]
        .into_iter()
        .map(|factor| exact(factor, power))
        .find(|&step| step <= length * (1.0 + 1e-9))
        .unwrap_or(length)
}

/// `factor · power` as the nearest number to the decimal it stands for: 0.2 and not 0.20000000000000001110.
fn exact(factor: f64, power: f64) -> f64 {
    format!("{:.0e}", factor * power).parse().unwrap_or(factor * power)
}

/// A multiple of a round step, with as many digits as the step needs: 0.20 never, 1e-6 when that is shorter.
pub(in crate::output) fn label(value: f64, step: f64) -> String {
    let step_exponent = step.abs().log10().floor() as i32;
    if value == 0.0 {
        return "0".into();
    }
    let exponent = value.abs().log10().floor() as i32;
    if step_exponent < -4 || exponent > 5 {
        let digits = (exponent - step_exponent).max(0) as usize;
        let text = format!("{value:.digits$e}");
        // 1.50e-6 → 1.5e-6
        return match text.split_once('e') {
            Some((mantissa, power)) if mantissa.contains('.') => {
                format!("{}e{power}", mantissa.trim_end_matches('0').trim_end_matches('.'))
            }
            _ => text,
        };
    }
    format!("{value:.*}", (-step_exponent).max(0) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_bracket_the_length() {
        for i in -200..200 {
            let length = 1.07f64.powi(i) * 0.3;
            let (below, above) = (round_step_at_most(length), round_step_at_least(length));
            assert!(below <= length && length <= above && above <= 2.6 * below, "{below} {length} {above}");
            for step in [below, above] {
                let digits = format!("{step:e}");
                assert!(matches!(digits.split_once('e'), Some(("1" | "2" | "5", _))), "{digits}");
            }
        }
        assert_eq!(round_step_at_least(0.2), 0.2);
        assert_eq!(round_step_at_least(1000.0), 1000.0);
        assert_eq!(round_step_at_most(1000.0), 1000.0);
    }

    #[test]
    fn labels_are_as_short_as_their_step_allows() {
        let cases: [(f64, f64, &str); 8] = [
            (0.0, 0.1, "0"),
            (-0.2, 0.1, "-0.2"),
            (1.0, 0.5, "1.0"),
            (250.0, 50.0, "250"),
            (0.30000000000000004, 0.1, "0.3"),
            (2e-5, 1e-5, "2e-5"),
            (1.5e-5, 5e-6, "1.5e-5"),
            (2_000_000.0, 1e6, "2e6"),
        ];
        for (value, step, text) in cases {
            assert_eq!(label(value, step), text);
        }
    }
}
