//! Any function with a Lipschitz bound.
//!
//! On a part of the path of length ℓ, between values a and b at its ends, the function stays within (a + b ∓ L·ℓ)/2. A part that this
//! leaves above σ is free, one that it leaves below is all contact, and another is cut in halves.

use std::ops::ControlFlow;

use glam::{DMat3, DVec3};

use super::{Hit, Interval, Segment, Touchable, hit_at_once, is_finite};
use crate::ccd::HitStatus;

/// Parts shorter than this are not cut: 2⁻⁴⁰ of the path.
const SHORTEST: f64 = 1.0 / (1u64 << 40) as f64;
/// So many values are asked for; what is left then counts as touched. A path that runs along σ would ask for ever.
const MOST_VALUES: usize = 200_000;

/// A function that changes by no more than `lipschitz` per unit of length, positive outside.
///
/// What is proven is as good as its values: where rounding matters, they must be off by less than 10⁻¹² of their size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Function<F> {
    /// φ.
    pub value: F,
    /// Not negative.
    pub lipschitz: f64,
}

/// What is known of a part of the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Course {
    Above,
    Below,
    /// Too short to say more, or too much was asked.
    Touches,
}

struct Search<'a, F> {
    function: &'a Function<F>,
    segment: &'a Segment,
    iso: f64,
    /// How much the function can change along the whole path.
    change: f64,
    /// How far the rounding of a place, 8·2⁻⁵³ of the largest coordinate, can put off a value.
    blur: f64,
    left: usize,
}

impl<F: Fn(DVec3) -> f64> Search<'_, F> {
    fn value(&mut self, t: f64) -> f64 {
        self.left = self.left.saturating_sub(1);
        (self.function.value)(self.segment.at(t)) - self.iso
    }

    /// Tells the courses of [`start`, `end`], where the values are `a` and `b`, in order.
    fn follow<B>(
        &mut self,
        (start, a): (f64, f64),
        (end, b): (f64, f64),
        tell: &mut impl FnMut(f64, f64, Course) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let change = self.change * (end - start);
        let doubt = 1e-12 * (a.abs() + b.abs() + self.iso.abs() + change) + 2.0 * self.blur;
        if a + b - change > doubt {
            return tell(start, end, Course::Above);
        }
        if a + b + change < -doubt {
            return tell(start, end, Course::Below);
        }
        let middle = 0.5 * (start + end);
        // Of a part that changes by less than the doubt, its halves would say no more.
        let is_short = end - start <= SHORTEST || change <= doubt || middle <= start || middle >= end;
        if is_short || self.left == 0 {
            let is_below = a < -doubt || b < -doubt;
            return tell(start, end, if is_below { Course::Below } else { Course::Touches });
        }
        let value = self.value(middle);
        self.follow((start, a), (middle, value), tell)?;
        self.follow((middle, value), (end, b), tell)
    }
}

impl<F: Fn(DVec3) -> f64> Function<F> {
    fn follow<B>(
        &self,
        segment: &Segment,
        iso: f64,
        mut tell: impl FnMut(f64, f64, Course) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        // In units of the longest side, for squares of tiny lengths vanish.
        let way = segment.to - segment.from;
        let longest = way.abs().max_element();
        let length = if longest > 0.0 { longest * (way / longest).length() } else { longest };
        let change = self.lipschitz * length;
        let largest = segment.from.abs().max(segment.to.abs()).max_element();
        let blur = self.lipschitz * 8.0 * 2f64.powi(-53) * largest;
        let mut search = Search { function: self, segment, iso, change, blur, left: MOST_VALUES };
        let (a, b) = (search.value(0.0), search.value(1.0));
        search.follow((0.0, a), (1.0, b), &mut tell)
    }

    /// By differences over a millionth of the point's size.
    fn slopes(&self, p: DVec3) -> DVec3 {
        let step = 1e-6 * (1.0 + p.abs().max_element());
        let slope =
            |axis: DVec3| ((self.value)(p + step * axis) - (self.value)(p - step * axis)) / (2.0 * step);
        DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z))
    }

    fn contacts(&self, segment: &Segment, iso: f64, most: usize) -> Vec<Interval> {
        let mut all: Vec<Interval> = Vec::new();
        let starts_inside = (self.value)(segment.from) < iso;
        let _ = self.follow(segment, iso, |start, end, course| {
            let status = match course {
                Course::Above if all.len() >= most => return ControlFlow::Break(()),
                Course::Above => return ControlFlow::Continue(()),
                Course::Below if start == 0.0 && starts_inside => HitStatus::StartsInside,
                Course::Below => HitStatus::Crossing,
                Course::Touches => HitStatus::Touch,
            };
            match all.last_mut() {
                Some(last) if last.end == start => {
                    last.end = end;
                    if last.status == HitStatus::Touch && course == Course::Below {
                        last.status = HitStatus::Crossing;
                    }
                }
                _ => all.push(Interval { start, end, status }),
            }
            // A touch may still become a crossing.
            if course == Course::Below && all.len() >= most {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        all
    }
}

impl<F: Fn(DVec3) -> f64> Touchable for Function<F> {
    fn first_hit(&self, segment: &Segment, iso: f64) -> Option<Hit> {
        if !is_finite(segment) {
            return Some(hit_at_once(segment));
        }
        let first = self.contacts(segment, iso, 1).first().copied()?;
        let point = segment.at(first.start);
        Some(Hit {
            t: first.start,
            point,
            normal: self.slopes(point).try_normalize(),
            cell: None,
            status: first.status,
        })
    }

    fn intervals(&self, segment: &Segment, iso: f64) -> Vec<Interval> {
        if !is_finite(segment) {
            return vec![Interval { start: 0.0, end: 1.0, status: HitStatus::Bound }];
        }
        self.contacts(segment, iso, usize::MAX)
    }

    fn value(&self, p: DVec3) -> f64 {
        (self.value)(p)
    }

    fn gradient(&self, p: DVec3) -> Option<DVec3> {
        let slopes = self.slopes(p);
        slopes.is_finite().then_some(slopes)
    }

    /// By differences of differences, over a thousandth of the point's size: four digits of what is smooth.
    fn hessian(&self, p: DVec3) -> DMat3 {
        let step = 1e-3 * (1.0 + p.abs().max_element());
        let column =
            |axis: DVec3| (self.slopes(p + step * axis) - self.slopes(p - step * axis)) / (2.0 * step);
        DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z))
    }

    fn steepness(&self) -> f64 {
        self.lipschitz
    }
}
