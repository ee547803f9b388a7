//! Cloth in scene files, and bodies that carry it.
#![allow(clippy::unwrap_used)]

use isotouch::math::DVec3;
use isotouch::scene::{Scene, SceneError};

const BALL_IN_A_SHEET: &str = r#"
dt = 0.005
seconds = 1.5

[cloth_stepping]
substeps = 10

[[bodies]]
name = "ball"
shape = { kind = "sphere", radius = 0.08, triangles = 1280, resolution = 48, points = 200 }
position = [0, 0.1, 0]
mass = 0.05

[[cloth]]
name = "net"
shape = { kind = "sheet", size = [0.6, 0.6], squares = [20, 20] }
stretch = 500
pins = [0, 20, 420, 440]
"#;

/// A sheet held by its corners catches a ball that falls into it, and carries its weight.
#[test]
fn a_sheet_catches_a_ball() {
    let scene = Scene::parse("net.toml", BALL_IN_A_SHEET).unwrap();
    let mut stage = scene.stage(scene.world().unwrap()).unwrap();
    let mut lowest = f64::INFINITY;
    for step in 0..scene.steps() {
        stage.step(scene.dt).unwrap();
        let depth = stage.cloth.penetration();
        assert!(depth < 0.0, "step {step}: {depth} m inside the ball");
        lowest = lowest.min(stage.bodies.bodies()[0].pose().position.y);
    }
    // Alone it would have fallen by 11 m.
    assert!(lowest > -0.6, "{lowest}");
}

/// A ball flies into a free sheet, far from all else: what one loses the other gains.
#[test]
fn a_ball_and_a_sheet_keep_their_momentum() {
    let text = r#"
gravity = [0, 0, 0]
dt = 0.005
seconds = 0.6

[[bodies]]
name = "ball"
shape = { kind = "sphere", radius = 0.08, triangles = 1280, resolution = 48, points = 200, band = 10 }
position = [0, 0.12, 0]
velocity = [0, -1, 0]
mass = 0.05

[[cloth]]
name = "sheet"
shape = { kind = "tablecloth", side = 0.5, squares = 16 }
damping = 0
drag = 0
"#;
    let scene = Scene::parse("hit.toml", text).unwrap();
    let mut stage = scene.stage(scene.world().unwrap()).unwrap();
    let mut of_cloth = DVec3::ZERO;
    for step in 0..scene.steps() {
        stage.step(scene.dt).unwrap();
        let of_ball = stage.bodies.bodies()[0].twist().linear * 0.05;
        let cloth = &stage.cloth.cloths()[0];
        of_cloth = cloth.velocities().iter().zip(cloth.masses()).map(|(v, m)| *v * *m).sum();
        let sum = of_ball + of_cloth;
        assert!((sum - DVec3::NEG_Y * 0.05).length() < 1e-9, "step {step}: {sum}");
        assert!(stage.cloth.penetration() < 0.0, "step {step}: {}", stage.cloth.penetration());
    }
    assert!(of_cloth.y < -0.01, "the sheet was pushed: {of_cloth}");
}

/// A strip torn off by its hand diverges after its bodies have moved. The stage is then as it was before that step, and goes on from there like one that is put back.
#[test]
fn where_cloth_diverges_the_last_good_state_stays() {
    let text = r#"
dt = 0.005
seconds = 1.0

[[bodies]]
name = "ball"
shape = { kind = "sphere", radius = 0.08, triangles = 320, resolution = 24, points = 100 }
position = [0, 0.5, 0]
velocity = [1, 0, 0]

[[cloth]]
name = "strip"
shape = { kind = "ribbon", length = 0.4, squares = 12 }
thickness = 0.002
handles = [{ particles = [0, 13], velocity = [0, 50, 0], after = 0.1, until = 0.9 }]
"#;
    let scene = Scene::parse("torn.toml", text).unwrap();
    let set_up = || {
        let mut stage = scene.stage(scene.world().unwrap()).unwrap();
        stage.cloth.options_mut().top_speed = 20.0;
        stage
    };
    let mut stage = set_up();
    let mut failed = false;
    for _ in 0..scene.steps() {
        let before = (stage.bodies.state(), stage.cloth.state());
        if let Err(error) = stage.step(scene.dt) {
            assert!(error.to_string().contains("cloth 'strip' diverged"), "{error}");
            assert!(before.0.time > 0.05, "before the hand moved: {error}");
            assert_eq!((stage.bodies.state(), stage.cloth.state()), before);
            assert!(before.1.cloths[0].places.iter().all(|place| place.is_finite()));
            // The same step fails again, in the same way, here and where that state is put back.
            let mut other = set_up();
            other.bodies.restore(&before.0).unwrap();
            other.cloth.restore(&before.1).unwrap();
            assert_eq!(stage.step(scene.dt).unwrap_err(), error);
            assert_eq!(other.step(scene.dt).unwrap_err(), error);
            failed = true;
            break;
        }
    }
    assert!(failed, "50 m/s is beyond the top speed");
    // Of all that stops a step of cloth, also what is known beforehand.
    let before = (stage.bodies.state(), stage.cloth.state());
    stage.cloth.options_mut().substeps = 0;
    assert!(stage.step(scene.dt).is_err());
    assert_eq!((stage.bodies.state(), stage.cloth.state()), before);
}

#[test]
fn hands_lead_cloth_and_stop() {
    let text = r#"
dt = 0.01
seconds = 1.0

[[cloth]]
name = "strip"
shape = { kind = "ribbon", length = 0.4, squares = 12 }
handles = [{ particles = [0, 13], velocity = [0, 0.5, 0], after = 0.2, until = 0.6 }]
"#;
    let scene = Scene::parse("led.toml", text).unwrap();
    let mut stage = scene.stage(scene.world().unwrap()).unwrap();
    let start = stage.cloth.cloths()[0].places()[0];
    for step in 1..=scene.steps() {
        stage.step(scene.dt).unwrap();
        let way = stage.cloth.cloths()[0].places()[0] - start;
        let expected = 0.5 * (0.01 * step as f64 - 0.2).clamp(0.0, 0.4);
        assert!((way - DVec3::Y * expected).length() < 1e-12, "step {step}: {way}");
    }
    assert!(stage.cloth.cloths()[0].places()[12].y < start.y, "the other end hangs");
    let wrong = text.replace("[0, 13]", "[0, 99]");
    let scene = Scene::parse("led.toml", &wrong).unwrap();
    let told = scene.stage(scene.world().unwrap()).err().unwrap().to_string();
    assert!(told.starts_with("led.toml:8:") && told.contains("99"), "{told}");
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let error = |text: &str| Scene::parse("a.toml", text).unwrap_err().to_string();
    let told = error("[[cloth]]\nshape = { kind = \"shet\" }");
    assert!(told.starts_with("a.toml:2:") && told.contains("did you mean 'sheet'?"), "{told}");
    let told = error("[[cloth]]\nshape = { kind = \"sheet\" }\nedges = \"all\"");
    assert!(told.contains("none, centre, deepest"), "{told}");
    let told = error("[[cloth]]\npins = [1]");
    assert!(told.contains("needs shape"), "{told}");
    let scene = Scene::parse("a.toml", "[[cloth]]\nshape = { kind = \"sheet\" }\npins = [100000]").unwrap();
    let world = scene.world().unwrap();
    let error = scene.stage(world).err().unwrap();
    assert!(
        matches!(error, SceneError::Cloth { .. }) && error.to_string().starts_with("a.toml:3:"),
        "{error}"
    );
    // Each at its own line, before anything is made.
    let sheet = "[[cloth]]\nshape = { kind = \"sheet\" }\n";
    for (setting, wanted) in [
        ("density = 0", "a positive, finite number"),
        ("stretch = -1", "a positive, finite number"),
        ("bend = -1", "0 or more"),
        ("damping = -0.1", "0 or more"),
        ("drag = nan", "0 or more"),
        ("warp = [0, 0, 0]", "a direction"),
        ("name = \"\"", "at least one letter"),
        ("name = \"a/b\"", "without / and \\"),
        ("name = \"..\"", "a name for files"),
        ("held = 2", "has no effect on cloth but hair; use pins"),
        ("position = [0, 1e300, 0]", "up to 1e13 m"),
        ("velocity = [1e300, 0, 0]", "up to 5e4 m/s"),
        ("handles = [{ particles = [0], velocity = [1e300, 0, 0] }]", "up to 5e4 m/s"),
        ("handles = []", "a list of handles"),
        ("handles = [{ particles = [] }]", "at least one particle"),
        ("handles = [{ particles = [0], after = 2, until = 1 }]", "no less than after, 2"),
    ] {
        let told = error_of(&format!("{sheet}{setting}\n"));
        assert!(told.starts_with("a.toml:3:") && told.contains(wanted), "{setting}: {told}");
    }
    // When it is cut.
    let stage_error_of = |text: &str| {
        let scene = Scene::parse("a.toml", text).unwrap();
        scene.stage(scene.world().unwrap()).err().unwrap().to_string()
    };
    for (shape, setting, wanted) in [
        ("\"sheet\"", "stretch = 1e-300", "is 1e-300, but must be a number from 1e-18 to 1e18"),
        ("\"sheet\"", "bend = 1e300", "is 1e300, but must be a number from 0 to 1e18"),
        ("\"sheet\"", "epsilon = 100", "no more than the cloth is large"),
        ("\"sheet\"", "thickness = 5", "no more than the cloth is large"),
        ("\"sheet\", size = [1e300, 1]", "", "width is 1e300, but must be a length above 0 and up to 1e9 m"),
        ("\"hair\", points = 1", "", "points is 1, but must be a count from 2 to 10000"),
        (
            "\"sheet\"",
            "handles = [{ particles = [3] }, { particles = [2, 3] }]",
            "particle 3 of cloth 'cloth 1' is led by another handle already",
        ),
    ] {
        let told = stage_error_of(&format!("[[cloth]]\nshape = {{ kind = {shape} }}\n{setting}\n"));
        assert!(told.starts_with("a.toml:") && told.contains(wanted), "{shape} {setting}: {told}");
    }
    let told = error_of("[[cloth]]\nshape = { kind = \"hair\" }\npins = [1]");
    assert!(told.starts_with("a.toml:3:") && told.contains("made of hair"), "{told}");
    let told = error_of("[[bodies]]\nname = \"x/y\"\nshape = \"sphere\"");
    assert!(told.starts_with("a.toml:2:") && told.contains("a name for files"), "{told}");
    assert!(error_of("dt = 0.01").contains("needs bodies or cloth"));
}

fn error_of(text: &str) -> String {
    Scene::parse("a.toml", text).unwrap_err().to_string()
}

/// What a reader takes, a reader of docs/cloth.md finds there: the settings that a wrong one is answered with.
#[test]
fn every_setting_of_cloth_is_described() {
    let docs = include_str!("../../../docs/cloth.md");
    let shapes = ["sheet", "tablecloth", "ribbon", "trousers", "hair"];
    let of_shapes =
        shapes.map(|kind| format!("[[cloth]]\nshape = {{ kind = \"{kind}\", xxxxxxxxxxxxxxxxxxxxxx = 1 }}"));
    let others = [
        "[[cloth]]\nxxxxxxxxxxxxxxxxxxxxxx = 1".to_owned(),
        "[cloth_stepping]\nxxxxxxxxxxxxxxxxxxxxxx = 1".to_owned(),
        "[[cloth]]\nshape = { kind = \"sheet\" }\nhandles = [{ xxxxxxxxxxxxxxxxxxxxxx = 1 }]".to_owned(),
        "[[cloth]]\nshape = { file = \"a.obj\", xxxxxxxxxxxxxxxxxxxxxx = 1 }".to_owned(),
    ];
    for text in of_shapes.iter().chain(&others) {
        let told = error_of(text);
        let (_, keys) = told.split_once("use one of: ").unwrap();
        for key in keys.split(", ") {
            let is_there = [format!("`{key}"), format!("{key} ="), format!("\"{key}\"")];
            assert!(
                is_there.iter().any(|way| docs.contains(way)),
                "docs/cloth.md has nothing of {key}: {told}"
            );
        }
    }
}

/// Three steps of 0.3 s are in a second, not four.
#[test]
fn no_run_is_longer_than_asked() {
    let sheet = "[[cloth]]\nshape = { kind = \"sheet\" }\n";
    let steps = |dt: f64, seconds: f64| {
        Scene::parse("a.toml", &format!("dt = {dt}\nseconds = {seconds}\n{sheet}")).unwrap().steps()
    };
    assert_eq!((steps(0.3, 1.0), steps(0.01, 1.0), steps(0.1, 0.3)), (3, 100, 3));
}

/// Reading merges vertices at one place and leaves out those that no triangle uses. Pins and handles counted what was left.
#[test]
fn pins_and_handles_count_the_vertices_of_a_mesh_file() {
    let kept = tempfile::tempdir().unwrap();
    let folder = kept.path();
    // A square, its second triangle with corners of its own; vertex 0 is loose, 4 is 2 once more, and 5 is 3.
    let mesh = "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 0\nv 0 0 1\nv 1 0 1\nf 2 3 4\nf 5 7 6\n";
    std::fs::write(folder.join("sheet.obj"), mesh).unwrap();
    let file = folder.join("scene.toml");
    let stage = |settings: &str| {
        let text = format!("[[cloth]]\nname = \"flag\"\nshape = {{ file = \"sheet.obj\" }}\n{settings}");
        let scene = Scene::parse(&file.display().to_string(), &text).unwrap();
        scene.stage(scene.world().unwrap())
    };
    let places =
        [(1, DVec3::ZERO), (2, DVec3::X), (4, DVec3::X), (5, DVec3::Z), (6, DVec3::new(1.0, 0.0, 1.0))];
    for (vertex, place) in places {
        for settings in [format!("pins = [{vertex}]"), format!("handles = [{{ particles = [{vertex}] }}]")] {
            let stage = stage(&settings).unwrap();
            let cloth = &stage.cloth.cloths()[0];
            let held: Vec<DVec3> =
                (0..4).filter(|&i| cloth.is_pinned(i)).map(|i| cloth.places()[i]).collect();
            assert_eq!(held, [place], "{settings}");
        }
    }
    // Vertices 2 and 4 are one particle.
    let told = stage("handles = [{ particles = [2] }, { particles = [4] }]").err().unwrap().to_string();
    assert!(told.contains("particle 4 of cloth 'flag' is led by another handle already"), "{told}");
    for (vertex, wanted) in [(0, "no triangle of the cloth 'flag' uses vertex 0"), (7, "has 7 vertices")] {
        for settings in [format!("pins = [{vertex}]"), format!("handles = [{{ particles = [{vertex}] }}]")] {
            let told = stage(&settings).err().unwrap().to_string();
            assert!(told.contains("scene.toml:4:") && told.contains(wanted), "{told}");
        }
    }
}

/// A coarse sheet elsewhere had all particles of a fine one counted as within reach of each other.
#[test]
fn a_coarse_sheet_does_not_crowd_a_fine_one() {
    let text = "dt = 0.01\nseconds = 0.02\n[[cloth]]\nname = \"fine\"\nshape = { kind = \"sheet\", size = [1, 1], squares = [90, 90] }\n\
        [[cloth]]\nname = \"coarse\"\nposition = [100, 0, 0]\nshape = { kind = \"sheet\", size = [0.6, 0.6], squares = [4, 4] }\n";
    let scene = Scene::parse("a.toml", text).unwrap();
    let mut stage = scene.stage(scene.world().unwrap()).unwrap();
    stage.step(scene.dt).unwrap();
}

/// Beyond its band a field is coarse, and cloth would lie on coarse cells without anybody knowing.
#[test]
fn fields_that_are_coarse_where_cloth_lies_are_told() {
    let notes = |text: &str| {
        let scene = Scene::parse("net.toml", text).unwrap();
        scene.stage(scene.world().unwrap()).unwrap().notes().to_vec()
    };
    let told = notes(BALL_IN_A_SHEET);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].starts_with("net.toml:8:") && told[0].contains("'net' is kept 10.6 mm off 'ball'"),
        "{told:?}"
    );
    let (_, band) = told[0].split_once("band = ").unwrap();
    let told = notes(&BALL_IN_A_SHEET.replace("points = 200", &format!("points = 200, band = {band}")));
    assert!(told.is_empty(), "{told:?}");
}

/// A sheet of 90,000 particles that are all within reach of each other: four billion pairs, 16 GB of lists.
#[test]
fn a_thickness_beyond_all_reason_is_refused_before_it_takes_memory() {
    let text =
        "[[cloth]]\nname = \"sheet\"\nshape = { kind = \"sheet\", squares = [300, 300] }\nthickness = 1\n";
    let scene = Scene::parse("thick.toml", text).unwrap();
    let told = scene.stage(scene.world().unwrap()).err().unwrap().to_string();
    assert!(
        told.contains("the thickness of the cloth 'sheet' is 1 m") && told.contains("0.00295 m"),
        "{told}"
    );
    // Of one that meets a finer one it is found when they step.
    let coarse = "\n[[cloth]]\nname = \"plank\"\nposition = [0, 1, 0]\nshape = { kind = \"sheet\", size = [4, 4], squares = [20, 20] }\nthickness = 4\n";
    let both = text.replace("thickness = 1\n", "") + coarse;
    let scene = Scene::parse("thick.toml", &both).unwrap();
    let mut stage = scene.stage(scene.world().unwrap()).unwrap();
    let before = (stage.bodies.state(), stage.cloth.state());
    let told = stage.step(scene.dt).unwrap_err().to_string();
    assert!(told.contains("by the thickness of the cloth 'plank'") && told.contains("coarser"), "{told}");
    assert_eq!((stage.bodies.state(), stage.cloth.state()), before);
}
