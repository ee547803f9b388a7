//! Shares of the area: they add up, and each is the area nearest to its point.

use isotouch::math::DVec3;
use isotouch::mesh::TriMesh;
use isotouch::mesh::shapes::{self, cuboid, sphere};
use isotouch::shell::{PointShell, Sampling};

use crate::{meshes, shell};

#[test]
fn they_add_up_to_the_area() {
    for (name, mesh) in meshes() {
        for sampling in [Sampling::Vertices, Sampling::Spacing(0.13), Sampling::Points(500)] {
            let shell = shell(&mesh, sampling);
            let sum: f64 = shell.weights().iter().sum();
            assert!((sum / mesh.area() - 1.0).abs() < 1e-12, "{name}, {sampling}: {sum}");
            assert_eq!(shell.area(), mesh.area(), "{name}");
            assert!(shell.weights().iter().all(|&w| w >= 0.0));
        }
    }
}

#[test]
fn a_vertex_has_a_third_of_the_triangles_around_it() {
    let torus = shapes::by_name("torus").unwrap();
    let shell = shell(&torus, Sampling::Vertices);
    for (p, &weight) in shell.points().iter().zip(shell.weights()).step_by(17) {
        let around = (0..torus.triangles().len()).map(|t| torus.corners(t)).filter(|at| at.contains(p));
        let area: f64 = around.map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length()).sum();
        assert!((weight - area / 3.0).abs() < 1e-12 * area);
    }
}

#[test]
fn a_point_has_what_is_nearest_to_it() {
    let ball = sphere(1.0, 320).unwrap();
    check_against_small_pieces(&ball, &shell(&ball, Sampling::Points(60)), (40, 0.03));
}

/// Points on the sharp edges of a thin plate share its sides out; those on its other side are nearer but do not count.
#[test]
fn on_a_plate_only_points_of_the_same_side_count() {
    let plate = cuboid(DVec3::new(1.0, 0.02, 0.7)).unwrap();
    let shell = shell(&plate, Sampling::Spacing(0.2));
    assert!(shell.len() < 200);
    check_against_small_pieces(&plate, &shell, (200, 0.05));
}

/// Against very many small pieces, n² a triangle, each for the point that is nearest to its middle and faces its side.
fn check_against_small_pieces(mesh: &TriMesh, shell: &PointShell, (n, tolerance): (u32, f64)) {
    let mut areas = vec![0.0; shell.len()];
    for t in 0..mesh.triangles().len() {
        let [a, b, c] = mesh.corners(t);
        let normal = (b - a).cross(c - a);
        // The middles of the n² similar triangles that it can be cut into: those upright, and those between them.
        let at = |u: f64, v: f64| a + (u * (b - a) + v * (c - a)) / f64::from(n);
        let row = |i: u32| (0..n - i).map(move |j| (f64::from(i), f64::from(j)));
        let upright = (0..n).flat_map(row).map(|(i, j)| at(i + 1.0 / 3.0, j + 1.0 / 3.0));
        let between = (1..n).flat_map(row).map(|(i, j)| at(i - 1.0 / 3.0, j + 2.0 / 3.0));
        let places: Vec<DVec3> = upright.chain(between).collect();
        assert_eq!(places.len(), (n * n) as usize);
        let each = 0.5 * (b - a).cross(c - a).length() / places.len() as f64;
        for p in places {
            let alike = (0..shell.len()).filter(|&k| shell.normals()[k].dot(normal) > 0.0);
            let nearest = alike.min_by(|&i, &j| {
                let squared = |k: usize| shell.points()[k].distance_squared(p);
                squared(i).total_cmp(&squared(j))
            });
            areas[nearest.unwrap()] += each;
        }
    }
    let mean = mesh.area() / shell.len() as f64;
    for (weight, area) in shell.weights().iter().zip(areas) {
        assert!((weight - area).abs() < tolerance * mean, "{weight} {area}");
    }
}
