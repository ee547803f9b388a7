//! A half-space.

use glam::{DMat3, DVec3};

use super::{Hit, Interval, Piece, Segment, Touchable, hit_at_once, is_finite};
use crate::ccd::HitStatus;
use crate::math::cubic::CellCubic;

/// φ(p) = normal·p − offset: all that lies below is solid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    /// Unit vector, away from the solid.
    pub normal: DVec3,
    /// Distance of the plane from the origin, along the normal.
    pub offset: f64,
}

impl Plane {
    /// φ(p) = p_y.
    pub const GROUND: Self = Self { normal: DVec3::Y, offset: 0.0 };

    /// φ − σ along the path: a straight line, as a cubic. A sum of five terms is off by less than 8·2⁻⁵³ of the sum of their sizes.
    fn piece(&self, segment: &Segment, iso: f64) -> Piece {
        let value = |p: DVec3| self.normal.dot(p) - self.offset - iso;
        let size = |p: DVec3| self.normal.abs().dot(p.abs()) + self.offset.abs() + iso.abs();
        let (a, b) = (value(segment.from), value(segment.to));
        let bernstein = [a, (2.0 * a + b) / 3.0, (a + 2.0 * b) / 3.0, b];
        let magnitude = size(segment.from).max(size(segment.to));
        let cubic = CellCubic::from_bernstein(bernstein, magnitude);
        Piece { from: 0.0, to: 1.0, cubic, certain: Some(cubic) }
    }
}

impl Touchable for Plane {
    fn first_hit(&self, segment: &Segment, iso: f64) -> Option<Hit> {
        if !is_finite(segment) {
            return Some(hit_at_once(segment));
        }
        self.piece(segment, iso).first_hit(segment, |_| Some(self.normal))
    }

    fn intervals(&self, segment: &Segment, iso: f64) -> Vec<Interval> {
        if !is_finite(segment) {
            return vec![Interval { start: 0.0, end: 1.0, status: HitStatus::Bound }];
        }
        self.piece(segment, iso).intervals()
    }

    fn value(&self, p: DVec3) -> f64 {
        self.normal.dot(p) - self.offset
    }

    fn gradient(&self, _p: DVec3) -> Option<DVec3> {
        Some(self.normal)
    }

    fn hessian(&self, _p: DVec3) -> DMat3 {
        DMat3::ZERO
    }

    fn steepness(&self) -> f64 {
        self.normal.length()
    }
}
