//! Numbers that look random and are the same on every machine.

/// A number in [0, 1) from a seed and a counter (SplitMix64, Steele et al. 2014), so that they do not depend on each other.
pub(crate) fn unit(seed: u64, counter: u64) -> f64 {
    let mut z =
        seed.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(counter.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 * 2f64.powi(-53)
}
