//! Points by cube of space: who is within a fixed reach.

use std::ops::ControlFlow;

use glam::DVec3;

use crate::math::Aabb;

/// No cell, and no point.
const NO_CELL: u64 = u64::MAX;
const NO_POINT: u32 = u32::MAX;

/// Cubes twice as wide as the reach, so that what is within it lies in at most eight of them. Cubes are found by hashing; those with points
/// have a list of them.
pub(super) struct PointGrid {
    origin: DVec3,
    cell: f64,
    /// Open addressing: the key of a cube and its newest point. The length is a power of two.
    table: Vec<(u64, u32)>,
    used: usize,
    points: Vec<DVec3>,
    /// For every point the one before it in its cube.
    before: Vec<u32>,
}

impl PointGrid {
    /// `bounds` holds all points there will ever be, but for rounding; `reach` is at least 2⁻²⁰ of its size.
    pub(super) fn new(bounds: Aabb, reach: f64) -> Self {
        let cell = 2.0 * reach;
        Self {
            // A cube below, so that coordinates of neighbours are not below 0.
            origin: bounds.min - DVec3::splat(2.0 * cell),
            cell,
            table: vec![(NO_CELL, NO_POINT); 1024],
            used: 0,
            points: Vec::new(),
            before: Vec::new(),
        }
    }

    pub(super) fn insert(&mut self, point: DVec3) {
        if 2 * self.used >= self.table.len() {
            self.grow();
        }
        let key = key((point - self.origin) / self.cell);
        let slot = find(&self.table, key);
        if self.table[slot].0 == NO_CELL {
            self.used += 1;
        }
        let index = self.points.len() as u32;
        self.before.push(self.table[slot].1);
        self.points.push(point);
        self.table[slot] = (key, index);
    }

    fn grow(&mut self) {
        let mut table = vec![(NO_CELL, NO_POINT); 2 * self.table.len()];
        for &(key, point) in self.table.iter().filter(|(key, _)| *key != NO_CELL) {
            let slot = find(&table, key);
            table[slot] = (key, point);
        }
        self.table = table;
    }

    /// Calls `visit` with the number and the squared distance of all points within `reach` of `p`, at most the grid's, until it says to stop;
    /// whether it did.
    #[inline]
    pub(super) fn near(
        &self,
        p: DVec3,
        reach: f64,
        mut visit: impl FnMut(u32, f64) -> ControlFlow<()>,
    ) -> bool {
        let limit = reach * reach;
        let low = (p - self.origin) / self.cell - 0.5;
        for k in 0..8 {
            let corner = low + DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2));
            let mut at = self.table[find(&self.table, key(corner))].1;
            while at != NO_POINT {
                let squared = p.distance_squared(self.points[at as usize]);
                if squared <= limit && visit(at, squared).is_break() {
                    return true;
                }
                at = self.before[at as usize];
            }
        }
        false
    }
}

/// 21 bits of each coordinate.
fn key(at: DVec3) -> u64 {
    let [x, y, z] = at.to_array().map(|c| c.clamp(0.0, 2_097_151.0) as u64);
    x | y << 21 | z << 42
}

/// Where a key is, or would be.
#[inline]
fn find(table: &[(u64, u32)], key: u64) -> usize {
    let last = table.len() - 1;
    let mut hash = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^= hash >> 32;
    let mut slot = hash as usize & last;
    while table[slot].0 != key && table[slot].0 != NO_CELL {
        slot = (slot + 1) & last;
    }
    slot
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::unit;

    #[test]
    fn finds_what_brute_force_finds() {
        let points: Vec<DVec3> =
            (0..3000).map(|k| DVec3::new(unit(1, k), 0.2 * unit(2, k), 3.0 * unit(3, k))).collect();
        let mut grid = PointGrid::new(Aabb::of_points(points.iter().copied()), 0.1);
        points.iter().for_each(|&p| grid.insert(p));
        let mut seen = 0;
        for k in 0..300 {
            let p = DVec3::new(unit(4, k), 0.2 * unit(5, k), 3.0 * unit(6, k));
            for reach in [0.1, 0.03] {
                let mut found = Vec::new();
                let stopped = grid.near(p, reach, |i, squared| {
                    assert_eq!(squared, p.distance_squared(points[i as usize]));
                    found.push(i);
                    ControlFlow::Continue(())
                });
                assert!(!stopped);
                found.sort_unstable();
                let expected: Vec<u32> =
                    (0..3000).filter(|&i| p.distance(points[i as usize]) <= reach).collect();
                assert_eq!(found, expected);
                seen += found.len();
            }
        }
        assert!(seen > 1000);
    }
}
