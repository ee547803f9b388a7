//! Where points are: on the surface, apart from each other, on every sharp edge and corner.

use isotouch::field::{Field, FieldOptions};
use isotouch::math::DVec3;
use isotouch::mesh::TriMesh;
use isotouch::mesh::shapes::{self, cuboid, sphere};
use isotouch::shell::{PointShell, Sampling, ShellOptions};

use crate::oracle::Soup;
use crate::oracle::meshes::open_box;
use crate::{meshes, shell, to_nearest};

#[test]
fn points_lie_on_the_surface() {
    for (name, mesh) in meshes() {
        let soup = Soup::new(&mesh);
        for sampling in [Sampling::Points(300), Sampling::Spacing(0.1), Sampling::Vertices] {
            let shell = shell(&mesh, sampling);
            for &p in shell.points().iter().step_by(7) {
                assert!(soup.distance(p) < 1e-14, "{name}, {sampling}: {p} is {} off", soup.distance(p));
            }
        }
    }
}

#[test]
fn as_many_points_as_asked_for() {
    for (name, mesh) in meshes() {
        for count in [1, 7, 100, 1_234] {
            assert_eq!(shell(&mesh, Sampling::Points(count)).len(), count, "{name}");
        }
    }
}

#[test]
fn vertices_are_the_vertices() {
    // Not welded: every position is there three times and more.
    let cube = cuboid(DVec3::ONE).unwrap();
    let corners: Vec<DVec3> = (0..12).flat_map(|t| cube.corners(t)).collect();
    let triangles = (0..12).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let shell = shell(&TriMesh::new(corners, triangles).unwrap(), Sampling::Vertices);
    assert_eq!(shell.len(), 8);
    assert!(cube.vertices().iter().all(|v| shell.points().contains(v)));
}

/// Points that face the same side keep their distance, but for those on sharp edges, which keep half of it.
#[test]
fn points_keep_apart() {
    for (name, mesh) in meshes() {
        let spacing = 0.07;
        let shell = shell(&mesh, Sampling::Spacing(spacing));
        let is_oriented = name != "open box";
        let mut crowded = 0;
        for (k, (&p, n)) in shell.points().iter().zip(shell.normals()).enumerate() {
            let others = shell.points().iter().zip(shell.normals()).enumerate();
            let alike = others.filter(|(i, (_, m))| *i != k && (!is_oriented || m.dot(*n) > 0.0));
            let nearest = alike.map(|(_, (q, _))| q.distance(p)).fold(f64::INFINITY, f64::min);
            crowded += usize::from(nearest < spacing);
            assert!(nearest >= 0.5 * spacing * (1.0 - 1e-9), "{name}: {nearest}");
        }
        if name == "ball" || name == "knot" {
            assert_eq!(crowded, 0, "{name} has no sharp edges");
        }
    }
}

/// Every place of the box's edges, and every corner.
#[test]
fn sharp_edges_and_corners_are_sampled() {
    let size = DVec3::new(1.0, 0.3, 0.6);
    let mesh = cuboid(size).unwrap();
    for (sampling, spacing) in [(Sampling::Spacing(0.11), 0.11), (Sampling::Points(400), 0.075)] {
        let shell = shell(&mesh, sampling);
        for &corner in mesh.vertices() {
            assert!(shell.points().contains(&corner), "{sampling}: {corner}");
        }
        for axis in 0..3 {
            for (i, j) in [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)] {
                let at = |t: f64| {
                    let mut p = DVec3::ZERO;
                    (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (t, i, j);
                    p * size
                };
                let is_on_edge = |p: &DVec3| (0..3).all(|k| k == axis || (p[k] - at(0.0)[k]).abs() < 1e-12);
                let on_edge: Vec<DVec3> = shell.points().iter().copied().filter(is_on_edge).collect();
                for k in 0..=200 {
                    let p = at(f64::from(k) / 200.0 - 0.5);
                    assert!(to_nearest(&on_edge, p) <= 0.51 * spacing, "{sampling}: {p}");
                }
            }
        }
    }
}

/// The rim of an open surface is sharp as well, and so is the ring around a cylinder, which has no corner.
#[test]
fn rims_and_rings_are_sampled() {
    let rim = shell(&open_box(), Sampling::Spacing(0.1));
    let on_rim = |p: &&DVec3| p.z == 0.5 && p.x.abs().max(p.y.abs()) > 0.5 - 1e-12;
    assert_eq!(rim.points().iter().filter(on_rim).count(), 40);

    let cylinder = shapes::cylinder(shapes::CylinderOptions::default()).unwrap();
    let top = cylinder.bounds().max.z;
    let widest = cylinder.vertices().iter().map(|v| v.x.hypot(v.y)).fold(0.0, f64::max);
    let spacing = widest / 5.0;
    let ring = shell(&cylinder, Sampling::Spacing(spacing));
    let on_ring: Vec<DVec3> = ring
        .points()
        .iter()
        .copied()
        .filter(|p| (p.z - top).abs() < 1e-12 && p.x.hypot(p.y) > 0.98 * widest)
        .collect();
    assert!((30..40).contains(&on_ring.len()), "{}", on_ring.len());
    for k in 0..100 {
        let angle = f64::from(k) * 0.0628;
        let p = DVec3::new(widest * angle.cos(), widest * angle.sin(), top);
        assert!(to_nearest(&on_ring, p) <= 0.6 * spacing);
    }
}

/// Points on one side of a plate do not stand in for the other side.
#[test]
fn both_sides_of_a_thin_plate_have_points() {
    let plate = cuboid(DVec3::new(1.0, 0.01, 1.0)).unwrap();
    for sampling in [Sampling::Spacing(0.1), Sampling::Points(400)] {
        let shell = shell(&plate, sampling);
        for side in [-1.0, 1.0] {
            let there: Vec<DVec3> = (shell.points().iter().zip(shell.normals()))
                .filter(|(p, n)| p.y == 0.005 * side && n.y * side > 0.5)
                .map(|(p, _)| *p)
                .collect();
            for k in 0..400 {
                let p = DVec3::new(
                    f64::from(k % 20) / 20.0 - 0.475,
                    0.005 * side,
                    f64::from(k / 20) / 20.0 - 0.475,
                );
                assert!(to_nearest(&there, p) < 0.105, "{sampling}: {p} has nothing on its side");
            }
        }
    }
}

/// Pushing apart brings points near the best pattern there is, triangles, whose coverage is √(2/(3√3)) ≈ 0.62 of √(area / points).
#[test]
fn a_number_of_points_is_spread_evenly() {
    let ball = sphere(1.0, 20_480).unwrap();
    let shell = shell(&ball, Sampling::Points(2_000));
    let unit = (ball.area() / 2_000.0).sqrt();
    println!(
        "coverage {:.3}, spacing {:.3}",
        shell.coverage() / unit,
        shell.levels().last().unwrap().spacing / unit
    );
    assert!(shell.coverage() < 0.78 * unit, "{}", shell.coverage() / unit);
    assert!(shell.levels().last().unwrap().spacing > 0.70 * unit);
}

#[test]
fn an_offset_surface_is_sampled() {
    let ball = sphere(1.0, 5_120).unwrap();
    let options = FieldOptions { resolution: 64, ..Default::default() }.with_room_for(0.25, ball.bounds());
    let field = Field::from_mesh(&ball, &options).unwrap();
    let shell_options = ShellOptions { sampling: Sampling::Spacing(0.2), ..Default::default() };
    let shell = PointShell::from_field(&field, 0.25, &shell_options).unwrap();
    assert_eq!(shell.iso(), Some(0.25));
    assert!(shell.coverage() <= 0.21);
    for (p, n) in shell.points().iter().zip(shell.normals()) {
        assert!((p.length() - 1.25).abs() < field.error_bound());
        assert!(n.dot(*p) > 0.99 * p.length());
    }
    let sphere = 4.0 * std::f64::consts::PI * 1.25 * 1.25;
    assert!((shell.area() / sphere - 1.0).abs() < 0.01);
}
