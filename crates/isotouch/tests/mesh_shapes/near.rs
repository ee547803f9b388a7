//! How near two meshes come, and where one crosses another or itself: by looking at all edges.

use std::collections::BTreeSet;

use isotouch::math::DVec3;
use isotouch::mesh::{Bvh, TriMesh};

/// Each edge once.
fn edges(mesh: &TriMesh) -> Vec<[u32; 2]> {
    let all = mesh.triangles().iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    all.map(|[a, b]| [a.min(b), a.max(b)]).collect::<BTreeSet<_>>().into_iter().collect()
}

/// How many pairs of an edge of one mesh and a triangle of the other pass through each other.
pub(crate) fn crossings(one: &TriMesh, other: &TriMesh) -> usize {
    let through = |edges_of: &TriMesh, solid: &TriMesh| -> usize {
        let bvh = Bvh::new(solid);
        let ends = edges(edges_of).into_iter().map(|edge| edge.map(|v| edges_of.vertices()[v as usize]));
        ends.map(|[a, b]| {
            bvh.ray_crossings(solid, a, b - a).iter().filter(|crossing| crossing.t <= 1.0).count()
        })
        .sum()
    };
    through(one, other) + through(other, one)
}

/// How many edges of a mesh pass through triangles that they have no corner in common with.
pub(crate) fn self_crossings(mesh: &TriMesh) -> usize {
    let bvh = Bvh::new(mesh);
    let is_apart = |edge: [u32; 2], triangle: u32| {
        mesh.triangles()[triangle as usize].iter().all(|corner| !edge.contains(corner))
    };
    edges(mesh)
        .into_iter()
        .map(|edge| {
            let [a, b] = edge.map(|v| mesh.vertices()[v as usize]);
            let met = bvh.ray_crossings(mesh, a, b - a);
            met.iter().filter(|met| met.t <= 1.0 && is_apart(edge, met.triangle)).count()
        })
        .sum()
}

/// The least distance of two meshes that do not cross: of a corner and a triangle, or of two edges.
pub(crate) fn least_distance(one: &TriMesh, other: &TriMesh) -> f64 {
    let ends = |mesh: &TriMesh| -> Vec<[DVec3; 2]> {
        edges(mesh).into_iter().map(|edge| edge.map(|v| mesh.vertices()[v as usize])).collect()
    };
    let (these, those) = (ends(one), ends(other));
    let mut least = of_corners(one, other);
    for &[a, b] in &these {
        let (middle, reach) = (0.5 * (a + b), 0.5 * a.distance(b));
        for &[c, d] in &those {
            // Too far apart to matter.
            if (0.5 * (c + d)).distance(middle) - reach - 0.5 * c.distance(d) < least {
                least = least.min(of_segments([a, b], [c, d]));
            }
        }
    }
    least
}

/// The least distance of a corner, or one of some places along edges, of one mesh and the other mesh. Not below the least distance.
pub(crate) fn least_distance_of_places(one: &TriMesh, other: &TriMesh, per_edge: u32) -> f64 {
    let along = |places_on: &TriMesh, solid: &TriMesh| {
        let bvh = Bvh::new(solid);
        let mut least = of_corners(one, other);
        for edge in edges(places_on) {
            let [a, b] = edge.map(|v| places_on.vertices()[v as usize]);
            for k in 1..per_edge {
                let place = a.lerp(b, f64::from(k) / f64::from(per_edge));
                least = bvh.distance_within(place, least).unwrap_or(least);
            }
        }
        least
    };
    along(one, other).min(along(other, one))
}

fn of_corners(one: &TriMesh, other: &TriMesh) -> f64 {
    let to = |corners_of: &TriMesh, solid: &TriMesh| {
        let bvh = Bvh::new(solid);
        let mut least = f64::INFINITY;
        for &corner in corners_of.vertices() {
            least = bvh.distance_within(corner, least).unwrap_or(least);
        }
        least
    };
    to(one, other).min(to(other, one))
}

/// The distance of two segments: where both are nearest to each other's lines, or at an end of one.
fn of_segments([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> f64 {
    let to_segment = |p: DVec3, [a, b]: [DVec3; 2]| {
        let t = (p - a).dot(b - a) / (b - a).length_squared();
        p.distance(a.lerp(b, t.clamp(0.0, 1.0)))
    };
    let ends = [to_segment(a, [c, d]), to_segment(b, [c, d]), to_segment(c, [a, b]), to_segment(d, [a, b])];
    let mut least = ends.into_iter().fold(f64::INFINITY, f64::min);
    let (u, v, w) = (b - a, d - c, c - a);
    let across = u.cross(v);
    let squared = across.length_squared();
    // Parallel ones are as near at an end.
    if squared > 1e-24 * u.length_squared() * v.length_squared() {
        let s = w.cross(v).dot(across) / squared;
        let t = w.cross(u).dot(across) / squared;
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            least = least.min(w.dot(across).abs() / squared.sqrt());
        }
    }
    least
}
