//! Who may touch whom during a step, and what is found when they do.

use rayon::prelude::*;

use super::broad_phase::{SweptSphere, meeting_spheres};
use super::world::World;
use crate::ccd::{HitStatus, Obstacle, PointContacts, Segment, Touchable, Vicinity};
use crate::contact::{BodyStep, Handles, Law, Material, Placed, ShellOnSurface};
use crate::shell::PointShell;

/// Something that can be touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Party {
    /// The field of a body.
    Body(usize),
    /// A surface of the world that stands still.
    Surface(usize),
}

impl Party {
    /// The body, if it is one.
    pub(super) fn body(self) -> Option<usize> {
        match self {
            Self::Body(k) => Some(k),
            Self::Surface(_) => None,
        }
    }
}

/// A body, the one with the lower number, and what it may touch.
pub(super) type Pair = (usize, Party);

/// The shell of a body on something.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Role {
    /// Whose shell.
    pub(super) shell_of: usize,
    /// On what.
    pub(super) on: Party,
    /// Of the contact; its stiffness halved where both are in turn shell and field.
    pub(super) law: Law,
    /// How far both overlapped at the start, less what was given back since: so deep counts as not touching.
    pub(super) overlap: f64,
    pub(super) pair: Pair,
}

/// A role, and the points of its shell that are near, from step to step.
pub(super) struct Watched {
    pub(super) role: Role,
    pub(super) vicinity: Vicinity,
}

/// These roles with what is known of them from the step before. Both are in the order of pairs.
pub(super) fn watched_again(roles: Vec<Role>, mut before: Vec<Watched>) -> Vec<Watched> {
    let key = |role: &Role| (role.pair, role.shell_of);
    // Most often they are the same.
    if before.iter().map(|of| key(&of.role)).eq(roles.iter().map(key)) {
        for (of, role) in before.iter_mut().zip(roles) {
            of.role = role;
        }
        return before;
    }
    let mut before = before.into_iter().peekable();
    let watched = |role: Role| {
        while before.next_if(|of| key(&of.role) < key(&role)).is_some() {}
        let known = before.next_if(|of| key(&of.role) == key(&role));
        Watched { role, vicinity: known.map_or_else(Vicinity::default, |of| of.vicinity) }
    };
    roles.into_iter().map(watched).collect()
}

impl Pressed {
    pub(super) fn add(&mut self, other: &Self) {
        self.elastic_energy += other.elastic_energy;
        self.deepest = self.deepest.max(other.deepest);
        self.deepest_cells = self.deepest_cells.max(other.deepest_cells);
        self.points += other.points;
    }
}

/// Points on their way are looked at this part of a cell apart: what is thinner no field holds.
const STRIDE: f64 = 0.5;
/// And no more often than this: at a hundred cells a step nobody asks for the last digit.
const MOST_STRIDES: f64 = 200.0;

/// Points in contact at the end of a step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Pressed {
    pub(super) elastic_energy: f64,
    /// Also on the way there.
    pub(super) deepest: f64,
    /// The same in cells of the field that was entered; 0 of what has none.
    pub(super) deepest_cells: f64,
    pub(super) points: usize,
}

impl World {
    /// Pairs that may touch while bodies move like this, in order.
    pub(super) fn pairs(&self, steps: &[BodyStep]) -> Vec<Pair> {
        let spheres: Vec<SweptSphere> = self
            .bodies
            .iter()
            .zip(steps)
            .map(|(body, step)| {
                let around = body.shape.around();
                let place = |at: &Placed| at.world_from_body.place(around.center);
                // About the centre of mass it turns, and so bulges by r·θ²/8.
                let turn = step.from.world_from_body.rotation.angle_between(step.to.world_from_body.rotation);
                let bulge = (around.center - body.center).length() * turn * turn / 8.0;
                // The field's box may reach farther than the shell, and contacts are looked for within a margin.
                let radius = 1.001 * around.radius + self.margin_of(body) + bulge;
                SweptSphere { from: place(&step.from), to: place(&step.to), radius }
            })
            .collect();
        let counts = |i: usize, j: usize| self.bodies[i].is_dynamic() || self.bodies[j].is_dynamic();
        let mut pairs: Vec<Pair> =
            meeting_spheres(&spheres, counts).into_iter().map(|(i, j)| (i, Party::Body(j))).collect();
        for (i, _) in self.bodies.iter().enumerate().filter(|(_, body)| body.is_dynamic()) {
            pairs.extend((0..self.surfaces.len()).map(|k| (i, Party::Surface(k))));
        }
        pairs.sort_unstable();
        pairs
    }

    /// Roles of all pairs but those that come apart without contact.
    pub(super) fn roles(&self, pairs: &[Pair]) -> Vec<Role> {
        if self.overlaps.is_empty() {
            return self.roles_of(pairs);
        }
        let touching: Vec<Pair> = pairs.iter().filter(|pair| !self.comes_apart(pair)).copied().collect();
        self.roles_of(&touching)
    }

    /// Both ways of a pair to touch, or the one there is.
    pub(super) fn roles_of(&self, pairs: &[Pair]) -> Vec<Role> {
        let mut roles = Vec::with_capacity(2 * pairs.len());
        for &pair in pairs {
            let (i, other) = pair;
            let law = self.law(pair);
            let overlap = self.overlap(pair);
            let has_shell = |k: usize| self.bodies[k].shape.shell().is_some();
            let can_be_touched = |party: Party| self.obstacle(party).is_some();
            let there = (has_shell(i) && can_be_touched(other)).then_some((i, other));
            let back = other.body().filter(|&j| has_shell(j) && can_be_touched(Party::Body(i)));
            let ways = [there, back.map(|j| (j, Party::Body(i)))];
            let share = if there.is_some() && back.is_some() { 0.5 } else { 1.0 };
            let law = Law { stiffness: law.stiffness.times(share), ..law };
            let role = |(shell_of, on)| Role { shell_of, on, law, overlap, pair };
            roles.extend(ways.into_iter().flatten().map(role));
        }
        roles
    }

    fn law(&self, (i, other): Pair) -> Law {
        let a = self.bodies[i].material;
        let b = match other {
            Party::Body(j) => self.bodies[j].material,
            Party::Surface(k) => self.surfaces[k].material,
        };
        self.law_between(&a, &b)
    }

    pub(super) fn law_between(&self, a: &Material, b: &Material) -> Law {
        let kinds = (a.kind.min(b.kind), a.kind.max(b.kind));
        self.laws.get(&kinds).copied().unwrap_or_else(|| {
            let mut law = a.against(b);
            law.friction.slip_speed = self.options.slip_speed;
            law
        })
    }

    /// What is left of the overlap at the start.
    fn overlap(&self, pair: Pair) -> f64 {
        self.overlaps.get(&pair).map_or(0.0, |of| of.allowance)
    }

    pub(super) fn obstacle(&self, party: Party) -> Option<Obstacle<'_>> {
        match party {
            Party::Body(j) => self.bodies[j].shape.field().map(Obstacle::Field),
            Party::Surface(k) => Some(Obstacle::Analytic(self.surfaces[k].surface.as_ref())),
        }
    }

    /// A role during a step; `None` where a part is missing, which [`World::roles`] makes sure of.
    pub(super) fn on_surface(&self, role: &Role, steps: &[BodyStep]) -> Option<ShellOnSurface<'_>> {
        let shell: &PointShell = self.bodies[role.shell_of].shape.shell()?;
        let shell_body = steps[role.shell_of];
        let surface_body = match role.on {
            Party::Body(j) => steps[j],
            Party::Surface(_) => {
                BodyStep::still(Placed::at_rest(crate::math::Pose::IDENTITY), shell_body.duration)
            }
        };
        Some(ShellOnSurface { shell, shell_body, obstacle: self.obstacle(role.on)?, surface_body })
    }

    /// Whether it is known from steps before that a role has no contact at a level.
    pub(super) fn is_clear(&self, of: &Watched, steps: &[BodyStep], iso: f64) -> bool {
        let Some(shell) = self.bodies[of.role.shell_of].shape.shell() else { return true };
        let step = &steps[of.role.shell_of];
        let [from, to] = [step.from.world_from_body, step.to.world_from_body];
        let mut reach = from.position.length().max(to.position.length())
            + self.bodies[of.role.shell_of].shape.around().reach();
        let ends = match of.role.on {
            Party::Surface(_) => [from, to],
            Party::Body(j) => {
                let [other_from, other_to] = [steps[j].from.world_from_body, steps[j].to.world_from_body];
                reach += other_from.position.length().max(other_to.position.length());
                [other_from.inverse().then_from(&from), other_to.inverse().then_from(&to)]
            }
        };
        // A few dozen operations, each off by 2⁻⁵³ of what it handles.
        of.vicinity.is_clear(shell, ends, iso, 128.0 * 2f64.powi(-53) * reach)
    }

    /// Looks at all roles in parallel; what is found stands in their order.
    pub(super) fn look<T: Send>(
        &self,
        roles: &[Role],
        steps: &[BodyStep],
        look: impl Fn(&Role, &ShellOnSurface<'_>) -> T + Sync,
    ) -> Vec<T> {
        roles
            .par_iter()
            .filter_map(|role| self.on_surface(role, steps).map(|pair| look(role, &pair)))
            .collect()
    }

    /// How deep points are at the end of a step, and the deepest on the way there: what is fast may be through by then. The way is the one that bodies turn on; chords of what turns far lead through places where
    /// nothing was.
    pub(super) fn pressed(
        &self,
        role: &Role,
        pair: &ShellOnSurface<'_>,
        points: impl Iterator<Item = u32>,
    ) -> Pressed {
        let surface = pair.obstacle.touchable();
        let (start, end) = (pair.start(), pair.end());
        // Without any cell, against what is a formula, ends will do.
        let stride =
            Some(STRIDE * self.cell_of(role.pair)).filter(|stride| *stride > 0.0).unwrap_or(f64::INFINITY);
        let mut sum = Pressed::default();
        for point in points {
            let p = pair.shell.points()[point as usize];
            let way = Segment::new(start.place(p), end.place(p));
            let depth = -surface.value(way.to);
            let pressed = depth - role.overlap;
            if pressed > 0.0 {
                let stiffness = role.law.stiffness.of_point(pair.shell.weights()[point as usize]);
                sum.elastic_energy += 0.5 * stiffness * pressed * pressed;
                sum.points += 1;
            }
            sum.deepest = sum.deepest.max(depth);
            let strides = ((way.to - way.from).length() / stride).ceil().min(MOST_STRIDES);
            for k in 1..strides as u32 {
                let place = pair.at(f64::from(k) / strides, Handles::Interpolated).place(p);
                sum.deepest = sum.deepest.max(-surface.value(place));
            }
        }
        if let Obstacle::Field(field) = pair.obstacle {
            sum.deepest_cells = sum.deepest / field.grid().cell;
        }
        sum
    }
}

/// Whether any time of contact is more than a doubt outside a field's box.
pub(super) fn is_known(of: &PointContacts) -> bool {
    of.intervals.iter().any(|interval| interval.status != HitStatus::Bound)
}

/// The way out of a surface at a place, both in its frame.
pub(super) fn normal_of(surface: &dyn Touchable, place: glam::DVec3) -> Option<glam::DVec3> {
    surface.gradient(place).and_then(glam::DVec3::try_normalize)
}
