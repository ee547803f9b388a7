//! Coulomb's friction, made continuous.
//!
//! Coulomb's force jumps where sliding begins. Here it rises from zero with the sliding speed, as v/√(v² + v₀²), until it reaches μ·f at ten *slip speeds* v₀; so what
//! "sticks" creeps, by about v₀·tan θ/√(μ² − tan² θ) on a slope θ. That is the price of a force that implicit integrators can follow: with
//! v₀ = 10 µm/s a block creeps less than a hair's breadth in some seconds. What leans on others needs that: in heaps that crept ten times as fast bodies came to the edge of balance, and fell seconds after all had
//! come to rest. The static μ holds until the force has risen to all of it; from there on μ falls to its kinetic value, over as many speeds
//! again. With small slip speeds that is 1 cm/s, below which nothing is taken to slide.
//!
//! What rolls or spins in place does not slide, and so is not held back by that. What holds it back in the world is that surfaces give way under it: a torque against turning, of at most a length times the normal
//! force. It rises with the turning as friction does with sliding.

use glam::DVec3;

/// The speed, in units of the slip speed, at which the force has risen to its peak; and how many more it takes μ to go from its static to its kinetic value. Much smaller, and what should stick is
/// as stiff as a jump; larger, and what slides slowly is held back too much.
const RISEN: f64 = 10.0;
/// m/s. And no sooner than at this speed does μ begin to fall: surfaces that are pressed together yield by micrometres before they slide, and balls of triangles that roll hop, and slip by millimetres a second where they come down. Larger, and what slides slowly is
/// held by too much.
const LEAST_SLIDING: f64 = 1e-2;
/// m. Of a point nearer to the centre of its body than this nobody asks how fast it moves.
const LEAST_ARM: f64 = 1e-9;

/// Friction between two surfaces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Friction {
    /// μ at rest.
    pub static_coefficient: f64,
    /// μ while sliding.
    pub kinetic_coefficient: f64,
    /// v₀, m/s. Smaller creeps less; larger is easier on explicit integrators, which need v₀ of about μ·g·dt.
    pub slip_speed: f64,
    /// b, m: the torque b·f that holds back rolling and spinning, f the normal force. A ball of radius r that rolls is slowed by g·b/(1.4·r), and lies still on slopes below atan(b/r). 0 for what rolls on for ever;
    /// r/100 is a tyre on a street.
    pub rolling: f64,
}

impl Default for Friction {
    fn default() -> Self {
        Self::NONE
    }
}

impl Friction {
    /// None.
    pub const NONE: Self =
        Self { static_coefficient: 0.0, kinetic_coefficient: 0.0, slip_speed: 1e-5, rolling: 0.0 };

    /// One μ, at rest and sliding.
    pub fn coulomb(coefficient: f64) -> Self {
        Self { static_coefficient: coefficient, kinetic_coefficient: coefficient, ..Self::default() }
    }

    /// μ at a sliding speed: static until the force has risen, then falling to kinetic.
    #[inline]
    pub fn coefficient(&self, speed: f64) -> f64 {
        let more_at_rest = self.static_coefficient - self.kinetic_coefficient;
        let beyond = (speed / self.sliding() - 1.0).max(0.0);
        // Most contacts slide much faster or have one μ; exp(−28²) is 0 exactly.
        if more_at_rest == 0.0 || beyond > 28.0 {
            return self.kinetic_coefficient;
        }
        self.kinetic_coefficient + more_at_rest * (-beyond * beyond).exp()
    }

    /// The speed at which μ begins to fall.
    #[inline]
    fn sliding(&self) -> f64 {
        (RISEN * self.slip_speed).max(LEAST_SLIDING)
    }

    /// Force per sliding velocity, to be taken against it: μ·f/√(v² + v₀²), f the normal force, scaled so that it is μ·f/v where it has risen.
    #[inline]
    pub fn drag(&self, normal_force: f64, speed: f64) -> f64 {
        let risen = RISEN * self.slip_speed;
        let force = self.coefficient(speed) * normal_force;
        if speed >= risen {
            return force / speed;
        }
        // √(1 + v₀²/v₁²)/√(v² + v₀²), which is 1/v₁ at v₁.
        // Tiny speeds have no squares.
        let both = (speed * speed + self.slip_speed * self.slip_speed).sqrt().max(self.slip_speed);
        force * (1.0 + (RISEN * RISEN).recip()).sqrt() / both
    }

    /// How much the force rises per speed; below 0 where it falls from its static to its kinetic value.
    #[inline]
    pub fn rise(&self, normal_force: f64, speed: f64) -> f64 {
        let risen = RISEN * self.slip_speed;
        if speed >= risen {
            let more_at_rest = self.static_coefficient - self.kinetic_coefficient;
            let beyond = speed / self.sliding() - 1.0;
            if more_at_rest == 0.0 || !(0.0..=28.0).contains(&beyond) {
                return 0.0;
            }
            return -normal_force * more_at_rest * 2.0 * beyond / self.sliding() * (-beyond * beyond).exp();
        }
        // d/dv of v/√(v² + v₀²) is v₀²/√(v² + v₀²)³.
        let both = (speed * speed + self.slip_speed * self.slip_speed).sqrt().max(self.slip_speed);
        let part = self.slip_speed / both;
        self.static_coefficient * normal_force * (1.0 + (RISEN * RISEN).recip()).sqrt() * part * part / both
    }

    /// The force on what slides with this velocity along the surface.
    #[inline]
    pub fn force(&self, normal_force: f64, sliding: DVec3) -> DVec3 {
        -self.drag(normal_force, sliding.length()) * sliding
    }

    /// Torque per turning, to be taken against it: b·f/√(ω² + ω₀²), f the normal force. ω₀ = v₀·b/ℓ² holds what lies still as stiffly as sliding friction of μ = 1 would a point at this arm ℓ, m: no stiffer, for
    /// explicit steps, and no softer, or what is balanced within b would creep until it topples.
    #[inline]
    pub fn rolling_drag(&self, normal_force: f64, turning: f64, arm: f64) -> f64 {
        if self.rolling == 0.0 {
            return 0.0;
        }
        let slip = self.slip_speed * self.rolling / arm.max(LEAST_ARM).powi(2);
        self.rolling * normal_force / (turning * turning + slip * slip).sqrt().max(slip)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rise_is_the_slope_of_the_force() {
        for (at_rest, sliding) in [(0.6, 0.4), (0.5, 0.5)] {
            let friction = Friction {
                static_coefficient: at_rest,
                kinetic_coefficient: sliding,
                slip_speed: 1e-3,
                ..Friction::NONE
            };
            for k in 0..60 {
                let speed = 1e-5 * 1.2f64.powi(k);
                let step = 1e-5 * speed;
                let force = |speed: f64| speed * friction.drag(2.0, speed);
                let slope = (force(speed + step) - force(speed - step)) / (2.0 * step);
                let rise = friction.rise(2.0, speed);
                // The law has a kink where it has risen.
                let is_kink = (speed / 1e-2 - 1.0).abs() < 1e-4;
                assert!(
                    is_kink || (rise - slope).abs() < 1e-3 * slope.abs() + 1e-4,
                    "{speed}: {rise} {slope}"
                );
            }
        }
    }

    #[test]
    fn friction_is_against_sliding_and_never_more_than_coulombs() {
        let friction = Friction {
            static_coefficient: 0.6,
            kinetic_coefficient: 0.4,
            slip_speed: 1e-3,
            ..Friction::NONE
        };
        let mut last = 0.0;
        for k in 0..60 {
            let speed = 1e-5 * 1.2f64.powi(k);
            let force = friction.force(2.0, DVec3::new(0.0, speed, 0.0));
            assert!(force.y < 0.0 && force.x == 0.0 && force.z == 0.0);
            assert!(-force.y <= 2.0 * 0.6 * (1.0 + 1e-15), "at {speed}");
            if speed < 1e-3 {
                assert!(-force.y > last, "it rises with the speed at first");
            }
            last = -force.y;
        }
        // Far beyond: μ_k·f.
        assert!((friction.force(2.0, DVec3::X).x + 0.8).abs() < 1e-6);
        // All of the static value is reached on the way.
        assert!((friction.force(2.0, DVec3::X * 1e-2).x + 1.2).abs() < 1e-12);
        assert_eq!(friction.force(2.0, DVec3::ZERO), DVec3::ZERO);
    }
}
