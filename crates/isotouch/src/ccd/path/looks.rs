//! Looking at one patch, for one pose or for a time.

use glam::{DAffine3, DVec3};

use super::parts::{Pace, Patch};
use super::{Near, PathChecker};
use crate::math::Aabb;
use crate::math::Motion;
use crate::mesh::triangle_pair::{ClosestPair, closest_between};
use crate::mesh::unit_normal;
use crate::shell::Sphere;

/// Triangles that no plane of the two keeps away from one, beyond which a part of it, or of the time, is looked at instead.
const MANY: usize = 64;
/// Places on the way of a sphere that are asked about in each direction from its middle. Fewer leaves more to be cut into pieces; more are spent on those that come
/// near something anyway.
const MOST_STEPS: usize = 8;

/// A part of a motion, and where the body is at its beginning, halfway and at its end.
pub(super) struct Time {
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) at: [DAffine3; 3],
    pub(super) pace: Pace,
    /// How far places are rounded at most.
    rounding: f64,
}

impl Time {
    pub(super) fn new(motion: &Motion, pace: Pace, (start, end): (f64, f64), rounding: f64) -> Self {
        let at = [start, 0.5 * (start + end), end].map(|t| motion.frame_from_body(t));
        Self { start, end, at, pace, rounding }
    }

    pub(super) fn middle(&self) -> f64 {
        0.5 * (self.start + self.end)
    }

    /// How far a point at a radius ([`Pace`]) is from where it is halfway, at most.
    #[inline]
    pub(super) fn way(&self, radius: f64) -> f64 {
        self.pace.speed.at(radius) * 0.5 * (self.end - self.start) + self.rounding
    }

    /// Whether a way is hardly more than rounding, so that halving the time helps no more.
    pub(super) fn is_rounding(&self, way: f64) -> bool {
        way < 4.0 * self.rounding
    }

    /// How far its path is from its chord at most.
    #[inline]
    fn sagitta(&self, radius: f64) -> f64 {
        let duration = self.end - self.start;
        self.pace.acceleration.at(radius) * duration * duration / 8.0 + self.rounding
    }
}

/// What a look at a triangle over a time told.
pub(super) enum Look {
    /// Nothing comes nearer than the target.
    Clear,
    /// Not proven; the nearest pair halfway, if anything is near then.
    Unclear(Option<Pair>),
    /// There is so much around it that it was not looked at.
    Crowded,
}

/// Two triangles at a pose.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub(super) closest: ClosestPair,
    /// Of the fixed part.
    pub(super) triangle: u32,
}

impl Pair {
    pub(super) fn distance(&self) -> f64 {
        self.closest.squared.sqrt()
    }
}

impl PathChecker<'_> {
    /// Whether the surface is farther from a point than a bound, by the field or by the mesh.
    #[inline]
    pub(super) fn is_farther(&self, p: DVec3, bound: f64, asks_mesh: bool) -> bool {
        // What is not finite proves nothing.
        let can_tell = p.is_finite() && bound.is_finite() && bound >= 0.0;
        if !can_tell {
            return false;
        }
        // A field that leaves out triangles of the mesh knows nothing about those.
        if self.fixed.field.hides_triangles() {
            return self.fixed.bvh.distance_within(p, bound).is_none();
        }
        self.fixed.field.lower_bound_by_node(p) > bound
            || self.fixed.field.lower_bound(p) > bound
            || (asks_mesh && self.fixed.bvh.distance_within(p, bound).is_none())
    }

    /// Whether all of a sphere of the moving part stays `target` away during a time, by the field: from where it is farther, its middle may go on
    /// for as long as that takes it nearer. Its points are within its radius of the middle, and that within the sagitta of its chord.
    pub(super) fn stays_clear(&self, sphere: &Sphere, time: &Time, target: f64) -> bool {
        if self.fixed.field.hides_triangles() {
            return false;
        }
        let [from, _, to] = time.at.map(|place| place.transform_point3(sphere.center));
        let needed = target + sphere.radius + time.sagitta(time.pace.radius(sphere.center));
        let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
        let length = half.length();
        // How much farther than needed the solid is, over the way; a hair less, for rounding. What is no number is not clear.
        let clear = |part: f64| {
            let place = middle + part * half;
            let by_node = self.fixed.field.lower_bound_by_node(place);
            let bound = if by_node > needed { by_node } else { self.fixed.field.lower_bound(place) };
            (bound - needed) * (1.0 - 1e-9)
        };
        // Either NaN or not above 0 ends it.
        let first = clear(0.0);
        let goes_to = |end: f64| {
            let mut gone = first;
            for _ in 0..MOST_STEPS {
                if gone >= length {
                    return true;
                }
                let next = clear(end * gone / length);
                let is_clear = next > 0.0;
                if !is_clear {
                    return false;
                }
                gone += next;
            }
            gone >= length
        };
        length.is_finite() && needed.is_finite() && first > 0.0 && goes_to(-1.0) && goes_to(1.0)
    }

    /// Looks at a triangle during a time: do all triangles of the other part stay `target` away?
    pub(super) fn look(&self, patch: &Patch, time: &Time, target: f64) -> Look {
        let placed = time.at.map(|place| patch.corners.map(|corner| place.transform_point3(corner)));
        let radius = time.pace.radius_of_patch(patch);
        let (sagitta, way) = (time.sagitta(radius), time.way(radius));
        let swept = Aabb::of_points(placed[0].into_iter().chain(placed[2])).expanded(sagitta + target);
        // A few products of lengths within reach; normals are unit vectors but for some 2⁻⁵³.
        let rounding = 1e-14 * (swept.extent().length() + self.fixed.longest_edge);
        let room = Room { sagitta, way, target: target + rounding };
        let normal = unit_normal(placed[1]);
        let mut found = Look::Clear;
        let mut nearest: Option<Pair> = None;
        let mut seen = 0;
        let is_crowded = self.fixed.bvh.any_in_box(swept.min, swept.max, |triangle| {
            let other = self.fixed.corners[triangle as usize];
            if !meets(&swept, &other) {
                return false;
            }
            // The plane of either keeps most pairs apart, and is soon tried.
            if separates(self.fixed.normals[triangle as usize], &placed, &other, &room)
                || separates(normal, &placed, &other, &room)
            {
                return false;
            }
            seen += 1;
            if seen > MANY && patch.sphere.radius.max(way) > sagitta + target + self.tolerance {
                return true;
            }
            let closest = closest_between(&placed[1], &other);
            if nearest.is_none_or(|nearest| closest.squared < nearest.closest.squared) {
                nearest = Some(Pair { closest, triangle });
            }
            if !stays_apart(&placed, &other, &closest, &room) {
                found = Look::Unclear(None);
            }
            false
        });
        match found {
            _ if is_crowded => Look::Crowded,
            Look::Clear => Look::Clear,
            _ => Look::Unclear(nearest),
        }
    }

    /// The nearest two points of the surfaces at a pose, if nearer than `bound`.
    pub(super) fn nearest_at(&self, place: &DAffine3, bound: f64) -> Option<Near> {
        let moving = self.moving;
        let mut best: Option<Pair> = None;
        let mut reach = bound;
        let mut waiting: Vec<u32> = if moving.patches.is_empty() { Vec::new() } else { vec![0] };
        while let Some(node) = waiting.pop() {
            let sphere = moving.spheres[node as usize];
            let center = place.transform_point3(sphere.center);
            if self.is_farther(center, reach + sphere.radius, true) {
                continue;
            }
            let children = moving.tree.children(node as usize);
            if children.is_empty() {
                for patch in &moving.patches[moving.tree.point_range(node as usize)] {
                    best = self.nearest_to(patch, place, &mut reach).or(best);
                }
                if reach == 0.0 {
                    break;
                }
            } else {
                // The one whose middle is nearest is looked at first, so that the rest is soon too far.
                let first = waiting.len();
                waiting.extend(children.map(|child| child as u32));
                let nearness = |child: &u32| {
                    let sphere = moving.spheres[*child as usize];
                    -(self.fixed.field.lower_bound(place.transform_point3(sphere.center)) - sphere.radius)
                };
                waiting[first..].sort_by(|a, b| nearness(a).total_cmp(&nearness(b)));
            }
        }
        best.map(|pair| self.near(&pair, 0.0))
    }

    /// Visits pairs of triangles that cross at a pose, until `visit` has enough.
    pub(super) fn any_crossing(&self, place: &DAffine3, mut visit: impl FnMut(&[DVec3; 3], &Pair) -> bool) {
        let moving = self.moving;
        let mut waiting: Vec<u32> = if moving.patches.is_empty() { Vec::new() } else { vec![0] };
        while let Some(node) = waiting.pop() {
            let sphere = moving.spheres[node as usize];
            if self.is_farther(place.transform_point3(sphere.center), sphere.radius, true) {
                continue;
            }
            let children = moving.tree.children(node as usize);
            if !children.is_empty() {
                waiting.extend(children.map(|child| child as u32));
                continue;
            }
            for patch in &moving.patches[moving.tree.point_range(node as usize)] {
                let placed = patch.corners.map(|corner| place.transform_point3(corner));
                let Aabb { min, max } = Aabb::of_points(placed);
                let is_enough = self.fixed.bvh.any_in_box(min, max, |triangle| {
                    let closest = closest_between(&placed, &self.fixed.corners[triangle as usize]);
                    closest.squared == 0.0 && visit(&placed, &Pair { closest, triangle })
                });
                if is_enough {
                    return;
                }
            }
        }
    }

    /// The nearest triangle to a patch at a pose, if nearer than `reach`, which then becomes its distance.
    fn nearest_to(&self, patch: &Patch, place: &DAffine3, reach: &mut f64) -> Option<Pair> {
        let corners = patch.corners.map(|corner| place.transform_point3(corner));
        let around = Aabb::of_points(corners);
        let mut best = None;
        self.fixed.bvh.nearest_first(&around, *reach, |triangle| {
            let closest = closest_between(&corners, &self.fixed.corners[triangle as usize]);
            // Not by squares: that of a tiny reach is 0.
            if closest.squared.sqrt() < *reach {
                *reach = closest.squared.sqrt();
                best = Some(Pair { closest, triangle });
            }
            *reach
        });
        best
    }

    /// A pair as people are told.
    pub(super) fn near(&self, pair: &Pair, t: f64) -> Near {
        let ClosestPair { on_a, on_b, .. } = pair.closest;
        let distance = pair.distance();
        let is_cap = self.fixed.is_cap(pair.triangle);
        // Where they cross, out of the field's solid; else from point to point.
        let normal = (on_a - on_b).try_normalize().or_else(|| self.fixed.field.normal(on_b));
        Near { t, distance, point: on_a, normal, is_cap }
    }
}

/// Whether a triangle's own box meets another.
#[inline]
fn meets(around: &Aabb, [a, b, c]: &[DVec3; 3]) -> bool {
    let (low, high) = (a.min(*b).min(*c), a.max(*b).max(*c));
    low.cmple(around.max).all() && high.cmpge(around.min).all()
}

/// What a corner may do during a time, and what is to be kept.
struct Room {
    /// How far it is off its chord at most.
    sagitta: f64,
    /// How far it goes from where it is halfway at most.
    way: f64,
    /// With rounding.
    target: f64,
}

/// Whether two triangles keep a distance during a time, of which the first one's corners are known at the beginning, halfway and at the end.
///
/// Along any unit vector n, the distance is at least the gap between the two: min n·a − max n·b. A corner is within the sagitta of
/// its chord, and n·a is least at an end of that. Or it is within its way of where it was halfway.
fn stays_apart(placed: &[[DVec3; 3]; 3], other: &[DVec3; 3], halfway: &ClosestPair, room: &Room) -> bool {
    let Some(n) = (halfway.on_a - halfway.on_b).try_normalize() else { return false };
    let from = halfway.on_b;
    let least = |corners: &[DVec3; 3]| corners.iter().map(|a| n.dot(*a - from)).fold(f64::INFINITY, f64::min);
    let most = other.iter().map(|b| n.dot(*b - from)).fold(f64::NEG_INFINITY, f64::max);
    let along_chords = least(&placed[0]).min(least(&placed[2])) - room.sagitta;
    let within_way = least(&placed[1]) - room.way;
    along_chords.max(within_way) - most > room.target
}

/// Whether a plane with that normal, either way round, keeps two triangles apart during a time; never for no normal.
#[inline]
fn separates(n: DVec3, placed: &[[DVec3; 3]; 3], other: &[DVec3; 3], room: &Room) -> bool {
    let from = other[0];
    let [mut low, mut high] = [f64::INFINITY, f64::NEG_INFINITY];
    for a in placed[0].iter().chain(&placed[2]) {
        let at = n.dot(*a - from);
        (low, high) = (low.min(at), high.max(at));
    }
    let (b, c) = (n.dot(other[1] - from), n.dot(other[2] - from));
    let gap = (low - b.max(c).max(0.0)).max(b.min(c).min(0.0) - high);
    gap - room.sagitta > room.target
}
