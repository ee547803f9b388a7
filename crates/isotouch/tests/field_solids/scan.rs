//! Scans: one with holes in its base, one with edges that four triangles share.

use std::collections::BTreeMap;

use isotouch::field::SignMethod;
use isotouch::math::DVec3;
use isotouch::mesh::TriMesh;

use super::check::{Hole, Model, build_and_check};
use super::oracle::{Soup, models};

/// The connected rims of a mesh, each with the sphere around its middle, a fifth wider.
fn holes(mesh: &TriMesh) -> Vec<Hole> {
    let mut faces: BTreeMap<[u32; 2], u32> = BTreeMap::new();
    for t in mesh.triangles() {
        for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
            *faces.entry([a.min(b), a.max(b)]).or_default() += 1;
        }
    }
    let rim: Vec<[u32; 2]> =
        faces.into_iter().filter(|(_, count)| *count == 1).map(|(edge, _)| edge).collect();
    let mut loop_of: BTreeMap<u32, u32> = rim.iter().flatten().map(|&v| (v, v)).collect();
    // Every corner takes the least name around until no name changes.
    while rim.iter().fold(false, |changed, [a, b]| {
        let least = loop_of[a].min(loop_of[b]);
        let before = (loop_of.insert(*a, least), loop_of.insert(*b, least));
        changed || before != (Some(least), Some(least))
    }) {}
    let mut loops: BTreeMap<u32, Vec<DVec3>> = BTreeMap::new();
    for (v, name) in loop_of {
        loops.entry(name).or_default().push(mesh.vertices()[v as usize]);
    }
    loops
        .into_values()
        .map(|corners| {
            let center = corners.iter().sum::<DVec3>() / corners.len() as f64;
            let radius = 1.2 * corners.iter().map(|v| v.distance(center)).fold(0.0, f64::max);
            Hole { center, radius }
        })
        .collect()
}

/// The same scan exists with its holes filled.
#[test]
fn a_bunny_with_holes_in_its_base() {
    let Some(mut model) = Model::read("scan/bunny_open.ply", 112) else { return };
    let Some(closed) = models::model("scan/bunny.off") else { return };
    let closed = Soup::new(&TriMesh::read(closed).unwrap());
    model.holes = holes(&model.mesh);
    assert_eq!(model.holes.len(), 5);
    // Both files mean the same bunny, in the same place, to the digits written.
    for v in model.mesh.vertices().iter().step_by(500) {
        assert!(closed.distance(*v) < 2e-6, "{v}");
    }

    let checked = build_and_check(&model, SignMethod::Winding, 5_000);
    checked.has_the_signs_of(|p| {
        if model.holes.iter().any(|h| p.distance(h.center) < h.radius) || closed.distance(p) < 2e-6 {
            return None;
        }
        Some(closed.winding(p) > 0.5)
    });
    assert!(checked.field.capped_nodes() > 0);
    // The base is level: above a hole is inside, below it outside.
    let cell = checked.field.grid().cell;
    for hole in &model.holes {
        let step = (0.6 * hole.radius).max(2.0 * cell);
        for (up, inside) in [(step, true), (-step, false)] {
            let p = hole.center + DVec3::new(0.0, up, 0.0);
            assert_eq!(closed.winding(p) > 0.5, inside, "the filled one at {p}");
            assert_eq!(checked.field.distance(p).value() < 0.0, inside, "{p}, {up} above a hole");
        }
    }
}

#[test]
fn a_buddha_with_edges_of_four_triangles() {
    let Some(model) = Model::read("scan/buddha_100k.obj", 112) else { return };
    let soup = Soup::new(&model.mesh);
    let checked = build_and_check(&model, SignMethod::Winding, 3_000);
    checked.has_the_signs_of(|p| {
        let winding = soup.winding(p);
        ((winding - winding.round()).abs() < 0.2).then_some(winding > 0.5)
    });
    assert_eq!(checked.field.capped_nodes(), 0);
}
