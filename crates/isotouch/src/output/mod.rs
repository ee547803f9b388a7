//! What leaves the library for people and other programs: pictures, NumPy arrays, numbers in words.

pub mod npy;
pub mod numbers;
pub mod picture;
