//! The god object: it stays outside, whatever the hand does.

#![allow(clippy::unwrap_used)]

#[allow(dead_code, unreachable_pub)]
#[path = "../oracle/random.rs"]
mod random;

mod ideal;
mod outside;
mod stuck;

use std::sync::Arc;

use isotouch::field::{Field, FieldOptions};
use isotouch::haptics::{Held, HeldPair, Surface};
use isotouch::math::{DQuat, DVec3, Pose};
use isotouch::mesh::{TriMesh, mass_properties, shapes};
use isotouch::shell::{PointShell, Sampling, ShellOptions};
use random::Random;

fn shell_of(mesh: &TriMesh, points: usize) -> Arc<PointShell> {
    let options = ShellOptions { sampling: Sampling::Points(points), ..Default::default() };
    Arc::new(PointShell::from_mesh(mesh, &options).unwrap())
}

fn field_of(mesh: &TriMesh, resolution: u32) -> Arc<Field> {
    Arc::new(Field::from_mesh(mesh, &FieldOptions { resolution, ..Default::default() }).unwrap())
}

/// A shell in the hand, against a field.
fn shell_on_field(held: &TriMesh, points: usize, fixed: &TriMesh, resolution: u32) -> Arc<HeldPair> {
    let mass = mass_properties(held, 1000.0).unwrap();
    let surface = Surface::Field(field_of(fixed, resolution));
    Arc::new(HeldPair::new(shell_of(held, points), surface, Held::Shell, mass).unwrap())
}

/// A field in the hand, against points.
fn field_on_shell(held: &TriMesh, resolution: u32, fixed: &TriMesh, points: usize) -> Arc<HeldPair> {
    let mass = mass_properties(held, 1000.0).unwrap();
    let surface = Surface::Field(field_of(held, resolution));
    Arc::new(HeldPair::new(shell_of(fixed, points), surface, Held::Field, mass).unwrap())
}

fn random_pose(random: &mut Random, reach: f64) -> Pose {
    let rotation = loop {
        let q = DQuat::from_xyzw(
            random.unit() - 0.5,
            random.unit() - 0.5,
            random.unit() - 0.5,
            random.unit() - 0.5,
        );
        if q.length() > 1e-3 {
            break q.normalize();
        }
    };
    Pose { position: random.in_cube() * reach, rotation }
}

/// φ of every point by itself, the least of them; in textbook transforms, not the library's tree.
fn least(pair: &HeldPair, world_from_held: &Pose) -> f64 {
    let (shell, surface) = (pair.world_from_shell(world_from_held), pair.world_from_surface(world_from_held));
    let obstacle = pair.surface().obstacle();
    let value = |&p: &DVec3| {
        let world = shell.rotation * p + shell.position;
        obstacle.touchable().value(surface.rotation.conjugate() * (world - surface.position))
    };
    pair.shell().points().iter().map(value).fold(f64::INFINITY, f64::min)
}

fn sphere(radius: f64) -> TriMesh {
    shapes::sphere(radius, 1280).unwrap()
}
