//! What users tell a world, looked at before it is believed.

use super::{BodyError, StepError, WorldOptions};
use crate::contact::LEAST_SLIP_SPEED;
use crate::math::{Pose, Twist, Wrench};

/// A pose with a quaternion of length 1. Any other length is a rotation as well, but for 0 and what cannot be squared.
pub(super) fn pose(body: &str, pose: Pose) -> Result<Pose, BodyError> {
    finite(body, "pose", pose.position.is_finite() && pose.rotation.is_finite())?;
    if !pose.rotation.length_squared().is_normal() {
        return Err(BodyError::NoRotation { body: body.to_owned(), length: pose.rotation.length() });
    }
    Ok(Pose { rotation: pose.rotation.normalize(), ..pose })
}

pub(super) fn twist(body: &str, twist: &Twist) -> Result<(), BodyError> {
    finite(body, "velocity", twist.linear.is_finite() && twist.angular.is_finite())
}

pub(super) fn force(body: &str, force: &Wrench) -> Result<(), BodyError> {
    finite(body, "force", force.is_finite())
}

fn finite(body: &str, quantity: &'static str, is_finite: bool) -> Result<(), BodyError> {
    if is_finite { Ok(()) } else { Err(BodyError::NotFinite { body: body.to_owned(), quantity }) }
}

/// Options of a world, before each step: they are all plain numbers, and looking at them costs nothing.
pub(super) fn options(options: &WorldOptions) -> Result<(), StepError> {
    let &WorldOptions { gravity, slip_speed, separation_speed, top_speed, penalty, .. } = options;
    let numbers = [
        ("gravity", gravity.length(), gravity.is_finite(), "finite"),
        (
            "slip_speed",
            slip_speed,
            slip_speed >= LEAST_SLIP_SPEED && slip_speed.is_finite(),
            "1e-12 m/s or more, and finite; 1e-5 is usual",
        ),
        (
            "separation_speed",
            separation_speed,
            separation_speed >= 0.0 && separation_speed.is_finite(),
            "0 or more and finite; 0.2 is usual",
        ),
        // Infinite is none.
        ("top_speed", top_speed, top_speed > 0.0, "positive; 1e5 is usual"),
        ("subintervals", f64::from(penalty.subintervals), penalty.subintervals > 0, "1 or more; 20 is usual"),
        // Bodies that overlapped have one of their own.
        (
            "penalty.iso",
            penalty.iso,
            penalty.iso == 0.0,
            "0: bodies of a world touch at their surfaces; offset their fields to grow them",
        ),
    ];
    match numbers.into_iter().find(|(.., is_good, _)| !is_good) {
        Some((quantity, value, _, wanted)) => Err(StepError::BadOption { quantity, value, wanted }),
        None => Ok(()),
    }
}
