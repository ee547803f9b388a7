//! Input that makes no sense, meshes with faults, and builds that are stopped: an answer with a remedy, never a panic.

// The helpers of a test are tests too.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod oracle;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use isotouch::field::{
    BuildError, BuildNote, Built, Distance, Execution, Field, FieldOptions, Progress, SignMethod, StorageKind,
};
use isotouch::math::{DVec3, IVec3};
use isotouch::mesh::TriMesh;
use isotouch::mesh::shapes::{self, cuboid, sphere};
use oracle::meshes::{
    boxes_sharing_an_edge, joined, mesh, moved, open_box, overlapping_spheres, self_crossing_tube,
    with_one_flipped, without,
};
use oracle::random::Random;
use oracle::{Soup, in_parallel};

const BOTH: [StorageKind; 2] = [StorageKind::Dense, StorageKind::Sparse];

fn unit_box() -> TriMesh {
    cuboid(DVec3::ONE).unwrap()
}

fn options(resolution: u32, storage: StorageKind) -> FieldOptions {
    FieldOptions { resolution, storage, ..Default::default() }
}

fn refused(mesh: &TriMesh, options: &FieldOptions) -> BuildError {
    match Field::from_mesh(mesh, options) {
        Ok(field) => panic!("built {} with {options:?}", field.grid().cells),
        Err(error) => error,
    }
}

#[test]
fn options_that_make_no_sense_are_named() {
    let bad_option = |options: FieldOptions, expected: &str| {
        for storage in BOTH {
            let error = refused(&unit_box(), &FieldOptions { storage, ..options.clone() });
            let BuildError::BadOption { name, .. } = error else { panic!("{expected}: {error}") };
            assert_eq!(name, expected, "{error}");
            assert!(error.to_string().contains(expected) && error.to_string().contains("must be"), "{error}");
        }
    };
    let usual = FieldOptions::default();
    bad_option(FieldOptions { resolution: 0, ..usual.clone() }, "resolution");
    for bad in [0.0, -0.1, f64::NAN, f64::INFINITY] {
        bad_option(FieldOptions { cell_size: Some(bad), ..usual.clone() }, "cell size");
    }
    for bad in [-0.01, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        bad_option(FieldOptions { padding: bad, ..usual.clone() }, "padding");
    }
    for bad in [0.0, 0.5, -3.0, f64::NAN, f64::INFINITY] {
        bad_option(FieldOptions { band: bad, ..usual.clone() }, "band");
    }
}

/// Contract: what would need 34 GB says so before it starts.
#[test]
fn absurd_resolutions_are_refused_before_anything_is_allocated() {
    let started = std::time::Instant::now();
    for storage in BOTH {
        for resolution in [1_000_000, 20_000_000, u32::MAX] {
            let error = refused(&unit_box(), &options(resolution, storage));
            let is_size = matches!(error, BuildError::TooMuchMemory { .. } | BuildError::TooFine { .. });
            assert!(is_size, "{resolution}: {error}");
            assert!(error.to_string().contains("lower resolution"), "the remedy: {error}");
        }
        for cell_size in [1e-7, 1e-12, 1e-100, 1e-310, f64::MIN_POSITIVE] {
            let error = refused(
                &unit_box(),
                &FieldOptions { cell_size: Some(cell_size), storage, ..Default::default() },
            );
            let is_size = matches!(error, BuildError::TooMuchMemory { .. } | BuildError::TooFine { .. });
            assert!(is_size, "{cell_size:e}: {error}");
        }
    }
    assert!(started.elapsed().as_secs() < 5);
}

/// One cell, or a cell larger than the mesh, is coarse but sound.
#[test]
fn very_coarse_grids_are_fine() {
    for storage in BOTH {
        for options in [
            options(1, storage),
            options(2, storage),
            FieldOptions { cell_size: Some(50.0), storage, ..Default::default() },
            FieldOptions { cell_size: Some(1e6), storage, ..Default::default() },
        ] {
            let field = Field::from_mesh(&unit_box(), &options).unwrap();
            let p = DVec3::splat(0.1);
            let Distance::Interpolated(value) = field.distance(p) else { panic!("{options:?}") };
            let truth = oracle::box_distance(p, DVec3::splat(0.5));
            assert!((value - truth).abs() <= field.error_bound_at(p).unwrap());
            field.verify().unwrap();
        }
        // Beyond that too few digits are left to tell the sides of the mesh.
        let absurd = FieldOptions { cell_size: Some(1e18), storage, ..Default::default() };
        let error = Field::from_mesh(&unit_box(), &absurd).unwrap_err();
        assert!(matches!(error, BuildError::BadOption { name: "cell", .. }), "{error}");
    }
}

#[test]
fn the_memory_limit_is_kept_and_the_need_is_told() {
    for storage in BOTH {
        let execution = Execution { memory_limit: Some(1_000_000), ..Default::default() };
        let error = Field::from_mesh_with(&unit_box(), &options(200, storage), &execution).unwrap_err();
        let BuildError::TooMuchMemory { needed, available, .. } = error else { panic!("{error}") };
        assert_eq!(available, 1_000_000);
        assert!(needed > available);
        let words = error.to_string();
        assert!(words.contains("MB") && words.contains("lower resolution"), "{words}");
        assert_eq!(words.contains("sparse"), storage == StorageKind::Dense, "{words}");
        if storage == StorageKind::Dense {
            let nodes = 201u64.pow(3) * 4;
            assert!((nodes..nodes + nodes / 20).contains(&needed), "{needed} for {nodes}");
        }
        let enough = Execution { memory_limit: Some(needed), ..Default::default() };
        let built = Field::from_mesh_with(&unit_box(), &options(200, storage), &enough).unwrap();
        let ratio = built.field.bytes() as f64 / needed as f64;
        assert!((0.3..1.5).contains(&ratio), "{storage}: needs {ratio} of what was foretold");
    }
    let limit = Execution { memory_limit: Some(8_000_000_000), ..Default::default() };
    let error = Field::from_mesh_with(&unit_box(), &options(2048, StorageKind::Dense), &limit).unwrap_err();
    assert!(error.to_string().contains("34") && error.to_string().contains("GB"), "{error}");
}

/// What finding signs takes counts as well as the field does, and so do caps.
#[test]
fn the_memory_limit_holds_for_meshes_with_holes() {
    let build = |options: &FieldOptions, limit: u64| {
        let execution = Execution { memory_limit: Some(limit), ..Default::default() };
        Field::from_mesh_with(&open_box(), options, &execution).map(|built| built.field)
    };
    let needed_by = |options: &FieldOptions, limit: u64| match build(options, limit) {
        Err(BuildError::TooMuchMemory { needed, .. }) => needed,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("{limit} bytes were enough"),
    };
    // 61³ nodes of the field, 71³ with room around: 17 bytes each while signs are found, with cavities or without.
    let field = 61u64.pow(3) * 5;
    let soup = FieldOptions { sign: SignMethod::Soup, ..options(60, StorageKind::Dense) };
    let with_cavities = FieldOptions { keep_cavities: true, ..soup.clone() };
    for options in [&soup, &with_cavities] {
        assert_eq!(needed_by(options, field), 71u64.pow(3) * 17);
        build(options, 71u64.pow(3) * 17).unwrap();
    }
    // The lid is some 54² edges of the grid.
    let winding = FieldOptions { sign: SignMethod::Winding, ..soup };
    let needed = needed_by(&winding, field);
    assert!(needed > field && needed < 60 * 60 * 1000, "{needed}");
    build(&winding, 60 * 60 * 1000).unwrap();
}

#[test]
fn a_mesh_without_triangles_is_refused() {
    for empty in [TriMesh::default(), mesh(&[[0.0; 3], [1.0; 3]], &[])] {
        assert_eq!(refused(&empty, &FieldOptions::default()), BuildError::NoTriangles);
    }
}

#[test]
fn flat_meshes_are_called_flat() {
    let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let open = mesh(&square, &[[0, 1, 2], [0, 2, 3]]);
    let closed = mesh(&square, &[[0, 1, 2], [0, 2, 3], [0, 2, 1], [0, 3, 2]]);
    let tilted = closed.clone().mapped(|v| DVec3::new(v.x, v.y, 0.3 * v.x + 0.7 * v.y + 5.0)).unwrap();
    let point = mesh(&[[1.0, 2.0, 3.0]], &[[0, 0, 0]]);
    let line = mesh(&[[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]], &[[0, 1, 1]]);
    let triangle = mesh(&square, &[[0, 1, 2]]);
    for (name, flat) in [
        ("open", open),
        ("closed", closed),
        ("tilted", tilted),
        ("point", point),
        ("line", line),
        ("triangle", triangle),
    ] {
        for storage in BOTH {
            let error = refused(&flat, &options(20, storage));
            assert_eq!(error, BuildError::Flat, "{name}");
            assert!(error.to_string().contains("thickness"), "{error}");
        }
    }
}

/// A sheet without size would have cells of size 0.
#[test]
fn a_point_is_no_sheet() {
    for at in [[0.0; 3], [1.0, 2.0, 3.0]] {
        let point = mesh(&[at], &[[0, 0, 0]]);
        for (sign, cell_size) in [(SignMethod::Oriented, None), (SignMethod::FaceNormal, Some(0.1))] {
            let error = refused(&point, &FieldOptions { sign, cell_size, ..Default::default() });
            assert_eq!(error, BuildError::OnePoint);
        }
    }
}

/// Thin is not flat.
#[test]
fn a_thin_plate_is_built() {
    let plate = cuboid(DVec3::new(1.0, 1.0, 1e-3)).unwrap();
    for resolution in [32, 33, 512] {
        let field = Field::from_mesh(&plate, &options(resolution, StorageKind::Sparse)).unwrap();
        field.verify().unwrap();
        let mut random = Random(2);
        for _ in 0..500 {
            let p = random.in_box(field.grid().bounds());
            let truth = oracle::box_distance(p, DVec3::new(0.5, 0.5, 0.5e-3));
            assert!((field.distance(p).value() - truth).abs() <= field.error_bound_at(p).unwrap());
        }
    }
}

/// Two parts whose volumes cancel are not flat, and certainly no panic.
#[test]
fn parts_of_opposite_winding_do_not_panic() {
    let opposed = joined(&[unit_box(), moved(unit_box().flipped(), DVec3::X * 3.0)]);
    for storage in BOTH {
        for sign in [SignMethod::Auto, SignMethod::Winding, SignMethod::Pseudonormal] {
            let options = FieldOptions { sign, ..options(40, storage) };
            if let Ok(field) = Field::from_mesh(&opposed, &options) {
                field.verify().unwrap();
            }
        }
    }
}

#[test]
fn pseudonormals_refuse_open_meshes_with_a_count_and_a_remedy() {
    let one_missing = without(&shapes::by_name("torus").unwrap(), &[17]);
    for (name, open, edges) in [("box without lid", open_box(), 4), ("torus with a hole", one_missing, 3)] {
        for storage in BOTH {
            let sign = SignMethod::Pseudonormal;
            let error = refused(&open, &FieldOptions { sign, ..options(20, storage) });
            let BuildError::NotClosed { boundary_edges, .. } = error else { panic!("{name}: {error}") };
            assert_eq!(boundary_edges, edges, "{name}");
            let words = error.to_string();
            assert!(words.contains(&edges.to_string()) && words.contains("close its holes"), "{words}");
            for sign in [SignMethod::Auto, SignMethod::Winding, SignMethod::Soup] {
                let field = Field::from_mesh(&open, &FieldOptions { sign, ..options(20, storage) }).unwrap();
                field.verify().unwrap();
                assert!(field.value_range().0 < 0.0, "{name}, {sign}: something is inside");
            }
        }
    }
}

#[test]
fn pseudonormals_refuse_flipped_triangles() {
    for name in ["box", "blob", "cone"] {
        let flipped = with_one_flipped(&shapes::by_name(name).unwrap(), 5);
        let options = options(20, StorageKind::Sparse);
        let error = refused(&flipped, &FieldOptions { sign: SignMethod::Pseudonormal, ..options.clone() });
        let BuildError::NotClosed { boundary_edges: 0, flipped_edges: 3, .. } = error else {
            panic!("{name}: {error}")
        };
        assert!(error.to_string().contains("opposite orientation"), "{error}");
        Field::from_mesh(&flipped, &options).unwrap().verify().unwrap();
    }
}

#[test]
fn meshes_too_large_or_too_small_to_store_say_so() {
    for scale in [1e-40, 1e40, 1e150] {
        let scaled = unit_box().mapped(|v| v * scale).unwrap();
        let error = refused(&scaled, &options(10, StorageKind::Dense));
        assert!(matches!(error, BuildError::SizeOutOfRange { .. }), "{scale:e}: {error}");
    }
}

/// Unused vertices, even far away, are no part of the solid.
#[test]
fn vertices_without_triangles_do_not_matter() {
    let mut vertices = unit_box().vertices().to_vec();
    vertices.push(DVec3::splat(1e12));
    let with_extra = TriMesh::new(vertices, unit_box().triangles().to_vec()).unwrap();
    let field = Field::from_mesh(&with_extra, &options(16, StorageKind::Dense)).unwrap();
    assert!(field.grid().cell < 0.1);
}

#[test]
fn a_build_cancelled_before_it_starts_stops() {
    let cancel = AtomicBool::new(true);
    for storage in BOTH {
        let execution = Execution { cancel: Some(&cancel), ..Default::default() };
        let result = Field::from_mesh_with(&unit_box(), &options(64, storage), &execution);
        assert!(matches!(result, Err(BuildError::Cancelled)), "{storage}");
    }
}

/// From within the progress callback: the earliest moment that a caller can know of.
#[test]
fn a_build_cancelled_on_its_way_stops_soon() {
    for storage in BOTH {
        for threads in [1, 2] {
            let cancel = AtomicBool::new(false);
            let calls_after = AtomicU64::new(0);
            let progress = |_: Progress| {
                if cancel.swap(true, Ordering::SeqCst) {
                    calls_after.fetch_add(1, Ordering::SeqCst);
                }
            };
            let execution = Execution {
                threads: Some(threads),
                progress: Some(&progress),
                cancel: Some(&cancel),
                ..Default::default()
            };
            let result =
                Field::from_mesh_with(&shapes::by_name("blob").unwrap(), &options(120, storage), &execution);
            assert!(matches!(result, Err(BuildError::Cancelled)), "{storage}");
            let after = calls_after.load(Ordering::SeqCst);
            assert!(after <= threads as u64, "{after} more units of work on {threads} threads");
        }
    }
}

#[test]
fn progress_reaches_the_total_of_every_stage() {
    for storage in BOTH {
        let seen: Mutex<Vec<Progress>> = Mutex::new(Vec::new());
        let progress = |p: Progress| seen.lock().unwrap().push(p);
        let execution = Execution { progress: Some(&progress), ..Default::default() };
        Field::from_mesh_with(&shapes::by_name("torus").unwrap(), &options(70, storage), &execution).unwrap();
        let seen = seen.into_inner().unwrap();
        assert!(seen.len() > 1, "{storage}");
        assert!(seen.iter().all(|p| 1 <= p.done && p.done <= p.total && !p.stage.is_empty()));
        let mut totals: Vec<(&str, u64)> = seen.iter().map(|p| (p.stage, p.total)).collect();
        totals.sort_unstable();
        totals.dedup();
        for (stage, total) in totals {
            let whole = seen.iter().any(|p| p.stage == stage && p.total == total && p.done == total);
            assert!(whole, "{storage}: '{stage}' never reached {total}");
        }
    }
}

#[test]
fn a_mesh_wound_inward_is_turned_and_noted() {
    for name in ["box", "torus"] {
        let mesh = shapes::by_name(name).unwrap();
        for storage in BOTH {
            let build = |mesh: &TriMesh| {
                Field::from_mesh_with(mesh, &options(30, storage), &Execution::default()).unwrap()
            };
            let (right, inward) = (build(&mesh), build(&mesh.clone().flipped()));
            assert_eq!((right.notes, inward.notes), (vec![], vec![BuildNote::TurnedOutward]));
            let mut random = Random(1);
            for _ in 0..500 {
                let p = random.in_box(right.field.grid().bounds());
                assert_eq!(right.field.distance(p), inward.field.distance(p));
            }
        }
    }
    assert!(BuildNote::TurnedOutward.to_string().contains("inward"));
}

#[test]
fn a_solid_at_the_border_is_noted() {
    let flush = FieldOptions { padding: 0.0, ..options(16, StorageKind::Sparse) };
    let built = Field::from_mesh_with(&unit_box(), &flush, &Execution::default()).unwrap();
    assert_eq!(built.notes, [BuildNote::ReachesBorder]);
    assert!(built.notes[0].to_string().contains("padding"));
}

/// What nodes inside are measured to.
enum Inside<'a> {
    /// Every triangle.
    Mesh,
    /// The boundary of the solid, these triangles. Where the field says so, those that others cross may be nearer, with their
    /// pieces inside.
    Boundary(&'a Soup),
}

/// Contract: solid is where the surface winds around at least once; nodes are exact.
fn check_signs(name: &str, mesh: &TriMesh, field: &Field, inside: &Inside<'_>) {
    let soup = Soup::new(mesh);
    let grid = field.grid();
    let n = grid.nodes().as_ivec3();
    let mut nodes = Vec::new();
    for z in 0..n.z {
        for y in 0..n.y {
            nodes.extend((0..n.x).map(|x| IVec3::new(x, y, z)));
        }
    }
    let checked = in_parallel(&nodes, |&node| {
        let p = grid.bounds().project(grid.node_position(node));
        if field.error_bound_at(p) != Some(field.error_bound()) {
            return false;
        }
        let (value, distance, winding) = (field.distance(p).value(), soup.distance(p), soup.winding(p));
        // On a triangle winding numbers are rounding: it may be boundary, or buried.
        let is_on_one = distance < 1e-12;
        let deepest = match inside {
            Inside::Boundary(boundary) if is_on_one || winding > 0.5 => boundary.distance(p),
            _ => distance,
        };
        let rounding = |d: f64| d * 2f64.powi(-24) * (1.0 + 1e-6) + 1e-14;
        let (low, high) = if is_on_one {
            (-deepest - rounding(deepest) - 1e-12, 1e-12)
        } else if winding > 0.5 {
            let shallowest = if field.understates_depth() { distance } else { deepest };
            (-deepest - rounding(deepest), -shallowest + rounding(shallowest))
        } else {
            (distance - rounding(distance), distance + rounding(distance))
        };
        assert!(
            (low..=high).contains(&value),
            "{name}: node {node} at {p} is {value}, not in {low} to {high}; it winds {winding} times"
        );
        true
    });
    let checked = checked.into_iter().filter(|&was_fine| was_fine).count();
    println!("{name}: {checked} nodes of {}", nodes.len());
    match field.storage() {
        StorageKind::Dense => assert_eq!(checked, nodes.len(), "{name}"),
        StorageKind::Sparse => assert!(3 * checked > 2 * nodes.len(), "{name}: {checked} of {}", nodes.len()),
    }
}

/// Self-intersecting closed meshes, with a resolution at which brute force on all nodes is cheap.
fn tangles() -> Vec<(&'static str, TriMesh)> {
    let boxes = joined(&[unit_box(), moved(unit_box(), DVec3::new(0.4, 0.3, 0.6))]);
    let coplanar = joined(&[unit_box(), moved(unit_box(), DVec3::new(0.5, 0.0, 0.0))]);
    let nested = joined(&[sphere(0.5, 320).unwrap(), sphere(0.3, 320).unwrap()]);
    let three = joined(&[
        unit_box(),
        moved(unit_box(), DVec3::new(0.5, 0.25, 0.1)),
        moved(sphere(0.5, 320).unwrap(), DVec3::new(0.3, -0.4, 0.5)),
    ]);
    vec![
        ("spheres", overlapping_spheres()),
        ("crossing tube", self_crossing_tube()),
        ("boxes", boxes),
        ("boxes with common planes", coplanar),
        ("nested spheres", nested),
        ("three parts", three),
    ]
}

#[test]
fn overlapping_parts_give_the_union_and_a_note() {
    for (name, mesh) in tangles() {
        let boundary = Soup::exposed(&mesh);
        for storage in BOTH {
            for resolution in [13, 37] {
                let options = options(resolution, storage);
                let Built { field, notes } =
                    Field::from_mesh_with(&mesh, &options, &Execution::default()).unwrap();
                check_signs(name, &mesh, &field, &Inside::Boundary(&boundary));
                field.verify().unwrap();
                assert_eq!(field.sign(), SignMethod::Winding, "{name}");
                assert!(matches!(notes[..], [BuildNote::RunsThroughItself { .. }]), "{name}: {notes:?}");
                let words = notes[0].to_string();
                let known = ["runs through itself", "lie inside others", "or cross others"];
                assert!(known.iter().any(|k| words.contains(k)), "{words}");
            }
        }
    }
}

#[test]
fn overlapping_parts_are_noticed() {
    for (name, mesh) in tangles().into_iter().take(3) {
        for storage in BOTH {
            let field = Field::from_mesh(&mesh, &options(48, storage)).unwrap();
            assert_eq!(field.sign(), SignMethod::Winding, "{name}");
            let pseudonormal = FieldOptions { sign: SignMethod::Pseudonormal, ..options(48, storage) };
            let error = refused(&mesh, &pseudonormal);
            assert!(matches!(error, BuildError::Contradiction { .. }), "{name}: {error}");
            assert!(error.to_string().contains("'auto'"), "the remedy: {error}");
        }
    }
}

#[test]
fn winding_gives_the_union_when_asked_for() {
    for (name, mesh) in tangles() {
        let boundary = Soup::exposed(&mesh);
        for storage in BOTH {
            let options = FieldOptions { sign: SignMethod::Winding, ..options(29, storage) };
            let Built { field, notes } =
                Field::from_mesh_with(&mesh, &options, &Execution::default()).unwrap();
            assert_eq!(field.sign(), SignMethod::Winding);
            assert!(matches!(notes[..], [BuildNote::RunsThroughItself { .. }]), "{name}: {notes:?}");
            check_signs(name, &mesh, &field, &Inside::Boundary(&boundary));
        }
    }
}

/// Contract: the exact distance to the boundary of the solid, not to parts buried in it.
#[test]
fn buried_parts_do_not_count() {
    let outer = sphere(0.5, 1280).unwrap();
    let nested = joined(&[outer.clone(), sphere(0.3, 320).unwrap(), unit_box().mapped(|v| 0.2 * v).unwrap()]);
    for storage in BOTH {
        let field = Field::from_mesh(&nested, &options(40, storage)).unwrap();
        let alone = Field::from_mesh(&outer, &options(40, storage)).unwrap();
        let mut random = Random(5);
        for _ in 0..2000 {
            let p = random.in_box(field.grid().bounds());
            assert_eq!(field.distance(p).value(), alone.distance(p).value(), "{p}");
        }
    }
}

/// Four triangles on an edge, two each way: whole winding numbers, but no pseudonormal.
#[test]
fn boxes_that_share_an_edge_are_a_solid() {
    let mesh = boxes_sharing_an_edge();
    assert_eq!(mesh.vertices().len(), 14);
    for storage in BOTH {
        for sign in [SignMethod::Auto, SignMethod::Winding] {
            let field = Field::from_mesh(&mesh, &FieldOptions { sign, ..options(41, storage) }).unwrap();
            assert_eq!(field.sign(), SignMethod::Winding);
            check_signs("boxes", &mesh, &field, &Inside::Mesh);
        }
        let error = refused(&mesh, &FieldOptions { sign: SignMethod::Pseudonormal, ..options(41, storage) });
        assert_eq!(error, BuildError::Crowded { crowded_edges: 1 });
        assert!(error.to_string().contains("'winding'"), "{error}");
    }
}

#[test]
fn names_of_options_are_read_back() {
    for sign in [SignMethod::Auto, SignMethod::Pseudonormal, SignMethod::Winding] {
        assert_eq!(sign.to_string().parse(), Ok(sign));
    }
    for storage in BOTH {
        assert_eq!(storage.to_string().parse(), Ok(storage));
    }
    let error = "magic".parse::<SignMethod>().unwrap_err();
    assert!(error.to_string().contains("magic") && error.to_string().contains("winding"), "{error}");
    assert!("Dense".parse::<StorageKind>().is_err());
}
