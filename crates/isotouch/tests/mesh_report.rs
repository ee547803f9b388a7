//! Mesh reports against brute force on random soups, against small cases, and against an index of real files.

// The helpers of a test are tests too.
#![allow(clippy::unwrap_used)]

mod oracle;

use std::collections::{BTreeMap, BTreeSet};

use isotouch::math::DVec3;
use isotouch::mesh::shapes::{self, BowlOptions, bowl, cuboid, sphere};
use isotouch::mesh::{MeshReport, TriMesh, report};
use oracle::meshes::{joined, mesh, moved, with_one_flipped, without};
use oracle::models;
use proptest::prelude::*;

/// The counts by positions and maps, with nothing sorted or renumbered.
fn brute_force(mesh: &TriMesh) -> [usize; 8] {
    type Position = [u64; 3];
    let position = |v: DVec3| v.to_array().map(|x| (x + 0.0).to_bits());
    let triangles: Vec<[Position; 3]> =
        (0..mesh.triangles().len()).map(|t| mesh.corners(t).map(position)).collect();
    let used: BTreeSet<Position> = triangles.iter().flatten().copied().collect();
    let proper: Vec<[Position; 3]> =
        triangles.iter().copied().filter(|t| BTreeSet::from(*t).len() == 3).collect();
    let mut edges = BTreeMap::<BTreeSet<Position>, Vec<[Position; 2]>>::new();
    for &[a, b, c] in &proper {
        for edge in [[a, b], [b, c], [c, a]] {
            edges.entry(BTreeSet::from(edge)).or_default().push(edge);
        }
    }
    let distinct: BTreeSet<BTreeSet<Position>> = proper.iter().map(|t| BTreeSet::from(*t)).collect();
    // Flood from each vertex that is not reached yet.
    let mut components = 0;
    let mut reached = BTreeSet::<Position>::new();
    for start in proper.iter().flatten() {
        if !reached.insert(*start) {
            continue;
        }
        components += 1;
        let mut grown = true;
        while grown {
            grown = false;
            for t in &proper {
                if t.iter().any(|v| reached.contains(v)) {
                    t.iter().for_each(|v| grown |= reached.insert(*v));
                }
            }
        }
    }
    [
        used.len(),
        edges.len(),
        edges.values().filter(|uses| uses.len() == 1).count(),
        edges.values().filter(|uses| uses.len() > 2).count(),
        edges.values().filter(|uses| uses.len() == 2 && uses[0] == uses[1]).count(),
        proper.len() - distinct.len(),
        triangles.len() - proper.len(),
        components,
    ]
}

fn counts(report: &MeshReport) -> [usize; 8] {
    [
        report.vertices,
        report.edges,
        report.boundary_edges,
        report.nonmanifold_edges,
        report.flipped_edges,
        report.duplicate_triangles,
        report.degenerate_triangles,
        report.components,
    ]
}

proptest! {
    /// Corners of a small grid curved so that no three are in line: repeated positions, repeated corners, edges shared
    /// by any number of triangles.
    #[test]
    fn soups_count_as_by_brute_force(
        corners in prop::collection::vec(0_u32..14, 1..25),
        triangles in prop::collection::vec(prop::array::uniform3(0_usize..25), 1..30),
    ) {
        let vertices = corners.iter().map(|&c| {
            let t = f64::from(c) - 5.0;
            // Minus zero is the same position as zero.
            DVec3::new(if c % 2 == 0 { t } else { 0.0 * -t + t }, t * t, t * t * t)
        });
        let count = corners.len();
        let triangles = triangles.iter().map(|t| t.map(|v| (v % count) as u32)).collect();
        let soup = TriMesh::new(vertices.collect(), triangles).unwrap();
        let report = report(&soup);
        prop_assert_eq!(counts(&report), brute_force(&soup));
        let used: BTreeSet<u32> = soup.triangles().iter().flatten().copied().collect();
        prop_assert_eq!(report.unused_vertices, soup.vertices().len() - used.len());
        prop_assert_eq!(report.repeated_vertices, used.len() - report.vertices);
        prop_assert!((report.boundary_loops == 0) == (report.boundary_edges == 0));
        prop_assert!(report.boundary_loops <= report.boundary_edges);
    }

    #[test]
    fn each_dropped_patch_leaves_a_hole(pole in 0_usize..12, others in prop::collection::btree_set(0_usize..320, 0..2)) {
        // A vertex star cut out of a sphere is one hole; single triangles that do not touch it, or each other, are others.
        let whole = sphere(1.0, 320).unwrap();
        let touches = |t: usize, v: u32| whole.triangles()[t].contains(&v);
        let star: Vec<usize> = (0..320).filter(|&t| touches(t, pole as u32)).collect();
        let rim: BTreeSet<u32> = star.iter().flat_map(|&t| whole.triangles()[t]).collect();
        let apart = |t: usize| whole.triangles()[t].iter().all(|v| !rim.contains(v));
        let others: Vec<usize> = others.into_iter().filter(|&t| apart(t)).collect();
        let meet = others.len() == 2 && whole.triangles()[others[0]].iter().any(|&v| touches(others[1], v));
        prop_assume!(!meet);
        let report = report(&without(&whole, &[star.clone(), others.clone()].concat()));
        prop_assert_eq!(report.boundary_loops, 1 + others.len());
        prop_assert_eq!(report.boundary_edges, star.len() + 3 * others.len());
        prop_assert!(!report.is_closed() && !report.is_solid());
    }
}

#[test]
fn shapes_are_solid() {
    for name in shapes::NAMES {
        let mesh = shapes::by_name(name).unwrap();
        let outward = report(&mesh);
        assert!(outward.is_closed() && outward.is_solid() && !outward.is_wound_inward(), "{name}: {outward}");
        let faults = [
            outward.repeated_vertices,
            outward.unused_vertices,
            outward.duplicate_triangles,
            outward.degenerate_triangles,
            outward.boundary_loops,
            outward.inward_components,
            outward.cavities,
        ];
        assert_eq!(faults, [0; 7], "{name}: {outward}");
        assert_eq!(outward.components, 1);
        assert_eq!(outward.bounds, mesh.bounds());
        let inward = report(&mesh.flipped());
        assert!(inward.is_solid() && inward.is_wound_inward(), "{name}: {inward}");
        assert_eq!((inward.inward_components, inward.cavities), (1, 0));
        assert!(
            inward.to_string().contains("the triangles face the inside; `isotouch field` turns it by itself")
        );
    }
}

#[test]
fn volume_and_area_of_a_box_far_away() {
    let report = report(&moved(cuboid(DVec3::new(1.0, 2.0, 3.0)).unwrap(), DVec3::splat(1e6)));
    assert!((report.signed_volume - 6.0).abs() < 1e-8, "{}", report.signed_volume);
    assert!((report.area - 22.0).abs() < 1e-8, "{}", report.area);
}

#[test]
fn hollows_are_not_mistakes_but_inward_parts_are() {
    let outer = || sphere(1.0, 320).unwrap();
    let inner = || sphere(0.5, 320).unwrap();
    let away = |mesh| moved(mesh, 3.0 * DVec3::X);
    // Parts, then inward components, then cavities.
    let cases = [
        (vec![outer(), inner().flipped()], 0, 1),
        (vec![inner().flipped(), outer()], 0, 1),
        (vec![outer(), away(inner().flipped())], 1, 0),
        (vec![outer(), inner().flipped(), away(inner())], 0, 1),
        // A body inside the hollow is outward again, and a second hollow inside that body is inward.
        (
            vec![outer(), inner().flipped(), sphere(0.4, 80).unwrap(), sphere(0.2, 80).unwrap().flipped()],
            0,
            2,
        ),
        // Turned in and out: the outer one faces its inside, the inner one then is no hollow.
        (vec![outer().flipped(), inner()], 1, 0),
    ];
    for (i, (parts, inward, cavities)) in cases.into_iter().enumerate() {
        let report = report(&joined(&parts));
        assert!(report.is_solid());
        assert_eq!(report.components, parts.len());
        assert_eq!((report.inward_components, report.cavities), (inward, cavities), "case {i}");
    }
    // Inside the box of the bowl, but in its bowl: not a hollow.
    let dish = bowl(BowlOptions::default()).unwrap();
    let ball = moved(sphere(0.1, 80).unwrap().flipped(), -0.2 * DVec3::Z);
    let report = report(&joined(&[dish, ball]));
    assert_eq!((report.inward_components, report.cavities), (1, 0));
    assert!(report.to_string().contains("1 component is wound inward"));
}

/// Volumes that cancel to a rounding error below 0 made a mesh, half of which faces outward, one that is wound inward.
#[test]
fn a_mesh_is_wound_inward_if_all_of_it_is() {
    let (small, large) = (|| sphere(0.5, 80).unwrap(), || moved(sphere(1.0, 80).unwrap(), 3.0 * DVec3::X));
    for (parts, is_inward) in [
        (vec![small(), large().flipped()], false),
        (vec![small().flipped(), large()], false),
        (vec![small(), moved(small().flipped(), 0.3 * DVec3::new(7.0, 1.1, 0.1))], false),
        (vec![small().flipped(), large().flipped()], true),
        (vec![sphere(1.0, 320).unwrap().flipped(), small()], true),
        (vec![sphere(1.0, 320).unwrap(), small().flipped()], false),
    ] {
        assert_eq!(report(&joined(&parts)).is_wound_inward(), is_inward);
    }
}

#[test]
fn one_flipped_triangle_has_three_flipped_edges() {
    let report = report(&with_one_flipped(&sphere(1.0, 80).unwrap(), 7));
    assert_eq!(report.flipped_edges, 3);
    assert!(report.is_closed() && !report.is_solid() && !report.is_wound_inward());
    assert!(
        report
            .to_string()
            .contains("3 edges lie between triangles that face opposite ways; `isotouch field` takes it")
    );
}

#[test]
fn boxes_that_share_an_edge_branch_there() {
    let a = cuboid(DVec3::ONE).unwrap();
    let b = moved(a.clone(), DVec3::new(1.0, 1.0, 0.0));
    let report = report(&joined(&[a, b]));
    assert_eq!((report.nonmanifold_edges, report.boundary_edges, report.flipped_edges), (1, 0, 0));
    assert_eq!((report.vertices, report.repeated_vertices, report.components), (14, 2, 1));
    assert!(!report.is_closed());
    let said = report.to_string();
    assert!(
        said.contains("1 edge joins more than two triangles")
            && said.contains("by winding numbers or as a soup"),
        "{said}"
    );
}

#[test]
fn every_triangle_with_both_windings_is_no_solid() {
    let ball = sphere(1.0, 80).unwrap();
    let report = report(&joined(&[ball.clone(), ball.flipped()]));
    assert_eq!((report.duplicate_triangles, report.nonmanifold_edges, report.flipped_edges), (80, 120, 0));
    assert!(!report.is_closed());
    assert!(report.signed_volume.abs() < 1e-15);
}

#[test]
fn a_soup_of_unshared_vertices_is_closed_by_position() {
    let ball = sphere(1.0, 80).unwrap();
    let vertices: Vec<DVec3> = (0..80).flat_map(|t| ball.corners(t)).collect();
    let soup = TriMesh::new(vertices, (0..80).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()).unwrap();
    let report = report(&soup);
    assert!(report.is_solid());
    assert_eq!((report.vertices, report.repeated_vertices), (42, 240 - 42));
}

#[test]
fn rims_that_touch_in_a_vertex_are_two_holes() {
    let triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]];
    let touching = report(&mesh(&triangle, &[[0, 1, 2], [0, 3, 4]]));
    assert_eq!((touching.boundary_edges, touching.boundary_loops, touching.components), (6, 2, 1));
    // A square without its middle: an outer and an inner rim.
    let square = |r: f64| [[-r, -r, 0.0], [r, -r, 0.0], [r, r, 0.0], [-r, r, 0.0]];
    let frame = report(&mesh(
        &[square(2.0), square(1.0)].concat(),
        &[[0, 1, 5], [0, 5, 4], [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, 7, 6], [3, 0, 4], [3, 4, 7]],
    ));
    assert_eq!((frame.boundary_edges, frame.boundary_loops), (8, 2));
    assert!(frame.to_string().contains("2 holes with 8 boundary edges: the surface is not closed"));
    assert!(frame.to_string().contains("closed: no"));
}

#[test]
fn degenerate_means_no_area_at_any_scale() {
    for scale in [1e-200, 1.0, 1e200] {
        let thin = |height: f64| {
            mesh(&[[0.0; 3], [scale, 0.0, 0.0], [0.5 * scale, height * scale, 0.0]], &[[0, 1, 2]])
        };
        for (height, degenerate) in [(0.0, 1), (1e-13, 1), (1e-11, 0), (1.0, 0)] {
            assert_eq!(report(&thin(height)).degenerate_triangles, degenerate, "{height} at {scale}");
        }
    }
    let point = report(&mesh(&[[1.0; 3]], &[[0, 0, 0]]));
    assert_eq!((point.vertices, point.edges, point.components, point.degenerate_triangles), (1, 0, 0, 1));
    assert!(!point.is_closed());
}

#[test]
fn an_empty_mesh_is_reported_as_empty() {
    let report = report(&TriMesh::default());
    assert!(!report.is_closed() && !report.is_solid());
    assert_eq!(report.signed_volume, 0.0);
    assert!(report.to_string().contains("no surface"));
}

/// What is wrong comes with what becomes of it.
#[test]
fn words_for_one_hole() {
    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let said = report(&mesh(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2]])).to_string();
    assert!(said.contains("4 vertices, 3 triangles, 1 component"), "{said}");
    assert!(said.contains("1 hole with 3 boundary edges: the surface is not closed"), "{said}");
    assert!(said.contains("`isotouch field` caps holes") && said.contains("--sign oriented"), "{said}");
}

/// Nothing caps the rim of a flat surface.
#[test]
fn words_for_a_flat_mesh() {
    let said = report(&mesh(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 1.0]], &[[0, 1, 2]])).to_string();
    assert!(said.contains("3 vertices, 1 triangle, 1 component"), "{said}");
    assert!(said.contains("flat: it encloses nothing") && said.contains("--sign oriented"), "{said}");
    assert!(said.contains("1 hole with 3 boundary edges") && !said.contains("caps"), "{said}");
}

#[test]
fn words_for_a_closed_mesh() {
    let said = report(&cuboid(DVec3::new(1.0, 2.0, 2e-7)).unwrap()).to_string();
    let expected = "8 vertices, 12 triangles, 1 component\nsize: 1 x 2 x 2e-7\nbox: (-0.5, -1, -1e-7) to (0.5, 1, 1e-7)\narea: 4\nvolume: 4e-7\nclosed: yes";
    assert_eq!(said, expected);
}

/// Files whose index rows describe something else than the file: comments between the lines taken for numbers, a header
/// that promises a vertex too many, relative indices counted from the end of the file.
const MISREAD: [&str; 3] = [
    "hard/cgal_misc_wrongly_oriented_cube.off",
    "fuzz/cgal_invalid_nv.off",
    "fuzz/tinyobjloader_missing_material_file.obj",
];

/// Every OBJ and OFF file of the model collection that the small readers below can read.
#[test]
fn real_files_agree_with_their_index() {
    let Some(models) = models::folder() else { return };
    let index = std::fs::read_to_string(models.join("index.csv")).unwrap();
    let (mut checked, mut wrong) = (0, Vec::new());
    for line in index.lines().skip(1) {
        let column: Vec<&str> = line.split(',').collect();
        let Some(mesh) = std::fs::read(models.join(column[0])).ok().and_then(|bytes| {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            match () {
                () if column[1].is_empty() || MISREAD.contains(&column[0]) => None,
                () if column[0].to_lowercase().ends_with(".obj") => read_obj(&text),
                () if column[0].ends_with(".off") => read_off(&text),
                () => None,
            }
        }) else {
            continue;
        };
        let report = report(&mesh);
        let found = [
            report.vertices,
            report.triangles,
            report.boundary_edges,
            report.nonmanifold_edges,
            report.flipped_edges,
            report.degenerate_triangles,
            report.duplicate_triangles,
            report.components,
        ];
        let expected = [1, 2, 4, 5, 6, 7, 8, 9].map(|i| column[i].parse::<usize>().unwrap());
        let volume: f64 = column[10].parse().unwrap();
        // Four digits are given; where everything cancels, only rounding is left.
        let noise = 1e-13 * report.bounds.extent().length() * report.area;
        let agrees = found == expected
            && report.is_closed() == (column[3] == "yes")
            && (report.signed_volume - volume).abs() <= 1e-3 * volume.abs() + noise;
        if !agrees {
            wrong.push(format!("{line}: found {found:?}, volume {}", report.signed_volume));
        }
        checked += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{checked} files agree");
    assert!(checked > 80, "only {checked} files were read");
}

/// Just enough OBJ for well-formed files; anything unusual is `None`.
fn read_obj(text: &str) -> Option<TriMesh> {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    if text.contains('\\') {
        return None;
    }
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => vertices.push(read_point(&mut words)?),
            Some("f") => {
                let corners: Option<Vec<u32>> = words
                    .map(|w| {
                        let i: i64 = w.split('/').next()?.parse().ok()?;
                        u32::try_from(if i < 0 { vertices.len() as i64 + i } else { i - 1 }).ok()
                    })
                    .collect();
                triangles.extend(fan(&corners?));
            }
            _ => {}
        }
    }
    TriMesh::new(vertices, triangles).ok()
}

/// Just enough OFF, comments allowed, no normals or colours per vertex.
fn read_off(text: &str) -> Option<TriMesh> {
    let without_comments = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    let mut lines = without_comments.map(str::trim).filter(|line| !line.is_empty());
    if lines.next()? != "OFF" {
        return None;
    }
    let counts: Vec<usize> = lines.next()?.split_whitespace().filter_map(|w| w.parse().ok()).collect();
    let vertices: Option<Vec<DVec3>> =
        lines.by_ref().take(*counts.first()?).map(|line| read_point(&mut line.split_whitespace())).collect();
    let mut triangles = Vec::new();
    for line in lines.take(*counts.get(1)?) {
        let words: Option<Vec<u32>> = line.split_whitespace().map(|w| w.parse().ok()).collect();
        let words = words?;
        triangles.extend(fan(words.get(1..=*words.first()? as usize)?));
    }
    TriMesh::new(vertices?, triangles).ok()
}

fn read_point<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<DVec3> {
    let mut next = || words.next()?.parse().ok();
    Some(DVec3::new(next()?, next()?, next()?))
}

fn fan(corners: &[u32]) -> Vec<[u32; 3]> {
    (2..corners.len()).map(|i| [corners[0], corners[i - 1], corners[i]]).collect()
}
