//! Haptic rendering by penalty forces: the part has mass and velocity, springs push it out of what it enters, and a virtual coupling ties it to the hand (2016, section 4.1).
//!
//! ```text
//! implicit step of the part (and, for admittance devices, of the hand's own mass) with coupling, contact forces F*, and their gradients
//!   ─► contacts along that step ─► F* = mean force over it, for the next one
//! ```
//!
//! With v' = v + Δ and forces as they will be at the end of the step,
//!
//! ```text
//! (M + dt·(B + D) + dt²·(K + K_c))·Δ = dt·(F_coupling + F*) − dt²·(K + K_c)·v
//! ```
//!
//! K and B are those of the coupling, K_c = Σ k·n·nᵀ and D of the points in contact, by the part of the step that they were: the gradients of the springs but for terms of turning normals, which would
//! make the matrix indefinite. Steps are stable far beyond what explicit ones allow; what remains explicit is which points touch.
//!
//! # What it does not promise
//!
//! Parts enter each other: by about x_max of the coupling at low speed, since its force is limited to what springs resist at that depth; and fast parts pass through thin ones (2016, figure 12). For
//! proof, take the [god object](super::god_object).

mod contact;
mod integrate;

use std::sync::Arc;

use glam::{DMat3, DVec3};

use super::{Coupling, CouplingError, HeldPair};
use crate::contact::{Friction, Law, LawError, PenaltyOptions, Placed, Stiffness};
use crate::math::{Pose, Twist, Wrench};
use crate::numbers::exact;
use contact::Touching;

/// When points are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Looking {
    /// Along the whole step.
    #[default]
    Continuous,
    /// At its end: discrete detection, for comparison.
    AtEnd,
}

/// N/m, where nothing else is said: what most devices render.
const USUAL_STIFFNESS: f64 = 1000.0;

/// How contact and coupling act.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PenaltyObjectOptions {
    /// When points are looked at.
    pub looking: Looking,
    /// Of the contact springs.
    pub law: Law,
    /// Subintervals (2016: 5), normals, damping; `iso` is the security distance: contact begins so far outside, m.
    pub penalty: PenaltyOptions,
    /// The level that counts as the surface, m: penetration is told below it.
    pub surface: f64,
    /// Between hand and part; `None` for [`Coupling::for_part`] of 1000 N/m.
    pub coupling: Option<Coupling>,
    /// The largest stiffness of all contacts together along any direction, N/m. Springs get softer where many points touch, and by how much depends on how their normals are spread: as
    /// many points, but all round, may each be stiffer. More needs shorter steps; infinite for none.
    pub max_stiffness: f64,
    /// Mass of what the hand itself moves, in parts of the held part's; admittance devices only.
    pub hand_mass: f64,
}

impl Default for PenaltyObjectOptions {
    fn default() -> Self {
        Self {
            looking: Looking::Continuous,
            law: Law { stiffness: Stiffness::PerPoint(1000.0), damping: 1e-3, friction: Friction::NONE },
            penalty: PenaltyOptions { subintervals: 5, ..PenaltyOptions::default() },
            surface: 0.0,
            coupling: None,
            max_stiffness: f64::INFINITY,
            hand_mass: 1.0,
        }
    }
}

/// Why there is no penalty object.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PenaltyError {
    /// Of contact.
    #[error(transparent)]
    Law(#[from] LawError),
    /// Of the hand.
    #[error(transparent)]
    Coupling(#[from] CouplingError),
    /// NaN, infinity, or a quaternion that is no unit one.
    #[error("the pose to begin at has a number that is not finite, or a quaternion that is not of length 1")]
    NotAPose,
    /// A number that makes no sense.
    #[error("{quantity} is {}, but must be {wanted}", exact(*value))]
    Option {
        /// Which.
        quantity: &'static str,
        /// As it was given.
        value: f64,
        /// What would do.
        wanted: &'static str,
    },
}

/// What a step came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PenaltyStep {
    /// Where the part is.
    pub pose: Pose,
    /// How it moves.
    pub twist: Twist,
    /// What the hand feels: the coupling, about the part's centre of mass.
    pub on_hand: Wrench,
    /// What contact pushes the part with, about its centre of mass.
    pub contact: Wrench,
    /// Points that touched during the step.
    pub contacts: usize,
    /// How deep the deepest of them came below [`PenaltyObjectOptions::surface`], m.
    pub penetration: f64,
    /// What the stiffness was multiplied by, so that all springs together keep their limit.
    pub softened: f64,
}

/// A part with mass that springs push out.
pub struct PenaltyObject {
    pair: Arc<HeldPair>,
    options: PenaltyObjectOptions,
    coupling: Coupling,
    part: Placed,
    /// What an admittance device is told: the hand's own mass.
    hand: Placed,
    touching: Touching,
}

impl PenaltyObject {
    /// At rest at a pose.
    pub fn new(
        pair: Arc<HeldPair>,
        world_from_held: Pose,
        options: &PenaltyObjectOptions,
    ) -> Result<Self, PenaltyError> {
        options.law.check()?;
        let coupling = options.coupling.unwrap_or_else(|| Coupling::for_part(USUAL_STIFFNESS, &pair));
        coupling.check()?;
        let world_from_held = world_from_held.checked().ok_or(PenaltyError::NotAPose)?;
        for (quantity, value) in [("max_stiffness", options.max_stiffness), ("hand_mass", options.hand_mass)]
        {
            let is_positive = value > 0.0;
            if !is_positive {
                return Err(PenaltyError::Option { quantity, value, wanted: "positive" });
            }
        }
        if options.penalty.subintervals == 0 {
            return Err(PenaltyError::Option { quantity: "subintervals", value: 0.0, wanted: "at least 1" });
        }
        if !(options.penalty.iso.is_finite() && options.surface.is_finite()) {
            let value = options.penalty.iso + options.surface;
            return Err(PenaltyError::Option { quantity: "security distance", value, wanted: "finite" });
        }
        let part = Placed { center: pair.center(), ..Placed::at_rest(world_from_held) };
        Ok(Self { pair, options: *options, coupling, part, hand: part, touching: Touching::default() })
    }

    /// The same, on its way already: a part that the hand has carried freely at this speed. What is not finite is rest.
    #[must_use]
    pub fn moving(mut self, twist: Twist) -> Self {
        let is_known = twist.linear.is_finite() && twist.angular.is_finite();
        self.part.twist = if is_known { twist } else { Twist::ZERO };
        self
    }

    /// Follows a hand that is somewhere, whatever is felt: impedance devices. `dt` in seconds. What is not finite moves nothing.
    pub fn step(&mut self, hand: &Placed, dt: f64) -> PenaltyStep {
        let pose = hand.world_from_body.checked();
        let is_known = hand.twist.linear.is_finite() && hand.twist.angular.is_finite();
        if let (Some(world_from_body), true) = (pose, is_known && dt > 0.0 && dt.is_finite()) {
            self.hand = Placed { world_from_body, ..*hand };
            let twist = self.follow(dt);
            self.go(twist, dt);
        }
        self.report()
    }

    /// Moves hand and part by what the hand is pushed with: admittance devices, which are then told [`PenaltyObject::hand`]. About the centre of mass.
    pub fn step_pushed(&mut self, push: &Wrench, dt: f64) -> PenaltyStep {
        if push.is_finite() && dt > 0.0 && dt.is_finite() {
            let (part, hand) = self.pushed(push, dt);
            self.hand = moved(&self.hand, hand, dt);
            self.go(part, dt);
        }
        self.report()
    }

    /// Where the hand is: what an admittance device is told.
    pub fn hand(&self) -> &Placed {
        &self.hand
    }

    /// Where the part is.
    pub fn part(&self) -> &Placed {
        &self.part
    }

    /// What is held, and what is not.
    pub fn pair(&self) -> &Arc<HeldPair> {
        &self.pair
    }

    /// Between hand and part.
    pub fn coupling(&self) -> &Coupling {
        &self.coupling
    }

    /// Goes on with these velocities, and finds what is touched on the way.
    fn go(&mut self, twist: Twist, dt: f64) {
        let to = moved(&self.part, twist, dt);
        let is_sound = to.world_from_body.position.is_finite()
            && to.world_from_body.rotation.is_finite()
            && twist.linear.is_finite()
            && twist.angular.is_finite();
        if !is_sound {
            // Forces beyond all numbers: the part stays, at rest.
            self.part.twist = Twist::ZERO;
            self.touching = Touching::default();
            return;
        }
        self.touching = self.look(&to, dt);
        self.part = to;
    }

    fn report(&self) -> PenaltyStep {
        PenaltyStep {
            pose: self.part.world_from_body,
            twist: self.part.twist,
            on_hand: self.coupling.between(&self.hand, &self.part),
            contact: self.touching.force,
            contacts: self.touching.points,
            penetration: self.touching.penetration,
            softened: self.touching.softened,
        }
    }

    /// About the centre of mass, in the world.
    fn inertia(&self, of: &Placed) -> DMat3 {
        let turn = DMat3::from_quat(of.world_from_body.rotation);
        turn * self.pair.mass().inertia * turn.transpose()
    }
}

/// A body after a step with these velocities.
fn moved(from: &Placed, twist: Twist, dt: f64) -> Placed {
    let way = Twist { linear: twist.linear * dt, angular: twist.angular * dt };
    let center: DVec3 = from.center;
    Placed { world_from_body: from.world_from_body.displaced(&way, center), center, twist }
}
