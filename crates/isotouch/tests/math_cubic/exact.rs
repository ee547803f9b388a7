//! The same cubic by another way, in 32 digits or in exact rationals.

// Relative, since the experiments use this file too.
use super::oracle::cubic::{Cubic, powers};
use super::oracle::double::Double;
use super::oracle::polynomial::Number;
use super::query::Query;

pub(crate) use super::oracle::cubic::Of;

/// Knows the truth about a query, and how often only rationals knew it.
pub(crate) struct Oracle<'a> {
    cubic: Cubic<'a>,
    /// max|cᵢ − σ|.
    pub(crate) magnitude: f64,
}

/// The ends of the piece.
fn ends<N: Number>(query: &Query) -> [[N; 3]; 2] {
    [query.entry, query.exit].map(|at| at.to_array().map(N::of))
}

impl<'a> Oracle<'a> {
    pub(crate) fn new(query: &'a Query) -> Self {
        let cubic = Cubic::new(&query.corners, &ends(query), query.iso, || {
            let [entry, exit] = ends(query);
            powers(&query.corners, &entry, &exit, query.iso)
        });
        let magnitude = cubic.magnitude;
        Self { cubic, magnitude }
    }

    /// How far p may be above zero at a hit, by the module's words: 2⁻⁴³ M, and 2⁻¹⁰¹⁷ for underflow.
    pub(crate) fn tolerance(&self) -> f64 {
        2f64.powi(-43) * self.magnitude + 2f64.powi(-1017)
    }

    pub(crate) fn needed_rationals(&self) -> bool {
        self.cubic.needed_rationals()
    }

    /// p(s), to about 30 digits of [`Oracle::magnitude`].
    pub(crate) fn value(&self, s: f64) -> f64 {
        self.cubic.value(Double::of(s)).high()
    }

    /// p′(s).
    pub(crate) fn slope(&self, s: f64) -> f64 {
        self.cubic.slope(Double::of(s)).high()
    }

    /// The Bernstein coefficients p(0), p(0) + p′(0)/3, p(1) − p′(1)/3 and p(1), rounded once, at the end.
    pub(crate) fn bernstein(&self) -> [f64; 4] {
        let [zero, one, three] = [0.0, 1.0, 3.0].map(Double::of);
        let (first, last) = (self.cubic.value(zero), self.cubic.value(one));
        let inner = [first + self.cubic.slope(zero) / three, last - self.cubic.slope(one) / three];
        [first, inner[0], inner[1], last].map(Double::high)
    }

    /// Whether ±p + shift > 0 on all of [start, end]: exact.
    pub(crate) fn is_positive(&self, of: Of, shift: f64, (start, end): (f64, f64)) -> bool {
        self.cubic.is_positive(of, shift, (&start, &end))
    }
}

#[cfg(test)]
mod tests {
    use super::super::families;
    use super::super::oracle::random::Random;
    use super::*;
    use dashu_ratio::RBig;
    use isotouch::math::DVec3;

    fn by_rationals(query: &Query, of: Of, shift: f64, (start, end): (f64, f64)) -> bool {
        Oracle::new(query).cubic.by_rationals(of, shift, (&RBig::of(start), &RBig::of(end)))
    }

    /// On the diagonal, corners by the number of ones in their index are Bernstein coefficients.
    fn on_diagonal(b: [f32; 4]) -> Query {
        let corners = std::array::from_fn(|k: usize| b[k.count_ones() as usize]);
        Query { corners, entry: DVec3::ZERO, exit: DVec3::ONE, iso: 0.0 }
    }

    #[test]
    fn sturm_sees_a_double_root_and_what_is_just_beside_it() {
        // 3 (s − ½)²: Bernstein coefficients of degree 3
        let mut query = on_diagonal([0.75, -0.25, -0.25, 0.75]);
        let whole = (0.0, 1.0);
        assert!(!by_rationals(&query, Of::P, 0.0, whole));
        assert!(by_rationals(&query, Of::P, 0.0, (0.0, 0.5f64.next_down())));
        assert!(by_rationals(&query, Of::P, f64::MIN_POSITIVE, whole));
        query.iso = -1e-300;
        assert!(by_rationals(&query, Of::P, 0.0, whole));
    }

    #[test]
    fn digits_and_rationals_agree() {
        let mut random = Random(5);
        for _ in 0..2000 {
            let query = (families::RANDOM.make)(&mut random);
            let oracle = Oracle::new(&query);
            let range = (0.5 * random.unit(), 0.5 + 0.5 * random.unit());
            for of in [Of::P, Of::MinusP] {
                let by_digits = oracle
                    .cubic
                    .by_digits(of, 0.25, (Double::of(range.0), Double::of(range.1)))
                    .expect("clear");
                assert_eq!(by_digits, by_rationals(&query, of, 0.25, range), "{query:?} {of:?} {range:?}");
            }
        }
    }
}
