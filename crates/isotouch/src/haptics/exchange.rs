//! The latest value from one thread to another, without locks: neither side ever waits for the other.
//!
//! A triple buffer. Of three slots the writer owns one, the reader owns one, and the third lies between them. To publish, the writer fills
//! its slot and swaps it for the one between; to look, the reader swaps its own for the one between, if that is new. A swap is one atomic
//! operation, so both sides are done after a fixed number of steps whatever the other does, and nothing is allocated after the start.
//!
//! ```text
//! writer ── slot ⇄ between ⇄ slot ── reader        between: index of a slot (bits 0, 1), and whether it is new (bit 2)
//! ```
//!
//! The latest value wins: what the reader did not look at in time is gone. Values are whole, never half of one and half of another.
//!
//! ```
//! use isotouch::haptics::exchange::exchange;
//!
//! let (mut writer, mut reader) = exchange(0);
//! writer.write(1);
//! writer.write(2);
//! assert!(reader.update());
//! assert_eq!(*reader.value(), 2);
//! assert!(!reader.update(), "nothing since");
//! assert_eq!(*reader.read().value, 2, "and the last one stays");
//! ```
#![allow(unsafe_code)]

use std::marker::PhantomData;

// The library's are those of std. The crate isotouch-loom compiles this same file with loom's, which try every order of events.
use super::atomics::{Arc, AtomicU8, Ordering, UnsafeCell};

/// The slot between is one that the reader has not seen.
const NEW: u8 = 4;
/// The bits of a slot's index.
const INDEX: u8 = 3;

struct Shared<T> {
    slots: [UnsafeCell<T>; 3],
    between: AtomicU8,
}

// SAFETY: A slot is touched only by the side that owns its index, and values only move between threads (T: Send): a side may be sent to
// another thread, but a `&Reader` gives out a `&T`, so readers are shared between threads (`Reader: Sync`) only if `T` is. An index is owned by
// the writer, by the reader, or lies in `between`: it starts that way, and `swap` exchanges one for another, so no index is ever held
// twice. The swaps are AcqRel: what one side did with a slot before it gave the slot away is seen by the side that takes it.
unsafe impl<T: Send> Sync for Shared<T> {}

/// The side that publishes. There is one.
pub struct Writer<T> {
    shared: Arc<Shared<T>>,
    slot: u8,
}

/// The side that looks. There is one. Two threads may share it where they may share a `T`:
///
/// ```compile_fail
/// # use isotouch::haptics::exchange::exchange;
/// let (_writer, reader) = exchange(std::cell::Cell::new(0));
/// std::thread::scope(|scope| {
///     scope.spawn(|| reader.value().set(1));
///     scope.spawn(|| reader.value().set(2));
/// });
/// ```
pub struct Reader<T> {
    shared: Arc<Shared<T>>,
    slot: u8,
    /// As shareable as a `T`, and no more; `Shared` is so for any `T` that can be sent.
    shows: PhantomData<T>,
}

/// What [`Reader::read`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Latest<'a, T> {
    /// The latest value that was published, or the first one.
    pub value: &'a T,
    /// Whether it was published since the last look.
    pub is_new: bool,
}

/// A writer and a reader. Until something is written, the reader sees `initial`.
pub fn exchange<T: Clone + Send>(initial: T) -> (Writer<T>, Reader<T>) {
    let slots =
        [UnsafeCell::new(initial.clone()), UnsafeCell::new(initial.clone()), UnsafeCell::new(initial)];
    let shared = Arc::new(Shared { slots, between: AtomicU8::new(1) });
    (Writer { shared: Arc::clone(&shared), slot: 0 }, Reader { shared, slot: 2, shows: PhantomData })
}

impl<T: Send> Writer<T> {
    /// Publishes a value. Wait-free. What was in the slot is dropped here, so a `T` that owns memory frees it on this thread.
    pub fn write(&mut self, value: T) {
        self.edit(|slot| *slot = value);
    }

    /// Publishes what `fill` makes of a slot, in place: for values that are large or own memory. The slot holds one of the values before,
    /// not necessarily the last; overwrite all of it.
    pub fn edit(&mut self, fill: impl FnOnce(&mut T)) {
        // SAFETY: This side owns the slot (see `Shared`), and `&mut self` keeps a second call out.
        self.shared.slots[usize::from(self.slot)].with_mut(|slot| fill(unsafe { &mut *slot }));
        self.slot = self.shared.between.swap(self.slot | NEW, Ordering::AcqRel) & INDEX;
    }
}

impl<T: Send> Reader<T> {
    /// Takes the latest value, if there is one since the last look, and says whether there was. Wait-free.
    pub fn update(&mut self) -> bool {
        // Only this side takes NEW away, so what is seen here stays true until the swap, which acquires.
        let is_new = self.shared.between.load(Ordering::Relaxed) & NEW != 0;
        if is_new {
            self.slot = self.shared.between.swap(self.slot, Ordering::AcqRel) & INDEX;
        }
        is_new
    }

    /// The value taken last.
    pub fn value(&self) -> &T {
        // SAFETY: This side owns the slot until the next `update`, which needs `&mut self` and so ends this borrow.
        self.shared.slots[usize::from(self.slot)].with(|slot| unsafe { &*slot })
    }

    /// Takes the latest value and gives it. Wait-free.
    pub fn read(&mut self) -> Latest<'_, T> {
        let is_new = self.update();
        Latest { value: self.value(), is_new }
    }
}

impl<T> std::fmt::Debug for Writer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").field("slot", &self.slot).finish_non_exhaustive()
    }
}

impl<T> std::fmt::Debug for Reader<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("slot", &self.slot).finish_non_exhaustive()
    }
}
