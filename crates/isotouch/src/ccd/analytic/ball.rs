//! A solid sphere.

use glam::{DMat3, DVec3};

use super::{Hit, Interval, Piece, Segment, Touchable, hit_at_once, is_finite};
use crate::ccd::HitStatus;
use crate::math::cubic::CellCubic;
use crate::math::spatial::outer;

/// φ(p) = |p − center| − radius.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ball {
    /// Its middle.
    pub center: DVec3,
    /// Not negative.
    pub radius: f64,
}

impl Ball {
    /// |p − c|² − (r + σ)² along the part of the path that comes near, a parabola as a cubic; `None` where none does.
    ///
    /// Only the near part, for the squares of far ones would drown the radius. Points of the path are off by their rounding, 4·2⁻⁵³
    /// of the largest coordinate along each axis, and that much is added to the radius; what is to be certain is asked of a
    /// ball that is smaller by as much. Lengths are in units of the largest, so that no square overflows or vanishes.
    fn piece(&self, segment: &Segment, iso: f64) -> Option<Piece> {
        let (from, to) = (segment.from - self.center, segment.to - self.center);
        let largest = segment.from.abs().max(segment.to.abs()).max(self.center.abs()).max_element();
        // Below the least normal number roundings no longer shrink with the coordinates.
        let blur = 8.0 * 2f64.powi(-53) * largest.max(f64::MIN_POSITIVE);
        let reach = self.radius + iso + blur;
        if reach < 0.0 {
            return None;
        }
        let (first, last) = near_part(from, to, 2.0 * reach + blur)?;
        let (a, b) = (segment.at(first) - self.center, segment.at(last) - self.center);
        let unit = a.abs().max(b.abs()).max_element().max(reach);
        let (a, b) = (a / unit, b / unit);
        let certain = self.radius + iso - blur;
        Some(Piece {
            from: first,
            to: last,
            cubic: parabola(a, b, reach / unit),
            certain: (certain >= 0.0).then(|| parabola(a, b, certain / unit)),
        })
    }

    fn normal(&self, p: DVec3) -> Option<DVec3> {
        let off = p - self.center;
        // Its square may not be a number, or vanish.
        (off / off.abs().max_element()).try_normalize()
    }
}

/// |p|² − reach² from `a` to `b`, of degree 2, written as degree 3.
fn parabola(a: DVec3, b: DVec3, reach: f64) -> CellCubic {
    let square = reach * reach;
    let [q0, q1, q2] = [a.length_squared() - square, a.dot(b) - square, b.length_squared() - square];
    let bernstein = [q0, (q0 + 2.0 * q1) / 3.0, (2.0 * q1 + q2) / 3.0, q2];
    CellCubic::from_bernstein(bernstein, a.length_squared().max(b.length_squared()) + square)
}

/// When the path comes within a cube of half edge `near` around the origin, or a little before and after.
fn near_part(from: DVec3, to: DVec3, near: f64) -> Option<(f64, f64)> {
    let (mut first, mut last) = (0.0f64, 1.0f64);
    for axis in 0..3 {
        let (a, b) = (from[axis], to[axis]);
        if a.abs() <= near && b.abs() <= near {
            continue;
        }
        if (a > near && b > near) || (a < -near && b < -near) {
            return None;
        }
        // The difference overflows: the axis says nothing, where a quotient would say zero.
        if !(b - a).is_finite() {
            continue;
        }
        let (s, t) = ((-near - a) / (b - a), (near - a) / (b - a));
        // More than rounding can take away; what it adds is in the piece's own errors.
        first = first.max(s.min(t) - 1e-12);
        last = last.min(s.max(t) + 1e-12);
    }
    (first <= last).then_some((first, last))
}

impl Touchable for Ball {
    fn first_hit(&self, segment: &Segment, iso: f64) -> Option<Hit> {
        if !is_finite(segment) {
            return Some(hit_at_once(segment));
        }
        self.piece(segment, iso)?.first_hit(segment, |p| self.normal(p))
    }

    fn intervals(&self, segment: &Segment, iso: f64) -> Vec<Interval> {
        if !is_finite(segment) {
            return vec![Interval { start: 0.0, end: 1.0, status: HitStatus::Bound }];
        }
        self.piece(segment, iso).map_or_else(Vec::new, |piece| piece.intervals())
    }

    fn value(&self, p: DVec3) -> f64 {
        p.distance(self.center) - self.radius
    }

    fn gradient(&self, p: DVec3) -> Option<DVec3> {
        self.normal(p)
    }

    /// (1 − n·nᵀ)/|p − c|.
    fn hessian(&self, p: DVec3) -> DMat3 {
        match self.normal(p) {
            Some(n) => (DMat3::IDENTITY - outer(n, n)) * p.distance(self.center).recip(),
            None => DMat3::ZERO,
        }
    }

    fn steepness(&self) -> f64 {
        1.0
    }
}
