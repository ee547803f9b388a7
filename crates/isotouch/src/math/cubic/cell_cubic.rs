//! The cubic of a cell along a piece of a segment, in the Bernstein basis, and its values.

use glam::DVec3;

/// τ / M: a Bernstein coefficient above τ is positive, whatever its rounding. 23 u are needed (see the module), 32 u = 2⁻⁴⁸ taken.
/// Smaller and "none" is no proof; larger and more misses by a hair are called touches.
const ROUNDING: f64 = 1.0 / (1u64 << 48) as f64;
const _: () = assert!(ROUNDING >= 23.0 / (1u64 << 53) as f64);

/// Beyond this, sums of three and squares could overflow and the error bounds would not hold.
const LARGEST: f64 = 1e300;

/// `p(s) = φ(u₀ + s(u₁ − u₀)) − σ` for s in [0, 1], where φ is the trilinear interpolant of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellCubic {
    /// Coefficients in the Bernstein basis of degree 3; the first and last are the values at both ends.
    pub(super) bernstein: [f64; 4],
    /// τ.
    pub(super) rounding: f64,
}

impl CellCubic {
    /// The cubic of the cell with these corner values (x fastest) from `entry` to `exit`, both in [0, 1]³ (a rounding error
    /// outside does no harm), less `iso`.
    #[inline(always)]
    pub fn along(corners: &[f32; 8], entry: DVec3, exit: DVec3, iso: f64) -> Self {
        let c = corners.map(|corner| f64::from(corner) - iso);
        let larger = |a: f64, b: f64| if a > b { a } else { b };
        let m: [f64; 4] = std::array::from_fn(|k| larger(c[k].abs(), c[k + 4].abs()));
        let magnitude = larger(larger(m[0], m[1]), larger(m[2], m[3]));

        // a(1 − t) + bt rather than a + t(b − a): exact at both ends, so that neighbouring cells agree on their shared face.
        let mix = |a: f64, b: f64, t: f64| a * (1.0 - t) + b * t;
        // One index per axis that is still free; 0 and 1 in names: the coordinate of the entry or the exit.
        let x0: [f64; 4] = std::array::from_fn(|k| mix(c[2 * k], c[2 * k + 1], entry.x));
        let x1: [f64; 4] = std::array::from_fn(|k| mix(c[2 * k], c[2 * k + 1], exit.x));
        let x0y0: [f64; 2] = std::array::from_fn(|k| mix(x0[2 * k], x0[2 * k + 1], entry.y));
        let x1y1: [f64; 2] = std::array::from_fn(|k| mix(x1[2 * k], x1[2 * k + 1], exit.y));
        let x0y1: [f64; 2] = std::array::from_fn(|k| mix(x0[2 * k], x0[2 * k + 1], exit.y));
        let x1y0: [f64; 2] = std::array::from_fn(|k| mix(x1[2 * k], x1[2 * k + 1], entry.y));
        let mixed: [f64; 2] = std::array::from_fn(|k| x0y1[k] + x1y0[k]);

        // Equation (1) of the module; φ(x₁,y₀,z) + φ(x₀,y₁,z) share their last step.
        const THIRD: f64 = 1.0 / 3.0;
        let b0 = mix(x0y0[0], x0y0[1], entry.z);
        let b1 = (mix(mixed[0], mixed[1], entry.z) + mix(x0y0[0], x0y0[1], exit.z)) * THIRD;
        let b2 = (mix(mixed[0], mixed[1], exit.z) + mix(x1y1[0], x1y1[1], entry.z)) * THIRD;
        let b3 = mix(x1y1[0], x1y1[1], exit.z);
        Self::from_bernstein([b0, b1, b2, b3], magnitude)
    }

    /// A cubic from its coefficients, each within 14·2⁻⁵³·`magnitude` of what is meant and none larger than `magnitude`.
    #[inline(always)]
    pub(crate) fn from_bernstein(bernstein: [f64; 4], magnitude: f64) -> Self {
        // An infinite τ proves nothing, so nothing is claimed.
        let rounding =
            if magnitude < LARGEST { ROUNDING * magnitude + f64::MIN_POSITIVE } else { f64::INFINITY };
        Self { bernstein, rounding }
    }

    /// Coefficients in the Bernstein basis of degree 3. Each is within [`CellCubic::rounding`] of the exact one.
    #[inline(always)]
    pub fn bernstein(&self) -> [f64; 4] {
        self.bernstein
    }

    /// τ = 2⁻⁴⁸ max|cᵢ − σ|: a Bernstein coefficient computed above τ is positive, one below −τ is negative. Values
    /// by [`CellCubic::value`] are less certain.
    #[inline(always)]
    pub fn rounding(&self) -> f64 {
        self.rounding
    }

    /// How far p may be above zero where a hit or an interval begins or ends: 32τ = 2⁻⁴³ max|cᵢ − σ|.
    #[inline(always)]
    pub fn tolerance(&self) -> f64 {
        32.0 * self.rounding
    }

    /// p(s) for s in [0, 1], within 4τ.
    #[inline(always)]
    pub fn value(&self, s: f64) -> f64 {
        self.powers().value(s)
    }

    /// The same cubic in powers of s.
    #[inline(always)]
    pub(super) fn powers(&self) -> Powers {
        let [b0, b1, b2, b3] = self.bernstein;
        let (d0, d1, d2) = (b1 - b0, b2 - b1, b3 - b2);
        let (e0, e1) = (d1 - d0, d2 - d1);
        Powers { a0: b0, a1: 3.0 * d0, a2: 3.0 * e0, a3: e1 - e0 }
    }

    /// Bernstein coefficients on the part [start, end] of [0, 1]: the polar form of p at (start, start, start),
    /// (start, start, end), (start, end, end) and (end, end, end), by de Casteljau's scheme. Straight from the whole, not
    /// from the part that was cut last, so that errors do not add up.
    #[inline(always)]
    pub(super) fn part(&self, start: f64, end: f64) -> [f64; 4] {
        let (s, e) = ((1.0 - start, start), (1.0 - end, end));
        let mix = |a: f64, b: f64, (of_a, of_b): (f64, f64)| a * of_a + b * of_b;
        let b = self.bernstein;
        let by_start = [mix(b[0], b[1], s), mix(b[1], b[2], s), mix(b[2], b[3], s)];
        let by_end = [mix(b[0], b[1], e), mix(b[1], b[2], e), mix(b[2], b[3], e)];
        let twice_start = [mix(by_start[0], by_start[1], s), mix(by_start[1], by_start[2], s)];
        let twice_end = [mix(by_end[0], by_end[1], e), mix(by_end[1], by_end[2], e)];
        [
            mix(twice_start[0], twice_start[1], s),
            mix(twice_start[0], twice_start[1], e),
            mix(twice_end[0], twice_end[1], s),
            mix(twice_end[0], twice_end[1], e),
        ]
    }
}

/// a₀ + a₁s + a₂s² + a₃s³.
#[derive(Debug, Clone, Copy)]
pub(super) struct Powers {
    pub(super) a0: f64,
    pub(super) a1: f64,
    pub(super) a2: f64,
    pub(super) a3: f64,
}

impl Powers {
    #[inline(always)]
    pub(super) fn value(&self, s: f64) -> f64 {
        self.a0 + s * (self.a1 + s * (self.a2 + s * self.a3))
    }

    #[inline(always)]
    pub(super) fn slope(&self, s: f64) -> f64 {
        self.a1 + s * (2.0 * self.a2 + s * (3.0 * self.a3))
    }

    /// Where the slope vanishes, in ascending order, or where it comes closest to that; only what lies strictly between 0
    /// and 1. Rounding here costs no correctness: they are places to cut.
    #[inline(always)]
    pub(super) fn extrema(&self) -> [Option<f64>; 2] {
        // a₁ + 2a₂s + 3a₃s² = 0, the root that loses no digits first.
        let discriminant = self.a2 * self.a2 - 3.0 * self.a1 * self.a3;
        let root = if discriminant > 0.0 { discriminant.sqrt() } else { 0.0 };
        let q = if self.a2 < 0.0 { root - self.a2 } else { -root - self.a2 };
        let (a, b) = (self.a1 / q, q / (3.0 * self.a3));
        let (first, second) = if a < b { (a, b) } else { (b, a) };
        let inside = |s: f64| (s > 0.0 && s < 1.0).then_some(s);
        [inside(first), inside(second).filter(|&s| s != first)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_measured_by_the_corner_farthest_from_iso() {
        let corners = [0.5, -0.25, 0.75, 1.0, -3.0, 2.0, 0.0, 0.125f32];
        let cubic = |iso| CellCubic::along(&corners, DVec3::ZERO, DVec3::splat(0.5), iso);
        assert_eq!(cubic(0.0).rounding(), 3.0 * 2f64.powi(-48));
        assert_eq!(cubic(-4.0).rounding(), 6.0 * 2f64.powi(-48));
        assert_eq!(cubic(-4.0).tolerance(), 6.0 * 2f64.powi(-43));
        let nothing = CellCubic::along(&[0.0; 8], DVec3::ZERO, DVec3::ONE, 0.0);
        assert_eq!(nothing.rounding(), 2f64.powi(-1022), "underflow is paid for");
    }
}
