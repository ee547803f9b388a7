//! The distance between two triangles.

use glam::DVec3;

/// The two nearest points of two triangles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ClosestPair {
    /// Their squared distance; 0 where the triangles cross.
    pub(crate) squared: f64,
    /// On the first triangle.
    pub(crate) on_a: DVec3,
    /// On the second.
    pub(crate) on_b: DVec3,
}

/// The nearest points of two triangles: on an edge each, or a corner and a face, or one point of both. Triangles without area count as
/// their edges.
///
/// As exact as the closest points of nearly parallel edges are, so the distance may be too large, never too small by more than rounding:
/// a proof that triangles are apart takes a direction that separates them.
pub(crate) fn closest_between(a: &[DVec3; 3], b: &[DVec3; 3]) -> ClosestPair {
    let (face_a, face_b) = (Face::new(a), Face::new(b));
    let (heights_a, heights_b) = (face_b.heights(a), face_a.heights(b));
    if let Some(at) = face_b.pierced(a, heights_a).or_else(|| face_a.pierced(b, heights_b)) {
        return ClosestPair { squared: 0.0, on_a: at, on_b: at };
    }
    let mut best = ClosestPair { squared: f64::INFINITY, on_a: a[0], on_b: b[0] };
    let mut consider = |on_a: DVec3, on_b: DVec3| {
        let squared = on_a.distance_squared(on_b);
        if squared < best.squared {
            best = ClosestPair { squared, on_a, on_b };
        }
    };
    for i in 0..3 {
        for j in 0..3 {
            let (p, q, r, o) = (a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]);
            let (s, t) = closest_on_segments([p, q], [r, o]);
            consider(p + s * (q - p), r + t * (o - r));
        }
    }
    for k in 0..3 {
        if let Some(below) = face_b.below(a[k], heights_a[k]) {
            consider(a[k], below);
        }
        if let Some(below) = face_a.below(b[k], heights_b[k]) {
            consider(below, b[k]);
        }
    }
    best
}

/// A triangle and its normal.
struct Face<'a> {
    corners: &'a [DVec3; 3],
    /// Twice the area long.
    normal: DVec3,
}

impl<'a> Face<'a> {
    fn new(corners: &'a [DVec3; 3]) -> Self {
        let [a, b, c] = corners;
        Self { corners, normal: (*b - *a).cross(*c - *a) }
    }

    /// How high points are above the plane, times the length of the normal.
    fn heights(&self, points: &[DVec3; 3]) -> [f64; 3] {
        points.map(|p| self.normal.dot(p - self.corners[0]))
    }

    /// Whether a point is over the triangle, not beside it.
    fn is_over(&self, p: DVec3) -> bool {
        let [a, b, c] = *self.corners;
        let beside = |from: DVec3, to: DVec3| (to - from).cross(p - from).dot(self.normal);
        self.normal != DVec3::ZERO && beside(a, b) >= 0.0 && beside(b, c) >= 0.0 && beside(c, a) >= 0.0
    }

    /// The foot of a point that is over the triangle.
    fn below(&self, p: DVec3, height: f64) -> Option<DVec3> {
        self.is_over(p).then(|| p - self.normal * (height / self.normal.length_squared()))
    }

    /// Where an edge of another triangle passes through this one.
    fn pierced(&self, other: &[DVec3; 3], heights: [f64; 3]) -> Option<DVec3> {
        for k in 0..3 {
            let next = (k + 1) % 3;
            let (from, to) = (heights[k], heights[next]);
            // On both sides, or one end in the plane. An edge that lies in the plane meets one of ours.
            if (from > 0.0 && to > 0.0) || (from < 0.0 && to < 0.0) || from == to {
                continue;
            }
            let at = other[k] + (other[next] - other[k]) * (from / (from - to));
            if self.is_over(at) {
                return Some(at);
            }
        }
        None
    }
}

/// Where on two segments, each from 0 to 1, their nearest points are; either may be a point.
pub(crate) fn closest_on_segments([p, q]: [DVec3; 2], [a, b]: [DVec3; 2]) -> (f64, f64) {
    let (u, v, w) = (q - p, b - a, p - a);
    let (uu, uv, vv) = (u.length_squared(), u.dot(v), v.length_squared());
    let (uw, vw) = (u.dot(w), v.dot(w));
    let ratio = |above: f64, below: f64| if below > 0.0 { (above / below).clamp(0.0, 1.0) } else { 0.0 };
    // The lines are closest where both derivatives of |w + s·u − t·v|² vanish; for parallel ones any s will do.
    let s = ratio(uv * vw - vv * uw, uu * vv - uv * uv);
    // The closest t for that s, and then the closest s for that t: with one of them clamped, the other one moves.
    let t = ratio(s * uv + vw, vv);
    let s = ratio(t * uv - uw, uu);
    (s, t)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn triangle() -> impl Strategy<Value = [DVec3; 3]> {
        // Whole numbers make parallel edges, shared planes and touching corners common.
        let coordinate = prop_oneof![(-2..3i32).prop_map(f64::from), -2.0..2.0f64];
        prop::array::uniform3(prop::array::uniform3(coordinate).prop_map(DVec3::from_array))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        /// Against many points of both.
        #[test]
        fn no_two_points_are_nearer(a in triangle(), b in triangle()) {
            let found = closest_between(&a, &b);
            let n = 12;
            let points = |of: &[DVec3; 3]| {
                let mut all = Vec::new();
                for i in 0..=n {
                    for j in 0..=n - i {
                        let (s, t) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
                        all.push(of[0] + (of[1] - of[0]) * s + (of[2] - of[0]) * t);
                    }
                }
                all
            };
            let (on_a, on_b) = (points(&a), points(&b));
            let sampled = on_a.iter().flat_map(|p| on_b.iter().map(|q| p.distance(*q))).fold(f64::INFINITY, f64::min);
            let distance = found.squared.sqrt();
            prop_assert!(distance <= sampled + 1e-12, "{distance} {sampled}");
            // Samples are within a step of any point of each.
            let longest = |of: &[DVec3; 3]| of[0].distance(of[1]).max(of[1].distance(of[2])).max(of[2].distance(of[0]));
            prop_assert!(distance >= sampled - (longest(&a) + longest(&b)) / f64::from(n) - 1e-12);
            prop_assert!((found.on_a.distance(found.on_b) - distance).abs() < 1e-9);
        }

        /// The same points whichever comes first.
        #[test]
        fn order_does_not_matter(a in triangle(), b in triangle()) {
            let (one, two) = (closest_between(&a, &b), closest_between(&b, &a));
            prop_assert!((one.squared.sqrt() - two.squared.sqrt()).abs() < 1e-7);
        }
    }

    #[test]
    fn crossing_triangles_are_at_no_distance() {
        let floor = [DVec3::new(-1.0, -1.0, 0.0), DVec3::new(2.0, -1.0, 0.0), DVec3::new(-1.0, 2.0, 0.0)];
        let wall = [DVec3::new(0.0, 0.0, -1.0), DVec3::new(0.2, 0.0, -1.0), DVec3::new(0.1, 0.1, 1.0)];
        let found = closest_between(&floor, &wall);
        assert_eq!(found.squared, 0.0);
        assert!(found.on_a.z.abs() < 1e-15);
        let above = wall.map(|p| p + DVec3::Z * 1.25);
        assert!((closest_between(&floor, &above).squared.sqrt() - 0.25).abs() < 1e-15);
    }
}
