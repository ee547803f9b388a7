//! What leaves the library for people and other programs: pictures, plots, tables, NumPy arrays, numbers in words.

pub mod picture;
pub mod plot;
pub mod trajectory;

pub use crate::{npy, numbers};
