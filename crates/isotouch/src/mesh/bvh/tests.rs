//! Parts of a tree, and what lies between points, against plain loops over triangles.

use proptest::prelude::*;

use super::*;

fn points(count: usize) -> impl Strategy<Value = Vec<DVec3>> {
    prop::collection::vec(prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from_array), count)
}

/// Loose triangles, each with corners of its own.
fn soup(corners: Vec<DVec3>) -> TriMesh {
    let triangles = (0..corners.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    TriMesh::new(corners, triangles).unwrap()
}

/// Whether the segment passes through the triangle, by the signs of volumes; `None` within rounding of its rim or plane.
fn passes(from: DVec3, to: DVec3, [a, b, c]: [DVec3; 3]) -> Option<bool> {
    let volume = |a: DVec3, b: DVec3, c: DVec3, d: DVec3| (b - a).cross(c - a).dot(d - a);
    let ends = [volume(a, b, c, from), volume(a, b, c, to)];
    let around = [volume(from, to, a, b), volume(from, to, b, c), volume(from, to, c, a)];
    if ends.iter().chain(&around).any(|v| v.abs() < 1e-9) {
        return None;
    }
    let one_side = |v: &[f64]| v.iter().all(|v| *v > 0.0) || v.iter().all(|v| *v < 0.0);
    Some(!one_side(&ends) && one_side(&around))
}

proptest! {
    #[test]
    fn what_is_between_two_points(corners in points(3 * 60), ends in points(80)) {
        let mesh = soup(corners);
        let bvh = Bvh::new(&mesh);
        for pair in ends.chunks(2) {
            let hits: Vec<Option<bool>> = (0..60).map(|t| passes(pair[0], pair[1], mesh.corners(t))).collect();
            if hits.iter().all(Option::is_some) {
                prop_assert_eq!(bvh.is_between(&mesh, pair[0], pair[1]), hits.contains(&Some(true)));
            }
        }
        prop_assert!(!bvh.is_between(&mesh, ends[0], ends[0]), "a point is not on both sides of anything");
    }

    /// Against distances at many points of the path.
    #[test]
    fn how_freely_a_path_passes(corners in points(3 * 12), ends in points(40), near in 0.0..0.3f64) {
        let mesh = soup(corners);
        let bvh = Bvh::new(&mesh);
        for pair in ends.chunks(2) {
            let [from, to] = [pair[0], pair[1]];
            let distance = |p: DVec3| bvh.distance_within(p, f64::INFINITY).unwrap();
            let steps = 400;
            let least = (0..=steps).map(|k| distance(from.lerp(to, f64::from(k) / f64::from(steps)))).fold(f64::INFINITY, f64::min);
            // Between two of the points it may be nearer by half a step.
            let missed = 0.5 * from.distance(to) / f64::from(steps) + 1e-9;
            let are_ends_near = distance(from).min(distance(to)) <= near + 1e-9;
            match bvh.passage(&mesh, from, to, near) {
                Passage::Walled => prop_assert!(bvh.is_between(&mesh, from, to)),
                Passage::Tight => prop_assert!(least <= near + missed && !bvh.is_between(&mesh, from, to)),
                Passage::Clear => prop_assert!(are_ends_near || least >= near - 1e-9),
            }
        }
    }

    #[test]
    fn parts_of_a_tree(corners in points(3 * 60), places in points(20), hidden in prop::collection::vec(any::<bool>(), 60)) {
        let mesh = soup(corners);
        let trees = [Bvh::of_some(&mesh, |t| !hidden[t]), Bvh::new(&mesh).without(|t| hidden[t])];
        let left: Vec<[u32; 3]> = (0..60).filter(|&t| !hidden[t]).map(|t| mesh.triangles()[t]).collect();
        let alone = Bvh::new(&TriMesh::new(mesh.vertices().to_vec(), left.clone()).unwrap());
        for tree in &trees {
            prop_assert_eq!(tree.triangle_count(), left.len());
            for &p in &places {
                let (found, truth) = (tree.closest_point(p), alone.closest_point(p));
                prop_assert_eq!(found.map(|c| c.distance), truth.map(|c| c.distance));
                prop_assert!(found.is_none_or(|c| !hidden[c.triangle as usize]));
            }
        }
    }

    /// Loose triangles in general position hang together where an edge of one passes through another.
    #[test]
    fn pieces_are_what_crosses(middles in points(60), corners in points(3 * 60)) {
        let corners = corners.iter().enumerate().map(|(k, corner)| middles[k / 3] + 0.4 * *corner).collect();
        let mesh = soup(corners);
        let mut number: Vec<usize> = (0..60).collect();
        for (a, b) in (0..60).flat_map(|a| (0..60).map(move |b| (a, b))).filter(|(a, b)| a != b) {
            let [edges, face] = [a, b].map(|t| mesh.corners(t));
            let crossings = [0, 1, 2].map(|k| passes(edges[k], edges[(k + 1) % 3], face));
            prop_assume!(crossings.iter().all(Option::is_some));
            if crossings.contains(&Some(true)) {
                let [old, new] = [number[a], number[b]];
                number.iter_mut().filter(|number| **number == old).for_each(|number| *number = new);
            }
        }
        let (found, count) = Bvh::new(&mesh).pieces(&mesh, 0.0, None).unwrap();
        for (a, b) in (0..60).flat_map(|a| (0..60).map(move |b| (a, b))) {
            prop_assert_eq!(found[a] == found[b], number[a] == number[b]);
        }
        prop_assert_eq!(found.iter().max().map(|most| most + 1), Some(count));
    }
}

/// Two rows of loose triangles, each touching the next, the last ones first: joined in this order, they once became a chain as
/// long as the row. A triangle that lies across all of one row meets all of it.
#[test]
fn pieces_of_long_rows() {
    let length = 20_000;
    let row = |y: f64| {
        (0..length).rev().flat_map(move |k| {
            let x = f64::from(k);
            [DVec3::new(x, y, 0.0), DVec3::new(x + 1.0, y, 0.0), DVec3::new(x, y + 0.5, 0.0)]
        })
    };
    let across = [[-1.0, 0.1, -1.0], [2.0 * f64::from(length), 0.1, -1.0], [-1.0, 0.1, 1.0]];
    let corners = row(0.0).chain(row(10.0)).chain(across.map(DVec3::from_array)).collect();
    let mesh = soup(corners);
    let (found, count) = Bvh::new(&mesh).pieces(&mesh, 1e-6, None).unwrap();
    let length = length as usize;
    assert_eq!(count, 2);
    assert!(found[..length].iter().all(|&piece| piece == 0));
    assert!(found[length..2 * length].iter().all(|&piece| piece == 1));
    assert_eq!(found[2 * length], 0);
}

#[test]
fn pieces_are_not_looked_for_once_told_to_stop() {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let mesh = soup(corners.into_iter().chain(corners.map(|p| p + DVec3::Z)).collect());
    let bvh = Bvh::new(&mesh);
    assert_eq!(bvh.pieces(&mesh, 0.5, Some(&false.into())), Some((vec![0, 1], 2)));
    assert_eq!(bvh.pieces(&mesh, 0.5, Some(&true.into())), None);
}
