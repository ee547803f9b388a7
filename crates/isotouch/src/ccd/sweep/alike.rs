//! A shell against anything that points can touch, field or not.

use glam::DAffine3;

use super::{PointContacts, Sweep, SweepOptions};
use crate::ccd::{Segment, Touchable};
use crate::field::Field;
use crate::math::Motion;
use crate::shell::PointShell;

/// What a shell may touch.
#[derive(Clone, Copy)]
pub enum Obstacle<'a> {
    /// A field, asked by [`Sweep`].
    Field(&'a Field),
    /// A plane, a ball, a function.
    Analytic(&'a (dyn Touchable + Send + Sync)),
}

impl Obstacle<'_> {
    /// The questions that all can be asked.
    pub fn touchable(&self) -> &dyn Touchable {
        match self {
            Self::Field(field) => *field,
            Self::Analytic(surface) => *surface,
        }
    }
}

/// Every contact of every point of a shell with the level set `iso` during a motion of chords ([`MotionKind::Chord`](crate::math::MotionKind)), by
/// number. Other motions are followed by their chord from end to end.
pub fn chord_contacts(
    shell: &PointShell,
    obstacle: Obstacle<'_>,
    motion: &Motion,
    iso: f64,
) -> Vec<PointContacts> {
    match obstacle {
        Obstacle::Field(field) => {
            Sweep::new(shell, field, &SweepOptions { iso, ..Default::default() }).contacts(motion).points
        }
        Obstacle::Analytic(surface) => {
            let ends = [motion.frame_from_body(0.0), motion.frame_from_body(1.0)];
            let mut found = Vec::new();
            if !shell.is_empty() {
                look_below(shell, surface, &ends, iso, &mut found);
            }
            found.sort_unstable_by_key(|of: &PointContacts| of.point);
            found
        }
    }
}

/// Depth first. The affine map between two poses is a contraction, so the sphere moves along the chord of its centre; and where that stays above
/// σ + L·ρ, no point of it comes to σ.
fn look_below(
    shell: &PointShell,
    surface: &dyn Touchable,
    ends: &[DAffine3; 2],
    iso: f64,
    found: &mut Vec<PointContacts>,
) {
    let tree = shell.tree();
    let chord = |p: glam::DVec3| Segment::new(ends[0].transform_point3(p), ends[1].transform_point3(p));
    let mut waiting = vec![0];
    while let Some(node) = waiting.pop() {
        let sphere = tree.sphere(node);
        // A little more, for rounding of places.
        let reach = sphere.radius * (1.0 + 1e-9) + 1e-12 * sphere.center.length();
        if !surface.touches(&chord(sphere.center), iso + surface.steepness() * reach) {
            continue;
        }
        let children = tree.children(node);
        if !children.is_empty() {
            waiting.extend(children);
            continue;
        }
        for place in tree.point_range(node) {
            let intervals = surface.intervals(&chord(tree.points()[place]), iso);
            if !intervals.is_empty() {
                found.push(PointContacts { point: tree.order()[place], intervals });
            }
        }
    }
}
