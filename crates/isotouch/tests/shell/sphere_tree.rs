//! The tree: every sphere holds what is below it, exactly; every point is in one leaf; the nearest is the nearest.

use dashu_ratio::RBig;
use isotouch::math::DVec3;
use isotouch::shell::SphereTree;
use isotouch::shell::sphere_tree::{FANOUT, LEAF_POINTS};
use proptest::prelude::*;

use crate::oracle::random::Random;
use crate::to_nearest;

fn exact(value: f64) -> RBig {
    RBig::try_from(value).unwrap()
}

/// |a − b|², without rounding.
fn squared(a: DVec3, b: DVec3) -> RBig {
    let along = |axis: usize| {
        let apart = exact(a[axis]) - exact(b[axis]);
        apart.clone() * apart
    };
    along(0) + along(1) + along(2)
}

/// Checks all that is promised of a tree over the points.
fn check(points: &[DVec3]) {
    let tree = SphereTree::new(points);
    let mut order = tree.order().to_vec();
    assert!(tree.order().iter().zip(tree.points()).all(|(&k, &p)| points[k as usize] == p));
    order.sort_unstable();
    assert!(order.into_iter().eq(0..points.len() as u32), "a permutation");
    if points.is_empty() {
        assert_eq!(tree.node_count(), 0);
        return;
    }
    assert_eq!(tree.point_range(0), 0..points.len());
    for node in 0..tree.node_count() {
        let sphere = tree.sphere(node);
        let range = tree.point_range(node);
        let children = tree.children(node);
        if children.is_empty() {
            assert!((1..=LEAF_POINTS).contains(&range.len()), "{} points in a leaf", range.len());
            assert!(range.len() > 1 || points.len() < 4, "leaves are not needlessly small");
            let radius_squared = exact(sphere.radius) * exact(sphere.radius);
            for &p in &tree.points()[range] {
                assert!(squared(p, sphere.center) <= radius_squared, "{p} is outside leaf {node}");
            }
        } else {
            assert_eq!(children.len(), FANOUT);
            let mut next = range.start;
            for child in children {
                let inner = tree.sphere(child);
                // |c − c'| + r' ≤ r, squared where both sides are positive.
                let room = exact(sphere.radius) - exact(inner.radius);
                assert!(room >= RBig::ZERO, "child {child} is larger than {node}");
                assert!(
                    squared(inner.center, sphere.center) <= room.clone() * room,
                    "child {child} of {node}"
                );
                assert_eq!(tree.point_range(child).start, next);
                next = tree.point_range(child).end;
            }
            assert_eq!(next, range.end);
        }
    }
    let depths: Vec<_> = (0..=tree.depth()).map(|depth| tree.nodes_at(depth)).collect();
    assert_eq!((depths[0].start, depths[depths.len() - 1].end), (0, tree.node_count()));
    assert!(depths.windows(2).all(|pair| pair[0].end == pair[1].start), "breadth first");
}

fn cloud(count: usize, scale: DVec3, offset: DVec3) -> Vec<DVec3> {
    let mut random = Random(count as u64);
    (0..count).map(|_| offset + scale * random.in_cube()).collect()
}

#[test]
fn every_sphere_holds_what_is_below_it() {
    for count in (0..70).chain([128, 129, 500, 512, 513, 2_000, 2_049]) {
        check(&cloud(count, DVec3::ONE, DVec3::ZERO));
    }
    for (scale, offset) in [
        (DVec3::new(1.0, 1e-9, 1e-3), DVec3::ZERO),
        (DVec3::ONE, DVec3::new(1e9, -3e7, 12.5)),
        (DVec3::splat(1e-8), DVec3::new(1e3, 1e3, 1e3)),
        (DVec3::splat(1e-60), DVec3::ZERO),
        (DVec3::splat(1e60), DVec3::ZERO),
        // Squares of what is below 10⁻¹⁵⁴ are less than any number but 0; and the least numbers there are.
        (DVec3::splat(1e-156), DVec3::ZERO),
        (DVec3::splat(1e-200), DVec3::ZERO),
        (DVec3::new(1e-150, 1e-170, 1e-300), DVec3::ZERO),
        (DVec3::splat(1e-310), DVec3::ZERO),
        (DVec3::splat(3e-322), DVec3::ZERO),
        (DVec3::ZERO, DVec3::new(0.1, 0.2, 0.3)),
        (DVec3::new(1.0, 0.0, 0.0), DVec3::ZERO),
    ] {
        check(&cloud(700, scale, offset));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..Default::default() })]

    #[test]
    fn spheres_hold_what_is_below_them_wherever_points_lie(
        points in prop::collection::vec(
            prop_oneof![
                (-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64),
                (-1e-12..1e-12f64, -1e6..1e6f64, Just(0.25)),
                (Just(0.5), Just(-0.5), Just(0.125)),
            ],
            0..200,
        )
    ) {
        check(&points.into_iter().map(DVec3::from).collect::<Vec<_>>());
    }
}

#[test]
fn the_nearest_point_is_the_nearest() {
    let mut random = Random(5);
    for points in
        [cloud(3_000, DVec3::ONE, DVec3::ZERO), cloud(777, DVec3::new(1.0, 1.0, 0.0), DVec3::splat(1e4))]
    {
        let tree = SphereTree::new(&points);
        let middle = points[0];
        for k in 0..500 {
            let p = middle + random.in_cube() * if k % 5 == 0 { 10.0 } else { 1.0 };
            let (index, distance) = tree.nearest(p).unwrap();
            assert_eq!(distance, p.distance(points[index as usize]));
            let least = to_nearest(&points, p);
            assert!((distance - least).abs() <= 1e-15 * p.abs().max_element(), "{distance} {least}");
        }
    }
    assert_eq!(SphereTree::new(&[]).nearest(DVec3::ZERO), None);
    assert_eq!(SphereTree::new(&[DVec3::ZERO]).nearest(DVec3::splat(f64::NAN)), None);
}

/// Clusters in clusters: counted from one origin, `f32` spheres of the inner ones would be no smaller than 2⁻²⁴ of the whole.
#[test]
fn clusters_have_spheres_as_small_as_they_are() {
    let mut points = Vec::new();
    for (scale, place) in [(1e8, 0.0), (1.0, 7e7), (1e-6, -3.0)] {
        points.extend(cloud(4_000, DVec3::splat(scale), DVec3::new(place, 0.0, 0.0)));
    }
    check(&points);
    let tree = SphereTree::new(&points);
    let leaves = tree.nodes_at(tree.depth());
    let is_loose = |&leaf: &usize| {
        let inside = &tree.points()[tree.point_range(leaf)];
        let farthest = inside.iter().map(|p| p.distance(inside[0])).fold(0.0, f64::max);
        tree.sphere(leaf).radius > 1.01 * farthest
    };
    // Only where points of two clusters share an origin, in some blocks of 64 leaves, may spheres be too large.
    let loose = leaves.clone().filter(is_loose).count();
    assert!(loose * 7 < leaves.len(), "{loose} of {}", leaves.len());
    let middle = points[points.len() - 1];
    let near = middle + DVec3::splat(1e-8);
    assert_eq!(tree.nearest(near).unwrap().1, to_nearest(&points, near));
}

/// Where a patch is flat, holding the children's spheres costs little more than holding the points; a whole ball is held by spheres around
/// quarters of it, which reach far beyond.
#[test]
fn spheres_are_not_much_larger_than_they_must_be() {
    let ball = isotouch::mesh::shapes::sphere(1.0, 20_480).unwrap();
    let tree = SphereTree::new(ball.vertices());
    for depth in 0..=tree.depth() {
        let mut ratios = 0.0;
        for node in tree.nodes_at(depth) {
            let sphere = tree.sphere(node);
            let needed = tree.points()[tree.point_range(node)].iter().map(|p| p.distance(sphere.center));
            ratios += sphere.radius / needed.fold(0.0, f64::max);
        }
        let mean = ratios / tree.nodes_at(depth).len() as f64;
        println!("depth {depth}: {mean:.3}");
        let most = if depth < 3 { 2.1 } else { 1.25 };
        assert!((1.0..most).contains(&mean), "depth {depth}: {mean}");
    }
}

#[test]
fn the_dragons_points_take_less_than_a_second() {
    let points = cloud(437_645, DVec3::ONE, DVec3::ZERO);
    let start = std::time::Instant::now();
    let tree = SphereTree::new(&points);
    println!("{} spheres over {} points in {:?}", tree.node_count(), points.len(), start.elapsed());
    assert_eq!(tree.depth(), 8);
}
