//! Parts wholly inside others, which touch nothing: meshes that are closed, open, flipped in part, wound inward, or several at once.

use isotouch::ccd::path::{Answer, ContactKind, PathOptions, Reason};
use isotouch::field::SignMethod;
use isotouch::math::DVec3;
use isotouch::math::Pose;
use isotouch::mesh::{TriMesh, shapes};

use super::oracle::meshes::{joined, moved, with_flipped, without};
use super::{Scene, boxed, fine_box, straight};

fn answer(scene: &Scene, path: &[Pose]) -> Answer {
    scene.check(path, &PathOptions::default()).answer
}

/// A few steps on the spot.
const HERE: [Pose; 2] = [Pose::IDENTITY, Pose { position: DVec3::new(0.1, 0.0, 0.0), ..Pose::IDENTITY }];

/// The cube whose lower face is missing.
fn open_cube(size: f64) -> TriMesh {
    let cube = boxed(DVec3::splat(size));
    let below = |t: &usize| cube.corners(*t).iter().all(|v| v.z < 0.0);
    let lower: Vec<usize> = (0..12).filter(below).collect();
    assert_eq!(lower.len(), 2);
    without(&cube, &lower)
}

#[test]
fn parts_inside_each_other_are_in_contact_although_nothing_touches() {
    let (small, large) = (boxed(DVec3::splat(0.2)), boxed(DVec3::splat(2.0)));
    let still = [Pose::IDENTITY, Pose::at(DVec3::X * 0.1)];
    let report = Scene::new(&small, large.clone(), 32).check(&still, &PathOptions::default());
    assert_eq!(
        (report.answer, report.first_contact.unwrap().kind),
        (Answer::Contact, ContactKind::MovingInside)
    );
    let report = Scene::new(&large, small.clone(), 32).check(&still, &PathOptions::default());
    assert_eq!(
        (report.answer, report.first_contact.unwrap().kind),
        (Answer::Contact, ContactKind::FixedInside)
    );
    // One of two components is enough.
    let beside = boxed(DVec3::splat(0.2)).mapped(|p| p + DVec3::X * 5.0).unwrap();
    let report = Scene::new(&joined(&[beside, small.clone()]), large.clone(), 32)
        .check(&still, &PathOptions::default());
    assert_eq!(report.answer, Answer::Contact);
    // Wound both ways at once, winding numbers tell nothing.
    let both = joined(&[large.clone(), large.clone().flipped()]);
    let report = Scene::new(&both, small, 32).check(&still, &PathOptions::default());
    assert_eq!(
        (report.answer, report.first_contact.unwrap().kind),
        (Answer::Contact, ContactKind::FixedInside)
    );
}

/// The field cannot tell the side near the surface; triangles can, whatever its resolution.
#[test]
fn inside_is_told_within_the_error_of_the_field_too() {
    let plate =
        joined(&[boxed(DVec3::new(10.0, 10.0, 0.05)), moved(boxed(DVec3::splat(4.0)), DVec3::Z * 5.0)]);
    let gap = joined(&[DVec3::X, -DVec3::X].map(|side| moved(boxed(DVec3::ONE), 0.55 * side)));
    for resolution in [24, 31, 33, 64] {
        let bead = Scene::new(&boxed(DVec3::splat(0.01)), plate.clone(), resolution);
        let within = straight(DVec3::new(0.013, 0.017, 0.003), DVec3::new(1.0, 0.0, 0.003));
        let report = bead.check(&within, &PathOptions::default());
        assert_eq!(report.answer, Answer::Contact, "{resolution}");
        let blade = Scene::new(&boxed(DVec3::new(0.04, 0.3, 0.3)), gap.clone(), resolution);
        let report = blade.check(&straight(DVec3::ZERO, DVec3::Y * 0.1), &PathOptions::default());
        assert_eq!(report.answer, Answer::Free, "{resolution}");
    }
}

/// An open box is no solid that something could be inside of, whichever way its triangles are wound.
#[test]
fn an_open_box_encloses_nothing() {
    let open = open_cube(4.0);
    let (over, off) = (straight(DVec3::Z * 6.0, DVec3::ZERO), straight(DVec3::ZERO, DVec3::Z * 6.0));
    for open in [open.clone(), open.clone().flipped(), with_flipped(&open, &[0, 3, 4])] {
        let scene = Scene::new(&open, boxed(DVec3::ONE), 32);
        assert_eq!((answer(&scene, &over), answer(&scene, &off)), (Answer::Free, Answer::Free));
    }
}

/// Winding numbers between whole ones left a hole through which parts were called free.
#[test]
fn a_flipped_face_or_a_plate_beside_it_lets_nothing_into_a_closed_cube() {
    let cube = boxed(DVec3::splat(2.0));
    let corners = [DVec3::new(-3.0, -3.0, 1.5), DVec3::new(3.0, -3.0, 1.5), DVec3::new(0.0, 3.0, 1.5)];
    let plate = TriMesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap();
    let small = boxed(DVec3::splat(0.2));
    for face in 0..6 {
        let flipped = with_flipped(&cube, &[2 * face, 2 * face + 1]);
        assert_eq!(answer(&Scene::new(&flipped, small.clone(), 32), &HERE), Answer::Contact, "{face}");
    }
    for beside in [plate.clone(), open_cube(4.0)] {
        let both = joined(&[cube.clone(), beside]);
        assert_eq!(answer(&Scene::new(&both, small.clone(), 32), &HERE), Answer::Contact);
    }
    // The other way round, near the wall, where a coarse field does not tell the side.
    let flipped = with_flipped(&cube, &[0, 1]);
    let bead = boxed(DVec3::splat(0.02));
    for resolution in [8, 16, 64] {
        let scene = Scene::new(&bead, flipped.clone(), resolution);
        let path = [DVec3::new(0.0, 0.95, 0.0), DVec3::new(0.01, 0.95, 0.0)].map(Pose::at);
        assert_eq!(answer(&scene, &path), Answer::Contact, "{resolution}");
    }
}

/// A field without a certificate was taken for one without an inside.
#[test]
fn a_closed_cube_among_sheets_is_a_solid() {
    let both = joined(&[moved(open_cube(2.0), DVec3::X * 6.0), boxed(DVec3::splat(2.0))]);
    for sign in [SignMethod::Oriented, SignMethod::FaceNormal] {
        let scene = Scene::with_sign(&boxed(DVec3::splat(0.2)), both.clone(), 32, sign);
        assert!(!scene.field.is_certified());
        assert_eq!(answer(&scene, &HERE), Answer::Contact);
        // In the open one there is room.
        assert_eq!(answer(&scene, &HERE.map(|pose| Pose::at(pose.position + DVec3::X * 6.0))), Answer::Free);
    }
}

/// Outside its box a field whose solid reaches the border knows nothing; that was taken for the outside.
#[test]
fn what_the_field_does_not_know_triangles_tell() {
    let shell = shapes::sphere(3.0, 1280).unwrap();
    let hollow = joined(&[shell.clone(), shapes::sphere(2.9, 1280).unwrap().flipped()]);
    for (moving, expected) in [(shell, Answer::Contact), (hollow, Answer::Free)] {
        assert_eq!(answer(&Scene::new(&moving, boxed(DVec3::ONE), 16), &HERE), expected);
    }
}

/// Triangles with the outside on both sides are no boundary of the solid, and the field does not know them: parts went through.
#[test]
fn a_part_wound_inward_stops_what_comes() {
    let cube = fine_box(DVec3::splat(2.0), 3);
    let bar = moved(fine_box(DVec3::new(3.8, 1.0, 1.0), 4), DVec3::new(1.8, 0.3, 0.2));
    let crossing = joined(&[cube.clone(), bar.flipped()]);
    let apart = joined(&[
        moved(fine_box(DVec3::splat(2.0), 2), DVec3::X * -3.0),
        moved(cube, DVec3::X * 3.0).flipped(),
    ]);
    let probe = boxed(DVec3::splat(0.2));
    let cases = [(crossing, DVec3::new(2.7, 0.3, 0.0)), (apart, DVec3::new(3.3, 0.2, 0.0))];
    for (mesh, aside) in cases {
        for sign in [SignMethod::Auto, SignMethod::Winding, SignMethod::Soup] {
            let scene = Scene::with_sign(&probe, mesh.clone(), 40, sign);
            let down = straight(aside + DVec3::Z * 3.0, aside - DVec3::Z * 3.0);
            assert_eq!(answer(&scene, &down), Answer::Contact, "{sign}");
            // And there is no room in it.
            let within = straight(aside + DVec3::Z * 0.2, aside + DVec3::new(0.05, 0.0, 0.2));
            assert_eq!(answer(&scene, &within), Answer::Contact, "{sign}");
            let beside = straight(DVec3::new(2.7, 3.0, 3.0), DVec3::new(2.7, 3.0, -3.0));
            assert_eq!(answer(&scene, &beside), Answer::Free, "{sign}");
        }
    }
}

/// Whether there is a hole through the cube or a bar is not for us to say.
#[test]
fn what_triangles_do_not_tell_is_undecided() {
    let bar = boxed(DVec3::new(0.8, 0.8, 3.0)).flipped();
    let mesh = joined(&[boxed(DVec3::splat(2.0)), bar]);
    let scene = Scene::new(&mesh, boxed(DVec3::splat(0.2)), 32);
    let report = scene.check(&HERE, &PathOptions::default());
    assert_eq!(report.answer, Answer::Undecided);
    assert_eq!(report.undecided.unwrap().1.reason, Reason::PerhapsInside);
    assert_eq!(report.clearance, 0.0);
}
