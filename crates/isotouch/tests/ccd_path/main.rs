//! Whole parts along paths.

#![allow(clippy::unwrap_used)]

mod answers;
mod inside;
mod judged;
#[path = "../oracle/mod.rs"]
mod oracle;
mod start_contact;

use isotouch::ccd::path::{FixedPart, MovingPart, PathChecker, PathOptions, PathReport};
use isotouch::field::{Field, FieldOptions, SignMethod};
use isotouch::math::{DVec3, Pose};
use isotouch::mesh::{TriMesh, shapes};

/// A mesh and its field, which parts borrow from.
struct Scene {
    moving: MovingPart,
    mesh: TriMesh,
    field: Field,
}

impl Scene {
    fn new(moving: &TriMesh, fixed: TriMesh, resolution: u32) -> Self {
        Self::with_sign(moving, fixed, resolution, SignMethod::Auto)
    }

    fn with_sign(moving: &TriMesh, fixed: TriMesh, resolution: u32, sign: SignMethod) -> Self {
        let options = FieldOptions { resolution, sign, ..Default::default() };
        let field = Field::from_mesh(&fixed, &options).unwrap();
        Self { moving: MovingPart::new(moving, DVec3::ZERO).unwrap(), mesh: fixed, field }
    }

    fn check(&self, path: &[Pose], options: &PathOptions) -> PathReport {
        let fixed = FixedPart::new(&self.mesh, &self.field).unwrap();
        PathChecker::new(&self.moving, &fixed, options).check(path)
    }
}

fn boxed(size: DVec3) -> TriMesh {
    shapes::cuboid(size).unwrap()
}

/// A cuboid whose faces are cut into small triangles, so that few of them are crossed by what crosses it.
fn fine_box(size: DVec3, cuts: u32) -> TriMesh {
    (0..cuts).fold(boxed(size), |mesh, _| {
        let corners = (0..mesh.triangles().len()).flat_map(|t| {
            let [a, b, c] = mesh.corners(t);
            let (ab, bc, ca) = (0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a));
            [a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca]
        });
        let corners: Vec<DVec3> = corners.collect();
        let triangles = (0..corners.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        oracle::meshes::welded(&TriMesh::new(corners, triangles).unwrap())
    })
}

fn straight(from: DVec3, to: DVec3) -> [Pose; 2] {
    [Pose::at(from), Pose::at(to)]
}
