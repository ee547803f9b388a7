//! φ − σ along a segment in rationals: linear for a plane; for a ball its sign is that of |p − c|² − (r + σ)².

use dashu_ratio::RBig;
use isotouch::ccd::{Ball, Plane, Segment, Touchable};
use isotouch::math::DVec3;

use crate::oracle::polynomial::{self, Number};

#[derive(Debug, Clone, Copy)]
pub(crate) enum Thing {
    Plane(Plane),
    Ball(Ball),
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Query {
    pub(crate) thing: Thing,
    pub(crate) segment: Segment,
    pub(crate) iso: f64,
}

impl Query {
    pub(crate) fn touchable(&self) -> &dyn Touchable {
        match &self.thing {
            Thing::Plane(plane) => plane,
            Thing::Ball(ball) => ball,
        }
    }

    pub(crate) fn reversed(&self) -> Self {
        Self { segment: self.segment.reversed(), ..*self }
    }

    pub(crate) fn largest_coordinate(&self) -> f64 {
        let ends = self.segment.from.abs().max(self.segment.to.abs());
        match self.thing {
            Thing::Plane(_) => ends.max_element(),
            Thing::Ball(ball) => ends.max(ball.center.abs()).max_element(),
        }
    }

    /// How far φ may be from σ where a contact begins or ends.
    ///
    /// A plane is a cubic whose values are as large as its terms, and a cubic answers within 2⁻⁴³ of that. A ball is asked only near
    /// by, where that is some 10⁻¹² of its radius, and is blown up by 8 roundings of the largest coordinate; the path itself,
    /// and the time that is told, are off by about as much again.
    pub(crate) fn tolerance(&self) -> f64 {
        let Segment { from, to } = self.segment;
        match self.thing {
            Thing::Plane(Plane { normal, offset }) => {
                let size = normal.abs().dot(from.abs().max(to.abs())) + offset.abs() + self.iso.abs();
                1.01 * 2f64.powi(-43) * size + 2f64.powi(-1017)
            }
            Thing::Ball(ball) => {
                let reach = (ball.radius + self.iso).max(0.0);
                1e-11 * reach + 24.0 * 2f64.powi(-53) * self.largest_coordinate().max(f64::MIN_POSITIVE)
            }
        }
    }

    /// Of the path, along the axis on which it is longest: squares would overflow.
    fn length(&self) -> f64 {
        (self.segment.to - self.segment.from).abs().max_element()
    }

    /// The largest length that matters apart from the path's own.
    pub(crate) fn size(&self) -> f64 {
        match self.thing {
            Thing::Plane(_) => self.length(),
            Thing::Ball(ball) => (ball.radius + self.iso).max(0.0),
        }
    }
}

/// What is true of a query.
pub(crate) struct Truth {
    query: Query,
    /// In powers of t; its sign is that of φ − σ.
    powers: Vec<RBig>,
}

impl Truth {
    pub(crate) fn new(query: &Query) -> Self {
        let from = exact(query.segment.from);
        let along = difference(&exact(query.segment.to), &from);
        let iso = RBig::of(query.iso);
        let powers = match query.thing {
            Thing::Plane(Plane { normal, offset }) => {
                let normal = exact(normal);
                vec![dot(&normal, &from) - RBig::of(offset) - iso, dot(&normal, &along)]
            }
            Thing::Ball(Ball { center, radius }) => {
                let reach = RBig::of(radius) + iso;
                let start = difference(&from, &exact(center));
                if reach < RBig::ZERO {
                    vec![RBig::ONE]
                } else {
                    let square = reach.clone() * reach;
                    let slope = dot(&start, &along) * RBig::of(2.0);
                    vec![dot(&start, &start) - square, slope, dot(&along, &along)]
                }
            }
        };
        Self { query: *query, powers }
    }

    /// Whether φ > σ on all of [start, end].
    pub(crate) fn is_free(&self, (start, end): (f64, f64)) -> bool {
        polynomial::is_positive(self.powers.clone(), (&RBig::of(start), &RBig::of(end)))
    }

    /// Whether φ < σ somewhere.
    pub(crate) fn goes_below(&self) -> bool {
        let value = |t: &RBig| polynomial::value(&self.powers, t);
        let (start, end) = (RBig::ZERO, RBig::ONE);
        if value(&start) < RBig::ZERO || value(&end) < RBig::ZERO {
            return true;
        }
        let Some(bend) = self.powers.get(2).filter(|bend| !bend.is_zero()) else { return false };
        let lowest = -self.powers[1].clone() / (bend.clone() * RBig::of(2.0));
        start < lowest && lowest < end && value(&lowest) < RBig::ZERO
    }

    /// Whether φ − σ ≤ height at t.
    pub(crate) fn is_at_most(&self, t: f64, height: f64) -> bool {
        let t = RBig::of(t);
        match self.query.thing {
            Thing::Plane(_) => polynomial::value(&self.powers, &t) <= RBig::of(height),
            Thing::Ball(Ball { center, radius }) => {
                let from = exact(self.query.segment.from);
                let along = difference(&exact(self.query.segment.to), &from);
                let place: [RBig; 3] =
                    std::array::from_fn(|k| from[k].clone() + t.clone() * along[k].clone());
                let off = difference(&place, &exact(center));
                let reach = RBig::of(radius) + RBig::of(self.query.iso) + RBig::of(height);
                reach >= RBig::ZERO && dot(&off, &off) <= reach.clone() * reach
            }
        }
    }

    /// Whether |φ − σ| ≤ tolerance at t.
    pub(crate) fn is_near(&self, t: f64, tolerance: f64) -> bool {
        self.is_at_most(t, tolerance) && !self.is_at_most(t, -tolerance)
    }

    /// Whether the path meets σ at t as steeply as if it made this part of its own length there.
    pub(crate) fn is_steep(&self, t: f64, part: f64) -> bool {
        let step = 1e-6 * self.query.size() / self.query.length();
        if !step.is_finite() {
            return false;
        }
        let change = 1e-6 * self.query.size() * part;
        let (before, after) = (t - step, t + step);
        self.is_at_most(before, -change) && !self.is_at_most(after, change)
            || !self.is_at_most(before, change) && self.is_at_most(after, -change)
    }
}

fn exact(v: DVec3) -> [RBig; 3] {
    v.to_array().map(RBig::of)
}

fn difference(a: &[RBig; 3], b: &[RBig; 3]) -> [RBig; 3] {
    std::array::from_fn(|k| a[k].clone() - b[k].clone())
}

fn dot(a: &[RBig; 3], b: &[RBig; 3]) -> RBig {
    a.iter().zip(b).fold(RBig::ZERO, |sum, (x, y)| sum + x.clone() * y.clone())
}

#[test]
fn the_truth_about_a_tangent() {
    let ball = Thing::Ball(Ball { center: DVec3::ZERO, radius: 1.0 });
    let at = |y: f64| {
        Truth::new(&Query {
            thing: ball,
            segment: Segment::new(DVec3::new(-1.0, y, 0.0), DVec3::new(1.0, y, 0.0)),
            iso: 0.0,
        })
    };
    assert!(at(1.0f64.next_up()).is_free((0.0, 1.0)));
    let touch = at(1.0);
    assert!(!touch.is_free((0.0, 1.0)) && !touch.goes_below());
    assert!(touch.is_free((0.0, 0.5f64.next_down())) && touch.is_free((0.5f64.next_up(), 1.0)));
    assert!(at(1.0f64.next_down()).goes_below());
    assert!(touch.is_near(0.5, 1e-300) && !touch.is_near(0.0, 0.4) && touch.is_near(0.0, 0.5));
    assert!(!touch.is_steep(0.5, 0.1) && at(0.0).is_steep(0.0, 0.9));
}
