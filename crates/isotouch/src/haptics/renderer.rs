//! The two methods behind one face.

use super::god_object::GodObject;
use super::penalty::PenaltyObject;
use super::{Coupling, HeldPair};
use crate::contact::Placed;
use crate::contact::constraint::Row;
use crate::math::{Pose, Twist};

/// How contact becomes force.
pub enum Renderer {
    /// By constraints: the part never enters anything. With the spring between it and the hand.
    Constraint(Box<GodObject>, Coupling),
    /// By springs: the part has mass, and enters a little. Its coupling is its own.
    Penalty(Box<PenaltyObject>),
}

/// What a step of the simulation came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rendered {
    /// Where the part is.
    pub pose: Pose,
    /// How it moves; zero for a god object, which has no velocity.
    pub twist: Twist,
    /// Points that touch.
    pub contacts: usize,
    /// How deep the deepest is below the level that counts as the surface, m: the god object's `iso`, the springs' `surface`.
    pub penetration: f64,
    /// Whether the part does not move although the hand is elsewhere, and is pinched or jammed.
    pub is_stuck: bool,
}

impl Renderer {
    /// Follows the hand for `dt` seconds; the time matters to springs only.
    pub fn step(&mut self, hand: &Placed, dt: f64) -> Rendered {
        match self {
            Self::Constraint(god, _) => {
                let step = god.step(&hand.world_from_body);
                Rendered {
                    pose: step.pose,
                    twist: Twist::ZERO,
                    contacts: step.contacts,
                    penetration: (-step.clearance).max(0.0),
                    is_stuck: step.is_stuck,
                }
            }
            Self::Penalty(part) => {
                let step = part.step(hand, dt);
                Rendered {
                    pose: step.pose,
                    twist: step.twist,
                    contacts: step.contacts,
                    penetration: step.penetration,
                    is_stuck: false,
                }
            }
        }
    }

    /// What is held, and what is not.
    pub fn pair(&self) -> &HeldPair {
        match self {
            Self::Constraint(god, _) => god.pair(),
            Self::Penalty(part) => part.pair(),
        }
    }

    /// The spring that is felt.
    pub fn coupling(&self) -> &Coupling {
        match self {
            Self::Constraint(_, coupling) => coupling,
            Self::Penalty(part) => part.coupling(),
        }
    }

    /// Where the part is.
    pub fn pose(&self) -> Pose {
        match self {
            Self::Constraint(god, _) => god.pose(),
            Self::Penalty(part) => part.part().world_from_body,
        }
    }

    /// Constraints at its pose; none for springs.
    pub fn rows(&self) -> &[Row] {
        match self {
            Self::Constraint(god, _) => god.rows(),
            Self::Penalty(_) => &[],
        }
    }
}
