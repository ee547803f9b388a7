//! `simulate`: what is written, that a killed run goes on with the same bits, and what is said when it cannot be.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use isotouch::output::npy::npz::Npz;
use serde_json::Value;

use crate::Desk;

const SCENE: &str = r#"
dt = 0.005
seconds = 0.5

[[surfaces]]
name = "ground"
plane = { normal = [0, 1, 0], offset = 0 }

[shapes.ball]
kind = "sphere"
radius = 0.1
triangles = 320
resolution = 24
points = 200

[[bodies]]
name = "low"
shape = "ball"
position = [0, 0.11, 0]

[[bodies]]
name = "high"
shape = "ball"
position = [0.02, 0.4, 0]
"#;

fn desk(scene: &str) -> Desk {
    let desk = Desk::new();
    fs::write(desk.path("s.toml"), scene).unwrap();
    desk
}

fn read(desk: &Desk, name: &str) -> Vec<u8> {
    fs::read(desk.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn writes_tables_arrays_a_film_charts_and_a_summary() {
    let desk = desk(SCENE);
    let run = desk.run(&["simulate", "s.toml", "-o", "out", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let json = run.json();
    assert_eq!(json["steps"], 100);
    assert!((json["seconds"].as_f64().unwrap() - 0.5).abs() < 1e-9);
    let deepest = json["max_penetration"].as_f64().unwrap();
    // 4 J in a spring of some 3·10⁵ N/m, a point or two.
    assert!(deepest > 0.0 && deepest < 5e-3, "{deepest}");

    let csv = String::from_utf8(read(&desk, "out/trajectory.csv")).unwrap();
    let header = csv.lines().next().unwrap();
    assert!(
        header.starts_with(
            "time,kinetic_energy,potential_energy,elastic_energy,penetration,contacts,momentum_x,momentum_y,momentum_z,angular_momentum_x,"
        ),
        "{header}"
    );
    assert_eq!(csv.lines().count(), 102, "a header, the start and 100 steps");
    let arrays = Npz::read(desk.path("out/trajectory.npz")).unwrap();
    assert_eq!(arrays.get("poses").unwrap().shape(), [101, 2, 7]);
    assert_eq!(arrays.get("energies").unwrap().shape(), [101, 3]);
    for name in ["times", "penetration", "contacts"] {
        assert_eq!(arrays.get(name).unwrap().shape(), [101], "{name}");
    }
    for name in ["momentum", "angular_momentum"] {
        assert_eq!(arrays.get(name).unwrap().shape(), [101, 3], "{name}");
    }
    assert_eq!(arrays.get("names").unwrap().shape(), [2, 4], "low and high");
    assert!(read(&desk, "out/scene.glb").starts_with(b"glTF"));
    for name in ["energy", "penetration", "contacts", "step-time"] {
        assert!(read(&desk, &format!("out/{name}.svg")).starts_with(b"<svg"), "{name}");
        assert!(read(&desk, &format!("out/{name}.png")).starts_with(b"\x89PNG"), "{name}");
    }
    let summary: Value = serde_json::from_slice(&read(&desk, "out/summary.json")).unwrap();
    assert_eq!(summary["finished"], true);
    assert_eq!(summary["steps"], json["steps"]);
    assert_eq!(summary["bodies"][1]["name"], "high");

    let text = desk.run(&["simulate", "s.toml", "-o", "out"]);
    assert_eq!(text.code, Some(0), "the same scene may be run again: {}", text.stderr);
    assert!(
        text.stdout.contains("100 steps of 2 bodies") && text.stdout.contains("deepest penetration"),
        "{}",
        text.stdout
    );
}

#[test]
fn a_killed_run_goes_on_with_the_same_bits() {
    // Long enough to be killed, with a checkpoint after every step or so.
    let desk = desk(SCENE);
    let long = ["--seconds", "20", "--checkpoint-every", "0.001"];
    let arguments = |folder: &'static str, more: &[&'static str]| {
        [&["simulate", "s.toml", "-o", folder], &long[..], more].concat()
    };
    let whole = desk.run(&arguments("whole", &[]));
    assert_eq!(whole.code, Some(0), "{}", whole.stderr);

    let mut child =
        desk.command(&arguments("killed", &[])).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    let size = |name: &str| fs::metadata(desk.path(name)).map_or(0, |about| about.len());
    // A row has 30 numbers; some hundred of them.
    while size("killed/resume/recording") < 300 * 30 * 8 && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let second = desk.run(&arguments("killed", &["--resume"]));
    assert!(
        second.code == Some(2) && second.stderr.contains("another simulation is running in"),
        "{}",
        second.stderr
    );
    child.kill().unwrap();
    let ended = child.wait().unwrap();
    assert!(!ended.success() && !desk.path("killed/trajectory.csv").exists(), "it was not killed in time");

    let refused = desk.run(&arguments("killed", &[]));
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("holds a run that was stopped; go on with --resume"),
        "{}",
        refused.stderr
    );

    let resumed = desk.run(&arguments("killed", &["--resume", "--json", "--threads", "1"]));
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    let json = resumed.json();
    assert_eq!(json["steps"], 4000);
    let from = json["resumed_at_step"].as_u64().unwrap();
    assert!((100..4000).contains(&from), "{from}");
    for name in ["trajectory.csv", "trajectory.npz", "scene.glb"] {
        assert!(
            read(&desk, &format!("whole/{name}")) == read(&desk, &format!("killed/{name}")),
            "{name} differs"
        );
    }
}

#[test]
fn a_finished_run_can_be_made_longer() {
    let desk = desk(SCENE);
    for (folder, more) in [
        ("a", &["--seconds", "0.2"][..]),
        ("a", &["--seconds", "0.4", "--resume"]),
        ("b", &["--seconds", "0.4"]),
    ] {
        let run = desk.run(&[&["simulate", "s.toml", "-o", folder], more].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
    assert!(read(&desk, "a/trajectory.csv") == read(&desk, "b/trajectory.csv"));
    let shorter = desk.run(&["simulate", "s.toml", "-o", "a", "--seconds", "0.1", "--resume"]);
    assert_eq!(shorter.code, Some(2));
    assert!(shorter.stderr.contains("0.4 s are simulated already"), "{}", shorter.stderr);
}

/// It was killed after a checkpoint: the summary beside it is of the shorter run.
#[test]
fn a_longer_run_that_was_killed_is_not_replaced_without_a_word() {
    let desk = desk(SCENE);
    desk.succeed(&["simulate", "s.toml", "-o", "a", "--seconds", "0.2"]);
    let summary = read(&desk, "a/summary.json");
    desk.succeed(&["simulate", "s.toml", "-o", "a", "--seconds", "0.4", "--resume"]);
    fs::write(desk.path("a/summary.json"), summary).unwrap();
    let anew = desk.run(&["simulate", "s.toml", "-o", "a", "--seconds", "0.2"]);
    assert_eq!(anew.code, Some(2));
    assert!(anew.stderr.contains("holds a run that was stopped; go on with --resume"), "{}", anew.stderr);
    let resumed = desk.run(&["simulate", "s.toml", "-o", "a", "--seconds", "0.5", "--resume"]);
    assert!(resumed.stdout.contains("more, "), "{}", resumed.stdout);
    // Nor is a longer one that is whole.
    let shorter = desk.run(&["simulate", "s.toml", "-o", "a", "--seconds", "0.2"]);
    assert_eq!(shorter.code, Some(2));
    assert!(shorter.stderr.contains("replace it with --force"), "{}", shorter.stderr);
    desk.succeed(&["simulate", "s.toml", "-o", "a", "--seconds", "0.5"]);
    desk.succeed(&["simulate", "s.toml", "-o", "a", "--seconds", "0.2", "--force"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_saves_where_it_got() {
    let desk = desk(SCENE);
    let arguments = ["simulate", "s.toml", "-o", "out", "--seconds", "5000"];
    let child = desk.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let run = crate::Run::from(child.wait_with_output().unwrap());
    assert_eq!(run.code, Some(130), "{}", run.stderr);
    assert!(run.stderr.contains("go on with --resume"), "{}", run.stderr);
    assert!(desk.path("out/resume/checkpoint").exists());
}

#[test]
fn a_run_that_diverges_ends_with_4_and_keeps_what_there_is() {
    // Nothing is set to make it fail but the integrator: springs of the usual stiffness are too stiff for explicit steps of 5 ms.
    let desk = desk(
        &SCENE
            .replace("dt = 0.005", "dt = 0.005\nintegrator = \"symplectic\"")
            .replace("seconds = 0.5", "seconds = 3"),
    );
    let run = desk.run(&["simulate", "s.toml", "-o", "out", "--json"]);
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    assert!(run.stderr.contains("warning: steps of 0.005 s may be too long"), "{}", run.stderr);
    let said = run.json()["error"].as_str().unwrap().to_owned();
    assert!(said.contains("diverged at t = ") && said.contains("take smaller steps"), "{said}");
    assert!(said.contains("is in out"), "{said}");
    let summary: Value = serde_json::from_slice(&read(&desk, "out/summary.json")).unwrap();
    assert_eq!(summary["finished"], false);
    let steps = summary["steps"].as_u64().unwrap();
    assert!((1..600).contains(&steps), "{steps}");
    let csv = String::from_utf8(read(&desk, "out/trajectory.csv")).unwrap();
    assert_eq!(csv.lines().count() as u64, steps + 2);
    assert!(!csv.contains("NaN"));
    assert!(desk.path("out/resume/checkpoint").exists(), "the last good state is saved");
}

#[test]
fn what_overlaps_at_the_start_is_told() {
    let desk = desk(&SCENE.replace("[0.02, 0.4, 0]", "[0.05, 0.2, 0]"));
    let run = desk.run(&["simulate", "s.toml", "-o", "out", "--seconds", "0.1", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let told = run.json()["warnings"].to_string();
    assert!(
        told.contains("'low' and 'high' overlap by") && told.contains(" mm or more at the start"),
        "{told}"
    );
}

#[test]
fn bad_scenes_and_taken_folders_end_with_2() {
    let desk = desk(SCENE);
    fs::write(desk.path("typo.toml"), "secnds = 1\n").unwrap();
    fs::write(desk.path("missing.toml"), "[[bodies]]\nshape = { file = \"none.obj\" }\n").unwrap();
    fs::write(
        desk.path("open.toml"),
        "[[bodies]]\nname = \"a\"\nshape = { file = \"open.obj\", resolution = 16, points = 50 }\n",
    )
    .unwrap();
    fs::write(
        desk.path("light.toml"),
        "[[bodies]]\nname = \"a\"\nmass = 1\nshape = { file = \"open.obj\", resolution = 16, points = 50 }\n",
    )
    .unwrap();
    for (arguments, wanted) in [
        (
            &["simulate", "typo.toml", "-o", "x"][..],
            "typo.toml:1:1: 'secnds' is no setting of the scene; did you mean 'seconds'?",
        ),
        (&["simulate", "missing.toml", "-o", "x"], "none.obj"),
        (&["simulate", "open.toml", "-o", "x"], "open.toml:1:1: body 'a': its mesh has no mass"),
        (&["simulate", "nowhere", "-o", "x"], "no built-in scene of that name; built in are drop, bowls"),
        (&["simulate", "s.toml", "-o", "x", "--dt", "0"], "--dt"),
        (&["simulate", "s.toml", "-o", "x", "--seconds", "1e9"], "to record"),
        (&["simulate", "s.toml", "-o", "x", "--resume"], "nothing in x to go on from"),
        (&["simulate", "s.toml"], "--output"),
        (&["simulate", "light.toml", "-o", "x"], "mass_properties"),
    ] {
        let run = desk.run(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(wanted), "{arguments:?}: {}", run.stderr);
        assert!(!desk.path("x").exists(), "{arguments:?} leaves an empty folder");
    }

    assert_eq!(desk.run(&["simulate", "s.toml", "-o", "out", "--seconds", "0.1"]).code, Some(0));
    let other = desk.run(&["simulate", "s.toml", "-o", "out", "--seconds", "0.1", "--dt", "0.01"]);
    assert_eq!(other.code, Some(2));
    assert!(other.stderr.contains("out holds results of another scene or time step"), "{}", other.stderr);
    let forced =
        desk.run(&["simulate", "s.toml", "-o", "out", "--seconds", "0.1", "--dt", "0.01", "--force"]);
    assert_eq!(forced.code, Some(0), "{}", forced.stderr);

    fs::write(desk.path("out/resume/checkpoint"), "nonsense").unwrap();
    let damaged = desk.run(&["simulate", "s.toml", "-o", "out", "--resume", "--dt", "0.01"]);
    assert_eq!(damaged.code, Some(2), "{}", damaged.stderr);
}

#[test]
fn built_in_scenes_are_printed_to_be_copied_and_inspected() {
    let desk = desk(SCENE);
    let printed = desk.run(&["simulate", "drop", "--print-scene"]);
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    fs::write(desk.path("copy.toml"), &printed.stdout).unwrap();
    let copied = desk.run(&["simulate", "copy.toml", "-o", "copy", "--seconds", "0.02", "--json"]);
    assert_eq!(copied.code, Some(0), "{}", copied.stderr);
    assert_eq!(copied.json()["steps"], 5);

    // The folder of the first run does not stand in the way of the second.
    for _ in 0..2 {
        let run = desk.run(&["simulate", "incline", "-o", "incline", "--seconds", "0.01"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
    let run = desk.run(&["inspect", "s.toml", "incline", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let files = run.json()["files"].clone();
    assert_eq!((&files[0]["kind"], &files[0]["bodies"][1]["name"]), (&"scene".into(), &"high".into()));
    assert!((files[1]["bodies"][0]["mass"].as_f64().unwrap() - 3.0).abs() < 1e-9);
    let words = desk.run(&["inspect", "s.toml"]).stdout;
    assert!(
        words.contains("high  dynamic, 4.")
            && words.contains("sphere (320 triangles, 24³ cells, 200 points)"),
        "{words}"
    );
}

/// Built-in scenes take models where all of theirs are there, and say so.
#[test]
fn built_in_scenes_take_models_where_there_are_any() {
    let desk = Desk::new();
    fs::create_dir_all(desk.path("models/scan")).unwrap();
    fs::copy(desk.path("part.obj"), desk.path("models/scan/bunny_777v.obj")).unwrap();
    let arguments = ["simulate", "drop", "-o", "out", "--seconds", "0.02", "--force", "--json"];
    let run = |folder: &str| {
        crate::Run::from(desk.command(&arguments).env("ISOTOUCH_MODELS", folder).output().unwrap())
    };
    let with_models = run("models");
    assert_eq!(with_models.code, Some(0), "{}", with_models.stderr);
    assert_eq!(with_models.json()["models"], "models");
    assert_eq!(with_models.json()["bodies"][1]["name"], "bunny");
    // None, and a folder without them.
    for folder in ["", "models/scan"] {
        let json = run(folder).json();
        assert_eq!(json["models"], Value::Null, "{folder}");
        assert_eq!(json["bodies"][1]["name"], "knot", "{folder}");
    }
    let missing = run("nowhere");
    assert_eq!(missing.code, Some(2));
    assert!(missing.json()["error"].as_str().unwrap().contains("nowhere"), "{}", missing.stderr);
}

const NET: &str = r#"
dt = 0.01
seconds = 0.3

[output]
frames_per_second = 20

[[surfaces]]
name = "ground"
plane = { normal = [0, 1, 0], offset = -0.4 }

[[bodies]]
name = "ball"
shape = { kind = "sphere", radius = 0.08, triangles = 320, resolution = 32, points = 100 }
position = [0, 0.1, 0]
mass = 0.05

[[cloth]]
name = "net"
shape = { kind = "sheet", size = [0.6, 0.6], squares = [12, 12] }
stretch = 500
pins = [0, 12, 156, 168]
"#;

#[test]
fn cloth_falls_beside_bodies_and_is_written_as_film_arrays_and_meshes() {
    let desk = desk(NET);
    let run = desk.succeed(&["simulate", "s.toml", "-o", "out", "--obj", "--json"]);
    let json = run.json();
    assert_eq!(json["steps"], 30);
    assert_eq!(json["particles"], 169);
    assert_eq!(json["cloth"][0]["name"], "net");
    assert!(json["cloth_depth"].as_f64().unwrap() < 0.0, "nothing is inside: {}", json["cloth_depth"]);

    let arrays = Npz::read(desk.path("out/trajectory.npz")).unwrap();
    assert_eq!(arrays.get("poses").unwrap().shape(), [31, 1, 7]);
    assert_eq!(arrays.get("net_places").unwrap().shape(), [31, 169, 3]);
    assert_eq!(arrays.get("net_triangles").unwrap().shape(), [288, 3]);
    assert!(read(&desk, "out/scene.glb").starts_with(b"glTF"));
    // The start and every second of its steps at most: 20 frames per second, 100 steps.
    assert!(desk.path("out/obj/net.0006.obj").exists() && !desk.path("out/obj/net.0007.obj").exists());

    let facts = desk.succeed(&["inspect", "s.toml"]);
    assert!(facts.stdout.contains("net  cloth, 0.054 kg: 169 particles"), "{}", facts.stdout);

    // Again, shorter: meshes that are not of this run are gone.
    desk.succeed(&["simulate", "s.toml", "-o", "out", "--seconds", "0.1", "--obj", "--force"]);
    assert!(desk.path("out/obj/net.0002.obj").exists() && !desk.path("out/obj/net.0003.obj").exists());
    let text = desk.run(&["simulate", "s.toml", "-o", "out"]);
    assert!(
        text.stdout.contains("30 steps of 1 body and cloth of 169 particles")
            && text.stdout.contains("never nearer than"),
        "{}",
        text.stdout
    );
}

#[test]
fn cloth_goes_on_with_the_same_bits() {
    let desk = desk(NET);
    desk.succeed(&["simulate", "s.toml", "-o", "whole"]);
    desk.succeed(&["simulate", "s.toml", "-o", "parts", "--seconds", "0.17"]);
    desk.succeed(&["simulate", "s.toml", "-o", "parts", "--resume"]);
    for name in ["trajectory.csv", "trajectory.npz", "scene.glb"] {
        assert_eq!(read(&desk, &format!("whole/{name}")), read(&desk, &format!("parts/{name}")), "{name}");
    }
}

/// What was doubted before a run was stopped was forgotten by the one that went on.
#[test]
fn what_is_to_be_doubted_is_told_by_the_run_that_goes_on_too() {
    // Smaller than a square, and fast: it goes through.
    let small = NET
        .replace("radius = 0.08", "radius = 0.006")
        .replace("position = [0, 0.1, 0]", "position = [0.033, 0.05, 0.017]\nvelocity = [0, -20, 0]");
    let desk = desk(&small);
    let doubts = |arguments: &[&str]| {
        let arguments = [&["simulate", "s.toml", "-o", "out", "--json"], arguments].concat();
        desk.succeed(&arguments).json()["doubts"].clone()
    };
    let first = doubts(&["--seconds", "0.1"]);
    assert!(first[0].as_str().unwrap().contains("'ball' went through the cloth 'net'"), "{first}");
    assert_eq!(doubts(&["--resume"]), first);
}

#[test]
fn built_in_scenes_of_cloth_run_by_their_names_and_go_on() {
    let desk = Desk::new();
    let run = desk.succeed(&["simulate", "hair", "-o", "out", "--seconds", "0.05", "--json"]);
    let json = run.json();
    assert_eq!(json["steps"], 5);
    assert!(json["cloth_depth"].as_f64().unwrap() < 0.0);
    let arrays = Npz::read(desk.path("out/trajectory.npz")).unwrap();
    assert_eq!(arrays.get("hair_strands").unwrap().shape()[1], 2);
    desk.succeed(&["simulate", "hair", "-o", "out", "--seconds", "0.1", "--resume"]);
    desk.succeed(&["simulate", "hair", "-o", "whole", "--seconds", "0.1"]);
    assert_eq!(read(&desk, "whole/trajectory.npz"), read(&desk, "out/trajectory.npz"));

    let refused = desk.run(&["simulate", "hair", "--print-scene"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("is a program and has no text"), "{}", refused.stderr);
    let unknown = desk.run(&["simulate", "curtain", "-o", "out"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("flag-wires"), "{}", unknown.stderr);
}

/// A film that somebody kept there was replaced, and half a checkpoint was taken for one of another scene.
#[test]
fn what_no_simulation_left_and_what_is_damaged_is_called_so() {
    let desk = desk(SCENE);
    fs::create_dir(desk.path("films")).unwrap();
    fs::write(desk.path("films/scene.glb"), "mine").unwrap();
    let refused = desk.run(&["simulate", "s.toml", "-o", "films"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("films holds scene.glb, which no simulation left there"),
        "{}",
        refused.stderr
    );
    assert_eq!(fs::read(desk.path("films/scene.glb")).unwrap(), b"mine");
    let whole = desk.run(&["simulate", "s.toml", "-o", "films", "--seconds", "0.05", "--force"]);
    assert_eq!(whole.code, Some(0), "{}", whole.stderr);
    let checkpoint = fs::read(desk.path("films/resume/checkpoint")).unwrap();
    fs::write(desk.path("films/resume/checkpoint"), &checkpoint[..checkpoint.len() / 2]).unwrap();
    let damaged = desk.run(&["simulate", "s.toml", "-o", "films", "--resume"]);
    assert_eq!(damaged.code, Some(2), "{}", damaged.stderr);
    assert!(
        damaged.stderr.contains("damaged") && !damaged.stderr.contains("another scene"),
        "{}",
        damaged.stderr
    );
    let long = desk.run(&["simulate", "s.toml", "-o", "long", "--dt", "10"]);
    assert_eq!(long.code, Some(2), "{}", long.stderr);
    assert!(long.stderr.contains("longer than the 0.5 s to simulate"), "{}", long.stderr);
}
