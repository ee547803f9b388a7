//! The experiments.
fn main() {}
