//! How a free body turns: its angular momentum L stays, its angular velocity does not.
//!
//! The energy ½·L·I⁻¹L is split into parts whose motion is known exactly (Dullweber, Leimkuhler and McLachlan 1997): that of a symmetric top, which turns about L while it spins about its
//! axis, and what is left of the two moments beside the axis, each a turn about one axis of the body. Half of the small parts, the top, half of the small parts: a step is reversible and never
//! touches L, so there is no drift. For symmetric bodies, rods and discs, it is exact, however fast they spin. For others steps are divided until turns are small.

use glam::{DMat3, DQuat, DVec3};

use crate::math::principal_axes;

/// Most radians of a turn within a part of a step, for bodies that are no symmetric tops. The energy then swings by some 10⁻³ of itself; twice as many, four times as much.
const MOST_TURN: f64 = 0.2;
/// Most parts of a step. Reached by needles that tumble some hundred times per step only; their energy may then swing more.
const MOST_PARTS: f64 = 1024.0;
/// Moments that differ by less than this part are equal: those of built-in shapes, and of their meshes, differ by rounding.
const SAME: f64 = 1e-9;

/// The moments of a body, as turning needs them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Turning {
    /// Of the top, in the body's frame.
    axis: DVec3,
    /// 1/I about it, more than across.
    spin: f64,
    /// 1/I across it: the mean of two.
    across: f64,
    /// The other two axes, and how much 1/I about them is more than that mean.
    beside: [(DVec3, f64); 2],
    /// The largest 1/I.
    quickest: f64,
}

impl Turning {
    pub(super) fn new(inertia: &DMat3) -> Self {
        let (moments, axes) = principal_axes(inertia);
        let mut inverses = [0, 1, 2].map(|k| (moments[k].recip(), axes.col(k)));
        inverses.sort_by(|a, b| a.0.total_cmp(&b.0));
        let [low, middle, high] = inverses;
        // The axis is that of the moment which is farthest from the others.
        let (of_top, others) =
            if middle.0 - low.0 < high.0 - middle.0 { (high, [low, middle]) } else { (low, [middle, high]) };
        let across = 0.5 * (others[0].0 + others[1].0);
        let more = |inverse: f64| if (inverse - across).abs() < SAME * across { 0.0 } else { inverse - across };
        let beside = others.map(|(inverse, axis)| (axis, more(inverse)));
        Self { axis: of_top.1, spin: of_top.0 - across, across, beside, quickest: high.0 }
    }

    /// Rotations halfway and at the end of a step that begins with this one.
    pub(super) fn turned(&self, from: DQuat, momentum: DVec3, (energy, dt): (f64, f64)) -> (DQuat, DQuat) {
        // Two parts, so that there is a halfway.
        let mut parts = 1.0;
        if self.beside.iter().any(|&(_, more)| more != 0.0) {
            // ω² ≤ 2E/I about every axis.
            let fastest = (2.0 * energy * self.quickest).sqrt().min(momentum.length() * self.quickest);
            parts = (0.5 * dt * fastest / MOST_TURN).ceil().clamp(1.0, MOST_PARTS);
        }
        let length = 0.5 * dt / parts;
        let mut rotation = from;
        let half = |rotation: &mut DQuat| {
            for _ in 0..parts as u32 {
                *rotation = self.part(*rotation, momentum, length);
            }
            *rotation
        };
        let halfway = half(&mut rotation);
        (halfway, half(&mut rotation))
    }

    fn part(&self, mut rotation: DQuat, momentum: DVec3, length: f64) -> DQuat {
        // A turn about an axis of the body by the part of the angular velocity that is about it.
        let about = |rotation: DQuat, axis: DVec3, inverse: f64, length: f64| {
            if inverse == 0.0 {
                return rotation;
            }
            let rate = inverse * (rotation * axis).dot(momentum);
            rotation * DQuat::from_axis_angle(axis, rate * length)
        };
        let [first, second] = self.beside;
        rotation = about(rotation, first.0, first.1, 0.5 * length);
        rotation = about(rotation, second.0, second.1, 0.5 * length);
        // Both at once: the spin does not change L in the body's axis, nor the turn about L the spin.
        let spun = about(rotation, self.axis, self.spin, length);
        rotation = DQuat::from_scaled_axis(momentum * (self.across * length)) * spun;
        rotation = about(rotation, second.0, second.1, 0.5 * length);
        about(rotation, first.0, first.1, 0.5 * length).normalize()
    }
}
