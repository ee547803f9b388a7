//! What is minimised: how far bodies and particles are turned from their ways, weighed by their masses, and how far points are below planes.

use std::collections::BTreeSet;

use glam::DVec3;

use super::points::{NONE, Point};
use super::search::State;
use crate::math::Mat6;
use crate::math::block_cholesky::Order;

/// How stiff contact is, in masses (of the point, or of the heaviest that presses on it where it cannot give way) per square of the substep: what an impact leaves of the speed of approach after one substep is a tenth, of the middle of an edge a sixth,
/// and what lies still is pressed in by a tenth of what it would fall in that time, 0.1 µm. Much more takes longer searches.
pub(super) const HARD: f64 = 10.0;
/// Bodies that one particle lies between, at the most, that are solved for together. With more, steps take more rounds of conjugate gradients.
pub(super) const BETWEEN: usize = 3;
/// Beyond so many products of blocks, some milliseconds, bodies are solved for one by one, which takes more rounds.
const MOST_WORK: usize = 200_000;

/// A body that gives way and may be touched.
#[derive(Debug, Clone)]
pub(super) struct Body {
    /// Among all that give way.
    pub(super) number: usize,
    pub(super) inertia: Mat6,
    /// Its centre of mass at the end, without contact.
    pub(super) center: DVec3,
    pub(super) reach: f64,
}

/// A particle that bodies may move.
#[derive(Debug, Clone)]
pub(super) struct Particle {
    pub(super) cloth: usize,
    pub(super) index: usize,
    /// kg.
    pub(super) mass: f64,
    /// Where it ends without contact.
    pub(super) place: DVec3,
}

/// A point against a plane.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// Whose plane it is, and which body of the program that is; [`NONE`] of what is led.
    pub(super) obstacle: usize,
    pub(super) body: u32,
    /// From the body's centre of mass.
    pub(super) arm: DVec3,
    /// Outward.
    pub(super) normal: DVec3,
    /// How far above the plane the point ends without contact, m.
    pub(super) gap: f64,
    /// How far it goes over the obstacle then, m; what is along the normal does not count.
    pub(super) slip: DVec3,
    /// kg: force per depth, times the square of the substep.
    pub(super) stiffness: f64,
    /// μ.
    pub(super) friction: f64,
    /// Of the simple model, which does not ask how hard it is pressed: force per slip, like the stiffness.
    pub(super) simple_drag: Option<f64>,
}

/// All that bodies and particles do to each other in a substep.
#[derive(Default)]
pub(super) struct Program {
    pub(super) bodies: Vec<Body>,
    pub(super) particles: Vec<Particle>,
    pub(super) points: Vec<Point>,
    /// Those of a point stand together.
    pub(super) rows: Vec<Row>,
    /// For every particle the bodies that it lies between, the first few.
    pub(super) between: Vec<[u32; BETWEEN]>,
    pub(super) order: Option<Order>,
}

impl Row {
    /// How hard it is pressed, kg·m (an impulse, times the substep), where the point has moved by `delta` relative to the obstacle.
    #[inline]
    pub(super) fn pressed(&self, delta: DVec3) -> f64 {
        // λ = −k·min(0, g + n·Δ).
        let depth = self.gap + self.normal.dot(delta);
        if depth < 0.0 { -self.stiffness * depth } else { 0.0 }
    }

    /// How it slides.
    #[inline]
    pub(super) fn sliding(&self, delta: DVec3) -> DVec3 {
        let way = self.slip + delta;
        way - self.normal * self.normal.dot(way)
    }

    /// What holds it back across the normal, as a part of how it slides, where it is pressed by `bound`.
    #[inline]
    pub(super) fn drag(&self, delta: DVec3, bound: f64) -> f64 {
        if bound == 0.0 || self.friction == 0.0 {
            return 0.0;
        }
        if let Some(drag) = self.simple_drag {
            return drag.min(self.stiffness);
        }
        // Coulomb: sticks as far as μ·λ goes, and slides against it.
        let (most, size) = (self.friction * bound, self.sliding(delta).length());
        if self.stiffness * size <= most { self.stiffness } else { most / size }
    }

    /// How far above the plane it is.
    #[inline]
    pub(super) fn height(&self, delta: DVec3) -> f64 {
        self.gap + self.normal.dot(delta)
    }

    /// The force on the point that is pressed by `pressed`.
    pub(super) fn force(&self, delta: DVec3, pressed: f64) -> DVec3 {
        self.normal * pressed - self.sliding(delta) * self.drag(delta, pressed)
    }
}

impl Program {
    /// Which bodies share particles, and in which order they are eliminated.
    pub(super) fn lay_order(&mut self) {
        let mut of_particle = vec![[NONE; BETWEEN]; self.particles.len()];
        for point in &self.points {
            for &(end, _) in point.ends.iter().filter(|(end, _)| *end != NONE) {
                let known = &mut of_particle[end as usize];
                for row in self.rows[point.rows.clone()].iter().filter(|row| row.body != NONE) {
                    let slot = known.iter().position(|&body| body == row.body || body == NONE);
                    if let Some(slot) = slot {
                        known[slot] = row.body;
                    }
                }
            }
        }
        let mut pairs = BTreeSet::new();
        for known in &of_particle {
            for (k, &a) in known.iter().enumerate() {
                for &b in known[k + 1..].iter().filter(|&&b| b != NONE) {
                    pairs.insert((a.min(b) as usize, a.max(b) as usize));
                }
            }
        }
        self.order = Order::within(self.bodies.len(), &pairs, MOST_WORK);
        self.between = of_particle;
    }

    /// How far a point was moved.
    pub(super) fn moved(&self, point: &Point, state: &State) -> DVec3 {
        let of = |&(end, part): &(u32, f64)| {
            if end == NONE { DVec3::ZERO } else { state.particles[end as usize] * part }
        };
        point.ends.iter().map(of).sum()
    }

    /// How far each row's point was moved relative to its obstacle.
    pub(super) fn deltas(&self, state: &State) -> Vec<DVec3> {
        let mut deltas = Vec::with_capacity(self.rows.len());
        for point in &self.points {
            let moved = self.moved(point, state);
            deltas.extend(self.rows[point.rows.clone()].iter().map(|row| match row.body {
                NONE => moved,
                body => moved - state.bodies[body as usize].at(row.arm),
            }));
        }
        deltas
    }
}
