use isotouch::field::Field;
use isotouch::math::DVec3;
use isotouch::mesh::{io, shapes};

use crate::Desk;

#[test]
fn the_keys_that_others_rely_on_are_there_and_true() {
    let desk = Desk::new();
    let run = desk.succeed(&["field", "part.obj", "-o", "part.field", "--resolution", "48", "--json"]);
    let json = run.json();
    let field = Field::open(desk.path("part.field")).unwrap();
    assert_eq!(json["nodes"], field.node_count());
    assert_eq!(json["bytes"], field.bytes());
    assert_eq!(json["cell"], field.grid().cell);
    assert_eq!(json["storage"], "sparse");
    assert_eq!(json["sign"], "pseudonormal");
    assert_eq!(json["capped_nodes"], 0);
    assert_eq!(json["error_bound"], field.error_bound());
    assert_eq!(json["output"], "part.field");
    assert!(json["build_seconds"].as_f64().unwrap() > 0.0);
    assert_eq!(field.grid().cells.max_element(), 48);
}

#[test]
fn options_reach_the_build() {
    let desk = Desk::new();
    let build = |more: &[&str]| {
        let mut arguments = vec!["field", "part.obj", "-o", "part.field"];
        arguments.extend(more);
        desk.succeed(&arguments);
        Field::open(desk.path("part.field")).unwrap()
    };
    let usual = build(&["--cell", "0.05"]);
    assert_eq!(usual.grid().cell, 0.05);
    assert_eq!(build(&["--cell", "0.05", "--storage", "dense"]).storage().to_string(), "dense");
    assert_eq!(build(&["--cell", "0.05", "--sign", "winding"]).sign().to_string(), "winding");
    assert_eq!(build(&["--cell", "0.05", "--band", "5"]).band(), 5.0);
    let wide = build(&["--cell", "0.05", "--padding", "0.5"]);
    assert!(wide.grid().bounds().extent().x > 1.5 * usual.grid().bounds().extent().x);
    let large = build(&["--cell", "50", "--scale", "1000"]);
    assert_eq!(large.grid().cells, usual.grid().cells);
}

#[test]
fn threads_change_nothing() {
    let desk = Desk::new();
    for threads in ["1", "3"] {
        let out = format!("{threads}.field");
        desk.succeed(&["field", "part.obj", "-o", &out, "-r", "64", "--threads", threads]);
    }
    let read = |name: &str| std::fs::read(desk.path(name)).unwrap();
    assert!(read("1.field") == read("3.field"));
}

#[test]
fn a_report_for_people() {
    let desk = Desk::new();
    let run = desk.succeed(&["field", "part.obj", "-o", "part.field", "-r", "32"]);
    for word in ["part.obj → part.field", "cells", "error bound", "built in"] {
        assert!(run.stdout.contains(word), "{}", run.stdout);
    }
}

#[test]
fn the_input_is_never_overwritten() {
    let desk = Desk::new();
    std::fs::rename(desk.path("part.obj"), desk.path("part.field")).unwrap();
    let before = std::fs::read(desk.path("part.field")).unwrap();
    let run = desk.run(&["field", "part.field", "-o", "./part.field"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("also an input"), "{}", run.stderr);
    assert!(std::fs::read(desk.path("part.field")).unwrap() == before);
}

#[test]
fn a_field_is_not_taken_for_a_mesh() {
    let desk = Desk::new();
    desk.make_field("part.field");
    let run = desk.run(&["field", "part.field", "-o", "again.field"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("part.field is a field already"), "{}", run.stderr);
}

#[test]
fn a_mesh_and_its_field_grow_alike() {
    let desk = Desk::new();
    desk.succeed(&["field", "part.obj", "-o", "wide.field", "-r", "64", "--band", "6", "--padding", "0.1"]);
    let run = desk.succeed(&["field", "wide.field", "-o", "a.field", "--offset", "0.04", "--json"]);
    assert_eq!((run.json()["sign"].as_str(), run.json()["offset"].as_f64()), (Some("given"), Some(0.04)));
    desk.succeed(&["field", "part.obj", "-o", "b.field", "-r", "64", "--offset", "0.04"]);
    let volumes = ["a.field", "b.field"].map(|name| {
        let field = Field::open(desk.path(name)).unwrap();
        field.verify().unwrap();
        assert!(field.is_certified_outside(), "{name}");
        field.surface(0.0).unwrap().signed_volume()
    });
    assert!((volumes[0] / volumes[1] - 1.0).abs() < 5e-3, "{volumes:?}");
    // Built from the mesh, it has the usual band around the grown surface.
    assert!((Field::open(desk.path("b.field")).unwrap().band() - 3.0).abs() < 1e-6);
    let shrunk =
        desk.succeed(&["field", "part.obj", "-o", "c.field", "-r", "64", "--offset", "-0.04", "--json"]);
    assert_eq!(shrunk.json()["certified_outside"], true);
}

#[test]
fn an_offset_past_the_band_or_the_box_is_told() {
    let desk = Desk::new();
    desk.make_field("part.field");
    let run = desk.run(&["field", "part.field", "-o", "a.field", "--offset", "0.3"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("part.field: an offset of 0.3") && run.stderr.contains("band of at least"),
        "{}",
        run.stderr
    );
    desk.succeed(&["field", "part.obj", "-o", "dense.field", "-r", "32", "--storage", "dense"]);
    let run = desk.succeed(&["field", "dense.field", "-o", "a.field", "--offset", "0.3", "--band", "4"]);
    assert!(
        run.stderr.contains("reaches the border") && run.stderr.contains("--band had no effect"),
        "{}",
        run.stderr
    );
}

#[test]
fn warnings_name_the_mesh() {
    let desk = Desk::new();
    io::write(desk.path("inward.obj"), &shapes::by_name("torus").unwrap().flipped()).unwrap();
    let arguments = ["field", "inward.obj", "-o", "a.field", "-r", "24", "--json"];
    let run = desk.succeed(&arguments);
    assert!(run.stderr.contains("warning: inward.obj: the mesh is wound inward"), "{}", run.stderr);
    let warning = run.json()["warnings"][0].as_str().unwrap().to_owned();
    assert!(warning.starts_with("inward.obj: the mesh is wound inward"), "{warning}");

    let run = desk.succeed(&["demo", "--resolution", "3", "--json"]);
    for warning in run.json()["warnings"].as_array().unwrap() {
        let warning = warning.as_str().unwrap();
        let (name, _) = warning.split_once(": ").unwrap();
        assert!(shapes::by_name(name).is_some(), "{warning}");
    }
}

/// Once as a matter of bands, and of nodes of which more were stored than there are.
#[test]
fn an_offset_that_leaves_nothing_is_told_as_such() {
    let desk = Desk::new();
    let run = desk.succeed(&["field", "part.obj", "-o", "gone.field", "-r", "24", "--offset", "-5"]);
    assert!(run.stderr.contains("nothing is left of the solid"), "{}", run.stderr);
    assert!(!run.stdout.contains("stored"), "{}", run.stdout);
    desk.make_field("part.field");
    let run = desk.run(&["field", "part.field", "-o", "gone.field", "--offset", "-5"]);
    let said = "part.field: an offset of -5 leaves nothing of the solid, which is at most 0.";
    assert!(run.code == Some(2) && run.stderr.contains(said), "{}", run.stderr);
    // What is left of it is another matter.
    let run = desk.run(&["field", "part.field", "-o", "less.field", "--offset", "-0.14"]);
    assert!(
        run.code == Some(2) && run.stderr.contains("build it from its mesh with a band"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_file_cut_short_within_a_face_is_told_of_by_every_command() {
    let desk = Desk::new();
    let text = std::fs::read_to_string(desk.path("part.obj")).unwrap();
    let last = text.trim_end().rfind(' ').unwrap();
    std::fs::write(desk.path("short.obj"), &text[..last]).unwrap();
    for arguments in [
        &["inspect", "short.obj"][..],
        &["field", "short.obj", "-o", "a.field", "-r", "24"],
        &["slice", "short.obj", "-o", "a.png", "-r", "24"],
    ] {
        let said = desk.succeed(arguments).stderr;
        assert!(said.contains("short.obj has 1 face with fewer than three corners"), "{arguments:?}: {said}");
    }
}

/// A field with a changed byte was drawn, converted and offset as if it were whole, with fresh checksums for the damage.
#[test]
fn damaged_fields_are_refused_by_every_command() {
    let desk = Desk::new();
    desk.make_field("part.field");
    let mut bytes = std::fs::read(desk.path("part.field")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x40;
    std::fs::write(desk.path("bad.field"), bytes).unwrap();
    for arguments in [
        &["surface", "bad.field", "-o", "out.obj"][..],
        &["slice", "bad.field", "-o", "out.png"],
        &["compare", "part.obj", "bad.field"],
        &["field", "bad.field", "-o", "out.npy"],
        &["field", "bad.field", "-o", "out.field", "--offset", "0.01"],
        &["distance", "bad.field", "-p", "points.npy", "-o", "out.npy"],
        &["cast", "bad.field", "--random", "3"],
        &["shell", "bad.field", "-o", "out.shell"],
    ] {
        let run = desk.run(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains("bad.field"), "{arguments:?}: {}", run.stderr);
    }
    assert!(!desk.files().iter().any(|name| name.starts_with("out.")), "{:?}", desk.files());
}

/// A sheet without a certificate was given an error bound, and its offset was said to reach the border.
#[test]
fn sheets_have_no_error_bound() {
    let desk = Desk::new();
    std::fs::write(desk.path("sheet.obj"), "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n").unwrap();
    let build = ["field", "sheet.obj", "--sign", "oriented", "-r", "24", "-o"];
    for more in [&["a.field"][..], &["b.field", "--offset", "0.05"]] {
        let run = desk.succeed(&[&build[..], more, &["--json"]].concat());
        let json = run.json();
        assert_eq!((&json["certified"], &json["error_bound"]), (&false.into(), &serde_json::Value::Null));
        assert!(!run.stderr.contains("border of the box"), "{}", run.stderr);
        let run = desk.succeed(&["inspect", more[0]]);
        assert!(run.stdout.contains("none: nothing is certified"), "{}", run.stdout);
        assert_eq!(
            desk.succeed(&["inspect", more[0], "--json"]).json()["files"][0]["error_bound"],
            serde_json::Value::Null
        );
    }
    // Once, of the mesh as of its field.
    for input in [&["sheet.obj", "--sign", "oriented", "-r", "24"][..], &["a.field"]] {
        let run = desk.succeed(&[&["cast"], input, &["--random", "5"]].concat());
        assert_eq!(run.stderr.matches("nothing is certified").count(), 1, "{}", run.stderr);
    }
}

/// Corners of a box far from the origin were printed with four digits, so that both were the same.
#[test]
fn corners_far_away_are_told_apart() {
    let desk = Desk::new();
    let building = shapes::cuboid(DVec3::new(20.0, 10.0, 5.0)).unwrap();
    let far = building.mapped(|v| v + DVec3::new(500_010.0, 4_500_005.0, 102.5)).unwrap();
    io::write(desk.path("far.obj"), &far).unwrap();
    let run = desk.succeed(&["field", "far.obj", "-o", "far.field", "-r", "64"]);
    assert!(run.stdout.contains("(499999, "), "{}", run.stdout);
    assert!(run.stdout.contains(" to (500021, "), "{}", run.stdout);
    let run = desk.succeed(&["slice", "far.field", "-o", "s.png", "--at", "102.4999"]);
    assert!(run.stdout.contains("z = 102.4999"), "{}", run.stdout);
}
