//! Nothing that a file contains makes the reader panic or run away.

use isotouch::mesh::io::{self, ReadOptions};
use proptest::prelude::*;
use proptest::sample::Index;

use super::{gzip, triangle_files};

const NAMES: [&str; 8] = ["a.obj", "a.stl", "a.ply", "a.off", "a", "a.ply.gz", "a.glb", "a.gltf"];

fn read_any_way(content: &[u8]) {
    for name in NAMES {
        for weld in [true, false] {
            // Whether it is read does not matter here, only that it comes to an end.
            let _ = io::read_bytes(name, content, &ReadOptions { weld, scale: 2.0 });
        }
    }
}

/// Words that mean something to one of the readers.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "v",
            "f",
            "fo",
            "\\",
            "#",
            "/",
            "OFF",
            "COFF",
            "solid",
            "facet",
            "vertex",
            "endloop",
            "endsolid",
            "ply",
            "format ascii 1.0",
            "format binary_little_endian 1.0",
            "element vertex",
            "element face",
            "property",
            "property float x",
            "property list uchar int vertex_indices",
            "end_header",
            "nan",
            "1e400",
            "\u{feff}",
        ])
        .prop_map(str::to_owned),
        any::<i64>().prop_map(|x| x.to_string()),
        (-3i32..9).prop_map(|x| x.to_string()),
        any::<f64>().prop_map(|x| x.to_string()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_bytes(content in prop::collection::vec(any::<u8>(), 0..400)) {
        read_any_way(&content);
    }

    #[test]
    fn random_words(words in prop::collection::vec((word(), prop::sample::select(vec![" ", "\n", "\r", "\r\n"])), 0..80)) {
        let content: String = words.into_iter().flat_map(|(word, blank)| [word, blank.to_owned()]).collect();
        read_any_way(content.as_bytes());
    }

    #[test]
    fn corrupted_and_cut(
        file in any::<Index>(),
        changes in prop::collection::vec((any::<Index>(), any::<u8>()), 0..6),
        swaps in prop::collection::vec((any::<Index>(), any::<Index>()), 0..3),
        length in any::<Index>(),
        packed in any::<bool>(),
    ) {
        let mut content = file.get(&triangle_files()).1.clone();
        if packed {
            content = gzip(&content);
        }
        for (at, byte) in changes {
            let at = at.index(content.len());
            content[at] = byte;
        }
        for (a, b) in swaps {
            let (a, b) = (a.index(content.len()), b.index(content.len()));
            content.swap(a, b);
        }
        read_any_way(&content);
        content.truncate(length.index(content.len() + 1));
        read_any_way(&content);
    }

    /// Polygons with any corners: repeated, crossing, in a line.
    #[test]
    fn random_polygons(
        points in prop::collection::vec((0i8..4, 0i8..4, 0i8..2), 4..12),
        corners in prop::collection::vec(1usize..5, 3..40),
    ) {
        let mut content: String = points.iter().map(|(x, y, z)| format!("v {x} {y} {z}\n")).collect();
        content += "f";
        content.extend(corners.iter().map(|corner| format!(" {corner}")));
        read_any_way(content.as_bytes());
    }
}
