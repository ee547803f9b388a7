//! Points that are in contact, or may come to be within the step.

use glam::DVec3;

use crate::ccd::{HitStatus, Obstacle, PointContacts};
use crate::contact::{BodyStep, Friction, Handles, Placed, ShellOnSurface};
use crate::dynamics::pairs::{Party, Role, Watched, normal_of};
use crate::dynamics::world::World;
use crate::field::Field;
use crate::math::Pose;

/// A point against a plane: where it is met, or where the surface is nearest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Row {
    /// Its number in the shell.
    pub(super) point: u32,
    pub(super) shell_of: usize,
    pub(super) on: Party,
    /// Away from what is touched, in the world.
    pub(super) normal: DVec3,
    /// φ of that plane at the beginning of the step, m.
    pub(super) gap: f64,
    /// The same at the end of the motion on which the contact was found.
    pub(super) planned: f64,
    /// N/m.
    pub(super) stiffness: f64,
    /// N·s/m.
    pub(super) damping: f64,
    pub(super) friction: Friction,
    /// When the point comes near, as part of the step.
    pub(super) t: f64,
    /// From the centres of mass at that time.
    pub(super) arm_of_shell: DVec3,
    pub(super) arm_of_surface: DVec3,
    /// How far the shell's centre has gone by then, less how far the other one has, along the motion on which the contact was found.
    pub(super) ahead: DVec3,
}

/// A field has an edge where its gradient turns by more than 14° over a cell, cosine: roundings of less than four cells. Larger takes what is round for edges; smaller lets edges pass whose faces meet at a flat angle.
const EDGE: f64 = 0.97;
/// Within a degree of each other it does not matter whose normal is taken; beyond 60° both are of different sides. Depth is told along the field's normal: held along one that is far from it, threads came three times as deep.
const ALIKE: std::ops::Range<f64> = 0.5..0.9998;

/// A plane is laid anew where its normal turns by less than this, cos 60°: farther is the other side of something thin, and the way out is the one by which the point came.
const SAME_SIDE: f64 = 0.5;

impl Row {
    /// Where its point is at the end of a step, in the frame of what it touches, and φ there. `end` is [`ShellOnSurface::end`].
    pub(super) fn end(&self, role: &Role, pair: &ShellOnSurface<'_>, end: &Pose) -> (DVec3, f64) {
        let place = end.place(pair.shell.points()[self.point as usize]);
        (place, pair.obstacle.touchable().value(place) + role.overlap)
    }

    /// The energy of its spring at a distance from what it touches, J.
    pub(super) fn pressed(&self, phi: f64) -> f64 {
        0.5 * self.stiffness * phi.min(0.0).powi(2)
    }

    /// How deep its point ends in what it touches. Where it ends on another side of that, as deep as its own plane tells: what slides on a floor into a wall ends deep in the wall, and is not held there.
    pub(super) fn depth(&self, role: &Role, pair: &ShellOnSurface<'_>, end: &Pose) -> f64 {
        let (place, phi) = self.end(role, pair, end);
        let turn = pair.surface_body.to.world_from_body.rotation;
        let chord = pair.chord(self.point);
        let told = -(self.gap + self.normal.dot(turn * (chord.to - chord.from)));
        let is_same_side = || {
            let normal = normal_of(pair.obstacle.touchable(), place);
            normal.is_some_and(|normal| (turn * normal).dot(self.normal) > SAME_SIDE)
        };
        if -phi <= told || is_same_side() { -phi } else { told }
    }

    /// With the plane at the end of a step, in which the point went this way relative to what it touches. Against what forces do not move arms are those of there, too: what rolls presses under its
    /// centre then, and not ahead of it by as much as it rolls in a step, which would brake it. Between two that give way they stay those of when they meet, for the sake of their angular momentum.
    #[must_use]
    pub(super) fn relaid(
        &self,
        (role, own): (&Role, Option<&Field>),
        pair: &ShellOnSurface<'_>,
        (way, gives_way): (DVec3, bool),
    ) -> Self {
        let (in_surface, phi) = self.end(role, pair, &pair.end());
        let (shell_body, surface_body) = (&pair.shell_body.to, &pair.surface_body.to);
        let normal = normal(own, pair, (self.point, in_surface), (shell_body, surface_body));
        let Some(normal) = normal.filter(|normal| normal.dot(self.normal) > SAME_SIDE && phi.is_finite())
        else {
            return *self;
        };
        if gives_way {
            let gap = no_deeper_than_it_is(phi - normal.dot(way), role, pair, self.point);
            return Self { normal, gap, ..*self };
        }
        let place = shell_body.world_from_body.place(pair.shell.points()[self.point as usize]);
        let velocity = shell_body.velocity_of(place) - surface_body.velocity_of(place);
        Self {
            normal,
            gap: phi - pair.shell_body.duration * normal.dot(velocity),
            arm_of_shell: place - shell_body.center_in_world(),
            arm_of_surface: place - surface_body.center_in_world(),
            ..*self
        }
    }
}

impl Row {
    /// A contact that comes beside others, which are so deep: as it is if it comes deeper than that. If not, its point slid below an edge, and holds where it ends, if that is inside.
    pub(super) fn as_it_holds(
        &self,
        (role, own): (&Role, Option<&Field>),
        pair: &ShellOnSurface<'_>,
        held: f64,
    ) -> Option<Self> {
        let chord = pair.chord(self.point);
        if pair.obstacle.touchable().touches(&chord, -role.overlap - held) {
            return Some(*self);
        }
        let (in_surface, phi) = self.end(role, pair, &pair.end());
        let (shell_body, surface_body) = (&pair.shell_body.to, &pair.surface_body.to);
        let normal =
            normal(own, pair, (self.point, in_surface), (shell_body, surface_body)).filter(|_| phi < 0.0)?;
        let way = surface_body.world_from_body.rotation * (chord.to - chord.from);
        let gap = no_deeper_than_it_is(phi - normal.dot(way), role, pair, self.point);
        Some(Self { normal, gap, planned: phi, damping: 0.0, ..*self })
    }
}

impl World {
    /// Points of a role that touch during these steps, or may come to.
    pub(super) fn rows(&self, watched: &mut Watched, steps: &[BodyStep]) -> Vec<Row> {
        let role = watched.role;
        let iso = self.margin(role.on, role.shell_of) - role.overlap;
        if self.is_clear(watched, steps, iso) {
            return Vec::new();
        }
        let Some(pair) = self.on_surface(&role, steps) else { return Vec::new() };
        let touching = pair.contacts_near(&mut watched.vicinity, iso);
        let own = self.bodies[role.shell_of].shape.field();
        touching.iter().filter_map(|of| row((&role, own), &pair, of)).collect()
    }
}

/// φ of a plane at the beginning of the step, but no deeper than the point really was then. What comes out on another side than that by which it came, or is met along the normal of a face that it leaves, would be told to have been
/// deep in from the start: its spring would have energy that nobody gave, and throw both. In heaps one throw led to the next.
fn no_deeper_than_it_is(gap: f64, role: &Role, pair: &ShellOnSurface<'_>, point: u32) -> f64 {
    if gap >= 0.0 {
        return gap;
    }
    let was = pair.obstacle.touchable().value(pair.chord(point).from) + role.overlap;
    // Nothing is known of some places: then its plane counts.
    if was.is_nan() { gap } else { gap.max(was.min(0.0)) }
}

/// The way out at a point of a shell, in the world: that of the field that was entered, but where this one has an edge and the shell, by the field of its `own` body, has none. There the face of the shell decides, as it does
/// between an edge and a face in the world: the rounding of interpolated edges would hold back what slides over points.
fn normal(
    own: Option<&Field>,
    pair: &ShellOnSurface<'_>,
    (point, in_surface): (u32, DVec3),
    (shell_body, surface_body): (&Placed, &Placed),
) -> Option<DVec3> {
    let (turn, turn_of_shell) = (surface_body.world_from_body.rotation, shell_body.world_from_body.rotation);
    let of_field = turn * normal_of(pair.obstacle.touchable(), in_surface)?;
    let of_shell = -(turn_of_shell * pair.shell.normals()[point as usize]);
    let (Obstacle::Field(field), Some(own)) = (pair.obstacle, own) else { return Some(of_field) };
    if !ALIKE.contains(&of_shell.dot(of_field)) {
        return Some(of_field);
    }
    let across = (of_shell - of_field).normalize_or_zero();
    let has_edge = has_edge(field, in_surface, turn.inverse() * across);
    let is_face =
        || !self::has_edge(own, pair.shell.points()[point as usize], turn_of_shell.inverse() * across);
    Some(if has_edge && is_face() { of_shell } else { of_field })
}

/// Whether a field has an edge across a direction, within half a cell of a place.
fn has_edge(field: &Field, place: DVec3, across: DVec3) -> bool {
    let half = 0.5 * field.grid().cell * across;
    let [one, other] = [half, -half].map(|by| field.gradient(place + by).and_then(DVec3::try_normalize));
    one.zip(other).is_some_and(|(one, other)| one.dot(other) < EDGE)
}

/// Which μ holds is told by how fast the contact slid before the step. By how fast it slides after it, both may be true: what is pushed at rest holds by its static friction, and would go on sliding by the lower kinetic one.
fn as_it_slid(friction: Friction, sliding: DVec3) -> Friction {
    let coefficient = friction.coefficient(sliding.length());
    Friction { static_coefficient: coefficient, kinetic_coefficient: coefficient, ..friction }
}

fn row((role, own): (&Role, Option<&Field>), pair: &ShellOnSurface<'_>, of: &PointContacts) -> Option<Row> {
    let first = of.intervals.iter().find(|interval| interval.status != HitStatus::Bound)?;
    let surface = pair.obstacle.touchable();
    let chord = pair.chord(of.point);
    // Where it comes near first; at once, for most that lie on something.
    let t = first.start;
    let met = chord.at(t);
    let shell_body = pair.shell_body.at(t, Handles::Interpolated);
    let surface_body = pair.surface_body.at(t, Handles::Interpolated);
    let normal = normal(own, pair, (of.point, met), (&shell_body, &surface_body))?;
    // The plane through there, as seen from the beginning.
    let in_surface = surface_body.world_from_body.rotation.inverse() * normal;
    let gap = surface.value(met) + role.overlap + in_surface.dot(chord.from - met);
    let gap = no_deeper_than_it_is(gap, role, pair, of.point);
    let planned = gap + in_surface.dot(chord.to - chord.from);
    let [center, other_center] = [shell_body, surface_body].map(|body| body.center_in_world());
    let ahead = (center - pair.shell_body.from.center_in_world())
        - (other_center - pair.surface_body.from.center_in_world());
    let place = shell_body.world_from_body.place(pair.shell.points()[of.point as usize]);
    let stiffness = role.law.stiffness.of_point(pair.shell.weights()[of.point as usize]);
    let (arm_of_shell, arm_of_surface) = (place - center, place - other_center);
    // Of where the contact will be, on the surface, as fast as bodies were before: the point that comes there was elsewhere then, and of what rolls it moved.
    let (twist, other_twist) = (pair.shell_body.from.twist, pair.surface_body.from.twist);
    let above = surface.value(met) * normal;
    let velocity = twist.at(arm_of_shell - above) - other_twist.at(arm_of_surface - above);
    // A damper acts on what is in contact already; for what is yet to come it would act from afar.
    let damping = if gap < 0.0 { stiffness * role.law.damping } else { 0.0 };
    (gap.is_finite() && place.is_finite()).then(|| Row {
        point: of.point,
        shell_of: role.shell_of,
        on: role.on,
        normal,
        gap,
        planned,
        stiffness,
        damping,
        friction: as_it_slid(role.law.friction, velocity.reject_from_normalized(normal)),
        t,
        arm_of_shell,
        arm_of_surface,
        ahead,
    })
}
