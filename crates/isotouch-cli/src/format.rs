//! Numbers as people read them.

use std::time::Duration;

/// About four digits: 0.01234, 12.5, 1.2e-7.
pub(crate) fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let exponent = value.abs().log10().floor() as i32;
    if !(-4..6).contains(&exponent) {
        let text = format!("{value:.3e}");
        return match text.split_once('e') {
            Some((mantissa, power)) => format!("{}e{power}", without_trailing_zeros(mantissa)),
            None => text,
        };
    }
    without_trailing_zeros(&format!("{value:.*}", (3 - exponent).max(0) as usize)).into()
}

fn without_trailing_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// 1,234,567
pub(crate) fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// 12.3 MB, in powers of 1000.
pub(crate) fn bytes(value: u64) -> String {
    let mut value = value as f64;
    for unit in ["bytes", "kB", "MB", "GB"] {
        if value < 999.5 {
            let digits = if unit == "bytes" || value >= 99.95 { 0 } else { 1 };
            return format!("{value:.digits$} {unit}");
        }
        value /= 1000.0;
    }
    format!("{value:.1} TB")
}

/// 35 ms, 1.24 s, 3 min 20 s
pub(crate) fn duration(value: Duration) -> String {
    let seconds = value.as_secs_f64();
    match seconds {
        s if s < 0.001 => format!("{:.2} ms", s * 1e3),
        s if s < 0.01 => format!("{:.1} ms", s * 1e3),
        s if s < 0.9995 => format!("{:.0} ms", s * 1e3),
        s if s < 9.995 => format!("{s:.2} s"),
        s if s < 99.95 => format!("{s:.1} s"),
        s => {
            let s = s.round() as u64;
            format!("{} min {} s", s / 60, s % 60)
        }
    }
}

/// "1 point", "2 points"
pub(crate) fn plural(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", count(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        for (value, text) in [
            (0.0, "0"),
            (0.0123456, "0.01235"),
            (-12.5, "-12.5"),
            (123456.7, "123457"),
            (1.2e-7, "1.2e-7"),
            (2e9, "2e9"),
            (f64::NAN, "NaN"),
            (100.0, "100"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn counts_bytes_and_durations_are_readable() {
        assert_eq!([0, 999, 1000, 1234567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(
            [5, 999, 1500, 99_960, 9_123_456, 34_000_000_000].map(bytes),
            ["5 bytes", "999 bytes", "1.5 kB", "100 kB", "9.1 MB", "34.0 GB"]
        );
        let shown = [0.0004, 0.0052, 0.035, 1.239, 42.0, 200.0].map(|s| duration(Duration::from_secs_f64(s)));
        assert_eq!(shown, ["0.40 ms", "5.2 ms", "35 ms", "1.24 s", "42.0 s", "3 min 20 s"]);
        assert_eq!([plural(1, "point"), plural(2000, "point")], ["1 point", "2,000 points"]);
    }
}
