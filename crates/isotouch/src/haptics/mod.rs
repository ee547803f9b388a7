//! Feel it: haptic rendering, contact as force in a hand, a thousand times a second.
//!
//! The servo loop (usually 1 kHz) reads the device, asks what the simulation last said, and sends a force. It never allocates, locks, logs
//! or panics, and what it sends has passed [`safety`]. SI units throughout: metres, newtons, newton metres, seconds, radians.
//!
//! ```text
//! device ─► workspace ─► session: servo ─► safety ─► workspace ─► device
//!              scene frame     ⇅ exchange     └─► record
//!                          simulation: god object (constraints) or penalty part (springs)
//! ```
//!
//! [`Session`] is where to begin: `session.servo(&state)` goes into a device's callback.

mod atomics;
pub mod clock;
mod coupling;
pub mod device;
pub mod exchange;
pub mod god_object;
mod limits;
mod pair;
pub mod penalty;
pub mod record;
mod renderer;
pub mod safety;
pub mod session;

pub use coupling::{Coupling, CouplingError, Passivity};
pub use god_object::{Detection, GodObject, GodObjectError, GodObjectOptions, GodStep, RowNormals};
pub use pair::{Held, HeldPair, PairError, Surface};
pub use penalty::{Looking, PenaltyError, PenaltyObject, PenaltyObjectOptions, PenaltyStep};
pub use renderer::{Rendered, Renderer};
pub use session::{Feedback, Session, SessionError, SessionOptions};
