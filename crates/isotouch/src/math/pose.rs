//! Where a rigid body is.

use glam::{DAffine3, DQuat, DVec3};

use super::Twist;

/// A rigid placement, `world_from_body`: a point p of the body is at R·p + position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Where the body's origin is.
    pub position: DVec3,
    /// How it is turned, a unit quaternion.
    pub rotation: DQuat,
}

/// Seven numbers that are no pose.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum PoseError {
    /// A number is NaN or infinite.
    #[error("a pose needs seven finite numbers x, y, z, qx, qy, qz, qw")]
    NotFinite,
    /// A position so far away that squared distances overflow.
    #[error("the position is farther than 1e100 from the origin")]
    TooFar,
    /// All four numbers of the quaternion are 0.
    #[error("the quaternion is zero and turns nowhere; no rotation is 0, 0, 0, 1")]
    ZeroQuaternion,
    /// The quaternion is too long or short for a rounded unit quaternion.
    #[error(
        "the quaternion qx, qy, qz, qw has length {length:.6}; divide it by that, or check the order of the numbers (qw is the last)"
    )]
    NotUnit {
        /// Its length.
        length: f64,
    },
}

/// How far the length of a quaternion may be from 1. Three printed digits keep within it; numbers in the wrong order mostly do
/// not.
const UNIT_TOLERANCE: f64 = 2e-3;

/// Squares and products of such lengths are finite.
const FARTHEST: f64 = 1e100;

impl Pose {
    /// At the origin, not turned.
    pub const IDENTITY: Self = Self { position: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// A pose from x, y, z, qx, qy, qz, qw. A quaternion that is a unit but for the rounding of its digits is made one.
    pub fn from_numbers(numbers: [f64; 7]) -> Result<Self, PoseError> {
        if !numbers.iter().all(|number| number.is_finite()) {
            return Err(PoseError::NotFinite);
        }
        let [x, y, z, qx, qy, qz, qw] = numbers;
        if [x, y, z].iter().any(|coordinate| coordinate.abs() > FARTHEST) {
            return Err(PoseError::TooFar);
        }
        let rotation = DQuat::from_xyzw(qx, qy, qz, qw);
        let length = rotation.length();
        if length == 0.0 {
            return Err(PoseError::ZeroQuaternion);
        }
        // Written so that an overflow is refused.
        let is_unit = (length - 1.0).abs() <= UNIT_TOLERANCE;
        if !is_unit {
            return Err(PoseError::NotUnit { length });
        }
        Ok(Self { position: DVec3::new(x, y, z), rotation: rotation / length })
    }

    /// The same with its quaternion made a unit one, if its numbers are finite and that it is one but for rounding, as of devices that speak `f32`; `None` for what is no pose.
    pub fn checked(self) -> Option<Self> {
        let length = self.rotation.length();
        // Written so that NaN is refused.
        let is_unit = (length - 1.0).abs() <= UNIT_TOLERANCE;
        (is_unit && self.position.is_finite()).then(|| Self { rotation: self.rotation / length, ..self })
    }

    /// x, y, z, qx, qy, qz, qw.
    pub fn to_numbers(self) -> [f64; 7] {
        let ([x, y, z], [qx, qy, qz, qw]) = (self.position.to_array(), self.rotation.to_array());
        [x, y, z, qx, qy, qz, qw]
    }

    /// Not turned.
    pub fn at(position: DVec3) -> Self {
        Self { position, rotation: DQuat::IDENTITY }
    }

    /// The place of a point of the body.
    pub fn place(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.position
    }

    /// `body_from_world`.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.conjugate();
        Self { position: -(rotation * self.position), rotation }
    }

    /// `a_from_c` from `a_from_b` (this) and `b_from_c`.
    #[must_use]
    pub fn then_from(&self, b_from_c: &Self) -> Self {
        Self {
            position: self.place(b_from_c.position),
            rotation: (self.rotation * b_from_c.rotation).normalize(),
        }
    }

    /// The small motion that leads to another pose: how far a point of the body, `center`, goes, and the turn by the shorter way as a vector along its axis.
    pub fn displacement_to(&self, to: &Self, center: DVec3) -> Twist {
        let turn = to.rotation * self.rotation.conjugate();
        // q and −q are one rotation; the one with w ≥ 0 is the shorter way.
        let turn = if turn.w < 0.0 { -turn } else { turn };
        // 2·atan2(|v|, w) along v; for small turns that is 2v, which a division by |v| would lose.
        let (axis, sine) = (turn.xyz(), turn.xyz().length());
        let per_sine = if sine < 1e-9 { 2.0 } else { 2.0 * sine.atan2(turn.w) / sine };
        Twist { linear: to.place(center) - self.place(center), angular: axis * per_sine }
    }

    /// The pose after such a motion.
    #[must_use]
    pub fn displaced(&self, by: &Twist, center: DVec3) -> Self {
        let rotation = (DQuat::from_scaled_axis(by.angular) * self.rotation).normalize();
        Self { position: self.place(center) + by.linear - rotation * center, rotation }
    }

    /// The same as a matrix, for many points.
    pub fn to_affine(&self) -> DAffine3 {
        DAffine3::from_rotation_translation(self.rotation, self.position)
    }
}
