//! Scenes: what is read, what is refused and how that is told, and what the built-in ones are made of.
#![allow(clippy::unwrap_used, reason = "what cannot be set up fails the test")]

use std::sync::Arc;

use isotouch::ccd::{Ball, Plane};
use isotouch::contact::{Arms, ContactNormals, Damping, Handles, Material, PenaltyOptions, Stiffness};
use isotouch::dynamics::{Body, BodyKind, ContactModel, Integrator, World};
use isotouch::math::{DVec3, Wrench};
use isotouch::mesh::{TriMesh, io, shapes};
use isotouch::scene::{Scene, SurfaceShape, built_in};

const BALL: &str = "[[bodies]]\nname = \"ball\"\nshape = { kind = \"sphere\", radius = 0.1, triangles = 320, resolution = 24, points = 200 }\n";

fn refused(text: &str) -> String {
    match Scene::parse("folder/s.toml", text) {
        Err(error) => error.to_string(),
        Ok(scene) => match scene.world() {
            Err(error) => error.to_string(),
            Ok(_) => panic!("not refused: {text}"),
        },
    }
}

#[test]
fn everything_that_can_be_said_is_understood() {
    let text = r#"
about = "all of it"
gravity = [0, 0, -1.62]
dt = 0.001
seconds = 2
integrator = "papers"
contact = "discrete"
slip_speed = 0.01
separation_speed = 0.5
top_speed = 100.0

[penalty]
subintervals = 5
normals = "shell"
damping = "full"
handles = "substep"
arms = "start"

[materials.steel]
stiffness = 1e10
damping = 1e-4
static_friction = 0.3
kinetic_friction = 0.2

[materials.rubber]
friction = 0.9

[[laws]]
between = ["steel", "rubber"]
point_stiffness = 500.0
friction = 0.7

[[surfaces]]
name = "ground"
plane = { normal = [0, 0, 2], offset = -1.5 }
material = "rubber"

[[surfaces]]
ball = { center = [3, 0, 0], radius = 0.5 }

[shapes.part]
kind = "box"
size = [0.1, 0.2, 0.3]
scale = 2.0
resolution = 20
points = "vertices"

[[bodies]]
name = "first"
shape = "part"
position = [1, 2, 3]
rotation = { axis = [0, 0, 3], degrees = 90 }
velocity = [1, 0, 0]
angular_velocity = [0, 1, 0]
mass = 2.5
material = "steel"
bullet = true
force = [0, 0, 1]
torque = [0, 0.5, 0]

[[bodies]]
shape = "part"
kind = "kinematic"
rotation = [0, 0, 0.6, 0.8]

[[bodies]]
name = "third"
kind = "fixed"
shape = { kind = "sphere", radius = 0.2, triangles = 320, resolution = 20, points = "none" }

[[bodies]]
name = "fourth"
shape = "part"
position = [9, 0, 0]
mass_properties = { mass = 1, center = [0, 0, 0.1], inertia = [[1, 0, 0], [0, 2, 0.1], [0, 0.1, 2]] }

[output]
frames_per_second = 25
"#;
    let scene = Scene::parse("s.toml", text).unwrap();
    assert_eq!((scene.dt, scene.seconds, scene.steps(), scene.frames_per_second), (0.001, 2.0, 2000, 25.0));
    assert_eq!(scene.options.gravity, DVec3::new(0.0, 0.0, -1.62));
    assert_eq!(scene.options.integrator, Integrator::Papers);
    assert_eq!(scene.options.contact, ContactModel::Discrete);
    let of = &scene.options;
    assert_eq!((of.slip_speed, of.separation_speed, of.top_speed), (0.01, 0.5, 100.0));
    let penalty = PenaltyOptions {
        subintervals: 5,
        normals: ContactNormals::Shell,
        damping: Damping::Full,
        handles: Handles::Substep,
        arms: Arms::Start,
        iso: 0.0,
    };
    assert_eq!(of.penalty, penalty);
    let surfaces: Vec<_> =
        scene.surfaces.iter().map(|of| (&*of.name, of.material.kinetic_friction)).collect();
    assert_eq!(surfaces, [("ground", 0.9), ("surface 2", Material::default().kinetic_friction)]);
    let SurfaceShape::Plane(Plane { normal, offset }) = scene.surfaces[0].shape else { panic!("no plane") };
    assert_eq!((normal, offset), (DVec3::Z, -1.5), "its normal made a unit one");
    let SurfaceShape::Ball(Ball { center, radius }) = scene.surfaces[1].shape else { panic!("no ball") };
    assert_eq!((center, radius), (DVec3::X * 3.0, 0.5));
    assert_eq!(scene.laws.len(), 1);
    assert_eq!(scene.laws[0].2.stiffness, Stiffness::PerPoint(500.0));
    assert_eq!(scene.laws[0].2.damping, 1e-3, "the longer one of both");
    assert_eq!(scene.shapes().len(), 2, "made alike, shared");

    let world = scene.world().unwrap();
    let bodies = world.bodies();
    assert_eq!(bodies.iter().map(Body::name).collect::<Vec<_>>(), ["first", "body 2", "third", "fourth"]);
    assert!(Arc::ptr_eq(bodies[0].shape(), bodies[1].shape()));
    assert!((bodies[0].mass() - 2.5).abs() < 1e-12);
    assert!(bodies[0].pose().place(DVec3::X).abs_diff_eq(DVec3::new(1.0, 3.0, 3.0), 1e-12));
    assert!(bodies[0].is_bullet() && bodies[0].material().kind == 1);
    let twist = bodies[0].twist();
    assert!(twist.linear == DVec3::X && twist.angular.distance(DVec3::Y) < 1e-12, "{twist:?}");
    let steel = bodies[0].material();
    assert_eq!((steel.stiffness, steel.damping), (1e10, 1e-4));
    assert_eq!((steel.static_friction, steel.kinetic_friction), (0.3, 0.2));
    assert_eq!(bodies[1].kind(), BodyKind::Kinematic);
    assert!(bodies[2].shape().shell().is_none());
    assert!((bodies[3].center_of_mass() - DVec3::new(9.0, 0.0, 0.1)).length() < 1e-12);
    let size = bodies[0].shape().mesh().unwrap().bounds().extent();
    assert!(size.abs_diff_eq(DVec3::new(0.2, 0.4, 0.6), 1e-12));
    assert_eq!(
        world.state().bodies[0].user_force,
        Wrench { force: DVec3::Z, torque: DVec3::new(0.0, 0.5, 0.0) }
    );
}

#[test]
fn errors_name_file_line_column_and_remedy() {
    for (text, wanted) in [
        (
            format!("{BALL}posiiton = [0, 1, 0]"),
            "s.toml:4:1: 'posiiton' is no setting of body 'ball'; did you mean 'position'?",
        ),
        (
            format!("{BALL}mesh = \"part.obj\""),
            "s.toml:4:1: 'mesh' is no setting of body 'ball'; for a mesh file write shape = { file = \"part.obj\" }",
        ),
        (
            "[[bodies]]\nshape = \"part.obj\"".to_owned(),
            "s.toml:2:9: 'part.obj' is no shape of the scene, and no built-in one; for a mesh file write shape = { file = ",
        ),
        (
            "seconds = 1e300\n".to_owned() + BALL,
            "s.toml:1:11: seconds is 1e300, but must be so that 1e300 s are at most 1e9 steps",
        ),
        (
            "gravty = [0, 0, 0]".to_owned(),
            "s.toml:1:1: 'gravty' is no setting of the scene; did you mean 'gravity'?",
        ),
        ("dt = 0\n".to_owned() + BALL, "s.toml:1:6: dt is 0, but must be a positive"),
        ("\ndt = nan\n".to_owned() + BALL, "s.toml:2:6: dt is nan, but must be a positive, finite number"),
        ("seconds = -1\n".to_owned() + BALL, "s.toml:1:11: seconds is -1"),
        (
            "gravity = [0, inf, 0]\n".to_owned() + BALL,
            "gravity is [0, inf, 0], but must be a list of 3 finite numbers",
        ),
        (
            "dt = 1e-12\nseconds = 1e6\n".to_owned() + BALL,
            "s.toml:1:6: dt is 1e-12, but must be so that 1000000 s are at most 1e9 steps",
        ),
        (
            "dt = 1e-12\n".to_owned() + BALL,
            "s.toml:1:6: dt is 1e-12, but must be so that 5 s are at most 1e9 steps",
        ),
        ("seconds = 1e9\n".to_owned() + BALL, "s.toml:1:11: seconds is 1e9, but must be so that"),
        (
            format!(
                "[materials.a]\n[[laws]]\nbetween = [\"a\", \"a\"]\nstatic_friction = 0.2\nkinetic_friction = 0.5\n{BALL}"
            ),
            "s.toml:2:1: law 1: static friction is 0.2, but must be no less than kinetic friction",
        ),
        (
            format!("{BALL}mass_properties = {{ mass = 1, inertia = [1, 1, 3] }}"),
            "body 'ball': its inertia has the principal moments",
        ),
        (format!("{BALL}mass = 1e-300"), "body 'ball': the mass is 1e-300, but must be between"),
        (String::new(), "the scene needs bodies or cloth; add [[bodies]]"),
        ("bodies = []".to_owned(), "bodies is [], but must be a list of 1 to 100000 bodies"),
        (format!("{BALL}{BALL}"), "s.toml:4:1: there is another body 'ball'; give each its own name"),
        (format!("{BALL}mass = 0"), "s.toml:4:8: mass of body 'ball' is 0, but must be a positive"),
        (format!("{BALL}mass = -1.5"), "mass of body 'ball' is -1.5"),
        (format!("{BALL}density = nan"), "density of body 'ball' is nan"),
        (format!("{BALL}mass = 1\ndensity = 1"), "body 'ball' has both density and mass; leave out one"),
        (format!("{BALL}position = [0, nan, 0]"), "s.toml:4:12: position of body 'ball'"),
        (
            format!("{BALL}rotation = [0, 0, 0, 0]"),
            "s.toml:4:12: rotation of body 'ball' is [0, 0, 0, 0], but must be a quaternion",
        ),
        (format!("{BALL}rotation = {{ axis = [0, 0, 0], degrees = 1 }}"), "a direction"),
        (format!("{BALL}material = \"stele\""), "'stele' is no material of body 'ball'; there are none"),
        (format!("[materials.steel]\n{BALL}material = \"stele\""), "did you mean 'steel'?"),
        (format!("[materials.a]\nstiffness = -1\n{BALL}"), "s.toml:2:13: material 'a': stiffness is -1"),
        (format!("gravity = [0, -1e300, 0]\n{BALL}"), "s.toml:1:11: gravity is [0, -1e300, 0], but must be"),
        (format!("{BALL}velocity = [1e300, 0, 0]\n"), "of numbers up to 1e9 m/s"),
        (format!("[[surfaces]]\nplane = {{ offset = -1e300 }}\n{BALL}"), "s.toml:2:20: "),
        // Two such springs one behind the other were infinitely stiff.
        (format!("[materials.a]\nstiffness = 1e299\n{BALL}"), "stiffness is 1e299, but must be"),
        (format!("[[laws]]\nbetween = [\"a\", \"b\"]\n{BALL}"), "s.toml:2:12: 'a' is no between of law 1"),
        (format!("integrator = \"implict\"\n{BALL}"), "'implict' is no integrator; did you mean 'implicit'?"),
        (format!("contact = \"discrete\"\n{BALL}"), "contact has no effect on the implicit integrator"),
        (
            format!("{BALL}kind = \"fixed\"\nmass = 1"),
            "mass of body 'ball' has no effect, for it is not dynamic",
        ),
        (format!("{BALL}bullet = 1"), "bullet of body 'ball' is 1, but must be true or false"),
        (
            "[[bodies]]\nshape = \"sphear\"".to_owned(),
            "'sphear' is no shape of the scene, and no built-in one; did you mean 'sphere'?",
        ),
        (
            "[[bodies]]\nshape = { kind = \"sphere\", raduis = 1 }".to_owned(),
            "s.toml:2:28: 'raduis' is no setting of the shape of body 1; did you mean 'radius'?",
        ),
        (
            "[[bodies]]\nshape = { kind = \"sphere\", radius = -1 }".to_owned(),
            "s.toml:2:9: the shape of body 1: sphere: `radius` is -1",
        ),
        (
            "[[bodies]]\nshape = { kind = \"sphere\", triangles = 99999999999 }".to_owned(),
            "triangles of the shape of body 1 is 99999999999",
        ),
        (
            "[[bodies]]\nshape = { kind = \"sphere\", resolution = 100000 }".to_owned(),
            "a whole number from 1 to 2048",
        ),
        ("[[bodies]]\nshape = { file = \"none.obj\" }".to_owned(), "none.obj"),
        ("[[bodies]]\nshape = { radius = 1 }".to_owned(), "the shape of body 1 needs kind or file"),
        ("[[surfaces]]\nname = \"a\"\n".to_owned() + BALL, "surface 'a' needs a shape"),
        ("[[surfaces]]\nplane = { normal = [0, 0, 0] }\n".to_owned() + BALL, "a direction, as [0, 1, 0]"),
        ("dt = \n".to_owned(), "s.toml:1:6: "),
        ("dt = 1\ndt = 2\n".to_owned() + BALL, "s.toml:2:1: duplicate key"),
    ] {
        let said = refused(&text);
        assert!(said.contains(wanted), "{text}\n  said:   {said}\n  wanted: {wanted}");
        assert!(said.contains("s.toml:"), "{said}");
    }
}

#[test]
fn mesh_files_are_found_beside_the_scene_and_open_ones_need_a_mass() {
    let folder = tempfile::tempdir().unwrap();
    let ball = shapes::sphere(100.0, 320).unwrap();
    let open = TriMesh::new(ball.vertices().to_vec(), ball.triangles()[4..].to_vec()).unwrap();
    io::write(folder.path().join("ball.ply"), &ball).unwrap();
    io::write(folder.path().join("open.ply"), &open).unwrap();
    let path = folder.path().join("s.toml");
    let write = |file: &str, more: &str| {
        let shape = format!("{{ file = \"{file}\", scale = 0.001, resolution = 24, points = 200 }}");
        std::fs::write(&path, format!("[[bodies]]\nname = \"part\"\nshape = {shape}\n{more}")).unwrap();
        Scene::read(&path).unwrap().world()
    };
    let world = write("ball.ply", "density = 1000\n").unwrap();
    assert!((world.bodies()[0].mass() - 4.1).abs() < 0.2, "{}", world.bodies()[0].mass());

    let said = write("open.ply", "").map(|_| ()).unwrap_err().to_string();
    assert!(
        said.contains("s.toml:1:1: body 'part': its mesh has no mass, ")
            && said.contains("give mass, centre and inertia"),
        "{said}"
    );
    write("open.ply", "mass_properties = { mass = 1, inertia = [1, 1, 1] }\n").unwrap();
    write("open.ply", "kind = \"fixed\"\n").unwrap();

    let said = Scene::read(folder.path().join("none.toml")).unwrap_err().to_string();
    assert!(said.contains("none.toml"), "{said}");
}

#[test]
fn built_in_scenes_are_read_and_their_shapes_can_be_made() {
    assert_eq!(built_in::ALL.len(), 8);
    for scene in built_in::ALL {
        let read = Scene::parse(scene.name, scene.text).unwrap();
        assert!(!read.about.is_empty() && read.bodies.len() >= 2, "{}", scene.name);
        for shape in read.shapes() {
            let mesh = shape.load_mesh().unwrap();
            assert!(mesh.signed_volume() > 0.0, "{}", scene.name);
        }
    }
    // Those with models are of the same names, and name their files within the folder.
    for scene in built_in::WITH_MODELS {
        assert!(built_in::by_name(scene.name).is_some(), "{}", scene.name);
        let parsed = Scene::parse(&format!("models/{}", scene.name), scene.text).unwrap();
        let files = parsed.shapes().filter_map(|shape| match &shape.mesh {
            isotouch::scene::MeshSource::File(path) => Some(path),
            isotouch::scene::MeshSource::BuiltIn(_) => None,
        });
        assert!(files.inspect(|path| assert!(path.starts_with("models"), "{path:?}")).count() > 0);
    }
    assert!(built_in::by_name("drop").is_some() && built_in::by_name("drip").is_none());
}

/// A built-in scene with other numbers in its text, after some steps.
fn stepped(name: &str, smaller: &[(&str, &str)], steps: usize) -> World {
    let mut text = built_in::by_name(name).unwrap().text.to_owned();
    for (large, small) in smaller {
        assert!(text.contains(large), "{name}: {large}");
        text = text.replace(large, small);
    }
    let scene = Scene::parse(name, &text).unwrap();
    let mut world = scene.world().unwrap();
    for step in 0..steps {
        world.step(scene.dt).unwrap_or_else(|error| panic!("{name}, step {step}: {error}"));
    }
    world
}

fn place(world: &World, name: &str) -> DVec3 {
    world.body(world.body_named(name).unwrap()).pose().position
}

/// With fewer points and cells, as far as something has happened in them.
#[test]
fn built_in_scenes_can_be_stepped() {
    let smaller = [
        ("triangles = 100000", "triangles = 2000"),
        ("resolution = 192, points = 20000", "resolution = 48, points = 800"),
        ("resolution = 128, points = 5000", "resolution = 48, points = 600"),
    ];
    let world = stepped("detailed-drop", &smaller, 120);
    let boulder = place(&world, "boulder");
    assert!(boulder.y > 0.1 && boulder.y < 0.6, "the boulder lies on the ring or the ground: {boulder}");

    let smaller = [
        ("resolution = 64\npoints = 800", "resolution = 24\npoints = 100"),
        ("resolution = 128, points = 6000", "resolution = 48, points = 500"),
    ];
    let world = stepped("pile", &smaller, 40);
    let lowest = world.bodies()[1..].iter().map(|body| body.pose().position.y).fold(f64::INFINITY, f64::min);
    assert!(lowest > 0.0 && lowest < 0.42, "the lowest blob is {lowest} m high");

    let smaller = [
        ("resolution = 320, points = 6000", "resolution = 160, points = 800"),
        ("resolution = 256, points = 6000", "resolution = 128, points = 800"),
    ];
    let world = stepped("nut-bolt", &smaller, 20);
    let nut = place(&world, "nut");
    assert!((nut - DVec3::Y * -0.01).length() < 1e-3, "the nut is still on its bolt: {nut}");

    let smaller = [
        ("points = 6000", "points = 1500"),
        ("points = 8000", "points = 2000"),
        ("points = 3000", "points = 600"),
    ];
    let (before, after) = (stepped("gears", &smaller, 120), stepped("gears", &smaller, 240));
    let turned = |world: &World, name: &str| world.body(world.body_named(name).unwrap()).pose().rotation;
    let angle = |name: &str| {
        let change = turned(&after, name) * turned(&before, name).inverse();
        2.0 * change.z.atan2(change.w)
    };
    // 20 teeth drive 30, with some play.
    let ratio = angle("driven") / angle("driver");
    assert!((ratio + 20.0 / 30.0).abs() < 0.03, "{ratio} turns a turn");
    let driven = after.body(after.body_named("driven").unwrap());
    assert!((driven.pose().position - DVec3::X * 0.25).length() < 2e-3, "{}", driven.pose().position);

    let world = stepped("thin-plate", &[("points = 3000", "points = 1000")], 30);
    let (plain, bullet) = (place(&world, "plain"), place(&world, "bullet"));
    assert!(plain.y < 0.5 && bullet.y > 0.5, "plain {plain}, bullet {bullet}");
}

/// As it is: twenty bodies in a bowl rest within 5 s, and a second later they still do.
#[test]
fn the_built_in_heap_comes_to_rest() {
    let scene = Scene::parse("pile", built_in::by_name("pile").unwrap().text).unwrap();
    let mut world = scene.world().unwrap();
    let bodies = world.bodies().iter().filter(|body| body.kind() == BodyKind::Dynamic).count() as f64;
    assert_eq!(bodies, 20.0);
    while world.time() < 6.0 {
        let report = world.step(scene.dt).unwrap();
        let energy = report.kinetic_energy / bodies;
        // About 0.1 mm/s: what leans on others creeps by slip speeds. Faster, it comes to the edge of balance and falls.
        assert!(report.time < 5.0 || energy < 1e-8, "after {} s: {energy} J a body", report.time);
    }
}

/// The slope's angle is 20°: friction 0.6 holds, and 0.1 gives g·(sin 20° − 0.1·cos 20°).
#[test]
fn on_the_built_in_slope_rubber_holds_and_ice_slides() {
    let scene = Scene::parse("incline", built_in::by_name("incline").unwrap().text).unwrap();
    let mut world = scene.world().unwrap();
    let start: Vec<DVec3> = world.bodies().iter().map(|body| body.pose().position).collect();
    for _ in 0..250 {
        world.step(scene.dt).unwrap();
    }
    let way: Vec<f64> = world
        .bodies()
        .iter()
        .zip(&start)
        .map(|(body, from)| (body.pose().position - from).length())
        .collect();
    let (sin, cos) = 20f64.to_radians().sin_cos();
    let expected = 0.5 * 9.81 * (sin - 0.1 * cos);
    assert!(way[0] < 1e-3, "rubber slid {} m", way[0]);
    assert!((way[1] - expected).abs() < 0.02 * expected, "ice slid {} m instead of {expected}", way[1]);
}

/// Names and places are not searched for from the beginning for each body: that would take minutes here.
#[test]
fn many_bodies_are_read() {
    let body = |k| format!("[[bodies]]\nname = \"b{k}\"\nshape = \"sphere\"\nposition = [{k}, 0, 0]\n");
    let text: String = (0..40_000).map(body).collect();
    let scene = Scene::parse("s.toml", &text).unwrap();
    assert_eq!(scene.bodies.len(), 40_000);
    assert_eq!(scene.bodies[39_999].options.name, "b39999");
}
