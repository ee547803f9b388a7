//! What [`super::exchange`] is built of: std's, in the shape of loom's, so that the same file can be checked with those.

pub(super) use std::sync::Arc;
pub(super) use std::sync::atomic::{AtomicU8, Ordering};

/// std's cell, opened by closures as loom's is.
pub(super) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    pub(super) fn new(value: T) -> Self {
        Self(std::cell::UnsafeCell::new(value))
    }

    #[inline(always)]
    pub(super) fn with<R>(&self, look: impl FnOnce(*const T) -> R) -> R {
        look(self.0.get())
    }

    #[inline(always)]
    pub(super) fn with_mut<R>(&self, change: impl FnOnce(*mut T) -> R) -> R {
        change(self.0.get())
    }
}
