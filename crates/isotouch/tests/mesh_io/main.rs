//! Reading and writing mesh files.

// Clippy's leave for tests does not reach the functions they share.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod bad_input;
mod caps;
mod formats;
mod gltf;
mod models;
#[path = "../oracle/mod.rs"]
mod oracle;
mod oracles;
mod polygons;
mod random;
mod round_trip;

use glam::{DVec3, dvec3};
use isotouch::mesh::TriMesh;
use isotouch::mesh::io::{self, Loaded, ReadOptions};

/// A tetrahedron with coordinates that need every bit of an `f64` where `f32` would not do.
fn tetrahedron() -> TriMesh {
    let vertices = vec![
        dvec3(0.1, 0.2, 0.3),
        dvec3(1.0 / 3.0, 0.0, -0.0),
        dvec3(0.0, 1e-9, 7.0),
        dvec3(1e5, 2.5, -1.25),
    ];
    TriMesh::new(vertices, vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]).unwrap()
}

#[track_caller]
fn load(name: &str, content: impl AsRef<[u8]>) -> Loaded {
    match io::read_bytes(name, content.as_ref(), &ReadOptions::default()) {
        Ok(loaded) => loaded,
        Err(error) => panic!("{error}"),
    }
}

/// The triangles as corner positions: what a mesh is, whatever its indices.
fn corners(mesh: &TriMesh) -> Vec<[DVec3; 3]> {
    (0..mesh.triangles().len()).map(|t| mesh.corners(t)).collect()
}

fn gzip(content: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(content).unwrap();
    packed.finish().unwrap()
}

/// The unit right triangle as a file of each format, with the extension that is right for it.
fn triangle_files() -> Vec<(&'static str, Vec<u8>)> {
    let mut stl = vec![0; 84 + 50];
    stl[80] = 1;
    for (at, value) in [(24 + 84, 1f32), (40 + 84, 1.0)] {
        stl[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    let header = |format: &str| {
        format!(
            "ply\nformat {format} 1.0\nelement vertex 3\nproperty float x\nproperty double y\nproperty short z\n\
             element face 1\nproperty list uchar int vertex_indices\nend_header\n"
        )
        .into_bytes()
    };
    let points = [(0f32, 0f64), (1.0, 0.0), (0.0, 1.0)];
    let (mut little, mut big) = (header("binary_little_endian"), header("binary_big_endian"));
    for (x, y) in points {
        little.extend(x.to_le_bytes().into_iter().chain(y.to_le_bytes()).chain([0; 2]));
        big.extend(x.to_be_bytes().into_iter().chain(y.to_be_bytes()).chain([0; 2]));
    }
    little.push(3);
    big.push(3);
    for index in 0..3i32 {
        little.extend(index.to_le_bytes());
        big.extend(index.to_be_bytes());
    }
    let mut ascii = header("ascii");
    ascii.extend(b"0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    vec![
        ("triangle.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".to_vec()),
        ("triangle.off", b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n".to_vec()),
        ("triangle.stl", stl),
        (
            "triangle.stl",
            b"solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n\
              endloop\nendfacet\nendsolid t\n"
                .to_vec(),
        ),
        ("triangle.ply", ascii),
        ("triangle.ply", little),
        ("triangle.ply", big),
        ("triangle.gltf", gltf::Scene::triangle().embedded().into_bytes()),
        ("triangle.glb", gltf::Scene::triangle().glb()),
    ]
}

fn unit_triangle() -> Vec<[DVec3; 3]> {
    vec![[DVec3::ZERO, DVec3::X, DVec3::Y]]
}
