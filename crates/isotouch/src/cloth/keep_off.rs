//! All particles and edges of a cloth against all obstacles, in a substep.
//!
//! Three passes: particles; places on edges, where an end is near, in runs that share no particle; particles that edges have moved. With the continuous method what is
//! still below a surface then, or has come through one, is looked for, and as a last resort goes back to where it was, neighbours with it if need be:
//! that place was good.
//!
//! Most work is saved by what is known already: how far each particle was from the nearest surface, less what it and obstacles have moved.

use glam::DVec3;
use rayon::prelude::*;

use super::collide::{Answer, Pushes, Rules, Way, is_lost, kept_off, least_value, least_value_before};
use super::colours::is_shared;
use super::obstacles::Placed;
use super::options::EdgeTest;
use super::{Cloth, CollisionMethod};
use crate::math::{Aabb, Wrench};

/// Rounds of looking for what is lost; from the third on it goes back.
const ROUNDS: usize = 24;

/// What is known of distances, and room for a substep's work.
#[derive(Debug, Clone, Default)]
pub(super) struct Contacts {
    /// φ of the nearest obstacle, at least, for each particle at the beginning of the substep.
    clearance: Vec<f64>,
    /// The same at its end.
    next: Vec<f64>,
    /// Of a place on each edge.
    edge_clearance: Vec<f64>,
    edge_next: Vec<f64>,
    /// Where that place was when it was last looked at.
    settled: Vec<DVec3>,
    touches: Vec<Pushes>,
    moves: Vec<Option<EdgeMove>>,
    /// Particles that were moved after their own look.
    stirred: Vec<bool>,
    /// Whether distances are known at all.
    is_known: bool,
}

/// What an edge wants of its ends.
#[derive(Debug, Clone, Copy)]
struct EdgeMove {
    /// Where on the edge, from 0 to 1.
    at: f64,
    place: DVec3,
    anchor: DVec3,
    pushes: Pushes,
}

impl Contacts {
    pub(super) fn new(particles: usize, edges: usize) -> Self {
        Self {
            clearance: vec![0.0; particles],
            next: vec![0.0; particles],
            edge_clearance: vec![0.0; edges],
            edge_next: vec![0.0; edges],
            settled: vec![DVec3::ZERO; edges],
            touches: vec![Pushes::NONE; particles],
            moves: Vec::new(),
            stirred: vec![false; particles],
            is_known: false,
        }
    }

    /// Distances have to be looked at anew.
    pub(super) fn forget(&mut self) {
        self.is_known = false;
    }

    /// Distances of particles and edges; none if they are to be looked at anew.
    pub(super) fn known(&self) -> (&[f64], &[f64]) {
        if self.is_known { (&self.clearance, &self.edge_clearance) } else { (&[], &[]) }
    }

    /// Puts back what [`Contacts::known`] gave.
    pub(super) fn recall(&mut self, particles: &[f64], edges: &[f64]) {
        self.is_known = particles.len() == self.clearance.len() && edges.len() == self.edge_clearance.len();
        if self.is_known {
            self.clearance.copy_from_slice(particles);
            self.edge_clearance.copy_from_slice(edges);
        }
    }
}

/// What is the same for all points in a substep.
struct Substep<'a> {
    near: &'a [Placed<'a>],
    rules: &'a Rules,
    /// Obstacles that are not near are at least this far.
    far: f64,
    /// Of the steepest.
    steepness: f64,
    /// How far obstacles move at most.
    drift: f64,
}

impl Substep<'_> {
    /// Less φ than this is lost on such a way.
    fn loss(&self, before: DVec3, place: DVec3) -> f64 {
        self.steepness * (before.distance(place) + self.drift)
    }

    fn answer(&self, way: &Way) -> Answer {
        let mut answer = kept_off(way, self.near, self.rules);
        answer.clearance = answer.clearance.min(self.far);
        answer
    }
}

impl Cloth {
    /// Keeps it off obstacles. Impulses on obstacles are added to theirs. How many particles touch.
    pub(super) fn keep_off(
        &mut self,
        obstacles: &[Placed<'_>],
        rules: &Rules,
        (h, impulses): (f64, &mut [Wrench]),
    ) -> usize {
        self.contacts.touches.fill(Pushes::NONE);
        if obstacles.is_empty() {
            return 0;
        }
        let bounds = Aabb::of_points(self.places.iter().chain(&self.before).copied());
        let reach =
            |of: &Placed<'_>| (of.origin - bounds.min).abs().max((of.origin - bounds.max).abs()).length();
        let mut far = f64::INFINITY;
        let near: Vec<Placed<'_>> = obstacles
            .iter()
            .filter(|of| {
                let apart = of.distance_to_box(&bounds);
                let is_near = apart <= rules.epsilon + of.drift(reach(of));
                if !is_near {
                    far = far.min(apart);
                }
                is_near
            })
            .copied()
            .collect();
        let steepness = near.iter().map(|of| of.steepness).fold(1.0, f64::max);
        let drift = obstacles.iter().map(|of| of.drift(reach(of))).fold(0.0, f64::max);
        let substep = Substep { near: &near, rules, far, steepness, drift };
        if !self.contacts.is_known {
            self.look(obstacles);
        }
        self.contacts.stirred.fill(false);
        let mut count = 0;
        self.keep_particles_off(&substep, None);
        if self.edge_test != EdgeTest::None {
            count += self.keep_edges_off(&substep, (h, &mut *impulses));
            if rules.method == CollisionMethod::Continuous {
                let stirred = std::mem::take(&mut self.contacts.stirred);
                self.keep_particles_off(&substep, Some(&stirred));
                self.contacts.stirred = stirred;
                self.take_back_lost(&substep, (h, &mut *impulses));
            }
        }
        self.look_again_at_low_edges(&substep);
        if rules.method == CollisionMethod::Continuous {
            self.slow_down_what_is_inside(obstacles, rules);
        }
        let Contacts { clearance, next, edge_clearance, edge_next, touches, .. } = &mut self.contacts;
        std::mem::swap(clearance, next);
        std::mem::swap(edge_clearance, edge_next);
        for (i, pushes) in touches.iter().enumerate().filter(|(_, pushes)| !pushes.is_none()) {
            count += 1;
            for (obstacle, kick) in pushes.iter() {
                let origin = origin_of(obstacles, obstacle);
                let impulse = kick * (-self.masses[i] / h);
                impulses[obstacle] += Wrench::of_force(impulse, self.places[i] - origin);
            }
        }
        count
    }

    /// Distances of all particles and edges as they are at the beginning of a substep.
    fn look(&mut self, obstacles: &[Placed<'_>]) {
        for (clearance, &at) in self.contacts.clearance.iter_mut().zip(&self.before) {
            *clearance = least_value_before(at, obstacles);
        }
        for (clearance, edge) in self.contacts.edge_clearance.iter_mut().zip(&self.edges.all) {
            let [a, b] = edge.ends.map(|i| self.before[i as usize]);
            *clearance = least_value_before(0.5 * (a + b), obstacles);
        }
        self.contacts.is_known = true;
    }

    /// Edges that are being lifted out share their ends with others: what was reached is looked up, or the next lift would be too much.
    fn look_again_at_low_edges(&mut self, substep: &Substep<'_>) {
        let low = (1.0 - 1e-3) * substep.rules.epsilon;
        for (next, edge) in self.contacts.edge_next.iter_mut().zip(&self.edges.all) {
            if *next < low {
                let [a, b] = edge.ends.map(|i| self.places[i as usize]);
                *next = next.min(least_value(0.5 * (a + b), substep.near));
            }
        }
    }

    /// What is being pushed out creeps, as seen from what it is in: what it is stretched by on its way would throw it else.
    fn slow_down_what_is_inside(&mut self, obstacles: &[Placed<'_>], rules: &Rules) {
        for (i, pushes) in self.contacts.touches.iter_mut().enumerate() {
            let is_inside = self.contacts.clearance[i] < 0.0 && self.inverse_masses[i] > 0.0;
            if !is_inside {
                continue;
            }
            // What comes out by itself, too fast, was not pushed: then it is what it is deepest in.
            let before = self.before[i];
            let depth = |of: &Placed<'_>| -least_value_before(before, std::slice::from_ref(of));
            let of = match pushes.iter().next() {
                Some((index, _)) => obstacles.iter().find(|of| of.index == index),
                None => obstacles.iter().max_by(|a, b| depth(a).total_cmp(&depth(b))),
            };
            let Some(of) = of else { continue };
            let carried = of.carried(self.before[i]) - self.before[i];
            let way = self.places[i] - self.anchors[i] - carried;
            let too_much = way - way.clamp_length_max(rules.push_out);
            self.anchors[i] += too_much;
            pushes.add(of.index, -too_much);
        }
    }

    /// All particles, or only those marked.
    fn keep_particles_off(&mut self, substep: &Substep<'_>, only: Option<&[bool]>) {
        let Contacts { clearance, next, touches, .. } = &mut self.contacts;
        let inverse_masses = &self.inverse_masses;
        let of_particle =
            |i: usize, before: DVec3, known: f64, state: (&mut DVec3, &mut DVec3, &mut f64, &mut Pushes)| {
                let (place, anchor, next, touch) = state;
                if only.is_some_and(|only| !only[i]) {
                    return;
                }
                let left = known - substep.loss(before, *place);
                if left > substep.rules.epsilon {
                    *next = left;
                    return;
                }
                if inverse_masses[i] == 0.0 {
                    *next = least_value(*place, substep.near).min(substep.far);
                    return;
                }
                let way = Way { before, anchor: *anchor, place: *place, clearance: known };
                let answer = substep.answer(&way);
                for (obstacle, kick) in answer.pushes.iter() {
                    touch.add(obstacle, kick);
                }
                *place = answer.place;
                *anchor = answer.anchor;
                *next = answer.clearance;
            };
        let known = self.before.iter().zip(clearance.iter());
        if !is_shared(self.places.len()) {
            let states = self.places.iter_mut().zip(&mut self.anchors).zip(next).zip(touches);
            for (i, ((&before, &known), (((place, anchor), next), touch))) in known.zip(states).enumerate() {
                of_particle(i, before, known, (place, anchor, next, touch));
            }
            return;
        }
        let places = self.places.par_iter_mut().zip(&mut self.anchors).zip(next).zip(touches);
        let known = self.before.par_iter().zip(clearance);
        known.zip(places).with_min_len(256).enumerate().for_each(
            |(i, ((&before, &mut known), (((place, anchor), next), touch)))| {
                of_particle(i, before, known, (place, anchor, next, touch));
            },
        );
    }

    /// One place of every edge with an end that is near. What it needs is added to both ends. How many touched.
    fn keep_edges_off(&mut self, substep: &Substep<'_>, (h, impulses): (f64, &mut [Wrench])) -> usize {
        let mut count = 0;
        let runs: Vec<std::ops::Range<usize>> = self.edges.runs().collect();
        let mut moves = std::mem::take(&mut self.contacts.moves);
        let mut edge_next = std::mem::take(&mut self.contacts.edge_next);
        let mut settled = std::mem::take(&mut self.contacts.settled);
        let mut give_way = |cloth: &mut Self, e: usize, one: &EdgeMove| {
            count += 1;
            let mass = cloth.apply(e, one);
            cloth.press(e, one, (mass / h, substep, &mut *impulses));
        };
        for run in runs {
            if !is_shared(run.len()) {
                // No two of a run share a particle: whether one moves before the next looks is all the same.
                for e in run {
                    if let Some(one) = self.edge_move(e, substep, (&mut edge_next[e], &mut settled[e])) {
                        give_way(self, e, &one);
                    }
                }
                continue;
            }
            let state = edge_next[run.clone()].par_iter_mut().zip(&mut settled[run.clone()]);
            let found = state.with_min_len(256).enumerate();
            found
                .map(|(k, (next, settled))| self.edge_move(run.start + k, substep, (next, settled)))
                .collect_into_vec(&mut moves);
            for (e, one) in run.zip(&moves) {
                if let Some(one) = one {
                    give_way(self, e, one);
                }
            }
        }
        self.contacts.edge_next = edge_next;
        self.contacts.settled = settled;
        self.contacts.moves = moves;
        count
    }

    /// What one edge wants.
    fn edge_move(
        &self,
        e: usize,
        substep: &Substep<'_>,
        (next, settled): (&mut f64, &mut DVec3),
    ) -> Option<EdgeMove> {
        let [a, b] = self.edges.all[e].ends.map(|i| i as usize);
        let (xa, xb) = (self.places[a], self.places[b]);
        let nearest = self.contacts.next[a].min(self.contacts.next[b]);
        let left = nearest - 0.5 * substep.steepness * xa.distance(xb);
        *settled = 0.5 * (xa + xb);
        if left > substep.rules.epsilon {
            *next = left;
            return None;
        }
        if self.inverse_masses[a] + self.inverse_masses[b] == 0.0 {
            *next = f64::NEG_INFINITY;
            return None;
        }
        let at = match self.edge_test {
            EdgeTest::None | EdgeTest::Centre => 0.5,
            EdgeTest::Deepest => deepest(xa, xb, substep),
        };
        let before = self.before[a].lerp(self.before[b], at);
        let known = if at == 0.5 {
            self.contacts.edge_clearance[e]
        } else {
            least_value_before(before, substep.near)
        };
        let place = xa.lerp(xb, at);
        let left = known - substep.loss(before, place);
        if left > substep.rules.epsilon {
            *next = left;
            return None;
        }
        let anchor = self.anchors[a].lerp(self.anchors[b], at);
        let answer = substep.answer(&Way { before, anchor, place, clearance: known });
        *settled = *settled + answer.place - place;
        *next =
            if at == 0.5 { answer.clearance } else { least_value(*settled, substep.near).min(substep.far) };
        let (place, anchor) = (answer.place - place, answer.anchor - anchor);
        (!answer.pushes.is_none()).then_some(EdgeMove { at, place, anchor, pushes: answer.pushes })
    }

    /// Moves the ends of an edge so that the place on it moves as it wants; in the middle, by as much (2003, section 4.3). The mass that is moved so.
    fn apply(&mut self, e: usize, one: &EdgeMove) -> f64 {
        let [a, b] = self.edges.all[e].ends.map(|i| i as usize);
        let parts = [
            if self.inverse_masses[a] > 0.0 { 1.0 - one.at } else { 0.0 },
            if self.inverse_masses[b] > 0.0 { one.at } else { 0.0 },
        ];
        let sum = parts[0] * parts[0] + parts[1] * parts[1];
        let mut mass = 0.0;
        if sum == 0.0 {
            return mass;
        }
        for (i, part) in [a, b].into_iter().zip(parts).filter(|(_, part)| *part > 0.0) {
            let share = part / sum;
            self.places[i] += one.place * share;
            self.anchors[i] += one.anchor * share;
            mass += share * self.masses[i];
            self.contacts.stirred[i] = true;
        }
        mass
    }

    /// What an edge did to obstacles, `per_second` being the mass that was moved over the substep's time.
    fn press(
        &self,
        e: usize,
        one: &EdgeMove,
        (per_second, substep, impulses): (f64, &Substep<'_>, &mut [Wrench]),
    ) {
        let [a, b] = self.edges.all[e].ends.map(|i| self.places[i as usize]);
        for (obstacle, kick) in one.pushes.iter() {
            let arm = a.lerp(b, one.at) - origin_of(substep.near, obstacle);
            impulses[obstacle] += Wrench::of_force(kick * -per_second, arm);
        }
    }

    /// Looks for edges whose middle is below a surface, or came through one, and mends them.
    fn take_back_lost(&mut self, substep: &Substep<'_>, (h, impulses): (f64, &mut [Wrench])) {
        for round in 0..ROUNDS {
            let mut is_good = true;
            for e in 0..self.edges.len() {
                let [a, b] = self.edges.all[e].ends.map(|i| i as usize);
                let middle = 0.5 * (self.places[a] + self.places[b]);
                let off = substep.steepness * middle.distance(self.contacts.settled[e]);
                if self.contacts.edge_next[e] - off > 1e-3 * substep.rules.epsilon {
                    continue;
                }
                let before = 0.5 * (self.before[a] + self.before[b]);
                let known = self.contacts.edge_clearance[e];
                let Some(obstacle) = is_lost(before, middle, known, substep.near) else {
                    self.contacts.settled[e] = middle;
                    self.contacts.edge_next[e] = least_value(middle, substep.near).min(substep.far);
                    continue;
                };
                is_good = false;
                if round < 2 {
                    let (mut next, mut settled) = (0.0, DVec3::ZERO);
                    if let Some(one) = self.edge_move(e, substep, (&mut next, &mut settled)) {
                        let mass = self.apply(e, &one);
                        self.press(e, &one, (mass / h, substep, &mut *impulses));
                    }
                }
                for i in [a, b].into_iter().filter(|&i| self.inverse_masses[i] > 0.0) {
                    let (before, clearance) = (self.before[i], self.contacts.clearance[i]);
                    if round < 2 {
                        let way = Way { before, anchor: self.anchors[i], place: self.places[i], clearance };
                        let answer = substep.answer(&way);
                        self.places[i] = answer.place;
                        self.anchors[i] = answer.anchor;
                        self.contacts.next[i] = answer.clearance;
                        for (obstacle, kick) in answer.pushes.iter() {
                            self.contacts.touches[i].add(obstacle, kick);
                        }
                    } else {
                        let was = self.places[i] - self.anchors[i];
                        self.places[i] = substep.near[obstacle].carried(before);
                        self.anchors[i] = self.before[i];
                        let kick = (self.places[i] - self.anchors[i]) - was;
                        self.contacts.touches[i].add(substep.near[obstacle].index, kick);
                        self.contacts.next[i] = clearance - substep.loss(before, self.places[i]);
                    }
                }
            }
            if is_good {
                return;
            }
        }
    }
}

fn origin_of(obstacles: &[Placed<'_>], index: usize) -> DVec3 {
    obstacles.iter().find(|of| of.index == index).map_or(DVec3::ZERO, |of| of.origin)
}

/// Where on an edge φ is least, as far as a few values tell: a descent by thirds around the best of five places.
fn deepest(a: DVec3, b: DVec3, substep: &Substep<'_>) -> f64 {
    let phi = |t: f64| least_value(a.lerp(b, t), substep.near);
    let [mut best, mut least] = [0.5, phi(0.5)];
    for t in [0.125, 0.3125, 0.6875, 0.875] {
        let value = phi(t);
        if value < least {
            [best, least] = [t, value];
        }
    }
    let mut step = 0.0625;
    while step > 0.015 {
        for t in [best - step, best + step] {
            let value = phi(t);
            if value < least {
                [best, least] = [t, value];
            }
        }
        step *= 0.5;
    }
    best.clamp(0.0, 1.0)
}
