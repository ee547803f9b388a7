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

/// The largest distance, over a triangle, to the nearest of three points, and where it is. An upper bound, rounding included, as long as
/// points are not more than some thousand times as far away as the triangle is large: it exceeds the largest distance by about a billionth of the
/// triangle, or where points are very close to each other for how far they are from it, by up to a ten-thousandth of the distance.
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

/// A convex polygon: a triangle that was cut at most twice. That leaves five corners; but where rounding has bent its outline a plane may seem to
/// cross it more often, which from the four corners after one cut makes eight at most: one for each, and one for each side.
#[derive(Clone, Copy)]
struct Polygon {
    corners: [DVec3; 8],
    count: usize,
}

impl Polygon {
    fn new([a, b, c]: [DVec3; 3]) -> Self {
        Self { corners: [a, b, c, c, c, c, c, c], count: 3 }
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

    fn add(&mut self, corner: DVec3) {
        self.corners[self.count] = corner;
        self.count += 1;
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

#[cfg(test)]
mod tests {
    use dashu_ratio::RBig;

    use super::*;
    use crate::math::random::unit;

    type Exact = [RBig; 3];

    fn exact(p: DVec3) -> Exact {
        p.to_array().map(|c| RBig::try_from(c).unwrap())
    }

    /// |a − b|².
    fn squared(a: &Exact, b: &Exact) -> RBig {
        (0..3).fold(RBig::ZERO, |sum, k| {
            let apart = a[k].clone() - b[k].clone();
            sum + apart.clone() * apart
        })
    }

    /// The square of the largest distance: cells cut without rounding.
    fn most_squared(corners: [DVec3; 3], sites: [DVec3; 3]) -> RBig {
        let sites = sites.map(exact);
        let mut most = RBig::ZERO;
        for site in &sites {
            let mut cell = corners.map(exact).to_vec();
            for other in &sites {
                let beyond = |x: &Exact| squared(x, site) - squared(x, other);
                let mut part = Vec::new();
                for (k, corner) in cell.iter().enumerate() {
                    let next = &cell[(k + 1) % cell.len()];
                    let (here, there) = (beyond(corner), beyond(next));
                    if here <= RBig::ZERO {
                        part.push(corner.clone());
                    }
                    if (here <= RBig::ZERO) != (there <= RBig::ZERO) {
                        let along = here.clone() / (here - there);
                        let lerp = |axis: usize| {
                            let step = next[axis].clone() - corner[axis].clone();
                            corner[axis].clone() + along.clone() * step
                        };
                        part.push([0, 1, 2].map(lerp));
                    }
                }
                cell = part;
            }
            most = cell.iter().map(|corner| squared(corner, site)).fold(most, RBig::max);
        }
        most
    }

    #[test]
    fn most_between_is_an_upper_bound_and_close() {
        for k in 0..600 {
            let at = |j: u64| {
                let draw = |axis: u64| 2.0 * unit(3 * j + axis, k) - 1.0;
                DVec3::new(draw(0), draw(1), draw(2))
            };
            let corners = [at(0), at(1), at(2)];
            let [a, b, c] = corners;
            // Anywhere; on the triangle; far from it and close together; two that are one; at corners; all but halfway.
            let sites = match k % 6 {
                0 => [at(3), at(4), at(5)],
                1 => [0.3 * a + 0.7 * b, (a + b + c) / 3.0, 0.9 * c + 0.1 * a],
                2 => [3, 4, 5].map(|j| 50.0 * at(6) + 1e-3 * at(j)),
                3 => [at(3), at(3), at(4)],
                4 => [a, b, c],
                _ => {
                    let across = (b - a).cross(c - a);
                    [a + across, a - across, a - (1.0 + 1e-12) * across]
                }
            };
            let (bound, place) = most_between(corners, sites);
            let most = most_squared(corners, sites);
            let bound_squared = RBig::try_from(bound).unwrap();
            assert!(bound_squared.clone() * bound_squared >= most, "{k}: {bound}");
            let largest = most.to_f64().value().sqrt();
            assert!(bound <= largest * (1.0 + 1e-4) + 1e-8, "{k}: {bound} {largest}");
            let nearest = sites.map(|site| site.distance(place)).into_iter().fold(f64::INFINITY, f64::min);
            assert!((nearest - largest).abs() <= 1e-4 * largest + 1e-8, "{k}: {nearest} {largest}");
        }
    }
}
