//! What leaves the library for people and other programs: pictures, NumPy arrays, numbers in words.

pub mod numbers;
pub mod picture;

pub use crate::npy;
