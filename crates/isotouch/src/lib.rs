//! isotouch: when and where things touch.

pub mod field;
pub mod math;
pub mod mesh;
pub mod simd;
