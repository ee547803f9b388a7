//! The exchange of isotouch's haptic loops (`haptics/exchange.rs`, that very file) on loom's atomics and cells. Loom runs a small program
//! under every order of events that the memory model allows, and fails where two threads could touch a slot at once.
//!
//! Empty unless compiled with `--cfg loom`; `./test loom` does.
#![allow(missing_docs, unreachable_pub)]

#[cfg(loom)]
#[path = "../../isotouch/src/haptics/exchange.rs"]
pub mod exchange;

#[cfg(loom)]
mod atomics {
    pub(super) use loom::cell::UnsafeCell;
    pub(super) use loom::sync::Arc;
    pub(super) use loom::sync::atomic::{AtomicU8, Ordering};
}
