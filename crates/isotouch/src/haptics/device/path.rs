//! Where a simulated hand wants to go.

use crate::math::{DQuat, DVec3, Pose, Twist};

/// Poses with times, joined by straight lines and even turns (the shorter way). Before the first it is there, and after the last.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    poses: Vec<(f64, Pose)>,
}

/// What is no path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// No pose at all.
    #[error("a path needs at least one pose")]
    Empty,
    /// A time that is NaN, infinite or not after the one before.
    #[error(
        "pose {index}: its time is not a finite number after the one before; give times in seconds that grow"
    )]
    Time {
        /// Which, from 0.
        index: usize,
    },
    /// A pose that is not finite or not turned by a unit quaternion.
    #[error("pose {index}: it needs a finite position and a unit quaternion")]
    Pose {
        /// Which, from 0.
        index: usize,
    },
}

impl Path {
    /// From times (s, growing) and poses.
    pub fn new(poses: Vec<(f64, Pose)>) -> Result<Self, PathError> {
        if poses.is_empty() {
            return Err(PathError::Empty);
        }
        let mut before = f64::NEG_INFINITY;
        for (index, (time, pose)) in poses.iter().enumerate() {
            let grows = time.is_finite() && *time > before;
            if !grows {
                return Err(PathError::Time { index });
            }
            before = *time;
            if Pose::from_numbers(pose.to_numbers()).is_err() {
                return Err(PathError::Pose { index });
            }
        }
        Ok(Self { poses })
    }

    /// Always there.
    pub fn resting(pose: Pose) -> Result<Self, PathError> {
        Self::new(vec![(0.0, pose)])
    }

    /// The pose and the motion at a time, s.
    pub fn at(&self, time: f64) -> (Pose, Twist) {
        let after = self.poses.partition_point(|(t, _)| *t <= time);
        let Some(before) = after.checked_sub(1) else {
            return (self.poses[0].1, Twist::ZERO);
        };
        let (t0, from) = self.poses[before];
        let Some((t1, to)) = self.poses.get(after) else {
            return (from, Twist::ZERO);
        };
        let (part, duration) = ((time - t0) / (t1 - t0), t1 - t0);
        let turn = rotation_vector(to.rotation * from.rotation.conjugate());
        let pose = Pose {
            position: from.position.lerp(to.position, part),
            rotation: (DQuat::from_scaled_axis(turn * part) * from.rotation).normalize(),
        };
        (pose, Twist { linear: (to.position - from.position) / duration, angular: turn / duration })
    }

    /// The first time and the last, s.
    pub fn span(&self) -> (f64, f64) {
        (self.poses[0].0, self.poses[self.poses.len() - 1].0)
    }
}

/// Axis times angle, the angle at most π: by what a unit quaternion turns.
pub(super) fn rotation_vector(q: DQuat) -> DVec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let v = q.xyz();
    let length = v.length();
    // Below this 2·atan2(length, w) is 2·length to the last bit.
    if length < 1e-10 { v * 2.0 } else { v * (2.0 * length.atan2(q.w) / length) }
}
