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
        let end = away.length() + parts[farthest].radius;
        if end == 0.0 {
            break;
        }
        let length = away.length();
        if length > 0.0 {
            center += away * (end / length / f64::from(step + 2)).min(1.0);
        }
    }
    best.1
}

fn farthest(center: DVec3, parts: &[Sphere]) -> (f64, usize) {
    let mut found = (f64::NEG_INFINITY, 0);
    for (k, part) in parts.iter().enumerate() {
        let reach = center.distance(part.center) + part.radius;
        if reach > found.0 {
            found = (reach, k);
        }
    }
    found
}

/// A radius with which a ball around `center` contains all parts, exactly.
pub(super) fn radius_around(center: DVec3, parts: &[Sphere]) -> f64 {
    let (reach, _) = farthest(center, parts);
    // Differences, squares, sums and the root are off by a few 2⁻⁵³ each; 2⁻⁵⁰ is eight of them.
    reach * (1.0 + 2f64.powi(-49))
}

/// The least `f32` that is not below.
pub(super) fn rounded_up(value: f64) -> f32 {
    let near = value as f32;
    if f64::from(near) < value { near.next_up() } else { near }
}
