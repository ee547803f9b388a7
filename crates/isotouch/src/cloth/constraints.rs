//! What holds cloth together: strain of triangles, bending across edges, length of links.
//!
//! All are quadratic energies ½·C²/α of something C that is zero at rest, solved as XPBD does (Macklin et al. 2016): one round moves particles by
//! w·∇C·Δλ with Δλ = −(C + α̃·λ)/(Σ w|∇C|² + α̃), α̃ = α/h². Compliances α come from physical stiffnesses, so that a sheet is as stiff however
//! finely it is cut.

use glam::DVec3;

use super::colours::Constraint;

/// Warp, weft and shear of a triangle (Baraff and Witkin 1998): with w_u, w_v where unit steps along warp and weft lead, |w_u| − 1, |w_v| − 1 and w_u·w_v.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Strain {
    pub(super) particles: [u32; 3],
    /// w_u = u[0]·(x₁ − x₀) + u[1]·(x₂ − x₀).
    pub(super) u: [f64; 2],
    /// The same for w_v.
    pub(super) v: [f64; 2],
    /// α = 1/(k·A) of warp and weft.
    pub(super) stretch_compliance: f64,
    /// The same of shear; infinite where nothing resists it.
    pub(super) shear_compliance: f64,
}

impl Strain {
    /// (w_u, w_v).
    pub(super) fn directions(&self, [x0, x1, x2]: [DVec3; 3]) -> (DVec3, DVec3) {
        let (d1, d2) = (x1 - x0, x2 - x0);
        (d1 * self.u[0] + d2 * self.u[1], d1 * self.v[0] + d2 * self.v[1])
    }
}

/// |f₀·(x₁ − x₀) + f₁·(x₂ − x₀)| = 1.
#[inline(always)]
fn stretch_round(
    [f1, f2]: [f64; 2],
    x: &mut [DVec3; 3],
    [w0, w1, w2]: [f64; 3],
    multiplier: &mut f64,
    softness: f64,
) {
    let along = (x[1] - x[0]) * f1 + (x[2] - x[0]) * f2;
    let length = along.length();
    // Crumpled to a point it has no direction; neighbours pull it apart.
    if length < 1e-12 {
        return;
    }
    let f0 = f1 + f2;
    let weight = w0 * f0 * f0 + w1 * f1 * f1 + w2 * f2 * f2 + softness;
    // Δλ/|along|: one division for both, for this is where half of a substep goes.
    let share = (1.0 - length - softness * *multiplier) / (weight * length);
    *multiplier += share * length;
    let push = along * share;
    x[0] -= push * (w0 * f0);
    x[1] += push * (w1 * f1);
    x[2] += push * (w2 * f2);
}

impl Constraint<3> for Strain {
    type Multiplier = [f64; 3];

    fn particles(&self) -> [u32; 3] {
        self.particles
    }

    #[inline(always)]
    fn moved(
        &self,
        mut x: [DVec3; 3],
        w: [f64; 3],
        multiplier: &mut [f64; 3],
        per_square: f64,
    ) -> [DVec3; 3] {
        // A fixed triangle cannot give way.
        if w == [0.0; 3] {
            return x;
        }
        let softness = self.stretch_compliance * per_square;
        stretch_round(self.u, &mut x, w, &mut multiplier[0], softness);
        stretch_round(self.v, &mut x, w, &mut multiplier[1], softness);
        if self.shear_compliance.is_finite() {
            let softness = self.shear_compliance * per_square;
            let (along_u, along_v) = self.directions(x);
            let g1 = along_v * self.u[0] + along_u * self.v[0];
            let g2 = along_v * self.u[1] + along_u * self.v[1];
            let g0 = g1 + g2;
            let weight = w[0] * g0.length_squared()
                + w[1] * g1.length_squared()
                + w[2] * g2.length_squared()
                + softness;
            let step = -(along_u.dot(along_v) + softness * multiplier[2]) / weight;
            multiplier[2] += step;
            x[0] -= g0 * (w[0] * step);
            x[1] += g1 * (w[1] * step);
            x[2] += g2 * (w[2] * step);
        }
        x
    }

    fn energy(&self, x: [DVec3; 3]) -> f64 {
        let (along_u, along_v) = self.directions(x);
        let (u, v, s) = (along_u.length() - 1.0, along_v.length() - 1.0, along_u.dot(along_v));
        0.5 * ((u * u + v * v) / self.stretch_compliance + s * s / self.shear_compliance)
    }

    fn carried(&self, multiplier: &[f64; 3], per_square: f64) -> f64 {
        let [u, v, s] = multiplier.map(|of| of * per_square);
        let sheared = if self.shear_compliance.is_finite() { s * s * self.shear_compliance } else { 0.0 };
        0.5 * ((u * u + v * v) * self.stretch_compliance + sheared)
    }
}

/// |Σ cᵢ·xᵢ| = rest: curvature, as far as lengths do not change, times something. Of two triangles across an edge (Bergou et al. 2006) or three points of a strand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bend<const N: usize> {
    pub(super) particles: [u32; N],
    pub(super) weights: [f64; N],
    pub(super) rest: f64,
    /// α, for C as it is.
    pub(super) compliance: f64,
}

impl<const N: usize> Bend<N> {
    #[inline(always)]
    fn sum(&self, x: &[DVec3; N]) -> DVec3 {
        let mut sum = DVec3::ZERO;
        for k in 0..N {
            sum += x[k] * self.weights[k];
        }
        sum
    }
}

impl Bend<4> {
    /// Across the edge x₀x₁, between triangles with the third corners x₂ and x₃. E = ½·k/(A₀ + A₁)·|Σ cᵢ·xᵢ|², cᵢ sums of cotangents. Bergou et al. have 3/(A₀ + A₁), which
    /// is thrice the energy of a rolled sheet: exactly so where triangles are equilateral, whichever way it is rolled.
    pub(super) fn across(particles: [u32; 4], x: [DVec3; 4], stiffness: f64) -> Self {
        let cotangent = |a: DVec3, b: DVec3| a.dot(b) / a.cross(b).length();
        let edge = x[1] - x[0];
        let [c01, c02] = [cotangent(edge, x[2] - x[0]), cotangent(edge, x[3] - x[0])];
        let [c03, c04] = [cotangent(-edge, x[2] - x[1]), cotangent(-edge, x[3] - x[1])];
        let areas = 0.5 * (edge.cross(x[2] - x[0]).length() + edge.cross(x[3] - x[0]).length());
        let weights = [c03 + c04, c01 + c02, -c01 - c03, -c02 - c04];
        let mut bend = Self { particles, weights, rest: 0.0, compliance: areas / stiffness };
        bend.rest = bend.sum(&x).length();
        bend
    }
}

impl Bend<3> {
    /// Of three points of a strand: with t the directions before and after, E = ½·EI·|t₁ − t₀|²/ℓ.
    pub(super) fn along(particles: [u32; 3], x: [DVec3; 3], stiffness: f64) -> Self {
        let (before, after) = (x[1].distance(x[0]), x[2].distance(x[1]));
        let weights = [1.0 / before, -1.0 / before - 1.0 / after, 1.0 / after];
        let mut bend = Self { particles, weights, rest: 0.0, compliance: 0.5 * (before + after) / stiffness };
        bend.rest = bend.sum(&x).length();
        bend
    }
}

impl<const N: usize> Constraint<N> for Bend<N> {
    type Multiplier = f64;

    fn particles(&self) -> [u32; N] {
        self.particles
    }

    #[inline(always)]
    fn moved(&self, mut x: [DVec3; N], w: [f64; N], multiplier: &mut f64, per_square: f64) -> [DVec3; N] {
        let sum = self.sum(&x);
        let length = sum.length();
        // Flat: it has no direction, and no force either unless it should be bent, and then neighbours tell.
        if length < 1e-12 {
            return x;
        }
        let softness = self.compliance * per_square;
        let mut weight = softness;
        for k in 0..N {
            weight += w[k] * self.weights[k] * self.weights[k];
        }
        let share = (self.rest - length - softness * *multiplier) / (weight * length);
        *multiplier += share * length;
        let push = sum * share;
        for k in 0..N {
            x[k] += push * (w[k] * self.weights[k]);
        }
        x
    }

    fn energy(&self, x: [DVec3; N]) -> f64 {
        let off = self.sum(&x).length() - self.rest;
        0.5 * off * off / self.compliance
    }

    fn carried(&self, multiplier: &f64, per_square: f64) -> f64 {
        0.5 * self.compliance * (multiplier * per_square).powi(2)
    }
}

/// |x₁ − x₀| = rest: a piece of a strand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Link {
    pub(super) particles: [u32; 2],
    /// m.
    pub(super) rest: f64,
    /// α = ℓ/EA.
    pub(super) compliance: f64,
}

impl Constraint<2> for Link {
    type Multiplier = f64;

    fn particles(&self) -> [u32; 2] {
        self.particles
    }

    #[inline(always)]
    fn moved(&self, [a, b]: [DVec3; 2], w: [f64; 2], multiplier: &mut f64, per_square: f64) -> [DVec3; 2] {
        let apart = b - a;
        let length = apart.length();
        if length < 1e-12 {
            return [a, b];
        }
        let softness = self.compliance * per_square;
        let step = (self.rest - length - softness * *multiplier) / (w[0] + w[1] + softness);
        *multiplier += step;
        let push = apart * (step / length);
        [a - push * w[0], b + push * w[1]]
    }

    fn energy(&self, [a, b]: [DVec3; 2]) -> f64 {
        let off = a.distance(b) - self.rest;
        0.5 * off * off / self.compliance
    }

    fn carried(&self, multiplier: &f64, per_square: f64) -> f64 {
        0.5 * self.compliance * (multiplier * per_square).powi(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A flat strip rolled to a cylinder of radius R has the bending energy ½·k·area/R².
    #[test]
    fn a_rolled_strip_has_the_bending_energy_of_a_cylinder() {
        let (k, radius, step) = (0.3, 1.0, 0.02);
        let flat = |i: i32, j: i32| DVec3::new(f64::from(i) * step, 0.0, f64::from(j) * step);
        let roll = |p: DVec3| {
            let angle = p.x / radius;
            DVec3::new(radius * angle.sin(), radius * angle.cos(), p.z)
        };
        // Hinges of one square with its neighbours: its diagonal, and half of each of its four sides stand for its area.
        let hinge = |corners: [(i32, i32); 4]| {
            let rest = corners.map(|(i, j)| flat(i, j));
            Bend::across([0, 1, 2, 3], rest, k).energy(rest.map(roll))
        };
        let diagonal = hinge([(0, 0), (1, 1), (1, 0), (0, 1)]);
        let side_x = hinge([(0, 1), (1, 1), (0, 0), (1, 2)]);
        let side_z = hinge([(1, 0), (1, 1), (0, 0), (2, 1)]);
        let expected = 0.5 * k * step * step / (radius * radius);
        let got = diagonal + side_x + side_z;
        assert!((got / expected - 1.0).abs() < 0.01, "{got} {expected}");
    }

    /// The same for equilateral triangles, whichever way they are rolled: three hinges for every vertex, which stands for two triangles.
    #[test]
    fn a_sheet_of_equilateral_triangles_may_be_rolled_any_way() {
        let (k, radius, step) = (0.3, 1.0, 0.02);
        let flat = |i: f64, j: f64| DVec3::new(step * (i + 0.5 * j), 0.0, step * j * 0.75f64.sqrt());
        for degrees in [0.0f64, 17.0, 30.0, 71.0] {
            let (sin, cos) = degrees.to_radians().sin_cos();
            let roll = |p: DVec3| {
                let (around, along) = ((cos * p.x + sin * p.z) / radius, cos * p.z - sin * p.x);
                DVec3::new(radius * around.sin(), radius * around.cos(), along)
            };
            let hinge = |corners: [(f64, f64); 4]| {
                let rest = corners.map(|(i, j)| flat(i, j));
                Bend::across([0, 1, 2, 3], rest, k).energy(rest.map(roll))
            };
            let got = hinge([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, -1.0)])
                + hinge([(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (-1.0, 1.0)])
                + hinge([(1.0, 0.0), (0.0, 1.0), (0.0, 0.0), (1.0, 1.0)]);
            let expected = 0.5 * k * 0.75f64.sqrt() * step * step / (radius * radius);
            assert!((got / expected - 1.0).abs() < 0.01, "{degrees}°: {got} {expected}");
        }
    }

    #[test]
    fn a_bent_strand_has_the_energy_of_a_beam() {
        let (stiffness, radius, step) = (2e-6, 0.05, 0.001);
        let straight = [0.0, 1.0, 2.0].map(|k| DVec3::X * (k * step));
        let bent = [0.0, 1.0, 2.0].map(|k: f64| {
            let angle = k * step / radius;
            DVec3::new(radius * angle.sin(), radius * angle.cos(), 0.0)
        });
        let got = Bend::along([0, 1, 2], straight, stiffness).energy(bent);
        let expected = 0.5 * stiffness * step / (radius * radius);
        assert!((got / expected - 1.0).abs() < 1e-3, "{got} {expected}");
    }

    /// A round goes along −∇E: particles of equal mass keep their centre, and energy falls.
    #[test]
    fn rounds_keep_the_centre_and_lower_the_energy() {
        let strain = Strain {
            particles: [0, 1, 2],
            u: [10.0, 0.0],
            v: [0.0, 10.0],
            stretch_compliance: 1.0 / (100.0 * 0.005),
            shear_compliance: 1.0 / (20.0 * 0.005),
        };
        let x = [DVec3::ZERO, DVec3::new(0.12, 0.01, 0.0), DVec3::new(0.03, 0.02, 0.09)];
        let moved = strain.moved(x, [1e3; 3], &mut [0.0; 3], 1e6);
        let centre = |x: [DVec3; 3]| x[0] + x[1] + x[2];
        assert!((centre(moved) - centre(x)).length() < 1e-15);
        assert!(strain.energy(moved) < 0.9 * strain.energy(x));
        assert_eq!(strain.moved(x, [0.0; 3], &mut [0.0; 3], 1e6), x);
    }
}
