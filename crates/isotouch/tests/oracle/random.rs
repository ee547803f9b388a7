//! Random numbers that are the same on every run.

use isotouch::field::Field;
use isotouch::math::{Aabb, DVec3, IVec3};

/// SplitMix64 (Steele et al. 2014).
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * 2f64.powi(-53)
    }

    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    pub fn in_box(&mut self, bounds: Aabb) -> DVec3 {
        bounds.min + bounds.extent() * DVec3::new(self.unit(), self.unit(), self.unit())
    }

    /// In the cube [−1, 1]³.
    pub fn in_cube(&mut self) -> DVec3 {
        self.in_box(Aabb::new(DVec3::NEG_ONE, DVec3::ONE))
    }

    /// Where a node of a field is.
    pub fn node(&mut self, field: &Field) -> DVec3 {
        let grid = field.grid();
        let n = grid.nodes().to_array().map(|n| self.below(n as usize) as i32);
        grid.bounds().project(grid.node_position(IVec3::from_array(n)))
    }

    pub fn nodes(&mut self, field: &Field, count: usize) -> Vec<DVec3> {
        (0..count).map(|_| self.node(field)).collect()
    }
}
