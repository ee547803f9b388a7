//! What every wrench keeps, wherever it goes out.

use crate::math::DVec3;

/// What is older than this, s, is not answered with a force: it has not been felt as one event for long.
pub const LONGEST_STALE: f64 = 0.010;

/// A device that is silent for longer, s, is lost: in the tick after that at the latest it is noticed, and in time for [`LONGEST_STALE`] it is told to push with nothing.
pub(crate) const LONGEST_SILENCE: f64 = 0.008;

/// The same direction, at most this long. Of finite numbers it makes finite ones, also where squares overflow.
pub(super) fn shortened(v: DVec3, longest: f64, was_longer: &mut bool) -> DVec3 {
    let largest = v.abs().max_element();
    if largest == 0.0 {
        return DVec3::ZERO;
    }
    // Numbers up to 1, so that the length is finite and not 0.
    let unit = v / largest;
    let length = unit.length();
    if length * largest <= longest {
        return v;
    }
    *was_longer = true;
    unit * (longest / length)
}
