//! Against a stand-in for the Inverse Service that speaks the documented messages.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use isotouch::haptics::device::{
    Device, DeviceCommand, DeviceError, DeviceState, Haply, HaplyOptions, InWorkspace, OpenError, Workspace,
    WorkspaceOptions,
};
use isotouch::math::{DQuat, DVec3, Twist, Wrench};
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

use super::wait_for;

/// What the stand-in does next.
enum Act {
    /// From now on this is the state; one for each message it gets.
    State(Value),
    /// Answers nothing any more, and keeps the connection.
    FallSilent,
    /// Closes the connection in order, …
    Close,
    /// … or as when a process is killed.
    Vanish,
}

struct StandIn {
    address: SocketAddr,
    acts: Sender<Act>,
    heard: Receiver<Value>,
    thread: Option<JoinHandle<()>>,
}

impl StandIn {
    fn new(inventory: Value) -> Self {
        Self::at(SocketAddr::from(([127, 0, 0, 1], 0)), inventory)
    }

    fn at(address: SocketAddr, inventory: Value) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let address = listener.local_addr().unwrap();
        let (acts, todo) = channel();
        let (tell, heard) = channel();
        let thread = thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            stream.set_nodelay(true).unwrap();
            let socket = tungstenite::accept(stream).unwrap();
            serve(socket, inventory, &todo, &tell);
        });
        Self { address, acts, heard, thread: Some(thread) }
    }

    /// Patient, so that a busy machine does not lose the device.
    fn open(&self) -> Haply {
        self.open_with_silence(30.0)
    }

    fn open_with_silence(&self, silence: f64) -> Haply {
        Haply::open(&HaplyOptions { address: self.address, silence, ..Default::default() }).unwrap()
    }

    /// Waits for so many more messages.
    fn hear(&self, messages: usize) {
        for _ in self.heard.try_iter() {}
        for _ in 0..messages {
            self.heard.recv_timeout(Duration::from_secs(10)).unwrap();
        }
    }

    fn act(&self, act: Act) {
        self.acts.send(act).unwrap();
    }

    /// The force of the latest message.
    fn force(&self) -> DVec3 {
        let message = self
            .heard
            .try_iter()
            .last()
            .unwrap_or_else(|| self.heard.recv_timeout(Duration::from_secs(5)).unwrap());
        force_in(&message)
    }

    /// Has the device push until the service knows, and once more.
    fn push_by(&self, device: &mut Haply, force: DVec3) {
        let push = DeviceCommand::Wrench(Wrench { force, torque: DVec3::ZERO });
        let begin = Instant::now();
        while self.force() != force {
            // On a busy machine it may have been let go in between.
            let _ = device.write(&push);
            assert!(begin.elapsed().as_secs() < 5);
        }
        if device.write(&push).is_err() {
            device.write(&push).unwrap();
        }
    }

    /// How long after its last command, or what else is done then, the device is told to push with nothing, s.
    fn lets_go_after(&self, device: &mut Haply, last: impl FnOnce(&Self)) -> f64 {
        self.push_by(device, DVec3::X);
        let stopped = Instant::now();
        last(self);
        self.wait_for_force(|force| force == DVec3::ZERO);
        stopped.elapsed().as_secs_f64()
    }

    /// Waits until the latest force is as wanted.
    fn wait_for_force(&self, is_it: impl Fn(DVec3) -> bool) {
        let begin = Instant::now();
        loop {
            let force = self.force();
            if is_it(force) {
                return;
            }
            assert!(begin.elapsed().as_secs() < 5, "still {force}");
        }
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        let _ = self.acts.send(Act::Vanish);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

fn force_in(message: &Value) -> DVec3 {
    assert_eq!(message["inverse3"][0]["device_id"], "049D");
    let vector = &message["inverse3"][0]["commands"]["set_cursor_force"]["vector"];
    let number = |axis| vector[axis].as_f64().unwrap();
    DVec3::new(number("x"), number("y"), number("z"))
}

/// An inventory, and then exactly one state for each message: the channel's rule.
fn serve(mut socket: WebSocket<TcpStream>, inventory: Value, todo: &Receiver<Act>, tell: &Sender<Value>) {
    let mut state = inventory;
    let mut is_silent = false;
    if socket.send(Message::text(state.to_string())).is_err() {
        return;
    }
    socket.get_ref().set_read_timeout(Some(Duration::from_millis(1))).unwrap();
    loop {
        match todo.try_recv() {
            Ok(Act::State(next)) => state = next,
            Ok(Act::FallSilent) => is_silent = true,
            Ok(Act::Close) => {
                let _ = socket.close(None);
                let _ = socket.flush();
                return;
            }
            Ok(Act::Vanish) | Err(std::sync::mpsc::TryRecvError::Disconnected) => return,
            Err(std::sync::mpsc::TryRecvError::Empty) => {}
        }
        match socket.read() {
            Ok(Message::Text(text)) => {
                let _ = tell.send(serde_json::from_str(&text).unwrap());
                // A device's own pace. One that finds the connection closed reads no more.
                thread::sleep(Duration::from_micros(300));
                if !is_silent && socket.send(Message::text(state.to_string())).is_err() {
                    return;
                }
            }
            Ok(_) => {}
            Err(tungstenite::Error::Io(error))
                if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {}
            Err(_) => return,
        }
    }
}

/// As in the documentation of version 3.5.
fn full_state(x: f64) -> Value {
    json!({
        "session_id": 7,
        "inverse3": [{
            "device_id": "049D",
            "config": { "type": "inverse3", "port": "COM12", "handedness": "right", "preset": "defaults", "basis": { "permutation": "XYZ" } },
            "state": {
                "cursor_position": { "x": x, "y": -0.12, "z": 0.15 },
                "cursor_velocity": { "x": 0.25, "y": 0.5, "z": -1.0 },
                "angular_position": { "a0": 0.0, "a1": 0.0, "a2": 0.0 },
                "body_orientation": { "w": 1.0, "x": 0.0, "y": 0.0, "z": 0.0 },
                "current_cursor_force": { "x": 0.0, "y": 0.0, "z": 0.0 },
                "control_domain": "cartesian",
                "control_mode": "idle"
            },
            "status": { "calibrated": true, "in_use": false, "power_supply": true, "ready": true, "started": true }
        }],
        "wireless_verse_grip": [{
            "device_id": "61548",
            "state": { "orientation": { "w": 0.8, "x": 0.6, "y": 0.0, "z": 0.0 }, "buttons": { "a": true, "b": false, "c": true }, "hall": 0 }
        }]
    })
}

#[test]
fn states_arrive_and_forces_are_sent() {
    let service = StandIn::new(full_state(0.01));
    let mut device = service.open();
    assert_eq!(device.device_id(), "049D");
    let state = device.wait(Duration::from_secs(5)).unwrap();
    assert_eq!(state.pose.position, DVec3::new(0.01, -0.12, 0.15));
    assert!(state.pose.rotation.dot(DQuat::from_xyzw(0.6, 0.0, 0.0, 0.8)) > 1.0 - 1e-12);
    assert_eq!(state.twist, Twist { linear: DVec3::new(0.25, 0.5, -1.0), angular: DVec3::ZERO });
    assert_eq!((state.buttons, state.wrench), (0b101, None));

    let first = service.heard.recv_timeout(Duration::from_secs(5)).unwrap();
    assert_eq!(first["session"]["configure"]["profile"]["name"], "isotouch", "the profile, once");
    assert_eq!(force_in(&first), DVec3::ZERO);
    assert_eq!(service.heard.recv_timeout(Duration::from_secs(5)).unwrap().get("session"), None);

    service.act(Act::State(full_state(0.02)));
    wait_for(&mut device, |state| state.is_ok_and(|state| state.pose.position.x == 0.02));
    let later = device.read().unwrap().time;
    assert!(later >= state.time, "time goes on");

    // The force of the loop, which has to be said again and again.
    let force = DVec3::new(0.5, -1.5, 2.0);
    let begin = Instant::now();
    loop {
        // On a busy machine it may have been let go in between.
        let _ = device.write(&DeviceCommand::Wrench(Wrench { force, torque: DVec3::ZERO }));
        if service.force() == force {
            break;
        }
        assert!(begin.elapsed().as_secs() < 5);
    }
}

/// The servo loop hangs: within 10 ms the device is told to push with nothing.
#[test]
fn a_servo_loop_that_stops_lets_go() {
    let service = StandIn::new(full_state(0.0));
    let mut device = service.open();
    in_most_tries_within_ten_milliseconds(|| service.lets_go_after(&mut device, |_| {}));
}

/// Neither answers nor states, nor a servo loop: the force is taken back all the same, and as soon.
#[test]
fn a_service_that_falls_silent_is_told_to_let_go() {
    in_most_tries_within_ten_milliseconds(|| {
        let service = StandIn::new(full_state(0.0));
        let mut device = service.open();
        service.lets_go_after(&mut device, |service| service.act(Act::FallSilent))
    });
}

/// A busy machine makes some longer. Of waits that are too long by their making, one in some may be shorter by chance: most have to be in time, of any twenty in a row out of a hundred.
fn in_most_tries_within_ten_milliseconds(mut try_it: impl FnMut() -> f64) {
    let mut tries: Vec<f64> = Vec::new();
    while tries.len() < 100 {
        tries.push(try_it());
        let lately = &tries[tries.len().saturating_sub(20)..];
        if lately.len() == 20 && lately.iter().filter(|&&took| took <= 0.010).count() > 10 {
            return;
        }
    }
    panic!("{tries:?}");
}

/// A wireless grip misses a message now and then: what is held must not turn back.
#[test]
fn a_grip_that_drops_out_stays_as_it_was() {
    let service = StandIn::new(full_state(0.0));
    let mut device = service.open();
    let before = device.wait(Duration::from_secs(5)).unwrap();
    let mut without = full_state(0.04);
    without.as_object_mut().unwrap().remove("wireless_verse_grip");
    let mut broken = full_state(0.05);
    broken["wireless_verse_grip"][0]["state"]["orientation"]["w"] = json!(7.0);
    for (x, state) in [(0.04, without), (0.05, broken)] {
        service.act(Act::State(state));
        wait_for(&mut device, |state| state.is_ok_and(|state| state.pose.position.x == x));
        let state = device.read().unwrap();
        assert_eq!((state.pose.rotation, state.buttons), (before.pose.rotation, before.buttons));
    }
}

#[test]
fn forces_beyond_the_device_are_shortened_and_nan_is_not_sent() {
    let service = StandIn::new(full_state(0.0));
    let mut device = service.open();
    let huge = DeviceCommand::Wrench(Wrench { force: DVec3::NEG_Y * 1e6, torque: DVec3::ZERO });
    let nan = DeviceCommand::Wrench(Wrench { force: DVec3::NAN, torque: DVec3::ZERO });
    let begin = Instant::now();
    loop {
        // On a busy machine it may have been let go in between.
        let _ = device.write(&huge);
        assert_eq!(device.write(&nan), Err(DeviceError::BadCommand { device: "haply" }));
        if (service.force() - DVec3::NEG_Y * 10.0).length() < 1e-9 {
            return;
        }
        assert!(begin.elapsed().as_secs() < 5);
    }
}

/// No state older than 8 ms is given, which is the default: so nothing is felt for longer than 10.
#[test]
fn a_silent_service_is_a_lost_device() {
    let service = StandIn::new(full_state(0.0));
    let mut device = service.open_with_silence(HaplyOptions::default().silence);
    service.act(Act::FallSilent);
    wait_for(&mut device, |state| matches!(state, Err(DeviceError::Lost { .. })));
    std::thread::sleep(Duration::from_millis(50));
    let Err(DeviceError::Lost { silent, limit, .. }) = device.read() else { panic!() };
    assert!(limit == 0.008 && silent > limit);
    let error = device.read().unwrap_err().to_string();
    assert!(error.starts_with("haply: silent for") && error.contains("longer than 8 ms"), "{error}");
}

#[test]
fn a_closed_connection_is_noticed_at_once() {
    for act in [Act::Close, Act::Vanish] {
        let service = StandIn::new(full_state(0.0));
        let mut device = service.open();
        device.wait(Duration::from_secs(5)).unwrap();
        service.act(act);
        wait_for(&mut device, |state| matches!(state, Err(DeviceError::Closed { .. })));
        assert!(device.read().unwrap_err().to_string().contains("plugged in"));
    }
}

/// The Inverse3 is pulled out while the service goes on, and plugged in again.
#[test]
fn a_device_that_leaves_the_list_is_lost() {
    let service = StandIn::new(full_state(0.0));
    let mut device = service.open_with_silence(0.3);
    service.act(Act::State(json!({"inverse3": []})));
    wait_for(&mut device, |state| matches!(state, Err(DeviceError::Lost { .. })));
    service.act(Act::State(full_state(0.03)));
    wait_for(&mut device, |state| state.is_ok_and(|state| state.pose.position.x == 0.03));
}

#[test]
fn messages_that_make_no_sense_are_no_states() {
    for nonsense in [
        json!(null),
        json!([1, 2]),
        json!({"inverse3": {"device_id": "049D"}}),
        json!({"inverse3": [{"device_id": "049D", "state": {"cursor_position": {"x": "0", "y": 0, "z": 0}}}]}),
        json!({"inverse3": [{"device_id": "049D", "state": {"cursor_position": {"x": 1.0, "y": 0.0}}}]}),
        json!({"inverse3": [{"device_id": "other", "state": {"cursor_position": {"x": 9.0, "y": 0.0, "z": 0.0}}}]}),
    ] {
        let service = StandIn::new(full_state(0.0));
        let mut device = service.open();
        device.wait(Duration::from_secs(5)).unwrap();
        service.act(Act::State(nonsense));
        service.hear(5);
        let before = device.read().unwrap();
        service.hear(5);
        let after = device.read().unwrap();
        assert_eq!(after, DeviceState { time: after.time, ..before }, "nothing new");
    }
}

#[test]
fn dropping_the_device_lets_go() {
    let service = StandIn::new(full_state(0.0));
    let mut device = service.open();
    service.push_by(&mut device, DVec3::X);
    drop(device);
    // The stand-in ends with the connection, and with it what it heard.
    let last = service.heard.iter().last().expect("the last word");
    assert_eq!(force_in(&last), DVec3::ZERO);
}

#[test]
fn z_is_up_in_its_frame_and_y_in_the_scene() {
    let service = StandIn::new(full_state(0.01));
    let haply = service.open();
    let options = WorkspaceOptions { device_centre: DVec3::new(0.0, -0.12, 0.1), ..WorkspaceOptions::z_up() };
    let mut device = InWorkspace::new(haply, Workspace::new(options).unwrap());
    wait_for(&mut device, Result::is_ok);
    let state = device.read().unwrap();
    assert!(
        (state.pose.position - DVec3::new(0.01, 0.05, 0.0)).length() < 1e-12,
        "5 cm above: {:?}",
        state.pose
    );
    assert!((state.twist.linear - DVec3::new(0.25, -1.0, -0.5)).length() < 1e-12);
}

#[test]
fn nobody_there_and_nothing_plugged_in_are_told_apart() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = Haply::open(&HaplyOptions { address: free, ..Default::default() }).unwrap_err();
    assert!(
        matches!(error, OpenError::Unreachable { .. }) && error.to_string().contains("Haply Hub"),
        "{error}"
    );

    let service = StandIn::new(json!({"session_id": 1, "inverse3": []}));
    let error = Haply::open(&HaplyOptions { address: service.address, ..Default::default() }).unwrap_err();
    assert!(error.to_string().contains("knows no Inverse3; plug it in"), "{error}");

    let service = StandIn::new(full_state(0.0));
    let options =
        HaplyOptions { address: service.address, device_id: Some("1234".into()), ..Default::default() };
    let error = Haply::open(&options).unwrap_err();
    assert!(error.to_string().contains("no Inverse3 with the id 1234"), "{error}");

    // Something else that listens: it never says anything.
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let options = HaplyOptions {
        address: other.local_addr().unwrap(),
        timeout: Duration::from_millis(50),
        ..Default::default()
    };
    assert!(matches!(Haply::open(&options), Err(OpenError::Unexpected { .. })));
}

#[test]
fn the_latest_state_is_the_one_that_is_read() {
    let service = StandIn::new(full_state(0.0));
    let mut device = service.open();
    device.wait(Duration::from_secs(5)).unwrap();
    for i in 1..20 {
        let x = 0.001 * f64::from(i);
        service.act(Act::State(full_state(x)));
        wait_for(&mut device, |state| state.is_ok_and(|state| (state.pose.position.x - x).abs() < 1e-12));
    }
}

/// Whoever restarts the service need not begin anew.
#[test]
fn a_service_that_comes_back_is_found_again() {
    let first = StandIn::new(full_state(0.01));
    let (address, mut device) = (first.address, first.open());
    device.wait(Duration::from_secs(5)).unwrap();
    first.push_by(&mut device, DVec3::new(0.0, 0.0, 2.0));
    drop(first);
    wait_for(&mut device, |state| matches!(state, Err(DeviceError::Closed { .. })));

    let second = StandIn::at(address, full_state(0.07));
    wait_for(&mut device, |state| state.is_ok_and(|state| state.pose.position.x == 0.07));
    // What was told before has grown old: it begins with nothing.
    assert_eq!(second.force(), DVec3::ZERO);
    second.push_by(&mut device, DVec3::new(0.0, 1.5, 0.0));
    // And while nobody is there, dropping it takes no longer than a look does.
    drop(second);
    wait_for(&mut device, |state| matches!(state, Err(DeviceError::Closed { .. })));
}
