//! What surfaces are like, and what two of them make of a contact.

use super::Friction;
use crate::numbers::number;

/// How a surface answers to contact. The defaults are those of something hard and a little rough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// Force per depth and area, N/m³; see [`Law::stiffness`]. Usual: 10⁸ to 10¹¹: a ball of 10 cm that falls on the floor at 2 m/s sinks in by 11 mm at the one and
    /// 1 mm at the other. Lower sinks deeper; higher needs smaller steps with explicit integrators.
    pub stiffness: f64,
    /// Damping, as the time by which its force is behind that of the spring, in seconds: c = stiffness · damping. 0 bounces back; usual: 10⁻⁴ to 10⁻².
    pub damping: f64,
    /// Coulomb's μ while the surfaces do not slide. Not less than `kinetic_friction`.
    pub static_friction: f64,
    /// Coulomb's μ while they slide.
    pub kinetic_friction: f64,
    /// What holds back rolling and spinning, m: see [`Friction::rolling`]. Of two surfaces the larger one counts: the one that gives way more.
    pub rolling_friction: f64,
    /// A number for surfaces of one kind: for two kinds the law of their contact can be told ([`World::set_law`](crate::dynamics::World::set_law)) instead of made
    /// from both materials.
    pub kind: u32,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            stiffness: 1e10,
            damping: 1e-3,
            static_friction: 0.5,
            kinetic_friction: 0.5,
            rolling_friction: 0.0,
            kind: 0,
        }
    }
}

/// A number of a material or law that makes no sense.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{quantity} is {}, but must be {wanted}", number(*value))]
pub struct LawError {
    /// Which.
    pub quantity: &'static str,
    /// What was given.
    pub value: f64,
    /// What would do.
    pub wanted: &'static str,
}

/// Larger numbers cannot be computed with: squares of their products with areas and masses would be infinite.
const MOST: f64 = 1e60;

/// m/s: a nanometre in a quarter of an hour. With less, forces over slip speeds are beyond all numbers.
pub(crate) const LEAST_SLIP_SPEED: f64 = 1e-12;

fn check(quantity: &'static str, value: f64, least: f64) -> Result<(), LawError> {
    if (least..=MOST).contains(&value) {
        return Ok(());
    }
    let wanted = if least == LEAST_SLIP_SPEED {
        "1e-12 m/s or more and at most 1e60; 1e-5 is usual"
    } else if least > 0.0 {
        "a positive, finite number, at most 1e60"
    } else {
        "a finite number, 0 or more and at most 1e60"
    };
    Err(LawError { quantity, value, wanted })
}

impl Material {
    /// Whether all numbers make sense.
    pub fn check(&self) -> Result<(), LawError> {
        check("stiffness", self.stiffness, f64::MIN_POSITIVE)?;
        check("damping", self.damping, 0.0)?;
        check("kinetic_friction", self.kinetic_friction, 0.0)?;
        check("static_friction", self.static_friction, 0.0)?;
        check("rolling_friction", self.rolling_friction, 0.0)?;
        if self.static_friction < self.kinetic_friction {
            let (quantity, value) = ("static_friction", self.static_friction);
            return Err(LawError { quantity, value, wanted: "no less than kinetic_friction" });
        }
        Ok(())
    }

    /// What contact between two materials is like: springs one behind the other, the longer damping, the geometric mean of friction, the larger rolling friction.
    pub fn against(&self, other: &Self) -> Law {
        // k₁·k₂/(k₁ + k₂), without the product.
        let (soft, hard) = (self.stiffness.min(other.stiffness), self.stiffness.max(other.stiffness));
        let series = soft / (1.0 + soft / hard);
        Law {
            stiffness: Stiffness::PerArea(series),
            damping: self.damping.max(other.damping),
            friction: Friction {
                static_coefficient: (self.static_friction * other.static_friction).sqrt(),
                kinetic_coefficient: (self.kinetic_friction * other.kinetic_friction).sqrt(),
                rolling: self.rolling_friction.max(other.rolling_friction),
                ..Friction::default()
            },
        }
    }
}

/// Force per depth of a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stiffness {
    /// N/m³, times the area of the point: the same however densely the surface is sampled.
    PerArea(f64),
    /// N/m, the same for every point: as in the papers.
    PerPoint(f64),
}

impl Stiffness {
    /// N/m of a point with an area.
    #[inline(always)]
    pub fn of_point(self, area: f64) -> f64 {
        match self {
            Self::PerArea(stiffness) => stiffness * area,
            Self::PerPoint(stiffness) => stiffness,
        }
    }

    /// The number, in whatever unit.
    pub fn value(self) -> f64 {
        match self {
            Self::PerArea(value) | Self::PerPoint(value) => value,
        }
    }

    /// The same, times a number.
    #[must_use]
    pub fn times(self, by: f64) -> Self {
        match self {
            Self::PerArea(value) => Self::PerArea(value * by),
            Self::PerPoint(value) => Self::PerPoint(value * by),
        }
    }
}

/// How two bodies answer to contact with each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Law {
    /// Of the springs.
    pub stiffness: Stiffness,
    /// Seconds: c = stiffness · damping.
    pub damping: f64,
    /// Along the surface.
    pub friction: Friction,
}

impl Law {
    /// Whether all numbers make sense.
    pub fn check(&self) -> Result<(), LawError> {
        check("stiffness", self.stiffness.value(), f64::MIN_POSITIVE)?;
        check("damping", self.damping, 0.0)?;
        self.friction.check()
    }
}

impl Friction {
    /// Whether all numbers make sense.
    pub fn check(&self) -> Result<(), LawError> {
        check("kinetic friction", self.kinetic_coefficient, 0.0)?;
        check("static friction", self.static_coefficient, 0.0)?;
        if self.static_coefficient < self.kinetic_coefficient {
            let (quantity, value) = ("static friction", self.static_coefficient);
            return Err(LawError { quantity, value, wanted: "no less than kinetic friction" });
        }
        check("rolling friction", self.rolling, 0.0)?;
        check("slip speed", self.slip_speed, LEAST_SLIP_SPEED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_springs_in_series_are_softer_than_each() {
        let soft = Material { stiffness: 1e6, kinetic_friction: 0.2, ..Default::default() };
        let hard = Material { stiffness: 1e9, kinetic_friction: 0.8, ..Default::default() };
        let law = soft.against(&hard);
        assert_eq!(law, hard.against(&soft));
        assert!(matches!(law.stiffness, Stiffness::PerArea(k) if (k - 1e6 / 1.001).abs() < 1e-3));
        assert!((law.friction.kinetic_coefficient - 0.4).abs() < 1e-15);
    }

    #[test]
    fn numbers_without_sense_are_named() {
        let bad = |material: Material| material.check().unwrap_err().quantity;
        assert_eq!(bad(Material { stiffness: 0.0, ..Default::default() }), "stiffness");
        assert_eq!(bad(Material { stiffness: 1e299, ..Default::default() }), "stiffness");
        assert_eq!(bad(Material { damping: f64::NAN, ..Default::default() }), "damping");
        assert_eq!(bad(Material { static_friction: 0.1, ..Default::default() }), "static_friction");
        assert!(Material::default().check().is_ok());
    }
}
