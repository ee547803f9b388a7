//! Signs once came from normals until neighbouring nodes contradicted each other; where parts thinner than a cell cross,
//! they do not, and wrong signs went unnoticed.

#![allow(clippy::unwrap_used)]

mod oracle;

use isotouch::field::{Field, FieldOptions, SignMethod, StorageKind};
use isotouch::math::{DVec3, IVec3};
use isotouch::mesh::shapes::cuboid;
use oracle::Soup;
use oracle::meshes::{joined, moved};

/// Two plates, thinner than a cell, that cross: nodes in one plate and beside the other are inside.
#[test]
fn crossing_plates_thinner_than_a_cell_are_inside() {
    for thickness in [0.04, 0.03, 0.02] {
        let level = cuboid(DVec3::new(1.0, 1.0, thickness)).unwrap();
        let upright = moved(cuboid(DVec3::new(thickness, 0.9, 0.8)).unwrap(), DVec3::new(0.003, 0.0, 0.013));
        let mesh = joined(&[level, upright]);
        let soup = Soup::new(&mesh);
        for sign in [SignMethod::Winding, SignMethod::Auto] {
            for resolution in 20..32 {
                let options =
                    FieldOptions { resolution, sign, storage: StorageKind::Dense, ..Default::default() };
                let field = Field::from_mesh(&mesh, &options).unwrap();
                let n = field.grid().nodes().as_ivec3();
                let (mut wrong, mut broken) = (0, 0);
                for z in 0..n.z {
                    for y in 0..n.y {
                        for x in 0..n.x {
                            let p = field.grid().node_position(IVec3::new(x, y, z));
                            let p = field.grid().bounds().project(p);
                            if p.x.abs() > 0.15 || p.z.abs() > 0.15 {
                                continue;
                            }
                            let (value, truth) = (field.distance(p).value(), soup.signed_distance(p));
                            wrong += usize::from(truth.abs() > 1e-9 && (value < 0.0) != (truth < 0.0));
                            broken += usize::from((value - truth).abs() > field.error_bound());
                        }
                    }
                }
                assert_eq!(
                    (wrong, broken),
                    (0, 0),
                    "{sign} ({} used), thickness {thickness}, cell {}: wrong signs, errors above the bound",
                    field.sign(),
                    field.grid().cell
                );
            }
        }
    }
}
