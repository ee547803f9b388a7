//! What leaves the library for people and other programs: pictures, plots, NumPy arrays, numbers in words.

pub mod picture;
pub mod plot;

pub use crate::{npy, numbers};
