//! Cells of points on a triangle: the places that are nearer to one point than to others.
//!
//! Such a cell is the triangle cut by planes halfway between points: a convex polygon. The distance to its point is largest at one
//! of its corners, for distances are convex.

use glam::DVec3;

/// Where a plane crosses a side is uncertain by 2⁻⁵³ over how much the side leaves the plane, in units of squared distances. Above this, by less than
/// 10⁻¹¹ of the side; below it, the side is not cut but kept as a whole: all of it is then as good as halfway, and distances to both
/// points differ by less than this fraction.
const FLATTEST: f64 = 1e-4;

/// What corners of cells may be off by, in sides of the triangle: a hundred times what they can be.
const UNCERTAIN: f64 = 1e-9;

/// The largest distance, over a triangle, to the nearest of three points, and where it is. An upper bound, rounding included, but exact to
/// a billionth of the triangle, or where points are very close to each other for how far they are from it, to a ten-thousandth of the distance.
pub(super) fn most_between(corners: [DVec3; 3], sites: [DVec3; 3]) -> (f64, DVec3) {
    let mut most = (f64::NEG_INFINITY, corners[0]);
    for (k, &site) in sites.iter().enumerate() {
        if sites[..k].contains(&site) {
            continue;
        }
        let mut cell = Polygon::new(corners);
        for &other in sites.iter().filter(|&&other| other != site) {
            cell = cell.nearer_to(site, other);
        }
        for &corner in cell.corners() {
            let distance = corner.distance(site);
            if distance > most.0 {
                most = (distance, corner);
            }
        }
    }
    let side = (0..3).map(|k| corners[k].distance(corners[(k + 1) % 3])).fold(0.0, f64::max);
    (most.0 + UNCERTAIN * side, most.1)
}

/// A convex polygon: a triangle that was cut at most twice.
#[derive(Clone, Copy)]
struct Polygon {
    corners: [DVec3; 5],
    count: usize,
}

impl Polygon {
    fn new([a, b, c]: [DVec3; 3]) -> Self {
        Self { corners: [a, b, c, c, c], count: 3 }
    }

    fn corners(&self) -> &[DVec3] {
        &self.corners[..self.count]
    }

    /// The part that is nearer to one point than to another. Where it is uncertain where a side leaves it, a little more.
    fn nearer_to(&self, site: DVec3, other: DVec3) -> Self {
        // |x − site|² − |x − other|² = (other − site)·(2x − site − other), at most 0 where the site is nearer.
        let beyond = |x: DVec3| (other - site).dot((x - site) + (x - other));
        let mut part = Self { corners: self.corners, count: 0 };
        for (k, &corner) in self.corners().iter().enumerate() {
            let next = self.corners()[(k + 1) % self.count];
            let (here, there) = (beyond(corner), beyond(next));
            if here <= 0.0 {
                part.add(corner);
            }
            if (here <= 0.0) != (there <= 0.0) {
                let scale = corner.distance_squared(site).max(corner.distance_squared(other));
                let is_certain = (here - there).abs() > FLATTEST * scale;
                let outside = if here <= 0.0 { next } else { corner };
                part.add(if is_certain { corner.lerp(next, here / (here - there)) } else { outside });
            }
        }
        part
    }

    /// A plane crosses the outline of a convex polygon twice, so each cut adds one corner at most; rounding could see more crossings only where all are
    /// at one place, and then the last will do for the others.
    fn add(&mut self, corner: DVec3) {
        let at = self.count.min(self.corners.len() - 1);
        self.corners[at] = corner;
        self.count = at + 1;
    }
}

/// The share of a triangle that belongs to one corner's point, `one`, where both others are nearer to `other`.
pub(super) fn share_of_one(corners: [DVec3; 3], one: DVec3, other: DVec3) -> f64 {
    let beyond = |x: DVec3| (other - one).dot((x - one) + (x - other));
    let here = beyond(corners[0]);
    // How far along a side the plane halfway crosses it; the cut-off corner has the product of two such parts of the area.
    let along = |there: f64| if there > here { (here / (here - there)).clamp(0.0, 1.0) } else { 0.5 };
    along(beyond(corners[1])) * along(beyond(corners[2]))
}
