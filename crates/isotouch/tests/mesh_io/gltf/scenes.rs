use glam::{DMat4, DQuat, DVec3, dvec3};
use isotouch::mesh::io::{self, Format, ReadOptions};
use isotouch::mesh::shapes;
use serde_json::json;

use super::super::{corners, load, unit_triangle};
use super::Scene;

#[test]
fn binary_embedded_and_beside() {
    let scene = Scene::triangle();
    let loaded = load("a.glb", scene.glb());
    assert_eq!(
        (loaded.format, loaded.extension_lies, corners(&loaded.mesh)),
        (Format::GltfBinary, false, unit_triangle())
    );
    let loaded = load("a.gltf", scene.embedded());
    assert_eq!((loaded.format, corners(&loaded.mesh)), (Format::GltfJson, unit_triangle()));

    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("data")).unwrap();
    std::fs::write(folder.path().join("data/my part.bin"), &scene.buffer).unwrap();
    let path = folder.path().join("a.gltf");
    std::fs::write(&path, scene.gltf("data/my%20part.bin")).unwrap();
    assert_eq!(corners(&io::read(&path, &ReadOptions::default()).unwrap().mesh), unit_triangle());
    // Compressed, it still knows its folder.
    let packed = folder.path().join("a.gltf.gz");
    std::fs::write(&packed, super::super::gzip(scene.gltf("data/my%20part.bin").as_bytes())).unwrap();
    assert_eq!(corners(&io::read(&packed, &ReadOptions::default()).unwrap().mesh), unit_triangle());
}

#[test]
fn content_decides_and_bytes_to_spare_are_counted() {
    let scene = Scene::triangle();
    for name in ["a.stl", "a.obj", "a.gltf"] {
        let loaded = load(name, scene.glb());
        assert!(loaded.extension_lies && loaded.format == Format::GltfBinary, "{name}");
    }
    assert!(load("a.glb", scene.embedded()).extension_lies);
    let mut longer = scene.glb();
    longer.extend([7; 9]);
    assert_eq!(load("a.glb", &longer).cleanup.trailing_bytes, 9);
    // JSON padded with zeros, and a chunk that nobody knows.
    let mut json = scene.json.clone();
    json["buffers"] = json!([{ "byteLength": scene.buffer.len() }]);
    let mut padded = json.to_string().into_bytes();
    padded.resize(padded.len().next_multiple_of(4) + 4, 0);
    let mut file = scene.glb_of(&padded);
    file.extend(b"\x04\0\0\0WHAT1234");
    let length = file.len() as u32;
    file[8..12].copy_from_slice(&length.to_le_bytes());
    assert_eq!(corners(&load("a.glb", &file).mesh), unit_triangle());
}

#[test]
fn nodes_place_meshes_by_matrix_and_by_parts_nested() {
    let mut scene = Scene::triangle();
    let matrix = DMat4::from_translation(dvec3(0.0, 0.0, 5.0)).to_cols_array();
    let half = std::f64::consts::FRAC_1_SQRT_2;
    scene.json["nodes"] = json!([
        { "children": [1, 2], "translation": [10, 0, 0] },
        { "mesh": 0, "rotation": [0, 0, half, half], "scale": [2, 1, 1] },
        { "children": [3], "matrix": matrix },
        { "mesh": 0, "translation": [0, 1, 0] },
        { "mesh": 0, "translation": [1000, 0, 0] },
    ]);
    let found = corners(&load("a.glb", scene.glb()).mesh);
    let turned = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
    let expected = [
        unit_triangle()[0].map(|p| turned * (p * dvec3(2.0, 1.0, 1.0)) + dvec3(10.0, 0.0, 0.0)),
        unit_triangle()[0].map(|p| p + dvec3(10.0, 1.0, 5.0)),
    ];
    // Node 4 is in no scene.
    assert_eq!(found.len(), 2);
    for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
        assert!(found.distance(*expected) < 1e-12, "{found} {expected}");
    }
}

#[test]
fn which_scene_is_shown() {
    let mut scene = Scene::triangle();
    scene.json["nodes"] = json!([
        { "mesh": 0 },
        { "mesh": 0, "translation": [5, 0, 0], "children": [2] },
        { "mesh": 0, "translation": [0, 5, 0] },
    ]);
    scene.json["scenes"] = json!([{ "nodes": [0] }, { "nodes": [1] }]);
    let mut first_x = |edit: fn(&mut serde_json::Value)| {
        edit(&mut scene.json);
        corners(&load("a.glb", scene.glb()).mesh).iter().map(|t| t[0].x).collect::<Vec<_>>()
    };
    assert_eq!(first_x(|json| json["scene"] = json!(1)), [5.0, 5.0]);
    assert_eq!(first_x(|json| drop(json.as_object_mut().unwrap().remove("scene"))), [0.0]);
    // Without scenes all nodes, from those that nobody holds; without nodes all meshes.
    assert_eq!(first_x(|json| drop(json.as_object_mut().unwrap().remove("scenes"))), [0.0, 5.0, 5.0]);
    assert_eq!(first_x(|json| drop(json.as_object_mut().unwrap().remove("nodes"))), [0.0]);
}

#[test]
fn a_placement_that_mirrors_keeps_the_outside_outside() {
    let ball = shapes::sphere(1.0, 320).unwrap();
    let points: Vec<[f32; 3]> = ball.vertices().iter().map(|v| v.as_vec3().to_array()).collect();
    let mut scene = Scene::new();
    let positions = scene.positions(&points);
    let indices = scene.indices(&ball.triangles().concat());
    scene.json["meshes"] =
        json!([{ "primitives": [{ "attributes": { "POSITION": positions }, "indices": indices }] }]);
    for scale in [[1, 1, 1], [-1, 1, 1], [1, -2, 1], [-1, -1, 1], [-1, -1, -1]] {
        scene.json["nodes"] = json!([{ "mesh": 0, "scale": scale }]);
        let mesh = load("a.glb", scene.glb()).mesh;
        let stretched = f64::from(scale.iter().product::<i32>().abs());
        let expected = stretched * ball.signed_volume();
        assert!((mesh.signed_volume() - expected).abs() < 1e-6 * expected, "{scale:?}");
    }
}

/// Five corners of a flat fan or strip, as positions (k, k², 0): all triangles are counter-clockwise in a list.
fn five() -> [[f32; 3]; 5] {
    [0.0, 1.0, 2.0, 3.0, 4.0].map(|x: f32| [x, x * x, 0.0])
}

#[test]
fn lists_strips_and_fans_with_and_without_indices() {
    for indexed in [true, false] {
        for (mode, count, expected) in [
            (4, 3, vec![[0, 1, 2]]),
            (5, 5, vec![[0, 1, 2], [1, 3, 2], [2, 3, 4]]),
            (6, 5, vec![[1, 2, 0], [2, 3, 0], [3, 4, 0]]),
            (5, 3, vec![[0, 1, 2]]),
            (6, 3, vec![[1, 2, 0]]),
        ] {
            let mut scene = Scene::new();
            let positions = scene.positions(&five()[..count]);
            let mut primitive = json!({ "attributes": { "POSITION": positions }, "mode": mode });
            if indexed {
                let indices: Vec<u32> = (0..count as u32).collect();
                primitive["indices"] = json!(scene.indices(&indices));
            }
            scene.json["meshes"] = json!([{ "primitives": [primitive] }]);
            assert_eq!(load("a.glb", scene.glb()).mesh.triangles(), expected, "mode {mode}, {indexed}");
        }
    }
}

#[test]
fn points_and_lines_are_left_out_and_counted() {
    let mut scene = Scene::triangle();
    let primitive = scene.json["meshes"][0]["primitives"][0].clone();
    for mode in [0, 1, 2, 3] {
        let mut other = primitive.clone();
        other["mode"] = json!(mode);
        scene.json["meshes"][0]["primitives"].as_array_mut().unwrap().push(other);
    }
    let loaded = load("a.glb", scene.glb());
    assert_eq!((corners(&loaded.mesh), loaded.cleanup.skipped_groups), (unit_triangle(), 4));
    scene.json["meshes"][0]["primitives"].as_array_mut().unwrap().remove(0);
    let error = io::read_bytes("a.glb", &scene.glb(), &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("no triangles: it has only points and lines"), "{error}");
    // Two corners that are left over make no triangle.
    let mut scene = Scene::triangle();
    scene.json["meshes"][0]["primitives"][0]["indices"] = json!(scene.indices(&[0, 1, 2, 0, 1]));
    let loaded = load("a.glb", scene.glb());
    assert_eq!((corners(&loaded.mesh), loaded.cleanup.short_polygons), (unit_triangle(), 1));
}

#[test]
fn indices_of_every_size() {
    for (component, bytes) in [
        (5121, vec![0, 1, 2]),
        (5123, vec![0, 0, 1, 0, 2, 0]),
        (5125, vec![0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]),
    ] {
        let mut scene = Scene::triangle();
        let view = scene.view(&bytes);
        let indices = scene.accessor(view, component, "SCALAR", 3, json!({}));
        scene.json["meshes"][0]["primitives"][0]["indices"] = json!(indices);
        assert_eq!(corners(&load("a.glb", scene.glb()).mesh), unit_triangle());
    }
}

#[test]
fn integer_positions_interleaved_and_normalised() {
    // The corners (0, 0, 0), (max, 0, 0), (min, max, 0) of each type.
    for (component, bytes, normalised, plain) in [
        (5120, vec![vec![0; 3], vec![127, 0, 0], vec![128, 127, 0]], [1.0, -1.0], [127.0, -128.0]),
        (5121, vec![vec![0; 3], vec![255, 0, 0], vec![0, 255, 0]], [1.0, 0.0], [255.0, 0.0]),
        (
            5122,
            vec![vec![0; 6], vec![255, 127, 0, 0, 0, 0], vec![0, 128, 255, 127, 0, 0]],
            [1.0, -1.0],
            [32767.0, -32768.0],
        ),
        (
            5123,
            vec![vec![0; 6], vec![255, 255, 0, 0, 0, 0], vec![0, 0, 255, 255, 0, 0]],
            [1.0, 0.0],
            [65535.0, 0.0],
        ),
    ] {
        for (flag, [max, min]) in [(true, normalised), (false, plain)] {
            let mut scene = Scene::triangle();
            scene.json["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
            // Eight bytes apart, with something else in between and nothing after the last.
            let mut packed = Vec::new();
            for corner in &bytes {
                packed.resize(packed.len().next_multiple_of(8), 0xaa);
                packed.extend_from_slice(corner);
            }
            let view = scene.view(&packed);
            scene.json["bufferViews"][view]["byteStride"] = json!(8);
            let positions = scene.accessor(view, component, "VEC3", 3, json!({ "normalized": flag }));
            scene.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(positions);
            let expected = [DVec3::ZERO, dvec3(max, 0.0, 0.0), dvec3(min, max, 0.0)];
            assert_eq!(corners(&load("a.glb", scene.glb()).mesh), [expected], "{component} {flag}");
        }
    }
}

#[test]
fn sparse_accessors_replace_what_is_there_or_zero() {
    for has_view in [true, false] {
        let mut scene = Scene::triangle();
        let replaced = scene.view(&[1, 2]);
        let values: Vec<u8> =
            [[3f32, 0.0, 0.0], [0.0, 3.0, 0.0]].iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        let values = scene.view(&values);
        let accessor = &mut scene.json["accessors"][0];
        accessor["sparse"] = json!({
            "count": 2,
            "indices": { "bufferView": replaced, "componentType": 5121 },
            "values": { "bufferView": values },
        });
        if !has_view {
            accessor.as_object_mut().unwrap().remove("bufferView");
        }
        let expected = [DVec3::ZERO, dvec3(3.0, 0.0, 0.0), dvec3(0.0, 3.0, 0.0)];
        assert_eq!(corners(&load("a.glb", scene.glb()).mesh), [expected], "{has_view}");
    }
}

#[test]
fn primitives_that_share_positions_share_vertices() {
    let mut scene = Scene::triangle();
    let primitive = scene.json["meshes"][0]["primitives"][0].clone();
    let mut second = primitive.clone();
    second["indices"] = json!(scene.indices(&[2, 1, 0]));
    scene.json["meshes"][0]["primitives"] = json!([primitive, second]);
    let options = ReadOptions { weld: false, ..Default::default() };
    let mesh = io::read_bytes("a.glb", &scene.glb(), &options).unwrap().mesh;
    assert_eq!(mesh.triangles(), [[0, 1, 2], [2, 1, 0]]);
}

#[test]
fn a_skinned_mesh_is_not_placed_by_its_node() {
    let mut scene = Scene::triangle();
    scene.json["nodes"] = json!([{ "mesh": 0, "skin": 0, "translation": [9, 9, 9] }]);
    assert_eq!(corners(&load("a.glb", scene.glb()).mesh), unit_triangle());
}
