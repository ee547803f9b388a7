//! Same input, same bytes, whatever the number of threads.

use isotouch::field::{Execution, Field, FieldOptions};
use isotouch::mesh::shapes;
use isotouch::shell::{PointShell, Sampling, ShellOptions};

use crate::meshes;

#[test]
fn threads_change_nothing() {
    for (name, mesh) in meshes() {
        for sampling in [Sampling::Vertices, Sampling::Spacing(0.1), Sampling::Points(800)] {
            let on = |threads| {
                let execution = Execution { threads: Some(threads), ..Default::default() };
                let options = ShellOptions { sampling, ..Default::default() };
                PointShell::from_mesh_with(&mesh, &options, &execution).unwrap()
            };
            let one = on(1);
            assert!(one == on(3), "{name}, {sampling}");
        }
    }
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
