//! Mass properties against closed forms, and the laws that motion and scale must obey.

// The helpers of a test are tests too.
#![allow(clippy::unwrap_used)]

mod oracle;

use std::f64::consts::PI;

use isotouch::math::{DMat3, DVec3};
use isotouch::mesh::shapes::{self, CylinderOptions, TorusOptions, cuboid, cylinder, sphere, torus};
use isotouch::mesh::{MassError, MassProperties, TriMesh, mass_properties};
use oracle::meshes::joined;
use proptest::prelude::*;

fn assert_near(measured: f64, expected: f64, tolerance: f64) {
    assert!((measured - expected).abs() <= tolerance, "{measured} is not within {tolerance} of {expected}");
}

fn assert_matrices_near(measured: DMat3, expected: DMat3, tolerance: f64) {
    for (m, e) in measured.to_cols_array().into_iter().zip(expected.to_cols_array()) {
        assert!((m - e).abs() <= tolerance, "{measured} is not within {tolerance} of {expected}");
    }
}

fn largest(matrix: DMat3) -> f64 {
    matrix.to_cols_array().into_iter().fold(0.0, |most, x| most.max(x.abs()))
}

/// m (|d|² 1 − d dᵀ): what moving the axis by d adds.
fn parallel_axis(mass: f64, d: DVec3) -> DMat3 {
    let outer = DMat3::from_cols(d * d.x, d * d.y, d * d.z);
    (DMat3::from_diagonal(DVec3::splat(d.length_squared())) - outer) * mass
}

/// Rotation about a unit axis by Rodrigues' formula.
fn rotation(axis: DVec3, angle: f64) -> DMat3 {
    let (sin, cos) = angle.sin_cos();
    let cross = DMat3::from_cols(
        DVec3::new(0.0, axis.z, -axis.y),
        DVec3::new(-axis.z, 0.0, axis.x),
        DVec3::new(axis.y, -axis.x, 0.0),
    );
    DMat3::IDENTITY + cross * sin + cross * cross * (1.0 - cos)
}

fn box_inertia(mass: f64, DVec3 { x, y, z }: DVec3) -> DMat3 {
    let squares = DVec3::new(y * y + z * z, z * z + x * x, x * x + y * y);
    DMat3::from_diagonal(squares * (mass / 12.0))
}

fn direction() -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-1.0_f64..1.0)
        .prop_map(DVec3::from_array)
        .prop_filter_map("too short for a direction", |v| (v.length() > 0.1).then(|| v / v.length()))
}

proptest! {
    #[test]
    fn a_box_anywhere_in_any_pose(
        size in prop::array::uniform3(0.1_f64..3.0), density in 0.1_f64..1e4, axis in direction(),
        angle in -PI..PI, far in prop::array::uniform3(-1000.0_f64..1000.0)
    ) {
        let (size, far) = (DVec3::from_array(size), DVec3::from_array(far));
        let turn = rotation(axis, angle);
        let mesh = cuboid(size).unwrap().mapped(|v| turn * v + far).unwrap();
        let found = mass_properties(&mesh, density).unwrap();
        let volume = size.x * size.y * size.z;
        let mass = density * volume;
        // Coordinates near 1000 are rounded to 1e-13, a box is at least 0.1 thick.
        assert_near(found.volume, volume, 1e-11 * volume);
        assert_near(found.mass, mass, 1e-11 * mass);
        assert_near(found.center_of_mass.distance(far), 0.0, 1e-11);
        let expected = turn * box_inertia(mass, size) * turn.transpose();
        assert_matrices_near(found.inertia, expected, 1e-10 * largest(expected));
        assert_eq!(found.inertia, found.inertia.transpose());
        // Inside out, the same body.
        let flipped = mass_properties(&mesh.flipped(), density).unwrap();
        assert_near(flipped.mass, found.mass, 1e-12 * mass);
        assert_matrices_near(flipped.inertia, found.inertia, 1e-11 * largest(expected));
    }

    #[test]
    fn two_bodies_add_up_by_the_parallel_axis_theorem(offset in direction(), apart in 3.0_f64..10.0) {
        let (a, b) = (cuboid(DVec3::new(1.0, 2.0, 0.5)).unwrap(), sphere(0.7, 320).unwrap());
        let b = b.mapped(|v| v + apart * offset).unwrap();
        let whole = mass_properties(&joined(&[a.clone(), b.clone()]), 2.0).unwrap();
        let parts: [MassProperties; 2] = [&a, &b].map(|mesh| mass_properties(mesh, 2.0).unwrap());
        let mass = parts[0].mass + parts[1].mass;
        assert_near(whole.mass, mass, 1e-12 * mass);
        let center = (parts[0].mass * parts[0].center_of_mass + parts[1].mass * parts[1].center_of_mass) / mass;
        assert_near(whole.center_of_mass.distance(center), 0.0, 1e-12);
        let expected = parts
            .iter()
            .map(|part| part.inertia + parallel_axis(part.mass, part.center_of_mass - center))
            .fold(DMat3::ZERO, |sum, inertia| sum + inertia);
        assert_matrices_near(whole.inertia, expected, 1e-12 * largest(expected));
    }
}

#[test]
fn sphere_converges_with_the_square_of_the_edge_length() {
    let errors: Vec<f64> = [320, 1280, 5120]
        .map(|triangles| {
            let found = mass_properties(&sphere(2.0, triangles).unwrap(), 3.0).unwrap();
            let mass = 3.0 * 4.0 / 3.0 * PI * 8.0;
            // 2/5 m r², the same about every axis.
            let expected = DMat3::from_diagonal(DVec3::splat(0.4 * mass * 4.0));
            assert_near(found.center_of_mass.length(), 0.0, 1e-14);
            largest(found.inertia - expected) / largest(expected)
        })
        .to_vec();
    for pair in errors.windows(2) {
        let ratio = pair[0] / pair[1];
        assert!((3.8..4.2).contains(&ratio), "errors {errors:?}");
    }
    assert!(errors[2] < 4e-3);
}

#[test]
fn torus_and_cylinder_are_near_their_closed_forms() {
    let (major, minor) = (2.0, 0.5);
    let options =
        TorusOptions { major_radius: major, minor_radius: minor, major_segments: 400, minor_segments: 200 };
    let found = mass_properties(&torus(options).unwrap(), 1.0).unwrap();
    let mass = 2.0 * PI * PI * major * minor * minor;
    assert_near(found.mass, mass, 1e-3 * mass);
    // About the axis m (R² + 3/4 r²), across it m (R²/2 + 5/8 r²).
    let about = mass * (major * major + 0.75 * minor * minor);
    let across = mass * (0.5 * major * major + 0.625 * minor * minor);
    assert_matrices_near(
        found.inertia,
        DMat3::from_diagonal(DVec3::new(across, across, about)),
        2e-3 * about,
    );

    let (radius, height) = (0.5, 3.0);
    let options = CylinderOptions { radius, height, segments: 1000, rings: 1 };
    let found = mass_properties(&cylinder(options).unwrap(), 1.0).unwrap();
    let mass = PI * radius * radius * height;
    let across = mass * (3.0 * radius * radius + height * height) / 12.0;
    let about = 0.5 * mass * radius * radius;
    assert_matrices_near(
        found.inertia,
        DMat3::from_diagonal(DVec3::new(across, across, about)),
        1e-4 * across,
    );
}

#[test]
fn a_hollow_weighs_nothing() {
    let outer = cuboid(DVec3::splat(2.0)).unwrap();
    let hollow = cuboid(DVec3::ONE).unwrap().flipped();
    let found = mass_properties(&joined(&[outer, hollow]), 1.0).unwrap();
    assert_near(found.mass, 7.0, 1e-14);
    let expected = box_inertia(8.0, DVec3::splat(2.0)) - box_inertia(1.0, DVec3::ONE);
    assert_matrices_near(found.inertia, expected, 1e-13);
}

#[test]
fn boxes_that_share_an_edge_still_enclose_their_volume() {
    let a = cuboid(DVec3::ONE).unwrap();
    let b = a.clone().mapped(|v| v + DVec3::new(1.0, 1.0, 0.0)).unwrap();
    assert_near(mass_properties(&joined(&[a, b]), 1.0).unwrap().mass, 2.0, 1e-14);
}

#[test]
fn scale_from_tiny_to_huge() {
    for scale in [1e-50, 1e-6, 1e6, 1e50] {
        let found = mass_properties(&cuboid(DVec3::splat(scale)).unwrap(), 1.0).unwrap();
        let expected = scale.powi(5) / 6.0;
        assert_near(found.inertia.x_axis.x / expected, 1.0, 1e-13);
    }
}

#[test]
fn what_has_no_mass_says_why() {
    let ball = sphere(1.0, 80).unwrap();
    for density in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = mass_properties(&ball, density).unwrap_err();
        assert!(matches!(error, MassError::Density { .. }), "{error}");
    }
    let open = TriMesh::new(ball.vertices().to_vec(), ball.triangles()[1..].to_vec()).unwrap();
    assert_eq!(mass_properties(&open, 1.0), Err(MassError::NotClosed { edges: 3 }));
    let mut triangles = ball.triangles().to_vec();
    triangles[5].swap(0, 1);
    let flipped = TriMesh::new(ball.vertices().to_vec(), triangles).unwrap();
    assert_eq!(mass_properties(&flipped, 1.0), Err(MassError::NotClosed { edges: 3 }));
    let twice = joined(&[ball.clone(), ball.clone().flipped()]);
    assert!(matches!(mass_properties(&twice, 1.0), Err(MassError::NoVolume { .. })));
    assert!(matches!(mass_properties(&TriMesh::default(), 1.0), Err(MassError::NoVolume { .. })));
    for scale in [1e-300, 1e-100, 1e100, 1e200, 1.5e308] {
        let mesh = ball.clone().mapped(|v| scale * v).unwrap();
        assert!(matches!(mass_properties(&mesh, 1.0), Err(MassError::OutOfRange { .. })), "{scale}");
    }
}

#[test]
fn every_built_in_shape_has_mass() {
    for name in shapes::NAMES {
        let mesh = shapes::by_name(name).unwrap();
        let found = mass_properties(&mesh, 1000.0).unwrap();
        let volume = mesh.signed_volume();
        assert_near(found.volume, volume, 1e-12 * volume);
        assert!(mesh.bounds().contains(found.center_of_mass), "{name}");
        // The triangle inequality of principal moments, in the form that holds in any axes: each diagonal entry is at most
        // the sum of the other two.
        let [x, y, z] = [found.inertia.x_axis.x, found.inertia.y_axis.y, found.inertia.z_axis.z];
        assert!(x <= y + z && y <= z + x && z <= x + y, "{name}");
    }
}
