//! Shells swept with the command.

use isotouch::math::DVec3;
use isotouch::mesh::{io, shapes};

use crate::Desk;

fn desk() -> Desk {
    let desk = Desk::new();
    io::write(desk.path("ball.obj"), &shapes::sphere(0.5, 1280).unwrap()).unwrap();
    io::write(desk.path("plate.obj"), &shapes::cuboid(DVec3::new(4.0, 4.0, 0.5)).unwrap()).unwrap();
    desk.succeed(&["shell", "ball.obj", "-o", "ball.shell", "--points", "2000"]);
    desk
}

fn sweep(desk: &Desk, to: &str, more: &[&str]) -> crate::Run {
    let base = [
        "sweep",
        "--moving",
        "ball.shell",
        "--fixed",
        "plate.obj",
        "--resolution",
        "64",
        "--from",
        "0,0,3,0,0,0,1",
        "--to",
        to,
        "--json",
    ];
    desk.run(&[&base, more].concat())
}

#[test]
fn the_first_contact_is_told_and_ends_in_1() {
    let desk = desk();
    let run = sweep(&desk, "0,0,-3,0,0,0,1", &[]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let json = run.json();
    let first = &json["first_contact"];
    assert!((first["t"].as_f64().unwrap() - 2.25 / 6.0).abs() < 0.003, "{first}");
    assert_eq!((&json["is_complete"], &json["contacts"]), (&true.into(), &serde_json::Value::Null));
    assert!(json["sphere_tests"].as_u64().unwrap() > 0);
    let linear = sweep(&desk, "0,0,-3,0,0,0,1", &["--traversal", "linear"]).json();
    assert_eq!((&linear["first_contact"], &linear["sphere_tests"]), (first, &0.into()));
    // From a mesh as well, and in words.
    let text = desk.run(&[
        "sweep",
        "--moving",
        "ball.obj",
        "--fixed",
        "plate.obj",
        "--resolution",
        "64",
        "--from",
        "0,0,3,0,0,0,1",
        "--to",
        "0,0,-3,0,0,0,1",
    ]);
    assert!(text.stdout.starts_with("first contact at t = 0.37"), "{}", text.stdout);

    let free = sweep(&desk, "0,0,1,0,0,0,1", &[]);
    assert_eq!((free.code, &free.json()["first_contact"]), (Some(0), &serde_json::Value::Null));
    // If the plate comes up to it, there is contact.
    let meets =
        sweep(&desk, "0,0,1,0,0,0,1", &["--fixed-from", "0,0,0,0,0,0,1", "--fixed-to", "0,0,1,0,0,0,1"]);
    assert_eq!(meets.code, Some(1));
}

#[test]
fn all_contacts_have_their_intervals() {
    let desk = desk();
    let json = sweep(&desk, "0,0,-3,0,0,0,1", &["--all"]).json();
    let contacts = json["contacts"].as_array().unwrap();
    // The whole ball goes through.
    assert_eq!((contacts.len(), &json["points_in_contact"]), (2000, &2000.into()));
    let first = contacts.iter().map(|of| of["intervals"][0][0].as_f64().unwrap()).fold(1.0, f64::min);
    assert_eq!(Some(first), json["first_contact"]["t"].as_f64());
    let offset = sweep(&desk, "0,0,1,0,0,0,1", &["--iso", "0.3"]);
    assert_eq!(offset.code, Some(1));
}

#[test]
fn budgets_and_bad_poses_are_told() {
    let desk = desk();
    let run = sweep(&desk, "0,0,-3,0,0,0,1", &["--budget", "20"]);
    assert_eq!(run.json()["is_complete"], false);
    assert!(run.stderr.contains("the budget was enough for"), "{}", run.stderr);
    // What was not asked is not proven.
    let none = sweep(&desk, "0,0,-3,0,0,0,1", &["--budget", "0"]);
    assert_eq!((none.code, &none.json()["first_contact"]), (Some(3), &serde_json::Value::Null));
    for (pose, said) in [
        ("0,0,1,0,0,0", "seven numbers"),
        ("0,0,1,0,0,0,0", "the quaternion is zero"),
        ("0,0,1,0,0,0,2", "has length 2.000000"),
        ("0,0,nan,0,0,0,1", "finite"),
    ] {
        let run = sweep(&desk, pose, &[]);
        assert!(run.code == Some(2) && run.stderr.contains(said), "{pose}: {}", run.stderr);
    }
}

/// A quarter of a turn over the plate: by chords the ball passes nearer to it than by an arc.
#[test]
fn motions_and_pieces_are_told() {
    let desk = desk();
    let arc = |motion: &str| {
        desk.run(&[
            "sweep",
            "--moving",
            "ball.shell",
            "--fixed",
            "plate.obj",
            "--resolution",
            "64",
            "--motion",
            motion,
            "--from",
            "1.5,0,2,0,0,0,1",
            "--to",
            "-1.5,0,2,0,0.7071068,0,0.7071068",
        ])
    };
    for motion in ["rigid", "screw", "chord"] {
        let run = arc(motion);
        assert!(run.code.is_some_and(|code| code < 2), "{motion}: {}", run.stderr);
        let pieces = if motion == "chord" { "the motion in 1 piece" } else { " pieces" };
        assert!(run.stdout.contains(pieces), "{motion}: {}", run.stdout);
    }
}

/// A sheet has no certificate, also when its field comes from a file: then nothing is called proven.
#[test]
fn nothing_is_proven_by_a_field_without_a_certificate() {
    let desk = desk();
    let sheet = "v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nf 1 2 3\nf 1 3 4\n";
    std::fs::write(desk.path("sheet.obj"), sheet).unwrap();
    desk.succeed(&["field", "sheet.obj", "-o", "sheet.field", "--sign", "oriented", "--resolution", "32"]);
    for fixed in [&["sheet.field"][..], &["sheet.obj", "--sign", "oriented", "--resolution", "32"]] {
        let base = [
            "sweep",
            "--moving",
            "ball.shell",
            "--from",
            "0,0,1,0,0,0,1",
            "--to",
            "0,0,0.9,0,0,0,1",
            "--fixed",
        ];
        let run = desk.run(&[&base[..], fixed].concat());
        assert!(!run.stdout.contains("proven"), "{}", run.stdout);
        assert!(run.stderr.contains("nothing is certified"), "{}", run.stderr);
    }
}
