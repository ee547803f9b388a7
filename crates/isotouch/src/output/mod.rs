//! What leaves the library for people and other programs: pictures and NumPy arrays.

pub mod picture;

pub use crate::npy;
