//! All particles and edges of a cloth against all obstacles, in a substep.
//!
//! Three passes: particles; places on edges (`edges_off`); particles that edges have moved. With the continuous method what is still below a surface then, or has come through
//! one, is looked for and taken back (`take_back`).
//!
//! Most work is saved by what is known already: how far each particle was from the nearest surface, less what it and obstacles have moved.

use glam::DVec3;
use rayon::prelude::*;

use super::collide::{Answer, Pushes, Rules, Way, kept_off, least_value, least_value_before};
use super::colours::is_shared;
use super::edges_off::EdgeContacts;
use super::obstacles::Placed;
use super::options::EdgeTest;
use super::{Cloth, CollisionMethod};
use crate::math::{Aabb, Wrench};

/// What is known of distances, and room for a substep's work.
#[derive(Debug, Clone, Default)]
pub(super) struct Contacts {
    /// φ of the nearest obstacle, at least, for each particle at the beginning of the substep.
    pub(super) clearance: Vec<f64>,
    /// The same at its end.
    pub(super) next: Vec<f64>,
    pub(super) of_edges: EdgeContacts,
    pub(super) touches: Vec<Pushes>,
    /// How far the bodies that give way moved each particle in the substep before: where the next search for it begins.
    pub(super) yielded: Vec<DVec3>,
    /// Particles that were moved after the first look at all.
    pub(super) stirred: Vec<bool>,
    /// Particles that were taken back.
    pub(super) is_back: Vec<bool>,
    /// Whether distances are known at all.
    is_known: bool,
}

impl Contacts {
    pub(super) fn new(particles: usize, edges: usize) -> Self {
        Self {
            clearance: vec![0.0; particles],
            next: vec![0.0; particles],
            of_edges: EdgeContacts::new(edges),
            touches: vec![Pushes::NONE; particles],
            yielded: vec![DVec3::ZERO; particles],
            stirred: vec![false; particles],
            is_back: vec![false; particles],
            is_known: false,
        }
    }

    /// What only makes searches shorter is found anew in every step, so that it need not be kept with a world's state.
    pub(super) fn begin_step(&mut self) {
        self.of_edges.begin_step();
        self.yielded.fill(DVec3::ZERO);
    }

    /// A particle was taken back, to where φ is this.
    pub(super) fn be_back(&mut self, particle: usize, next: f64) {
        self.next[particle] = next;
        self.is_back[particle] = true;
    }

    /// Distances have to be looked at anew.
    pub(super) fn forget(&mut self) {
        self.is_known = false;
    }

    /// The substep is over: what is known of its end is of the beginning of the next.
    pub(super) fn settle(&mut self) {
        std::mem::swap(&mut self.clearance, &mut self.next);
        std::mem::swap(&mut self.of_edges.clearance, &mut self.of_edges.next);
    }

    /// Distances of particles and edges; none if they are to be looked at anew.
    pub(super) fn known(&self) -> (&[f64], &[f64]) {
        if self.is_known { (&self.clearance, &self.of_edges.clearance) } else { (&[], &[]) }
    }

    /// Puts back what [`Contacts::known`] gave.
    pub(super) fn recall(&mut self, particles: &[f64], edges: &[f64]) {
        self.is_known =
            particles.len() == self.clearance.len() && edges.len() == self.of_edges.clearance.len();
        if self.is_known {
            self.clearance.copy_from_slice(particles);
            self.of_edges.clearance.copy_from_slice(edges);
        }
    }
}

/// Obstacles that a cloth may touch in a substep.
pub(super) struct Near<'a> {
    pub(super) obstacles: Vec<Placed<'a>>,
    /// All others are at least this far.
    pub(super) far: f64,
    /// How far any obstacle moves at most.
    pub(super) drift: f64,
}

/// What is the same for all points in a substep.
pub(super) struct Substep<'a> {
    pub(super) near: &'a [Placed<'a>],
    pub(super) rules: &'a Rules,
    /// s.
    pub(super) h: f64,
    /// Obstacles that are not near are at least this far.
    pub(super) far: f64,
    /// Of the steepest.
    pub(super) steepness: f64,
    /// How far obstacles move at most.
    pub(super) drift: f64,
}

impl Substep<'_> {
    /// Less φ than this is lost on such a way.
    pub(super) fn loss(&self, before: DVec3, place: DVec3) -> f64 {
        self.steepness * (before.distance(place) + self.drift)
    }

    /// Where a point may go.
    pub(super) fn answer(&self, way: &Way) -> Answer {
        let mut answer = kept_off(way, self.near, self.rules);
        answer.clearance = answer.clearance.min(self.far);
        answer
    }
}

/// A particle as it is kept off.
pub(super) struct Kept<'a> {
    pub(super) place: &'a mut DVec3,
    pub(super) anchor: &'a mut DVec3,
    /// φ of the nearest obstacle, at least.
    pub(super) next: &'a mut f64,
    pub(super) touch: &'a mut Pushes,
}

impl Kept<'_> {
    /// Keeps it off all that is near.
    pub(super) fn keep_off(&mut self, (before, clearance): (DVec3, f64), substep: &Substep<'_>) {
        let way = Way { before, anchor: *self.anchor, place: *self.place, clearance };
        let answer = substep.answer(&way);
        for (obstacle, kick) in answer.pushes.iter() {
            self.touch.add(obstacle, kick);
        }
        *self.place = answer.place;
        *self.anchor = answer.anchor;
        *self.next = answer.clearance;
    }
}

impl Cloth {
    /// Keeps it off obstacles. Impulses on obstacles are added to theirs. How many particles touch. To be followed by [`Contacts::settle`], unless it is looked at anew.
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
        let Near { obstacles: near, far, drift } = self.near(obstacles, rules);
        let steepness = near.iter().map(|of| of.steepness).fold(1.0, f64::max);
        let substep = Substep { near: &near, rules, h, far, steepness, drift };
        self.look_if_unknown(obstacles);
        self.contacts.stirred.fill(false);
        let mut count = 0;
        self.keep_particles_off(&substep, None);
        if self.edge_test != EdgeTest::None {
            count += self.keep_edges_off(&substep, impulses);
            if rules.method == CollisionMethod::Continuous {
                let stirred = std::mem::take(&mut self.contacts.stirred);
                self.keep_particles_off(&substep, Some(&stirred));
                self.contacts.stirred = stirred;
                self.take_back_lost(&substep, impulses);
            }
            self.look_again_at_low_edges(&substep);
        }
        if rules.method == CollisionMethod::Continuous {
            self.slow_down_what_is_inside(obstacles, rules);
        }
        for (i, pushes) in self.contacts.touches.iter().enumerate().filter(|(_, pushes)| !pushes.is_none()) {
            count += 1;
            for (obstacle, kick) in pushes.iter() {
                let Some(of) = obstacles.iter().find(|of| of.index == obstacle) else { continue };
                let impulse = kick * (-self.masses[i] / h);
                impulses[obstacle] += Wrench::of_force(impulse, self.places[i] - of.origin);
            }
        }
        count
    }

    /// Obstacles that it may touch in a substep.
    pub(super) fn near<'a>(&self, obstacles: &[Placed<'a>], rules: &Rules) -> Near<'a> {
        let bounds = Aabb::of_points(self.places.iter().chain(&self.before).copied());
        let reach =
            |of: &Placed<'_>| (of.origin - bounds.min).abs().max((of.origin - bounds.max).abs()).length();
        let longest = self.places.iter().zip(&self.before).map(|(place, before)| place.distance(*before));
        let longest = longest.fold(0.0, f64::max);
        let mut near =
            Near { obstacles: Vec::with_capacity(obstacles.len()), far: f64::INFINITY, drift: 0.0 };
        for of in obstacles {
            let drift = of.drift(reach(of));
            near.drift = near.drift.max(drift);
            // Being held off or carried may lead out of these bounds by no more than this: what is turned aside on its way ends no farther from where it began than it would have.
            let beyond = rules.epsilon + drift + longest;
            let apart = of.distance_to_box(&bounds) - beyond;
            if apart <= beyond {
                near.obstacles.push(*of);
            } else {
                near.far = near.far.min(apart);
            }
        }
        near
    }

    /// Distances of all particles and edges as they are at the beginning of a substep.
    pub(super) fn look_if_unknown(&mut self, obstacles: &[Placed<'_>]) {
        if self.contacts.is_known {
            return;
        }
        for (clearance, &at) in self.contacts.clearance.iter_mut().zip(&self.before) {
            *clearance = least_value_before(at, obstacles);
        }
        if self.edge_test != EdgeTest::None {
            for (clearance, edge) in self.contacts.of_edges.clearance.iter_mut().zip(&self.edges.all) {
                let [a, b] = edge.ends.map(|i| self.before[i as usize]);
                *clearance = least_value_before(0.5 * (a + b), obstacles);
            }
        }
        self.contacts.is_known = true;
    }

    /// What is being pushed out creeps, as seen from what it is in: what it is stretched by on its way would throw it else.
    fn slow_down_what_is_inside(&mut self, obstacles: &[Placed<'_>], rules: &Rules) {
        let is_inside = |i: usize| self.contacts.clearance[i] < 0.0 && self.inverse_masses[i] > 0.0;
        let inside: Vec<usize> = (0..self.places.len()).filter(|&i| is_inside(i)).collect();
        let mass: f64 = inside.iter().map(|&i| self.masses[i]).sum();
        for i in inside {
            let pushes = &mut self.contacts.touches[i];
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
            // A body that gives way gets its part of what all lose: light ones would be thrown to and fro.
            let part = of.yields.map_or(1.0, |least| least / (least + mass));
            let too_much = (way - way.clamp_length_max(rules.push_out)) * part;
            self.anchors[i] += too_much;
            pushes.add(of.index, -too_much);
        }
    }

    /// All particles, or only those marked.
    fn keep_particles_off(&mut self, substep: &Substep<'_>, only: Option<&[bool]>) {
        let Contacts { clearance, next, touches, .. } = &mut self.contacts;
        let inverse_masses = &self.inverse_masses;
        let of_particle = |i: usize, before: DVec3, known: f64, mut of: Kept<'_>| {
            if only.is_some_and(|only| !only[i]) {
                return;
            }
            let left = known - substep.loss(before, *of.place);
            if left > substep.rules.epsilon {
                *of.next = left;
                return;
            }
            if inverse_masses[i] > 0.0 {
                of.keep_off((before, known), substep);
                return;
            }
            *of.next = least_value(*of.place, substep.near).min(substep.far);
        };
        let known = self.before.iter().zip(clearance.iter());
        if !is_shared(self.places.len()) {
            let states = self.places.iter_mut().zip(&mut self.anchors).zip(next);
            let states = states.zip(touches.iter_mut());
            for (i, ((&before, &known), (((place, anchor), next), touch))) in known.zip(states).enumerate() {
                of_particle(i, before, known, Kept { place, anchor, next, touch });
            }
            return;
        }
        let states = self.places.par_iter_mut().zip(&mut self.anchors).zip(next);
        let states = states.zip(touches.par_iter_mut());
        let known = self.before.par_iter().zip(clearance);
        known.zip(states).with_min_len(256).enumerate().for_each(
            |(i, ((&before, &mut known), (((place, anchor), next), touch)))| {
                of_particle(i, before, known, Kept { place, anchor, next, touch });
            },
        );
    }
}

pub(super) fn origin_of(obstacles: &[Placed<'_>], index: usize) -> DVec3 {
    obstacles.iter().find(|of| of.index == index).map_or(DVec3::ZERO, |of| of.origin)
}
