//! Meshes that leak, overlap or have no orientation, of which a person knows the solid all the same: the sign of their
//! fields, node by node, against solids described by hand.
//!
//! The numbers come from the files' vertices, the descriptions from looking at the parts. None of it uses the library.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod assembly;
mod check;
#[path = "../oracle/mod.rs"]
mod oracle;
mod puzzle;
mod scan;
