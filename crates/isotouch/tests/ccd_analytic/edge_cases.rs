//! Single cases, each with a name.

use isotouch::ccd::{Ball, Function, HitStatus, Plane, Segment, Touchable};
use isotouch::math::DVec3;

use crate::check::Tally;
use crate::exact::{Query, Thing};

const UNIT: Ball = Ball { center: DVec3::ZERO, radius: 1.0 };

fn segment(from: [f64; 3], to: [f64; 3]) -> Segment {
    Segment::new(from.into(), to.into())
}

fn check(thing: Thing, segment: Segment, iso: f64) {
    let mut tally = Tally::default();
    tally.check(&Query { thing, segment, iso });
    assert!(tally.failures.is_empty(), "{:#?}", tally.failures);
}

#[test]
fn segments_that_are_not_finite_are_never_free() {
    let function = Function { value: |p: DVec3| p.length() - 1.0, lipschitz: 1.0 };
    let things: [&dyn Touchable; 3] = [&Plane::GROUND, &UNIT, &function];
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for axis in 0..3 {
            let good = DVec3::new(5.0, 5.0, 5.0);
            let mut broken = good;
            broken[axis] = bad;
            for path in [Segment::new(good, broken), Segment::new(broken, good), Segment::new(broken, broken)]
            {
                for thing in things {
                    let hit = thing.first_hit(&path, 0.0).unwrap();
                    assert_eq!((hit.t, hit.status), (0.0, HitStatus::Bound));
                    let contacts = thing.intervals(&path, 0.0);
                    assert_eq!((contacts.len(), contacts[0].start, contacts[0].end), (1, 0.0, 1.0));
                    assert_eq!(contacts[0].status, HitStatus::Bound);
                    assert!(thing.touches(&path, 0.0));
                }
            }
        }
    }
}

#[test]
fn a_level_that_is_not_a_number_is_never_free() {
    let function = Function { value: |p: DVec3| p.length() - 1.0, lipschitz: 1.0 };
    let things: [&dyn Touchable; 3] = [&Plane::GROUND, &UNIT, &function];
    for path in [segment([5.0; 3], [6.0; 3]), segment([5.0; 3], [5.0; 3])] {
        for thing in things {
            assert!(thing.touches(&path, f64::NAN) && !thing.intervals(&path, f64::NAN).is_empty());
        }
    }
}

#[test]
fn a_ball_shrunk_to_less_than_nothing_is_never_touched() {
    for path in [segment([-3.0, 0.0, 0.0], [3.0, 0.0, 0.0]), segment([0.0; 3], [0.0; 3])] {
        for iso in [-1.0 - 1e-12, -2.0, -1e300, f64::NEG_INFINITY] {
            assert!(UNIT.first_hit(&path, iso).is_none() && UNIT.intervals(&path, iso).is_empty(), "{iso}");
        }
        // A point is left.
        assert!(UNIT.touches(&path, -1.0));
        check(Thing::Ball(UNIT), path, -1.0);
    }
}

#[test]
fn a_point_is_touched_only_where_it_is() {
    for center in [DVec3::ZERO, DVec3::ONE, DVec3::new(1e8, -3.0, 0.1)] {
        let point = Ball { center, radius: 0.0 };
        let through = Segment::new(center - DVec3::X, center + DVec3::X);
        let hit = point.first_hit(&through, 0.0).unwrap();
        assert!((hit.t - 0.5).abs() < 1e-7 && hit.status == HitStatus::Touch, "{hit:?}");
        check(Thing::Ball(point), through, 0.0);
        let off = 1e-6 * DVec3::Y;
        assert!(!point.touches(&Segment::new(through.from + off, through.to + off), 0.0), "{center}");
        assert!(point.touches(&Segment::new(center, center), 0.0));
    }
}

#[test]
fn a_tiny_ball_far_from_the_origin_is_found_within_rounding() {
    let center = DVec3::new(1e8, -1e8, 0.5e8);
    for radius in [1.0, 1e-3, 1e-6, 1e-9] {
        let ball = Ball { center, radius };
        for off in [0.0, 0.5 * radius, radius, 1.5 * radius, 3.0 * radius] {
            let across = DVec3::new(0.0, off, 0.0);
            let path = Segment::new(center + across - DVec3::X, center + across + DVec3::X);
            check(Thing::Ball(ball), path, 0.0);
        }
        let beside = DVec3::new(0.0, 1e-6 + 2.0 * radius, 0.0);
        assert!(!ball.touches(&Segment::new(center + beside - DVec3::X, center + beside + DVec3::X), 0.0));
    }
}

#[test]
fn paths_as_long_as_numbers_go_are_not_free() {
    let far = 1.5e308;
    // Through the middle, and differences of its ends overflow.
    for path in [
        segment([-far, 0.0, 0.0], [far, 0.0, 0.0]),
        segment([-far, -0.5 * far, 0.0], [far, 0.5 * far, 0.0]),
        segment([0.5 * far, far, -far], [-0.5 * far, -far, far]),
    ] {
        let function = Function { value: |p: DVec3| p.length() - 1.0, lipschitz: 1.0 };
        let plane = Plane { normal: DVec3::X, offset: 1.0 };
        let things: [&dyn Touchable; 3] = [&UNIT, &plane, &function];
        for (k, thing) in things.into_iter().enumerate() {
            assert!(thing.touches(&path, 0.0), "thing {k}");
            assert!(thing.intervals(&path, 0.0)[0].start <= 0.5, "thing {k}");
        }
    }
}

#[test]
fn paths_within_the_plane_are_touches_from_end_to_end() {
    let path = segment([-1.0, 0.0, 2.0], [5.0, 0.0, 1.0]);
    let hit = Plane::GROUND.first_hit(&path, 0.0).unwrap();
    assert_eq!((hit.t, hit.normal), (0.0, Some(DVec3::Y)));
    let contacts = Plane::GROUND.intervals(&path, 0.0);
    assert_eq!((contacts.len(), contacts[0].start, contacts[0].end), (1, 0.0, 1.0));
    assert!(!Plane::GROUND.touches(&path, -1e-300));
}

#[test]
fn normals_point_away_from_the_solid() {
    let path = segment([3.0, 0.5, 0.0], [0.0, 0.5, 0.0]);
    let ball = UNIT.first_hit(&path, 0.0).unwrap();
    let function =
        Function { value: |p: DVec3| p.length() - 1.0, lipschitz: 1.0 }.first_hit(&path, 0.0).unwrap();
    let expected = DVec3::new(0.75f64.sqrt(), 0.5, 0.0);
    assert!(ball.normal.unwrap().distance(expected) < 1e-9);
    assert!(function.normal.unwrap().distance(expected) < 1e-6);
}
