//! What cloth falls on: anything that can be touched, where it is, and where it goes.

use std::sync::Arc;

use glam::{DAffine3, DVec3};

use super::ObstacleError;
use crate::ccd::Touchable;
use crate::field::{Field, Grid};
use crate::math::{Aabb, Pose, Wrench};

/// An obstacle's number in its world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObstacleId(pub(super) usize);

impl ObstacleId {
    /// Counted from 0, in the order in which obstacles were added.
    pub fn index(self) -> usize {
        self.0
    }
}

/// What obstacle to add.
#[derive(Debug, Clone, PartialEq)]
pub struct ObstacleOptions {
    /// For messages.
    pub name: String,
    /// `world_from_body` at the start.
    pub pose: Pose,
    /// μ, or the part of tangential motion that [`FrictionModel::Simple`](super::FrictionModel) takes away: 1 all of it.
    pub friction: f64,
    /// How much of the speed of an impact comes back: 0 none, 1 all.
    pub bounce: f64,
}

impl Default for ObstacleOptions {
    fn default() -> Self {
        Self { name: "obstacle".to_owned(), pose: Pose::IDENTITY, friction: 0.3, bounce: 0.0 }
    }
}

/// Something in the way of cloth.
#[derive(Clone)]
pub struct Obstacle {
    pub(super) name: String,
    pub(super) shape: Arc<dyn Touchable + Send + Sync>,
    /// In its own frame; `None` for what has no end.
    bounds: Option<Aabb>,
    /// Of its grid, m; 0 of what has no end.
    cell: f64,
    steepness: f64,
    pub(super) pose: Pose,
    /// Where it is at the end of the next step.
    pub(super) target: Pose,
    pub(super) friction: f64,
    pub(super) bounce: f64,
    /// What cloth did to it in the last step, about the origin of its frame at the step's end: N·s.
    pub(super) impulse: Wrench,
}

impl Obstacle {
    pub(super) fn new(
        shape: Arc<dyn Touchable + Send + Sync>,
        grid: Option<&Grid>,
        options: ObstacleOptions,
    ) -> Result<Self, ObstacleError> {
        let ObstacleOptions { name, pose, friction, bounce } = options;
        let numbers = [
            ("friction", friction, friction >= 0.0, "a finite number, 0 or more"),
            ("bounce", bounce, (0.0..=1.0).contains(&bounce), "a number from 0 to 1"),
            ("position", pose.position.length(), true, "finite"),
            ("rotation", pose.rotation.length(), pose.rotation.length() > 0.0, "a unit quaternion"),
        ];
        for (quantity, value, is_in_range, wanted) in numbers {
            if !(value.is_finite() && is_in_range) {
                return Err(ObstacleError::BadNumber { obstacle: name, quantity, value, wanted });
            }
        }
        let steepness = shape.steepness();
        let (bounds, cell) = (grid.map(Grid::bounds), grid.map_or(0.0, |grid| grid.cell));
        let pose = Pose { rotation: pose.rotation.normalize(), ..pose };
        let impulse = Wrench::ZERO;
        Ok(Self { name, shape, bounds, cell, steepness, pose, target: pose, friction, bounce, impulse })
    }

    pub(super) fn of_field(field: Arc<Field>, options: ObstacleOptions) -> Result<Self, ObstacleError> {
        if !field.is_certified_outside() {
            return Err(ObstacleError::NoBorder { obstacle: options.name });
        }
        let grid = *field.grid();
        Self::new(field, Some(&grid), options)
    }

    /// For messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// `world_from_body`.
    pub fn pose(&self) -> Pose {
        self.pose
    }

    /// What it is, in its own frame.
    pub fn shape(&self) -> &(dyn Touchable + Send + Sync) {
        &*self.shape
    }

    /// What cloth did to it in the last step: impulse in N·s, and about the origin of its frame N·m·s.
    pub fn impulse(&self) -> Wrench {
        self.impulse
    }

    /// φ at a point of the world, at its present pose.
    pub fn value(&self, point: DVec3) -> f64 {
        self.shape.value(self.pose.inverse().place(point))
    }

    /// How far its points are from the origin of its frame; 0 of what has no end, and does not turn.
    pub(super) fn reach(&self) -> f64 {
        self.bounds.map_or(0.0, |bounds| bounds.min.abs().max(bounds.max.abs()).length())
    }

    /// Where it is after a part of the step.
    pub(super) fn pose_at(&self, part: f64) -> Pose {
        if self.pose == self.target {
            return self.pose;
        }
        if part >= 1.0 {
            return self.target;
        }
        Pose {
            position: self.pose.position.lerp(self.target.position, part),
            rotation: self.pose.rotation.slerp(self.target.rotation, part),
        }
    }

    /// As it is during a substep from one pose to another.
    pub(super) fn placed(&self, index: usize, from: Pose, to: Pose) -> Placed<'_> {
        let is_still = from == to;
        Placed {
            index,
            shape: &*self.shape,
            bounds: self.bounds,
            cell: self.cell,
            steepness: self.steepness,
            friction: self.friction,
            bounce: self.bounce,
            from_world_before: from.inverse().to_affine(),
            from_world: to.inverse().to_affine(),
            to_world: to.to_affine(),
            origin: to.position,
            yields: None,
            shift: to.position.distance(from.position),
            turn: if is_still { 0.0 } else { from.rotation.angle_between(to.rotation) },
        }
    }
}

/// An obstacle during a substep.
#[derive(Clone, Copy)]
pub(super) struct Placed<'a> {
    pub(super) index: usize,
    pub(super) shape: &'a (dyn Touchable + Send + Sync),
    bounds: Option<Aabb>,
    cell: f64,
    pub(super) steepness: f64,
    pub(super) friction: f64,
    pub(super) bounce: f64,
    /// At its beginning.
    pub(super) from_world_before: DAffine3,
    /// At its end.
    pub(super) from_world: DAffine3,
    pub(super) to_world: DAffine3,
    pub(super) origin: DVec3,
    /// Of a body that gives way to cloth ([`free_bodies`](super::free_bodies)): the least mass that a push on any point of it has to move, kg.
    pub(super) yields: Option<f64>,
    shift: f64,
    /// rad.
    turn: f64,
}

impl Placed<'_> {
    /// Whether it is a body that gives way to cloth.
    pub(super) fn gives_way(&self) -> bool {
        self.yields.is_some()
    }

    /// How far a point of it, as far from its origin as `reach`, moves at most.
    pub(super) fn drift(&self, reach: f64) -> f64 {
        self.shift + self.turn * reach
    }

    /// What a point that rests on it has as its place at the end of the substep.
    pub(super) fn carried(&self, before: DVec3) -> DVec3 {
        self.to_world.transform_point3(self.from_world_before.transform_point3(before))
    }

    /// How far a point of its frame is from the box at least; 0 where nothing is known.
    #[inline]
    pub(super) fn box_distance(&self, local: DVec3) -> f64 {
        self.bounds.map_or(0.0, |bounds| bounds.distance_squared(local).sqrt())
    }

    /// φ of its frame, at least; and φ and its gradient to be held off by. Outside its box a field knows no more than a bound. There the latter are of the distance to the foot on the surface of the
    /// nearest place of the box: they go on from those inside, so that ε is kept where it is more than the padding.
    #[inline]
    pub(super) fn look(&self, local: DVec3, beside: f64) -> (f64, f64, Option<DVec3>) {
        let (bound, gradient) = self.shape.value_and_gradient(local);
        let Some(bounds) = self.bounds.filter(|_| beside > 0.0 && gradient.is_none()) else {
            return (bound, bound, gradient);
        };
        let border = local.clamp(bounds.min, bounds.max);
        let phi = self.shape.value(border);
        let Some(normal) = self.smooth_normal(border, &bounds) else { return (bound, bound, None) };
        let off = local - (border - normal * phi);
        (bound, off.length(), off.try_normalize())
    }

    /// Outward, near a place of the box. By differences over a cell each way: the gradient of the interpolant jumps between cells, and with it would what is told of places outside, by as much as impacts move cloth in a substep.
    fn smooth_normal(&self, at: DVec3, bounds: &Aabb) -> Option<DVec3> {
        let slope = |axis: DVec3| {
            let place = |way: f64| (at + axis * way * self.cell).clamp(bounds.min, bounds.max);
            let (low, high) = (place(-1.0), place(1.0));
            (self.shape.value(high) - self.shape.value(low)) / (high - low).dot(axis)
        };
        DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z)).try_normalize()
    }

    /// From when to when a path of its frame is in the box, and so can touch the solid; `None` where it passes by.
    pub(super) fn time_in_box(&self, from: DVec3, to: DVec3) -> Option<(f64, f64)> {
        let Some(bounds) = self.bounds else { return Some((0.0, 1.0)) };
        // Less by more than rounding of the places that are cut, so that they are in the box; a field's solid does not reach its border.
        let less = 1e-9 * bounds.extent();
        let (low, high) = (bounds.min + less, bounds.max - less);
        let (mut first, mut last) = (0.0f64, 1.0f64);
        for axis in 0..3 {
            let (start, way) = (from[axis], to[axis] - from[axis]);
            if way == 0.0 {
                if start < low[axis] || start > high[axis] {
                    return None;
                }
                continue;
            }
            let (s, t) = ((low[axis] - start) / way, (high[axis] - start) / way);
            first = first.max(s.min(t));
            last = last.min(s.max(t));
        }
        (first <= last).then_some((first, last))
    }

    /// How far a box of the world is from it at least.
    pub(super) fn distance_to_box(&self, of: &Aabb) -> f64 {
        let Some(bounds) = self.bounds else { return 0.0 };
        let corners = (0..8).map(|k| {
            let pick = |axis: usize| if k >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] };
            self.to_world.transform_point3(DVec3::new(pick(0), pick(1), pick(2)))
        });
        let world = Aabb::of_points(corners);
        (world.min - of.max).max(of.min - world.max).max(DVec3::ZERO).length()
    }

    /// In a frame that turns, straight paths are bent: how far the path of a point strays from its chord, at most max|p″|/8, with
    /// |p″| ≤ ω²|p| + 2ω|ṗ|.
    pub(super) fn sagitta(&self, from: DVec3, to: DVec3) -> f64 {
        if self.turn == 0.0 {
            return 0.0;
        }
        let reach = from.length().max(to.length());
        (self.turn * self.turn * reach + 2.0 * self.turn * (to.distance(from) + self.turn * reach)) / 8.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::FieldOptions;
    use crate::mesh::shapes;

    /// What is told of places outside a field's box goes on from inside, and has no steeper slope than a distance, but for what differences over cells do at edges. With the gradients of cells it jumped where these meet.
    #[test]
    fn distances_outside_the_box_do_not_jump() {
        let mesh = shapes::cuboid(DVec3::splat(1.0)).unwrap();
        let field = Field::from_mesh(&mesh, &FieldOptions { resolution: 32, ..Default::default() }).unwrap();
        let obstacle = Obstacle::of_field(Arc::new(field), ObstacleOptions::default()).unwrap();
        let placed = obstacle.placed(0, Pose::IDENTITY, Pose::IDENTITY);
        let value = |p: DVec3| placed.look(p, placed.box_distance(p)).1;
        let step = 1e-5;
        // From above the middle past an edge, and past a corner, at twice the padding.
        for way in [DVec3::X, DVec3::new(1.0, 0.0, 0.9)] {
            let at = |k: f64| DVec3::new(0.0, 0.6, 0.0) + way * (k * step);
            let mut last = value(at(0.0));
            for k in 1..70_000 {
                let p = at(f64::from(k));
                let now = value(p);
                let change = (now - last).abs() / (step * way.length());
                assert!(change < 1.5, "at {p}: {change} times the way");
                last = now;
                let beyond = (p.abs() - 0.5).max(DVec3::ZERO).length();
                assert!((now - beyond).abs() < 0.02, "at {p}: {now}, not {beyond}");
            }
        }
    }
}
