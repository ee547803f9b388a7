//! What each sign method refuses, with an error that names the way on; and open sheets by their front and back.

#![allow(clippy::unwrap_used)]

mod oracle;

use glam::DVec3;
use isotouch::field::{
    BuildError, BuildNote, Built, Execution, Field, FieldOptions, SignMethod, StorageKind,
};
use isotouch::mesh::{Feature, TriMesh, shapes};
use oracle::meshes::{joined, mesh, moved, open_box, welded, with_one_flipped, without};
use oracle::random::Random;
use oracle::{Soup, damage, in_parallel};

fn build(mesh: &TriMesh, sign: SignMethod) -> Result<Built, BuildError> {
    let options = FieldOptions { resolution: 48, sign, storage: StorageKind::Dense, ..Default::default() };
    Field::from_mesh_with(mesh, &options, &Execution::default())
}

fn refusal(mesh: &TriMesh, sign: SignMethod) -> BuildError {
    match build(mesh, sign) {
        Ok(built) => panic!("{sign} built a field of it: {:?}", built.notes),
        Err(error) => error,
    }
}

/// The part of a ball's surface above z = 0.1: open, facing away from the origin.
fn dome() -> TriMesh {
    let ball = shapes::sphere(0.5, 5_120).unwrap();
    let low = |t: &usize| ball.corners(*t).iter().any(|v| v.z < 0.1);
    let dropped: Vec<usize> = (0..ball.triangles().len()).filter(low).collect();
    welded(&without(&ball, &dropped))
}

/// Two triangles in one plane that is no axis's.
fn flat_sheet() -> TriMesh {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.5], [1.0, 1.0, 0.5], [0.0, 1.0, 0.0]];
    mesh(&corners, &[[0, 1, 2], [0, 2, 3]])
}

#[test]
fn pseudonormals_refuse_what_is_open_or_wound_both_ways() {
    let ball = shapes::sphere(0.5, 320).unwrap();
    for broken in [open_box(), dome(), without(&ball, &[17]), with_one_flipped(&ball, 17)] {
        let error = refusal(&broken, SignMethod::Pseudonormal);
        assert!(matches!(error, BuildError::NotClosed { .. }), "{error:?}");
        let said = error.to_string();
        assert!(said.contains("'auto'") && said.contains("'soup'"), "{said}");
    }
    let doubled = damage::doubled(&ball).mesh;
    let error = refusal(&doubled, SignMethod::Pseudonormal);
    // Winding numbers would refuse it too.
    assert!(error == BuildError::NotOriented && error.to_string().contains("'soup'"), "{error}");
}

#[test]
fn winding_refuses_what_is_wound_both_ways() {
    for name in ["sphere", "torus", "box"] {
        let doubled = damage::doubled(&shapes::by_name(name).unwrap()).mesh;
        let error = refusal(&doubled, SignMethod::Winding);
        assert_eq!(error, BuildError::NotOriented, "{name}");
        assert!(error.to_string().contains("'soup'"), "{error}");
    }
}

/// A doubled mesh that is torn apart has no two triangles that could be told to be one.
#[test]
fn winding_refuses_what_is_wound_both_ways_and_torn() {
    for name in ["sphere", "torus", "box"] {
        let doubled = damage::doubled(&shapes::by_name(name).unwrap());
        let torn = damage::and(doubled, |mesh| damage::torn(mesh, 1e-5, &mut Random(1))).mesh;
        assert_eq!(refusal(&torn, SignMethod::Winding), BuildError::NotOriented, "{name}");
    }
}

#[test]
fn soup_refuses_what_encloses_nothing() {
    // Slightly bent, so that it is not flat.
    let sheet =
        mesh(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.1], [1.0, 1.0, 0.0], [0.0, 1.0, 0.1]], &[[0, 1, 2], [0, 2, 3]]);
    for sheet in [sheet.clone(), damage::doubled(&sheet).mesh] {
        let error = refusal(&sheet, SignMethod::Soup);
        assert!(matches!(error, BuildError::EnclosesNothing { .. }), "{error:?}");
        assert!(error.to_string().contains("encloses nothing"), "{error}");
    }
}

/// Nodes on an open fold once counted as inside, and a field of nothing was built.
#[test]
fn an_open_fold_with_nodes_on_it_encloses_nothing() {
    let corners = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.0, 1.0, 1.0],
    ];
    let fold = mesh(&corners, &[[0, 1, 2], [0, 2, 3], [0, 4, 5], [0, 5, 3]]);
    for sign in [SignMethod::Auto, SignMethod::Soup] {
        for cell in [0.1, 0.05, 0.025] {
            let options = FieldOptions { cell_size: Some(cell), sign, ..Default::default() };
            let error = Field::from_mesh(&fold, &options).unwrap_err();
            assert!(matches!(error, BuildError::EnclosesNothing { .. }), "{sign}, {cell}: {error:?}");
            let said = error.to_string();
            assert!(said.contains("at this resolution") && said.contains("'oriented'"), "{said}");
        }
    }
}

/// Two plates that have no node between their sides were once told to have holes.
#[test]
fn doubled_plates_thinner_than_a_cell_are_called_so() {
    let plate = shapes::cuboid(DVec3::new(1.0, 1.0, 0.003)).unwrap();
    let plates = damage::doubled(&joined(&[plate.clone(), moved(plate, 0.4 * DVec3::Z)])).mesh;
    let at = |resolution| Field::from_mesh(&plates, &FieldOptions { resolution, ..Default::default() });
    let error = at(64).unwrap_err();
    assert!(matches!(error, BuildError::ThinnerThanCell { .. }), "{error:?}");
    let said = error.to_string();
    assert!(said.contains("thinner than a cell") && said.contains("higher resolution"), "{said}");
    assert!(!said.contains("hole") && !said.contains("gap"), "{said}");
    // The remedy is one.
    assert!(at(400).unwrap().distance(0.4 * DVec3::Z).value() < 0.0);
}

/// A cup with walls of 0.2 and an opening of 1.6: what closes the opening fills its walls as well, so a narrower gap is taken.
#[test]
fn a_gap_that_was_not_taken_is_told() {
    let block = shapes::cuboid(DVec3::splat(2.0)).unwrap();
    let hollow = shapes::cuboid(DVec3::new(1.6, 1.6, 1.8)).unwrap().mapped(|v| v + 0.1 * DVec3::Z).unwrap();
    let on_lid = |mesh: &TriMesh| -> Vec<usize> {
        (0..mesh.triangles().len()).filter(|&t| mesh.corners(t).iter().all(|v| v.z > 0.99)).collect()
    };
    let mut vertices = without(&block, &on_lid(&block)).vertices().to_vec();
    let mut triangles = without(&block, &on_lid(&block)).triangles().to_vec();
    let inner = without(&hollow, &on_lid(&hollow)).flipped();
    triangles.extend(inner.triangles().iter().map(|t| t.map(|v| v + vertices.len() as u32)));
    vertices.extend_from_slice(inner.vertices());
    // The rim, of four trapezoids.
    let corner = |half: f64, k: usize| {
        let (x, y) = [(-half, -half), (half, -half), (half, half), (-half, half)][k % 4];
        vertices.iter().position(|v| v.distance(DVec3::new(x, y, 1.0)) < 1e-9).unwrap() as u32
    };
    for k in 0..4 {
        let [a, b, c, d] = [corner(1.0, k), corner(1.0, k + 1), corner(0.8, k + 1), corner(0.8, k)];
        triangles.extend([[a, b, c], [a, c, d]]);
    }
    let cup = TriMesh::new(vertices, triangles).unwrap();
    let with_gap = |gap: f64| {
        let options =
            FieldOptions { resolution: 32, sign: SignMethod::Soup, gap: Some(gap), ..Default::default() };
        Field::from_mesh_with(&cup, &options, &Execution::default()).unwrap()
    };
    let Built { field, notes } = with_gap(1.65);
    assert!(field.distance(DVec3::ZERO).value() > 0.0 && field.distance(-0.9 * DVec3::Z).value() < 0.0);
    let said: Vec<String> = notes.iter().map(ToString::to_string).collect();
    assert!(matches!(notes[..], [BuildNote::GapNarrowed { asked: 1.65, width }] if width < 0.25), "{said:?}");
    assert!(said[0].starts_with("a gap of 1.65 is wider than"), "{said:?}");
    assert!(with_gap(0.15).notes.is_empty());
}

#[test]
fn soup_names_the_method_for_open_sheets() {
    let sheet =
        mesh(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.1], [1.0, 1.0, 0.0], [0.0, 1.0, 0.1]], &[[0, 1, 2], [0, 2, 3]]);
    let said = refusal(&sheet, SignMethod::Soup).to_string();
    assert!(said.contains("'oriented'"), "{said}");
}

#[test]
fn flat_meshes_enclose_nothing() {
    for sign in [SignMethod::Auto, SignMethod::Pseudonormal, SignMethod::Winding, SignMethod::Soup] {
        let said = refusal(&flat_sheet(), sign).to_string();
        let names_a_way_on = said.contains("thickness") || said.contains("'oriented'");
        assert!(names_a_way_on, "{sign}: {said}");
    }
}

#[test]
fn an_oriented_dome_has_a_front_and_a_back() {
    let dome = dome();
    let soup = Soup::new(&dome);
    let Built { field, notes } = build(&dome, SignMethod::Oriented).unwrap();
    assert_eq!(field.sign(), SignMethod::Oriented);
    assert!(notes.iter().any(|note| matches!(note, BuildNote::NoCertificate { .. })), "{notes:?}");
    assert_eq!(field.capped_nodes(), 0);
    let rim = dome.vertices().iter().map(|v| v.z).fold(f64::INFINITY, f64::min);
    let closest = in_parallel(&Random(5).nodes(&field, 3_000), |&p| (p, soup.closest(p).1));
    let (mut front, mut back) = (0, 0);
    for (p, closest) in closest {
        let value = field.distance(p).value();
        assert!((value.abs() - closest.distance).abs() < 1e-6, "{value} at {p}, {closest:?}");
        // The rim is a zigzag of triangles up to 0.05 high.
        if closest.point.z < rim + 0.05 || closest.distance < 1e-4 {
            continue;
        }
        let is_front = p.length() > closest.point.length();
        assert_eq!(value > 0.0, is_front, "{value} at {p}");
        if is_front { front += 1 } else { back += 1 }
    }
    assert!(front > 500 && back > 200, "{front} in front, {back} behind");
}

/// A roof, open below, whose ridge is sharp.
fn roof() -> TriMesh {
    mesh(
        &[
            [0.0, -0.1, 0.0],
            [0.0, 0.1, 0.0],
            [0.0, 0.0, 0.6],
            [1.0, -0.1, 0.0],
            [1.0, 0.1, 0.0],
            [1.0, 0.0, 0.6],
        ],
        &[[0, 3, 5], [0, 5, 2], [1, 5, 4], [1, 2, 5], [0, 2, 1], [3, 4, 5]],
    )
}

/// Above the ridge both sides are equally close, and a point in front of one is behind the other: the algorithm of 2003
/// takes one of them.
#[test]
fn face_normals_err_in_wedges_at_sharp_edges_only() {
    let roof = roof();
    let soup = Soup::new(&roof);
    let oriented = build(&roof, SignMethod::Oriented).unwrap().field;
    let by_face = build(&roof, SignMethod::FaceNormal).unwrap().field;
    let all = Random(5).nodes(&oriented, 8_000);
    let closest = in_parallel(&all, |&p| soup.closest(p).1);
    let mut differ = 0;
    for (&p, closest) in all.iter().zip(closest) {
        let (a, b) = (oriented.distance(p).value(), by_face.distance(p).value());
        assert!((a.abs() - b.abs()).abs() < 1e-6, "{a} and {b} at {p}");
        if p.z > 0.01 && closest.distance > 1e-4 {
            // The roof is convex: outside is in front of any of its faces.
            let steep = (0.6f64).hypot(0.1);
            let beyond_side = |y: f64| (0.6 * y + 0.1 * p.z - 0.06) / steep;
            let outside = beyond_side(p.y).max(beyond_side(-p.y)).max(-p.x).max(p.x - 1.0) > 0.0;
            assert_eq!(a > 0.0, outside, "oriented: {a} at {p}");
        }
        if (a < 0.0) != (b < 0.0) {
            differ += 1;
            assert_ne!(closest.feature, Feature::Face, "{a} and {b} at {p}");
        }
    }
    assert!(differ > 20, "{differ} nodes differ");
}

/// A cube that is cut in two halves, without walls at the cut.
fn cut_cube(slit: f64) -> TriMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for [low, high, missing] in [[0.0, 0.5 - 0.5 * slit, 1.0], [0.5 + 0.5 * slit, 1.0, 0.0]] {
        let first = vertices.len() as u32;
        let corner = |k: u32| {
            let x = if k & 1 != 0 { high } else { low };
            DVec3::new(x, f64::from(k >> 1 & 1), f64::from(k >> 2))
        };
        vertices.extend((0..8).map(corner));
        let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        for (k, [a, b, c, d]) in faces.into_iter().enumerate() {
            if k as f64 != missing {
                triangles.extend([[a, b, c], [a, c, d]].map(|t| t.map(|corner| first + corner)));
            }
        }
    }
    TriMesh::new(vertices, triangles).unwrap()
}

#[test]
fn gaps_narrower_than_asked_are_closed_wherever_nodes_lie() {
    for resolution in [50, 55, 61] {
        for slit in [0.01, 0.02, 0.03, 0.034, 0.036, 0.038, 0.0395] {
            let options =
                FieldOptions { gap: Some(0.04), sign: SignMethod::Soup, resolution, ..Default::default() };
            let field = Field::from_mesh(&cut_cube(slit), &options)
                .unwrap_or_else(|e| panic!("{slit} at {resolution}: {e}"));
            for x in [0.25, 0.5, 0.75] {
                let value = field.distance(DVec3::new(x, 0.5, 0.5)).value();
                assert!(value < -0.2, "{value} at {x}, slit {slit}, {resolution}");
            }
        }
    }
}

/// A gap wider than the mesh would close everything, and need room without end.
#[test]
fn senseless_gaps_are_refused() {
    let ball = isotouch::mesh::shapes::sphere(0.5, 320).unwrap();
    for gap in [0.0, -1.0, 1e300, f64::INFINITY, f64::NAN] {
        let options =
            FieldOptions { gap: Some(gap), sign: SignMethod::Soup, resolution: 16, ..Default::default() };
        let error = Field::from_mesh(&ball, &options).unwrap_err();
        assert!(error.to_string().contains("gap"), "{gap}: {error}");
    }
}
