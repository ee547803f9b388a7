use isotouch::field::Field;
use isotouch::math::DVec3;
use isotouch::mesh::{TriMesh, io, shapes};
use isotouch::output::npy;

use crate::{Desk, points};

#[test]
fn a_field_and_its_mesh_give_the_same_distances() {
    let desk = Desk::new();
    desk.make_field("part.field");
    let run = desk.succeed(&["distance", "part.field", "--points", "points.npy", "-o", "a.npy", "--json"]);
    let json = run.json();
    assert_eq!(json["points"], 5);
    assert_eq!(json["outside"], 1);
    assert_eq!(json["unknown"], 1);
    assert_eq!(json["inside"], 2);
    let field = Field::open(desk.path("part.field")).unwrap();
    assert_eq!(json["error_bound"], field.error_bound());
    let far = json["error_bound_far"].as_f64().unwrap();
    assert!((far / field.error_bound_far() - 1.0).abs() < 1e-12 && json["certified"] == true, "{far}");
    assert!(field.error_bound_far() > 2.0 * field.error_bound());

    let distances = npy::read(desk.path("a.npy")).unwrap();
    assert_eq!(distances.shape, [5]);
    let [tube, axis, near, outside, nowhere] = distances.values[..] else { panic!("five") };
    assert!(tube < near && near < 0.0 && axis > 0.0);
    assert!(outside > 90.0 && outside <= points()[3].length());
    assert!(nowhere.is_nan());

    let run = desk.succeed(&["distance", "part.obj", "-r", "32", "--points", "points.npy", "-o", "b.npy"]);
    assert!(run.stdout.contains("of the true distance near the surface"), "{}", run.stdout);
    let again = npy::read(desk.path("b.npy")).unwrap();
    assert_eq!(again.values[..4], distances.values[..4]);
}

#[test]
fn options_for_meshes_are_not_ignored_silently() {
    let desk = Desk::new();
    desk.make_field("part.field");
    let arguments = [
        "distance",
        "part.field",
        "--points",
        "points.npy",
        "-o",
        "a.npy",
        "--resolution",
        "64",
        "--sign",
        "auto",
    ];
    let run = desk.succeed(&arguments);
    assert!(run.stderr.contains("--resolution, --sign had no effect"), "{}", run.stderr);
}

/// Where bars cross, a point a whole unit deep was said to be 0.014 deep within ±0.022, and that was called certified.
#[test]
fn depths_among_overlapping_parts_are_not_said_to_be_certain() {
    let desk = Desk::new();
    let bar = |size| shapes::cuboid(size).unwrap();
    let bars = [bar(DVec3::new(6.0, 2.0, 2.0)), bar(DVec3::new(2.0, 6.0, 2.0))];
    let second: Vec<[u32; 3]> =
        bars[1].triangles().iter().map(|t| t.map(|v| v + bars[0].vertices().len() as u32)).collect();
    let cross = TriMesh::new(
        [bars[0].vertices(), bars[1].vertices()].concat(),
        [bars[0].triangles(), &second].concat(),
    );
    io::write(desk.path("cross.obj"), &cross.unwrap()).unwrap();
    npy::write_points(desk.path("deep.npy"), &[DVec3::new(0.99, 0.0, 0.0)]).unwrap();
    desk.succeed(&["field", "cross.obj", "-o", "cross.field", "-r", "48"]);

    let ask = ["distance", "cross.field", "-p", "deep.npy", "-o", "d.npy"];
    let run = desk.succeed(&ask);
    assert!(run.stdout.contains("outside within ±"), "{}", run.stdout);
    assert!(run.stdout.contains("inside, depths may be understated"), "{}", run.stdout);
    assert!(run.stderr.contains("cross.field: depths inside may be understated"), "{}", run.stderr);
    let json = |arguments: &[&str]| desk.succeed(&[arguments, &["--json"]].concat()).json();
    assert_eq!(json(&ask)["understates_depth"], true);
    assert_eq!(json(&["cast", "cross.field", "--random", "9"])["understates_depth"], true);
    assert_eq!(json(&["cast", "part.obj", "-r", "24", "--random", "9"])["understates_depth"], false);
    for (arguments, warnings) in [
        (&["cast", "cross.field", "--random", "9", "--iso", "-0.2"][..], 1),
        (&["surface", "cross.field", "-o", "s.obj"], 0),
        (&["surface", "cross.field", "-o", "s.obj", "--iso", "-0.2"], 1),
        (&["slice", "cross.field", "-o", "s.png"], 1),
    ] {
        let told = desk.succeed(arguments).stderr.matches("depths inside may be understated").count();
        assert_eq!(told, warnings, "{arguments:?}");
    }
}

#[test]
fn no_points_are_no_problem() {
    let desk = Desk::new();
    npy::write_points(desk.path("points.npy"), &[]).unwrap();
    desk.succeed(&["distance", "part.obj", "-r", "16", "--points", "points.npy", "-o", "a.npy"]);
    assert_eq!(npy::read(desk.path("a.npy")).unwrap().shape, [0]);
}

#[test]
fn an_array_of_another_shape_is_named() {
    let desk = Desk::new();
    npy::write_scalars(desk.path("points.npy"), &[1.0, 2.0]).unwrap();
    let run = desk.run(&["distance", "part.obj", "--points", "points.npy", "-o", "a.npy"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("points.npy") && run.stderr.contains("(n, 3)"), "{}", run.stderr);
}

#[test]
fn flags_tell_distances_from_bounds() {
    let desk = Desk::new();
    desk.make_field("part.field");
    let ask = ["distance", "part.field", "--points", "points.npy", "-o", "d.npy", "--flags"];
    let json = desk.succeed(&[&ask[..], &["flags.npy", "--json"]].concat()).json();
    assert_eq!(json["flags"], "flags.npy");
    let bytes = std::fs::read(desk.path("flags.npy")).unwrap();
    assert!(String::from_utf8_lossy(&bytes).contains("'|u1'") && bytes.len() % 64 == 5);
    assert_eq!(bytes[bytes.len() - 5..], [0, 0, 0, 1, 2]);

    for (name, part) in [("flags.txt", ".npy"), ("points.npy", "also an input"), ("d.npy", "two outputs")] {
        let run = desk.run(&[&ask[..], &[name]].concat());
        assert_eq!(run.code, Some(2), "{name}");
        assert!(run.stderr.contains(part), "{}", run.stderr);
    }
}

#[test]
fn points_outside_are_not_called_bounds_where_nothing_is_known() {
    let desk = Desk::new();
    let ask = ["distance", "part.obj", "-r", "24", "--points", "points.npy", "-o", "d.npy"];
    let run = desk.succeed(&ask);
    assert!(run.stdout.contains("1 point (lower bounds)"), "{}", run.stdout);
    // Without padding the solid touches the border.
    let run = desk.succeed(&[&ask[..], &["--padding", "0"]].concat());
    assert!(run.stdout.contains("1 point (unknown)"), "{}", run.stdout);
}

#[test]
fn points_that_are_not_finite_are_named() {
    let desk = Desk::new();
    desk.make_field("part.field");
    let ask = ["distance", "part.field", "--points", "points.npy", "-o", "d.npy"];
    let run = desk.succeed(&ask);
    let said = "points.npy: 1 point is not finite, the first at index 4; NaN was written for it";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    let twice = [points(), points()].concat();
    npy::write_points(desk.path("points.npy"), &twice).unwrap();
    let run = desk.succeed(&ask);
    let said = "points.npy: 2 points are not finite, the first at index 4; NaN was written for them";
    assert!(run.stderr.contains(said), "{}", run.stderr);
}

/// Beyond the rim of an open sheet inside and outside meet, so no bound holds.
#[test]
fn sheets_are_not_called_certain() {
    let desk = Desk::new();
    let ball = shapes::sphere(1.0, 1_280).unwrap();
    let is_above = |t: &[u32; 3]| t.iter().all(|&v| ball.vertices()[v as usize].z > -0.1);
    let upper = ball.triangles().iter().copied().filter(is_above).collect();
    io::write(desk.path("dome.obj"), &TriMesh::new(ball.vertices().to_vec(), upper).unwrap()).unwrap();
    let build = ["-r", "24", "--sign", "oriented"];
    for ask in [
        &["distance", "dome.obj", "--points", "points.npy", "-o", "d.npy"][..],
        &["cast", "dome.obj", "--random", "50"],
    ] {
        let run = desk.succeed(&[ask, &build].concat());
        assert!(run.stderr.matches("nothing is certified").count() == 1, "{}", run.stderr);
        assert!(!run.stdout.contains('±'), "{}", run.stdout);
        let json = desk.succeed(&[ask, &build, &["--json"]].concat()).json();
        assert_eq!(json["certified"], false);
        assert!(json["error_bound"].is_null() && json["error_bound_far"].is_null());
    }
}

#[test]
fn an_empty_field_file_is_called_empty() {
    let desk = Desk::new();
    std::fs::write(desk.path("none.field"), "").unwrap();
    let run = desk.run(&["distance", "none.field", "--points", "points.npy", "-o", "d.npy"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("none.field is empty"), "{}", run.stderr);
}
