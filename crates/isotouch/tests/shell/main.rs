//! Point shells: what is promised of points, levels, coverage, areas and spheres, against brute force, exact rationals and shapes
//! known by formula.

// Clippy's leave for tests does not reach the functions they share.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod bad_input;
mod coverage;
mod determinism;
mod file;
mod levels;
mod normals;
#[path = "../oracle/mod.rs"]
mod oracle;
mod sampling;
mod sphere_tree;
mod weights;

use isotouch::math::DVec3;
use isotouch::mesh::TriMesh;
use isotouch::mesh::shapes::{self, cuboid, sphere};
use isotouch::shell::{PointShell, Sampling, ShellOptions};

fn shell(mesh: &TriMesh, sampling: Sampling) -> PointShell {
    PointShell::from_mesh(mesh, &ShellOptions { sampling, ..Default::default() }).unwrap()
}

/// Large triangles and small ones, sharp edges and none, thin walls and needles.
fn meshes() -> Vec<(&'static str, TriMesh)> {
    vec![
        ("box", cuboid(DVec3::new(1.0, 0.3, 0.6)).unwrap()),
        ("thin plate", cuboid(DVec3::new(1.0, 0.01, 1.0)).unwrap()),
        ("ball", sphere(0.5, 1_280).unwrap()),
        ("knot", shapes::by_name("torus-knot").unwrap()),
        ("cylinder", shapes::cylinder(shapes::CylinderOptions::default()).unwrap()),
        ("open box", oracle::meshes::open_box()),
        ("overlapping", oracle::meshes::overlapping_spheres()),
    ]
}

/// Distance to the nearest of some points, by looking at all.
fn to_nearest(points: &[DVec3], p: DVec3) -> f64 {
    points.iter().map(|q| q.distance_squared(p)).fold(f64::INFINITY, f64::min).sqrt()
}

/// Points on a triangle, evenly: `n` parts along each side, corners and sides included.
fn lattice(corners: [DVec3; 3], n: u32) -> impl Iterator<Item = DVec3> {
    let [a, b, c] = corners;
    (0..=n).flat_map(move |i| {
        (0..=n - i).map(move |j| {
            let (u, v) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
            a + u * (b - a) + v * (c - a)
        })
    })
}
