//! Feel it: contact as force in a hand, a thousand times a second.
mod coupling;
pub mod god_object;
mod pair;

pub use coupling::{Coupling, CouplingError, Passivity};
pub use god_object::{Detection, GodObject, GodObjectError, GodObjectOptions, GodStep, RowNormals};
pub use pair::{Held, HeldPair, PairError, Surface};
