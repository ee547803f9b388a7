//! Same input, same bytes, whatever the number of threads.

use isotouch::field::{Execution, Field, FieldOptions};
use isotouch::math::DVec3;
use isotouch::mesh::TriMesh;
use isotouch::mesh::shapes::{self, cuboid};
use isotouch::shell::{PointShell, Sampling, ShellOptions};

use crate::meshes;

#[test]
fn threads_change_nothing() {
    for (name, mesh) in meshes() {
        for sampling in [Sampling::Vertices, Sampling::Spacing(0.1), Sampling::Points(800)] {
            same_on_threads(name, &mesh, sampling);
        }
    }
}

/// So many points that several threads have some at every step: they take thousands at a time.
#[test]
fn threads_change_nothing_with_many_points() {
    let knot = shapes::by_name("torus-knot").unwrap();
    let box_ = cuboid(DVec3::new(1.0, 0.3, 0.6)).unwrap();
    for (name, mesh) in [("knot", knot), ("box", box_)] {
        for sampling in [Sampling::Spacing(0.012), Sampling::Points(20_000)] {
            let points = same_on_threads(name, &mesh, sampling);
            assert!(points > 8192, "{name}, {sampling}: {points}");
        }
    }
}

/// How many points, whatever the number of threads.
fn same_on_threads(name: &str, mesh: &TriMesh, sampling: Sampling) -> usize {
    let on = |threads| {
        let execution = Execution { threads: Some(threads), ..Default::default() };
        let options = ShellOptions { sampling, ..Default::default() };
        PointShell::from_mesh_with(mesh, &options, &execution).unwrap()
    };
    let one = on(1);
    assert!(one == on(3), "{name}, {sampling}");
    one.shell.len()
}

#[test]
fn threads_change_nothing_on_an_offset_surface() {
    let torus = shapes::by_name("torus").unwrap();
    let field = Field::from_mesh(&torus, &FieldOptions { resolution: 48, ..Default::default() }).unwrap();
    let on = |threads| {
        let execution = Execution { threads: Some(threads), ..Default::default() };
        let options = ShellOptions { sampling: Sampling::Points(800), ..Default::default() };
        PointShell::from_field_with(&field, 0.01, &options, &execution).unwrap().shell
    };
    assert!(on(1) == on(3));
}
