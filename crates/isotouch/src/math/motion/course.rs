//! One body's way between two poses, in the world.

use glam::{DAffine3, DQuat, DVec3};

use super::{MotionKind, PerRadius};
use crate::math::Pose;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Course {
    pub(super) kind: MotionKind,
    pub(super) from: Pose,
    pub(super) to: Pose,
    /// The axis that it turns about, in the world.
    pub(super) axis: DVec3,
    /// By how much, 0 to π.
    pub(super) angle: f64,
}

impl Course {
    pub(super) fn new(kind: MotionKind, from: Pose, to: Pose) -> Self {
        let unit = |pose: Pose| Pose { rotation: pose.rotation.normalize(), ..pose };
        let (from, to) = (unit(from), unit(to));
        let turn = to.rotation * from.rotation.conjugate();
        // q and −q turn alike; the one with w ≥ 0 the shorter way.
        let turn = if turn.w < 0.0 { -turn } else { turn };
        let vector = turn.xyz();
        // Exact for small angles, where acos would lose half of the digits.
        let angle = 2.0 * vector.length().atan2(turn.w);
        let axis = vector.try_normalize().unwrap_or(DVec3::Z);
        Self { kind, from, to, axis, angle: if vector == DVec3::ZERO { 0.0 } else { angle } }
    }

    /// The rigid placement at time `t`.
    pub(super) fn pose(&self, t: f64) -> Pose {
        if t == 0.0 {
            return self.from;
        }
        if t == 1.0 {
            return self.to;
        }
        let turn = DQuat::from_axis_angle(self.axis, self.angle * t);
        Pose { position: self.position(t), rotation: (turn * self.from.rotation).normalize() }
    }

    pub(super) fn at(&self, t: f64) -> DAffine3 {
        if self.kind != MotionKind::Chord {
            return self.pose(t).to_affine();
        }
        let (a, b) = (self.from.to_affine(), self.to.to_affine());
        DAffine3 {
            matrix3: a.matrix3 * (1.0 - t) + b.matrix3 * t,
            translation: a.translation * (1.0 - t) + b.translation * t,
        }
    }

    fn position(&self, t: f64) -> DVec3 {
        if self.kind != MotionKind::Screw || self.angle == 0.0 {
            return self.from.position * (1.0 - t) + self.to.position * t;
        }
        let (along, across) = self.shift();
        // About the point s of the axis: s − c₀ = (u + w·cot(θ/2))/2 with w = n × u. Then c(t) − c₀ − h·t·n =
        // (s − c₀) − R(φ)(s − c₀), φ = θt, which is this; it has no cancellation for small θ, where s is far away.
        let (half, rest) = (0.5 * self.angle * t, 0.5 * self.angle * (1.0 - t));
        let ratio = half.sin() / (0.5 * self.angle).sin();
        let beside = self.axis.cross(across);
        self.from.position + self.axis * (along * t) + (across * rest.cos() - beside * rest.sin()) * ratio
    }

    /// The way of the origin, along the axis and across it.
    fn shift(&self) -> (f64, DVec3) {
        let way = self.to.position - self.from.position;
        let along = way.dot(self.axis);
        (along, way - self.axis * along)
    }

    /// How long the arc of the origin about a screw's axis is: its radius is |u| / (2·sin(θ/2)).
    fn arc(&self) -> f64 {
        let (_, across) = self.shift();
        let half = 0.5 * self.angle;
        if half == 0.0 { across.length() } else { across.length() * half / half.sin() }
    }

    pub(super) fn speed(&self) -> PerRadius {
        let way = self.from.position.distance(self.to.position);
        match self.kind {
            MotionKind::Rigid => PerRadius { fixed: way, per_radius: self.angle },
            MotionKind::Screw => {
                PerRadius { fixed: self.shift().0.abs() + self.arc(), per_radius: self.angle }
            }
            // |R₁ − R₀| = 2·sin(θ/2).
            MotionKind::Chord => PerRadius { fixed: way, per_radius: 2.0 * (0.5 * self.angle).sin() },
        }
    }

    pub(super) fn acceleration(&self) -> PerRadius {
        let fixed = match self.kind {
            MotionKind::Chord => return PerRadius { fixed: 0.0, per_radius: 0.0 },
            MotionKind::Rigid => 0.0,
            MotionKind::Screw => self.angle * self.arc(),
        };
        PerRadius { fixed, per_radius: self.angle * self.angle }
    }

    /// How far its origin is from that of the world at most.
    pub(super) fn reach(&self) -> f64 {
        self.from.position.length().max(self.to.position.length()) + self.speed().fixed
    }
}
