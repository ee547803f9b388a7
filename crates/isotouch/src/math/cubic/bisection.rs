//! The root by the 2014 paper (Xu and Barbič, §3.1), for comparison: it assumes a single intersection per cell.
//!
//! - Where both ends of the piece lie above σ the cell is skipped, so that every touch and every dip in between is **missed**
//!   (2016, Fig. 2a).
//! - Where p crosses three times, any of the three roots comes out (2016, Fig. 2b).
//! - It stops after five iterations, converged or not.

use super::CellCubic;

/// Iterations at most, as in both papers.
pub const ITERATIONS: u32 = 5;

/// What counts as converged, relative to the larger end value. The papers name none; this is the precision of stored nodes.
const CONVERGED: f64 = 1.0 / (1u64 << 24) as f64;

/// Where p first reaches zero if it does so once: 0 when the piece starts inside, `None` when it ends on the side it starts on.
#[inline(always)]
pub fn first_hit(cubic: &CellCubic) -> Option<f64> {
    let [start, .., end] = cubic.bernstein();
    if start <= 0.0 {
        return Some(0.0);
    }
    if end > 0.0 {
        return None;
    }
    let powers = cubic.powers();
    let enough = CONVERGED * if start > -end { start } else { -end };
    let (mut s1, mut above, mut s2, mut below) = (0.0, start, 1.0, end);
    let mut s = 0.0;
    for _ in 0..ITERATIONS {
        // t_hit = t₁ + (t₂ − t₁)(φ₁ − σ)/(φ₁ − φ₂)    (2014, eq. 2)
        s = s1 + (s2 - s1) * (above / (above - below));
        let value = powers.value(s);
        if value.abs() <= enough {
            break;
        }
        if value > 0.0 {
            (s1, above) = (s, value);
        } else {
            (s2, below) = (s, value);
        }
    }
    Some(s)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dip_between_two_ends_above_is_missed() {
        let dip = CellCubic::from_bernstein([1.0, -2.0, -2.0, 1.0], 2.0);
        assert_eq!(first_hit(&dip), None);
        assert!(dip.first_hit().is_some());
    }

    #[test]
    fn a_straight_path_needs_one_step() {
        let straight = CellCubic::from_bernstein([1.0, 0.0, -1.0, -2.0], 2.0);
        assert_eq!(first_hit(&straight), Some(1.0 / 3.0));
    }
}
