//! From contact to force: what pushes bodies apart once the points of one are inside the field of the other.
//!
//! # Signs
//!
//! φ is negative inside. A point of body A's shell at depth δ = −φ > 0 in body B's field is pushed by k·δ along the direction that leads out: the gradient of
//! φ ([`ContactNormals::Field`]), or against A's own outward normal N there ([`ContactNormals::Shell`], as both papers do). **On A, the shell's body, the force
//! is +k·φ·N; on B it is −k·φ·N**, which is what eq. 3 of 2014 says. Damping is along −(velocity of A − velocity of B) on A; eq. 10 of 2014, applied to A as it
//! stands, would feed energy.
//!
//! # Action equals reaction
//!
//! Every force is added to both bodies at the same point in space, with opposite signs, so linear momentum is conserved to rounding. Arms begin at each body's centre of mass at the moment of the
//! force ([`Arms::Moving`]). By then bodies have gone some way, so a step that only changes velocities would lose t·dt·(v_A − v_B) × J of angular momentum; [`PairImpulse::delay`] is what
//! [`dynamics`](crate::dynamics) gives it back with.
//!
//! # Units
//!
//! Stiffness is force per depth **and area** (N/m³) unless it is said to be per point: a shell with twice as many points is no stiffer then. The depth that a body of
//! weight G rests at is G/(k·A), A its area in contact.

pub mod constraint;
mod discrete;
mod friction;
mod law;
mod moving;
mod penalty;

pub use discrete::{PointForce, PoseForces, forces_at};
pub use friction::Friction;
pub(crate) use law::LEAST_SLIP_SPEED;
pub use law::{Law, LawError, Material, Stiffness};
pub use moving::{BodyStep, Placed};
pub use penalty::{Arms, ContactNormals, Damping, Handles, PairImpulse, PenaltyOptions, ShellOnSurface};
