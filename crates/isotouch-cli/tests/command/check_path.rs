//! Paths with the command: what it answers, what it says, and puzzles and machine parts with known answers.

#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use isotouch::math::{DQuat, DVec3, Motion, MotionKind, Pose};
use isotouch::mesh::{TriMesh, io, shapes};
use serde_json::Value;

use crate::Desk;

/// A ball and a plate with room for paths around it.
fn desk() -> Desk {
    let desk = Desk::new();
    io::write(desk.path("ball.obj"), &shapes::sphere(0.5, 320).unwrap()).unwrap();
    io::write(desk.path("plate.obj"), &shapes::cuboid(DVec3::new(4.0, 4.0, 0.5)).unwrap()).unwrap();
    desk
}

fn write(desk: &Desk, name: &str, text: &str) {
    std::fs::write(desk.path(name), text).unwrap();
}

const BASE: [&str; 7] = ["check-path", "--moving", "ball.obj", "--fixed", "plate.obj", "--resolution", "48"];

fn check(desk: &Desk, more: &[&str]) -> crate::Run {
    desk.run(&[&BASE, more].concat())
}

#[test]
fn free_contact_and_undecided_have_their_exit_codes() {
    let desk = desk();
    write(&desk, "over.csv", "x,y,z,qx,qy,qz,qw\n-3,0,1,0,0,0,1\n0,0,1,0,0,0,1\n3,0,1,0,0,0,1\n");
    let free = check(&desk, &["--path", "over.csv", "--json", "--plot", "over.svg"]);
    assert_eq!(free.code, Some(0), "{}", free.stderr);
    let json = free.json();
    assert_eq!((&json["answer"], &json["first_contact"]), (&"free".into(), &Value::Null));
    let clearance = json["clearance"].as_f64().unwrap();
    assert!((0.22..=0.25).contains(&clearance), "{clearance}");
    assert_eq!(json["legs"].as_array().unwrap().len(), 2);
    let plot = std::fs::read_to_string(desk.path("over.svg")).unwrap();
    assert!(plot.starts_with("<svg") && plot.contains("clearance") && !plot.contains("NaN"));

    write(&desk, "down.path", "# falls\n0 0 3 0 0 0 1\n0 0 -3 0 0 0 1\n");
    let contact = check(&desk, &["--path", "down.path", "--json"]);
    assert_eq!(contact.code, Some(1));
    let json = contact.json();
    let first = &json["first_contact"];
    assert_eq!(
        (&json["answer"], &first["leg"], &first["kind"]),
        (&"contact".into(), &0.into(), &"surface".into())
    );
    // The lowest vertex of the ball reaches the plate at z = 0.75.
    assert!((first["t"].as_f64().unwrap() - 2.25 / 6.0).abs() < 0.002, "{first}");
    assert_eq!(first["pose"].as_array().unwrap().len(), 7);
    assert_eq!(first["point"].as_array().unwrap().len(), 3);
    assert_eq!(json["clearance"], 0.0);
    assert!(!json["legs"][0]["contacts"].as_array().unwrap().is_empty());

    // It ends a little above what is asked for, by far less than the tolerance.
    write(&desk, "close.path", "0 0 3 0 0 0 1\n0 0 1.0000001 0 0 0 1\n");
    let close =
        check(&desk, &["--path", "close.path", "--clearance", "0.25", "--tolerance", "0.01", "--json"]);
    assert_eq!(close.code, Some(3), "{}", close.stdout);
    assert_eq!(close.json()["answer"], "undecided");
    let text = check(&desk, &["--path", "down.path"]).stdout;
    assert!(text.starts_with("contact: the parts touch\n") && text.contains("leg 1 of 1"), "{text}");
    // Nearer than asked for is no touch.
    let text = check(&desk, &["--path", "close.path", "--clearance", "10"]).stdout;
    assert!(text.starts_with("contact: the parts come nearer than the clearance asked for\n"), "{text}");
    assert!(text.contains("distance  2.25"), "{text}");
}

#[test]
fn bad_paths_are_refused_with_their_line() {
    let desk = desk();
    let cases = [
        ("", "has no poses"),
        ("0 0 1 0 0 0 1\n", "has only one pose"),
        ("0 0 1 0 0 0 1\n0 0 2 0 0 0 0\n", "bad.path: line 2: the quaternion is zero"),
        (
            "0 0 1 0 0 0 1\n\n0 0 2 0 0 0 3\n",
            "bad.path: line 3: the quaternion qx, qy, qz, qw has length 3.000000",
        ),
        ("0 0 nan 0 0 0 1\n", "bad.path: line 1: a pose needs seven finite numbers"),
        ("a,b\n1,2\n", "bad.path: line 1: the header must be x,y,z,qx,qy,qz,qw"),
        ("\u{1b}[31m\u{7}", r"bad.path: line 1: '\u{1b}[31m\u{7}' is not a number"),
        (
            "t,x,y,z,qx,qy,qz,qw\n1,0,0,1,0,0,0,1\n0.5,0,0,2,0,0,0,1\n",
            "bad.path: line 3: t is 0.5 after 1; poses must stand in the order of their times",
        ),
    ];
    for (text, said) in cases {
        write(&desk, "bad.path", text);
        let run = check(&desk, &["--path", "bad.path"]);
        assert_eq!(run.code, Some(2), "{text}");
        assert!(run.stderr.contains(said), "{text}: {}", run.stderr);
    }
    let run = check(&desk, &["--path", "missing.path"]);
    assert!(run.code == Some(2) && run.stderr.contains("cannot read missing.path"), "{}", run.stderr);
    desk.make_field("part.field");
    write(&desk, "over.path", "0 0 3 0 0 0 1\n0 0 2 0 0 0 1\n");
    let run =
        desk.run(&["check-path", "--moving", "ball.obj", "--fixed", "part.field", "--path", "over.path"]);
    assert!(run.code == Some(2) && run.stderr.contains("the mesh itself is needed"), "{}", run.stderr);
}

#[test]
fn paths_come_from_standard_input_too() {
    let desk = desk();
    let mut command = desk.command(&[&BASE[..], &["--path", "-", "--json"]].concat());
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"0;0;3;0;0;0;1\n0;0;2;0;0;0;1\n").unwrap();
    let run = crate::Run::from(child.wait_with_output().unwrap());
    assert_eq!((run.code, &run.json()["answer"]), (Some(0), &"free".into()), "{}", run.stderr);
    // Nothing comes from there.
    let run = check(&desk, &["--path", "-"]);
    assert!(run.code == Some(2) && run.stderr.contains("standard input has no poses"), "{}", run.stderr);
}

#[test]
fn strange_situations_are_explained() {
    let desk = desk();
    write(&desk, "in.path", "0 0 0 0 0 0 1\n0 0 3 0 0 0 1\n");
    let run = check(&desk, &["--path", "in.path", "--json"]);
    assert_eq!((run.code, &run.json()["starts_in_contact"]), (Some(1), &true.into()));
    let text = check(&desk, &["--path", "in.path"]).stdout;
    assert!(text.contains("at the first pose: --ignore-start-contact lets it pass"), "{text}");
    write(&desk, "into.path", "0 0 3 0 0 0 1\n0 0 0 0 0 0 1\n");
    let text = check(&desk, &["--path", "into.path"]).stdout;
    assert!(text.starts_with("contact") && !text.contains("--ignore-start-contact"), "{text}");
    let run = check(&desk, &["--path", "in.path", "--ignore-start-contact", "--json"]);
    assert_eq!((run.code, &run.json()["starts_in_contact"]), (Some(0), &true.into()));
    // Apart from z = 0.75 on; before, nothing is proven, and nothing says so.
    let json = run.json();
    let from = &json["checked_from"];
    assert!(from["leg"] == 0 && (from["t"].as_f64().unwrap() - 0.25).abs() < 0.002, "{from}");
    assert_eq!(json["legs"][0]["checked_from"], from["t"]);
    let text = check(&desk, &["--path", "in.path", "--ignore-start-contact"]).stdout;
    assert!(text.starts_with("free from leg 1, t = 0.25") && text.contains("was let pass"), "{text}");
    write(&desk, "slow.path", "0 0 0 0 0 0 1\n0 0 0.1 0 0 0 1\n0 0 3 0 0 0 1\n");
    let run = check(&desk, &["--path", "slow.path", "--ignore-start-contact", "--json"]);
    let answers: Vec<Value> =
        run.json()["legs"].as_array().unwrap().iter().map(|leg| leg["answer"].clone()).collect();
    assert_eq!(answers, ["let_pass", "free"]);

    io::write(desk.path("tiny.obj"), &shapes::sphere(0.0001, 80).unwrap()).unwrap();
    let within = [
        "check-path",
        "--moving",
        "tiny.obj",
        "--fixed",
        "plate.obj",
        "--resolution",
        "48",
        "--path",
        "small.path",
    ];
    write(&desk, "small.path", "0 0 0 0 0 0 1\n0 0 0.01 0 0 0 1\n");
    let run = desk.run(&within);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("millimetres"), "{}", run.stderr);
    assert!(run.stdout.contains("wholly inside the other one"), "{}", run.stdout);
}

/// Half a turn of a rod about one of its ends, past a post: rigid and screw sweep over it, chords pass inside it.
#[test]
fn motions_are_what_they_are_called() {
    let desk = Desk::new();
    let shifted = |size: DVec3, by: DVec3| shapes::cuboid(size).unwrap().mapped(|p| p + by).unwrap();
    io::write(desk.path("rod.obj"), &shifted(DVec3::new(2.0, 0.1, 0.1), DVec3::X)).unwrap();
    io::write(desk.path("post.obj"), &shifted(DVec3::splat(0.3), DVec3::Y * 1.8)).unwrap();
    write(&desk, "turn.path", "0 0 0 0 0 0 1\n0 0 0 0 0 1 0.01\n");
    let with = |motion: &str, more: &[&str]| {
        let base = ["check-path", "--moving", "rod.obj", "--fixed", "post.obj", "--path", "turn.path"];
        desk.run(&[&base[..], &["--resolution", "32", "--motion", motion], more].concat())
    };
    for (motion, code) in [("rigid", 1), ("screw", 1), ("chord", 0)] {
        let run = with(motion, &["--json", "--plot", "plot.svg"]);
        assert_eq!((run.code, &run.json()["motion"]), (Some(code), &motion.into()), "{}", run.stdout);
    }
    // By chords the rod is nowhere near: the plot draws no contact, and the pose of one is said to be nominal.
    io::write(desk.path("post.obj"), &shifted(DVec3::splat(0.3), DVec3::new(0.5, 0.1, 0.0))).unwrap();
    let text = with("chord", &[]).stdout;
    assert!(text.contains("of the rigid motion"), "{text}");
}

/// A path of many poses: every leg is looked at, and the answer comes in seconds.
#[test]
fn long_paths_are_checked() {
    let desk = desk();
    let mut text = String::new();
    for k in 0..100_000 {
        let angle = 0.001 * f64::from(k);
        text.push_str(&format!("{} {} 5 0 0 0 1\n", 2.0 * angle.cos(), 2.0 * angle.sin()));
    }
    text.push_str("0 0 5 0 0 0 1\n0 0 0 0 0 0 1\n");
    write(&desk, "long.path", &text);
    let run = check(&desk, &["--path", "long.path", "--json"]);
    let json = run.json();
    assert_eq!((run.code, &json["first_contact"]["leg"]), (Some(1), &100_000.into()));
    assert_eq!(
        json["legs"].as_array().unwrap().len() as u64 + json["legs_left_out"].as_u64().unwrap(),
        100_001
    );
}

/// Of very many legs, as much is kept and drawn as people can read.
#[test]
fn very_long_paths_are_drawn_in_little_room() {
    let desk = desk();
    let lines: Vec<String> =
        (0..20_001).map(|k| format!("{} 0 5 0 0 0 1", 0.001 * f64::from(k % 100))).collect();
    write(&desk, "long.path", &lines.join("\n"));
    let run = check(&desk, &["--path", "long.path", "--plot", "long.svg"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("and 19,976 legs with more clearance"), "{}", run.stdout);
    let size = std::fs::metadata(desk.path("long.svg")).unwrap().len();
    assert!(size < 300_000, "{size}");
}

/// Two paths that differ in the last digit of a quaternion turn opposite ways.
#[test]
fn half_turns_are_warned_of() {
    let desk = desk();
    let start = "x,y,z,qx,qy,qz,qw\n0,0,5,0,0,0,1\n0,0,6,0,0,0,1\n";
    for (end, is_half) in [("1,0", true), ("1,-1e-17", true), ("-1,1e-7", true), ("1,0.0001", false)] {
        write(&desk, "turn.csv", &format!("{start}0,0,6,0,0,{end}\n"));
        let run = check(&desk, &["--path", "turn.csv", "--json"]);
        let warnings = run.json()["warnings"].to_string();
        assert_eq!(warnings.contains("turn.csv: a leg is half a turn"), is_half, "{warnings}");
        assert_eq!(warnings.contains("leg 2 (to line 4)"), is_half, "{warnings}");
    }
    let spins: String = (0..6).map(|k| format!("0 0 5 0 0 {} {}\n", k % 2, (k + 1) % 2)).collect();
    write(&desk, "spins.path", &spins);
    let run = check(&desk, &["--path", "spins.path"]);
    assert!(
        run.stderr.contains("5 legs are half a turn") && run.stderr.contains("and 2 more"),
        "{}",
        run.stderr
    );
    let chords = check(&desk, &["--path", "spins.path", "--motion", "chord"]);
    assert!(!chords.stderr.contains("half a turn"), "{}", chords.stderr);
}

/// Caps close holes of the fixed part only, so answers may change when the parts are exchanged.
#[test]
fn open_moving_meshes_are_warned_of() {
    let desk = desk();
    let ball = shapes::sphere(0.5, 320).unwrap();
    let mut flipped = ball.triangles().to_vec();
    flipped[7].swap(0, 1);
    io::write(desk.path("flipped.obj"), &TriMesh::new(ball.vertices().to_vec(), flipped).unwrap()).unwrap();
    write(&desk, "over.path", "-3 0 9 0 0 0 1\n0 0 9 0 0 0 1\n");
    let with = |moving: &str| {
        let base =
            ["check-path", "--fixed", "plate.obj", "--resolution", "32", "--path", "over.path", "--json"];
        desk.run(&[&base[..], &["--moving", moving]].concat())
    };
    let open = with("open.obj");
    assert!(open.stderr.contains("open.obj: the moving mesh is open (1 hole, "), "{}", open.stderr);
    assert!(open.json()["warnings"].to_string().contains("closed by caps"), "{}", open.stdout);
    let flipped = with("flipped.obj");
    assert!(flipped.stderr.contains("face opposite ways at 3 edges"), "{}", flipped.stderr);
    assert_eq!(with("ball.obj").stderr, "");
}

/// Legs so long that their rounding is larger than the parts are undecided, or found to touch, and soon.
#[test]
fn legs_that_rounding_hides_end_soon() {
    let desk = desk();
    for far in ["1e12", "1e14", "1e16", "1e18", "1e60"] {
        write(&desk, "far.path", &format!("0 0 2 0 0 0 1\n{far} 0 3 0 0 0 1\n"));
        let start = Instant::now();
        let run = check(&desk, &["--path", "far.path", "--json"]);
        assert!(start.elapsed().as_secs() < 30, "{far}");
        let json = run.json();
        assert!(run.code != Some(2) && run.code != Some(4), "{far}: {}", run.stdout);
        if json["answer"] == "undecided" {
            let reason = json["undecided"]["reason"].as_str().unwrap();
            assert!(["rounding", "too_close", "given_up"].contains(&reason), "{far}: {json}");
        }
    }
    write(&desk, "far.path", "0 0 2 0 0 0 1\n1e14 0 3 0 0 0 1\n");
    let text = check(&desk, &["--path", "far.path"]);
    assert_eq!(text.code, Some(3), "{}", text.stdout);
    assert!(text.stdout.contains("their rounding hides how close"), "{}", text.stdout);
}

/// A part far from the origin of its poses moves no faster than it does, by chords and screws: the answer is that of the same motion of a near origin.
#[test]
fn far_origins_of_screws_and_chords_cost_nothing() {
    let desk = desk();
    let far = DVec3::new(5e3, -3e3, 2e3);
    let moved = shapes::sphere(0.5, 320).unwrap().mapped(|p| p + far).unwrap();
    io::write(desk.path("moved.obj"), &moved).unwrap();
    let ends = [(DVec3::new(-3.0, 0.0, 1.0), 0.0), (DVec3::new(3.0, 0.1, 1.1), 1.0)];
    let lines = |of: DVec3| {
        let line = |(at, angle): (DVec3, f64)| {
            let rotation = DQuat::from_rotation_x(angle);
            let pose = Pose { position: at - rotation * of, rotation };
            pose.to_numbers().map(|x| format!("{x:?}")).join(" ")
        };
        ends.map(line).join("\n")
    };
    write(&desk, "near.path", &lines(DVec3::ZERO));
    write(&desk, "far.path", &lines(far));
    for motion in ["screw", "chord"] {
        let near = check(&desk, &["--path", "near.path", "--motion", motion, "--json"]);
        let base = ["check-path", "--moving", "moved.obj", "--fixed", "plate.obj", "--resolution", "48"];
        let far = desk.run(&[&base[..], &["--path", "far.path", "--motion", motion, "--json"]].concat());
        assert_eq!((near.code, far.code), (Some(0), Some(0)), "{motion}: {}", far.stdout);
        let [near, far] = [near, far].map(|run| run.json());
        let [a, b] = [&near, &far].map(|json| json["clearance"].as_f64().unwrap());
        assert!((a - b).abs() < 0.02 * a, "{motion}: {a} {b}");
        let [a, b] = [&near, &far].map(|json| json["looks"].as_u64().unwrap());
        assert!(b < 2 * a + 100, "{motion}: {a} {b} looks");
    }
}

fn models() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models");
    let folder = std::env::var_os("ISOTOUCH_MODELS").map_or_else(beside, PathBuf::from);
    if !folder.is_dir() {
        println!("skipped: no models in {}", folder.display());
    }
    folder.canonicalize().ok()
}

/// What FCL says at poses; `None` where it is not installed.
fn fcl(moving: &Path, fixed: &Path, origin: DVec3, poses: &[[f64; 7]]) -> Option<Vec<bool>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command/judge_by_fcl.py");
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    if !Command::new(&python).args(["-c", "import fcl"]).output().ok()?.status.success() {
        println!("skipped: no FCL here (./test unit brings it)");
        return None;
    }
    let mut child = Command::new(&python)
        .arg(script)
        .args([moving, fixed])
        .args(origin.to_array().map(|x| x.to_string()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = String::new();
    for pose in poses {
        input.push_str(&format!("{}\n", pose.map(|x| format!("{x:?}")).join(" ")));
    }
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    Some(String::from_utf8(output.stdout).unwrap().lines().map(|line| line != "0").collect())
}

/// A puzzle with a known solution.
struct Puzzle {
    robot: PathBuf,
    walls: PathBuf,
    path: PathBuf,
    origin: DVec3,
}

impl Puzzle {
    fn new(models: &Path, robot: &str, walls: &str, path: &str) -> Self {
        let folder = models.join("puzzle");
        let text = std::fs::read_to_string(folder.join(robot)).unwrap();
        let line = text.lines().find(|line| line.contains("robot centre")).unwrap();
        let numbers: Vec<f64> =
            line.rsplit(':').next().unwrap().split_whitespace().map(|n| n.parse().unwrap()).collect();
        Self {
            robot: folder.join(robot),
            walls: folder.join(walls),
            path: folder.join(path),
            origin: DVec3::new(numbers[0], numbers[1], numbers[2]),
        }
    }

    fn check(&self, desk: &Desk, origin: DVec3) -> (Option<i32>, Value) {
        let shown = |path: &Path| path.to_str().unwrap().to_owned();
        let origin = format!("--moving-origin={}", origin.to_array().map(|x| x.to_string()).join(","));
        let run = desk.run(&[
            "check-path",
            "--moving",
            &shown(&self.robot),
            "--fixed",
            &shown(&self.walls),
            "--path",
            &shown(&self.path),
            &origin,
            "--resolution",
            "128",
            "--json",
        ]);
        (run.code, run.json())
    }

    /// Poses between those of the file, evenly.
    fn sampled(&self, per_leg: u32) -> Vec<[f64; 7]> {
        let file = std::io::BufReader::new(std::fs::File::open(&self.path).unwrap());
        let poses: Vec<Pose> = isotouch::ccd::path::PathReader::new(file).map(Result::unwrap).collect();
        let mut all = Vec::new();
        for two in poses.windows(2) {
            let motion = Motion::new(MotionKind::Rigid, two[0], two[1]);
            all.extend((0..per_leg).map(|k| motion.pose(f64::from(k) / f64::from(per_leg)).to_numbers()));
        }
        all
    }
}

fn numbers<const N: usize>(value: &Value) -> [f64; N] {
    let all: Vec<f64> = value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    all.try_into().unwrap()
}

/// Both puzzles' paths are proven free, as FCL finds no contact at poses of it; with the robot's centre moved by 2 % of its size there is contact, at a
/// pose at which FCL finds one too.
#[test]
fn puzzles_are_decided_as_fcl_says() {
    let Some(models) = models() else { return };
    let desk = Desk::new();
    let puzzles = [
        (Puzzle::new(&models, "alpha_robot.obj", "alpha_env-1.2.obj", "alpha-1.2.path"), 0.0025..0.0045),
        (Puzzle::new(&models, "Twistycool_robot.obj", "Twistycool_env.obj", "Twistycool.path"), 0.1..0.2),
    ];
    for (puzzle, clearance) in &puzzles {
        let (code, json) = puzzle.check(&desk, puzzle.origin);
        assert_eq!((code, &json["answer"]), (Some(0), &"free".into()), "{json}");
        assert!(clearance.contains(&json["clearance"].as_f64().unwrap()), "{}", json["clearance"]);
        let sampled = fcl(&puzzle.robot, &puzzle.walls, puzzle.origin, &puzzle.sampled(20));
        assert!(sampled.is_none_or(|found| found.iter().all(|collides| !collides)));

        let size = io::read(&puzzle.robot, &Default::default()).unwrap().mesh.bounds().extent().max_element();
        let moved = puzzle.origin + DVec3::X * (0.02 * size);
        let (code, json) = puzzle.check(&desk, moved);
        assert_eq!((code, &json["answer"]), (Some(1), &"contact".into()), "{json}");
        let pose: [f64; 7] = numbers(&json["first_contact"]["pose"]);
        assert_eq!(fcl(&puzzle.robot, &puzzle.walls, moved, &[pose]).unwrap_or(vec![true]), [true]);
    }
}

/// Where the part is at the first contact, or how far it stays away.
fn assemble(desk: &Desk, moving: &str, fixed: &str, path: &[Pose]) -> (Option<i32>, Value) {
    let Some(models) = models() else { return (None, Value::Null) };
    let file = |name: &str| models.join("assembly").join(name).to_str().unwrap().to_owned();
    let lines: Vec<String> =
        path.iter().map(|pose| pose.to_numbers().map(|x| format!("{x:?}")).join(",")).collect();
    write(desk, "insert.csv", &lines.join("\n"));
    let run = desk.run(&[
        "check-path",
        "--moving",
        &file(moving),
        "--fixed",
        &file(fixed),
        "--path",
        "insert.csv",
        "--resolution",
        "128",
        "--json",
    ]);
    (run.code, run.json())
}

#[test]
fn pegs_go_into_their_hole_and_not_beside_it() {
    if models().is_none() {
        return;
    }
    let desk = Desk::new();
    let hole = "factory_round_hole_8mm_subdiv_3x.obj";
    let down = |x: f64| [Pose::at(DVec3::new(x, 0.0, 0.05)), Pose::at(DVec3::new(x, 0.0, 0.0))];
    for (peg, clearance) in [("loose", 4.9e-5..5.8e-5), ("tight", 4.5e-5..5.4e-5)] {
        let peg = format!("factory_round_peg_8mm_{peg}.obj");
        let (code, json) = assemble(&desk, &peg, hole, &down(0.0));
        assert_eq!(code, Some(0), "{json}");
        assert!(clearance.contains(&json["clearance"].as_f64().unwrap()), "{}", json["clearance"]);
        // 0.2 mm beside: it comes down on the chamfer of the hole, whose top is at 8.992 mm.
        let (code, json) = assemble(&desk, &peg, hole, &down(0.0002));
        assert_eq!(code, Some(1), "{json}");
        let z = numbers::<7>(&json["first_contact"]["pose"])[2];
        assert!((0.0080..0.008992).contains(&z), "{z}");
    }
}

#[test]
fn a_nut_is_turned_onto_its_bolt_and_not_pushed() {
    if models().is_none() {
        return;
    }
    let desk = Desk::new();
    let (nut, bolt) = ("factory_nut_m16_loose_subdiv_3x.obj", "factory_bolt_m16_loose.obj");
    let turned = |degrees: f64| Pose {
        position: DVec3::Z * (0.004 + 0.002 * degrees / 360.0),
        rotation: DQuat::from_rotation_z(degrees.to_radians()),
    };
    // A sixteenth of a turn here; whole turns take longer.
    let path: Vec<Pose> = (0..=3).map(|k| turned(7.5 * f64::from(k))).collect();
    let (code, json) = assemble(&desk, nut, bolt, &path);
    assert_eq!(code, Some(0), "{json}");
    assert!((8e-5..1.05e-4).contains(&json["clearance"].as_f64().unwrap()), "{}", json["clearance"]);
    let pushed = [turned(0.0), Pose::at(DVec3::Z * 0.006)];
    let (code, json) = assemble(&desk, nut, bolt, &pushed);
    assert_eq!(code, Some(1), "{json}");
    // And as it is in the file, the two are in contact.
    let (code, json) = assemble(&desk, nut, bolt, &[Pose::IDENTITY, Pose::IDENTITY]);
    assert_eq!((code, &json["starts_in_contact"]), (Some(1), &true.into()));
}
