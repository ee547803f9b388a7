//! Parts that start in contact, and what is said when that is let pass.

use std::sync::atomic::AtomicBool;

use isotouch::ccd::path::{Answer, FixedPart, PathChecker, PathOptions, Reason};
use isotouch::math::{DQuat, DVec3, MotionKind, Pose};

use super::oracle::meshes::{joined, moved};
use super::{Scene, boxed, straight};

#[test]
fn a_contact_at_the_start_is_said_and_can_be_let_pass() {
    let scene = Scene::new(&boxed(DVec3::ONE), boxed(DVec3::ONE), 32);
    let leaves = straight(DVec3::X * 0.9, DVec3::X * 3.0);
    let report = scene.check(&leaves, &PathOptions::default());
    assert!(report.starts_in_contact && report.answer == Answer::Contact);
    assert_eq!(report.first_contact.unwrap().t, 0.0);
    let ignoring = PathOptions { ignores_start_contact: true, ..Default::default() };
    let report = scene.check(&leaves, &ignoring);
    assert_eq!((report.starts_in_contact, report.answer), (true, Answer::Free));
    // Apart from 0.1 of 2.1 on.
    let (leg, t) = report.checked_from.unwrap();
    assert!(leg == 0 && (t - 0.1 / 2.1).abs() < 1e-4, "{t}");
    assert_eq!(report.legs[0].from, t);
    // Not what comes later.
    let returns = [Pose::at(DVec3::X * 0.9), Pose::at(DVec3::X * 3.0), Pose::at(DVec3::X * 0.5)];
    let report = scene.check(&returns, &ignoring);
    assert_eq!((report.answer, report.first_contact.unwrap().leg), (Answer::Contact, 1));
}

/// Letting a contact pass is no way into a solid.
#[test]
fn a_part_that_sinks_in_is_never_let_pass() {
    let scene = Scene::new(&boxed(DVec3::ONE), boxed(DVec3::splat(4.0)), 32);
    let ignoring = PathOptions { ignores_start_contact: true, ..Default::default() };
    // From the surface to the middle, and wholly inside: it never comes apart, so nothing is checked and nothing is called clear.
    for path in [straight(DVec3::Z * 2.0, DVec3::ZERO), straight(DVec3::ZERO, DVec3::X * 0.5)] {
        let report = scene.check(&path, &ignoring);
        assert!(report.starts_in_contact);
        assert_eq!(report.answer, Answer::Contact, "{path:?}");
    }
    // Apart only in the second leg.
    let out = [Pose::at(DVec3::Z * 2.0), Pose::at(DVec3::Z * 2.05), Pose::at(DVec3::Z * 6.0)];
    let report = scene.check(&out, &ignoring);
    assert_eq!(report.answer, Answer::Free);
    assert_eq!((report.legs[0].answer, report.legs[0].from), (Answer::LetPass, 1.0));
    assert_eq!(report.checked_from.unwrap().0, 1);
    assert!(report.clearance.is_finite());
}

/// Poses a thousandth of the way apart missed that the parts were apart for a moment, and let the crash into the next wall pass.
#[test]
fn a_short_while_apart_is_not_missed() {
    let plate = |x: f64| moved(boxed(DVec3::new(0.2, 3.0, 3.0)), DVec3::X * x);
    let ignoring = PathOptions { ignores_start_contact: true, ..Default::default() };
    // Sunk in by 0.001; 0.002 beyond, the next one.
    let scene = Scene::new(&boxed(DVec3::ONE), joined(&[plate(-0.599), plate(0.603)]), 48);
    for path in [
        vec![DVec3::ZERO, DVec3::X * 10.0],
        vec![DVec3::ZERO, DVec3::X * 0.002, DVec3::X * 10.0],
        vec![DVec3::ZERO, DVec3::X * 0.0005, DVec3::X * 10.0],
    ] {
        let path: Vec<Pose> = path.into_iter().map(Pose::at).collect();
        let report = scene.check(&path, &ignoring);
        assert_eq!(report.answer, Answer::Contact);
        let at = report.first_contact.unwrap().pose.position.x;
        assert!((at - 0.003).abs() < 1e-4, "{at}");
        let (leg, t) = report.checked_from.unwrap();
        let from = path[leg].position.lerp(path[leg + 1].position, t).x;
        assert!((from - 0.001).abs() < 1e-4, "{from}");
    }
}

/// A part that slides along what it lies on never comes apart, however long it goes.
#[test]
fn a_part_that_stays_flush_is_in_contact() {
    let scene = Scene::new(&boxed(DVec3::ONE), boxed(DVec3::new(20.0, 2.0, 1.0)), 48);
    let ignoring = PathOptions { ignores_start_contact: true, tolerance: Some(1e-3), ..Default::default() };
    let along = straight(DVec3::new(-5.0, 0.0, 1.0), DVec3::new(5.0, 0.0, 1.0));
    let report = scene.check(&along, &ignoring);
    assert_eq!((report.answer, report.checked_from), (Answer::Contact, None));
    assert!(report.legs.iter().all(|leg| leg.answer == Answer::LetPass));
}

/// Chords were asked about as if the part stayed rigid.
#[test]
fn a_part_that_shrinks_by_chords_comes_apart_sooner() {
    // A rod across a ring of walls: turned rigidly by nearly half a circle it stays in them, by chords it shrinks to nothing.
    let wall = |x: f64| moved(boxed(DVec3::new(0.2, 4.0, 4.0)), DVec3::X * x);
    let rod = boxed(DVec3::new(2.0, 2.0, 0.1));
    let scene = Scene::new(&rod, joined(&[wall(-1.05), wall(1.05)]), 48);
    let turned = Pose { rotation: DQuat::from_rotation_z(3.0), ..Pose::IDENTITY };
    let back = Pose { position: DVec3::Z * 5.0, ..turned };
    let path = [Pose::IDENTITY, turned, back];
    let with = |motion: MotionKind| {
        let options = PathOptions { motion, ignores_start_contact: true, ..Default::default() };
        scene.check(&path, &options)
    };
    assert!(with(MotionKind::Chord).checked_from.unwrap().1 < 0.1);
    let rigid = with(MotionKind::Rigid).checked_from.unwrap();
    assert!(rigid.0 == 1 && rigid.1 > 0.3, "{rigid:?}");
    // And in contact again at the end of the turn.
    assert_eq!(with(MotionKind::Chord).first_contact.unwrap().leg, 0);
}

/// What nobody waited for was called free.
#[test]
fn a_cancelled_check_is_undecided() {
    let scene = Scene::new(&boxed(DVec3::ONE), boxed(DVec3::ONE), 32);
    let fixed = FixedPart::new(&scene.mesh, &scene.field).unwrap();
    let cancel = AtomicBool::new(true);
    for ignores_start_contact in [false, true] {
        let options = PathOptions { ignores_start_contact, ..Default::default() };
        let checker = PathChecker::new(&scene.moving, &fixed, &options).until(&cancel);
        for path in [straight(DVec3::X * 3.0, DVec3::X * 2.0), straight(DVec3::X * 0.9, DVec3::X * 2.0)] {
            let report = checker.check(&path);
            let expected = if path[0].position.x > 1.0 || ignores_start_contact {
                assert_eq!(report.undecided.unwrap().1.reason, Reason::Cancelled);
                Answer::Undecided
            } else {
                Answer::Contact
            };
            assert_eq!(report.answer, expected);
        }
        let motion = checker.motion(Pose::at(DVec3::X * 3.0), Pose::at(DVec3::X * 2.0));
        assert_eq!(checker.answer(&motion), Answer::Undecided);
    }
}
