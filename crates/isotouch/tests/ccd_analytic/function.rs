//! Functions with a Lipschitz bound: planes and balls given as closures, waves, and functions that misbehave.

use std::cell::Cell;

use isotouch::ccd::{Ball, Function, HitStatus, Plane, Segment, Touchable};
use isotouch::math::DVec3;

use crate::exact::{Query, Thing, Truth};
use crate::oracle::random::Random;

/// As many values as a path may ask for, by far; a few for ends and normals.
const MOST_VALUES: usize = 200_020;

/// Both begin and end their contacts at the same times, where the path meets σ clearly.
fn check_same(function: &dyn Touchable, query: &Query) -> bool {
    let truth = Truth::new(query);
    let expected = query.touchable().intervals(&query.segment, query.iso);
    let contacts = function.intervals(&query.segment, query.iso);
    let hit = function.first_hit(&query.segment, query.iso);
    assert_eq!(
        contacts.first().map(|c| (c.start, c.status)),
        hit.map(|hit| (hit.t, hit.status)),
        "{query:?}"
    );
    let is_clear = |t: f64| t == 0.0 || t == 1.0 || truth.is_steep(t, 0.05);
    if !expected.iter().all(|c| is_clear(c.start) && is_clear(c.end)) {
        return false;
    }
    // A miss by a hair may be a touch.
    if expected.is_empty() {
        let is_near = |t: f64| truth.is_at_most(t, 1e-9);
        assert!(contacts.iter().all(|c| is_near(c.start) && is_near(c.end)), "{contacts:?} of {query:?}");
        return contacts.is_empty();
    }
    assert_eq!(contacts.len(), expected.len(), "{contacts:?} {expected:?} {query:?}");
    for (a, b) in contacts.iter().zip(&expected) {
        let is_same = (a.start - b.start).abs() < 1e-9 && (a.end - b.end).abs() < 1e-9;
        assert!(is_same && a.status == b.status, "{a:?} is not {b:?}: {query:?}");
    }
    true
}

#[test]
fn planes_as_functions_are_planes() {
    let mut random = Random(1);
    let (mut hits, mut free) = (0, 0);
    for _ in 0..3000 {
        let (normal, offset) = (random.in_cube().normalize_or(DVec3::X), random.unit() - 0.5);
        let segment = Segment::new(2.0 * random.in_cube(), 2.0 * random.in_cube());
        let query = Query {
            thing: Thing::Plane(Plane { normal, offset }),
            segment,
            iso: 0.4 * (random.unit() - 0.5),
        };
        let function = Function { value: |p: DVec3| normal.dot(p) - offset, lipschitz: 1.0 + 1e-12 };
        if check_same(&function, &query) {
            let touches = function.touches(&segment, query.iso);
            hits += usize::from(touches);
            free += usize::from(!touches);
        }
    }
    assert!(hits > 1000 && free > 300, "{hits} {free}");
}

#[test]
fn balls_as_functions_are_balls() {
    let mut random = Random(2);
    let (mut hits, mut free) = (0, 0);
    for _ in 0..3000 {
        let ball = Ball { center: random.in_cube(), radius: 0.3 + random.unit() };
        let segment = Segment::new(1.8 * random.in_cube(), 1.8 * random.in_cube());
        let query = Query { thing: Thing::Ball(ball), segment, iso: 0.4 * (random.unit() - 0.5) };
        // Also with a bound that is larger than needed.
        let lipschitz = 1.0 + 1e-12 + 2.0 * random.below(2) as f64;
        let function = Function { value: |p: DVec3| p.distance(ball.center) - ball.radius, lipschitz };
        if check_same(&function, &query) {
            let touches = function.touches(&segment, query.iso);
            hits += usize::from(touches);
            free += usize::from(!touches);
        }
    }
    assert!(hits > 500 && free > 500, "{hits} {free}");
}

#[test]
fn waves_agree_with_many_samples() {
    let height = |p: DVec3| p.y - 0.3 * (4.0 * p.x).sin() - 0.2 * (7.0 * p.z).cos();
    let waves = Function { value: height, lipschitz: (1.0 + 1.2f64.powi(2) + 1.4f64.powi(2)).sqrt() };
    let mut random = Random(4);
    let (mut several, mut free) = (0, 0);
    for _ in 0..1000 {
        let spread = DVec3::new(4.0, 0.7, 4.0);
        let path = Segment::new(spread * random.in_cube(), spread * random.in_cube());
        let iso = 0.3 * random.unit();
        let contacts = waves.intervals(&path, iso);
        several += usize::from(contacts.len() > 1);
        free += usize::from(contacts.is_empty());
        assert_eq!(waves.first_hit(&path, iso).map(|hit| hit.t), contacts.first().map(|c| c.start));
        assert_eq!(waves.touches(&path, iso), !contacts.is_empty());
        assert!(contacts.iter().all(|c| 0.0 <= c.start && c.start <= c.end && c.end <= 1.0));
        assert!(contacts.windows(2).all(|pair| pair[0].end < pair[1].start));
        for contact in &contacts {
            for t in [contact.start, contact.end] {
                let off = height(path.at(t)) - iso;
                let is_end = t == 0.0 || t == 1.0;
                assert!(off < 1e-9 && (is_end || off > -1e-9), "{off} at {t} of {path:?}");
            }
            let is_short = contact.end - contact.start < 1e-4;
            assert!(contact.status != HitStatus::Touch || is_short, "{contact:?}");
        }
        for k in 0..=4000 {
            let t = f64::from(k) / 4000.0;
            let (off, is_contact) =
                (height(path.at(t)) - iso, contacts.iter().any(|c| c.start <= t && t <= c.end));
            assert!(
                if is_contact { off < 1e-9 } else { off > -1e-14 },
                "{off} at {t}: {is_contact} {path:?}"
            );
        }
    }
    assert!(several > 300 && free > 30, "{several} {free}");
}

#[test]
fn functions_without_a_value_are_never_free() {
    let path = Segment::new(DVec3::new(-1.0, 5.0, 0.0), DVec3::new(1.0, 5.0, 0.0));
    let nowhere = Function { value: |_: DVec3| f64::NAN, lipschitz: 1.0 };
    assert_eq!(nowhere.first_hit(&path, 0.0).unwrap().t, 0.0);
    let contacts = nowhere.intervals(&path, 0.0);
    assert_eq!((contacts[0].start, contacts[contacts.len() - 1].end), (0.0, 1.0));

    // Without values in the second half, or at its ends.
    let half = Function { value: |p: DVec3| if p.x > 0.0 { f64::NAN } else { p.y }, lipschitz: 1.0 };
    let hit = half.first_hit(&path, 0.0).unwrap();
    assert!(hit.t <= 0.5 && hit.t > 0.5 - 1e-9, "{hit:?}");
    for start in [path, path.reversed()] {
        let at_end =
            Function { value: |p: DVec3| if p == start.from { f64::NAN } else { p.y }, lipschitz: 1.0 };
        assert_eq!(at_end.first_hit(&start, 0.0).unwrap().t, 0.0);
        assert!(at_end.touches(&start.reversed(), 0.0));
        let still = Segment::new(start.from, start.from);
        assert!(at_end.touches(&still, 0.0) && !at_end.intervals(&still, 0.0).is_empty());
    }
    let unknown_bound = Function { value: |p: DVec3| p.y, lipschitz: f64::NAN };
    assert!(unknown_bound.touches(&path, 0.0));
}

#[test]
fn a_path_along_the_level_set_ends() {
    for (height, touches) in [(0.0, true), (1e-14, true), (-1e-14, true), (1e-4, false), (-1e-4, true)] {
        let asked = Cell::new(0);
        let value = |p: DVec3| {
            asked.set(asked.get() + 1);
            p.y
        };
        let function = Function { value, lipschitz: 1.0 };
        let path = Segment::new(DVec3::new(-1.0, height, 0.0), DVec3::new(1.0, height, 0.5));
        let contacts = function.intervals(&path, 0.0);
        assert!(asked.get() < MOST_VALUES, "{} for {height}", asked.get());
        assert_eq!(!contacts.is_empty(), touches, "{height}");
        if touches {
            assert_eq!((contacts.len(), contacts[0].start, contacts[0].end), (1, 0.0, 1.0), "{height}");
        }
        asked.set(0);
        let hit = function.first_hit(&path, 0.0);
        assert!(asked.get() < MOST_VALUES, "{} for {height}", asked.get());
        assert_eq!(hit.map(|hit| hit.t), touches.then_some(0.0), "{height}");
    }
}

/// The places of a path are rounded, by 10⁻⁸ here, and a function cannot know.
#[test]
fn rounding_of_places_far_from_the_origin_is_paid_for() {
    let mut random = Random(6);
    for _ in 0..3000 {
        let from = 1e8 * DVec3::ONE + random.in_cube();
        let path = Segment::new(from, from + random.in_cube());
        let point = path.at(random.unit());
        let value = |p: DVec3| (p - point).abs().max_element();
        // The path passes the point, but for the rounding of its coordinates.
        assert!(Function { value, lipschitz: 1.0 }.touches(&path, 0.0), "{path:?} {point}");
    }
}

#[test]
fn a_path_without_length_asks_little() {
    let asked = Cell::new(0);
    let value = |p: DVec3| {
        asked.set(asked.get() + 1);
        p.y
    };
    let function = Function { value, lipschitz: 1.0 };
    for (height, expected) in
        [(1.0, None), (-1.0, Some(HitStatus::StartsInside)), (0.0, Some(HitStatus::Touch))]
    {
        let at = DVec3::new(0.3, height, 0.2);
        asked.set(0);
        let path = Segment::new(at, at);
        assert_eq!(function.first_hit(&path, 0.0).map(|hit| hit.status), expected);
        let contacts = function.intervals(&path, 0.0);
        assert_eq!(contacts.first().map(|c| (c.start, c.end, c.status)), expected.map(|s| (0.0, 1.0, s)));
        assert!(asked.get() < 30, "{} for {height}", asked.get());
    }
}
