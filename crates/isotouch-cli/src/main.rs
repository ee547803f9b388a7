//! The `isotouch` command.
fn main() {}
