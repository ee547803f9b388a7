//! Distances of triangles and of whole meshes, by looking at every pair.

use isotouch::math::DVec3;

use super::quick_distance;

/// Whether a segment meets a triangle, by the volumes of tetrahedra; what only touches within rounding may go either way.
fn meets([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let volume = |a: DVec3, b: DVec3, c: DVec3, d: DVec3| (b - a).cross(c - a).dot(d - a);
    let (above, below) = (volume(a, b, c, p), volume(a, b, c, q));
    if above * below > 0.0 || above == below {
        return false;
    }
    let around = [volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)];
    around.iter().all(|v| *v >= 0.0) || around.iter().all(|v| *v <= 0.0)
}

fn to_segment(p: DVec3, [a, b]: [DVec3; 2]) -> f64 {
    let along = b - a;
    let t = if along == DVec3::ZERO {
        0.0
    } else {
        ((p - a).dot(along) / along.length_squared()).clamp(0.0, 1.0)
    };
    p.distance(a + along * t)
}

/// Ends against segments, and the common perpendicular where its feet are between the ends.
fn between_segments([p, q]: [DVec3; 2], [a, b]: [DVec3; 2]) -> f64 {
    let ends = to_segment(p, [a, b])
        .min(to_segment(q, [a, b]))
        .min(to_segment(a, [p, q]))
        .min(to_segment(b, [p, q]));
    let (u, v, w) = (q - p, b - a, a - p);
    let normal = u.cross(v);
    let squared = normal.length_squared();
    if squared <= 1e-20 * u.length_squared() * v.length_squared() {
        return ends;
    }
    let (s, t) = (w.cross(v).dot(normal) / squared, w.cross(u).dot(normal) / squared);
    let is_between = (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t);
    if is_between { ends.min(w.dot(normal).abs() / squared.sqrt()) } else { ends }
}

fn edges([a, b, c]: [DVec3; 3]) -> [[DVec3; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// The distance of two triangles, 0 where they meet. Good to some 10⁻⁸ of their size.
pub fn between(a: [DVec3; 3], b: [DVec3; 3]) -> f64 {
    if edges(a).iter().any(|edge| meets(*edge, b)) || edges(b).iter().any(|edge| meets(*edge, a)) {
        return 0.0;
    }
    let corners = a.iter().map(|p| quick_distance(*p, b)).chain(b.iter().map(|p| quick_distance(*p, a)));
    let mut least = corners.fold(f64::INFINITY, f64::min);
    for one in edges(a) {
        for other in edges(b) {
            least = least.min(between_segments(one, other));
        }
    }
    least
}

/// The least distance of any two of two lists of triangles.
pub fn between_all(one: &[[DVec3; 3]], other: &[[DVec3; 3]]) -> f64 {
    let around = |of: &[DVec3; 3]| (of[0].min(of[1]).min(of[2]), of[0].max(of[1]).max(of[2]));
    let boxes: Vec<(DVec3, DVec3)> = other.iter().map(around).collect();
    let mut least = f64::INFINITY;
    for a in one {
        let (low, high) = around(a);
        for (b, (other_low, other_high)) in other.iter().zip(&boxes) {
            let gap = (low - *other_high).max(*other_low - high).max(DVec3::ZERO);
            if gap.length() < least {
                least = least.min(between(*a, *b));
            }
        }
    }
    least
}
