//! p along a piece in `f64`, with a bound on what rounding did: decides most questions in a few nanoseconds.
//!
//! Apart from the library's code: axes the other way round (z first) and a + t(b − a). With u = 2⁻⁵³ and M = max|cᵢ − σ|, to first
//! order in u:
//!
//! | step | error added | sum |
//! |---|---|---|
//! | cᵢ − σ | 1 uM | 1 uM |
//! | a + t(b − a), three times | 5 uM each: 2 in b − a, 2 in the product, 1 in the sum | 16 uM: b₀ and b₃ |
//! | (sum of three)/3 | (2 + 3)/3 uM in the sums, 1 uM in the quotient | 19 uM: b₁ and b₂ |
//! | a(1 − s) + bs, three rounds | 3 uM each | 28 uM: coefficients of a part, values |
//!
//! 32 uM are taken; the rest pays for terms of second order and for weights that are outside [0, 1] by rounding. 2⁻¹⁰²² pays for
//! underflow.

use super::query::Query;

/// A part is cut in halves this often before the slow oracle is asked.
const CUTS: u32 = 5;

pub(super) struct Enclosure {
    bernstein: [f64; 4],
    /// What is computed is no farther than this from the truth.
    error: f64,
    /// max|cᵢ − σ|, but for its rounding.
    pub(super) magnitude: f64,
}

impl Enclosure {
    #[inline(always)]
    pub(super) fn new(query: &Query) -> Self {
        let c = query.corners.map(|corner| f64::from(corner) - query.iso);
        let magnitude = c.iter().fold(0.0f64, |most, value| most.max(value.abs()));
        let mix = |a: f64, b: f64, t: f64| a + t * (b - a);
        let (u, v) = (query.entry, query.exit);
        let along_z = |z: f64| -> [f64; 4] { std::array::from_fn(|k| mix(c[k], c[k + 4], z)) };
        let along_y = |of: [f64; 4], y: f64| [mix(of[0], of[2], y), mix(of[1], of[3], y)];
        let along_x = |of: [f64; 2], x: f64| mix(of[0], of[1], x);
        let (z0, z1) = (along_z(u.z), along_z(v.z));
        let (y0z0, y1z0) = (along_y(z0, u.y), along_y(z0, v.y));
        let (y0z1, y1z1) = (along_y(z1, u.y), along_y(z1, v.y));
        // The polar form: each coordinate from the entry or from the exit, as often as the index says.
        let bernstein = [
            along_x(y0z0, u.x),
            (along_x(y0z0, v.x) + along_x(y1z0, u.x) + along_x(y0z1, u.x)) / 3.0,
            (along_x(y1z1, u.x) + along_x(y0z1, v.x) + along_x(y1z0, v.x)) / 3.0,
            along_x(y1z1, v.x),
        ];
        let error = 2f64.powi(-48) * magnitude + f64::MIN_POSITIVE;
        Self { bernstein, error, magnitude }
    }

    /// Bernstein coefficients on a part: the polar form at its ends.
    #[inline(always)]
    fn part(&self, start: f64, end: f64) -> [f64; 4] {
        let once =
            |b: [f64; 4], s: f64| -> [f64; 3] { std::array::from_fn(|k| b[k] * (1.0 - s) + b[k + 1] * s) };
        let again = |b: [f64; 3], s: f64| [b[0] * (1.0 - s) + b[1] * s, b[1] * (1.0 - s) + b[2] * s];
        let last = |b: [f64; 2], s: f64| b[0] * (1.0 - s) + b[1] * s;
        let (from_start, from_end) = (once(self.bernstein, start), once(self.bernstein, end));
        let (twice_start, twice_end) = (again(from_start, start), again(from_end, end));
        [last(twice_start, start), last(twice_start, end), last(twice_end, start), last(twice_end, end)]
    }

    /// Whether p > 0 on all of a part, where this is enough to tell.
    #[inline(always)]
    pub(super) fn is_positive(&self, start: f64, end: f64) -> Option<bool> {
        let b = if start == 0.0 && end == 1.0 { self.bernstein } else { self.part(start, end) };
        if b.iter().all(|&b| b > self.error) {
            return Some(true);
        }
        self.is_positive_in_parts(start, end, b, CUTS)
    }

    #[inline(never)]
    fn is_positive_in_parts(&self, start: f64, end: f64, b: [f64; 4], cuts: u32) -> Option<bool> {
        if b.iter().all(|&b| b > self.error) {
            return Some(true);
        }
        if b[0] < -self.error || b[3] < -self.error {
            return Some(false);
        }
        let middle = 0.5 * (start + end);
        // Near a root neither half will be told apart, and an end that close to zero never.
        if cuts == 0 || b[0] <= self.error || b[3] <= self.error {
            return None;
        }
        match self.is_positive_in_parts(start, middle, self.part(start, middle), cuts - 1) {
            Some(true) => self.is_positive_in_parts(middle, end, self.part(middle, end), cuts - 1),
            other => other,
        }
    }

    /// p(s), between the two.
    #[inline(always)]
    pub(super) fn value(&self, s: f64) -> [f64; 2] {
        let value = self.part(s, s)[0];
        [value - self.error, value + self.error]
    }

    /// About p′(s).
    #[inline(always)]
    pub(super) fn slope(&self, s: f64) -> f64 {
        let [b0, b1, b2, b3] = self.bernstein;
        let r = 1.0 - s;
        3.0 * ((b1 - b0) * r * r + 2.0 * (b2 - b1) * r * s + (b3 - b2) * s * s)
    }

    /// Whether p < 0 somewhere in [start, 1]: at its end, or where it is lowest. `false` where this is not enough to tell.
    #[inline(always)]
    pub(super) fn goes_below(&self, start: f64) -> bool {
        self.bernstein[3] < -self.error || self.goes_below_between(start)
    }

    #[inline(never)]
    fn goes_below_between(&self, start: f64) -> bool {
        // p′/3 = d₀r² + 2d₁rs + d₂s² with r = 1 − s, so a s² + 2b s + d₀ = 0.
        let [b0, b1, b2, b3] = self.bernstein;
        let (d0, d1, d2) = (b1 - b0, b2 - b1, b3 - b2);
        let (a, b) = (d0 - 2.0 * d1 + d2, d1 - d0);
        let root = (b * b - a * d0).max(0.0).sqrt();
        let q = if b < 0.0 { root - b } else { -root - b };
        [q / a, d0 / q].iter().any(|&s| s >= start && s <= 1.0 && self.value(s)[1] < 0.0)
    }
}
