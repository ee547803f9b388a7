//! Motion and force of rigid bodies, six numbers at once: the linear part first, then the angular one.

use std::ops::{Add, AddAssign, Mul, Neg, Sub};

use glam::{DMat3, DVec3};

/// How a rigid body moves at a moment: the velocity of a reference point, here always the centre of mass, and the angular velocity.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Twist {
    /// m/s.
    pub linear: DVec3,
    /// rad/s, in the axes of the world.
    pub angular: DVec3,
}

impl Twist {
    /// At rest.
    pub const ZERO: Self = Self { linear: DVec3::ZERO, angular: DVec3::ZERO };

    /// The velocity of a point of the body, `arm` away from the reference point.
    #[inline(always)]
    pub fn at(&self, arm: DVec3) -> DVec3 {
        self.linear + self.angular.cross(arm)
    }

    /// Between two.
    #[must_use]
    pub fn lerp(&self, to: &Self, t: f64) -> Self {
        Self { linear: self.linear.lerp(to.linear, t), angular: self.angular.lerp(to.angular, t) }
    }
}

impl Add for Twist {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { linear: self.linear + other.linear, angular: self.angular + other.angular }
    }
}

/// Force and torque about a reference point, or impulse and angular impulse.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wrench {
    /// N, or N·s.
    pub force: DVec3,
    /// N·m, or N·m·s.
    pub torque: DVec3,
}

impl Wrench {
    /// Nothing.
    pub const ZERO: Self = Self { force: DVec3::ZERO, torque: DVec3::ZERO };

    /// A force that acts `arm` away from the reference point.
    #[inline(always)]
    pub fn of_force(force: DVec3, arm: DVec3) -> Self {
        Self { force, torque: arm.cross(force) }
    }

    /// Whether all six numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.force.is_finite() && self.torque.is_finite()
    }
}

impl Add for Wrench {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { force: self.force + other.force, torque: self.torque + other.torque }
    }
}

impl AddAssign for Wrench {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Wrench {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Neg for Wrench {
    type Output = Self;
    fn neg(self) -> Self {
        Self { force: -self.force, torque: -self.torque }
    }
}

impl Mul<f64> for Wrench {
    type Output = Self;
    fn mul(self, by: f64) -> Self {
        Self { force: self.force * by, torque: self.torque * by }
    }
}

/// A 6×6 matrix in four blocks, from a twist (or a small displacement) to a wrench.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mat6 {
    /// Force per linear.
    pub force_linear: DMat3,
    /// Force per angular.
    pub force_angular: DMat3,
    /// Torque per linear.
    pub torque_linear: DMat3,
    /// Torque per angular.
    pub torque_angular: DMat3,
}

/// All zeros, unlike the default of its blocks.
impl Default for Mat6 {
    fn default() -> Self {
        Self::ZERO
    }
}

impl Mat6 {
    /// All zeros.
    pub const ZERO: Self = Self {
        force_linear: DMat3::ZERO,
        force_angular: DMat3::ZERO,
        torque_linear: DMat3::ZERO,
        torque_angular: DMat3::ZERO,
    };

    /// The inertia of a body about its centre of mass.
    pub fn inertia(mass: f64, inertia: DMat3) -> Self {
        Self { force_linear: DMat3::from_diagonal(DVec3::splat(mass)), torque_angular: inertia, ..Self::ZERO }
    }

    /// `Jₐᵀ·K·J_b`, where `J = [1, −[arm]×]` gives the velocity of the point `arm` away: how K, a force per displacement of a point, acts on
    /// whole bodies that hold it at arms a and b.
    #[inline]
    pub fn at_arms(k: &DMat3, a: DVec3, b: DVec3) -> Self {
        let (a, b) = (cross_matrix(a), cross_matrix(b));
        // (−[a]×)ᵀ = [a]×.
        let k_b = *k * b * -1.0;
        Self { force_linear: *k, force_angular: k_b, torque_linear: a * *k, torque_angular: a * k_b }
    }

    /// The other way round.
    #[must_use]
    pub fn transpose(&self) -> Self {
        Self {
            force_linear: self.force_linear.transpose(),
            force_angular: self.torque_linear.transpose(),
            torque_linear: self.force_angular.transpose(),
            torque_angular: self.torque_angular.transpose(),
        }
    }

    /// What it makes of a twist.
    #[inline(always)]
    pub fn apply(&self, twist: &Twist) -> Wrench {
        Wrench {
            force: self.force_linear * twist.linear + self.force_angular * twist.angular,
            torque: self.torque_linear * twist.linear + self.torque_angular * twist.angular,
        }
    }

    /// Rows of six numbers.
    pub fn to_rows(&self) -> [[f64; 6]; 6] {
        let mut rows = [[0.0; 6]; 6];
        let blocks = [[self.force_linear, self.force_angular], [self.torque_linear, self.torque_angular]];
        for (i, pair) in blocks.iter().enumerate() {
            for (j, block) in pair.iter().enumerate() {
                for row in 0..3 {
                    for column in 0..3 {
                        rows[3 * i + row][3 * j + column] = block.col(column)[row];
                    }
                }
            }
        }
        rows
    }

    /// The twist that it makes this wrench of, for a symmetric positive definite matrix; `None` where it is not.
    pub fn solve(&self, wrench: &Wrench) -> Option<Twist> {
        Cholesky6::new(self).map(|factor| factor.solve(wrench))
    }
}

impl Add for Mat6 {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self {
            force_linear: self.force_linear + other.force_linear,
            force_angular: self.force_angular + other.force_angular,
            torque_linear: self.torque_linear + other.torque_linear,
            torque_angular: self.torque_angular + other.torque_angular,
        }
    }
}

impl AddAssign for Mat6 {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul<f64> for Mat6 {
    type Output = Self;
    fn mul(self, by: f64) -> Self {
        Self {
            force_linear: self.force_linear * by,
            force_angular: self.force_angular * by,
            torque_linear: self.torque_linear * by,
            torque_angular: self.torque_angular * by,
        }
    }
}

/// `[a]×`: what makes a × b of b.
#[inline(always)]
pub fn cross_matrix(a: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, a.z, -a.y), DVec3::new(-a.z, 0.0, a.x), DVec3::new(a.y, -a.x, 0.0))
}

/// a·bᵀ.
#[inline(always)]
pub fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// A symmetric positive definite 6×6 matrix as L·Lᵀ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cholesky6 {
    /// L, its diagonal inverted.
    factor: [[f64; 6]; 6],
}

impl Cholesky6 {
    /// `None` unless the matrix, of which the lower half is read, is positive definite.
    pub fn new(matrix: &Mat6) -> Option<Self> {
        Self::of_rows(matrix.to_rows())
    }

    /// The same of rows of six numbers.
    pub(crate) fn of_rows(mut l: [[f64; 6]; 6]) -> Option<Self> {
        for j in 0..6 {
            for k in 0..j {
                let factor = l[j][k];
                for i in j..6 {
                    l[i][j] -= l[i][k] * factor;
                }
            }
            let pivot = l[j][j];
            // Written so that NaN is refused.
            let is_positive = pivot > 0.0 && pivot.is_finite();
            if !is_positive {
                return None;
            }
            let inverse = 1.0 / pivot.sqrt();
            for row in l.iter_mut().skip(j + 1) {
                row[j] *= inverse;
            }
            l[j][j] = inverse;
        }
        Some(Self { factor: l })
    }

    /// L⁻¹·X for six right sides at once, one in each column.
    #[inline(always)]
    pub(crate) fn forward_all(&self, x: &mut [[f64; 6]; 6]) {
        let l = &self.factor;
        for i in 0..6 {
            let mut row = x[i];
            for k in 0..i {
                for (value, known) in row.iter_mut().zip(&x[k]) {
                    *value -= l[i][k] * known;
                }
            }
            x[i] = row.map(|value| value * l[i][i]);
        }
    }

    /// L⁻¹·x.
    #[inline(always)]
    pub(crate) fn forward(&self, x: &mut [f64; 6]) {
        let l = &self.factor;
        for i in 0..6 {
            for k in 0..i {
                x[i] -= l[i][k] * x[k];
            }
            x[i] *= l[i][i];
        }
    }

    /// L⁻ᵀ·x.
    #[inline(always)]
    pub(crate) fn backward(&self, x: &mut [f64; 6]) {
        let l = &self.factor;
        for i in (0..6).rev() {
            for k in i + 1..6 {
                x[i] -= l[k][i] * x[k];
            }
            x[i] *= l[i][i];
        }
    }

    /// The twist that the matrix makes this wrench of.
    pub fn solve(&self, wrench: &Wrench) -> Twist {
        self.from_white(self.whiten(wrench))
    }

    /// L⁻¹ times a wrench: where twists are measured by Lᵀa, wrenches act as this does, for J·a = (L⁻¹J)·(Lᵀa).
    #[inline(always)]
    pub fn whiten(&self, wrench: &Wrench) -> [f64; 6] {
        let (f, t) = (wrench.force, wrench.torque);
        let mut x = [f.x, f.y, f.z, t.x, t.y, t.z];
        self.forward(&mut x);
        x
    }

    /// [`Cholesky6::whiten`] of eight wrenches side by side.
    #[inline(always)]
    pub(crate) fn whiten_eight(&self, parts: &mut [[f64; 8]; 6]) {
        let l = &self.factor;
        for i in 0..6 {
            let mut x = parts[i];
            for k in 0..i {
                for lane in 0..8 {
                    x[lane] -= l[i][k] * parts[k][lane];
                }
            }
            for lane in &mut x {
                *lane *= l[i][i];
            }
            parts[i] = x;
        }
    }

    /// Lᵀ times a twist: six numbers whose length is the twist's in the metric of the matrix.
    #[inline]
    pub fn to_white(&self, twist: &Twist) -> [f64; 6] {
        let l = &self.factor;
        let (v, w) = (twist.linear, twist.angular);
        let a = [v.x, v.y, v.z, w.x, w.y, w.z];
        std::array::from_fn(|i| a[i] / l[i][i] + (i + 1..6).map(|k| l[k][i] * a[k]).sum::<f64>())
    }

    /// The twist that [`Cholesky6::to_white`] makes these numbers of.
    #[inline]
    pub fn from_white(&self, mut x: [f64; 6]) -> Twist {
        self.backward(&mut x);
        Twist { linear: DVec3::new(x[0], x[1], x[2]), angular: DVec3::new(x[3], x[4], x[5]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arms_turn_forces_of_points_into_wrenches() {
        let k = DMat3::from_cols_array(&[3.0, 1.0, 0.5, 1.0, 2.0, -0.25, 0.5, -0.25, 4.0]);
        let (a, b) = (DVec3::new(0.3, -1.0, 2.0), DVec3::new(-0.7, 0.1, 0.4));
        let twist = Twist { linear: DVec3::new(1.0, 2.0, 3.0), angular: DVec3::new(-0.5, 0.25, 0.75) };
        let by_hand = Wrench::of_force(k * twist.at(b), a);
        let got = Mat6::at_arms(&k, a, b).apply(&twist);
        assert!((got.force - by_hand.force).length() < 1e-14);
        assert!((got.torque - by_hand.torque).length() < 1e-14);
        let (turned, other) =
            (Mat6::at_arms(&k, a, b).transpose().to_rows(), Mat6::at_arms(&k, b, a).to_rows());
        for (row, expected) in turned.iter().flatten().zip(other.iter().flatten()) {
            assert!((row - expected).abs() < 1e-14, "K is symmetric: {row} {expected}");
        }
    }

    #[test]
    fn what_is_solved_gives_the_wrench_back() {
        let k = DMat3::from_cols_array(&[3.0, 1.0, 0.5, 1.0, 2.0, -0.25, 0.5, -0.25, 4.0]);
        let matrix = Mat6::inertia(2.0, DMat3::from_diagonal(DVec3::new(1.0, 2.0, 0.5)))
            + Mat6::at_arms(&k, DVec3::new(0.3, -1.0, 2.0), DVec3::new(0.3, -1.0, 2.0)) * 100.0;
        let wrench = Wrench { force: DVec3::new(1.0, -2.0, 0.5), torque: DVec3::new(0.1, 3.0, -1.0) };
        let back = matrix.apply(&matrix.solve(&wrench).unwrap());
        assert!(
            (back.force - wrench.force).length() < 1e-12 && (back.torque - wrench.torque).length() < 1e-12
        );
        let (factor, twist) =
            (Cholesky6::new(&matrix).unwrap(), Twist { linear: DVec3::X, angular: DVec3::NEG_ONE });
        let white = factor.to_white(&twist);
        let (kept, pushed) = (factor.from_white(white), matrix.apply(&twist));
        assert!((kept.linear - twist.linear).length() + (kept.angular - twist.angular).length() < 1e-13);
        let squared = pushed.force.dot(twist.linear) + pushed.torque.dot(twist.angular);
        assert!((white.iter().map(|x| x * x).sum::<f64>() / squared - 1.0).abs() < 1e-14, "|Lᵀa|² = aᵀMa");
        assert!((matrix * -1.0).solve(&wrench).is_none() && Mat6::ZERO.solve(&wrench).is_none());
    }
}
