use std::f64::consts::PI;

use glam::{DMat4, DQuat, DVec3};
use proptest::prelude::*;

use super::{Motion, MotionKind, PerRadius};
use crate::math::Pose;

fn vector(size: f64) -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-size..size).prop_map(DVec3::from_array)
}

fn pose() -> impl Strategy<Value = Pose> {
    // Half of them turned by next to nothing or nearly half a turn.
    let angle = prop_oneof![-3.2..3.2f64, -1e-9..1e-9f64, PI - 1e-6..PI + 1e-6, Just(0.0)];
    (vector(3.0), vector(1.0), angle).prop_map(|(position, axis, angle)| {
        let axis = axis.try_normalize().unwrap_or(DVec3::X);
        Pose { position, rotation: DQuat::from_axis_angle(axis, angle) }
    })
}

fn kind() -> impl Strategy<Value = MotionKind> {
    prop::sample::select(MotionKind::NAMES.map(|(_, kind)| kind).to_vec())
}

fn motion() -> impl Strategy<Value = Motion> {
    (kind(), pose(), pose(), prop::option::of((pose(), pose()))).prop_map(|(kind, from, to, frame)| {
        let motion = Motion::new(kind, from, to);
        frame.map_or(motion, |(a, b)| motion.seen_from(a, b))
    })
}

proptest! {
    #[test]
    fn begins_and_ends_at_its_poses(kind in kind(), a in pose(), b in pose(), p in vector(2.0)) {
        let motion = Motion::new(kind, a, b);
        prop_assert!(motion.place(0.0, p).distance(a.place(p)) < 1e-12);
        prop_assert!(motion.place(1.0, p).distance(b.place(p)) < 1e-12);
        // And comes there without a jump.
        prop_assert!(motion.place(1e-12, p).distance(a.place(p)) < 1e-10);
        prop_assert!(motion.place(1.0 - 1e-12, p).distance(b.place(p)) < 1e-10);
    }

    /// Measured by differences along the path: what is promised is never exceeded.
    #[test]
    fn no_point_is_faster_or_more_crooked_than_said(motion in motion(), p in vector(2.0)) {
        let (speed, acceleration) = (motion.speed().at(p.length()), motion.acceleration().at(p.length()));
        let steps = 64;
        let at = |k: i32| motion.place(f64::from(k) / f64::from(steps), p);
        let dt = 1.0 / f64::from(steps);
        for k in 0..steps {
            prop_assert!(at(k).distance(at(k + 1)) <= speed * dt + 1e-12);
        }
        // A chord over 8 steps, its path within the sagitta at the same times.
        for k in (0..steps - 8).step_by(4) {
            let sagitta = acceleration * (8.0 * dt) * (8.0 * dt) / 8.0;
            for j in 1..8 {
                let s = f64::from(j) / 8.0;
                let chord = at(k) * (1.0 - s) + at(k + 8) * s;
                prop_assert!(chord.distance(at(k + j)) <= sagitta + 1e-12);
            }
        }
    }

    /// The same by the distance from the axis through any point of the body.
    #[test]
    fn bounds_hold_by_the_distance_from_an_axis(kind in kind(), a in pose(), b in pose(), p in vector(2.0), m in vector(2.0)) {
        let motion = Motion::new(kind, a, b);
        let (about, point) = motion.about(m);
        let radius = about.axis_in_body().unwrap().cross(p - point).length();
        let (speed, acceleration) = (about.speed().at(radius), about.acceleration().at(radius));
        let at = |k: u32| motion.place(f64::from(k) / 64.0, p);
        for k in 0..64 {
            prop_assert!(at(k).distance(at(k + 1)) <= speed / 64.0 + 1e-12);
        }
        for k in (0..56).step_by(4) {
            let chord = 0.5 * (at(k) + at(k + 8));
            prop_assert!(chord.distance(at(k + 4)) <= acceleration / 512.0 + 1e-12);
        }
    }

    /// Multiplied out with matrices, which know nothing of poses.
    #[test]
    fn seen_from_a_moving_frame_is_the_relative_motion(a in pose(), b in pose(), f in pose(), g in pose(), p in vector(2.0)) {
        let seen = Motion::new(MotionKind::Rigid, a, b).seen_from(f, g);
        let (body, frame) = (Motion::new(MotionKind::Rigid, a, b), Motion::new(MotionKind::Rigid, f, g));
        for t in [0.0, 0.3, 0.77, 1.0] {
            let matrix = |pose: Pose| DMat4::from_rotation_translation(pose.rotation, pose.position);
            let expected = (matrix(frame.pose(t)).inverse() * matrix(body.pose(t))).transform_point3(p);
            prop_assert!(seen.place(t, p).distance(expected) < 1e-11);
            prop_assert!(seen.pose(t).place(p).distance(expected) < 1e-11);
        }
    }

    /// A screw's points keep their distance from one line and go along it evenly.
    #[test]
    fn a_screw_turns_about_one_axis(a in pose(), b in pose(), p in vector(2.0)) {
        let turn = b.rotation * a.rotation.conjugate();
        prop_assume!(turn.xyz().length() > 1e-3);
        let axis = turn.xyz().normalize_or_zero();
        let motion = Motion::new(MotionKind::Screw, a, b);
        let at = |k: u32| motion.place(f64::from(k) / 8.0, p);
        let along = |q: DVec3| q.dot(axis);
        let step = along(at(1)) - along(at(0));
        for k in 0..8 {
            prop_assert!((along(at(k + 1)) - along(at(k)) - step).abs() < 1e-10);
        }
        // Even steps on a circle are equally long.
        let flat = |q: DVec3| q - axis * along(q);
        let chord = flat(at(0)).distance(flat(at(1)));
        for k in 0..8 {
            prop_assert!((flat(at(k)).distance(flat(at(k + 1))) - chord).abs() < 1e-10);
        }
    }
}

#[test]
fn a_turn_goes_the_shorter_way() {
    let turned = |angle: f64| Pose { position: DVec3::ZERO, rotation: DQuat::from_rotation_z(angle) };
    let motion = Motion::new(MotionKind::Rigid, turned(0.0), turned(1.5 * PI));
    assert!((motion.angle() - 0.5 * PI).abs() < 1e-12);
    let halfway = motion.place(0.5, DVec3::X);
    assert!(halfway.distance(DVec3::new(0.5f64.sqrt(), -(0.5f64.sqrt()), 0.0)) < 1e-12);
}

#[test]
fn known_bounds_are_met() {
    let there = Pose { position: DVec3::new(3.0, 4.0, 0.0), rotation: DQuat::from_rotation_z(2.0) };
    let rigid = Motion::new(MotionKind::Rigid, Pose::IDENTITY, there);
    let near = |a: PerRadius, fixed: f64, per_radius: f64| {
        (a.fixed - fixed).abs() < 1e-12 && (a.per_radius - per_radius).abs() < 1e-12
    };
    assert!(near(rigid.speed(), 5.0, 2.0));
    assert!(near(rigid.acceleration(), 0.0, 4.0));
    let chord = Motion::new(MotionKind::Chord, Pose::IDENTITY, there);
    assert!(near(chord.speed(), 5.0, 2.0 * 1f64.sin()));
    assert!(near(chord.acceleration(), 0.0, 0.0));
    // Radius of the screw: 5 / (2·sin 1).
    let radius = 2.5 / 1f64.sin();
    let screw = Motion::new(MotionKind::Screw, Pose::IDENTITY, there);
    assert!(near(screw.speed(), 2.0 * radius, 2.0));
    assert!(near(screw.acceleration(), 4.0 * radius, 4.0));
}
