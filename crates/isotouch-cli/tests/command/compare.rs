use isotouch::math::DVec3;
use isotouch::mesh::{io, shapes};

use crate::Desk;

fn with_cubes() -> Desk {
    let desk = Desk::new();
    let cube = shapes::cuboid(DVec3::ONE).unwrap();
    io::write(desk.path("cube.obj"), &cube).unwrap();
    let moved = cube.mapped(|p| p + DVec3::new(0.3, 0.4, 0.0)).unwrap();
    io::write(desk.path("moved.ply"), &moved).unwrap();
    desk
}

#[test]
fn the_keys_that_others_rely_on_are_there_and_true() {
    let desk = with_cubes();
    let run = desk.succeed(&["compare", "cube.obj", "moved.ply", "--tolerance", "1e-5", "--json"]);
    let json = run.json();
    let key = |name: &str| json[name].as_f64().unwrap();
    for name in ["hausdorff", "forward_hausdorff", "backward_hausdorff"] {
        assert!(key(name) <= 0.5 + 1e-12 && key(name) > 0.5 - 1e-5, "{name}: {}", key(name));
        let upper = key(&format!("{name}_upper"));
        assert!(upper >= 0.5 - 1e-12 && upper - key(name) <= 1e-5, "{name}: {upper}");
    }
    assert!(key("mean") > 0.0 && key("mean") < key("rms") && key("rms") < 0.5);
    assert_eq!((key("tolerance"), key("samples")), (1e-5, 100_000.0));
    assert_eq!((&json["within_tolerance"], &json["warnings"]), (&true.into(), &serde_json::json!([])));
    let same = desk.succeed(&["compare", "cube.obj", "cube.obj", "--json"]).json();
    assert!(same["hausdorff"].as_f64().unwrap() < 1e-12);

    let run = desk.succeed(&["compare", "cube.obj", "moved.ply"]);
    for word in ["cube.obj against moved.ply", "forward", "backward", "hausdorff", "RMS"] {
        assert!(run.stdout.contains(word), "{}", run.stdout);
    }
}

#[test]
fn threads_change_nothing_and_seeds_do() {
    let desk = with_cubes();
    let mean = |more: &[&str]| {
        let mut arguments = vec!["compare", "part.obj", "open.obj", "--samples", "5000", "--json"];
        arguments.extend(more);
        desk.succeed(&arguments).json()["backward_mean"].clone()
    };
    let mut arguments =
        vec!["compare", "cube.obj", "part.obj", "--samples", "5000", "--json", "--threads", "1"];
    let with_seconds_removed = |arguments: &[&str]| {
        let mut json = desk.succeed(arguments).json();
        json.as_object_mut().unwrap().remove("seconds");
        json
    };
    let one = with_seconds_removed(&arguments);
    *arguments.last_mut().unwrap() = "3";
    assert_eq!(with_seconds_removed(&arguments), one);
    // Everything of the part with a hole is on the whole part.
    assert!(mean(&[]).as_f64().unwrap() < 1e-12);
    arguments.extend(["--seed", "7"]);
    assert_ne!(with_seconds_removed(&arguments)["mean"], one["mean"]);
}

#[test]
fn fields_and_wrong_units_are_noticed() {
    let desk = with_cubes();
    desk.make_field("part.field");
    let run = desk.run(&["compare", "part.obj", "part.field"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("isotouch surface part.field -o"), "{}", run.stderr);
    let millimetres = shapes::cuboid(DVec3::splat(1000.0)).unwrap();
    io::write(desk.path("mm.obj"), &millimetres).unwrap();
    let run = desk.succeed(&["compare", "cube.obj", "mm.obj"]);
    assert!(run.stderr.contains("1000 times as large"), "{}", run.stderr);
    for bad in [&["--samples", "0"][..], &["--tolerance", "0"], &["--seed", "-1"], &["--tolerance", "nan"]] {
        let mut arguments = vec!["compare", "cube.obj", "cube.obj"];
        arguments.extend(bad);
        assert_eq!(desk.run(&arguments).code, Some(2), "{bad:?}");
    }
}
