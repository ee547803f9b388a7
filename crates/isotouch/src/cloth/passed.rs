//! Whether something went through a sheet.
//!
//! Particles and places on edges are kept off bodies, faces between them are not: what is smaller than the gaps, or stretches them until it is, gets through. That cannot be held without breaking
//! something else, but it can be told: a point within the body is then on the other side of a triangle.

use glam::DVec3;

use super::Cloth;

/// Halvings of the time at which a point is in the plane of a triangle: to 10⁻⁹ of a substep.
const HALVINGS: usize = 30;
/// How far outside a triangle counts as in it, in parts of it, so that nothing slips through between two: rounding of that time.
const BESIDE: f64 = 1e-6;

impl Cloth {
    /// Whether a point that went straight on in the last substep went through it.
    pub(crate) fn is_passed(&self, from: DVec3, to: DVec3) -> bool {
        let Some(mesh) = self.mesh() else { return false };
        let (low, high) = (from.min(to), from.max(to));
        mesh.triangles().iter().any(|&triangle| {
            let start = triangle.map(|i| self.before[i as usize]);
            let end = triangle.map(|i| self.places[i as usize]);
            let corners = || start.iter().chain(&end);
            let reaches = |k: usize| corners().any(|x| x[k] >= low[k]) && corners().any(|x| x[k] <= high[k]);
            (0..3).all(reaches) && crosses(start, end, (from, to))
        })
    }
}

/// Whether a point changes the side of a triangle within it, both going straight on.
fn crosses(start: [DVec3; 3], end: [DVec3; 3], (from, to): (DVec3, DVec3)) -> bool {
    // The corners as seen from the point.
    let at = |t: f64| [0, 1, 2].map(|k| start[k].lerp(end[k], t) - from.lerp(to, t));
    let volume = |[a, b, c]: [DVec3; 3]| a.dot(b.cross(c));
    let is_above = volume(at(0.0)) > 0.0;
    if is_above == (volume(at(1.0)) > 0.0) {
        return false;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if (volume(at(middle)) > 0.0) == is_above { low = middle } else { high = middle }
    }
    let [a, b, c] = at(high);
    let normal = (b - a).cross(c - a);
    let least = -BESIDE * normal.length_squared();
    [a.cross(b), b.cross(c), c.cross(a)].iter().all(|part| part.dot(normal) >= least)
}
