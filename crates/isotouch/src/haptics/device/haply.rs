//! An Inverse3, through the service that Haply's software runs on the same machine.
//!
//! The messages are those of the simulation channel of the Inverse Service 3.x, as its documentation has them
//! (docs.haply.co/inverseSDK/service/api/simulation, …/service/realtime/websocket-protocol and …/service/realtime/control-commands): a
//! WebSocket on `localhost:10001`, one JSON object a message. On connection the service sends an inventory, and then exactly one state for
//! each message it gets. So forces are sent as fast as states arrive, and each is the servo loop's latest.
//!
//! ```text
//! service ─► {"inverse3": [{"device_id": "049D", "state": {"cursor_position": {"x": 0.0, "y": -0.12, "z": 0.15}, "cursor_velocity": {…}, …}, …}],
//!             "wireless_verse_grip": [{"device_id": "61548", "state": {"orientation": {"w": 1, "x": 0, "y": 0, "z": 0}, "buttons": {"a": false, …}, …}, …}]}
//! client  ─► {"inverse3": [{"device_id": "049D", "commands": {"set_cursor_force": {"vector": {"x": 0.0, "y": 0.0, "z": 1.5}}}}]}
//! ```
//!
//! Metres, metres a second and newtons; right-handed, x right, y forward, z up: [`super::WorkspaceOptions::z_up`] turns that. The grip's
//! rotation and buttons (a, b, c are bits 0, 1, 2) are read if there is a grip; its angular velocity is not sent and reported as 0.
//! Forces apply until the next message; the service itself lets go when none come. Where it closes the connection it is looked for every tenth of a second, and
//! the same device is taken up again.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Message, WebSocket};

use crate::haptics::limits::LONGEST_SILENCE;
use crate::math::{DQuat, DVec3, Pose, Twist, Wrench};

use super::link::{ServoSide, WAKE, WAKE_PUSHING, WireSide, link};
use super::socket::{Heard, hear};
use super::{Capabilities, Device, DeviceCommand, DeviceError, DeviceState, OpenError, Preset};

const NAME: &str = "haply";
const REMEDY: &str = "start the Haply Hub or the Inverse Service, version 3.1 or later";
/// More than any inventory, and little enough to hold.
const LONGEST_MESSAGE: usize = 1 << 20;

/// Between two looks for a service that has gone. Shorter is of no use to a hand, and longer is waited for.
const BETWEEN_TRIES: Duration = Duration::from_millis(100);
/// How long such a look may take: dropping the device waits for it.
const PATIENCE_AGAIN: Duration = Duration::from_millis(300);

/// How long the answer to the last message is waited for.
const FAREWELL: Duration = Duration::from_millis(50);

/// Where the service is.
#[derive(Debug, Clone, PartialEq)]
pub struct HaplyOptions {
    /// The service's address.
    pub address: SocketAddr,
    /// Which device, as in `device_id`; the first one if none.
    pub device_id: Option<String>,
    /// How long to wait for the service, s.
    pub timeout: Duration,
    /// The longest silence that is no loss, s. Usual: 8 ms, so that it is noticed and answered within 10. With more a service that hangs is felt for as long, by where the hand was last: for stand-ins on busy machines only.
    pub silence: f64,
    /// What the device can do.
    pub capabilities: Capabilities,
}

impl Default for HaplyOptions {
    fn default() -> Self {
        Self {
            address: SocketAddr::from(([127, 0, 0, 1], 10001)),
            device_id: None,
            timeout: Duration::from_secs(2),
            silence: LONGEST_SILENCE,
            capabilities: Capabilities { name: NAME, ..Preset::Inverse3.capabilities() },
        }
    }
}

/// An Inverse3. See the [module](self) for frames and messages.
#[derive(Debug)]
pub struct Haply {
    capabilities: Capabilities,
    device_id: String,
    link: ServoSide,
}

impl Haply {
    /// Connects to the service and takes the first state.
    pub fn open(options: &HaplyOptions) -> Result<Self, OpenError> {
        let Connection { socket, inventory, device_id } = connect(options)?;
        let mut capabilities = options.capabilities;
        capabilities.name = NAME;
        // Whoever comes back must be the same: another would be held elsewhere.
        let again = HaplyOptions {
            device_id: Some(device_id.clone()),
            timeout: options.timeout.min(PATIENCE_AGAIN),
            ..options.clone()
        };
        let link = link(&capabilities, options.silence, move |wire| serve(wire, socket, inventory, &again))
            .map_err(|source| unreachable(options, source))?;
        Ok(Self { capabilities, device_id, link })
    }

    /// The device's id.
    pub fn device_id(&self) -> &str {
        &self.device_id
    }

    /// Waits for the first state. Not for the servo loop.
    pub fn wait(&mut self, longest: Duration) -> Result<DeviceState, DeviceError> {
        self.link.wait(longest)
    }
}

impl Device for Haply {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn read(&mut self) -> Result<DeviceState, DeviceError> {
        self.link.read()
    }

    fn write(&mut self, command: &DeviceCommand) -> Result<(), DeviceError> {
        self.link.write(command)
    }
}

/// A service that answers, and what it said first.
struct Connection {
    socket: WebSocket<TcpStream>,
    inventory: Value,
    device_id: String,
}

fn unreachable(options: &HaplyOptions, source: io::Error) -> OpenError {
    OpenError::Unreachable { device: NAME, address: options.address.to_string(), source, remedy: REMEDY }
}

fn connect(options: &HaplyOptions) -> Result<Connection, OpenError> {
    let address = options.address.to_string();
    let unreachable = |source| unreachable(options, source);
    let unexpected =
        |what: String, remedy| OpenError::Unexpected { device: NAME, address: address.clone(), what, remedy };
    let stream = TcpStream::connect_timeout(&options.address, options.timeout).map_err(unreachable)?;
    stream.set_nodelay(true).map_err(unreachable)?;
    stream.set_read_timeout(Some(options.timeout)).map_err(unreachable)?;
    stream.set_write_timeout(Some(options.timeout)).map_err(unreachable)?;
    let config = WebSocketConfig::default()
        .max_message_size(Some(LONGEST_MESSAGE))
        .max_frame_size(Some(LONGEST_MESSAGE));
    let (mut socket, _) =
        tungstenite::client::client_with_config(format!("ws://{address}/"), stream, Some(config))
            .map_err(|error| unexpected(error.to_string(), REMEDY))?;

    let inventory = loop {
        match socket.read().map_err(|error| unexpected(error.to_string(), REMEDY))? {
            Message::Text(text) => break text,
            _ => continue,
        }
    };
    let inventory: Value = serde_json::from_str(&inventory)
        .map_err(|error| unexpected(format!("its first message is no JSON: {error}"), REMEDY))?;
    let devices = inventory["inverse3"].as_array();
    let ids = devices.into_iter().flatten().filter_map(|device| device["device_id"].as_str());
    let device_id = match &options.device_id {
        Some(wanted) => ids.into_iter().find(|id| id == wanted).map(str::to_owned),
        None => ids.into_iter().next().map(str::to_owned),
    };
    let Some(device_id) = device_id else {
        let what = match &options.device_id {
            Some(wanted) => format!("it knows no Inverse3 with the id {wanted}"),
            None => "it knows no Inverse3".into(),
        };
        return Err(unexpected(what, "plug it in, power it, and look whether the Haply Hub shows it"));
    };
    Ok(Connection { socket, inventory, device_id })
}

/// The wire's thread: one connection after the other. A service that was started anew is found again.
fn serve(mut wire: WireSide, socket: WebSocket<TcpStream>, inventory: Value, again: &HaplyOptions) {
    let id = again.device_id.clone().unwrap_or_default();
    talk(&mut wire, socket, &id, &inventory);
    while !wire.should_stop() {
        wire.closed();
        let pause = Instant::now();
        while pause.elapsed() < BETWEEN_TRIES && !wire.should_stop() {
            thread::sleep(WAKE);
        }
        if wire.should_stop() {
            return;
        }
        if let Ok(Connection { socket, inventory, device_id }) = connect(again) {
            wire.opened();
            talk(&mut wire, socket, &device_id, &inventory);
        }
    }
}

/// A state in, a force out, until the connection is closed or the device is dropped. A force that the servo loop no longer stands for is taken back at once, whether the service has answered or not.
fn talk(wire: &mut WireSide, mut socket: WebSocket<TcpStream>, id: &str, inventory: &Value) {
    let mut message = force_message(id, &Wrench::ZERO);
    message["session"] = json!({"configure": {"profile": {"name": "isotouch"}}});
    let mut grip = Grip::default();
    if let Some(state) = state_of(inventory, id, wire.now(), &mut grip) {
        wire.arrived(state);
    }
    let mut pushes = false;
    // Messages that were not answered: one, or two after a force was taken back. The second answer is only listened to, or ever more would be on their way.
    let mut unanswered = 0u32;
    while socket.send(Message::text(message.to_string())).is_ok() {
        unanswered += 1;
        let mut was_answered = false;
        let force = loop {
            if wire.should_stop() {
                take_back(&mut socket, id, unanswered);
                return;
            }
            match hear(&mut socket, if pushes { WAKE_PUSHING } else { WAKE }) {
                Heard::Text(text) => {
                    was_answered = true;
                    unanswered = unanswered.saturating_sub(1);
                    let answer = serde_json::from_str(&text).unwrap_or(Value::Null);
                    // Without a state in it, the loss is noticed by its silence.
                    if let Some(state) = state_of(&answer, id, wire.now(), &mut grip) {
                        wire.arrived(state);
                    }
                    if unanswered == 0 {
                        break wire.wrench();
                    }
                }
                // What is missing now was never meant to be answered.
                Heard::Nothing if was_answered => break wire.wrench(),
                Heard::Nothing if pushes && wire.wrench() == Wrench::ZERO => break Wrench::ZERO,
                Heard::Nothing => {}
                Heard::Closed => return,
            }
        };
        if was_answered {
            unanswered = 0;
        }
        pushes = force != Wrench::ZERO;
        message = force_message(id, &force);
    }
}

/// Takes back the last force, and closes once that was answered: whoever answers message after message and finds the connection closed may never read the last one.
fn take_back(socket: &mut WebSocket<TcpStream>, id: &str, unanswered: u32) {
    let _ = socket.send(Message::text(force_message(id, &Wrench::ZERO).to_string()));
    let (mut unanswered, since) = (unanswered + 1, Instant::now());
    while unanswered > 0 && since.elapsed() < FAREWELL {
        match hear(socket, WAKE) {
            Heard::Text(_) => unanswered -= 1,
            Heard::Nothing => {}
            Heard::Closed => return,
        }
    }
    let _ = socket.close(None).and_then(|()| socket.flush());
}

fn force_message(id: &str, wrench: &Wrench) -> Value {
    let DVec3 { x, y, z } = wrench.force;
    json!({"inverse3": [{"device_id": id, "commands": {"set_cursor_force": {"vector": {"x": x, "y": y, "z": z}}}}]})
}

/// The grip as it was told last. One that falls asleep for a message has not turned, nor let go of its buttons.
#[derive(Debug, Clone, Copy)]
struct Grip {
    rotation: DQuat,
    buttons: u32,
}

impl Default for Grip {
    /// Without one: not turned.
    fn default() -> Self {
        Self { rotation: DQuat::IDENTITY, buttons: 0 }
    }
}

impl Grip {
    fn hear(&mut self, message: &Value) {
        let kinds = ["verse_grip", "wireless_verse_grip"];
        let Some(state) = kinds.iter().find_map(|kind| message[kind].get(0)?.get("state")) else { return };
        // Half of a state is none.
        if let Some(rotation) = rotation(&state["orientation"]) {
            *self = Self { rotation, buttons: buttons(state) };
        }
    }
}

/// The state of a device in a message, if it is there and makes sense.
fn state_of(message: &Value, id: &str, time: f64, grip: &mut Grip) -> Option<DeviceState> {
    let device = message["inverse3"].as_array()?.iter().find(|device| device["device_id"] == id)?;
    let state = &device["state"];
    let position = vector(&state["cursor_position"])?;
    let linear = vector(&state["cursor_velocity"]).unwrap_or(DVec3::ZERO);
    grip.hear(message);
    let Grip { rotation, buttons } = *grip;
    let twist = Twist { linear, angular: DVec3::ZERO };
    Some(DeviceState { time, pose: Pose { position, rotation }, twist, buttons, wrench: None })
}

fn vector(value: &Value) -> Option<DVec3> {
    let number = |axis| value[axis].as_f64();
    Some(DVec3::new(number("x")?, number("y")?, number("z")?))
}

/// Sensors send quaternions of few digits; what is far from a unit is none.
fn rotation(value: &Value) -> Option<DQuat> {
    let xyz = vector(value)?;
    let q = DQuat::from_xyzw(xyz.x, xyz.y, xyz.z, value["w"].as_f64()?);
    ((q.length() - 1.0).abs() < 0.05).then(|| q.normalize())
}

/// A wired grip has one button, a wireless one three.
fn buttons(grip: &Value) -> u32 {
    let pressed = |value: &Value| u32::from(value.as_bool().unwrap_or(false));
    let three = &grip["buttons"];
    pressed(&grip["button"]) | pressed(&three["a"]) | pressed(&three["b"]) << 1 | pressed(&three["c"]) << 2
}
