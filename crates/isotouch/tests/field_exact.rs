//! Every stored node is the exact signed distance rounded to `f32`: against brute force and solid angles.

// The helpers of a test are tests too.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod oracle;

use isotouch::field::{BuildNote, Built, Execution, Field, FieldOptions, SignMethod, StorageKind};
use isotouch::math::{DVec3, IVec3, UVec3};
use isotouch::mesh::shapes::{self, BlobOptions, blob, cuboid, sphere};
use isotouch::mesh::{TriMesh, winding_number};
use oracle::meshes::{joined, moved};
use oracle::random::Random;
use oracle::{Soup, in_parallel};
use proptest::prelude::*;

/// Spacing, in cells, of the nodes stored around a point: the error bound grows by √3/2 cells with every cell of it.
fn step_at(field: &Field, p: DVec3) -> i32 {
    let more = field.error_bound_at(p).unwrap() - field.error_bound();
    1 + (more / (0.75f64.sqrt() * field.grid().cell)).round() as i32
}

/// The value of a node, if the field stores it where its cell is looked up.
fn stored(field: &Field, node: IVec3) -> Option<f32> {
    let p = field.grid().node_position(node);
    let bounds = field.grid().bounds();
    // A node on the far face may round past it.
    let p = bounds.project(p);
    let step = step_at(field, p);
    (node % step == IVec3::ZERO).then(|| field.distance(p).value() as f32)
}

/// What nodes are compared with.
struct Truth {
    mesh: Soup,
    /// Where triangles wholly inside the solid do not count: the others. If the field says so, triangles that cross may count
    /// with their pieces inside.
    exposed: Option<Soup>,
    size: f64,
}

impl Truth {
    fn of_all(mesh: &TriMesh) -> Self {
        Self { mesh: Soup::new(mesh), exposed: None, size: mesh.bounds().extent().max_element() }
    }

    fn of_exposed(mesh: &TriMesh) -> Self {
        Self { exposed: Some(Soup::exposed(mesh)), ..Self::of_all(mesh) }
    }
}

/// Contract: "exact signed distance to the boundary of the solid, rounded to f32". The formula in `f64` may be off by a
/// few 2⁻⁵³ of the size, which is added.
fn check_node(field: &Field, truth: &Truth, node: IVec3) -> bool {
    let Some(value) = stored(field, node) else { return false };
    let p = field.grid().node_position(node);
    let size = truth.size;
    let (distance, winding) = (truth.mesh.distance(p), truth.mesh.winding(p));
    let farthest = match &truth.exposed {
        Some(exposed) if winding > 0.5 => exposed.distance(p),
        _ => distance,
    };
    let nearest = if field.understates_depth() { distance } else { farthest };
    let rounding = |d: f64| d * 2f64.powi(-24) * (1.0 + 1e-6) + 1e-14 * size + 1e-15 * p.abs().max_element();
    let range = nearest - rounding(nearest)..=farthest + rounding(farthest);
    let measured = f64::from(value.abs());
    assert!(range.contains(&measured), "node {node} at {p}: {value} for {nearest} to {farthest}");
    if distance > 1e-9 * size {
        assert!((winding - winding.round()).abs() < 1e-6, "the mesh is not closed: {winding} at {p}");
        assert_eq!(value < 0.0, winding > 0.5, "node {node} at {p}: {value} where it winds {winding} times");
    }
    true
}

/// Checks `count` nodes: near the surface, and at random among all and among those of the coarser levels.
fn check_nodes(name: &str, mesh: &TriMesh, field: &Field, count: usize) {
    check_nodes_against(&Truth::of_all(mesh), name, mesh, field, count);
}

fn check_nodes_against(truth: &Truth, name: &str, mesh: &TriMesh, field: &Field, count: usize) {
    let grid = *field.grid();
    let mut random = Random(count as u64);
    let node = |_: usize| {
        let cells = grid.cells.as_ivec3();
        let anywhere = |random: &mut Random, step: i32| {
            let index = |n: i32, random: &mut Random| step * random.below((n / step) as usize + 1) as i32;
            IVec3::new(index(cells.x, random), index(cells.y, random), index(cells.z, random))
        };
        match random.below(5) {
            0 => anywhere(&mut random, 1),
            1 => anywhere(&mut random, 4),
            2 => anywhere(&mut random, 16),
            _ => {
                let near =
                    mesh.vertices()[random.below(mesh.vertices().len())] + 4.0 * grid.cell * random.in_cube();
                ((near - grid.origin) / grid.cell).round().as_ivec3().clamp(IVec3::ZERO, cells)
            }
        }
    };
    let nodes: Vec<IVec3> = (0..count).map(node).collect();
    let checked = in_parallel(&nodes, |&node| check_node(field, truth, node));
    let checked = checked.into_iter().filter(|&was_stored| was_stored).count();
    println!("{name}, {}, {}: {checked} nodes of {count}", field.storage(), grid.cells);
    assert!(checked > count / 3, "too few nodes to mean anything");
    if field.storage() == StorageKind::Dense {
        assert_eq!(checked, count);
    }
}

fn options(resolution: u32, storage: StorageKind) -> FieldOptions {
    FieldOptions { resolution, storage, ..Default::default() }
}

/// Large triangles (the candidate lists of bricks) and triangles smaller than cells (the hierarchy) alike.
#[test]
fn nodes_of_every_shape_are_exact() {
    for name in shapes::NAMES {
        let mesh = shapes::by_name(name).unwrap();
        for resolution in [8, 37, 96] {
            for storage in [StorageKind::Dense, StorageKind::Sparse] {
                let field = Field::from_mesh(&mesh, &options(resolution, storage)).unwrap();
                check_nodes(name, &mesh, &field, 400);
            }
        }
    }
}

/// All of them, inside and outside the band, borders included.
#[test]
fn all_nodes_of_small_fields_are_exact() {
    let meshes = [
        ("box", cuboid(DVec3::new(1.0, 0.4, 0.7)).unwrap()),
        ("fine blob", blob(BlobOptions { triangles: 5_000, ..Default::default() }).unwrap()),
    ];
    for (name, mesh) in meshes {
        for storage in [StorageKind::Dense, StorageKind::Sparse] {
            let field = Field::from_mesh(&mesh, &options(23, storage)).unwrap();
            let n = field.grid().nodes().as_ivec3();
            let mut nodes = Vec::new();
            for z in 0..n.z {
                for y in 0..n.y {
                    nodes.extend((0..n.x).map(|x| IVec3::new(x, y, z)));
                }
            }
            let truth = Truth::of_all(&mesh);
            let checked = in_parallel(&nodes, |&node| check_node(&field, &truth, node));
            let checked = checked.into_iter().filter(|&was_stored| was_stored).count();
            println!("{name}, {storage}: {checked} of {} nodes", nodes.len());
            assert!(storage == StorageKind::Sparse || checked == nodes.len());
        }
    }
}

#[test]
fn triangles_much_smaller_than_cells() {
    let ball = sphere(0.5, 81_920).unwrap();
    for storage in [StorageKind::Dense, StorageKind::Sparse] {
        check_nodes("ball", &ball, &Field::from_mesh(&ball, &options(21, storage)).unwrap(), 600);
    }
}

#[test]
fn triangles_much_larger_than_cells() {
    let unit = cuboid(DVec3::ONE).unwrap();
    let field = Field::from_mesh(&unit, &options(333, StorageKind::Sparse)).unwrap();
    check_nodes("box", &unit, &field, 6_000);
    let needle = cuboid(DVec3::new(1.0, 0.003, 0.01)).unwrap();
    let field = Field::from_mesh(&needle, &options(700, StorageKind::Sparse)).unwrap();
    check_nodes("needle", &needle, &field, 6_000);
}

/// Contract: far from the origin and at any scale, the nodes are as exact as the coordinates allow.
#[test]
fn scale_and_place_do_not_matter() {
    for (scale, place) in [(1e-20, DVec3::ZERO), (1e20, DVec3::ZERO), (1.0, DVec3::new(1e6, -1e6, 1e6))] {
        let torus = moved(shapes::by_name("torus").unwrap().mapped(|v| v * scale).unwrap(), place);
        for storage in [StorageKind::Dense, StorageKind::Sparse] {
            let field = Field::from_mesh(&torus, &options(64, storage)).unwrap();
            check_nodes("torus", &torus, &field, 400);
        }
    }
}

/// A unit box at 200 000 was refused: its nodes are rounded to 10⁻⁹ of a cell there, and those on or beside a face took the side of
/// their neighbours across it. With cells of 1/16 and 1/32 nodes lie exactly on the box's faces.
#[test]
fn far_from_the_origin_sides_do_not_spread_through_faces() {
    let (unit, cylinder, torus) = (cuboid(DVec3::ONE).unwrap(), "cylinder", "torus");
    let [cylinder, torus] = [cylinder, torus].map(|name| shapes::by_name(name).unwrap());
    let places = [1e3, 2e4, 2e5, 1e6].map(|away| DVec3::splat(away + 0.5));
    for place in places.into_iter().chain([DVec3::new(500_000.0, 4_500_000.0, 100.0), DVec3::X * -2e5]) {
        for (name, mesh) in [("box", &unit), ("cylinder", &cylinder), ("torus", &torus)] {
            let far = moved(mesh.clone(), place);
            for sign in [SignMethod::Auto, SignMethod::Pseudonormal, SignMethod::Winding, SignMethod::Soup] {
                let by_resolution = [options(64, StorageKind::Sparse)];
                let by_cell = [16.0, 32.0]
                    .map(|n| FieldOptions { cell_size: Some(1.0 / n), ..options(1, StorageKind::Dense) });
                for options in by_resolution.into_iter().chain(by_cell) {
                    let options = FieldOptions { sign, ..options };
                    let built = Field::from_mesh_with(&far, &options, &Execution::default())
                        .unwrap_or_else(|error| panic!("{name} at {place} by {sign}: {error}"));
                    assert_eq!(built.notes, [], "{name} at {place} by {sign}");
                    check_nodes(name, &far, &built.field, 100);
                }
            }
        }
    }
}

/// Cavities and several parts: the closest part decides.
#[test]
fn hollow_and_many() {
    let shell = joined(&[sphere(0.5, 1_280).unwrap(), sphere(0.42, 1_280).unwrap().flipped()]);
    let inside_shell = joined(&[shell.clone(), cuboid(DVec3::splat(0.3)).unwrap()]);
    let apart = joined(&[shell.clone(), moved(cuboid(DVec3::ONE).unwrap(), DVec3::new(1.2, 0.3, 0.0))]);
    for (name, mesh) in [("shell", shell), ("box in shell", inside_shell), ("shell and box", apart)] {
        for storage in [StorageKind::Dense, StorageKind::Sparse] {
            check_nodes(name, &mesh, &Field::from_mesh(&mesh, &options(61, storage)).unwrap(), 1_000);
        }
    }
}

/// A box one of whose edges has a vertex in its middle on one side only, closed by a triangle without area.
fn box_with_a_degenerate_triangle(height: f64) -> TriMesh {
    let unit = cuboid(DVec3::ONE).unwrap();
    let mut vertices = unit.vertices().to_vec();
    let mut triangles = unit.triangles().to_vec();
    let [a, b, c] = triangles[0];
    let middle = vertices.len() as u32;
    let (pa, pb) = (vertices[a as usize], vertices[b as usize]);
    let outward = (pa + pb).normalize_or(DVec3::X);
    vertices.push(pa.lerp(pb, 0.5) + height * outward);
    // The face gets the new vertex, its neighbour keeps the whole edge, and the sliver lies between.
    triangles[0] = [a, middle, c];
    triangles.push([middle, b, c]);
    triangles.push([a, b, middle]);
    TriMesh::new(vertices, triangles).unwrap()
}

/// Triangles without area belong to closed meshes of real programs; they have no normal to take a sign from.
#[test]
fn triangles_without_area_do_not_disturb_signs() {
    for height in [0.0, 1e-17, 1e-12, 1e-8] {
        let mesh = box_with_a_degenerate_triangle(height);
        for storage in [StorageKind::Dense, StorageKind::Sparse] {
            let field = Field::from_mesh(&mesh, &options(33, storage)).unwrap();
            check_nodes(&format!("height {height:e}"), &mesh, &field, 2_000);
        }
    }
    // An edge of no length: two vertices in one place.
    let unit = cuboid(DVec3::ONE).unwrap();
    let mut vertices = unit.vertices().to_vec();
    let mut triangles = unit.triangles().to_vec();
    let [a, b, c] = triangles[0];
    let neighbour =
        triangles.iter().position(|t| t != &[a, b, c] && t.contains(&a) && t.contains(&b)).unwrap();
    let twin = vertices.len() as u32;
    vertices.push(vertices[a as usize]);
    // Around the edge from a to b: a is replaced by its twin in one triangle, and two triangles without area close the gap.
    triangles[0] = [twin, b, c];
    triangles.push([a, b, twin]);
    triangles.push([a, twin, c]);
    assert!(triangles[neighbour].contains(&a));
    let mesh = TriMesh::new(vertices, triangles).unwrap();
    for storage in [StorageKind::Dense, StorageKind::Sparse] {
        check_nodes("twins", &mesh, &Field::from_mesh(&mesh, &options(33, storage)).unwrap(), 2_000);
    }
}

fn tetrahedron(corners: [DVec3; 4]) -> TriMesh {
    let mesh = TriMesh::new(corners.to_vec(), vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).unwrap();
    if mesh.signed_volume() < 0.0 { mesh.flipped() } else { mesh }
}

fn corner() -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from_array)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..Default::default() })]

    /// Acute edges and corners, where a face normal gives the wrong sign.
    #[test]
    fn any_tetrahedron_is_exact(corners in prop::array::uniform4(corner()), flatten in 0..3, sparse in any::<bool>()) {
        let squeeze = DVec3::new(1.0, 1.0, [1.0, 0.1, 0.003][flatten as usize]);
        let mesh = tetrahedron(corners.map(|v| v * squeeze));
        let storage = if sparse { StorageKind::Sparse } else { StorageKind::Dense };
        let field = Field::from_mesh(&mesh, &options(19, storage)).unwrap();
        check_nodes("tetrahedron", &mesh, &field, 300);
    }

    /// Parts that overlap, touch or nest as they please: inside is where any of them is, and faces wholly inside another part
    /// do not count.
    #[test]
    fn any_tetrahedra_are_exact(
        parts in prop::collection::vec(prop::array::uniform4(corner()), 2..6),
        sparse in any::<bool>(),
    ) {
        let mesh = joined(&parts.into_iter().map(tetrahedron).collect::<Vec<_>>());
        let storage = if sparse { StorageKind::Sparse } else { StorageKind::Dense };
        let truth = Truth::of_exposed(&mesh);
        for sign in [SignMethod::Auto, SignMethod::Winding] {
            let options = FieldOptions { sign, ..options(19, storage) };
            let field = Field::from_mesh(&mesh, &options).unwrap();
            check_nodes_against(&truth, "tetrahedra", &mesh, &field, 300);
        }
    }

    /// The sign alone, at every stored node off the surface, against the plain sum of solid angles.
    #[test]
    fn any_tetrahedra_have_the_sign_of_their_winding_number(
        parts in prop::collection::vec(prop::array::uniform4(corner()), 1..9),
        flatten in 0..3,
        sparse in any::<bool>(),
    ) {
        let squeeze = DVec3::new(1.0, 1.0, [1.0, 0.1, 0.003][flatten as usize]);
        let parts: Vec<TriMesh> = parts.into_iter().map(|part| tetrahedron(part.map(|v| v * squeeze))).collect();
        let mesh = joined(&parts);
        let storage = if sparse { StorageKind::Sparse } else { StorageKind::Dense };
        let field = Field::from_mesh(&mesh, &options(17, storage)).unwrap();
        for_all_nodes(field.grid().cells, |node| {
            let Some(value) = stored(&field, node) else { return };
            // Nearer to the surface, solid angles are rounding.
            if value.abs() < 1e-7 {
                return;
            }
            let winding = winding_number(&mesh, field.grid().node_position(node));
            assert_eq!(value < 0.0, winding > 0.5, "node {node}: {value} where it winds {winding} times");
        });
    }
}

/// One part wholly inside another is left out.
#[test]
fn a_tetrahedron_inside_another() {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let inner = corners.map(|v| 0.3 * v + DVec3::splat(0.1));
    let mesh = joined(&[tetrahedron(corners), tetrahedron(inner)]);
    let truth = Truth::of_exposed(&mesh);
    let corner = DVec3::splat(0.1);
    assert_eq!(truth.mesh.distance(corner), 0.0);
    assert!((truth.exposed.as_ref().unwrap().distance(corner) - 0.1).abs() < 1e-12);
    for storage in [StorageKind::Dense, StorageKind::Sparse] {
        for sign in [SignMethod::Auto, SignMethod::Winding] {
            let field = Field::from_mesh(&mesh, &FieldOptions { sign, ..options(40, storage) }).unwrap();
            assert!(!field.understates_depth());
            check_nodes_against(&truth, "nested", &mesh, &field, 2_000);
        }
    }
}

/// The same values whichever sign method is asked for, where both serve.
#[test]
fn winding_and_pseudonormals_agree_on_sound_meshes() {
    for name in ["torus-knot", "bowl", "box"] {
        let mesh = shapes::by_name(name).unwrap();
        let build = |sign| {
            let options = FieldOptions { sign, ..options(40, StorageKind::Dense) };
            let field = Field::from_mesh(&mesh, &options).unwrap();
            assert_eq!(field.sign(), sign);
            field
        };
        let (a, b) = (build(SignMethod::Pseudonormal), build(SignMethod::Winding));
        for_all_nodes(a.grid().cells, |node| {
            assert_eq!(stored(&a, node).unwrap().to_bits(), stored(&b, node).unwrap().to_bits(), "{node}");
        });
    }
}

fn for_all_nodes(cells: UVec3, mut check: impl FnMut(IVec3)) {
    let cells = cells.as_ivec3();
    for z in 0..=cells.z {
        for y in 0..=cells.y {
            for x in 0..=cells.x {
                check(IVec3::new(x, y, z));
            }
        }
    }
}

/// Contract: a sparse field has "coarser, still exact, nodes elsewhere": the same bits as the dense field's.
#[test]
fn sparse_and_dense_have_the_same_bits_at_shared_nodes() {
    for (name, cell_size) in
        [("box", 1.0 / 64.0), ("sphere", 1.0 / 32.0), ("bowl", 1.0 / 64.0), ("torus", 1.0 / 50.0)]
    {
        let mesh = shapes::by_name(name).unwrap();
        let build = |storage| {
            let options = FieldOptions { cell_size: Some(cell_size), storage, ..Default::default() };
            Field::from_mesh(&mesh, &options).unwrap()
        };
        let (dense, sparse) = (build(StorageKind::Dense), build(StorageKind::Sparse));
        assert_eq!(dense.grid(), sparse.grid());
        let mut by_step = [0; 65];
        for_all_nodes(dense.grid().cells, |node| {
            if let Some(value) = stored(&sparse, node) {
                assert_eq!(value.to_bits(), stored(&dense, node).unwrap().to_bits(), "{name}, node {node}");
                let p = sparse.grid().bounds().project(sparse.grid().node_position(node));
                by_step[step_at(&sparse, p) as usize] += 1;
            }
        });
        println!("{name}: {} nodes at full resolution, {} at a quarter", by_step[1], by_step[4]);
        assert!(by_step[1] > 1000 && by_step[4] > 10);
    }
}

fn check_model(name: &str, resolution: u32) -> Option<Built> {
    let mesh = TriMesh::read(oracle::models::model(name)?).unwrap();
    let started = std::time::Instant::now();
    let mut sparse = None;
    for storage in [StorageKind::Dense, StorageKind::Sparse] {
        let resolution = if storage == StorageKind::Dense { resolution / 2 } else { resolution };
        let built =
            Field::from_mesh_with(&mesh, &options(resolution, storage), &Execution::default()).unwrap();
        let outward = if built.notes.contains(&BuildNote::TurnedOutward) {
            mesh.clone().flipped()
        } else {
            mesh.clone()
        };
        check_nodes(name, &outward, &built.field, 800);
        sparse = Some(built);
    }
    println!("{name}: {:.1} s", started.elapsed().as_secs_f64());
    sparse
}

#[test]
fn bunny() {
    // The scan runs through itself in a few places; their signs are checked as well.
    if let Some(built) = check_model("scan/bunny.off", 200) {
        assert!(built.field.is_certified_outside());
    }
}

#[test]
fn dragon() {
    check_model("scan/dragon_100k.obj", 150);
}

#[test]
fn armadillo() {
    check_model("scan/armadillo.obj", 256);
}

#[test]
fn skull() {
    check_model("scan/skull_10k.obj", 256);
}

/// Wound inward: it must come out right, and say so.
#[test]
fn horse_is_turned_outward() {
    if let Some(built) = check_model("scan/horse.ply", 128) {
        assert!(built.notes.contains(&BuildNote::TurnedOutward), "{:?}", built.notes);
        assert!(built.notes[0].to_string().contains("inward"));
    }
}
