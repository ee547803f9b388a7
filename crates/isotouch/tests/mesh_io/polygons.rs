use glam::{DVec2, DVec3, dvec3};
use proptest::prelude::*;

use super::{corners, load};

/// An OBJ file with one face.
fn face(points: &[DVec3]) -> String {
    let vertices: String = points.iter().map(|p| format!("v {:?} {:?} {:?}\n", p.x, p.y, p.z)).collect();
    let corners: String = (1..=points.len()).map(|i| format!(" {i}")).collect();
    format!("{vertices}f{corners}\n")
}

fn vector_area(triangle: [DVec3; 3]) -> DVec3 {
    0.5 * (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0])
}

/// Reads the polygon and checks that its triangles all face the same way, cover its area, and meet along edges.
#[track_caller]
fn check(points: &[DVec3]) {
    let loaded = load("polygon.obj", face(points));
    let triangles = corners(&loaded.mesh);
    let n = points.len();
    let area: DVec3 = (0..n).map(|i| 0.5 * points[i].cross(points[(i + 1) % n])).sum();
    for &triangle in &triangles {
        assert!(vector_area(triangle).dot(area) > 0.0, "{triangle:?} is reversed in {points:?}");
    }
    let sum: f64 = triangles.iter().map(|&t| vector_area(t).length()).sum();
    assert!(
        (sum - area.length()).abs() <= 1e-9 * area.length(),
        "{sum} instead of {} in {points:?}",
        area.length()
    );
    assert_eq!(triangles.len(), n - 2, "a corner on a straight side was lost in {points:?}");
    assert_eq!(loaded.cleanup.polygons_triangulated, usize::from(n > 3));
}

fn flat(points: &[(f64, f64)]) -> Vec<DVec3> {
    points.iter().map(|&(x, y)| dvec3(x, y, 0.0)).collect()
}

#[test]
fn convex_polygons_are_fans() {
    let square = flat(&[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]);
    check(&square);
    assert_eq!(load("a.obj", face(&square)).mesh.triangles(), [[0, 1, 2], [0, 2, 3]]);
}

#[test]
fn concave_polygons_in_any_plane_starting_anywhere() {
    let arrow = [(0.0, 0.0), (2.0, 1.0), (0.0, 2.0), (0.5, 1.0)];
    let comb = [
        (0.0, 0.0),
        (5.0, 0.0),
        (5.0, 3.0),
        (4.0, 3.0),
        (4.0, 1.0),
        (3.0, 1.0),
        (3.0, 3.0),
        (2.0, 3.0),
        (2.0, 1.0),
        (1.0, 1.0),
        (1.0, 3.0),
        (0.0, 3.0),
    ];
    let spiral = [
        (0.0, 0.0),
        (5.0, 0.0),
        (5.0, 5.0),
        (1.0, 5.0),
        (1.0, 2.0),
        (3.0, 2.0),
        (3.0, 3.0),
        (2.0, 3.0),
        (2.0, 4.0),
        (4.0, 4.0),
        (4.0, 1.0),
        (0.0, 1.0),
    ];
    for polygon in [&arrow[..], &comb, &spiral] {
        let mut points = flat(polygon);
        for _ in 0..points.len() {
            points.rotate_left(1);
            check(&points);
            let turned: Vec<DVec3> = points.iter().map(|p| dvec3(7.0, p.x, p.y)).collect();
            check(&turned);
            let tilted: Vec<DVec3> =
                points.iter().map(|p| dvec3(p.x + 2.0 * p.y, p.y - p.x, 0.5 * p.x - 30.0)).collect();
            check(&tilted);
            let reversed: Vec<DVec3> = tilted.iter().rev().copied().collect();
            check(&reversed);
        }
    }
}

#[test]
fn corners_on_straight_sides_stay_in_use() {
    let mut square = flat(&[
        (0.0, 0.0),
        (1.0, 0.0),
        (2.0, 0.0),
        (3.0, 0.0),
        (3.0, 3.0),
        (1.5, 3.0),
        (0.0, 3.0),
        (0.0, 1.0),
    ]);
    for _ in 0..square.len() {
        square.rotate_left(1);
        check(&square);
    }
}

#[test]
fn a_hole_with_a_bridge() {
    let outer = [(0.0, 0.0), (6.0, 0.0), (6.0, 6.0), (0.0, 6.0), (0.0, 0.0)];
    let inner = [(2.0, 2.0), (2.0, 4.0), (4.0, 4.0), (4.0, 2.0), (2.0, 2.0)];
    let ring: Vec<(f64, f64)> = outer.into_iter().chain(inner).collect();
    let loaded = load("a.obj", face(&flat(&ring)));
    let area: f64 = corners(&loaded.mesh).into_iter().map(|t| vector_area(t).z).sum();
    assert_eq!(area, 32.0);
    assert!(corners(&loaded.mesh).into_iter().all(|t| vector_area(t).z > 0.0));
}

#[test]
fn polygons_without_a_right_answer_still_read() {
    let bow_tie = flat(&[(0.0, 0.0), (2.0, 2.0), (2.0, 0.0), (0.0, 1.0)]);
    let star: Vec<DVec3> = (0..5).map(|i| DVec2::from_angle(f64::from(i) * 2.513).extend(0.0)).collect();
    let twice = flat(&[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 0.0), (1.0, 0.0), (1.0, 1.0)]);
    let spike = flat(&[(0.0, 0.0), (1.0, 0.0), (5.0, 0.0), (1.0, 0.0), (1.0, 1.0)]);
    for polygon in [bow_tie, star, twice, spike] {
        assert!(!load("a.obj", face(&polygon)).mesh.triangles().is_empty());
    }
}

#[test]
fn a_very_large_concave_polygon_is_refused_and_a_convex_one_is_not() {
    let circle = |n: u32, dent: f64| -> Vec<DVec3> {
        let point = |i| DVec2::from_angle(std::f64::consts::TAU * f64::from(i) / f64::from(n)).extend(0.0);
        (0..n).map(|i| if i == n / 2 { point(i) * dent } else { point(i) }).collect()
    };
    check(&circle(3000, 0.5));
    check(&circle(25_000, 1.0));
    let dented = face(&circle(25_000, 0.5));
    let error = isotouch::mesh::io::read_bytes("a.obj", dented.as_bytes(), &Default::default()).unwrap_err();
    assert!(error.to_string().contains("face 0") && error.to_string().contains("25000 corners"), "{error}");
}

proptest! {
    /// Star-shaped polygons: simple, seldom convex.
    #[test]
    fn star_shaped_polygons(radii in prop::collection::vec(0.1..10.0f64, 4..40), tilt in -2.0..2.0f64) {
        let n = radii.len() as f64;
        let points: Vec<DVec3> = radii
            .iter()
            .enumerate()
            .map(|(i, &r)| (r * DVec2::from_angle(std::f64::consts::TAU * i as f64 / n)).extend(0.0))
            .map(|p| dvec3(p.x, p.y, tilt * p.x + p.y))
            .collect();
        check(&points);
    }
}
