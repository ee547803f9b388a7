//! The `gltf` crate, which panics on broken files, must find the same in sound ones.

use glam::{DMat4, DVec3, Mat4, Vec3};
use isotouch::mesh::io::{self, ReadError, ReadOptions};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::Scene;

/// What one node does beside holding others.
#[derive(Debug, Clone)]
struct Node {
    has_mesh: bool,
    placement: Value,
    /// Which of the earlier nodes holds it.
    parent: prop::sample::Index,
}

fn node() -> impl Strategy<Value = Node> {
    let number = || (-40i32..40).prop_map(|x| f64::from(x) / 8.0);
    let factor = || prop_oneof![Just(1.0), Just(-1.0), Just(0.5), Just(2.0)];
    let rotation = [number(), number(), number(), number()]
        .prop_filter("not zero", |q| q.iter().any(|x| x.abs() > 0.1))
        .prop_map(|q| glam::DQuat::from_array(q).normalize());
    let translation = [number(), number(), number()].prop_map(DVec3::from_array);
    let placement = (translation, rotation, [factor(), factor(), factor()], 0..3u8).prop_map(
        |(t, r, s, kind)| match kind {
            0 => json!({}),
            1 => json!({ "translation": t.to_array(), "rotation": r.to_array(), "scale": s }),
            _ => {
                let matrix = DMat4::from_scale_rotation_translation(s.into(), r, t);
                json!({ "matrix": matrix.to_cols_array() })
            }
        },
    );
    (any::<bool>(), placement, any::<prop::sample::Index>()).prop_map(|(has_mesh, placement, parent)| Node {
        has_mesh,
        placement,
        parent,
    })
}

fn scene(points: &[[f32; 3]], indices: &[u32], nodes: &[Node], modes: &[u32]) -> Scene {
    let mut scene = Scene::new();
    let positions = scene.positions(points);
    let indices: Vec<u32> = indices.iter().map(|i| i % points.len() as u32).collect();
    let indices = scene.indices(&indices);
    let primitives: Vec<Value> = modes
        .iter()
        .map(|mode| json!({ "attributes": { "POSITION": positions }, "indices": indices, "mode": mode }))
        .collect();
    scene.json["meshes"] = json!([{ "primitives": primitives }]);
    let mut entries: Vec<Value> = Vec::new();
    for (k, node) in nodes.iter().enumerate() {
        let mut entry = node.placement.clone();
        if node.has_mesh || k == 0 {
            entry["mesh"] = json!(0);
        }
        entries.push(entry);
        if k > 0 {
            let parent = &mut entries[node.parent.index(k)];
            match parent.get_mut("children").and_then(Value::as_array_mut) {
                Some(children) => children.push(json!(k)),
                None => parent["children"] = json!([k]),
            }
        }
    }
    scene.json["nodes"] = json!(entries);
    scene.json["scenes"] = json!([{ "nodes": [0] }]);
    scene.json["scene"] = json!(0);
    scene
}

/// Every triangle of the default scene, turned where a placement mirrors.
fn theirs(file: &[u8]) -> Vec<[DVec3; 3]> {
    let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(file).unwrap();
    let blob = blob.unwrap();
    let mut triangles = Vec::new();
    let mut stack: Vec<(gltf::Node<'_>, Mat4)> =
        document.default_scene().unwrap().nodes().map(|node| (node, Mat4::IDENTITY)).collect();
    while let Some((node, parent)) = stack.pop() {
        let world = parent * Mat4::from_cols_array_2d(&node.transform().matrix());
        for primitive in node.mesh().iter().flat_map(|mesh| mesh.primitives().collect::<Vec<_>>()) {
            let reader = primitive.reader(|_| Some(&blob));
            let place = |p: [f32; 3]| world.transform_point3(Vec3::from_array(p)).as_dvec3();
            let points: Vec<DVec3> = reader.read_positions().unwrap().map(place).collect();
            let i: Vec<usize> = reader.read_indices().unwrap().into_u32().map(|i| i as usize).collect();
            let corners: Vec<[usize; 3]> = match primitive.mode() {
                gltf::mesh::Mode::Triangles => i.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect(),
                gltf::mesh::Mode::TriangleStrip => (2..i.len())
                    .map(|k| if k % 2 == 0 { [i[k - 2], i[k - 1], i[k]] } else { [i[k - 1], i[k - 2], i[k]] })
                    .collect(),
                gltf::mesh::Mode::TriangleFan => (2..i.len()).map(|k| [i[0], i[k - 1], i[k]]).collect(),
                _ => Vec::new(),
            };
            for [a, b, c] in corners {
                let turned = if world.determinant() < 0.0 { [c, b, a] } else { [a, b, c] };
                triangles.push(turned.map(|corner| points[corner]));
            }
        }
        stack.extend(node.children().map(|child| (child, world)));
    }
    triangles
}

/// Sums that tell scenes apart whatever the order of nodes: area vectors see windings, middles see places.
fn sums(triangles: &[[DVec3; 3]]) -> [f64; 8] {
    let mut sums = [0.0; 8];
    for [a, b, c] in triangles {
        let area = (b - a).cross(c - a);
        let middle = (a + b + c) / 3.0;
        sums[0] += area.length();
        sums[1] += middle.dot(area);
        for axis in 0..3 {
            sums[2 + axis] += area[axis];
            sums[5 + axis] += middle[axis] * area.length();
        }
    }
    sums
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn scenes_as_the_gltf_crate_reads_them(
        points in prop::collection::vec([-8i32..8, -8i32..8, -8i32..8].prop_map(|p| p.map(|x| x as f32)), 3..12),
        indices in prop::collection::vec(0u32..100, 3..30),
        nodes in prop::collection::vec(node(), 1..8),
        modes in prop::collection::vec(0u32..7, 1..4),
    ) {
        let file = scene(&points, &indices, &nodes, &modes).glb();
        let theirs = theirs(&file);
        let ours = match io::read_bytes("a.glb", &file, &ReadOptions { weld: false, scale: 1.0 }) {
            Ok(loaded) => super::super::corners(&loaded.mesh),
            Err(ReadError::NoTriangles { .. }) => Vec::new(),
            Err(error) => panic!("{error}"),
        };
        // They work in f32, through up to eight nested placements.
        let size = theirs.iter().flatten().map(|p| p.length()).fold(1.0, f64::max);
        let tolerance = 1e-4 * size * size * size * theirs.len() as f64;
        for (ours, theirs) in sums(&ours).into_iter().zip(sums(&theirs)) {
            prop_assert!((ours - theirs).abs() <= tolerance, "{} {} {}", ours, theirs, tolerance);
        }
    }
}
