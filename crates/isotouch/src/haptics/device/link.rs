//! Between the servo loop and a thread that talks to a device over a wire: two exchanges, so that neither waits for the other, and a
//! watch on both: the loop learns that the device fell silent, and the device is told to push with nothing when the loop does.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::haptics::exchange::{Reader, Writer, exchange};
use crate::haptics::limits::{LONGEST_STALE, shortened};
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
    /// How often connections came and went until then.
    connection: u32,
}

#[derive(Clone, Copy)]
struct Order {
    wrench: Wrench,
    /// s since the start; negative before anything was ordered.
    at: f64,
    /// Of the last arrival that the servo loop knew of: whoever comes next is not pushed by what was meant for the one before.
    connection: u32,
}

/// The servo loop's side. Dropping it ends the thread.
pub(super) struct ServoSide {
    device: &'static str,
    arrivals: Reader<Arrival>,
    orders: Writer<Order>,
    last: Order,
    start: Instant,
    /// That states were read from.
    connection: u32,
    has_read: bool,
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
    let nothing = Arrival { state: DeviceState::at(Pose::IDENTITY), at: -1.0, is_open: true, connection: 0 };
    let (arrivals_in, arrivals) = exchange(nothing);
    let last = Order { wrench: Wrench::ZERO, at: -1.0, connection: 0 };
    let (orders, orders_out) = exchange(last);
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
    Ok(ServoSide {
        device: name,
        arrivals,
        orders,
        last,
        start,
        connection: 0,
        has_read: false,
        silence,
        stop,
        thread: Some(thread),
    })
}

impl ServoSide {
    /// The latest state, at the time of this call: between two states of a page that draws 60 in a second the hand is where it was last, and the simulation's answers to that are not stale.
    pub(super) fn read(&mut self) -> Result<DeviceState, DeviceError> {
        let device = self.device;
        let now = self.start.elapsed().as_secs_f64();
        let arrival = self.arrivals.read().value;
        let silent = now - arrival.at;
        let was_closed = arrival.connection != self.connection && std::mem::take(&mut self.has_read);
        self.connection = arrival.connection;
        // Also where the next one came so soon that nobody saw it closed: forces have to grow from zero again.
        if !arrival.is_open || was_closed {
            Err(DeviceError::Closed { device })
        } else if arrival.at < 0.0 {
            Err(DeviceError::NotReady { device })
        } else if silent > self.silence {
            Err(DeviceError::Lost { device, silent, limit: self.silence })
        } else if !arrival.state.is_finite() {
            Err(DeviceError::BadState { device })
        } else {
            self.has_read = true;
            Ok(DeviceState { time: now, ..arrival.state })
        }
    }

    /// After a pause in which the device was let go, no force goes out, and the loop is told: it would come back all at once.
    pub(super) fn write(&mut self, command: &DeviceCommand) -> Result<(), DeviceError> {
        let wrench = wrench_of(self.device, command)?;
        let at = self.start.elapsed().as_secs_f64();
        let silent = at - self.last.at;
        let was_let_go = silent > LONGEST_ORDER && self.last.wrench != Wrench::ZERO;
        let wrench = if was_let_go { Wrench::ZERO } else { wrench };
        self.last = Order { wrench, at, connection: self.connection };
        self.orders.write(self.last);
        if was_let_go {
            return Err(DeviceError::LetGo { device: self.device, silent });
        }
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
        self.publish(Arrival { state, at: self.now(), is_open: true, ..self.last });
    }

    /// The other side is gone.
    pub(super) fn closed(&mut self) {
        let connection = self.last.connection.wrapping_add(1);
        self.publish(Arrival { is_open: false, connection, ..self.last });
    }

    /// There is another side again, which has not said anything yet.
    pub(super) fn opened(&mut self) {
        let connection = self.last.connection.wrapping_add(1);
        self.publish(Arrival { is_open: true, at: -1.0, connection, ..self.last });
    }

    fn publish(&mut self, arrival: Arrival) {
        self.last = arrival;
        self.arrivals.write(arrival);
    }

    /// What to push with now: zero if the servo loop has not said anything for [`LONGEST_ORDER`], or ends.
    pub(super) fn wrench(&mut self) -> Wrench {
        let now = self.now();
        let order = *self.orders.read().value;
        let is_meant = order.at >= 0.0 && order.connection == self.last.connection;
        if self.should_stop() || !is_meant || now - order.at > LONGEST_ORDER {
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

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::haptics::device::Preset;

    /// The device was let go meanwhile: the whole force at once would be a blow.
    #[test]
    fn after_a_pause_no_force_comes_back_at_once() {
        let (told, heard) = std::sync::mpsc::channel();
        let talk = move |mut wire: WireSide| {
            while !wire.should_stop() {
                // Whoever listened may be gone.
                let _ = told.send(wire.wrench());
                thread::sleep(Duration::from_millis(1));
            }
        };
        let mut servo = link(&Preset::Inverse3.capabilities(), 1.0, talk).unwrap();
        let push = Wrench { force: DVec3::X, torque: DVec3::ZERO };
        servo.write(&DeviceCommand::Wrench(push)).unwrap();
        thread::sleep(Duration::from_millis(15));
        let error = servo.write(&DeviceCommand::Wrench(push)).unwrap_err();
        assert!(matches!(error, DeviceError::LetGo { silent, .. } if silent > 0.009), "{error}");
        heard.try_iter().for_each(drop);
        thread::sleep(Duration::from_millis(3));
        assert!(heard.try_iter().all(|wrench| wrench == Wrench::ZERO));
        // It grows from zero now, as the loop wants.
        servo.write(&DeviceCommand::Wrench(push)).unwrap();
    }
}
