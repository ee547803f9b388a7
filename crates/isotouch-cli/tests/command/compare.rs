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
fn the_surface_of_a_field_is_where_its_mesh_is() {
    let desk = with_cubes();
    desk.succeed(&["field", "part.obj", "-o", "part.field", "-r", "48"]);
    desk.succeed(&["field", "part.field", "-o", "part.npy"]);
    let cell =
        desk.succeed(&["inspect", "part.field", "--json"]).json()["files"][0]["cell"].as_f64().unwrap();
    let hausdorff = |a: &str, b: &str| {
        let json = desk.succeed(&["compare", a, b, "--json"]).json();
        json["hausdorff_upper"].as_f64().unwrap()
    };
    let to_mesh = hausdorff("part.field", "part.obj");
    assert!(to_mesh > 0.0 && to_mesh < cell, "{to_mesh}");
    // Whoever wrote them: the same values have the same surface.
    assert!(hausdorff("part.field", "part.npy") < 1e-2 * cell);
    desk.succeed(&["surface", "part.field", "-o", "again.ply"]);
    assert!(hausdorff("again.ply", "part.field") < 1e-2 * cell);

    desk.succeed(&["field", "part.obj", "-o", "none.field", "-r", "24", "--offset", "-0.5"]);
    let run = desk.run(&["compare", "part.obj", "none.field"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("none.field has no surface at iso 0: its values go from"), "{}", run.stderr);
}

#[test]
fn wrong_units_and_options_are_noticed() {
    let desk = with_cubes();
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
