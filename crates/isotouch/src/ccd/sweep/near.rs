//! Points of a shell that are near a surface, at one pose.

use glam::{DAffine3, DVec3};

use super::{Obstacle, Sweep};
use crate::shell::{PointShell, SphereTree};

/// A point near a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearPoint {
    /// Its number in the shell.
    pub point: u32,
    /// Where it is, in the frame of the surface.
    pub place: DVec3,
    /// φ there.
    pub value: f64,
}

/// Nodes that wait during a descent: three siblings at every depth and four children. 4¹⁶ leaves are more than 32 bits count.
const MOST_WAITING: usize = 64;

impl Sweep<'_> {
    /// Points at which the interpolant is at most σ ([`SweepOptions::iso`](super::SweepOptions)), with the shell at `field_from_shell`. They are added to `found` in the order of
    /// the tree; nothing else is allocated. No such point is missed; outside the field's box those count whose lower bound is at most σ.
    pub fn points_within(&self, field_from_shell: &DAffine3, found: &mut Vec<NearPoint>) {
        let (field, iso) = (self.field, self.options.iso);
        // As in `Question`: what the interpolant may be below the true distance, and a hair for rounding.
        let rounding = 1e-9 * field.grid().cell;
        let clear_of_points = iso + self.error_at_points(iso) + rounding;
        let may_hold = |_, center: DVec3, radius: f64| {
            let threshold = clear_of_points + self.lipschitz * radius;
            let by_node = field.lower_bound_by_node(center);
            let bound = if by_node > threshold.max(0.0) { by_node } else { field.lower_bound(center) };
            // Written so that NaN is in doubt.
            let is_clear = bound > threshold;
            !is_clear
        };
        let tree = self.shell.tree();
        descend(tree, field_from_shell, may_hold, |k, place| {
            let point = tree.order()[k];
            let value = field.distance(place).value();
            let is_near = value <= iso || value.is_nan();
            if is_near {
                found.push(NearPoint { point, place, value });
            }
        });
    }
}

impl Obstacle<'_> {
    /// Points of a shell at `surface_from_shell` where φ is at most `within`, added to `found` in the order of the shell's tree. None is missed.
    pub fn points_within(
        &self,
        shell: &PointShell,
        surface_from_shell: &DAffine3,
        within: f64,
        found: &mut Vec<NearPoint>,
    ) {
        match self {
            Self::Field(field) => {
                let options = super::SweepOptions { iso: within, ..Default::default() };
                Sweep::new(shell, field, &options).points_within(surface_from_shell, found);
            }
            Self::Analytic(surface) => {
                let may_hold = |_, center: DVec3, radius: f64| {
                    let bound = surface.value(center) - surface.steepness() * radius;
                    let is_clear = bound > within;
                    !is_clear
                };
                let tree = shell.tree();
                descend(tree, surface_from_shell, may_hold, |k, place| {
                    let point = tree.order()[k];
                    let value = surface.value(place);
                    if value <= within {
                        found.push(NearPoint { point, place, value });
                    }
                });
            }
        }
    }
}

/// Every point of leaves whose spheres, and all spheres above them, may hold what is looked for, by its place in the order of the tree.
pub(super) fn descend(
    tree: &SphereTree,
    surface_from_shell: &DAffine3,
    mut may_hold: impl FnMut(usize, DVec3, f64) -> bool,
    mut look: impl FnMut(usize, DVec3),
) {
    if tree.node_count() == 0 {
        return;
    }
    let mut waiting = [0_usize; MOST_WAITING];
    let mut count = 1;
    while count > 0 {
        count -= 1;
        let node = waiting[count];
        let sphere = tree.sphere(node);
        // A little more, for rounding of places.
        let radius = sphere.radius * (1.0 + 1e-9) + 1e-13 * sphere.center.length();
        if !may_hold(node, surface_from_shell.transform_point3(sphere.center), radius) {
            continue;
        }
        let children = tree.children(node);
        if children.is_empty() {
            for place in tree.point_range(node) {
                look(place, surface_from_shell.transform_point3(tree.points()[place]));
            }
            continue;
        }
        // The last is taken up first, so that leaves come in their order.
        for child in children.rev() {
            waiting[count] = child;
            count += 1;
        }
    }
}
