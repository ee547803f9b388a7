//! What is no cloth is told; what is odd behaves.

use std::sync::Arc;

use isotouch::ccd::{Ball, Plane};
use isotouch::cloth::{
    Cloth, ClothError, ClothOptions, ClothStepError, ClothWorld, ClothWorldOptions, Fabric, ObstacleError,
    ObstacleOptions, StrandOptions, garments,
};
use isotouch::field::{Field, FieldOptions};
use isotouch::math::{Aabb, DVec3, Pose};
use isotouch::mesh::{TriMesh, shapes};

fn refused(mesh: &TriMesh, options: &ClothOptions) -> ClothError {
    Cloth::from_mesh(mesh, options).unwrap_err()
}

#[test]
fn meshes_that_are_no_cloth_are_told_apart() {
    let usual = ClothOptions::default();
    assert!(matches!(refused(&TriMesh::default(), &usual), ClothError::Empty { .. }));
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, -DVec3::Z];
    let three = TriMesh::new(corners.clone(), vec![[0, 1, 2], [1, 0, 3], [0, 1, 4]]).unwrap();
    let error = refused(&three, &usual);
    assert!(matches!(error, ClothError::NonManifold { from: 0, to: 1, triangles: 3, .. }));
    assert!(error.to_string().contains("vertices 0 and 1"), "{error}");
    let flat =
        TriMesh::new(vec![DVec3::ZERO, DVec3::X, 2.0 * DVec3::X, DVec3::Y], vec![[0, 1, 3], [0, 1, 2]])
            .unwrap();
    assert!(matches!(refused(&flat, &usual), ClothError::ZeroArea { triangle: 1, .. }));
    let sheet = garments::sheet([1.0, 1.0], [2, 2]).unwrap();
    assert!(matches!(
        refused(&sheet, &ClothOptions { pins: vec![9], ..usual.clone() }),
        ClothError::NoSuchParticle { particle: 9, count: 9, .. }
    ));
    for fabric in [
        Fabric { density: 0.0, ..Fabric::default() },
        Fabric { stretch: f64::NAN, ..Fabric::default() },
        Fabric { bend: -1.0, ..Fabric::default() },
    ] {
        assert!(matches!(
            refused(&sheet, &ClothOptions { fabric, ..usual.clone() }),
            ClothError::BadNumber { .. }
        ));
    }
    // 10⁸ particles, which no memory holds, are refused before they are asked for.
    let told = garments::sheet([1.0, 1.0], [10_000, 10_000]).unwrap_err().to_string();
    assert!(told.contains("number of particles is 100020001"), "{told}");
    let hair = garments::HairOptions { strands: 100_000, points: 10_000, ..Default::default() };
    assert!(garments::hair(&hair).is_err());
    let cut = garments::TrousersOptions { around: 10_000, ..Default::default() };
    assert!(garments::trousers(&cut).is_err());
    assert!(garments::sheet([0.0, 1.0], [2, 2]).is_err() && garments::sheet([1.0, 1.0], [0, 2]).is_err());
}

#[test]
fn strands_that_are_none_are_told_apart() {
    let usual = StrandOptions::default();
    let of = |strands: &[Vec<DVec3>]| Cloth::from_strands(strands, &usual).unwrap_err();
    assert!(matches!(of(&[]), ClothError::Empty { .. }));
    assert!(matches!(of(&[vec![DVec3::ZERO]]), ClothError::Empty { .. }));
    assert!(matches!(
        of(&[vec![DVec3::ZERO, DVec3::X], vec![DVec3::X, DVec3::Y, DVec3::Y]]),
        ClothError::ZeroLength { strand: 1, point: 1, .. }
    ));
}

#[test]
fn obstacles_that_are_none_are_told_apart() {
    let mut world = ClothWorld::default();
    let all = Aabb::new(DVec3::splat(-1.0), DVec3::splat(1.0));
    let ground =
        Field::from_function(|p| p.y, all, 1.0, &FieldOptions { resolution: 16, ..Default::default() })
            .unwrap();
    let error = world.add_field(Arc::new(ground), ObstacleOptions::default()).unwrap_err();
    assert!(matches!(error, ObstacleError::NoBorder { .. }));
    for options in [
        ObstacleOptions { friction: -1.0, ..Default::default() },
        ObstacleOptions { bounce: 1.5, ..Default::default() },
    ] {
        let error = world.add_surface(Arc::new(Plane::GROUND), options).unwrap_err();
        assert!(matches!(error, ObstacleError::BadNumber { .. }));
    }
}

#[test]
fn steps_that_lead_nowhere_are_refused() {
    let mut world = ClothWorld::default();
    for dt in [0.0, -1.0, f64::NAN] {
        assert!(matches!(world.step(dt), Err(ClothStepError::BadStep { .. })));
    }
    world.step(0.01).unwrap();
    let mut world = ClothWorld::new(ClothWorldOptions { substeps: 0, ..Default::default() });
    assert!(matches!(world.step(0.01), Err(ClothStepError::NoRounds { .. })));
}

#[test]
fn held_everywhere_it_stays() {
    let sheet = garments::sheet([1.0, 1.0], [4, 4]).unwrap();
    let mut world = ClothWorld::default();
    world
        .add_surface(Arc::new(Ball { center: DVec3::ZERO, radius: 0.3 }), ObstacleOptions::default())
        .unwrap();
    let options = ClothOptions { pins: (0..25).collect(), ..Default::default() };
    let id = world.add_cloth(Cloth::from_mesh(&sheet, &options).unwrap());
    for _ in 0..20 {
        world.step(0.01).unwrap();
    }
    assert_eq!(world.cloth(id).places(), sheet.vertices());
}

/// A vertex that no triangle uses has no mass, and stays.
#[test]
fn loose_vertices_stay() {
    let mesh = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Z, DVec3::Y], vec![[0, 2, 1]]).unwrap();
    let mut world = ClothWorld::default();
    let id = world.add_cloth(Cloth::from_mesh(&mesh, &ClothOptions::default()).unwrap());
    for _ in 0..10 {
        world.step(0.01).unwrap();
    }
    assert!(world.cloth(id).places()[3] == DVec3::Y && world.cloth(id).places()[0].y < -0.01);
}

#[test]
fn obstacles_of_wildly_different_size_do_no_harm() {
    let sheet = garments::sheet([0.4, 0.4], [12, 12]).unwrap();
    let mut world = ClothWorld::default();
    let balls = [(1e7, -1e7 - 0.1), (1e-9, -0.02), (0.05, -0.08)];
    for (radius, y) in balls {
        let ball = Ball { center: DVec3::Y * y, radius };
        world.add_surface(Arc::new(ball), ObstacleOptions::default()).unwrap();
    }
    world.add_cloth(Cloth::from_mesh(&sheet, &ClothOptions::default()).unwrap());
    for step in 0..150 {
        world.step(0.01).unwrap();
        assert!(world.penetration() < 0.0, "step {step}: {}", world.penetration());
    }
}

/// The same with fields, of 1 mm and of 100 m: cloth lies on the great one, in cells of 4 m, and over the small one, whose box is less than ε.
#[test]
fn fields_of_wildly_different_size_do_no_harm() {
    let mut world = ClothWorld::default();
    let great = shapes::cuboid(DVec3::splat(100.0)).unwrap();
    let small = shapes::sphere(5e-4, 320).unwrap();
    for (mesh, y) in [(great, -50.0), (small, 0.03)] {
        let field = Field::from_mesh(&mesh, &FieldOptions { resolution: 24, ..Default::default() }).unwrap();
        let options = ObstacleOptions { pose: Pose::at(DVec3::Y * y), friction: 1.0, ..Default::default() };
        world.add_field(Arc::new(field), options).unwrap();
    }
    let sheet = garments::sheet([0.4, 0.4], [12, 12]).unwrap();
    let mut cloth = Cloth::from_mesh(&sheet, &ClothOptions::default()).unwrap();
    let above: Vec<DVec3> = cloth.places().iter().map(|p| *p + DVec3::Y * 0.06).collect();
    cloth.set_places(&above).unwrap();
    let epsilon = cloth.epsilon();
    let id = world.add_cloth(cloth);
    for step in 0..150 {
        world.step(0.01).unwrap();
        assert!(world.penetration() < 0.0, "step {step}: {}", world.penetration());
    }
    let places = world.cloth(id).places();
    // On the ground at its corners, on the grain in its middle.
    assert!((places[0].y - epsilon).abs() < 0.1 * epsilon, "{} m", places[0].y);
    assert!(places[6 * 13 + 6].y > 0.03, "{} m", places[6 * 13 + 6].y);
}
