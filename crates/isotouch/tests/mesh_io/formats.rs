use glam::dvec3;
use isotouch::mesh::io::{self, Format, ReadOptions};

use super::{corners, gzip, load, triangle_files, unit_triangle};

#[test]
fn each_format_reads_plain_and_gzipped() {
    let formats = [
        Format::Obj,
        Format::Off,
        Format::StlBinary,
        Format::StlAscii,
        Format::PlyAscii,
        Format::PlyLittleEndian,
        Format::PlyBigEndian,
        Format::GltfJson,
        Format::GltfBinary,
    ];
    for ((name, content), format) in triangle_files().into_iter().zip(formats) {
        for (name, content, gzipped) in
            [(name.to_owned(), content.clone(), false), (format!("{name}.gz"), gzip(&content), true)]
        {
            let loaded = load(&name, &content);
            assert_eq!((loaded.format, loaded.gzipped, loaded.extension_lies), (format, gzipped, false));
            assert_eq!(corners(&loaded.mesh), unit_triangle(), "{format}");
        }
    }
}

#[test]
fn content_wins_over_the_extension() {
    for (name, content) in triangle_files() {
        for wrong in ["t.obj", "t.stl", "t.ply", "t.off", "t.glb", "t.PLY.GZ"] {
            let loaded = load(wrong, &content);
            assert_eq!(corners(&loaded.mesh), unit_triangle());
            let lies = loaded.format.extension() != wrong.to_lowercase().split('.').nth(1).unwrap();
            assert_eq!(loaded.extension_lies, lies, "{name} as {wrong}");
        }
        assert!(!load("no_extension", &content).extension_lies);
    }
    // Compressed under a plain name: nothing about the mesh is wrong.
    let loaded = load("t.obj", gzip(&triangle_files()[0].1));
    assert!(loaded.gzipped && !loaded.extension_lies);
}

#[test]
fn text_with_any_line_end_and_a_byte_order_mark() {
    for (name, content) in triangle_files() {
        let Ok(text) = String::from_utf8(content) else { continue };
        if text.contains('\0') {
            continue;
        }
        for end in ["\n", "\r\n", "\r"] {
            let content = text.replace('\n', end);
            assert_eq!(corners(&load(name, &content).mesh), unit_triangle(), "{name} {end:?}");
            assert_eq!(
                corners(&load(name, content.trim_end()).mesh),
                unit_triangle(),
                "{name} {end:?} at the end"
            );
            assert_eq!(
                corners(&load(name, format!("\u{feff}{content}")).mesh),
                unit_triangle(),
                "{name} BOM"
            );
        }
    }
}

#[test]
fn binary_ply_under_headers_with_any_line_end() {
    // The body begins with the byte of a line feed: x = 10, as an 8-bit number.
    let header = "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty uchar x\nproperty uchar y\n\
                  property uchar z\nelement face 1\nproperty list uchar uchar vertex_index\nend_header\n";
    for end in ["\n", "\r\n", "\r"] {
        let mut content = header.replace('\n', end).into_bytes();
        content.extend([10, 0, 0, 11, 0, 0, 10, 1, 0, 3, 0, 1, 2]);
        let loaded = load("a.ply", &content);
        let expected = [dvec3(10.0, 0.0, 0.0), dvec3(11.0, 0.0, 0.0), dvec3(10.0, 1.0, 0.0)];
        assert_eq!(corners(&loaded.mesh), [expected], "{end:?}");
    }
}

#[test]
fn ply_with_more_than_a_mesh_in_it() {
    let content = "ply\nformat ascii 1.0\ncomment by nobody\nobj_info none\nelement camera 1\nproperty float focus\n\
                   property list uchar float lens\nelement face 2\nproperty uchar red\n\
                   property list uchar float texture\nproperty list int uint vertex_indices\nelement nothing 9\n\
                   element vertex 4\nproperty list uchar int tags\nproperty float nx\nproperty double z\n\
                   property double y\nproperty double x\nend_header\n\
                   35 3 0.1 0.2 0.3\n255 2 0.5 0.5 3 0 1 2\n0 0 3 0 2 3\n\
                   0 nan 0 0 0\n2 7 8 1 0 0 1\n0 1 0 1 0\n1 5 1 1 0 0\ntrailing words\n";
    let loaded = load("a.ply", content);
    assert_eq!(loaded.mesh.triangles(), [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(loaded.mesh.vertices()[3], dvec3(0.0, 0.0, 1.0));
    assert_eq!(loaded.cleanup.trailing_bytes, "trailing words".len());
}

#[test]
fn ply_triangle_strips() {
    let content = "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n\
                   element tristrips 1\nproperty list int int vertex_indices\nend_header\n\
                   0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n8 0 1 2 3 -1 2 3 4\n";
    assert_eq!(load("a.ply", content).mesh.triangles(), [[0, 1, 2], [2, 1, 3], [2, 3, 4]]);
}

#[test]
fn off_in_its_varieties() {
    let varieties = [
        "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
        "OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2 255 0 0\n",
        "OFF3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
        "off\n3 1\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
        "OFF\n3\n1\n0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
        "3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
        "# made by hand\n\nOFF # here it begins\n# three vertices\n3 1 3\n\n0 0 0 # one\n#\n1 0 0\n0 1 0\n\n3 0 1 2#end",
        "COFF\n3 1 0\n0 0 0 255 0 0 255\n1 0 0 0 255 0 255\n0 1 0 1 1 1 1\n3 0 1 2\n",
        "NOFF\n3 1 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n3 0 1 2\n",
        "STOFF\n3 1 0\n0 0 0 0.5 0.5\n1 0 0 1 0\n0 1 0 0 1\n3 0 1 2\n",
        "STCNOFF\n3 1 0\n0 0 0 0 0 1 1 1 1 1 0.5 0.5\n1 0 0 0 0 1 1 1 1 1 0 0\n0 1 0 0 0 1 1 1 1 1 0 0\n3 0 1 2 0.1\n",
    ];
    for content in varieties {
        for name in ["a.off", "a"] {
            let loaded = load(name, content);
            assert_eq!((loaded.format, corners(&loaded.mesh)), (Format::Off, unit_triangle()), "{content}");
        }
    }
}

#[test]
fn obj_as_found_in_the_wild() {
    let varieties = [
        "v 0 0 0 1.0\nv 1 0 0 0.5 0.5 0.5\nv 0 1 0\nf 1/1 2/2/2 3//3\n",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\n",
        "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n",
        "v 0 0 \\\n0\nv 1 0 0\nv +0 1. .0e+1\nf 1 \\\r\n2 \\\n 3 # a comment",
        "mtllib m.mtl\no \u{e9}\n\tv 0 0 0\n  v 1 0 0\nv 0 1 0\nvn nan nan nan\nl 1 2\np 1\nf 1 2\nfo 1 2 3\ncurv2 1 2",
    ];
    for content in varieties {
        assert_eq!(corners(&load("a.obj", content).mesh), unit_triangle(), "{content}");
    }
    // Names in an old encoding are not UTF-8, and do not matter.
    let latin = b"o caf\xe9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    assert_eq!(corners(&load("a.obj", latin).mesh), unit_triangle());
}

#[test]
fn stl_as_found_in_the_wild() {
    let one_line = "SOLID\nFACET NORMAL -nan(ind) 0 1 OUTER LOOP VERTEX 0 0 0 VERTEX 1 0 0 VERTEX 0 1 0 ENDLOOP \
                    ENDFACET ENDSOLID";
    assert_eq!(corners(&load("a.stl", one_line).mesh), unit_triangle());
    let facet =
        "facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";
    let two = format!(
        "solid a vertex of vertex\n{facet}endsolid\n\nsolid b\n{}endsolid b",
        facet.replace("1 0 0", "2 0 0")
    );
    assert_eq!(load("a.stl", two).mesh.triangles().len(), 2);
    // Sixteen digits survive: text is not read through f32.
    let precise = format!("solid\n{}endsolid", facet.replace("1 0 0", "0.1234567890123456 0 0"));
    assert_eq!(load("a.stl", precise).mesh.vertices()[1].x, 0.1234567890123456);

    // A binary file whose header begins with `solid`, and one with bytes to spare.
    let mut binary = triangle_files()[2].1.clone();
    binary[..5].copy_from_slice(b"solid");
    assert_eq!(load("a.stl", &binary).format, Format::StlBinary);
    binary.extend([1, 2, 3]);
    let loaded = load("a.stl", &binary);
    assert_eq!((loaded.format, loaded.cleanup.trailing_bytes), (Format::StlBinary, 3));
}

#[test]
fn welding_scaling_and_cleaning_are_counted() {
    let content = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv -0 0 0\nv 1 0 0\nv 5 5 5\nv 2 0 0\n\
                   f 1 2 3\nf 4 3 5\nf 1 4 3\nf 1 7 2\nf 1 2\n";
    let loaded = load("a.obj", content);
    assert_eq!(loaded.mesh.triangles(), [[0, 1, 2], [0, 2, 1]]);
    let c = loaded.cleanup;
    assert_eq!(
        (c.welded_vertices, c.degenerate_triangles, c.unused_vertices, c.short_polygons),
        (2, 2, 2, 1)
    );

    let options = ReadOptions { weld: false, scale: 0.5 };
    let loaded = io::read_bytes("a.obj", content.as_bytes(), &options).unwrap();
    assert_eq!(loaded.mesh.triangles(), [[0, 1, 2], [3, 2, 4]]);
    assert_eq!(loaded.mesh.vertices()[1], dvec3(0.5, 0.0, 0.0));
    let c = loaded.cleanup;
    assert_eq!((c.welded_vertices, c.degenerate_triangles, c.unused_vertices), (0, 2, 2));
}

#[test]
fn tiny_and_huge_triangles_have_area() {
    for size in ["1e-300", "1e300", "5e-324", "1e308"] {
        let content = format!("v 0 0 0\nv {size} 0 0\nv 0 {size} 0\nf 1 2 3\n");
        assert_eq!(load("a.obj", content).mesh.triangles().len(), 1, "{size}");
    }
    let across = "v -1.7e308 0 0\nv 1.7e308 0 0\nv 0 1 0\nv 1.7e308 1.7e308 0\nf 1 2 3\nf 1 2 4 3\n";
    assert!(!load("a.obj", across).mesh.triangles().is_empty());
}
