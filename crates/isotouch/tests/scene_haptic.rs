//! Scenes to be felt: they can be made, the hand does what they promise, and what is wrong with a text is told with its place.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use isotouch::ccd::path::{Answer, FixedPart, MovingPart, PathChecker, PathOptions};
use isotouch::field::{Field, FieldOptions};
use isotouch::haptics::device::{Device, DeviceState, Path};
use isotouch::haptics::{Held, HeldPair, Renderer, Session, SessionOptions};
use isotouch::math::{DVec3, Pose, Wrench};
use isotouch::mesh::{MassProperties, shapes};
use isotouch::scene::Scene;
use isotouch::scene::haptic::{HapticScene, Method, built_in};

fn scene(name: &str) -> HapticScene {
    let found = built_in::by_name(name).unwrap();
    HapticScene::parse(found.name, found.text).unwrap()
}

/// φ of every point by itself, the least of them; in textbook transforms, not the library's tree.
fn least(pair: &HeldPair, world_from_held: &Pose) -> f64 {
    let (shell, surface) = (pair.world_from_shell(world_from_held), pair.world_from_surface(world_from_held));
    let obstacle = pair.surface().obstacle();
    let value = |&p: &DVec3| {
        let world = shell.rotation * p + shell.position;
        obstacle.touchable().value(surface.rotation.conjugate() * (world - surface.position))
    };
    pair.shell().points().iter().map(value).fold(f64::INFINITY, f64::min)
}

/// What a hand felt along its path.
struct Felt {
    pair: Arc<HeldPair>,
    states: Vec<DeviceState>,
    parts: Vec<Pose>,
    /// Of a god object: the poses between which it moved rigidly.
    trail: Vec<Pose>,
    wrenches: Vec<Wrench>,
    most_contacts: u32,
    max_penetration: f64,
}

impl Felt {
    fn part_at(&self, seconds: f64) -> Pose {
        self.parts[((1e3 * seconds) as usize).min(self.parts.len() - 1)]
    }
}

fn feel(scene: &HapticScene, method: Method) -> Felt {
    feel_with(scene, method, &scene.build().unwrap().pair)
}

fn feel_with(scene: &HapticScene, method: Method, pair: &Arc<HeldPair>) -> Felt {
    let renderer = scene.renderer(pair, method).unwrap();
    let mut hand = scene.hand(1000.0).unwrap();
    let safety = isotouch::haptics::safety::SafetyOptions::for_device(hand.capabilities());
    let options = SessionOptions { safety, ..SessionOptions::default() };
    let mut session = Session::in_step(renderer, &options).unwrap();
    let mut felt = Felt {
        pair: Arc::clone(pair),
        states: Vec::new(),
        parts: Vec::new(),
        trail: vec![scene.start()],
        wrenches: Vec::new(),
        most_contacts: 0,
        max_penetration: 0.0,
    };
    for _ in 0..(1e3 * scene.seconds) as usize {
        let state = hand.read().unwrap();
        let command = session.command(&state);
        hand.write(&command).unwrap();
        let feedback = session.feedback().unwrap();
        assert!(feedback.part.position.is_finite() && feedback.penetration.is_finite());
        felt.states.push(state);
        felt.parts.push(feedback.part);
        if let Some(Renderer::Constraint(god, _)) =
            session.simulation().map(isotouch::haptics::session::Simulation::renderer)
        {
            felt.trail.extend_from_slice(god.trail());
        }
        felt.most_contacts = felt.most_contacts.max(feedback.contacts);
        felt.max_penetration = felt.max_penetration.max(feedback.penetration);
        if let isotouch::haptics::device::DeviceCommand::Wrench(wrench) = command {
            felt.wrenches.push(wrench);
        }
    }
    felt
}

#[test]
fn by_constraints_no_scene_is_ever_entered() {
    for found in built_in::ALL {
        let scene = scene(found.name).scaled_down(96, 700);
        let felt = feel(&scene, Method::Constraint);
        assert_eq!(felt.max_penetration, 0.0, "{}", found.name);
        if found.name == "alpha" {
            // Its path keeps clear; whether the hand does, too, is not the point.
            continue;
        }
        assert!(felt.most_contacts > 0, "{}: nothing is touched", found.name);
        let most = felt.wrenches.iter().map(|of| of.force.length()).fold(0.0, f64::max);
        assert!(most > 0.2 && most <= 20.0, "{}: {most} N", found.name);
        for (tick, part) in felt.parts.iter().enumerate().step_by(37) {
            let depth = least(&felt.pair, part);
            assert!(depth > 0.0, "{}: {depth} at tick {tick}", found.name);
        }
    }
}

/// The force is that of the spring between the hand and the part where it is, so it changes by no more than both go, whichever planes the servo loop was told; and it does not come back the next tick.
#[test]
fn by_constraints_the_force_changes_as_hand_and_part_move() {
    // N: but for rounding, of poses in metres times the stiffness.
    const ROUNDING: f64 = 1e-9;
    for (name, seconds) in [("sliding", 4.5), ("landing-gear", 4.5)] {
        let mut scene = scene(name).scaled_down(256, 3400);
        scene.seconds = seconds;
        let felt = feel(&scene, Method::Constraint);
        let (center, coupling) = (felt.pair.center(), scene.coupling_for(&felt.pair, Method::Constraint));
        assert_eq!(coupling.damping, 0.0, "velocities would count, too");
        let change = |k: usize| felt.wrenches[k].force - felt.wrenches[k - 1].force;
        let way = |from: &Pose, to: &Pose| from.place(center).distance(to.place(center));
        // Before, forces grow by the ramp.
        let ramp = 1 + (1e3 * isotouch::haptics::safety::SafetyOptions::default().ramp) as usize;
        let mut pressed = 0;
        for k in ramp + 1..felt.wrenches.len() {
            let hand = way(&felt.states[k - 1].pose, &felt.states[k].pose);
            let part = way(&felt.parts[k - 1], &felt.parts[k]);
            let most = coupling.stiffness * (hand + part) + ROUNDING;
            assert!(change(k).length() <= most, "{name}, tick {k}: {} N of {most}", change(k).length());
            let (there, back) = (change(k - 1), change(k));
            let is_spike = there.dot(back) < -0.5 * there.length() * back.length()
                && there.length().min(back.length()) > SPIKE;
            assert!(!is_spike, "{name}, tick {k}: by {there} and back by {back}");
            pressed += usize::from(felt.wrenches[k].force.length() > 1.0);
        }
        assert!(pressed > 1000, "{name}: pressed in {pressed} ticks");
    }
}

/// N, there and back in two ticks: about what a hand feels as a click, and less than the hand's own motion makes of 1000 N/m.
const SPIKE: f64 = 0.3;

#[test]
fn by_springs_every_scene_ends_near_the_hand_and_is_entered_by_less_than_a_few_cells() {
    for (name, method) in [
        ("wall", Method::Penalty),
        ("wall", Method::DiscretePenalty),
        ("peg", Method::Penalty),
        ("three-bars", Method::Penalty),
        ("sliding", Method::Penalty),
    ] {
        let scene = scene(name).scaled_down(64, 2000);
        let felt = feel(&scene, method);
        let cell = felt.pair.surface().cell();
        assert!(felt.most_contacts > 0 && felt.max_penetration > 0.0, "{name}: nothing is touched");
        assert!(felt.max_penetration < 3.0 * cell, "{name}: {} cells", felt.max_penetration / cell);
        let (hand, part) = (felt.states.last().unwrap().pose, felt.parts.last().unwrap());
        let apart = hand.position.distance(part.position);
        assert!(apart < 0.01, "{name}: {apart} m from the hand");
    }
}

#[test]
fn alpha_comes_out_along_its_path() {
    let alpha = scene("alpha").scaled_down(128, 1500);
    let felt = feel(&alpha, Method::Constraint);
    let end = felt.parts.last().unwrap();
    assert!(end.position.distance(DVec3::new(0.15, 0.0, 0.0)) < 2e-3, "{end:?}");
    assert_eq!(felt.max_penetration, 0.0);
    assert!(felt.parts.iter().step_by(50).all(|part| least(&felt.pair, part) > 0.0));
}

/// The loops are linked, and no straight way leads out. Pulled straight, then, a part that cannot turn is stopped; one that can, which gives way where it is pushed aside, turns itself out in the direction in which
/// the proven path ends, as a hand that lets it does. That this is a way, and no leak, is proven on the meshes: see below.
#[test]
fn alpha_pulled_straight_is_stopped_unless_it_turns() {
    let alpha = scene("alpha").scaled_down(128, 1500);
    let start = alpha.start();
    let free = alpha.build().unwrap().pair;
    let mass = MassProperties { inertia: free.mass().inertia * 1e6, ..*free.mass() };
    let shell = Arc::new(free.shell().clone());
    let stiff = Arc::new(HeldPair::new(shell, free.surface().clone(), Held::Shell, mass).unwrap());
    for direction in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|of| [of, -of]) {
        let mut straight = alpha.clone();
        (straight.path, straight.seconds) = (straight_away(&start, direction), 2.0);
        for (pair, can_turn) in [(&stiff, false), (&free, true)] {
            let felt = feel_with(&straight, Method::Constraint, pair);
            let is_held = felt.parts.last().unwrap().position.distance(start.position) < 0.12;
            assert_eq!(is_held, !(can_turn && direction == DVec3::X), "{direction}, can turn: {can_turn}");
            assert_eq!(felt.max_penetration, 0.0, "{direction}");
            let force = felt.wrenches.last().unwrap().force.length();
            assert!(!is_held || force > 5.0, "{direction}: {force} N");
        }
    }
}

/// With constraints that keep the points 1 mm off, more than places between them can be nearer to the other tube, every piece of the way that the part finds by itself is free of contact by the meshes alone.
#[test]
fn alpha_that_turns_itself_out_has_a_way() {
    let mut alpha = scene("alpha").scaled_down(128, 1500);
    let start = alpha.start();
    (alpha.path, alpha.seconds) = (straight_away(&start, DVec3::X), 2.0);
    alpha.offset = 1e-3 / alpha.build().unwrap().pair.surface().cell();
    let felt = feel(&alpha, Method::Constraint);
    let end = felt.parts.last().unwrap();
    assert!(end.position.distance(start.position) > 0.2, "{end:?}");
    let tube = shapes::by_name("alpha").unwrap().mapped(|p| p * 0.1).unwrap();
    let field = Field::from_mesh(&tube, &FieldOptions { resolution: 96, ..Default::default() }).unwrap();
    let (moving, fixed) =
        (MovingPart::new(&tube, DVec3::ZERO).unwrap(), FixedPart::new(&tube, &field).unwrap());
    let checker = PathChecker::new(&moving, &fixed, &PathOptions::default());
    let straight = checker.check(&[start, Pose { position: start.position + DVec3::X, ..start }]);
    assert_eq!(straight.answer, Answer::Contact);
    let way = checker.check(&felt.trail);
    assert_eq!(way.answer, Answer::Free, "{:?}", way.first_contact);
    assert!(
        way.clearance > 1e-4 && felt.trail.len() > 500,
        "{} m, {} pieces",
        way.clearance,
        felt.trail.len()
    );
}

/// A quarter of a metre away in a second and a half.
fn straight_away(start: &Pose, direction: DVec3) -> Path {
    let to = Pose { position: start.position + 0.25 * direction, ..*start };
    Path::new(vec![(0.0, *start), (1.5, to)]).unwrap()
}

#[test]
fn alpha_is_the_built_in_path_in_metres() {
    let alpha = scene("alpha");
    let text = built_in::by_name("alpha").unwrap().text;
    let times: Vec<f64> = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix('[')?.split(',').next()?.parse().ok())
        .collect();
    let path = shapes::alpha_path();
    assert_eq!(times.len(), path.len());
    for (time, pose) in times.into_iter().zip(path) {
        let found = alpha.path.at(time).0;
        assert!(
            found.position.distance(0.1 * pose.position) < 1e-9
                && found.rotation.dot(pose.rotation).abs() > 1.0 - 1e-9
        );
    }
}

/// 2016, figure 7: what fits goes in by both methods; what is a twentieth of a cell too thick by springs only.
#[test]
fn the_peg_goes_in_and_the_thick_one_only_by_springs() {
    let peg = scene("peg");
    let pair = peg.build().unwrap().pair;
    let cell = pair.surface().cell();
    let room = least(&pair, &Pose::IDENTITY) / cell;
    assert!((room - 0.05).abs() < 0.01, "{room} cells of room");
    assert_eq!((pair.shell().len(), peg.resolution()), (6700, Some(64)));

    let depth = |name: &str, method: Method, change: &dyn Fn(&mut HapticScene)| {
        // Fewer points, for time, and as stiff together; up to where it is in.
        let mut scene = scene(name).scaled_down(64, 1200);
        scene.penalty.stiffness *= 6700.0 / 1200.0;
        scene.seconds = 4.7;
        change(&mut scene);
        let felt = feel(&scene, method);
        (felt.part_at(4.6).position.z, felt.max_penetration / cell, felt.most_contacts)
    };
    let as_it_is = |_: &mut HapticScene| {};
    let (z, deep, few) = depth("peg", Method::Constraint, &as_it_is);
    assert!(z < 2e-3 && deep == 0.0, "constraint: {z} m, {deep} cells");
    let (z, deep, many) = depth("peg", Method::Penalty, &as_it_is);
    assert!(z < 2e-3 && deep < 0.5, "springs: {z} m, {deep} cells");
    let (z, deep, _) = depth("peg-tight", Method::Constraint, &as_it_is);
    assert!(z > 0.04 && deep == 0.0, "thick, constraint: {z} m, {deep} cells");
    let (z, without, _) = depth("peg-tight", Method::Penalty, &as_it_is);
    assert!(z < 2e-3 && (0.05..0.5).contains(&without), "thick, springs: {z} m, {without} cells");
    // A security distance is that much less depth; and one of as much as the coupling overcomes, half a cell, keeps it out.
    let (_, deep, _) = depth("peg-tight", Method::Penalty, &|scene| scene.penalty.security_distance = 0.15);
    assert!(deep < without - 0.05, "{deep} cells with a security distance, {without} without");
    let (z, deep, _) = depth("peg-tight", Method::Penalty, &|scene| {
        scene.penalty.security_distance = 0.5;
        scene.penalty.stiffness *= 2.0;
    });
    assert!(z > 0.04 && deep == 0.0, "half a cell of security distance: {z} m, {deep} cells");
    // The normals of points on the rim are askew, and rows made of them lead nowhere; the part must still follow.
    let (z, deep, _) = depth("peg", Method::Constraint, &|scene| {
        scene.constraint.normals = isotouch::haptics::RowNormals::Fixed;
        let away = Pose::at(DVec3::new(0.004, 0.001, 0.09));
        let down = Pose::at(DVec3::new(0.004, 0.001, 0.055));
        scene.path = Path::new(vec![(0.0, away), (1.0, down), (3.0, down), (4.0, away)]).unwrap();
    });
    assert!(z > 0.08 && deep == 0.0, "lifted again: {z} m, {deep} cells");
    println!("contacts: {few} by constraints, {many} by springs");
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let good = "[haptic]\nheld = \"sphere\"\nfixed = { plane = { offset = 0 } }\nposes = [[0, 0, 1, 0]]\n";
    assert!(HapticScene::parse("s.toml", good).is_ok());
    let with = |line: &str| format!("{good}{line}\n");
    for (text, wanted) in [
        (String::new(), "s.toml:1:1: the scene needs haptic; add [haptic] with held, fixed and poses"),
        ("[haptic]\nheld = \"sphere\"\n".into(), "s.toml:1:1: the haptic scene needs fixed"),
        (
            good.replace("poses", "pose"),
            "s.toml:4:1: 'pose' is no setting of the haptic scene; did you mean 'poses'?",
        ),
        (
            good.replace("[[0, 0, 1, 0]]", "[[0, 0, 1]]"),
            "s.toml:4:10: poses of the haptic scene is [0, 0, 1], but must be [t, x, y, z]",
        ),
        (
            good.replace("[[0, 0, 1, 0]]", "[[1, 0, 1, 0], [0, 0, 1, 0]]"),
            "s.toml:4:9: poses of the haptic scene is",
        ),
        (good.replace("poses = [[0, 0, 1, 0]]", "path = \"none.csv\""), "s.toml:4:8: none.csv: "),
        (
            good.replace("\"sphere\"", "{ kind = \"sphere\", points = 5 }"),
            "points of held of the haptic scene stands in [haptic] itself",
        ),
        (
            with("resolution = 64"),
            "s.toml:5:14: resolution of the haptic scene has no effect, for what is touched is a formula",
        ),
        (with("held_as = \"field\""), "must be \"shell\", for a plane or a ball has no points"),
        (with("offset = 2"), "s.toml:5:10: offset of the haptic scene is 2, but must be at most 1.5 cells"),
        (with("density = -1"), "s.toml:5:11"),
        (
            with("density = 1\nmass = 1"),
            "s.toml:6:8: the haptic scene has both density and mass; leave out one",
        ),
        (with("coupling = { stiffness = 0 }"), "s.toml:5:26: stiffness of coupling of the haptic scene is 0"),
        (with("constraint = { skin = 0.1, reach = 0.1 }"), "must be at least twice the skin"),
        (with("constraint = { detection = \"never\" }"), "use one of: continuous, papers, discrete"),
        (format!("[[bodies]]\n{good}"), "s.toml:1:1: this is a scene to be simulated and not one to be felt"),
        ("[haptic\n".into(), "s.toml:1:8"),
    ] {
        let error = HapticScene::parse("s.toml", &text).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}\n  wanted: {wanted}");
    }
    let other = Scene::parse("s.toml", good).unwrap_err().to_string();
    assert!(other.contains("run it with `isotouch haptic`"), "{other}");
}

#[test]
fn what_cannot_be_made_says_so() {
    // The ball begins in the ground.
    let text = "[haptic]\nheld = \"sphere\"\nfixed = { plane = { offset = 0 } }\nposes = [[0, 0, 0.1, 0]]\npoints = 100\n";
    let scene = HapticScene::parse("s.toml", text).unwrap();
    let built = scene.build().unwrap();
    let error = scene.renderer(&built.pair, Method::Constraint).err().unwrap().to_string();
    assert!(error.contains("begin where they are apart"), "{error}");
    assert!(scene.renderer(&built.pair, Method::Penalty).is_ok(), "springs push it out");

    let missing = text.replace("\"sphere\"", "{ file = \"none.obj\" }");
    let error = HapticScene::parse("s.toml", &missing).unwrap().build().err().unwrap().to_string();
    assert!(error.starts_with("s.toml:2:8: ") && error.contains("none.obj"), "{error}");
}

#[test]
fn a_path_file_has_times_or_is_spread_over_the_seconds() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let pose = "0,0.6,0,0,0,0,1";
    std::fs::write(at("timed.csv"), format!("t,x,y,z,qx,qy,qz,qw\n0,{pose}\n3,0,0.7,0,0,0,0,1\n")).unwrap();
    std::fs::write(at("plain.csv"), format!("{pose}\n0,0.7,0,0,0,0,1\n0,0.8,0,0,0,0,1\n")).unwrap();
    let read = |line: &str| {
        let text = format!("[haptic]\nheld = \"sphere\"\nfixed = {{ plane = {{}} }}\n{line}\n");
        std::fs::write(at("s.toml"), text).unwrap();
        HapticScene::read(at("s.toml"))
    };
    let timed = read("path = \"timed.csv\"").unwrap();
    assert_eq!((timed.path.span(), timed.seconds), ((0.0, 3.0), 3.5));
    let plain = read("path = \"plain.csv\"\nseconds = 4").unwrap();
    assert_eq!((plain.path.span(), plain.path.at(2.0).0.position.y), ((0.0, 4.0), 0.7));
    let error = read("path = \"plain.csv\"").unwrap_err().to_string();
    assert!(error.contains("it has no times"), "{error}");
}
