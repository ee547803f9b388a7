//! Points by cube of space: who is within a fixed reach.

use std::ops::ControlFlow;

use glam::DVec3;

use crate::math::Aabb;

/// No point: its place in the table is empty.
const NO_POINT: u32 = u32::MAX;

/// Cubes twice as wide as the reach, so that what is within it lies in at most eight of them. Cubes are found by hashing, however many there
/// are room for; those with points have a list of them.
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
    /// `bounds` holds all points there will ever be, but for rounding. It may be as large as it likes for the reach: only cubes with points
    /// take room.
    pub(super) fn new(bounds: Aabb, reach: f64) -> Self {
        // Coordinates of cubes are off by 2⁻⁵² of the size at most; wider by more than that, cubes miss no point within the reach, and
        // 64 bits count them.
        let cell = 2.0 * reach + 2f64.powi(-50) * bounds.extent().max_element();
        Self {
            origin: bounds.min,
            cell,
            table: vec![(0, NO_POINT); 1024],
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
        if self.table[slot].1 == NO_POINT {
            self.used += 1;
        }
        let index = self.points.len() as u32;
        self.before.push(self.table[slot].1);
        self.points.push(point);
        self.table[slot] = (key, index);
    }

    fn grow(&mut self) {
        let mut table = vec![(0, NO_POINT); 2 * self.table.len()];
        for &(key, point) in self.table.iter().filter(|(_, point)| *point != NO_POINT) {
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

/// A number for the cube that holds a place. Cubes with the same number are millions of cubes apart, never neighbours; they share a
/// list, which costs time and nothing else.
fn key(at: DVec3) -> u64 {
    // Odd numbers without a pattern, so that no small steps along the axes cancel.
    const ALONG: [u64; 3] = [1, 0xd6e8_feb8_6659_fd93, 0xa076_1d64_78bd_642f];
    let cube = at.to_array().map(|c| c.floor() as i64 as u64);
    (0..3).fold(0, |key: u64, axis| key.wrapping_add(cube[axis].wrapping_mul(ALONG[axis])))
}

/// Where a key is, or would be.
#[inline]
fn find(table: &[(u64, u32)], key: u64) -> usize {
    let last = table.len() - 1;
    let mut hash = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^= hash >> 32;
    let mut slot = hash as usize & last;
    while table[slot].0 != key && table[slot].1 != NO_POINT {
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
        let close = Aabb::of_points(points.iter().copied());
        for corner in [DVec3::ZERO, DVec3::splat(-1e3), DVec3::new(1e9, -1e12, 0.0)] {
            check(&points, close.including(corner));
        }
    }

    fn check(points: &[DVec3], bounds: Aabb) {
        let mut grid = PointGrid::new(bounds, 0.1);
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

    /// A box as large as that left 2²⁰ cubes along a side, and all points in one.
    #[test]
    fn a_large_box_leaves_few_points_to_a_cube() {
        let points: Vec<DVec3> =
            (0..100).flat_map(|x| (0..100).map(move |y| DVec3::new(x.into(), y.into(), 0.0))).collect();
        let mut grid = PointGrid::new(Aabb { min: DVec3::splat(-1e12), max: DVec3::splat(1e12) }, 1.0);
        points.iter().for_each(|&p| grid.insert(p));
        assert!(grid.used >= 2500, "{} cubes of 2 × 2 points", grid.used);
    }
}
