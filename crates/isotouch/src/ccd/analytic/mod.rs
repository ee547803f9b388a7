//! Things that need no grid: a plane, a ball, any function with a Lipschitz bound. And one way to ask them and fields alike.
//!
//! ```
//! use isotouch::ccd::{Ball, Function, HitStatus, Plane, Segment, Touchable};
//! use isotouch::math::DVec3;
//!
//! let falls = Segment::new(DVec3::new(0.0, 3.0, 0.0), DVec3::new(0.0, -1.0, 0.0));
//! let waves = |p: DVec3| p.y - 0.1 * (5.0 * p.x).sin();
//! let things: [&dyn Touchable; 3] = [
//!     &Plane::GROUND,
//!     &Ball { center: DVec3::ZERO, radius: 1.0 },
//!     &Function { value: waves, lipschitz: 1.2 },
//! ];
//! for (thing, at) in things.into_iter().zip([0.75, 0.5, 0.75]) {
//!     let hit = thing.first_hit(&falls, 0.0).unwrap();
//!     assert!(hit.status == HitStatus::Crossing && (hit.t - at).abs() < 1e-9);
//! }
//! ```

mod ball;
mod function;
mod plane;

pub use ball::Ball;
pub use function::Function;
use glam::{DMat3, DVec3};
pub use plane::Plane;

use super::{CastOptions, Hit, HitStatus, Interval, Segment};
use crate::field::Field;
use crate::math::cubic::{self, CellCubic};

/// Something that a moving point can touch at a level σ.
pub trait Touchable {
    /// The first contact. `None` is a proof that there is none.
    fn first_hit(&self, segment: &Segment, iso: f64) -> Option<Hit>;

    /// Every contact, in order, apart from each other.
    fn intervals(&self, segment: &Segment, iso: f64) -> Vec<Interval>;

    /// Whether there is any contact: `false` is a proof.
    fn touches(&self, segment: &Segment, iso: f64) -> bool {
        self.first_hit(segment, iso).is_some()
    }

    /// φ at a point; outside the box of a field a lower bound of it, and NaN where nothing is known.
    fn value(&self, p: DVec3) -> f64;

    /// ∇φ at a point; `None` where it is not known.
    fn gradient(&self, p: DVec3) -> Option<DVec3>;

    /// φ and ∇φ at a point, for the price of one look where both are needed.
    fn value_and_gradient(&self, p: DVec3) -> (f64, Option<DVec3>) {
        (self.value(p), self.gradient(p))
    }

    /// Second derivatives of φ at a point; zero where they are not known.
    fn hessian(&self, p: DVec3) -> DMat3;

    /// φ changes by no more than this per unit of length.
    fn steepness(&self) -> f64;
}

impl Touchable for Field {
    fn first_hit(&self, segment: &Segment, iso: f64) -> Option<Hit> {
        Field::first_hit(self, segment, iso, &CastOptions::default())
    }

    fn intervals(&self, segment: &Segment, iso: f64) -> Vec<Interval> {
        Field::intervals(self, segment, iso, &CastOptions::default())
    }

    fn touches(&self, segment: &Segment, iso: f64) -> bool {
        Field::touches(self, segment, iso, &CastOptions::default())
    }

    fn value(&self, p: DVec3) -> f64 {
        self.distance(p).value()
    }

    fn gradient(&self, p: DVec3) -> Option<DVec3> {
        Field::gradient(self, p)
    }

    fn value_and_gradient(&self, p: DVec3) -> (f64, Option<DVec3>) {
        let (distance, gradient) = self.distance_and_gradient(p);
        (distance.value(), gradient)
    }

    fn hessian(&self, p: DVec3) -> DMat3 {
        Field::hessian(self, p).unwrap_or(DMat3::ZERO)
    }

    /// Of the interpolant, which is steeper than distances are: √3 times along a diagonal.
    fn steepness(&self) -> f64 {
        3f64.sqrt() * self.lipschitz()
    }
}

/// Everything is a hit at once where a path is not finite: nothing can be proven of it.
fn hit_at_once(segment: &Segment) -> Hit {
    Hit { t: 0.0, point: segment.from, normal: None, cell: None, status: HitStatus::Bound }
}

fn is_finite(segment: &Segment) -> bool {
    segment.from.is_finite() && segment.to.is_finite()
}

/// The part of a path during which φ ≤ σ can be, and what decides it there: a cubic that is at most zero where that is so. φ is
/// convex along the path, so there is one contact at most.
struct Piece {
    from: f64,
    to: f64,
    cubic: CellCubic,
    /// Where this one is below zero, φ < σ for certain. It is another one where rounding of the path was added to the solid.
    certain: Option<CellCubic>,
}

impl Piece {
    fn time(&self, s: f64) -> f64 {
        if s == 1.0 { self.to } else { (self.from + s * (self.to - self.from)).min(self.to) }
    }

    /// Of the contact, which begins at `t`.
    fn status(&self, t: f64) -> HitStatus {
        let hit = self.certain.and_then(|cubic| cubic.first_hit());
        match hit.map(|hit| hit.status) {
            Some(cubic::HitStatus::StartsInside) if t == 0.0 => HitStatus::StartsInside,
            Some(cubic::HitStatus::StartsInside | cubic::HitStatus::Crossing) => HitStatus::Crossing,
            Some(cubic::HitStatus::Touch) | None => HitStatus::Touch,
        }
    }

    fn first_hit(&self, segment: &Segment, normal: impl Fn(DVec3) -> Option<DVec3>) -> Option<Hit> {
        let t = self.time(self.cubic.first_hit()?.s);
        let point = segment.at(t);
        Some(Hit { t, point, normal: normal(point), cell: None, status: self.status(t) })
    }

    fn intervals(&self) -> Vec<Interval> {
        let interval = |of: &cubic::Interval| {
            let start = self.time(of.start);
            Interval { start, end: self.time(of.end), status: self.status(start) }
        };
        self.cubic.intervals().iter().map(interval).collect()
    }
}
