use std::sync::atomic::AtomicUsize;

use super::*;
use crate::math::random::unit;

/// Blades around the origin, from one rim vertex to another.
fn fan(rim: Vec<DVec3>, blades: impl Iterator<Item = [u32; 2]>) -> TriMesh {
    let mut vertices = vec![DVec3::ZERO];
    vertices.extend(rim);
    TriMesh::new(vertices, blades.map(|[a, b]| [0, a + 1, b + 1]).collect()).unwrap()
}

/// A disc of triangles around its centre, as the cap of a cylinder; `lifted` makes a cone of it.
fn disc(count: u32, lifted: f64) -> TriMesh {
    let rim = (0..count).map(|k| {
        let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / f64::from(count)).sin_cos();
        DVec3::new(cos, sin, lifted)
    });
    fan(rim.collect(), (0..count).map(|k| [k, (k + 1) % count]))
}

/// Blades in all directions, some of which cross; some longer than half around, some without area.
fn tangled(count: u32) -> TriMesh {
    let random = |k: u32, at: u64| 2.0 * unit(u64::from(k), at) - 1.0;
    let point = |k: u32, at: u64| DVec3::new(random(k, at), random(k, at + 1), random(k, at + 2));
    let pair = |k: u32| {
        let (from, along) = (point(k, 0), point(k, 3));
        match k % 10 {
            0 => [from, -from + 0.1 * along],
            1 => [from, 2.0 * from],
            2 => [from, DVec3::ZERO],
            _ => [from, from + 0.2 * along],
        }
    };
    fan((0..count).flat_map(pair).collect(), (0..count).map(|k| [2 * k, 2 * k + 1]))
}

fn crossed(mesh: &TriMesh) -> Vec<bool> {
    let adjacency = Adjacency::new(mesh).0;
    crossed_triangles(mesh, &Bvh::new(mesh), &adjacency, &Execution::default()).unwrap()
}

/// By looking at all pairs with one of `others`.
fn crossed_by_any(mesh: &TriMesh, others: impl Fn(&usize) -> bool) -> Vec<bool> {
    let adjacency = Adjacency::new(mesh).0;
    let count = mesh.triangles().len();
    let crosses = |t: usize, o: usize| o != t && is_crossed(mesh, &adjacency, t.min(o), t.max(o));
    (0..count).map(|t| (0..count).filter(&others).any(|o| crosses(t, o))).collect()
}

#[test]
fn blades_of_a_fan_cross_as_if_all_pairs_were_asked() {
    let mesh = tangled(300);
    let has_area = |t: &usize| !matches!(t % 10, 1 | 2);
    let found = crossed(&mesh);
    // A blade without area that only touches others at the hub may count as crossing them, or not.
    let (surely, perhaps) = (crossed_by_any(&mesh, has_area), crossed_by_any(&mesh, |_| true));
    for t in (0..300).filter(has_area) {
        assert!((surely[t] <= found[t]) && (found[t] <= perhaps[t]), "blade {t}");
    }
    let count = |of: &[bool]| of.iter().filter(|&&is| is).count();
    assert!(count(&surely) > 50 && count(&found) < 290, "{} {}", count(&surely), count(&found));
}

#[test]
fn plain_discs_and_cones_are_not_crossed() {
    for lifted in [0.0, 0.7] {
        assert_eq!(crossed(&disc(300, lifted)), [false; 300]);
    }
}

/// Thousands of triangles around one vertex are usual at the caps of cylinders.
#[test]
fn fans_are_not_asked_pair_by_pair() {
    for mesh in [disc(4_000, 0.0), disc(4_000, 0.3)] {
        let asked = AtomicUsize::new(0);
        Bvh::new(&mesh).for_each_close_pair(
            &mesh,
            || false,
            |_, _| {
                asked.fetch_add(1, Relaxed);
            },
        );
        let asked = asked.into_inner();
        // Each with its two neighbours at least, of 8 million pairs.
        assert!((4_000..80_000).contains(&asked), "{asked}");
    }
}

#[test]
fn looking_for_crossings_stops_when_told_to() {
    let mesh = disc(300, 0.0);
    let cancel = AtomicBool::new(true);
    let execution = Execution { cancel: Some(&cancel), ..Default::default() };
    assert!(crossed_triangles(&mesh, &Bvh::new(&mesh), &Adjacency::new(&mesh).0, &execution).is_err());
}
