//! What happens between two poses over t in [0, 1], and how fast and how crooked it is at most.
//!
//! A point at distance r from the body's origin moves with at most `speed().at(r)` and is accelerated by at most
//! `acceleration().at(r)`, per unit of t. So over a time Δt it stays within `speed·Δt` of where it was, and its chord within the **sagitta**
//! `acceleration·Δt²/8` of its path: a function f with f(a) = f(b) = 0 and |f″| ≤ A has |f| ≤ A·(b − a)²/8.

mod course;

use glam::{DAffine3, DVec3};

use super::Pose;
use course::Course;

/// How poses are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MotionKind {
    /// Position along a straight line, rotation about a fixed axis by the shorter way (slerp): as motion planners do.
    #[default]
    Rigid,
    /// A turn about one axis in space and a shift along it, at once.
    Screw,
    /// Every point on a straight line of its own, as Xu and Barbič 2014. The body shrinks on the way.
    Chord,
}

impl MotionKind {
    /// All, with their names on the command line.
    pub const NAMES: [(&'static str, Self); 3] =
        [("rigid", Self::Rigid), ("screw", Self::Screw), ("chord", Self::Chord)];
}

/// A bound that grows with the distance from the body's origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PerRadius {
    /// At the origin.
    pub fixed: f64,
    /// More per unit of distance from it.
    pub per_radius: f64,
}

impl PerRadius {
    /// The bound at a distance from the origin.
    #[inline(always)]
    pub fn at(self, radius: f64) -> f64 {
        self.fixed + self.per_radius * radius
    }
}

/// A body's way from one pose to another, as seen from something that may move as well.
///
/// ```
/// use isotouch::math::{DQuat, DVec3, Motion, MotionKind, Pose};
///
/// let there = Pose { position: DVec3::X, rotation: DQuat::from_rotation_z(1.0) };
/// let motion = Motion::new(MotionKind::Rigid, Pose::IDENTITY, there);
/// let halfway = motion.place(0.5, DVec3::ZERO);
/// assert!((halfway - DVec3::new(0.5, 0.0, 0.0)).length() < 1e-15);
/// // 1 unit of way, 1 radian of turn.
/// assert!((motion.speed().at(2.0) - 3.0).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motion {
    body: Course,
    /// What it is seen from, if that moves.
    frame: Option<Course>,
}

impl Motion {
    /// A motion in a frame that stands still.
    pub fn new(kind: MotionKind, from: Pose, to: Pose) -> Self {
        Self { body: Course::new(kind, from, to), frame: None }
    }

    /// The same motion seen from a frame that itself moves, in the same way, between the poses `world_from_frame`. Chords are those of
    /// the points in that frame.
    #[must_use]
    pub fn seen_from(self, frame_from: Pose, frame_to: Pose) -> Self {
        let Course { kind, from, to, .. } = self.body;
        if kind == MotionKind::Chord {
            let relative = |frame: Pose, body: &Pose| frame.inverse().then_from(body);
            return Self::new(kind, relative(frame_from, &from), relative(frame_to, &to));
        }
        Self { body: self.body, frame: Some(Course::new(kind, frame_from, frame_to)) }
    }

    /// Where points of the body are at time `t`, in the frame. For chords no rotation, but what shrinks between two.
    pub fn frame_from_body(&self, t: f64) -> DAffine3 {
        let world_from_body = self.body.at(t);
        match &self.frame {
            None => world_from_body,
            Some(frame) => frame.pose(t).inverse().to_affine() * world_from_body,
        }
    }

    /// Where one point of the body is at time `t`, in the frame.
    pub fn place(&self, t: f64, point: DVec3) -> DVec3 {
        self.frame_from_body(t).transform_point3(point)
    }

    /// The pose at time `t`, in the frame; of a chord motion, that of the rigid motion between the same ends.
    pub fn pose(&self, t: f64) -> Pose {
        let body = self.body.pose(t);
        self.frame.as_ref().map_or(body, |frame| frame.pose(t).inverse().then_from(&body))
    }

    /// How it goes from pose to pose.
    pub fn kind(&self) -> MotionKind {
        self.body.kind
    }

    /// Angle that the body turns by, in the world, in radians: 0 to π.
    pub fn angle(&self) -> f64 {
        self.body.angle
    }

    /// The speed of a point, in the frame, is at most this, per unit of t.
    pub fn speed(&self) -> PerRadius {
        let body = self.body.speed();
        let Some(frame) = &self.frame else { return body };
        // p = Fᵀ·y with y = x − f, and |ṗ| ≤ |ẏ| + ω|y|.
        let origin = frame.speed().fixed;
        PerRadius {
            fixed: body.fixed + origin + frame.angle * self.farthest_origins(),
            per_radius: body.per_radius + frame.angle,
        }
    }

    /// The second derivative of a point's path, in the frame, is at most this.
    pub fn acceleration(&self) -> PerRadius {
        let body = self.body.acceleration();
        let Some(frame) = &self.frame else { return body };
        // p̈ = Fᵀ(ÿ − 2ω×ẏ + ω×(ω×y)): own, Coriolis and centrifugal.
        let (speed, origin) = (self.body.speed(), frame.speed().fixed);
        let omega = frame.angle;
        PerRadius {
            fixed: body.fixed
                + frame.acceleration().fixed
                + 2.0 * omega * (speed.fixed + origin)
                + omega * omega * self.farthest_origins(),
            per_radius: body.per_radius + 2.0 * omega * speed.per_radius + omega * omega,
        }
    }

    /// The direction of the line through the origin that the body turns about, as seen from the body: only what is beside it turns, so bounds hold by
    /// the distance from that line. `None` if what it is seen from moves too.
    pub(crate) fn axis_in_body(&self) -> Option<DVec3> {
        let Course { from, axis, .. } = self.body;
        self.frame.is_none().then(|| from.rotation.conjugate() * axis)
    }

    /// The same motion, as of another point of the body: bounds are then by the distance from that one, and tighter for a part that is far from the origin
    /// that its poses are of. A rigid motion goes by its origin and stays as it is, and so does the point, which is told with it.
    pub(crate) fn about(&self, point: DVec3) -> (Self, DVec3) {
        let Course { kind, from, to, .. } = self.body;
        if kind == MotionKind::Rigid {
            return (*self, DVec3::ZERO);
        }
        let moved = |pose: Pose| Pose { position: pose.place(point), ..pose };
        (Self { body: Course::new(kind, moved(from), moved(to)), frame: self.frame }, point)
    }

    /// How far rounding may put a point at a distance from the origin off its place.
    pub fn rounding(&self, radius: f64) -> f64 {
        let reach = self.body.reach() + self.frame.as_ref().map_or(0.0, Course::reach);
        // A few dozen operations, each off by 2⁻⁵³ of what it handles.
        128.0 * 2f64.powi(-53) * (reach + radius)
    }

    /// How far the origins of body and frame are apart at most.
    fn farthest_origins(&self) -> f64 {
        let Some(frame) = &self.frame else { return 0.0 };
        let halfway = self.body.pose(0.5).position.distance(frame.pose(0.5).position);
        halfway + 0.5 * (self.body.speed().fixed + frame.speed().fixed)
    }
}

#[cfg(test)]
mod tests;
