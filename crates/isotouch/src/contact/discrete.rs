//! Forces at a pose, and how they change when the bodies are moved a little.

use glam::{DMat3, DVec3};

use super::{ContactNormals, Law, Placed};
use crate::ccd::Obstacle;
use crate::math::spatial::{cross_matrix, outer};
use crate::math::{Mat6, Wrench};
use crate::shell::PointShell;

/// The force of one point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointForce {
    /// Its number in the shell.
    pub point: u32,
    /// Where it is, in the world.
    pub place: DVec3,
    /// The way out, in the world.
    pub outward: DVec3,
    /// How deep it is, m.
    pub depth: f64,
    /// Force per depth, N/m.
    pub stiffness: f64,
}

/// Spring forces at a pose: no damping, no friction.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PoseForces {
    /// On the shell's body, about its centre of mass.
    pub on_shell: Wrench,
    /// On the other.
    pub on_surface: Wrench,
    /// Of `on_shell`, per small displacement of the shell's body: linear in the world, then a turn about its centre of mass.
    pub shell_per_shell: Mat6,
    /// Of `on_shell`, per small displacement of the other body.
    pub shell_per_surface: Mat6,
    /// Of `on_surface`, per small displacement of the shell's body.
    pub surface_per_shell: Mat6,
    /// Of `on_surface`, per small displacement of the other body.
    pub surface_per_surface: Mat6,
    /// Points in contact.
    pub points: Vec<PointForce>,
}

/// A pair at a pose.
#[derive(Clone, Copy)]
pub(super) struct AtPose<'a> {
    shell: &'a PointShell,
    obstacle: Obstacle<'a>,
    shell_body: &'a Placed,
    surface_body: &'a Placed,
}

/// Forces and their gradients, of those of `points` that are inside.
///
/// The gradients are exact derivatives of the forces of the interpolant, within a cell: F = −k·φ·n, so dF = −k·(n·dφ + φ·dn). They have the terms of turning
/// arms and normals; for the stiffness of a solver that needs a symmetric matrix, take −k·n·nᵀ alone.
pub fn forces_at(
    (shell, obstacle): (&PointShell, Obstacle<'_>),
    (shell_body, surface_body): (&Placed, &Placed),
    points: impl IntoIterator<Item = u32>,
    (law, normals): (&Law, ContactNormals),
) -> PoseForces {
    let pair = AtPose { shell, obstacle, shell_body, surface_body };
    let mut sum = PoseForces::default();
    for point in points {
        pair.add(point, law, normals, &mut sum);
    }
    sum
}

impl AtPose<'_> {
    fn add(&self, point: u32, law: &Law, normals: ContactNormals, sum: &mut PoseForces) {
        let surface = self.obstacle.touchable();
        let place = self.shell_body.world_from_body.place(self.shell.points()[point as usize]);
        let in_surface = self.surface_body.world_from_body.inverse().place(place);
        let phi = surface.value(in_surface);
        let is_inside = phi < 0.0;
        let Some(gradient) = surface.gradient(in_surface).filter(|_| is_inside) else { return };
        let turn = DMat3::from_quat(self.surface_body.world_from_body.rotation);
        let gradient = turn * gradient;
        let own = -(self.shell_body.world_from_body.rotation * self.shell.normals()[point as usize]);
        let unit = gradient.try_normalize();
        // How the outward direction changes: with the place, relative to the surface, and with turns of either body.
        let (outward, per_place, with_shell, with_surface) = match (normals, unit) {
            (ContactNormals::Field, Some(n)) => {
                let hessian = turn * surface.hessian(in_surface) * turn.transpose();
                let per_place = (DMat3::IDENTITY - outer(n, n)) * hessian * gradient.length().recip();
                (n, per_place, DMat3::ZERO, cross_matrix(n) * -1.0)
            }
            _ => (own, DMat3::ZERO, cross_matrix(own) * -1.0, DMat3::ZERO),
        };
        let stiffness = law.stiffness.of_point(self.shell.weights()[point as usize]);
        let force = -stiffness * phi * outward;
        let (a, b) = (place - self.shell_body.center_in_world(), place - self.surface_body.center_in_world());
        sum.on_shell += Wrench::of_force(force, a);
        sum.on_surface += Wrench::of_force(-force, b);
        sum.points.push(PointForce { point, place, outward, depth: -phi, stiffness });

        // Force per displacement of the point relative to the surface, per turn of the shell's body and of the other.
        let k = (outer(outward, gradient) + per_place * phi) * -stiffness;
        let by_turns = [with_shell, with_surface].map(|of| of * (-stiffness * phi));
        // The point moves with the shell's body: dx = dp + dθ × a; relative to the surface, which moves by dp + dθ × b there, less that.
        let per_shell = Mat6::at_arms(&k, DVec3::ZERO, a) + turning(by_turns[0]);
        let per_surface = Mat6::at_arms(&k, DVec3::ZERO, b) * -1.0 + turning(by_turns[1]);
        // τ = arm × F: the arm of the shell's body turns with it, dθ × a, and is the same under its translation. That of the other changes
        // with the place: dp + dθ × a of the one, less the translation of the other.
        let with_arm = |force_gradient: &Mat6, arm: DVec3| Mat6 {
            torque_linear: cross_matrix(arm) * force_gradient.force_linear,
            torque_angular: cross_matrix(arm) * force_gradient.force_angular,
            ..*force_gradient
        };
        // −F × (dθ × a) = [F]× [a]× dθ.
        let force_on_arm = cross_matrix(force) * cross_matrix(a);
        let mut shell_per_shell = with_arm(&per_shell, a);
        shell_per_shell.torque_angular += force_on_arm;
        sum.shell_per_shell += shell_per_shell;
        sum.shell_per_surface += with_arm(&per_surface, a);
        // On the surface: −F at the arm b = a + c_A − c_B.
        let mut surface_per_shell = with_arm(&(per_shell * -1.0), b);
        surface_per_shell.torque_linear += cross_matrix(force);
        surface_per_shell.torque_angular += force_on_arm * -1.0;
        sum.surface_per_shell += surface_per_shell;
        let mut surface_per_surface = with_arm(&(per_surface * -1.0), b);
        surface_per_surface.torque_linear += cross_matrix(force) * -1.0;
        sum.surface_per_surface += surface_per_surface;
    }
}

fn turning(force_per_turn: DMat3) -> Mat6 {
    Mat6 { force_angular: force_per_turn, ..Mat6::ZERO }
}
