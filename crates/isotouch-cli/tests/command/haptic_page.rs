//! `haptic --device page`: a client that sends poses and feels, scales, lets go, falls silent.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use isotouch::output::npy::npz::Npz;
use serde_json::Value;

use crate::haptic::desk;
use crate::{Desk, Run};

/// A page that speaks just enough of WebSockets.
struct Client(TcpStream);

impl Client {
    /// At this height, as one text message: masked, with a mask of zeros.
    fn send(&mut self, t: f64, height: f64, buttons: u32) -> std::io::Result<()> {
        let text = format!("{{\"t\":{t:.4},\"pose\":[0,{height:.6},0,0,0,0,1],\"buttons\":{buttons}}}");
        assert!(text.len() < 126);
        let mut frame = vec![0x81, 0x80 | text.len() as u8, 0, 0, 0, 0];
        frame.extend(text.as_bytes());
        self.0.write_all(&frame)
    }

    /// The answer to the oldest message that has none yet: the force upward, N.
    fn force(&mut self) -> f64 {
        let mut head = [0; 2];
        self.0.read_exact(&mut head).unwrap();
        let mut length = usize::from(head[1]);
        if length == 126 {
            let mut long = [0; 2];
            self.0.read_exact(&mut long).unwrap();
            length = u16::from_be_bytes(long).into();
        }
        let mut text = vec![0; length];
        self.0.read_exact(&mut text).unwrap();
        let answer: Value = serde_json::from_slice(&text).unwrap();
        answer["force"][1].as_f64().unwrap_or_else(|| panic!("{answer}"))
    }
}

/// Runs the command and connects to where it says that it listens.
fn open(desk: &Desk, arguments: &[&str]) -> (Child, Client) {
    let mut child = desk.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.split("ws://").nth(1).and_then(|rest| rest.split(';').next());
    let mut page = TcpStream::connect(address.unwrap_or_else(|| panic!("{line}"))).unwrap();
    page.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let hello = "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
    page.write_all(hello.as_bytes()).unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        page.read_exact(&mut byte).unwrap();
        answer.extend(byte);
    }
    assert!(answer.starts_with(b"HTTP/1.1 101"));
    (child, Client(page))
}

#[test]
fn a_page_that_nobody_opens_is_not_waited_for_without_end() {
    let desk = desk();
    let run = desk.run(&["haptic", "wall", "--device", "page", "--seconds", "1", "--wait", "0.3", "--json"]);
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    let error = run.json()["error"].as_str().unwrap().to_owned();
    assert!(error.contains("nobody sent a pose to ws://127.0.0.1:") && error.contains("--wait"), "{error}");
    assert!(run.stderr.contains("waiting for poses at ws://127.0.0.1:"), "{}", run.stderr);
    // A free port that was found is told to the quiet as well: there is no other way to know it.
    let run = desk.run(&["haptic", "wall", "--device", "page", "--wait", "0.1", "--quiet"]);
    assert!(run.stderr.contains("waiting for poses at ws://127.0.0.1:"), "{}", run.stderr);
}

/// A page draws 60 times a second, far more slowly than the servo loop turns; its forces must not be taken for stale.
#[test]
fn a_page_feels_the_wall() {
    let desk = desk();
    let (mut child, mut page) =
        open(&desk, &["haptic", "wall", "--device", "page", "--seconds", "1.5", "--json"]);
    for frame in 0..200 {
        let t = f64::from(frame) / 60.0;
        if page.send(t, (0.03 - 0.04 * t).max(0.018), 0).is_err() {
            break;
        }
        std::thread::sleep(Duration::from_millis(16));
        if child.try_wait().unwrap().is_some() {
            break;
        }
    }
    drop(page);
    let run = Run::from(child.wait_with_output().unwrap());
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    let json = run.json();
    assert_eq!((&json["device"], &json["max_penetration"]), (&"page".into(), &0.0.into()));
    // 2 mm deep at 1000 N/m, and at least some of the ramp over, however busy the machine is.
    let force = json["max_force"].as_f64().unwrap();
    assert!((0.3..2.2).contains(&force), "{force} N; {json}");
}

/// What is not felt must be seen: in a line, in a warning, and as rows of zero force.
#[test]
fn a_page_that_falls_silent_is_told_of() {
    let desk = desk();
    let arguments = ["haptic", "wall", "--device", "page", "--seconds", "1.5", "-o", "out", "--json"];
    let (child, mut page) = open(&desk, &arguments);
    for frame in 0..40 {
        let t = f64::from(frame) / 60.0;
        page.send(t, (0.03 - 0.04 * t).max(0.018), 0).unwrap();
        std::thread::sleep(Duration::from_millis(16));
    }
    // Silent from here on, and still connected.
    let run = Run::from(child.wait_with_output().unwrap());
    drop(page);
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    let json = run.json();
    let (ticks, lost) = (json["ticks"].as_u64().unwrap(), json["lost_ticks"].as_u64().unwrap());
    assert!(lost > 0 && lost < ticks && json["losses"].as_u64().unwrap() > 0, "{json}");
    assert!(json["faults"]["device lost"] == lost, "{json}");
    let warned = json["warnings"][0].as_str().unwrap().replace(',', "");
    let wanted = format!("for {lost} of {ticks} ticks");
    assert!(warned.contains(&wanted) && warned.contains("silent for 1"), "{warned}");
    let seconds = json["seconds"].as_f64().unwrap();
    assert!((1.3..1.6).contains(&seconds), "all of the session: {seconds} s");

    let arrays = Npz::read(desk.path("out/trajectory.npz")).unwrap();
    assert_eq!(arrays.get("forces").unwrap().shape(), [ticks as usize, 3], "one row a tick");
    let csv = fs::read_to_string(desk.path("out/trajectory.csv")).unwrap();
    let rows: Vec<&str> = csv.lines().skip(1).collect();
    let silent: Vec<&&str> = rows.iter().filter(|row| row.ends_with(",1")).collect();
    assert_eq!((rows.len() as u64, silent.len() as u64), (ticks, lost));
    for row in silent {
        let force: Vec<f64> = row.split(',').skip(1).take(3).map(|text| text.parse().unwrap()).collect();
        assert_eq!(force, [0.0; 3]);
    }
    let summary: Value = serde_json::from_slice(&fs::read(desk.path("out/summary.json")).unwrap()).unwrap();
    assert_eq!((&summary["warnings"], &summary["output"]), (&json["warnings"], &json["output"]));
}

#[test]
fn a_session_whose_device_stays_away_ends_with_4_and_its_summary() {
    let desk = desk();
    let (child, mut page) = open(&desk, &["haptic", "wall", "--device", "page", "--json"]);
    for frame in 0..10 {
        page.send(f64::from(frame) / 60.0, 0.03, 0).unwrap();
        std::thread::sleep(Duration::from_millis(16));
    }
    drop(page);
    let run = Run::from(child.wait_with_output().unwrap());
    assert_eq!(run.code, Some(4), "{}", run.stdout);
    let json = run.json();
    assert!(json["error"].as_str().unwrap().contains("did not come back within 5 s"), "{json}");
    assert_eq!((&json["finished"], &json["device"]), (&false.into(), &"page".into()));
    assert!(json["lost_ticks"].as_u64().unwrap() > 10, "{json}");
}

/// Metres and newtons of a page are the scene's by `scale` and `force_scale`, and its first button is the clutch.
#[test]
fn a_page_is_scaled_and_lets_go() {
    let desk = desk();
    let scene = fs::read_to_string(desk.path("s.toml")).unwrap();
    let scene = format!("{scene}[haptic.device]\nscale = 2.0\nforce_scale = 0.5\n");
    fs::write(desk.path("scaled.toml"), scene).unwrap();
    let (mut child, mut page) = open(&desk, &["haptic", "scaled.toml", "--device", "page", "--json"]);
    let begin = Instant::now();
    // Sends until the force is as wanted.
    let mut feel = |height: f64, buttons: u32, is_it: &dyn Fn(f64) -> bool| {
        loop {
            let t = begin.elapsed().as_secs_f64();
            page.send(t, height, buttons).unwrap();
            let force = page.force();
            if is_it(force) {
                return;
            }
            assert!(t < 20.0, "{force} N at {height} m");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    feel(0.020, 0, &|force| force == 0.0);
    // 28 mm in the scene, where the ball touches at 30 and its lowest point 0.14 mm below that: 1.86 mm · 800 N/m, and half of it in the hand. Unscaled it would be 16 mm deep.
    feel(0.014, 0, &|force| (0.72..0.78).contains(&force));
    // The clutch is open: nothing is felt, wherever the hand goes; then it goes on from there.
    feel(0.014, 1, &|force| force == 0.0);
    feel(0.050, 1, &|force| force == 0.0);
    feel(0.050, 0, &|force| (0.72..0.78).contains(&force));
    feel(0.053, 0, &|force| force == 0.0);
    child.kill().unwrap();
    child.wait().unwrap();
}
