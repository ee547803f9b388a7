//! Normals: outward, whatever the winding; and said so where that is not known.

use isotouch::field::{Execution, Field, FieldOptions};
use isotouch::math::DVec3;
use isotouch::mesh::TriMesh;
use isotouch::mesh::shapes::{cuboid, sphere};
use isotouch::shell::{NormalSource, PointShell, Sampling, ShellNote, ShellOptions};

use crate::oracle::meshes::{joined, moved, open_box, with_one_flipped};
use crate::shell;

const SAMPLINGS: [Sampling; 3] = [Sampling::Vertices, Sampling::Spacing(0.15), Sampling::Points(300)];

fn sampled(mesh: &TriMesh, sampling: Sampling) -> (PointShell, Vec<ShellNote>) {
    let options = ShellOptions { sampling, ..Default::default() };
    let sampled = PointShell::from_mesh_with(mesh, &options, &Execution::default()).unwrap();
    (sampled.shell, sampled.notes)
}

#[test]
fn normals_of_a_ball_point_away_from_its_middle() {
    let ball = sphere(1.0, 5_120).unwrap();
    for mesh in [ball.clone(), ball.clone().flipped()] {
        for sampling in SAMPLINGS {
            let (shell, notes) = sampled(&mesh, sampling);
            let turned = ShellNote::Turned { triangles: 5_120 };
            assert_eq!(notes.contains(&turned), mesh != ball, "{notes:?}");
            assert_eq!(shell.normal_source(), NormalSource::Mesh);
            for (p, n) in shell.points().iter().zip(shell.normals()) {
                assert!((n.length() - 1.0).abs() < 1e-12);
                assert!(n.dot(*p) > 0.998 * p.length(), "{sampling}: {p} {n}");
            }
        }
    }
}

/// One box faces inward and is turned; a hollow inside another faces inward as it should.
#[test]
fn only_parts_that_should_not_face_inward_are_turned() {
    let one = cuboid(DVec3::ONE).unwrap();
    let inward = moved(one.clone(), DVec3::X * 3.0).flipped();
    let hollow = one.clone().mapped(|v| 0.5 * v).unwrap().flipped();
    let mesh = joined(&[one, inward, hollow]);
    let (shell, notes) = sampled(&mesh, Sampling::Spacing(0.2));
    assert_eq!(notes, [ShellNote::Turned { triangles: 12 }]);
    for (p, n) in shell.points().iter().zip(shell.normals()) {
        let from = if p.x > 1.0 { *p - DVec3::X * 3.0 } else { *p };
        let is_hollow = from.abs().max_element() < 0.3;
        assert_eq!(n.dot(from) < 0.0, is_hollow, "{p} {n}");
    }
}

/// On an edge of a box halfway between two faces, at a corner between three.
#[test]
fn normals_at_edges_and_corners_are_between_the_faces() {
    let cube = cuboid(DVec3::ONE).unwrap();
    let shell = shell(&cube, Sampling::Spacing(0.25));
    let mut seen = [0; 4];
    for (p, n) in shell.points().iter().zip(shell.normals()) {
        let on = p.to_array().map(|c| if c.abs() == 0.5 { c.signum() } else { 0.0 });
        let expected = DVec3::from_array(on);
        seen[expected.length_squared().round() as usize] += 1;
        assert!(n.distance(expected.normalize_or_zero()) < 1e-12, "{p} {n}");
    }
    assert_eq!((seen[0], seen[3], seen[2]), (0, 8, 36));
}

#[test]
fn meshes_without_an_outside_say_so_and_a_field_tells() {
    let cube = cuboid(DVec3::ONE).unwrap();
    for mesh in [open_box(), with_one_flipped(&cube, 3)] {
        let (shell, notes) = sampled(&mesh, Sampling::Spacing(0.2));
        assert_eq!(notes, [ShellNote::NotOriented]);
        assert_eq!(shell.normal_source(), NormalSource::Triangles);
        assert!(shell.normals().iter().all(|n| (n.length() - 1.0).abs() < 1e-12));
        let field = Field::from_mesh(&mesh, &FieldOptions { resolution: 48, ..Default::default() }).unwrap();
        let told = shell.clone().with_normals_of(&field);
        assert_eq!(told.normal_source(), NormalSource::Field);
        assert_eq!((told.points(), told.weights()), (shell.points(), shell.weights()));
        for (p, n) in told.points().iter().zip(told.normals()) {
            assert!(n.dot(*p) > 0.3 * p.length(), "{p} {n}");
        }
    }
}
