//! A WebSocket that is listened to for a moment, and no longer.

use std::io;
use std::net::TcpStream;
use std::time::Duration;

use tungstenite::{Message, WebSocket};

/// What came over the wire.
pub(super) enum Heard {
    Text(String),
    Nothing,
    Closed,
}

/// The next message, waited for at most this long.
///
/// The timeout of a socket is counted in the system's ticks, of which Linux makes 250 a second: 1 ms would last up to 8. `poll` counts in less.
pub(super) fn hear(socket: &mut WebSocket<TcpStream>, longest: Duration) -> Heard {
    match read_now(socket) {
        Heard::Nothing if has_bytes_within(socket.get_ref(), longest) => read_now(socket),
        heard => heard,
    }
}

/// Without waiting. Sending waits as before: half a message that was sent would be none.
fn read_now(socket: &mut WebSocket<TcpStream>) -> Heard {
    if socket.get_ref().set_nonblocking(true).is_err() {
        return Heard::Closed;
    }
    let read = socket.read();
    if socket.get_ref().set_nonblocking(false).is_err() {
        return Heard::Closed;
    }
    match read {
        Ok(Message::Text(text)) => Heard::Text(text.as_str().to_owned()),
        Ok(Message::Close(_)) => Heard::Closed,
        // No text that means anything, but it is to be answered.
        Ok(Message::Binary(_)) => Heard::Text(String::new()),
        Ok(_) => Heard::Nothing,
        Err(tungstenite::Error::Io(error)) if is_timeout(&error) => Heard::Nothing,
        Err(_) => Heard::Closed,
    }
}

/// Whether there is something to read, be it the end.
#[cfg(unix)]
fn has_bytes_within(stream: &TcpStream, longest: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    let mut wanted = [PollFd::new(stream, PollFlags::IN)];
    let longest = Timespec { tv_sec: 0, tv_nsec: i64::from(longest.subsec_nanos()) };
    // Interrupted: it is asked again soon.
    poll(&mut wanted, Some(&longest)).is_ok_and(|ready| ready > 0)
}

#[cfg(not(unix))]
fn has_bytes_within(stream: &TcpStream, longest: Duration) -> bool {
    // Asking an error is no waiting for one: whatever it is, reading finds it.
    stream.set_read_timeout(Some(longest)).is_err()
        || stream.peek(&mut [0]).map_or_else(|error| !is_timeout(&error), |_| true)
}

pub(super) fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}
