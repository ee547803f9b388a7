//! Contact along a motion: when does something that moves touch a field?

pub mod analytic;
pub mod path;
pub mod segment;
pub mod sweep;

pub use analytic::{Ball, Function, Plane, Touchable};
pub use segment::{CastOptions, Hit, HitStatus, Interval, LevelSet, RootMethod, Segment, Traversal};
pub use sweep::{
    AllContacts, Contact, FirstContact, NearPoint, Neighbours, Obstacle, PointContacts, Sweep, SweepOptions,
    SweepTraversal, Vicinity,
};
