//! isotouch: when and where things touch.

pub mod math;
pub mod mesh;
