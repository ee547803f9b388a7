use isotouch::math::DVec3;
use isotouch::mesh::{TriMesh, io, shapes};
use isotouch::shell::{NormalSource, PointShell, Sampling};

use crate::Desk;

#[test]
fn the_keys_that_others_rely_on_are_there_and_true() {
    let desk = Desk::new();
    for (flags, points) in [
        (&["--points", "300"][..], Some(300)),
        (&["--count", "77"], Some(77)),
        (&["--spacing", "0.1"], None),
        (&["--vertices"], Some(shapes::by_name("torus").unwrap().vertices().len())),
        (&[], Some(10_000)),
    ] {
        let arguments = [&["shell", "part.obj", "-o", "part.shell", "--json"], flags].concat();
        let json = desk.succeed(&arguments).json();
        let shell = PointShell::open(desk.path("part.shell")).unwrap();
        assert_eq!(shell.len(), points.unwrap_or(shell.len()), "{flags:?}");
        assert_eq!(json["points"], shell.len());
        // Text may lose the last bit.
        let is_same = |value: &serde_json::Value, expected: f64| {
            (value.as_f64().unwrap() / expected - 1.0).abs() < 1e-15
        };
        assert!(is_same(&json["coverage"], shell.coverage()));
        let levels = json["levels"].as_array().unwrap();
        assert_eq!(levels.len(), shell.levels().len());
        assert_eq!(levels[0]["points"], shell.levels()[0].points);
        assert!(is_same(&levels[0]["coverage"], shell.levels()[0].coverage));
        assert_eq!((&json["normals"], &json["output"]), (&"mesh".into(), &"part.shell".into()));
        assert!(json["warnings"].as_array().unwrap().is_empty() && json["iso"].is_null());
        assert_eq!(json["sampling"], shell.sampling().to_string());
        assert!(is_same(&json["area"], shapes::by_name("torus").unwrap().area()));
    }
}

#[test]
fn a_report_for_people_and_inspect_tells_the_same() {
    let desk = Desk::new();
    let run = desk.succeed(&["shell", "part.obj", "-o", "part.shell", "--spacing", "0.1"]);
    for word in ["part.obj → part.shell", "points", "coverage", "normals", "outward, by the mesh", "made in"]
    {
        assert!(run.stdout.contains(word), "{}", run.stdout);
    }
    let run = desk.succeed(&["inspect", "part.shell", "part.obj", "--verify"]);
    assert!(
        run.stdout.contains("part.shell: shell\n") && run.stdout.contains("for a spacing of 0.1"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("every number is in order"), "{}", run.stdout);
    let file = desk.succeed(&["inspect", "part.shell", "--json"]).json()["files"][0].clone();
    assert_eq!((&file["kind"], &file["spacing"]), (&"shell".into(), &0.1.into()));

    // By content, and damage is told.
    std::fs::rename(desk.path("part.shell"), desk.path("part.stl")).unwrap();
    assert_eq!(desk.succeed(&["inspect", "part.stl", "--json"]).json()["files"][0]["kind"], "shell");
    let mut bytes = std::fs::read(desk.path("part.stl")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(desk.path("part.stl"), bytes).unwrap();
    let run = desk.run(&["inspect", "part.stl"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("part.stl is damaged at byte"), "{}", run.stderr);
}

#[test]
fn a_shell_is_not_taken_for_a_mesh() {
    let desk = Desk::new();
    desk.succeed(&["shell", "part.obj", "-o", "part.shell", "--points", "50"]);
    for arguments in [
        &["field", "part.shell", "-o", "a.field"][..],
        &["shell", "part.shell", "-o", "a.shell"],
        &["slice", "part.shell", "-o", "a.png"],
    ] {
        let run = desk.run(arguments);
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains("part.shell is a shell"), "{}", run.stderr);
    }
    let run = desk.run(&["shell", "part.obj", "-o", "part.obj"]);
    assert!(run.code == Some(2) && run.stderr.contains("part.shell"), "{}", run.stderr);
    std::fs::rename(desk.path("part.obj"), desk.path("mesh.shell")).unwrap();
    let run = desk.run(&["shell", "mesh.shell", "-o", "./mesh.shell"]);
    assert!(run.code == Some(2) && run.stderr.contains("also an input"), "{}", run.stderr);
}

#[test]
fn offsets_are_of_a_mesh_or_of_its_field() {
    let desk = Desk::new();
    let grown =
        ["shell", "part.obj", "-o", "a.shell", "--points", "500", "--offset", "0.04", "-r", "64", "--json"];
    let json = desk.succeed(&grown).json();
    assert_eq!((&json["iso"], &json["normals"]), (&0.04.into(), &"field".into()));
    desk.succeed(&["field", "part.obj", "-o", "wide.field", "-r", "64", "--band", "6"]);
    desk.succeed(&["shell", "wide.field", "-o", "b.shell", "--points", "500", "--offset", "0.04"]);
    let areas = ["a.shell", "b.shell"].map(|name| {
        let shell = PointShell::open(desk.path(name)).unwrap();
        assert_eq!((shell.iso(), shell.sampling()), (Some(0.04), Sampling::Points(500)));
        shell.area()
    });
    assert!((areas[0] / areas[1] - 1.0).abs() < 0.01 && areas[0] > shapes::by_name("torus").unwrap().area());
    // A field without an offset: its surface.
    let json = desk.succeed(&["shell", "wide.field", "-o", "c.shell", "--spacing", "0.1", "--json"]).json();
    assert_eq!(json["iso"], 0.0);
}

#[test]
fn meshes_without_an_outside_are_warned_about_and_a_field_helps() {
    let desk = Desk::new();
    let open = ["shell", "open.obj", "-o", "open.shell", "--points", "200"];
    let run = desk.succeed(&open);
    assert!(run.stderr.contains("--normals open.obj"), "{}", run.stderr);
    let sources = |name: &str| PointShell::open(desk.path(name)).unwrap().normal_source();
    assert_eq!(sources("open.shell"), NormalSource::Triangles);
    let told = desk.succeed(&[&open[..], &["--normals", "open.obj", "-r", "48"]].concat());
    assert!(!told.stderr.contains("--normals"), "{}", told.stderr);
    assert_eq!(sources("open.shell"), NormalSource::Field);

    let inward = shapes::cuboid(DVec3::ONE).unwrap().flipped();
    io::write(desk.path("inward.obj"), &inward).unwrap();
    let run = desk.succeed(&["shell", "inward.obj", "-o", "a.shell", "--vertices", "--json"]);
    let warning = run.json()["warnings"][0].as_str().unwrap().to_owned();
    assert!(warning.starts_with("inward.obj: the mesh is wound inward (12 of"), "{warning}");
    let shell = PointShell::open(desk.path("a.shell")).unwrap();
    assert!(shell.points().iter().zip(shell.normals()).all(|(p, n)| p.dot(*n) > 0.8));
}

/// Five million points would take minutes first.
#[test]
fn normals_that_cannot_be_read_are_told_before_points_are_made() {
    let desk = Desk::new();
    let start = std::time::Instant::now();
    let run = desk.run(&[
        "shell",
        "open.obj",
        "-o",
        "a.shell",
        "--points",
        "5000000",
        "--normals",
        "missing.field",
    ]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("missing.field"), "{}", run.stderr);
    assert!(start.elapsed().as_secs() < 10 && !desk.path("a.shell").exists());
}

#[test]
fn options_reach_the_shell_and_those_without_effect_are_told() {
    let desk = Desk::new();
    let prism = shapes::cylinder(shapes::CylinderOptions { segments: 8, ..Default::default() }).unwrap();
    io::write(desk.path("prism.obj"), &prism).unwrap();
    let corners = |flags: &[&str]| {
        desk.succeed(&[&["shell", "prism.obj", "-o", "a.shell", "--points", "400"], flags].concat());
        let shell = PointShell::open(desk.path("a.shell")).unwrap();
        prism.vertices().iter().filter(|v| shell.points().contains(v)).count()
    };
    // Eight sides turn by 45°, and so do the rings at both ends. A ring without corners begins at one of its vertices.
    assert_eq!((corners(&[]), corners(&["--sharp", "60"])), (16, 2));

    let run =
        desk.succeed(&["shell", "part.obj", "-o", "a.shell", "--points", "9", "-r", "64", "--scale", "2"]);
    assert!(run.stderr.contains("needs no field; --resolution had no effect"), "{}", run.stderr);
    let torus: TriMesh = shapes::by_name("torus").unwrap();
    let area = PointShell::open(desk.path("a.shell")).unwrap().area();
    assert!((area / torus.area() - 4.0).abs() < 1e-9);
}

#[test]
fn threads_change_nothing() {
    let desk = Desk::new();
    for threads in ["1", "3"] {
        let out = format!("{threads}.shell");
        desk.succeed(&["shell", "part.obj", "-o", &out, "--points", "3000", "--threads", threads]);
    }
    let read = |name: &str| std::fs::read(desk.path(name)).unwrap();
    assert!(read("1.shell") == read("3.shell"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_it_and_leaves_nothing() {
    use std::process::{Command, Stdio};

    let desk = Desk::new();
    let before = desk.files();
    let long = ["shell", "part.obj", "-o", "big.shell", "--points", "5000000", "--json"];
    let child = desk.command(&long).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(700));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let run = crate::Run::from(child.wait_with_output().unwrap());
    assert_eq!((run.code, &run.json()["error"]), (Some(130), &"interrupted".into()), "{}", run.stderr);
    assert_eq!(desk.files(), before);
}

/// A single point has no nearest other one.
#[test]
fn a_single_point_is_told_without_a_distance_to_others() {
    let desk = Desk::new();
    let run = desk.succeed(&["shell", "part.obj", "-o", "one.shell", "--points", "1"]);
    assert!(!run.stdout.contains("inf") && !run.stdout.contains("closest two"), "{}", run.stdout);
    let two = desk.succeed(&["shell", "part.obj", "-o", "two.shell", "--points", "2"]);
    assert!(two.stdout.contains("closest two"), "{}", two.stdout);
}
