//! The segments that are cast: from a file, or random ones.

use std::path::Path;

use anyhow::anyhow;
use isotouch::ccd::{Hit, Interval, Segment};
use isotouch::field::{Field, available_memory};
use isotouch::math::DVec3;
use isotouch::output::npy;

use crate::console::Console;
use crate::failure::{Classify, Failure};
use crate::format::{bytes, count, plural};

/// Most random segments.
pub(super) const MOST_RANDOM: u32 = 100_000_000;

/// Bytes for each segment at most at one time: itself, its start, once more among those that start outside, and its answer, which
/// for all contacts is a list with room for four, and a row for one of them.
const BYTES_PER_HIT: u64 = (3 * size_of::<Segment>() + size_of::<Option<Hit>>()) as u64;
const BYTES_PER_CONTACTS: u64 =
    (3 * size_of::<Segment>() + size_of::<Vec<Interval>>() + 4 * size_of::<Interval>() + size_of::<DVec3>())
        as u64;

pub(super) fn read(path: &Path) -> Result<Vec<Segment>, Failure> {
    let pairs = npy::read_pairs(path).or_bad_input()?;
    Ok(pairs.into_iter().map(|[from, to]| Segment::new(from, to)).collect())
}

/// An error when so many random segments take more memory than there is.
pub(super) fn check_memory(segments: u32, intervals: bool) -> Result<(), Failure> {
    check_memory_of(segments, intervals, available_memory().unwrap_or(u64::MAX))
}

fn check_memory_of(segments: u32, intervals: bool, available: u64) -> Result<(), Failure> {
    let needed = u64::from(segments) * if intervals { BYTES_PER_CONTACTS } else { BYTES_PER_HIT };
    if needed <= available {
        return Ok(());
    }
    Err(anyhow!(
        "{} random segments need about {}, and {} are available; cast fewer with --random",
        count(u64::from(segments)),
        bytes(needed),
        bytes(available)
    ))
    .or_bad_input()
}

/// Says of which segments nothing can be proven, so that contact from the start is assumed: those with coordinates that are no numbers, and those so
/// long that their length in cells is none.
pub(super) fn warn_of_unusable(path: &Path, segments: &[Segment], field: &Field, console: &Console) {
    let is_finite = |s: &Segment| s.from.is_finite() && s.to.is_finite();
    let has_length = |s: &Segment| ((s.to - s.from) / field.grid().cell).length_squared().is_finite();
    let warn = |is_bad: &dyn Fn(&Segment) -> bool, what: &str| {
        let bad = segments.iter().filter(|s| is_bad(s)).count() as u64;
        if let Some(first) = segments.iter().position(is_bad) {
            console.warn(format_args!(
                "{}: {} {} {what}, the first at index {first}: nothing can be proven, so contact from the start is assumed",
                path.display(),
                plural(bad, "segment"),
                if bad == 1 { "is" } else { "are" },
            ));
        }
    };
    warn(&|s| !is_finite(s), "not finite");
    warn(&|s| is_finite(s) && !has_length(s), "too long to be measured");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_asked_for_before_it_is_taken() {
        assert!(check_memory_of(1_000, false, 1 << 20).is_ok());
        for intervals in [false, true] {
            let error = check_memory_of(MOST_RANDOM, intervals, 2_000_000_000).unwrap_err().to_string();
            assert!(error.contains("100,000,000 random segments") && error.contains("2.0 GB"), "{error}");
            assert!(error.contains("--random"), "{error}");
        }
    }
}
