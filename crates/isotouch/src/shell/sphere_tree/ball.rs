//! Small balls around points and balls.

use glam::DVec3;

use super::Sphere;

/// Steps towards the farthest: the radius is then within some percent of the least one (Bădoiu & Clarkson 2003 show 1/steps).
/// Fewer makes spheres larger and culling worse; more takes longer and changes nothing that one could measure.
const STEPS: u32 = 24;

/// The middle of a ball, not much larger than necessary, around `parts`, of which there is at least one.
pub(super) fn middle(parts: &[Sphere]) -> DVec3 {
    let mut center = parts.iter().map(|part| part.center).sum::<DVec3>() / parts.len() as f64;
    let mut best = (f64::INFINITY, center);
    for step in 0..STEPS {
        let (reach, farthest) = farthest(center, parts);
        if reach < best.0 {
            best = (reach, center);
        }
        // Towards the far end of the farthest ball, less and less.
        let away = parts[farthest].center - center;
        let length = distance(center, parts[farthest].center);
        let end = length + parts[farthest].radius;
        if end == 0.0 {
            break;
        }
        if length > 0.0 {
            center += away * (end / length / f64::from(step + 2)).min(1.0);
        }
    }
    best.1
}

fn farthest(center: DVec3, parts: &[Sphere]) -> (f64, usize) {
    let mut found = (f64::NEG_INFINITY, 0);
    for (k, part) in parts.iter().enumerate() {
        let reach = distance(center, part.center) + part.radius;
        if reach > found.0 {
            found = (reach, k);
        }
    }
    found
}

/// Coordinates below which squares lose digits, or all, to underflow, and 2⁶⁰⁰, which brings them back.
const TINY: f64 = 1e-140;
const UP: f64 = f64::from_bits((1023 + 600) << 52);

/// The distance of two places, exact but for a few 2⁻⁵³ of it and the least number there is.
fn distance(a: DVec3, b: DVec3) -> f64 {
    let apart = b - a;
    if apart.abs().max_element() < TINY { (apart * UP).length() / UP } else { apart.length() }
}

/// A radius with which a ball around `center` contains all parts, exactly.
pub(super) fn radius_around(center: DVec3, parts: &[Sphere]) -> f64 {
    let (reach, _) = farthest(center, parts);
    // Differences, squares, sums and the root are off by a few 2⁻⁵³ each; 2⁻⁴⁹ is sixteen of them. Where numbers end, by the least there is.
    (reach * (1.0 + 2f64.powi(-49))).next_up()
}

/// The least `f32` that is not below.
pub(super) fn rounded_up(value: f64) -> f32 {
    let near = value as f32;
    if f64::from(near) < value { near.next_up() } else { near }
}
