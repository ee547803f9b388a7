//! The hierarchy against brute force: every closest point, bound and ray crossing.

// The helpers of a test are tests too.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod oracle;

use isotouch::math::{Aabb, DVec3};
use isotouch::mesh::shapes::{self, cuboid, sphere};
use isotouch::mesh::{Bvh, Feature, TriMesh};
use oracle::meshes::{joined, mesh, moved, overlapping_spheres, self_crossing_tube};
use oracle::random::Random;
use oracle::{Soup, closest_on_triangle};
use proptest::prelude::*;

/// What the triangle formula promises: a few 2⁻⁵³ of |p − A| + |AB|, wherever the origin is. Sixteen, since the
/// measured worst is about three.
fn tolerance(p: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    16.0 * 2f64.powi(-53) * (p.distance(a) + a.distance(b).max(b.distance(c)).max(c.distance(a)))
}

/// Contract: the point of the mesh closest to `p`, the triangle it lies on, and the feature of that triangle.
fn check_closest(mesh: &TriMesh, soup: &Soup, bvh: &Bvh, p: DVec3) {
    let found = bvh.closest_point(p).unwrap_or_else(|| panic!("nothing is closest to {p}"));
    let (_, expected) = soup.closest(p);
    let corners = mesh.corners(found.triangle as usize);
    let tolerance = tolerance(p, corners);
    let off = (found.distance - expected.distance).abs();
    assert!(off <= tolerance, "{p}: {} for {}, off by {off:e}", found.distance, expected.distance);
    // Computing the point itself rounds in the mesh's coordinates.
    let rounding = tolerance + 4.0 * f64::EPSILON * found.point.abs().max_element();
    assert!((found.point.distance(p) - found.distance).abs() <= rounding, "{p}: {found:?}");
    let there = closest_on_triangle(found.point, corners);
    assert!(there.distance <= rounding, "{p}: the point is {:e} off its triangle", there.distance);
    let onto_feature = match found.feature {
        Feature::Face => 0.0,
        Feature::Edge(k) => {
            let (from, to) = (corners[k as usize], corners[(k as usize + 1) % 3]);
            closest_on_triangle(found.point, [from, to, to]).distance
        }
        Feature::Corner(k) => found.point.distance(corners[k as usize]),
    };
    assert!(onto_feature <= rounding, "{p}: {found:?} is {onto_feature:e} off its feature");
    let own = closest_on_triangle(p, corners);
    // On a sliver several features lie in one place, and each is right.
    let longest = corners[0]
        .distance(corners[1])
        .max(corners[1].distance(corners[2]))
        .max(corners[2].distance(corners[0]));
    let area = (corners[1] - corners[0]).cross(corners[2] - corners[0]).length();
    if area > 1e-4 * longest * longest && own.clear_by > 1e-6 {
        assert_eq!(found.feature, own.feature, "{p}: {found:?} on {corners:?}");
    }
    assert_eq!(bvh.distance_within(p, f64::INFINITY), Some(found.distance));
}

fn check_many(name: &str, mesh: &TriMesh, seed: u64, count: usize) {
    println!("{name}");
    let (soup, bvh) = (Soup::new(mesh), Bvh::new(mesh));
    assert_eq!(bvh.triangle_count(), mesh.triangles().len());
    let bounds = mesh.bounds();
    let size = bounds.extent().max_element();
    let mut random = Random(seed);
    for k in 0..count {
        let corners = mesh.corners(random.below(mesh.triangles().len()));
        let (u, v) = (random.unit(), random.unit());
        let on_surface = corners[0].lerp(corners[1], u).lerp(corners[2], v);
        let p = match k % 6 {
            0 => random.in_box(bounds.expanded(0.3 * size)),
            1 => on_surface,
            2 => on_surface + 1e-9 * size * random.in_cube(),
            3 => on_surface + 0.02 * size * random.in_cube(),
            4 => corners[k % 3],
            _ => bounds.center() + 1e3 * size * random.in_cube(),
        };
        check_closest(mesh, &soup, &bvh, p);
    }
}

#[test]
fn closest_point_is_brute_force_on_every_shape() {
    for (k, name) in shapes::NAMES.into_iter().enumerate() {
        check_many(name, &shapes::by_name(name).unwrap(), k as u64, 240);
    }
    check_many("spheres", &overlapping_spheres(), 20, 240);
    check_many("crossing tube", &self_crossing_tube(), 21, 240);
}

/// Contract: accuracy is relative to the distance from the triangle, not from the origin.
#[test]
fn closest_point_is_brute_force_far_from_the_origin() {
    for name in ["box", "torus", "blob"] {
        let there = moved(shapes::by_name(name).unwrap(), DVec3::new(1e6, -3e6, 2e6));
        check_many(name, &there, 7, 240);
    }
}

#[test]
fn closest_point_is_brute_force_at_any_scale() {
    for scale in [1e-20, 1e-6, 1e6, 1e20] {
        for name in ["box", "cone", "tube"] {
            let scaled = shapes::by_name(name).unwrap().mapped(|v| v * scale).unwrap();
            check_many(&format!("{name} × {scale:e}"), &scaled, 8, 120);
        }
    }
}

#[test]
fn a_single_triangle_a_segment_and_a_point() {
    let corners = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    check_many("triangle", &mesh(&corners, &[[0, 1, 2]]), 1, 600);
    let line = [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [3.0, 3.0, 3.0]];
    for order in [[0, 1, 2], [1, 2, 0], [0, 2, 1]] {
        check_many("collinear", &mesh(&line, &[order]), 2, 200);
    }
    check_many("two corners in one", &mesh(&line, &[[0, 0, 1]]), 3, 200);
    check_many("point", &mesh(&line, &[[1, 1, 1]]), 4, 200);
}

#[test]
fn nothing_is_closest_without_triangles_or_to_no_point() {
    let empty = Bvh::new(&TriMesh::default());
    assert_eq!(empty.closest_point(DVec3::ZERO), None);
    assert_eq!(empty.distance_within(DVec3::ZERO, 1.0), None);
    assert!(empty.ray_crossings(&TriMesh::default(), DVec3::ZERO, DVec3::X).is_empty());
    let bvh = Bvh::new(&cuboid(DVec3::ONE).unwrap());
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(bvh.closest_point(DVec3::new(0.0, bad, 0.0)), None);
    }
}

/// Contract: `None` only for a mesh without triangles or a point that is not finite.
#[test]
fn very_far_points_have_a_closest_point() {
    let bvh = Bvh::new(&cuboid(DVec3::ONE).unwrap());
    for far in [1e10, 1e40, 1e100, 1e150] {
        let found = bvh.closest_point(DVec3::new(far, 0.0, 0.0)).unwrap();
        assert!((found.distance / far - 1.0).abs() < 1e-9, "{far:e}: {found:?}");
    }
}

/// Contract: found if nearer than the bound, and only then.
#[test]
fn bounds_are_respected_just_above_and_just_below() {
    let torus = shapes::by_name("torus").unwrap();
    let bvh = Bvh::new(&torus);
    let mut random = Random(5);
    for _ in 0..500 {
        let p = random.in_cube();
        let whole = bvh.closest_point(p).unwrap();
        let (above, below) = (whole.distance * (1.0 + 1e-12), whole.distance * (1.0 - 1e-12));
        assert_eq!(bvh.closest_point_within(p, above), Some(whole));
        assert_eq!(bvh.distance_within(p, above), Some(whole.distance));
        assert_eq!(bvh.closest_point_within(p, below), None);
        assert_eq!(bvh.distance_within(p, below), None);
        assert_eq!(bvh.distance_within(p, 0.0), None);
    }
}

/// Contract: nothing is nearer than a negative distance.
#[test]
fn a_negative_or_undefined_bound_finds_nothing() {
    let bvh = Bvh::new(&cuboid(DVec3::ONE).unwrap());
    for bound in [-1.0, -1e300, f64::NEG_INFINITY, f64::NAN] {
        assert_eq!(bvh.closest_point_within(DVec3::ZERO, bound), None, "{bound}");
        assert_eq!(bvh.distance_within(DVec3::ZERO, bound), None, "{bound}");
    }
}

/// Triangles that are hard to measure: on a lattice (ties), slivers, segments, points, of any scale, anywhere.
fn soups() -> impl Strategy<Value = (TriMesh, Vec<DVec3>)> {
    let corner = prop_oneof![
        prop::array::uniform3((-2i32..=2).prop_map(f64::from)),
        prop::array::uniform3(-2.0..2.0f64)
    ]
    .prop_map(DVec3::from_array);
    let triangle = (prop::array::uniform3(corner.clone()), 0..6u8, -1.0..2.0f64, -14..-2i32).prop_map(
        |([a, b, c], kind, along, height)| match kind {
            0 => [a, a, a],
            1 => [a, b, b],
            2 => [a, b, a.lerp(b, along)],
            3 => [a, b, a.lerp(b, along) + 10f64.powi(height) * c],
            _ => [a, b, c],
        },
    );
    let triangles = prop::collection::vec(triangle, 1..40);
    let points = prop::collection::vec(corner, 1..20);
    let scale = prop_oneof![Just(1.0), Just(1e-20), Just(1e20), Just(1e-3)];
    let place =
        prop_oneof![Just(DVec3::ZERO), Just(DVec3::new(1e6, 1e6, -1e6)), Just(DVec3::new(0.0, 0.0, 1e3))];
    (triangles, points, scale, place).prop_map(|(triangles, points, scale, place)| {
        let put = |v: DVec3| (v + place) * scale;
        let vertices = triangles.iter().flatten().map(|&v| put(v)).collect();
        let indices = (0..triangles.len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        (TriMesh::new(vertices, indices).unwrap(), points.into_iter().map(put).collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..Default::default() })]

    #[test]
    fn closest_point_is_brute_force_on_any_soup((mesh, points) in soups()) {
        let (soup, bvh) = (Soup::new(&mesh), Bvh::new(&mesh));
        for p in points {
            check_closest(&mesh, &soup, &bvh, p);
        }
    }
}

/// How often a ray leaves the mesh less how often it enters: how often the mesh winds around the ray's origin.
fn net_crossings(bvh: &Bvh, mesh: &TriMesh, origin: DVec3, direction: DVec3) -> i32 {
    bvh.ray_crossings(mesh, origin, direction).iter().map(|c| if c.entering { -1 } else { 1 }).sum()
}

/// Contract: crossings by increasing t, each on its triangle and on the ray; closed meshes are entered as often as left.
#[test]
fn rays_wind_as_the_solid_angle_says() {
    let mut meshes: Vec<TriMesh> =
        shapes::NAMES.into_iter().map(|name| shapes::by_name(name).unwrap()).collect();
    meshes.extend([
        overlapping_spheres(),
        self_crossing_tube(),
        cuboid(DVec3::ONE).unwrap().flipped(),
        joined(&[sphere(0.5, 320).unwrap(), sphere(0.3, 320).unwrap().flipped()]),
    ]);
    let mut random = Random(6);
    for mesh in &meshes {
        let (soup, bvh) = (Soup::new(mesh), Bvh::new(mesh));
        let bounds = mesh.bounds().expanded(0.1);
        for _ in 0..100 {
            let origin = random.in_box(bounds);
            let winding = soup.winding(origin);
            assert!((winding - winding.round()).abs() < 1e-6, "{origin}: winding {winding}");
            for _ in 0..3 {
                let direction = random.in_cube();
                let crossings = bvh.ray_crossings(mesh, origin, direction);
                assert!(crossings.is_sorted_by(|a, b| a.t <= b.t));
                for c in &crossings {
                    let at = origin + c.t * direction;
                    let off = closest_on_triangle(at, mesh.corners(c.triangle as usize)).distance;
                    assert!(c.t >= 0.0 && off < 1e-9, "{c:?} is {off:e} off its triangle");
                }
                let net = net_crossings(&bvh, mesh, origin, direction);
                assert_eq!(f64::from(net), winding.round(), "{origin} {direction}: {crossings:?}");
            }
        }
    }
}

/// Contract: a ray through an edge or corner counts once, in any direction.
#[test]
fn rays_through_edges_and_corners_of_a_box() {
    let unit = cuboid(DVec3::ONE).unwrap();
    let bvh = Bvh::new(&unit);
    let steps = [-2.0, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 2.0];
    let lattice = |steps: &[f64]| -> Vec<DVec3> {
        let mut all = Vec::new();
        for &x in steps {
            for &y in steps {
                all.extend(steps.iter().map(|&z| DVec3::new(x, y, z)));
            }
        }
        all
    };
    for origin in lattice(&steps) {
        let outermost = origin.abs().max_element();
        if outermost == 0.5 {
            // On the surface, inside and outside are both right.
            continue;
        }
        let expected = i32::from(outermost < 0.5);
        for direction in lattice(&[-2.0, -1.0, 0.0, 1.0, 3.0]) {
            if direction != DVec3::ZERO {
                let net = net_crossings(&bvh, &unit, origin, direction);
                assert_eq!(net, expected, "from {origin} along {direction}");
            }
        }
    }
}

/// The same through every vertex and edge midpoint of round shapes, where the corner is hit to the last bit or nearly.
#[test]
fn rays_aimed_at_vertices_and_edges() {
    for name in ["sphere", "cylinder", "torus", "tube"] {
        let mesh = shapes::by_name(name).unwrap();
        let bvh = Bvh::new(&mesh);
        let outside = DVec3::new(5.0, 0.25, 0.125);
        for (k, triangle) in mesh.triangles().iter().enumerate().step_by(7) {
            let corners = mesh.corners(k);
            for target in [corners[0], 0.5 * (corners[1] + corners[2])] {
                let net = net_crossings(&bvh, &mesh, outside, target - outside);
                assert_eq!(net, 0, "{name}: at {target} of {triangle:?}");
                // Along an axis the target is on the ray exactly.
                let along_axis =
                    net_crossings(&bvh, &mesh, DVec3::new(5.0, target.y, target.z), DVec3::NEG_X);
                assert_eq!(along_axis, 0, "{name}: along −x at {target} of {triangle:?}");
            }
        }
    }
}

#[test]
fn rays_without_direction_cross_nothing() {
    let unit = cuboid(DVec3::ONE).unwrap();
    let bvh = Bvh::new(&unit);
    let bad = [DVec3::ZERO, DVec3::NAN, DVec3::INFINITY, DVec3::new(1.0, f64::NAN, 0.0)];
    for direction in bad {
        assert!(bvh.ray_crossings(&unit, DVec3::ZERO, direction).is_empty());
    }
    assert!(bvh.ray_crossings(&unit, DVec3::NAN, DVec3::X).is_empty());
    let behind = bvh.ray_crossings(&unit, DVec3::new(2.0, 0.1, 0.2), DVec3::X);
    assert!(behind.is_empty(), "a ray has no crossings behind it: {behind:?}");
    let far = Aabb::new(DVec3::splat(-1.0), DVec3::splat(1.0)).center() - DVec3::X * 1e9;
    assert_eq!(bvh.ray_crossings(&unit, far + DVec3::new(0.0, 0.1, 0.2), DVec3::X).len(), 2);
}
