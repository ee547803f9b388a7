//! Third-party models, where they are there.

use std::time::Instant;

use super::caps::odd_edges;
use super::oracle::models;
use isotouch::mesh::io::{self, Format, ReadError, ReadOptions};

/// Files where the index is known to be wrong, or counts what we refuse, with what is right.
const DIFFERENT: &[(&str, &str)] = &[
    // Six quads; the index has 10 triangles.
    ("hard/cgal_misc_wrongly_oriented_cube.off", "8 vertices, 12 triangles"),
    // With indices from the end; the index has 14 vertices.
    ("fuzz/tinyobjloader_missing_material_file.obj", "28 vertices, 36 triangles"),
    // COLLADA.
    ("hard/trimesh_models_blue_cube.dae", "not supported"),
    ("hard/trimesh_models_duck.dae", "not supported"),
    // `3.1+e2` is not a number.
    ("fuzz/assimp_OBJ_number_formats.obj", "not a number"),
    // Announces a vertex more than it has.
    ("fuzz/cgal_invalid_nv.off", "cut short"),
];

/// Every file is read or refused; where the index knows the counts, they agree:
/// triangles of the index = ours + degenerate ones; vertices of the index = ours + those only degenerate triangles use.
/// What the index calls closed has every edge an even number of times.
#[test]
fn all_models_read_as_the_index_says() {
    let Some(folder) = models::folder() else { return };
    let index = std::fs::read_to_string(folder.join("index.csv")).unwrap();
    let mut wrong = Vec::new();
    let mut agreed = 0;
    for row in index.lines().skip(1) {
        let columns: Vec<&str> = row.split(',').collect();
        let [file, vertices, triangles, .., degenerate] = columns[..8] else { panic!("short row: {row}") };
        let found = match io::read(folder.join(file), &ReadOptions::default()) {
            Ok(loaded) => {
                let c = loaded.cleanup;
                let (v, t) = (loaded.mesh.vertices().len(), loaded.mesh.triangles().len());
                assert!(loaded.mesh.bounds().extent().is_finite(), "{file}");
                if let (Ok(vertices), Ok(triangles)) = (vertices.parse::<usize>(), triangles.parse::<usize>())
                {
                    let vertices_agree = v <= vertices && vertices <= v + c.unused_vertices;
                    let no_more =
                        c.degenerate_triangles + c.caps_flipped <= degenerate.parse::<usize>().unwrap();
                    let opened = columns[3] == "yes" && odd_edges(&loaded.mesh) > 0;
                    if !opened && vertices_agree && no_more && t + c.degenerate_triangles == triangles {
                        agreed += 1;
                        continue;
                    }
                } else {
                    continue;
                }
                format!("{v} vertices, {t} triangles")
            }
            Err(ReadError::NoTriangles { why, .. }) if degenerate == triangles => {
                assert!(triangles.is_empty() || why.contains("zero area"), "{file}: {why}");
                continue;
            }
            Err(_) if triangles.is_empty() => continue,
            Err(error) => error.to_string(),
        };
        let known = DIFFERENT.iter().find(|(name, _)| *name == file);
        if !known.is_some_and(|(_, right)| found.contains(right)) {
            wrong.push(format!("{file}: {found}, the index has {vertices} vertices, {triangles} triangles"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(agreed > 200, "only {agreed} files were compared");
}

/// glTF files have no row in the index; whatever is there is read or refused by name.
#[test]
fn gltf_models_are_read_or_refused() {
    let Some(folder) = models::folder() else { return };
    let mut found = 0;
    for part in ["hard", "fuzz"] {
        for entry in std::fs::read_dir(folder.join(part)).unwrap() {
            let path = entry.unwrap().path();
            let is_gltf = path
                .extension()
                .is_some_and(|e| e.eq_ignore_ascii_case("glb") || e.eq_ignore_ascii_case("gltf"));
            if !is_gltf {
                continue;
            }
            found += 1;
            match io::read(&path, &ReadOptions::default()) {
                Ok(loaded) => assert!(loaded.mesh.bounds().extent().is_finite(), "{}", path.display()),
                Err(error) => assert!(error.to_string().contains(&path.display().to_string()), "{error}"),
            }
        }
    }
    if found == 0 {
        println!("skipped: no .glb or .gltf files in {}", folder.display());
    }
}

/// The same bunny in every byte order and with every line end.
#[test]
fn ply_of_every_byte_order_and_line_end() {
    let Some(folder) = models::folder() else { return };
    for (name, format) in [
        ("BBM", Format::PlyBigEndian),
        ("BBU", Format::PlyBigEndian),
        ("lam", Format::PlyAscii),
        ("lbm", Format::PlyLittleEndian),
        ("lbu", Format::PlyLittleEndian),
    ] {
        let path = folder.join(format!("fuzz/ply_endian_eol_bunny_{name}bunny.ply"));
        let loaded = io::read(path, &ReadOptions::default()).unwrap();
        assert_eq!(loaded.format, format);
        assert_eq!((loaded.mesh.vertices().len(), loaded.mesh.triangles().len()), (788, 1443));
    }
}

#[test]
fn cut_and_corrupted_models_do_not_panic() {
    let Some(folder) = models::folder() else { return };
    let mut state = 1u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below.max(1)
    };
    for entry in std::fs::read_dir(folder.join("fuzz")).unwrap() {
        let path = entry.unwrap().path();
        let original = std::fs::read(&path).unwrap();
        if original.len() > 100_000 {
            continue;
        }
        for _ in 0..20 {
            let mut content = original.clone();
            for _ in 0..random(5) {
                let at = random(content.len());
                if let Some(byte) = content.get_mut(at) {
                    *byte = random(256) as u8;
                }
            }
            content.truncate(random(content.len() * 2));
            let _ = io::read_bytes(&path.to_string_lossy(), &content, &ReadOptions::default());
        }
    }
}

/// 870 thousand triangles of gzipped text in about a second; ten leave room for a busy machine.
#[test]
fn a_large_scan_loads_quickly() {
    let Some(folder) = models::folder() else { return };
    let start = Instant::now();
    let loaded = io::read(folder.join("scan/dragon_vrip.ply.gz"), &ReadOptions::default()).unwrap();
    println!("dragon: {:?}", start.elapsed());
    assert_eq!((loaded.mesh.vertices().len(), loaded.mesh.triangles().len()), (435_545, 871_306));
    assert!(start.elapsed().as_secs() < 10);
}
