//! A shell against anything that points can touch, field or not.

use glam::DAffine3;

use super::pieces::Pieces;
use super::{Contact, PointContacts, Sweep, SweepOptions};
use crate::ccd::{Hit, Segment, Touchable};
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

    /// The earliest contact of any point of a shell with the level set `iso` along a motion as it is, rigid or not. `tolerance` is the most that chords may be off it, as
    /// [`SweepOptions::tolerance`]; what they are off by is added to σ. `None` is a proof.
    pub fn first_contact(
        &self,
        shell: &PointShell,
        motion: &Motion,
        iso: f64,
        tolerance: f64,
    ) -> Option<Contact> {
        match self {
            Self::Field(field) => {
                let options = SweepOptions { iso, tolerance: Some(tolerance), ..Default::default() };
                Sweep::new(shell, field, &options).first_contact(motion).contact
            }
            Self::Analytic(surface) => first_on(shell, *surface, motion, (iso, tolerance)),
        }
    }
}

/// Piece after piece; in each, the earliest of all points that spheres leave in doubt.
fn first_on(
    shell: &PointShell,
    surface: &dyn Touchable,
    motion: &Motion,
    (iso, tolerance): (f64, f64),
) -> Option<Contact> {
    if shell.is_empty() {
        return None;
    }
    let reach = shell.tree().sphere(0).reach();
    let pieces = Pieces::new(motion, reach, tolerance);
    let iso = iso + surface.steepness() * (pieces.sagitta + motion.rounding(reach));
    (0..pieces.count()).find_map(|piece| {
        let [from, to] = pieces.ends(piece).map(|end| *end);
        let mut first: Option<(f64, u32, Hit)> = None;
        look_below(shell, surface, &[from, to], iso, |point, chord| {
            let Some(hit) = surface.first_hit(&chord, iso) else { return };
            if first.is_none_or(|(t, other, _)| (hit.t, point) < (t, other)) {
                first = Some((hit.t, point, hit));
            }
        });
        let (t, point, hit) = first?;
        let status = super::first::status_in(piece, hit.status);
        let t = (f64::from(piece) + t) / f64::from(pieces.count());
        Some(Contact { point, hit: Hit { t, status, ..hit } })
    })
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
                look_below(shell, surface, &ends, iso, |point, chord| {
                    let intervals = surface.intervals(&chord, iso);
                    if !intervals.is_empty() {
                        found.push(PointContacts { point, intervals });
                    }
                });
            }
            found.sort_unstable_by_key(|of: &PointContacts| of.point);
            found
        }
    }
}

/// Depth first, every point that no sphere above it clears. The affine map between two poses is a contraction, so the sphere moves along the chord of its centre; and
/// where that stays above σ + L·ρ, no point of it comes to σ.
fn look_below(
    shell: &PointShell,
    surface: &dyn Touchable,
    ends: &[DAffine3; 2],
    iso: f64,
    mut look: impl FnMut(u32, Segment),
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
            look(tree.order()[place], chord(tree.points()[place]));
        }
    }
}
