//! `haptic`: what is felt, that a recording gives the same forces again, what is written, and what is said when it cannot be.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::time::Duration;

use isotouch::haptics::record::Recording;
use isotouch::output::npy::npz::Npz;
use serde_json::Value;

use crate::{Desk, Run};

/// Quickly made, and touched after half a second.
const SCENE: &str = r#"
about = "A ball on a box"
[haptic]
held = { kind = "sphere", radius = 0.02, triangles = 1280 }
fixed = { kind = "box", size = [0.1, 0.02, 0.1] }
resolution = 48
points = 400
poses = [[0, 0, 0.04, 0], [0.5, 0, 0.02, 0], [1.0, 0.02, 0.02, 0]]
[haptic.coupling]
stiffness = 800
"#;

pub(crate) fn desk() -> Desk {
    let desk = Desk::new();
    fs::write(desk.path("s.toml"), SCENE).unwrap();
    desk
}

#[test]
fn in_step_it_feels_writes_and_tells() {
    let desk = desk();
    let run = desk.run(&["haptic", "s.toml", "--single-threaded", "-o", "out", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let json = run.json();
    assert_eq!(
        (&json["steps"], &json["ticks"]),
        (&1500.into(), &1500.into()),
        "half a second after the last pose"
    );
    assert_eq!(json["max_penetration"], 0.0);
    assert!(json["contacts"].as_u64().unwrap() > 0);
    // Hand and coupling are springs of 400 and 800 N/m one behind the other, the hand's end 10 mm inside: 2.7 N.
    let force = json["max_force"].as_f64().unwrap();
    assert!((2.3..3.3).contains(&force), "{force}");
    for key in ["step_us", "servo_us"] {
        let part = |part: &str| json[key][part].as_f64().unwrap();
        assert!(part("p50") > 0.0 && part("p50") <= part("p99") && part("p99") <= part("max"), "{key}");
    }
    assert_eq!((&json["safety_faults"], &json["finished"]), (&0.into(), &true.into()));
    assert_eq!((&json["missed_deadlines"], &json["rate"]), (&Value::Null, &Value::Null));

    let csv = fs::read_to_string(desk.path("out/trajectory.csv")).unwrap();
    let header = csv.lines().next().unwrap();
    let wanted = "time,force_x,force_y,force_z,torque_x,torque_y,torque_z,penetration,contacts,stuck,hand_x,";
    assert!(header.starts_with(wanted), "{header}");
    assert_eq!(csv.lines().count(), 1501);
    let arrays = Npz::read(desk.path("out/trajectory.npz")).unwrap();
    for (name, shape) in
        [("forces", &[1500, 3][..]), ("torques", &[1500, 3]), ("penetration", &[1500]), ("part", &[1500, 7])]
    {
        assert_eq!(arrays.get(name).unwrap().shape(), shape, "{name}");
    }
    for name in ["force", "torque", "penetration", "contacts", "step-time"] {
        assert!(fs::read(desk.path(&format!("out/{name}.svg"))).unwrap().starts_with(b"<svg"), "{name}");
        assert!(fs::read(desk.path(&format!("out/{name}.png"))).unwrap().starts_with(b"\x89PNG"), "{name}");
    }
    assert!(fs::read(desk.path("out/scene.glb")).unwrap().starts_with(b"glTF"));
    let summary: Value = serde_json::from_slice(&fs::read(desk.path("out/summary.json")).unwrap()).unwrap();
    assert_eq!(summary["steps"], json["steps"]);

    let words = desk.succeed(&["haptic", "s.toml", "--single-threaded", "--method", "penalty"]).stdout;
    assert!(
        words.starts_with("s.toml by penalty: 1,500 steps of") && words.contains("deepest penetration"),
        "{words}"
    );
}

#[test]
fn a_recording_gives_the_same_forces_bit_for_bit() {
    let desk = desk();
    for method in ["constraint", "penalty", "discrete-penalty"] {
        let file = format!("{method}.recording");
        let record = desk.run(&[
            "haptic",
            "s.toml",
            "--single-threaded",
            "--method",
            method,
            "--record",
            &file,
            "--json",
        ]);
        assert_eq!(record.code, Some(0), "{}", record.stderr);
        assert_eq!(record.json()["recording"]["entries"], 1500);

        let again = format!("{method}-again.recording");
        let replay = format!("replay:{file}");
        let run = desk.run(&[
            "haptic", "s.toml", "--device", &replay, "--method", method, "--record", &again, "--json",
        ]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert_eq!(run.json()["replay"]["same_commands"], true, "{method}");
        let open = |name: &str| Recording::open(&desk.path(name)).unwrap();
        let (first, second) = (open(&file), open(&again));
        assert_eq!(first.entries().len(), second.entries().len());
        let pushed = first.entries().iter().filter(|entry| entry.wanted.force.length() > 0.5).count();
        assert!(pushed > 100, "{method}: something is felt in {pushed} ticks");
        for (a, b) in first.entries().iter().zip(second.entries()) {
            assert_eq!((a.command, a.god_pose, a.state), (b.command, b.god_pose, b.state), "{method}");
        }
    }
    // Another method on the same hand: other forces.
    let run = desk.run(&[
        "haptic",
        "s.toml",
        "--device",
        "replay:constraint.recording",
        "--method",
        "penalty",
        "--json",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let json = run.json();
    assert_eq!(json["replay"]["same_commands"], false);
    assert!(json["replay"]["max_force_difference"].as_f64().unwrap() > 0.1);
    let words = desk.succeed(&["haptic", "s.toml", "--device", "replay:constraint.recording"]).stdout;
    assert!(words.contains("the same, bit for bit"), "{words}");
}

/// Options of the command line count in a replay as they do without; and where they are not those of the recording it says so.
#[test]
fn a_replay_keeps_to_the_options_it_is_given_and_tells_of_others() {
    let desk = desk();
    let coarse = ["--resolution", "16", "--points", "50", "--offset", "0.5"];
    let record = ["haptic", "s.toml", "--single-threaded", "--record", "coarse.recording", "--quiet"];
    desk.succeed(&[&record[..], &coarse].concat());
    let replay = ["haptic", "s.toml", "--device", "replay:coarse.recording", "--json"];
    let same = desk.run(&[&replay[..], &coarse].concat());
    assert_eq!(same.code, Some(0), "{}", same.stderr);
    assert_eq!((&same.json()["replay"]["same_commands"], &same.json()["points"]), (&true.into(), &50.into()));
    assert!(!same.stderr.contains("warning"), "{}", same.stderr);
    let other = desk.run(&replay);
    assert_eq!(other.code, Some(0), "{}", other.stderr);
    assert_eq!(other.json()["replay"]["same_commands"], false);
    let warned = "made with constraint offset 0.5 cell";
    assert!(other.stderr.contains(warned) && other.stderr.contains("points 50"), "{}", other.stderr);
}

#[test]
fn inspect_tells_what_a_recording_holds() {
    let desk = desk();
    desk.succeed(&["haptic", "s.toml", "--single-threaded", "--record", "s.recording", "--seconds", "0.3"]);
    let found = desk.run(&["inspect", "s.recording", "--json"]).json()["files"][0].clone();
    assert_eq!((&found["kind"], &found["entries"]), (&"recording".into(), &300.into()), "{found}");
    assert_eq!((&found["device"], &found["finished"]), (&"hand".into(), &true.into()), "{found}");
    let words = desk.succeed(&["inspect", "s.recording"]).stdout;
    assert!(words.contains("300 of 0.299 s at 1000 Hz"), "{words}");
}

/// Whatever is wrong with it, it is told to be a recording, where, and what to do.
#[test]
fn inspect_tells_of_damaged_recordings() {
    let desk = desk();
    desk.succeed(&["haptic", "s.toml", "--single-threaded", "--record", "s.recording", "--seconds", "0.6"]);
    let whole = fs::read(desk.path("s.recording")).unwrap();
    // In its first word, in the header, in a block, in the second block; and nothing but zeros, and nothing.
    for (at, wanted) in [
        (3, "a damaged recording: it does not begin with \"isotrace\" (byte 0)"),
        (100, "a recording that is damaged at byte 0: "),
        (
            1000,
            "a recording that is damaged at byte 256: the checksum of a block is wrong; the 0 entries before",
        ),
        (256 + 32 + 256 * 424 + 1000, "the 256 entries before that are whole"),
    ] {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x55;
        fs::write(desk.path("damaged.recording"), &damaged).unwrap();
        let run = desk.run(&["inspect", "damaged.recording"]);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains(wanted) && run.stderr.contains("--record FILE"), "{at}: {}", run.stderr);
    }
    for nothing in [&[0; 5000][..], &[], &whole[..5]] {
        fs::write(desk.path("damaged.recording"), nothing).unwrap();
        let run = desk.run(&["inspect", "damaged.recording", "--json"]);
        assert_eq!(run.code, Some(2), "{}", run.stdout);
        assert!(run.json()["error"].as_str().unwrap().contains("a damaged recording"), "{}", run.stdout);
    }
}

/// Two walls and a plate between them with room for a skin on either side.
fn passage(desk: &Desk) {
    let mut walls = String::new();
    for x in [-0.3, 0.1] {
        for k in 0..8 {
            let corner = |bit: u32, low: f64, high: f64| if k >> bit & 1 == 0 { low } else { high };
            walls +=
                &format!("v {} {} {}\n", corner(0, x, x + 0.2), corner(1, -0.5, 0.5), corner(2, -0.5, 0.5));
        }
    }
    for first in [1, 9] {
        for [a, b, c, d] in
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
        {
            walls += &format!("f {} {} {} {}\n", a + first, b + first, c + first, d + first);
        }
    }
    fs::write(desk.path("walls.obj"), walls).unwrap();
    let scene = r#"
[haptic]
held = { kind = "box", size = [0.199713, 0.3, 0.3] }
fixed = { file = "walls.obj" }
resolution = 96
points = 400
mass = 0.5
poses = [[0, 0, 0, 0], [0.3, 0.02, 0, 0]]
"#;
    fs::write(desk.path("passage.toml"), scene).unwrap();
}

#[test]
fn what_is_stuck_is_told_with_what_holds_it() {
    let desk = desk();
    passage(&desk);
    let arguments = ["haptic", "passage.toml", "--single-threaded", "--no-cache"];
    let run = desk.run(&[&arguments[..], &["--json"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let json = run.json();
    assert!(json["stuck_steps"].as_u64().unwrap() > 100, "{}", run.stdout);
    let stuck = &json["stuck"][0];
    assert_eq!(stuck["kind"], "pinched", "{stuck}");
    assert!((0.0..0.3).contains(&stuck["time"].as_f64().unwrap()), "{stuck}");
    let held_by = stuck["held_by"].as_array().unwrap();
    assert!(held_by.len() >= 2 && stuck["rows"].as_u64().unwrap() >= held_by.len() as u64, "{stuck}");
    // The proof: forces on both sides, which sum to nothing.
    let number = |value: &Value| value.as_f64().unwrap();
    let sums = [0, 1, 2].map(|axis| {
        held_by.iter().map(|of| number(&of["weight"]) * number(&of["normal"][axis])).sum::<f64>()
    });
    assert!(sums.iter().all(|sum| sum.abs() < 1e-6), "{sums:?}");
    for side in [-1.0, 1.0] {
        let of_side =
            |of: &&Value| number(&of["normal"][0]) * side > 0.9 && number(&of["point"][0]) * side < -0.09;
        assert!(held_by.iter().any(|of| of_side(&of)), "{stuck}");
    }
    let words = desk.succeed(&arguments).stdout;
    assert!(
        words.contains("pinched at t = ") && words.contains(&format!("between {} contacts", held_by.len())),
        "{words}"
    );
}

/// What rounding leaves of no torque, 10⁻²¹ N·m here, is drawn as none.
#[test]
fn charts_of_nothing_are_flat() {
    let desk = desk();
    let freely = ["haptic", "s.toml", "--single-threaded", "--seconds", "0.2", "--method", "penalty"];
    let run = desk.run(&[&freely[..], &["-o", "out", "--json"]].concat());
    assert!((0.0..1e-15).contains(&run.json()["max_torque"].as_f64().unwrap()), "{}", run.stdout);
    let chart = fs::read_to_string(desk.path("out/torque.svg")).unwrap();
    assert!(chart.contains(">0<") && !chart.contains("e−"), "{chart}");
}

#[test]
fn two_loops_run_in_real_time() {
    let desk = desk();
    let run = desk.run(&["haptic", "s.toml", "--record", "live.recording", "--seconds", "0.8", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let json = run.json();
    assert_eq!(
        (&json["ticks"], &json["threads"], &json["max_penetration"]),
        (&800.into(), &2.into(), &0.0.into())
    );
    // How many deadlines are kept is up to the machine; that they are counted is not.
    let (rate, missed) = (json["rate"].as_f64().unwrap(), json["missed_deadlines"].as_u64().unwrap());
    assert!(rate > 10.0 && rate < 1010.0, "{rate}");
    assert!(missed > 0 || rate > 900.0, "{rate} Hz and {missed} missed");
    assert!(json["wall_seconds"].as_f64().unwrap() > 0.75);
    assert!(json["steps"].as_u64().unwrap() <= 800);
    let replay = desk.run(&["haptic", "s.toml", "--device", "replay:live.recording", "--json"]);
    assert_eq!(replay.code, Some(0), "{}", replay.stderr);
    assert_eq!(replay.json()["max_penetration"], 0.0);
}

#[test]
fn bad_input_is_named_and_ends_with_2() {
    let desk = desk();
    desk.succeed(&["haptic", "s.toml", "--single-threaded", "--record", "s.recording", "--seconds", "0.05"]);
    fs::write(desk.path("typo.toml"), SCENE.replace("points", "pionts")).unwrap();
    fs::write(desk.path("inside.toml"), SCENE.replace("[0, 0, 0.04, 0]", "[0, 0, 0.0, 0]")).unwrap();
    // The ball's lowest point touches the box 29.86 mm above its middle, and cells are 2.3 mm wide.
    fs::write(desk.path("hardly-inside.toml"), SCENE.replace("[0, 0, 0.04, 0]", "[0, 0, 0.028, 0]")).unwrap();
    fs::write(desk.path("times.toml"), SCENE.replace("[0.5, 0, 0.02, 0]", "[0, 0, 0.02, 0]")).unwrap();
    fs::write(desk.path("no-csv.toml"), SCENE.replace("poses = ", "path = \"none.csv\" #")).unwrap();
    fs::write(desk.path("open.toml"), SCENE.replace("held = ", "held = { file = \"open.obj\" } #")).unwrap();
    fs::write(desk.path("nothing.recording"), "not one").unwrap();
    for (arguments, wanted) in [
        (&["nowhere"][..], "no built-in scene of that name; built in are peg, peg-tight, alpha"),
        (&["drop"], "drop is one for `isotouch simulate`"),
        (&["typo.toml"], "typo.toml:7:1: 'pionts' is no setting of the haptic scene; did you mean 'points'?"),
        (&["inside.toml"], "inside.toml:8:9: at the first pose the held part is"),
        (&["inside.toml"], "mm deep in the fixed one"),
        (&["hardly-inside.toml"], "begin where they are apart, or shrink the field with an offset of -0.83"),
        (&["times.toml"], "times.toml:8:9: "),
        (&["times.toml"], "the time of pose 2, counted from 1, is not after the one before"),
        (&["no-csv.toml"], "none.csv: "),
        (&["no-csv.toml"], "check the name, which counts from the scene's folder"),
        (&["pegg"], "did you mean 'peg'?"),
        (&["open.toml"], "open or join triangles"),
        (&["s.toml", "--rate", "0"], "--rate"),
        (&["s.toml", "--rate", "100000"], "it has to be from 200 to 20000"),
        (&["s.toml", "--offset", "3"], "it has to be from -1.5 to 1.5"),
        (&["s.toml", "--method", "springs"], "use one of: constraint, penalty, discrete-penalty"),
        (&["s.toml", "--device", "mouse"], "use one of: hand, replay:FILE, haply, page"),
        (
            &["s.toml", "--device", "replay:none.recording"],
            "none.recording: there is no such recording; check the name, or make one with",
        ),
        (&["s.toml", "--seconds", "1e12"], "1000000"),
        (&["s.toml", "--device", "replay:nothing.recording"], "not a recording of a haptic session"),
        (&["wall", "--device", "replay:s.recording"], "s.recording is a recording of s.toml, not of wall"),
        (&["s.toml", "--device", "replay:s.recording", "--rate", "500"], "leave out --rate"),
        (&["s.toml", "--port", "8000"], "--port is for --device page"),
        (&["s.toml", "--device", "haply", "--wait", "2"], "--wait is for --device page"),
        (&["s.toml", "--other-scene"], "--other-scene is for --device replay:FILE"),
        (&["s.toml", "--device", "page", "--single-threaded"], "--single-threaded runs without a clock"),
        (&["s.toml", "--device", "haply", "--single-threaded"], "somebody holds this device; leave it out"),
        (
            &["s.toml", "--device", "replay:s.recording", "--record", "s.recording"],
            "is also an input and would be overwritten; choose another name with --record",
        ),
        (&["s.toml", "--record", "s.dat"], "only .recording is written"),
        (&["s.toml", "--seconds", "-1"], "--seconds"),
    ] {
        let run = desk.run(&[&["haptic"], arguments].concat());
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(wanted), "{arguments:?}: {}", run.stderr);
    }
    // What was said to do does.
    desk.succeed(&["haptic", "hardly-inside.toml", "--offset", "-0.83", "--seconds", "0.01", "--quiet"]);
    let other = desk.run(&["haptic", "wall", "--device", "replay:s.recording", "--other-scene", "--quiet"]);
    assert_eq!(other.code, Some(0), "{}", other.stderr);

    // Where somebody has an Inverse3, this would be felt.
    if TcpStream::connect("127.0.0.1:10001").is_err() {
        let run = desk.run(&["haptic", "wall", "--device", "haply", "--seconds", "0.1"]);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(
            run.stderr.contains("127.0.0.1:10001") && run.stderr.contains("start the Haply Hub"),
            "{}",
            run.stderr
        );
    }
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let run = desk.run(&["haptic", "wall", "--device", "page", "--port", &port]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains(&port), "{}", run.stderr);
}

#[test]
fn built_in_scenes_are_printed_to_be_copied() {
    let desk = desk();
    let printed = desk.succeed(&["haptic", "wall", "--print-scene"]);
    fs::write(desk.path("copy.toml"), &printed.stdout).unwrap();
    let copy = desk.succeed(&["haptic", "copy.toml", "--single-threaded", "--seconds", "0.02", "--json"]);
    assert_eq!(copy.json()["steps"], 20);
    let coarse =
        ["--single-threaded", "--resolution", "64", "--points", "300", "--seconds", "0.05", "--quiet"];
    for name in ["peg", "peg-tight", "alpha", "sliding", "landing-gear", "three-bars", "wall"] {
        desk.succeed(&[&["haptic", name], &coarse[..]].concat());
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_well_and_writes_what_there_is() {
    let desk = desk();
    let arguments =
        ["haptic", "s.toml", "--seconds", "500", "-o", "out", "--record", "cut.recording", "--json"];
    let child = desk.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(2500));
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let run = Run::from(child.wait_with_output().unwrap());
    assert_eq!(run.code, Some(130), "{}", run.stderr);
    let json = run.json();
    assert_eq!(json["finished"], false);
    let ticks = json["ticks"].as_u64().unwrap();
    assert!(ticks > 10, "{ticks}");
    let csv = fs::read_to_string(desk.path("out/trajectory.csv")).unwrap();
    assert_eq!(csv.lines().count() as u64, ticks + 1);
    let recording = Recording::open(&desk.path("cut.recording")).unwrap();
    assert!(recording.is_finished());
    assert_eq!(recording.entries().len() as u64 + recording.dropped(), ticks);
}

/// What a killed process or a full disk leaves behind must not pass for a whole session.
#[test]
fn a_recording_that_was_cut_off_is_told_of() {
    let desk = desk();
    desk.succeed(&["haptic", "s.toml", "--single-threaded", "--record", "w.recording", "--seconds", "0.6"]);
    let whole = fs::read(desk.path("w.recording")).unwrap();
    // A header of 256 bytes, blocks of at most 256 entries of 424 bytes with 32 before them, and 32 bytes at the end.
    let block = 32 + 256 * 424;
    for (bytes, entries) in [(whole.len() - 32, 600), (256 + 2 * block + 100, 512), (256 + block, 256)] {
        fs::write(desk.path("cut.recording"), &whole[..bytes]).unwrap();
        let run = desk.run(&["haptic", "s.toml", "--device", "replay:cut.recording", "--json"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let warned = run.json()["warnings"][0].as_str().unwrap().to_owned();
        assert!(
            warned.contains(&format!("was cut off; {entries} entries before that are whole")),
            "{warned}"
        );
        assert_eq!(run.json()["replay"]["entries"], entries);
        assert_eq!(run.json()["replay"]["same_commands"], true);
    }
    for bytes in [256, 270, 5000] {
        fs::write(desk.path("cut.recording"), &whole[..bytes]).unwrap();
        let run = desk.run(&["haptic", "s.toml", "--device", "replay:cut.recording"]);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains("cut.recording: there are 0 entries"), "{}", run.stderr);
    }
}

#[test]
fn a_replay_says_that_its_recording_was_made_in_two_threads() {
    let desk = desk();
    desk.succeed(&["haptic", "s.toml", "--record", "two.recording", "--seconds", "0.8"]);
    let run = desk.run(&["haptic", "s.toml", "--device", "replay:two.recording", "--json"]);
    assert_eq!(run.json()["replay"]["single_threaded"], false, "{}", run.stdout);
    let words = desk.succeed(&["haptic", "s.toml", "--device", "replay:two.recording"]).stdout;
    assert!(words.contains("made in two threads") || words.contains("bit for bit"), "{words}");
    desk.succeed(&["haptic", "s.toml", "--single-threaded", "--record", "one.recording", "--seconds", "0.8"]);
    let run = desk.run(&["haptic", "s.toml", "--device", "replay:one.recording", "--json"]);
    assert_eq!(run.json()["replay"]["single_threaded"], true, "{}", run.stdout);
}
