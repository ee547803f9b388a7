//! What a mesh encloses, by its triangles alone, however they are wound.
//!
//! A triangle with a free edge separates nothing: one walks around that edge. So triangles with free edges are peeled off until none is left,
//! and what remains is closed: each of its components encloses something by itself, whatever else there is. How often it winds around a
//! point, or for one whose triangles do not agree on its outside whether it does so at all, rays tell: they leave it one time more
//! than they enter it, or cross it an odd number of times. What was peeled off may still enclose something but for slits, as meshes do
//! whose edges do not match; there the solid angle that it covers tells, and where that and rays do not agree, nothing is told.

use std::collections::BTreeMap;

use glam::DVec3;

use super::bvh::Bvh;
use super::edges::{EdgeUse, EdgeUses, distinct, is_unbalanced};
use super::sets::Sets;
use super::triangle_pair::closest_between;
use super::{TriMesh, welded, winding_number};
use crate::math::Aabb;
use crate::math::random::unit;

/// Rays that are asked. Fewer would take an open mesh for closed; more take longer.
const RAYS: usize = 15;
/// How many of them may be wrong about something closed, for they meet an edge or a corner within rounding.
const MOST_WRONG: usize = 2;
/// Winding numbers no farther from a whole number than this are those of a mesh that is closed but for slits.
const SLITS: f64 = 0.05;

/// Winding numbers above this are those of something that is open to less than an eighth of all directions: a solid with a piece missing, or a deep cover. A cube without one of
/// its faces has 5/6 in its middle, and is a cover; larger than 0.9 takes a ball without a tenth of its surface for one.
const NEARLY_CLOSED: f64 = 0.875;

/// Where a point is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Inside,
    Outside,
    /// Triangles do not tell.
    Unknown,
}

/// How a closed component is put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// As many triangles run along every edge one way as the other: winding numbers are whole.
    Oriented,
    /// An even number of triangles at every edge: rays agree on odd or even.
    Even,
    /// Walls branch.
    Branching,
}

/// What was peeled off.
const LOOSE: u32 = u32::MAX;
/// Triangles without area, and those that lie on another one.
const LEFT_OUT: u32 = u32::MAX - 1;

/// The components of a mesh that enclose something.
#[derive(Debug)]
pub(crate) struct Enclosure {
    /// Of every triangle.
    component: Vec<u32>,
    kinds: Vec<Kind>,
    loose: Option<TriMesh>,
}

/// What one ray found of one component.
#[derive(Debug, Clone, Copy, Default)]
struct Crossings {
    /// Times that it leaves, less those that it enters.
    winding: i32,
    count: u32,
}

impl Enclosure {
    pub(crate) fn new(mesh: &TriMesh) -> Self {
        let mut triangles = welded(mesh).triangles().to_vec();
        leave_out_doubles(&mut triangles, mesh.vertices().len());
        let uses = EdgeUses::of(&triangles, mesh.vertices().len());
        let edges: Vec<&[EdgeUse]> = uses.iter().collect();
        let is_left = peeled(triangles.len(), &edges);
        let mut sets = Sets::new(mesh.vertices().len());
        for (&[a, b, c], _) in triangles.iter().zip(&is_left).filter(|(_, left)| **left) {
            sets.join(a, b);
            sets.join(a, c);
        }
        let mut numbers = BTreeMap::new();
        let mut component = vec![LEFT_OUT; triangles.len()];
        for (t, corners) in triangles.iter().enumerate() {
            if is_left[t] {
                let next = numbers.len() as u32;
                component[t] = *numbers.entry(sets.find(corners[0])).or_insert(next);
            } else if distinct(corners) {
                component[t] = LOOSE;
            }
        }
        let mut kinds = vec![Kind::Oriented; numbers.len()];
        for edge in edges {
            let left: Vec<EdgeUse> = edge.iter().filter(|of| is_left[of.triangle()]).copied().collect();
            let Some(first) = left.first() else { continue };
            let kind = match (is_unbalanced(&left), left.len() % 2) {
                (false, _) => Kind::Oriented,
                (true, 0) => Kind::Even,
                (true, _) => Kind::Branching,
            };
            let of = &mut kinds[component[first.triangle()] as usize];
            *of = kind.max(*of);
        }
        let loose: Vec<[u32; 3]> =
            (0..triangles.len()).filter(|&t| component[t] == LOOSE).map(|t| triangles[t]).collect();
        let loose = (!loose.is_empty()).then(|| mesh.with_triangles(loose));
        Self { component, kinds, loose }
    }

    /// Where a point is that is not on the surface. `bvh` is that of the mesh.
    pub(crate) fn side(&self, mesh: &TriMesh, bvh: &Bvh, p: DVec3) -> Side {
        let found = self.crossings(mesh, bvh, p);
        match self.side_of_closed(mesh, bvh, &found) {
            Side::Outside => self.side_of_loose(p, found.get(&LOOSE)),
            told => told,
        }
    }

    /// The same with nothing enclosed by what is open.
    pub(crate) fn side_of_closed_parts(&self, mesh: &TriMesh, bvh: &Bvh, p: DVec3) -> Side {
        self.side_of_closed(mesh, bvh, &self.crossings(mesh, bvh, p))
    }

    /// What rays from a point found, of every component that any of them met.
    fn crossings(&self, mesh: &TriMesh, bvh: &Bvh, p: DVec3) -> BTreeMap<u32, [Crossings; RAYS]> {
        let mut found: BTreeMap<u32, [Crossings; RAYS]> = BTreeMap::new();
        for k in 0..RAYS {
            let at = 3 * k as u64;
            let direction = DVec3::new(unit(1, at), unit(1, at + 1), unit(1, at + 2)) - 0.5;
            for crossing in bvh.ray_crossings(mesh, p, direction) {
                let component = self.component[crossing.triangle as usize];
                if component != LEFT_OUT && crossing.t > 0.0 {
                    let of = &mut found.entry(component).or_default()[k];
                    of.winding += if crossing.entering { -1 } else { 1 };
                    of.count += 1;
                }
            }
        }
        found
    }

    fn side_of_closed(&self, mesh: &TriMesh, bvh: &Bvh, found: &BTreeMap<u32, [Crossings; RAYS]>) -> Side {
        // Those around the point, and how often they all wind around it.
        let (mut around, mut winding, mut is_oriented, mut is_known) = (Vec::new(), 0, true, true);
        for (&component, rays) in found.iter().filter(|(component, _)| **component != LOOSE) {
            let kind = self.kinds[component as usize];
            let is_odd = |ray: &Crossings| (ray.count % 2) as i32;
            let times = match kind {
                Kind::Oriented => agreed(rays.map(|ray| ray.winding), MOST_WRONG),
                Kind::Even => agreed(rays.map(|ray| is_odd(&ray)), MOST_WRONG),
                // Where the point sees out, nothing is around it.
                Kind::Branching if rays.iter().any(|ray| ray.count == 0) => Some(0),
                Kind::Branching => agreed(rays.map(|ray| is_odd(&ray)), 0).filter(|odd| *odd == 1),
            };
            match times {
                None => is_known = false,
                Some(0) => {}
                Some(times) => {
                    around.push(component);
                    winding += times;
                    is_oriented &= kind == Kind::Oriented;
                }
            }
        }
        match around.len() {
            _ if !is_known => Side::Unknown,
            0 => Side::Outside,
            _ if is_oriented && winding != 0 => Side::Inside,
            // Solid within solid, or a cavity: where orientation does not tell, an odd number is solid either way.
            count if !is_oriented => {
                if count % 2 == 1 {
                    Side::Inside
                } else {
                    Side::Unknown
                }
            }
            // Wound against each other: a cavity, unless they cross.
            _ => {
                let crosses = |a: usize, b: usize| self.do_cross(mesh, bvh, around[a], around[b]);
                let any_cross = (0..around.len()).any(|a| (0..a).any(|b| crosses(a, b)));
                if any_cross { Side::Unknown } else { Side::Outside }
            }
        }
    }

    /// What encloses but for slits encloses.
    fn side_of_loose(&self, p: DVec3, rays: Option<&[Crossings; RAYS]>) -> Side {
        let (Some(loose), Some(rays)) = (&self.loose, rays) else { return Side::Outside };
        let winding = winding_number(loose, p).abs();
        let is_whole = (winding - winding.round()).abs() < SLITS;
        let is_odd = |ray: &Crossings| ray.count % 2 == 1;
        if (is_whole && winding > 0.5) || rays.iter().all(is_odd) {
            Side::Inside
        } else if winding > NEARLY_CLOSED {
            Side::Unknown
        } else if rays.iter().any(|ray| ray.count == 0) || (is_whole && !rays.iter().any(is_odd)) {
            Side::Outside
        } else {
            Side::Unknown
        }
    }

    /// Whether triangles of two components have a point in common.
    fn do_cross(&self, mesh: &TriMesh, bvh: &Bvh, a: u32, b: u32) -> bool {
        let of_a = (0..self.component.len()).filter(|&t| self.component[t] == a);
        of_a.map(|t| mesh.corners(t)).any(|corners| {
            let Aabb { min, max } = Aabb::of_points(corners);
            bvh.any_in_box(min, max, |other| {
                self.component[other as usize] == b
                    && closest_between(&corners, &mesh.corners(other as usize)).squared == 0.0
            })
        })
    }
}

/// The number that all rays tell but for a few.
fn agreed(told: [i32; RAYS], wrong: usize) -> Option<i32> {
    let share = |number: i32| told.iter().filter(|of| **of == number).count();
    told.into_iter().find(|&number| share(number) + wrong >= RAYS)
}

/// Which triangles are left when those with a free edge were taken away, again and again.
fn peeled(count: usize, edges: &[&[EdgeUse]]) -> Vec<bool> {
    let mut is_left = vec![false; count];
    let mut edges_of = vec![[0; 3]; count];
    for (number, edge) in edges.iter().enumerate() {
        for of in *edge {
            is_left[of.triangle()] = true;
            edges_of[of.triangle()][of.side()] = number;
        }
    }
    let mut uses: Vec<usize> = edges.iter().map(|edge| edge.len()).collect();
    let mut free: Vec<usize> = (0..edges.len()).filter(|&edge| uses[edge] == 1).collect();
    while let Some(edge) = free.pop() {
        let Some(last) = edges[edge].iter().map(|of| of.triangle()).find(|&t| is_left[t]) else { continue };
        is_left[last] = false;
        for other in edges_of[last] {
            uses[other] -= 1;
            if uses[other] == 1 {
                free.push(other);
            }
        }
    }
    is_left
}

/// Leaves out triangles that have the corners of another one, by giving them one corner thrice: a surface that is there twice, once each
/// way, winds around nothing. Where that makes walls branch, the two bound two solids that share a wall, and stay.
fn leave_out_doubles(triangles: &mut [[u32; 3]], vertices: usize) {
    let sorted_corners = |t: usize, of: &[[u32; 3]]| {
        let mut corners = of[t];
        corners.sort_unstable();
        corners
    };
    let mut order: Vec<usize> = (0..triangles.len()).collect();
    order.sort_by_key(|&t| sorted_corners(t, triangles));
    let is_same = |a: &usize, b: &usize| sorted_corners(*a, triangles) == sorted_corners(*b, triangles);
    let doubles: Vec<usize> = order.chunk_by(is_same).flat_map(|same| &same[1..]).copied().collect();
    if doubles.is_empty() {
        return;
    }
    let mut single = triangles.to_vec();
    for &t in &doubles {
        single[t] = [single[t][0]; 3];
    }
    let mut sets = Sets::new(vertices);
    for &[a, b, c] in triangles.iter() {
        sets.join(a, b);
        sets.join(a, c);
    }
    let mut branches = vec![false; vertices];
    for edge in EdgeUses::of(&single, vertices).iter().filter(|edge| edge.len() > 2 && edge.len() % 2 == 1) {
        branches[sets.find(edge[0].ends()[0]) as usize] = true;
    }
    for t in doubles {
        if !branches[sets.find(triangles[t][0]) as usize] {
            triangles[t] = single[t];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;

    fn cube(size: f64) -> TriMesh {
        shapes::cuboid(DVec3::splat(size)).unwrap()
    }

    fn moved(mesh: TriMesh, by: DVec3) -> TriMesh {
        mesh.mapped(|p| p + by).unwrap()
    }

    fn joined(parts: &[TriMesh]) -> TriMesh {
        let empty = TriMesh::new(Vec::new(), Vec::new()).unwrap();
        parts.iter().fold(empty, |all, part| {
            let first = all.vertices().len() as u32;
            let triangles: Vec<[u32; 3]> = part.triangles().iter().map(|t| t.map(|v| v + first)).collect();
            all.with_more(part.vertices(), &triangles).unwrap()
        })
    }

    fn without(mesh: &TriMesh, first: usize) -> TriMesh {
        mesh.with_triangles(mesh.triangles()[first..].to_vec())
    }

    fn plate() -> TriMesh {
        let corners = [DVec3::new(-3.0, -3.0, 1.5), DVec3::new(3.0, -3.0, 1.5), DVec3::new(0.0, 3.0, 1.5)];
        TriMesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap()
    }

    fn side(mesh: &TriMesh, p: DVec3) -> Side {
        Enclosure::new(mesh).side(mesh, &Bvh::new(mesh), p)
    }

    const NEAR: DVec3 = DVec3::new(0.11, 0.07, 0.05);

    #[test]
    fn closed_parts_enclose_whatever_else_there_is() {
        let flipped_face = cube(2.0).with_flipped(&[0, 1]);
        let both_ways = joined(&[cube(2.0), cube(2.0).flipped()]);
        let finned = {
            let mesh = joined(&[cube(2.0), plate()]);
            // A fin along an edge of the cube.
            let far = mesh.vertices().len() as u32;
            mesh.with_more(
                &[DVec3::new(5.0, 5.0, 1.0)],
                &[[mesh.triangles()[0][0], mesh.triangles()[0][1], far]],
            )
            .unwrap()
        };
        let walled = joined(&[cube(2.0), moved(cube(2.0), DVec3::X * 2.0)]);
        let cases = [
            ("a cube", cube(2.0)),
            ("one wound inward", cube(2.0).flipped()),
            ("one with a flipped face", flipped_face),
            ("one wound both ways", both_ways),
            ("one beside a plate", joined(&[cube(2.0), plate()])),
            ("one with a fin", finned),
            ("one that shares a wall", walled),
            ("one within another", joined(&[cube(2.0), cube(3.0)])),
            ("one torn from its neighbours", {
                let mesh = cube(2.0);
                let corners: Vec<DVec3> =
                    (0..12).flat_map(|t| mesh.corners(t).map(|p| p * (1.0 + 1e-9 * t as f64))).collect();
                TriMesh::new(corners, (0..12).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()).unwrap()
            }),
        ];
        for (name, mesh) in cases {
            assert_eq!(side(&mesh, NEAR), Side::Inside, "{name}");
            assert_eq!(side(&mesh, DVec3::new(-4.0, 0.3, 0.2)), Side::Outside, "{name}");
        }
    }

    #[test]
    fn cavities_and_open_parts_enclose_nothing() {
        let hollow = joined(&[cube(2.0), cube(1.0).flipped()]);
        assert_eq!(side(&hollow, NEAR), Side::Outside);
        assert_eq!(side(&hollow, DVec3::new(0.7, 0.1, 0.2)), Side::Inside);
        assert_eq!(side(&without(&cube(2.0), 2), NEAR), Side::Outside);
        assert_eq!(side(&plate(), NEAR), Side::Outside);
        // Open, and closed around the same point.
        assert_eq!(side(&joined(&[without(&cube(4.0), 2), cube(2.0)]), NEAR), Side::Inside);
    }

    #[test]
    fn what_triangles_do_not_tell_is_not_told() {
        // Wound inward and sticking out: a hole to some, a bar to others.
        let bar = shapes::cuboid(DVec3::new(0.5, 0.5, 6.0)).unwrap().flipped();
        let crossed = joined(&[cube(2.0), bar]);
        assert_eq!(side(&crossed, NEAR), Side::Unknown);
        assert_eq!(side(&crossed, DVec3::new(0.1, 0.1, 2.0)), Side::Inside);
        // A cavity or a solid within a solid: a face of each is flipped.
        let nested = joined(&[cube(2.0).with_flipped(&[0]), cube(1.0).with_flipped(&[0])]);
        assert_eq!(side(&nested, NEAR), Side::Unknown);
        // A ball without a tenth of its surface may be broken; half of one is a bowl.
        let cut = |height: f64| {
            let ball = shapes::sphere(1.0, 1280).unwrap();
            let is_below = |t: &usize| ball.corners(*t).iter().sum::<DVec3>().z < 3.0 * height;
            ball.with_triangles(
                (0..ball.triangles().len()).filter(is_below).map(|t| ball.triangles()[t]).collect(),
            )
        };
        assert_eq!(side(&cut(0.8), NEAR), Side::Unknown);
        assert_eq!(side(&cut(0.4), NEAR), Side::Outside);
        assert_eq!(side(&nested, DVec3::new(0.7, 0.1, 0.2)), Side::Inside);
    }
}
