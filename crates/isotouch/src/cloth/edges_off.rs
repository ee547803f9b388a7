//! Places on edges against obstacles, in a substep: middles, or deepest places (Fuhrmann, Sobottka and Groß 2003, section 4.3).
//!
//! An edge is looked at where one of its ends is near, or where its middle may have passed something on its way; in runs that share no particle, so that threads change nothing.

use glam::DVec3;
use rayon::prelude::*;

use super::collide::{Pushes, STOP, Way, least_value, least_value_before};
use super::colours::is_shared;
use super::keep_off::{Substep, origin_of};
use super::options::EdgeTest;
use super::{Cloth, CollisionMethod};
use crate::math::Wrench;

/// Once its deepest place is found, it is kept until the edge has moved by this part of ε. Along an edge of 4·ε it is then off by a twentieth; more looks at
/// the wrong place, less searches in vain.
const KEPT: f64 = 0.2;

/// What is known of edges.
#[derive(Debug, Clone, Default)]
pub(super) struct EdgeContacts {
    /// φ of the nearest obstacle, at least, at the middle of each edge at the beginning of the substep.
    pub(super) clearance: Vec<f64>,
    /// The same where it was last looked at.
    pub(super) next: Vec<f64>,
    /// Where that was.
    pub(super) settled: Vec<DVec3>,
    /// How far the way there keeps off, at least.
    pub(super) trust: Vec<f64>,
    deepest: Vec<Deepest>,
    moves: Vec<Look>,
}

/// The deepest place of an edge.
#[derive(Debug, Clone, Copy)]
struct Deepest {
    at: f64,
    /// How far ends may move until it is searched for again.
    left: f64,
    /// How far ends may move until it may be nearer than ε; negative where it may.
    free: f64,
}

impl Deepest {
    const UNKNOWN: Self = Self { at: 0.5, left: -1.0, free: -1.0 };
}

impl EdgeContacts {
    pub(super) fn new(edges: usize) -> Self {
        Self {
            clearance: vec![0.0; edges],
            next: vec![0.0; edges],
            settled: vec![DVec3::ZERO; edges],
            trust: vec![0.0; edges],
            deepest: vec![Deepest::UNKNOWN; edges],
            moves: Vec::new(),
        }
    }

    /// Where on an edge it was looked at last, from 0 to 1.
    pub(super) fn looked_at(&self, e: usize) -> f64 {
        self.deepest[e].at
    }

    /// Deepest places are searched for again in every step, so that they need not be kept with a world's state.
    pub(super) fn begin_step(&mut self) {
        self.deepest.fill(Deepest::UNKNOWN);
    }
}

/// What came of a look at an edge.
#[derive(Debug, Clone, Copy)]
struct Look {
    next: f64,
    settled: DVec3,
    trust: f64,
    deepest: Deepest,
    wanted: Option<EdgeMove>,
}

/// What an edge wants of its ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct EdgeMove {
    /// Where on the edge, from 0 to 1.
    at: f64,
    place: DVec3,
    anchor: DVec3,
    pushes: Pushes,
}

impl Cloth {
    /// One place of every edge. What it needs is added to both ends. How many touched.
    pub(super) fn keep_edges_off(&mut self, substep: &Substep<'_>, impulses: &mut [Wrench]) -> usize {
        let mut count = 0;
        let runs: Vec<std::ops::Range<usize>> = self.edges.runs().collect();
        let mut moves = std::mem::take(&mut self.contacts.of_edges.moves);
        for run in runs {
            if !is_shared(run.len()) {
                // No two of a run share a particle: whether one moves before the next looks is all the same.
                for e in run {
                    let look = self.look_at_edge(e, substep);
                    count += self.give_way(e, &look, substep, impulses);
                }
                continue;
            }
            let found = run.clone().into_par_iter().with_min_len(256);
            found.map(|e| self.look_at_edge(e, substep)).collect_into_vec(&mut moves);
            for (e, look) in run.zip(&moves) {
                count += self.give_way(e, look, substep, impulses);
            }
        }
        self.contacts.of_edges.moves = moves;
        count
    }

    fn give_way(&mut self, e: usize, look: &Look, substep: &Substep<'_>, impulses: &mut [Wrench]) -> usize {
        let of = &mut self.contacts.of_edges;
        of.next[e] = look.next;
        of.settled[e] = look.settled;
        of.trust[e] = look.trust;
        of.deepest[e] = look.deepest;
        let Some(wanted) = &look.wanted else { return 0 };
        self.apply(e, wanted, substep, impulses);
        1
    }

    /// Looks at an edge and what it wants.
    fn look_at_edge(&self, e: usize, substep: &Substep<'_>) -> Look {
        let [a, b] = self.edges.all[e].ends.map(|i| i as usize);
        let (xa, xb) = (self.places[a], self.places[b]);
        let middle = 0.5 * (xa + xb);
        let of = &self.contacts.of_edges;
        let epsilon = substep.rules.epsilon;
        let mut deepest = of.deepest[e];
        let clear = |next: f64, deepest: Deepest| Look {
            next,
            settled: middle,
            trust: STOP * epsilon,
            deepest,
            wanted: None,
        };
        let (phi_a, phi_b) = (self.contacts.next[a], self.contacts.next[b]);
        let change = substep.steepness * xa.distance(xb);
        let before = 0.5 * (self.before[a] + self.before[b]);
        let loss = substep.loss(before, middle);
        // φ of the middle is no less than this at the end; and on the way no less than ½·(φ₀ + φ₁ − L·ℓ).
        let left = (phi_a.max(phi_b) - 0.5 * change).max(of.clearance[e] - loss);
        let is_on_the_way_free = substep.rules.method == CollisionMethod::Discrete
            || 0.5 * (of.clearance[e] + left - loss) > STOP * epsilon;
        let is_searched = self.edge_test == EdgeTest::Deepest;
        // Where φ is no less than this, all along the edge, its deepest place is no matter.
        let lowest = 0.5 * (phi_a + phi_b - change);
        if left > epsilon && is_on_the_way_free && (!is_searched || lowest > epsilon) {
            return clear(left, Deepest::UNKNOWN);
        }
        if self.inverse_masses[a] + self.inverse_masses[b] == 0.0 {
            return clear(f64::NEG_INFINITY, deepest);
        }
        if is_searched && lowest <= epsilon {
            let way = self.before[a].distance(xa).max(self.before[b].distance(xb)) + substep.drift;
            deepest.left -= way;
            deepest.free -= way;
            if deepest.left < 0.0 {
                let (at, phi) = search(xa, xb, substep);
                let free = (phi - epsilon) / substep.steepness;
                deepest = Deepest { at, left: free.max(KEPT * epsilon), free };
            }
            if deepest.free > 0.0 && left > epsilon && is_on_the_way_free {
                return clear(left, deepest);
            }
        } else {
            deepest = Deepest::UNKNOWN;
        }
        let at = deepest.at;
        let (before, known) = if at == 0.5 {
            (before, of.clearance[e])
        } else {
            let before = self.before[a].lerp(self.before[b], at);
            (before, least_value_before(before, substep.near))
        };
        let place = xa.lerp(xb, at);
        let anchor = self.anchors[a].lerp(self.anchors[b], at);
        let answer = substep.answer(&Way { before, anchor, place, clearance: known });
        let (moved, shift) = (answer.place - place, answer.anchor - anchor);
        let (next, trust) = if at == 0.5 {
            (answer.clearance, 0.5 * known.clamp(0.0, STOP * epsilon))
        } else {
            // The middle was not looked at.
            (f64::NEG_INFINITY, -1.0)
        };
        let wanted = (!answer.pushes.is_none()).then_some(EdgeMove {
            at,
            place: moved,
            anchor: shift,
            pushes: answer.pushes,
        });
        Look { next, settled: middle + moved, trust, deepest, wanted }
    }

    /// Looks at one edge, and does what it wants.
    pub(super) fn mend_edge(&mut self, e: usize, substep: &Substep<'_>, impulses: &mut [Wrench]) {
        if let Some(wanted) = self.look_at_edge(e, substep).wanted {
            self.apply(e, &wanted, substep, impulses);
        }
    }

    /// Moves the ends of an edge so that the place on it moves as it wants; in the middle, by as much (2003, section 4.3). Obstacles feel each end where it is.
    fn apply(&mut self, e: usize, one: &EdgeMove, substep: &Substep<'_>, impulses: &mut [Wrench]) {
        let [a, b] = self.edges.all[e].ends.map(|i| i as usize);
        let is_held = |i: usize| self.inverse_masses[i] == 0.0;
        let parts = [if is_held(a) { 0.0 } else { 1.0 - one.at }, if is_held(b) { 0.0 } else { one.at }];
        let sum = parts[0] * parts[0] + parts[1] * parts[1];
        for (i, part) in [a, b].into_iter().zip(parts).filter(|(_, part)| *part > 0.0) {
            let share = part / sum;
            self.places[i] += one.place * share;
            self.anchors[i] += one.anchor * share;
            self.contacts.stirred[i] = true;
            self.contacts.next[i] -= substep.steepness * share * one.place.length();
            for (obstacle, kick) in one.pushes.iter() {
                let impulse = kick * (-share * self.masses[i] / substep.h);
                let arm = self.places[i] - origin_of(substep.near, obstacle);
                impulses[obstacle] += Wrench::of_force(impulse, arm);
            }
        }
    }

    /// Edges that are being lifted out share their ends with others: what was reached is looked up, or the next lift would be too much.
    pub(super) fn look_again_at_low_edges(&mut self, substep: &Substep<'_>) {
        let low = (1.0 - 1e-3) * substep.rules.epsilon;
        let of = &mut self.contacts.of_edges;
        for ((next, settled), edge) in of.next.iter_mut().zip(&of.settled).zip(&self.edges.all) {
            let is_stirred = edge.ends.iter().any(|&i| self.contacts.stirred[i as usize]);
            if !is_stirred && *next >= low {
                continue;
            }
            let [a, b] = edge.ends.map(|i| self.places[i as usize]);
            let middle = 0.5 * (a + b);
            // Ends may have moved since.
            *next -= substep.steepness * middle.distance(*settled);
            if *next < low {
                *next = least_value(middle, substep.near).min(substep.far);
            }
        }
    }
}

/// Where on an edge φ is least, as far as a few values tell, and φ there: the least of three places, then the lowest place of the parabola through it and its neighbours.
fn search(a: DVec3, b: DVec3, substep: &Substep<'_>) -> (f64, f64) {
    let phi = |t: f64| least_value(a.lerp(b, t), substep.near);
    let values = [phi(0.25), phi(0.5), phi(0.75)];
    let best = if values[0] < values[1].min(values[2]) {
        0
    } else if values[2] < values[1] {
        2
    } else {
        1
    };
    // What is known of the ends may be much less than φ there.
    let low = if best == 0 { phi(0.0) } else { values[best - 1] };
    let high = if best == 2 { phi(1.0) } else { values[best + 1] };
    let middle = values[best];
    let bend = low - 2.0 * middle + high;
    let at = 0.25 * (best + 1) as f64;
    if bend <= 0.0 {
        return (at, middle);
    }
    let lowest = at + 0.125 * ((low - high) / bend).clamp(-1.0, 1.0);
    let value = phi(lowest);
    if value < middle { (lowest, value) } else { (at, middle) }
}
