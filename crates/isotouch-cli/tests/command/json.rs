//! `--json`: one object on stdout and nothing else there, whatever happens.

use crate::Desk;

#[test]
fn every_command_prints_one_object() {
    let desk = Desk::new();
    desk.make_field("part.field");
    for arguments in [
        &["field", "part.obj", "-o", "a.field", "--resolution", "24"][..],
        &["inspect", "part.obj", "part.field"],
        &["distance", "part.field", "--points", "points.npy", "-o", "d.npy"],
        &["slice", "part.field", "-o", "s.png", "--width", "300"],
        &["surface", "part.field", "-o", "s.obj"],
        &["shell", "part.obj", "-o", "s.shell", "--points", "200"],
        &["demo", "--out", "demo", "--resolution", "16"],
    ] {
        for place in [0, arguments.len()] {
            let mut with_json = arguments.to_vec();
            with_json.insert(place, "--json");
            let run = desk.succeed(&with_json);
            assert!(run.json()["warnings"].is_array(), "{}", run.stdout);
        }
        let mut quiet = arguments.to_vec();
        quiet.extend(["--json", "--quiet"]);
        desk.succeed(&quiet).json();
    }
}

#[test]
fn errors_are_an_object_too() {
    let desk = Desk::new();
    for arguments in [
        &["inspect", "--json", "nothing-here.obj"][..],
        &["--json", "field", "open.obj", "-o", "o.field", "--sign", "pseudonormal"],
        &["slice", "part.obj", "--json", "-o", "s.jpeg"],
        // Wrong usage, which is found before anything runs:
        &["--json", "frobnicate"],
        &["slice", "--json"],
        &["field", "part.obj", "-o", "a.field", "--resolution", "many", "--json"],
    ] {
        let run = desk.run(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}");
        let error = run.json()["error"].as_str().unwrap().to_owned();
        assert!(!error.is_empty() && !error.contains("Usage"), "{error}");
        assert!(run.stderr.contains("error"), "people read it on stderr");
    }
}

#[test]
fn warnings_are_on_stderr_and_in_the_object() {
    let desk = Desk::new();
    let run = desk.succeed(&[
        "distance",
        "part.obj",
        "--resolution",
        "24",
        "--points",
        "points.npy",
        "-o",
        "d.npy",
        "--json",
    ]);
    let warnings = run.json()["warnings"].as_array().unwrap().clone();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let warning = warnings[0].as_str().unwrap();
    assert!(warning.contains("not finite") && run.stderr.contains(warning));
}

#[test]
fn help_and_version_are_objects_too() {
    let desk = Desk::new();
    assert!(desk.succeed(&["--json", "--help"]).json()["help"].as_str().unwrap().contains("Usage"));
    assert!(desk.succeed(&["--json", "--version"]).json()["version"].as_str().unwrap().contains("0."));
}

#[test]
fn after_two_dashes_json_is_a_file_name() {
    let desk = Desk::new();
    let run = desk.run(&["inspect", "--", "--json"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
}
