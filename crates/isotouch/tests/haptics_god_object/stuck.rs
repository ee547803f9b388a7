//! Stuck is a stated outcome.

use isotouch::contact::constraint::Freedom;
use isotouch::haptics::{GodObject, GodObjectOptions};
use isotouch::math::{DVec3, Pose};
use isotouch::mesh::{TriMesh, shapes};

use super::shell_on_field;

fn join(parts: &[(TriMesh, DVec3)]) -> TriMesh {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for (mesh, shift) in parts {
        let first = vertices.len() as u32;
        vertices.extend(mesh.vertices().iter().map(|&v| v + *shift));
        triangles.extend(mesh.triangles().iter().map(|t| t.map(|v| v + first)));
    }
    TriMesh::new(vertices, triangles).unwrap()
}

#[test]
fn a_plate_between_two_walls_is_pinched_and_may_still_slide() {
    let wall = || shapes::cuboid(DVec3::new(0.2, 1.0, 1.0)).unwrap();
    // Walls from −0.3 to −0.1 and from 0.1 to 0.3, less what the plate and two skins need.
    let walls = join(&[(wall(), DVec3::NEG_X * 0.2), (wall(), DVec3::X * 0.2)]);
    let pair = {
        let field = super::field_of(&walls, 96);
        let cell = field.grid().cell;
        // Room of a skin and a quarter on either side.
        let plate = shapes::cuboid(DVec3::new(0.2 - 0.025 * cell, 0.3, 0.3)).unwrap();
        shell_on_field(&plate, 800, &walls, 96)
    };
    let mut god = GodObject::new(pair, Pose::IDENTITY, &GodObjectOptions::default()).unwrap();
    god.step(&Pose::at(DVec3::new(0.3, 0.0, 0.0)));
    let (freedom, proof) = god.freedom();
    let Freedom::Pinched { slide } = freedom else { panic!("{freedom:?}") };
    assert!(slide.linear.x.abs() < 1e-3 * slide.linear.length().max(slide.angular.length()));
    // The proof: rows whose positive combination vanishes.
    let sum = proof
        .iter()
        .fold(isotouch::math::Wrench::ZERO, |sum, of| sum + god.rows()[of.row].direction * of.weight);
    assert!(proof.len() >= 2 && sum.force.length() < 1e-6 && sum.torque.length() < 1e-6, "{sum:?}");
    // And it slides.
    let before = god.pose().position;
    for _ in 0..20 {
        god.step(&Pose::at(DVec3::new(0.3, 0.1, 0.0)));
    }
    assert!(god.pose().position.y - before.y > 0.09, "{}", god.pose().position);
}

#[test]
fn a_free_part_is_free() {
    let pair = shell_on_field(&super::sphere(0.1), 300, &shapes::by_name("box").unwrap(), 32);
    let mut god = GodObject::new(pair, Pose::at(DVec3::X * 3.0), &GodObjectOptions::default()).unwrap();
    assert!(matches!(god.freedom().0, Freedom::Free { .. }));
    for _ in 0..10 {
        god.step(&Pose::at(DVec3::X * 0.5));
    }
    let (freedom, _) = god.freedom();
    let Freedom::Free { escape } = freedom else { panic!("{freedom:?}") };
    assert!(escape.linear.x > 0.0, "away from the box");
}

/// With room for three quarters of a skin on either side rows conflict at every pass. Skins have to give way evenly, with friction as without: else each pass brings the plate nearer to the wall that it is pulled to, and
/// in the end it sticks for good.
#[test]
fn a_rough_plate_with_room_for_less_than_two_skins_keeps_to_the_middle() {
    let wall = || shapes::cuboid(DVec3::new(0.2, 1.0, 1.0)).unwrap();
    let walls = join(&[(wall(), DVec3::NEG_X * 0.2), (wall(), DVec3::X * 0.2)]);
    let cell = super::field_of(&walls, 96).grid().cell;
    let room = 0.0075 * cell;
    let plate = shapes::cuboid(DVec3::new(0.2 - 2.0 * room, 0.3, 0.3)).unwrap();
    let pair = shell_on_field(&plate, 800, &walls, 96);
    for friction in [0.0, 0.1] {
        let options = GodObjectOptions { friction, ..Default::default() };
        let mut god = GodObject::new(pair.clone(), Pose::IDENTITY, &options).unwrap();
        let mut thinnest = f64::INFINITY;
        for k in 0..300 {
            // Aside and along, so that it slides and is pressed on.
            let hand = DVec3::new(0.01, 0.15 * (0.05 * f64::from(k)).sin(), 0.0);
            let step = god.step(&Pose::at(hand));
            assert!(step.relaxed || step.passes == 0, "μ {friction}, {k}: rows conflict in so little room");
            thinnest = f64::min(thinnest, super::least(&pair, &god.pose()) / cell);
        }
        // Of 0.0075 on either side; a pass that is stopped may use up half of what is left.
        assert!(thinnest > 0.002, "μ {friction}: {thinnest} cells");
    }
}
