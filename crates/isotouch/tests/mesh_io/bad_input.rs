use isotouch::mesh::io::{self, ReadError, ReadOptions};

use super::{gzip, triangle_files};

/// Reads what cannot be read, and checks that the message names the file and everything in `named`.
#[track_caller]
pub(super) fn fails(name: &str, content: impl AsRef<[u8]>, named: &[&str]) -> ReadError {
    let error = match io::read_bytes(name, content.as_ref(), &ReadOptions::default()) {
        Ok(loaded) => panic!("was read: {loaded:?}"),
        Err(error) => error,
    };
    let message = error.to_string();
    for part in named.iter().chain([&name]) {
        assert!(message.contains(part), "`{part}` is missing in: {message}");
    }
    error
}

const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
                   element face 1\nproperty list uchar int vertex_indices\nend_header\n";

#[test]
fn missing_folder_empty() {
    let folder = tempfile::tempdir().unwrap();
    let missing = io::read(folder.path().join("nut.stl"), &ReadOptions::default()).unwrap_err();
    assert!(
        matches!(missing, ReadError::NotFound { .. }) && missing.to_string().contains("nut.stl"),
        "{missing}"
    );
    let directory = io::read(folder.path(), &ReadOptions::default()).unwrap_err();
    assert!(matches!(directory, ReadError::Directory { .. }), "{directory}");
    for content in ["", " \n\r\n\t"] {
        for name in ["a.obj", "a.stl", "a.ply", "a.off", "a"] {
            assert!(matches!(fails(name, content, &["empty"]), ReadError::Empty { .. }));
        }
    }
    fails("a.obj.gz", gzip(b""), &["empty"]);
}

#[test]
fn garbage() {
    let garbage: Vec<u8> = (0..5000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for name in ["a.obj", "a.off", "a.ply", "a"] {
        assert!(matches!(
            fails(name, &garbage, &["OBJ, STL, PLY, OFF and glTF"]),
            ReadError::UnknownFormat { .. }
        ));
    }
    fails("a.stl", &garbage, &["byte 80", "triangles", "only 4916 bytes follow"]);
    fails("a.stl", [0xffu8, 0xfd, 0], &["byte 3", "84-byte header"]);
    fails("a.txt", "Dear all,\nv is a letter.\n", &["no mesh format"]);
    fails("a.stl", "Dear all,", &["line 1", "`Dear`", "solid"]);
    fails("a.off", "Dear all,", &["line 1", "`Dear` is not a number"]);
}

#[test]
fn cut_short_anywhere() {
    for (name, content) in triangle_files() {
        // The face or its end is the last thing in each file; without it there is no triangle.
        for length in 0..content.len() - 6 {
            let result = io::read_bytes(name, &content[..length], &ReadOptions::default());
            assert!(result.is_err(), "{name} cut to {length} of {} bytes was read", content.len());
        }
        let packed = gzip(&content);
        for length in 10..packed.len() - 1 {
            fails("a.gz", &packed[..length], &["gzip", "cut short"]);
        }
    }
    fails("a.obj", "v 0 0 0\nv 1 0\n", &["line 2", "in the middle of a vertex"]);
    fails("a.off", "OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2", &["line 6", "middle of face 1 of 2"]);
    fails("a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1", &["line 5", "a vertex"]);
    fails(
        "a.stl",
        "solid\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n",
        &["endsolid"],
    );
    fails("a.ply", format!("{PLY}0 0 0\n1 0 0\n0 1 0\n3 0 1"), &["line 13", "only 4 bytes follow"]);
    fails("a.ply", "ply\nformat ascii 1.0\nelement vertex 3", &["line 3", "end_header"]);
}

#[test]
fn coordinates_that_are_not_finite() {
    for bad in ["nan", "inf", "-Infinity", "1e999", "-nan(ind)", "1.#QNAN", "1.#INF"] {
        let place = &["not a finite number", bad];
        let stl = format!("solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 {bad}\n");
        assert!(fails("a.stl", stl, place).to_string().contains("line 4"));
        assert!(
            fails("a.ply", format!("{PLY}0 0 0\n0 {bad} 0\n0 0 0\n3 0 1 2"), place)
                .to_string()
                .contains("line 11")
        );
        if !bad.contains('#') {
            assert!(fails("a.obj", format!("# one\r\nv 0 {bad} 0\n"), place).to_string().contains("line 2"));
            assert!(
                fails("a.off", format!("OFF\r1 1 0\r\r{bad} 0 0\r3 0 0 0"), place)
                    .to_string()
                    .contains("line 4")
            );
        }
    }
    let files = triangle_files();
    let mut stl = files[2].1.clone();
    stl[84 + 24..84 + 28].copy_from_slice(&f32::NAN.to_le_bytes());
    fails("a.stl", &stl, &["byte 108", "NaN"]);
    let mut ply = files[5].1.clone();
    let body = ply.len() - 13 - 3 * 14;
    ply[body + 4..body + 12].copy_from_slice(&f64::INFINITY.to_le_bytes());
    fails("a.ply", &ply, &[&format!("byte {}", body + 4), "inf"]);
}

#[test]
fn words_that_are_no_numbers() {
    fails("a.obj", "v 0 0 0\nv 1,5 0 0\n", &["line 2", "`1,5` is not a number"]);
    fails("a.obj", "v 0 0 0\nf one 2 3\n", &["line 2", "`one`"]);
    fails("a.obj", "v 0 0 0\nf 1.5 2 3\n", &["line 2", "`1.5` should be a whole number"]);
    fails("a.obj", "v 0 0 0\nf /1 2 3\n", &["line 2", "`` is not a number"]);
    fails("a.obj", b"v 0 \xff\xfe 0\n", &["line 1", "is not a number"]);
    fails("a.obj", format!("v {} 0 0\n", "x".repeat(100_000)), &["line 1", "xxx…"]);
    fails("a.off", "OFF\n3 -1 0\n", &["line 2", "`-1` cannot be a count"]);
    fails("a.ply", PLY.replace("vertex 3", "vertex three"), &["line 3", "`three`"]);
    fails("a.ply", PLY.replace("float y", "quaternion y"), &["line 5", "quaternion"]);
    fails("a.ply", PLY.replace("list uchar", "list"), &["line 8", "makes no sense"]);
    fails("a.ply", PLY.replace("float z", "float w") + "0 0 0\n1 0 0\n0 1 0\n3 0 1 2", &["line 3", "no `z`"]);
    fails("a.ply", PLY.replace("format ascii 1.0\n", ""), &["no `format` line"]);
    fails("a.ply", PLY.replace("ascii", "binary_middle_endian"), &["line 2", "binary_middle_endian"]);
    fails("a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvortex 0 0 0", &["line 4", "`vortex`"]);
}

#[test]
fn faces_that_name_vertices_that_are_not_there() {
    let vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    fails("a.obj", format!("{vertices}f 1 2 3\nf 1 2 4\n"), &["line 5", "vertex 4", "3 vertices", "from 1"]);
    fails("a.obj", format!("{vertices}f 0 1 2\n"), &["line 4", "vertex 0", "counted from 1"]);
    fails("a.obj", format!("{vertices}f -4 1 2\n"), &["line 4", "vertex -4"]);
    fails("a.obj", format!("{vertices}f 1 2 9223372036854775807\n"), &["line 4", "9223372036854775807"]);
    fails("a.obj", format!("{vertices}f 1 2 -9223372036854775808\n"), &["line 4", "-9223372036854775808"]);
    fails("a.obj", format!("{vertices}f 1 2 4294967297\n"), &["line 4", "4294967297"]);
    fails("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", &["line 6", "vertex 3", "from 0"]);
    fails("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", &["line 6", "vertex -1"]);
    fails("a.ply", format!("{PLY}0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n"), &["line 13", "vertex 3"]);
    fails("a.ply", format!("{PLY}0 0 0\n1 0 0\n0 1 0\n3 0 -1 2\n"), &["line 13", "vertex -1"]);
    let mut binary = triangle_files()[6].1.clone();
    let last = binary.len() - 1;
    binary[last] = 3;
    fails("a.ply", &binary, &[&format!("byte {}", last - 3), "vertex 3"]);
}

#[test]
fn counts_that_the_file_has_no_room_for() {
    fails("a.off", "OFF\n353535235358 6 0\n0 0 0\n", &["line 2", "353535235358 vertices", "only 6 bytes"]);
    fails("a.off", "OFF\n3 99999999999999999 0\n0 0 0\n", &["line 2", "99999999999999999 faces"]);
    fails("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n4000000000 0 1 2\n", &["line 6", "4000000000 corners"]);
    fails("a.ply", PLY.replace("vertex 3", "vertex 100000000000"), &["line 3", "100000000000 `vertex`"]);
    fails("a.ply", PLY.replace("vertex 3", "vertex 9223372036854775807"), &["line 3", "9223372036854775807"]);
    fails(
        "a.ply",
        format!("{PLY}0 0 0\n1 0 0\n0 1 0\n4000000000 0 1 2\n"),
        &["line 13", "4000000000 values"],
    );
    // Elements without properties take no bytes, and no time either.
    let nothing = PLY.replace("element face", "element nothing 999999999999999999\nelement face");
    assert!(
        io::read_bytes(
            "a.ply",
            format!("{nothing}0 0 0\n1 0 0\n0 1 0\n3 0 1 2").as_bytes(),
            &Default::default()
        )
        .is_ok()
    );
    for file in [5, 6] {
        let text = "property list uchar int";
        let mut content = triangle_files()[file].1.clone();
        let at = content.windows(text.len()).position(|w| w == text.as_bytes()).unwrap();
        content.splice(at..at + text.len(), *b"property list uint int");
        let list = content.len() - 13;
        content.splice(list..=list, [0xff; 4]);
        fails("a.ply", &content, &[&format!("byte {list}"), "4294967295 values"]);
    }
    let mut stl = triangle_files()[2].1.clone();
    stl[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    fails("a.stl", &stl, &["byte 80", "4294967295 triangles"]);
}

#[test]
fn a_gzip_bomb() {
    let bomb = gzip(&vec![b' '; 200 << 20]);
    assert!(bomb.len() < 1 << 20);
    let named = ["holds more than"];
    // Of 200 MiB no more is unpacked than 200 times the packed size and 64 MiB.
    if bomb.len() as u64 * 200 + (64 << 20) < 200 << 20 {
        assert!(matches!(fails("a.obj.gz", &bomb, &named), ReadError::TooLarge { .. }));
    } else {
        fails("a.obj.gz", &bomb, &["empty"]);
    }
    let twice = gzip(&gzip(&bomb));
    fails("a.obj.gz", &twice, &["gzip inside gzip"]);
    fails("a.ply.gz", b"\x1f\x8b\x08garbage garbage garbage", &["gzip", "a.ply.gz"]);
}

#[test]
fn files_without_triangles() {
    let empty = |name, content: &str, why| {
        assert!(matches!(fails(name, content, &["no triangles", why]), ReadError::NoTriangles { .. }));
    };
    empty("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\np 1 2 3\n", "3 vertices but no faces");
    empty("a.obj", "mtllib a.mtl\n", "neither vertices nor faces");
    empty("a.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", "fewer than three corners");
    empty("a.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "zero area");
    empty("a.off", "OFF\n1 0 0\n0 0 0\n", "point cloud");
    empty("a.stl", "solid nothing\nendsolid nothing\n", "neither");
    empty("a.ply", "ply\nformat ascii 1.0\nend_header\n", "neither");
    let mut stl = vec![0; 84];
    stl[..5].copy_from_slice(b"solid");
    fails("a.stl", &stl, &["no triangles"]);
}

#[test]
fn formats_that_are_not_supported_are_known_by_name_and_content() {
    let unsupported = |name, content: &[u8], named| {
        assert!(matches!(fails(name, content, &["not supported yet", named]), ReadError::Unsupported { .. }));
    };
    for (name, what) in [("a.STEP", "STEP"), ("a.stp", "STEP"), ("a.3mf", "3MF")] {
        unsupported(name, b"\x00\x01\x02", what);
    }
    unsupported("a.stl", b"ISO-10303-21;\nHEADER;", "STEP");
    unsupported("a.3mf", b"PK\x03\x04....", "3MF");
    unsupported("a.obj", b"PK\x03\x04....", "zip");
    unsupported("a.xml", b"<?xml version=\"1.0\"?>\n<COLLADA>", "COLLADA");
    unsupported("a.obj", b"\xfe\xff\0v\0 \x001", "UTF-16");
    fails("a.off", "OFF BINARY\n\0\0\0\x03", &["binary OFF"]);
    fails("a.off", "4OFF\n1 1 0\n0 0 0 0\n", &["line 1", "dimensions"]);
}

#[test]
fn scales_that_make_no_sense() {
    let triangle = b"v 0 0 0\nv 1e300 0 0\nv 0 1 0\nf 1 2 3\n";
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error =
            io::read_bytes("a.obj", triangle, &ReadOptions { scale, ..Default::default() }).unwrap_err();
        assert!(matches!(error, ReadError::BadScale { .. }), "{error}");
    }
    let error =
        io::read_bytes("a.obj", triangle, &ReadOptions { scale: 1e10, ..Default::default() }).unwrap_err();
    assert!(error.to_string().contains("vertex 1"), "{error}");
}
