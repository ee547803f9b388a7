//! Against a stand-in for a web page.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use isotouch::ccd::Plane;
use isotouch::haptics::device::{Device, DeviceCommand, DeviceError, OpenError, Page, PageOptions};
use isotouch::haptics::safety::SafetyOptions;
use isotouch::haptics::{
    Coupling, GodObject, GodObjectOptions, Held, HeldPair, Renderer, Session, SessionOptions, Surface,
};
use isotouch::math::{DQuat, DVec3, Pose, Wrench};
use isotouch::mesh::{mass_properties, shapes};
use isotouch::shell::{PointShell, Sampling, ShellOptions};
use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

use super::wait_for;

/// Patient, so that a busy machine does not lose it.
fn page() -> Page {
    Page::open(&PageOptions { silence: 30.0, ..Default::default() }).unwrap()
}

/// A page from there.
fn connect(address: SocketAddr, origin: Option<&str>) -> Result<WebSocket<TcpStream>, tungstenite::Error> {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_nodelay(true).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let mut request = format!("ws://{address}/").into_client_request().unwrap();
    if let Some(origin) = origin {
        request.headers_mut().insert("origin", origin.parse().unwrap());
    }
    match tungstenite::client(request, stream) {
        Ok((socket, _)) => Ok(socket),
        Err(tungstenite::HandshakeError::Failure(error)) => Err(error),
        Err(tungstenite::HandshakeError::Interrupted(_)) => panic!("no answer"),
    }
}

fn say(client: &mut WebSocket<TcpStream>, message: &Value) -> Value {
    client.send(Message::text(message.to_string())).unwrap();
    serde_json::from_str(client.read().unwrap().to_text().unwrap()).unwrap()
}

fn pose_at(t: f64, x: f64) -> Value {
    json!({"t": t, "pose": [x, 2.0, 3.0, 0.0, 0.6, 0.0, 0.8], "buttons": 5})
}

#[test]
fn poses_come_in_and_forces_go_out() {
    let mut page = page();
    assert_eq!(page.read(), Err(DeviceError::NotReady { device: "page" }));
    let mut client = connect(page.address(), Some("http://localhost:5173")).unwrap();
    let answer = say(&mut client, &pose_at(1.5, 1.0));
    assert_eq!(answer, json!({"force": [0.0, 0.0, 0.0], "torque": [0.0, 0.0, 0.0]}));
    let state = page.wait(Duration::from_secs(5)).unwrap();
    assert_eq!((state.buttons, state.wrench), (5, None));
    assert_eq!(state.pose.position, DVec3::new(1.0, 2.0, 3.0));
    assert!(state.pose.rotation.dot(DQuat::from_xyzw(0.0, 0.6, 0.0, 0.8)) > 1.0 - 1e-12);

    let wrench = Wrench { force: DVec3::new(1.0, -2.0, 0.5), torque: DVec3::new(0.1, 0.0, -0.2) };
    let begin = Instant::now();
    loop {
        // On a busy machine it may have been let go in between.
        let _ = page.write(&DeviceCommand::Wrench(wrench));
        if say(&mut client, &pose_at(1.6, 1.0))
            == json!({"force": [1.0, -2.0, 0.5], "torque": [0.1, 0.0, -0.2]})
        {
            break;
        }
        assert!(begin.elapsed().as_secs() < 5);
    }
}

#[test]
fn velocities_come_from_the_message_or_from_two_poses() {
    let mut page = page();
    let mut client = connect(page.address(), None).unwrap();
    say(&mut client, &pose_at(1.0, 0.0));
    let turned = DQuat::from_rotation_z(0.01) * DQuat::from_xyzw(0.0, 0.6, 0.0, 0.8);
    let [qx, qy, qz, qw] = turned.to_array();
    say(&mut client, &json!({"t": 1.02, "pose": [0.01, 2.0, 3.0, qx, qy, qz, qw]}));
    wait_for(&mut page, |state| state.is_ok_and(|state| state.pose.position.x == 0.01));
    let twist = page.read().unwrap().twist;
    assert!((twist.linear - DVec3::X * 0.5).length() < 1e-9, "1 cm in 20 ms");
    assert!((twist.angular - DVec3::Z * 0.5).length() < 1e-9);
    say(&mut client, &json!({"t": 1.03, "pose": [0, 0, 0, 0, 0, 0, 1], "twist": [1, 2, 3, 4, 5, 6]}));
    wait_for(&mut page, |state| state.is_ok_and(|state| state.pose.position.y == 0.0));
    let twist = page.read().unwrap().twist;
    assert_eq!((twist.linear, twist.angular), (DVec3::new(1.0, 2.0, 3.0), DVec3::new(4.0, 5.0, 6.0)));
}

#[test]
fn pages_of_other_machines_are_refused() {
    let mut page = page();
    for origin in
        ["https://example.com", "http://localhost.evil.example", "null", "http://127.0.0.1@evil.example"]
    {
        match connect(page.address(), Some(origin)) {
            Err(tungstenite::Error::Http(response)) => {
                assert_eq!(response.status().as_u16(), 403, "{origin}");
            }
            other => panic!("{origin}: {other:?}"),
        }
    }
    assert_eq!(page.read(), Err(DeviceError::NotReady { device: "page" }));
    for origin in [None, Some("http://127.0.0.1:8000"), Some("http://[::1]")] {
        let mut client = connect(page.address(), origin).unwrap();
        assert!(say(&mut client, &pose_at(0.0, 0.0)).get("force").is_some());
    }
}

#[test]
fn messages_that_are_none_are_answered_in_words() {
    let mut page = page();
    let mut client = connect(page.address(), None).unwrap();
    say(&mut client, &pose_at(1.0, 7.0));
    for (message, word) in [
        (json!({}), "\"t\" is missing"),
        (json!({"t": "1"}), "\"t\" is missing"),
        (json!({"t": 2}), "seven numbers"),
        (json!({"t": 2, "pose": [0, 0, 0, 0, 0, 0]}), "seven numbers"),
        (json!({"t": 2, "pose": [0, 0, 0, 0, 0, 0, 0]}), "quaternion is zero"),
        (json!({"t": 2, "pose": [0, 0, 0, 1, 0, 0, 1]}), "length 1.41"),
        (json!({"t": 2, "pose": [1e300, 0, 0, 0, 0, 0, 1]}), "farther"),
        (json!({"t": 2, "pose": [null, 0, 0, 0, 0, 0, 1]}), "seven numbers"),
        (json!({"t": 0.5, "pose": [0, 0, 0, 0, 0, 0, 1]}), "went back"),
        (json!({"t": 2, "pose": [0, 0, 0, 0, 0, 0, 1], "buttons": -1}), "32 bits"),
        (json!({"t": 2, "pose": [0, 0, 0, 0, 0, 0, 1], "twist": [1]}), "six numbers"),
        (json!([1, 2, 3]), "\"t\" is missing"),
    ] {
        let answer = say(&mut client, &message);
        assert!(answer["error"].as_str().is_some_and(|error| error.contains(word)), "{message}: {answer}");
    }
    client.send(Message::text("{")).unwrap();
    assert!(client.read().unwrap().to_text().unwrap().contains("no JSON"));
    // And the last good pose is still the state, while it is fresh.
    assert!(say(&mut client, &pose_at(3.0, 8.0)).get("force").is_some());
    wait_for(&mut page, |state| state.is_ok_and(|state| state.pose.position.x == 8.0));
}

#[test]
fn messages_that_are_too_long_end_the_connection() {
    let mut page = page();
    let mut client = connect(page.address(), None).unwrap();
    say(&mut client, &pose_at(0.0, 0.0));
    client.send(Message::text(" ".repeat(5000))).unwrap();
    wait_for(&mut page, |state| matches!(state, Err(DeviceError::Closed { .. })));
    // A frame that claims to be enormous: nothing is set aside for it.
    let mut client = connect(page.address(), None).unwrap();
    say(&mut client, &pose_at(0.0, 0.0));
    client
        .get_mut()
        .write_all(&[0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4, 5])
        .unwrap();
    wait_for(&mut page, |state| matches!(state, Err(DeviceError::Closed { .. })));
    let mut client = connect(page.address(), None).unwrap();
    assert!(say(&mut client, &pose_at(0.0, 0.0)).get("force").is_some(), "and it goes on");
}

#[test]
fn a_page_that_leaves_or_falls_silent_is_lost() {
    let mut page = Page::open(&PageOptions::default()).unwrap();
    let mut client = connect(page.address(), None).unwrap();
    say(&mut client, &pose_at(0.0, 0.0));
    wait_for(&mut page, |state| matches!(state, Err(DeviceError::Lost { limit: 0.1, .. })));
    drop(page);

    let mut page = self::page();
    let mut client = connect(page.address(), None).unwrap();
    say(&mut client, &pose_at(1.0, 0.0));
    wait_for(&mut page, Result::is_ok);
    drop(client);
    wait_for(&mut page, |state| matches!(state, Err(DeviceError::Closed { .. })));
    // The next one may start its clock anew.
    let mut client = connect(page.address(), None).unwrap();
    say(&mut client, &pose_at(0.0, 5.0));
    wait_for(&mut page, |state| state.is_ok_and(|state| state.pose.position.x == 5.0));
}

/// A page that is loaded anew comes as soon as its old connection is closed, or a little before that is noticed.
#[test]
fn a_page_that_is_loaded_anew_gets_its_place_at_once() {
    let mut page = page();
    let mut last: Option<WebSocket<TcpStream>> = None;
    for k in 0..40 {
        let x = f64::from(k);
        if let Some(mut leaving) = last.take() {
            // In order, as a browser does, or as when its process is killed.
            if k % 2 == 0 {
                let _ = leaving.close(None).and_then(|()| leaving.flush());
            }
        }
        let mut client = connect(page.address(), Some("http://localhost:5173")).unwrap();
        assert!(say(&mut client, &pose_at(0.0, x)).get("force").is_some());
        wait_for(&mut page, |state| state.is_ok_and(|state| state.pose.position.x == x));
        last = Some(client);
    }
}

/// However soon the next client comes: it is not pushed by what was meant for the one before, and the loop learns that this one is gone.
#[test]
fn whoever_comes_next_begins_without_force() {
    let mut page = page();
    let push = DeviceCommand::Wrench(Wrench { force: DVec3::X, torque: DVec3::ZERO });
    for round in 0..20 {
        let mut client = connect(page.address(), None).unwrap();
        say(&mut client, &pose_at(0.0, 1.0));
        wait_for(&mut page, Result::is_ok);
        let begin = Instant::now();
        let mut t = 0.0;
        loop {
            // On a busy machine it may have been let go in between.
            let _ = page.write(&push);
            t += 0.001;
            if say(&mut client, &pose_at(t, 1.0))["force"][0] == 1.0 {
                break;
            }
            assert!(begin.elapsed().as_secs() < 5);
        }
        drop(client);
        let mut next = connect(page.address(), None).unwrap();
        // The loop does not know yet.
        let _ = page.write(&push);
        assert_eq!(say(&mut next, &pose_at(0.0, 2.0))["force"], json!([0.0, 0.0, 0.0]), "round {round}");
        assert_eq!(page.read(), Err(DeviceError::Closed { device: "page" }), "round {round}");
        assert!(page.read().is_ok_and(|state| state.pose.position.x == 2.0));
    }
}

/// 60 poses a second, and a servo loop that asks a thousand times: its times go on, and a spring is felt all the while.
#[test]
fn a_page_is_felt_between_its_poses() {
    let mut page = page();
    let address = page.address();
    let client = std::thread::spawn(move || {
        let mut client = connect(address, None).unwrap();
        let mut felt = 0.0f64;
        for k in 0..60 {
            // The page's clock is its own.
            let message =
                json!({"t": 7000.0 + f64::from(k) / 60.0, "pose": [0.0, 0.009, 0.0, 0.0, 0.0, 0.0, 1.0]});
            let answer = say(&mut client, &message);
            felt = felt.max(answer["force"][1].as_f64().unwrap());
            std::thread::sleep(Duration::from_micros(16_667));
        }
        felt
    });
    page.wait(Duration::from_secs(5)).unwrap();
    let mut session = ball_on_floor();
    let (mut ticks, mut pushed, mut last) = (0, 0, 0.0);
    while !client.is_finished() {
        if let Ok(state) = page.read() {
            assert!(state.time > last, "time goes on");
            last = state.time;
            let wrench = session.servo(&state);
            ticks += 1;
            pushed += u32::from(wrench.force.y > 0.0);
            if page.write(&DeviceCommand::Wrench(wrench)).is_err() {
                session.servo_half().device_lost();
            }
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    // The hand is 1 mm too deep, at 1000 N/m.
    let felt = client.join().unwrap();
    assert!(pushed * 2 > ticks && felt > 0.5, "pushed in {pushed} of {ticks} ticks, {felt} N at most");
}

/// In the loop that docs/haptics.md describes: 1 mm too deep gives 1 N.
fn ball_on_floor() -> Session {
    let ball = shapes::sphere(0.01, 1280).unwrap();
    let options = ShellOptions { sampling: Sampling::Points(500), ..Default::default() };
    let shell = Arc::new(PointShell::from_mesh(&ball, &options).unwrap());
    let floor = Surface::Analytic(Arc::new(Plane::GROUND), 1e-3);
    let mass = mass_properties(&ball, 1000.0).unwrap();
    let pair = Arc::new(HeldPair::new(shell, floor, Held::Shell, mass).unwrap());
    let god = GodObject::new(pair, Pose::at(DVec3::Y * 0.02), &GodObjectOptions::default()).unwrap();
    let renderer = Renderer::Constraint(Box::new(god), Coupling::spring(1000.0, 0.5));
    // Forces at once: on a busy machine each pause would begin a ramp anew.
    let safety = SafetyOptions { ramp: 0.0, ..Default::default() };
    Session::threaded(renderer, &SessionOptions { safety, ..Default::default() }).unwrap()
}

#[test]
fn a_second_client_is_turned_away() {
    let page = page();
    let mut first = connect(page.address(), None).unwrap();
    say(&mut first, &pose_at(0.0, 0.0));
    let mut second = TcpStream::connect(page.address()).unwrap();
    second.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let mut answer = [0; 12];
    // The first one says nothing meanwhile.
    second.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 503");
    // One that speaks WebSockets hears why.
    let tungstenite::Error::Http(refused) = connect(page.address(), None).unwrap_err() else { panic!() };
    assert_eq!((refused.status().as_u16(), &refused.headers()["retry-after"]), (503, &"1".parse().unwrap()));
    let words = String::from_utf8(refused.body().clone().unwrap_or_default()).unwrap();
    assert!(
        words.starts_with("another client is connected") && words.ends_with("try again in 1 s"),
        "{words}"
    );
    assert!(say(&mut first, &pose_at(0.2, 0.0)).get("force").is_some());
}

/// A handshake that came byte by byte held up whoever came next, and the end of the program.
#[test]
fn a_handshake_in_drips_keeps_nobody_waiting() {
    let page = page();
    let address = page.address();
    let mut slow = TcpStream::connect(address).unwrap();
    let dripping = std::thread::spawn(move || {
        for byte in b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ".iter().chain([b'x'; 100].iter()) {
            if std::io::Write::write_all(&mut slow, &[*byte]).is_err() {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    std::thread::sleep(Duration::from_millis(100));
    let begin = Instant::now();
    // Too long for the first, it is let go.
    let mut next = connect(address, None).unwrap();
    assert!(say(&mut next, &pose_at(0.0, 0.0)).get("force").is_some());
    drop((next, page));
    assert!(begin.elapsed() < Duration::from_secs(4), "{:?}", begin.elapsed());
    dripping.join().unwrap();
}

#[test]
fn a_port_that_is_taken_is_an_error_with_a_remedy() {
    let taken = page();
    let error = Page::open(&PageOptions { port: taken.address().port(), ..Default::default() }).unwrap_err();
    assert!(
        matches!(error, OpenError::Unreachable { .. }) && error.to_string().contains("Port 0"),
        "{error}"
    );
    assert!(taken.address().ip().is_loopback());
}
