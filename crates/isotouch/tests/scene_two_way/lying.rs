//! Bodies on cloth that lies on something.

use isotouch::math::DVec3;

use super::{energy, stage_of};

/// A box at rest on a sheet of 54 g that lies on something hard: the floor, a slope, or a body that stands still.
fn on_supported_cloth(mass: f64, (substeps, squares): (u32, u32), degrees: f64, is_on_body: bool) -> String {
    let turned = format!("rotation = {{ axis = [0, 0, 1], degrees = {degrees} }}");
    let (sin, cos) = f64::to_radians(degrees).sin_cos();
    let off = |y: f64| format!("[{}, {}, 0]", -sin * y, cos * y);
    // The usual ε: a quarter of the diagonals of its squares.
    let epsilon = 0.25 * 0.6 / f64::from(squares) * 2.0f64.sqrt();
    let hard = if is_on_body {
        format!(
            "[[bodies]]\nname = \"table\"\nkind = \"fixed\"\nposition = {}\n{turned}\nshape = {{ kind = \"box\", size = [0.8, 0.1, 0.8], resolution = 64, band = 8, points = 500 }}\n",
            off(-0.05)
        )
    } else {
        format!("[[surfaces]]\nname = \"floor\"\nplane = {{ normal = [{}, {cos}, 0], offset = 0 }}\n", -sin)
    };
    format!(
        "dt = 0.01\nseconds = 1.0\n[cloth_stepping]\nsubsteps = {substeps}\n[[bodies]]\nname = \"box\"\nmass = {mass}\nposition = {}\n{turned}\n\
         shape = {{ kind = \"box\", size = [0.2, 0.1, 0.2], resolution = 48, band = 8, points = 500 }}\n{hard}\
         [[cloth]]\nname = \"sheet\"\nposition = {}\n{turned}\nshape = {{ kind = \"sheet\", size = [0.6, 0.6], squares = [{squares}, {squares}] }}\n",
        off(0.05 + 2.1 * epsilon),
        off(1.05 * epsilon),
    )
}

/// What is between a body and something hard can give way to neither. Pressed to and fro between both it pressed on the body with its own few grams: light bodies were thrown, by 44 m at 5 g, heavy ones sank through to the
/// floor, and on slopes they slid whatever their friction.
#[test]
fn what_lies_on_cloth_on_something_hard_stays_there() {
    let cases = [
        (1e-3, (30, 20), 0.0, false),
        (0.02, (30, 20), 0.0, false),
        (5.0, (30, 20), 0.0, false),
        (0.01, (30, 40), 0.0, false),
        (10.0, (100, 20), 0.0, false),
        (0.005, (30, 20), 0.0, true),
        (2.0, (30, 20), 0.0, true),
        (0.2, (30, 20), 20.0, false),
        (2.0, (30, 20), 20.0, false),
    ];
    for (mass, of, degrees, is_on_body) in cases {
        let case = format!("{mass} kg, {of:?}, {degrees}°, on a body: {is_on_body}");
        let (scene, mut stage) = stage_of(&on_supported_cloth(mass, of, degrees, is_on_body));
        let (start, at) = (energy(&stage), stage.bodies.bodies()[0].pose());
        for _ in 0..scene.steps() {
            stage.step(scene.dt).unwrap();
            let rise = energy(&stage) - start;
            assert!(rise < 1e-3 * start.abs(), "{case}: {rise} J of {start} J");
            assert!(stage.cloth.penetration() <= 0.0, "{case}: {} m deep", stage.cloth.penetration());
        }
        // It was put a tenth of ε too high.
        let way = stage.bodies.bodies()[0].pose().position.distance(at.position);
        assert!(way < 2e-3 && stage.passages().is_empty(), "{case}: it went {way} m");
        // A heavy one rocks a little on its cloth.
        let speed = stage.bodies.bodies()[0].twist().linear.length();
        assert!(speed < if mass < 10.0 { 2e-3 } else { 0.02 }, "{case}: {speed} m/s");
    }
}

/// Nor does what falls on it make energy, or come through.
#[test]
fn what_falls_on_cloth_on_something_hard_comes_to_rest() {
    for mass in [1e-3, 0.05, 1.0, 10.0] {
        let text = on_supported_cloth(mass, (30, 20), 0.0, false);
        let (scene, mut stage) = stage_of(&text);
        let body = stage.bodies.body_named("box").unwrap();
        let mut pose = stage.bodies.body(body).pose();
        pose.position.y += 0.13;
        stage.bodies.set_pose(body, pose).unwrap();
        let start = energy(&stage);
        for _ in 0..scene.steps() {
            stage.step(scene.dt).unwrap();
            let rise = energy(&stage) - start;
            assert!(rise < 1e-3 * start.abs(), "{mass} kg: {rise} J of {start} J");
        }
        let end = stage.bodies.body(body).pose().position;
        assert!((0.06..0.08).contains(&end.y) && end.x.abs() < 0.01, "{mass} kg: it is at {end}");
        assert!(stage.cloth.penetration() <= 0.0 && stage.passages().is_empty());
    }
}

/// Less friction than the slope is steep lets it slide, as Coulomb says: a = g·(sin θ − μ·cos θ).
#[test]
fn what_lies_on_cloth_on_a_slope_slides_as_coulomb_says() {
    let mut text = on_supported_cloth(0.2, (30, 20), 20.0, false);
    text.push_str("[materials.ice]\nfriction = 0.2\n");
    let text = text.replacen("name = \"box\"", "name = \"box\"\nmaterial = \"ice\"", 1);
    let text = text.replacen("name = \"floor\"", "name = \"floor\"\nmaterial = \"ice\"", 1);
    let (_, mut stage) = stage_of(&text);
    let at = stage.bodies.bodies()[0].pose().position;
    let seconds = 0.3;
    for _ in 0..30 {
        stage.step(0.01).unwrap();
    }
    let way = stage.bodies.bodies()[0].pose().position.distance(at);
    let (sin, cos) = 20f64.to_radians().sin_cos();
    let expected = 0.5 * 9.81 * (sin - 0.2 * cos) * seconds * seconds;
    assert!((way / expected - 1.0).abs() < 0.1, "{way} m, not {expected} m");
}

/// A body that slides on cloth that lies still comes as far as its friction lets it: v²/(2·μ·g). Held as by a pin it came a tenth as far.
#[test]
fn what_slides_on_lying_cloth_comes_as_far_as_its_friction_lets_it() {
    for (mass, substeps, is_on_body) in
        [(0.02, 30, false), (0.2, 30, false), (2.0, 30, true), (5.0, 150, false)]
    {
        let mut text = on_supported_cloth(mass, (substeps, 20), 0.0, is_on_body);
        text.push_str("[materials.ice]\nfriction = 0.1\n");
        for name in ["box", "floor", "table"] {
            let named = format!("name = \"{name}\"");
            text = text.replacen(&named, &format!("{named}\nmaterial = \"ice\""), 1);
        }
        // Without a band and in a coarse field, so that it is held off by places outside that field's box: what was told of these jumped from cell to cell, and threw the box up in small steps.
        let text = text.replacen("mass =", "velocity = [0.5, 0, 0]\nmass =", 1).replacen(
            "resolution = 48, band = 8",
            "resolution = 32",
            1,
        );
        let (_, mut stage) = stage_of(&text);
        let body = stage.bodies.body_named("box").unwrap();
        let at = stage.bodies.body(body).pose().position;
        let mut last = energy(&stage);
        for step in 0..60 {
            stage.step(0.01).unwrap();
            let now = energy(&stage);
            assert!(now < last + 1e-4 * mass, "{mass} kg, step {step}: {now} J after {last} J");
            last = now;
        }
        let body = stage.bodies.body(body);
        let (way, speed) = (body.pose().position - at, body.twist().linear.length());
        let expected = 0.5 * 0.5 / (2.0 * 0.1 * 9.81);
        // The last of a tenth of ε that it falls presses it harder for a moment.
        assert!((way.x / expected - 1.0).abs() < 0.05, "{mass} kg: {} m, not {expected} m", way.x);
        assert!(speed < 1e-3 && way.z.abs() < 1e-3, "{mass} kg: {speed} m/s, {way}");
    }
}

/// What is between two bodies that both move hands on what presses on it. With its own few grams it threw a light body off a table, and let a heavy one sink in.
#[test]
fn what_lies_on_cloth_on_a_body_that_moves_by_itself_stays_there() {
    for (mass, table) in [(0.005, 1.0), (2.0, 1.0), (1.0, 0.05)] {
        let text = on_supported_cloth(mass, (30, 20), 0.0, true)
            .replace("kind = \"fixed\"", &format!("mass = {table}"))
            .replace("seconds = 1.0", "seconds = 0.5")
            + "[[surfaces]]\nname = \"floor\"\nplane = { normal = [0, 1, 0], offset = -0.1 }\n";
        let (scene, mut stage) = stage_of(&text);
        let start = energy(&stage);
        let at = |stage: &isotouch::scene::Stage, name: &str| {
            let body = stage.bodies.body(stage.bodies.body_named(name).unwrap());
            (body.pose().position, body.twist().linear.length())
        };
        let (of_box, of_table) = (at(&stage, "box").0, at(&stage, "table").0);
        for step in 0..scene.steps() {
            stage.step(scene.dt).unwrap();
            let rise = energy(&stage) - start;
            assert!(rise < 1e-3 * start.abs(), "{mass} kg on {table} kg, step {step}: {rise} J of {start} J");
            assert!(stage.cloth.penetration() <= 0.0, "step {step}: {} m deep", stage.cloth.penetration());
        }
        for (name, from) in [("box", of_box), ("table", of_table)] {
            let (to, speed) = at(&stage, name);
            let way = to.distance(from);
            assert!(way < 2e-3 && speed < 2e-3, "{mass} kg on {table} kg, {name}: {way} m, {speed} m/s");
        }
        assert!(stage.passages().is_empty());
    }
}

/// A body that is pulled by what it lies on comes along: the sheet under it, drawn by hands all over, carries it as far as friction lets it.
#[test]
fn a_cloth_that_is_drawn_carries_what_lies_on_it() {
    let all: Vec<String> = (0..441).map(|k| k.to_string()).collect();
    let hands =
        format!("handles = [{{ particles = [{}], velocity = [0.2, 0, 0], until = 1.0 }}]\n", all.join(", "));
    let (_, mut stage) = stage_of(&(on_supported_cloth(0.2, (30, 20), 0.0, false) + &hands));
    let at = stage.bodies.bodies()[0].pose().position;
    for _ in 0..50 {
        stage.step(0.01).unwrap();
    }
    let body = &stage.bodies.bodies()[0];
    let (way, velocity) = (body.pose().position - at, body.twist().linear);
    // It is brought to speed within v/(μ·g), some hundredths of a second.
    assert!(way.x > 0.09 && way.x < 0.1 + 1e-6, "{way}");
    assert!((velocity - DVec3::new(0.2, 0.0, 0.0)).length() < 2e-3, "{velocity}");
}
