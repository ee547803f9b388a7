//! Whatever the mesh and the options: an error that says what to do, or a shell; never a panic.

use std::sync::atomic::{AtomicBool, Ordering};

use isotouch::field::{Execution, Field, FieldOptions, Progress};
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
    assert!(matches!(made(&wire, Sampling::Spacing(5e-3)), Err(ShellError::TooManyPoints { .. })));
}

/// The message says what is wrong, and the spacing that it names does.
#[test]
fn the_spacing_that_is_told_is_taken() {
    for size in [DVec3::ONE, DVec3::new(1e5, 1e-3, 1e-3), DVec3::new(1.0, 1e-9, 1e-9)] {
        let mesh = cuboid(size).unwrap();
        let error = made(&mesh, Sampling::Spacing(1e-13)).unwrap_err();
        let ShellError::TooManyPoints { points, most, spacing } = error else { panic!("{error}") };
        assert!(points > most, "{error}");
        // It would take a while; told to stop, it has got past the count.
        let options = ShellOptions { sampling: Sampling::Spacing(spacing), ..Default::default() };
        let execution = Execution { cancel: Some(&AtomicBool::new(true)), ..Default::default() };
        let stopped = PointShell::from_mesh_with(&mesh, &options, &execution);
        assert_eq!(stopped.map(|_| ()), Err(ShellError::Cancelled), "{size}: {spacing}");
    }
}

/// A stray triangle makes the box ten million times as large as the part, and once made sampling quadratic.
#[test]
fn a_stray_triangle_far_away_costs_nothing() {
    let stray = [[1e7, 0.0, 0.0], [1e7, 0.1, 0.0], [1e7, 0.0, 0.1]];
    let with_stray = joined(&[sphere(1.0, 5_120).unwrap(), mesh(&stray, &[[0, 1, 2]])]);
    let start = std::time::Instant::now();
    for (sampling, coverage) in [(Sampling::Spacing(0.02), 0.021), (Sampling::Points(600), 0.2)] {
        let shell = made(&with_stray, sampling).unwrap();
        println!("{} points in {:?}", shell.len(), start.elapsed());
        assert!(shell.points().iter().any(|p| p.x > 1e6), "the stray one is covered, too");
        assert!(shell.coverage() < coverage, "{}", shell.coverage());
    }
    // Some seconds; it was more than a minute.
    assert!(start.elapsed().as_secs() < 50, "{:?}", start.elapsed());
}

/// Kilometres of edges and hardly any area: edges get as many points as asked for, not as many as the area says.
#[test]
fn a_number_of_points_on_a_wire_is_that_number() {
    let wire = cuboid(DVec3::new(1e5, 1e-4, 1e-4)).unwrap();
    assert_eq!(made(&wire, Sampling::Points(300)).unwrap().len(), 300);
}

/// Numbers are 2⁻³ apart where it is, so its points can only be at some places.
#[test]
fn a_mesh_whose_coordinates_are_all_alike_has_no_room() {
    let far = sphere(1.0, 320).unwrap().mapped(|v| v + DVec3::splat(1e15)).unwrap();
    let error = made(&far, Sampling::Points(3_000)).unwrap_err();
    assert!(matches!(error, ShellError::NoRoom { points: 3_000, .. }), "{error}");
    assert!(made(&far, Sampling::Spacing(0.05)).is_ok());
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

/// Also in the middle of a step, and where all the work is in a few triangles.
#[test]
fn it_stops_at_any_step() {
    let cube = cuboid(DVec3::ONE).unwrap();
    for step in ["sampling", "filling", "ordering", "coverage", "areas"] {
        let stop = AtomicBool::new(false);
        let seen = AtomicBool::new(false);
        let options = ShellOptions { sampling: Sampling::Spacing(0.01), ..Default::default() };
        let progress = |at: Progress| {
            if at.stage == step {
                stop.store(true, Ordering::Relaxed);
                seen.store(true, Ordering::Relaxed);
            }
        };
        let execution = Execution { cancel: Some(&stop), progress: Some(&progress), ..Default::default() };
        let stopped =
            PointShell::from_mesh_with(&cube, &options, &execution).map(|sampled| sampled.shell.len());
        assert!(seen.load(Ordering::Relaxed), "{step} is a step");
        // What reports at its end cannot stop in it; the last step has no next.
        assert!(stopped == Err(ShellError::Cancelled) || step == "areas", "{step}: {stopped:?}");
    }
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
