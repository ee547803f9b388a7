//! In the built-in scenes nothing is ever inside; and they show what they are for.

use isotouch::cloth::scenes::{self, ClothScene};
use isotouch::cloth::{Cloth, EdgeTest};
use isotouch::math::DVec3;

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

/// How far the middles of two rows of particles, across the rod, are from each other.
fn between_ends(cloth: &Cloth) -> f64 {
    // 36 particles along the rod, 31 across it: the ends of the middle row.
    cloth.places()[15 * 36].distance(cloth.places()[15 * 36 + 35])
}

#[test]
fn a_rod_bends_under_its_cloth() {
    let mut straight = f64::NAN;
    let scene = run("rod", |step, scene| {
        if step == 79 {
            straight = between_ends(&scene.world.cloths()[0]);
        }
    });
    let cloth = &scene.world.cloths()[0];
    // It lay along 0.7 m of the rod, and goes with its halves, which turn down by 0.9 rad.
    let bent = between_ends(cloth);
    assert!(straight > 0.65 && bent < 0.8 * straight, "{straight} m, then {bent} m");
    let hangs = |p: &DVec3| p.y < -0.1;
    assert!(cloth.places().iter().filter(|p| hangs(p)).count() > cloth.places().len() / 2);
    // Still on it: over the joint it is as high as the rod is thick, and ε.
    let top = cloth.places()[15 * 36 + 17].y;
    assert!(top > 0.02 && top < 0.06, "{top} m");
    let stretch = cloth.largest_stretch();
    assert!(stretch < 0.08, "{stretch}");
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
    let start = scenes::by_name("hair").unwrap();
    let scene = run("hair", |_, _| {});
    let (before, cloth) = (&start.world.cloths()[0], &scene.world.cloths()[0]);
    for (k, strand) in cloth.strands().iter().enumerate() {
        let (root, tip) = (strand.start, strand.end - 1);
        assert_eq!(cloth.places()[root], before.places()[root], "strand {k} is rooted");
        let (from, to) = (before.places()[tip], cloth.places()[tip]);
        // It stood off by its whole length, 0.25 m, and lies on the head or hangs from it.
        assert!(to.y < from.y - 0.1 && to.y < before.places()[root].y, "strand {k}: from {from} to {to}");
    }
    let speed = cloth.velocities().iter().map(|v| v.length()).fold(0.0, f64::max);
    assert!(speed < 1.0 && cloth.largest_stretch() < 0.02, "{speed} m/s, {}", cloth.largest_stretch());
}

/// Wires at x = 0.1, every fourth row of the flag against one of seven.
#[test]
fn wires_catch_a_flag() {
    let mut deepest = f64::NEG_INFINITY;
    let scene = run("flag-wires", |_, scene| {
        let wires = &scene.world.obstacles()[..7];
        assert!(wires.iter().all(|wire| wire.name().starts_with("wire")));
        deepest = wires.iter().map(|wire| wire.impulse().force.x).fold(deepest, f64::max);
    });
    let cloth = &scene.world.cloths()[0];
    assert!(deepest > 0.0, "wires felt it");
    // Free it would be 2.25 m on, at 15 m/s.
    let mean = cloth.velocities().iter().map(|v| v.x).sum::<f64>() / cloth.velocities().len() as f64;
    let farthest = cloth.places().iter().map(|p| p.x).fold(f64::NEG_INFINITY, f64::max);
    assert!(mean < 3.0 && farthest < 0.5, "{mean} m/s, up to {farthest} m");
    // Rows that met a wire are before it, or around the outermost.
    let caught = (0..33).filter(|k| cloth.places()[k * 33 + 16].x < 0.1).count();
    assert!(caught > 10, "{caught} of 33");
}

#[test]
fn names_are_known() {
    assert!(scenes::by_name("curtain").is_err());
    assert_eq!(EdgeTest::NAMES.len(), 3);
}
