//! Cloth in scene files, and bodies that carry it.
#![allow(clippy::unwrap_used)]

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
    assert!(matches!(scene.stage(world), Err(SceneError::Cloth { .. })));
}
