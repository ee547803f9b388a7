//! What a build tells its user: nothing about sound meshes, and the truth about others.

#![allow(clippy::unwrap_used)]

mod oracle;

use isotouch::field::{
    BuildError, BuildNote, Built, Distance, Execution, Field, FieldOptions, SignMethod, StorageKind,
};
use isotouch::math::{DMat3, DVec3};
use isotouch::mesh::{TriMesh, shapes};
use oracle::meshes::{joined, moved};

fn built(mesh: &TriMesh, resolution: u32) -> Built {
    let options = FieldOptions { resolution, ..Default::default() };
    Field::from_mesh_with(mesh, &options, &Execution::default()).unwrap()
}

/// A box whose faces are grids of n × n squares: many triangles in one plane, along one line, around one corner.
fn gridded_box(n: u32) -> TriMesh {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for face in 0..6u32 {
        let axis = (face / 2) as usize;
        let side = if face % 2 == 0 { -0.5 } else { 0.5 };
        let first = vertices.len() as u32;
        for i in 0..=n {
            for j in 0..=n {
                let mut p = DVec3::ZERO;
                p[axis] = side;
                p[(axis + 1) % 3] = f64::from(i) / f64::from(n) - 0.5;
                p[(axis + 2) % 3] = f64::from(j) / f64::from(n) - 0.5;
                vertices.push(p);
            }
        }
        for i in 0..n {
            for j in 0..n {
                let [a, b] = [first + i * (n + 1) + j, first + (i + 1) * (n + 1) + j];
                let quad = if face % 2 == 0 { [a, a + 1, b + 1, b] } else { [a, b, b + 1, a + 1] };
                triangles.push([quad[0], quad[1], quad[2]]);
                triangles.push([quad[0], quad[2], quad[3]]);
            }
        }
    }
    welded(&vertices, &triangles)
}

fn welded(vertices: &[DVec3], triangles: &[[u32; 3]]) -> TriMesh {
    let mut unique: Vec<DVec3> = Vec::new();
    let place: Vec<u32> = vertices
        .iter()
        .map(|v| {
            let known = unique.iter().position(|u| u == v);
            known.unwrap_or_else(|| {
                unique.push(*v);
                unique.len() - 1
            }) as u32
        })
        .collect();
    let triangles = triangles.iter().map(|t| t.map(|v| place[v as usize])).collect();
    TriMesh::new(unique, triangles).unwrap()
}

#[test]
fn sound_meshes_are_built_without_a_word() {
    for name in shapes::NAMES {
        let Built { field, notes } = built(&shapes::by_name(name).unwrap(), 40);
        assert!(notes.is_empty(), "{name}: {notes:?}");
        assert_eq!(field.sign(), SignMethod::Pseudonormal, "{name}");
    }
}

/// Flat faces of many triangles were once taken for a mesh that runs through itself.
#[test]
fn flat_faces_of_many_triangles_do_not_cross() {
    let turns = [0.0, 0.3, 1.1].map(|angle| DMat3::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), angle));
    for n in [1, 2, 7] {
        for turn in turns {
            let mesh = gridded_box(n).mapped(|v| turn * v + DVec3::new(0.3, -7.1, 2.0)).unwrap();
            let Built { field, notes } = built(&mesh, 24);
            assert!(notes.is_empty(), "{n}: {notes:?}");
            assert_eq!(field.sign(), SignMethod::Pseudonormal);
        }
    }
}

#[test]
fn parts_wound_inward_are_turned_and_cavities_are_not() {
    let ball = || shapes::sphere(0.5, 320).unwrap();
    let beside = joined(&[ball(), moved(ball().flipped(), DVec3::new(2.0, 0.0, 0.0))]);
    let Built { field, notes } = built(&beside, 48);
    assert!(matches!(notes[..], [BuildNote::PartsTurned { triangles: 320 }]), "{notes:?}");
    for x in [0.0, 2.0] {
        assert!(field.distance(DVec3::new(x, 0.0, 0.0)).value() < -0.4);
    }
    let hollow = joined(&[shapes::sphere(1.0, 320).unwrap(), ball().flipped()]);
    let Built { field, notes } = built(&hollow, 48);
    assert!(notes.is_empty(), "{notes:?}");
    assert!(field.distance(DVec3::ZERO).value() > 0.4);
    assert!(field.distance(DVec3::new(0.75, 0.0, 0.0)).value() < -0.1);
}

/// The grid is centred on the mesh: with an odd number of cells across, the middle of a plate lies between nodes; with an even
/// number, on a layer of them.
#[test]
fn a_solid_thinner_than_a_cell_is_noted() {
    let plate = shapes::cuboid(DVec3::new(1.0, 1.0, 0.001)).unwrap();
    for place in [DVec3::ZERO, DVec3::new(0.0, 0.0, 0.013)] {
        let plate = moved(plate.clone(), place);
        let Built { field, notes } = built(&plate, 31);
        assert_eq!((field.grid().cells.z, &notes[..]), (3, &[BuildNote::NothingInside][..]));
        assert!(field.value_range().0 > 0.4 * field.grid().cell as f32);
        let Built { field, notes } = built(&plate, 40);
        assert_eq!((field.grid().cells.z, &notes[..]), (4, &[][..]));
        assert!((field.value_range().0 + 0.0005).abs() < 1e-8, "{}", field.value_range().0);
    }
}

/// Far from the origin coordinates have too few digits left to tell nodes apart; it once ended in a panic.
#[test]
fn a_mesh_too_far_from_the_origin_is_refused_with_the_remedy() {
    for exponent in 5..15 {
        let far = 10f64.powi(exponent);
        let mesh = moved(shapes::sphere(0.5, 1280).unwrap(), DVec3::new(far, -far, far));
        match Field::from_mesh(&mesh, &FieldOptions { resolution: 96, ..Default::default() }) {
            Ok(field) => {
                assert!(exponent <= 6, "1e{exponent} was taken");
                let Distance::Interpolated(d) = field.distance(DVec3::new(far, -far, far)) else { panic!() };
                assert!((d + 0.5).abs() < 0.02);
                field.verify().unwrap();
            }
            Err(error) => {
                assert!(matches!(error, BuildError::TooFarFromOrigin { .. }), "{error}");
                assert!(exponent > 6 && error.to_string().contains("origin"));
            }
        }
    }
}

/// A plate and a wire between layers of nodes, beside a ball. What has nodes inside, is open, or is a cavity, is not complained of.
#[test]
fn parts_between_nodes_are_noted() {
    let ball = || shapes::sphere(0.5, 320).unwrap();
    let plate = |thickness: f64| shapes::cuboid(DVec3::new(0.6, 0.6, thickness)).unwrap();
    let wire = shapes::cuboid(DVec3::new(0.002, 0.002, 0.7)).unwrap();
    let of = |options: &FieldOptions, parts: &[TriMesh]| {
        let Built { field, notes } =
            Field::from_mesh_with(&joined(parts), options, &Execution::default()).unwrap();
        let is_there = |p: DVec3| field.distance(p).value() < 0.0;
        assert!(is_there(DVec3::ZERO), "{notes:?}");
        let lost = notes.iter().find(|note| matches!(note, BuildNote::PartsTooThin { .. }));
        lost.map(ToString::to_string).unwrap_or_default()
    };
    // Cells of 0.04, centred on all parts together: the plate and the wire have no node inside.
    let beside = DVec3::new(0.85, 0.0, 0.1);
    for sign in [SignMethod::Auto, SignMethod::Pseudonormal, SignMethod::Winding, SignMethod::Soup] {
        for storage in [StorageKind::Sparse, StorageKind::Dense] {
            let options = FieldOptions { cell_size: Some(0.04), sign, storage, ..Default::default() };
            let both =
                [ball(), moved(plate(0.001), beside), moved(wire.clone(), DVec3::new(-0.8, 0.31, 0.0))];
            let one =
                "1 of 2 parts is too thin for these cells: no node is inside it; use a higher resolution";
            let two =
                "2 of 3 parts are too thin for these cells: no node is inside them; use a higher resolution";
            assert_eq!(of(&options, &both[..2]), one, "{sign}");
            assert_eq!(of(&options, &both), two, "{sign}");
            assert_eq!(of(&options, &[ball(), moved(plate(0.05), beside)]), "", "{sign}");
        }
    }
    let options = FieldOptions { cell_size: Some(0.04), ..Default::default() };
    let sheet =
        TriMesh::new(plate(0.001).vertices().to_vec(), plate(0.001).triangles()[..2].to_vec()).unwrap();
    assert_eq!(of(&options, &[ball(), moved(sheet, beside)]), "");
    let inverted = FieldOptions { sign: SignMethod::Winding, ..options.clone() };
    let aside = moved(shapes::sphere(0.2, 320).unwrap().flipped(), 1.2 * DVec3::X);
    assert_eq!(of(&inverted, &[ball(), aside]), "");
    // Thin as well: finer cells would not help it.
    let aside = moved(plate(0.001).flipped(), beside);
    let Built { notes, .. } =
        Field::from_mesh_with(&joined(&[ball(), aside]), &inverted, &Execution::default()).unwrap();
    assert!(notes.contains(&BuildNote::ThinPartsInward { parts: 1, all: 2 }), "{notes:?}");
    assert!(!notes.iter().any(|note| matches!(note, BuildNote::PartsTooThin { .. })), "{notes:?}");
    let bubble = moved(shapes::sphere(0.005, 320).unwrap().flipped(), DVec3::new(0.25, 0.0, 0.0));
    assert_eq!(of(&options, &[ball(), bubble]), "");
}

/// Two balls apart, one of them wound inward: winding numbers leave it out, and the note said that it lies inside the other. Where it
/// overlaps the other, it was taken away from it, and nothing said that; now it is turned.
#[test]
fn parts_wound_inward_are_not_said_to_lie_inside_others() {
    let ball = || shapes::sphere(0.5, 320).unwrap();
    let notes = |apart: f64, sign: SignMethod| {
        let mesh = joined(&[ball(), moved(ball().flipped(), DVec3::X * apart)]);
        let options = FieldOptions { resolution: 40, sign, ..Default::default() };
        Field::from_mesh_with(&mesh, &options, &Execution::default()).map(|built| built.notes)
    };
    let refused = notes(3.0, SignMethod::Pseudonormal).unwrap_err().to_string();
    assert!(refused.contains("wound inward, so use the sign method 'auto'"), "{refused}");
    assert_eq!(notes(3.0, SignMethod::Auto).unwrap(), [BuildNote::PartsTurned { triangles: 320 }]);
    let said = notes(3.0, SignMethod::Winding).unwrap();
    assert_eq!(said, [BuildNote::HollowOutside { triangles: 320 }]);
    assert!(said[0].to_string().contains("wound inward, and count as hollow"), "{}", said[0]);

    let said = notes(0.6, SignMethod::Auto).unwrap();
    assert!(said.contains(&BuildNote::PartsTurned { triangles: 320 }), "{said:?}");
    assert!(!said.iter().any(|note| matches!(note, BuildNote::HollowOutside { .. })), "{said:?}");
}

/// A soup with a hole too wide for any gap has it spanned from rim to rim; the note spoke of holes narrower than two cells.
#[test]
fn holes_that_were_spanned_are_told_of() {
    let options = shapes::CylinderOptions { segments: 64, ..Default::default() };
    let whole = shapes::cylinder(options).unwrap();
    let top = whole.bounds().max.z;
    let on_lid = |t: &[u32; 3]| t.iter().all(|&v| whole.vertices()[v as usize].z == top);
    let open = whole.triangles().iter().copied().filter(|t| !on_lid(t)).collect();
    let mesh = TriMesh::new(whole.vertices().to_vec(), open).unwrap();
    let options = FieldOptions { resolution: 48, sign: SignMethod::Soup, ..Default::default() };
    let built = Field::from_mesh_with(&mesh, &options, &Execution::default()).unwrap();
    let said: Vec<String> = built.notes.iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|note| note.contains("spanned from rim to rim, however wide")), "{said:?}");
}

/// As many cells as 32 bits count were said to be the number there would be.
#[test]
fn a_count_of_cells_that_is_not_known_is_not_given() {
    let options = FieldOptions { cell_size: Some(1e-300), ..Default::default() };
    let said = Field::from_mesh(&shapes::cuboid(DVec3::ONE).unwrap(), &options).unwrap_err().to_string();
    assert!(said.starts_with("billions of cells along one side are too many"), "{said}");
}
