//! Random numbers that are the same everywhere.

use glam::{DQuat, DVec3, UVec3};

/// The SplitMix64 generator.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A whole number below `end`.
    fn below(&mut self, end: u32) -> u32 {
        ((u128::from(self.bits()) * u128::from(end)) >> 64) as u32
    }

    /// A number in [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * 2f64.powi(-53)
    }

    /// A vector of length 1, every direction alike: z of such vectors is spread evenly (Archimedes).
    pub(crate) fn direction(&mut self) -> DVec3 {
        let z = 2.0 * self.unit() - 1.0;
        let (sin, cos) = (std::f64::consts::TAU * self.unit()).sin_cos();
        let radius = (1.0 - z * z).max(0.0).sqrt();
        DVec3::new(radius * cos, radius * sin, z)
    }

    /// A rotation, all of them alike (Shoemake 1992).
    pub(crate) fn rotation(&mut self) -> DQuat {
        let [u, v, w] =
            [self.unit(), std::f64::consts::TAU * self.unit(), std::f64::consts::TAU * self.unit()];
        let (a, b) = ((1.0 - u).sqrt(), u.sqrt());
        DQuat::from_xyzw(a * v.sin(), a * v.cos(), b * w.sin(), b * w.cos())
    }

    /// Each coordinate a whole number below that of `end`.
    pub(crate) fn index_below(&mut self, end: UVec3) -> UVec3 {
        UVec3::new(self.below(end.x), self.below(end.y), self.below(end.z))
    }
}
