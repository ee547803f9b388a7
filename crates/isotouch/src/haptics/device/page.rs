//! A web page, or any program on this machine, as a device: it sends poses and gets forces to show.
//!
//! A WebSocket on `127.0.0.1`, one JSON object a message, one client at a time:
//!
//! ```text
//! client ─► {"t": 1.25, "pose": [x, y, z, qx, qy, qz, qw], "buttons": 1}      s, m, unit quaternion, bit mask
//!           optional: "twist": [vx, vy, vz, ωx, ωy, ωz]                       m/s, rad/s; otherwise from this pose and the last
//! server ─► {"force": [x, y, z], "torque": [x, y, z]}                         N, N·m: one for each message
//!           {"error": "…"}                                                    for a message that is none of the above
//! ```
//!
//! The frame is the scene's or whatever a [`super::Workspace`] makes of it. `t` is the client's clock and must not go back; velocities come of it, and the states that are read have the time of this machine.
//!
//! Only pages of this machine may connect: a browser says where a page comes from (`Origin`), and any other than localhost is refused, so
//! that no web site drives the simulation behind the user's back. Messages are at most 4 KiB. A second client is turned away with 503, also while the first is silent;
//! one that comes while the first leaves, as a page does that is loaded anew, gets its place.
//!
//! A page draws at 60 Hz or less and pushes no hand, so its silence counts as loss only after 100 ms, unless told otherwise; a closed
//! connection counts at once.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tungstenite::http::StatusCode;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Message, WebSocket};

use crate::math::{DVec3, Pose, Twist};

use super::link::{ServoSide, WAKE, WireSide, link};
use super::path::rotation_vector;
use super::socket::{Heard, hear, is_timeout};
use super::{Capabilities, Causality, Device, DeviceCommand, DeviceError, DeviceState, OpenError};

const NAME: &str = "page";
const LONGEST_MESSAGE: usize = 4096;
/// Of a handshake, with all the cookies of a machine's own pages.
const LONGEST_REQUEST: usize = 16384;

/// Where to listen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageOptions {
    /// The port on 127.0.0.1; 0 for any that is free.
    pub port: u16,
    /// The longest silence that is no loss, s.
    pub silence: f64,
    /// What the client may be told to show, N …
    pub max_force: f64,
    /// … and N·m.
    pub max_torque: f64,
}

impl Default for PageOptions {
    fn default() -> Self {
        Self { port: 0, silence: 0.1, max_force: 20.0, max_torque: 1.0 }
    }
}

/// A local source of poses. See the [module](self) for its messages.
#[derive(Debug)]
pub struct Page {
    capabilities: Capabilities,
    address: SocketAddr,
    link: ServoSide,
}

impl Page {
    /// Listens on 127.0.0.1. Until a client has sent a pose, reads say [`DeviceError::NotReady`].
    pub fn open(options: &PageOptions) -> Result<Self, OpenError> {
        let unreachable = |source| OpenError::Unreachable {
            device: NAME,
            address: format!("127.0.0.1:{}", options.port),
            source,
            remedy: "is another program listening there? Port 0 takes any that is free",
        };
        let listener = TcpListener::bind(("127.0.0.1", options.port)).map_err(unreachable)?;
        listener.set_nonblocking(true).map_err(unreachable)?;
        let address = listener.local_addr().map_err(unreachable)?;
        let capabilities = Capabilities {
            name: NAME,
            causality: Causality::Impedance,
            max_force: options.max_force,
            max_torque: options.max_torque,
            max_stiffness: 1000.0,
            max_angular_stiffness: 5.0,
            damping: 5.0,
            angular_damping: 0.01,
            rate: 1000.0,
            reach: [0.5; 3],
        };
        let link =
            link(&capabilities, options.silence, move |wire| serve(wire, &listener)).map_err(unreachable)?;
        Ok(Self { capabilities, address, link })
    }

    /// Where it listens: `ws://` and this.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits for the first pose. Not for the servo loop.
    pub fn wait(&mut self, longest: Duration) -> Result<DeviceState, DeviceError> {
        self.link.wait(longest)
    }
}

impl Device for Page {
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

/// The wire's thread: client after client.
fn serve(mut wire: WireSide, listener: &TcpListener) {
    let mut others = Others::default();
    while !wire.should_stop() {
        let next = others.next().or_else(|| listener.accept().ok().map(|(stream, _)| stream));
        let Some(stream) = next else {
            // Nobody there, or a client that was gone again.
            thread::sleep(WAKE);
            continue;
        };
        if let Some(socket) = welcome(&wire, stream) {
            wire.opened();
            talk(&mut wire, socket, (listener, &mut others));
            wire.closed();
        }
    }
}

fn welcome(wire: &WireSide, stream: TcpStream) -> Option<WebSocket<TcpStream>> {
    // Whoever has said nothing whole for that long keeps others out no longer.
    let patience = Duration::from_millis(500);
    stream.set_nonblocking(true).ok()?;
    let since = Instant::now();
    while !has_request(&stream)? {
        if wire.should_stop() || since.elapsed() > patience {
            return None;
        }
        thread::sleep(WAKE);
    }
    stream.set_nonblocking(false).ok()?;
    stream.set_nodelay(true).ok()?;
    stream.set_read_timeout(Some(patience)).ok()?;
    stream.set_write_timeout(Some(patience)).ok()?;
    let config = WebSocketConfig::default()
        .max_message_size(Some(LONGEST_MESSAGE))
        .max_frame_size(Some(LONGEST_MESSAGE));
    tungstenite::accept_hdr_with_config(stream, only_local, Some(config)).ok()
}

/// Whether all of a request is there: one that came byte by byte would hold up whoever reads it. `None` if there will be none.
fn has_request(stream: &TcpStream) -> Option<bool> {
    let mut request = [0; LONGEST_REQUEST];
    match stream.peek(&mut request) {
        Ok(0) => None,
        Ok(bytes) if request[..bytes].windows(4).any(|end| end == b"\r\n\r\n") => Some(true),
        Ok(bytes) => (bytes < LONGEST_REQUEST).then_some(false),
        Err(error) => is_timeout(&error).then_some(false),
    }
}

/// Programs send no `Origin`; browsers always do.
#[allow(clippy::result_large_err)] // tungstenite's signature
fn only_local(request: &Request, response: Response) -> Result<Response, ErrorResponse> {
    let is_local = match request.headers().get("origin") {
        None => true,
        Some(origin) => origin.to_str().is_ok_and(is_local_origin),
    };
    if is_local {
        return Ok(response);
    }
    let mut refusal = ErrorResponse::new(Some("only pages of this machine may connect\n".into()));
    *refusal.status_mut() = StatusCode::FORBIDDEN;
    Err(refusal)
}

/// `http://localhost:5173` and the like. `null` (files, sandboxed frames) is not: any site can make a frame that sends it.
fn is_local_origin(origin: &str) -> bool {
    let Some((scheme, authority)) = origin.split_once("://") else { return false };
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => host,
        _ => authority,
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let is_loopback = host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    ["http", "https"].contains(&scheme) && (host.eq_ignore_ascii_case("localhost") || is_loopback)
}

fn talk(
    wire: &mut WireSide,
    mut socket: WebSocket<TcpStream>,
    (listener, others): (&TcpListener, &mut Others),
) {
    let mut last: Option<DeviceState> = None;
    loop {
        let heard = hear(&mut socket, WAKE);
        if wire.should_stop() {
            let _ = socket.close(None).and_then(|()| socket.flush());
            return;
        }
        // However silent this one is: it wakes every few milliseconds.
        if !matches!(heard, Heard::Closed) {
            others.turn_away(listener);
        }
        let text = match heard {
            Heard::Text(text) => text,
            Heard::Nothing => continue,
            Heard::Closed => return,
        };
        let answer = match state_of(&text, last.as_ref()) {
            Ok(state) => {
                last = Some(state);
                wire.arrived(state);
                let wrench = wire.wrench();
                json!({"force": wrench.force.to_array(), "torque": wrench.torque.to_array()})
            }
            Err(what) => json!({"error": what}),
        };
        if socket.send(Message::text(answer.to_string())).is_err() {
            return;
        }
    }
}

/// Clients that came while there was another.
#[derive(Default)]
struct Others {
    /// Those that are not told yet, since when: a page that is loaded anew comes in the moment in which its old connection ends.
    waiting: VecDeque<(TcpStream, Instant)>,
    /// Those that were told. They are kept for a moment: a connection that is closed before its request was read is reset, and the answer with it.
    told: Vec<(TcpStream, Instant)>,
}

impl Others {
    /// For so long a client waits for the one before to leave. Longer keeps a second client in the dark; shorter does not outlast a loaded machine's pauses.
    const PATIENCE: Duration = Duration::from_millis(50);
    const LONGEST: Duration = Duration::from_secs(1);
    /// At once; more are closed without a word.
    const MOST: usize = 16;
    const REFUSAL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 80\r\n\
        Retry-After: 1\r\nConnection: close\r\n\r\n\
        another client is connected; close it (its tab or program), and try again in 1 s";

    /// The place is free: whoever has waited longest gets it.
    fn next(&mut self) -> Option<TcpStream> {
        self.waiting.pop_front().map(|(stream, _)| stream)
    }

    fn turn_away(&mut self, listener: &TcpListener) {
        self.told.retain_mut(|(stream, since)| {
            let mut request = [0; 1024];
            let has_more = match stream.read(&mut request) {
                Ok(bytes) => bytes > 0,
                Err(error) => is_timeout(&error),
            };
            has_more && since.elapsed() < Self::LONGEST
        });
        if let Ok((stream, _)) = listener.accept()
            && self.waiting.len() + self.told.len() < Self::MOST
        {
            self.waiting.push_back((stream, Instant::now()));
        }
        while self.waiting.front().is_some_and(|(_, since)| since.elapsed() >= Self::PATIENCE) {
            let Some(mut stream) = self.next() else { return };
            let is_told = stream.set_nonblocking(true).is_ok()
                && stream.write_all(Self::REFUSAL).is_ok()
                && stream.shutdown(Shutdown::Write).is_ok();
            if is_told {
                self.told.push((stream, Instant::now()));
            }
        }
    }
}

fn state_of(text: &str, last: Option<&DeviceState>) -> Result<DeviceState, String> {
    let message: Value = serde_json::from_str(text).map_err(|error| format!("no JSON: {error}"))?;
    let time = message["t"].as_f64().ok_or("\"t\" is missing: seconds, a number")?;
    if last.is_some_and(|last| time < last.time) {
        return Err(format!("\"t\" went back to {time}"));
    }
    let pose =
        numbers::<7>(&message["pose"]).ok_or("\"pose\" must be seven numbers x, y, z, qx, qy, qz, qw")?;
    let pose = Pose::from_numbers(pose).map_err(|error| format!("\"pose\": {error}"))?;
    let twist = match &message["twist"] {
        Value::Null => last.map_or(Twist::ZERO, |last| twist_between(last, time, &pose)),
        twist => {
            let [vx, vy, vz, wx, wy, wz] = numbers::<6>(twist).ok_or("\"twist\" must be six numbers")?;
            Twist { linear: DVec3::new(vx, vy, vz), angular: DVec3::new(wx, wy, wz) }
        }
    };
    let buttons = match &message["buttons"] {
        Value::Null => 0,
        buttons => buttons
            .as_u64()
            .and_then(|buttons| u32::try_from(buttons).ok())
            .ok_or("\"buttons\" must be a number of 32 bits, one a button")?,
    };
    let state = DeviceState { time, pose, twist, buttons, wrench: None };
    if state.is_finite() { Ok(state) } else { Err("numbers must be finite".into()) }
}

/// Two messages at one time say nothing about velocity, and a moment after the last they say too much.
fn twist_between(last: &DeviceState, time: f64, pose: &Pose) -> Twist {
    let duration = time - last.time;
    if duration < 1e-4 {
        return last.twist;
    }
    Twist {
        linear: (pose.position - last.pose.position) / duration,
        angular: rotation_vector(pose.rotation * last.pose.rotation.conjugate()) / duration,
    }
}

fn numbers<const N: usize>(value: &Value) -> Option<[f64; N]> {
    let values = value.as_array().filter(|values| values.len() == N)?;
    let mut numbers = [0.0; N];
    for (number, value) in numbers.iter_mut().zip(values) {
        *number = value.as_f64()?;
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_is_local() {
        for local in [
            "http://localhost",
            "http://localhost:5173",
            "https://127.0.0.1:8080",
            "http://[::1]:3000",
            "http://127.8.9.1",
        ] {
            assert!(is_local_origin(local), "{local}");
        }
        for other in [
            "null",
            "",
            "https://example.com",
            "http://localhost.example.com",
            "http://127.0.0.1.example.com:80",
            "http://example.com:127",
            "http://192.168.0.7",
            "file://localhost",
            "http://localhost@example.com",
            "chrome-extension://localhost",
        ] {
            assert!(!is_local_origin(other), "{other}");
        }
    }
}
