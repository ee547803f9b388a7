//! Puzzles whose every triangle is there twice, with both windings, so that orientation tells nothing.

use std::collections::{BTreeMap, BTreeSet};

use isotouch::field::SignMethod;
use isotouch::math::DVec3;

use super::check::{Hole, Model, build_and_check};

/// Closer than this to a surface nothing is said. The files have nine digits of numbers up to 500.
const SURE: f64 = 1e-4;

/// How far a point is inside a box, negative outside.
fn depth_in_box(p: DVec3, min: [f64; 3], max: [f64; 3]) -> f64 {
    (p - DVec3::from_array(min)).min(DVec3::from_array(max) - p).min_element()
}

/// In the union of boxes, unless near one of their faces.
fn in_union(depths: &[f64]) -> Option<bool> {
    let most = depths.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (most.abs() > SURE).then_some(most > 0.0)
}

/// Three bars, 11.75 thick, that meet in the corner of an L: two lie, one stands on the end of the first.
#[test]
fn three_bars() {
    let Some(mut model) = Model::read("puzzle/Twistycool_robot.obj", 112) else { return };
    model.has_buried_parts = true;
    // The bars' own directions: along the edges that leave the first vertex.
    let first = DVec3::new(251.12329, 142.75, -274.717598);
    let across = (DVec3::new(262.859899, 142.75, -274.156782) - first).normalize_or_zero();
    let along = (DVec3::new(253.414282, 142.75, -322.662893) - first).normalize_or_zero();
    build_and_check(&model, SignMethod::Soup, 6_000).has_the_signs_of(|p| {
        let q = DVec3::new(across.dot(p - first), p.y, along.dot(p - first));
        in_union(&[
            depth_in_box(q, [0.0, 142.75, 0.0], [11.75, 154.5, 48.0]),
            depth_in_box(q, [0.0, 142.75, 36.25], [55.0, 154.5, 48.0]),
            depth_in_box(q, [0.0, 142.75, 0.0], [11.75, 196.75, 11.75]),
        ])
    });
}

/// A thick wall, a floor of two slabs beside it, and between the slabs a thin wall with a window. Under the thick wall is a slot,
/// open to its side and wider than cells are, with a block in it and a sheet below it.
#[test]
fn walls_with_a_window() {
    let Some(mut model) = Model::read("puzzle/Twistycool_env.obj", 128) else { return };
    model.has_buried_parts = true;
    let (left, right, back, front) = (14.4604492, 457.960449, -504.855103, -72.8550873);
    let (middle, thin_back, thin_front) = (61.9604492, -304.105103, -293.855103);
    build_and_check(&model, SignMethod::Soup, 8_000).has_the_signs_of(|p| {
        let window = depth_in_box(p, [239.374878, 130.330994, -1e3], [287.874878, 179.580994, 1e3]);
        let thin = depth_in_box(p, [middle, -24.25, thin_back], [457.210449, 320.75, thin_front]);
        let slot = depth_in_box(p, [left, -24.25, back], [middle, -10.0, -74.6050873]);
        let block = depth_in_box(p, [left, -24.25, thin_back], [middle, -10.0, thin_front]);
        let known = in_union(&[
            depth_in_box(p, [left, -10.0, back], [middle, 321.25, -74.6050873]),
            depth_in_box(p, [middle, -24.25, back], [right, -10.0, thin_back]),
            depth_in_box(p, [middle, -24.25, thin_front], [right, -10.0, front]),
            thin.min(-window),
            block,
        ]);
        // Whether a slot is part of the solid is a matter of taste.
        known.filter(|_| slot < -SURE || block > SURE)
    });
}

/// A tube along a bent line: 29 rings of 18 corners. Along its bend, slits of up to 0.16 separate 18 strips.
struct Tube {
    /// Centres of the rings, from one open end to the other.
    line: Vec<DVec3>,
    radius: f64,
}

impl Tube {
    /// Corners across a slit are taken for one: they are closer than 0.16, and all edges are longer. From the ring of one
    /// end, the next ring is all neighbours not seen before.
    fn of(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        let first_like = |v: DVec3| vertices.iter().position(|w| w.distance(v) < 0.16).unwrap();
        let welded: Vec<usize> = vertices.iter().map(|&v| first_like(v)).collect();
        let faces: BTreeSet<[usize; 3]> = triangles
            .iter()
            .map(|t| {
                let mut face = t.map(|v| welded[v as usize]);
                face.sort_unstable();
                face
            })
            .collect();
        let mut edges: BTreeMap<[usize; 2], usize> = BTreeMap::new();
        for [a, b, c] in faces {
            for edge in [[a, b], [b, c], [a, c]] {
                *edges.entry(edge).or_default() += 1;
            }
        }
        let neighbours = |ring: &BTreeSet<usize>, only_rim: bool| -> BTreeSet<usize> {
            let used = edges.iter().filter(|(_, faces)| !only_rim || **faces == 1);
            used.filter(|([a, b], _)| ring.contains(a) != ring.contains(b))
                .map(|([a, b], _)| if ring.contains(a) { *b } else { *a })
                .collect()
        };
        let start = edges.iter().find(|(_, faces)| **faces == 1).unwrap().0[0];
        let mut ring = BTreeSet::from([start]);
        loop {
            let more = neighbours(&ring, true);
            if more.is_empty() {
                break;
            }
            ring.extend(more);
        }
        assert_eq!(ring.len(), 18, "the rim of an end");
        let center =
            |ring: &BTreeSet<usize>| ring.iter().map(|&v| vertices[v]).sum::<DVec3>() / ring.len() as f64;
        let radius = vertices[start].distance(center(&ring));
        let (mut line, mut seen) = (Vec::new(), ring.clone());
        while !ring.is_empty() {
            line.push(center(&ring));
            ring = neighbours(&ring, false).difference(&seen).copied().collect();
            seen.extend(&ring);
        }
        assert_eq!(seen.len(), 522, "29 rings of 18 corners");
        Self { line, radius }
    }

    fn ends(&self) -> [Hole; 2] {
        [self.line[0], self.line[self.line.len() - 1]].map(|center| Hole { center, radius: self.radius })
    }

    /// Within 0.8 radii of the line, and not within `margin` of the planes of the ends, is inside; beyond 1.25 radii, or
    /// past the ends by the margin, is outside.
    fn holds(&self, p: DVec3, margin: f64) -> Option<bool> {
        let segments = self.line.windows(2).map(|pair| {
            let along = pair[1] - pair[0];
            let t = ((p - pair[0]).dot(along) / along.length_squared()).clamp(0.0, 1.0);
            p.distance(pair[0] + t * along)
        });
        let away = segments.fold(f64::INFINITY, f64::min) / self.radius;
        let past_end = |end: usize, before: usize| {
            let out = (self.line[end] - self.line[before]).normalize_or_zero();
            let past = (p - self.line[end]).dot(out);
            let beside = (p - self.line[end] - past * out).length();
            (beside < 1.5 * self.radius).then_some(past)
        };
        let last = self.line.len() - 1;
        for past in [past_end(0, 1), past_end(last, last - 1)].into_iter().flatten() {
            if past.abs() < margin {
                return None;
            }
            if past > 0.0 && past < self.radius {
                return Some(false);
            }
        }
        (!(0.8..=1.25).contains(&away)).then_some(away < 0.8)
    }
}

/// The environment's tube was round before it was stretched along z; `stretch` is by how much.
fn check_bent_tube(name: &str, stretch: f64) {
    let Some(mut model) = Model::read(name, 112) else { return };
    let rounded = |v: DVec3| DVec3::new(v.x, v.y, v.z / stretch);
    let vertices: Vec<DVec3> = model.mesh.vertices().iter().map(|&v| rounded(v)).collect();
    let tube = Tube::of(&vertices, model.mesh.triangles());
    let stretched = |hole: Hole| Hole {
        center: DVec3::new(hole.center.x, hole.center.y, hole.center.z * stretch),
        radius: 1.1 * stretch * hole.radius,
    };
    model.holes = tube.ends().map(stretched).to_vec();
    // Half the widest slit, and as much again for the bend.
    model.slits = 0.16;
    let checked = build_and_check(&model, SignMethod::Soup, 30_000);
    let margin = 2.0 * checked.field.grid().cell;
    checked.has_the_signs_of(|p| tube.holds(rounded(p), margin));
    assert!(checked.field.capped_nodes() > 0, "the ends are closed by caps");
}

#[test]
fn a_bent_tube_with_slits_and_open_ends() {
    check_bent_tube("puzzle/alpha_robot.obj", 1.0);
}

/// 12.697 against 10.63 in the rings of the ends.
#[test]
fn a_bent_tube_with_slits_and_open_ends_stretched() {
    check_bent_tube("puzzle/alpha_env-1.2.obj", 1.1945);
}
