//! A part that springs push out: how deep, how stable, what is felt.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use isotouch::ccd::Plane;
use isotouch::contact::{Friction, Law, PenaltyOptions, Placed, Stiffness};
use isotouch::field::{Field, FieldOptions};
use isotouch::haptics::{
    Coupling, Held, HeldPair, Looking, PenaltyError, PenaltyObject, PenaltyObjectOptions, Surface,
};
use isotouch::math::{DVec3, Pose, Twist, Wrench};
use isotouch::mesh::{TriMesh, mass_properties, shapes};
use isotouch::shell::{PointShell, Sampling, ShellOptions};

const DT: f64 = 1e-3;

fn shell_of(mesh: &TriMesh, points: usize) -> Arc<PointShell> {
    let options = ShellOptions { sampling: Sampling::Points(points), ..Default::default() };
    Arc::new(PointShell::from_mesh(mesh, &options).unwrap())
}

/// A block of 20 × 10 × 20 cm and 400 g.
fn block_on_ground() -> Arc<HeldPair> {
    let block = shapes::cuboid(DVec3::new(0.2, 0.1, 0.2)).unwrap();
    let mass = mass_properties(&block, 100.0).unwrap();
    let ground = Surface::Analytic(Arc::new(Plane::GROUND), 1e-3);
    Arc::new(HeldPair::new(shell_of(&block, 600), ground, Held::Shell, mass).unwrap())
}

fn options(looking: Looking, stiffness: f64) -> PenaltyObjectOptions {
    PenaltyObjectOptions {
        looking,
        law: Law { stiffness: Stiffness::PerPoint(stiffness), damping: 1e-3, friction: Friction::NONE },
        coupling: Some(Coupling::critical(1000.0, 5.0, 0.4, 1e-3)),
        ..Default::default()
    }
}

fn still(pose: Pose) -> Placed {
    Placed::at_rest(pose)
}

#[test]
fn by_default_the_coupling_is_critically_damped_and_saturates() {
    let pair = block_on_ground();
    let start = Pose::at(DVec3::Y * 0.2);
    let part = PenaltyObject::new(Arc::clone(&pair), start, &PenaltyObjectOptions::default()).unwrap();
    let of = part.coupling();
    assert_eq!(of.damping, 2.0 * (of.stiffness * pair.mass().mass).sqrt());
    assert_eq!(of.angular_damping, 2.0 * (of.angular_stiffness * pair.typical_moment()).sqrt());
    assert_eq!(of.max_distance, 0.5 * pair.surface().cell());
    assert!(of.max_angle > 0.0 && of.max_angle.is_finite());
}

#[test]
fn pressed_down_it_rests_where_springs_balance_the_hand() {
    for looking in [Looking::Continuous, Looking::AtEnd] {
        let pair = block_on_ground();
        let mut part = PenaltyObject::new(pair, Pose::at(DVec3::Y * 0.06), &options(looking, 200.0)).unwrap();
        // The hand is 2 mm below where the block would touch.
        let hand = still(Pose::at(DVec3::Y * 0.048));
        let mut last = None;
        for _ in 0..2000 {
            last = Some(part.step(&hand, DT));
        }
        let step = last.unwrap();
        let depth = 0.05 - step.pose.position.y;
        assert!(step.twist.linear.length() < 1e-6, "at rest: {looking:?}");
        // Two springs in a row: 1000·(0.002 − d) = n·200·d.
        let n = step.contacts as f64;
        let expected = 2.0 / (1000.0 + n * 200.0);
        assert!(n > 50.0 && (depth - expected).abs() < 0.02 * expected, "{looking:?}: {depth} {expected}");
        // Points are not spread as evenly as their number: it leans by a hair.
        assert!((step.penetration - depth).abs() < 0.1 * depth, "{looking:?}: {} {depth}", step.penetration);
        let felt = 1000.0 * (0.002 - depth);
        assert!((step.on_hand.force - DVec3::Y * felt).length() < 1e-3 * felt, "{}", step.on_hand.force);
    }
}

#[test]
fn a_saturated_coupling_pushes_no_harder_however_deep_the_hand_is() {
    let saturating = |hand: f64| {
        let mut with = options(Looking::Continuous, 200.0);
        with.coupling = with.coupling.map(|of| of.saturating(5e-4, 0.1));
        let mut part = PenaltyObject::new(block_on_ground(), Pose::at(DVec3::Y * 0.06), &with).unwrap();
        let hand = still(Pose::at(DVec3::Y * hand));
        (0..2000).map(|_| part.step(&hand, DT)).last().unwrap()
    };
    let (shallow, deep) = (saturating(0.045), saturating(-0.2));
    assert!((shallow.on_hand.force.length() - 0.5).abs() < 1e-3, "F_max = k·x_max");
    assert!((deep.on_hand.force.length() - 0.5).abs() < 1e-3);
    assert!((shallow.penetration - deep.penetration).abs() < 1e-7 && deep.penetration < 1e-4);
}

/// A hand that moves evenly in free air feels nothing, however far it goes in a step: looked at from the end of a step it was so far ahead that its spring was saturated, and pushed the part past it; the hand was then
/// pulled along by up to all the force there is.
#[test]
fn a_fast_hand_in_free_air_feels_nothing() {
    for (speed, damping) in [(0.2, None), (1.0, None), (5.0, None), (1.0, Some(0.5))] {
        let mut with = options(Looking::Continuous, 200.0);
        with.coupling = with
            .coupling
            .map(|of| Coupling { damping: damping.unwrap_or(of.damping), ..of.saturating(5e-4, 0.1) });
        let start = Pose::at(DVec3::Y);
        let mut part = PenaltyObject::new(block_on_ground(), start, &with).unwrap();
        let (mut x, mut work, mut most) = (0.0, 0.0, 0.0f64);
        for k in 1..=4000 {
            // It gathers way with what the spring can give, at a quarter of it.
            let v = (0.25 * 0.5 / 0.4 * f64::from(k) * DT).min(speed);
            x += v * DT;
            let pose = Pose::at(DVec3::new(x, 1.0, 0.0));
            let twist = Twist { linear: DVec3::X * v, angular: DVec3::ZERO };
            let step = part.step(&Placed { twist, ..still(pose) }, DT);
            if v == speed && k > 3500 {
                work += step.on_hand.force.x * v * DT;
                most = most.max(step.on_hand.force.length());
            }
        }
        // What is hardly damped sways to and fro yet. Pulled along it was 0.25 J.
        let [least_force, least_work] = if damping.is_some() { [0.1, 2e-3] } else { [2e-3, 1e-4] };
        let is_nothing = most < least_force && work < least_work;
        assert!(is_nothing || speed > 1.0, "{speed} m/s, {damping:?}: {most} N, {work} J into the hand");
    }
}

/// The critical damper held back what the saturated spring pulled: the part fell behind a hand by tenths of a metre and came back at centimetres a second, and of that nothing was felt. Later, saturated
/// with the spring, it braked too late: the part flew past the hand by as much as it had been behind, six times.
#[test]
fn a_part_that_is_left_behind_comes_back_to_the_hand_and_stays() {
    let mut with = options(Looking::Continuous, 200.0);
    with.coupling = with.coupling.map(|of| of.saturating(5e-4, 0.1));
    let from = DVec3::Y * 0.06;
    let mut part = PenaltyObject::new(block_on_ground(), Pose::at(from), &with).unwrap();
    let to = DVec3::new(0.1, 0.2, 0.0);
    let hand = still(Pose::at(to));
    let ahead = (to - from).try_normalize().unwrap();
    let (mut arrived, mut turns, mut pulled_back) = (None, 0, true);
    for step in 0..3000 {
        let told = part.step(&hand, DT);
        assert!(told.on_hand.force.length() < 0.5 + 1e-9, "{} N", told.on_hand.force);
        let off = told.pose.position - to;
        assert!(off.dot(ahead) < 1e-4, "it is {} m past the hand", off.dot(ahead));
        // What has arrived is held by rounding.
        if told.on_hand.force.length() > 1e-6 {
            let is_back = told.on_hand.force.dot(ahead) < 0.0;
            turns += u32::from(is_back != pulled_back);
            pulled_back = is_back;
        }
        if off.length() < 1e-3 {
            arrived = arrived.or(Some(step));
        } else {
            assert_eq!(arrived, None, "it left again");
        }
    }
    assert!(turns <= 1, "pulled to and fro {turns} times");
    // The first third of 0.172 m at F_max/m = 1.25 m/s², the rest slowing down by half of that: 0.91 s, and the end as a critically damped spring. By K·x_max/B it would be 7 s.
    assert!(arrived.is_some_and(|steps| steps < 1200), "{arrived:?} steps");
}

#[test]
fn a_security_distance_keeps_it_out() {
    let mut with = options(Looking::Continuous, 200.0);
    with.coupling = with.coupling.map(|of| of.saturating(5e-4, 0.1));
    let deepest = |iso: f64| {
        let with = PenaltyObjectOptions { penalty: PenaltyOptions { iso, ..with.penalty }, ..with };
        let mut part = PenaltyObject::new(block_on_ground(), Pose::at(DVec3::Y * 0.06), &with).unwrap();
        let hand = still(Pose::at(DVec3::ZERO));
        (0..2000).map(|_| part.step(&hand, DT).penetration).fold(0.0, f64::max)
    };
    assert!(deepest(0.0) > 0.0);
    assert_eq!(deepest(1e-3), 0.0);
}

#[test]
fn many_springs_are_softened_to_their_limit() {
    let with = PenaltyObjectOptions { max_stiffness: 5_000.0, ..options(Looking::Continuous, 1000.0) };
    let mut part = PenaltyObject::new(block_on_ground(), Pose::at(DVec3::Y * 0.06), &with).unwrap();
    let hand = still(Pose::at(DVec3::Y * 0.048));
    let step = (0..3000).map(|_| part.step(&hand, DT)).last().unwrap();
    let n = step.contacts as f64;
    assert!((step.softened - 5_000.0 / (1000.0 * n)).abs() < 1e-9, "{} of {n}", step.softened);
    let depth = 0.05 - step.pose.position.y;
    assert!((depth - 2.0 / 6000.0).abs() < 1e-5, "as one spring of 5000 N/m: {depth}");
}

#[test]
fn stiff_contact_does_not_explode_at_a_kilohertz() {
    // Explicitly, dt² k/m may be 4 at most; here it is 10⁻⁶·600·10⁵/0.4 = 150.
    let mut part =
        PenaltyObject::new(block_on_ground(), Pose::at(DVec3::Y * 0.06), &options(Looking::Continuous, 1e5))
            .unwrap();
    let hand = still(Pose::at(DVec3::Y * 0.04));
    for k in 0..3000 {
        let step = part.step(&hand, DT);
        assert!(step.twist.linear.length() < 2.0, "step {k}: {:?}", step.twist);
    }
    let height = part.part().world_from_body.position.y;
    assert!((0.0495..0.0502).contains(&height), "{height}");
}

#[test]
fn a_hand_that_pushes_moves_both_until_the_ground_holds_them() {
    // Admittance: 5 N down, from above the ground.
    let mut part = PenaltyObject::new(
        block_on_ground(),
        Pose::at(DVec3::Y * 0.07),
        &options(Looking::Continuous, 200.0),
    )
    .unwrap();
    let push = Wrench { force: DVec3::NEG_Y * 5.0, ..Wrench::ZERO };
    for k in 0..30 {
        part.step_pushed(&push, DT);
        // Both together weigh 800 g: their middle falls with 6.25 m/s², by symplectic Euler.
        let fallen = |of: &Placed| 0.07 - of.world_from_body.position.y;
        let middle = 0.5 * (fallen(part.hand()) + fallen(part.part()));
        let t = DT * f64::from(k + 1);
        assert!((middle - 0.5 * 6.25 * t * (t + DT)).abs() < 1e-12, "{middle} at {t}");
    }
    let step = (0..4000).map(|_| part.step_pushed(&push, DT)).last().unwrap();
    let depth = 0.05 - step.pose.position.y;
    let expected = 5.0 / (200.0 * step.contacts as f64);
    assert!((depth - expected).abs() < 0.05 * expected, "{depth} {expected}");
    // The hand is as much deeper as the coupling gives.
    let gap = step.pose.position.y - part.hand().world_from_body.position.y;
    assert!((gap - 5.0 / 1000.0).abs() < 1e-4, "{gap}");
}

#[test]
fn it_does_not_matter_which_part_is_the_field() {
    let (block, floor) = (
        shapes::cuboid(DVec3::new(0.2, 0.1, 0.2)).unwrap(),
        shapes::cuboid(DVec3::new(0.5, 0.1, 0.5)).unwrap(),
    );
    let mass = mass_properties(&block, 100.0).unwrap();
    let field = |mesh: &TriMesh| {
        Arc::new(Field::from_mesh(mesh, &FieldOptions { resolution: 64, ..Default::default() }).unwrap())
    };
    let below = Pose::at(DVec3::NEG_Y * 0.05);
    let pairs = [
        HeldPair::new(shell_of(&block, 600), Surface::Field(field(&floor)), Held::Shell, mass),
        HeldPair::new(shell_of(&floor, 4000), Surface::Field(field(&block)), Held::Field, mass),
    ];
    for pair in pairs {
        let pair = Arc::new(pair.unwrap().with_fixed_at(below).unwrap());
        let mut part =
            PenaltyObject::new(pair, Pose::at(DVec3::Y * 0.06), &options(Looking::Continuous, 200.0))
                .unwrap();
        let hand = still(Pose::at(DVec3::Y * 0.048));
        let step = (0..2000).map(|_| part.step(&hand, DT)).last().unwrap();
        let depth = 0.05 - step.pose.position.y;
        let expected = 2.0 / (1000.0 + step.contacts as f64 * 200.0);
        assert!(step.contacts > 50 && (depth - expected).abs() < 0.1 * expected, "{depth} {expected}");
    }
}

#[test]
fn numbers_that_are_none_move_nothing_and_are_named() {
    let pair = block_on_ground();
    let start = Pose::at(DVec3::Y * 0.06);
    let with = options(Looking::Continuous, 200.0);
    let mut part = PenaltyObject::new(Arc::clone(&pair), start, &with).unwrap();
    let nowhere = Placed { twist: Twist { linear: DVec3::NAN, ..Twist::ZERO }, ..still(start) };
    assert_eq!(part.step(&nowhere, DT).pose, start);
    assert_eq!(part.step(&still(Pose::at(DVec3::INFINITY)), DT).pose, start);
    assert_eq!(part.step(&still(start), f64::NAN).pose, start);
    let bad = PenaltyObjectOptions { max_stiffness: 0.0, ..with };
    let error = PenaltyObject::new(Arc::clone(&pair), start, &bad).err().unwrap();
    assert!(matches!(error, PenaltyError::Option { quantity: "max_stiffness", .. }), "{error}");
    let bad = PenaltyObjectOptions { coupling: Some(Coupling::spring(-1.0, 0.0)), ..with };
    assert!(matches!(PenaltyObject::new(pair, start, &bad).err().unwrap(), PenaltyError::Coupling(_)));
}
