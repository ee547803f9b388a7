//! isotouch: when and where things touch.

pub(crate) mod atomic_file;
pub mod field;
pub mod math;
pub mod mesh;
pub mod output;
pub mod simd;
