//! What is touched during a step, and the force and stiffness of it.

use glam::{DMat3, DVec3};

use super::{Looking, PenaltyObject};
use crate::ccd::{HitStatus, PointContacts};
use crate::contact::{BodyStep, ContactNormals, Handles, Law, PenaltyOptions, Placed, ShellOnSurface};
use crate::haptics::Held;
use crate::math::spatial::outer;
use crate::math::{Mat6, Wrench};

/// What contact does to the part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Touching {
    /// F*: the mean over the step, about the centre of mass.
    pub(super) force: Wrench,
    /// K_c.
    pub(super) stiffness: Mat6,
    /// D.
    pub(super) damping: Mat6,
    pub(super) points: usize,
    pub(super) penetration: f64,
    pub(super) softened: f64,
}

impl Default for Touching {
    fn default() -> Self {
        Self {
            force: Wrench::ZERO,
            stiffness: Mat6::ZERO,
            damping: Mat6::ZERO,
            points: 0,
            penetration: 0.0,
            softened: 1.0,
        }
    }
}

/// A point that pushes, and how much of the step it does.
struct Spring {
    place: DVec3,
    /// Out of what is touched, in the world.
    outward: DVec3,
    /// N/m, times the part of the step.
    stiffness: f64,
}

impl PenaltyObject {
    /// What is touched on the way to there.
    pub(super) fn look(&self, to: &Placed, dt: f64) -> Touching {
        let fixed = BodyStep::still(Placed::at_rest(self.pair.world_from_fixed()), dt);
        let held = BodyStep { from: self.part, to: *to, duration: dt };
        let (shell_body, surface_body) = match self.pair.held() {
            Held::Shell => (held, fixed),
            Held::Field => (fixed, held),
        };
        let way = ShellOnSurface {
            shell: self.pair.shell(),
            shell_body,
            obstacle: self.pair.surface().obstacle(),
            surface_body,
        };
        let way = match self.options.looking {
            Looking::Continuous => way,
            Looking::AtEnd => way.at_end(),
        };
        let options = match self.options.looking {
            Looking::Continuous => self.options.penalty,
            // Nothing is in between, so there is no substep to take.
            Looking::AtEnd => {
                PenaltyOptions { subintervals: 1, handles: Handles::Interpolated, ..self.options.penalty }
            }
        };
        let contacts = way.contacts(options.iso);
        if contacts.is_empty() {
            return Touching::default();
        }
        let law = self.options.law;
        let springs: Vec<Spring> =
            contacts.iter().filter_map(|of| spring(&way, of, &law, &options)).collect();
        let softened = (self.options.max_stiffness / largest_stiffness(&springs)).min(1.0);
        let law = Law { stiffness: law.stiffness.times(softened), ..law };
        let impulse = way.impulse_of(&contacts, &law, &options);
        let on_part = match self.pair.held() {
            Held::Shell => impulse.on_shell,
            Held::Field => impulse.on_surface,
        };
        let center = to.center_in_world();
        let mut stiffness = Mat6::ZERO;
        for spring in &springs {
            let k = outer(spring.outward, spring.outward) * (spring.stiffness * softened);
            let arm = spring.place - center;
            stiffness += Mat6::at_arms(&k, arm, arm);
        }
        Touching {
            force: on_part * (1.0 / dt),
            stiffness,
            damping: stiffness * law.damping,
            points: impulse.points,
            penetration: (impulse.deepest - (options.iso - self.options.surface)).max(0.0),
            softened,
        }
    }
}

fn spring(
    way: &ShellOnSurface<'_>,
    of: &PointContacts,
    law: &Law,
    options: &PenaltyOptions,
) -> Option<Spring> {
    let known = of.intervals.iter().filter(|interval| interval.status != HitStatus::Bound);
    let (part, last) = known
        .fold((0.0, None), |(sum, _), interval| (sum + (interval.end - interval.start), Some(interval.end)));
    let at = way.chord(of.point).at(last?);
    let shell = way.shell_body.to.world_from_body;
    let own = -(shell.rotation * way.shell.normals()[of.point as usize]);
    let outward = match options.normals {
        ContactNormals::Shell => own,
        ContactNormals::Field => {
            let normal = way.obstacle.touchable().gradient(at).and_then(DVec3::try_normalize);
            normal.map_or(own, |normal| way.surface_body.to.world_from_body.rotation * normal)
        }
    };
    Some(Spring {
        place: shell.place(way.shell.points()[of.point as usize]),
        outward,
        stiffness: part * law.stiffness.of_point(way.shell.weights()[of.point as usize]),
    })
}

/// The largest eigenvalue of Σ k·n·nᵀ: how stiff all springs together are, along the direction where they are stiffest.
fn largest_stiffness(springs: &[Spring]) -> f64 {
    let sum = springs.iter().fold(DMat3::ZERO, |sum, of| sum + outer(of.outward, of.outward) * of.stiffness);
    largest_eigenvalue(&sum)
}

/// Of a symmetric matrix, in closed form: 2√p·cos(φ/3) + mean, Smith 1961.
fn largest_eigenvalue(m: &DMat3) -> f64 {
    let mean = (m.x_axis.x + m.y_axis.y + m.z_axis.z) / 3.0;
    let centered = *m - DMat3::from_diagonal(DVec3::splat(mean));
    let squares = centered.x_axis.length_squared()
        + centered.y_axis.length_squared()
        + centered.z_axis.length_squared();
    let p = (squares / 6.0).sqrt();
    let is_round = p <= 1e-15 * mean.abs() || p == 0.0;
    if is_round {
        return mean;
    }
    let r = 0.5 * (centered * p.recip()).determinant();
    mean + 2.0 * p * (r.clamp(-1.0, 1.0).acos() / 3.0).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_springs_one_way_are_stiffer_than_as_many_all_round() {
        let spring = |outward: DVec3| Spring { place: DVec3::ZERO, outward, stiffness: 2.0 };
        let one_way: Vec<Spring> = (0..30).map(|_| spring(DVec3::Y)).collect();
        assert!((largest_stiffness(&one_way) - 60.0).abs() < 1e-12);
        let round: Vec<Spring> =
            [DVec3::X, DVec3::Y, DVec3::Z].into_iter().cycle().take(30).map(spring).collect();
        assert!((largest_stiffness(&round) - 20.0).abs() < 1e-12);
        assert_eq!(largest_stiffness(&[]), 0.0);
    }

    #[test]
    fn the_largest_eigenvalue_is_met_by_a_vector() {
        let m = DMat3::from_cols_array(&[4.0, 1.0, -0.5, 1.0, 3.0, 0.25, -0.5, 0.25, 5.0]);
        let found = largest_eigenvalue(&m);
        let mut v = DVec3::new(0.3, 0.4, 0.5);
        for _ in 0..500 {
            v = (m * v).normalize_or_zero();
        }
        assert!((v.dot(m * v) - found).abs() < 1e-9, "{found}");
    }
}
