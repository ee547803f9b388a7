//! The coverage holds for every place of the surface, and is as tight as promised.

use isotouch::math::DVec3;
use isotouch::mesh::TriMesh;
use isotouch::mesh::shapes::{CylinderOptions, cuboid, cylinder};
use isotouch::shell::{PointShell, Sampling, ShellOptions};

use crate::{lattice, meshes, shell, to_nearest};

/// Looks at the surface in a lattice this much finer than the coverage.
const PARTS: f64 = 12.0;

fn check(name: &str, mesh: &TriMesh, shell: &PointShell, tolerance: f64) {
    for level in shell.levels() {
        let points = &shell.points()[..level.points];
        let step = level.coverage / PARTS;
        let mut largest = 0.0f64;
        for t in 0..mesh.triangles().len() {
            let corners = mesh.corners(t);
            let side = (0..3).map(|k| corners[k].distance(corners[(k + 1) % 3])).fold(0.0, f64::max);
            for p in lattice(corners, (side / step).ceil() as u32) {
                largest = largest.max(to_nearest(points, p));
            }
        }
        assert!(largest <= level.coverage, "{name}: {largest} > {}", level.coverage);
        // No place is farther from the lattice than its step.
        let least = (level.coverage - step) / (1.0 + tolerance);
        assert!(largest >= least, "{name}: {largest}, coverage {}", level.coverage);
    }
}

#[test]
fn no_place_is_farther_and_some_place_is_almost_as_far() {
    for (name, mesh) in meshes() {
        let size = mesh.bounds().extent().max_element();
        for sampling in [Sampling::Points(40), Sampling::Spacing(0.21 * size)] {
            check(name, &mesh, &shell(&mesh, sampling), 0.01);
        }
        if mesh.triangles().len() < 200 {
            check(name, &mesh, &shell(&mesh, Sampling::Vertices), 0.01);
        }
    }
}

/// The corners of a unit cube are √½ from the middles of its faces.
#[test]
fn vertices_of_a_cube() {
    let cube = cuboid(DVec3::ONE).unwrap();
    for tolerance in [0.1, 0.01, 1e-4] {
        let options = ShellOptions { sampling: Sampling::Vertices, tolerance, ..Default::default() };
        let coverage = PointShell::from_mesh(&cube, &options).unwrap().coverage();
        let expected = 0.5f64.sqrt();
        assert!(coverage >= expected && coverage <= expected * (1.0 + tolerance) + 1e-12, "{coverage}");
    }
}

#[test]
fn a_spacing_is_kept() {
    for (name, mesh) in meshes() {
        let size = mesh.bounds().extent().max_element();
        for spacing in [0.3 * size, 0.05 * size] {
            let coverage = shell(&mesh, Sampling::Spacing(spacing)).coverage();
            // A hundredth where filling stops, a hundredth for what the coverage may overstate.
            assert!(coverage <= 1.021 * spacing, "{name}: {coverage} for {spacing}");
        }
    }
}

/// Triangles a thousand times as long as the spacing must not take a million pieces.
#[test]
fn needles_are_covered_too() {
    let needle = crate::oracle::meshes::mesh(&[[0.0; 3], [100.0, 0.0, 0.0], [50.0, 0.02, 0.0]], &[[0, 1, 2]]);
    let shell = shell(&needle, Sampling::Spacing(0.1));
    assert!(shell.coverage() < 0.1022 && shell.coverage() > 0.04, "{}", shell.coverage());
    assert!((500..3_000).contains(&shell.len()), "{}", shell.len());
}

/// Very many needles side by side, with points at their ends only: all are about as bad, and none may take many pieces.
#[test]
fn a_wire_of_needles_is_settled_soon() {
    let options = CylinderOptions { radius: 1.0, height: 1000.0, segments: 2_000, rings: 1 };
    let wire = cylinder(options).unwrap();
    let coverage = shell(&wire, Sampling::Vertices).coverage();
    assert!((500.0..505.1).contains(&coverage), "{coverage}");
}

#[test]
fn what_is_too_coarse_is_told_with_a_remedy() {
    let cube = cuboid(DVec3::ONE).unwrap();
    let coarse = shell(&cube, Sampling::Spacing(0.2));
    coarse.check_against(0.5).unwrap();
    let told = coarse.check_against(0.1).unwrap_err();
    assert_eq!(told.gap, 2.0 * coarse.coverage());
    assert!(told.to_string().contains("0.1 thick"), "{told}");
    shell(&cube, Sampling::Spacing(told.spacing)).check_against(0.1).unwrap();
    assert!(coarse.check_against(f64::NAN).is_err());
}
