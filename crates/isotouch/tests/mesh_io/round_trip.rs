use isotouch::mesh::TriMesh;
use isotouch::mesh::io::{self, Format, ReadOptions, WriteError};
use proptest::prelude::*;

use super::{corners, tetrahedron};
use glam::{DVec3, dvec3};

#[test]
fn obj_and_ply_keep_every_bit() {
    let folder = tempfile::tempdir().unwrap();
    for (name, format) in [
        ("a.obj", Format::Obj),
        ("a.ply", Format::PlyLittleEndian),
        ("a.OBJ.gz", Format::Obj),
        ("a.ply.gz", Format::PlyLittleEndian),
    ] {
        let path = folder.path().join(name);
        io::write(&path, &tetrahedron()).unwrap();
        let loaded = io::read(&path, &ReadOptions::default()).unwrap();
        assert_eq!(loaded.mesh, tetrahedron(), "{name}");
        assert_eq!((loaded.format, loaded.gzipped), (format, name.ends_with(".gz")));
        assert_eq!(loaded.cleanup, Default::default());
        assert_eq!(TriMesh::read(&path).unwrap(), tetrahedron());
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4, "something unfinished was left behind");
}

#[test]
fn stl_keeps_what_f32_holds() {
    let folder = tempfile::tempdir().unwrap();
    let rounded: Vec<[DVec3; 3]> =
        corners(&tetrahedron()).into_iter().map(|t| t.map(|v| v.as_vec3().as_dvec3())).collect();
    for name in ["a.stl", "a.stl.gz"] {
        let path = folder.path().join(name);
        io::write(&path, &tetrahedron()).unwrap();
        let loaded = io::read(&path, &ReadOptions::default()).unwrap();
        assert_eq!((loaded.format, corners(&loaded.mesh)), (Format::StlBinary, rounded.clone()));
        assert_eq!(loaded.mesh.vertices().len(), 4);
    }
}

#[test]
fn what_cannot_be_written_leaves_the_old_file_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("far.stl");
    std::fs::write(&path, "precious").unwrap();
    let far = TriMesh::new(vec![DVec3::ZERO, DVec3::X, dvec3(0.0, 1e39, 0.0)], vec![[0, 1, 2]]).unwrap();
    let error = io::write(&path, &far).unwrap_err();
    assert!(matches!(error, WriteError::BeyondF32 { vertex: 2, .. }), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), b"precious");

    let error = io::write(folder.path().join("a.step"), &far).unwrap_err();
    assert!(error.to_string().contains("a.step") && error.to_string().contains(".obj"), "{error}");
    let error = io::write(folder.path().join("no/such/folder/a.obj"), &far).unwrap_err();
    assert!(matches!(error, WriteError::Io { .. }) && error.to_string().contains("a.obj"), "{error}");
    std::fs::create_dir(folder.path().join("folder.obj")).unwrap();
    io::write(folder.path().join("folder.obj"), &far).unwrap_err();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "something unfinished was left behind");
}

fn any_mesh() -> impl Strategy<Value = TriMesh> {
    let coordinate = prop_oneof![any::<f64>().prop_filter("finite", |x| x.is_finite()), -1.0..1.0f64];
    let vertex = [coordinate.clone(), coordinate.clone(), coordinate].prop_map(DVec3::from_array);
    prop::collection::vec(vertex, 3..30).prop_flat_map(|vertices| {
        let index = 0..vertices.len() as u32;
        let triangles = prop::collection::vec([index.clone(), index.clone(), index], 1..40);
        triangles.prop_map(move |triangles| TriMesh::new(vertices.clone(), triangles).unwrap())
    })
}

proptest! {
    /// What was read once (and so cleaned) is written and read again bit by bit.
    #[test]
    fn a_clean_mesh_comes_back(mesh in any_mesh()) {
        let folder = tempfile::tempdir().unwrap();
        let first = folder.path().join("first.ply");
        io::write(&first, &mesh).unwrap();
        if let Ok(clean) = TriMesh::read(&first) {
            for name in ["second.obj", "second.ply"] {
                io::write(folder.path().join(name), &clean).unwrap();
                prop_assert_eq!(&TriMesh::read(folder.path().join(name)).unwrap(), &clean);
            }
        }
    }
}
