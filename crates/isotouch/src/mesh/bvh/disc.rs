//! Flat bounds: a thick disc around a patch of surface.
//!
//! Boxes along the axes are fat around tilted patches, and far from a surface that is what decides how many patches must be
//! looked at: those whose box pokes into the ball of the distance found so far. A disc lies along the patch. Its
//! distance is √(slab² + rim²), with slab the distance to its thickness and rim the distance beyond its radius.

use glam::DVec3;

use super::WIDTH;

/// A disc of radius `radius` and thickness 2·`half`, in the scaled coordinates of the tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Disc {
    center: DVec3,
    normal: DVec3,
    half: f64,
    radius: f64,
}

impl Disc {
    /// A disc that bounds nothing: its distance is 0 everywhere.
    pub(super) const UNBOUNDED: Self =
        Self { center: DVec3::ZERO, normal: DVec3::ZERO, half: f64::INFINITY, radius: f64::INFINITY };

    /// The disc around triangles, across their mean normal.
    pub(super) fn around(triangles: impl Iterator<Item = [DVec3; 3]> + Clone) -> Self {
        let (mut area_vector, mut low, mut high) = (DVec3::ZERO, DVec3::INFINITY, DVec3::NEG_INFINITY);
        for [a, b, c] in triangles.clone() {
            area_vector += (b - a).cross(c - a);
            low = low.min(a).min(b).min(c);
            high = high.max(a).max(b).max(c);
        }
        let Some(normal) = area_vector.try_normalize() else { return Self::UNBOUNDED };
        let center = 0.5 * (low + high);
        let (mut least, mut most, mut radius_squared) = (f64::INFINITY, f64::NEG_INFINITY, 0.0f64);
        for v in triangles.flatten() {
            let offset = v - center;
            let height = offset.dot(normal);
            least = least.min(height);
            most = most.max(height);
            radius_squared = radius_squared.max((offset - height * normal).length_squared());
        }
        Self {
            center: center + 0.5 * (least + most) * normal,
            normal,
            half: 0.5 * (most - least),
            radius: radius_squared.sqrt(),
        }
    }
}

/// Eight discs side by side.
#[derive(Debug, Clone)]
pub(super) struct Disc8 {
    center: [[f32; WIDTH]; 3],
    normal: [[f32; WIDTH]; 3],
    half: [f32; WIDTH],
    radius: [f32; WIDTH],
}

/// Rounding a disc to `f32` moves it by less than this, in scaled coordinates, which are within [−1, 1].
const ROUNDING: f64 = 4.0 * f32::EPSILON as f64;

impl Disc8 {
    pub(super) const UNBOUNDED: Self = Self {
        center: [[0.0; WIDTH]; 3],
        normal: [[0.0; WIDTH]; 3],
        half: [f32::INFINITY; WIDTH],
        radius: [f32::INFINITY; WIDTH],
    };

    pub(super) fn set(&mut self, lane: usize, disc: &Disc) {
        for axis in 0..3 {
            self.center[axis][lane] = disc.center[axis] as f32;
            self.normal[axis][lane] = disc.normal[axis] as f32;
        }
        self.half[lane] = (disc.half + ROUNDING) as f32;
        self.radius[lane] = (disc.radius + ROUNDING) as f32;
    }

    /// Squared distance of a scaled point from one disc, and the offset from its closest point.
    #[inline(always)]
    pub(super) fn offset(&self, lane: usize, q: [f32; 3]) -> (f32, [f32; 3]) {
        let n = [self.normal[0][lane], self.normal[1][lane], self.normal[2][lane]];
        let v = [q[0] - self.center[0][lane], q[1] - self.center[1][lane], q[2] - self.center[2][lane]];
        let height = v[0] * n[0] + v[1] * n[1] + v[2] * n[2];
        let along = [v[0] - height * n[0], v[1] - height * n[1], v[2] - height * n[2]];
        let across = (along[0] * along[0] + along[1] * along[1] + along[2] * along[2]).sqrt();
        let slab = height.abs() - self.half[lane];
        let slab = if slab > 0.0 { slab } else { 0.0 };
        let rim = across - self.radius[lane];
        let rim = if rim > 0.0 { rim } else { 0.0 };
        let signed_slab = if height < 0.0 { -slab } else { slab };
        // Where the rim is 0 so is the share, also at the centre.
        let share = if rim > 0.0 { rim / across } else { 0.0 };
        let offset = [
            signed_slab * n[0] + share * along[0],
            signed_slab * n[1] + share * along[1],
            signed_slab * n[2] + share * along[2],
        ];
        (slab * slab + rim * rim, offset)
    }

    /// Squared distance of a scaled point from one disc.
    #[inline(always)]
    pub(super) fn distance_squared(&self, lane: usize, q: [f32; 3]) -> f32 {
        self.offset(lane, q).0
    }
}
