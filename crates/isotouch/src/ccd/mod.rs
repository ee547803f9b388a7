//! Contact along a motion: when does something that moves touch a field?

pub mod segment;

pub use segment::{CastOptions, Contact, Hit, HitStatus, RootMethod, Segment, Traversal};
