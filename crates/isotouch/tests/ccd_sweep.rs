//! Shells moved through fields.

#![allow(clippy::unwrap_used)]

mod oracle;

use isotouch::ccd::sweep::chord_contacts;
use isotouch::ccd::{
    Ball, CastOptions, HitStatus, Neighbours, Obstacle, Plane, Segment, Sweep, SweepOptions, SweepTraversal,
    Touchable, Traversal, Vicinity,
};
use isotouch::field::{Field, FieldOptions, SignMethod, StorageKind};
use isotouch::math::{Aabb, DQuat, DVec3, Motion, MotionKind, Pose};
use isotouch::mesh::{TriMesh, shapes};
use isotouch::shell::{PointShell, Sampling, ShellOptions};
use proptest::prelude::*;
use std::sync::LazyLock;

fn shell(name: &str, points: usize) -> PointShell {
    let mesh = shapes::by_name(name).unwrap();
    let options = ShellOptions { sampling: Sampling::Points(points), ..Default::default() };
    PointShell::from_mesh(&mesh, &options).unwrap()
}

fn field(name: &str, resolution: u32, storage: StorageKind) -> Field {
    let mesh = shapes::by_name(name).unwrap();
    Field::from_mesh(&mesh, &FieldOptions { resolution, storage, ..Default::default() }).unwrap()
}

static SHELLS: LazyLock<Vec<PointShell>> = LazyLock::new(|| {
    [("torus-knot", 1500), ("box", 300), ("bowl", 5)].map(|(name, n)| shell(name, n)).into()
});
static FIELDS: LazyLock<Vec<Field>> = LazyLock::new(|| {
    let ground = |p: DVec3| p.y + 0.1 * (3.0 * p.x).sin();
    let around = Aabb::new(DVec3::splat(-1.5), DVec3::splat(1.5));
    vec![
        field("torus-knot", 48, StorageKind::Sparse),
        field("bowl", 40, StorageKind::Dense),
        field("box", 64, StorageKind::Sparse),
        Field::from_function(ground, around, 1.05, &FieldOptions { resolution: 32, ..Default::default() })
            .unwrap(),
    ]
});

static FINE_SHELL: LazyLock<PointShell> = LazyLock::new(|| shell("torus-knot", 6000));
static FINE_FIELDS: LazyLock<[Field; 2]> =
    LazyLock::new(|| [field("torus-knot", 160, StorageKind::Sparse), field("blob", 160, StorageKind::Dense)]);

fn pose() -> impl Strategy<Value = Pose> {
    let vector = |size: f64| prop::array::uniform3(-size..size).prop_map(DVec3::from_array);
    (vector(3.0), vector(1.0), -3.2..3.2f64).prop_map(|(position, axis, angle)| Pose {
        position,
        rotation: DQuat::from_axis_angle(axis.try_normalize().unwrap_or(DVec3::X), angle),
    })
}

fn motion() -> impl Strategy<Value = Motion> {
    let kind = prop::sample::select(MotionKind::NAMES.map(|(_, kind)| kind).to_vec());
    // Half of them small, so that many spheres stay near the surface.
    let ends = (pose(), pose(), prop_oneof![Just(1.0), 0.0..0.1f64]).prop_map(|(a, b, part)| {
        let to = Motion::new(MotionKind::Rigid, a, b).pose(part);
        (a, to)
    });
    (kind, ends, prop::option::of((pose(), pose()))).prop_map(|(kind, (a, b), frame)| {
        let motion = Motion::new(kind, a, b);
        frame.map_or(motion, |(a, b)| motion.seen_from(a, b))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn tree_and_every_point_give_the_same_answers(
        shell in 0..3usize, field in 0..4usize, motion in motion(), iso in prop_oneof![Just(0.0), -0.05..0.3f64],
    ) {
        let (shell, field) = (&SHELLS[shell], &FIELDS[field]);
        let by = |traversal| SweepOptions { iso, traversal, tolerance: Some(0.02), ..Default::default() };
        let tree = Sweep::new(shell, field, &by(SweepTraversal::Tree));
        let linear = Sweep::new(shell, field, &by(SweepTraversal::Linear));
        let (a, b) = (tree.first_contact(&motion), linear.first_contact(&motion));
        prop_assert_eq!(a.contact, b.contact);
        prop_assert_eq!(a.effort.pieces, b.effort.pieces);
        prop_assert!(a.effort.is_complete && b.effort.is_complete);
        let (all_tree, all_linear) = (tree.contacts(&motion), linear.contacts(&motion));
        prop_assert_eq!(&all_tree.points, &all_linear.points);
        // The first of all is the first.
        let first = all_tree.points.iter().map(|of| (of.intervals[0].start, of.point)).min_by(|a, b| a.partial_cmp(b).unwrap());
        prop_assert_eq!(first.map(|(t, point)| (t.to_bits(), point)), a.contact.map(|c| (c.hit.t.to_bits(), c.point)));
        prop_assert_eq!(tree.touches(&motion), first.is_some());
    }

    /// Points of a leaf are asked together and leap, also within the solid; against every point alone, cell after cell. Shell and field are so fine
    /// that most points are told by their leaf when they are inside.
    #[test]
    fn all_contacts_are_those_of_points_that_walk_alone(
        field in 0..2usize, motion in motion(), iso in prop_oneof![Just(0.0), -0.05..0.1f64],
    ) {
        let (shell, field) = (&FINE_SHELL, &FINE_FIELDS[field]);
        let by = |traversal, along| SweepOptions {
            iso,
            traversal,
            tolerance: Some(0.02),
            cast: CastOptions { traversal: along, ..Default::default() },
            ..Default::default()
        };
        let tree = Sweep::new(shell, field, &by(SweepTraversal::Tree, Traversal::Leap)).contacts(&motion);
        let alone = Sweep::new(shell, field, &by(SweepTraversal::Linear, Traversal::Uniform)).contacts(&motion);
        prop_assert_eq!(tree.points, alone.points);
    }

    /// Poses in between, and the field asked at points: nothing is in contact that is not said to be, and what is said to be is within what
    /// chords may be off.
    #[test]
    fn contacts_are_those_of_sampled_poses(field in 0..3usize, motion in motion(), iso in prop_oneof![Just(0.0), 0.0..0.02f64]) {
        let (shell, field) = (&SHELLS[1], &FIELDS[field]);
        let sweep = Sweep::new(shell, field, &SweepOptions { iso, ..Default::default() });
        let all = sweep.contacts(&motion);
        // Slopes of the interpolant are at most √3.
        let off = 2.0 * 3f64.sqrt() * sweep.sagitta(&motion) + 1e-9;
        for k in 0..=200 {
            let t = f64::from(k) / 200.0;
            let place = motion.frame_from_body(t);
            for (number, &point) in (0..).zip(shell.points()) {
                let at = place.transform_point3(point);
                if !field.grid().bounds().contains(at) {
                    continue;
                }
                let value = field.distance(at).value();
                let intervals = all.points.binary_search_by_key(&number, |of| of.point).map(|k| &all.points[k].intervals);
                let is_said = intervals.is_ok_and(|of| of.iter().any(|i| i.start <= t && t <= i.end));
                if value <= iso {
                    prop_assert!(is_said, "point {number} at t = {t} is at {value}");
                } else if value > iso + off {
                    prop_assert!(!is_said, "point {number} at t = {t} is at {value}, off {off}");
                }
            }
        }
    }

    /// A motion in two halves touches when the whole does, but for what chords are off.
    #[test]
    fn halves_of_a_motion_touch_when_the_whole_does(a in pose(), b in pose(), cut in 0.2..0.8f64) {
        let (shell, field) = (&SHELLS[0], &FIELDS[0]);
        let tolerance = 1e-4;
        let sweep = Sweep::new(shell, field, &SweepOptions { tolerance: Some(tolerance), ..Default::default() });
        let later = Sweep::new(shell, field, &SweepOptions { tolerance: Some(tolerance), iso: 5e-4, ..Default::default() });
        let whole = Motion::new(MotionKind::Rigid, a, b);
        let middle = whole.pose(cut);
        let halves = [Motion::new(MotionKind::Rigid, a, middle), Motion::new(MotionKind::Rigid, middle, b)];
        let in_halves = |sweep: &Sweep<'_>| {
            let first = sweep.first_contact(&halves[0]).contact.map(|c| c.hit.t * cut);
            first.or_else(|| sweep.first_contact(&halves[1]).contact.map(|c| cut + c.hit.t * (1.0 - cut)))
        };
        let exact = sweep.first_contact(&whole).contact.map(|c| c.hit.t);
        // A solid thicker by more than all chords are off is touched no later.
        let sooner = in_halves(&later);
        if let Some(t) = exact {
            prop_assert!(sooner.is_some_and(|sooner| sooner <= t + 1e-9));
        }
        let sooner = later.first_contact(&whole).contact.map(|c| c.hit.t);
        if let Some(t) = in_halves(&sweep) {
            prop_assert!(sooner.is_some_and(|sooner| sooner <= t + 1e-9));
        }
    }

    #[test]
    fn a_budget_is_kept_and_gives_the_first_contact_of_a_level(motion in motion(), budget in 0..4000u64) {
        let (shell, field) = (&SHELLS[0], &FIELDS[1]);
        let within = Sweep::new(shell, field, &SweepOptions { budget: Some(budget), ..Default::default() });
        let found = within.first_contact(&motion);
        prop_assert!(found.effort.sphere_tests <= budget);
        prop_assert_eq!(found.effort.is_complete, found.effort.level == Some(shell.levels().len() - 1));
        // Asked point by point, with what the sweep adds for chords.
        let complete = Sweep::new(shell, field, &SweepOptions::default());
        let numbers = found.effort.level.map_or(0, |level| shell.levels()[level].points) as u32;
        let all = complete.contacts(&motion).points;
        let first = all.iter().filter(|of| of.point < numbers).map(|of| (of.intervals[0].start, of.point));
        let first = first.min_by(|a, b| a.partial_cmp(b).unwrap());
        prop_assert_eq!(found.contact.map(|c| (c.hit.t, c.point)), first);
    }
}

/// A part that slides about, mostly in small steps, as a god object does: what is carried from step to step changes no bit of any answer.
#[test]
fn neighbours_that_are_carried_along_give_the_same_answers() {
    let mut random = oracle::random::Random(17);
    let sheet = {
        let corners =
            [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, y]| DVec3::new(x, y, 0.3 * x * y));
        let mesh = TriMesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
        let options =
            FieldOptions { resolution: 24, sign: SignMethod::Oriented, padding: 0.3, ..Default::default() };
        Field::from_mesh(&mesh, &options).unwrap()
    };
    let grown = FIELDS[2].offset(0.5 * FIELDS[2].grid().cell).unwrap();
    let (mut touching, mut asked, mut searches) = (0, 0, 0);
    for field in FIELDS.iter().chain(FINE_FIELDS.iter()).chain([&sheet, &grown]) {
        for shell in &SHELLS[..2] {
            let (obstacle, cell) = (Obstacle::Field(field), field.grid().cell);
            let mut neighbours = Neighbours::default();
            // Almost in contact, from outside.
            let (far, middle) = (Pose::at(random.in_cube().normalize_or(DVec3::X) * 9.0), Pose::IDENTITY);
            let falls = Motion::new(MotionKind::Rigid, far, middle);
            let met = obstacle.first_contact(shell, &falls, 0.5 * cell, 1e-3 * cell);
            let mut at = motion_back(&far, &middle, met.map_or(1.0, |of| of.hit.t));
            for step in 0..120 {
                let way = [0.02, 0.1, 0.5, 0.1, 4.0][step % 5] * cell;
                // Towards the surface as often as along it.
                let nearest = if step % 2 == 0 { -at.position.normalize_or_zero() } else { DVec3::ZERO };
                let shift = (random.in_cube() + nearest) * way;
                let turn = DQuat::from_scaled_axis(random.in_cube() * (0.3 * way));
                let to = Pose { position: at.position + shift, rotation: (turn * at.rotation).normalize() };
                let within = [0.1, 0.5, -0.2][step % 3] * cell;
                let (mut carried, mut fresh) = (Vec::new(), Vec::new());
                neighbours.points_within((shell, &obstacle), &at.to_affine(), within, &mut carried);
                obstacle.points_within(shell, &at.to_affine(), within, &mut fresh);
                let bits = |near: &[isotouch::ccd::NearPoint]| -> Vec<_> {
                    near.iter().map(|of| (of.point, of.value.to_bits(), of.place.to_array())).collect()
                };
                assert_eq!(bits(&carried), bits(&fresh));
                let motion = if step % 3 == 0 {
                    // The field moves, and the points do not.
                    Motion::new(MotionKind::Rigid, Pose::IDENTITY, Pose::IDENTITY)
                        .seen_from(at.inverse(), to.inverse())
                } else {
                    Motion::new(MotionKind::Rigid, at, to)
                };
                let level = 0.3 * within;
                let carried = neighbours.first_contact((shell, &obstacle), &motion, level, 1e-3 * cell);
                let fresh = obstacle.first_contact(shell, &motion, level, 1e-3 * cell);
                assert_eq!(carried, fresh, "step {step} from {at:?} to {to:?}");
                touching += usize::from(fresh.is_some_and(|of| of.hit.t > 0.0));
                asked += 1;
                // Not on through: where it begins inside there is little to tell.
                at = match fresh {
                    Some(contact) if step % 7 > 0 => motion_back(&at, &to, 0.9 * contact.hit.t),
                    _ => to,
                };
            }
            searches += neighbours.searches();
        }
    }
    assert!(
        touching > 30 && searches * 2 < asked,
        "{touching} contacts, {searches} searches, {asked} motions"
    );
}

/// A part that is pressed on another and slides about on it, as in a heap, at times fast: what is carried from step to step changes no bit of any contact.
#[test]
fn contacts_with_what_is_carried_along_are_those_of_a_search() {
    let mut random = oracle::random::Random(23);
    let (mut touching, mut asked, mut searches, mut clear) = (0, 0, 0, 0);
    for field in FIELDS.iter().chain(FINE_FIELDS.iter()) {
        for shell in SHELLS.iter() {
            let (obstacle, cell) = (Obstacle::Field(field), field.grid().cell);
            let mut vicinity = Vicinity::default();
            let (far, middle) = (Pose::at(random.in_cube().normalize_or(DVec3::X) * 9.0), Pose::IDENTITY);
            let falls = Motion::new(MotionKind::Rigid, far, middle);
            let met = obstacle.first_contact(shell, &falls, 0.5 * cell, 1e-3 * cell);
            let home = motion_back(&far, &middle, met.map_or(1.0, |of| of.hit.t));
            let mut at = home;
            for step in 0..150 {
                let way = [0.02, 0.1, 0.0, 0.5, 0.1, 0.02, 5.0][step % 7] * cell;
                // Now and then far away, and back.
                let shift = random.in_cube() * way;
                let away =
                    if step % 50 == 30 { home.position.normalize_or(DVec3::X) * 3.0 } else { DVec3::ZERO };
                let start = if step % 25 == 24 { home } else { at };
                let turn = DQuat::from_scaled_axis(random.in_cube() * (0.3 * way));
                let to = Pose {
                    position: start.position + shift + away,
                    rotation: (turn * start.rotation).normalize(),
                };
                // Both move.
                let frame = Pose { position: random.in_cube(), rotation: turn };
                let motion = Motion::new(MotionKind::Chord, frame.then_from(&at), frame.then_from(&to))
                    .seen_from(frame, frame);
                let iso = [0.25, 0.25, -0.3, 0.25][step % 4] * cell;
                let is_clear = vicinity.is_clear(shell, [at, to], iso, 1e-12);
                let carried = vicinity.contacts((shell, obstacle), &motion, iso);
                let mut fresh = chord_contacts(shell, obstacle, &motion, iso);
                fresh.retain(|of| of.intervals.iter().any(|of| of.status != HitStatus::Bound));
                assert_eq!(carried, fresh, "step {step} from {at:?} to {to:?}");
                assert!(!is_clear || fresh.is_empty());
                touching += u64::from(!fresh.is_empty());
                clear += u64::from(is_clear);
                asked += 1;
                at = to;
            }
            searches += vicinity.searches();
        }
    }
    assert!(
        touching > asked / 5 && searches * 2 < asked && clear > 50,
        "{touching} in contact, {searches} searches, {clear} known to be clear, of {asked} motions"
    );
}

fn motion_back(from: &Pose, to: &Pose, t: f64) -> Pose {
    Motion::new(MotionKind::Rigid, *from, *to).pose(t)
}

#[test]
fn coarser_levels_are_asked_when_the_budget_is_small() {
    let motion = Motion::new(MotionKind::Rigid, Pose::at(DVec3::new(3.0, 0.1, 0.2)), Pose::IDENTITY);
    let asked = |budget: u64| {
        let options = SweepOptions { budget: Some(budget), ..Default::default() };
        Sweep::new(&SHELLS[0], &FIELDS[0], &options).first_contact(&motion)
    };
    assert_eq!(asked(0).effort.level, None);
    assert!(asked(0).contact.is_none() && !asked(0).effort.is_complete);
    let levels: Vec<Option<usize>> = (0..14).map(|k| asked(1 << k).effort.level).collect();
    assert!(levels.is_sorted(), "{levels:?}");
    assert_eq!(*levels.last().unwrap(), Some(SHELLS[0].levels().len() - 1));
    assert!(
        levels.iter().any(|level| level.is_some_and(|level| level + 1 < SHELLS[0].levels().len())),
        "{levels:?}"
    );
}

/// A ball that falls onto a ground given by a function: first contact at a known time, of its lowest point.
#[test]
fn a_ball_falls_on_the_ground() {
    let ball = shapes::sphere(0.5, 5120).unwrap();
    let shell =
        PointShell::from_mesh(&ball, &ShellOptions { sampling: Sampling::Vertices, ..Default::default() })
            .unwrap();
    let around = Aabb::new(DVec3::splat(-2.0), DVec3::splat(2.0));
    let ground =
        Field::from_function(|p| p.y, around, 1.0, &FieldOptions { resolution: 64, ..Default::default() })
            .unwrap();
    let falls = Motion::new(MotionKind::Rigid, Pose::at(DVec3::Y * 1.5), Pose::at(DVec3::Y * -0.5));
    let sweep = Sweep::new(&shell, &ground, &SweepOptions::default());
    let found = sweep.first_contact(&falls);
    let contact = found.contact.unwrap();
    assert!((contact.hit.t - 0.5).abs() < 0.002, "{contact:?}");
    assert_eq!(contact.hit.status, HitStatus::Crossing);
    assert!(shell.points()[contact.point as usize].y < -0.499);
    assert_eq!(contact.hit.normal, Some(DVec3::Y));
    assert!(found.effort.sphere_tests < shell.len() as u64 / 4, "{:?}", found.effort);
}

/// Outside the box a sphere counts as well: a shell that ends far outside is not lost there.
#[test]
fn a_shell_much_larger_than_the_field_is_caught() {
    let frame = shapes::sphere(10.0, 20_480).unwrap();
    let shell = PointShell::from_mesh(
        &frame,
        &ShellOptions { sampling: Sampling::Points(20_000), ..Default::default() },
    )
    .unwrap();
    let field = &FIELDS[2];
    let motion = Motion::new(MotionKind::Rigid, Pose::IDENTITY, Pose::at(DVec3::new(0.0, 12.0, 0.0)));
    let sweep = Sweep::new(&shell, field, &SweepOptions::default());
    let contact = sweep.first_contact(&motion).contact.expect("its wall comes through");
    let start = shell.points()[contact.point as usize];
    let alone =
        field.first_hit(&Segment::new(start, start + DVec3::Y * 12.0), 0.0, &CastOptions::default()).unwrap();
    assert!((alone.t - contact.hit.t).abs() < 1e-9);
}

/// Points all over a ball, as corners of triangles.
fn cloud(count: u32, radius: f64, around: DVec3) -> PointShell {
    let mut random = oracle::random::Random(3);
    let points: Vec<DVec3> = (0..3 * count).map(|_| around + radius * random.in_cube()).collect();
    let triangles = (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let mesh = TriMesh::new(points, triangles).unwrap();
    PointShell::from_mesh(&mesh, &ShellOptions { sampling: Sampling::Vertices, ..Default::default() })
        .unwrap()
}

/// How many points are at or below iso at sampled times; all of them must be said to be in contact then.
fn all_are_said(shell: &PointShell, field: &Field, motion: &Motion, options: &SweepOptions) -> usize {
    let all = Sweep::new(shell, field, options).contacts(motion);
    let mut seen = 0;
    for k in 0..=150 {
        let t = f64::from(k) / 150.0;
        let place = motion.frame_from_body(t);
        for (number, &point) in (0..).zip(shell.points()) {
            let at = place.transform_point3(point);
            if !field.grid().bounds().contains(at) || field.distance(at).value() > options.iso {
                continue;
            }
            seen += 1;
            let intervals =
                all.points.binary_search_by_key(&number, |of| of.point).map(|k| &all.points[k].intervals);
            let is_said = intervals.is_ok_and(|of| of.iter().any(|i| i.start <= t && t <= i.end));
            assert!(is_said, "point {number} at t = {t} is at {}", field.distance(at).value());
        }
    }
    seen
}

fn turn(shift: DVec3, angle: f64) -> Motion {
    let from = Pose::at(shift);
    let to = Pose { position: shift + DVec3::X * 0.1, rotation: DQuat::from_rotation_x(angle) };
    Motion::new(MotionKind::Rigid, from, to)
}

/// Beyond the rim of a sheet the two sides meet, and the interpolant is far steeper than distances are.
#[test]
fn steep_fields_of_sheets_hide_no_contact() {
    let corners = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];
    let sheet =
        TriMesh::new(corners.map(|[x, y]| DVec3::new(x, y, 0.0)).to_vec(), vec![[0, 1, 2], [0, 2, 3]])
            .unwrap();
    let bowl = oracle::meshes::open_box();
    for mesh in [sheet, bowl] {
        for storage in [StorageKind::Dense, StorageKind::Sparse] {
            let options = FieldOptions {
                resolution: 48,
                storage,
                sign: SignMethod::Oriented,
                padding: 0.4,
                ..Default::default()
            };
            let field = Field::from_mesh(&mesh, &options).unwrap();
            assert!(!field.is_certified());
            let shell = cloud(300, 0.4, DVec3::Z * -0.6);
            // A coarse tolerance, so that much depends on what is added for chords.
            let options = SweepOptions { tolerance: Some(0.02), ..Default::default() };
            assert!(all_are_said(&shell, &field, &turn(DVec3::Z * 0.6, 1.2), &options) > 1000);
        }
    }
}

/// Beyond the band cells are coarse, and values jump between them.
#[test]
fn level_sets_beyond_the_band_hide_no_contact() {
    let ball = shapes::sphere(0.2, 1280).unwrap();
    let options = FieldOptions { resolution: 160, padding: 1.5, ..Default::default() };
    let field = Field::from_mesh(&ball, &options).unwrap();
    assert!(field.error_bound_far() > field.error_bound());
    let shell = cloud(300, 0.3, DVec3::Z * -0.6);
    for iso in [0.15, 0.3] {
        let options = SweepOptions { iso, tolerance: Some(0.01), ..Default::default() };
        assert!(all_are_said(&shell, &field, &turn(DVec3::Z * 0.6, 1.2), &options) > 1000, "{iso}");
    }
}

/// Far from the origin places are rounded, and functions are as steep as they say.
#[test]
fn functions_and_far_places_hide_no_contact() {
    let far = DVec3::new(3e5, -2e5, 1e5);
    let ball = shapes::sphere(0.4, 1280).unwrap().mapped(|p| p + far).unwrap();
    let field = Field::from_mesh(&ball, &FieldOptions { resolution: 40, ..Default::default() }).unwrap();
    let shell = cloud(300, 0.5, DVec3::ZERO);
    assert!(all_are_said(&shell, &field, &turn(far, 1.2), &SweepOptions::default()) > 1000);
    let around = Aabb::new(DVec3::splat(-1.0), DVec3::splat(1.0));
    // Steep along the diagonal.
    let slope = |p: DVec3| 4.0 * (p.x + p.y + p.z);
    let field = Field::from_function(
        slope,
        around,
        4.0 * 3f64.sqrt(),
        &FieldOptions { resolution: 24, ..Default::default() },
    )
    .unwrap();
    for iso in [0.0, 0.5] {
        let options = SweepOptions { iso, tolerance: Some(0.02), ..Default::default() };
        assert!(all_are_said(&shell, &field, &turn(DVec3::ZERO, 1.2), &options) > 1000);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn points_near_a_surface_are_all_found(
        shell in 0..3usize, field in 0..4usize, pose in pose(), shrink in 0.0..1.0f64, within in -0.1..0.4f64,
    ) {
        let (shell, field) = (&SHELLS[shell], &FIELDS[field]);
        let at = Pose { position: pose.position * shrink, ..pose }.to_affine();
        for obstacle in [Obstacle::Field(field), Obstacle::Analytic(&Plane::GROUND)] {
            let mut found = Vec::new();
            obstacle.points_within(shell, &at, within, &mut found);
            found.sort_unstable_by_key(|near| near.point);
            let value = |k: usize| obstacle.touchable().value(at.transform_point3(shell.points()[k]));
            let expected: Vec<(u32, f64)> = (0..shell.len())
                .map(|k| (k as u32, value(k)))
                .filter(|(_, value)| *value <= within || value.is_nan())
                .collect();
            // Where nothing is known the spheres may know more; all that is known is found.
            let known = |all: Vec<(u32, f64)>| all.into_iter().filter(|(_, v)| !v.is_nan()).collect::<Vec<_>>();
            let found = found.iter().map(|near| (near.point, near.value)).collect();
            prop_assert_eq!(known(found), known(expected));
        }
    }

    #[test]
    fn on_analytic_surfaces_nothing_is_touched_before_the_first_contact(
        shell in 0..2usize, motion in motion(), iso in 0.0..0.2f64,
    ) {
        let shell = &SHELLS[shell];
        let ball = Ball { center: DVec3::new(0.2, -0.3, 0.1), radius: 0.7 };
        let surfaces: [&(dyn Touchable + Send + Sync); 2] = [&Plane::GROUND, &ball];
        for surface in surfaces {
            let first = Obstacle::Analytic(surface).first_contact(shell, &motion, iso, 1e-3);
            let until = first.map_or(1.0, |contact| contact.hit.t);
            // What begins in contact is in contact at once.
            let times = if until == 0.0 { 0 } else { 200 };
            for k in 0..times {
                let at = motion.frame_from_body(until * f64::from(k) / 200.0);
                let least = shell.points().iter().map(|&p| surface.value(at.transform_point3(p)));
                prop_assert!(least.fold(f64::INFINITY, f64::min) > iso, "at {} of {}", k, until);
            }
            if let Some(contact) = first.filter(|contact| contact.hit.t > 0.0) {
                let there = motion.place(contact.hit.t, shell.points()[contact.point as usize]);
                prop_assert!((surface.value(there) - iso).abs() < 5e-3, "it touches there");
            }
        }
    }
}
