//! Answers judged by code that shares nothing with what is judged: every pair of triangles, at poses from the textbook, for all motions, and
//! fixed meshes that are sound, crossed, wound inward, flipped in part, or open, with every sign method that takes them.

use isotouch::ccd::path::{Answer, FixedPart, MovingPart, PathChecker, PathOptions};
use isotouch::field::{Field, FieldOptions, SignMethod};
use isotouch::math::{DQuat, DVec3, Motion, MotionKind, Pose};
use isotouch::mesh::shapes::TorusOptions;
use isotouch::mesh::{TriMesh, shapes};

use super::oracle::meshes::{joined, moved, with_flipped, without};
use super::oracle::motion::placement;
use super::oracle::random::Random;
use super::oracle::triangles::between_all;
use super::{boxed, fine_box};

fn triangles(mesh: &TriMesh) -> Vec<[DVec3; 3]> {
    (0..mesh.triangles().len()).map(|t| mesh.corners(t)).collect()
}

fn pose(random: &mut Random) -> Pose {
    let axis = random.in_cube().try_normalize().unwrap_or(DVec3::X);
    Pose {
        position: 1.7 * random.in_cube(),
        rotation: DQuat::from_axis_angle(axis, 6.4 * random.unit() - 3.2),
    }
}

/// Fixed meshes, and the methods that give them a sign.
fn fixed_meshes() -> Vec<(&'static str, TriMesh, Vec<SignMethod>)> {
    use SignMethod::{Auto, FaceNormal, Oriented, Pseudonormal, Soup, Winding};
    let cube = || fine_box(DVec3::splat(1.0), 1);
    let bar = || moved(fine_box(DVec3::new(2.0, 0.3, 0.3), 2), DVec3::new(0.4, 0.1, 0.0));
    let ring = shapes::torus(TorusOptions {
        major_radius: 0.7,
        minor_radius: 0.25,
        major_segments: 16,
        minor_segments: 10,
    })
    .unwrap();
    let lid: Vec<usize> =
        (0..12).filter(|&t| boxed(DVec3::ONE).corners(t).iter().all(|v| v.z > 0.0)).collect();
    let beside = || moved(boxed(DVec3::splat(0.5)), DVec3::X * 1.2);
    vec![
        ("a ring", ring, vec![Auto, Pseudonormal, Winding, Soup, Oriented]),
        ("crossed", joined(&[cube(), bar()]), vec![Auto, Winding, Soup]),
        ("crossed by what is wound inward", joined(&[cube(), bar().flipped()]), vec![Auto, Winding, Soup]),
        ("one of two wound inward", joined(&[cube(), beside().flipped()]), vec![Auto, Winding, Soup]),
        ("flipped in part", with_flipped(&boxed(DVec3::ONE), &[0, 1]), vec![Auto, Soup]),
        ("open", without(&boxed(DVec3::ONE), &lid), vec![Auto, Winding, Soup, Oriented, FaceNormal]),
        ("open beside closed", joined(&[without(&boxed(DVec3::ONE), &lid), beside()]), vec![Auto, Oriented]),
    ]
}

/// What came out of judging some legs.
#[derive(Default)]
struct Judged {
    free: u32,
    contacts: u32,
}

/// Never free where the triangles of the two come nearer at some time, never a clearance that is not kept, and a contact is one.
fn judge(part: &TriMesh, (name, mesh, sign): (&str, &TriMesh, SignMethod), legs: &[[Pose; 2]]) -> Judged {
    let moving = MovingPart::new(part, DVec3::ZERO).unwrap();
    let (of_part, of_mesh) = (triangles(part), triangles(mesh));
    let field = Field::from_mesh(mesh, &FieldOptions { resolution: 24, sign, ..Default::default() }).unwrap();
    let fixed = FixedPart::new(mesh, &field).unwrap();
    let caps: Vec<[DVec3; 3]> = field.caps().collect();
    let mut judged = Judged::default();
    for (ends, (word, kind)) in legs.iter().zip(MotionKind::NAMES.into_iter().cycle()) {
        let options = PathOptions { motion: kind, tolerance: Some(1e-3), ..Default::default() };
        let checker = PathChecker::new(&moving, &fixed, &options);
        let leg = checker.check_leg(&Motion::new(kind, ends[0], ends[1]), 0.0);
        let distance_to = |t: f64, others: &[[DVec3; 3]]| {
            let (turn, shift) = placement(kind, &ends[0], &ends[1], t);
            let placed: Vec<[DVec3; 3]> = of_part.iter().map(|of| of.map(|p| turn * p + shift)).collect();
            between_all(&placed, others)
        };
        let case = || format!("{name}, {sign}, {word}, {ends:?}");
        let times = || (0..=40).map(|k| f64::from(k) / 40.0);
        match leg.answer {
            Answer::Free => {
                judged.free += 1;
                let least = times().map(|t| distance_to(t, &of_mesh)).fold(f64::INFINITY, f64::min);
                let is_kept = least > 0.0 && least >= leg.clearance - 1e-7;
                assert!(is_kept, "{least} {}: {}", leg.clearance, case());
            }
            Answer::Contact => {
                judged.contacts += 1;
                let (near, _) = leg.contact.unwrap();
                let others = if near.is_cap { &caps } else { &of_mesh };
                assert!(distance_to(near.t, others) < 1e-7, "{near:?}: {}", case());
                // Not later than the first time that shows one.
                let first = times().find(|&t| distance_to(t, &of_mesh) == 0.0);
                assert!(first.is_none_or(|first| near.t <= first + 1e-3), "{near:?} {first:?}: {}", case());
            }
            Answer::Undecided => {
                let near = leg.undecided.unwrap().near;
                assert!(near.distance < 1e-3, "{near:?}: {}", case());
            }
            Answer::LetPass => panic!("no contact is let pass here: {}", case()),
        }
    }
    judged
}

#[test]
fn answers_hold_for_all_pairs_of_triangles() {
    let rod = moved(boxed(DVec3::new(0.3, 1.1, 0.2)), DVec3::new(0.1, 0.1, -0.1));
    let mut random = Random(5);
    let mut all = Judged::default();
    for (name, mesh, signs) in fixed_meshes() {
        for sign in signs {
            let legs: Vec<[Pose; 2]> = (0..24).map(|_| [pose(&mut random), pose(&mut random)]).collect();
            let Judged { free, contacts } = judge(&rod, (name, &mesh, sign), &legs);
            all = Judged { free: all.free + free, contacts: all.contacts + contacts };
        }
    }
    assert!(all.free > 50 && all.contacts > 50, "{} {}", all.free, all.contacts);
}

/// Parts of many triangles that come deep into each other, so that a look at both halfway tells of a contact that need not be the first; and
/// fields that leave out triangles, so that whole spheres are compared with the mesh.
#[test]
fn answers_hold_where_hundreds_of_triangles_are_in_doubt() {
    let rod = moved(fine_box(DVec3::new(0.3, 1.1, 0.2), 3), DVec3::new(0.1, 0.1, -0.1));
    assert!(rod.triangles().len() > 512);
    let mut random = Random(8);
    let mut all = Judged::default();
    for (name, mesh, _) in fixed_meshes().into_iter().take(2) {
        let outside = |pose: Pose| Pose { position: 1.6 * pose.position.normalize_or(DVec3::X), ..pose };
        // From outside through the middle, or past it.
        let mut leg = |k: usize| {
            let (from, to) = (outside(pose(&mut random)), pose(&mut random));
            [from, if k.is_multiple_of(2) { to } else { Pose { position: -from.position, ..to } }]
        };
        let legs: Vec<[Pose; 2]> = (0..12).map(&mut leg).collect();
        let Judged { free, contacts } = judge(&rod, (name, &mesh, SignMethod::Auto), &legs);
        all = Judged { free: all.free + free, contacts: all.contacts + contacts };
    }
    assert!(all.contacts > 12, "{} {}", all.free, all.contacts);
}

/// Distances along chords were those of the rigid motion.
#[test]
fn distances_along_a_motion_are_those_of_its_points() {
    let (rod, ring) = (boxed(DVec3::new(0.3, 1.1, 0.2)), shapes::sphere(0.5, 80).unwrap());
    let field = Field::from_mesh(&ring, &FieldOptions { resolution: 16, ..Default::default() }).unwrap();
    let (moving, fixed) =
        (MovingPart::new(&rod, DVec3::ZERO).unwrap(), FixedPart::new(&ring, &field).unwrap());
    let (of_rod, of_ring) = (triangles(&rod), triangles(&ring));
    let mut random = Random(6);
    for (_, kind) in MotionKind::NAMES {
        let options = PathOptions { motion: kind, ..Default::default() };
        let checker = PathChecker::new(&moving, &fixed, &options);
        for _ in 0..4 {
            let ends = [pose(&mut random), pose(&mut random)];
            let motion = checker.motion(ends[0], ends[1]);
            for t in [0.0, 0.3, 0.5, 0.9, 1.0] {
                let (turn, shift) = placement(kind, &ends[0], &ends[1], t);
                let placed: Vec<[DVec3; 3]> = of_rod.iter().map(|of| of.map(|p| turn * p + shift)).collect();
                let found = checker.distance_along(&motion, t, f64::INFINITY).unwrap();
                assert!((found - between_all(&placed, &of_ring)).abs() < 1e-7, "{kind:?} {t}");
            }
        }
    }
}
