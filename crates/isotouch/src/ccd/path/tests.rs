//! What the search rests on; whole paths are tested from outside.

use glam::{DQuat, DVec3};
use proptest::prelude::*;

use super::*;
use crate::field::{Field, FieldOptions};
use crate::mesh::shapes;

/// The least distance of any two triangles, one by one.
fn brute_force(moving: &MovingPart, fixed: &FixedPart<'_>, pose: &Pose) -> f64 {
    let mut least = f64::INFINITY;
    for patch in &moving.patches {
        let placed = patch.corners.map(|corner| pose.place(corner));
        for t in 0..fixed.mesh.triangles().len() {
            let other = fixed.mesh.corners(t);
            least = least.min(crate::mesh::triangle_pair::closest_between(&placed, &other).squared);
        }
    }
    least.sqrt()
}

fn pose() -> impl Strategy<Value = Pose> {
    let vector = |size: f64| prop::array::uniform3(-size..size).prop_map(DVec3::from_array);
    (vector(3.0), vector(1.0), -3.2..3.2f64).prop_map(|(position, axis, angle)| Pose {
        position,
        rotation: DQuat::from_axis_angle(axis.try_normalize().unwrap_or(DVec3::X), angle),
    })
}

#[test]
fn distance_at_a_pose_is_that_of_all_pairs() {
    let (ball, ring) = (shapes::sphere(0.6, 80).unwrap(), shapes::by_name("bowl").unwrap());
    let field = Field::from_mesh(&ring, &FieldOptions { resolution: 32, ..Default::default() }).unwrap();
    let (moving, fixed) =
        (MovingPart::new(&ball, DVec3::new(0.1, 0.0, 0.2)).unwrap(), FixedPart::new(&ring, &field).unwrap());
    let checker = PathChecker::new(&moving, &fixed, &PathOptions::default());
    proptest!(ProptestConfig::with_cases(8), |(pose in pose())| {
        let expected = brute_force(&moving, &fixed, &pose);
        let found = checker.distance_at(&pose, f64::INFINITY).unwrap();
        prop_assert!((found - expected).abs() < 1e-12, "{} {}", found, expected);
        prop_assert_eq!(checker.distance_at(&pose, 0.5 * expected), None.filter(|_| expected > 0.0));
    });
}
