//! Between the servo loop and a thread that talks to a device over a wire: two exchanges, so that neither waits for the other, and a
//! watch on both: the loop learns that the device fell silent, and the device is told to push with nothing when the loop does.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::haptics::exchange::{Reader, Writer, exchange};
use crate::haptics::safety::{LONGEST_STALE, shortened};
use crate::math::{Pose, Wrench};

use super::{Capabilities, DeviceCommand, DeviceError, DeviceState, wrench_of};

/// How often the wire's thread looks whether it should end while nothing arrives. A closed connection wakes it at once.
pub(super) const WAKE: Duration = Duration::from_millis(4);
/// The same while the device pushes: by so much later than it should it lets go where the servo loop falls silent. Shorter only costs wakes.
pub(super) const WAKE_PUSHING: Duration = Duration::from_millis(1);
/// What the servo loop said counts for so long, s: with the time until it is looked at again, [`LONGEST_STALE`].
const LONGEST_ORDER: f64 = LONGEST_STALE - 1e-3;

#[derive(Clone, Copy)]
struct Arrival {
    state: DeviceState,
    /// s since the start; negative before anything arrived.
    at: f64,
    is_open: bool,
}

#[derive(Clone, Copy)]
struct Order {
    wrench: Wrench,
    /// s since the start; negative before anything was ordered.
    at: f64,
}

/// The servo loop's side. Dropping it ends the thread.
pub(super) struct ServoSide {
    device: &'static str,
    arrivals: Reader<Arrival>,
    orders: Writer<Order>,
    start: Instant,
    /// The longest silence that is no loss, s.
    silence: f64,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// The wire's side.
pub(super) struct WireSide {
    arrivals: Writer<Arrival>,
    orders: Reader<Order>,
    last: Arrival,
    start: Instant,
    stop: Arc<AtomicBool>,
    limits: (f64, f64),
}

/// Starts `talk` on a thread of its own. It must return soon after [`WireSide::should_stop`].
pub(super) fn link(
    capabilities: &Capabilities,
    silence: f64,
    talk: impl FnOnce(WireSide) + Send + 'static,
) -> std::io::Result<ServoSide> {
    let nothing = Arrival { state: DeviceState::at(Pose::IDENTITY), at: -1.0, is_open: true };
    let (arrivals_in, arrivals) = exchange(nothing);
    let (orders, orders_out) = exchange(Order { wrench: Wrench::ZERO, at: -1.0 });
    let (start, stop) = (Instant::now(), Arc::new(AtomicBool::new(false)));
    let wire = WireSide {
        arrivals: arrivals_in,
        orders: orders_out,
        last: nothing,
        start,
        stop: Arc::clone(&stop),
        limits: (capabilities.max_force, capabilities.max_torque),
    };
    let name = capabilities.name;
    let thread = thread::Builder::new().name(name.into()).spawn(move || talk(wire))?;
    Ok(ServoSide { device: name, arrivals, orders, start, silence, stop, thread: Some(thread) })
}

impl ServoSide {
    /// The latest state, at the time of this call: between two states of a page that draws 60 in a second the hand is where it was last, and the simulation's answers to that are not stale.
    pub(super) fn read(&mut self) -> Result<DeviceState, DeviceError> {
        let device = self.device;
        let now = self.start.elapsed().as_secs_f64();
        let arrival = self.arrivals.read().value;
        let silent = now - arrival.at;
        if !arrival.is_open {
            Err(DeviceError::Closed { device })
        } else if arrival.at < 0.0 {
            Err(DeviceError::NotReady { device })
        } else if silent > self.silence {
            Err(DeviceError::Lost { device, silent, limit: self.silence })
        } else if !arrival.state.is_finite() {
            Err(DeviceError::BadState { device })
        } else {
            Ok(DeviceState { time: now, ..arrival.state })
        }
    }

    pub(super) fn write(&mut self, command: &DeviceCommand) -> Result<(), DeviceError> {
        let wrench = wrench_of(self.device, command)?;
        self.orders.write(Order { wrench, at: self.start.elapsed().as_secs_f64() });
        Ok(())
    }

    /// Waits until there is a state, or the time is up. Not for the servo loop.
    pub(super) fn wait(&mut self, longest: Duration) -> Result<DeviceState, DeviceError> {
        let begin = Instant::now();
        loop {
            let answer = self.read();
            if !matches!(answer, Err(DeviceError::NotReady { .. })) || begin.elapsed() > longest {
                return answer;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for ServoSide {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            // It has nothing left to say; a panic there was its own.
            let _ = thread.join();
        }
    }
}

impl WireSide {
    pub(super) fn should_stop(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// s since the start.
    pub(super) fn now(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// A state that has just arrived.
    pub(super) fn arrived(&mut self, state: DeviceState) {
        self.publish(Arrival { state, at: self.now(), is_open: true });
    }

    /// The other side is gone.
    pub(super) fn closed(&mut self) {
        self.publish(Arrival { is_open: false, ..self.last });
    }

    /// There is another side again, which has not said anything yet.
    pub(super) fn opened(&mut self) {
        self.publish(Arrival { is_open: true, at: -1.0, ..self.last });
    }

    fn publish(&mut self, arrival: Arrival) {
        self.last = arrival;
        self.arrivals.write(arrival);
    }

    /// What to push with now: zero if the servo loop has not said anything for [`LONGEST_ORDER`], or ends.
    pub(super) fn wrench(&mut self) -> Wrench {
        let now = self.now();
        let order = *self.orders.read().value;
        if self.should_stop() || order.at < 0.0 || now - order.at > LONGEST_ORDER {
            return Wrench::ZERO;
        }
        let (max_force, max_torque) = self.limits;
        let mut was_longer = false;
        Wrench {
            force: shortened(order.wrench.force, max_force, &mut was_longer),
            torque: shortened(order.wrench.torque, max_torque, &mut was_longer),
        }
    }
}

impl std::fmt::Debug for ServoSide {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServoSide").field("device", &self.device).finish_non_exhaustive()
    }
}
