use serde_json::{Value, json};

use super::super::bad_input::fails;
use super::Scene;
use isotouch::mesh::io::{self, Problem, ReadError, ReadOptions};

/// Spoils the triangle, and checks that the message names the place and everything in `named`.
#[track_caller]
fn spoiled(spoil: impl Fn(&mut Scene), place: &str, named: &[&str]) {
    let mut scene = Scene::triangle();
    spoil(&mut scene);
    let error = fails("a.glb", scene.glb(), named);
    assert!(error.to_string().starts_with(&format!("a.glb, {place}: ")), "{error}");
}

fn remove(value: &mut Value, name: &str) {
    value.as_object_mut().unwrap().remove(name).unwrap();
}

#[test]
fn headers_and_chunks_that_lie() {
    let good = Scene::triangle().glb();
    let with = |at: usize, value: u32| {
        let mut file = good.clone();
        file[at..at + 4].copy_from_slice(&value.to_le_bytes());
        file
    };
    fails("a.glb", with(4, 1), &["byte 4", "version 1", "only version 2"]);
    fails(
        "a.glb",
        with(8, u32::MAX),
        &["byte 8", "4294967295 bytes in all", &format!("only {} bytes", good.len())],
    );
    fails("a.glb", with(8, 3), &["byte 8", "3 bytes in all"]);
    fails("a.glb", with(12, u32::MAX), &["byte 12", "4294967295 bytes of a chunk"]);
    fails("a.glb", with(12, u32::MAX - 7), &["byte 12", "of a chunk"]);
    fails("a.glb", with(16, 7), &["byte 16", "first chunk"]);
    fails("a.glb", &good[..11], &["byte 11", "12-byte header"]);
    fails("a.glb", b"glTF\x02\0\0\0\x0c\0\0\0", &["byte 12", "no JSON chunk"]);
    fails("a.glb", b"\x00\x01\x02", &["byte 0", "begins with `glTF`"]);
    for length in 0..good.len() {
        assert!(io::read_bytes("a.glb", &good[..length], &ReadOptions::default()).is_err(), "{length}");
    }
}

#[test]
fn json_that_is_none() {
    let scene = Scene::triangle();
    fails("a.glb", scene.glb_of(b"{\"asset\": \xff}"), &["byte 30", "not UTF-8"]);
    fails("a.glb", scene.glb_of(b"{\"asset\" 7}"), &["byte 29", "JSON is broken", "expected `:`"]);
    fails("a.glb", scene.glb_of(b"{\"asset\": "), &["the middle of the JSON"]);
    fails("a.glb", scene.glb_of(b"[7]"), &["the JSON: an object is needed here, not a list"]);
    fails("a.glb", scene.glb_of("[".repeat(100_000).as_bytes()), &["recursion limit"]);
    fails("a.gltf", "{\"asset\": {},\n \"nodes\": nan}", &["line 2", "JSON is broken"]);
    fails("a.gltf", "{\"asset\": {},\n \"nodes\": 1e999}", &["line 2", "number out of range"]);
    fails("a.gltf", b"{\"asset\": {},\n\n \"x\": \"\xe9\"}", &["line 3", "not UTF-8"]);
    fails("a.gltf", "surface", &["line 1", "JSON is broken"]);
    fails("a.gltf", "{\"asset\": {}}", &["asset: `version` is missing"]);
    fails("a.gltf", "{\"asset\": {\"version\": \"1.0\"}}", &["asset.version", "glTF 1.0", "only version 2"]);
    fails("a.gltf", "{\"asset\": {\"version\": \"3.0\"}}", &["glTF 3.0"]);
    fails("a.gltf", "{\"asset\": {\"version\": 2}}", &["asset.version: a text is needed here, not `2`"]);
    fails("a.gltf", "{\"asset\": {\"version\": \"2.0\"}}", &["no triangles"]);
}

#[test]
fn counts_and_offsets_that_the_file_has_no_room_for() {
    for count in [100_000_000_000u64, u64::MAX, u64::MAX / 12] {
        let announced = format!("{count} elements");
        spoiled(
            |s| s.json["accessors"][0]["count"] = json!(count),
            "accessors[0]",
            &[&announced, "only 36 bytes"],
        );
        spoiled(|s| s.json["accessors"][1]["count"] = json!(count), "accessors[1]", &[&announced]);
        spoiled(|s| s.json["accessors"][0]["byteOffset"] = json!(count), "accessors[0]", &["only 0 bytes"]);
        spoiled(
            |s| s.json["bufferViews"][0]["byteOffset"] = json!(count),
            "bufferViews[0].byteLength",
            &["36 bytes"],
        );
        let view_length = format!("{count} bytes from byte 0");
        spoiled(
            |s| s.json["bufferViews"][0]["byteLength"] = json!(count),
            "bufferViews[0].byteLength",
            &[&view_length],
        );
        // Zeros take no bytes, so the whole file's length is the measure.
        spoiled(
            |s| {
                s.json["accessors"][0]["count"] = json!(count);
                remove(&mut s.json["accessors"][0], "bufferView");
            },
            "accessors[0]",
            &["elements without a buffer view"],
        );
        spoiled(
            |s| {
                s.json["accessors"][1]["count"] = json!(count);
                remove(&mut s.json["accessors"][1], "bufferView");
            },
            "accessors[1]",
            &["elements without a buffer view"],
        );
        let sparse = json!({
            "count": count,
            "indices": { "bufferView": 1, "componentType": 5123 },
            "values": { "bufferView": 0 },
        });
        spoiled(
            |s| s.json["accessors"][0]["sparse"] = sparse.clone(),
            "accessors[0].sparse.indices",
            &[&announced],
        );
    }
    spoiled(|s| s.json["accessors"][0]["count"] = json!(4), "accessors[0]", &["need at least 48 bytes"]);
    spoiled(|s| s.json["accessors"][0]["byteOffset"] = json!(1), "accessors[0]", &["only 35 bytes"]);
    spoiled(
        |s| s.json["bufferViews"][1]["byteStride"] = json!(0),
        "bufferViews[1].byteStride",
        &["4 to 252"],
    );
    spoiled(
        |s| s.json["bufferViews"][0]["byteStride"] = json!(8),
        "accessors[0].bufferView",
        &["12 bytes", "8 bytes apart"],
    );
    let mut long = Scene::triangle().json;
    long["buffers"] = json!([{ "byteLength": 1u64 << 40 }]);
    let file = Scene::triangle().glb_of(long.to_string().as_bytes());
    fails("a.glb", file, &["buffers[0].byteLength", "1099511627776 bytes of a buffer"]);
}

#[test]
fn numbers_and_references_that_make_no_sense() {
    spoiled(|s| s.json["accessors"][0]["count"] = json!(-3), "accessors[0].count", &["whole number", "`-3`"]);
    spoiled(
        |s| s.json["accessors"][0]["count"] = json!(2.5),
        "accessors[0].count",
        &["whole number", "`2.5`"],
    );
    spoiled(|s| s.json["accessors"][0]["count"] = json!("3"), "accessors[0].count", &["whole number"]);
    spoiled(|s| remove(&mut s.json["accessors"][0], "count"), "accessors[0]", &["`count` is missing"]);
    spoiled(|s| s.json["accessors"][0]["type"] = json!("VEC2"), "accessors[0].type", &["`VEC3` is needed"]);
    spoiled(
        |s| s.json["accessors"][0]["componentType"] = json!(5130),
        "accessors[0].componentType",
        &["not 5130"],
    );
    spoiled(
        |s| s.json["accessors"][1]["componentType"] = json!(5126),
        "accessors[1].componentType",
        &["unsigned"],
    );
    spoiled(
        |s| s.json["accessors"][0]["bufferView"] = json!(7),
        "accessors[0].bufferView",
        &["entry 7", "has 2"],
    );
    spoiled(
        |s| s.json["bufferViews"][0]["buffer"] = json!(1),
        "bufferViews[0].buffer",
        &["entry 1", "has 1"],
    );
    spoiled(|s| s.json["scene"] = json!(3), "scene", &["entry 3 of `scenes`"]);
    spoiled(|s| s.json["scenes"][0]["nodes"] = json!([9]), "scenes[0].nodes[0]", &["entry 9 of `nodes`"]);
    spoiled(|s| s.json["nodes"][0]["mesh"] = json!(1), "nodes[0].mesh", &["entry 1 of `meshes`"]);
    spoiled(|s| s.json["nodes"] = json!([7]), "nodes[0]", &["an object is needed"]);
    spoiled(|s| s.json["meshes"] = json!({}), "meshes", &["a list is needed here, not an object"]);
    let primitive = "meshes[0].primitives[0]";
    let mode = |s: &mut Scene| s.json["meshes"][0]["primitives"][0]["mode"] = json!(7);
    spoiled(mode, &format!("{primitive}.mode"), &["0 to 6, not 7"]);
    let reference = |s: &mut Scene| s.json["meshes"][0]["primitives"][0]["indices"] = json!(5);
    spoiled(reference, &format!("{primitive}.indices"), &["entry 5 of `accessors`"]);
    let position = |s: &mut Scene| s.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(1);
    spoiled(position, "accessors[1].type", &["`VEC3`"]);
    spoiled(|s| s.json["scenes"][0] = json!({}), "the JSON", &["has meshes, but its scene shows none"]);
}

#[test]
fn indices_out_of_range_and_positions_that_are_not_finite() {
    spoiled(
        |s| s.buffer[36 + 4] = 3,
        "accessors[1], element 2",
        &["vertex 3", "there are 3 vertices, counted from 0"],
    );
    spoiled(|s| s.buffer[36..38].fill(0xff), "accessors[1], element 0", &["vertex 65535"]);
    for bad in [f32::NAN, f32::INFINITY] {
        spoiled(
            |s| s.buffer[16..20].copy_from_slice(&bad.to_le_bytes()),
            "accessors[0], element 1",
            &["not a finite number", &bad.to_string()],
        );
    }
    let sparse = json!({
        "count": 1,
        "indices": { "bufferView": 1, "byteOffset": 4, "componentType": 5123 },
        "values": { "bufferView": 0 },
    });
    spoiled(
        |s| {
            s.buffer[36 + 4] = 3;
            s.json["accessors"][0]["sparse"] = sparse.clone();
        },
        "accessors[0].sparse.indices, element 0",
        &["replaces element 3 of 3"],
    );
}

#[test]
fn placements_that_are_none() {
    let node = |node: Value, place: &str, named: &str| {
        spoiled(|s| s.json["nodes"][0] = node.clone(), place, &[named]);
    };
    node(json!({ "mesh": 0, "matrix": [1, 2, 3] }), "nodes[0].matrix", "16 numbers");
    node(json!({ "mesh": 0, "translation": [1, "2", 3] }), "nodes[0].translation", "3 numbers");
    node(json!({ "mesh": 0, "translation": [1, 2, 3, "4"] }), "nodes[0].translation", "3 numbers");
    node(json!({ "mesh": 0, "rotation": [0, 0, 0, 0] }), "nodes[0].rotation", "length 1");
    node(json!({ "mesh": 0, "rotation": [1e300, 0, 0, 1e300] }), "nodes[0].rotation", "length 1");
    node(
        json!({ "mesh": 0, "scale": [1e308, 1e308, 1] , "translation": [1e308, 0, 0]}),
        "nodes[0]",
        "range of numbers",
    );
    let projection = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0];
    node(json!({ "mesh": 0, "matrix": projection }), "nodes[0].matrix", "last row");
    // Finite each, not finite together.
    spoiled(
        |s| {
            s.json["nodes"] =
                json!([{ "children": [1], "scale": [1e200, 1, 1] }, { "mesh": 0, "scale": [1e200, 1, 1] }]);
        },
        "nodes[1]",
        &["range of numbers"],
    );
}

#[test]
fn loops_and_nodes_with_two_parents_end() {
    let nodes = |nodes: Value, with_scene: bool, place: &str| {
        spoiled(
            |s| {
                s.json["nodes"] = nodes.clone();
                if !with_scene {
                    remove(&mut s.json, "scene");
                    remove(&mut s.json, "scenes");
                }
            },
            place,
            &["a scene is a tree"],
        );
    };
    nodes(json!([{ "mesh": 0, "children": [0] }]), true, "nodes[0]");
    nodes(json!([{ "mesh": 0, "children": [0] }]), false, "nodes[0]");
    nodes(json!([{ "children": [1] }, { "children": [2] }, { "children": [0] }]), true, "nodes[0]");
    nodes(json!([{ "mesh": 0 }, { "children": [2] }, { "children": [1] }]), false, "nodes[1]");
    nodes(
        json!([{ "children": [1, 2] }, { "children": [3] }, { "children": [3] }, { "mesh": 0 }]),
        true,
        "nodes[3]",
    );
    // Ten thousand deep is no harm.
    let mut scene = Scene::triangle();
    let mut deep: Vec<Value> = (1..10_000).map(|k| json!({ "children": [k] })).collect();
    deep.push(json!({ "mesh": 0 }));
    scene.json["nodes"] = json!(deep);
    assert_eq!(super::super::load("a.glb", scene.glb()).mesh.triangles().len(), 1);
}

#[test]
fn a_scene_that_repeats_a_mesh_without_end() {
    let mut scene = Scene::new();
    let points: Vec<[f32; 3]> = (0..20_000).map(|k| [k as f32, (k * k % 101) as f32, 1.0]).collect();
    let positions = scene.positions(&points);
    scene.json["meshes"] =
        json!([{ "primitives": [{ "attributes": { "POSITION": positions }, "mode": 5 }] }]);
    scene.json["nodes"] = json!(vec![json!({ "mesh": 0 }); 100_000]);
    fails("a.glb", scene.glb(), &["accessors[0]", "repeats its meshes", "100000000"]);
}

#[test]
fn extensions_that_hide_the_surface_are_named() {
    for (name, remedy) in [
        ("KHR_draco_mesh_compression", "without Draco"),
        ("EXT_meshopt_compression", "without meshopt"),
        ("ACME_teapots", "without it"),
    ] {
        let mut scene = Scene::triangle();
        scene.json["extensionsRequired"] = json!(["KHR_materials_unlit", name]);
        let error = fails("a.glb", scene.glb(), &["extensionsRequired[1]", name, remedy]);
        assert!(matches!(error, ReadError::Malformed { problem: Problem::UnknownExtension { .. }, .. }));
    }
    // Not required, but all there is.
    spoiled(
        |s| {
            s.json["meshes"][0]["primitives"][0]["extensions"] = json!({ "KHR_draco_mesh_compression": {} });
            remove(&mut s.json["accessors"][0], "bufferView");
        },
        "meshes[0].primitives[0]",
        &["KHR_draco_mesh_compression"],
    );
    let mut scene = Scene::triangle();
    scene.json["bufferViews"][0]["extensions"] = json!({ "EXT_meshopt_compression": {} });
    scene.json["bufferViews"][0]["buffer"] = json!(1);
    scene.json["buffers"] = json!([{ "byteLength": scene.buffer.len() }, { "byteLength": 100 }]);
    let file = scene.glb_of(scene.json.to_string().as_bytes());
    fails("a.glb", file, &["bufferViews[0]", "EXT_meshopt_compression"]);
    // Looks and lights change no surface.
    let mut scene = Scene::triangle();
    scene.json["extensionsRequired"] = json!(["KHR_texture_basisu", "KHR_lights_punctual"]);
    super::super::load("a.glb", scene.glb());
}

#[test]
fn buffers_that_are_not_there() {
    let scene = Scene::triangle();
    let uri = |uri: &str, named: &[&str]| {
        let named: Vec<&str> = named.iter().copied().chain(["buffers[0].uri"]).collect();
        fails("a.gltf", scene.gltf(uri), &named);
    };
    uri("a.bin", &["`a.bin`", "read from memory", "export it as .glb"]);
    uri("data:application/octet-stream,AAAA", &[";base64,"]);
    uri("data:application/octet-stream;base64,AA?A", &["character 2"]);
    uri("../a.bin", &["`../a.bin`", "in the folder of this one"]);
    uri("/etc/passwd", &["in the folder of this one"]);
    uri("%2e%2e%2fa.bin", &["in the folder of this one"]);
    uri("https://example.org/a.bin", &["addresses and drives are not followed"]);
    let short = "data:;base64,AAAA";
    fails("a.gltf", scene.gltf(short), &["buffers[0].byteLength", "42 bytes of a buffer", "only 3 bytes"]);
    let mut none = scene.json.clone();
    none["buffers"] = json!([{ "byteLength": 42 }]);
    fails("a.gltf", none.to_string(), &["buffers[0]", "no `uri`"]);

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gltf");
    std::fs::write(&path, scene.gltf("a.bin")).unwrap();
    let missing = io::read(&path, &ReadOptions::default()).unwrap_err().to_string();
    assert!(missing.contains("buffers[0].uri: the file `a.bin` beside this one"), "{missing}");
    std::fs::write(folder.path().join("a.bin"), [0; 20]).unwrap();
    let short = io::read(&path, &ReadOptions::default()).unwrap_err().to_string();
    assert!(short.contains("42 bytes of a buffer") && short.contains("only 20 bytes"), "{short}");
    std::fs::remove_file(folder.path().join("a.bin")).unwrap();
    std::fs::create_dir(folder.path().join("a.bin")).unwrap();
    let folder = io::read(&path, &ReadOptions::default()).unwrap_err().to_string();
    assert!(folder.contains("no regular file"), "{folder}");
}
