//! Bodies that stand in each other when they are put somewhere: they are let apart gently.
//!
//! How deep each pair is is measured when a body is new or was put elsewhere. What is no deeper than a cell counts as not touching, and that allowance shrinks with the separation speed, and never
//! is more than the pair is deep. What is deeper may be past the middle, where the way out by the field is that of the far side; so such a pair has *one* way out, the shortest
//! found by trying, and is moved along it with the separation speed, without contact, until it is shallow.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3};

use super::pairs::{Pair, Party};
use super::world::World;
use crate::contact::BodyStep;
use crate::field::Field;
use crate::math::Pose;

/// Pairs that are deeper than this part of a cell get one way out.
const DEEP: f64 = 1.0;
/// And are let go when they are less deep than this part. Below, the field's own way out is right.
const SHALLOW: f64 = 0.25;
/// Points of each shell that are tried. The first of a shell are spread over all of it.
const TRIED_POINTS: usize = 250;
/// Points are also tried this many cells below their surface: where two surfaces lie on each other, no point of one is inside the other, but all below are.
const BELOW: f64 = 1.5;
/// A try goes on by at least this part of the size: what is thinner may be jumped over, to a way out that is a little longer.
const LEAST_STEP: f64 = 0.02;
/// A way must be shorter by this part to be preferred to an earlier one, so that rounding does not choose.
const SHORTER: f64 = 0.98;
/// Sweeps over the pairs that come apart, so that in heaps all do.
const SWEEPS: usize = 8;

/// What is less deep, as part of a body's size, touches: places are written with some digits only, and what was put on the ground is not worth a word.
const TOUCHING: f64 = 1e-6;

/// The allowance of what has come apart.
const OVER: f64 = -1.0;

/// Two that stand in each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Overlap {
    /// As deep counts as not touching, m.
    pub(super) allowance: f64,
    /// How deep they are now, m.
    pub(super) depth: f64,
    /// The way of the first one out of the other, in the world, if it is deep.
    pub(super) way_out: Option<DVec3>,
}

/// Two that stand in each other, for messages.
#[derive(Debug, Clone, PartialEq)]
pub struct Overlapping {
    /// Name of a body.
    pub body: String,
    /// Of another, or of a surface.
    pub other: String,
    /// How deep points of one are in the other, m.
    pub depth: f64,
}

impl World {
    /// Which bodies stand in each other where they were put, and are let apart with [`WorldOptions::separation_speed`](super::WorldOptions::separation_speed). In the order of bodies.
    pub fn overlapping(&self) -> Vec<Overlapping> {
        let mut overlaps = self.overlaps.clone();
        self.measure_new(&mut overlaps);
        let name = |party: Party| match party {
            Party::Body(j) => self.bodies[j].name.clone(),
            Party::Surface(k) => self.surfaces[k].name.clone(),
        };
        let told = |(&(i, other), of): (&Pair, &Overlap)| Overlapping {
            body: self.bodies[i].name.clone(),
            other: name(other),
            depth: of.depth,
        };
        let is_worth_it = |of: &(&Pair, &Overlap)| {
            let size = self.bodies[of.0.0].shape.around().radius;
            of.1.depth > TOUCHING * size
        };
        overlaps.iter().filter(is_worth_it).map(told).collect()
    }

    /// Overlaps as they are at the beginning of a step.
    pub(super) fn update_overlaps(&mut self, dt: f64) {
        let known: Vec<Pair> = self.overlaps.keys().copied().collect();
        for (pair, depth) in self.depths(&known) {
            let cell = self.cell_of(pair);
            let Some(of) = self.overlaps.get_mut(&pair) else { continue };
            of.depth = depth;
            if of.way_out.is_some() && depth > SHALLOW * cell {
                continue;
            }
            let given_back =
                if of.way_out.take().is_some() { 0.0 } else { self.options.separation_speed * dt };
            // Kept for a step without allowance: its springs still give back what the last bit of it held.
            of.allowance =
                if of.allowance > 0.0 { (of.allowance - given_back).min(depth).max(0.0) } else { OVER };
        }
        self.overlaps.retain(|_, of| of.way_out.is_some() || of.allowance >= 0.0);
        let mut overlaps = std::mem::take(&mut self.overlaps);
        self.measure_new(&mut overlaps);
        self.overlaps = overlaps;
        self.unmeasured.clear();
    }

    /// Adds those of bodies that are new or were put elsewhere.
    fn measure_new(&self, overlaps: &mut BTreeMap<Pair, Overlap>) {
        if self.unmeasured.is_empty() {
            return;
        }
        let is_unmeasured = |k: &usize| self.unmeasured.contains(k);
        let is_new =
            |&(i, other): &Pair| is_unmeasured(&i) || other.body().as_ref().is_some_and(is_unmeasured);
        overlaps.retain(|pair, _| !is_new(pair));
        let pairs: Vec<Pair> = self.pairs(&self.still()).into_iter().filter(is_new).collect();
        for (pair, depth) in self.depths(&pairs).into_iter().filter(|(_, depth)| *depth > 0.0) {
            let is_deep = matches!(pair.1, Party::Body(_)) && depth > DEEP * self.cell_of(pair);
            let way_out = if is_deep { self.way_out(pair) } else { None };
            overlaps.insert(pair, Overlap { allowance: depth, depth, way_out });
        }
    }

    fn still(&self) -> Vec<BodyStep> {
        self.bodies.iter().map(|body| BodyStep::still(body.placed(), 0.0)).collect()
    }

    /// How deep the deepest point of each pair is.
    fn depths(&self, pairs: &[Pair]) -> Vec<(Pair, f64)> {
        if pairs.is_empty() {
            return Vec::new();
        }
        let roles = self.roles_of(pairs);
        let found = self.look(&roles, &self.still(), |role, pair| {
            let touching = pair.contacts(0.0);
            (role.pair, self.pressed(role, pair, touching.iter().map(|of| of.point)).deepest)
        });
        let mut depths: Vec<(Pair, f64)> = pairs.iter().map(|&pair| (pair, 0.0)).collect();
        for (pair, depth) in found {
            if let Ok(k) = depths.binary_search_by(|of| of.0.cmp(&pair)) {
                depths[k].1 = depths[k].1.max(depth);
            }
        }
        for (pair, depth) in &mut depths {
            if let (i, Party::Body(j)) = *pair {
                *depth = depth.max(self.depth_after((i, j), DVec3::ZERO));
            }
        }
        depths
    }

    /// The larger cell of both: what is not resolved there is not deep.
    pub(super) fn cell_of(&self, (i, other): Pair) -> f64 {
        let cell = |k: usize| self.bodies[k].shape.field().map_or(0.0, |field| field.grid().cell);
        match other {
            Party::Body(j) => cell(i).max(cell(j)),
            Party::Surface(_) => cell(i),
        }
    }

    /// The direction in which the first body of a pair gets out of the other by the shortest way, of those tried: from centre to centre, along the axes of both, and 26 of the world.
    fn way_out(&self, (i, other): Pair) -> Option<DVec3> {
        let Party::Body(j) = other else { return None };
        let (a, b) = (&self.bodies[i], &self.bodies[j]);
        let between = a.pose.place(a.shape.around().center) - b.pose.place(b.shape.around().center);
        let farthest = between.length() + a.shape.around().radius + b.shape.around().radius;
        let axes = |turn: DQuat| [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| turn * axis);
        let own =
            axes(a.pose.rotation).into_iter().chain(axes(b.pose.rotation)).flat_map(|axis| [axis, -axis]);
        let of_world = (0..27)
            .filter(|k| *k != 13)
            .map(|k| DVec3::new(f64::from(k % 3 - 1), f64::from(k / 3 % 3 - 1), f64::from(k / 9 - 1)));
        let tried = between.try_normalize().into_iter().chain(own).chain(of_world);
        let (mut best, mut shortest) = (None, f64::INFINITY);
        for direction in tried.filter_map(DVec3::try_normalize) {
            let mut way = 0.0;
            while way < SHORTER * shortest && way <= 2.0 * farthest {
                let depth = self.depth_after((i, j), direction * way);
                if depth <= 0.0 {
                    (best, shortest) = (Some(direction), way);
                    break;
                }
                // What is so deep needs as long a way.
                way += depth.max(LEAST_STEP * farthest);
            }
        }
        best
    }

    /// How deep two are in each other once the first one is shifted.
    fn depth_after(&self, (i, j): (usize, usize), by: DVec3) -> f64 {
        let (a, b) = (&self.bodies[i], &self.bodies[j]);
        let shifted = Pose { position: a.pose.position + by, ..a.pose };
        let depth = |shell_of: &super::Body, on: &super::Body, on_from_shell: Pose| {
            let (Some(shell), Some(field)) = (shell_of.shape.shell(), on.shape.field()) else { return 0.0 };
            if is_apart(shell_of, field, &on_from_shell) {
                return 0.0;
            }
            let depth_at = |p: DVec3| -field.distance(on_from_shell.place(p)).value();
            let own = shell_of.shape.field();
            let mut deepest: f64 = 0.0;
            for (&point, &normal) in shell.points().iter().zip(shell.normals()).take(TRIED_POINTS) {
                deepest = deepest.max(depth_at(point));
                if let Some(own) = own {
                    let below = point - normal * (BELOW * own.grid().cell);
                    // Not out on the other side of what is thin.
                    if own.distance(below).value() < 0.0 {
                        deepest = deepest.max(depth_at(below));
                    }
                }
            }
            deepest
        };
        let b_from_a = b.pose.inverse().then_from(&shifted);
        depth(a, b, b_from_a).max(depth(b, a, b_from_a.inverse()))
    }

    /// Velocities with which deep pairs come apart: no slower than the separation speed along their way out. Through the centres of mass, so nothing turns.
    pub(super) fn let_apart(&self, velocities: &mut [DVec3]) {
        let deep = || self.overlaps.iter().filter_map(|(&(i, other), of)| Some((i, other, of.way_out?)));
        for _ in 0..if deep().next().is_some() { SWEEPS } else { 0 } {
            for (i, other, way_out) in deep() {
                let Party::Body(j) = other else { continue };
                // 1/∞ of what forces do not move is 0.
                let gives = (self.bodies[i].mass.recip(), self.bodies[j].mass.recip());
                let speed = (velocities[i] - velocities[j]).dot(way_out);
                let impulse = (self.options.separation_speed - speed).max(0.0) / (gives.0 + gives.1);
                velocities[i] += way_out * (impulse * gives.0);
                velocities[j] -= way_out * (impulse * gives.1);
            }
        }
    }

    /// How deep the deepest of the pairs is that have no contact, as they come apart.
    pub(super) fn deepest_apart(&self) -> f64 {
        self.overlaps.values().filter(|of| of.way_out.is_some()).map(|of| of.depth).fold(0.0, f64::max)
    }

    /// Whether pairs that overlapped at the start are still being let apart: what energy that makes nobody gave.
    pub(super) fn lets_apart(&self) -> bool {
        !self.overlaps.is_empty()
    }

    /// Whether a pair has no contact, as it comes apart.
    pub(super) fn comes_apart(&self, pair: &Pair) -> bool {
        self.overlaps.get(pair).is_some_and(|of| of.way_out.is_some())
    }
}

/// Whether a body is surely outside a field, by the spheres around a few parts of its shell. What is tried below its surface is inside of it, and so not outside of them by more than rounding.
fn is_apart(body: &super::Body, field: &Field, field_from_body: &Pose) -> bool {
    let Some(shell) = body.shape.shell().filter(|shell| !shell.is_empty()) else { return false };
    let below = body.shape.field().map_or(0.0, |own| BELOW * own.grid().cell);
    let is_clear = |node: usize| {
        let sphere = shell.tree().sphere(node);
        let reach = field.lipschitz() * (sphere.radius * (1.0 + 1e-9) + below);
        field.lower_bound(field_from_body.place(sphere.center)) > reach
    };
    let tree = shell.tree();
    is_clear(0) || (!tree.children(0).is_empty() && tree.children(0).all(is_clear))
}
