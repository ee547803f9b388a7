//! Parts that start in contact: when have they come apart?
//!
//! A contact that is let pass lasts until the surfaces are farther apart than asked for by more than the tolerance, with neither part
//! in the other. From pose to pose one goes only as far as no such time can be missed. Triangles that cross go on crossing until an end of an edge
//! comes to the other triangle, or the edge to one of its sides, so while they move less than that they do. Surfaces d apart are still near until they
//! moved by what is missing, and a part inside stays inside until it has moved by its distance from the surface.

use glam::{DAffine3, DVec3};

use super::containment::Lie;
use super::looks::Pair;
use super::{ContactKind, PathChecker};
use crate::math::{Motion, Pose};
use crate::mesh::triangle_pair::{closest_between, closest_on_segments};

/// Least step, in tolerances: a time at which the parts are apart by less than this beyond the tolerance may be missed.
const STEP: f64 = 0.5;
/// Poses that are looked at before it is given up: seconds to minutes.
const MOST_POSES: u32 = 1 << 20;
/// Crossing pairs that are looked at for one that will last.
const PAIRS: usize = 32;

/// From when on a path can be checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Apart {
    /// In this leg, at this time.
    From(usize, f64),
    /// They never come apart.
    Never,
    /// Not known: it was given up in this leg at this time.
    GivenUp(usize, f64),
}

impl PathChecker<'_> {
    /// When parts that start in contact have come apart.
    pub(super) fn apart(&self, path: &[Pose]) -> Apart {
        let mut poses = 0;
        for (leg, ends) in path.windows(2).enumerate() {
            let motion = self.motion(ends[0], ends[1]);
            let speed = self.moving.pace(&motion).fastest();
            let mut t = 0.0;
            while t < 1.0 {
                if poses == MOST_POSES || self.is_cancelled() {
                    return Apart::GivenUp(leg, t);
                }
                poses += 1;
                let Some(room) = self.room_in_contact(&motion, t) else { return Apart::From(leg, t) };
                // A motion of no length takes an infinite step.
                let step = room.max(STEP * self.tolerance) / speed;
                let goes_on = t + step > t;
                if !goes_on {
                    return Apart::GivenUp(leg, t);
                }
                t += step;
            }
        }
        Apart::Never
    }

    /// How far the moving part may go with the contact surely lasting; `None` if there is none.
    fn room_in_contact(&self, motion: &Motion, t: f64) -> Option<f64> {
        let place = motion.frame_from_body(t);
        let near_enough = self.options.clearance + self.tolerance;
        match self.lie(&place, near_enough) {
            Lie::Apart => None,
            Lie::Contact(near, ContactKind::Surface | ContactKind::Cap) if near.distance > 0.0 => {
                Some(near_enough - near.distance)
            }
            Lie::Contact(_, ContactKind::Surface | ContactKind::Cap) => {
                Some(near_enough + self.lasting(&place))
            }
            Lie::Contact(..) | Lie::Unknown(_) => {
                Some(self.nearest_at(&place, f64::INFINITY).map_or(0.0, |near| near.distance))
            }
        }
    }

    /// How far a part that crosses the other may go and some pair of triangles surely cross still.
    fn lasting(&self, place: &DAffine3) -> f64 {
        let mut longest: f64 = 0.0;
        let mut seen = 0;
        self.any_crossing(place, |placed, pair: &Pair| {
            longest = longest.max(crossing_room(placed, &self.fixed.corners[pair.triangle as usize]));
            seen += 1;
            seen == PAIRS
        });
        longest
    }
}

/// How far either of two triangles may move and still cross the other; 0 where they only touch.
fn crossing_room(a: &[DVec3; 3], b: &[DVec3; 3]) -> f64 {
    let of_edges = |edges: &[DVec3; 3], of: &[DVec3; 3]| {
        (0..3).map(|k| edge_room([edges[k], edges[(k + 1) % 3]], of)).fold(0.0, f64::max)
    };
    of_edges(a, b).max(of_edges(b, a))
}

/// The same of an edge through a triangle.
fn edge_room([p, q]: [DVec3; 2], triangle: &[DVec3; 3]) -> f64 {
    let distance = |a: &[DVec3; 3]| closest_between(a, triangle).squared.sqrt();
    if distance(&[p, q, q]) > 0.0 {
        return 0.0;
    }
    let to_sides = (0..3).map(|k| {
        let [a, b] = [triangle[k], triangle[(k + 1) % 3]];
        let (s, t) = closest_on_segments([p, q], [a, b]);
        (p + s * (q - p)).distance(a + t * (b - a))
    });
    to_sides.fold(distance(&[p, p, p]).min(distance(&[q, q, q])), f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_through_a_triangle_stays_there_as_long_as_said() {
        let floor = [DVec3::new(-4.0, -1.0, 0.0), DVec3::new(4.0, -1.0, 0.0), DVec3::new(0.0, 5.0, 0.0)];
        let post = |height: f64, depth: f64| [DVec3::new(0.0, 0.0, height), DVec3::new(0.0, 0.0, -depth)];
        assert!((edge_room(post(3.0, 0.5), &floor) - 0.5).abs() < 1e-12, "its lower end");
        assert!((edge_room(post(3.0, 3.0), &floor) - 1.0).abs() < 1e-12, "a side of the triangle");
        assert_eq!(edge_room(post(3.0, -0.5), &floor), 0.0, "above it");
    }
}
