//! The slow oracle of the library's tests: 32 digits, and exact rationals where these do not decide.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

#[path = "../../../crates/isotouch/tests/oracle/cubic.rs"]
pub mod cubic;
#[path = "../../../crates/isotouch/tests/oracle/double.rs"]
pub mod double;
#[path = "../../../crates/isotouch/tests/oracle/polynomial.rs"]
pub mod polynomial;
#[path = "../../../crates/isotouch/tests/oracle/random.rs"]
pub mod random;
