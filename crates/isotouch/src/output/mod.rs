//! What leaves the library for people and other programs: pictures, charts, films, tables, NumPy arrays, numbers in
//! words.

pub mod animation;
pub mod chart;
pub mod cloth_film;
pub mod palette;
pub mod picture;
pub mod plot;
pub mod trajectory;

pub use crate::{npy, numbers};
