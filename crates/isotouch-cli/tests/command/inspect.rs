use crate::Desk;

#[test]
fn content_counts_and_not_the_name() {
    let desk = Desk::new();
    desk.make_field("part.field");
    std::fs::copy(desk.path("part.field"), desk.path("field.obj")).unwrap();
    std::fs::copy(desk.path("part.obj"), desk.path("mesh.field")).unwrap();
    let run = desk.succeed(&["inspect", "field.obj", "mesh.field", "--json"]);
    let json = run.json();
    assert_eq!(json["files"][0]["kind"], "field");
    assert_eq!(json["files"][1]["kind"], "mesh");
    assert_eq!(json["files"][1]["closed"], true);
    assert_eq!(json["files"][0]["storage"], "sparse");
}

#[test]
fn a_bad_file_does_not_stop_the_others() {
    let desk = Desk::new();
    desk.make_field("part.field");
    let run = desk.run(&["inspect", "part.obj", "none.obj", "part.field"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stdout.contains("part.obj: mesh") && run.stdout.contains("part.field: field"),
        "{}",
        run.stdout
    );
    assert!(run.stderr.contains("none.obj"));

    let json = desk.run(&["inspect", "part.obj", "none.obj", "part.field", "--json"]).json();
    assert_eq!(json["files"].as_array().unwrap().len(), 3);
    assert!(json["error"].as_str().unwrap().contains("none.obj"));
    assert!(json["files"][1]["error"].is_string() && json["files"][2]["error"].is_null());
}

#[test]
fn what_is_wrong_with_a_mesh_is_told() {
    let desk = Desk::new();
    let run = desk.succeed(&["inspect", "open.obj"]);
    assert!(run.stdout.contains("closed: no") && run.stdout.contains("hole"), "{}", run.stdout);
    let json = desk.succeed(&["inspect", "open.obj", "--json"]).json();
    assert_eq!(json["files"][0]["closed"], false);
    assert!(json["files"][0]["boundary_edges"].as_u64().unwrap() > 0);
}

#[test]
fn verify_finds_a_flipped_bit() {
    let desk = Desk::new();
    desk.make_field("part.field");
    let json = desk.succeed(&["inspect", "part.field", "--verify", "--json"]).json();
    assert_eq!(json["files"][0]["verified"], true);

    let mut bytes = std::fs::read(desk.path("part.field")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    std::fs::write(desk.path("part.field"), &bytes).unwrap();
    let run = desk.run(&["inspect", "part.field", "--verify"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("part.field"), "{}", run.stderr);
}

#[test]
fn boxes_of_meshes_and_fields_are_told() {
    let desk = Desk::new();
    desk.make_field("part.field");
    let run = desk.succeed(&["inspect", "part.obj", "part.field"]);
    assert!(run.stdout.contains("\n  box: (-"), "{}", run.stdout);
    let field = run.stdout.lines().find(|line| line.starts_with("  box  ")).unwrap();
    assert!(field.contains(") to ("), "{field}");
}

#[test]
fn a_gltf_scene_tells_what_was_left_out() {
    let desk = Desk::new();
    let gltf = r#"{
        "asset": { "version": "2.0" },
        "buffers": [{ "byteLength": 36, "uri": "part.bin" }],
        "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3 }],
        "meshes": [{ "primitives": [
            { "attributes": { "POSITION": 0 } },
            { "attributes": { "POSITION": 0 }, "mode": 1 }
        ] }]
    }"#;
    std::fs::write(desk.path("part.gltf"), gltf).unwrap();
    let run = desk.run(&["inspect", "part.gltf"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("part.gltf, buffers[0].uri: the file `part.bin`"), "{}", run.stderr);

    let corners: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    std::fs::write(desk.path("part.bin"), corners.map(f32::to_le_bytes).concat()).unwrap();
    let run = desk.succeed(&["inspect", "part.gltf", "--json"]);
    let file = &run.json()["files"][0];
    assert_eq!((&file["format"], &file["triangles"]), (&"glTF JSON".into(), &1.into()));
    assert_eq!(file["cleanup"]["skipped_groups"], 1);
    let run = desk.succeed(&["inspect", "part.gltf"]);
    assert!(run.stdout.contains("while reading: 1 group of points or lines left out"), "{}", run.stdout);
}

/// No method makes a solid of a flat mesh, so none is advised.
#[test]
fn what_is_advised_for_a_flat_mesh_works() {
    let desk = Desk::new();
    std::fs::write(desk.path("flat.obj"), "v 0 0 0\nv 1 0 1\nv 0 1 1\nf 1 2 3\n").unwrap();
    let run = desk.succeed(&["inspect", "flat.obj"]);
    assert!(
        run.stdout.contains("flat: it encloses nothing") && !run.stdout.contains("caps"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("--sign oriented"), "{}", run.stdout);
    desk.succeed(&["field", "flat.obj", "-o", "flat.field", "-r", "16", "--sign", "oriented"]);
}
