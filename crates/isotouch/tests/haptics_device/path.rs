use isotouch::haptics::device::{Path, PathError};
use isotouch::math::{DQuat, DVec3, Pose, Twist};

#[test]
fn poses_are_joined_by_even_motion() {
    let turned = Pose { position: DVec3::new(2.0, 0.0, 4.0), rotation: DQuat::from_rotation_y(3.0) };
    let path = Path::new(vec![(1.0, Pose::IDENTITY), (3.0, turned)]).unwrap();
    let (middle, twist) = path.at(2.0);
    assert!((middle.position - DVec3::new(1.0, 0.0, 2.0)).length() < 1e-14);
    assert!(middle.rotation.angle_between(DQuat::from_rotation_y(1.5)) < 1e-7);
    assert!((twist.linear - DVec3::new(1.0, 0.0, 2.0)).length() < 1e-14);
    assert!((twist.angular - DVec3::Y * 1.5).length() < 1e-12);
    assert_eq!(path.at(0.0), (Pose::IDENTITY, Twist::ZERO));
    assert_eq!(path.at(3.0), (turned, Twist::ZERO));
    assert_eq!(path.at(99.0), (turned, Twist::ZERO));
    assert_eq!(path.span(), (1.0, 3.0));
}

/// The twist is the derivative of the pose, by differences.
#[test]
fn the_motion_is_the_derivative_of_the_pose() {
    let a = Pose {
        position: DVec3::new(0.1, 0.2, 0.3),
        rotation: DQuat::from_xyzw(0.1, -0.7, 0.5, 0.5).normalize(),
    };
    let b = Pose {
        position: DVec3::new(-0.4, 0.0, 0.9),
        rotation: DQuat::from_xyzw(-0.6, 0.1, 0.2, -0.77).normalize(),
    };
    let path = Path::new(vec![(0.0, a), (0.7, b)]).unwrap();
    let e = 1e-5;
    for t in [0.1, 0.35, 0.69] {
        let ((before, _), (_, twist), (after, _)) = (path.at(t - e), path.at(t), path.at(t + e));
        let linear = (after.position - before.position) / (2.0 * e);
        let turn = after.rotation * before.rotation.conjugate();
        let angular = turn.xyz() * turn.w.signum() / e;
        assert!((linear - twist.linear).length() < 1e-9);
        assert!((angular - twist.angular).length() < 1e-6 * angular.length());
    }
    let (end, _) = path.at(0.7 - 1e-12);
    assert!(end.rotation.dot(b.rotation).abs() > 1.0 - 1e-12, "the shorter way, and it ends there");
}

#[test]
fn what_is_no_path_is_refused_by_its_pose() {
    let at = |times: &[f64]| Path::new(times.iter().map(|&t| (t, Pose::IDENTITY)).collect());
    assert_eq!(at(&[]), Err(PathError::Empty));
    assert_eq!(at(&[0.0, 1.0, 1.0]), Err(PathError::Time { index: 2 }));
    assert_eq!(at(&[0.0, f64::NAN]), Err(PathError::Time { index: 1 }));
    let bad = Pose { position: DVec3::ZERO, rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0) };
    assert_eq!(Path::new(vec![(0.0, Pose::IDENTITY), (1.0, bad)]), Err(PathError::Pose { index: 1 }));
}
