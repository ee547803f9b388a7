//! The search for the minimum, from within: a row is pressed by a depth d ≥ 0, and s = g + n·Δ + d ≥ 0 is left above that; where both are right, d·s = 0. Newton's method looks for d·s = τ, with a τ that becomes smaller from
//! round to round (a primal-dual interior point method; Nocedal and Wright, *Numerical Optimization*, section 16.6). Friction follows how hard rows are pressed.
//!
//! Rejected: Newton's method for the function as it stands, with looks along each step. Hundreds of points that stick or slip, press or do not, are as many kinks, and a step is over at the first; a box that rests on cloth took 60
//! rounds where this takes 7, and was not done.

use glam::{DMat3, DVec3};

use super::newton::Hold;
use super::points::{NONE, across};
use super::program::{Program, Row};
use crate::math::Twist;
use crate::math::spatial::outer;

/// Most rounds. A search from where the substep before ended takes ten.
const MOST_ROUNDS: usize = 30;
/// What part of the way to the border of what is allowed a round goes.
const NEARLY: f64 = 0.99;
/// √(d·s) at the beginning, as a part of that of the deepest, or of what gravity does in a substep: first for what begins where the substep before ended, and is nearly there; then for what does not. Of random programs with masses of 1 to 10⁶, 8 % are not
/// done in [`MOST_ROUNDS`] with the first alone.
const BEGIN: [f64; 2] = [0.03, 0.3];
/// A search may be over when √(d·s) is this part of what gravity does in a substep, in the mean.
const DONE: f64 = 1e-3;
/// A search is over when a round moves nothing by more than this part of what gravity does in a substep, or of what it was moved by. Smaller takes rounds that nobody sees; larger lets bodies at rest creep.
const SETTLED: [f64; 2] = [1e-3, 1e-4];
/// The same of particles. Those that hardly slide are found slowly, and nobody sees it: what is left is some hundredths of what gravity does in a substep, and bodies get their part of it.
const SETTLED_PARTICLES: [f64; 2] = [0.03, 1e-3];
/// The same, as a part of how fast what a particle lies between slides: one between a body and a floor of equal friction goes with the one as well as with the other, and bodies feel the same of it.
const SETTLED_OF_SLIDES: f64 = 0.03;

/// How far bodies and particles are turned from their ways: displacements, m and rad, at the end of a substep.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    pub(super) bodies: Vec<Twist>,
    pub(super) particles: Vec<DVec3>,
}

impl State {
    /// On their ways.
    pub(super) fn still(program: &Program) -> Self {
        Self {
            bodies: vec![Twist::ZERO; program.bodies.len()],
            particles: vec![DVec3::ZERO; program.particles.len()],
        }
    }

    /// On along a way.
    pub(super) fn add(&mut self, way: &Self, part: f64) {
        for (u, by) in self.bodies.iter_mut().zip(&way.bodies) {
            u.linear += by.linear * part;
            u.angular += by.angular * part;
        }
        for (w, by) in self.particles.iter_mut().zip(&way.particles) {
            *w += *by * part;
        }
    }

    /// Another way, with a part of this one.
    pub(super) fn turn_to(&mut self, mut other: Self, part: f64) {
        other.add(self, part);
        *self = other;
    }
}

/// Where a round begins for a row: y = g + n·Δ is how far above its plane it is, d how deep it is pressed in, and s = y + d what is left above that. d·s is 0 where both are true.
#[derive(Debug, Clone, Copy)]
struct Press {
    y: f64,
    d: f64,
}

impl Press {
    /// With d·s = aim.
    fn new(y: f64, aim: f64) -> Self {
        let root = (y * y + 4.0 * aim).sqrt();
        Self { y, d: if y > 0.0 { 2.0 * aim / (y + root) } else { 0.5 * (root - y) } }
    }

    fn s(&self) -> f64 {
        self.y + self.d
    }

    /// How d follows where y changes.
    fn change(&self, dy: f64, aim: f64) -> f64 {
        (aim - self.d * (self.s() + dy)) / (self.s() + self.d)
    }

    /// The longest part of such a change by which neither d nor s becomes less than a hundredth.
    fn longest(&self, dy: f64, dd: f64) -> f64 {
        let until = |of: f64, change: f64| if change < -NEARLY * of { -NEARLY * of / change } else { 1.0 };
        until(self.d, dd).min(until(self.s(), dy + dd))
    }

    fn moved(&self, y: f64, dd: f64) -> Self {
        // s stays above 0 but for rounding.
        let d = (self.d + dd).max((1.0 - NEARLY) * self.d);
        Self { y, d: d.max(-y + (1.0 - NEARLY) * self.s()) }
    }
}

impl Row {
    /// What it does near a state, pressed so that d·s becomes `aim`.
    ///
    /// Friction is told as if it were proportional to the way: what that takes for its second derivative is no less than it is, so that no step is too long.
    fn hold(&self, delta: DVec3, press: &Press, aim: f64) -> Hold {
        if !press.y.is_finite() {
            return Hold { is_active: false, force: DVec3::ZERO, stiffness: DMat3::ZERO };
        }
        let (d, both) = (press.d, press.s() + press.d);
        let mut force = self.normal * (self.stiffness * (d + press.change(0.0, aim)));
        let mut stiffness = outer(self.normal, self.normal) * (self.stiffness * d / both);
        // The simple model does not ask how hard it is pressed, but whether.
        let is_pressed = if self.simple_drag.is_some() { d / both } else { 1.0 };
        let drag = self.drag(delta, self.stiffness * d) * is_pressed;
        if drag > 0.0 {
            force -= self.sliding(delta) * drag;
            stiffness += across(self.normal) * drag;
        }
        Hold { is_active: true, force, stiffness }
    }
}

impl Program {
    /// Searches from a state, and where that leads nowhere, as where contacts are not those of the substep before, once more from the beginning. `fall` is what gravity does in a substep, m. Whether the search was over; if not, the state
    /// is one on the way, from which cloth is kept off as from what is led.
    pub(super) fn search(&self, at: &mut State, fall: f64) -> bool {
        let [near, far] = BEGIN;
        if self.search_within(at, near, fall) {
            return true;
        }
        *at = State::still(self);
        self.search_within(at, far, fall)
    }

    fn search_within(&self, at: &mut State, begin: f64, fall: f64) -> bool {
        let mut deltas = self.deltas(at);
        let heights = |deltas: &[DVec3]| -> Vec<f64> {
            self.rows.iter().zip(deltas).map(|(row, &delta)| row.height(delta)).collect()
        };
        let y = heights(&deltas);
        let scale = y.iter().fold(fall, |deepest, &y| deepest.max(-y));
        let mut aim = (begin * scale).powi(2);
        let mut presses: Vec<Press> = y.iter().map(|&y| Press::new(y, aim)).collect();
        let near = y.iter().filter(|y| y.is_finite()).count().max(1) as f64;
        let slides = self.slides();
        let mut holds = Vec::with_capacity(self.rows.len());
        let mut last = 0.0;
        for _ in 0..MOST_ROUNDS {
            let gaps = presses.iter().filter(|of| of.y.is_finite()).map(|of| of.d * of.s());
            let mean = gaps.sum::<f64>() / near;
            aim = mean * if last > 0.9 { 0.05 } else { 0.3 };
            holds.clear();
            let rows = self.rows.iter().zip(&deltas).zip(&presses);
            holds.extend(rows.map(|((row, &delta), press)| row.hold(delta, press, aim)));
            let Some(down) = self.step(at, &holds) else { return false };
            let ways = self.deltas(&down);
            let mut part: f64 = 1.0;
            let mut changes = vec![0.0; presses.len()];
            for (k, (row, press)) in
                self.rows.iter().zip(&presses).enumerate().filter(|(_, (_, press))| press.y.is_finite())
            {
                let dy = -row.normal.dot(ways[k]);
                changes[k] = press.change(dy, aim);
                part = part.min(press.longest(dy, changes[k]));
            }
            at.add(&down, -part);
            deltas = self.deltas(at);
            for ((press, y), dd) in presses.iter_mut().zip(heights(&deltas)).zip(&changes) {
                *press = if y.is_finite() { press.moved(y, part * dd) } else { Press { y, ..*press } };
            }
            last = part;
            if part > 0.9 && mean < (DONE * fall).powi(2) && self.is_settled(at, &down, (fall, &slides)) {
                return true;
            }
        }
        false
    }

    /// How fast what each particle lies between slides over it, m in a substep; 0 where it lies on one side only.
    fn slides(&self) -> Vec<f64> {
        let mut slides = vec![0.0f64; self.particles.len()];
        for point in self.points.iter().filter(|point| point.rows.len() > 1) {
            let rows = self.rows[point.rows.clone()].iter().filter(|row| row.friction > 0.0);
            let fastest = rows.map(|row| row.sliding(DVec3::ZERO).length()).fold(0.0, f64::max);
            for &(end, _) in point.ends.iter().filter(|(end, _)| *end != NONE) {
                slides[end as usize] = slides[end as usize].max(fastest);
            }
        }
        slides
    }

    fn is_settled(&self, at: &State, down: &State, (fall, slides): (f64, &[f64])) -> bool {
        let is_small =
            |d: f64, way: f64, [of_fall, of_way]: [f64; 2]| d <= (of_fall * fall).max(of_way * way);
        let mut bodies = self.bodies.iter().zip(&at.bodies).zip(&down.bodies);
        let mut particles = at.particles.iter().zip(&down.particles).zip(slides);
        bodies.all(|((body, u), d)| is_small(size(d, body.reach), size(u, body.reach), SETTLED))
            && particles.all(|((w, d), slides)| {
                d.length() <= SETTLED_OF_SLIDES * slides
                    || is_small(d.length(), w.length(), SETTLED_PARTICLES)
            })
    }
}

/// How far points at a distance from the reference point are moved at most.
pub(super) fn size(by: &Twist, reach: f64) -> f64 {
    by.linear.length() + reach * by.angular.length()
}
