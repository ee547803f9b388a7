//! Distances between surfaces, against formulas and brute force.

// The helpers of a test are tests too.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod oracle;

use std::sync::atomic::AtomicBool;

use isotouch::math::DVec3;
use isotouch::mesh::{
    Bracket, CompareError, CompareOptions, Comparison, TriMesh, compare, compare_until, shapes,
};
use oracle::Soup;
use oracle::meshes::{mesh, moved};
use oracle::random::Random;

/// Compares, and checks what must hold of every comparison.
fn checked(a: &TriMesh, b: &TriMesh, tolerance: f64) -> Comparison {
    let options = CompareOptions { tolerance: Some(tolerance), samples: 20_000, ..Default::default() };
    let found = compare(a, b, &options).unwrap();
    assert!(found.is_within_tolerance() && found.tolerance == tolerance);
    for (way, to) in [(found.forward, b), (found.backward, a)] {
        let Bracket { lower, upper } = way.hausdorff;
        assert!(lower <= upper && upper - lower <= tolerance, "{lower} {upper}");
        assert!(way.mean <= way.rms && way.rms <= upper, "{way:?}");
        let there = Soup::new(to).distance(way.farthest);
        let reach = [a, b].map(TriMesh::bounds).map(|b| b.min.abs().max(b.max.abs()).max_element());
        let below = there - lower;
        assert!((0.0..3e-14 * reach[0].max(reach[1])).contains(&below), "{there} {lower}");
    }
    found
}

#[track_caller]
fn assert_holds(bracket: Bracket, exact: f64) {
    assert!(bracket.lower <= exact && exact <= bracket.upper, "{exact} is not in {bracket:?}");
}

/// Polyhedra between spheres: radius r at the corners, and r less the sagitta in the middle of the faces.
#[test]
fn concentric_spheres() {
    let (small, large) = (shapes::sphere(1.0, 1_280).unwrap(), shapes::sphere(1.5, 5_120).unwrap());
    let inner_radius = |mesh: &TriMesh| Soup::new(mesh).distance(DVec3::ZERO);
    let (inner_small, inner_large) = (inner_radius(&small), inner_radius(&large));
    let found = checked(&small, &large, 1e-3);
    for way in [found.forward, found.backward] {
        assert!(way.hausdorff.lower <= 1.5 - inner_small && way.hausdorff.upper >= inner_large - 1.0);
        assert!(way.mean >= inner_large - 1.0 && way.mean <= 1.5 - inner_small, "{}", way.mean);
        assert!(way.rms - way.mean < 1e-3);
    }
    // The middle of a face of the small one is farthest from the large one.
    assert!(found.forward.hausdorff.upper > inner_large - inner_small);
}

/// A surface is nowhere apart from itself, though midpoints and samples of its triangles are rounded off them.
#[test]
fn a_surface_and_itself() {
    for (scale, place) in [(1.0, DVec3::ZERO), (1e-3, DVec3::new(5.0, -7.0, 3.0)), (1e9, DVec3::ZERO)] {
        for triangles in [320, 1_280] {
            let ball = shapes::sphere(scale, triangles).unwrap();
            let ball = moved(ball.mapped(|p| p * DVec3::new(1.0, 0.7, 0.3)).unwrap(), place);
            let found = checked(&ball, &ball, 1e-3 * scale);
            assert_eq!(found.hausdorff().lower, 0.0);
            assert_holds(found.forward.hausdorff, 0.0);
        }
    }
}

#[test]
fn translated_cubes() {
    let cube = shapes::cuboid(DVec3::ONE).unwrap();
    for (by, exact) in [
        (DVec3::new(0.3, 0.0, 0.0), 0.3),
        (DVec3::new(0.3, 0.4, 0.0), 0.5),
        (DVec3::new(3.0, 4.0, 12.0), 13.0),
        (DVec3::ZERO, 0.0),
    ] {
        // Far from the origin the same holds, to the rounding of coordinates.
        for at in [DVec3::ZERO, DVec3::new(1e4, -3e4, 2e3)] {
            let found = checked(&moved(cube.clone(), at), &moved(cube.clone(), at + by), 1e-6);
            for bracket in [found.forward.hausdorff, found.backward.hausdorff, found.hausdorff()] {
                assert_holds(bracket, exact);
            }
        }
    }
}

/// A flat patch of n × n squares; the middle corner lifted.
fn patch(n: u32, lift: f64) -> TriMesh {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for y in 0..=n {
        for x in 0..=n {
            let z = if x == n / 2 && y == n / 2 { lift } else { 0.0 };
            vertices.push([f64::from(x) / f64::from(n), f64::from(y) / f64::from(n), z]);
            if x < n && y < n {
                let k = x + (n + 1) * y;
                triangles.extend([[k, k + 1, k + n + 2], [k, k + n + 2, k + n + 1]]);
            }
        }
    }
    mesh(&vertices, &triangles)
}

/// Over a triangle with heights (h, 0, 0) the mean is h/3 and the mean square h²/6.
#[test]
fn a_bump_on_a_plane() {
    let (flat, bumped) = (patch(8, 0.0), patch(8, 0.25));
    let found = checked(&bumped, &flat, 1e-6);
    assert_holds(found.forward.hausdorff, 0.25);
    assert_eq!(found.forward.farthest, DVec3::new(0.5, 0.5, 0.25));
    let area = |t: usize| {
        let [a, b, c] = bumped.corners(t);
        0.5 * (b - a).cross(c - a).length()
    };
    let lifted = |t: &usize| bumped.corners(*t).iter().any(|p| p.z > 0.0);
    let share = (0..bumped.triangles().len()).filter(lifted).map(area).sum::<f64>() / bumped.area();
    let (mean, rms) = (share * 0.25 / 3.0, (share * 0.0625 / 6.0).sqrt());
    assert!((found.forward.mean / mean - 1.0).abs() < 0.01, "{} {mean}", found.forward.mean);
    assert!((found.forward.rms / rms - 1.0).abs() < 0.01, "{} {rms}", found.forward.rms);
    // The way back is shorter: the flank is nearer than the peak.
    assert!(found.backward.hausdorff.upper < 0.25);
}

/// No corner is far away, the middle is: samples and corners alone would not find how far.
#[test]
fn the_farthest_point_is_inside_a_triangle() {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.75f64.sqrt(), 0.0]];
    let large = mesh(&corners, &[[0, 1, 2]]);
    let tiny = 1e-9;
    let specks: Vec<[f64; 3]> =
        corners.iter().flat_map(|&[x, y, z]| [[x, y, z], [x + tiny, y, z], [x, y + tiny, z]]).collect();
    let specks = mesh(&specks, &[[0, 1, 2], [3, 4, 5], [6, 7, 8]]);
    let found = checked(&large, &specks, 1e-6);
    let exact = 1.0 / 3f64.sqrt();
    assert!(found.forward.hausdorff.lower <= exact && found.forward.hausdorff.upper >= exact - 2.0 * tiny);
    assert!(found.backward.hausdorff.upper < 1e-6);
    assert!(found.forward.farthest.distance(DVec3::new(0.5, 0.75f64.sqrt() / 3.0, 0.0)) < 1e-2);
}

/// Random triangles against each other: points on a fine grid over each triangle bound the truth from both sides.
#[test]
fn brute_force_on_small_soups() {
    let mut random = Random(7);
    for round in 0..12 {
        let mut soup = |count: u32| {
            let vertices: Vec<[f64; 3]> = (0..3 * count).map(|_| random.in_cube().to_array()).collect();
            let triangles: Vec<[u32; 3]> = (0..count).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
            mesh(&vertices, &triangles)
        };
        let (a, b) = (soup(1 + round % 4), soup(1 + round % 5));
        let found = checked(&a, &b, 1e-4);
        for (from, to, way) in [(&a, &b, found.forward), (&b, &a, found.backward)] {
            let target = Soup::new(to);
            let n = 60;
            let (mut largest, mut spacing) = (0f64, 0f64);
            let (mut sum, mut squares, mut area) = (0.0, 0.0, 0.0);
            for t in 0..from.triangles().len() {
                let [p, q, r] = from.corners(t);
                let size = (q - p).cross(r - p).length();
                let longest = p.distance(q).max(q.distance(r)).max(r.distance(p));
                spacing = spacing.max(longest / f64::from(n));
                let (mut mean, mut square, mut count) = (0.0, 0.0, 0.0);
                for i in 0..=n {
                    for j in 0..=n - i {
                        let at =
                            p + (q - p) * f64::from(i) / f64::from(n) + (r - p) * f64::from(j) / f64::from(n);
                        let d = target.distance(at);
                        largest = largest.max(d);
                        mean += d;
                        square += d * d;
                        count += 1.0;
                    }
                }
                sum += size * mean / count;
                squares += size * square / count;
                area += size;
            }
            // No point of a triangle is farther from a grid point than the grid's longest step.
            assert!(way.hausdorff.upper >= largest, "{} {largest}", way.hausdorff.upper);
            assert!(way.hausdorff.lower <= largest + spacing, "{} {largest}", way.hausdorff.lower);
            assert!((way.mean / (sum / area) - 1.0).abs() < 0.03, "{} {}", way.mean, sum / area);
            assert!((way.rms / (squares / area).sqrt() - 1.0).abs() < 0.03);
        }
    }
}

#[test]
fn threads_change_nothing_and_seeds_little() {
    let (a, b) = (shapes::by_name("blob").unwrap(), shapes::by_name("torus").unwrap());
    let options = CompareOptions { samples: 30_000, ..Default::default() };
    let on = |threads: usize, options: &CompareOptions| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| compare(&a, &b, options).unwrap())
    };
    let one = on(1, &options);
    assert!(one.is_within_tolerance());
    for threads in [2, 3, 5] {
        assert_eq!(on(threads, &options), one);
    }
    let other = on(2, &CompareOptions { seed: 2, ..options });
    assert_ne!(other.forward.mean, one.forward.mean);
    assert!((other.forward.mean / one.forward.mean - 1.0).abs() < 1e-3);
    assert!((other.forward.hausdorff.lower - one.forward.hausdorff.lower).abs() <= one.tolerance);
}

/// When the budget ends first the bracket is wide, and still holds the truth.
#[test]
fn a_small_budget_gives_a_wide_bracket() {
    let (a, b) = (shapes::by_name("blob").unwrap(), shapes::by_name("torus").unwrap());
    let truth = compare(&a, &b, &CompareOptions { tolerance: Some(1e-5), ..Default::default() }).unwrap();
    let options = CompareOptions { most_pieces: 1, tolerance: Some(1e-5), ..Default::default() };
    let wide = compare(&a, &b, &options).unwrap();
    assert!(!wide.is_within_tolerance() && truth.is_within_tolerance());
    for (wide, truth) in [(wide.forward, truth.forward), (wide.backward, truth.backward)] {
        assert!(
            wide.hausdorff.lower <= truth.hausdorff.upper && wide.hausdorff.upper >= truth.hausdorff.lower
        );
    }
}

/// Vertices that no triangle uses are no part of a surface, and triangles without area only as segments.
#[test]
fn loose_vertices_and_triangles_without_area() {
    let cube = shapes::cuboid(DVec3::ONE).unwrap();
    let mut vertices = cube.vertices().to_vec();
    vertices.push(DVec3::splat(50.0));
    let loose = TriMesh::new(vertices.clone(), cube.triangles().to_vec()).unwrap();
    assert_holds(checked(&loose, &cube, 1e-6).forward.hausdorff, 0.0);
    let last = vertices.len() as u32 - 1;
    let mut triangles = cube.triangles().to_vec();
    triangles.push([last, last, last]);
    let point = TriMesh::new(vertices, triangles).unwrap();
    let corner = DVec3::splat(50.0).distance(DVec3::splat(0.5));
    assert_holds(checked(&point, &cube, 1e-6).forward.hausdorff, corner);
}

/// Up to the largest coordinates that are taken, all numbers are finite.
#[test]
fn very_large_spheres() {
    let ball = shapes::sphere(1.0, 320).unwrap();
    let [small, large] = [0.5e75, 0.9e75].map(|radius| ball.clone().mapped(|p| radius * p).unwrap());
    let found = compare(&small, &large, &CompareOptions::default()).unwrap();
    for way in [found.forward, found.backward] {
        for d in [way.mean, way.rms, way.hausdorff.lower, way.hausdorff.upper] {
            assert!((0.35e75..0.45e75).contains(&d), "{d}");
        }
    }
}

#[test]
fn what_cannot_be_compared() {
    let cube = shapes::cuboid(DVec3::ONE).unwrap();
    let usual = CompareOptions::default();
    assert_eq!(compare(&TriMesh::default(), &cube, &usual), Err(CompareError::NoSurface { which: "first" }));
    let flat = mesh(&[[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]], &[[0, 1, 2]]);
    assert_eq!(compare(&cube, &flat, &usual), Err(CompareError::NoSurface { which: "second" }));
    let far = moved(cube.clone(), DVec3::splat(1e200));
    assert!(compare(&cube, &far, &usual).is_err());
    for size in [1e76, 1e100, 1e149, 1e155] {
        let huge = cube.clone().mapped(|p| p * size).unwrap();
        assert_eq!(compare(&cube, &huge, &usual), Err(CompareError::TooFar), "{size}");
        assert_eq!(compare(&huge, &huge, &usual), Err(CompareError::TooFar), "{size}");
    }
    assert!(CompareError::TooFar.to_string().contains("1e75"));
    // The last one is below rounding: it was searched for in vain, for a minute.
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-15] {
        let options = CompareOptions { tolerance: Some(tolerance), ..usual };
        assert!(matches!(
            compare(&cube, &cube, &options),
            Err(CompareError::BadOption { name: "tolerance", .. })
        ));
    }
    let none = CompareOptions { samples: 0, ..usual };
    assert!(matches!(compare(&cube, &cube, &none), Err(CompareError::BadOption { name: "samples", .. })));
    assert_eq!(compare_until(&cube, &cube, &usual, &AtomicBool::new(true)), Err(CompareError::Cancelled));
}
