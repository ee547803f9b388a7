//! Whatever the mesh and the options: an error that says what to do, or a shell; never a panic.

use std::sync::atomic::AtomicBool;

use isotouch::field::{Execution, Field, FieldOptions};
use isotouch::math::DVec3;
use isotouch::mesh::TriMesh;
use isotouch::mesh::shapes::{cuboid, sphere};
use isotouch::shell::{PointShell, Sampling, ShellError, ShellOptions};

use crate::oracle::meshes::{joined, mesh, moved};
use crate::oracle::random::Random;

const SAMPLINGS: [Sampling; 3] = [Sampling::Vertices, Sampling::Spacing(0.1), Sampling::Points(50)];

fn made(mesh: &TriMesh, sampling: Sampling) -> Result<PointShell, ShellError> {
    PointShell::from_mesh(mesh, &ShellOptions { sampling, ..Default::default() })
}

#[test]
fn nothing_to_put_points_on_is_an_error() {
    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
    for mesh in [
        TriMesh::default(),
        mesh(&corners, &[]),
        mesh(&corners, &[[0, 1, 2], [0, 0, 0], [1, 3, 2]]),
        mesh(&[[0.3; 3]; 3], &[[0, 1, 2]]),
    ] {
        for sampling in SAMPLINGS {
            assert_eq!(made(&mesh, sampling), Err(ShellError::NoSurface));
        }
    }
}

#[test]
fn options_that_make_no_sense_are_named() {
    let cube = cuboid(DVec3::ONE).unwrap();
    let usual = ShellOptions::default();
    for (options, name) in [
        (ShellOptions { sampling: Sampling::Spacing(0.0), ..usual }, "spacing"),
        (ShellOptions { sampling: Sampling::Spacing(-1.0), ..usual }, "spacing"),
        (ShellOptions { sampling: Sampling::Spacing(f64::NAN), ..usual }, "spacing"),
        (ShellOptions { sampling: Sampling::Spacing(f64::INFINITY), ..usual }, "spacing"),
        (ShellOptions { sampling: Sampling::Points(0), ..usual }, "points"),
        (ShellOptions { sharp_angle: -0.1, ..usual }, "sharp_angle"),
        (ShellOptions { sharp_angle: f64::NAN, ..usual }, "sharp_angle"),
        (ShellOptions { tolerance: 0.0, ..usual }, "tolerance"),
        (ShellOptions { tolerance: f64::NAN, ..usual }, "tolerance"),
    ] {
        let error = PointShell::from_mesh(&cube, &options).unwrap_err();
        assert!(error.to_string().starts_with(name), "{error}");
    }
}

/// Told before it starts, with a spacing that does.
#[test]
fn far_too_many_points_are_refused_at_once() {
    let cube = cuboid(DVec3::ONE).unwrap();
    for sampling in [Sampling::Spacing(1e-5), Sampling::Spacing(1e-300), Sampling::Points(usize::MAX)] {
        let error = made(&cube, sampling).unwrap_err();
        assert!(matches!(error, ShellError::TooManyPoints { .. }), "{error}");
        assert!(error.to_string().contains("spacing"), "{error}");
    }
    // A wire, whose points would be on its edges: its area alone does not tell.
    let wire = cuboid(DVec3::new(1e5, 1e-3, 1e-3)).unwrap();
    assert!(matches!(made(&wire, Sampling::Spacing(1e-2)), Err(ShellError::TooManyPoints { .. })));
}

#[test]
fn any_size_and_place_will_do() {
    let ball = sphere(1.0, 320).unwrap();
    for (scale, offset) in [(1e-30, 0.0), (1e-9, 1.0), (1e30, 0.0), (1.0, 1e6), (1e70, 0.0)] {
        let mesh = ball.clone().mapped(|v| scale * v + DVec3::splat(offset)).unwrap();
        let shell = made(&mesh, Sampling::Points(200)).unwrap();
        assert_eq!(shell.len(), 200);
        let coverage = shell.coverage() / scale;
        assert!((0.1..0.4).contains(&coverage), "{scale}, {offset}: {coverage}");
    }
    let far = ball.mapped(|v| 1e80 * v).unwrap();
    assert_eq!(made(&far, Sampling::Points(10)), Err(ShellError::TooFar));
}

#[test]
fn a_spacing_larger_than_the_mesh_leaves_few_points() {
    let cube = cuboid(DVec3::ONE).unwrap();
    for spacing in [10.0, 1e6, 1e200] {
        let shell = made(&cube, Sampling::Spacing(spacing)).unwrap();
        assert!((1..=30).contains(&shell.len()), "{}", shell.len());
        assert!(shell.coverage() <= 1.8);
    }
}

/// Triangles that have no area, cross each other, are there twice, or meet at an edge by threes.
#[test]
fn broken_meshes_have_shells() {
    let mut random = Random(11);
    let corners: Vec<DVec3> = (0..60).map(|_| random.in_cube()).collect();
    let soup: Vec<[u32; 3]> = (0..80).map(|_| [0; 3].map(|_| random.below(60) as u32)).collect();
    let soup = TriMesh::new(corners, soup).unwrap();
    let fan = mesh(
        &[[0.0; 3], [0.0, 0.0, 1.0], [1.0, 0.0, 0.5], [-1.0, 0.3, 0.5], [0.0, 1.0, 0.5], [0.0, 0.0, 0.5]],
        &[[0, 1, 2], [0, 1, 3], [1, 0, 4], [0, 5, 1], [0, 1, 2]],
    );
    let cube = cuboid(DVec3::ONE).unwrap();
    let with_dust =
        joined(&[cube.clone(), mesh(&[[3.0; 3], [3.5, 3.0, 3.0], [3.2, 3.0, 3.0]], &[[0, 1, 2]])]);
    let twice = joined(&[cube.clone(), cube.clone(), moved(cube, DVec3::splat(0.5)).flipped()]);
    for (name, mesh) in [("soup", soup), ("fan", fan), ("dust", with_dust), ("twice", twice)] {
        for sampling in SAMPLINGS {
            let shell = made(&mesh, sampling).unwrap();
            let sum: f64 = shell.weights().iter().sum();
            assert!((sum / mesh.area() - 1.0).abs() < 1e-9, "{name}, {sampling}");
            // The places without area count, too: the coverage is of them as well.
            for t in 0..mesh.triangles().len() {
                for corner in mesh.corners(t) {
                    assert!(
                        crate::to_nearest(shell.points(), corner) <= shell.coverage(),
                        "{name}, {sampling}"
                    );
                }
            }
        }
    }
}

#[test]
fn level_sets_that_are_not_there_are_told_with_the_range() {
    let field =
        Field::from_mesh(&sphere(1.0, 320).unwrap(), &FieldOptions { resolution: 24, ..Default::default() })
            .unwrap();
    let error = PointShell::from_field(&field, 50.0, &ShellOptions::default()).unwrap_err();
    assert!(
        matches!(error, ShellError::NoLevelSet { .. }) && error.to_string().contains("values go from"),
        "{error}"
    );
    let error = PointShell::from_field(&field, f64::NAN, &ShellOptions::default()).unwrap_err();
    assert!(error.to_string().contains("finite"), "{error}");
}

#[test]
fn it_stops_when_told_to() {
    let stop = AtomicBool::new(true);
    let execution = Execution { cancel: Some(&stop), ..Default::default() };
    let ball = sphere(1.0, 20_480).unwrap();
    for sampling in [Sampling::Vertices, Sampling::Spacing(0.005), Sampling::Points(500_000)] {
        let options = ShellOptions { sampling, ..Default::default() };
        let stopped = PointShell::from_mesh_with(&ball, &options, &execution);
        assert_eq!(stopped.map(|sampled| sampled.shell.len()), Err(ShellError::Cancelled));
    }
}
