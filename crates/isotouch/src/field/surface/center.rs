//! A vertex in the middle of a loop that diagonals alone cannot fill.

use glam::DVec3;

/// Steps of Newton's method; from the middle of a loop it takes three or four to reach rounding.
const NEWTON_STEPS: usize = 12;
/// How near to σ is on the surface, as a fraction of the largest corner value; a few roundings of a cubic's terms.
const ON_SURFACE: f64 = 1e-12;
/// Nearest to a face that the vertex may come, in cells: it must stay apart from vertices on the edges.
const MARGIN: f64 = 1e-3;
/// Bisections: enough for every bit of an `f64`.
const BISECTIONS: usize = 60;

/// A point on the surface near the middle of a loop, in coordinates of the cell, each in (0, 1). `values` are the corners' less σ.
///
/// Newton's method along the gradient from the mean of the loop's vertices; should it leave the cell or not arrive, the nearest
/// root on a line from there to a corner on the other side of σ, and one exists unless all inside corners are exactly σ:
/// then there is no surface between the vertices, and the mean has to do.
pub(super) fn point(values: &[f64; 8], edges: &[u8], at: &[DVec3; 12]) -> DVec3 {
    let mean = edges.iter().map(|&edge| at[edge as usize]).sum::<DVec3>() / edges.len() as f64;
    let mean = mean.clamp(DVec3::splat(MARGIN), DVec3::splat(1.0 - MARGIN));
    newton(values, mean).or_else(|| on_a_line(values, mean)).unwrap_or(mean)
}

fn newton(values: &[f64; 8], start: DVec3) -> Option<DVec3> {
    let largest = values.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
    let mut p = start;
    for _ in 0..NEWTON_STEPS {
        let value = value_at(values, p);
        if value.abs() <= ON_SURFACE * largest {
            return Some(p);
        }
        let gradient = gradient_at(values, p);
        // Never divides by zero: a vanishing gradient makes a step out of the cell, or NaN, which is in no range.
        p -= gradient * (value / gradient.length_squared());
        let is_inside = p.cmpge(DVec3::splat(MARGIN)).all() && p.cmple(DVec3::splat(1.0 - MARGIN)).all();
        if !is_inside {
            return None;
        }
    }
    None
}

fn on_a_line(values: &[f64; 8], start: DVec3) -> Option<DVec3> {
    let is_inside = value_at(values, start) <= 0.0;
    let roots = (0..8u32).filter_map(|k| {
        let corner = DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2));
        let (mut near, mut far) = (0.0, 1.0 - MARGIN);
        let side = |t: f64| value_at(values, start.lerp(corner, t)) <= 0.0;
        if side(far) == is_inside {
            return None;
        }
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (near + far);
            if side(middle) == is_inside { near = middle } else { far = middle }
        }
        Some(start.lerp(corner, far))
    });
    roots.min_by(|a, b| a.distance_squared(start).total_cmp(&b.distance_squared(start)))
}

fn value_at(v: &[f64; 8], p: DVec3) -> f64 {
    (0..8).map(|k| v[k] * weight(k, 0, p) * weight(k, 1, p) * weight(k, 2, p)).sum()
}

fn gradient_at(v: &[f64; 8], p: DVec3) -> DVec3 {
    let mut gradient = DVec3::ZERO;
    for k in 0..8 {
        for axis in 0..3 {
            let sign = if k >> axis & 1 != 0 { 1.0 } else { -1.0 };
            gradient[axis] += sign * v[k] * weight(k, (axis + 1) % 3, p) * weight(k, (axis + 2) % 3, p);
        }
    }
    gradient
}

fn weight(corner: usize, axis: usize, p: DVec3) -> f64 {
    if corner >> axis & 1 != 0 { p[axis] } else { 1.0 - p[axis] }
}
