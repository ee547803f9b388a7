//! Haptic rendering: what a hand feels that holds a device.
//!
//! The servo loop (usually 1 kHz) reads the device, asks what the simulation last said, and sends a force. It never allocates, locks, logs
//! or panics, and what it sends has passed [`safety`]. SI units throughout: metres, newtons, newton metres, seconds, radians.
//!
//! ```text
//! device ─► workspace ─► servo tick ─► safety ─► workspace ─► device
//!              scene frame  ⇅ exchange      └─► record
//!                        simulation
//! ```

mod atomics;
pub mod clock;
pub mod device;
pub mod exchange;
pub mod record;
pub mod safety;
