//! Other people's readers must find the same in what both can read.

use std::io::Cursor;

use glam::{DVec3, dvec3};
use isotouch::mesh::TriMesh;
use isotouch::mesh::io::{self, ReadOptions};
use proptest::prelude::*;

/// Random triangles as (vertices, triangles), with coordinates that `f32` holds exactly.
fn soup() -> impl Strategy<Value = (Vec<DVec3>, Vec<[u32; 3]>)> {
    let coordinate = || (-1000i32..1000).prop_map(|x| f64::from(x) / 64.0);
    let vertex = [coordinate(), coordinate(), coordinate()].prop_map(DVec3::from_array);
    prop::collection::vec(vertex, 3..20).prop_flat_map(|vertices| {
        let index = 0..vertices.len() as u32;
        let triangles = prop::collection::vec([index.clone(), index.clone(), index], 1..30);
        triangles.prop_map(move |triangles| (vertices.clone(), triangles))
    })
}

/// What our reader makes of the content, as corner positions.
fn ours(name: &str, content: &[u8]) -> Vec<[DVec3; 3]> {
    match io::read_bytes(name, content, &ReadOptions::default()) {
        Ok(loaded) => super::corners(&loaded.mesh),
        Err(io::ReadError::NoTriangles { .. }) => Vec::new(),
        Err(error) => panic!("{error}"),
    }
}

/// The same of what another reader found, cleaned by a plain rule.
fn theirs(triangles: impl Iterator<Item = [DVec3; 3]>) -> Vec<[DVec3; 3]> {
    triangles.filter(|[a, b, c]| (b - a).cross(c - a) != DVec3::ZERO).collect()
}

proptest! {
    #[test]
    fn obj_as_tobj((vertices, triangles) in soup()) {
        let mut content = String::new();
        for v in &vertices {
            content += &format!("v {} {} {}\n", v.x, v.y, v.z);
        }
        for t in &triangles {
            content += &format!("f {} {} {}\n", t[0] + 1, t[1] + 1, i64::from(t[2]) - vertices.len() as i64);
        }
        let options = tobj::LoadOptions::default();
        let (models, _) =
            tobj::load_obj_buf(&mut Cursor::new(&content), &options, |_| Err(tobj::LoadError::OpenFileFailed)).unwrap();
        let mesh = &models[0].mesh;
        let position = |i: u32| DVec3::from_slice(&mesh.positions[3 * i as usize..]);
        let found = mesh.indices.chunks(3).map(|t| [position(t[0]), position(t[1]), position(t[2])]);
        prop_assert_eq!(ours("a.obj", content.as_bytes()), theirs(found));
    }

    #[test]
    fn stl_as_stl_io((vertices, triangles) in soup()) {
        let mut text = String::from("solid a\n");
        for t in &triangles {
            text += "facet normal 0 0 0\nouter loop\n";
            for v in t.map(|v| vertices[v as usize]) {
                text += &format!("vertex {} {} {}\n", v.x, v.y, v.z);
            }
            text += "endloop\nendfacet\n";
        }
        text += "endsolid a\n";
        let facets: Vec<_> = triangles
            .iter()
            .map(|t| stl_io::Triangle {
                normal: stl_io::Normal::new([0.0; 3]),
                vertices: t.map(|v| stl_io::Vertex::new(vertices[v as usize].as_vec3().to_array())),
            })
            .collect();
        let mut binary = Vec::new();
        stl_io::write_stl(&mut binary, facets.iter()).unwrap();
        for content in [text.into_bytes(), binary] {
            let mut cursor = Cursor::new(&content);
            let found: Vec<_> = stl_io::create_stl_reader(&mut cursor).unwrap().map(Result::unwrap).collect();
            let found = found.iter().map(|t| t.vertices.map(|v| dvec3(v[0].into(), v[1].into(), v[2].into())));
            prop_assert_eq!(ours("a.stl", &content), theirs(found));
        }
    }

    #[test]
    fn our_ply_as_ply_rs((vertices, triangles) in soup()) {
        use ply_rs_bw::ply::{DefaultElement, Property};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ply");
        io::write(&path, &TriMesh::new(vertices, triangles).unwrap()).unwrap();
        let content = std::fs::read(&path).unwrap();
        let found = ply_rs_bw::parser::Parser::<DefaultElement>::new().read_ply(&mut content.as_slice()).unwrap();
        let number = |element: &DefaultElement, name: &str| match element[name] {
            Property::Double(x) => x,
            _ => panic!("not a double"),
        };
        let positions: Vec<DVec3> = found.payload["vertex"]
            .iter()
            .map(|v| dvec3(number(v, "x"), number(v, "y"), number(v, "z")))
            .collect();
        let found = found.payload["face"].iter().map(|face| match &face["vertex_indices"] {
            Property::ListUInt(list) => [0, 1, 2].map(|corner| positions[list[corner] as usize]),
            _ => panic!("not a list of uint"),
        });
        prop_assert_eq!(ours("a.ply", &content), theirs(found));
    }

    #[test]
    fn off_as_off_rs((vertices, triangles) in soup()) {
        let mut content = format!("OFF\n{} {} 0\n", vertices.len(), triangles.len());
        for v in &vertices {
            content += &format!("{} {} {}\n", v.x, v.y, v.z);
        }
        for t in &triangles {
            content += &format!("3 {} {} {}\n", t[0], t[1], t[2]);
        }
        let mesh = off_rs::parse(&content, off_rs::parser::options::Options::default()).unwrap();
        let position = |v: usize| {
            let p = mesh.vertices[v].position;
            dvec3(p.x.into(), p.y.into(), p.z.into())
        };
        let found = mesh.faces.iter().map(|f| [0, 1, 2].map(|corner| position(f.vertices[corner])));
        prop_assert_eq!(ours("a.off", content.as_bytes()), theirs(found));
    }
}
