//! What leaves the library for people and other programs: pictures, plots, films, tables, NumPy arrays, numbers in words.

pub mod animation;
pub mod palette;
pub mod picture;
pub mod plot;
pub mod trajectory;

pub use crate::{npy, numbers};
