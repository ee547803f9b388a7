//! isotouch: when and where things touch.

pub(crate) mod atomic_file;
pub mod math;
pub mod mesh;
pub mod output;
