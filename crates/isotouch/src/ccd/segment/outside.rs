//! The path outside the box, where a field knows a lower bound of the distance, or nothing.
//!
//! Two things let a path go on from x, and it takes the longer of both steps. The bound at x changes by no more than L per unit of length. And
//! with π the point of the box nearest to x, the plane through π across x − π has the whole box behind it, and the solid of a mesh with it; the
//! path's height above that plane is linear, so a path along a face, however close, or away from the box is free at once.

use glam::UVec3;

use super::Segment;
use crate::field::Field;
use crate::field::storage::Storage;
use crate::math::DVec3;

/// Steps after which a path that runs along the bound is not followed any further.
const MOST_STEPS: usize = 10_000;
/// Blocks along an axis of the pyramid's level that tells how near the solid comes to the border.
const MOST_BLOCKS: u32 = 32;

pub(super) struct Outside<'a> {
    pub(super) field: &'a Field,
    pub(super) segment: &'a Segment,
    pub(super) iso: f64,
}

/// What lower bounds outside the box of a field are at least; −∞ where that is not known. Far below the truth, by design: where a sparse
/// field is coarse, all that counts is that it is beyond the band.
pub(super) fn least_outside(field: &Field) -> f64 {
    if !field.is_certified_outside() || field.taken_off().is_none() {
        return f64::NEG_INFINITY;
    }
    let Some(level) = field.bounds().levels.iter().find(|level| level.blocks.max_element() <= MOST_BLOCKS)
    else {
        return f64::NEG_INFINITY;
    };
    let mut least = match field.nodes() {
        Storage::Dense(_) => f64::INFINITY,
        Storage::Sparse(_) => field.band() * field.grid().cell,
    };
    let last = level.blocks - 1;
    for z in 0..=last.z {
        for y in 0..=last.y {
            let is_face = y == 0 || y == last.y || z == 0 || z == last.z;
            let step = if is_face { 1 } else { last.x.max(1) };
            for x in (0..=last.x).step_by(step as usize) {
                let [of_block, _] = level.range_around(UVec3::new(x, y, z) * level.block);
                // Written so that NaN stays.
                least = if least < f64::from(of_block) { least } else { f64::from(of_block) };
            }
        }
    }
    let clear = least - field.error_bound();
    // A hundredth covers all rounding. What is not clear of the box's border an offset may reach.
    if clear > 0.0 { 0.99 * clear } else { f64::NEG_INFINITY }
}

impl Outside<'_> {
    /// Whether all of a path that is outside the box is surely free, when lower bounds there are at least `least`: then every step along it is
    /// so long that there are not too many of them.
    pub(super) fn is_clear(&self, least: f64) -> bool {
        let reach = self.segment.from.abs().max(self.segment.to.abs()).max_element();
        // More than roundings of places and heights come to.
        let clear = least - self.iso - 1e-12 * reach * self.field.lipschitz() - 1e-6 * self.field.grid().cell;
        let length = self.segment.from.distance(self.segment.to) * self.field.lipschitz();
        // Written so that NaN is not.
        clear > 0.0 && length < 0.5 * MOST_STEPS as f64 * clear
    }

    /// The first time in [from, to] at which contact cannot be excluded.
    pub(super) fn first_doubt(&self, from: f64, to: f64) -> Option<f64> {
        self.follow(self.segment, from, to)
    }

    /// From when to when in [from, to] contact cannot be excluded.
    pub(super) fn doubt(&self, from: f64, to: f64) -> Option<(f64, f64)> {
        let first = self.first_doubt(from, to)?;
        let back = self.follow(&self.segment.reversed(), 1.0 - to, 1.0 - from);
        let last = match back {
            // At its very beginning: the end itself, not what rounding makes of it.
            Some(t) if t == 1.0 - to => to,
            Some(t) => (1.0 - t).clamp(first, to),
            None => first,
        };
        Some((first, last))
    }

    fn follow(&self, segment: &Segment, from: f64, to: f64) -> Option<f64> {
        if !self.field.is_certified_outside() {
            return Some(from);
        }
        let length = segment.from.distance(segment.to);
        if !length.is_finite() || !segment.from.is_finite() || !segment.to.is_finite() {
            return Some(from);
        }
        // Points of the path are off by their rounding, heights above a plane by that and by their own.
        let largest = segment.from.abs().max(segment.to.abs()).max_element();
        let rounding = 8.0 * 2f64.powi(-53) * largest * self.field.lipschitz();
        // Less than what φ changes by in a billionth of a cell is not worth a step.
        let least = 1e-9 * self.field.grid().cell * self.field.lipschitz();
        let mut t = from;
        for _ in 0..MOST_STEPS {
            let at = segment.at(t);
            let clear = self.field.lower_bound(at) - self.iso - rounding;
            // Written so that NaN is in doubt.
            let is_clear = clear > least;
            if !is_clear {
                return Some(t);
            }
            let by_bound = clear / (self.field.lipschitz() * length);
            let by_plane = self.free_above_plane(at, segment.to - segment.from, 4.0 * rounding);
            t += if by_plane > by_bound { by_plane } else { by_bound } * (1.0 - 1e-9);
            // A segment of no length takes an infinite step.
            if t > to {
                return None;
            }
        }
        Some(t)
    }

    /// How long a path with this velocity stays more than σ above the plane that the box is behind, seen from `at`.
    fn free_above_plane(&self, at: DVec3, velocity: DVec3, rounding: f64) -> f64 {
        // Only a mesh is known to end within the box.
        let Some(taken_off) = self.field.taken_off() else { return 0.0 };
        // Along every axis 0, or with the sign of the side that `at` lies on, whatever was rounded: the box is behind the plane.
        let away = at - self.field.grid().bounds().project(at);
        let height = away.length();
        let falls = -away.dot(velocity) / height;
        let free = height - taken_off - self.iso - rounding;
        // Written so that NaN, of a point in the box, is nothing.
        let is_free = free > 0.0;
        match is_free {
            true if falls <= 0.0 => f64::INFINITY,
            true => free / falls,
            false => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{FieldOptions, StorageKind};
    use crate::mesh::shapes;

    #[test]
    fn what_is_clear_at_once_is_clear_step_by_step() {
        let mesh = shapes::by_name("torus-knot").unwrap();
        let mut clear = 0;
        for (storage, padding) in
            [(StorageKind::Sparse, 0.4), (StorageKind::Dense, 0.4), (StorageKind::Sparse, 0.0)]
        {
            let options = FieldOptions { resolution: 90, storage, padding, ..Default::default() };
            let field = Field::from_mesh(&mesh, &options).unwrap();
            let (bounds, cell) = (field.grid().bounds(), field.grid().cell);
            let least = least_outside(&field);
            for (k, segment) in
                (0..).zip(Segment::random_in(bounds.expanded(bounds.extent().max_element()), 2_000, 7))
            {
                let iso = [0.0, cell, 2.0 * cell, 4.0 * cell][k % 4];
                let outside = Outside { field: &field, segment: &segment, iso };
                if !outside.is_clear(least) {
                    continue;
                }
                clear += 1;
                for (from, to) in [(0.0, 1.0), (0.0, 0.3), (0.7, 1.0)] {
                    let is_outside = (0..=50).all(|k| {
                        let t = from + (to - from) * f64::from(k) / 50.0;
                        !bounds.contains(segment.at(t))
                    });
                    if is_outside {
                        assert_eq!(outside.doubt(from, to), None, "{storage} {padding} {iso}: {segment:?}");
                    }
                }
            }
        }
        assert!(clear > 1_000, "{clear}");
    }
}
