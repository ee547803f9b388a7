//! The god object's quadratic program, against the conditions of a minimum, against Clarabel, and against shapes one can think through.

// Clippy's leave for tests does not reach the functions they share.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod check;
mod clarabel_agrees;
mod degenerate;
mod freedom;
mod friction;
mod minimum;
mod problems;
mod second_opinion;
