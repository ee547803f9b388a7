//! Obstacles that move and turn, handles, wind, and what cloth does to obstacles.

use std::sync::Arc;

use isotouch::ccd::{Ball, Plane};
use isotouch::cloth::{
    Chain, ChainError, Cloth, ClothOptions, ClothWorld, ClothWorldOptions, EdgeTest, Handle, Joint,
    ObstacleOptions, StrandOptions, garments,
};
use isotouch::field::{Field, FieldOptions};
use isotouch::math::{DQuat, DVec3, Pose};
use isotouch::mesh::shapes::{self, CapsuleOptions};

use crate::{G, on_plane, particle};

/// A rod of two fields that bends in its middle: a chain of two links.
#[test]
fn nothing_is_inside_a_rod_that_bends() {
    let half = shapes::capsule(CapsuleOptions { radius: 0.03, ..Default::default() }).unwrap();
    let bounds = half.bounds();
    let long = bounds.extent().z;
    let field = Arc::new(
        Field::from_mesh(&half, &FieldOptions { resolution: 96, band: 12.0, ..Default::default() }).unwrap(),
    );
    // Along z in its own frame; its lower end goes to the joint.
    let placed = |angle: f64, side: f64| {
        let lie = DQuat::from_rotation_y(side * std::f64::consts::FRAC_PI_2);
        let rotation = DQuat::from_rotation_z(-side * angle) * lie;
        Pose { position: rotation * DVec3::Z * (0.5 * long - 0.03), rotation }
    };
    let mut world = ClothWorld::default();
    let links = [1.0, -1.0].map(|side| {
        let options = ObstacleOptions { pose: placed(0.0, side), friction: 0.4, ..Default::default() };
        world.add_field(field.clone(), options).unwrap()
    });
    let sheet = garments::sheet([0.6, 0.5], [30, 25]).unwrap();
    let mut cloth = Cloth::from_mesh(&sheet, &ClothOptions::default()).unwrap();
    let above: Vec<DVec3> = cloth.places().iter().map(|p| *p + DVec3::Y * 0.06).collect();
    cloth.set_places(&above).unwrap();
    let id = world.add_cloth(cloth);
    for step in 0..200 {
        let angle = (f64::from(step - 60) / 140.0).clamp(0.0, 1.0) * 0.9;
        for (id, side) in links.into_iter().zip([1.0, -1.0]) {
            world.move_obstacle(id, placed(angle, side));
        }
        world.step(0.01).unwrap();
        assert!(world.penetration() < 0.0, "step {step}: {} m", world.penetration());
    }
    let lowest = world.cloth(id).places().iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    assert!(lowest < -0.1, "it drapes: {lowest}");
}

/// A robot arm of three links, each with its own field, stretched out under a cloth: the shoulder lifts it, the elbow bends it and the wrist turns aside, with cloth on it all the time.
#[test]
fn nothing_is_inside_an_arm_that_moves() {
    let (radius, long) = (0.03, 0.22);
    let link = shapes::capsule(CapsuleOptions { radius, length: long, ..Default::default() }).unwrap();
    // Along x from its joint.
    let turned = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    let link = link.mapped(|p| turned * p + DVec3::X * 0.5 * long).unwrap();
    let options = FieldOptions { resolution: 96, band: 8.0, ..Default::default() };
    let field = Arc::new(Field::from_mesh(&link, &options).unwrap());
    let mut world = ClothWorld::default();
    let mut joints = Vec::new();
    for (k, axis) in [DVec3::Z, DVec3::Z, DVec3::Y].into_iter().enumerate() {
        let at = if k == 0 { DVec3::ZERO } else { DVec3::X * long };
        let options = ObstacleOptions { friction: 0.6, ..Default::default() };
        let link = world.add_field(field.clone(), options).unwrap();
        joints.push(Joint { link, parent_from_link: Pose::at(at), axis });
    }
    let links: Vec<_> = joints.iter().map(|joint| joint.link).collect();
    let arm = Chain::new(Pose::at(DVec3::X * -0.33), joints).unwrap();
    arm.put(&mut world, &[0.0; 3]).unwrap();
    let sheet = garments::sheet([0.5, 0.4], [25, 20]).unwrap();
    let mut cloth = Cloth::from_mesh(&sheet, &ClothOptions::default()).unwrap();
    let above: Vec<DVec3> = cloth.places().iter().map(|p| *p + DVec3::Y * 0.05).collect();
    cloth.set_places(&above).unwrap();
    let id = world.add_cloth(cloth);
    let mut felt = [0.0f64; 3];
    for step in 1..=250 {
        // At rest for half a second, then as far as it goes within a second and a half.
        let part = (f64::from(step - 50) / 150.0).clamp(0.0, 1.0);
        let angles = [0.5, -0.9, 0.6].map(|angle| angle * part);
        arm.lead(&mut world, &angles).unwrap();
        world.step(0.01).unwrap();
        assert!(world.penetration() < 0.0, "step {step}: {} m", world.penetration());
        for (felt, &link) in felt.iter_mut().zip(&links) {
            *felt = felt.max(world.obstacle(link).impulse().force.length());
        }
    }
    assert!(felt.iter().all(|&impulse| impulse > 0.0), "cloth was on every link: {felt:?} N·s");
    // The elbow is as high as the shoulder lifted it, and carries cloth.
    let elbow = world.obstacle(links[1]).pose().position;
    let expected = DVec3::new(long * 0.5f64.cos() - 0.33, long * 0.5f64.sin(), 0.0);
    assert!((elbow - expected).length() < 1e-12, "{elbow}");
    let highest = world.cloth(id).places().iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max);
    assert!(highest > elbow.y + radius, "{highest} m over an elbow at {elbow}");
}

#[test]
fn chains_that_cannot_be_are_told() {
    let mut world = ClothWorld::default();
    let link = world.add_surface(Arc::new(Plane::GROUND), ObstacleOptions::default()).unwrap();
    let joint = |axis: DVec3| Joint { link, parent_from_link: Pose::IDENTITY, axis };
    let refused = Chain::new(Pose::IDENTITY, vec![joint(DVec3::X), joint(DVec3::ZERO)]).unwrap_err();
    assert!(refused.to_string().contains("axis of joint 1"), "{refused}");
    let chain = Chain::new(Pose::IDENTITY, vec![joint(2.0 * DVec3::X)]).unwrap();
    let refused = chain.lead(&mut world, &[0.0, 1.0]).unwrap_err();
    assert!(refused.to_string().contains("2 angles were given to a chain of 1 joints"), "{refused}");
    assert!(matches!(chain.put(&mut world, &[f64::NAN]), Err(ChainError::BadAngle { joint: 0, .. })));
}

/// A turntable carries what lies on it, up to where friction holds: ω²·r = μ·g.
#[test]
fn a_turning_plate_carries_what_friction_holds() {
    let (omega, friction) = (4.0, 0.5);
    let of = ObstacleOptions { friction, ..Default::default() };
    let limit = friction * G / (omega * omega);
    for (radius, holds) in [(0.7 * limit, true), (1.3 * limit, false)] {
        let mut world = on_plane(ClothWorldOptions::default(), DVec3::Y, of.clone());
        let cloth = particle(DVec3::new(radius, 0.01, 0.0), 0.01);
        let id = world.add_cloth(cloth);
        let plate = world.obstacle_named("obstacle").unwrap();
        for step in 1..=150 {
            // Brought up to speed within half a second.
            let t = f64::from(step) * 0.01;
            let angle = if t < 0.5 { omega * t * t } else { omega * (t - 0.25) };
            let rotation = DQuat::from_rotation_y(angle);
            world.move_obstacle(plate, Pose { position: DVec3::ZERO, rotation });
            world.step(0.01).unwrap();
        }
        let at = world.cloth(id).places()[0];
        let off = DVec3::new(at.x, 0.0, at.z).length() / radius - 1.0;
        assert_eq!(off.abs() < 0.03, holds, "{radius} m: {off}");
    }
}

/// A falling ball comes up from below: a wall that moves into resting cloth carries it.
#[test]
fn a_rising_ball_lifts_cloth() {
    let mut world = ClothWorld::default();
    let id = world
        .add_surface(Arc::new(Ball { center: DVec3::ZERO, radius: 0.05 }), ObstacleOptions::default())
        .unwrap();
    world.put_obstacle(id, Pose::at(DVec3::Y * -0.2));
    let sheet = garments::sheet([0.5, 0.5], [24, 24]).unwrap();
    let pins = vec![0, 24, 24 * 25, 24 * 25 + 24];
    let cloth =
        world.add_cloth(Cloth::from_mesh(&sheet, &ClothOptions { pins, ..Default::default() }).unwrap());
    for step in 0..60 {
        // 3 m/s: 3 cm a step, and more than the ball's diameter in five.
        let y = (-0.2 + 0.03 * f64::from(step)).min(0.15);
        world.move_obstacle(id, Pose::at(DVec3::Y * y));
        world.step(0.01).unwrap();
        assert!(world.penetration() < 0.0, "step {step}: {}", world.penetration());
    }
    assert!(world.cloth(cloth).places()[12 * 25 + 12].y > 0.2);
}

#[test]
fn a_handle_leads_and_lets_go() {
    let mut world = ClothWorld::default();
    let sheet = garments::sheet([0.4, 0.4], [8, 8]).unwrap();
    let id = world.add_cloth(Cloth::from_mesh(&sheet, &ClothOptions::default()).unwrap());
    let start = Pose::at(DVec3::new(-0.2, 0.0, -0.2));
    let handle = Handle::grip(world.cloth_mut(id), &[0, 1, 9], start).unwrap();
    for step in 1..=50 {
        let to = Pose {
            position: start.position + DVec3::X * 0.01 * f64::from(step),
            rotation: DQuat::from_rotation_y(0.02 * f64::from(step)),
        };
        handle.lead(world.cloth_mut(id), to).unwrap();
        world.step(0.01).unwrap();
        assert!((world.cloth(id).places()[0] - to.position).length() < 1e-12);
    }
    let before = world.cloth(id).velocities()[0];
    assert!((before.x - 1.0).abs() < 0.05, "it has the hand's velocity: {before}");
    handle.release(world.cloth_mut(id)).unwrap();
    for _ in 0..20 {
        world.step(0.01).unwrap();
    }
    assert!(world.cloth(id).places()[0].y < -0.05, "let go, it falls");
}

#[test]
fn wind_carries_free_cloth_to_its_own_speed() {
    let wind = DVec3::Y * 3.0;
    let options = ClothWorldOptions { gravity: DVec3::ZERO, wind, ..Default::default() };
    let mut world = ClothWorld::new(options);
    let sheet = garments::sheet([0.4, 0.4], [8, 8]).unwrap();
    let options = ClothOptions { damping: 0.0, ..Default::default() };
    let id = world.add_cloth(Cloth::from_mesh(&sheet, &options).unwrap());
    let mut last = 0.0;
    for _ in 0..200 {
        world.step(0.01).unwrap();
        let cloth = world.cloth(id);
        let mean = cloth.velocities().iter().sum::<DVec3>() / cloth.velocities().len() as f64;
        assert!(mean.y > last - 1e-3 && mean.y < 3.0, "never faster than the wind: {mean}");
        last = mean.y;
    }
    assert!(last > 2.5, "{last}");
}

/// What rests on the ground presses it with its weight.
#[test]
fn the_ground_feels_the_weight_of_cloth() {
    let mut world = ClothWorld::default();
    let id = world.add_surface(Arc::new(Plane::GROUND), ObstacleOptions::default()).unwrap();
    let sheet = garments::sheet([0.4, 0.4], [12, 12]).unwrap();
    let mut cloth = Cloth::from_mesh(&sheet, &ClothOptions::default()).unwrap();
    let above: Vec<DVec3> = cloth.places().iter().map(|p| *p + DVec3::Y * 0.02).collect();
    cloth.set_places(&above).unwrap();
    let mass: f64 = cloth.masses().iter().sum();
    world.add_cloth(cloth);
    let mut sum = DVec3::ZERO;
    for step in 0..150 {
        world.step(0.01).unwrap();
        if step >= 100 {
            sum += world.obstacle(id).impulse().force;
        }
    }
    let force = sum / 0.5;
    assert!((-force.y / (mass * G) - 1.0).abs() < 0.01, "{force} N, weight {} N", mass * G);
    assert!(force.x.abs() + force.z.abs() < 0.01 * mass * G);
}

/// A sheet flies onto a ball, off its middle: what it loses of its momentum and its angular momentum, the ball is told. By particles and by edges.
#[test]
fn an_obstacle_is_told_the_torque_of_cloth_too() {
    for edges in [EdgeTest::None, EdgeTest::Centre] {
        let mut world = ClothWorld::new(ClothWorldOptions { gravity: DVec3::ZERO, ..Default::default() });
        let ball = Ball { center: DVec3::ZERO, radius: 0.06 };
        let options = ObstacleOptions { friction: 0.8, ..Default::default() };
        let id = world.add_surface(Arc::new(ball), options).unwrap();
        let sheet = garments::sheet([0.3, 0.3], [14, 14]).unwrap();
        let free = ClothOptions { damping: 0.0, drag: 0.0, self_collision: false, ..Default::default() };
        let mut cloth = Cloth::from_mesh(&sheet, &ClothOptions { edges, ..free }).unwrap();
        let beside: Vec<DVec3> = cloth.places().iter().map(|p| *p + DVec3::new(0.07, 0.08, 0.03)).collect();
        cloth.set_places(&beside).unwrap();
        cloth.set_velocity(DVec3::new(-0.3, -2.0, 0.2));
        let cloth = world.add_cloth(cloth);
        let momenta = |world: &ClothWorld| {
            let of = world.cloth(cloth);
            let all = of.places().iter().zip(of.velocities()).zip(of.masses());
            all.fold([DVec3::ZERO; 2], |[p, l], ((x, v), m)| [p + *v * *m, l + x.cross(*v) * *m])
        };
        let start = momenta(&world);
        let mut told = [DVec3::ZERO; 2];
        for _ in 0..15 {
            world.step(0.01).unwrap();
            let impulse = world.obstacle(id).impulse();
            told = [told[0] + impulse.force, told[1] + impulse.torque];
        }
        let end = momenta(&world);
        let lost = [start[0] - end[0], start[1] - end[1]];
        assert!((lost[0] - told[0]).length() < 1e-9 * lost[0].length(), "{edges:?}: {lost:?} {told:?}");
        // What joins particles is solved where they were predicted to be, which turns it by a little.
        assert!((lost[1] - told[1]).length() < 0.02 * lost[1].length(), "{edges:?}: {lost:?} {told:?}");
    }
}

#[test]
fn hair_falls_over_a_head_and_stays_outside() {
    let mut world = ClothWorld::new(ClothWorldOptions { substeps: 20, ..Default::default() });
    let head = Ball { center: DVec3::ZERO, radius: 0.1 };
    world.add_surface(Arc::new(head), ObstacleOptions { friction: 0.1, ..Default::default() }).unwrap();
    let options = garments::HairOptions { strands: 60, radius: 0.106, ..Default::default() };
    let strands = garments::hair(&options).unwrap();
    let id = world.add_cloth(Cloth::from_strands(&strands, &StrandOptions::default()).unwrap());
    for step in 0..150 {
        world.step(0.01).unwrap();
        assert!(world.penetration() < 0.0, "step {step}: {}", world.penetration());
    }
    let cloth = world.cloth(id);
    let tips = cloth.strands().iter().map(|range| cloth.places()[range.end - 1].y);
    assert!(tips.fold(f64::NEG_INFINITY, f64::max) < 0.1, "all tips have come down");
    assert!(cloth.largest_stretch() < 0.02, "{}", cloth.largest_stretch());
}

/// In a valley of two planes at 45° each carries m·g/√2 along its normal, one after the other or not.
#[test]
fn what_rests_on_two_obstacles_presses_on_both() {
    let mut world = ClothWorld::default();
    let planes = [1.0, -1.0].map(|side: f64| {
        let normal = DVec3::new(side, 1.0, 0.0) * 0.5f64.sqrt();
        let of = ObstacleOptions { friction: 0.0, ..Default::default() };
        world.add_surface(Arc::new(Plane { normal, offset: 0.0 }), of).unwrap()
    });
    let cloth = particle(DVec3::new(0.0, 0.011 * 2f64.sqrt(), 0.0), 0.01);
    let mass: f64 = cloth.masses().iter().sum();
    world.add_cloth(cloth);
    let mut sums = [DVec3::ZERO; 2];
    for step in 0..150 {
        world.step(0.01).unwrap();
        if step >= 100 {
            for (sum, id) in sums.iter_mut().zip(planes) {
                *sum += world.obstacle(id).impulse().force;
            }
        }
    }
    for (sum, side) in sums.into_iter().zip([1.0, -1.0]) {
        let force = sum / 0.5;
        let expected = DVec3::new(-side, -1.0, 0.0) * (0.5 * mass * G);
        assert!((force - expected).length() < 0.02 * mass * G, "{force} N, not {expected} N");
    }
}

/// What is kept of a world is all it takes to go on with the same bits: cloth on itself, on what moves, with a hand that leads it.
#[test]
fn a_world_put_back_goes_on_with_the_same_bits() {
    let fresh = || {
        let mut world = ClothWorld::default();
        let ball = Arc::new(Ball { center: DVec3::ZERO, radius: 0.08 });
        let id = world.add_surface(ball, ObstacleOptions::default()).unwrap();
        let sheet = garments::sheet([0.4, 0.4], [16, 16]).unwrap();
        let mut cloth = Cloth::from_mesh(&sheet, &ClothOptions::default()).unwrap();
        let above: Vec<DVec3> = cloth.places().iter().map(|p| *p + DVec3::Y * 0.1).collect();
        cloth.set_places(&above).unwrap();
        let handle = Handle::grip(&mut cloth, &[0, 1], Pose::IDENTITY).unwrap();
        (world.add_cloth(cloth), id, handle, world)
    };
    let step = |(cloth, ball, handle, world): &mut (_, _, Handle, ClothWorld), k: u32| {
        let t = 0.01 * f64::from(k);
        handle.lead(world.cloth_mut(*cloth), Pose::at(DVec3::new(0.4 * t, 0.0, 0.2 * t))).unwrap();
        world.move_obstacle(
            *ball,
            Pose { position: DVec3::X * 0.05 * t, rotation: DQuat::from_rotation_y(t) },
        );
        world.step(0.01).unwrap();
    };
    let mut whole = fresh();
    let mut kept = None;
    for k in 1..=80 {
        step(&mut whole, k);
        if k == 43 {
            kept = Some(whole.3.state());
        }
    }
    let kept = kept.unwrap();
    let mut again = fresh();
    again.3.restore(&kept).unwrap();
    assert_eq!(again.3.state(), kept);
    for k in 44..=80 {
        step(&mut again, k);
    }
    assert_eq!(again.3.state(), whole.3.state());
    // Of another world it is refused.
    let refused = ClothWorld::default().restore(&kept).unwrap_err();
    assert!(refused.to_string().contains("1 cloths, but this one has 0"), "{refused}");
}
