//! Contact along a motion: when does something that moves touch a field?

pub mod segment;

pub use segment::{CastOptions, Hit, HitStatus, Interval, RootMethod, Segment, Traversal};
