//! Numbers as people read them.

use std::time::Duration;

pub(crate) use isotouch::output::numbers::{coordinate, count, number};

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
    fn bytes_and_durations_are_readable() {
        assert_eq!(
            [5, 999, 1500, 99_960, 9_123_456, 34_000_000_000].map(bytes),
            ["5 bytes", "999 bytes", "1.5 kB", "100 kB", "9.1 MB", "34.0 GB"]
        );
        let shown = [0.0004, 0.0052, 0.035, 1.239, 42.0, 200.0].map(|s| duration(Duration::from_secs_f64(s)));
        assert_eq!(shown, ["0.40 ms", "5.2 ms", "35 ms", "1.24 s", "42.0 s", "3 min 20 s"]);
        assert_eq!([plural(1, "point"), plural(2000, "point")], ["1 point", "2,000 points"]);
    }
}
