//! Numbers of about 32 digits, each the sum of two `f64` (Dekker 1971), and vectors of them.

use std::ops::{Add, Div, Mul, Neg, Sub};

use dashu_ratio::RBig;
use isotouch::math::DVec3;

#[derive(Debug, Clone, Copy)]
pub struct Double(f64, f64);

impl Double {
    pub fn of(x: f64) -> Self {
        Self(x, 0.0)
    }

    /// The nearest one, but for numbers so small that the lower half underflows.
    pub fn near(x: &RBig) -> Self {
        let high = x.to_f64().value();
        let rest = x - RBig::try_from(high).unwrap();
        Self(high, rest.to_f64().value())
    }

    pub fn high(self) -> f64 {
        self.0
    }

    fn sum(a: f64, b: f64) -> Self {
        let s = a + b;
        let from_b = s - a;
        Self(s, (a - (s - from_b)) + (b - from_b))
    }

    fn product(a: f64, b: f64) -> Self {
        let p = a * b;
        Self(p, a.mul_add(b, -p))
    }

    fn sqrt(self) -> Self {
        if self.0 <= 0.0 {
            return Self::of(0.0);
        }
        let root = Self::of(self.0.sqrt());
        // One step of Newton doubles the digits.
        root + (self - root * root) / (root + root)
    }
}

impl Add for Double {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (high, low) = (Self::sum(self.0, other.0), Self::sum(self.1, other.1));
        let high = Self::sum(high.0, high.1 + low.0);
        Self::sum(high.0, high.1 + low.1)
    }
}

impl Neg for Double {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl Sub for Double {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Double {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let p = Self::product(self.0, other.0);
        Self::sum(p.0, p.1 + (self.0 * other.1 + self.1 * other.0))
    }
}

impl Div for Double {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = Self::of(self.0 / other.0);
        let rest = self - other * first;
        let second = Self::of(rest.0 / other.0);
        let rest = rest - other * second;
        first + second + Self::of(rest.0 / other.0)
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Vector([Double; 3]);

impl Vector {
    pub fn of(v: DVec3) -> Self {
        Self(v.to_array().map(Double::of))
    }

    pub fn high(self) -> DVec3 {
        DVec3::from_array(self.0.map(Double::high))
    }

    pub fn dot(self, other: Self) -> Double {
        self.0[0] * other.0[0] + self.0[1] * other.0[1] + self.0[2] * other.0[2]
    }

    pub fn cross(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([b * z - c * y, c * x - a * z, a * y - b * x])
    }

    pub fn length(self) -> Double {
        self.dot(self).sqrt()
    }
}

impl Add for Vector {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] + other.0[k]))
    }
}

impl Sub for Vector {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] - other.0[k]))
    }
}

impl Mul<Double> for Vector {
    type Output = Self;
    fn mul(self, by: Double) -> Self {
        Self(self.0.map(|x| x * by))
    }
}
