//! Rigid bodies that give way to cloth.
//!
//! Cloth that is kept off something led ([`keep_off`](super::keep_off)) pushes it with an impulse I. A body with mass takes that impulse, moves otherwise, and then cloth would have pushed it otherwise. What is wanted
//! is the change ΔV of the body's velocity in the substep for which both agree,
//!
//! ```text
//! M·ΔV = I(ΔV)
//! ```
//!
//! with M the body's mass and inertia. Each particle in contact follows the body along the normal, and across it as far as friction holds, so I falls with ΔV about as −K·ΔV, where K adds up P·m of all particles at their
//! arms, P the part of a motion that a particle takes on ([`Grip`]). That makes Newton's method of at most six unknowns for a body,
//!
//! ```text
//! δ = (M + K)⁻¹·(I(ΔV) − M·ΔV),   ΔV ← ΔV + δ
//! ```
//!
//! with cloth kept off anew each time, from where it was. It is done when δ moves the body by a thousandth of ε: mostly after two looks, one where a body rests. The δ that is left
//! then goes to velocities alone, of the body and of all particles in its grip, so that what one gets the other loses: momentum is kept to rounding however far the search came, and no ratio of masses
//! makes it unstable, for M + K is that of body and particles as one. A push at a time, each with the inverse masses of body and particle (as XPBD does), comes to the same in the end, but needs as many rounds as a
//! body is lighter than its particles; that is rejected.
//!
//! Pinned particles are in contact with bodies that give way, and with nothing else. They do not move, so the body takes the whole correction: they press as particles of
//! [`HELD`] times its mass would. So do particles that lie on something led: what is between that and a body can give way to neither ([`Substep::answer`](super::keep_off)).
//!
//! The push on a particle is that of contact without bounce: it takes from the way inward what would lead nearer than ε within the substep, and friction. Being lifted out is no motion, of neither.

use glam::{DMat3, DQuat, DVec3};

use super::collide::Grip;
use super::obstacles::{Obstacle, ObstacleId};
use super::substep::{Way, placed};
use super::{Cloth, ClothWorldOptions};
use crate::math::spatial::outer;
use crate::math::{Mat6, Pose, Twist, Wrench};

/// How often cloth is kept off anew. Reached where contacts come and go with the motion, as on edges of bodies; what is left goes to velocities.
const LOOKS: usize = 12;
/// A search is over when it moves a body by less than this part of ε, or of what it moved it by before. More lets bodies come nearer than ε; less takes looks in vain.
const SETTLED: [f64; 2] = [1e-3, 1e-2];
/// Where a step of the search led too far, to where cloth is out of reach, at most this part of it is taken back. It is K that is wrong then, by as much as gradients of fields differ from 1: some hundredths.
const TAKEN_BACK: f64 = 0.1;
/// Masses of the body that a pinned particle presses with. What is left of the speed of an impact is its inverse after one substep. Much more, and the contact is lost between a step of the search that presses
/// and one that does not touch.
const HELD: f64 = 10.0;

/// A body that gives way, in a substep.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FreeBody {
    pub(crate) obstacle: ObstacleId,
    /// kg.
    pub(crate) mass: f64,
    /// About the centre of mass, in the world, at the end of the substep.
    pub(crate) inertia: DMat3,
    /// The centre of mass in its frame.
    pub(crate) center: DVec3,
    /// m: how far points of it are from there at most.
    pub(crate) reach: f64,
    /// Where it is at the beginning.
    pub(crate) from: Pose,
    /// Where it is at the end: without cloth, and afterwards with it.
    pub(crate) to: Pose,
    /// What cloth did to its velocity in the substep before, to begin the search with.
    pub(crate) change: Twist,
    /// What cloth did to it, about its centre of mass at the end: N·s and N·m·s.
    pub(crate) impulse: Wrench,
}

impl FreeBody {
    /// The mass that what is held presses on it with.
    pub(super) fn held_mass(&self) -> f64 {
        HELD * self.mass
    }

    /// How fast a point of it is at most.
    fn size(&self, twist: &Twist) -> f64 {
        twist.linear.length() + self.reach * twist.angular.length()
    }

    /// A step of the search that leads back against the last one by no more than may have been too much.
    fn limited(&self, step: &Twist, last: &Twist) -> Twist {
        let along = step.linear.dot(last.linear) + self.reach * self.reach * step.angular.dot(last.angular);
        let most = TAKEN_BACK * self.size(last);
        let part = if along < 0.0 && self.size(step) > most { most / self.size(step) } else { 1.0 };
        Twist { linear: step.linear * part, angular: step.angular * part }
    }

    /// Where it gets with a change of its velocity; without one to the last bit where it was going, for bodies that cloth has moved are taken on trust.
    fn moved(&self, change: &Twist, h: f64) -> Pose {
        if *change == Twist::ZERO {
            return self.to;
        }
        let rotation = (DQuat::from_scaled_axis(change.angular * h) * self.to.rotation).normalize();
        let center = self.to.place(self.center) + change.linear * h;
        Pose { position: center - rotation * self.center, rotation }
    }
}

/// A body on which cloth was looked at.
struct Found {
    /// About the centre of mass.
    impulse: Wrench,
    center: DVec3,
    /// What is left over of the change, to be added.
    rest: Twist,
}

/// Keeps all cloth off all obstacles, those that give way among them, which are moved. How many points touch.
pub(super) fn keep_off(
    cloths: &mut [Cloth],
    free: &mut [FreeBody],
    (obstacles, ways): (&[Obstacle], &[Way]),
    (options, h): (&ClothWorldOptions, f64),
) -> (usize, Vec<Wrench>) {
    // To begin anew from.
    let kept = |cloth: &Cloth| (cloth.places.clone(), cloth.anchors.clone());
    let start: Vec<_> = cloths.iter().filter(|_| !free.is_empty()).map(kept).collect();
    let epsilon = cloths.iter().map(|cloth| cloth.epsilon).fold(f64::INFINITY, f64::min);
    let mut look = 0;
    let mut last = vec![Twist::ZERO; free.len()];
    loop {
        look += 1;
        let ends: Vec<Pose> = free.iter().map(|body| body.moved(&body.change, h)).collect();
        let mut impulses = vec![Wrench::ZERO; obstacles.len()];
        let mut placed = placed(obstacles, ways);
        for (body, &end) in free.iter().zip(&ends) {
            let k = body.obstacle.index();
            placed[k] = obstacles[k].placed(k, body.from, end);
            placed[k].held_mass = body.held_mass();
        }
        let of = |cloth: &mut Cloth| cloth.be_kept_off(options, h, (&placed, &mut impulses));
        let count: usize = cloths.iter_mut().map(of).sum();
        let found: Vec<Found> =
            free.iter().zip(&ends).map(|(body, end)| found(body, end, &impulses, cloths)).collect();
        let is_settled = free.iter().zip(&found).all(|(body, of)| {
            // Written so that NaN ends it; the step is refused then.
            let [near, part] = SETTLED;
            let is_far = h * body.size(&of.rest) > (near * epsilon).max(part * h * body.size(&body.change));
            !is_far
        });
        if is_settled || look == LOOKS {
            for ((body, of), &end) in free.iter_mut().zip(&found).zip(&ends) {
                body.impulse = of.impulse;
                body.to = end;
                body.change = body.change + of.rest;
                for cloth in cloths.iter_mut() {
                    let back = share(cloth, body, of, h);
                    body.impulse += back;
                    let arm = of.center - end.position;
                    impulses[body.obstacle.index()] +=
                        Wrench { torque: back.torque + arm.cross(back.force), ..back };
                }
            }
            return (count, impulses);
        }
        for ((body, of), last) in free.iter_mut().zip(&found).zip(&mut last) {
            *last = body.limited(&of.rest, last);
            body.change = body.change + *last;
        }
        for (cloth, (places, anchors)) in cloths.iter_mut().zip(&start) {
            cloth.places.copy_from_slice(places);
            cloth.anchors.copy_from_slice(anchors);
        }
    }
}

/// What is left over of a body's change after a look at cloth.
fn found(body: &FreeBody, end: &Pose, impulses: &[Wrench], cloths: &[Cloth]) -> Found {
    let about_origin = impulses[body.obstacle.index()];
    let center = end.place(body.center);
    let torque = about_origin.torque + (end.position - center).cross(about_origin.force);
    let impulse = Wrench { force: about_origin.force, torque };
    let own = Mat6::inertia(body.mass, body.inertia);
    let mut both = own;
    for (point, mass, grip) in cloths.iter().flat_map(|cloth| grips(cloth, body)) {
        let along = outer(grip.normal, grip.normal);
        let part = (along + (DMat3::IDENTITY - along) * grip.hold) * (grip.weight * mass);
        both += Mat6::at_arms(&part, point - center, point - center);
    }
    // A body has mass, so it is definite but for numbers that are none.
    let left = impulse - own.apply(&body.change);
    Found { impulse, center, rest: both.solve(&left).unwrap_or(Twist::ZERO) }
}

/// What is in touch with a body: where, with what mass, and how.
fn grips<'a>(cloth: &'a Cloth, body: &'a FreeBody) -> impl Iterator<Item = (DVec3, f64, Grip)> + 'a {
    let is_its = |grip: &Grip| grip.obstacle as usize == body.obstacle.index();
    let of_particles = cloth.contacts.grips.iter().enumerate().filter_map(move |(i, grip)| {
        let grip = grip.filter(is_its)?;
        let mass = if cloth.is_held(i) { body.held_mass() } else { cloth.masses[i] };
        Some((cloth.places[i], mass, grip))
    });
    let held = cloth.contacts.held.iter().filter(move |(_, grip)| is_its(grip));
    of_particles.chain(held.map(|&(point, grip)| (point, body.held_mass(), grip)))
}

/// Gives what is left over to the velocities of particles in touch with a body. What it does to the body.
fn share(cloth: &mut Cloth, body: &FreeBody, of: &Found, h: f64) -> Wrench {
    let mut back = Wrench::ZERO;
    for (point, mass, grip) in grips(cloth, body) {
        let arm = point - of.center;
        back += Wrench::of_force(grip.taken(of.rest.at(arm)) * -mass, arm);
    }
    for (i, grip) in cloth.contacts.grips.iter().enumerate() {
        let Some(grip) = grip.filter(|grip| grip.obstacle as usize == body.obstacle.index()) else {
            continue;
        };
        if !cloth.is_held(i) {
            cloth.anchors[i] -= grip.taken(of.rest.at(cloth.places[i] - of.center)) * h;
        }
    }
    back
}
