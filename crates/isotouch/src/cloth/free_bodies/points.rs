//! Which points of cloth may touch bodies that give way in a substep, and the planes that these are to them.

use std::ops::Range;

use glam::{DMat3, DVec3};

use super::FreeBody;
use super::program::{Body, HARD, Particle, Program, Row};
use super::search::State;
use crate::cloth::Cloth;
use crate::cloth::collide::{PlaneAhead, Rules, plane_ahead};
use crate::cloth::keep_off::Near;
use crate::cloth::obstacles::Placed;
use crate::cloth::options::{EdgeTest, FrictionModel};
use crate::math::Mat6;

/// No body, or no particle: what it is instead does not give way.
pub(super) const NONE: u32 = u32::MAX;
/// Points that stay farther off than ε by this part of it, and by what both move, are left out. More are looked at in vain; of fewer some may be reached by a body that others turn.
const MARGIN: f64 = 0.5;
/// What is nearer than ε at the beginning of a substep comes back by this part of what is missing, and no faster than [`Rules::push_out`]. All of it at once would be a kick: 10 µm in 0.3 ms are 3 cm/s.
const RESTORED: f64 = 0.1;

/// A particle, or a place on an edge, that may touch a body.
#[derive(Debug, Clone)]
pub(super) struct Point {
    /// The particles that it moves with, and by what part. Those of [`NONE`] are held.
    pub(super) ends: [(u32, f64); 2],
    /// Of the cloth that it is of.
    pub(super) cloth: usize,
    /// Where it began, and where it ends without contact.
    pub(super) before: DVec3,
    pub(super) place: DVec3,
    /// What it may touch.
    pub(super) rows: Range<usize>,
}

/// What points are found with.
pub(super) struct Finder<'a> {
    cloths: &'a [Cloth],
    rules: &'a [Rules],
    free: &'a [FreeBody],
    /// For every obstacle, which body of `free` it is.
    free_of: Vec<u32>,
    /// For every body of `free` its number in the program, once it has one.
    numbers: Vec<u32>,
    program: Program,
}

impl<'a> Finder<'a> {
    pub(super) fn new(
        cloths: &'a [Cloth],
        rules: &'a [Rules],
        (free, obstacles): (&'a [FreeBody], usize),
    ) -> Self {
        let mut free_of = vec![NONE; obstacles];
        for (k, body) in free.iter().enumerate() {
            free_of[body.obstacle.index()] = k as u32;
        }
        Self { cloths, rules, free, free_of, numbers: vec![NONE; free.len()], program: Program::default() }
    }

    /// All points, with planes as they are without contact.
    pub(super) fn find(mut self, placed: &[Placed<'_>]) -> Program {
        for (k, cloth) in self.cloths.iter().enumerate() {
            let near = cloth.near(placed, &self.rules[k]);
            if near.obstacles.iter().any(Placed::gives_way) {
                self.find_of(k, &near);
            }
        }
        let mut program = self.program;
        program.lay_order();
        program
    }

    fn find_of(&mut self, k: usize, near: &Near<'_>) {
        let cloth = &self.cloths[k];
        let epsilon = self.rules[k].epsilon;
        let steepness = near.obstacles.iter().map(|of| of.steepness).fold(1.0, f64::max);
        let mut numbers = vec![NONE; cloth.places.len()];
        // φ of all that is near is no less than this at the end, whatever bodies do; they are turned from their way by no more than both go.
        let is_off = |known: f64, before: DVec3, place: DVec3| {
            known - 2.0 * steepness * (before.distance(place) + near.drift) > (1.0 + MARGIN) * epsilon
        };
        for i in 0..cloth.places.len() {
            let (before, place) = (cloth.before[i], cloth.places[i]);
            if is_off(cloth.contacts.clearance[i], before, place) {
                continue;
            }
            self.add(k, near, (before, place), [(i, 1.0), (i, 0.0)], &mut numbers);
        }
        if cloth.edge_test == EdgeTest::None {
            return;
        }
        for (e, edge) in cloth.edges.all.iter().enumerate() {
            let [a, b] = edge.ends.map(|i| i as usize);
            let at =
                if cloth.edge_test == EdgeTest::Deepest { cloth.contacts.of_edges.looked_at(e) } else { 0.5 };
            let (before, place) =
                (cloth.before[a].lerp(cloth.before[b], at), cloth.places[a].lerp(cloth.places[b], at));
            // Of another place than the middle nothing is known but how far that is from it.
            let known = cloth.contacts.of_edges.clearance[e]
                - steepness * (at - 0.5).abs() * cloth.before[a].distance(cloth.before[b]);
            if is_off(known, before, place) {
                continue;
            }
            self.add(k, near, (before, place), [(a, 1.0 - at), (b, at)], &mut numbers);
        }
    }

    /// Adds a point if a body that gives way is near.
    fn add(
        &mut self,
        k: usize,
        near: &Near<'_>,
        (before, place): (DVec3, DVec3),
        ends: [(usize, f64); 2],
        numbers: &mut [u32],
    ) {
        let (cloth, rules) = (&self.cloths[k], &self.rules[k]);
        let ahead = |of: &Placed<'_>| {
            let way = before.distance(place) + of.drift(before.distance(of.origin));
            plane_ahead(of, before, place, rules).filter(|plane| plane.gap < MARGIN * rules.epsilon + way)
        };
        // What a pin holds can touch bodies that give way alone.
        let is_held = |i: usize| cloth.inverse_masses[i] == 0.0;
        let is_free = ends.iter().any(|&(i, part)| part > 0.0 && !is_held(i));
        let start = self.program.rows.len();
        let mass =
            ends.iter().map(|&(i, part)| if is_held(i) { 0.0 } else { part * cloth.masses[i] }).sum::<f64>();
        let mut heaviest: f64 = mass;
        for of in near.obstacles.iter().filter(|of| of.gives_way()) {
            let Some(plane) = ahead(of) else { continue };
            let number = self.free_of[of.index] as usize;
            let body = &self.free[number];
            if self.numbers[number] == NONE {
                self.numbers[number] = self.program.bodies.len() as u32;
                self.program.bodies.push(Body {
                    number,
                    inertia: Mat6::inertia(body.mass, body.inertia),
                    center: body.to.place(body.center),
                    reach: body.reach,
                });
            }
            heaviest = heaviest.max(body.mass);
            let arm = place - self.program.bodies[self.numbers[number] as usize].center;
            let mut row = Row::new(of, (self.numbers[number], arm));
            row.lay(&plane, rules, place - of.carried(before), DVec3::ZERO);
            self.program.rows.push(row);
        }
        if self.program.rows.len() == start {
            return;
        }
        if is_free {
            for of in near.obstacles.iter().filter(|of| !of.gives_way()) {
                let Some(plane) = ahead(of) else { continue };
                let mut row = Row::new(of, (NONE, DVec3::ZERO));
                row.lay(&plane, rules, place - of.carried(before), DVec3::ZERO);
                self.program.rows.push(row);
            }
        }
        let is_backed = self.program.rows.len() - start > 1;
        let is_partly_held = ends.iter().any(|&(i, part)| part > 0.0 && is_held(i));
        // What can give way takes no more force than moves it; against the mass of a heavy body it would be so stiff that searches take many times as long.
        let stiffness = HARD * if is_backed || is_partly_held { heaviest } else { mass };
        for row in &mut self.program.rows[start..] {
            row.stiffness = stiffness;
            if rules.friction == FrictionModel::Simple {
                // What takes c of a motion: drag/(drag + m) = c.
                let part = row.friction.min(0.999);
                row.simple_drag = Some(mass.max(stiffness / HARD) * part / (1.0 - part));
            }
        }
        let mut unknown = |(i, part): (usize, f64)| {
            if part == 0.0 || is_held(i) {
                return (NONE, part);
            }
            if numbers[i] == NONE {
                numbers[i] = self.program.particles.len() as u32;
                let particle = Particle { cloth: k, index: i, mass: cloth.masses[i], place: cloth.places[i] };
                self.program.particles.push(particle);
            }
            (numbers[i], part)
        };
        let ends = ends.map(&mut unknown);
        let rows = start..self.program.rows.len();
        self.program.points.push(Point { ends, cloth: k, before, place, rows });
    }
}

impl Row {
    /// Without its plane, and how hard that is.
    fn new(of: &Placed<'_>, (body, arm): (u32, DVec3)) -> Self {
        Self {
            obstacle: of.index,
            body,
            arm,
            normal: DVec3::Y,
            gap: f64::INFINITY,
            slip: DVec3::ZERO,
            stiffness: 0.0,
            friction: of.friction,
            simple_drag: None,
        }
    }

    /// Takes a plane for what it touches, as it is where the point has gone `way` over it, `delta` of that by contact.
    fn lay(&mut self, plane: &PlaneAhead, rules: &Rules, way: DVec3, delta: DVec3) {
        // What was too near comes back gently.
        let missing = -plane.gap_before.min(0.0);
        let wanted = -missing + (RESTORED * missing).min(rules.push_out);
        self.normal = plane.normal;
        self.gap = plane.gap - wanted - plane.normal.dot(delta);
        self.slip = way - delta;
    }
}

impl Program {
    /// Lays planes where points end, with obstacles placed as the state has them. The function of the state stays the same where they are true.
    pub(super) fn lay(&mut self, state: &State, placed: &[Placed<'_>], rules: &[Rules]) {
        let deltas = self.deltas(state);
        for point in &self.points {
            let rules = &rules[point.cloth];
            let place = point.place + self.moved(point, state);
            for (row, delta) in self.rows[point.rows.clone()].iter_mut().zip(&deltas[point.rows.clone()]) {
                let of = &placed[row.obstacle];
                match plane_ahead(of, point.before, place, rules) {
                    Some(plane) => row.lay(&plane, rules, place - of.carried(point.before), *delta),
                    None => row.gap = f64::INFINITY,
                }
            }
        }
    }
}

/// 1 − n·nᵀ.
pub(super) fn across(normal: DVec3) -> DMat3 {
    DMat3::IDENTITY - crate::math::spatial::outer(normal, normal)
}
