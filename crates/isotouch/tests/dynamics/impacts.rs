//! What strikes, several at once and at long steps, makes no energy.

use isotouch::contact::Material;
use isotouch::dynamics::{BodyKind, BodyOptions, World, WorldOptions};
use isotouch::math::{DQuat, DVec3, Pose, Twist, Wrench};
use isotouch::mesh::{TriMesh, shapes};

use crate::{at, ball, block, on_ground, shape};

/// All that the sum of energies rose by in any of these steps, J, and how many points touched.
fn made_and_touched(world: &mut World, dt: f64, steps: usize) -> (f64, usize) {
    let (mut made, mut touched, mut before) = (0.0, 0, world.report().energy());
    for _ in 0..steps {
        let report = world.step(dt).unwrap();
        touched += report.contacts;
        made += (report.energy() - before).max(0.0);
        before = report.energy();
    }
    (made, touched)
}

/// An open box of one piece: half as wide as `half`, walls 0.1 m thick and as high as 0.15 m, a floor of 0.05 m.
fn tray(half: f64) -> TriMesh {
    let ring = |r: f64, y: f64| [(-r, -r), (r, -r), (r, r), (-r, r)].map(|(x, z)| DVec3::new(x, y, z));
    let rings = [ring(half, 0.0), ring(half, 0.15), ring(half - 0.1, 0.15), ring(half - 0.1, 0.05)];
    let mut triangles = Vec::new();
    let mut quad = |corners: [usize; 4]| {
        let [a, b, c, d] = corners.map(|k| k as u32);
        triangles.extend([[a, b, c], [a, c, d]]);
    };
    quad([0, 1, 2, 3]);
    for k in 0..4 {
        let next = (k + 1) % 4;
        for level in [0, 4, 8] {
            quad([level + next, level + k, level + 4 + k, level + 4 + next]);
        }
    }
    quad([15, 14, 13, 12]);
    TriMesh::new(rings.concat(), triangles).unwrap()
}

/// What slid on the floor ended deep in the wall with its foremost points, and so deep others were allowed to come: a cube gained up to three quarters of its energy, or 470 times of it in a long step, and went through walls.
#[test]
fn a_cube_that_slides_on_the_floor_of_a_tray_into_its_wall_makes_no_energy() {
    let smooth = Material { static_friction: 0.0, kinetic_friction: 0.0, ..Default::default() };
    let cube = block(DVec3::splat(0.1), 1000);
    for (resolution, speed, dt) in [
        (64, 3.0, 1.0 / 240.0),
        (96, 3.0, 1e-3),
        (96, 1.0, 1.0 / 60.0),
        (64, 10.0, 1.0 / 60.0),
        (64, 50.0, 1.0 / 240.0),
    ] {
        let tray = shape(&tray(0.5), resolution, 6000);
        for part in 0..6 {
            let mut world = World::new(WorldOptions::default());
            let fixed = BodyOptions { kind: BodyKind::Fixed, material: smooth, ..Default::default() };
            world.add_body(tray.clone(), fixed).unwrap();
            let start = DVec3::new(0.2 + speed * dt * f64::from(part) / 6.0, 0.1, 0.01);
            // Not from within the wall, which the field rounds off at its foot.
            let start = start.min(DVec3::splat(0.32));
            let twist = Twist { linear: DVec3::X * speed, angular: DVec3::ZERO };
            let sliding = BodyOptions { twist, material: smooth, ..at(start) };
            let id = world.add_body(cube.clone(), sliding).unwrap();
            let kinetic = world.report().kinetic_energy;
            let case = format!("{speed} m/s, {resolution}³, {dt} s, from {}", start.x);
            let (mut made, mut before, mut farthest) = (0.0, world.report().energy(), start.x);
            for _ in 0..(0.3 / dt) as usize {
                let energy = world.step(dt).unwrap().energy();
                made += (energy - before).max(0.0);
                before = energy;
                let body = world.body(id);
                let (x, v) = (body.pose().position.x, body.twist().linear.x);
                // A smooth floor brakes nothing before it is there: a cell and a half, for the field rounds the foot of the wall.
                let is_there = farthest > 0.35 - 2.0 * speed * dt - 1.6 / f64::from(resolution);
                assert!(is_there || (v / speed - 1.0).abs() < 0.02, "{case}: {v} m/s at {x}");
                farthest = f64::max(farthest, x);
            }
            assert!(made < 2e-3 * kinetic, "{case}: {made} J of {kinetic} J");
            let x = world.body(id).pose().position.x;
            assert!(
                x.abs() < 0.352 && (0.345..0.352).contains(&farthest),
                "{case}: at {x}, {farthest} at most"
            );
        }
    }
}

/// Three boxes on each other, and a ball that comes at two of them.
fn struck_stack(speed: f64) -> World {
    let material = Material { static_friction: 0.5, kinetic_friction: 0.5, ..Default::default() };
    let block = block(DVec3::new(0.2, 0.1, 0.15), 2000);
    let mut world = on_ground(WorldOptions::default(), material);
    for k in 0..3 {
        let on = BodyOptions { material, ..at(DVec3::Y * (0.05 + 0.1 * f64::from(k))) };
        world.add_body(block.clone(), on).unwrap();
    }
    let twist = Twist { linear: DVec3::X * speed, angular: DVec3::ZERO };
    let coming = BodyOptions { twist, material, ..at(DVec3::new(-0.4, 0.15, 0.0)) };
    world.add_body(ball(0.1), coming).unwrap();
    world
}

/// Planes laid anew led the lowest box into the ground, which nobody looked at any more: it came back with a burst of energy, and at 60 steps a second the run ended.
#[test]
fn a_stack_that_is_struck_makes_no_energy_at_long_steps() {
    for dt in [1.0 / 60.0, 0.01, 1.0 / 240.0] {
        for speed in [2.0, 5.0] {
            let mut world = struck_stack(speed);
            let kinetic = world.report().kinetic_energy;
            let (made, touched) = made_and_touched(&mut world, dt, (1.0 / dt) as usize);
            assert!(made < 0.01 * kinetic, "{speed} m/s, {dt} s: {made} J of {kinetic} J");
            assert!(touched > 0);
        }
    }
}

/// Cubes above the ground, one above the other, turned any way, that come down at 3 m/s.
fn thrown_cubes(seed: u32, count: u32) -> World {
    let cube = block(DVec3::splat(0.1), 600);
    let any = |k: u32| 2.0 * (f64::from(seed * 31 + k) * 0.618_033_988_749_895).fract() - 1.0;
    let mut world = on_ground(WorldOptions::default(), Material::default());
    for k in 0..count {
        let axis = DVec3::new(any(4 * k + 1), any(4 * k + 2), any(4 * k + 3)).normalize_or(DVec3::X);
        let position = DVec3::new(0.03 * any(4 * k), 0.1 + 0.18 * f64::from(k), 0.0);
        let pose = Pose { position, rotation: DQuat::from_axis_angle(axis, any(4 * k + 3)) };
        let twist = Twist { linear: DVec3::NEG_Y * 3.0, angular: DVec3::ZERO };
        world.add_body(cube.clone(), BodyOptions { pose, twist, ..Default::default() }).unwrap();
    }
    world
}

/// Corners on edges on faces at once, in steps in which what falls goes half of its size.
#[test]
fn cubes_thrown_down_together_make_no_energy_at_long_steps() {
    for dt in [1.0 / 60.0, 1.0 / 120.0] {
        for seed in 0..6 {
            let mut world = thrown_cubes(seed, 2);
            let kinetic = world.report().kinetic_energy;
            let (made, touched) = made_and_touched(&mut world, dt, (0.5 / dt) as usize);
            assert!(made < 5e-3 * kinetic, "throw {seed}, {dt} s: {made} J of {kinetic} J");
            assert!(touched > 0);
            // They came down, and not through the ground.
            assert!(world.bodies().iter().all(|body| (0.0..0.3).contains(&body.pose().position.y)));
        }
    }
}

/// A step that is taken in parts is one step: it is counted, timed and told as one, and the same on any number of threads.
#[test]
fn a_step_in_parts_is_one_step() {
    let (dt, mut most) = (1.0 / 60.0, 0);
    for seed in 0..6 {
        let mut world = thrown_cubes(seed, 5);
        let mut alone = thrown_cubes(seed, 5);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        for step in 1..=30u64 {
            let report = world.step(dt).unwrap();
            assert_eq!((report.step, world.steps_taken()), (step, step));
            assert!((report.time - dt * step as f64).abs() < 1e-12 && world.time() == report.time);
            most = most.max(report.parts);
            assert_eq!(pool.install(|| alone.step(dt)).unwrap().parts, report.parts);
        }
        assert_eq!(world.state(), alone.state());
    }
    assert!(most > 1, "no step was taken in parts, so this shows nothing");
}

/// From any state that is put back the same follows, also where the next step is taken in parts.
#[test]
fn steps_in_parts_go_on_from_a_state_with_the_same_bits() {
    let (dt, mut halved) = (1.0 / 60.0, 0);
    for seed in 0..6 {
        let mut world = thrown_cubes(seed, 5);
        for _ in 0..30 {
            let before = world.state();
            let report = world.step(dt).unwrap();
            if report.parts > 1 {
                let mut again = thrown_cubes(seed, 5);
                again.restore(&before).unwrap();
                assert_eq!(again.step(dt).unwrap().parts, report.parts);
                assert_eq!(again.state(), world.state());
                halved += 1;
            }
        }
    }
    assert!(halved > 0, "no step was taken in parts, so this shows nothing");
}

/// A step that fails after parts of it were taken leaves everything as it was.
#[test]
fn a_step_that_fails_in_parts_changes_nothing() {
    let dt = 1.0 / 60.0;
    let mut failed = 0;
    for seed in 0..6 {
        let mut world = thrown_cubes(seed, 5);
        // What comes down at 3 m/s is about to be faster than this.
        for top_speed in [3.2, 3.4, 3.6, 3.8, 4.0] {
            let mut slow = on_ground(WorldOptions { top_speed, ..Default::default() }, Material::default());
            let cube = block(DVec3::splat(0.1), 600);
            for _ in 0..5 {
                slow.add_body(cube.clone(), BodyOptions::default()).unwrap();
            }
            slow.restore(&world.state()).unwrap();
            for _ in 0..30 {
                let before = slow.state();
                if slow.step(dt).is_err() {
                    assert_eq!(slow.state(), before);
                    failed += 1;
                    break;
                }
            }
        }
        world.step(dt).unwrap();
    }
    assert!(failed > 0, "nothing failed, so this shows nothing");
}

/// A body that is lifted, thrown or turned without contact is no contact that makes energy: its steps stay whole. The order of the integrator made it look like one.
#[test]
fn what_nothing_touches_is_stepped_whole() {
    let brick = block(DVec3::new(0.1, 0.06, 0.2), 600);
    for lift in [1.001, 2.0, 30.0] {
        for dt in [1.0 / 240.0, 0.01] {
            let mut world = World::new(WorldOptions::default());
            let twist = Twist { linear: DVec3::ZERO, angular: DVec3::new(1.0, 9.0, 3.0) };
            let id = world.add_body(brick.clone(), BodyOptions { twist, ..at(DVec3::Y) }).unwrap();
            let force = DVec3::Y * lift * 9.81 * world.body(id).mass();
            world.set_force(id, Wrench { force, torque: DVec3::X * 0.1 }).unwrap();
            for step in 0..40 {
                let report = world.step(dt).unwrap();
                assert_eq!(report.parts, 1, "lifted by {lift} of its weight, {dt} s, step {step}");
            }
            assert!(world.body(id).pose().position.y > 1.0);
        }
    }
}

/// Boxes on boxes, which are shell and field in turn: edges on edges, and faces that slap on faces. A plate that came down flat on another made a sixth of all the energy in a step.
#[test]
fn boxes_thrown_on_boxes_make_no_energy() {
    let table = shape(&shapes::cuboid(DVec3::new(0.3, 0.2, 0.3)).unwrap(), 64, 3000);
    let plate = shape(&shapes::cuboid(DVec3::new(0.25, 0.04, 0.1)).unwrap(), 64, 2000);
    let cube = shape(&shapes::cuboid(DVec3::splat(0.1)).unwrap(), 64, 1500);
    for seed in 0..6u32 {
        for (damping, friction) in [(0.0, 0.0), (1e-3, 0.3)] {
            // Any numbers between −1 and 1, spread evenly.
            let mut count = f64::from(seed) * 17.0;
            let mut any = || {
                count += 1.0;
                2.0 * (count * 0.618_033_988_749_895).fract() - 1.0
            };
            let mut turned = |degrees: f64| {
                let axis = DVec3::new(any(), any(), any()).normalize_or(DVec3::X);
                DQuat::from_axis_angle(axis, degrees.to_radians() * any())
            };
            let material = Material {
                damping,
                static_friction: friction,
                kinetic_friction: friction,
                ..Default::default()
            };
            let mut world = World::new(WorldOptions::default());
            let pose = Pose { position: DVec3::Y * -0.1, rotation: turned(25.0) };
            let fixed = BodyOptions { kind: BodyKind::Fixed, pose, material, ..Default::default() };
            world.add_body(table.clone(), fixed).unwrap();
            for (shape, height) in [(&plate, 0.25), (&cube, 0.55)] {
                let pose = Pose { position: DVec3::Y * height, rotation: turned(180.0) };
                let twist = Twist { linear: DVec3::NEG_Y, angular: pose.rotation * DVec3::splat(3.0) };
                let thrown = BodyOptions { pose, twist, material, ..Default::default() };
                world.add_body(shape.clone(), thrown).unwrap();
            }
            let start = world.report().energy();
            // Of the fall below the table, too: there is no ground.
            let (made, touched) = made_and_touched(&mut world, 1.0 / 240.0, 180);
            assert!(made < 2e-3 * start, "throw {seed}, damping {damping}: {made} J of {start} J");
            assert!(touched > 0, "they never met");
        }
    }
}
