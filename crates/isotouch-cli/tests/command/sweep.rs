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
    assert_eq!(json["contacts_left_out"], 0);
    let first = contacts.iter().map(|of| of["intervals"][0][0].as_f64().unwrap()).fold(1.0, f64::min);
    assert_eq!(Some(first), json["first_contact"]["t"].as_f64());
    let offset = sweep(&desk, "0,0,1,0,0,0,1", &["--iso", "0.3", "--padding", "0.2"]);
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

/// A cube is cut at its edges by the field's interpolant: what is proven is about that, and what to ask for the mesh is said.
#[test]
fn the_proof_is_said_to_be_about_the_field() {
    let desk = desk();
    let probe = "v 0 0 0\nv 0.001 0 0\nv 0 0.001 0\nf 1 2 3\n";
    std::fs::write(desk.path("probe.obj"), probe).unwrap();
    desk.succeed(&["shell", "probe.obj", "-o", "probe.shell", "--vertices"]);
    // Along an edge of the plate, a little inside it.
    let along = |more: &[&str]| {
        let base = ["sweep", "--moving", "probe.shell", "--fixed", "plate.obj", "--resolution", "32"];
        let poses = ["--from", "-3,1.995,0.245,0,0,0,1", "--to", "3,1.995,0.245,0,0,0,1"];
        desk.run(&[&base[..], &poses, more].concat())
    };
    let free = along(&[]);
    assert_eq!(free.code, Some(0), "{}", free.stdout);
    assert!(
        free.stdout.starts_with("no point touches the surface of the field: proven\n"),
        "{}",
        free.stdout
    );
    let iso = free.stdout.split("--iso ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    assert!(free.stdout.contains("misses no contact with the true surface"), "{}", free.stdout);
    let run = along(&["--iso", iso, "--json"]);
    assert_eq!(run.code, Some(1), "{}", run.stdout);
    assert!(run.json()["error_bound"].as_f64().unwrap() <= iso.parse().unwrap());
    let help = desk.succeed(&["sweep", "--help"]).stdout;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("ask for --iso <error_bound>"), "{help}");
}

/// Beyond the field's box it knows a bound only: what cannot be excluded there is no contact.
#[test]
fn doubts_outside_the_box_are_undecided() {
    let desk = desk();
    // The ball stays 1.25 above the plate, and the box ends a fifth above it.
    let doubt = sweep(&desk, "0,0,2,0,0,0,1", &["--iso", "1.2"]);
    assert_eq!(doubt.code, Some(3), "{}", doubt.stdout);
    let json = doubt.json();
    assert_eq!(
        (&json["first_contact"], &json["doubt"]["status"]),
        (&serde_json::Value::Null, &"bound".into())
    );
    assert!(json["warnings"].to_string().contains("more --padding"), "{json}");
    let all = sweep(&desk, "0,0,2,0,0,0,1", &["--iso", "1.2", "--all"]);
    assert_eq!((all.code, &all.json()["contacts"][0]["statuses"][0]), (Some(3), &"bound".into()));
    let text = desk.run(&[
        "sweep",
        "--moving",
        "ball.shell",
        "--fixed",
        "plate.obj",
        "--resolution",
        "64",
        "--iso",
        "1.2",
        "--from",
        "0,0,3,0,0,0,1",
        "--to",
        "0,0,2,0,0,0,1",
    ]);
    assert!(text.stdout.starts_with("undecided: no contact is known"), "{}", text.stdout);
    // With room for the offset it is decided.
    let free = sweep(&desk, "0,0,2,0,0,0,1", &["--iso", "1.2", "--padding", "0.8"]);
    assert_eq!((free.code, &free.json()["doubt"]), (Some(0), &serde_json::Value::Null), "{}", free.stdout);
    // And what comes into the box is in contact, whatever was in doubt before.
    let run = sweep(&desk, "0,0,0,0,0,0,1", &["--iso", "1.2"]);
    let json = run.json();
    assert_eq!(run.code, Some(1), "{json}");
    let [doubt, contact] = ["doubt", "first_contact"].map(|key| json[key]["t"].as_f64().unwrap());
    assert!(doubt <= contact && json["first_contact"]["status"] == "crossing", "{json}");
}

#[test]
fn what_may_mislead_is_warned_of() {
    let desk = desk();
    let turn = sweep(&desk, "0,0,2,0,0,1,0", &[]);
    assert!(
        turn.json()["warnings"].to_string().contains("from --from to --to is half a turn"),
        "{}",
        turn.stderr
    );
    // By chords points go straight, and a little less than half a turn has its way.
    for (to, motion) in [("0,0,2,0,0,1,0", "chord"), ("0,0,2,0,0,1,0.0001", "rigid")] {
        let run = sweep(&desk, to, &["--motion", motion]);
        assert!(!run.stderr.contains("half a turn"), "{}", run.stderr);
    }
    let fixed =
        sweep(&desk, "0,0,2,0,0,0,1", &["--fixed-from", "0,0,0,0,0,0,1", "--fixed-to", "0,0,0,1,0,0,0"]);
    assert!(fixed.stderr.contains("--fixed-to is half a turn"), "{}", fixed.stderr);

    let base = [
        "sweep",
        "--fixed",
        "part.obj",
        "--resolution",
        "32",
        "--from",
        "0,0,9,0,0,0,1",
        "--to",
        "0,0,8,0,0,0,1",
    ];
    let open = desk.run(&[&base[..], &["--moving", "open.obj"]].concat());
    assert!(open.stderr.contains("open.obj: the moving mesh is open"), "{}", open.stderr);
    let closed = desk.run(&[&base[..], &["--moving", "part.obj"]].concat());
    assert!(!closed.stderr.contains("open"), "{}", closed.stderr);
    desk.make_field("part.field");
    let field = desk.run(&[&base[..], &["--moving", "part.field"]].concat());
    assert!(
        field.code == Some(2) && field.stderr.contains("a shell or a mesh is needed here"),
        "{}",
        field.stderr
    );
}
