//! Answers against sampled poses, known clearances, and times of contact.

use std::sync::LazyLock;

use isotouch::ccd::path::{Answer, ContactKind, FixedPart, PathChecker, PathOptions};
use isotouch::math::{DQuat, DVec3, Motion, MotionKind, Pose};
use isotouch::mesh::shapes;
use proptest::prelude::*;

use super::oracle::meshes::joined;
use super::{Scene, boxed, straight};

fn pose() -> impl Strategy<Value = Pose> {
    let vector = |size: f64| prop::array::uniform3(-size..size).prop_map(DVec3::from_array);
    (vector(2.5), vector(1.0), -3.2..3.2f64).prop_map(|(position, axis, angle)| Pose {
        position,
        rotation: DQuat::from_axis_angle(axis.try_normalize().unwrap_or(DVec3::X), angle),
    })
}

static SCENES: LazyLock<Vec<Scene>> = LazyLock::new(|| {
    let named = |name| shapes::by_name(name).unwrap();
    vec![
        Scene::new(&boxed(DVec3::new(0.3, 1.5, 0.2)), named("torus"), 48),
        Scene::new(&shapes::sphere(0.4, 320).unwrap(), named("bowl"), 40),
        Scene::new(&named("torus"), boxed(DVec3::new(0.2, 0.2, 2.0)), 32),
    ]
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Against exact distances at poses in between: never free where one of them is in contact, and never a clearance that one of them does
    /// not keep; a contact shows itself at its pose.
    #[test]
    fn answers_agree_with_sampled_poses(
        scene in 0..3usize, a in pose(), b in pose(), clearance in prop_oneof![Just(0.0), 0.0..0.3f64],
        kind in prop::sample::select(MotionKind::NAMES.map(|(_, kind)| kind).to_vec()),
    ) {
        let scene = &SCENES[scene];
        let fixed = FixedPart::new(&scene.mesh, &scene.field).unwrap();
        let options = PathOptions { motion: kind, clearance, tolerance: Some(1e-3), ..Default::default() };
        let checker = PathChecker::new(&scene.moving, &fixed, &options);
        let motion = Motion::new(kind, a, b);
        let leg = checker.check_leg(&motion, 0.0);
        let samples: Vec<f64> = (0..=100).map(|k| f64::from(k) / 100.0).collect();
        let distance = |t: f64| checker.distance_along(&motion, t, f64::INFINITY).unwrap();
        let distances: Vec<f64> = samples.iter().map(|&t| distance(t)).collect();
        let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
        match leg.answer {
            Answer::Free => {
                prop_assert!(least > clearance, "{least}");
                prop_assert!(leg.clearance <= least && leg.clearance >= clearance);
                // Nine tenths of what it could be, as the nearest that was found tells.
                let nearest = leg.nearest.unwrap().distance;
                prop_assert!(leg.clearance - clearance >= 0.899 * (nearest - clearance));
                prop_assert!(leg.stretches.is_empty() && leg.contact.is_none());
            }
            Answer::Contact => {
                let (near, pose) = leg.contact.unwrap();
                prop_assert!(near.distance <= clearance);
                prop_assert!(distance(near.t) <= clearance);
                // By chords the pose is that of the rigid motion.
                prop_assert!(kind == MotionKind::Chord || checker.distance_at(&pose, f64::INFINITY).unwrap() <= clearance);
                // No pose before is in contact, by more than the tolerance.
                let speed = motion.speed().at(2.0);
                for (&t, &d) in samples.iter().zip(&distances) {
                    prop_assert!(t >= near.t - 1e-3 / speed.max(1e-3) || d > clearance - 1e-3, "{t} {d} {near:?}");
                }
                // Every pose in contact lies in a stretch or between two looks.
                prop_assert!(!leg.stretches.is_empty());
                prop_assert!(leg.stretches.windows(2).all(|two| two[0].end < two[1].start));
            }
            Answer::Undecided => {
                let near = leg.undecided.unwrap().near;
                prop_assert!(near.distance > clearance && near.distance < clearance + 1e-3);
            }
            Answer::LetPass => prop_assert!(false, "no contact is let pass here"),
        }
        prop_assert_eq!(checker.answer(&motion) == Answer::Contact, leg.answer == Answer::Contact);
        prop_assert!(checker.answer(&motion) != Answer::Free || least > clearance);
    }
}

/// A box slides between two walls, close to both, over a long way: a tight fit is proven in large steps.
#[test]
fn a_tight_slide_is_proven_with_its_clearance() {
    let (gap, play) = (1.0, 1e-4);
    let wall = |x: f64| boxed(DVec3::new(0.2, 4.0, 4.0)).mapped(|p| p + DVec3::new(x, 0.0, 0.0)).unwrap();
    let walls = joined(&[wall(-0.5 * gap - 0.1), wall(0.5 * gap + 0.1)]);
    let slider = boxed(DVec3::new(gap - 2.0 * play, 0.5, 0.5));
    let scene = Scene::new(&slider, walls, 64);
    let path = straight(DVec3::new(0.0, 0.0, 6.0), DVec3::new(0.0, 0.1, -6.0));
    let report = scene.check(&path, &PathOptions::default());
    assert_eq!(report.answer, Answer::Free);
    assert!(report.clearance <= play + 1e-12 && report.clearance > 0.89 * play, "{}", report.clearance);
    assert!(report.legs[0].looks < 20_000, "{}", report.legs[0].looks);
    // A required clearance a little above what there is: contact; a little below: free.
    let with = |clearance: f64| scene.check(&path, &PathOptions { clearance, ..Default::default() }).answer;
    assert_eq!((with(1.1 * play), with(0.8 * play)), (Answer::Contact, Answer::Free));
    // Too close to call for a tolerance above it.
    let coarse = PathOptions { tolerance: Some(1e-3), ..Default::default() };
    assert_eq!(scene.check(&path, &coarse).answer, Answer::Undecided);
}

#[test]
fn first_contact_is_when_a_box_reaches_a_wall() {
    let scene = Scene::new(&boxed(DVec3::ONE), boxed(DVec3::new(4.0, 4.0, 0.5)), 48);
    // The lower face is at z − 0.5, the wall's upper one at 0.25: contact at z = 0.75, after 4.25 of 6.
    let report = scene.check(&straight(DVec3::Z * 5.0, DVec3::Z * -1.0), &PathOptions::default());
    let contact = report.first_contact.unwrap();
    assert_eq!((report.answer, contact.kind, contact.leg), (Answer::Contact, ContactKind::Surface, 0));
    assert!((contact.t - 4.25 / 6.0).abs() < 1e-4 && contact.t >= 4.25 / 6.0 - 1e-9, "{}", contact.t);
    assert!((contact.point.z - 0.25).abs() < 1e-3);
    assert_eq!(report.clearance, 0.0);
    // In two legs it is in the one where it belongs.
    let path = [Pose::at(DVec3::Z * 5.0), Pose::at(DVec3::Z * 2.0), Pose::at(DVec3::Z * -1.0)];
    let report = scene.check(&path, &PathOptions::default());
    assert_eq!(report.legs.iter().map(|leg| leg.answer).collect::<Vec<_>>(), [Answer::Free, Answer::Contact]);
    assert_eq!(report.first_contact.unwrap().leg, 1);
    assert!((report.legs[0].clearance - 1.25 * 0.9).abs() < 0.2);
}

/// In and out of contact: every stretch is told.
#[test]
fn all_stretches_are_told() {
    let wall = |x: f64| boxed(DVec3::new(0.2, 2.0, 2.0)).mapped(|p| p + DVec3::new(x, 0.0, 0.0)).unwrap();
    let scene = Scene::new(&boxed(DVec3::splat(0.2)), joined(&[wall(-1.0), wall(1.0)]), 48);
    let report = scene.check(&straight(DVec3::X * -3.0, DVec3::X * 3.0), &PathOptions::default());
    let stretches = &report.legs[0].stretches;
    // The box is 0.2 wide and so are the walls: contact from −1.2 to −0.8 and from 0.8 to 1.2.
    assert_eq!(stretches.len(), 2, "{stretches:?}");
    for (stretch, middle) in stretches.iter().zip([-1.0, 1.0]) {
        let at = |t: f64| -3.0 + 6.0 * t;
        assert!((at(stretch.start) - (middle - 0.2)).abs() < 0.02, "{stretch:?}");
        assert!((at(stretch.end) - (middle + 0.2)).abs() < 0.02, "{stretch:?}");
    }
}

/// What cannot be computed is not called free; and what is undecided has no clearance.
#[test]
fn nothing_is_proven_by_numbers_that_are_none() {
    let scene = Scene::new(&boxed(DVec3::ONE), boxed(DVec3::splat(4.0)), 32);
    let turned = Pose { position: DVec3::X * 1e300, rotation: DQuat::from_rotation_z(0.002) };
    let path = [Pose::at(DVec3::X * -1e300), turned];
    let screw = PathOptions { motion: MotionKind::Screw, ..Default::default() };
    assert_ne!(scene.check(&path, &screw).answer, Answer::Free);
    let close = straight(DVec3::Z * 4.0, DVec3::Z * 2.999_999_9);
    let report = scene.check(&close, &PathOptions { clearance: 0.5, ..Default::default() });
    // The last pose is nearer than that, by less than the tolerance.
    assert_eq!(report.answer, Answer::Contact);
    let near = straight(DVec3::Z * 4.0, DVec3::Z * 3.000_000_1);
    let report = scene.check(&near, &PathOptions { clearance: 0.5, ..Default::default() });
    assert_eq!((report.answer, report.clearance), (Answer::Undecided, 0.0));
    let one = scene.check(&[Pose::at(DVec3::Z * 4.0)], &PathOptions::default());
    assert!(one.answer == Answer::Free && one.clearance <= 1.5 && one.clearance > 1.3, "{}", one.clearance);
}

/// However fast: a rod through wires that are far thinner than its step.
#[test]
fn a_rod_is_caught_by_thin_wires_at_any_speed() {
    let wire = shapes::cuboid(DVec3::new(0.01, 3.0, 0.01)).unwrap();
    let scene = Scene::new(&shapes::cuboid(DVec3::new(0.4, 0.05, 0.05)).unwrap(), wire, 200);
    for way in [0.1, 1.0, 10.0, 1e3, 1e6] {
        let path = straight(DVec3::new(0.0, 0.0, -way), DVec3::new(0.0, 0.0, 1.3 * way));
        let report = scene.check(&path, &PathOptions::default());
        assert_eq!(report.answer, Answer::Contact, "{way}");
        let contact = report.first_contact.unwrap();
        assert!((contact.pose.position.z + 0.03).abs() < 1e-4 + 1e-12 * way, "{way}: {contact:?}");
    }
    let aside = straight(DVec3::new(0.21, 0.0, -5.0), DVec3::new(0.21, 0.0, 5.0));
    assert_eq!(scene.check(&aside, &PathOptions::default()).answer, Answer::Free);
}

/// The way out of the puzzle keeps the room that it promises, and there is no straight one.
#[test]
fn two_alpha_tubes_come_apart_along_their_path_only() {
    let tube = shapes::alpha_tube(shapes::AlphaOptions::default()).unwrap();
    let path = shapes::alpha_path();
    assert_eq!(path.len(), 11);
    let scene = Scene::new(&tube, tube.clone(), 256);
    let room = 0.02;
    assert!(room > 4.0 * scene.field.grid().cell);
    let report = scene.check(&path, &PathOptions { clearance: room, ..Default::default() });
    assert_eq!(report.answer, Answer::Free, "{:?}", report.first_contact);
    // Linked at first, apart at last: there, any way out is free; here, none.
    let fixed = FixedPart::new(&scene.mesh, &scene.field).unwrap();
    let checker = PathChecker::new(&scene.moving, &fixed, &PathOptions::default());
    let straight = |from: Pose, direction: DVec3| {
        let to = Pose { position: from.position + 4.0 * direction, ..from };
        checker.answer(&checker.motion(from, to))
    };
    let [first, last] = [path[0], path[10]];
    for k in 0..60 {
        // Evenly over the sphere, along a spiral.
        let z = 1.0 - (2.0 * f64::from(k) + 1.0) / 60.0;
        let (sin, cos) = (2.4 * f64::from(k)).sin_cos();
        let direction = DVec3::new((1.0 - z * z).sqrt() * cos, (1.0 - z * z).sqrt() * sin, z);
        assert_eq!(straight(first, direction), Answer::Contact, "{direction}");
        if direction.x > 0.0 {
            assert_eq!(straight(last, direction), Answer::Free, "{direction}");
        }
    }
    // From pose to pose without those between, it is stuck too.
    assert_eq!(checker.answer(&checker.motion(first, last)), Answer::Contact);
}

#[test]
fn parts_far_apart_are_free_at_once() {
    let scene = &SCENES[0];
    let far = straight(DVec3::new(1e6, 0.0, 0.0), DVec3::new(1e6, 10.0, 0.0));
    let report = scene.check(&far, &PathOptions::default());
    assert_eq!(report.answer, Answer::Free);
    assert!(report.clearance > 0.89e6 && report.legs[0].looks < 10);
}

/// The same whatever the number of threads.
#[test]
fn threads_change_nothing() {
    let path: Vec<Pose> = (0..40)
        .map(|k| Pose {
            position: DVec3::new(-2.0 + 0.1 * f64::from(k), 0.2, 0.1),
            rotation: DQuat::from_rotation_y(0.2 * f64::from(k)),
        })
        .collect();
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| SCENES[0].check(&path, &PathOptions::default()))
    };
    assert_eq!(with(1), with(2));
}
