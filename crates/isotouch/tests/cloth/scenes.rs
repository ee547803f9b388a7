//! In the built-in scenes nothing is ever inside; and they show what they are for.

use isotouch::cloth::scenes::{self, ClothScene};
use isotouch::cloth::{Cloth, EdgeTest};

/// Runs a scene, and looks at every step.
fn run(name: &str, mut at: impl FnMut(usize, &ClothScene)) -> ClothScene {
    let mut scene = scenes::by_name(name).unwrap();
    assert!(scene.world.penetration() < 0.0, "{name} starts {} m inside", scene.world.penetration());
    for step in 0..scene.steps() {
        scene.step().unwrap();
        let depth = scene.world.penetration();
        assert!(depth < 0.0, "{name}, step {step}: {depth} m below a surface");
        at(step, &scene);
    }
    scene
}

fn middle(cloth: &Cloth) -> f64 {
    cloth.places().iter().map(|p| p.y).sum::<f64>() / cloth.places().len() as f64
}

#[test]
fn a_tablecloth_drapes_over_a_head() {
    let scene = run("tablecloth", |_, _| {});
    let cloth = &scene.world.cloths()[0];
    assert!(cloth.places().len() >= 1000);
    // A part of it is what one round leaves over, where all its weight hangs on few particles.
    let stretch = cloth.largest_stretch();
    assert!(stretch < 0.05, "{stretch}");
    let corner = cloth.places()[0].y;
    assert!(corner < -0.05 && middle(cloth) > corner, "{corner}");
}

#[test]
fn a_tablecloth_is_dragged_off() {
    let scene = run("drag", |_, _| {});
    assert!(scene.world.cloths()[0].places()[0].x > 0.5);
}

#[test]
fn a_rod_bends_under_its_cloth() {
    run("rod", |_, _| {});
}

#[test]
fn trousers_hold_by_friction_and_slide_without() {
    let mut held = f64::NAN;
    let scene = run("trousers", |step, scene| {
        if step == 99 {
            held = middle(&scene.world.cloths()[0]);
            // Legs are up to 7 % too thick.
            let stretch = scene.world.cloths()[0].largest_stretch();
            assert!(stretch < 0.15, "held: {stretch}");
        }
    });
    let stretch = scene.world.cloths()[0].largest_stretch();
    assert!(stretch < 0.05, "at the ground: {stretch}");
    let slid = held - middle(&scene.world.cloths()[0]);
    let start = scenes::by_name("trousers").unwrap();
    let sunk = middle(&start.world.cloths()[0]) - held;
    assert!(sunk.abs() < 0.05, "held by friction, they sank by {sunk} m");
    assert!(slid > 0.1, "without it, they slid by {slid} m");
}

#[test]
fn hair_falls() {
    run("hair", |_, _| {});
}

#[test]
fn wires_catch_a_flag() {
    run("flag-wires", |_, _| {});
}

#[test]
fn names_are_known() {
    assert!(scenes::by_name("curtain").is_err());
    assert_eq!(EdgeTest::NAMES.len(), 3);
}
