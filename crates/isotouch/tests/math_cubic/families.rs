//! Queries by kind: plain ones, and those made to break the module.

use glam::dvec3;
use isotouch::math::DVec3;

// Relative, since the experiments use this file too.
use super::oracle::random::Random;
use super::query::Query;

/// A name and how to make a query of its kind.
#[derive(Clone, Copy)]
pub(crate) struct Family {
    pub(crate) name: &'static str,
    pub(crate) make: fn(&mut Random) -> Query,
}

pub(crate) const RANDOM: Family = Family { name: "random", make: random };
pub(crate) const DISTANCE: Family = Family { name: "distance", make: distance };

pub(crate) const ADVERSARIAL: [Family; 20] = [
    Family { name: "double root", make: double_root },
    Family { name: "triple root", make: triple_root },
    Family { name: "double root, part", make: double_root_in_a_part },
    Family { name: "an ulp beside", make: an_ulp_beside_a_double_root },
    Family { name: "iso beside", make: iso_beside_a_double_root },
    Family { name: "small integers", make: small_integers },
    Family { name: "corners at iso", make: corners_at_iso },
    Family { name: "iso is a corner", make: iso_is_a_corner },
    Family { name: "all corners equal", make: all_corners_equal },
    Family { name: "along faces and edges", make: along_faces_and_edges },
    Family { name: "zero length", make: zero_length },
    Family { name: "axis-parallel", make: axis_parallel },
    Family { name: "tiny pieces", make: tiny_pieces },
    Family { name: "denormal", make: denormal },
    Family { name: "scales", make: scales },
    Family { name: "huge ratios", make: huge_ratios },
    Family { name: "far iso", make: far_iso },
    Family { name: "edge of proof", make: edge_of_proof },
    Family { name: "on the edge all along", make: on_the_edge_all_along },
    Family { name: "slightly outside", make: slightly_outside },
];

fn point(random: &mut Random) -> DVec3 {
    dvec3(random.unit(), random.unit(), random.unit())
}

/// A point on a face.
fn on_face(random: &mut Random) -> DVec3 {
    let mut at = point(random);
    at[random.below(3)] = random.below(2) as f64;
    at
}

fn signed(random: &mut Random) -> f64 {
    2.0 * random.unit() - 1.0
}

fn random(random: &mut Random) -> Query {
    let corners = std::array::from_fn(|_| signed(random) as f32);
    let iso = if random.below(2) == 0 { 0.0 } else { 0.5 * signed(random) };
    Query { corners, entry: on_face(random), exit: on_face(random), iso }
}

/// A plane at any angle, with a little noise: what the cells of a distance field look like.
fn distance(random: &mut Random) -> Query {
    let normal = random.in_cube().normalize_or_zero();
    let noise = 0.2 * random.unit() * random.unit();
    let corners = std::array::from_fn(|k| {
        let corner = dvec3((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64);
        (normal.dot(corner - 0.5) + noise * signed(random)) as f32
    });
    Query { corners, entry: on_face(random), exit: on_face(random), iso: 0.5 * signed(random) }
}

/// p = ±3·2ʲ(s − a)²(s − b) on a diagonal of the cell, exact in `f32`: a and b are sixteenths. Corners with the same number of
/// steps from the entry have the Bernstein coefficient of that number.
fn with_roots(a: f64, b: f64, random: &mut Random) -> Query {
    let k = 3.0 * 2f64.powi(random.below(9) as i32 - 4) * if random.below(2) == 0 { 1.0 } else { -1.0 };
    let power = [-a * a * b * k, (a * a + 2.0 * a * b) * k, -(2.0 * a + b) * k, k];
    let b0 = power[0];
    let b1 = b0 + power[1] / 3.0;
    let b2 = b0 + (2.0 * power[1] + power[2]) / 3.0;
    let bernstein = [b0, b1, b2, power.iter().sum::<f64>()];
    let flip = random.below(8);
    let corners = std::array::from_fn(|k| {
        let b = bernstein[(k ^ flip).count_ones() as usize];
        assert_eq!(f64::from(b as f32), b, "exact in f32");
        b as f32
    });
    let entry = dvec3((flip & 1) as f64, (flip >> 1 & 1) as f64, (flip >> 2) as f64);
    Query { corners, entry, exit: DVec3::ONE - entry, iso: 0.0 }
}

fn sixteenths(random: &mut Random, from: i32, to: i32) -> f64 {
    f64::from(from + random.below((to - from + 1) as usize) as i32) / 16.0
}

fn double_root(random: &mut Random) -> Query {
    let (a, b) = (sixteenths(random, 0, 16), sixteenths(random, -24, 40));
    with_roots(a, b, random)
}

fn triple_root(random: &mut Random) -> Query {
    let a = sixteenths(random, 0, 16);
    with_roots(a, a, random)
}

/// The diagonal from one dyadic parameter to another: the root lies anywhere in the piece, or outside.
fn double_root_in_a_part(random: &mut Random) -> Query {
    let whole = double_root(random);
    let at = |s: f64| whole.entry + (whole.exit - whole.entry) * s;
    let (start, end) = (random.below(65) as f64 / 64.0, random.below(65) as f64 / 64.0);
    Query { entry: at(start), exit: at(end), ..whole }
}

fn an_ulp_beside_a_double_root(random: &mut Random) -> Query {
    let mut query = double_root_in_a_part(random);
    let corner = &mut query.corners[random.below(8)];
    *corner = if random.below(2) == 0 { corner.next_up() } else { corner.next_down() };
    query
}

/// σ off by 2⁻³⁰ to 2⁻⁶⁰ of the values, so on both sides of what rounding can tell; or by an ulp.
fn iso_beside_a_double_root(random: &mut Random) -> Query {
    let query = double_root(random);
    let largest = query.corners.iter().fold(0.0f64, |m, &c| m.max(f64::from(c).abs()));
    let off = largest * 2f64.powi(-30 - random.below(31) as i32);
    Query { iso: if random.below(2) == 0 { off } else { -off }, ..query }
}

/// Few values and few places, so that everything coincides with everything.
fn small_integers(random: &mut Random) -> Query {
    let corners = std::array::from_fn(|_| random.below(7) as f32 - 3.0);
    let mut eighths = || DVec3::from_array(std::array::from_fn(|_| random.below(9) as f64 / 8.0));
    let (entry, exit) = (eighths(), eighths());
    Query { corners, entry, exit, iso: random.below(3) as f64 - 1.0 }
}

fn corners_at_iso(random: &mut Random) -> Query {
    let plain = self::random(random);
    let iso = f64::from(plain.iso as f32);
    let corners = plain.corners.map(|c| if random.below(2) == 0 { iso as f32 } else { c.abs() + iso as f32 });
    Query { corners, iso, ..along_faces_and_edges(random) }
}

fn iso_is_a_corner(random: &mut Random) -> Query {
    let plain = along_faces_and_edges(random);
    Query { iso: f64::from(plain.corners[random.below(8)]), ..plain }
}

fn all_corners_equal(random: &mut Random) -> Query {
    let corner = signed(random) as f32;
    let iso = f64::from(corner);
    let iso = [iso, iso.next_up(), iso.next_down(), f64::from(corner.next_up())][random.below(4)];
    Query { corners: [corner; 8], entry: on_face(random), exit: on_face(random), iso }
}

/// Coordinates that are 0 or 1 more often than not: paths along faces and edges, through edges and nodes.
fn along_faces_and_edges(random: &mut Random) -> Query {
    let plain = self::random(random);
    let (mut entry, mut exit) = (plain.entry, plain.exit);
    for axis in 0..3 {
        match random.below(4) {
            0 => (entry[axis], exit[axis]) = (random.below(2) as f64, random.below(2) as f64),
            1 => (entry[axis], exit[axis]) = (0.0, 0.0),
            2 => (entry[axis], exit[axis]) = (1.0, 1.0),
            _ => {}
        }
    }
    Query { entry, exit, ..plain }
}

fn zero_length(random: &mut Random) -> Query {
    let plain = if random.below(2) == 0 { self::random(random) } else { iso_is_a_corner(random) };
    Query { exit: plain.entry, ..plain }
}

fn axis_parallel(random: &mut Random) -> Query {
    let plain = self::random(random);
    let axis = random.below(3);
    let mut exit = plain.entry;
    exit[axis] = 1.0 - plain.entry[axis].round();
    Query { exit, ..plain }
}

fn tiny_pieces(random: &mut Random) -> Query {
    let plain = self::random(random);
    let length = 10f64.powf(-16.0 * random.unit());
    Query { exit: plain.entry + (plain.exit - plain.entry) * length, ..plain }
}

fn denormal(random: &mut Random) -> Query {
    let plain = along_faces_and_edges(random);
    let corners = plain.corners.map(|c| f32::from_bits(1 + random.below(1 << 20) as u32).copysign(c));
    let iso = [0.0, 1e-310, -1e-310, f64::from(corners[0])][random.below(4)];
    let corners = if random.below(4) == 0 { [0.0; 8] } else { corners };
    let entry = if random.below(2) == 0 { plain.entry * 1e-300 } else { plain.entry };
    Query { corners, iso, entry, ..plain }
}

fn scales(random: &mut Random) -> Query {
    let plain = if random.below(2) == 0 { self::random(random) } else { double_root(random) };
    let scale = 10f64.powf(60.0 * random.unit() - 30.0) as f32;
    Query { corners: plain.corners.map(|c| c * scale), iso: plain.iso * f64::from(scale), ..plain }
}

fn huge_ratios(random: &mut Random) -> Query {
    let plain = along_faces_and_edges(random);
    let corners = plain.corners.map(|c| c * 10f64.powf(60.0 * random.unit() - 30.0) as f32);
    let iso = if random.below(2) == 0 { 0.0 } else { f64::from(corners[random.below(8)]) };
    Query { corners, iso, ..plain }
}

/// Values and σ a thousand times larger than what they differ by: σ has to be subtracted first.
fn far_iso(random: &mut Random) -> Query {
    let plain = self::random(random);
    let iso = 1000.0 + random.unit();
    let spread = 10f64.powf(-4.0 * random.unit());
    let corners = plain.corners.map(|c| (iso + spread * f64::from(c)) as f32);
    let iso = if random.below(2) == 0 { iso } else { f64::from(corners[random.below(8)]) };
    Query { corners, iso, ..plain }
}

/// A dip whose lowest value is τ, or within a few ulps of it: rounding decides whether it is proven free.
fn edge_of_proof(random: &mut Random) -> Query {
    loop {
        let query = self::random(random);
        let cubic = query.cubic();
        let lowest = |(a, b): (f64, f64)| {
            (0..=32)
                .map(|k| a + (b - a) * f64::from(k) / 32.0)
                .min_by(|&s, &t| cubic.value(s).total_cmp(&cubic.value(t)))
        };
        let mut range = (0.0, 1.0);
        for _ in 0..6 {
            let (s, width) = (lowest(range).unwrap(), (range.1 - range.0) / 32.0);
            range = ((s - width).max(0.0), (s + width).min(1.0));
        }
        if range.0 > 0.0 && range.1 < 1.0 {
            let off = cubic.rounding() * [0.0, 0.5, 0.9, 1.0, 1.0, 1.1, 8.0, 24.0, -1.0][random.below(9)];
            return Query { iso: query.iso + cubic.value(range.0) - off, ..query };
        }
    }
}

/// p is τ along a whole diagonal, up to a few ulps: two large corners cancel, the others are tiny, and σ = −τ.
fn on_the_edge_all_along(random: &mut Random) -> Query {
    let large = (1.0 + random.below(64) as f32 / 64.0) * 2f32.powi(random.below(9) as i32 - 4);
    let edge = f64::from(large) * 2f64.powi(-48);
    let mut corners: [f32; 8] = std::array::from_fn(|_| {
        let ulps = random.below(9) as f64 - 4.0;
        (edge * ulps * 2f64.powi(-52)) as f32
    });
    // Corners at one step from the entry, or at two: the coefficients b₁ and b₂ are their means.
    let [a, b] = [[1, 2], [2, 4], [4, 1], [3, 5], [6, 3], [5, 6]][random.below(6)];
    (corners[a], corners[b]) = (large, -large);
    let ulps = random.below(65) as f64 - 32.0;
    let (entry, exit) =
        if random.below(2) == 0 { (DVec3::ZERO, DVec3::ONE) } else { (point(random), point(random)) };
    Query { corners, entry, exit, iso: -edge * (1.0 + ulps * 2f64.powi(-52)) }
}

/// Coordinates on faces, off by what a walker's rounding does.
fn slightly_outside(random: &mut Random) -> Query {
    let plain = along_faces_and_edges(random);
    let mut off = |at: DVec3| at + random.in_cube() * 10f64.powi(-12 - random.below(5) as i32);
    Query { entry: off(plain.entry), exit: off(plain.exit), ..plain }
}
