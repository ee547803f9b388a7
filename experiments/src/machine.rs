//! Where and when numbers were measured.

use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use isotouch::simd::SimdLevel;

/// Processor, cores and vector instructions.
pub(crate) fn describe() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        info.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            (key.trim() == name).then(|| value.trim().to_string())
        })
    };
    let model = field("model name").unwrap_or_else(|| format!("unknown {}", std::env::consts::ARCH));
    // A virtual machine may hide the name of its processor, but not its numbers.
    let numbers = match (field("cpu family"), field("model"), field("cpu MHz")) {
        (Some(family), Some(model), Some(mhz)) => format!(" (family {family}, model {model}, {mhz} MHz)"),
        _ => String::new(),
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let simd = SimdLevel::detect();
    format!("{model}{numbers}, {cores} cores, {simd}, {} threads where not said otherwise", crate::THREADS)
}

/// The package's version, and the commit where git knows it.
pub(crate) fn version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let commit = Command::new("git")
        .args(["describe", "--always", "--dirty"])
        .current_dir(crate::models::project_root())
        .output()
        .ok()
        .filter(|output| output.status.success())
        .and_then(|output| String::from_utf8(output.stdout).ok());
    match commit {
        Some(commit) => format!("{version} ({})", commit.trim()),
        None => version.to_string(),
    }
}

/// The time now, as in `2025-01-31 12:00 UTC`.
pub(crate) fn utc_now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (year, month, day) = date_of_day(seconds / 86_400);
    let minutes = seconds / 60 % 1440;
    format!("{year}-{month:02}-{day:02} {:02}:{:02} UTC", minutes / 60, minutes % 60)
}

/// Year, month and day of a day counted from 1 January 1970.
fn date_of_day(mut day: u64) -> (u64, usize, u64) {
    let is_leap = |year: u64| year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let mut year = 1970;
    while day >= 365 + u64::from(is_leap(year)) {
        day -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while day >= lengths[month] {
        day -= lengths[month];
        month += 1;
    }
    (year, month + 1, day + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_around_leap_days() {
        assert_eq!(date_of_day(0), (1970, 1, 1));
        assert_eq!(date_of_day(11_016), (2000, 2, 29));
        assert_eq!(date_of_day(11_017), (2000, 3, 1));
        assert_eq!(date_of_day(20_088), (2024, 12, 31));
        assert_eq!(date_of_day(20_089), (2025, 1, 1));
    }
}
