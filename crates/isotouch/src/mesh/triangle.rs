//! Distance from points to one triangle.
//!
//! A [`PlanarTriangle`] carries an orthonormal frame in the triangle's plane: the longest edge AB along x, the apex C at
//! (u, v) with v > 0, the plane's normal along z. In that frame the distance splits into z² and a 2D distance that
//! is zero inside and otherwise the least of three segment distances. The arithmetic has no branches, so a loop over
//! eight triangles or eight points becomes vector instructions.
//!
//! Accuracy: absolute error of the distance is a few 2⁻⁵³ of |p − A| + |AB|, also for slivers: the frame is
//! orthonormalised twice, and a frame that is tilted about a sliver's long axis moves the triangle by its own
//! (tiny) height at most.

use glam::DVec3;

/// The part of a triangle that a closest point lies on. Corners and edges are numbered as the mesh lists them: edge
/// `k` runs from corner `k` to corner `k + 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// Strictly inside the triangle.
    Face,
    /// On edge `k`, between its ends.
    Edge(u8),
    /// At corner `k`.
    Corner(u8),
}

/// How many numbers describe a [`PlanarTriangle`].
pub(crate) const ROWS: usize = 18;

/// A triangle in its own frame, as 18 numbers: A, x axis, y axis, normal (three each), |AB|, u, v, 1/|BC|², 1/|CA|²,
/// and the least y that counts as inside (0; +∞ for a triangle without area, which has no inside).
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlanarTriangle(pub(crate) [f64; ROWS]);

/// A point so far along x that its squared distance from anything is +∞: fills unused lanes.
pub(crate) const NOWHERE: PlanarTriangle = PlanarTriangle([
    1e300,
    0.0,
    0.0,
    0.0,
    0.0,
    0.0,
    0.0,
    0.0,
    0.0,
    1.0,
    0.0,
    0.0,
    0.0,
    0.0,
    0.0,
    0.0,
    0.0,
    f64::INFINITY,
]);

impl PlanarTriangle {
    /// The frame of a triangle, and which of its corners is A. Triangles without area become segments or points.
    pub(crate) fn new(corners: [DVec3; 3]) -> (Self, u8) {
        let [p, q, r] = corners;
        let (pq, qr, rp) = ((q - p).length_squared(), (r - q).length_squared(), (p - r).length_squared());
        // The first of equals.
        let (longest, [a, b, c]) = if pq >= qr && pq >= rp {
            (0, [p, q, r])
        } else if qr >= rp {
            (1, [q, r, p])
        } else {
            (2, [r, p, q])
        };
        let base = (b - a).length();
        let x_axis = ((b - a) / base).try_normalize().unwrap_or(DVec3::X);
        // Twice is enough: the second pass removes what rounding left of the x axis in the first.
        let mut up = c - a;
        up -= x_axis * up.dot(x_axis);
        up -= x_axis * up.dot(x_axis);
        // A height that is all rounding has no direction: it may even point along x, and then y and z would vanish.
        // Four ulps of the base cover what the subtractions leave; such a triangle is a segment to that accuracy.
        let has_height = up.length() > 4.0 * f64::EPSILON * base;
        let y_axis = match up.try_normalize() {
            Some(y) if has_height => (y - x_axis * y.dot(x_axis)).normalize_or_zero(),
            _ => x_axis.any_orthonormal_vector(),
        };
        let normal = x_axis.cross(y_axis);
        let (u, v) = ((c - a).dot(x_axis), if has_height { (c - a).dot(y_axis).max(0.0) } else { 0.0 });
        let y_min = if v > 0.0 { 0.0 } else { f64::INFINITY };
        let reciprocal = |length_squared: f64| if length_squared > 0.0 { 1.0 / length_squared } else { 0.0 };
        let inv_bc = reciprocal((u - base) * (u - base) + v * v);
        let inv_ca = reciprocal(u * u + v * v);
        let ([ax, ay, az], [xx, xy, xz], [yx, yy, yz], [nx, ny, nz]) =
            (a.to_array(), x_axis.to_array(), y_axis.to_array(), normal.to_array());
        let rows = [ax, ay, az, xx, xy, xz, yx, yy, yz, nx, ny, nz, base, u, v, inv_bc, inv_ca, y_min];
        (Self(rows), longest as u8)
    }

    pub(crate) fn longest_edge(&self) -> f64 {
        self.0[12]
    }

    /// Closest point and the feature it lies on, `first` being the corner that is A.
    pub(crate) fn closest(&self, first: u8, p: DVec3) -> (DVec3, Feature) {
        let [ax, ay, az, xx, xy, xz, yx, yy, yz, .., base, u, v, inv_bc, inv_ca, y_min] = self.0;
        let a = DVec3::new(ax, ay, az);
        let (x_axis, y_axis) = (DVec3::new(xx, xy, xz), DVec3::new(yx, yy, yz));
        let (x, y) = ((p - a).dot(x_axis), (p - a).dot(y_axis));
        let place = |x: f64, y: f64| a + x_axis * x + y_axis * y;
        if inside(x, y, base, u, v, y_min) {
            return (place(x, y), Feature::Face);
        }
        // Each edge from its first corner: the parameter in [0, 1], and the closest point on it.
        let on_edge = |from: (f64, f64), along: (f64, f64), inv: f64| {
            let t = (((x - from.0) * along.0 + (y - from.1) * along.1) * inv).clamp(0.0, 1.0);
            (t, from.0 + t * along.0, from.1 + t * along.1)
        };
        let inv_ab = if base > 0.0 { 1.0 / (base * base) } else { 0.0 };
        let edges = [
            on_edge((0.0, 0.0), (base, 0.0), inv_ab),
            on_edge((base, 0.0), (u - base, v), inv_bc),
            on_edge((u, v), (-u, -v), inv_ca),
        ];
        let squared = |(_, ex, ey): (f64, f64, f64)| (x - ex) * (x - ex) + (y - ey) * (y - ey);
        let mut nearest = 0;
        for k in 1..3 {
            if squared(edges[k]) < squared(edges[nearest]) {
                nearest = k;
            }
        }
        let (t, ex, ey) = edges[nearest];
        let corner = |k: usize| ((first as usize + k) % 3) as u8;
        let feature = if t <= 0.0 {
            Feature::Corner(corner(nearest))
        } else if t >= 1.0 {
            Feature::Corner(corner(nearest + 1))
        } else {
            Feature::Edge(corner(nearest))
        };
        (place(ex, ey), feature)
    }
}

/// Left of all three edges, in the triangle's plane.
#[inline(always)]
fn inside(x: f64, y: f64, base: f64, u: f64, v: f64, y_min: f64) -> bool {
    (y >= y_min) & ((u - base) * y >= v * (x - base)) & (v * x >= u * y)
}

#[inline(always)]
fn clamp_between(x: f64, low: f64, high: f64) -> f64 {
    let x = if x > low { x } else { low };
    if x < high { x } else { high }
}

/// Squared distance from `p` to the triangle with the given rows. The one formula behind every stored distance: all
/// search strategies evaluate it and nothing else, so they agree to the last bit.
#[inline(always)]
pub(crate) fn distance_squared(rows: [f64; ROWS], p: [f64; 3]) -> f64 {
    let (x, y, z) = in_frame(&rows, p);
    let (squared, _, _) = to_outline(&rows, x, y);
    let in_plane = if is_inside(&rows, x, y) { 0.0 } else { squared };
    z * z + in_plane
}

/// The same squared distance, and the vector from the closest point to `p`.
#[inline(always)]
pub(crate) fn offset_from_closest(rows: [f64; ROWS], p: [f64; 3]) -> (f64, [f64; 3]) {
    let (x, y, z) = in_frame(&rows, p);
    let (squared, dx, dy) = to_outline(&rows, x, y);
    let inside = is_inside(&rows, x, y);
    let (in_plane, dx, dy) =
        (if inside { 0.0 } else { squared }, if inside { 0.0 } else { dx }, if inside { 0.0 } else { dy });
    let [.., xx, xy, xz, yx, yy, yz, nx, ny, nz, _, _, _, _, _, _] = rows;
    let offset = [dx * xx + dy * yx + z * nx, dx * xy + dy * yy + z * ny, dx * xz + dy * yz + z * nz];
    (z * z + in_plane, offset)
}

#[inline(always)]
fn in_frame(rows: &[f64; ROWS], p: [f64; 3]) -> (f64, f64, f64) {
    let [ax, ay, az, xx, xy, xz, yx, yy, yz, nx, ny, nz, ..] = *rows;
    let (qx, qy, qz) = (p[0] - ax, p[1] - ay, p[2] - az);
    (qx * xx + qy * xy + qz * xz, qx * yx + qy * yy + qz * yz, qx * nx + qy * ny + qz * nz)
}

#[inline(always)]
fn is_inside(rows: &[f64; ROWS], x: f64, y: f64) -> bool {
    let [.., base, u, v, _, _, y_min] = *rows;
    inside(x, y, base, u, v, y_min)
}

/// Squared distance from (x, y) to the triangle's outline, and the offset from the closest point on it.
#[inline(always)]
fn to_outline(rows: &[f64; ROWS], x: f64, y: f64) -> (f64, f64, f64) {
    let [.., base, u, v, inv_bc, inv_ca, _] = *rows;
    let ab = x - clamp_between(x, 0.0, base);
    let to_ab = ab * ab + y * y;

    let (ex, wx) = (u - base, x - base);
    let t = clamp_between((wx * ex + y * v) * inv_bc, 0.0, 1.0);
    let (bc_x, bc_y) = (wx - t * ex, y - t * v);
    let to_bc = bc_x * bc_x + bc_y * bc_y;

    let t = clamp_between((x * u + y * v) * inv_ca, 0.0, 1.0);
    let (ca_x, ca_y) = (x - t * u, y - t * v);
    let to_ca = ca_x * ca_x + ca_y * ca_y;

    let bc_first = to_bc < to_ca;
    let (other, other_x, other_y) = (
        if bc_first { to_bc } else { to_ca },
        if bc_first { bc_x } else { ca_x },
        if bc_first { bc_y } else { ca_y },
    );
    let ab_first = to_ab < other;
    (
        if ab_first { to_ab } else { other },
        if ab_first { ab } else { other_x },
        if ab_first { y } else { other_y },
    )
}
