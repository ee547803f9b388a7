//! The spring between the hand and what it holds: 6-DoF virtual coupling (Colgate et al. 1995; Adams & Hannaford 1998; 2016, section 4.1).
//!
//! A device cannot render the stiffness of steel: sampled at a period T, a virtual wall of stiffness K and damping B is passive only if the device's own damping b keeps
//!
//! ```text
//! b > K·T/2 + |B|          (Colgate & Schenkel 1994)
//! ```
//!
//! So what is felt is never contact itself, which may be as hard as it likes, but a spring between the hand and the part as it is held back by contact. The spring is as stiff as the
//! device can bear, and saturates: beyond `max_distance` its force grows no more, so however far the hand goes in, it never pushes the part through.

use glam::DVec3;

use super::HeldPair;
use crate::contact::Placed;
use crate::math::{Mat6, Twist, Wrench};
use crate::numbers::exact;

/// A spring and a damper between two poses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coupling {
    /// N/m.
    pub stiffness: f64,
    /// N·m/rad.
    pub angular_stiffness: f64,
    /// N·s/m.
    pub damping: f64,
    /// N·m·s/rad.
    pub angular_damping: f64,
    /// x_max, m: the spring's force grows no more beyond it (2016: half a cell). Infinite for none.
    pub max_distance: f64,
    /// The same for turns, rad.
    pub max_angle: f64,
}

/// A number that makes no coupling.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the coupling's {quantity} is {}, but must be {wanted}", exact(*value))]
pub struct CouplingError {
    /// Which.
    pub quantity: &'static str,
    /// As it was given.
    pub value: f64,
    /// What would do.
    pub wanted: &'static str,
}

/// What a device's joints and its loop allow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Passivity {
    /// b, the damping of the device itself, N·s/m.
    pub device_damping: f64,
    /// The same about an axis, N·m·s/rad; infinite for a device that has no torque, and so cannot buzz by it.
    pub device_angular_damping: f64,
    /// T, s.
    pub period: f64,
}

impl Passivity {
    /// b − K·T/2 − |B|, for shifts and for turns: what is left of the device's damping. Below 0 a hand that lets go can see the device buzz.
    pub fn margins(&self, coupling: &Coupling) -> [f64; 2] {
        let left = |b: f64, k: f64, damping: f64| b - 0.5 * k * self.period - damping.abs();
        [
            left(self.device_damping, coupling.stiffness, coupling.damping),
            left(self.device_angular_damping, coupling.angular_stiffness, coupling.angular_damping),
        ]
    }

    /// Whether the coupling asks for more than the device's damping, for shifts and for turns. As much as it has is not more, but for rounding: b is what a device is known to have at least.
    pub fn exceeded(&self, coupling: &Coupling) -> [bool; 2] {
        let [shifts, turns] = self.margins(coupling);
        [shifts < -1e-9 * self.device_damping, turns < -1e-9 * self.device_angular_damping]
    }

    /// Whether no motion of the hand makes the coupling give out more than was put in.
    pub fn holds(&self, coupling: &Coupling) -> bool {
        self.exceeded(coupling) == [false; 2]
    }

    /// The largest stiffness that is passive with a damping of its own, for shifts: K < 2(b − |B|)/T.
    pub fn most_stiffness(&self, damping: f64) -> f64 {
        (2.0 * (self.device_damping - damping.abs()) / self.period).max(0.0)
    }
}

impl Coupling {
    /// Critically damped for a part of a mass (kg) and a typical moment of inertia (kg·m²): B = 2√(K·m).
    pub fn critical(stiffness: f64, angular_stiffness: f64, mass: f64, inertia: f64) -> Self {
        Self {
            stiffness,
            angular_stiffness,
            damping: 2.0 * (stiffness * mass).sqrt(),
            angular_damping: 2.0 * (angular_stiffness * inertia).sqrt(),
            max_distance: f64::INFINITY,
            max_angle: f64::INFINITY,
        }
    }

    /// A spring alone, for parts without velocity.
    pub fn spring(stiffness: f64, angular_stiffness: f64) -> Self {
        Self { damping: 0.0, angular_damping: 0.0, ..Self::critical(stiffness, angular_stiffness, 0.0, 0.0) }
    }

    /// For a part with mass: critically damped, as stiff about an axis as its mass is spread, and saturating at half a cell of what it touches (2016, section 4.1).
    pub fn for_part(stiffness: f64, pair: &HeldPair) -> Self {
        let (gyration, moment) = (pair.gyration(), pair.typical_moment());
        Self::critical(stiffness, stiffness * gyration * gyration, pair.mass().mass, moment)
            .saturating(0.5 * pair.surface().cell(), gyration)
    }

    /// The same, saturating at a distance and at the angle that turns a point `radius` away by as much.
    #[must_use]
    pub fn saturating(self, max_distance: f64, radius: f64) -> Self {
        Self { max_distance, max_angle: max_distance / radius.max(f64::MIN_POSITIVE), ..self }
    }

    /// Whether all numbers make sense.
    pub fn check(&self) -> Result<(), CouplingError> {
        let bad = |quantity, value, wanted| Err(CouplingError { quantity, value, wanted });
        for (quantity, value) in [
            ("stiffness", self.stiffness),
            ("angular stiffness", self.angular_stiffness),
            ("damping", self.damping),
            ("angular damping", self.angular_damping),
        ] {
            if !(value.is_finite() && value >= 0.0) {
                return bad(quantity, value, "a finite number, 0 or more");
            }
        }
        for (quantity, value) in [("max_distance", self.max_distance), ("max_angle", self.max_angle)] {
            let is_positive = value > 0.0;
            if !is_positive {
                return bad(quantity, value, "positive, infinite for none");
            }
        }
        Ok(())
    }

    /// Force and torque on the hand, about the centre of mass: the spring pulls it to where the part is.
    ///
    /// `gap` leads from the hand to the part, `velocity` is that of the part relative to the hand.
    ///
    /// Spring and damper saturate together, and the spring that the damper works against goes on growing, as the root of the gap (see `braking`): so what was left behind comes back as fast as F_max
    /// can stop it again. With a damper of its own it would come back at K·x_max/B, some centimetres a second, and nothing of that be felt; with a spring that stays linear it would shoot past the hand.
    #[inline]
    pub fn wrench(&self, gap: &Twist, velocity: &Twist) -> Wrench {
        let [force, torque] = self.unlimited(gap, velocity);
        Wrench { force: saturated(force, self.max_force()), torque: saturated(torque, self.max_torque()) }
    }

    /// F_max = k·x_max, N.
    pub fn max_force(&self) -> f64 {
        limit(self.stiffness, self.max_distance)
    }

    /// The same for turns, N·m.
    pub fn max_torque(&self) -> f64 {
        limit(self.angular_stiffness, self.max_angle)
    }

    fn unlimited(&self, gap: &Twist, velocity: &Twist) -> [DVec3; 2] {
        [
            self.stiffness * braking(gap.linear, self.max_distance) + self.damping * velocity.linear,
            self.angular_stiffness * braking(gap.angular, self.max_angle)
                + self.angular_damping * velocity.angular,
        ]
    }

    /// The same of two bodies with one centre of mass in common, in their own frames.
    pub fn between(&self, hand: &Placed, part: &Placed) -> Wrench {
        let gap = hand.world_from_body.displacement_to(&part.world_from_body, part.center);
        let velocity = Twist {
            linear: part.twist.linear - hand.twist.linear,
            angular: part.twist.angular - hand.twist.angular,
        };
        self.wrench(&gap, &velocity)
    }

    /// K as a matrix: the force over the gap, which is no less than its slope. What is saturated has none: along the gap its force stays the same, and across it turns by less than an explicit step minds.
    pub fn stiffness_at(&self, gap: &Twist, velocity: &Twist) -> Mat6 {
        let [force, torque] = self.unlimited(gap, velocity);
        let secant = |stiffness: f64, gap: DVec3, most: f64| {
            let length = gap.length();
            if length > 2.0 * most { stiffness * braking(gap, most).length() / length } else { stiffness }
        };
        let linear = secant(self.stiffness, gap.linear, self.max_distance);
        let angular = secant(self.angular_stiffness, gap.angular, self.max_angle);
        diagonal(
            if force.length() > self.max_force() { 0.0 } else { linear },
            if torque.length() > self.max_torque() { 0.0 } else { angular },
        )
    }

    /// B as a matrix.
    pub fn damping_matrix(&self) -> Mat6 {
        diagonal(self.damping, self.angular_damping)
    }
}

fn diagonal(linear: f64, angular: f64) -> Mat6 {
    let of = |value: f64| glam::DMat3::from_diagonal(DVec3::splat(value));
    Mat6 { force_linear: of(linear), torque_angular: of(angular), ..Mat6::ZERO }
}

/// What a spring comes to at most; without a spring there is nothing to saturate, and a damper has no limit.
fn limit(stiffness: f64, most: f64) -> f64 {
    if stiffness > 0.0 { stiffness * most } else { f64::INFINITY }
}

/// What the spring pulls by, in lengths of a spring that does not saturate: from 2·x_max on as the root of the gap.
///
/// ```text
/// s(g) = g                          up to 2·x_max
/// s(g) = 2·√(x_max·(g − x_max))     beyond; both and their slopes meet there
/// ```
///
/// Spring and damper balance at the speed v = K·s(g)/B, and a part that goes at this speed slows down by v·dv/dg = 2K²·x_max/B². Critically damped, B² = 4·K·m, that is F_max/2m: half of what the limit
/// allows, so it stops at the hand. The whole would leave nothing for a hand that moves; less takes longer.
fn braking(gap: DVec3, most: f64) -> DVec3 {
    let length = gap.length();
    // Also where there is no limit, or a gap beyond all numbers.
    if length > 2.0 * most { gap * (2.0 * (most / length * (1.0 - most / length)).sqrt()) } else { gap }
}

/// A vector, made no longer than that.
#[inline]
fn saturated(gap: DVec3, most: f64) -> DVec3 {
    let length = gap.length();
    if length > most { gap * (most / length) } else { gap }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_force_grows_with_the_gap_up_to_its_limit() {
        let coupling = Coupling::spring(1000.0, 2.0).saturating(1e-3, 0.1);
        let force =
            |x: f64| coupling.wrench(&Twist { linear: DVec3::X * x, angular: DVec3::Y * x }, &Twist::ZERO);
        assert!((force(5e-4).force.x - 0.5).abs() < 1e-12);
        assert!((force(7.0).force.x - 1.0).abs() < 1e-12, "F_max = k·x_max");
        assert!((force(7.0).torque.y - 2.0 * 0.01).abs() < 1e-12);
        let damped = Coupling { damping: 20.0, ..coupling };
        let velocity = |v: f64| Twist { linear: DVec3::X * v, angular: DVec3::ZERO };
        let force = |x: f64, v: f64| damped.wrench(&velocity(x), &velocity(v)).force.x;
        assert!((force(2e-4, 0.01) - 0.4).abs() < 1e-12, "spring and damper below the limit");
        assert!((force(0.1, 3.0) - 1.0).abs() < 1e-12 && (force(0.0, -3.0) + 1.0).abs() < 1e-12);
        assert!((force(0.1, -0.9) - 1.0).abs() < 1e-12, "a damper does not hold back what is far behind");
        // K·s(g) = 2·1000·√(0.001·0.099) N = 19.9 N: balanced at 0.995 m/s.
        assert!((force(0.1, -1.1) + 1.0).abs() < 1e-12, "but what comes too fast to be stopped it does");
    }

    #[test]
    fn passive_is_what_colgate_says() {
        let device = Passivity { device_damping: 1.0, device_angular_damping: 0.01, period: 1e-3 };
        let spring = |k: f64| Coupling::spring(k, 1.0);
        assert!(device.holds(&spring(1990.0)) && !device.holds(&spring(2010.0)));
        assert_eq!(device.most_stiffness(0.0), 2000.0);
        assert!(device.holds(&spring(2000.0)), "as much is not more");
        let without_torque = Passivity { device_angular_damping: f64::INFINITY, ..device };
        assert!(without_torque.holds(&Coupling { angular_damping: 1e3, ..Coupling::spring(2000.0, 1e6) }));
        let damped = Coupling { damping: 0.5, ..spring(1010.0) };
        assert!(!device.holds(&damped) && device.holds(&Coupling { stiffness: 990.0, ..damped }));
        assert_eq!(device.most_stiffness(0.5), 1000.0);
    }

    #[test]
    fn numbers_without_sense_are_named() {
        let bad = Coupling { damping: f64::NAN, ..Coupling::spring(1.0, 1.0) };
        assert_eq!(bad.check().unwrap_err().quantity, "damping");
        let bad = Coupling { max_distance: 0.0, ..Coupling::spring(1.0, 1.0) };
        assert_eq!(bad.check().unwrap_err().quantity, "max_distance");
        assert!(Coupling::spring(1.0, 1.0).check().is_ok());
    }
}
