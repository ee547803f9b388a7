//! Segments through, along, beside and far from planes and balls, at all scales.

use isotouch::ccd::{Ball, Plane, Segment};
use isotouch::math::DVec3;

use crate::exact::{Query, Thing};
use crate::oracle::random::Random;

/// One, or from very small to very large.
fn scale(random: &mut Random) -> f64 {
    match random.below(8) {
        0..4 => 1.0,
        4..7 => 10f64.powi(random.below(25) as i32 - 12),
        _ => [1e-280, 1e-160, 1e-100, 1e100, 1e160, 1e280][random.below(6)],
    }
}

fn direction(random: &mut Random) -> DVec3 {
    if random.below(3) == 0 {
        let sign = [-1.0, 1.0][random.below(2)];
        return sign * DVec3::AXES[random.below(3)];
    }
    random.in_cube().normalize_or(DVec3::X)
}

/// The same or beside it by an ulp.
fn beside(x: f64, random: &mut Random) -> f64 {
    [x.next_down(), x, x.next_up()][random.below(3)]
}

fn all_beside(v: DVec3, random: &mut Random) -> DVec3 {
    DVec3::from_array(v.to_array().map(|x| beside(x, random)))
}

fn either_way(segment: Segment, random: &mut Random) -> Segment {
    if random.below(2) == 0 { segment } else { segment.reversed() }
}

pub(crate) fn of_ball(random: &mut Random) -> Query {
    let scale = scale(random);
    let center = match random.below(4) {
        0 | 1 => DVec3::ZERO,
        2 => scale * random.in_cube(),
        _ => 1e8 * scale * random.in_cube(),
    };
    let radius = [scale, scale * random.unit(), 0.0][[0, 0, 1, 1, 2][random.below(5)]];
    let iso = match random.below(12) {
        0..4 => 0.0,
        4 => beside(-radius, random),
        5 => -radius - scale * random.unit(),
        6..8 => 0.5 * radius,
        8..10 => -0.5 * radius,
        10 => scale * random.unit(),
        _ => 1e-9 * scale,
    };
    let reach = (radius + iso).max(0.0);
    let segment = around_ball(center, reach, if reach > 0.0 { reach } else { scale }, random);
    Query { thing: Thing::Ball(Ball { center, radius }), segment: either_way(segment, random), iso }
}

/// `size` is that of the ball or, if it has none, of what is around it.
fn around_ball(center: DVec3, reach: f64, size: f64, random: &mut Random) -> Segment {
    let toward = direction(random);
    let surface = all_beside(center + toward * beside(reach, random), random);
    let tangent = {
        let across = toward.any_orthonormal_vector();
        size * 3.0 * across * (random.unit() + 1e-3)
    };
    let near = |random: &mut Random| center + 2.0 * size * random.in_cube();
    let far = size * 10f64.powi(random.below(13) as i32);
    match random.below(11) {
        0 | 1 => Segment::new(near(random), near(random)),
        // On the surface to begin with, or in the end.
        2 => Segment::new(surface, near(random)),
        // Just reaches it.
        3 => Segment::new(surface, center + toward * (reach + size * random.unit())),
        4 => Segment::new(surface - tangent, surface + tangent * random.unit()),
        5 => Segment::new(surface - far / size * tangent, surface + tangent),
        // No length.
        6 => {
            let at = [surface, near(random), center][random.below(3)];
            Segment::new(at, at)
        }
        // Along an axis.
        7 => {
            let (axis, from) = (random.below(3), [surface, near(random)][random.below(2)]);
            let mut to = from;
            to[axis] += 4.0 * size * (random.unit() - 0.5);
            Segment::new(from, to)
        }
        8 => Segment::new(center + far * toward, near(random)),
        9 => Segment::new(center + far * toward, near(random) - far * toward * random.unit()),
        // Short.
        _ => {
            Segment::new(surface, surface + 10f64.powi(-(random.below(16) as i32)) * size * random.in_cube())
        }
    }
}

pub(crate) fn of_plane(random: &mut Random) -> Query {
    let scale = scale(random);
    let normal = direction(random);
    let offset = [0.0, scale * (random.unit() - 0.5), 1e8 * scale][random.below(3)];
    let iso = [0.0, -0.5 * scale * random.unit(), 0.5 * scale * random.unit(), -offset][random.below(4)];
    let height = offset + iso;
    let near = |random: &mut Random| normal * height + 2.0 * scale * random.in_cube();
    // As near to the plane as coordinates can be.
    let on_it = |random: &mut Random| {
        let p = 2.0 * scale * random.in_cube();
        all_beside(p - normal * (p.dot(normal) - height), random)
    };
    let far = scale * 10f64.powi(random.below(13) as i32);
    let segment = match random.below(7) {
        0 | 1 => Segment::new(near(random), near(random)),
        2 => Segment::new(on_it(random), near(random)),
        3 => Segment::new(on_it(random), on_it(random)),
        4 => {
            let at = if random.below(2) == 0 { near(random) } else { on_it(random) };
            Segment::new(at, at)
        }
        5 => {
            let (axis, from) = (random.below(3), near(random));
            let mut to = from;
            to[axis] += 4.0 * scale * (random.unit() - 0.5);
            Segment::new(from, to)
        }
        _ => Segment::new(near(random) + far * normal, near(random)),
    };
    Query { thing: Thing::Plane(Plane { normal, offset }), segment: either_way(segment, random), iso }
}
